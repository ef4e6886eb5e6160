"""Long texts in windows that a model can read, and the vectors of the windows in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ebbing.embedding.protocol import Embedded, Vector
from ebbing.embedding.vectors import pooled, unit
from ebbing.safety.text import repair

# The mean of very many windows is close to the mean of any text, and costs a second each.
MOST_WINDOWS = 16

# A generous bound of the characters of one token, to cut a huge text before counting its tokens.
_CHARACTERS_PER_TOKEN = 8

# Where a text may be cut, the best first: after a paragraph, a sentence, a word.
_BORDERS = (
    re.compile(r"\n\s*"),
    re.compile(r"[.!?;]\s+|[。！？；…]"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class Windows:
    """One text in pieces that each fit the model; `is_cut` where its end was left out."""

    pieces: tuple[str, ...]
    is_cut: bool

    @property
    def note(self) -> str | None:
        """What to record beside the vector: nothing for a text that fits."""
        if len(self.pieces) == 1 and not self.is_cut:
            return None
        end = ", the rest left out" if self.is_cut else ""
        return f"chunked: mean of {len(self.pieces)}{end}"


def split(
    text: str,
    *,
    count_tokens: Callable[[str], int],
    token_limit: int,
    most_windows: int = MOST_WINDOWS,
) -> Windows:
    """Cut a text into windows of at most `token_limit` tokens, at sentence borders where it can.

    The text is halved until its parts fit, so windows are of about one size.
    """
    longest = most_windows * token_limit * _CHARACTERS_PER_TOKEN
    is_cut = len(text) > longest
    pieces = _halve(text[:longest], count_tokens, token_limit)
    return Windows(tuple(pieces[:most_windows]), is_cut or len(pieces) > most_windows)


def _halve(text: str, count_tokens: Callable[[str], int], token_limit: int) -> list[str]:
    if len(text) < 2 or count_tokens(text) <= token_limit:
        return [text]
    border = _border_near_the_middle(text)
    halves = (text[:border].strip(), text[border:].strip())
    return [piece for half in halves if half for piece in _halve(half, count_tokens, token_limit)]


def _border_near_the_middle(text: str) -> int:
    middle, reach = len(text) // 2, len(text) // 4
    for border in _BORDERS:
        ends = [m.end() for m in border.finditer(text, middle - reach, middle + reach)]
        ends = [end for end in ends if 0 < end < len(text)]
        if ends:
            return min(ends, key=lambda end: abs(end - middle))
    return middle


def embed_in_windows(
    texts: Sequence[str],
    *,
    count_tokens: Callable[[str], int],
    token_limit: int,
    encode: Callable[[list[str]], Iterable[Embedded]],
) -> list[Embedded]:
    """Embed texts of any length with an `encode` that takes short ones: one outcome for each.

    A text without content, or one of whose windows has no vector, is refused; the others are not
    affected.
    """
    split_texts = [
        split(text, count_tokens=count_tokens, token_limit=token_limit) if text.strip() else None
        for text in map(repair, texts)
    ]
    pieces = [piece for windows in split_texts if windows for piece in windows.pieces]
    encoded = iter(encode(pieces) if pieces else ())
    return [
        Embedded(None, "refused: there is no text")
        if windows is None
        else _one_outcome(windows, [next(encoded) for _ in windows.pieces])
        for windows in split_texts
    ]


def _one_outcome(windows: Windows, outcomes: list[Embedded]) -> Embedded:
    vectors: list[Vector] = []
    for outcome in outcomes:
        if outcome.vector is None:
            return outcome
        vectors.append(outcome.vector)
    vector = pooled(vectors)
    if vector is None:
        return Embedded(None, "refused: the vectors of its windows cancel out")
    return Embedded(vector, windows.note)


def checked(values: Iterable[float]) -> Embedded:
    """Scale a model's answer to length 1, or refuse it."""
    vector = unit(values)
    if vector is None:
        return Embedded(None, "refused: the model gave a zero or non-finite vector")
    return Embedded(vector)
