"""Text made safe to store, hash and embed, and the names of namespaces."""

from __future__ import annotations

import re
import unicodedata

from ebbing.errors import InputError, ScopeError

MAX_MEMORY_CHARACTERS = 100_000
MAX_NAMESPACE_CHARACTERS = 200

_LINE_ENDS = re.compile(r"\r\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def clean(text: str) -> str:
    """Return text that every encoder and the store accept.

    Split surrogate pairs are joined and lone ones become U+FFFD; line ends become newlines;
    control characters other than newline and tab go; the rest is NFC and stripped.
    """
    text = repair(_CONTROLS.sub("", _LINE_ENDS.sub("\n", text)))
    return unicodedata.normalize("NFC", text).strip()


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
