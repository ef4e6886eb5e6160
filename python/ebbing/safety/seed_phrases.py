"""Finds the words from which a wallet is restored: twelve or more of BIP-39's list in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ebbing.safety.secret_shapes import Found, Tick

_FEWEST = 12
_BETWEEN = r"(?:[ \t]{1,3}|,[ \t]{0,2}|[ \t]{0,3}\n[ \t]{0,3})(?:\d{1,2}[.):][ \t]{0,2}|[-*][ \t])?"
# The words of the list have three to eight letters, and the commonest of a sentence aren't in it.
_COMMON = (
    r"(?!(?i:the|and|for|was|are|but|not|with|from|were|his|her|our|has|had|which|would|could|should"
    r"|been|them|some|than|its|who|how|does|did|your|their)\b)"
)
_RUN = re.compile(
    rf"(?<![A-Za-z])(?:{_COMMON}[A-Za-z]{{3,8}}{_BETWEEN}){{{_FEWEST - 1},60}}{_COMMON}[A-Za-z]{{3,8}}(?![A-Za-z])"
)
_WORD = re.compile(r"[A-Za-z]+")
# Said to be one: then the words need not be of the list.
_SAID = re.compile(
    r"(?i)(?:seed(?: phrase| words)?|mnemonic(?: phrase)?|recovery (?:phrase|words)|助记词|助記詞)"
    r"[^\n.。]{0,30}?(?:\bis\b|\bare\b|:|：|=|是|为)[\s\"'`“]{0,3}"
    rf"(?P<secret>(?:\d{{1,2}}[.):][ \t]{{0,2}})?{_COMMON}[a-z]{{3,8}}"
    rf"(?:{_BETWEEN}{_COMMON}[a-z]{{3,8}}){{5,23}}+)"
)
_SAID_MARKERS = ("seed", "mnemonic", "recovery", "助记词", "助記詞")


def seed_phrases(text: str, lowered: str, tick: Tick) -> Iterator[Found]:
    """Yield runs of words that restore a wallet."""
    if any(marker in lowered for marker in _SAID_MARKERS):
        for said in _SAID.finditer(text):
            tick()
            yield Found(*said.span("secret"), "seed-phrase")
    for run in _RUN.finditer(text):
        tick()
        streak: list[re.Match[str]] = []
        for word in [*_WORD.finditer(text, *run.span()), None]:
            if word is not None and word[0].lower() in _words():
                streak.append(word)
                continue
            # Hardly ever does one have the same word twice.
            if len(streak) >= _FEWEST and 2 * len({one[0] for one in streak}) > len(streak):
                yield Found(streak[0].start(), streak[-1].end(), "seed-phrase")
            streak = []


@cache
def _words() -> frozenset[str]:
    # Late, as hardly any text has twelve such words in a row.
    from mnemonic import Mnemonic

    return frozenset(Mnemonic("english").wordlist)
