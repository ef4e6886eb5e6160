"""An import cannot poison the store, and a half-written export is noticed."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import uuid_utils

from conftest import START, Clock
from ebbing import Memory, journal
from ebbing.errors import InputError, StoreReadOnly
from ebbing.journal import ids
from ebbing.maintenance.export import export
from ebbing.maintenance.importing import Imported, import_path
from ebbing.rows import fetch
from ebbing.store.store import Store
from store_harness import command

MODEL = "hashing:4"
AT = datetime(2030, 1, 1)


def write(text: str, namespace: str = "default", **values: Any) -> journal.MemoryWrite:
    given: dict[str, Any] = {
        "memory_id": ids.memory_id(namespace, text),
        "namespace": namespace,
        "kind": "fact",
        "content": text,
        "content_hash": ids.content_hash(text),
        "actor": "user",
        "method": "remembered",
        "occurred_at": START,
        "recorded_at": START,
    }
    return journal.MemoryWrite(**{**given, **values})


def vector(text: str, numbers: list[float], model: str = MODEL) -> journal.Embedding:
    return journal.Embedding(content_hash=ids.content_hash(text), model_id=model, vector=numbers)


def message(message_id: str, text: str, **values: Any) -> journal.Message:
    given: dict[str, Any] = {
        "message_id": message_id,
        "namespace": "default",
        "session_id": "s",
        "message_seq": 0,
        "role": "user",
        "content": text,
        "source": "test",
        "occurred_at": START,
    }
    return journal.Message(**{**given, **values})


def sound_events() -> list[journal.Event]:
    return [
        journal.EmbeddingModel(
            model_id=MODEL, model_name=MODEL, dimension=4, query_mode="same", recorded_at=START
        ),
        message("m1", "The attic is dry"),
        write("The attic is dry"),
        vector("The attic is dry", [1.0, 0.0, 0.0, 0.0]),
    ]


def lines(events: list[journal.Event]) -> list[bytes]:
    return [journal.to_json(event).encode() for event in events]


def imported(folder: Path, given: list[bytes], name: str = "in.jsonl") -> tuple[Store, Imported]:
    (folder / name).write_bytes(b"\n".join(given) + b"\n")
    store = Store(folder / "other")
    return store, import_path(store, folder / name)


def changed(event: journal.Event, **values: Any) -> bytes:
    envelope = json.loads(journal.to_json(event))
    envelope["event"].update(values)
    return json.dumps(envelope).encode()


LATE = str(uuid_utils.uuid7(timestamp=int(datetime(2100, 1, 1).timestamp())))
SCORE = {"recall_id": "r", "memory_id": "mem_" + "0" * 16, "hit_rank": 1}
RECALL = {"namespaces": ["default"], "top_k": 5, "min_similarity": 0.0, "actor": "user"}

POISON: dict[str, tuple[bytes, str]] = {
    "a vector of another length": (
        lines([vector("x", [1.0, 2.0])])[0],
        "2 numbers, not 4",
    ),
    "an empty vector": (lines([vector("x", [])])[0], "vector is empty"),
    "a vector of zeros": (lines([vector("x", [0.0] * 4)])[0], "all zeros"),
    "a number beyond a float": (lines([vector("x", [1e39, 0, 0, 0])])[0], "not finite"),
    "a number that is none": (
        changed(vector("x", [1.0] * 4), vector=[float("nan"), 0, 0, 0]),
        "not finite",
    ),
    "a number too long": (
        lines([vector("x", [1.0] * 4)])[0].replace(b"1.0", b"1" + b"0" * 400),
        "",
    ),
    "a vector of an unknown model": (
        lines([vector("x", [1.0] * 4, "other")])[0],
        "no model 'other' is known",
    ),
    "a model of two dimensions": (
        lines(
            [
                journal.EmbeddingModel(
                    model_id=MODEL, model_name=MODEL, dimension=8, query_mode="same"
                )
            ]
        )[0],
        "has 4 numbers",
    ),
    "the id of another namespace": (
        lines([write("The attic is dry", "theirs", memory_id=ids.memory_id("default", "x"))])[0],
        "not that of its namespace and text",
    ),
    "another text under the same id": (
        lines([write("A poison", memory_id=ids.memory_id("default", "The attic is dry"))])[0],
        "not that of its namespace and text",
    ),
    "another hash": (lines([write("x y", content_hash="0" * 64)])[0], "content hash"),
    "an importance of 7": (lines([write("x y", importance=7.0)])[0], "importance is out of range"),
    "a year 9999": (
        lines([write("x y", occurred_at=datetime(9999, 1, 1))])[0],
        "occurred_at is 9999-01-01T00:00:00, out of range",
    ),
    "no date": (changed(write("x y"), occurred_at="soon"), "soon"),
    "a rating of 10**12": (
        lines([journal.Rating(task_id="t", memory_id="mem_" + "0" * 16, rating=10**12, actor="u")])[
            0
        ],
        "rating is out of range",
    ),
    "a rating that is true": (
        changed(
            journal.Rating(task_id="t", memory_id="mem_" + "0" * 16, rating=1, actor="u"),
            rating=True,
        ),
        "True is not int",
    ),
    "an integer of 10**30": (
        changed(journal.Recall(recall_id="r", **RECALL), top_k=10**30),
        "top_k is out of range",
    ),
    "an infinite score": (
        changed(journal.RecallHit(**SCORE), score=float("inf")),
        "score is out of range",
    ),
    "no namespace": (
        lines([journal.Recall(recall_id="r", **{**RECALL, "namespaces": []})])[0],
        "namespaces is empty",
    ),
    "an empty namespace": (lines([write("x y", " ")])[0], "the namespace is empty"),
    "an event id of its own": (changed(write("x y"), event_id="zzz"), "no UUID"),
    "an event id of tomorrow's tomorrow": (changed(write("x y"), event_id=LATE), "from the future"),
    "an unknown change": (
        lines([journal.MemoryChange(memory_id="mem_" + "0" * 16, change="praise", actor="u")])[0],
        "no change of a memory",
    ),
    "a message of another session": (
        lines([message("m1", "Another", session_id="t")])[0],
        "message_id is that of another message",
    ),
    "a message of another namespace": (
        lines([message("m1", "Another", namespace="theirs")])[0],
        "message_id is that of another message",
    ),
    "deep nesting": (b'{"table": ' + b"[" * 100_000, ""),
}


@pytest.mark.parametrize("name", POISON)
def test_what_would_poison_the_store_is_refused_by_line(name: str, tmp_path: Path) -> None:
    line, reason = POISON[name]
    sound = sound_events()
    store, done = imported(tmp_path, [*lines(sound), line])
    assert [number for number, _ in done.bad_lines] == [len(sound) + 1]
    assert reason in done.bad_lines[0][1]
    assert done.read == done.added == len(sound)
    with store.read() as connection:
        assert fetch(connection, "select content from journal.memory_writes") == [
            ("The attic is dry",)
        ]


def test_an_id_that_stands_for_two_events_is_refused_the_second_time(tmp_path: Path) -> None:
    first = write("The attic is dry")
    second = write("The cellar is damp", event_id=first.event_id)
    _, done = imported(tmp_path, lines([first, first, second]))
    assert [number for number, _ in done.bad_lines] == [3]
    assert "says otherwise" in done.bad_lines[0][1]
    assert done.added == 1


def test_a_message_id_that_the_journal_has_for_another_session_is_refused(tmp_path: Path) -> None:
    imported(tmp_path, lines([message("m1", "Here")]))
    _, done = imported(tmp_path, lines([message("m1", "There", session_id="t")]), "second.jsonl")
    assert [reason for _, reason in done.bad_lines] == ["its message_id is that of another message"]


def test_secrets_of_an_export_are_redacted_like_those_of_any_input(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    text = f"The token is {secret}"
    events: list[journal.Event] = [
        *sound_events(),
        message("m2", text),
        write(text, metadata=json.dumps({"said": text})),
        vector(text, [1.0, 0.0, 0.0, 0.0]),
        journal.MemoryChange(memory_id="mem_" + "0" * 16, change="pin", reason=text, actor="u"),
        journal.Recall(recall_id="r", **{**RECALL, "query_text": text, "query_vector": [1.0] * 4}),
        journal.TaskStart(task_id="t", namespace="default", description=text, actor="u"),
    ]
    store, done = imported(tmp_path, lines(events))
    assert done.redacted == 6
    assert done.bad_lines == ()
    assert secret.encode() not in store.path.read_bytes()
    with store.read() as connection:
        rows = fetch(connection, "select memory_id, namespace, content from journal.memory_writes")
    assert all(row[0] == ids.memory_id(*row[1:]) for row in rows)


# What an export says of itself


@pytest.fixture
def exported(tmp_path: Path) -> list[bytes]:
    store = Store(tmp_path / "from")
    store.create()
    store.append(sound_events())
    store.append([write(f"Number {number}") for number in range(5)])
    export(store, tmp_path / "out.jsonl", format="json-lines", at=AT)
    return (tmp_path / "out.jsonl").read_bytes().splitlines()


def test_a_whole_export_is_whole(exported: list[bytes], tmp_path: Path) -> None:
    _, done = imported(tmp_path, exported)
    assert done.problem is None
    assert done.bad_lines == ()
    assert done.added == len(exported) - 2


def test_an_export_cut_on_any_line_border_says_what_is_missing(
    exported: list[bytes], tmp_path: Path
) -> None:
    for length in range(1, len(exported)):
        (tmp_path / "cut.jsonl").write_bytes(b"\n".join(exported[:length]) + b"\n")
        done = import_path(Store(tmp_path / f"s{length}"), tmp_path / "cut.jsonl")
        assert done.problem is not None
        assert "is cut short" in done.problem
        missing = len(exported) - 1 - length
        if missing:
            assert f"{missing} of {len(exported) - 2} events are missing (" in done.problem
        assert done.added == length - 1


def test_a_line_that_is_gone_or_changed_is_noticed(exported: list[bytes], tmp_path: Path) -> None:
    place = next(number for number, line in enumerate(exported) if b"Number 3" in line)
    gone = exported[:place] + exported[place + 1 :]
    _, done = imported(tmp_path, gone)
    assert "memory_writes 1 of 6" in str(done.problem)
    other = [*exported]
    other[1], other[2] = other[2], other[1]
    _, done = imported(tmp_path, other, "other.jsonl")
    assert "was changed after it was written" in str(done.problem)


def test_a_cut_export_ends_the_command_with_an_error(
    exported: list[bytes], store_path: Path, tmp_path: Path
) -> None:
    half = exported[: len(exported) // 2]
    (tmp_path / "half.jsonl").write_bytes(b"\n".join(half) + b"\n")
    done = command("import", str(tmp_path / "half.jsonl"), home=store_path)
    assert done.returncode != 0
    assert "is cut short" in done.stderr
    assert "events are missing" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_something_else_is_said_to_be_so(tmp_path: Path) -> None:
    _, done = imported(tmp_path, [b"a,b", b"1,2"])
    assert "holds no event" in str(done.problem)


KILLED = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
from ebbing.maintenance import envelope, export
from ebbing.store.store import Store
name = "footer" if sys.argv[3] == "json-lines" else "manifest"
setattr(envelope, name, lambda *a: os.kill(os.getpid(), signal.SIGKILL))
export.export(Store(sys.argv[1]), Path(sys.argv[2]), format=sys.argv[3], at=datetime(2030, 1, 1))
"""


@pytest.mark.parametrize("format", ["json-lines", "parquet"])
def test_a_killed_export_never_looks_whole_and_its_repeat_works(
    format: str, exported: list[bytes], tmp_path: Path
) -> None:
    target = tmp_path / "killed"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "from"), str(target), format],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not target.exists()
    again = export(Store(tmp_path / "from"), target, format=format, at=AT)
    result = import_path(Store(tmp_path / "fresh"), target)
    assert result.problem is None
    assert result.added == again.events
    assert sorted(path.name for path in tmp_path.glob("killed*")) == ["killed"]


@pytest.mark.skipif(os.name == "nt", reason="no limit on the size of files")
def test_an_export_to_a_full_disk_leaves_nothing(exported: list[bytes], tmp_path: Path) -> None:
    store = Store(tmp_path / "from")
    store.append([write(f"Long {number} " + "x" * 50_000) for number in range(20)])
    script = (
        "import sys, resource, signal\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from ebbing.errors import StoreReadOnly\n"
        "from ebbing.maintenance import export\n"
        "from ebbing.store.store import Store\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "note = export._note\n"
        "def noted(*given):\n"
        "    note(*given)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))\n"
        "export._note = noted\n"
        "try:\n"
        "    export.export(Store(sys.argv[1]), Path(sys.argv[2]), format='json-lines',"
        " at=datetime(2030, 1, 1))\n"
        "except StoreReadOnly as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(store.folder), str(tmp_path / "full.jsonl")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "nothing was exported" in done.stdout, done.stderr
    assert list(tmp_path.glob("full*")) == []
    export(store, tmp_path / "full.jsonl", format="json-lines", at=AT)
    assert (tmp_path / "full.jsonl").is_file()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.parametrize("format", ["json-lines", "parquet"])
def test_an_export_overwrites_nothing(format: str, exported: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="exists; nothing was exported"):
        export(Store(tmp_path / "from"), tmp_path / "taken", format=format, at=AT)
    with pytest.raises(StoreReadOnly, match="cannot be written"):
        export(Store(tmp_path / "from"), tmp_path / "out.jsonl" / "x", format=format, at=AT)


# What was erased


def test_what_was_written_before_an_erasure_stays_out(tmp_path: Path) -> None:
    gone, theirs = write("The key is here"), write("The key is here", "theirs")
    change = {"actor": "user", "change": "pin"}
    older: list[journal.Event] = [
        gone,
        theirs,
        journal.MemoryChange(memory_id=gone.memory_id, **change),
        journal.MemoryChange(memory_id=theirs.memory_id, **change),
        journal.RecallHit(recall_id="r", memory_id=gone.memory_id, hit_rank=1),
        journal.Rating(task_id="t", memory_id=gone.memory_id, rating=1, actor="user"),
        vector("The key is here", [1.0, 0.0, 0.0, 0.0]),
    ]
    store = Store(tmp_path / "store")
    store.create()
    store.append(
        [
            journal.Erasure(
                erasure_id="e",
                namespace="default",
                content_hash=gone.content_hash,
                memory_id_hash=ids.content_hash(gone.memory_id),
            )
        ]
    )
    assert store.append(older).inserted == 2
    store.spool.write(older)
    with store.write() as connection:
        assert store.fold_spool(connection) == 0
    # Who says it again means it.
    assert store.append([write("The key is here")]).inserted == 1


def test_what_was_erased_elsewhere_is_erased_here(memory: Memory, tmp_path: Path) -> None:
    secret, kept = "The spare key hangs behind the blue door", "The bicycle is turquoise"
    memory.remember(secret)
    memory.remember(secret, namespace="theirs")
    memory.store.append([message("m", f"My name is Lin. {secret}. I live in Leeds.")])
    mark = journal.Erasure(
        erasure_id="e",
        namespace="default",
        content_hash=ids.content_hash(secret),
        memory_id_hash=ids.content_hash(ids.memory_id("default", secret)),
    )
    file = tmp_path / "export.jsonl"
    file.write_text("".join(journal.to_json(one) + "\n" for one in (mark, write(kept))), "utf-8")
    done = memory.import_(file)
    assert done.erased == 1
    with memory.store.read() as connection:
        assert fetch(connection, "select namespace from journal.memory_writes order by all") == [
            ("default",),
            ("theirs",),
        ]
        assert fetch(connection, "select content from journal.messages") == [
            ("My name is Lin. [erased]. I live in Leeds.",)
        ]
    # Said again later, it is meant.
    memory.remember(secret)
    assert memory.import_(file).erased == 0


# What an older version let in


def test_bad_rows_that_are_there_all_the_same_are_set_aside_and_named(
    store_path: Path, clock: Clock
) -> None:
    memory = Memory(store_path, clock=clock)
    memory.remember("The attic is dry")
    memory.maintain()
    bad: list[journal.Event] = [
        write("A poison", memory_id=ids.memory_id("default", "The attic is dry")),
        write("The attic is dry", "theirs", memory_id=ids.memory_id("default", "The attic is dry")),
        journal.Embedding(
            content_hash=ids.content_hash("x"), model_id="hashing/64", vector=[1.0, 2.0]
        ),
        journal.Rating(task_id="t", memory_id="mem_" + "0" * 16, rating=10**9, actor="user"),
        message("m1", "I live in Leeds."),
        message("m1", "I live in Turin.", session_id="t"),
    ]
    memory.store.append(bad)
    memory.maintain()
    answer = memory.recall("The attic is dry", is_logged=False).memories
    assert [found.content for found in answer if "attic" in found.content] == ["The attic is dry"]
    with memory.store.read() as connection:
        contents = {row[0] for row in fetch(connection, "select content from long_term_memory")}
    assert contents == {"The attic is dry", "User lives in Leeds", "I live in Leeds."}
    named = [found for found in memory.doctor() if found.subject == "rows set aside"]
    assert {found.detail.split(",")[0] for found in named} == {
        "2 of memory_writes",
        "1 of embeddings",
        "1 of ratings",
        "1 of messages",
    }
