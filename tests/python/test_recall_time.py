"""What a memory is worth at an instant: then, now and later, in any zone, however maintained."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pytest

from conftest import START, Clock
from ebbing import Memory
from ebbing.clock import utc_now
from ebbing.maintenance.dbt import Dbt
from ebbing.rows import fetch

BUILD = "The build takes 14 minutes"
LAUNCH = "The launch comes with a new logo"
ROUTER = "The router IP is 192.168.{}.1"
REINDEX = "To reindex, stop the worker first"

# Of a session; none of them plays a part.
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Apia")


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def accessed(strength: float) -> float:
    return 0.95 * strength + 0.05


@pytest.fixture(scope="module")
def lived(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Forty days of uses in several namespaces, maintained once, on the last day."""
    folder = tmp_path_factory.mktemp("lived") / "store"
    shutil.copytree(built_store, folder)
    clock = Clock()
    memory = Memory(folder, clock=clock)

    memory.remember(BUILD, namespace="used")
    memory.remember(BUILD, namespace="batched")
    memory.remember(BUILD, namespace="peeked")
    memory.remember(REINDEX, kind="skill", namespace="skills")
    memory.remember(ROUTER.format(7), namespace="updated")
    memory.remember(LAUNCH, namespace="ahead", at=day(30))
    memory.remember("The launch party needs a cake", namespace="ahead")
    gone = memory.remember(LAUNCH, namespace="ahead and gone", at=day(90))

    clock.now = day(1)
    memory.recall(LAUNCH, namespaces=["ahead"])
    Memory(folder, namespace="ahead and gone", clock=clock).forget(gone.memory_id)
    clock.now = day(3)
    memory.remember(ROUTER.format(9), namespace="updated")
    clock.now = day(10)
    memory.recall(BUILD, namespaces=["used"])
    memory.recall_many([BUILD, BUILD.lower()], namespaces=["batched"])
    memory.recall(BUILD, namespaces=["peeked"], as_of=day(5))
    clock.now = day(20)
    memory.recall(BUILD, namespaces=["used"])
    memory.recall(BUILD, namespaces=["batched"])
    clock.now = day(25)
    memory.remember(BUILD, namespace="used")
    clock.now = day(40)
    memory.maintain()
    yield memory
    memory.flush()


def session(memory: Memory, zone: str) -> duckdb.DuckDBPyConnection:
    """A client that knows nothing of ebbing, somewhere in the world."""
    memory.flush()
    connection = duckdb.connect(str(memory.store.path), read_only=True)
    connection.execute(f"set timezone = '{zone}'")
    return connection


def strength(memory: Memory, text: str, namespace: str, as_of: datetime) -> float:
    answer = memory.recall(
        text, namespaces=[namespace], as_of=as_of, is_logged=False, with_vector=False
    )
    return answer.memories[0].strength


def test_as_of_gives_the_strength_of_then_through_every_use(lived: Memory) -> None:
    first = accessed(0.95**10)
    second = accessed(first * 0.95**10)
    third = accessed(second * 0.95**5)
    expected = {
        0: 1.0,
        5: 0.95**5,
        9.75: 0.95**9.75,
        10: first,
        15: first * 0.95**5,
        20: second,
        22.5: second * 0.95**2.5,
        25: third,
        27: third * 0.95**2,
        40: 0.3,
        400: 0.3,
    }

    found = {number: strength(lived, BUILD, "used", day(number)) for number in expected}

    assert found == pytest.approx(expected, rel=0, abs=1e-12)


def test_uses_at_one_moment_all_count_in_a_look_into_the_past(lived: Memory) -> None:
    twice = accessed(accessed(0.95**10))

    found = strength(lived, BUILD, "batched", day(12))

    assert found == pytest.approx(twice * 0.95**2, rel=0, abs=1e-12)


def test_a_look_into_the_past_strengthens_nothing(lived: Memory) -> None:
    found = strength(lived, BUILD, "peeked", day(12))

    assert found == pytest.approx(0.95**12, rel=0, abs=1e-12)


def test_nothing_is_recalled_as_of_a_time_before_it_was_said(lived: Memory) -> None:
    for when in (day(-1), datetime(1970, 1, 1), datetime(1, 1, 1)):
        assert lived.recall(BUILD, namespaces=["used"], as_of=when).memories == ()


def test_a_skill_forgets_by_the_power_curve_to_the_same_floor(lived: Memory) -> None:
    for days in (30, 90, 365):
        expected = max(0.3, (1 + 0.9803464944 * days / 30) ** -0.1542)
        found = strength(lived, REINDEX, "skills", day(days))
        assert found == pytest.approx(expected, rel=0, abs=1e-12)
    assert strength(lived, REINDEX, "skills", day(30)) == pytest.approx(0.9, abs=1e-6)
    assert strength(lived, REINDEX, "skills", day(200_000)) == 0.3


def test_t1_a_date_in_the_future_is_age_0_and_on_top_of_nothing(lived: Memory) -> None:
    for number in (0, 2, 29, 30):
        assert strength(lived, LAUNCH, "ahead", day(number)) == 1.0
    assert strength(lived, LAUNCH, "ahead", day(40)) == pytest.approx(0.95**10, abs=1e-12)

    answer = lived.recall("launch party cake", namespaces=["ahead"], as_of=day(2))
    assert answer.memories[0].content == "The launch party needs a cake"
    with lived.store.read() as connection:
        rows = fetch(connection, "select strength, weight from internal.recall_index")
    assert all(0.3 <= strength <= 1.0 and 0.0 <= weight <= 2.0 for strength, weight in rows)


def test_t1_a_date_in_the_future_does_not_keep_what_is_forgotten(lived: Memory) -> None:
    for number in (1, 2, 89, 91, 400):
        answer = lived.recall(LAUNCH, namespaces=["ahead and gone"], as_of=day(number))
        assert answer.memories == ()
    before = lived.recall(LAUNCH, namespaces=["ahead and gone"], as_of=day(0.5))
    assert len(before.memories) == 1


def test_t1_what_is_dated_ahead_is_forgotten_and_restored_at_once(
    memory: Memory, clock: Clock
) -> None:
    stored = memory.remember(LAUNCH, at=day(30))
    assert len(memory.recall(LAUNCH).memories) == 1
    clock.forward(hours=1)
    memory.forget(stored.memory_id)
    assert memory.recall(LAUNCH).memories == ()
    clock.forward(hours=1)
    memory.restore(stored.memory_id)
    assert len(memory.recall(LAUNCH).memories) == 1


def test_t3_without_an_access_age_counts_from_creation(memory: Memory) -> None:
    memory.remember(BUILD, at=day(-7.25))

    (found,) = memory.recall(BUILD).memories

    assert found.last_accessed_at is None
    assert found.created_at == day(-7.25)
    assert found.strength == pytest.approx(0.95**7.25, rel=0, abs=1e-12)


@pytest.mark.parametrize("days", [1, 30, 242, 4_000])
def test_t4_age_does_not_bury_the_text_of_the_query_under_todays_news(
    memory: Memory, days: int
) -> None:
    memory.remember(BUILD, at=day(-days))
    memory.remember("The cafeteria serves soup on Thursdays")
    memory.remember("Building 14 is a few minutes away")

    for question in (BUILD, "How many minutes does the build take?"):
        assert memory.recall(question).memories[0].content == BUILD


def test_h2_a_superseded_memory_is_recalled_only_as_of_its_own_time(lived: Memory) -> None:
    def addresses(as_of: datetime) -> list[str]:
        answer = lived.recall("router IP", namespaces=["updated"], as_of=as_of)
        return [found.content for found in answer.memories]

    assert addresses(day(1)) == [ROUTER.format(7)]
    assert addresses(day(3) - timedelta(seconds=1)) == [ROUTER.format(7)]
    assert addresses(day(3)) == [ROUTER.format(9)]
    assert addresses(day(40)) == [ROUTER.format(9)]


def test_every_zone_of_the_session_gives_the_same_answer(lived: Memory) -> None:
    # Ordinary, in the hour that Los Angeles skips, when it does, and in one that it has twice.
    moments = [
        "2026-01-12 01:00:00",
        "2026-03-08 02:30:00",
        "2026-03-08 10:00:00",
        "2026-11-01 08:30:00",
    ]
    answers: dict[str, list[object]] = {}
    for zone in ZONES:
        with session(lived, zone) as connection:
            answers[zone] = [
                connection.execute(
                    "from recall(null, query_text := 'the build in January 2026', "
                    f"namespaces := ['used', 'updated'], as_of := {kind})"
                ).fetchall()
                for moment in moments
                for kind in (f"timestamp '{moment}'", f"timestamptz '{moment}+00'")
            ]

    assert all(answers["UTC"])
    assert answers["UTC"][::2] == answers["UTC"][1::2]
    for zone in ZONES:
        assert answers[zone] == answers["UTC"]


def test_the_default_moment_is_that_of_the_call_in_every_zone(store_path: Path) -> None:
    # Said after the store was built: a default that was fixed then would not see it.
    memory = Memory(store_path, clock=utc_now)
    memory.remember(BUILD)

    for zone in ZONES:
        with session(memory, zone) as connection:
            rows = connection.execute(
                "select strength from recall(null, query_text := 'build minutes')"
            ).fetchall()
        assert rows == [(pytest.approx(1.0, abs=1e-3),)]


def test_a_moment_given_as_text_is_refused_rather_than_misread(lived: Memory) -> None:
    with (
        session(lived, "UTC") as connection,
        pytest.raises(duckdb.BinderException, match="explicit type casts"),
    ):
        connection.execute("from recall(null, as_of := '2026-03-08T02:30:00+08:00')")


def test_t2_a_date_is_that_of_utc_and_words_find_it(memory: Memory) -> None:
    pacific = timezone(timedelta(hours=-7))
    memory.remember(BUILD, at=datetime(2025, 7, 24, 19, 0, tzinfo=pacific))

    (found,) = memory.recall("build").memories
    assert found.created_at == datetime(2025, 7, 25, 2, 0)
    for zone in ZONES:
        with session(memory, zone) as connection:
            utc_date, other_date = (
                connection.execute(
                    "select lexical_score from recall(null, query_text := ?)", [text]
                ).fetchone()
                for text in ("build on 25 July 2025", "build on 24 July 2025")
            )
        assert utc_date[0] > other_date[0]


def test_as_of_may_carry_a_zone(memory: Memory) -> None:
    memory.remember(BUILD)
    shanghai = timezone(timedelta(hours=8))

    at_ten_days = memory.recall(BUILD, as_of=day(10).replace(tzinfo=UTC).astimezone(shanghai))

    assert at_ten_days.memories[0].strength == pytest.approx(0.95**10, rel=0, abs=1e-12)


def test_t5_maintained_often_or_once_it_is_the_same_memory(
    store_path: Path,
) -> None:
    clock = Clock()
    memory = Memory(store_path, clock=clock)
    dbt = Dbt(store_path)
    for number in range(3):
        clock.now = day(number * 9)
        memory.remember(ROUTER.format(number))
        memory.remember(REINDEX, kind="skill")
        memory.recall_many([REINDEX, ROUTER.format(0)])
        memory.flush()
        with memory.store.held():
            dbt.refresh()
    often = _state(memory)
    with memory.store.held():
        # From the journal alone, as if nothing had been maintained before.
        dbt.run(
            "run",
            "--full-refresh",
            "--select",
            "config.materialized:table",
            "config.materialized:incremental",
        )
    once = _state(memory)

    assert len(often["internal.int_strength_states"]) > 3
    assert once == often


def _state(memory: Memory) -> dict[str, list[tuple[object, ...]]]:
    relations = (
        "long_term_memory",
        "memory_history",
        "forgotten_memories",
        "memory_sources",
        "session_log",
        "memory_health",
        "internal.recall_index",
        "internal.int_memory_strengths",
        "internal.int_strength_states",
        "internal.recall_terms",
    )
    with memory.store.read() as connection:
        # Where the journal keeps a vector depends on what else was appended to it.
        return {
            name: fetch(
                connection, f"select columns(c -> c <> 'vector_key') from {name} order by all"
            )
            for name in relations
        }
