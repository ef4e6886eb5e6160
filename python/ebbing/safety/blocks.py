"""Blocks that are not to be stored: `<private>` passages, and memories that were injected."""

from __future__ import annotations

import re
from dataclasses import dataclass

INJECTED_TAG = "ebbing-memories"
PRIVATE_TAG = "private"

_TAG = re.compile(
    rf"<\s*(?P<closing>/?)\s*(?P<tag>{PRIVATE_TAG}|{INJECTED_TAG})(?:\s[^<>]*+)?>", re.IGNORECASE
)
# Blocks may come together once others are gone; nobody writes that by accident.
_ROUNDS = 8
_QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "「": "」", "『": "』", "‘": "’", "«": "»"}
# A tag that is spoken of and not used: "the <private> tag", "`<private>`".
_SPOKEN_BEFORE = re.compile(
    r"(?:\b(?:a|an|the|literal|literally|word|tag|tags|called|named|write|writes|wrote|type|typed|typing|mention"
    r"|mentions|use|uses|using|with|like|say|says|element|string|text|via|between|after|before|without|unclosed"
    r"|see|and|or|of|in|into|inside|put|by)|[（(：:]|标签|用|写|叫|输入|一个|字面)\s{0,2}$",
    re.IGNORECASE,
)
_SPOKEN_AFTER = re.compile(
    r"\s{0,2}(?:(?:tag|tags|block|blocks|element|elements|marker|markers|section|sections|passage|passages|syntax"
    r"|feature|is|are|was|means|mean|works|and|or|in|should|must|will|gets|to|at|around|when|if|so|before|does"
    r"|without)\b|[,.;:!?)，。；：）、]|标签|标记|块|的|里|是|会|这)",
    re.IGNORECASE,
)
# A block that stands for any.
_ELLIPSIS = re.compile(r"\s{0,3}(?:\.{2,6}|…{1,2})\s{0,3}")


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    is_closing: bool
    start: int
    end: int


def drop_blocks(text: str, tags: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return a text without the blocks of these tags, and the type of each block.

    A block that is never closed reaches to the end, but for a tag that is only spoken of.
    """
    findings: list[str] = []
    for _ in range(_ROUNDS):
        if "<" not in text:
            return text, tuple(findings)
        found = [tag for tag in _tags(text) if tag.name in tags]
        spans = _spans(text, found)
        if not spans:
            return text, tuple(findings)
        kept: list[str] = []
        at = 0
        for start, end, name in spans:
            # What lies within a block, whole or not, is gone with it.
            if start >= at:
                kept.append(text[at:start])
                findings.append("private" if name == PRIVATE_TAG else "injected")
                at = end
        text = "".join([*kept, text[at:]])
    openings = [tag for tag in _tags(text) if tag.name in tags and not tag.is_closing]
    return (text[: openings[0].start] if openings else text), tuple(findings)


def _tags(text: str) -> list[_Tag]:
    return [
        _Tag(found["tag"].lower(), bool(found["closing"]), *found.span())
        for found in _TAG.finditer(text)
        if not _is_quoted(text, *found.span())
    ]


def _spans(text: str, tags: list[_Tag]) -> list[tuple[int, int, str]]:
    """Pair the tags like brackets, each kind by itself; an open one left over reaches the end."""
    spans: list[tuple[int, int, str]] = []
    open_tags: dict[str, list[_Tag]] = {}
    for tag in tags:
        waiting = open_tags.setdefault(tag.name, [])
        if not tag.is_closing:
            waiting.append(tag)
        elif waiting:
            begun = waiting.pop()
            if not _ELLIPSIS.fullmatch(text, begun.end, tag.start):
                spans.append((begun.start, tag.end, tag.name))
    for waiting in open_tags.values():
        spans += [
            (tag.start, len(text), tag.name) for tag in waiting if not _is_spoken_of(text, tag)
        ]
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and text[end : end + 1] == _QUOTES.get(text[start - 1], "\0")


def _is_spoken_of(text: str, tag: _Tag) -> bool:
    return bool(
        tag.name == PRIVATE_TAG
        and _SPOKEN_BEFORE.search(text, max(0, tag.start - 16), tag.start)
        and _SPOKEN_AFTER.match(text, tag.end)
    )
