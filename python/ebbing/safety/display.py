"""Text made safe to show: to a terminal, which obeys some characters, and to a model.

Nothing here changes what is stored.
"""

from __future__ import annotations

import re

from ebbing.safety.text import TERMINAL_SEQUENCE

# Controls of both kinds but newline and tab; what reverses or hides text (Bidi_Control, tags,
# interlinear annotation); other ends of lines; halves of surrogate pairs.
_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSAFE_CHARACTER = re.compile(f"[{_UNSAFE}]")
_HIDDEN = re.compile(f"{TERMINAL_SEQUENCE}|[{_UNSAFE}]")
_OTHER_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def visible(text: str) -> str:
    r"""Return text in which nothing commands a terminal: such characters show as `\x1b`, `\u202e`.

    In a JSON document this changes no value, but for those below U+0020, which it cannot hold.
    """
    return text if text.isascii() and text.isprintable() else _UNSAFE_CHARACTER.sub(_named, text)


def visible_line(text: str) -> str:
    """Return text as `visible` does, on one line."""
    return visible(" ".join(text.split()))


def inert(text: str) -> str:
    """Return text that can neither close a fence nor open one, nor hide anything from a reader.

    Angle brackets become look-alikes, characters that nobody sees go.
    """
    shown = _HIDDEN.sub("", _OTHER_LINE_ENDS.sub("\n", text))
    return shown.replace("<", "‹").replace(">", "›")


def _named(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code > 0xFFFF:
        # As JSON writes it.
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"
