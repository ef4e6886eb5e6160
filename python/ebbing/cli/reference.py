"""The command line's own help as one page: `python -m ebbing.cli.reference > docs/cli.md`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ebbing.cli.main import main

_WIDTH = 88

_HEAD = """# Command line

Made from `--help` by `python -m ebbing.cli.reference > docs/cli.md`; change it there.
"""


def reference() -> str:
    """Return the page: the group's help, then that of every command."""
    sections = [
        f"## {path}\n\n```text\n{text}\n```\n" for path, text in _helps(main, "ebbing", None)
    ]
    return "\n".join([_HEAD, *sections])


def _helps(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    # A width of its own: the page may not depend on the terminal that it is made in.
    context = command.context_class(
        command,
        info_name=name,
        parent=parent,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        **command.context_settings,
    )
    help_text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    yield context.command_path, help_text
    if isinstance(command, click.Group):
        for one in command.list_commands(context):
            found = command.get_command(context, one)
            if found is not None and not found.hidden:
                yield from _helps(found, one, context)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
