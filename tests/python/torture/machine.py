"""Any order of commands, against a model of the memory in plain Python.

The model knows which texts are live, since when and until when. Texts have nothing to do with one
another, so that no maintenance merges them.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ebbing import Memory
from ebbing.errors import EbbingError
from ebbing.journal import ids
from ebbing.recall.listing import live_memories

# After the store was made.
START = datetime(2040, 6, 1, 9)
TEXTS = (
    "Giraffes sleep standing up",
    "The boiler hums in B flat",
    "Copper roofs turn green",
    "Otters hold hands afloat",
    "Saffron comes from crocuses",
    "Violins need rosin",
    "月球没有大气层",
    "Basalt cools into columns",
)
# What is said, and the memory that the rules make of it.
SAID = {
    "I live in Leeds.": "User lives in Leeds",
    "My name is Lin.": "User's name is Lin",
}
NAMESPACES = ("default", "theirs")
_LIVE, _GONE, _ERASED = "live", "gone", "erased"


@dataclass(slots=True)
class Told:
    """One memory of the model: what happened to it, and when."""

    states: list[tuple[datetime, str]] = field(default_factory=list)

    def at(self, moment: datetime) -> str | None:
        """Return what it was at a moment; None before it was told."""
        return next((state for when, state in reversed(self.states) if when <= moment), None)


class Commands(RuleBasedStateMachine):
    """Commands in any order; each is made on the store and on the model.

    A build costs seconds, so those that build come only once in `between_builds` steps.
    """

    empty: Path
    between_builds = 40
    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="ebbing-machine-"))
        self.folder = self.root / "store"
        shutil.copytree(self.empty, self.folder)
        self.now = START
        self.model: dict[tuple[str, str], Told] = {}
        self.pending: list[tuple[str, str]] = []
        self.since_build = 0

    def memory(self, namespace: str = "default") -> Memory:
        return Memory(self.folder, namespace=namespace, clock=lambda: self.now)

    def tick(self) -> datetime:
        type(self).steps += 1
        self.since_build += 1
        self.now += timedelta(seconds=1)
        return self.now

    def _is(self, namespace: str, text: str) -> str | None:
        told = self.model.get((namespace, text))
        return told.at(self.now) if told else None

    def _becomes(self, namespace: str, text: str, state: str) -> None:
        told = self.model.setdefault((namespace, text), Told())
        told.states.append((self.now, state))

    def _may(self, can: bool, act: Callable[[], object]) -> bool:
        """Do it; what cannot be done is refused, in one line, and changes nothing."""
        if can:
            act()
            return True
        with contextlib.suppress(EbbingError):
            act()
            raise AssertionError("it was done, though it cannot be")
        return False

    # Writing

    @rule(namespace=st.sampled_from(NAMESPACES), text=st.sampled_from(TEXTS))
    def remember(self, namespace: str, text: str) -> None:
        self.tick()
        self.memory(namespace).remember(text)
        self._becomes(namespace, text, _LIVE)

    @rule(namespace=st.sampled_from(NAMESPACES), text=st.sampled_from(TEXTS))
    def forget(self, namespace: str, text: str) -> None:
        self.tick()
        was = self._is(namespace, text)
        act = self.memory(namespace).forget
        if self._may(was == _LIVE, lambda: act(ids.memory_id(namespace, text))):
            self._becomes(namespace, text, _GONE)

    @rule(namespace=st.sampled_from(NAMESPACES), text=st.sampled_from(TEXTS))
    def restore(self, namespace: str, text: str) -> None:
        self.tick()
        was = self._is(namespace, text)
        act = self.memory(namespace).restore
        if self._may(was == _GONE, lambda: act(ids.memory_id(namespace, text))):
            self._becomes(namespace, text, _LIVE)

    @rule(text=st.sampled_from(TEXTS), name=st.sampled_from(["pin", "unpin"]))
    def pin(self, text: str, name: str) -> None:
        self.tick()
        known = self._is("default", text) in (_LIVE, _GONE)
        self._may(known, lambda: getattr(self.memory(), name)(ids.memory_id("default", text)))

    @rule(old=st.sampled_from(TEXTS), new=st.sampled_from(TEXTS))
    def correct(self, old: str, new: str) -> None:
        self.tick()
        can = self._is("default", old) == _LIVE and old != new
        if self._may(can, lambda: self.memory().correct(ids.memory_id("default", old), new)):
            self._becomes("default", old, _GONE)
            self._becomes("default", new, _LIVE)

    @rule(namespace=st.sampled_from(NAMESPACES), said=st.sampled_from([*SAID]))
    def ingest(self, namespace: str, said: str) -> None:
        now = self.tick()
        log = self.root / f"{now.timestamp()}.jsonl"
        line = {"session_id": log.stem, "role": "user", "content": said}
        log.write_text(json.dumps({**line, "timestamp": now.isoformat()}), "utf-8")
        self.memory(namespace).ingest([log])
        self.pending.append((namespace, SAID[said]))

    @rule(text=st.sampled_from(TEXTS), is_completed=st.booleans())
    def task(self, text: str, is_completed: bool) -> None:
        self.tick()
        task = self.memory().start_task(text)
        self.tick()
        self.memory().end_task(task.task_id, is_completed=is_completed)

    @rule(days=st.sampled_from([1, 30]))
    def time_passes(self, days: int) -> None:
        self.tick()
        self.now += timedelta(days=days)

    # Reading

    @rule(namespace=st.sampled_from(NAMESPACES), text=st.sampled_from(TEXTS))
    def recall(self, namespace: str, text: str) -> None:
        self.tick()
        memory = self.memory(namespace)
        found = [one.content for one in memory.recall(text).memories]
        memory.flush()
        assert (text in found) is (self._is(namespace, text) == _LIVE), found

    @rule(text=st.sampled_from(TEXTS), back=st.integers(0, 40), unit=st.sampled_from([1, 86_400]))
    def recall_as_of(self, text: str, back: int, unit: int) -> None:
        self.tick()
        moment = self.now - timedelta(seconds=back * unit)
        told = self.model.get(("default", text))
        expected = told is not None and told.at(moment) == _LIVE
        if told and any(state == _ERASED for _, state in told.states):
            return
        found = self.memory().recall(text, as_of=moment).memories
        assert (text in [one.content for one in found]) is expected, (moment, told, found)

    @rule(text=st.sampled_from(TEXTS))
    def context(self, text: str) -> None:
        self.tick()
        memory = self.memory()
        block = memory.context(text)
        memory.flush()
        assert (text in block.text) is (self._is("default", text) == _LIVE)

    @rule()
    def backup(self) -> None:
        self.tick()
        target = self.root / f"backup-{self.now.timestamp()}"
        self.memory().backup(target)
        with Memory(target).store.read() as connection:
            for namespace in NAMESPACES:
                assert self._listed(connection, namespace) == self._expected(namespace)
        shutil.rmtree(target)

    @rule()
    def purge(self) -> None:
        self.tick()
        self.memory().purge(is_dry_run=True)

    # Building

    @precondition(lambda self: self.since_build > self.between_builds)
    @rule()
    def maintain(self) -> None:
        self.tick()
        self.memory().maintain()
        self._built()

    @precondition(lambda self: self.since_build > 2 * self.between_builds)
    @rule(text=st.sampled_from(TEXTS))
    def erase(self, text: str) -> None:
        self.tick()
        known = self._is("default", text) in (_LIVE, _GONE)
        if self._may(known, lambda: self.memory().erase(ids.memory_id("default", text))):
            self.model["default", text] = Told([(self.now, _ERASED)])
            self._built()

    @precondition(lambda self: self.since_build > 3 * self.between_builds)
    @rule()
    def move(self) -> None:
        self.tick()
        export = self.root / f"export-{self.now.timestamp()}.jsonl"
        self.memory().export(export)
        self.folder = self.root / f"moved-{self.now.timestamp()}"
        done = self.memory().import_(export)
        assert done.problem is None
        assert done.bad_lines == ()
        self._built()

    @precondition(lambda self: self.since_build > 3 * self.between_builds)
    @rule(dimension=st.sampled_from([16, 32, 64]))
    def reembed(self, dimension: int) -> None:
        self.tick()
        self.memory().reembed(f"hashing:{dimension}")
        self._built()

    def _built(self) -> None:
        self.since_build = 0
        for namespace, text in self.pending:
            if self._is(namespace, text) is None:
                self._becomes(namespace, text, _LIVE)
        self.pending = []

    # What always holds

    @invariant()
    def what_is_live_is_listed(self) -> None:
        with self.memory().store.read() as connection:
            for namespace in NAMESPACES:
                assert self._listed(connection, namespace) == self._expected(namespace)

    @invariant()
    def history_says_it_too(self) -> None:
        if self.since_build == 0 and self.model:
            for (namespace, text), told in self.model.items():
                if told.at(self.now) in (_LIVE, _GONE):
                    versions = self.memory(namespace).history(ids.memory_id(namespace, text))
                    own = [one for one in versions if one.content == text]
                    is_open = any(one.valid_to is None for one in own)
                    assert is_open is (told.at(self.now) == _LIVE), (text, told, own)

    def _listed(self, connection: duckdb.DuckDBPyConnection, namespace: str) -> set[str]:
        found = live_memories(connection, namespace, at=self.now, top_k=1_000)
        return {one.content for one in found if one.kind != "episode"}

    def _expected(self, namespace: str) -> set[str]:
        return {
            text for (own, text) in self.model if own == namespace and self._is(own, text) == _LIVE
        }

    def teardown(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
