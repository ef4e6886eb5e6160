"""What the facade returns, as JSON has it: for `--json` and for the tools of the MCP server."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import datetime

from ebbing.clock import format_time


def to_json(value: object, *, indent: int | None = None, is_ascii: bool = False) -> str:
    """Return a result as one JSON document; times are ISO 8601 with Z."""
    return json.dumps(value, ensure_ascii=is_ascii, indent=indent, default=_plain)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")
