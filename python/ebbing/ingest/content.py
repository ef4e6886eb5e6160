"""Turns the contents of chat messages, text or parts, into clean plain text."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ebbing.safety import text


class Unreadable(Exception):
    """Why one line or item was skipped; it becomes the reason of a `BadLine`."""


def read_content(value: object) -> str:
    """Return the clean text of a message's content; empty where there is none."""
    if isinstance(value, str):
        return text.clean(value)
    if isinstance(value, list):
        return text.clean("\n".join(_part_texts(value)))
    if value is None:
        raise Unreadable("no content")
    raise Unreadable("the content is neither text nor a list of parts")


def _part_texts(parts: Iterable[object]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            # Pictures, sound and files have no text and are left out.
            for key in ("text", "input_text", "output_text", "refusal"):
                if isinstance(part.get(key), str):
                    yield part[key]
                    break
        else:
            raise Unreadable("a part of the content is neither text nor an object")


def tool_call_text(name: object, arguments: object) -> str:
    """Return a tool call as one line of text: the tool's name and its arguments as JSON."""
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False) if arguments else ""
    return text.clean(f"{name if isinstance(name, str) else ''} {arguments}")
