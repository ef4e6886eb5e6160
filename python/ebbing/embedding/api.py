"""OpenAI-compatible embeddings APIs: OpenAI, Gemini, and any server that speaks the same."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ebbing.embedding.known_models import dimension_of, prefixes_of
from ebbing.embedding.local import require_vector, require_words
from ebbing.embedding.protocol import Embedded, QueryMode, Vector
from ebbing.embedding.windows import checked, embed_in_windows
from ebbing.errors import InputError, ModelMismatch, ProviderError

if TYPE_CHECKING:
    from ebbing.provider.http import JsonProvider

BASE_URL_VARIABLE = "EBBING_EMBEDDING_BASE_URL"
KEY_VARIABLE = "EBBING_EMBEDDING_API_KEY"

OPENAI_BASE_URL = "https://api.openai.com/v1"
GEMINI_BASE_URL = "https://generativelanguage.googleapis.com/v1beta/openai"

_MOST_TEXTS = 64
_MOST_CHARACTERS = 60_000

Row = Sequence[float]


class ApiEmbedder:
    """An embedding model behind HTTP, asked in batches and retried with patience.

    A text that the provider refuses is refused alone; a provider that is down is a
    `ProviderError`. `model` may end in `@` and a dimension, which is then asked for.
    """

    def __init__(
        self,
        provider: str,
        model: str,
        *,
        base_url: str,
        key_variables: Sequence[str] = (),
        needs_key: bool = False,
        key: str | None = None,
        token_limit: int = 512,
        most_texts: int = _MOST_TEXTS,
        most_characters: int = _MOST_CHARACTERS,
        **http_options: Any,
    ) -> None:
        """Name the provider and model; `http_options` are timeout, retries and backoff."""
        self._provider = provider
        self._argument = model
        self._model, self._asked_dimension = _parse(model)
        self._base_url = base_url
        self._key = key
        self._key_variables = (KEY_VARIABLE, *key_variables)
        self._needs_key = needs_key
        self._tokens = token_limit
        self._most_texts = most_texts
        self._most_characters = most_characters
        self._http_options = http_options
        self._prefixes = prefixes_of(self._model)
        self._dimension = self._asked_dimension or dimension_of(self._model)
        self._has_answered = False
        self._http: JsonProvider | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        """Show the name without the key."""
        return f"ApiEmbedder({self.name!r})"

    @property
    def name(self) -> str:
        """What to give `get_embedder` to get this embedder again."""
        return f"{self._provider}:{self._argument}"

    @property
    def model_id(self) -> str:
        """The provider's kind and the model; not the address, which may move."""
        return f"{self._provider}/{self._argument}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asks the provider where nothing else tells."""
        if self._dimension is None:
            self._ask(["dimension"])
        if self._dimension is None:
            raise ProviderError(
                f"{self._connected().host} gave no vector for {self._model}; nothing was written; "
                "check that it is an embedding model"
            )
        return self._dimension

    @property
    def query_mode(self) -> QueryMode:
        """`prefixed` for models that were trained with prefixes, which are added here."""
        return self._prefixes.query_mode

    def embed_passages(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed what is stored: one outcome for each text, in order."""
        return self._embed(texts, is_query=False)

    def embed_query(self, text: str) -> Vector:
        """Embed what is asked; an empty query is an `InputError`."""
        require_words(text)
        return require_vector(self._embed([text], is_query=True)[0])

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> list[Embedded]:
        return embed_in_windows(
            texts,
            count_tokens=estimated_tokens,
            token_limit=self._tokens,
            encode=partial(self._encode, is_query),
        )

    def _encode(self, is_query: bool, texts: list[str]) -> Iterable[Embedded]:
        prefixed = [self._prefixes.add(text, is_query=is_query) for text in texts]
        # All before any is handed on: a provider that goes down half-way fails the whole call.
        return [
            outcome for batch in self._batches(prefixed) for outcome in self._batch_outcomes(batch)
        ]

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        characters = 0
        for text in texts:
            is_full = len(batch) == self._most_texts
            if batch and (is_full or characters + len(text) > self._most_characters):
                yield batch
                batch, characters = [], 0
            batch.append(text)
            characters += len(text)
        if batch:
            yield batch

    def _batch_outcomes(self, texts: list[str]) -> list[Embedded]:
        from ebbing.provider.http import RequestRefused

        try:
            rows = self._ask(texts)
        except RequestRefused as refused:
            self._require_served(refused)
            if len(texts) == 1:
                return [Embedded(None, f"refused: {refused.reason}")]
            middle = len(texts) // 2
            return self._batch_outcomes(texts[:middle]) + self._batch_outcomes(texts[middle:])
        if len(texts) == 1:
            row = rows.get(0)
            return [
                Embedded(None, "refused: the provider gave no vector")
                if row is None
                else checked(row)
            ]
        # What a batch left out is asked for once more, alone.
        return [
            checked(rows[index]) if index in rows else self._batch_outcomes([text])[0]
            for index, text in enumerate(texts)
        ]

    def _require_served(self, refused: ProviderError) -> None:
        """Tell a bad text from a bad set-up: where nothing is served, no text is to blame."""
        if not self._has_answered:
            from ebbing.provider.http import RequestRefused

            try:
                self._ask(["a"])
            except RequestRefused:
                raise refused from None

    def _ask(self, texts: list[str]) -> Mapping[int, Row]:
        """Post one request and return the vectors by the position of their texts."""
        payload: dict[str, Any] = {"model": self._model, "input": texts}
        if self._asked_dimension is not None:
            payload["dimensions"] = self._asked_dimension
        http = self._connected()
        rows = _rows(http.post("embeddings", payload), len(texts))
        if rows is None:
            raise ProviderError(
                f"{http.host} answered with something else than embeddings; nothing was written; "
                "check the address and the model's name"
            )
        for row in rows.values():
            self._require_dimension(len(row))
        self._has_answered = True
        return rows

    def _require_dimension(self, found: int) -> None:
        with self._lock:
            if self._dimension is None:
                self._dimension = found
        if found != self._dimension:
            raise ModelMismatch(
                f"{self.model_id} gave a vector of {found} numbers where {self._dimension} are "
                "expected; nothing was written; check the model's name and settings, or run "
                f"`ebbing reembed --model {self.name}`"
            )

    def _connected(self) -> JsonProvider:
        with self._lock:
            if self._http is None:
                from ebbing.provider.http import JsonProvider

                self._http = JsonProvider(
                    self._base_url, key=self._resolved_key(), **self._http_options
                )
            return self._http

    def _resolved_key(self) -> str | None:
        candidates = [self._key, *(os.environ.get(name) for name in self._key_variables)]
        key = next((key.strip() for key in candidates if key and key.strip()), None)
        if key is None and self._needs_key:
            raise ProviderError(
                f"{self.name} needs an API key; nothing was written; "
                f"set {self._key_variables[-1]} or {KEY_VARIABLE}"
            )
        return key


def openai_embedder(model: str, *, base_url: str = OPENAI_BASE_URL, **options: Any) -> ApiEmbedder:
    """Return a model of OpenAI, with the key from the environment."""
    options.setdefault("token_limit", 8000)
    return ApiEmbedder(
        "openai",
        model,
        base_url=with_version(base_url),
        key_variables=("OPENAI_API_KEY",),
        needs_key=True,
        **options,
    )


def gemini_embedder(model: str, *, base_url: str = GEMINI_BASE_URL, **options: Any) -> ApiEmbedder:
    """Return a model of Gemini over its OpenAI-compatible address."""
    options.setdefault("token_limit", 2000)
    return ApiEmbedder(
        "gemini",
        model,
        base_url=with_version(base_url),
        key_variables=("GEMINI_API_KEY",),
        needs_key=True,
        **options,
    )


def compatible_embedder(model: str, *, base_url: str | None = None, **options: Any) -> ApiEmbedder:
    """Return a model of any OpenAI-compatible server: Ollama, vLLM, llama.cpp and others.

    A hosted provider's own key is not sent to it: only EBBING_EMBEDDING_API_KEY is.
    """
    address = base_url or os.environ.get(BASE_URL_VARIABLE, "").strip()
    if not address:
        raise InputError(
            f"api:{model} has no address; nothing was written; "
            f"set {BASE_URL_VARIABLE}, for example to http://localhost:11434/v1"
        )
    return ApiEmbedder("api", model, base_url=with_version(address), **options)


def with_version(base_url: str) -> str:
    """Complete an address: `/v1` where it has no path, without `/embeddings` where it has."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            "the embedding provider's address is not one; nothing was written; "
            "give it as http://host:port/v1"
        )
    path = parts.path.rstrip("/").removesuffix("/embeddings")
    return parts._replace(path=path or "/v1", query="", fragment="").geturl()


def estimated_tokens(text: str) -> int:
    """Estimate a text's tokens without the model's tokeniser, on the high side.

    Tokenisers make a token of some four bytes of English and three of Chinese.
    """
    return len(text.encode("utf-8", "replace")) * 2 // 5 + 2


def _parse(model: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(.+)@([1-9]\d{0,4})", model)
    return (match[1], int(match[2])) if match else (model, None)


def _rows(answer: Any, count: int) -> dict[int, Row] | None:
    """Read the vectors of an answer by position; None where it is not of the agreed form.

    Where items carry no usable positions and one is missing, none can be told apart, and no row
    is returned: the texts are then asked for one by one.
    """
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return None
    positions = [item.get("index") for item in items]
    if not _are_positions(positions, count):
        if len(items) != count:
            return {}
        positions = list(range(count))
    rows: dict[int, Row] = {}
    for position, item in zip(positions, items, strict=True):
        row = item.get("embedding")
        if isinstance(row, list) and row and all(map(_is_number, row)):
            rows[position] = row
    return rows


def _are_positions(positions: list[Any], count: int) -> bool:
    if not all(type(position) is int and 0 <= position < count for position in positions):
        return False
    return len(set(positions)) == len(positions)


def _is_number(value: Any) -> bool:
    # A JSON null stands for NaN in some servers' answers and falls out here.
    return isinstance(value, (int, float)) and not isinstance(value, bool)
