"""Chat-completions arrays: `[{"role", "content"}, ...]`, or objects with `"messages"`.

Several conversations may follow one another, as an array or one a line. The session is named by
its object or, where that has no name, by the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO, cast

from ebbing.ingest.content import Unreadable, read_content, tool_call_text
from ebbing.ingest.items import (
    BadLine,
    MessageFactory,
    ParsedMessage,
    read_id,
    read_role,
    read_speaker,
    read_time,
)
from ebbing.ingest.json_lines import ID_KEYS, SESSION_KEYS, TIME_KEYS, first_of
from ebbing.ingest.json_values import JsonValues, load, load_object
from ebbing.ingest.lines import guarded_object

_NAME_KEYS = (*SESSION_KEYS, "id")


def is_array(head: bytes) -> bool:
    """Tell whether a file begins as an array."""
    return head.startswith(b"[")


def is_conversation(item: Mapping[str, object]) -> bool:
    """Tell whether a line's object holds messages."""
    return isinstance(item.get("messages"), list)


def read_chat_completions(
    stream: BinaryIO, *, session_id: str
) -> Iterator[ParsedMessage | BadLine]:
    """Yield the messages; `session_id` is for conversations that have no name of their own."""
    return _ChatReader(stream, session_id).read()


class _ChatReader:
    """Where the reading of one file stands."""

    def __init__(self, stream: BinaryIO, session_id: str) -> None:
        self._values = JsonValues(stream)
        self._factory = MessageFactory()
        self._file_name = session_id
        self._unnamed = 0
        self._number = 0

    def read(self) -> Iterator[ParsedMessage | BadLine]:
        while byte := self._values.peek():
            if byte == b"[":
                yield from self._array(None)
            elif byte == b"{":
                yield from self._conversation()
            elif byte == b",":
                self._values.take()
            else:
                yield self._stray()

    def _conversation(self) -> Iterator[ParsedMessage | BadLine]:
        """Read an object member by member; all but its messages is small or skipped."""
        self._values.take()
        name: str | None = None
        while (byte := self._values.peek()) and byte != b"}":
            if byte == b",":
                self._values.take()
                continue
            try:
                key = load(self._values.value())
                if self._values.peek() != b":":
                    raise Unreadable("a name without a value")
                self._values.take()
                if key == "messages" and self._values.peek() == b"[":
                    yield from self._array(name)
                    continue
                raw = self._values.value()
                if key in _NAME_KEYS:
                    name = read_id(load(raw))
            except Unreadable as reason:
                self._number += 1
                yield BadLine(self._number, str(reason))
        if not self._values.take():
            self._number += 1
            yield BadLine(self._number, "the file ends before the conversation does")

    def _stray(self) -> BadLine:
        self._number += 1
        try:
            self._values.value()
        except Unreadable as reason:
            return BadLine(self._number, str(reason))
        return BadLine(self._number, "neither an array of messages nor an object")

    def _array(self, name: str | None) -> Iterator[ParsedMessage | BadLine]:
        self._values.take()
        session_id = name or self._next_unnamed()
        while (byte := self._values.peek()) != b"]":
            if byte == b",":
                self._values.take()
                continue
            self._number += 1
            if not byte:
                yield BadLine(self._number, "the file ends before the array does")
                return
            try:
                item = load_object(self._values.value())
            except Unreadable as reason:
                yield BadLine(self._number, str(reason))
                if not self._values.peek():
                    return
            else:
                yield from self._element(item, session_id)
        self._values.take()

    def _next_unnamed(self) -> str:
        self._unnamed += 1
        return self._file_name if self._unnamed == 1 else f"{self._file_name}#{self._unnamed}"

    def _element(
        self, item: dict[str, object], session_id: str
    ) -> Iterator[ParsedMessage | BadLine]:
        """Read a message, or a whole conversation inside an array of conversations."""
        messages: list[object] = [item]
        if isinstance(item.get("messages"), list):
            messages = cast(list[object], item["messages"])
            try:
                session_id = read_id(first_of(item, _NAME_KEYS)) or self._next_unnamed()
            except Unreadable as reason:
                yield BadLine(self._number, str(reason))
                return
        for message in messages:
            if isinstance(message, dict):
                yield from guarded_object(
                    self._number, message, lambda item: self._message(item, session_id)
                )
            else:
                yield BadLine(self._number, "a message is not a JSON object")

    def _message(self, item: dict[str, object], session_id: str) -> Iterator[ParsedMessage]:
        role = read_role(item.get("role"))
        at = read_time(first_of(item, TIME_KEYS))
        calls = [call for call in _tool_calls(item) if call]
        content = "" if calls and item.get("content") is None else read_content(item.get("content"))
        if not content and not calls:
            raise Unreadable("the content is empty")
        named = read_id(first_of(item, SESSION_KEYS)) or session_id
        source_id = read_id(first_of(item, ID_KEYS))
        if content:
            yield self._factory.message(
                session_id=named,
                role=role,
                content=content,
                occurred_at=at,
                source_id=source_id,
                # The name of a tool's message is the tool's.
                speaker=read_speaker(item) if role == "user" else None,
            )
        for place, call in enumerate(calls):
            yield self._factory.message(
                session_id=named,
                role="tool",
                content=call,
                occurred_at=at,
                source_id=source_id and f"{source_id}#call{place}",
            )


def _tool_calls(item: dict[str, object]) -> Iterator[str]:
    """Yield each tool call as text, in the present shape and in the older one."""
    calls = item.get("tool_calls")
    functions = (
        [call.get("function") for call in calls if isinstance(call, dict)]
        if isinstance(calls, list)
        else []
    )
    for function in [*functions, item.get("function_call")]:
        if isinstance(function, dict):
            yield tool_call_text(function.get("name"), function.get("arguments"))
