"""Tasks: what was to be done, what was recalled for it, how it went, and what helped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing import ids, journal
from ebbing.clock import format_time
from ebbing.errors import InputError, ScopeError
from ebbing.journal import Event
from ebbing.recall import Recalled
from ebbing.redaction import sanitise
from ebbing.rows import fetch, fetch_as
from ebbing.store import Store
from ebbing.text import clean

RATINGS = range(4)

# Beyond any real count, and small enough that sums of squares stay exact.
_MOST = 1_000_000_000_000

_MEASURES = ("tokens_used", "tool_calls", "errors", "user_corrections")

_TASK = """
    select
        starts.namespace,
        min(starts.occurred_at) as started_at,
        min(ends.occurred_at) as finished_at
    from journal.task_starts as starts
    left join journal.task_ends as ends on starts.task_id = ends.task_id
    where starts.task_id = $task_id
    group by starts.namespace
"""

# A memory that was merged since may be rated under either id.
_RECALLED_IN_TASK = """
    with hits as (
        select hits.memory_id
        from journal.recall_hits as hits
        inner join journal.recalls as recalls on hits.recall_id = recalls.recall_id
        where recalls.task_id = $task_id and recalls.occurred_at <= $at
    )
    select memory_id from hits
    union
    select canonicals.canonical_id
    from internal.int_memory_canonicals as canonicals
    inner join hits on canonicals.memory_id = hits.memory_id
"""

_TASKS = """
    with ends as (
        select *
        from journal.task_ends
        qualify row_number() over (partition by task_id order by occurred_at, event_id) = 1
    )
    select
        starts.task_id, starts.description, starts.session_id, starts.occurred_at,
        ends.occurred_at, ends.tokens_used, ends.tool_calls, ends.errors, ends.user_corrections,
        ends.is_completed, ends.task_id is null, tasks.task_score
    from journal.task_starts as starts
    left join ends on starts.task_id = ends.task_id
    left join tasks on starts.task_id = tasks.task_id
    where starts.namespace = $namespace
    order by starts.occurred_at desc, starts.event_id desc
    limit $top_k
"""

_ATTRIBUTION = """
    select
        attribution.memory_id, attribution.task_id, memories.content, attribution.similarity,
        attribution.rank, attribution.rating, attribution.share, attribution.task_score,
        attribution.credit
    from memory_attribution as attribution
    inner join internal.int_memory_identities as memories
        on attribution.memory_id = memories.memory_id
    where attribution.task_id = $task_id
    order by attribution.rank, attribution.memory_id
"""


@dataclass(frozen=True, slots=True)
class StartedTask:
    """A task that was begun, and the memories recalled for it, with the ids to rate them by.

    `is_spooled`: the store was busy, and the start waits in the spool for the next writer.
    """

    task_id: str
    recalled: Recalled
    is_spooled: bool


@dataclass(frozen=True, slots=True)
class EndedTask:
    """A task whose end is in the journal, and how many memories were rated in it."""

    task_id: str
    rated: int


@dataclass(frozen=True, slots=True)
class Task:
    """A task and how it went.

    `task_score` is from -1 to 1, null while the task is open or not maintained yet. Times are
    naive UTC; a measure that was not told is null.
    """

    task_id: str
    description: str
    session_id: str | None
    started_at: datetime
    finished_at: datetime | None
    tokens_used: int | None
    tool_calls: int | None
    errors: int | None
    user_corrections: int | None
    is_completed: bool | None
    is_open: bool
    task_score: float | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a task says of one memory that was recalled in it, as of the last maintenance.

    `share` is the memory's part in the outcome, 0 to 1; `credit` is from -1 to 1, null while the
    task is open. A rating outweighs the share.
    """

    memory_id: str
    task_id: str
    content: str
    similarity: float | None
    rank: int
    rating: int | None
    share: float
    task_score: float | None
    credit: float | None


def task_start(
    description: str, *, namespace: str, session_id: str | None, actor: str, at: datetime
) -> journal.TaskStart:
    """Return the event that begins a task; secrets in its description are redacted."""
    text = clean(sanitise(description).text) if isinstance(description, str) else ""
    if not text:
        raise InputError("the task has no description; nothing was started; say what is to be done")
    return journal.TaskStart(
        task_id=ids.task_id(),
        namespace=namespace,
        description=text,
        session_id=session_id,
        actor=actor,
        occurred_at=at,
        recorded_at=at,
    )


def end_task(
    store: Store, end: journal.TaskEnd, *, ratings: Mapping[str, int], namespace: str
) -> EndedTask:
    """Append a task's end and its ratings, all or none.

    Checked and appended under one lock, so that of two who end a task at once one is refused. An
    end that still waits in the spool counts.
    """
    _check_measures(end)
    _check_ratings(ratings)
    events: list[Event] = [
        end,
        *(
            journal.Rating(
                task_id=end.task_id,
                memory_id=memory_id,
                rating=rating,
                actor=end.actor,
                occurred_at=end.occurred_at,
                recorded_at=end.recorded_at,
            )
            for memory_id, rating in ratings.items()
        ),
    ]
    with store.write() as connection:
        store.fold_spool(connection)
        _check_task(connection, end, namespace)
        _check_recalled(connection, end, ratings)
        store.append(events)
    return EndedTask(task_id=end.task_id, rated=len(ratings))


def list_tasks(
    connection: duckdb.DuckDBPyConnection, namespace: str, *, top_k: int
) -> tuple[Task, ...]:
    """Return the tasks of a namespace, the last one started first."""
    return tuple(fetch_as(connection, Task, _TASKS, {"namespace": namespace, "top_k": top_k}))


def attribution(
    connection: duckdb.DuckDBPyConnection, task_id: str, namespace: str
) -> tuple[Attribution, ...]:
    """Return what a task says of each memory recalled in it, by rank."""
    _require_task(connection, task_id, namespace)
    return tuple(fetch_as(connection, Attribution, _ATTRIBUTION, {"task_id": task_id}))


def _check_measures(end: journal.TaskEnd) -> None:
    for name in _MEASURES:
        value = getattr(end, name)
        if value is not None and not (_is_whole(value) and 0 <= value <= _MOST):
            raise InputError(
                f"{name} is {value!r}; nothing was changed; give a whole number from 0 on"
            )
    if not isinstance(end.is_completed, bool):
        raise InputError(
            f"is_completed is {end.is_completed!r}; nothing was changed; give True or False"
        )


def _check_ratings(ratings: Mapping[str, int]) -> None:
    for memory_id, rating in ratings.items():
        if not (_is_whole(rating) and rating in RATINGS):
            raise InputError(
                f"the rating of {memory_id} is {rating!r}; nothing was changed; "
                "give 0 (misled), 1 (hardly any use), 2 (useful) or 3 (needed)"
            )


def _require_task(
    connection: duckdb.DuckDBPyConnection, task_id: str, namespace: str
) -> tuple[datetime, datetime | None]:
    """Return when a task began and ended; refuse an unknown one and one of another namespace."""
    found = fetch(connection, _TASK, {"task_id": task_id})
    if not found:
        raise InputError(
            f"there is no task {task_id}; nothing was changed; `ebbing task list` shows the ids"
        )
    scope, started_at, finished_at = found[0]
    if scope != namespace:
        raise ScopeError(
            f"{task_id} is not a task of namespace {namespace!r}; nothing was changed; "
            "name its own namespace"
        )
    return started_at, finished_at


def _check_task(
    connection: duckdb.DuckDBPyConnection, end: journal.TaskEnd, namespace: str
) -> None:
    started_at, finished_at = _require_task(connection, end.task_id, namespace)
    if finished_at is not None:
        raise InputError(
            f"{end.task_id} has already ended, at {format_time(finished_at)}; "
            "nothing was changed; start another task"
        )
    if end.occurred_at < started_at:
        raise InputError(
            f"{end.task_id} began at {format_time(started_at)}, after "
            f"{format_time(end.occurred_at)}; nothing was changed; give a later end"
        )


def _check_recalled(
    connection: duckdb.DuckDBPyConnection, end: journal.TaskEnd, ratings: Mapping[str, int]
) -> None:
    if not ratings:
        return
    parameters = {"task_id": end.task_id, "at": end.occurred_at}
    recalled = {memory_id for (memory_id,) in fetch(connection, _RECALLED_IN_TASK, parameters)}
    strangers = [memory_id for memory_id in ratings if memory_id not in recalled]
    if strangers:
        raise InputError(
            f"not recalled in {end.task_id}: {', '.join(strangers)}; nothing was changed; "
            "rate only what was recalled in the task"
        )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
