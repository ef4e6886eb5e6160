"""Keeps secrets, private passages and injected memories out of the journal.

What is to be stored goes through `sanitise` once, before anything else looks at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ebbing.safety import deadline
from ebbing.safety.blocks import INJECTED_TAG as INJECTED_TAG
from ebbing.safety.blocks import PRIVATE_TAG, drop_blocks
from ebbing.safety.legible import legible_ways
from ebbing.safety.secret_shapes import Found, shaped_secrets
from ebbing.safety.text import clean

# What is redacted may make a secret of what stood beside it; more than a few times, nothing does.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text that may be stored, and the types of what was taken out of it, in order."""

    text: str
    findings: tuple[str, ...]


def sanitise(text: str) -> Redacted:
    """Drop private and injected blocks, then redact the secrets in what is left.

    Blocks go first, as a secret that was cut in two by a block is whole once the block is gone.
    """
    text, dropped = drop_blocks(text, (PRIVATE_TAG, INJECTED_TAG))
    redacted = redact(text)
    return Redacted(redacted.text, dropped + redacted.findings)


def safe_text(text: str) -> str:
    """Return a text cleaned, without blocks and secrets: as it may be stored, shown and sent."""
    return clean(sanitise(clean(text)).text)


def drop_private(text: str) -> str:
    """Drop `<private>` blocks; one that is never closed reaches to the end."""
    return drop_blocks(text, (PRIVATE_TAG,))[0]


def strip_injected(text: str) -> str:
    """Drop memory blocks that were injected into a prompt, and keep the rest of the message."""
    return drop_blocks(text, (INJECTED_TAG,))[0]


def redact(text: str) -> Redacted:
    """Replace every secret in the text by `[redacted:<type>]`.

    Takes time in proportion to the text's length. Past the deadline of `redaction_until`, all
    that could be a secret goes.
    """
    findings: tuple[str, ...] = ()
    try:
        with deadline.interrupting():
            for _ in range(_ROUNDS):
                once = _redacted(text)
                if not once.findings:
                    break
                text, findings = once.text, findings + once.findings
    except deadline.Late:
        return Redacted(_coarse(text), (*findings, "unchecked"))
    return Redacted(text, findings)


def _redacted(text: str) -> Redacted:
    # Late: a hook that has nothing to redact needs none of these patterns.
    from ebbing.safety.command_secrets import command_secrets
    from ebbing.safety.named_secrets import cookies, named_secrets
    from ebbing.safety.seed_phrases import seed_phrases

    found: list[Found] = []
    for seen in legible_ways(text):
        # The dotted capital I is the one letter that grows when it is lowered.
        lowered = seen.text.replace("\u0130", "i").lower()
        if len(lowered) != len(seen.text):
            lowered = "".join(one if len(one.lower()) > 1 else one.lower() for one in seen.text)
        for find in (shaped_secrets, command_secrets, named_secrets, cookies, seed_phrases):
            found += (
                Found(*seen.span(one.start, one.end), one.type)
                for one in find(seen.text, lowered, deadline.check)
            )
    return _replaced(text, found)


_MARK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")


def _replaced(text: str, secrets: Iterable[Found]) -> Redacted:
    marks = [mark.span() for mark in _MARK.finditer(text)]
    kept: list[str] = []
    types: list[str] = []
    at = 0
    for one in sorted(secrets, key=lambda one: (one.start, -one.end)):
        if one.end <= at or any(start < one.end and one.start < end for start, end in marks):
            continue
        if one.start >= at:
            kept += [text[at : one.start], f"[redacted:{one.type}]"]
            types.append(one.type)
        at = one.end
    kept.append(text[at:])
    return Redacted("".join(kept), tuple(types))


# Words of letters, with the marks around them; all else could be a secret, or a part of one.
_WORD = re.compile(
    r"([\"'(“‘\[*_-]{0,3}[^\W\d_]{1,24}(?:['’][^\W\d_]{1,3})?[\"')”’\],.;:!?*_-]{0,3}(?!\S))|\S++"
)
_SECRET_WORD = "(?:pass|pwd|pin|secret|token|key|cred|密|口令|令牌)"
_SOON_AFTER = re.compile(
    rf"({_SECRET_WORD}\S*+)(?:\s++(?!(?>\S*?{_SECRET_WORD}))\S++){{1,6}}", re.IGNORECASE
)
_UNCHECKED = "[redacted:unchecked]"


def _coarse(text: str) -> str:
    """Keep the words of a text, but for those soon after the name of a secret."""
    wary = _SOON_AFTER.sub(rf"\1 {_UNCHECKED}", text)
    return _WORD.sub(lambda found: found[1] or _UNCHECKED, wary)
