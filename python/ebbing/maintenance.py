"""Maintenance: dbt in this process. The only module that imports dbt, and late."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ebbing.errors import MaintenanceError
from ebbing.project import project_dir

Progress = Callable[[int, int, str], None]
"""Called with nodes done, nodes in all, and the node's name."""


_FAILURES = ("error", "fail", "runtime error")


@dataclass(frozen=True, slots=True)
class Built:
    """What a dbt command did: nodes that ran, and tests that failed, by name."""

    nodes: int
    failed_tests: tuple[str, ...]


def run_dbt(
    store_folder: Path,
    command: Sequence[str],
    *,
    variables: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> Built:
    """Run a dbt command on the store in `store_folder`, and say what failed in one line.

    The caller holds the store's lock. Compiled SQL and logs go to `dbt/` beside the store, as the
    installed project may be read-only.
    """
    from dbt.cli.main import dbtRunner

    work = store_folder / "dbt"
    arguments = [
        *command,
        "--project-dir",
        str(project_dir()),
        "--profiles-dir",
        str(project_dir()),
        "--target-path",
        str(work / "target"),
        "--log-path",
        str(work / "logs"),
        "--quiet",
    ]
    if variables:
        arguments += ["--vars", json.dumps(dict(variables))]
    counter = _Counter(progress)
    with (
        _environment({"EBBING_HOME": str(store_folder), "DBT_SEND_ANONYMOUS_USAGE_STATS": "0"}),
        _command_line(command),
    ):
        outcome = dbtRunner(callbacks=[counter]).invoke(arguments)
    if outcome.exception is not None:
        raise MaintenanceError(
            f"dbt stopped: {_one_line(str(outcome.exception))}; the journal is as it was; "
            f"see {work / 'logs' / 'dbt.log'}"
        )
    results = list(getattr(outcome.result, "results", []))
    failed = [
        result for result in results if str(result.status) in ("error", "fail", "runtime error")
    ]
    broken = [result for result in failed if result.node.resource_type not in ("test", "unit_test")]
    if broken:
        raise MaintenanceError(
            f"dbt could not build {broken[0].node.name}: {_one_line(broken[0].message)}; "
            f"the journal is as it was; see {work / 'logs' / 'dbt.log'}"
        )
    return Built(nodes=len(results), failed_tests=tuple(result.node.name for result in failed))


class _Counter:
    """Turns dbt's events into progress."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def __call__(self, event: object) -> None:
        if self._progress is None or event.info.name not in ("LogModelResult", "LogSeedResult"):  # type: ignore[attr-defined]
            return
        data = event.data  # type: ignore[attr-defined]
        self._progress(data.index, data.total, data.node_info.node_name)


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
