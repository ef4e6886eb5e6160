"""Which hook does what."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ebbing.agents.namespaces import AUTOMATIC, project_namespace, scopes
from ebbing.clock import utc_now
from ebbing.errors import EbbingError, StoreMissing
from ebbing.hooks.events import HookEvent, read_event
from ebbing.hooks.options import TOKENS, HookOptions
from ebbing.hooks.state import SessionState, state_folder, sweep
from ebbing.safety.deadline import redaction_until
from ebbing.store.location import FILE_NAME, store_folder

if TYPE_CHECKING:
    from ebbing.recall.context import Context
    from ebbing.store.store import Store

_SHARE_FOR_READING = 0.6
# Some 40 tokens, beside those of the block: what the server's instructions say at length.
_WHEN = (
    "(Tools of this memory: remember what the user states that lasts; correct, by its id, what "
    "proves wrong; end_task with ratings when a task is done.)"
)
_SHOWN_ID = re.compile(rb"mem_[0-9a-f]{16}")
_MOST_TRANSCRIPT = 20_000_000

_EVENT_NAMES = {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class Done:
    """What a hook prints for the agent, and the line that says why it did less than it could."""

    output: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Turn:
    """One hook's event, where it belongs, and until when it may take."""

    options: HookOptions
    event: HookEvent
    folder: Path
    namespace: str
    at: datetime
    deadline: float

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The project's scope, and with it the user's own."""
        return scopes(_given_namespace(self.options), self.namespace)

    @property
    def state_folder(self) -> Path:
        return state_folder(self.folder)

    def state(self) -> SessionState:
        return SessionState.load(self.state_folder, f"{self.namespace}\x1f{self.event.session_id}")

    def is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def store(self) -> Store:
        from ebbing.store.store import Store

        return Store(self.folder, budget=max(self.deadline - time.monotonic(), 0.0))


def run(options: HookOptions, data: bytes, *, clock: Callable[[], datetime] = utc_now) -> Done:
    """Do what a hook is for; whatever a user can cure is raised as an `EbbingError`."""
    deadline = time.monotonic() + options.budget * _SHARE_FOR_READING
    event = read_event(data, agent=options.agent)
    folder = _store_folder(options)
    turn = _Turn(
        options=options,
        event=event,
        folder=folder,
        namespace=_namespace(options, event),
        at=clock(),
        deadline=deadline,
    )
    # What can't be looked at in time is stored without all that could be a secret.
    with redaction_until(deadline):
        return _HOOKS[options.hook](turn)


def _session_start(turn: _Turn) -> Done:
    # A session that is resumed, or forked, still has the blocks that it was given.
    if turn.event.source in ("resume", "fork"):
        _note_shown(turn)
        return Done()
    return _injected(turn, _start_block(turn, turn.options.tokens), says_when=True)


def _start_block(turn: _Turn, tokens: int) -> Context | None:
    from ebbing.hooks.recalling import at_start

    state = turn.state()
    # The context was emptied, or is new: what was shown is there no more.
    state.shown, state.is_started = [], True
    state.save()
    return at_start(
        turn.store(), namespaces=turn.namespaces, tokens=tokens, at=turn.at, state=state
    )


def _note_shown(turn: _Turn) -> None:
    """Note the memories whose ids a transcript has: a fork has the blocks of another session."""
    state = turn.state()
    state.is_started = True
    if turn.event.transcript is not None:
        with contextlib.suppress(OSError), turn.event.transcript.open("rb") as stream:
            for found in set(_SHOWN_ID.findall(stream.read(_MOST_TRANSCRIPT))):
                if not state.was_shown(found.decode()):
                    state.show(found.decode())
    state.save()


def _user_prompt(turn: _Turn) -> Done:
    # What another agent writes to a subagent was not said by the user.
    if not turn.event.prompt.strip() or turn.event.is_subagent:
        return Done()
    from ebbing.hooks.recalling import for_prompt

    blocks = []
    is_start = not turn.event.sender.says_start and not turn.state().is_started
    if is_start:
        blocks.append(_start_block(turn, TOKENS["session-start"]))
    blocks.append(
        for_prompt(
            turn.store(),
            prompt=turn.event.prompt,
            namespaces=turn.namespaces,
            actor=turn.event.agent,
            session_id=turn.event.session_id,
            tokens=turn.options.tokens,
            at=turn.at,
            state=turn.state(),
        )
    )
    return _injected(turn, *blocks, says_when=is_start)


def _stop(turn: _Turn) -> Done:
    _take_turns(turn)
    if not turn.event.sender.says_end:
        from ebbing.hooks.background import BETWEEN_MAINTENANCE, start_maintenance

        start_maintenance(turn.folder, interval=BETWEEN_MAINTENANCE)
    return Done()


def _take_turns(turn: _Turn) -> None:
    from ebbing.hooks.turns import spool_corrections, spool_sent, spool_transcript
    from ebbing.journal.spool import Spool

    event = turn.event
    spool = Spool(turn.folder / "spool")
    calls = list(event.calls)
    if event.messages:
        spool_sent(
            event.messages,
            session_id=event.session_id,
            source=event.agent,
            spool=spool,
            namespace=turn.namespace,
            at=turn.at,
        )
    if event.transcript is not None:
        calls += spool_transcript(
            event.transcript,
            read=partial(event.sender.read_transcript, session_id=event.session_id),
            state_folder=turn.state_folder,
            spool=spool,
            namespace=turn.namespace,
            at=turn.at,
            is_late=turn.is_late,
        )
    if calls:
        spool_corrections(
            calls,
            state=turn.state(),
            spool=spool,
            namespace=turn.namespace,
            actor=event.agent,
            session_id=event.session_id,
            at=turn.at,
        )


def _session_end(turn: _Turn) -> Done:
    from ebbing.hooks.background import start_maintenance

    transcript = turn.event.transcript
    if transcript is not None and not transcript.exists():
        # Nobody has said anything: the program was only asked something about itself.
        return Done()
    reason: str | None = None
    try:
        # What was said last may have come into the transcript after the last stop.
        _take_turns(turn)
    except EbbingError as error:
        reason = str(error)
    start_maintenance(turn.folder)
    state = turn.state()
    # What was shown stays noted: the session may be resumed.
    state.failures = []
    state.save()
    sweep(turn.state_folder)
    return Done(reason=reason)


_HOOKS: dict[str, Callable[[_Turn], Done]] = {
    "session-start": _session_start,
    "user-prompt": _user_prompt,
    "stop": _stop,
    "session-end": _session_end,
}


def _injected(turn: _Turn, *blocks: Context | None, says_when: bool = False) -> Done:
    texts = [block.text for block in blocks if block is not None]
    if not texts:
        return Done()
    text = "\n".join(texts)
    if says_when:
        from ebbing.recall.context import CLOSING

        # Within the fence, so that it never becomes a message either.
        text = text.replace(CLOSING, f"{_WHEN}\n{CLOSING}", 1)
    return Done(turn.event.sender.answer(_EVENT_NAMES[turn.options.hook], text))


def _store_folder(options: HookOptions) -> Path:
    folder = store_folder(options.store)
    if not (folder / FILE_NAME).exists():
        raise StoreMissing(
            f"there is no store at {folder}; the session goes on without; make one: ebbing init"
        )
    return folder


def _namespace(options: HookOptions, event: HookEvent) -> str:
    given = _given_namespace(options)
    if given == AUTOMATIC:
        return project_namespace(event.sender.project_folder(event.folder))
    from ebbing.safety.text import clean_namespace

    return clean_namespace(given)


def _given_namespace(options: HookOptions) -> str:
    return options.namespace or os.environ.get("EBBING_NAMESPACE") or AUTOMATIC
