"""The command that lets a language model read the log: extract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ebbing.cli.command import command
from ebbing.cli.output import note
from ebbing.cli.progress import node_progress

if TYPE_CHECKING:
    from ebbing.llm_extraction import Extracted
    from ebbing.memory import Memory


def _told(done: Extracted) -> str:
    spent = f"{done.tokens_in} tokens sent, {done.tokens_out} answered, cost {done.cost:.4f}"
    read = f"{done.messages} messages of {done.sessions} sessions in {done.requests} requests"
    if done.is_estimate:
        return f"would read {read}; at most {spent}"
    return f"{done.memories} memories from {read}; {spent}"


@command(shown=_told)
@click.option(
    "--session",
    "sessions",
    multiple=True,
    help="Only this session; may be given several times. [default: all]",
)
@click.option("--model", envvar="EBBING_CHAT_MODEL", show_envvar=True, help="The chat model.")
@click.option(
    "--base-url",
    envvar="EBBING_CHAT_BASE_URL",
    show_envvar=True,
    help="Address of its OpenAI-compatible API, as http://localhost:11434/v1.",
)
@click.option(
    "--command",
    "program",
    envvar="EBBING_CHAT_COMMAND",
    show_envvar=True,
    help="A program that reads a prompt on standard input and prints the answer, as 'claude -p' or "
    "'ollama run qwen3'; in the place of an address.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    help="Longest wait for an answer, in seconds; nothing is sent twice. [default: 120; 300 for a "
    "program]",
)
@click.option("--max-tokens", type=int, help="Most tokens that this run may use, in and out.")
@click.option("--max-cost", type=float, help="Most that this run may cost; needs the prices.")
@click.option(
    "--price-in", type=float, default=0.0, show_default=True, help="Price of a million tokens sent."
)
@click.option(
    "--price-out",
    type=float,
    default=0.0,
    show_default=True,
    help="Price of a million tokens answered.",
)
@click.option(
    "--dry-run", "is_dry_run", is_flag=True, help="Send nothing; say what would be read and spent."
)
def extract(
    memory: Memory,
    sessions: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    program: str | None,
    timeout: float | None,
    is_dry_run: bool,
    **most: Any,
) -> object:
    """Let a language model find memories in the log, beside the rules that need none.

    Reads what the model has not read yet, session by session, and can be stopped and started
    again. The key is EBBING_CHAT_API_KEY. Messages are sent to the address that you set, or given
    to the program that you name.
    """
    from ebbing.llm_extraction import ChatModel, Limits, Model
    from ebbing.provider.command import CommandModel

    limits = Limits(**most)
    patience: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
    asked: Model | None = CommandModel(program, **patience) if program else None
    if is_dry_run:
        name = model if asked is None else asked.model
        done = memory.extract_estimate(name, sessions=sessions, limits=limits)
    else:
        chat = asked or ChatModel.from_environment(model=model, base_url=base_url, **patience)
        with node_progress("extracting") as progress:
            done = memory.extract(chat, sessions=sessions, limits=limits, progress=progress)
    for refusal in done.refused:
        note(f"refused: {refusal.count} x {refusal.reason}")
    if done.stopped:
        note(f"stopped before the end: {done.stopped}")
    if done.left:
        note(f"{done.left} messages of the user are left; run it again to go on")
    return done
