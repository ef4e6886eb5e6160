"""Every command as a user meets it: what it prints, its exit code, errors of one line."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from ebbing import Memory
from ebbing.cli import main
from ebbing.cli.reference import reference
from ebbing.journal.events import StoreSetting
from ebbing.project import CHECKOUT
from ebbing.store.store import Store
from store_harness import command

FIXTURES = CHECKOUT / "tests" / "fixtures" / "ingest"
UNKNOWN = "mem_0000000000000000"
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

# Holds the lock, as a long maintenance does.
HOLDER = """
import sys
from ebbing.store.store import Store
with Store(sys.argv[1]).held():
    print("held", flush=True)
    sys.stdin.readline()
"""


class Cli:
    """The command line over one store; whatever happens, no traceback."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str, text: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(
            main, arguments, input=text, env={"EBBING_HOME": str(self.home)}
        )
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def done(self, *arguments: str, text: str | None = None) -> str:
        result = self(*arguments, text=text)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--json"))

    def error(self, *arguments: str, exit_code: int) -> str:
        result = self(*arguments)
        assert result.exit_code == exit_code, result.output
        assert result.stdout == ""
        *usage, line = result.stderr.splitlines()
        # Click itself says how a command is called before it says what was wrong.
        assert all(said.startswith(("Usage: ", "Try ")) or not said for said in usage), usage
        assert line.startswith("Error: ")
        return line


@pytest.fixture
def cli(store_path: Path) -> Cli:
    return Cli(store_path)


@pytest.fixture(scope="module")
def shared(built_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A store for tests that leave in it what does not disturb the others."""
    folder = tmp_path_factory.mktemp("cli") / "store"
    shutil.copytree(built_store, folder)
    return Cli(folder)


def messages(count: int) -> str:
    return "".join(
        json.dumps(
            {
                "session_id": "s",
                "role": "user",
                "content": f"Message number {place}",
                "ts": f"2025-07-25T02:{place:02}:00Z",
            }
        )
        + "\n"
        for place in range(count)
    )


def test_help_lists_every_command_and_each_explains_itself() -> None:
    listed = CliRunner().invoke(main, ["--help"]).stdout
    names = {
        *("init", "ingest", "remember", "recall", "context", "forget", "restore", "pin", "unpin"),
        *("erase", "maintain", "status", "history", "export", "import", "doctor", "reembed"),
    }
    assert names <= set(main.commands)
    for name, one in main.commands.items():
        assert f"  {name} " in listed
        for path in [[name], *([name, sub] for sub in getattr(one, "commands", {}))]:
            shown = CliRunner().invoke(main, [*path, "--help"])
            assert shown.exit_code == 0
            assert shown.stdout.startswith("Usage: ")
    for one in commands(main):
        assert one.help
        undocumented = [
            option.name
            for option in one.params
            if isinstance(option, click.Option) and not option.help
        ]
        assert undocumented == [], one.name


def commands(group: click.Group) -> Iterator[click.Command]:
    for one in group.commands.values():
        yield one
        if isinstance(one, click.Group):
            yield from commands(one)


def test_the_page_of_the_command_line_is_that_of_its_help() -> None:
    page = (CHECKOUT / "docs" / "cli.md").read_text("utf-8")
    assert page == reference(), "run: python -m ebbing.cli.reference > docs/cli.md"


def test_init_makes_a_store_and_leaves_one_that_is_there(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "new")
    made = cli.done("init", "--model", "hashing:64")
    assert made == f"The store is ready: {tmp_path / 'new' / 'memory.duckdb'}\n"
    cli.done("remember", "The attic is dry")
    assert "nothing was written" in cli.error("init", "--model", "hashing:32", exit_code=4)
    assert cli.json("recall", "attic")[0]["memories"][0]["content"] == "The attic is dry"
    assert "no embedding model" in cli.error("init", "--model", "oracle", exit_code=2)


def test_a_memory_from_remember_to_erase(shared: Cli) -> None:
    first = shared.done("remember", "The router IP is 192.168.7.1", "--at", "2026-01-02T10:00:00Z")
    assert re.fullmatch(r"mem_[0-9a-f]{16}\n", first)
    assert first == shared.done("remember", "The router IP is 192.168.7.1")
    second = shared.json("remember", "The attic is dry", "--kind", "skill", "--importance", "0.9")
    assert second["is_embedded"]

    (answer,) = shared.json("recall", "router IP", "--k", "1")
    assert answer["memories"][0]["memory_id"] == first.strip()
    assert answer["memories"][0]["created_at"] == "2026-01-02T10:00:00Z"
    both = shared.json("recall", "router IP", "attic")
    assert [one["query"] for one in both] == ["router IP", "attic"]
    assert shared.json("recall", "attic", "--kind", "fact")[0]["memories"] == []
    text = shared.done("recall", "router IP", "attic")
    assert text.startswith("# router IP\n")
    assert "\n# attic\n" in text
    assert ISO.search(text)
    block = shared.done("context", "router IP")
    assert block.startswith("<ebbing-memories>\n")
    assert "2026-01-02T10:00:00Z" in block
    tight = shared("context", "router IP", "--budget", "5")
    assert (tight.exit_code, tight.stdout) == (0, "")
    assert "none fits 5 tokens" in tight.stderr

    shared.done("remember", "The router IP is 192.168.9.1")
    assert "models built" in shared.done("maintain")
    history = shared.done("history", first.strip())
    assert "superseded" in history
    assert "192.168.7.1 -> 192.168.9.1" in history
    assert {one["valid_from"] for one in shared.json("history", first.strip())} >= {
        "2026-01-02T10:00:00Z"
    }

    memory_id = second["memory_id"]
    assert shared.done("forget", memory_id, "--why", "moved out") == f"{memory_id} forgotten\n"
    assert shared.json("recall", "attic dry")[0]["memories"] == []
    assert shared.done("restore", memory_id) == f"{memory_id} restored\n"
    assert shared.json("recall", "attic dry")[0]["memories"][0]["memory_id"] == memory_id
    assert shared.done("pin", memory_id) == f"{memory_id} pinned\n"
    assert shared.done("unpin", memory_id) == f"{memory_id} unpinned\n"

    status = shared.json("status")
    assert status["health"]["live_memories"] == 2
    assert ISO.fullmatch(status["health"]["last_maintenance_at"])
    text = shared.done("status")
    assert "live memories" in text
    assert "Strength now, live memories" in text
    assert re.search(r"0\.\d\d to 1\.\d\d +#+ +\d", text)

    asked = shared("erase", memory_id, text="n\n")
    assert asked.exit_code == 1
    assert shared.json("recall", "attic dry")[0]["memories"]
    erased = shared.done("erase", memory_id, "--yes")
    assert erased.startswith(f"erased {memory_id}\n")
    assert ", 0 copies found" in erased
    assert shared.json("recall", "attic dry")[0]["memories"] == []


def test_nothing_near_and_nothing_stored_read_differently(cli: Cli) -> None:
    empty = cli("recall", "the weather on Mars")
    assert (empty.exit_code, empty.stdout) == (0, "")
    assert empty.stderr == "nothing stored in this namespace\n"
    cli.done("remember", "The attic is dry")
    far = cli("recall", "quarterly revenue forecast", "--min-similarity", "0.9")
    assert (far.exit_code, far.stdout) == (0, "")
    assert "below the threshold" in far.stderr
    assert cli("recall", "attic", "-n", "elsewhere").stderr == "nothing stored in this namespace\n"


def test_d4_a_log_read_twice_or_grown_adds_only_what_is_new(cli: Cli, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(messages(5), "utf-8")
    assert cli.done("ingest", str(log)).startswith("5 messages read, 5 new, 0 lines skipped")
    assert cli.done("ingest", str(log)).startswith("5 messages read, 0 new")
    log.write_text(messages(15), "utf-8")
    assert cli.done("ingest", str(log)).startswith("15 messages read, 10 new")
    piped = cli.done("ingest", "-", text=messages(16))
    assert piped.startswith("16 messages read, 1 new")


@pytest.mark.parametrize(
    ("name", "format_", "read"),
    [
        ("messages.jsonl", "json-lines", 7),
        ("chat.json", "chat-completions", 6),
        ("claude_code.jsonl", "claude-code", 5),
        ("locomo.json", "locomo", 5),
    ],
)
def test_every_format_is_read_recognised_or_named(
    cli: Cli, name: str, format_: str, read: int
) -> None:
    first = cli.json("ingest", str(FIXTURES / name))
    assert first["added"] == first["read"] == read
    again = cli.json("ingest", str(FIXTURES / name), "--format", format_)
    assert (again["read"], again["added"]) == (first["read"], 0)


def test_bad_lines_are_named_by_number_and_the_others_read(cli: Cli, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(messages(2).encode() + b"no json\n\xff\xfe\n" + messages(2).encode())
    done = cli("ingest", str(log))
    assert done.exit_code == 0
    assert done.stdout.startswith("4 messages read, 4 new, 2 lines skipped")
    assert [line.split(": ")[0] for line in done.stderr.splitlines()] == [f"{log}:3", f"{log}:4"]


def test_export_and_import_and_a_change_of_model(cli: Cli, tmp_path: Path) -> None:
    cli.done("remember", "The attic is dry")
    assert re.search(r"\d+ events written to", cli.done("export", str(tmp_path / "a.jsonl")))
    cli.done("export", str(tmp_path / "a"), "--format", "parquet")
    assert "exists" in cli.error("export", str(tmp_path / "a"), exit_code=2)
    with (tmp_path / "a.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("no json\n")

    other = Cli(tmp_path / "other")
    done = other("import", str(tmp_path / "a.jsonl"))
    assert done.exit_code == 1
    assert "1 lines skipped" in done.stdout
    place = re.escape(f"{tmp_path}/a.jsonl")
    assert re.search(rf"^{place}:\d+: .*; skipped$", done.stderr, re.MULTILINE)
    assert re.search(rf"{place} was changed after it was written", done.stderr)
    assert other.json("recall", "attic dry")[0]["memories"]
    changed = other.done("reembed", "--model", "hashing:32")
    assert changed == "the store uses hashing/32: 1 texts embedded, 0 refused\n"
    assert other.json("recall", "attic dry")[0]["memories"][0]["similarity"] > 0.5


def test_doctor_says_what_is_well_and_what_is_not(cli: Cli, tmp_path: Path) -> None:
    well = cli.done("doctor")
    assert "BAD" not in well
    assert "ok   dbt project" in well
    none = Cli(tmp_path / "none")("doctor")
    assert none.exit_code == 1
    assert "BAD  store: none at" in none.stdout
    assert "ebbing init" in none.stdout
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "exit_code", "says"),
    [
        (["forget", UNKNOWN], 2, f"there is no memory {UNKNOWN}; nothing was changed"),
        (["restore", UNKNOWN], 2, "there is no memory"),
        (["pin", UNKNOWN], 2, "there is no memory"),
        (["unpin", UNKNOWN], 2, "there is no memory"),
        (["history", UNKNOWN], 2, "there is no memory"),
        (["erase", UNKNOWN, "--yes"], 2, "there is no memory"),
        (["remember", ""], 2, "empty"),
        (["remember", " \t\n"], 2, "empty"),
        (["remember", "x", "--kind", "Bad Kind"], 2, "no kind of memory"),
        (["remember", "x", "--importance", "7"], 2, "out of range"),
        (["remember", "x", "--at", "whenever"], 2, "is not a time"),
        (["remember", "x", "--namespace", " "], 2, "namespace"),
        (["recall", ""], 2, "the query is empty"),
        (["recall", "x", "--as-of", "2026-13-45"], 2, "is not a time"),
        (["recall", "x", "--k", "0"], 2, "no number of memories"),
        (["recall", "x", "--min-similarity", "2"], 2, "no cosine"),
        (["recall", "x", "--namespace", ""], 2, "namespace"),
        (["recall", "x" * 100_001], 2, "100,001 characters"),
        (["context", "x", "--budget", "0"], 2, "holds nothing"),
        (["ingest", "/nowhere.jsonl"], 2, "cannot be read"),
        (["import", "/nowhere.jsonl"], 2, "is not there"),
        (["reembed", "--model", "oracle"], 2, "no embedding model is called"),
    ],
)
def test_an_error_is_one_line_with_an_exit_code(
    shared: Cli, arguments: list[str], exit_code: int, says: str
) -> None:
    assert says in shared.error(*arguments, exit_code=exit_code)


def test_a_memory_of_another_namespace_is_not_reached(cli: Cli) -> None:
    memory_id = cli.done("remember", "The cellar is damp", "-n", "theirs").strip()
    for name in ("forget", "pin", "history", "erase"):
        extra = ["--yes"] if name == "erase" else []
        assert "is not a memory of namespace 'default'" in cli.error(
            name, memory_id, *extra, exit_code=2
        )
    assert cli.json("recall", "cellar damp", "-n", "theirs")[0]["memories"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember", "x"],
        ["recall", "x"],
        ["context", "x"],
        ["status"],
        ["maintain"],
        ["forget", UNKNOWN],
        ["erase", UNKNOWN, "--yes"],
        ["history", UNKNOWN],
        ["export", "/tmp/nowhere.jsonl"],
        ["reembed", "--model", "hashing:64"],
    ],
)
def test_a_store_that_is_missing_is_said_and_not_made(tmp_path: Path, arguments: list[str]) -> None:
    cli = Cli(tmp_path / "none")
    assert "make one: ebbing init" in cli.error(*arguments, exit_code=3)
    assert not (tmp_path / "none").exists()


def test_p4_files_that_are_no_store_are_left_alone(cli: Cli, tmp_path: Path) -> None:
    broken = Cli(tmp_path / "broken")
    broken.home.mkdir()
    (broken.home / "memory.duckdb").write_bytes(b"This is a diary, not a database.\n" * 500)
    before = (broken.home / "memory.duckdb").read_bytes()
    for arguments in (["recall", "x"], ["remember", "x"], ["maintain"], ["init"], ["status"]):
        assert "not a DuckDB file" in broken.error(*arguments, exit_code=3)
    assert (broken.home / "memory.duckdb").read_bytes() == before

    Store(cli.home).append([StoreSetting(setting="format_version", setting_value="99")])
    before = (cli.home / "memory.duckdb").read_bytes()
    for arguments in (["recall", "x"], ["remember", "x"], ["maintain"], ["init"], ["status"]):
        assert "has format 99" in cli.error(*arguments, exit_code=3)
    assert (cli.home / "memory.duckdb").read_bytes() == before


def test_p2_a_store_that_is_held_is_one_line_and_what_is_written_waits(cli: Cli) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cli.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        line = cli.error("recall", "attic", exit_code=3)
        assert f"process {holder.pid} has held the store for 5.0 s; nothing was harmed" in line
    finally:
        holder.communicate("\n")
    assert holder.returncode == 0


def test_t2_naive_times_are_taken_as_utc_and_every_interface_prints_one_format(cli: Cli) -> None:
    naive = cli("remember", "The attic is dry", "--at", "2025-07-25 02:00")
    assert naive.exit_code == 0
    said = "2025-07-25 02:00 names no time zone and is taken as UTC: 2025-07-25T02:00:00Z\n"
    assert naive.stderr == said
    zoned = cli("remember", "The cellar is damp", "--at", "2025-07-24T19:00:00-07:00")
    assert zoned.stderr == ""
    answers = cli.json("recall", "attic dry", "cellar damp")
    times = {memory["created_at"] for answer in answers for memory in answer["memories"]}
    assert times == {"2025-07-25T02:00:00Z"}
    for shown in (cli.done("recall", "attic"), cli.done("context", "attic")):
        assert "2025-07-25T02:00:00Z" in shown
    past = cli("recall", "attic", "--as-of", "2025-07-01")
    assert "taken as UTC: 2025-07-01T00:00:00Z" in past.stderr
    assert past.stdout == ""


def test_secrets_are_said_to_be_redacted_and_never_echoed(cli: Cli) -> None:
    secret = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    done = cli("remember", f"The token is {secret}", "--json")
    assert done.exit_code == 0
    assert "redacted: " in done.stderr
    assert secret not in done.output


def test_the_program_itself_ends_with_the_code_and_no_traceback(store_path: Path) -> None:
    unknown = command("forget", UNKNOWN, home=store_path)
    assert unknown.returncode == 2
    assert unknown.stdout == ""
    assert unknown.stderr.startswith(f"Error: there is no memory {UNKNOWN}; ")
    assert unknown.stderr.count("\n") == 1

    piped = command("ingest", "-", home=store_path, text=messages(3))
    assert piped.returncode == 0
    assert piped.stdout.startswith("3 messages read, 3 new")
    # A progress bar is for a terminal.
    assert piped.stderr == ""
    odd = command("remember", "½ café 绿茶 🙂", "--json", home=store_path)
    assert json.loads(odd.stdout)["content"] == "½ café 绿茶 🙂"
    with Memory(store_path).store.read() as connection:
        assert connection.execute("select count(*) from journal.messages").fetchone() == (3,)


def test_a_reader_that_stops_reading_is_no_error(store_path: Path) -> None:
    """`ebbing recall ... | head -1`."""
    memory = Memory(store_path)
    memory.remember("The attic is dry")
    process = subprocess.Popen(
        [sys.executable, "-m", "ebbing", "recall", "attic", "--store", str(store_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert isinstance(process.stdout, io.BufferedReader)
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.wait()
    process.stderr.close()
