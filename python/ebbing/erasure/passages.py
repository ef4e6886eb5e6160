"""Where words stand in a text, and the text without them.

Spaces, punctuation and case are not compared: a statement was read from words that stood on two
lines, behind a bullet, or between other quotation marks.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

BLANK = "[erased]"

Span = tuple[int, int]

# A text this long is a passage: it is found wherever it stands. A shorter one is a word that other
# sentences need too, and counts only where it is a sentence of its own.
_PASSAGE_WORDS = 3
_PASSAGE_LETTERS = 12
_PASSAGE_IDEOGRAPHS = 5

# Scripts without spaces between words: any place is a border.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_WORDS = re.compile(r"\w+")
_ENDS = frozenset(".!?;:。！？；：…\n\"'“”‘’「」『』")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？](?!\s)[^.!?。！？\n]*)*")
# What joins a clause to the one before it, and what comes between it and the next.
_JOINT = re.compile(
    r"[\s,，、]*(?:\b(?:and|but)\b|而且|并且|但是?|还有|另外|不过)?[\s,，、]*\Z", re.IGNORECASE
)


_FOLLOWING = re.compile(r"[\s.,;!?，。；！？]*(?:(?:and|but)\b\s*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """Words that stand in a text because of a memory that is erased, or of one that stays.

    `is_clause`: they are the whole of what a statement was read from, not a mere mention.
    """

    text: str
    is_erased: bool
    is_clause: bool = False


def letters(text: str) -> str:
    """Return what of a text is compared."""
    return _letters(text)[0]


def is_passage(text: str) -> bool:
    """Tell whether a text is long enough to be found within other sentences."""
    ideographs = len(_UNSPACED.findall(text))
    return ideographs >= _PASSAGE_IDEOGRAPHS or (
        len(_WORDS.findall(text)) + ideographs >= _PASSAGE_WORDS
        and len(letters(text)) >= _PASSAGE_LETTERS
    )


def places(words: str, text: str) -> list[Span]:
    """Return where the words stand in a text, each as start and end."""
    wanted = letters(words)
    found: list[Span] = []
    if not wanted:
        return found
    compared, positions = _letters(text)
    at = compared.find(wanted)
    while at >= 0:
        last = at + len(wanted) - 1
        start, end = positions[at], positions[last] + 1
        if _is_border(text, start) and _is_border(text, end):
            found.append((start, end))
            at = compared.find(wanted, last + 1)
        else:
            at = compared.find(wanted, at + 1)
    return found


def mentions(words: str, text: str) -> list[Span]:
    """Return where a memory's own text stands; a mere word only where it is a sentence."""
    found = places(words, text)
    if is_passage(words):
        return found
    return [span for span in found if _stands_alone(text, span)]


def claimed(text: str, words: Iterable[Words]) -> tuple[list[Span], list[Span], list[Span]]:
    """Return the spans of erased clauses, of erased mentions, and of what stays.

    The longest words come first: what lies within them is theirs.
    """
    taken: list[tuple[Span, Words]] = []
    for one in sorted(words, key=lambda one: (-len(letters(one.text)), not one.is_erased)):
        spans = places(one.text, text) if one.is_clause else mentions(one.text, text)
        for span in spans:
            for piece in outside(span, [other for other, _ in taken]):
                if letters(text[piece[0] : piece[1]]):
                    taken.append((piece, one))
    taken.sort(key=lambda item: item[0])
    return (
        [span for span, one in taken if one.is_erased and one.is_clause],
        [span for span, one in taken if one.is_erased and not one.is_clause],
        [span for span, one in taken if not one.is_erased],
    )


def outside(span: Span, others: Iterable[Span]) -> list[Span]:
    """Return the parts of a span that lie in none of the others."""
    pieces = [span]
    for start, end in others:
        pieces = [
            part
            for first, last in pieces
            for part in ((first, min(last, start)), (max(first, end), last))
            if part[0] < part[1]
        ]
    return pieces


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def blanked(text: str, spans: Sequence[Span], *, is_bordered: bool = False) -> str:
    """Return the text with each span blanked.

    With borders the blank is a line of its own, and so is what follows it: where a clause is
    taken out of a sentence, the others are to be read as before.
    """
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        before = text[at:start]
        if not is_bordered:
            parts += [before, BLANK]
            at = end
            continue
        before = _JOINT.sub("", before)
        parts.append(f"{before}\n{BLANK}\n" if before else f"{BLANK}\n")
        following = re.match(
            r"[\s.,;!?，。；！？]*(?:(?:and|but)\b\s*)?", text[end:], re.IGNORECASE
        )
        at = end + (following.end() if following else 0)
    parts.append(text[at:])
    return "".join(parts).strip() if is_bordered else "".join(parts)


def only(text: str, spans: Sequence[Span]) -> str:
    """Return nothing of the text but some spans, each on a line of its own."""
    return "\n".join([BLANK, *(text[start:end] for start, end in sorted(spans))])


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text, roughly: to choose one, not to read it."""
    return [
        found.span()
        for found in re.finditer(r"[^.!?。！？\n]+(?:[.!?。！？](?!\s)[^.!?。！？\n]*)*", text)
    ]


def likeness(memory: str, sentence: str) -> float:
    """Return the share of a memory's words that a sentence has, 0 to 1."""
    wanted = _tokens(memory)
    return len(wanted & _tokens(sentence)) / len(wanted) if wanted else 0.0


def in_json(text: str, words: Sequence[Words]) -> str:
    """Blank mentions in the strings of a JSON text, or in a text that is no JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return mentions_blanked(text, words)
    found = _walk(value, words)
    return text if found == value else json.dumps(found, ensure_ascii=False, sort_keys=True)


def mentions_blanked(text: str, words: Sequence[Words]) -> str:
    """Return a text without the mentions of what is erased."""
    _, spans, _ = claimed(text, words)
    return blanked(text, spans)


def _walk(value: object, words: Sequence[Words]) -> object:
    if isinstance(value, str):
        return mentions_blanked(value, words)
    if isinstance(value, list):
        return [_walk(item, words) for item in value]
    if isinstance(value, dict):
        return {mentions_blanked(key, words): _walk(item, words) for key, item in value.items()}
    return value


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters, digits and symbols, folded in case, and where each of them stands."""
    kept: list[str] = []
    positions: list[int] = []
    for place, character in enumerate(text):
        if unicodedata.category(character)[0] in "ZPC":
            continue
        for folded in character.casefold():
            kept.append(folded)
            positions.append(place)
    return "".join(kept), positions


def _is_border(text: str, at: int) -> bool:
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    return not (_is_in_word(before) and _is_in_word(after))


def _is_in_word(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _UNSPACED.match(character)


def _stands_alone(text: str, span: Span) -> bool:
    before, after = text[: span[0]].rstrip(" \t*-"), text[span[1] :].lstrip(" \t")
    return (not before or before[-1] in _ENDS) and (not after or after[0] in _ENDS)


def _tokens(text: str) -> set[str]:
    folded = text.casefold()
    han = [character for character in folded if _UNSPACED.match(character)]
    words = {word for word in re.findall(r"[^\W_]{3,}", _UNSPACED.sub(" ", folded))}
    return (words - _COMMON) | {"".join(pair) for pair in pairwise(han)}


# They stand in memories because memories are told of somebody.
_COMMON = frozenset({"user", "the", "and", "his", "her", "their", "has", "is", "are"})
