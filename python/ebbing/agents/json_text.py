"""Inserting into and removing from JSON and JSONC, as text: no other byte changes.

Comments, order, indentation, trailing commas, line ends and duplicate keys stay as they are. The
libraries for JSON with comments either print the document anew or need a JavaScript engine.
Whoever edits parses the result again and compares it with what was wanted; see `setup`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Never

from ebbing.errors import InputError

_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_LITERAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_LITERAL_END = re.compile(r"[ \t\r\n,\]}/]|\Z")
_INDENT = re.compile(r"\n([ \t]+)\S")
_SAME_LINE = re.compile(r"[ \t]*(?:/\*[^\r\n]*?\*/[ \t]*)*(?://[^\r\n]*)?")


@dataclass(frozen=True, slots=True)
class Item:
    """An element of an array, or a member of an object with its key.

    `start` is where it begins, key included; `comma` is the place of the comma behind it.
    """

    key: str | None
    start: int
    node: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a text: where it stands, what it is, and what it contains."""

    start: int
    end: int
    value: object
    items: tuple[Item, ...] = ()

    @property
    def is_object(self) -> bool:
        """Whether it is an object."""
        return isinstance(self.value, dict)

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return isinstance(self.value, list)

    def member(self, key: str) -> Item | None:
        """Return the member that counts: of equal keys, the last."""
        return next((item for item in reversed(self.items) if item.key == key), None)


@dataclass(frozen=True, slots=True)
class Insertion:
    """A piece of text that was put into another, at a place of the text as it was then."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after some insertions, and those in the order in which they were made."""

    text: str
    insertions: tuple[Insertion, ...] = ()

    def insert(self, at: int, piece: str) -> Edited:
        """Put a piece in."""
        return Edited(
            self.text[:at] + piece + self.text[at:], (*self.insertions, Insertion(at, piece))
        )


def parse(text: str) -> Node:
    """Read a document; an `InputError` says in which line it is no JSON."""
    try:
        return _Parser(text).document()
    except RecursionError:
        raise InputError("it is nested too deeply") from None


def line_end(text: str) -> str:
    """Return the line end that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def add_member(edited: Edited, path: Sequence[str], key: str, value: object) -> Edited:
    """Add a member to the object at a path; objects on the way are made where they are missing."""
    node, depth = parse(edited.text), 0
    while depth < len(path) and (found := node.member(path[depth])) is not None:
        node, depth = found.node, depth + 1
        if not node.is_object:
            raise InputError(f"{'.'.join(path[:depth])} in it is no object")
    for name in reversed([*path[depth:], key][1:]):
        value = {name: value}
    first = [*path[depth:], key][0]
    return _add(edited, node, value, key=first)


def append_element(edited: Edited, path: Sequence[str], value: object) -> Edited:
    """Add an element to the array at a path, which is made where it is missing."""
    node = parse(edited.text)
    for depth, name in enumerate(path):
        found = node.member(name) if node.is_object else None
        if found is None:
            return add_member(edited, path[:-1], path[-1], [value])
        node = found.node
        if not (node.is_array if depth == len(path) - 1 else node.is_object):
            raise InputError(f"{'.'.join(path[: depth + 1])} in it is of another kind")
    return _add(edited, node, value, key=None)


def remove_item(text: str, parent: Node, item: Item) -> str:
    """Take a member or an element out, with its comma and the space before it."""
    place = parent.items.index(item)
    start = len(text[: item.start].rstrip(" \t\r\n"))
    if item.comma is not None:
        return text[:start] + text[item.comma + 1 :]
    before = parent.items[place - 1].comma if place else None
    if before is None:
        rest = text[item.node.end :]
        # Nothing else was in it: the bracket closes right behind the one that opened.
        if start == parent.start + 1 and _SPACE.match(rest).end() == rest.find(  # type: ignore[union-attr]
            "}" if parent.is_object else "]"
        ):
            rest = rest.lstrip(" \t\r\n")
        return text[:start] + rest
    if start == before + 1:
        return text[:before] + text[item.node.end :]
    return text[:before] + text[before + 1 : start] + text[item.node.end :]


def _add(edited: Edited, node: Node, value: object, *, key: str | None) -> Edited:
    text = edited.text
    end = line_end(text)
    unit = _unit(text)
    if not node.items:
        outer = _indent_of_line(text, node.start)
        piece = end + outer + unit + _member(key, value, outer + unit, unit, end)
        inner = text[node.start + 1 : node.end - 1]
        if "\n" not in inner:
            piece += end + outer
            # A comment in between stays behind the bracket that opened.
            at = node.end - 1 if inner.strip(" \t") else node.start + 1
            return edited.insert(at, piece)
        first = _SAME_LINE.match(text, node.start + 1)
        return edited.insert(first.end() if first else node.start + 1, piece)
    last = node.items[-1]
    is_one_line = "\n" not in text[node.start : node.end]
    indent = _indent_of_line(text, last.start)
    if is_one_line:
        piece = " " + _member(key, value, "", None, end)
    else:
        piece = end + indent + _member(key, value, indent, unit, end)
    if last.comma is not None:
        at = last.comma + 1
        piece += "," if not is_one_line else ""
        if is_one_line:
            return edited.insert(at, piece)
        return edited.insert(_line_rest(text, at), piece)
    edited = edited.insert(last.node.end, ",")
    at = last.node.end + 1
    return edited.insert(at if is_one_line else _line_rest(edited.text, at), piece)


def _line_rest(text: str, at: int) -> int:
    """Return where comments on the same line end, if the line ends behind them."""
    found = _SAME_LINE.match(text, at)
    end = found.end() if found else at
    return end if text[end : end + 1] in ("\r", "\n") else at


def _member(key: str | None, value: object, indent: str, unit: str | None, end: str) -> str:
    written = _written(value, indent, unit, end)
    return written if key is None else f"{_scalar(key)}: {written}"


def _written(value: object, indent: str, unit: str | None, end: str) -> str:
    if isinstance(value, dict):
        parts = [
            f"{_scalar(key)}: {_written(item, indent + (unit or ''), unit, end)}"
            for key, item in value.items()
        ]
        brackets = "{}"
    elif isinstance(value, list):
        parts = [_written(item, indent + (unit or ""), unit, end) for item in value]
        brackets = "[]"
        if not any(isinstance(item, dict | list) for item in value):
            return f"[{', '.join(parts)}]"
    else:
        return _scalar(value)
    if unit is None or not parts:
        return f"{brackets[0]}{', '.join(parts)}{brackets[1]}"
    inner = f",{end}{indent}{unit}".join(parts)
    return f"{brackets[0]}{end}{indent}{unit}{inner}{end}{indent}{brackets[1]}"


def _scalar(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    if found is None:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1][:8]


def _indent_of_line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return text[start : start + len(text[start:at]) - len(text[start:at].lstrip(" \t"))]


class _Parser:
    """A reader that forgives what editors forgive, comments and trailing commas, and no more."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> Node:
        self._skip()
        node = self._value()
        self._skip()
        if self._at < len(self._text):
            self._fail("something follows its end")
        return node

    def _value(self) -> Node:
        opening = self._text[self._at : self._at + 1]
        if opening == "{":
            return self._container("}")
        if opening == "[":
            return self._container("]")
        start = self._at
        found = (_STRING if opening == '"' else _LITERAL).match(self._text, start)
        if found is None or (opening != '"' and not _LITERAL_END.match(self._text, found.end())):
            self._fail("a value is missing or broken")
        self._at = found.end()
        return Node(start, self._at, self._decoded(found[0]))

    def _container(self, closing: str) -> Node:
        start = self._at
        self._at += 1
        items: list[Item] = []
        self._skip()
        while not self._takes(closing):
            if items and items[-1].comma is None:
                self._fail("a comma is missing")
            items.append(self._item(is_member=closing == "}"))
        value: object = (
            {str(item.key): item.node.value for item in items}
            if closing == "}"
            else [item.node.value for item in items]
        )
        return Node(start, self._at, value, tuple(items))

    def _item(self, *, is_member: bool) -> Item:
        start = self._at
        key: str | None = None
        if is_member:
            found = _STRING.match(self._text, self._at)
            if found is None:
                self._fail("a key in quotes is missing")
            key = str(self._decoded(found[0]))
            self._at = found.end()
            self._skip()
            if not self._takes(":"):
                self._fail("a colon is missing")
            self._skip()
        node = self._value()
        self._skip()
        comma = self._at if self._text.startswith(",", self._at) else None
        self._at += comma is not None
        self._skip()
        return Item(key, start, node, comma)

    def _takes(self, character: str) -> bool:
        if self._text.startswith(character, self._at):
            self._at += 1
            return True
        if self._at >= len(self._text):
            self._fail("it is cut short")
        return False

    def _skip(self) -> None:
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            comment = _LINE_COMMENT.match(self._text, self._at) or _BLOCK_COMMENT.match(
                self._text, self._at
            )
            if comment is None:
                return
            self._at = comment.end()

    def _decoded(self, raw: str) -> object:
        try:
            return json.loads(raw)
        except ValueError:
            self._fail("a value is broken")

    def _fail(self, what: str) -> Never:
        line = self._text.count("\n", 0, self._at) + 1
        raise InputError(f"line {line}: {what}")
