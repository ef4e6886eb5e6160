"""Which events from elsewhere the journal takes: from an export, or from a remote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

import duckdb

from ebbing import journal
from ebbing.journal.border import Border
from ebbing.journal.events import Event
from ebbing.journal.redacting import RedactedEvents
from ebbing.rows import fetch

_DIMENSIONS = "select distinct model_id, dimension from journal.embedding_models"

# What may be there once only, under whatever event id: a second one would be counted twice.
_ONCE: tuple[tuple[type[Event], str, tuple[str, ...]], ...] = (
    (journal.Message, "message_id", ("namespace", "session_id")),
    (journal.TaskStart, "task_id", ("event_id",)),
    (journal.Recall, "recall_id", ("event_id",)),
)


class Admission:
    """Checks events, one by one and against those that came before them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, now: datetime) -> None:
        """Begin with what the journal knows; `now` is naive UTC."""
        self.faults: list[tuple[int, str]] = []
        self.redacted = 0
        self._border = Border(dict(fetch(connection, _DIMENSIONS)), now=now)
        self._redactor = RedactedEvents()
        self._digests: dict[tuple[str, str], bytes] = {}
        self._owners: dict[tuple[str, str], tuple[str, ...]] = {}

    def admitted(
        self, connection: duckdb.DuckDBPyConnection, numbered: Sequence[tuple[int, Event]]
    ) -> list[Event]:
        """Return the events that may be stored; note the others."""
        self._learn_owners(connection, [event for _, event in numbered])
        kept = []
        for number, event in numbered:
            try:
                self._border.check(event)
                self._check_repeat(event)
                self._check_owner(event)
            except ValueError as error:
                self.faults.append((number, " ".join(str(error).split())[:200]))
                continue
            safe = self._redactor.redacted(event)
            self.redacted += safe != event
            if safe is not None:
                kept.append(safe)
        return kept

    def _check_repeat(self, event: Event) -> None:
        digest = hashlib.sha256(journal.to_json(event).encode("utf-8")).digest()[:16]
        if self._digests.setdefault((event.table, event.event_id), digest) != digest:
            raise ValueError(f"another event has its id {event.event_id}, and says otherwise")

    def _check_owner(self, event: Event) -> None:
        for event_type, name, owner in _ONCE:
            if type(event) is event_type:
                own = tuple(str(getattr(event, part)) for part in owner)
                found = self._owners.setdefault((name, getattr(event, name)), own)
                if found != own:
                    raise ValueError(f"its {name} is that of another {event.table[:-1]}")

    def _learn_owners(self, connection: duckdb.DuckDBPyConnection, events: Iterable[Event]) -> None:
        events = list(events)
        for event_type, name, owner in _ONCE:
            wanted = [getattr(event, name) for event in events if type(event) is event_type]
            if not wanted:
                continue
            rows = fetch(
                connection,
                f"select {name}, {', '.join(owner)} from journal.{event_type.table}"
                f" where list_contains($wanted::varchar[], {name})",
                {"wanted": wanted},
            )
            for known, *values in rows:
                self._owners.setdefault((name, known), tuple(map(str, values)))
