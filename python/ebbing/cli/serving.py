"""Commands that serve: mcp."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ebbing.agents.namespaces import scopes
from ebbing.cli.options import GIVEN, namespace_option, store_option
from ebbing.cli.output import note
from ebbing.hooks.background import starter
from ebbing.safety.text import clean_namespace
from ebbing.store.location import store_folder

if TYPE_CHECKING:
    from ebbing.mcp.early import Serve
    from ebbing.memory import Memory

_HTTP_OPTIONS = ("host", "port", "token", "allow_remote", "hosts")


@click.command()
@store_option
@namespace_option
@click.option(
    "--budget",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Longest wait of a call for a busy store, in seconds; a turn of an agent that is told to "
    "try again costs more.",
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard streams.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8765,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--token",
    envvar="EBBING_MCP_TOKEN",
    show_envvar=True,
    help="What clients have to show; other users of the machine can read it here, so rather set "
    "the variable. [default: a new one, printed once]",
)
@click.option(
    "--allow-remote", is_flag=True, help="Let --host be an address that other machines reach."
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name by which clients reach this server; may be given several times.",
)
@click.option(
    "--maintain/--no-maintain",
    default=True,
    show_default=True,
    help="Maintain in the background after writes, every quarter of an hour at most.",
)
@click.pass_context
def mcp(
    ctx: click.Context,
    path: Path | None,
    namespace: str,
    budget: float,
    http: bool,
    host: str,
    port: int,
    token: str | None,
    allow_remote: bool,
    hosts: tuple[str, ...],
    maintain: bool,
) -> None:
    """Serve the memory to agents over the Model Context Protocol.

    On standard input and output, as agents start it; or on HTTP with --http, where every request
    needs the token as `Authorization: Bearer TOKEN`. The tools reach one namespace, --namespace;
    where that is `auto`, also `user`: what holds for the user in every project.
    """
    # Now, while there is somebody to read what is wrong with it.
    namespace = clean_namespace(namespace)
    beside = scopes(ctx.meta.get(GIVEN, namespace), namespace)[1:]

    def memory() -> Memory:
        from ebbing.memory import Memory

        return Memory(path, namespace=namespace, recalled_with=beside, actor="mcp", budget=budget)

    on_write = starter(store_folder(path)) if maintain else _nothing
    if not http:
        _refuse_http_options(ctx)
    from ebbing.mcp import require_sdk

    require_sdk()
    if not http:
        from ebbing.mcp.early import serve_early

        serve_early(memory, _loaded, on_write=on_write)
        return
    from ebbing.mcp.http import bind, checked_token, new_token, serve_http

    secret = new_token() if token is None else checked_token(token)
    address = bind(host, port, allow_remote=allow_remote)
    note(f"Serving MCP at {address.url}, namespace {namespace}")
    if token is None:
        note(f"Token (set EBBING_MCP_TOKEN to choose your own): {secret}")
    serve_http(memory(), address, token=secret, hosts=hosts, on_write=on_write)


def _nothing() -> None:
    pass


def _loaded() -> Serve:
    # Thousands of classes come with the library, and none of them is garbage.
    gc.disable()
    from ebbing.mcp.server import serve_streams

    gc.freeze()
    gc.enable()
    return serve_streams


def _refuse_http_options(ctx: click.Context) -> None:
    for option in ctx.command.params:
        is_given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if is_given and option.name in _HTTP_OPTIONS:
            raise click.UsageError(f"{option.opts[0]} counts only with --http", ctx)
