"""What is erased is nowhere; what is exported comes back whole."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import START, Clock
from ebbing import Memory
from ebbing.erasure.proof import search_files
from ebbing.erasure.run import Erased
from ebbing.errors import InputError, ScopeError, StoreMissing
from ebbing.journal.writing import Origin
from ebbing.maintenance.dbt import Dbt
from ebbing.maintenance.export import Exported, export
from ebbing.maintenance.importing import import_path
from ebbing.rows import fetch
from ebbing.store.store import Store
from store_harness import assert_same_rows, places_of, public_rows, relations_with

KEPT = "The bicycle is painted turquoise"
# Not ASCII, quoted, of two lines: nothing that a file could write in one way only.
NOTE = 'The café\'s "secret" recipe\nneeds 三 cups of cardamom 🙂'
KEY = "The spare key hangs behind the blue door"
STATED = "I live in Hangzhou."
TABS = "I prefer tabs over spaces."
WORDINGS = ("The user works at a lighthouse", "User works at a lighthouse.")


@dataclass(frozen=True)
class Case:
    """A store after an erasure, and what was to be erased."""

    memory: Memory
    erased: Erased
    memory_ids: dict[str, str]
    needles: tuple[str, ...]
    log: Path
    exports: tuple[Exported, ...]


def live(memory: Memory) -> dict[str, str]:
    with memory.store.read() as connection:
        return dict(fetch(connection, "select content, memory_id from long_term_memory"))


def logged(folder: Path, name: str, *messages: str) -> Path:
    log = folder / f"{name}.jsonl"
    log.write_text(
        "".join(
            json.dumps({"session_id": name, "role": "user", "content": text, "ts": stamp}) + "\n"
            for place, text in enumerate(messages)
            for stamp in [(START + timedelta(minutes=place)).isoformat() + "Z"]
        ),
        "utf-8",
    )
    return log


@pytest.fixture(scope="module")
def case(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("erase")
    shutil.copytree(built_store, folder / "store")
    clock = Clock()
    memory = Memory(folder / "store", clock=clock)
    log = logged(folder, "talk", STATED, "What is the weather?", f"Mind: {KEY}, always.")
    memory.ingest([log])
    memory.remember(KEPT)
    memory.remember(NOTE)
    memory.remember(KEY, origin=Origin(metadata={"said": f"really: {KEY}"}))
    memory.remember("The router IP is 192.168.7.1")
    clock.forward(days=1)
    for content in WORDINGS:
        memory.remember(content)
        clock.forward(days=1)
    memory.recall(KEY)
    memory.forget(memory.remember("A remark").memory_id, reason=f"not as good as: {KEY}")
    memory.start_task(f"find out whether {KEY}")
    memory.flush()
    memory.maintain()
    # Known to the journal alone: what displaces the router, and a message nobody has read.
    clock.forward(days=1)
    memory.remember("The router IP is 192.168.9.1")
    memory.ingest([logged(folder, "later", TABS)])
    statement = "User prefers tabs over spaces"
    memory.remember(statement, kind="preference")
    exports = (
        memory.export(folder / "journal.jsonl"),
        memory.export(folder / "journal", format="parquet"),
    )
    (memory.store.spool.folder).mkdir(exist_ok=True)
    (memory.store.spool.folder / "old.jsonl.rejected").write_text(f"broken {KEY}", "utf-8")

    lives = next(content for content in live(memory) if "Hangzhou" in content)
    texts = (NOTE, KEY, *WORDINGS, "The router IP is 192.168.9.1", statement, lives)
    with memory.store.read() as connection:
        known = dict(fetch(connection, "select content, memory_id from internal.recall_candidates"))
    memory_ids = {text: known[text] for text in texts if text in known}
    member = memory.remember(WORDINGS[1]).memory_id
    assert lives != STATED
    erased = memory.erase(*memory_ids.values())
    return Case(
        memory=memory,
        erased=erased,
        memory_ids=memory_ids | {WORDINGS[1]: member},
        needles=(*memory_ids.values(), member, *texts, STATED, TABS),
        log=log,
        exports=exports,
    )


def test_the_report_names_what_went_and_finds_nothing_left(case: Case) -> None:
    assert set(case.erased.memory_ids) == set(case.memory_ids.values())
    assert case.erased.is_clean
    places = {place.place for place in case.erased.searched}
    assert {"journal.messages", "main.long_term_memory", "internal.recall_index"} <= places
    assert str(case.memory.store.path) in places


def test_x1_no_relation_and_no_file_of_the_store_holds_it(case: Case) -> None:
    assert relations_with(case.memory.store.folder, case.needles) == []
    assert places_of(case.memory.store.folder, case.needles) == []
    assert case.memory.recall("spare key behind the blue door").memories == ()


def test_what_was_not_erased_is_as_it_was(case: Case) -> None:
    assert KEPT in live(case.memory)
    assert [found.content for found in case.memory.recall(KEPT).memories] == [KEPT]
    with case.memory.store.read() as connection:
        said = [row[0] for row in fetch(connection, "select content from session_log")]
    assert "What is the weather?" in said
    assert "Mind: [erased], always." in said


def test_an_erased_successor_does_not_revive_what_it_displaced(case: Case) -> None:
    assert "The router IP is 192.168.7.1" not in live(case.memory)
    assert "192.168.7.1" not in str(case.memory.recall("the router IP").memories)


def test_exports_that_still_hold_it_are_named(case: Case) -> None:
    found = {place.place: place.found for place in case.erased.exports}
    assert str(case.exports[0].path) in found
    assert any(Path(place).parent == Path(case.exports[1].path) for place in found)
    for place in ("memory_writes", "messages", "recalls"):
        assert found[str(Path(case.exports[1].path) / f"{place}.parquet")] > 0


@pytest.mark.parametrize("text", [NOTE, "naïve", 'a "b" \\ c', "🙂 and more", "用户住在杭州"])
def test_a_text_is_found_however_a_file_writes_it(tmp_path: Path, text: str) -> None:
    for name, content in (
        ("plain", text),
        ("ascii", json.dumps(text)),
        ("utf-8", json.dumps(text, ensure_ascii=False)),
    ):
        (tmp_path / name).write_text(f"before {content} after", "utf-8")
        # Across the border of what is read at once, too.
        (tmp_path / f"{name}-long").write_text("x" * ((1 << 20) - 3) + content, "utf-8")
    found = {Path(place.place).name: place.found for place in search_files([tmp_path], [text])}
    assert set(found.values()) == {1}
    assert len(found) == 6


def test_x1_runs_full_refreshes_and_the_same_log_do_not_bring_it_back(case: Case) -> None:
    dbt = Dbt(case.memory.store.folder)
    with case.memory.store.held():
        dbt.run("run")
        dbt.run("run", "--full-refresh")
    assert relations_with(case.memory.store.folder, case.needles) == []
    again = case.memory.ingest([case.log])
    assert (again.read, again.added) == (3, 0)
    case.memory.maintain()
    assert relations_with(case.memory.store.folder, case.needles) == []
    assert places_of(case.memory.store.folder, case.needles) == []
    assert "The router IP is 192.168.7.1" not in live(case.memory)


def test_an_unknown_id_and_one_of_another_namespace_are_refused(memory: Memory) -> None:
    theirs = memory.remember("The cellar is damp", namespace="theirs").memory_id
    mine = memory.remember("The attic is dry").memory_id
    with pytest.raises(InputError, match="there is no memory mem_0000000000000000"):
        memory.erase("mem_0000000000000000")
    with pytest.raises(ScopeError, match="not a memory of namespace 'default'"):
        memory.erase(mine, theirs)
    for found, namespace in (("cellar damp", "theirs"), ("attic dry", "default")):
        assert memory.recall(found, namespaces=[namespace]).memories


def test_a_journal_comes_back_whole_from_its_export(case: Case, tmp_path: Path) -> None:
    first = case.memory.export(tmp_path / "first")
    other = Memory(tmp_path / "other", clock=Clock(START + timedelta(days=9)))
    imported = other.import_(tmp_path / "first")
    assert imported.read == imported.added == first.events
    assert imported.bad_lines == ()

    # The other store has runs of its own, its import among them; all else is the same, bytes too.
    other.export(tmp_path / "second")
    assert without_runs(tmp_path / "second") == without_runs(tmp_path / "first")
    found, expected = public_rows(other.store.folder), public_rows(case.memory.store.folder)
    assert_same_rows(found, expected)


def test_parquet_brings_back_the_same_journal(case: Case, tmp_path: Path) -> None:
    store, at = case.memory.store, START + timedelta(days=9)
    export(store, tmp_path / "first", format="parquet", at=at)
    export(store, tmp_path / "lines", format="json-lines", at=at)
    other = Store(tmp_path / "other")
    done = import_path(other, tmp_path / "first")
    assert done.read == done.added
    export(other, tmp_path / "second", format="parquet", at=at)
    export(other, tmp_path / "lines-again", format="json-lines", at=at)

    # Each export notes itself among the runs.
    for file in {*(tmp_path / "first").glob("*.parquet")} - {tmp_path / "first" / "runs.parquet"}:
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes(), file.name
    assert without_runs(tmp_path / "lines-again") == without_runs(tmp_path / "lines")
    again = import_path(other, tmp_path / "first")
    assert (again.read, again.added) == (done.read, 0)


def without_runs(path: Path) -> list[bytes]:
    return [
        line
        for line in path.read_bytes().splitlines(keepends=True)
        if not line.startswith((b'{"table": "runs"', b'{"ebbing_export'))
    ]


def test_bad_lines_of_an_export_are_named_and_the_others_read(
    memory: Memory, tmp_path: Path
) -> None:
    memory.remember("The attic is dry")
    memory.export(tmp_path / "journal.jsonl")
    lines = (tmp_path / "journal.jsonl").read_bytes().splitlines()
    write = json.loads(
        next(line for line in lines if line.startswith(b'{"table": "memory_writes"'))
    )
    unknown = {"table": "wishes", "event": {}}
    wrong = {**write, "event": {**write["event"], "is_pinned": "perhaps"}}
    short = {**write, "event": {"memory_id": "mem_1"}}
    huge = {"table": "recalls", "event": {"top_k": 10**30}}
    bad = [b"no json", b"\xff\xfe", *(json.dumps(one).encode() for one in (unknown, wrong, short))]
    (tmp_path / "damaged.jsonl").write_bytes(
        b"\n".join([*bad, *lines, json.dumps(huge).encode()]) + b"\n"
    )
    done = import_path(Store(tmp_path / "other"), tmp_path / "damaged.jsonl")

    assert [number for number, _ in done.bad_lines] == [1, 2, 3, 4, 5, 6 + len(lines)]
    assert all(reason and "\n" not in reason for _, reason in done.bad_lines)
    assert done.read == done.added
    with Store(tmp_path / "other").read() as connection:
        rows = fetch(connection, "select content from journal.memory_writes")
    assert rows == [("The attic is dry",)]


def test_an_import_of_nothing_makes_no_store(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "store")
    with pytest.raises(InputError, match="is not there"):
        memory.import_(tmp_path / "nothing.jsonl")
    assert not (tmp_path / "store").exists()
    with pytest.raises(StoreMissing):
        memory.export(tmp_path / "journal.jsonl")
    assert not (tmp_path / "journal.jsonl").exists()


def test_a_folder_that_is_no_export_is_refused_in_one_line(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no embedding_models\.parquet"):
        memory.import_(tmp_path / "empty")
    (tmp_path / "empty" / "embedding_models.parquet").write_bytes(b"not parquet")
    with pytest.raises(InputError, match="cannot be read") as raised:
        memory.import_(tmp_path / "empty")
    assert "\n" not in str(raised.value)


def test_an_export_never_overwrites(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text("mine", "utf-8")
    for format in ("json-lines", "parquet"):
        with pytest.raises(InputError, match="exists; nothing was exported"):
            memory.export(tmp_path / "journal.jsonl", format=format)
    assert (tmp_path / "journal.jsonl").read_text("utf-8") == "mine"
