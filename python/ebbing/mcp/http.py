"""The server on HTTP: loopback unless it is told otherwise, a token always, no foreign origin.

A page in a browser can send requests to loopback, and a name that it controls can be made to point
there (DNS rebinding). So a request counts only if it names a host that this server goes by, comes
from no other origin, and carries the token.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import uvicorn
from h11 import IDLE, SEND_BODY
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ebbing.errors import InputError
from ebbing.mcp.server import build_server, leave_on_signals
from ebbing.memory import Memory

PATH = "/mcp"
LEAST_TOKEN_CHARACTERS = 16

_TOKEN = re.compile(r"[\x21-\x7e]+")
_SECONDS_TO_FINISH = 5
# Who has begun a request and not sent all of it by then sends none.
_SECONDS_TO_ASK = 30
# A model thinks, or its user is at lunch, and the client keeps its connection.
_SECONDS_KEPT_ALIVE = 3_600


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens; `is_loopback` when only this machine can reach it."""

    socket: socket.socket
    host: str
    port: int
    is_loopback: bool

    @property
    def url(self) -> str:
        """What a client is configured with."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{self.port}{PATH}"


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(32)


def checked_token(token: str) -> str:
    """Return a token that a header can carry and that is not guessed at once, or refuse it."""
    if len(token) < LEAST_TOKEN_CHARACTERS or not _TOKEN.fullmatch(token):
        raise InputError(
            "the token is too short or has blanks or characters beyond ASCII; nothing was "
            f"started; use at least {LEAST_TOKEN_CHARACTERS} letters, digits and signs"
        )
    return token


def bind(host: str, port: int, *, allow_remote: bool) -> Address:
    """Listen; an address that other machines can reach needs `allow_remote`."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM) if host else []
    except (OSError, UnicodeError, OverflowError):
        found = []
    if not found:
        raise InputError(f"{host!r} is no address of this machine; nothing was started")
    family, _, _, _, address = found[0]
    number = ipaddress.ip_address(str(address[0]).partition("%")[0])
    if not number.is_loopback and not allow_remote:
        raise InputError(
            f"{host} can be reached from other machines; nothing was started; "
            "use 127.0.0.1, or --allow-remote if that is meant"
        )
    try:
        listening = socket.create_server((str(address[0]), port), family=family, backlog=128)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{host} port {port} cannot be used ({reason}); nothing was started; choose another"
        ) from None
    return Address(
        socket=listening,
        host=host,
        port=listening.getsockname()[1],
        is_loopback=number.is_loopback,
    )


class Guard:
    """Lets through only requests that name this server, from no foreign origin, with the token."""

    def __init__(
        self, app: ASGIApp, *, token: str, hosts: Iterable[str], is_loopback: bool
    ) -> None:
        """Guard an application; `hosts` are the names it goes by beside the loopback ones."""
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset(_bare(host) for host in hosts)
        self._is_loopback = is_loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong with it."""
        refusal = None if scope["type"] == "lifespan" else self._refusal(scope)
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_ours(f"//{hosts[0]}"):
            return PlainTextResponse("the Host is not one of this server's\n", status_code=403)
        if not all(self._is_ours(origin, "http", "https") for origin in origins):
            return PlainTextResponse("the Origin is foreign to this server\n", status_code=403)
        if not self._is_known(headers.getlist("authorization")):
            return PlainTextResponse(
                "the token is missing or wrong\n",
                status_code=401,
                headers={"WWW-Authenticate": 'Bearer realm="ebbing"'},
            )
        return None

    def _is_ours(self, url: str, *schemes: str) -> bool:
        try:
            parts = urlsplit(url)
            name = _bare(parts.hostname or "")
            parts.port  # noqa: B018 - raises if it is no number
        except ValueError:
            return False
        if parts.scheme not in (schemes or ("",)) or "@" in parts.netloc or not name:
            return False
        if name in self._hosts or name == "localhost":
            return True
        try:
            number = ipaddress.ip_address(name)
        except ValueError:
            return False
        # A number cannot be rebound as a name can; beyond loopback it is one of this machine's.
        return number.is_loopback or (not self._is_loopback and not schemes)

    def _is_known(self, given: list[str]) -> bool:
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        # Compared in constant time, whatever the scheme says.
        is_equal = hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token)
        return is_equal and scheme.lower() == "bearer"


class PromptProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on who does not end a request; an answer or the next may take long."""

    _hanging_up: TimerHandle | None = None
    _is_kept = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait(_SECONDS_TO_ASK)

    def handle_events(self) -> None:
        """Stop waiting once the request is whole; hurry who has begun another one."""
        super().handle_events()
        if self.conn.their_state not in (IDLE, SEND_BODY):
            self._stop_waiting()
        elif self._is_kept:
            self._is_kept = False
            self._wait(_SECONDS_TO_ASK)

    def on_response_complete(self) -> None:
        """Begin to wait for the next one, or for the rest of one that was refused."""
        super().on_response_complete()
        self._is_kept = self.conn.their_state is IDLE
        self._wait(_SECONDS_KEPT_ALIVE if self._is_kept else _SECONDS_TO_ASK)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._hanging_up = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
            self._hanging_up = None


def guarded_app(
    memory: Memory,
    *,
    token: str,
    hosts: Iterable[str] = (),
    is_loopback: bool = True,
    on_write: Callable[[], None] = lambda: None,
) -> ASGIApp:
    """Return the application behind its guard."""
    app = build_server(memory, on_write=on_write).streamable_http_app(
        streamable_http_path=PATH,
        # Each request stands alone: nothing here outlives one, so no session is kept for a client.
        stateless_http=True,
        json_response=True,
        # The guard has checked host and origin before.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(app, token=token, hosts=hosts, is_loopback=is_loopback)


def serve_http(
    memory: Memory,
    address: Address,
    *,
    token: str,
    hosts: Iterable[str] = (),
    on_write: Callable[[], None],
) -> None:
    """Serve clients until a signal ends it."""
    app = guarded_app(
        memory,
        token=token,
        hosts=(address.host, *hosts),
        is_loopback=address.is_loopback,
        on_write=on_write,
    )
    config = uvicorn.Config(
        app,
        http=PromptProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_SECONDS_KEPT_ALIVE,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    # It finishes what it has begun when it is told to stop, then hands the signal on.
    leave_on_signals(memory)
    uvicorn.Server(config).run(sockets=[address.socket])


def _bare(host: str) -> str:
    return host.strip().rstrip(".").strip("[]").lower()
