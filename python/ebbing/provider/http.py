"""JSON over HTTP to a model provider: retries, timeouts, one-line errors, and no key in any."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.response import BaseHTTPResponse
from urllib3.util.retry import Retry

from ebbing.errors import ProviderError

DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_RETRIES = 4
DEFAULT_BACKOFF_SECONDS = 0.5

# A provider that asks for more patience than this is down for our purposes.
_LONGEST_WAIT_SECONDS = 60.0

_TEMPORARY = (408, 429, 500, 502, 503, 504, 529)
_LONGEST_DETAIL = 200


class RequestRefused(ProviderError):
    """The provider understood the request and will not serve it as it is (400, 413, 422)."""

    def __init__(self, message: str, *, reason: str) -> None:
        """Keep the provider's reason, which may become the note of a text."""
        super().__init__(message)
        self.reason = reason


class _Retry(Retry):
    """urllib3's retries, which honour `Retry-After`, with a bound on how long it may ask for."""

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        asked = super().get_retry_after(response)
        return None if asked is None else min(asked, _LONGEST_WAIT_SECONDS)


class _Bearer(requests.auth.AuthBase):
    """Sends the key, and keeps requests from putting one from ~/.netrc in its place."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class JsonProvider:
    """One provider's HTTP interface; safe to share between threads.

    A request that may succeed later is sent again up to `retries` times, one that was sent and got
    no answer in time up to `timeout_retries` times.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        retries: int = DEFAULT_RETRIES,
        timeout_retries: int = 1,
        backoff: float = DEFAULT_BACKOFF_SECONDS,
    ) -> None:
        """Name the provider's address; nothing is sent yet. Times are in seconds."""
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._session = requests.Session()
        adapter = HTTPAdapter(
            max_retries=_Retry(
                total=retries,
                connect=min(retries, 2),
                read=min(retries, timeout_retries),
                status=retries,
                status_forcelist=_TEMPORARY,
                allowed_methods=None,
                backoff_factor=backoff,
                backoff_max=_LONGEST_WAIT_SECONDS,
                backoff_jitter=backoff / 2,
                raise_on_status=False,
            )
        )
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def __repr__(self) -> str:
        """Show the address without the key."""
        return f"JsonProvider({self.host!r})"

    @property
    def host(self) -> str:
        """The provider's address without a path, query or password, for messages."""
        parts = urlsplit(self._base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}"

    def post(self, path: str, payload: dict[str, Any]) -> Any:
        """Post JSON and return the JSON of the answer."""
        try:
            response = self._session.post(
                f"{self._base_url}/{path.lstrip('/')}",
                json=payload,
                auth=_Bearer(self._key),
                timeout=self._timeout,
                allow_redirects=False,
            )
        except requests.Timeout:
            raise self._error(f"did not answer within {self._timeout:g} s", "try later") from None
        except requests.exceptions.RetryError:
            raise self._error("kept failing", "try later") from None
        except requests.ConnectionError as error:
            if _is_timeout(error):
                raise self._error(
                    f"did not answer within {self._timeout:g} s", "try later"
                ) from None
            raise self._error("cannot be reached", "check the address and the network") from None
        except (requests.RequestException, ValueError) as error:
            raise self._error(
                f"could not be asked ({self._safe(str(error))})", "check the address and the key"
            ) from None
        return self._read(response)

    def _read(self, response: requests.Response) -> Any:
        status = response.status_code
        if 200 <= status < 300:
            try:
                return json.loads(response.content)
            except ValueError:
                raise self._error(
                    "answered with broken JSON", "check the address, or try later"
                ) from None
        reason = f"HTTP {status}{self._detail(response)}"
        if status in (400, 413, 422):
            error = self._error(f"refused the request ({reason})", "check the model's name")
            raise RequestRefused(str(error), reason=reason)
        if status in (401, 403):
            raise self._error(f"did not accept the key ({reason})", "check the API key")
        if status in (404, 405):
            raise self._error(
                f"does not know the model or the path ({reason})",
                "check the model's name and the address",
            )
        raise self._error(f"failed ({reason})", "try later")

    def _error(self, what: str, cure: str) -> ProviderError:
        return ProviderError(f"{self.host} {what}; nothing was written; {cure}")

    def _detail(self, response: requests.Response) -> str:
        try:
            body = json.loads(response.content)
            error = body.get("error", body) if isinstance(body, dict) else body
            detail = error.get("message", "") if isinstance(error, dict) else error
        except ValueError:
            return ""
        return f": {self._safe(detail)}" if isinstance(detail, str) and detail.strip() else ""

    def _safe(self, text: str) -> str:
        # Providers quote the key that they refuse.
        if self._key:
            text = text.replace(self._key, "[key]")
        printable = "".join(c if c.isprintable() else " " for c in text)
        return " ".join(printable.split())[:_LONGEST_DETAIL]


def _is_timeout(error: requests.ConnectionError) -> bool:
    # With retries, requests wraps a read timeout as a connection error.
    cause = error.args[0] if error.args else None
    return "Timeout" in type(getattr(cause, "reason", cause)).__name__
