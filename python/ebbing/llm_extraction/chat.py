"""One language model behind the OpenAI-compatible chat API."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from ebbing.errors import InputError, ProviderError

if TYPE_CHECKING:
    from ebbing.provider.http import JsonProvider, RequestRefused

BASE_URL_VARIABLE = "EBBING_CHAT_BASE_URL"
MODEL_VARIABLE = "EBBING_CHAT_MODEL"
KEY_VARIABLE = "EBBING_CHAT_API_KEY"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"

DEFAULT_TIMEOUT_SECONDS = 120.0
DEFAULT_MAX_OUTPUT_TOKENS = 2_000

_OPENAI_HOST = "api.openai.com"
_PATH = "chat/completions"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered; token counts are None where the server does not tell."""

    text: str
    is_cut_off: bool
    refusal: str | None
    tokens_in: int | None
    tokens_out: int | None


class Model(Protocol):
    """What extraction asks: a chat API, or a program."""

    model: str
    max_output_tokens: int

    def ask(self, system: str, user: str, schema: Mapping[str, Any]) -> Reply:
        """Answer one request."""


class ChatModel:
    """A model that answers in JSON; the server's own limits are found out by asking.

    Not every server takes every parameter: one that is refused by name is sent no more.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        key: str | None = None,
        max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        **http_options: Any,
    ) -> None:
        """Name the model and its address; `http_options` are retries and backoff."""
        if not model.strip():
            raise InputError("the chat model has no name; nothing was read; name one")
        self.model = model.strip()
        self.max_output_tokens = max_output_tokens
        self._base_url = _address(base_url)
        self._key = key
        # What was sent may have been read, and be paid for: it isn't sent twice.
        self._http_options = {"timeout": timeout, "timeout_retries": 0, **http_options}
        self._http: JsonProvider | None = None
        self._formats = ["json_schema", "json_object", "text"]
        self._takes_temperature = True
        self._output_parameter = "max_tokens"
        self._lock = Lock()

    def __repr__(self) -> str:
        """Show the model without the key."""
        return f"ChatModel({self.model!r})"

    @classmethod
    def from_environment(
        cls, *, model: str | None = None, base_url: str | None = None, **options: Any
    ) -> ChatModel:
        """Return the model that the environment names; without an address there is none.

        OPENAI_API_KEY is sent to OpenAI alone, EBBING_CHAT_API_KEY to whatever address is set.
        """
        address = base_url or os.environ.get(BASE_URL_VARIABLE, "")
        if not address.strip():
            raise InputError(
                "no language model is set up; nothing was read or sent; set "
                f"{BASE_URL_VARIABLE}, for example to http://localhost:11434/v1"
            )
        return cls(model_name(model), base_url=address, key=_key(address), **options)

    @property
    def host(self) -> str:
        """The server's address, for messages."""
        return self._connected().host

    def ask(self, system: str, user: str, schema: Mapping[str, Any]) -> Reply:
        """Send one request, again without what the server refuses by name."""
        from ebbing.provider.http import RequestRefused

        while True:
            payload = self._payload(system, user, schema)
            try:
                return self._reply(self._connected().post(_PATH, payload))
            except RequestRefused as refused:
                if not self._gives_way(refused):
                    raise

    def _payload(self, system: str, user: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user},
            ],
            self._output_parameter: self.max_output_tokens,
        }
        if self._takes_temperature:
            payload["temperature"] = 0
        if self._formats[0] == "json_schema":
            payload["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "memories", "strict": True, "schema": dict(schema)},
            }
        elif self._formats[0] == "json_object":
            payload["response_format"] = {"type": "json_object"}
        return payload

    def _gives_way(self, refused: RequestRefused) -> bool:
        reason = refused.reason.lower()
        if "max_completion_tokens" in reason and self._output_parameter == "max_tokens":
            self._output_parameter = "max_completion_tokens"
        elif "temperature" in reason and self._takes_temperature:
            self._takes_temperature = False
        elif ("response_format" in reason or "json" in reason) and len(self._formats) > 1:
            del self._formats[0]
        else:
            return False
        return True

    def _reply(self, answer: Any) -> Reply:
        choices = answer.get("choices") if isinstance(answer, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise ProviderError(
                f"{self.host} answered with something else than a chat; nothing was written; "
                "check the address and the model's name"
            )
        content, refusal = message.get("content"), message.get("refusal")
        reason = choice.get("finish_reason")
        if reason == "content_filter" and not refusal:
            refusal = "its content filter"
        usage = answer.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        return Reply(
            text=content if isinstance(content, str) else "",
            is_cut_off=reason == "length",
            refusal=refusal if isinstance(refusal, str) and refusal else None,
            tokens_in=_count(usage.get("prompt_tokens")),
            tokens_out=_count(usage.get("completion_tokens")),
        )

    def _connected(self) -> JsonProvider:
        with self._lock:
            if self._http is None:
                from ebbing.provider.http import JsonProvider

                self._http = JsonProvider(self._base_url, key=self._key, **self._http_options)
            return self._http


def model_name(model: str | None = None) -> str:
    """Return the given model's name or the environment's, or say where to set it."""
    name = (model or os.environ.get(MODEL_VARIABLE, "")).strip()
    if not name:
        raise InputError(
            f"no language model is named; nothing was read or sent; set {MODEL_VARIABLE}"
        )
    return name


def _key(address: str) -> str | None:
    names = [KEY_VARIABLE]
    parts = urlsplit(address.strip())
    if parts.scheme == "https" and parts.hostname == _OPENAI_HOST:
        names.append(OPENAI_KEY_VARIABLE)
    found = (os.environ.get(name, "").strip() for name in names)
    return next((key for key in found if key), None)


def _address(base_url: str) -> str:
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            "the language model's address is not one; nothing was read or sent; "
            "give it as http://host:port/v1"
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return parts._replace(path=path or "/v1", query="", fragment="").geturl()


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None
