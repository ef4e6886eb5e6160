"""A remote in Postgres: one table of events, one of vectors, one of tombstones.

Reading goes on where a snapshot ended, not at the last number seen: transactions commit in another
order than they took their numbers. A mark is the snapshot of the last reading; new is what it could
not see, so a transaction that stays open elsewhere holds nobody up.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ebbing import journal
from ebbing.errors import InputError, RemoteAway, RemoteError, RemoteRefused
from ebbing.journal.events import Event
from ebbing.journal.migrations import newest_format
from ebbing.remote.bodies import body_of, event_of, memory_hashes, natural_key
from ebbing.remote.protocol import Delivery, Mark, Model, Rewriting, StaleMark

T = TypeVar("T")
_Connection = psycopg.Connection[tuple[Any, ...]]

_VERSION = 1
_BATCH = 1_000

# Seconds; libpq's own settings, in the address or the environment, go before these.
_PATIENCE: dict[str, str] = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "application_name": "ebbing",
}

_IDENTITY = """
    select
        (select system_identifier from pg_control_system())
        || '/' || (select timeline_id from pg_control_checkpoint())
        || '/' || (select identity from ebbing.about)
        || '/' || array_to_string(ebbing.scope(), ','),
        pg_current_snapshot()::text,
        (select schema_version from ebbing.about)
"""

_SCOPE = "select row_security_active('ebbing.events'), ebbing.scope()"

# A cluster that was set back to what it was has older snapshots, or lacks what was read last.
_IS_SET_BACK = """
    select
        pg_snapshot_xmax(%(snapshot)s::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
        or (%(witness)s::uuid is not null and not exists (
            select from ebbing.events where event_id = %(witness)s and xid = %(xid)s::xid8
        ))
"""

_NEW = """
    (%(snapshot)s::pg_snapshot is null
        or (xid >= pg_snapshot_xmin(%(snapshot)s::pg_snapshot)
            and not pg_visible_in_snapshot(xid, %(snapshot)s::pg_snapshot)))
"""

_TOMBSTONES = f"select body, null::bytea from ebbing.tombstones where {_NEW} order by event_id"
_NEW_VECTORS = f"select body, vector from ebbing.vectors where {_NEW} order by event_id"
_NEW_EVENTS = f"select body, vector from ebbing.events where {_NEW} order by event_id"
_WITNESS = f"""
    select event_id::text, xid::text from ebbing.events where {_NEW} order by xid desc limit 1
"""

_MISSING = """
    select event_id::text
    from unnest(%(event_ids)s::uuid[]) as given (event_id)
    where not exists (select from ebbing.events where events.event_id = given.event_id)
        and not exists (select from ebbing.vectors where vectors.event_id = given.event_id)
        and not exists (select from ebbing.tombstones where tombstones.event_id = given.event_id)
"""

_ADD_EVENT = """
    insert into ebbing.events
        (event_id, kind, namespaces, memory_hashes, content_hash, natural_key, body, vector)
    values (%s, %s, %s, %s, %s, %s, %s, %s)
    on conflict do nothing
"""
_ADD_VECTOR = """
    insert into ebbing.vectors (content_hash, model_id, event_id, body, vector)
    values (%s, %s, %s, %s, %s)
    on conflict do nothing
"""
_ADD_TOMBSTONE = """
    insert into ebbing.tombstones (event_id, namespace, content_hash, memory_id_hash, body)
    values (%s, %s, %s, %s, %s)
    on conflict do nothing
"""

# While it is held nothing is added; what was being added is there or not.
_HOLD = "lock table ebbing.events, ebbing.vectors, ebbing.tombstones in share row exclusive mode"
_CAME = f"select exists (select from ebbing.tombstones where {_NEW})"
# All that there are tombstones for: what a tombstone keeps out is never there beside it.
_REMOVE_EVENTS = """
    delete from ebbing.events using ebbing.tombstones
    where events.event_id < tombstones.event_id
        and (events.memory_hashes @> array[tombstones.memory_id_hash]
            or (events.content_hash = tombstones.content_hash
                and tombstones.namespace = any(events.namespaces)))
"""
_REMOVE_VECTORS = """
    delete from ebbing.vectors using ebbing.tombstones
    where vectors.content_hash = tombstones.content_hash
        and vectors.event_id < tombstones.event_id
        and not exists (
            select from ebbing.events where events.content_hash = vectors.content_hash
        )
"""
_REWRITE = "update ebbing.events set body = %s, vector = %s where event_id = %s"
_DIGESTS = "select event_id::text, md5(body) from ebbing.events where kind = any(%(kinds)s)"

_PLACES = """
    select table_schema || '.' || table_name, column_name
    from information_schema.columns
    where table_schema = 'ebbing' and data_type in ('text', 'ARRAY')
    order by 1, ordinal_position
"""

_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)


class PostgresRemote:
    """A journal in a Postgres database; one connection, opened when something is asked."""

    def __init__(self, address: str) -> None:
        """Name the database; its password comes from the environment or libpq's own files."""
        self.address = address
        self._opened: _Connection | None = None
        try:
            given = conninfo_to_dict(address)
        except psycopg.Error:
            raise InputError(
                f"{address} is no address that libpq reads; nothing was changed; correct it"
            ) from None
        self._settings = {**_PATIENCE, **{name: str(value) for name, value in given.items()}}

    def make(self, model: Model | None) -> None:
        """Make the schema if it is not there; one that names no model takes this one."""
        self._asked(lambda connection: _make(connection, model))

    def model(self) -> Model | None:
        """Return whose vectors the remote holds."""
        return self._asked(_model)

    def scope(self) -> frozenset[str] | None:
        """Return the namespaces of this role; None for the owner, whom no policy binds."""
        is_bound, scope = self._asked(lambda connection: connection.execute(_SCOPE).fetchall()[0])
        return frozenset(scope) if is_bound else None

    @contextlib.contextmanager
    def deliver(self, mark: Mark | None) -> Generator[Delivery]:
        """Deliver what was not visible to the snapshot that the mark is."""

        def begin(connection: _Connection) -> tuple[_Connection, Delivery]:
            connection.execute("begin isolation level repeatable read, read only")
            return connection, _begin(connection, mark)

        connection, delivery = self._asked(begin)
        try:
            yield delivery
            connection.execute("commit")
        except psycopg.Error as error:
            self.close()
            raise self._explained(error) from error
        except BaseException:
            # Whatever was being read is of no use.
            self.close()
            raise

    def missing(self, event_ids: Sequence[str]) -> set[str]:
        """Return those of some event ids that are not there, or not to be seen."""
        given = {"event_ids": list(event_ids)}
        return self._asked(
            lambda connection: {row[0] for row in connection.execute(_MISSING, given).fetchall()}
        )

    def send(
        self,
        events: Sequence[Event],
        namespaces: Sequence[Sequence[str] | None],
        mark: Mark | None = None,
    ) -> int:
        """Commit events in one transaction; what is there already stays as it is."""

        def add(connection: _Connection) -> int:
            with connection.transaction(), connection.cursor() as cursor:
                added = _add(cursor, events, namespaces)
                # An erasure waits for this transaction, or this one has waited for the erasure.
                if mark is not None and _has_come(cursor, mark):
                    raise StaleMark(f"{self.address} has tombstones that were not read yet")
                return added

        return self._asked(add)

    def erase(self, rewriting: Rewriting, mark: Mark) -> bool:
        """Carry an erasure out in one transaction; nothing that is being added gets around it."""

        def erase(connection: _Connection) -> bool:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute(_HOLD)
                if _has_come(cursor, mark):
                    return False
                _erase(cursor, rewriting)
            return True

        return self._asked(erase)

    def digests(self, kinds: Sequence[str]) -> dict[str, str]:
        """Return the MD5 of the body of every event of some kinds, by event id."""
        given = {"kinds": list(kinds)}
        return self._asked(lambda connection: dict(connection.execute(_DIGESTS, given).fetchall()))

    def search(self, needles: Sequence[str]) -> list[tuple[str, int]]:
        """Return how often texts are found, by table."""

        def search(connection: _Connection) -> list[tuple[str, int]]:
            columns: dict[str, list[str]] = {}
            for table, column in connection.execute(_PLACES).fetchall():
                columns.setdefault(table, []).append(column)
            return [
                (table, _count(connection, table, names, needles))
                for table, names in columns.items()
            ]

        return self._asked(search)

    def run(self, statements: str) -> None:
        """Run statements in one transaction."""

        def run(connection: _Connection) -> None:
            with connection.transaction():
                connection.execute(statements)

        self._asked(run)

    def close(self) -> None:
        """Let go of the connection, even while another thread waits for it."""
        connection, self._opened = self._opened, None
        if connection is None or connection.closed:
            return
        with contextlib.suppress(OSError, psycopg.Error):
            # Whoever waits for an answer of it wakes up.
            with socket.socket(fileno=connection.fileno()) as own:
                try:
                    own.shutdown(socket.SHUT_RDWR)
                finally:
                    own.detach()
            connection.close()

    # Within

    def _ready(self) -> _Connection:
        if self._opened is None or self._opened.closed or self._opened.broken:
            try:
                # Prepared by their text: a pooler between may give each transaction another server.
                self._opened = psycopg.connect(
                    **cast(Any, self._settings), autocommit=True, prepare_threshold=None
                )
            except psycopg.Error as error:
                raise self._explained(error) from error
        return self._opened

    def _asked(self, ask: Callable[[_Connection], T]) -> T:
        is_kept = self._opened is not None
        try:
            return ask(self._ready())
        except _AWAY as error:
            if not is_kept:
                raise self._explained(error) from error
        except psycopg.Error as error:
            raise self._explained(error) from error
        # The server may have been started anew since; all that is asked may be asked twice.
        self.close()
        try:
            return ask(self._ready())
        except psycopg.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: psycopg.Error) -> RemoteError:
        said = " ".join(str(error).split())[:200]
        if isinstance(error, (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName)):
            return RemoteRefused(
                f"{self.address} holds no journal; nothing was harmed; `ebbing remote add` makes it"
            )
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return RemoteRefused(
                f"{self.address} does not let this user do that ({said}); nothing was changed; "
                "`ebbing remote grant --sql` prints what its owner has to run"
            )
        if isinstance(error, psycopg.errors.DiskFull) or not isinstance(error, _AWAY):
            return RemoteRefused(
                f"{self.address} refused ({said}); what is written waits in the store; see to it "
                "there"
            )
        if "password" in said or "authentication" in said:
            return RemoteRefused(
                f"{self.address} does not let this user in ({said}); what is written waits in the "
                "store; put the password in PGPASSWORD or ~/.pgpass"
            )
        return RemoteAway(
            f"{self.address} cannot be reached ({said}); what is written waits in the store and "
            "goes out by itself; see that the server is up"
        )


def _make(connection: _Connection, model: Model | None) -> None:
    known = connection.execute("select to_regclass('ebbing.about')::text").fetchall()[0][0]
    if known is None:
        with connection.transaction():
            # Two may come at once; one makes it.
            connection.execute("select pg_advisory_xact_lock(hashtext('ebbing'))")
            connection.execute(_schema())
    if model is not None and _model(connection) is None:
        connection.execute(
            "update ebbing.about set model_id = %s, dimension = %s where model_id is null",
            (model.model_id, model.dimension),
        )


def _model(connection: _Connection) -> Model | None:
    row = connection.execute(
        "select schema_version, model_id, dimension from ebbing.about"
    ).fetchall()[0]
    if row[0] > _VERSION:
        raise RemoteRefused(
            "the remote was made by a newer version; nothing was harmed; upgrade: "
            "pip install --upgrade ebbing"
        )
    return None if row[1] is None else Model(row[1], row[2])


def _begin(connection: _Connection, mark: Mark | None) -> Delivery:
    said, snapshot, version = connection.execute(_IDENTITY).fetchall()[0]
    if version > _VERSION:
        raise RemoteRefused(
            "the remote was made by a newer version; nothing was harmed; upgrade: "
            "pip install --upgrade ebbing"
        )
    # A newer version reads what an older one could not.
    identity = f"{said}/{newest_format()}"
    last = None
    if mark is not None and mark.identity == identity:
        last = json.loads(mark.position)
        if connection.execute(_IS_SET_BACK, last).fetchall()[0][0]:
            last = None
    given = {"snapshot": last and last["snapshot"]}
    witness = connection.execute(_WITNESS, given).fetchone()
    position = {"snapshot": snapshot, "witness": None, "xid": None}
    if witness is not None:
        position |= {"witness": witness[0], "xid": witness[1]}
    elif last is not None:
        position |= {"witness": last["witness"], "xid": last["xid"]}
    delivery = Delivery(identity, last is None, json.dumps(position), iter(()))
    delivery.batches = _batches(connection, given, delivery)
    return delivery


def _batches(
    connection: _Connection, given: dict[str, Any], delivery: Delivery
) -> Iterator[list[Event]]:
    for number, query in enumerate((_TOMBSTONES, _NEW_VECTORS, _NEW_EVENTS)):
        with connection.cursor(name=f"ebbing_{number}", binary=True) as cursor:
            cursor.execute(query, given)
            while rows := cursor.fetchmany(_BATCH):
                events = []
                for body, vector in rows:
                    try:
                        events.append(event_of(body, vector))
                    except (ValueError, OverflowError, RecursionError):
                        # It stays there, for when this version is replaced by a newer one.
                        delivery.unreadable += 1
                if events:
                    yield events


def _add(
    cursor: psycopg.Cursor[tuple[Any, ...]],
    events: Sequence[Event],
    namespaces: Sequence[Sequence[str] | None],
) -> int:
    added = 0
    rows: list[tuple[object, ...]] = []
    vectors: list[tuple[object, ...]] = []
    marks: list[tuple[object, ...]] = []
    for event, scope in zip(events, namespaces, strict=True):
        body, vector = body_of(event)
        if isinstance(event, journal.Embedding):
            vectors.append((event.content_hash, event.model_id, event.event_id, body, vector))
        elif isinstance(event, journal.Erasure):
            marks.append(
                (event.event_id, event.namespace, event.content_hash, event.memory_id_hash, body)
            )
        else:
            rows.append(
                (
                    event.event_id,
                    event.table,
                    None if scope is None else list(scope),
                    memory_hashes(event),
                    getattr(event, "content_hash", None),
                    natural_key(event),
                    body,
                    vector,
                )
            )
    for statement, given in ((_ADD_TOMBSTONE, marks), (_ADD_VECTOR, vectors), (_ADD_EVENT, rows)):
        if given:
            cursor.executemany(statement, given)
            added += cursor.rowcount
    return added


def _has_come(cursor: psycopg.Cursor[tuple[Any, ...]], mark: Mark) -> bool:
    given = {"snapshot": json.loads(mark.position)["snapshot"]}
    return bool(cursor.execute(_CAME, given).fetchall()[0][0])


def _erase(cursor: psycopg.Cursor[tuple[Any, ...]], rewriting: Rewriting) -> None:
    for event in rewriting.events:
        body, vector = body_of(event)
        cursor.execute(_REWRITE, (body, vector, event.event_id))
    _add(cursor, rewriting.marks, [None] * len(rewriting.marks))
    if rewriting.marks:
        cursor.execute(_REMOVE_EVENTS)
        cursor.execute(_REMOVE_VECTORS)


def _count(
    connection: _Connection, table: str, columns: Sequence[str], needles: Sequence[str]
) -> int:
    anywhere = " or ".join(
        f"exists (select from unnest(%(needles)s::text[]) as needle"
        f' where strpos("{column}"::text, needle) > 0)'
        for column in columns
    )
    query = f"select count(*) from {table} where {anywhere}"
    return int(connection.execute(query, {"needles": list(needles)}).fetchall()[0][0])


@cache
def _schema() -> str:
    return files("ebbing.remote").joinpath("sql", "schema_1.sql").read_text("utf-8")
