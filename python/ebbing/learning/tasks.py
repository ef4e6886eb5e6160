"""Tasks: what was to be done, what was recalled for it, how it went, and what helped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import duckdb

from ebbing import journal
from ebbing.clock import format_time
from ebbing.errors import InputError, ScopeError
from ebbing.journal import ids
from ebbing.journal.events import Event
from ebbing.recall.answering import Recalled
from ebbing.rows import fetch, fetch_as
from ebbing.safety.redaction import safe_text
from ebbing.store.store import Store

RATINGS = range(4)

# Beyond any real count, and small enough that sums of squares stay exact.
_MOST = 1_000_000_000_000

_MEASURES = ("tokens_used", "tool_calls", "errors", "user_corrections")

_TASK = """
    select namespace, started_at, finished_at from started_tasks where task_id = $task_id
"""

# A memory that was merged since may be rated under either id.
_RECALLED_IN_TASK = """
    select memory_id from task_recalls where task_id = $task_id and first_recalled_at <= $at
"""

_TASKS = """
    select
        task_id, description, session_id, started_at, finished_at, tokens_used, tool_calls,
        errors, user_corrections, is_completed, is_open, task_score
    from started_tasks
    where namespace = $namespace
    order by started_at desc, task_id desc
    limit $top_k
"""

_ATTRIBUTION = """
    select
        attribution.memory_id, attribution.task_id, memories.content, attribution.similarity,
        attribution.rank, attribution.rating, attribution.share, attribution.task_score,
        attribution.credit
    from memory_attribution as attribution
    inner join known_memories as memories on attribution.memory_id = memories.memory_id
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
    """A task whose end is in the journal, and how many memories were rated in it.

    `is_spooled`: the store was busy, and the end waits in the spool; it is checked when it is
    folded in.
    """

    task_id: str
    rated: int
    is_spooled: bool = False


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
    text = safe_text(description) if isinstance(description, str) else ""
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
    appended = store.append(events, namespace=namespace)
    return EndedTask(task_id=end.task_id, rated=len(ratings), is_spooled=appended.spooled > 0)


def check_end(
    connection: duckdb.DuckDBPyConnection,
    end: journal.TaskEnd,
    rated: Sequence[str],
    namespace: str,
) -> None:
    """Refuse the end of a task that is unknown, over, or did not recall what is rated in it."""
    _check_task(connection, end, namespace)
    _check_recalled(connection, end, rated)


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
    connection: duckdb.DuckDBPyConnection, end: journal.TaskEnd, rated: Sequence[str]
) -> None:
    if not rated:
        return
    parameters = {"task_id": end.task_id, "at": end.occurred_at}
    recalled = {memory_id for (memory_id,) in fetch(connection, _RECALLED_IN_TASK, parameters)}
    strangers = [memory_id for memory_id in rated if memory_id not in recalled]
    if strangers:
        raise InputError(
            f"not recalled in {end.task_id}: {', '.join(strangers)}; nothing was changed; "
            "rate only what was recalled in the task"
        )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
