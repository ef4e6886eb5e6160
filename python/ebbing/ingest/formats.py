"""The formats of logs by name: those that come with ebbing, and those that packages add.

A package adds a format by an entry point of the group `ebbing.readers`, whose name is that of the
format, and which leads to a `LogFormat`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO, Protocol, cast

from ebbing.ingest.items import BadLine, ParsedMessage

GROUP = "ebbing.readers"


class Reader(Protocol):
    """Reads a log."""

    def __call__(self, stream: BinaryIO, *, session_id: str) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages in their order; `session_id` is for those that name no session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """How a log is read and recognised: by its first bytes, or by the object of one line."""

    read: Reader
    is_start: Callable[[bytes], bool] = lambda head: False
    is_line: Callable[[Mapping[str, object]], bool] = lambda item: False


@cache
def log_formats() -> dict[str, LogFormat]:
    """Return the formats by name, in the order in which they are asked whether a log is theirs."""
    # Late: whoever reads transcripts of one agent needs none of the others, nor what finds them.
    from importlib.metadata import entry_points

    from ebbing.agents import claude_code, codex, gemini, qwen
    from ebbing.ingest import chat_completions, json_lines

    added = {point.name: cast(LogFormat, point.load()) for point in entry_points(group=GROUP)}
    return added | {
        "chat-completions": LogFormat(
            read=chat_completions.read_chat_completions,
            is_start=chat_completions.is_array,
            is_line=chat_completions.is_conversation,
        ),
        "codex": LogFormat(read=codex.read_codex, is_line=codex.is_codex_line),
        "gemini": LogFormat(read=gemini.read_gemini, is_line=gemini.is_gemini_line),
        "qwen": LogFormat(read=qwen.read_qwen, is_line=qwen.is_qwen_line),
        "claude-code": LogFormat(
            read=claude_code.read_claude_code, is_line=claude_code.is_claude_code_line
        ),
        "json-lines": LogFormat(read=json_lines.read_json_lines, is_line=json_lines.is_message),
    }


def format_names() -> tuple[str, ...]:
    """Return the names that `read_messages` and `ebbing ingest --format` know."""
    return tuple(sorted(log_formats()))
