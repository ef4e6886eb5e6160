"""Tasks end once and in one piece; what helped grows, what misled goes, and nothing is lost."""

import json
import math
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import Clock
from ebbing.cli import main
from ebbing.errors import InputError, ScopeError
from ebbing.journal.events import Event, Rating, Recall, RecallHit, TaskEnd, TaskStart
from ebbing.learning.tasks import EndedTask
from ebbing.memory import Memory

BEGINNING = datetime(2025, 6, 1, 9)
SIXTY = 60

# Waits for a word, so that two of them end their tasks at once.
ENDER = """
import sys
from ebbing.memory import Memory
memory = Memory(sys.argv[1], namespace=sys.argv[2], budget=60)
print("ready", flush=True)
sys.stdin.readline()
try:
    memory.end_task(sys.argv[3], is_completed=True, tool_calls=int(sys.argv[4]))
except Exception as error:
    print(error)
    raise SystemExit(2)
"""


@dataclass
class Bench:
    """A store of its own, its clock, and a memory for each namespace."""

    folder: Path
    clock: Clock = field(default_factory=lambda: Clock(BEGINNING))

    def memory(self, namespace: str = "default") -> Memory:
        return Memory(
            self.folder,
            namespace=namespace,
            clock=self.clock,
            budget=60,
        )

    def rows(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self.memory().store.read() as connection:
            return connection.execute(statement, list(parameters)).fetchall()

    def counts(self) -> list[tuple[Any, ...]]:
        return self.rows(
            "select (select count(*) from journal.task_ends),"
            " (select count(*) from journal.ratings)"
        )


def end_at_once(
    folder: Path, namespace: str, ends: Sequence[tuple[str, int]]
) -> list[tuple[int, str]]:
    """End tasks in as many processes, at the same moment; return exit codes and what was said."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ENDER, str(folder), namespace, task_id, str(tool_calls)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for task_id, tool_calls in ends
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0] for process in processes]
    return [(process.returncode, text) for process, text in zip(processes, said, strict=True)]


@pytest.fixture
def bench(store_path: Path) -> Bench:
    return Bench(store_path)


@pytest.fixture
def memory(bench: Bench) -> Iterator[Memory]:
    memory = bench.memory()
    yield memory
    memory.flush()


def round_of(
    memory: Memory,
    number: int,
    memory_ids: list[str],
    *,
    ratings: Mapping[str, int],
    is_completed: bool = True,
    tokens_used: int | None = None,
) -> list[Event]:
    """One task of a day: all memories recalled alike, some rated."""
    task_id, recall_id = f"task_{memory.namespace}_{number}", f"rec_{memory.namespace}_{number}"
    at = BEGINNING + timedelta(days=number)
    end = at + timedelta(hours=1)
    return [
        TaskStart(
            task_id=task_id,
            namespace=memory.namespace,
            description="try again",
            actor="test",
            occurred_at=at,
        ),
        Recall(
            recall_id=recall_id,
            namespaces=(memory.namespace,),
            query_text="try again",
            top_k=10,
            min_similarity=0.0,
            actor="test",
            task_id=task_id,
            occurred_at=at,
        ),
        *(
            RecallHit(
                recall_id=recall_id,
                memory_id=memory_id,
                hit_rank=rank,
                similarity=0.5,
                lexical_score=0.5,
                occurred_at=at,
            )
            for rank, memory_id in enumerate(memory_ids, start=1)
        ),
        TaskEnd(
            task_id=task_id,
            is_completed=is_completed,
            tokens_used=tokens_used,
            actor="test",
            occurred_at=end,
        ),
        *(
            Rating(
                task_id=task_id, memory_id=memory_id, rating=rating, actor="test", occurred_at=end
            )
            for memory_id, rating in ratings.items()
        ),
    ]


# What a task returns, and what is refused


def test_a_started_task_brings_memories_with_their_ids(bench: Bench, memory: Memory) -> None:
    stated = memory.remember("The build needs the flag --offline")

    started = memory.start_task("Run the build with the flag --offline", session_id="s1")
    memory.flush()

    assert [found.memory_id for found in started.recalled.memories] == [stated.memory_id]
    assert bench.rows(
        "select recalls.task_id, recalls.session_id, hits.memory_id from journal.recalls as recalls"
        " inner join journal.recall_hits as hits on recalls.recall_id = hits.recall_id"
    ) == [(started.task_id, "s1", stated.memory_id)]


def test_a_secret_in_a_description_is_not_kept(bench: Bench, memory: Memory) -> None:
    memory.start_task("Log in with postgres://user:hunter2@db.example.org/main")
    memory.flush()

    kept = bench.rows("select description from journal.task_starts")
    asked = bench.rows("select query_text from journal.recalls")
    assert "hunter2" not in str(kept) + str(asked)


def test_an_ended_task_is_listed_with_what_was_told(memory: Memory) -> None:
    stated = memory.remember("The build needs the flag --offline")
    started = memory.start_task("Run the build with the flag --offline")

    ended = memory.end_task(
        started.task_id,
        is_completed=True,
        tokens_used=1200,
        tool_calls=7,
        errors=0,
        ratings={stated.memory_id: 3},
    )
    still_open = memory.start_task("Something else")

    assert ended.rated == 1
    told = {one.task_id: one for one in memory.tasks()}
    done = told[started.task_id]
    assert (done.tokens_used, done.tool_calls, done.errors) == (1200, 7, 0)
    assert done.user_corrections is None
    assert done.is_completed
    assert not done.is_open
    assert told[still_open.task_id].is_open


@pytest.mark.parametrize("description", ["", "  \n", None, "<private>all of it</private>"])
def test_a_task_without_a_description_is_refused(
    bench: Bench, memory: Memory, description: Any
) -> None:
    with pytest.raises(InputError, match="no description; nothing was started"):
        memory.start_task(description)
    memory.flush()
    assert bench.rows("select count(*) from journal.recalls") == [(0,)]


@dataclass
class Begun:
    """A task under way, the memory that was recalled in it, and one that was not."""

    bench: Bench
    memory: Memory
    task_id: str
    recalled: str
    other: str


@pytest.fixture
def begun(bench: Bench, memory: Memory) -> Begun:
    recalled = memory.remember("The build needs the flag --offline").memory_id
    started = memory.start_task("The build needs the flag --offline")
    other = memory.remember("Zebras graze at dawn").memory_id
    return Begun(bench, memory, started.task_id, recalled, other)


REFUSED: dict[str, tuple[Callable[[Begun], Any], str]] = {
    "unknown task": (
        lambda b: b.memory.end_task("task_0", is_completed=True),
        "there is no task task_0",
    ),
    "task of another namespace": (
        lambda b: b.bench.memory("elsewhere").end_task(b.task_id, is_completed=True),
        "not a task of namespace 'elsewhere'",
    ),
    "ended before it began": (
        lambda b: b.memory.end_task(
            b.task_id, is_completed=True, at=BEGINNING - timedelta(seconds=1)
        ),
        "began at 2025-06-01T09:00:00Z, after 2025-06-01T08:59:59Z",
    ),
    "rating of what was not recalled": (
        lambda b: b.memory.end_task(
            b.task_id, is_completed=True, ratings={b.recalled: 3, b.other: 2, "mem_0": 2}
        ),
        "mem_0; nothing was changed; rate only what was recalled",
    ),
    **{
        f"rating {rating!r}": (
            lambda b, rating=rating: b.memory.end_task(
                b.task_id, is_completed=True, ratings={b.recalled: rating}
            ),
            "nothing was changed; give 0",
        )
        for rating in (-1, 4, True, 2.0, "3", None)
    },
    **{
        f"{name} {value!r}": (
            lambda b, name=name, value=value: b.memory.end_task(
                b.task_id, is_completed=True, **{name: value}
            ),
            f"{name} is .*; nothing was changed; give a whole number",
        )
        for name in ("tokens_used", "tool_calls", "errors", "user_corrections")
        for value in (-1, 1.5, True, 10**13)
    },
    "neither completed nor failed": (
        lambda b: b.memory.end_task(b.task_id, is_completed=None),  # type: ignore[arg-type]
        "is_completed is None",
    ),
}


def test_what_cannot_be_is_refused_and_changes_nothing(begun: Begun) -> None:
    for name, (attempt, message) in REFUSED.items():
        with pytest.raises(InputError, match=message) as refused:
            attempt(begun)
        assert refused.value.exit_code == 2, name
        assert "\n" not in str(refused.value), name
        assert begun.bench.counts() == [(0, 0)], name
    assert begun.memory.end_task(begun.task_id, is_completed=True).rated == 0


def test_a_task_of_another_namespace_shows_nothing(begun: Begun) -> None:
    with pytest.raises(ScopeError):
        begun.bench.memory("elsewhere").attribution(begun.task_id)
    assert begun.bench.memory("elsewhere").tasks() == ()


def test_a_task_ends_once(begun: Begun) -> None:
    begun.memory.end_task(begun.task_id, is_completed=True)
    with pytest.raises(InputError, match="has already ended, at 2025-06-01T09:00:00Z"):
        begun.memory.end_task(begun.task_id, is_completed=False, ratings={begun.recalled: 0})
    assert begun.bench.counts() == [(1, 0)]


def test_of_two_who_end_a_task_at_once_one_is_refused(begun: Begun) -> None:
    # In the processes it is later than on the clock by which the task was begun.
    folder = begun.bench.folder
    outcomes = end_at_once(folder, "default", [(begun.task_id, 1), (begun.task_id, 2)])
    assert sorted(code for code, _ in outcomes) == [0, 2]
    assert "has already ended" in "".join(text for _, text in outcomes)
    assert begun.bench.counts() == [(1, 0)]


def test_a_time_with_a_zone_is_read_as_utc(begun: Begun) -> None:
    at = datetime(2025, 6, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    begun.memory.end_task(begun.task_id, is_completed=True, at=at)
    (ended,) = begun.memory.tasks()
    assert ended.finished_at == datetime(2025, 6, 1, 10)


def test_an_end_that_waits_in_the_spool_counts(begun: Begun) -> None:
    begun.memory.store.spool.write(
        [TaskEnd(task_id=begun.task_id, is_completed=True, actor="test", occurred_at=BEGINNING)]
    )
    with pytest.raises(InputError, match="has already ended"):
        begun.memory.end_task(begun.task_id, is_completed=False)
    assert begun.bench.counts() == [(1, 0)]


def test_a_start_and_a_recall_that_wait_in_the_spool_count(begun: Begun) -> None:
    memory = begun.memory
    events = round_of(memory, 1, [begun.recalled], ratings={})
    memory.store.spool.write([one for one in events if not isinstance(one, TaskEnd)])
    begun.bench.clock.forward(days=2)

    assert memory.end_task(
        "task_default_1", is_completed=True, ratings={begun.recalled: 3}
    ) == EndedTask("task_default_1", 1)


# The command line


@pytest.fixture
def run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setenv("EBBING_HOME", str(bench.folder))

    def invoke(*arguments: str, exit_code: int = 0) -> Any:
        result = CliRunner().invoke(main, list(arguments))
        assert result.exit_code == exit_code, result.output
        return result

    return invoke


def test_the_command_line_ends_what_it_starts(bench: Bench, run: Callable[..., Any]) -> None:
    stated = bench.memory().remember("The build needs the flag --offline").memory_id
    started = json.loads(run("task", "start", "Run the build --offline", "--json").stdout)
    task_id = started["task_id"]
    assert [one["memory_id"] for one in started["recalled"]["memories"]] == [stated]

    run("task", "end", task_id, exit_code=2)  # neither --completed nor --failed
    for wrong in (f"{stated}=4", f"{stated}=x", stated, "=3", "mem_0=2", f"{stated}=-1"):
        run("task", "end", task_id, "--completed", "--rate", wrong, exit_code=2)
    run(
        *("task", "end", task_id, "--completed"),
        *("--rate", f"{stated}=3", "--rate", f"{stated}=2"),
        exit_code=2,
    )
    run("task", "end", task_id, "--completed", "--tokens", "-5", exit_code=2)
    ended = run(
        *("task", "end", task_id, "--completed", "--tokens", "900", "--tool-calls", "4"),
        *("--errors", "0", "--corrections", "1", "--rate", f"{stated}=3", "--json"),
    )
    assert json.loads(ended.stdout) == {"task_id": task_id, "rated": 1, "is_spooled": False}
    run("task", "end", task_id, "--failed", exit_code=2)

    (listed,) = json.loads(run("task", "list", "--json").stdout)
    assert (listed["tokens_used"], listed["user_corrections"]) == (900, 1)
    assert task_id in run("task", "list").stdout
    assert "not before the next" in run("task", "show", task_id).stderr


# What is learnt: one store, a namespace for each property, one maintenance


@dataclass
class Learnt:
    bench: Bench
    ids: dict[str, str]
    racing_task_ids: tuple[str, str]
    token_counts: list[int]

    def steps(self, name: str) -> list[tuple[Any, ...]]:
        return self.bench.rows(
            "select weight_before, weight_after, credit from internal.int_weight_steps"
            " where memory_id = ? order by weighed_at",
            self.ids[name],
        )

    def weight(self, name: str) -> float:
        ((weight,),) = self.bench.rows(
            "select weight from long_term_memory where memory_id = ?", self.ids[name]
        )
        return float(weight)


@pytest.fixture(scope="module")
def learnt(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    folder = tmp_path_factory.mktemp("learnt") / "store"
    shutil.copytree(built_store, folder)
    bench = Bench(folder)
    ids: dict[str, str] = {}

    def state(memory: Memory, name: str, method: str = "remembered") -> str:
        ids[name] = memory.remember(f"note on {name}", method=method).memory_id
        return ids[name]

    # L1: eight memories rated beside each other in sixty tasks.
    praised = bench.memory("praised")
    eight = [state(praised, f"praised {place}") for place in range(8)]
    ratings = {
        one: (3 if place == 0 else 0 if place == 7 else 2) for place, one in enumerate(eight)
    }
    events = [
        event
        for number in range(SIXTY)
        for event in round_of(praised, number, eight, ratings=ratings)
    ]

    # L2: four memories, one of them rated, in a success and then in a failure.
    shared = bench.memory("shared")
    four = [state(shared, f"shared {place}") for place in range(4)]
    for number, is_completed in enumerate((True, False)):
        events += round_of(shared, number, four, ratings={four[0]: 3}, is_completed=is_completed)

    # L3: a failed task.
    failed = bench.memory("failed")
    pair = [state(failed, "useful", "corrected"), state(failed, "misleading")]
    events += round_of(
        failed, 0, pair, ratings=dict(zip(pair, (2, 0), strict=True)), is_completed=False
    )

    # An open task that was rated by nobody, and one that never ends with much recalled.
    open_ended = bench.memory("open")
    hanging = state(open_ended, "hanging")
    begun = round_of(open_ended, 0, [hanging], ratings={})
    events += [event for event in begun if not isinstance(event, TaskEnd)]
    events += round_of(open_ended, 1, [hanging], ratings={}, tokens_used=100)

    # The baseline: fifteen tasks of known cost.
    counted = bench.memory("counted")
    token_counts = [100, 220, 80, 150, 150, 90, 400, 130, 70, 210, 160, 90, 1000, 120, 5]
    for number, tokens_used in enumerate(token_counts):
        events += round_of(counted, number, [], ratings={}, tokens_used=tokens_used)
    praised.store.append(events)

    # L4: two processes end their tasks at the same moment.
    racing = bench.memory("racing")
    racers = (racing.start_task("one").task_id, racing.start_task("another").task_id)
    racing.flush()
    outcomes = end_at_once(folder, "racing", [(racers[0], 2), (racers[1], 6)])
    assert outcomes == [(0, ""), (0, "")]
    bench.clock.now = datetime(2126, 1, 1)
    after = racing.start_task("a third")
    racing.end_task(after.task_id, is_completed=True, tool_calls=2)

    bench.memory().maintain()
    return Learnt(bench, ids, racers, token_counts)


def test_what_is_rated_3_never_falls_with_seven_rated_beside_it(learnt: Learnt) -> None:
    steps = learnt.steps("praised 0")
    assert len(steps) == SIXTY
    assert all(after >= before for before, after, _ in steps)
    assert all(credit == 1.0 for *_, credit in steps)
    assert learnt.weight("praised 0") > 1.99
    assert learnt.weight("praised 1") == pytest.approx(1.5, abs=1e-6)


def test_what_is_rated_0_falls_below_the_line_of_garbage(learnt: Learnt) -> None:
    weights = [after for _, after, _ in learnt.steps("praised 7")]
    assert weights[3] < 0.5
    assert weights == sorted(weights, reverse=True)
    assert learnt.weight("praised 7") >= 0.0


def test_what_is_not_rated_has_its_share_of_the_outcome(learnt: Learnt) -> None:
    success, failure = learnt.steps("shared 1")
    assert success == pytest.approx((1.0, 1.0 + 0.1 * 0.25 * 0.5, 0.125))
    assert failure[2] == pytest.approx(-0.125)
    assert success[0] < success[1]
    assert abs(failure[1] - failure[0]) <= 0.1 * 0.25
    assert [after for _, after, _ in learnt.steps("shared 0")] == pytest.approx([1.25, 1.4375])


def test_a_failure_is_not_the_fault_of_what_was_useful(learnt: Learnt) -> None:
    ((before, after, credit),) = learnt.steps("useful")
    assert before == 1.4
    assert after >= before
    assert credit > 0
    ((before, after, credit),) = learnt.steps("misleading")
    assert after < before
    assert credit == -1.0


def test_an_open_task_is_in_no_baseline_and_moves_no_weight(learnt: Learnt) -> None:
    memory = learnt.bench.memory("open")
    scores = {one.task_id: one.task_score for one in memory.tasks()}
    assert scores == {"task_open_0": None, "task_open_1": 0.5}
    (pending,) = memory.attribution("task_open_0")
    assert (pending.rank, pending.share, pending.credit) == (1, 1.0, None)
    assert len(learnt.steps("hanging")) == 1


def test_tokens_are_held_against_earlier_tasks(learnt: Learnt) -> None:
    scores = [
        score
        for (score,) in learnt.bench.rows(
            "select tokens_used_score from tasks where namespace = 'counted' order by finished_at"
        )
    ]
    for place, tokens_used in enumerate(learnt.token_counts):
        earlier = learnt.token_counts[:place]
        mean = statistics.fmean(earlier) if earlier else 0.0
        if not earlier:
            expected = 0.0
        elif place < 10:
            expected = (mean - tokens_used) / max(mean, tokens_used, 1)
        else:
            expected = math.tanh((mean - tokens_used) / statistics.pstdev(earlier) / 2)
        assert scores[place] == pytest.approx(expected, abs=1e-12), place


def test_two_that_end_at_once_both_count(learnt: Learnt) -> None:
    rows = learnt.bench.rows(
        "select task_id, earlier_task_count, tool_calls_score from tasks"
        " where namespace = 'racing' order by finished_at, earlier_task_count"
    )
    assert {rows[0][0], rows[1][0]} == set(learnt.racing_task_ids)
    assert [count for _, count, _ in rows] == [0, 1, 2]
    # Two calls against a mean of two and six.
    assert rows[2][2] == pytest.approx((4 - 2) / 4)


def test_maintenance_again_changes_no_weight(learnt: Learnt) -> None:
    read = "select memory_id, weight, trace from internal.int_memory_weights order by memory_id"
    before = learnt.bench.rows(read)
    learnt.bench.memory().maintain()
    assert learnt.bench.rows(read) == before
