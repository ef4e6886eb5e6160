"""The command for hooks: hook.

An agent's own calls go past this module; see `ebbing.entry`.
"""

from __future__ import annotations

from pathlib import Path

import click

from ebbing.agents.registry import HOOKED_AGENTS
from ebbing.hooks.options import BUDGETS, HOOKS, TOKENS, hook_options


def _defaults(values: dict[str, float] | dict[str, int]) -> str:
    return ", ".join(f"{hook} {value:g}" for hook, value in values.items())


@click.command()
@click.argument("hook", type=click.Choice(HOOKS))
@click.argument("payload", required=False, metavar="[EVENT]")
@click.option(
    "--agent",
    type=click.Choice(HOOKED_AGENTS),
    help="Whose event it is. [default: recognised from the event]",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="Folder of the store. [default: EBBING_HOME, else the user's data folder]",
)
@click.option(
    "--namespace",
    "-n",
    help="Scope of the memory. [default: EBBING_NAMESPACE, else that of the event's folder]",
)
@click.option(
    "--budget", type=float, help=f"Most seconds that it takes. [default: {_defaults(BUDGETS)}]"
)
@click.option(
    "--tokens", type=int, help=f"Most tokens that it injects. [default: {_defaults(TOKENS)}]"
)
def hook(
    hook: str,
    payload: str | None,
    agent: str | None,
    store: Path | None,
    namespace: str | None,
    budget: float | None,
    tokens: int | None,
) -> None:
    """Do one hook of an agent, with its event as JSON on standard input.

    Prints what the agent is to be told, exits 0 within the budget whatever happens, and says in
    one line on standard error why it did less than it could. `ebbing init --agent` sets hooks up.

    session-start and user-prompt inject memories, compared by words, which loads no model; stop
    stores the turn's new messages, and what worked after a command failed; session-end starts
    maintenance in the background.
    """
    from ebbing.hooks.process import run_options

    run_options(
        hook_options(
            hook,
            agent=agent,
            store=store,
            namespace=namespace,
            budget=budget,
            tokens=tokens,
            payload=payload,
        )
    )
