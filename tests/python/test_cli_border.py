"""Whatever ends a command ends it in one line and an exit code, and never in a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ebbing import Memory
from ebbing.cli import main
from ebbing.errors import InputError
from ebbing.store.store import Store
from store_harness import command

# Runs a piece of Python as a command is run.
_COMMAND = """
import os, signal, sys
from ebbing.cli.border import run_to_exit_code
def command():
    {}
sys.exit(run_to_exit_code(command))
"""


def ended(body: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _COMMAND.format(body)],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        # A runner in the background may have it ignored.
        (
            "signal.signal(signal.SIGINT, signal.default_int_handler);"
            " os.kill(os.getpid(), signal.SIGINT)",
            130,
            "interrupted",
        ),
        ("os.kill(os.getpid(), signal.SIGTERM)", 143, "ended by the system"),
        ("import click; raise click.Abort", 1, "aborted"),
        ("raise RuntimeError('a\\x1b[2Jb')", 1, "RuntimeError"),
        ("raise OSError(28, 'No space left on device', 'x')", 1, "No space left on device: x"),
        ("open('/nowhere/at/all')", 1, "No such file or directory: /nowhere/at/all"),
    ],
)
def test_an_end_is_one_line_and_a_code(body: str, code: int, said: str) -> None:
    done = ended(body)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert said in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_output_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = ended("print('x' * 100_000)", stdout=full)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "No space left on device" in done.stderr


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = ended("print('x' * 100_000)", stdout=writing)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "x", "--k", "1" + "0" * 30],
        ["recall", "x", "--as-of", "1" + "0" * 30],
        ["context", "x", "--budget", "-1"],
        ["remember", "x", "--importance", "1e400"],
        ["remember", "x", "--at", "\udcff"],
        ["remember", "x", "--kind", "\udcff"],
        ["remember", "\udcff", "--namespace", "\udcff"],
        ["forget", "\udcff"],
        ["ingest", "\udcff.jsonl"],
        ["ingest", "~nobody-of-this-name/x.jsonl"],
        ["ingest", "."],
        ["import", "."],
        ["import", "\udcff"],
        ["backup", "/"],
        ["backup", "."],
        ["status", "--store", "\udcff"],
        ["status", "--store", "~nobody-of-this-name/x"],
        ["status", "--store", "/dev/full"],
        ["export", "."],
        ["task", "end", "task_x", "--completed", "--tokens", "1" + "0" * 30],
        ["history", "mem_\udcff"],
        ["no-such-command"],
        ["recall", "--no-such-option"],
        ["recall"],
    ],
    ids=" ".join,
)
def test_odd_arguments_are_refused_in_one_line(store_path: Path, arguments: list[str]) -> None:
    done = CliRunner(env={"EBBING_HOME": str(store_path)}).invoke(main, arguments)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code not in (0, None)
    assert done.stderr.count("\n") == 1, done.stderr
    assert "should not happen" not in done.stderr, done.stderr


def test_an_unknown_user_is_one_line(tmp_path: Path) -> None:
    done = command("status", home=Path("~nobody-of-this-name/store"), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "whose home nobody knows" in done.stderr


def test_a_log_of_odd_values_is_read_line_by_line(memory: Memory, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    odd = [
        {"type": ["user"], "message": {"content": "x"}, "sessionId": "s"},
        {"type": {"a": 1}, "payload": {"type": ["message"]}},
        {"role": ["user"], "content": "x"},
        {"role": "user", "content": {"a": 1}},
        {"role": "user", "content": "The deploy runs on Friday", "session_id": "s"},
    ]
    log.write_text("\n".join(map(json.dumps, odd)), "utf-8")
    for format in ("json-lines", "claude-code", "codex", "chat-completions", None):
        done = memory.ingest([log], format=format)
        assert done.skipped_count + done.read <= len(odd)


# Places


@pytest.mark.parametrize("name", ["a#b", "a?b=1", "a\nb", "a\udcffb"])
def test_a_folder_that_dbt_or_duckdb_reads_wrong_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="nothing was made"):
        Store(tmp_path / name).create()
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    "name", ["-x", "a;b", "a%20b", "a'b\"c", "a b", "用户 é", "x" * 200, "{{ a }}", "$HOME", "a\\b"]
)
def test_a_folder_of_another_odd_name_holds_a_store(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path / name)
    assert store.create()
    with store.read() as connection:
        assert connection.execute("select count(*) from journal.messages").fetchone() == (0,)


def test_dbt_builds_in_a_folder_of_an_odd_name(tmp_path: Path) -> None:
    folder = tmp_path / "-a;b'c\"d %41 用户 {{ x }}"
    memory = Memory.create(folder, model="hashing:64")
    memory.remember("The deploy runs on Friday")
    assert memory.recall("deploy").memories
    assert {path.name for path in tmp_path.iterdir()} == {folder.name}
