"""What an examination finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `remedy` says what to do where it is not well."""

    subject: str
    is_well: bool
    detail: str
    remedy: str | None = None
