"""Time as every interface reads and prints it: UTC, always."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from ebbing.errors import InputError

# From here on a bare number counts milliseconds: as seconds it would lie beyond the year 5000.
_FIRST_MILLISECONDS = 100_000_000_000

_EPOCH_TEXT = re.compile(r"[+-]?(\d{9,10}|\d{12,13})(\.\d+)?")
_WEEKDAY_IN_BRACKETS = re.compile(r"\s*\((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\)\s*", re.IGNORECASE)

# Written dates as session logs and data sets have them; ISO 8601 is tried before these.
_WRITTEN_FORMATS = (
    "%I:%M %p on %d %B, %Y",
    "%I:%M %p on %d %B %Y",
    "%H:%M on %d %B, %Y",
    "%d %B, %Y",
    "%d %B %Y",
    "%B %d, %Y",
    "%d %b %Y",
    "%b %d, %Y",
    "%d %B %Y %H:%M",
    "%B %d, %Y %H:%M",
    "%B %d, %Y %I:%M %p",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
)


def utc_now() -> datetime:
    """Return the present moment as naive UTC."""
    return datetime.now(UTC).replace(tzinfo=None)


def parse_time(value: str | datetime | float | None) -> datetime:
    """Read a time as naive UTC.

    Text may be ISO 8601 or a written date; a number is seconds or milliseconds since 1970;
    None is now. A time without an offset is taken as UTC.
    """
    if value is None:
        return utc_now()
    try:
        if isinstance(value, datetime):
            return _as_utc(value)
        if isinstance(value, bool):
            raise ValueError(value)
        if isinstance(value, int | float):
            return _from_epoch(value)
        return _as_utc(_from_text(value))
    except (ValueError, OverflowError, TypeError, AttributeError):
        shown = repr(value)[:60]
        raise InputError(
            f"{shown} is not a time; nothing was changed; "
            "write it as 2025-07-25T02:00:00Z or 2025-07-25 (UTC where no offset is given)"
        ) from None


def format_time(moment: datetime) -> str:
    """Write a time as every interface prints it, to the second: 2025-07-25T02:00:00Z."""
    return _as_utc(moment).isoformat(timespec="seconds") + "Z"


def _as_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)


def _from_epoch(number: float) -> datetime:
    if not math.isfinite(number):
        raise ValueError(number)
    seconds = number / 1000 if abs(number) >= _FIRST_MILLISECONDS else number
    return _as_utc(datetime.fromtimestamp(seconds, UTC))


def _from_text(text: str) -> datetime:
    text = " ".join(text.split())
    if _EPOCH_TEXT.fullmatch(text):
        return _from_epoch(float(text))
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    written = _WEEKDAY_IN_BRACKETS.sub(" ", text).strip()
    for written_format in _WRITTEN_FORMATS:
        try:
            return datetime.strptime(written, written_format)
        except ValueError:
            continue
    # Late, as it brings half the network library along.
    from email.utils import parsedate_to_datetime

    return parsedate_to_datetime(text)
