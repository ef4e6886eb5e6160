"""Progress on a terminal; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ebbing.ingest.ingestion import ByteProgress
    from ebbing.maintenance.dbt import Progress


@contextmanager
def node_progress(label: str) -> Generator[Progress | None]:
    """Show models built, or texts embedded, on standard error."""
    if not sys.stderr.isatty():
        yield None
        return

    def report(done: int, total: int, name: str) -> None:
        click.echo(f"\r\x1b[K{label}: {done}/{total} {name}", nl=False, err=True)

    yield report
    click.echo("\r\x1b[K", nl=False, err=True)


@contextmanager
def byte_progress() -> Generator[ByteProgress | None]:
    """Show how far each file has been read, on standard error."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = None
    current: tuple[str, int] = ("", 0)

    def report(name: str, done: int, size: int | None) -> None:
        nonlocal bar, current
        if bar is None or current[0] != name:
            if bar is not None:
                bar.render_finish()
            bar = click.progressbar(length=size or 0, label=name, file=sys.stderr)
            current = (name, 0)
        bar.update(done - current[1])
        current = (name, done)

    yield report
    if bar is not None:
        bar.render_finish()
