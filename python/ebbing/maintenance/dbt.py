"""Maintenance: dbt in this process. The only module that imports dbt, and late."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ebbing.errors import MaintenanceError
from ebbing.maintenance.parsing import manifest
from ebbing.project import project_dir

Progress = Callable[[int, int, str], None]
"""Called with nodes done, nodes in all, and the node's name."""


_FAILURES = ("error", "fail", "runtime error")


@dataclass(frozen=True, slots=True)
class Built:
    """What a dbt command did: nodes that ran, and tests that failed, by name."""

    nodes: int
    failed_tests: tuple[str, ...]


class Dbt:
    """The dbt project, parsed, ready to run on one store.

    Parsing takes seconds and needs no store, so it is done once, before the lock is taken.
    Compiled SQL goes to `dbt/` beside the store: the installed project may be read-only.
    """

    def __init__(
        self,
        store_folder: Path,
        *,
        variables: Mapping[str, object] | None = None,
        project: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Parse the project; `variables` override those of dbt_project.yml."""
        self._folder = store_folder
        self._project = project or project_dir()
        self._variables = dict(variables or {})
        self._counter = _Counter(progress)
        self._manifest: Any = None
        self._manifest = manifest(self._project, self._variables, self._parse)

    def on(self, home: Path) -> Dbt:
        """Return the same project for another store, without parsing it again."""
        other = copy(self)
        other._folder = home
        return other

    def operate(self, macro: str) -> None:
        """Run a macro of the project on the store; the caller holds its lock."""
        failed = [
            result
            for result in getattr(self._invoke(["run-operation", macro]), "results", [])
            if str(result.status) in _FAILURES
        ]
        if failed:
            raise MaintenanceError(
                f"dbt could not run {macro}: {_one_line(failed[0].message)}; the journal is as it "
                "was; `dbt build` in the project shows what is wrong with it"
            )

    def run(self, *command: str) -> Built:
        """Run a dbt command; the caller holds the store's lock.

        Raises `MaintenanceError` with the first thing that failed, in one line.
        """
        results = list(getattr(self._invoke(command), "results", []))
        failed = [result for result in results if str(result.status) in _FAILURES]
        broken = [
            result for result in failed if result.node.resource_type not in ("test", "unit_test")
        ]
        if broken:
            raise MaintenanceError(
                f"dbt could not build {broken[0].node.name}: {_one_line(broken[0].message)}; "
                "the journal is as it was; `dbt build` in the project shows the whole message"
            )
        nodes = [result for result in results if result.node.resource_type != "operation"]
        return Built(nodes=len(nodes), failed_tests=tuple(each.node.name for each in failed))

    def build(self, *, full_refresh: bool = False) -> Built:
        """Load the seeds and build every model, without the tests."""
        refresh = ("--full-refresh",) if full_refresh else ()
        return self.run("build", "--resource-type", "seed", "--resource-type", "model", *refresh)

    def refresh(self) -> Built:
        """Build the tables alone: enough where nothing but the journal has changed.

        Views and table functions read the tables anew each time.
        """
        return self.run(
            "run", "--select", "config.materialized:table", "config.materialized:incremental"
        )

    def _parse(self, target: Path) -> Any:
        return self._invoke(["parse", "--no-partial-parse"], target=target)

    def _invoke(self, command: Sequence[str], *, target: Path | None = None) -> Any:
        # Importing dbt takes longer than a recall; nothing else in the package does so.
        from dbt.cli.main import dbtRunner

        arguments = [
            *command,
            "--project-dir",
            str(self._project),
            "--profiles-dir",
            str(self._project),
            "--target-path",
            str(target or self._folder / "dbt" / "target"),
            "--log-path",
            str(self._folder / "dbt"),
            # Its handle would stay open in this process, and what it says may be private.
            "--log-level-file",
            "none",
            # The artifacts are of no use here, and take as long as a quarter of the models.
            "--no-write-json",
            # What goes wrong is told in one line by whoever called.
            "--log-level",
            "none",
            # Of a build that fails nothing is kept, so the rest of it is for nobody.
            "--fail-fast",
        ]
        if self._variables:
            arguments += ["--vars", json.dumps(self._variables)]
        with _environment({"EBBING_HOME": str(self._folder)}), _command_line(command):
            outcome = dbtRunner(manifest=self._manifest, callbacks=[self._counter]).invoke(
                arguments
            )
        if (stopped := self._counter.stopped_by) is not None:
            self._counter.stopped_by = None
            raise stopped
        if isinstance(outcome.exception, KeyboardInterrupt):
            raise outcome.exception
        if outcome.exception is not None:
            raise MaintenanceError(
                f"dbt stopped: {_one_line(str(outcome.exception))}; the journal is as it was; "
                "`dbt build` in the project shows the whole message"
            )
        return outcome.result


class _Counter:
    """Turns dbt's events into progress; what progress raises stops the build.

    dbt reports from its own threads. One that an interrupt ends would be waited for without end, so
    there it is an error of the node, and the interrupt is `stopped_by`, for who called.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self.stopped_by: BaseException | None = None

    def __call__(self, event: object) -> None:
        if self._progress is None or event.info.name not in ("LogModelResult", "LogSeedResult"):  # type: ignore[attr-defined]
            return
        data = event.data  # type: ignore[attr-defined]
        try:
            self._progress(data.index, data.total, data.node_info.node_name)
        except BaseException as error:
            self.stopped_by = error
            raise RuntimeError("progress stopped the build") from None


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _command_line(command: Sequence[str]) -> Iterator[None]:
    """Keep this process's own arguments, a memory's text among them, out of dbt's logs."""
    before = sys.argv
    sys.argv = ["dbt", *command]
    try:
        yield
    finally:
        sys.argv = before


def _one_line(message: str | None) -> str:
    return " ".join((message or "no reason given").split())[:300]
