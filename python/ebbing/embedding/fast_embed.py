"""fastembed: any ONNX model that the library knows by name, or one from a local folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ebbing.embedding.known_models import Prefixes, prefixes_of
from ebbing.embedding.local import LocalEmbedder
from ebbing.embedding.protocol import QueryMode
from ebbing.errors import InputError, ProviderError

if TYPE_CHECKING:
    from fastembed import TextEmbedding

# Where exporters put the network, relative to the model's folder.
_NETWORKS = ("onnx/model.onnx", "model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")

# Weights differ everywhere when they differ, so that a sample tells two models apart.
_SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model on this machine: its network, how its tokens are pooled, its dimension."""

    path: Path
    network: str
    pooling: str
    dimension: int
    fingerprint: str

    @property
    def model_id(self) -> str:
        """The folder's name and what is in it: the path may differ between machines."""
        return f"{self.path.name}@{self.fingerprint}"


class FastEmbedEmbedder(LocalEmbedder["TextEmbedding"]):
    """A fastembed model by name or folder; queries get the prefix that the model expects.

    `cache_dir` and `local_files_only` are passed on to fastembed.
    """

    def __init__(
        self, model: str, *, cache_dir: str | None = None, local_files_only: bool = False
    ) -> None:
        """Name a model that fastembed knows, or a folder."""
        super().__init__()
        self._argument = model
        self._cache_dir = cache_dir
        self._local_files_only = local_files_only
        self._prefixes: Prefixes = prefixes_of(model)
        self.query_mode: QueryMode = self._prefixes.query_mode
        self._limit: int | None = None

    @property
    def name(self) -> str:
        """What to give `get_embedder` to get this embedder again."""
        return f"fastembed:{self._argument}"

    @property
    def model_id(self) -> str:
        """The model's name, or its folder's name and fingerprint."""
        return f"fastembed/{self._folder.model_id if self._folder else self._argument}"

    @cached_property
    def dimension(self) -> int:
        """How many numbers a vector has, without loading the model."""
        if self._folder is not None:
            return self._folder.dimension
        try:
            return int(_text_embedding().get_embedding_size(self._argument))
        except ValueError as error:
            raise self._unknown_model() from error

    @cached_property
    def _folder(self) -> ModelFolder | None:
        path = Path(self._argument).expanduser()
        return read_model_folder(path.resolve()) if path.is_dir() else None

    def _load(self) -> TextEmbedding:
        text_embedding = _text_embedding()
        options: dict[str, Any] = {
            "cache_dir": self._cache_dir,
            "local_files_only": self._local_files_only,
        }
        model_name = self._argument
        if self._folder is not None:
            model_name = self.model_id
            options["specific_model_path"] = str(self._folder.path)
            _register(text_embedding, model_name, self._folder)
        elif not any(
            model["model"].lower() == model_name.lower()
            for model in text_embedding.list_supported_models()
        ):
            raise self._unknown_model()
        try:
            return text_embedding(model_name, **options)
        except Exception as error:  # the download and ONNX layers raise kinds of their own
            raise ProviderError(
                f"fastembed could not load {self._argument} "
                f"({type(error).__name__}: {_one_line(error)}); nothing was written; "
                "check the network, or give the folder of a downloaded model"
            ) from error

    def _token_limit(self, model: TextEmbedding) -> int:
        if self._limit is None:
            # fastembed truncates in silence; a text longer than any limit shows where.
            shown = int(model.token_count("a " * 40_000))
            # One less: a text of just the limit looks the same as a longer one.
            self._limit = max(shown - 1, 1)
        return self._limit

    def _count_tokens(self, model: TextEmbedding, text: str, is_query: bool) -> int:
        return int(model.token_count(self._prefixes.add(text, is_query=is_query)))

    def _encode(
        self, model: TextEmbedding, texts: list[str], is_query: bool
    ) -> Iterable[Sequence[float]]:
        prefixed = [self._prefixes.add(text, is_query=is_query) for text in texts]
        embed = model.query_embed if is_query else model.passage_embed
        return [vector.tolist() for vector in embed(prefixed)]

    def _unknown_model(self) -> InputError:
        return InputError(
            f"fastembed knows no model {self._argument!r} and there is no such folder; nothing was "
            "written; see fastembed.TextEmbedding.list_supported_models()"
        )


def _text_embedding() -> type[TextEmbedding]:
    try:
        import fastembed
    except ImportError as error:
        raise ProviderError(
            "fastembed is not installed; nothing was written; run `pip install 'ebbing[fastembed]'`"
        ) from error
    text_embedding: type[TextEmbedding] = fastembed.TextEmbedding
    return text_embedding


def _register(text_embedding: type[TextEmbedding], model_name: str, folder: ModelFolder) -> None:
    from fastembed.common.model_description import ModelSource, PoolingType

    known = {model["model"].lower() for model in text_embedding.list_supported_models()}
    if model_name.lower() not in known:
        text_embedding.add_custom_model(
            model=model_name,
            pooling=PoolingType(folder.pooling),
            normalization=True,
            # fastembed asks for a source, and does not use it beside `specific_model_path`.
            sources=ModelSource(hf=folder.path.name),
            dim=folder.dimension,
            model_file=folder.network,
        )


def read_model_folder(path: Path) -> ModelFolder:
    """Read how to run the model in a folder from the files that exporters leave beside it."""
    network = next((name for name in _NETWORKS if (path / name).is_file()), None)
    if network is None:
        raise InputError(
            f"{path} holds no ONNX model; nothing was written; "
            f"the folder should have one of: {', '.join(_NETWORKS)}"
        )
    config = _read_json(path / "config.json")
    dimension = config.get("hidden_size") or config.get("dim") or config.get("d_model")
    if not isinstance(dimension, int):
        raise InputError(
            f"{path / 'config.json'} does not say the model's hidden_size; nothing was written; "
            "add the config.json that came with the model"
        )
    return ModelFolder(path, network, _pooling(path), dimension, _fingerprint(path, network))


def _pooling(path: Path) -> str:
    pooling = _read_json(path / "1_Pooling" / "config.json")
    if pooling.get("pooling_mode_cls_token"):
        return "CLS"
    if pooling.get("pooling_mode_lasttoken"):
        return "LAST_TOKEN"
    return "MEAN"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read as JSON; nothing was written; download the model again"
        ) from error
    return content if isinstance(content, dict) else {}


def _fingerprint(path: Path, network: str) -> str:
    digest = sha256(_pooling(path).encode())
    for name in ("tokenizer.json", network):
        file = path / name
        if file.is_file():
            size = file.stat().st_size
            digest.update(f"{name}:{size}".encode())
            with file.open("rb") as stream:
                digest.update(stream.read(_SAMPLE_BYTES))
                stream.seek(max(size - _SAMPLE_BYTES, 0))
                digest.update(stream.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:12]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
