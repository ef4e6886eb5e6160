"""The MCP server: an agent's tools over the facade, on standard streams or on HTTP.

`server` builds it, `tools` and `resources` are what it offers, `results` what it answers, `http`
guards it on the network. Nothing here is imported before a server is asked for.
"""

from __future__ import annotations

from ebbing.errors import EbbingError


def require_sdk() -> None:
    """Say in one line what to install when the MCP library is missing or too old."""
    try:
        import mcp.server.mcpserver  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise EbbingError(
            "the MCP server needs the package mcp, version 2; nothing was started; "
            "run: pip install 'ebbing[mcp]'"
        ) from None
