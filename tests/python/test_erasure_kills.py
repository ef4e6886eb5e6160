"""An erasure that was killed at any step is finished, and the store is closed until then."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import START, Clock
from ebbing import Memory
from ebbing.erasure import intent
from ebbing.errors import ErasurePending
from store_harness import places_of, relations_with

SECRET = "The spare key hangs behind the blue door"
KEPT = "The bicycle is painted turquoise"

# Ends itself, as a power cut would, before or after a step of the erasure.
KILLED = """
import importlib, os, signal, sys
from datetime import datetime
from ebbing import Memory
folder, now, memory_id, when, module, name = sys.argv[1:7]
place = importlib.import_module(module)
step = getattr(place, name)
def stopped(*arguments, **named):
    if when == "after":
        step(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(place, name, stopped)
Memory(folder, clock=lambda: datetime.fromisoformat(now)).erase(memory_id)
"""

STEPS = {
    "the intent is written down": ("after", "ebbing.erasure.intent", "record"),
    "the new file is half written": ("after", "ebbing.erasure.rewriting", "_lay_out_rewritten"),
    "the new file is there": ("before", "ebbing.erasure.run", "_replace"),
    "the new file is in place": ("before", "ebbing.erasure.run", "sync_folder"),
    "the last batches are folded": ("after", "ebbing.erasure.run", "_fold_the_last"),
}


@pytest.fixture(scope="module")
def filled(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kills") / "store"
    shutil.copytree(built_store, folder)
    memory = Memory(folder, clock=Clock())
    memory.remember(SECRET)
    memory.remember(KEPT)
    memory.maintain()
    return folder


@pytest.mark.parametrize("step", STEPS)
def test_an_erasure_killed_when(step: str, filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    shutil.copytree(filled, folder)
    memory = Memory(folder, clock=Clock())
    memory_id = memory.recall(SECRET, is_logged=False).memories[0].memory_id
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), START.isoformat(), memory_id, *STEPS[step]],
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert intent.pending(folder) is not None
    assert SECRET not in (folder / "erasing.json").read_text()

    # Nobody reads a store that is half erased; what is written waits; doctor says what to do.
    with pytest.raises(ErasurePending, match="stopped halfway"):
        memory.recall(SECRET)
    assert memory.remember("The cellar is damp", with_vector=False).is_spooled
    findings = {finding.subject: finding for finding in memory.doctor()}
    assert not findings["erasure"].is_well
    assert "ebbing maintain" in str(findings["erasure"].remedy)

    memory.maintain()
    assert intent.pending(folder) is None
    needles = (SECRET, memory_id)
    assert places_of(folder, needles) == []
    assert relations_with(folder, needles) == []
    assert not (folder / "work").exists()
    for text, found in ((SECRET, False), (KEPT, True), ("The cellar is damp", True)):
        answer = memory.recall(text, is_logged=False).memories
        assert any(one.content == text for one in answer) is found
    assert os.listdir(folder / "spool") == []
