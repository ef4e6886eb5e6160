"""Which messages a language model has not read yet: the journal's own runs tell.

A run names every message that it read. So a message that arrives late, by the spool or an
import, is read too, and one that was read is not read again, whatever order they came in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import duckdb

from ebbing.llm_extraction.prompt import LoggedMessage

RUN_KIND = "extract"
DONE = "done"
REJECTED = "rejected"

# A request whose answer is of no use is made in this many runs; then its messages are given up.
MOST_TRIES = 3

_READ = f"""
    records as (
        -- The runs of maintenance keep plain text there, which is no JSON.
        select outcome, try_cast(detail as json) as detail
        from journal.runs
        where run_kind = '{RUN_KIND}'
    ),
    named as (
        select
            outcome,
            unnest(
                from_json(json_extract(detail, '$.message_ids'), '["varchar"]')
            ) as message_id
        from records
        where
            json_extract_string(detail, '$.model') = $model
            and json_extract_string(detail, '$.namespace') = $namespace
    ),
    read as (
        select message_id
        from named
        group by message_id
        having bool_or(outcome = '{DONE}') or count(*) >= {MOST_TRIES}
    )
"""

_SESSIONS = f"""
    with {_READ}
    select session_id
    from journal.messages
    where
        namespace = $namespace
        and role in ('user', 'assistant')
        and (len($sessions::varchar[]) = 0 or list_contains($sessions::varchar[], session_id))
        and message_id not in (select message_id from read)
    group by session_id
    having bool_or(role = 'user')
    order by min(occurred_at), session_id
"""

_MESSAGES = f"""
    with {_READ}
    select
        message_id,
        role,
        content,
        occurred_at,
        message_id in (select message_id from read) as is_read
    from journal.messages
    where
        namespace = $namespace
        and session_id = $session_id
        and role in ('user', 'assistant')
    order by message_seq, occurred_at, event_sequence
"""

_ANY_READ = f"""
    with {_READ}
    select 1 from read where list_contains($message_ids::varchar[], message_id) limit 1
"""

_KINDS = """
    select kind, description from settings.memory_kinds where kind <> 'other' order by kind
"""


def known_kinds(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the kinds of the seed `memory_kinds`, and what each is for."""
    return dict(connection.execute(_KINDS).fetchall())


def unread_sessions(
    connection: duckdb.DuckDBPyConnection, *, namespace: str, model: str, sessions: Sequence[str]
) -> list[str]:
    """Return the sessions with a user message that the model has not read, the oldest first."""
    rows = connection.execute(
        _SESSIONS, {"namespace": namespace, "model": model, "sessions": list(sessions)}
    ).fetchall()
    return [row[0] for row in rows]


def session_messages(
    connection: duckdb.DuckDBPyConnection, *, namespace: str, model: str, session_id: str
) -> list[LoggedMessage]:
    """Return what user and assistant said in a session, in order."""
    rows = connection.execute(
        _MESSAGES, {"namespace": namespace, "model": model, "session_id": session_id}
    ).fetchall()
    return [LoggedMessage(*row) for row in rows]


def is_any_read(
    connection: duckdb.DuckDBPyConnection,
    *,
    namespace: str,
    model: str,
    message_ids: Collection[str],
) -> bool:
    """Tell whether another run has read one of the messages meanwhile."""
    found = connection.execute(
        _ANY_READ, {"namespace": namespace, "model": model, "message_ids": list(message_ids)}
    ).fetchone()
    return found is not None
