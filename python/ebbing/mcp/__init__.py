"""The MCP server: an agent's tools over the facade, on standard streams or on HTTP.

`early` answers first contact, `server` builds the rest, `tools` and `resources` are what it offers,
`results` what it answers, `http` guards it on the network. Nothing here is imported before a server
is asked for.
"""

from __future__ import annotations

import contextlib

from ebbing.errors import EbbingError


def require_sdk() -> None:
    """Say in one line what to install when the MCP library is missing or too old."""
    from importlib.metadata import PackageNotFoundError, version

    # By their names alone: the libraries themselves take long to load.
    with contextlib.suppress(PackageNotFoundError, ValueError):
        if int(version("mcp").partition(".")[0]) >= 2 and version("uvicorn"):
            return
    raise EbbingError(
        "the MCP server needs the package mcp, version 2; nothing was started; "
        "run: pip install 'ebbing[mcp]'"
    )
