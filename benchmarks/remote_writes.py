"""How many writes a second are acknowledged: by a store alone, and by one with a Postgres remote.

Eight processes write to each, in turns, on the same disk; every acknowledged write is looked for.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from ebbing import Memory
from ebbing.cli.output import say, table
from ebbing.rows import fetch

# Ready first, so that what is measured is writing and no start of an interpreter.
_WRITER = """
import sys
from ebbing import Memory
memory = Memory(sys.argv[1], budget=600)
memory.remember(f"{sys.argv[2]} is ready", with_vector=False)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    done = memory.remember(f"{sys.argv[2]} says {number}", with_vector=False)
    assert not done.is_spooled and done.note is None, done
"""

_COUNT = "select count(*) from journal.memory_writes"


@click.command()
@click.option("--processes", default=8, show_default=True, help="Writers at once.")
@click.option("--writes", default=200, show_default=True, help="Writes of each, remote.")
@click.option("--local-writes", default=40, show_default=True, help="Writes of each, local.")
@click.option("--rounds", default=2, show_default=True, help="Turns of both; the best counts.")
@click.option("--url", help="A Postgres remote. [default: a server of its own, from the tests]")
def remote_writes(
    processes: int, writes: int, local_writes: int, rounds: int, url: str | None
) -> None:
    """Acknowledged writes a second: the local store beside one with a remote."""
    with tempfile.TemporaryDirectory(prefix="ebbing-bench-") as scratch:
        built = Path(scratch) / "built"
        Memory.create(built)
        server = None if url else _server()
        try:
            address = url or server.address
            local, remote = [], []
            for number in range(rounds):
                place = Path(scratch) / f"local-{number}"
                shutil.copytree(built, place)
                local.append(_rate(place, processes, local_writes))
                place = Path(scratch) / f"remote-{number}"
                shutil.copytree(built, place)
                Memory(place).add_remote(address)
                remote.append(_rate(place, processes, writes))
        finally:
            if server is not None:
                server.remove()
    say(
        table(
            ("store", "writes a second", "best", "ratio"),
            (
                ("local", " ".join(f"{one:.0f}" for one in local), max(local), 1.0),
                (
                    "with a remote",
                    " ".join(f"{one:.0f}" for one in remote),
                    max(remote),
                    max(remote) / max(local),
                ),
            ),
        )
    )


def _rate(place: Path, processes: int, writes: int) -> float:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(place), f"writer {number}", str(writes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    started = time.perf_counter()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.close()
    for writer in writers:
        if writer.wait():
            raise click.ClickException("a writer failed; what it said stands above")
    seconds = time.perf_counter() - started
    store = Memory(place).store
    with store.write() as connection:
        store.fold_spool(connection)
        ((found,),) = fetch(connection, _COUNT)
    # Another store's rows may have come along with the remote.
    if found < processes * (writes + 1):
        raise click.ClickException(f"{found} of {processes * (writes + 1)} writes are there")
    return processes * writes / seconds


def _server() -> object:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python"))
    from servers.postgres_server import PostgresServer

    server = PostgresServer()
    server.start()
    return server
