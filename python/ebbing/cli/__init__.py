"""The command line: options, one call, print."""

from __future__ import annotations

from ebbing.cli.main import main

__all__ = ["main"]
