"""Tables of TOML files that others write to as well: ours comes in or goes, all else stays.

tomlkit isn't used here: it moves tables that belong together and stand apart, as Codex's own
programs write them, and so no longer gives the text back that it read. A table at the end of a
file is valid wherever its parent isn't closed, and the standard parser proves each edit.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import cast

from ebbing.errors import InputError

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_NO_VALUE = re.compile(r"[ \t]*(?:#[^\r\n]*)?\r?\n")


def data(text: str) -> dict[str, object]:
    """Return what a document holds; an `InputError` says what is wrong with it."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(str(error)) from None


def add(text: str, path: Sequence[str], value: Mapping[str, object]) -> str:
    """Add a table of texts and lists of texts at the end."""
    wanted = data(text)
    inner = wanted
    for name in path[:-1]:
        inner = cast(dict[str, object], inner.setdefault(name, {}))
        if not isinstance(inner, dict):
            raise InputError(f"{name} in it is no table")
    inner[path[-1]] = value
    end = "\r\n" if "\r\n" in text else "\n"
    # A basic string of TOML is one of JSON, but for DEL.
    lines = [
        f"{name} = {json.dumps(one, ensure_ascii=False)}".replace("\x7f", "\\u007F")
        for name, one in value.items()
    ]
    before = "" if not text else end if text.endswith("\n") else end + end
    text += before + end.join([f"[{'.'.join(path)}]", *lines]) + end
    if data(text) != wanted:
        raise InputError("it is written in a way that can't be added to safely; edit it by hand")
    return text


def remove(text: str, path: Sequence[str]) -> str:
    """Take a table and those within it out; an `InputError` where that can't be done safely."""
    wanted = _without(data(text), path)
    names = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in path)
    header = re.compile(rf"^[ \t]*\[[ \t]*{names}[ \t]*(?:\]|\.)", re.MULTILINE)
    while _holds(data(text), path):
        cuts = (_cut(text, found.start(), wanted, path) for found in header.finditer(text))
        shorter = next((cut for cut in cuts if cut is not None), None)
        if shorter is None:
            raise InputError(f"the table {'.'.join(path)} in it can't be taken out safely")
        text = shorter
    return text


def _cut(text: str, start: int, wanted: Mapping[str, object], path: Sequence[str]) -> str | None:
    """Cut from a header to the next one that leaves all other tables as they were.

    A line that begins with a bracket may also be inside a text of several lines or a list, and so
    may the header: then no cut will do.
    """
    head = text[:start]
    # The blank line that set the table apart goes with it.
    for blank in ("\r\n", "\n"):
        if head == blank or head.endswith(blank + blank):
            head = head[: -len(blank)]
            break
    for following in [*(one.start() for one in _HEADER.finditer(text, start + 1)), len(text)]:
        end = following if following == len(text) else _before_comments(text, following)
        shorter = head + text[end:]
        try:
            if _without(tomllib.loads(shorter), path) == wanted:
                return shorter
        except tomllib.TOMLDecodeError:
            continue
    return None


def _before_comments(text: str, header: int) -> int:
    """Return where the comments and blank lines above a header begin: they are its own."""
    while header:
        line = text.rfind("\n", 0, header - 1) + 1
        if not _NO_VALUE.fullmatch(text, line, header):
            break
        header = line
    return header


def _without(document: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """Return a document without what is at a path; parents that are empty then are gone too."""
    rest = {name: value for name, value in document.items() if name != path[0]}
    inner = document.get(path[0])
    if len(path) > 1 and isinstance(inner, dict):
        kept = _without(inner, path[1:])
        if kept:
            rest[path[0]] = kept
    elif len(path) > 1 and inner is not None:
        rest[path[0]] = inner
    return rest


def _holds(document: object, path: Sequence[str]) -> bool:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            return False
        document = document[name]
    return True
