"""A text as a reader sees it, with the way back: what is hidden in it hides no secret.

Colours, control characters, marks of no width and full-width letters stand between the characters
of a token or before it; escapes that a program wrote out (`\\n`, `\\u001b[31m`) end in a letter that
would make a token part of a word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from ebbing.safety.text import TERMINAL_SEQUENCE

_MARKS = (
    r"(?:\\x1b|\\u001b|\\033|\\e|\^\[)\[[0-9;]{0,20}[A-Za-z]"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
    "|[\U000e0000-\U000e007f]"
)
_HIDDEN = re.compile(f"{TERMINAL_SEQUENCE}|{_MARKS}")
_HIDDEN_MARKS = re.compile(_MARKS)
_BEGINS_SEQUENCE = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f]")
_MAYBE_HIDDEN = re.compile("[^\x20-\x7e\n\t]|\\\\[xu0e]|\\^\\[")
_WRITTEN_ESCAPE = re.compile(r"\\[nrt](?=[^\s\\])")
_NARROW = {0xFF01 + place: 0x21 + place for place in range(94)} | {0x3000: 0x20, 0xA0: 0x20}
# These end a value in Chinese text, and mean the same in full width.
for _kept in "，。；！？、：（）":
    _NARROW.pop(ord(_kept), None)


@dataclass(frozen=True, slots=True)
class Legible:
    """The text as it is seen; `starts` and `offsets` lead back to where a place was."""

    text: str
    starts: tuple[int, ...] = ()
    offsets: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a piece of the seen text stands in the text itself, hidden parts and all."""
        return self._place(start), self._place(end - 1) + 1 if end > start else self._place(end)

    def _place(self, at: int) -> int:
        if not self.starts:
            return at
        return at + self.offsets[bisect_right(self.starts, at) - 1]


def legible_ways(text: str) -> Iterator[Legible]:
    """Yield the text as a terminal shows it, and as what doesn't know its commands does."""
    yield _legible(text, _HIDDEN)
    if _BEGINS_SEQUENCE.search(text):
        yield _legible(text, _HIDDEN_MARKS)


def _legible(text: str, hidden: re.Pattern[str]) -> Legible:
    seen = text
    starts: list[int] = [0]
    offsets: list[int] = [0]
    if not (text.isascii() and "\\" not in text and "^[" not in text and _is_plain(text)):
        kept: list[str] = []
        at = length = 0
        for found in hidden.finditer(text):
            kept.append(text[at : found.start()])
            length += found.start() - at
            at = found.end()
            if starts[-1] == length:
                offsets[-1] = at - length
            else:
                starts.append(length)
                offsets.append(at - length)
        seen = "".join([*kept, text[at:]]) if at else text
        if not seen.isascii():
            seen = seen.translate(_NARROW)
        if "\\" in seen:
            seen = _WRITTEN_ESCAPE.sub("  ", seen)
    return Legible(seen, tuple(starts), tuple(offsets)) if offsets != [0] else Legible(seen)


def _is_plain(text: str) -> bool:
    return _MAYBE_HIDDEN.search(text) is None
