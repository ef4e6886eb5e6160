"""What a hook is told on its command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ebbing.agents.registry import HOOKED_AGENTS
from ebbing.errors import InputError

HOOKS = ("session-start", "user-prompt", "stop", "session-end")

# Seconds, as the agents count their own limits. Claude Code gives the end of a session 1.5 s.
BUDGETS = {
    "session-start": 5.0,
    "user-prompt": 3.0,
    "stop": 5.0,
    "session-end": 1.2,
}
TOKENS = {"session-start": 1_000, "user-prompt": 600}


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOptions:
    """One hook's options; `budget` is in seconds, `tokens` bounds the block that it injects."""

    hook: str
    agent: str | None = None
    store: Path | None = None
    namespace: str | None = None
    budget: float = field(default=3.0)
    tokens: int = 600
    payload: str | None = None
    """The event, where the agent passes it as an argument instead of standard input."""


def hook_options(
    hook: str,
    *,
    agent: str | None = None,
    store: Path | None = None,
    namespace: str | None = None,
    budget: float | None = None,
    tokens: int | None = None,
    payload: str | None = None,
) -> HookOptions:
    """Return the options with what the hook has for those not given, or refuse them."""
    if hook not in HOOKS:
        raise InputError(f"{hook!r} is no hook; nothing was done; use one of {', '.join(HOOKS)}")
    if agent is not None and agent not in HOOKED_AGENTS:
        raise InputError(
            f"{agent!r} is no agent with hooks; nothing was done; "
            f"use one of {', '.join(HOOKED_AGENTS)}"
        )
    return HookOptions(
        hook=hook,
        agent=agent,
        store=store,
        namespace=namespace,
        budget=min(max(BUDGETS[hook] if budget is None else budget, 0.1), 600.0),
        tokens=max(TOKENS.get(hook, 0) if tokens is None else tokens, 0),
        payload=payload,
    )


def parse_arguments(arguments: Sequence[str]) -> HookOptions:
    """Read a hook's command line without the parser of the other commands, which loads slowly."""
    words = list(arguments)
    hook = words.pop(0) if words else ""
    values: dict[str, str] = {}
    payload: str | None = None
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            payload = word
            continue
        name, has_value, value = word.partition("=")
        if name not in ("--agent", "--store", "--namespace", "-n", "--budget", "--tokens"):
            raise InputError(f"{name} is no option of a hook; nothing was done; see --help")
        if not has_value:
            if not words:
                raise InputError(f"{name} has no value; nothing was done; give it one")
            value = words.pop(0)
        values["--namespace" if name == "-n" else name] = value
    try:
        budget = float(values["--budget"]) if "--budget" in values else None
        tokens = int(values["--tokens"]) if "--tokens" in values else None
    except ValueError:
        raise InputError("a budget or a number of tokens is no number; nothing was done") from None
    return hook_options(
        hook,
        agent=values.get("--agent"),
        store=Path(values["--store"]) if values.get("--store") else None,
        namespace=values.get("--namespace"),
        budget=budget,
        tokens=tokens,
        payload=payload,
    )
