"""An erasure takes the passages of one memory in one namespace, and nothing else."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conftest import START, Clock
from ebbing import Memory, journal
from ebbing.erasure.intent import Intent
from ebbing.erasure.passages import is_passage
from ebbing.erasure.plan import Plan, make_plan
from ebbing.erasure.rewriting import write_without
from ebbing.erasure.run import Erased
from ebbing.journal import ids
from ebbing.maintenance.dbt import Dbt
from ebbing.rows import fetch
from ebbing.store.store import Store
from extraction_harness import enabled_rules, macros, word_lists

SAID = "My name is Lin and I live in Leeds. I prefer tabs over spaces! My dog is called Pixel."
LIVES = "User lives in Leeds"
OTHERS = {"User's name is Lin", "User prefers tabs over spaces", "User's dog is called Pixel"}
NOTEBOOK = "My notebook is in the attic"
GARAGE = "There is no light in the garage"


# With real builds: one message that says four things


@dataclass(frozen=True)
class Case:
    """A store of two namespaces, two memories of one of them erased, and what was said of it."""

    memory: Memory
    plan: Plan
    erased: Erased
    theirs_before: dict[str, list[str]]


@pytest.fixture(scope="module")
def case(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("scope")
    shutil.copytree(built_store, folder / "store")
    memory = Memory(folder / "store", clock=Clock())
    log = folder / "talk.jsonl"
    log.write_text(
        "".join(
            json.dumps({"session_id": "talk", "role": role, "content": text}) + "\n"
            for role, text in (("user", SAID), ("assistant", "No. I live in Leeds, you said."))
        )
    )
    for namespace in ("default", "theirs"):
        memory.ingest([log], namespace=namespace)
        for text in ("no", NOTEBOOK, GARAGE):
            memory.remember(text, namespace=namespace)
        scoped = Memory(folder / "store", namespace=namespace, clock=Clock())
        scoped.start_task("no: find my notebook")
        scoped.recall("I live in Leeds")
        scoped.flush()
    memory.maintain()
    chosen = (ids.memory_id("default", LIVES), ids.memory_id("default", "no"))
    before = rows_of(memory.store, "theirs")
    plan = memory.erase_preview(*chosen)
    assert memory.recall("who lives in Leeds", is_logged=False).memories
    return Case(memory, plan, memory.erase(*chosen), before)


def live(memory: Memory, namespace: str = "default") -> set[str]:
    with memory.store.read() as connection:
        return {
            row[0]
            for row in fetch(
                connection,
                "select content from long_term_memory where namespace = $namespace",
                {"namespace": namespace},
            )
        }


def said(memory: Memory, namespace: str = "default") -> list[str]:
    with memory.store.read() as connection:
        return [
            row[0]
            for row in fetch(
                connection,
                "select content from journal.messages where namespace = $namespace"
                " order by message_seq",
                {"namespace": namespace},
            )
        ]


def test_the_other_memories_of_the_message_stay_and_keep_their_source(case: Case) -> None:
    assert live(case.memory) >= {*OTHERS, NOTEBOOK, GARAGE}
    assert not {LIVES, "no", SAID} & live(case.memory)
    with case.memory.store.read() as connection:
        sources = fetch(
            connection,
            "select memories.content, count(sources.message_id) from long_term_memory as memories"
            " inner join memory_sources as sources using (memory_id)"
            " where namespace = 'default' and memories.method = 'extracted' group by all",
        )
    assert dict(sources) == dict.fromkeys(OTHERS, 1)


def test_the_messages_lose_the_passages_alone(case: Case) -> None:
    first, second = said(case.memory)
    assert first == ("My name is Lin\n[erased]\nI prefer tabs over spaces! My dog is called Pixel.")
    assert second == "[erased]. [erased], you said."
    assert case.erased.is_clean
    assert case.erased.kept_within == ()


def test_the_other_namespace_is_as_it_was(case: Case) -> None:
    assert rows_of(case.memory.store, "theirs") == case.theirs_before
    assert said(case.memory, "theirs")[0] == SAID
    assert {LIVES, "no"} <= live(case.memory, "theirs")


def test_the_preview_says_what_was_touched(case: Case) -> None:
    assert case.plan.rewritten == case.erased.rewritten
    assert case.plan.memory_ids == case.erased.memory_ids
    assert set(case.plan.texts) == {LIVES, "no"}
    assert case.plan.lost == ()
    assert {one.table for one in case.plan.rewritten} == {
        "messages",
        "recalls",
        "task_starts",
    }


def test_a_full_refresh_reads_the_others_again(case: Case) -> None:
    dbt = Dbt(case.memory.store.folder)
    with case.memory.store.held():
        dbt.run("run", "--full-refresh")
    assert live(case.memory) >= {*OTHERS, NOTEBOOK, GARAGE}
    assert not {LIVES, "no", SAID} & live(case.memory)


# Without builds: any store of several namespaces

FACTS = (
    "I live in Leeds.",
    "My name is Lin.",
    "I prefer tabs over spaces.",
    "My dog is called Pixel.",
    "我住在杭州。",
)
TEXTS = (
    "no",
    "Leeds",
    "User lives in Leeds",
    "The key hangs behind the door",
    "The key hangs behind the door of the barn",
    "用户住在杭州",
    "My notebook is in the attic",
)
NAMESPACES = ("one", "two", "One")

written = st.tuples(
    st.sampled_from(NAMESPACES), st.sampled_from(TEXTS), st.sampled_from([None, "m0", "m1"])
)
spoken = st.tuples(
    st.sampled_from(NAMESPACES),
    st.sampled_from(["user", "assistant"]),
    st.lists(st.sampled_from(FACTS + TEXTS), min_size=1, max_size=4, unique=True),
    st.sampled_from([" ", "\n", " and "]),
)


def extraction_sql(messages: str) -> str:
    """Only the rules that read FACTS: planning all of them takes a second."""
    names = {"en-live", "en-name", "en-prefer", "en-family", "zh-live"}
    rules = [rule for rule in enabled_rules() if rule["rule_id"] in names]
    assert len(rules) == len(names)
    ranked = [{**rule, "rank": rank} for rank, rule in enumerate(rules, start=1)]
    return str(macros().extracted_statements(messages, ranked, [], word_lists()))


class Rules:
    """Stands in for dbt: reads what is laid out, by the project's own rules."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def operate(self, macro: str) -> None:
        assert macro == "read_messages_to_erase"
        with self.store.write() as connection:
            connection.execute(
                "create or replace table internal.statements_to_erase as "
                + extraction_sql("(from internal.messages_to_erase where role = 'user')")
            )
            connection.execute(
                "create or replace table internal.passages_to_erase as"
                " select message_id, content from internal.messages_to_erase"
            )


def rows_of(store: Store, namespace: str) -> dict[str, list[str]]:
    """Every row of the journal that belongs to a namespace, exactly."""
    own = (
        "memory_id in (select memory_id from journal.memory_writes where namespace = $namespace)"
        " or memory_id in (select 'mem_' || substr(sha256($namespace || chr(31) || content), 1, 16)"
        " from journal.memory_writes where namespace = $namespace)"
    )
    scopes = {
        "messages": "namespace = $namespace",
        "memory_writes": "namespace = $namespace",
        "task_starts": "namespace = $namespace",
        "recalls": "namespaces = [$namespace]",
        "memory_changes": own,
        "recall_hits": own,
        "ratings": own,
    }
    with store.read() as connection:
        return {
            table: [
                repr(row)
                for row in fetch(
                    connection,
                    f"select * from journal.{table} where {scope} order by event_sequence",
                    {"namespace": namespace},
                )
            ]
            for table, scope in scopes.items()
        }


def fill(
    store: Store,
    messages: list[tuple[str, str, list[str], str]],
    writes: list[tuple[str, str, str | None]],
) -> None:
    """A journal, and of what is built from it only what an erasure reads."""
    events: list[journal.Event] = []
    for place, (namespace, role, parts, joint) in enumerate(messages):
        events.append(
            journal.Message(
                message_id=f"m{place}",
                namespace=namespace,
                session_id="talk",
                message_seq=place,
                role=role,
                content=joint.join(parts),
                source="test",
                occurred_at=START,
                recorded_at=START,
            )
        )
    for namespace, text, message_id in writes:
        values: dict[str, Any] = {"occurred_at": START, "recorded_at": START, "actor": "user"}
        memory_id = ids.memory_id(namespace, text)
        events += [
            journal.MemoryWrite(
                memory_id=memory_id,
                namespace=namespace,
                kind="fact",
                content=text,
                content_hash=ids.content_hash(text),
                method="remembered",
                message_id=message_id,
                metadata=json.dumps({"said": text}),
                **values,
            ),
            journal.MemoryChange(
                memory_id=memory_id, change="pin", reason=f"since {text}", **values
            ),
            journal.TaskStart(
                task_id=ids.task_id(), namespace=namespace, description=f"see: {text}", **values
            ),
            journal.Recall(
                recall_id=ids.recall_id(),
                namespaces=[namespace],
                query_text=text,
                top_k=1,
                min_similarity=0.0,
                **values,
            ),
        ]
    store.append(events)
    with store.write() as connection:
        connection.execute(
            f"""
            create schema internal;
            create view user_messages as from journal.messages where role = 'user';
            create table internal.int_statements_extracted as
            select
                'mem_' || substr(sha256(namespace || chr(31) || read.content), 1, 16) as memory_id,
                namespace, read.content, sha256(read.content) as content_hash, read.message_id
            from ({extraction_sql("user_messages")}) as read
            inner join journal.messages using (message_id);
            create table internal.int_episodes as
            select
                'mem_' || substr(sha256(namespace || chr(31) || content), 1, 16) as memory_id,
                namespace, content, sha256(content) as content_hash, message_id
            from journal.messages;
            create table internal.int_memory_canonicals as
            select memory_id, memory_id as canonical_id from journal.memory_writes
            union select memory_id, memory_id from internal.int_statements_extracted;
            create table memory_history (memory_id varchar, superseded_by varchar);
            """
        )


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    # Each takes a second: what failed is small enough to read.
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.lists(spoken, min_size=1, max_size=4),
    st.lists(written, min_size=1, max_size=6),
    st.integers(0, 5),
)
def test_nothing_but_the_memory_of_that_namespace_is_touched(
    messages: list[tuple[str, str, list[str], str]],
    writes: list[tuple[str, str, str | None]],
    chosen: int,
) -> None:
    namespace, text, _ = writes[chosen % len(writes)]
    with tempfile.TemporaryDirectory() as folder:
        store, fresh = Store(Path(folder) / "a"), Store(Path(folder) / "b")
        store.create()
        fill(store, messages, writes)
        memory_id = ids.memory_id(namespace, text)
        with store.held():
            plan = make_plan(store, Rules(store), [memory_id], namespace)  # type: ignore[arg-type]
        fresh.folder.mkdir()
        intent = Intent(
            erasure_id="e", namespace=namespace, memory_ids=[memory_id], actor="user", at=START
        )
        write_without(store.path, fresh.path, plan, intent)

        for other in {*NAMESPACES} - {namespace}:
            assert rows_of(fresh, other) == rows_of(store, other)
        with store.read() as before, fresh.read() as after:
            kept = "select * from journal.memory_writes where memory_id <> $memory_id order by 2"
            given_id = {"memory_id": memory_id}
            kept_before, kept_after = fetch(before, kept, given_id), fetch(after, kept, given_id)
            assert [row[:-3] for row in kept_after] == [row[:-3] for row in kept_before]
            extracted = dict(
                fetch(before, "select memory_id, content from internal.int_statements_extracted")
            )
            users = "(from journal.messages where role = 'user')"
            read_again = fetch(
                after,
                f"select namespace, read.content from ({extraction_sql(users)}) as read"
                " inner join journal.messages using (message_id)",
            )
            left = fetch(
                after,
                "select content from journal.messages where namespace = $namespace",
                {"namespace": namespace},
            )
        again = {ids.memory_id(space, content) for space, content in read_again}
        assert again == extracted.keys() - {memory_id}
        assert plan.lost == ()
        if is_passage(text) and not plan.kept_within:
            assert all(text not in row[0] for row in left)
