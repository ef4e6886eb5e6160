"""A command that builds may be interrupted at any moment: one line, its exit code, nothing half."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def interrupted(*arguments: str, home: Path, by: signal.Signals) -> subprocess.Popen[str]:
    """Start a command, and interrupt it once it builds in its copy."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ebbing", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "EBBING_HOME": str(home)},
    )
    while not list(home.glob("work/*/dbt")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(by)
    return process


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("by", CODES, ids=lambda by: by.name)
def test_an_interrupted_maintenance_is_one_line_and_changes_nothing(
    memory: Memory, clock: Clock, by: signal.Signals
) -> None:
    memory.remember("the router is in the attic")
    home = memory.store.folder
    process = interrupted("maintain", home=home, by=by)
    said, reason = process.communicate(timeout=120)
    assert process.returncode == CODES[by]
    assert said == ""
    lines = [line for line in reason.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1
    assert "Traceback" not in reason
    assert not (home / "work").exists()
    found = memory.recall("where is the router", is_logged=False)
    assert [each.content for each in found.memories] == ["the router is in the attic"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
def test_an_interrupted_change_of_model_leaves_the_old_vectors_answering(
    memory: Memory, clock: Clock
) -> None:
    memory.remember("the router is in the attic")
    home = memory.store.folder
    process = interrupted("reembed", "--model", "hashing:32", home=home, by=signal.SIGINT)
    _, reason = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in reason
    found = Memory(home, clock=clock).recall("where is the router", is_logged=False)
    assert found.note is None
    assert [each.similarity is not None for each in found.memories] == [True]
