"""The project is parsed once for a user, not once for a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from ebbing.maintenance import parsing

PROJECT = ("dbt_project.yml", "models/one.sql", "seeds/two.csv", "tests/generic/three.sql")


class Parses:
    """Counts what is asked of dbt, and saves as it does."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, target: Path) -> object:
        self.count += 1
        (target / "partial_parse.msgpack").write_bytes(b"saved")
        return self


@pytest.fixture
def parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parses:
    monkeypatch.setattr(parsing, "_manifests", {})
    monkeypatch.setattr(parsing, "_folder", lambda: tmp_path / "cache" / "parsed")
    return Parses()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    for name in PROJECT:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("select 1")
    monkeypatch.setattr(parsing, "project_dir", lambda: folder)
    return folder


def test_a_process_parses_once(parse: Parses, project: Path) -> None:
    first = parsing.manifest(project, {}, parse)
    assert parsing.manifest(project, {}, parse) is first
    assert parse.count == 1


def test_another_process_reads_what_was_kept(
    parse: Parses, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsing.manifest(project, {}, parse)
    monkeypatch.setattr(parsing, "_manifests", {})
    monkeypatch.setattr(parsing, "_read", lambda place: place.read_bytes())
    assert parsing.manifest(project, {}, parse) == b"saved"
    assert parse.count == 1


@pytest.mark.parametrize("name", PROJECT)
def test_a_changed_file_is_parsed_again(parse: Parses, project: Path, name: str) -> None:
    parsing.manifest(project, {}, parse)
    (project / name).write_text("select 2")
    parsing.manifest(project, {}, parse)
    assert parse.count == 2


def test_other_variables_are_another_parse(parse: Parses, project: Path) -> None:
    parsing.manifest(project, {}, parse)
    parsing.manifest(project, {"half_life_days": 3}, parse)
    assert parse.count == 2


def test_what_was_cut_short_is_parsed_again(
    parse: Parses, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsing.manifest(project, {}, parse)
    # What is kept is not what dbt can read.
    monkeypatch.setattr(parsing, "_manifests", {})
    assert parsing.manifest(project, {}, parse) is parse
    assert parse.count == 2


def test_a_project_of_a_replay_is_not_kept(parse: Parses, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    project.rename(other)
    parsing.manifest(other, {}, parse)
    assert not parsing._folder().exists()


def test_only_a_few_are_kept(parse: Parses, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_KEPT", 2)
    for number in range(4):
        parsing.manifest(project, {"half_life_days": number}, parse)
    assert len([*parsing._folder().iterdir()]) == 2


def test_what_was_kept_has_the_graph_that_macros_ask(tmp_path: Path) -> None:
    from dbt.contracts.graph.manifest import Manifest

    saved = tmp_path / "saved"
    saved.write_bytes(Manifest().to_msgpack())
    kept = parsing._read(saved)
    assert isinstance(kept, Manifest)
    assert "nodes" in kept.flat_graph
