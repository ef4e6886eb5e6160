"""Addresses of remotes: what they may be, and never with a password in them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from ebbing.errors import InputError
from ebbing.remote.protocol import Remote
from ebbing.store.location import fault_of_place

_POSTGRES = ("postgresql", "postgres")
_SECRETS = frozenset({"password", "sslpassword", "oauth_client_secret"})


def checked_address(url: str) -> str:
    """Return an address that may be kept, or refuse it; what is secret is not repeated."""
    try:
        parts = urlsplit(url.strip())
        password = parts.password
    except ValueError:
        raise InputError(
            "that is no address; nothing was added; give postgresql://HOST/DATABASE or "
            "file:///FOLDER"
        ) from None
    if any(ord(one) < 33 for one in url.strip()):
        raise InputError("an address holds no blanks; nothing was added; write them as %20")
    if parts.scheme in _POSTGRES:
        named = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        if password is not None or named & _SECRETS:
            raise InputError(
                "the address holds a password, which the store must not know; nothing was added; "
                "put it in the environment (PGPASSWORD) or in libpq's own file (~/.pgpass), and "
                "leave it out of the address"
            )
        return url.strip()
    if parts.scheme == "file":
        folder_of(url.strip())
        return url.strip()
    raise InputError(
        f"{parts.scheme or 'no scheme'}: is no kind of remote; nothing was added; give "
        "postgresql://HOST/DATABASE or file:///FOLDER"
    )


def folder_of(url: str) -> Path:
    """Return the folder of a `file:` address."""
    parts = urlsplit(url)
    folder = Path(unquote(parts.path))
    if parts.netloc not in ("", "localhost") or not folder.is_absolute():
        raise InputError(
            f"{url} names no folder of this machine; nothing was added; write file:///FOLDER, "
            "with three strokes"
        )
    if fault := fault_of_place(folder):
        raise InputError(f"{folder} {fault}; nothing was added; name another folder")
    return folder


def open_remote(url: str, *, replica: str) -> Remote:
    """Return the remote of an address; nothing is connected yet."""
    if urlsplit(url).scheme == "file":
        from ebbing.remote.folder import FolderRemote

        return FolderRemote(url, folder_of(url), replica=replica)
    try:
        from ebbing.remote.postgres import PostgresRemote
    except ImportError:
        raise InputError(
            "a remote in Postgres needs psycopg; nothing was changed; install it: "
            "pip install 'ebbing[postgres]'"
        ) from None
    return PostgresRemote(url)
