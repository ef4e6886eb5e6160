"""Commands that serve: mcp."""

from __future__ import annotations

import gc
from pathlib import Path

import click
from click.core import ParameterSource

from ebbing.cli.options import namespace_option, store_option
from ebbing.cli.output import note

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
) -> None:
    """Serve the memory to agents over the Model Context Protocol.

    On standard input and output, as agents start it; or on HTTP with --http, where every request
    needs the token as `Authorization: Bearer TOKEN`. The tools reach one namespace: --namespace.
    """
    if not http:
        _refuse_http_options(ctx)
    from ebbing.mcp import require_sdk

    # Thousands of classes come with the library, and none of them is garbage.
    gc.disable()
    require_sdk()
    from ebbing.mcp.server import serve_stdio
    from ebbing.memory import Memory

    gc.freeze()
    gc.enable()
    memory = Memory(path, namespace=namespace, actor="mcp", budget=budget)
    if not http:
        serve_stdio(memory)
        return
    from ebbing.mcp.http import bind, checked_token, new_token, serve_http

    secret = new_token() if token is None else checked_token(token)
    address = bind(host, port, allow_remote=allow_remote)
    note(f"Serving MCP at {address.url}, namespace {memory.namespace}")
    if token is None:
        note(f"Token (set EBBING_MCP_TOKEN to choose your own): {secret}")
    serve_http(memory, address, token=secret, hosts=hosts)


def _refuse_http_options(ctx: click.Context) -> None:
    for option in ctx.command.params:
        is_given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if is_given and option.name in _HTTP_OPTIONS:
            raise click.UsageError(f"{option.opts[0]} counts only with --http", ctx)
