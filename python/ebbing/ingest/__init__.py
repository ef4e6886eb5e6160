"""Readers of session logs: each yields messages one by one, in bounded memory.

A reader changes nothing and decides nothing: it yields a `ParsedMessage` for what it could read
and a `BadLine` for what it could not, in the order of the file. Contents are cleaned, not redacted.
"""

from __future__ import annotations

from ebbing.ingest.detection import FORMATS, detect_format
from ebbing.ingest.items import BadLine, ParsedMessage
from ebbing.ingest.reading import read_messages

__all__ = ["FORMATS", "BadLine", "ParsedMessage", "detect_format", "read_messages"]
