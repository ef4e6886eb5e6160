"""Fixtures that the tests share: stores on disk, a clock that stands where it is put."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

# Before anything of ebbing reads it; child processes inherit it.
os.environ["EBBING_TESTING"] = "1"
# What packages add is found by child processes too.
_HERE = Path(__file__).resolve().parent
os.environ["PYTHONPATH"] = os.pathsep.join((str(_HERE / "plugins"), str(_HERE.parents[1])))
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="ebbing-state-")
# The project is parsed once for all workers and for the next run.
os.environ["XDG_CACHE_HOME"] = str(_HERE.parents[1] / ".pytest_cache" / "cache")
for variable in ("EBBING_HOME", "EBBING_NAMESPACE", "EBBING_PROJECT_DIR"):
    os.environ.pop(variable, None)

from ebbing import Memory

START = datetime(2026, 1, 5, 9, 0, 0)


class Clock:
    """Naive UTC that moves only when a test moves it."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **amount: float) -> datetime:
        self.now += timedelta(**amount)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def built_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store with the hashing model, built once; tests take copies of it."""
    folder = tmp_path_factory.mktemp("built") / "store"
    Memory.create(folder, model="hashing:64", clock=Clock())
    return folder


@pytest.fixture
def store_path(built_store: Path, tmp_path: Path) -> Path:
    """A fresh store, with no event in it but its model."""
    folder = tmp_path / "store"
    shutil.copytree(built_store, folder)
    return folder


@pytest.fixture
def memory(store_path: Path, clock: Clock) -> Iterator[Memory]:
    """The facade over a fresh store."""
    facade = Memory(store_path, clock=clock)
    yield facade
    facade.flush()


def utc(text: str) -> datetime:
    """A moment from ISO 8601, as naive UTC."""
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)
