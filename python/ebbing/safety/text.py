"""Text made safe to store, hash and embed, and the names of namespaces, sessions and tasks."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from ebbing.errors import InputError, ScopeError

MAX_MEMORY_CHARACTERS = 100_000
MAX_NAMESPACE_CHARACTERS = 200
MAX_ID_CHARACTERS = 200

_LINE_ENDS = re.compile(r"\r\n?|\x85")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# What a terminal takes for a command, of seven bits and of eight: colours and the cursor, then
# titles and links, then the rest (ECMA-48).
TERMINAL_SEQUENCE = (
    r"\x1b\[(?:[0-?]*+[!-/]*+[@-~]|[0-?]++ [@-~])|\x9b[0-?]++[!-/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    # A letter right after an escape may begin a word, and stays.
    r"|\x1b(?:[!-/]++[0-~]|[0-?])"
)
_SEQUENCES = re.compile(TERMINAL_SEQUENCE)


def clean(text: str) -> str:
    """Return text that every encoder and the store accept.

    Split surrogate pairs are joined and lone ones become U+FFFD; line ends become newlines;
    a terminal's commands and control characters other than newline and tab go; the rest is NFC
    and stripped.
    """
    if not text.isprintable():
        text = _CONTROLS.sub("", _SEQUENCES.sub("", _LINE_ENDS.sub("\n", text)))
    return unicodedata.normalize("NFC", _in_stream_safe_format(repair(text))).strip()


# Marks above and below a letter, in whatever script; normalising sorts each run of them.
_MARKS = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_MOST_MARKS = 30
_GRAPHEME_JOINER = "\u034f"


def _in_stream_safe_format(text: str) -> str:
    """Return text in which at most thirty marks follow one another (UAX #15, D4).

    Longer runs stand in no language, and normalising takes the square of their length.
    """
    return text if text.isascii() else _MARKS.sub(_joined, text)


def _joined(found: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in found[0]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MOST_MARKS:
            kept.append(_GRAPHEME_JOINER)
            marks = 1
        kept.append(character)
    return "".join(kept)


def repair(text: str) -> str:
    """Return text that can be written as UTF-8 without NUL; sound text comes back as it is."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_memory(text: str) -> str:
    """Return the cleaned text of a memory, or say why it cannot be one."""
    if not isinstance(text, str):
        raise InputError("a memory must be text; nothing was stored; pass a string")
    content = clean(text)
    if not content:
        raise InputError("the memory is empty; nothing was stored; give it some text")
    if len(content) > MAX_MEMORY_CHARACTERS:
        raise InputError(
            f"the memory has {len(content):,} characters; nothing was stored; "
            f"split it into parts of at most {MAX_MEMORY_CHARACTERS:,}"
        )
    return content


def clean_namespace(namespace: str | None) -> str:
    """Return a namespace's exact name, or refuse it: scope fails closed."""
    if not isinstance(namespace, str) or not namespace.strip():
        raise ScopeError("the namespace is empty; nothing was read or written; name one")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in namespace):
        raise ScopeError(
            "the namespace holds a control character; nothing was read or written; use plain text"
        )
    name = unicodedata.normalize("NFC", namespace)
    if len(name) > MAX_NAMESPACE_CHARACTERS:
        raise ScopeError(
            f"the namespace has {len(name)} characters; nothing was read or written; "
            f"use at most {MAX_NAMESPACE_CHARACTERS}"
        )
    return name


# Letters and digits of any script, and the punctuation of paths, addresses and file names.
_ID_PUNCTUATION = frozenset(" ._-:/@#+=~,%()&'!")


def clean_id(value: str | None, what: str) -> str | None:
    """Return the id of a session, message or task, or refuse what can't be one; None stays."""
    if value is None:
        return None
    if not isinstance(value, str) or not value or repaired_id(value) != value:
        raise InputError(
            f"the id of the {what} is not one; nothing was stored or read; use up to "
            f"{MAX_ID_CHARACTERS} letters, digits, spaces and . _ - : / @ # + = ~ , % ( ) & ' !"
        )
    return value


def repaired_id(value: str) -> str:
    """Return an id of a log with nothing in it but what ids hold; a sound one stays as it is.

    What was put right ends in a digest, so that two ids don't become one.
    """
    name = clean(value)
    if name == value and len(name) <= MAX_ID_CHARACTERS and all(map(_is_of_id, name)):
        return value
    kept = "".join(character if _is_of_id(character) else "_" for character in name)
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{kept[: MAX_ID_CHARACTERS - 9].strip()}-{digest}" if kept else ""


def _is_of_id(character: str) -> bool:
    return character in _ID_PUNCTUATION or unicodedata.category(character)[0] in "LMN"
