"""Keeps secrets, private passages and injected memories out of the journal.

What is to be stored goes through `sanitise` once, after it was cleaned and before anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ebbing.named_secrets import named_secrets
from ebbing.secret_shapes import shaped_secrets

INJECTED_TAG = "ebbing-memories"
PRIVATE_TAG = "private"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text that may be stored, and the types of what was taken out of it, in order."""

    text: str
    findings: tuple[str, ...]


def sanitise(text: str) -> Redacted:
    """Drop private and injected blocks, then redact the secrets in what is left.

    Blocks go first, as a secret that was cut in two by a block is whole once the block is gone.
    """
    text, dropped = _drop_blocks(text, (PRIVATE_TAG, INJECTED_TAG))
    redacted = redact(text)
    return Redacted(redacted.text, dropped + redacted.findings)


def drop_private(text: str) -> str:
    """Drop `<private>` blocks; one that is never closed reaches to the end."""
    return _drop_blocks(text, (PRIVATE_TAG,))[0]


def strip_injected(text: str) -> str:
    """Drop memory blocks that were injected into a prompt, and keep the rest of the message."""
    return _drop_blocks(text, (INJECTED_TAG,))[0]


def redact(text: str) -> Redacted:
    """Replace every secret in the text by `[redacted:<type>]`."""
    secrets = (*shaped_secrets(text), *named_secrets(text))
    found = sorted(secrets, key=lambda one: (one.start, -one.end))
    if not found:
        return Redacted(text, ())
    kept: list[str] = []
    types: list[str] = []
    at = 0
    for one in found:
        if one.end <= at:
            continue
        if one.start >= at:
            kept += [text[at : one.start], f"[redacted:{one.type}]"]
            types.append(one.type)
        at = one.end
    kept.append(text[at:])
    return Redacted("".join(kept), tuple(types))


# Blocks

_ROUNDS = 8


def _drop_blocks(text: str, tags: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Drop the blocks of the tags, and blocks whose tags come together once others are gone."""
    findings: list[str] = []
    if "<" not in text:
        return text, ()
    opening = re.compile(rf"<\s*({'|'.join(tags)})(?:\s[^<>]*)?>", re.IGNORECASE)
    for _ in range(_ROUNDS):
        kept: list[str] = []
        at = 0
        while found := opening.search(text, at):
            tag = found[1].lower()
            kept.append(text[at : found.start()])
            findings.append("private" if tag == PRIVATE_TAG else "injected")
            at = _end_of_block(text, found.end(), tag)
        if not kept:
            return text, tuple(findings)
        text = "".join([*kept, text[at:]])
    # Tags inside tags inside tags: nobody writes that by accident.
    found = opening.search(text)
    return text[: found.start()] if found else text, tuple(findings)


def _end_of_block(text: str, at: int, tag: str) -> int:
    """Return where a block ends that was opened before `at`; blocks may lie in one another."""
    depth = 1
    for found in re.compile(rf"<\s*(/?)\s*{tag}(?:\s[^<>]*)?>", re.IGNORECASE).finditer(text, at):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end()
    return len(text)
