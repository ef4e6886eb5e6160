"""Remotes that are open: one connection for all threads of a process, and patience with each."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TypeVar

from ebbing.remote.address import open_remote
from ebbing.remote.patience import within
from ebbing.remote.protocol import Remote
from ebbing.remote.settings import Link

T = TypeVar("T")

# The longest wait for one answer of a remote when nobody waits for ours.
PATIENCE = 60.0
_remotes: dict[tuple[int, str, str], Remote] = {}
_lock = Lock()


def remote_of(link: Link) -> Remote:
    """Return the remote of a link; one connection for all threads of a process."""
    key = (os.getpid(), link.url, link.replica)
    with _lock:
        if key not in _remotes:
            _remotes[key] = open_remote(link.url, replica=link.replica)
        return _remotes[key]


def forget_remote(link: Link) -> None:
    """Let go of a connection, as it is of no use or still waited for."""
    with _lock:
        remote = _remotes.pop((os.getpid(), link.url, link.replica), None)
    if remote is not None:
        remote.close()


def asked(link: Link, ask: Callable[[Remote], T], *, seconds: float = PATIENCE) -> T:
    """Ask a remote, and wait no longer than the seconds."""
    remote = remote_of(link)
    return within(
        seconds, partial(ask, remote), give_up=partial(forget_remote, link), what=link.url
    )
