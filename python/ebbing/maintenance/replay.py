"""Replay: the same journal under other settings, in a scratch store, and what differs."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from ebbing.errors import InputError
from ebbing.maintenance.dbt import Dbt, Progress
from ebbing.project import project_dir
from ebbing.recall.answering import vector_text
from ebbing.rows import fetch_as
from ebbing.store.files import workplace
from ebbing.store.store import Store

_EVENT_TABLES = """
    select table_name
    from information_schema.tables
    where table_schema = 'journal' and table_name <> 'store_settings'
"""

_MEMORIES = "select memory_id, namespace, content, strength, weight from long_term_memory"
_FORGOTTEN = "select memory_id, reason, explanation, superseded_by from forgotten_memories"

_LOGGED_QUERIES = """
    select recall_id, namespaces, query_text, query_vector, top_k, min_similarity, kinds,
        moment
    from logged_recalls
    order by occurred_at, recall_id
"""

_RANKS = """
    select row_number() over (), memory_id
    from recall(
        $query_vector::varchar,
        query_text := $query_text::varchar,
        top_k := $top_k,
        namespaces := $namespaces::varchar[],
        kinds := $kinds::varchar[],
        min_similarity := $min_similarity,
        as_of := $moment::timestamp
    )
"""

_DIFFERENCE = """
    select
        case
            when before.memory_id is null then 'added'
            when gone.reason = 'merged' then 'merged'
            else 'forgotten'
        end as change,
        coalesce(after.memory_id, before.memory_id) as memory_id,
        coalesce(after.content, before.content) as content,
        concat_ws(', ', gone.reason, gone.explanation) as reason
    from before
    full outer join after on before.memory_id = after.memory_id
    left join gone on before.memory_id = gone.memory_id
    where before.memory_id is null or after.memory_id is null
    order by change, memory_id
"""

_STRENGTHS = """
    select
        count(*),
        count(*) filter (where abs(before.strength - after.strength) > 1e-12),
        count(*) filter (where abs(before.weight - after.weight) > 1e-12)
    from before
    inner join after on before.memory_id = after.memory_id
"""

_RANK_CHANGES = """
    select
        coalesce(old.recall_id, new.recall_id) as recall_id,
        queries.query_text,
        coalesce(old.memory_id, new.memory_id) as memory_id,
        old.recall_rank as rank_before,
        new.recall_rank as rank_after
    from old_ranks as old
    full outer join new_ranks as new
        on old.recall_id = new.recall_id and old.memory_id = new.memory_id
    inner join queries on queries.recall_id = coalesce(old.recall_id, new.recall_id)
    where old.recall_rank is distinct from new.recall_rank
    order by recall_id, rank_after nulls last, rank_before
"""

_COMPARISON = """
    select candidate_id, decay_model, observations, used_share, mean_strength, log_loss
    from decay_model_comparison
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A memory that is live under one of the two settings alone; `change` is seen from today's."""

    change: str
    memory_id: str
    content: str
    reason: str


@dataclass(frozen=True, slots=True)
class RankChange:
    """A memory whose place in the answer to a logged query differs; None is not recalled."""

    recall_id: str
    query: str | None
    memory_id: str
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True, slots=True)
class Replay:
    """What other settings would have made of the same journal.

    `compared` memories are live under both settings; of these so many have another stored
    strength or weight.
    """

    differences: tuple[Difference, ...]
    rank_changes: tuple[RankChange, ...]
    queries: int
    compared: int
    strengths_changed: int
    weights_changed: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """How well one decay model would have foretold which retrievals were of use; lower is better.

    `log_loss` is in nats a retrieval.
    """

    candidate_id: str
    decay_model: str
    observations: int
    used_share: float
    mean_strength: float
    log_loss: float


def replay(
    store: Store,
    *,
    variables: Mapping[str, object],
    seeds: Mapping[str, Path],
    as_of: datetime | None,
    progress: Progress | None = None,
) -> Replay:
    """Build both settings from the journal as it was recorded by `as_of`, and compare them.

    `variables` override those of dbt_project.yml, `seeds` replace the seed of that name by a CSV
    file. The store itself is not touched.
    """
    # Beside the store and under a lock: what a killed replay left is found there and removed.
    with workplace(store.folder, "replay") as root:
        project = _project_with(seeds, root / "project") if seeds else project_dir()
        today = _scratch(store, root / "today", as_of)
        other = _scratch(store, root / "other", as_of)
        Dbt(today.folder, progress=progress).build()
        Dbt(other.folder, variables=variables, project=project, progress=progress).build()
        return _compare(today, other)


def tune(connection: duckdb.DuckDBPyConnection) -> tuple[Candidate, ...]:
    """Return the candidates of the seed tuning_candidates, the best first."""
    return tuple(fetch_as(connection, Candidate, _COMPARISON))


def _project_with(seeds: Mapping[str, Path], folder: Path) -> Path:
    source = project_dir()
    folder.mkdir()
    for name in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        shutil.copy(source / name, folder / name)
    for name in ("models", "macros", "seeds"):
        shutil.copytree(source / name, folder / name)
    shutil.copytree(source / "tests" / "generic", folder / "tests" / "generic")
    for name, file in seeds.items():
        target = folder / "seeds" / f"{name}.csv"
        if not target.exists():
            raise InputError(
                f"there is no seed {name}; nothing was replayed; the seeds are: "
                + ", ".join(sorted(seed.stem for seed in target.parent.glob("*.csv")))
            )
        if not Path(file).is_file():
            raise InputError(f"{file} is not there; nothing was replayed; give a CSV file")
        shutil.copy(file, target)
    return folder


def _scratch(store: Store, folder: Path, as_of: datetime | None) -> Store:
    """Copy the store's file, and cut its journal at `as_of`; nobody else sees the copy."""
    folder.mkdir()
    with store.write() as connection:
        store.fold_spool(connection)
        connection.execute("checkpoint")
    with store.held(exclusive=False):
        shutil.copy(store.path, folder / store.path.name)
    copy = Store(folder)
    with copy.write() as connection:
        for (table,) in connection.execute(_EVENT_TABLES).fetchall():
            if as_of is not None:
                connection.execute(f"delete from journal.{table} where recorded_at > ?", [as_of])
        # Derived state goes: it was built under the store's settings, and from later events.
        connection.execute("drop schema if exists internal cascade")
    return copy


def _compare(today: Store, other: Store) -> Replay:
    with contextlib.closing(duckdb.connect()) as result:
        result.execute(
            "create table before (memory_id varchar, namespace varchar, content varchar, "
            "strength double, weight double); create table after as from before; "
            "create table gone (memory_id varchar, reason varchar, explanation varchar, "
            "superseded_by varchar); "
            "create table queries (recall_id varchar, query_text varchar); "
            "create table old_ranks (recall_id varchar, memory_id varchar, recall_rank integer); "
            "create table new_ranks as from old_ranks"
        )
        for store, memories, ranks in (
            (today, "before", "old_ranks"),
            (other, "after", "new_ranks"),
        ):
            with store.read() as connection:
                _insert(result, memories, connection.execute(_MEMORIES).fetchall())
                if store is other:
                    _insert(result, "gone", connection.execute(_FORGOTTEN).fetchall())
                queries = connection.execute(_LOGGED_QUERIES).fetchall()
                for recall_id, namespaces, text, vector, top_k, least, kinds, moment in queries:
                    if store is today:
                        _insert(result, "queries", [(recall_id, text)])
                    found = connection.execute(
                        _RANKS,
                        {
                            "query_vector": vector_text(vector),
                            "query_text": text,
                            "top_k": top_k,
                            "namespaces": namespaces,
                            "kinds": kinds,
                            "min_similarity": least,
                            "moment": moment,
                        },
                    ).fetchall()
                    _insert(
                        result,
                        ranks,
                        [(recall_id, memory_id, place) for place, memory_id in found],
                    )
        compared, strengths, weights = result.execute(_STRENGTHS).fetchall()[0]
        return Replay(
            differences=tuple(fetch_as(result, Difference, _DIFFERENCE)),
            rank_changes=tuple(fetch_as(result, RankChange, _RANK_CHANGES)),
            queries=len(queries),
            compared=compared,
            strengths_changed=strengths,
            weights_changed=weights,
        )


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, rows: list[tuple[object, ...]]
) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(f"insert into {table} values ({places})", rows)
