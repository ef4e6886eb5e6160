"""The journal: what happened, one class per table, and the one way to append it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    TypeVar,
    dataclass_transform,
    get_args,
    get_type_hints,
)

from ebbing.clock import parse_time, utc_now
from ebbing.errors import InputError
from ebbing.journal import ids
from ebbing.safety.text import repair

if TYPE_CHECKING:
    import duckdb

Of = TypeVar("Of")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def _event(event_type: type[Of]) -> type[Of]:
    # What all events have in common is not written for each anew: every start would pay for it.
    return dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)(event_type)


@_event
class Event:
    """Something that happened; one row of one journal table."""

    table: ClassVar[str]
    natural_key: ClassVar[tuple[str, ...]] = ()
    """Columns by which the journal already has it, though under another event id."""
    is_built: ClassVar[bool] = True
    """Whether what is built depends on it; it then counts in `int_journal_position`."""
    is_own: ClassVar[bool] = False
    """Whether it is about this store alone: no export, mirror or copy takes it along."""

    event_id: str = field(default_factory=ids.event_id)
    recorded_at: datetime = field(default_factory=utc_now)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, item.name) == getattr(other, item.name) for item in fields(self)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.event_id))

    def __repr__(self) -> str:
        values = (f"{item.name}={getattr(self, item.name)!r}" for item in fields(self))
        return f"{type(self).__name__}({', '.join(values)})"


@_event
class StoreSetting(Event):
    """A fact about the store as a whole, such as its format version."""

    table: ClassVar[str] = "store_settings"
    is_built: ClassVar[bool] = False
    is_own: ClassVar[bool] = True

    setting: str
    setting_value: str


@_event
class EmbeddingModel(Event):
    """The model whose vectors the store holds from here on."""

    table: ClassVar[str] = "embedding_models"

    model_id: str
    model_name: str
    dimension: int
    query_mode: str


@_event
class Message(Event):
    """One message of a session."""

    table: ClassVar[str] = "messages"
    # A message id belongs to one session; naming the session too lets the search skip most of
    # the table, since a session's messages lie close together.
    natural_key: ClassVar[tuple[str, ...]] = ("session_id", "message_id")

    message_id: str
    namespace: str
    session_id: str
    message_seq: int
    role: str
    content: str
    source: str
    occurred_at: datetime = field(default_factory=utc_now)
    speaker: str | None = None
    is_dated: bool | None = None


@_event
class MemoryWrite(Event):
    """Somebody asked for a text to be remembered."""

    table: ClassVar[str] = "memory_writes"

    memory_id: str
    namespace: str
    kind: str
    content: str
    content_hash: str
    importance: float | None = None
    is_pinned: bool = False
    expires_at: datetime | None = None
    actor: str
    method: str
    model_id: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    task_id: str | None = None
    metadata: str | None = None
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class MemoryChange(Event):
    """A memory was forgotten, restored, superseded, pinned, unpinned or unmerged."""

    table: ClassVar[str] = "memory_changes"

    memory_id: str
    change: str
    other_memory_id: str | None = None
    reason: str | None = None
    detail: str | None = None
    actor: str
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class Embedding(Event):
    """The vector of one text by one model."""

    table: ClassVar[str] = "embeddings"
    natural_key: ClassVar[tuple[str, ...]] = ("content_hash", "model_id")

    content_hash: str
    model_id: str
    vector: Sequence[float]
    note: str | None = None


@_event
class Recall(Event):
    """A question put to the memory."""

    table: ClassVar[str] = "recalls"

    recall_id: str
    namespaces: Sequence[str]
    kinds: Sequence[str] | None = None
    query_text: str | None = None
    query_vector: Sequence[float] | None = None
    model_id: str | None = None
    top_k: int
    min_similarity: float
    as_of: datetime | None = None
    actor: str
    session_id: str | None = None
    task_id: str | None = None
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class RecallHit(Event):
    """A memory that a recall brought back."""

    table: ClassVar[str] = "recall_hits"

    recall_id: str
    memory_id: str
    hit_rank: int
    similarity: float | None = None
    lexical_score: float | None = None
    strength: float | None = None
    weight: float | None = None
    score: float | None = None
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class TaskStart(Event):
    """A task was begun."""

    table: ClassVar[str] = "task_starts"

    task_id: str
    namespace: str
    description: str
    session_id: str | None = None
    actor: str
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class TaskEnd(Event):
    """A task was ended, and how it went."""

    table: ClassVar[str] = "task_ends"

    task_id: str
    tokens_used: int | None = None
    tool_calls: int | None = None
    errors: int | None = None
    user_corrections: int | None = None
    is_completed: bool
    actor: str
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class Rating(Event):
    """How useful a memory was in a task."""

    table: ClassVar[str] = "ratings"

    task_id: str
    memory_id: str
    rating: int
    actor: str
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class Run(Event):
    """A maintenance run and how it ended."""

    table: ClassVar[str] = "runs"
    is_built: ClassVar[bool] = False

    run_kind: str
    outcome: str
    detail: str | None = None
    occurred_at: datetime = field(default_factory=utc_now)


@_event
class Erasure(Event):
    """A text was erased from a namespace; what was written before that stays out.

    Fingerprints alone: of the text as it was stored, and of the memory's id.
    """

    table: ClassVar[str] = "erasures"
    # It keeps events out of the journal; what is made of those in it is the same.
    is_built: ClassVar[bool] = False

    erasure_id: str
    namespace: str
    content_hash: str
    memory_id_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteCursor(Event):
    """How far this store has read a remote, and how much of its own journal is there.

    `identity` is that of the remote, `position` what it said where its reading ended; what has a
    sequence number up to `sent_through` is committed there.
    """

    table: ClassVar[str] = "remote_cursors"
    is_built: ClassVar[bool] = False
    is_own: ClassVar[bool] = True

    remote: str
    identity: str
    position: str
    sent_through: int


EVENT_TYPES: tuple[type[Event], ...] = (
    StoreSetting,
    EmbeddingModel,
    Message,
    MemoryWrite,
    MemoryChange,
    Embedding,
    Recall,
    RecallHit,
    TaskStart,
    TaskEnd,
    Rating,
    Run,
    Erasure,
    RemoteCursor,
)

# What changes what can be recalled, at once.
_OF_MEMORIES = (MemoryWrite, MemoryChange, Embedding)

_RECALLABLE = """
    merge into internal.recall_tail
    using (select * from internal.recall_tail_after($after)) as states
        on recall_tail.memory_key = states.memory_key
    when matched then update by name
    when not matched then insert by name
"""

# What was said, before a run makes episodes of it.
_SAID = """
    insert into internal.recall_tail by name
    select * from internal.recall_tail_said_after($after)
"""

# What an erasure keeps out: what is its memory's, and was written before its end.
_ERASABLE = {
    "memory_writes": "incoming.namespace = erased.namespace"
    " and incoming.content_hash = erased.content_hash",
    "memory_changes": "sha256(incoming.memory_id) = erased.memory_id_hash"
    " or sha256(incoming.other_memory_id) = erased.memory_id_hash",
    "recall_hits": "sha256(incoming.memory_id) = erased.memory_id_hash",
    "ratings": "sha256(incoming.memory_id) = erased.memory_id_hash",
    # Where another namespace has the same text, maintenance makes its vector anew.
    "embeddings": "incoming.content_hash = erased.content_hash",
}

_LAST = 2**63 - 1

_BY_TABLE = {event_type.table: event_type for event_type in EVENT_TYPES}
_SQL_TYPES = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    datetime: "TIMESTAMP",
    Sequence[str]: "VARCHAR[]",
    Sequence[float]: "FLOAT[]",
}


@dataclass(frozen=True, slots=True)
class Inserted:
    """How many rows an append really added, by table."""

    by_table: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        """All rows added."""
        return sum(count for _, count in self.by_table)

    def of(self, event_type: type[Event]) -> int:
        """Rows added to the table of one kind of event."""
        return sum(count for table, count in self.by_table if table == event_type.table)


def append(connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> Inserted:
    """Append events in one transaction; what the journal already has is skipped."""
    connection.execute("begin")
    try:
        inserted = insert(connection, events)
        connection.execute("commit")
    except BaseException:
        roll_back(connection)
        raise
    return inserted


def insert(connection: duckdb.DuckDBPyConnection, events: Iterable[Event]) -> Inserted:
    """Insert events within the caller's transaction, one statement per table."""
    events = _without_repeats(events)
    grouped: dict[type[Event], list[dict[str, Any]]] = {}
    # Numbered before they are split by table, so that the order holds between tables too.
    for sequence, event in zip(_next_sequences(connection, len(events)), events, strict=True):
        row = _as_row(event)
        row["event_sequence"] = sequence
        grouped.setdefault(type(event), []).append(row)
    counts = []
    after = min((row["event_sequence"] for rows in grouped.values() for row in rows), default=0) - 1
    for event_type, rows in grouped.items():
        event_ids = [row["event_id"] for row in rows]
        parameters = {
            "rows": _dump(event_type.table, rows),
            "first_event_id": min(event_ids),
            "last_event_id": max(event_ids),
        }
        result = connection.execute(_insert_statement(event_type.table), parameters).fetchone()
        counts.append((event_type.table, int(result[0]) if result else 0))
    inserted = Inserted(by_table=tuple(counts))
    if inserted.of(Message):
        _make_recallable(connection, _SAID, after)
    if any(inserted.of(event_type) for event_type in _OF_MEMORIES):
        _make_recallable(connection, _RECALLABLE, after)
    return inserted


def _make_recallable(connection: duckdb.DuckDBPyConnection, statement: str, after: int) -> None:
    """Let recall find what was appended behind `after`, at the cost of a write and not of a read.

    A store that dbt has not built, or only in part, has nothing to recall with; its next build
    catches up.
    """
    # Late, as a hook that leaves events in the spool has no use for the database.
    import duckdb

    # Both refuse before anything is done, so the transaction lives on.
    with contextlib.suppress(duckdb.CatalogException, duckdb.BinderException):
        connection.execute(statement, {"after": after})


def count_present(connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> int:
    """Count how many of the events are in the journal under their own event ids."""
    total = 0
    for event_type in dict.fromkeys(type(event) for event in events):
        event_ids = [event.event_id for event in events if type(event) is event_type]
        result = connection.execute(
            f"select count(*) from journal.{event_type.table}"
            " where event_id between $first_event_id and $last_event_id"
            " and list_contains($event_ids, event_id)",
            {
                "event_ids": event_ids,
                "first_event_id": min(event_ids),
                "last_event_id": max(event_ids),
            },
        ).fetchone()
        total += int(result[0]) if result else 0
    return total


def position(connection: duckdb.DuckDBPyConnection, *, of_built: bool = False) -> int:
    """Return the sequence number of the last event, of those on which a build depends or of all.

    0 where there is none.
    """
    newest = " union all ".join(
        f"select max(event_sequence) as event_sequence from journal.{event_type.table}"
        for event_type in EVENT_TYPES
        if event_type.is_built or not of_built
    )
    row = connection.execute(f"select max(event_sequence) from ({newest})").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def events_after(
    connection: duckdb.DuckDBPyConnection,
    position: int,
    *,
    through: int | None = None,
    of_types: Sequence[type[Event]] = EVENT_TYPES,
) -> list[Event]:
    """Return the events after a position, up to another one, in the order in which they came."""
    found: list[tuple[int, Event]] = []
    for event_type in of_types:
        names = list(_field_types(event_type.table))
        rows = connection.execute(
            f"select event_sequence, {', '.join(names)} from journal.{event_type.table}"
            " where event_sequence > $position and event_sequence <= $through",
            {"position": position, "through": _LAST if through is None else through},
        ).fetchall()
        found += [(row[0], event_type(**dict(zip(names, row[1:], strict=True)))) for row in rows]
    return [event for _, event in sorted(found, key=lambda each: each[0])]


def to_json(event: Event) -> str:
    """Write an event as one line of JSON."""
    return _dump(event.table, {"table": event.table, "event": _as_row(event)})


def from_json(line: str) -> Event:
    """Read an event that `to_json` wrote; anything else is a ValueError."""
    try:
        envelope = json.loads(line)
        event_type = _BY_TABLE[envelope["table"]]
        # A column that came with a later format has a default, which older lines do without.
        values = _defaults(event_type.table) | dict(envelope["event"])
        hints = _field_types(event_type.table)
        if values.keys() != hints.keys():
            raise ValueError("its fields are not those of the table")
        return event_type(**{name: _from_json(values[name], hints[name]) for name in hints})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not an event: {error}") from None


def roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    """Undo the open transaction, if the database can still do so."""
    # Late, as a hook that leaves events in the spool has no use for the database.
    import duckdb

    try:
        connection.execute("rollback")
    except duckdb.Error:
        # A full disk invalidates the whole database; it rolls back by itself on reopening.
        return


def _without_repeats(events: Iterable[Event]) -> list[Event]:
    seen: set[tuple[object, ...]] = set()
    kept = []
    for event in events:
        keys = {(event.table, event.event_id)}
        if event.natural_key:
            keys.add((event.table, *(getattr(event, name) for name in event.natural_key)))
        if seen.isdisjoint(keys):
            seen |= keys
            kept.append(event)
    return kept


def _next_sequences(connection: duckdb.DuckDBPyConnection, count: int) -> list[int]:
    rows = connection.execute(
        "select nextval('journal.event_sequence') from range($count)", {"count": count}
    ).fetchall()
    return sorted(int(row[0]) for row in rows)


def _as_row(event: Event) -> dict[str, Any]:
    try:
        return {
            name: _to_json(getattr(event, name), hint)
            for name, hint in _field_types(event.table).items()
        }
    except (TypeError, ValueError, AttributeError) as error:
        raise _unusable(event.table, error) from None


def _dump(table: str, value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise _unusable(table, error) from None


def _unusable(table: str, error: Exception) -> InputError:
    return InputError(
        f"an event for journal.{table} holds an unusable value ({error}); "
        "nothing was written; correct the value"
    )


def _to_json(value: Any, hint: Any) -> Any:
    if value is None and isinstance(hint, UnionType):
        return None
    hint = _without_none(hint)
    if hint is str:
        return repair(value)
    if hint is datetime:
        if not isinstance(value, datetime):
            raise TypeError("a time is needed")
        return parse_time(value).isoformat(sep=" ")
    if hint == Sequence[float]:
        return value.tolist() if hasattr(value, "tolist") else [float(number) for number in value]
    if hint == Sequence[str]:
        if isinstance(value, str):
            raise TypeError("a list of texts is needed")
        return [repair(item) for item in value]
    return hint(value)


def _from_json(value: Any, hint: Any) -> Any:
    if value is None and isinstance(hint, UnionType):
        return None
    hint = _without_none(hint)
    if hint is datetime:
        return datetime.fromisoformat(value)
    if hint == Sequence[float]:
        return tuple(float(number) for number in value)
    if hint == Sequence[str]:
        return tuple(str(item) for item in value)
    if isinstance(value, bool) and hint is not bool:
        raise ValueError(f"{value!r} is not {hint.__name__}")
    if not isinstance(value, hint) and not (hint is float and isinstance(value, int)):
        raise ValueError(f"{value!r} is not {hint.__name__}")
    return value


@cache
def _field_types(table: str) -> dict[str, Any]:
    event_type = _BY_TABLE[table]
    hints = get_type_hints(event_type)
    return {item.name: hints[item.name] for item in fields(event_type)}


@cache
def _defaults(table: str) -> dict[str, Any]:
    return {
        item.name: item.default for item in fields(_BY_TABLE[table]) if item.default is not MISSING
    }


def _without_none(hint: Any) -> Any:
    if isinstance(hint, UnionType):
        return next(part for part in get_args(hint) if part is not NoneType)
    return hint


@cache
def _insert_statement(name: str) -> str:
    event_type = _BY_TABLE[name]
    types = {"event_sequence": int, **_field_types(name)}
    table = f"journal.{name}"
    structure = json.dumps(
        [{name: _SQL_TYPES[_without_none(hint)] for name, hint in types.items()}]
    )
    columns = ", ".join(types)
    joins = [
        f"anti join (select event_id from {table}"
        " where event_id between $first_event_id and $last_event_id) as same_event"
        " using (event_id)"
    ]
    if event_type.natural_key:
        key = ", ".join(event_type.natural_key)
        joins.append(f"anti join (select {key} from {table}) as same_thing using ({key})")
    if name in _ERASABLE:
        joins.append(
            "anti join journal.erasures as erased"
            f" on incoming.event_id < erased.event_id and ({_ERASABLE[name]})"
        )
    return (
        f"insert into {table} ({columns}) select {columns}"
        f" from (select unnest(from_json($rows, '{structure}'), recursive := true)) as incoming "
        + " ".join(joins)
    )
