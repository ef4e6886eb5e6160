"""Which hook does what."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ebbing.agents.namespaces import AUTOMATIC, project_namespace
from ebbing.clock import utc_now
from ebbing.errors import EbbingError, StoreMissing
from ebbing.hooks.events import HookEvent, read_event
from ebbing.hooks.options import HookOptions
from ebbing.hooks.state import SessionState, state_folder, sweep
from ebbing.safety.deadline import redaction_until
from ebbing.store.location import FILE_NAME, default_store_path, expanded

if TYPE_CHECKING:
    from ebbing.recall.context import Context
    from ebbing.store.store import Store

_BETWEEN_MAINTENANCE = 900.0
_SHARE_FOR_READING = 0.6

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
    # A session that is resumed still has the block that it was given.
    if turn.event.source == "resume":
        return Done()
    from ebbing.hooks.recalling import at_start

    state = turn.state()
    # The context was emptied, or is new: what was shown is there no more.
    state.shown = []
    block = at_start(
        turn.store(),
        namespace=turn.namespace,
        tokens=turn.options.tokens,
        at=turn.at,
        state=state,
    )
    return _injected(turn, block)


def _user_prompt(turn: _Turn) -> Done:
    if not turn.event.prompt.strip():
        return Done()
    from ebbing.hooks.recalling import for_prompt

    block = for_prompt(
        turn.store(),
        prompt=turn.event.prompt,
        namespace=turn.namespace,
        actor=turn.event.agent,
        session_id=turn.event.session_id,
        tokens=turn.options.tokens,
        at=turn.at,
        state=turn.state(),
    )
    return _injected(turn, block)


def _tool_result(turn: _Turn) -> Done:
    result = turn.event.tool
    if result is None or result.is_interrupt:
        return Done()
    state = turn.state()
    if not result.is_failure and not state.failures:
        return Done()
    from ebbing.hooks.tools import note_failure, note_success
    from ebbing.journal.spool import Spool

    spool = Spool(turn.folder / "spool")
    if result.is_failure:
        note_failure(
            result,
            state=state,
            spool=spool,
            namespace=turn.namespace,
            session_id=turn.event.session_id,
            message_seq=_next_place(turn),
            at=turn.at,
        )
    else:
        note_success(
            result,
            state=state,
            spool=spool,
            namespace=turn.namespace,
            actor=turn.event.agent,
            session_id=turn.event.session_id,
            at=turn.at,
        )
    return Done()


def _stop(turn: _Turn) -> Done:
    _take_turns(turn)
    if not turn.event.sender.says_end:
        from ebbing.hooks.background import start_maintenance

        start_maintenance(turn.folder, not_before=_BETWEEN_MAINTENANCE)
    return Done()


def _take_turns(turn: _Turn) -> None:
    from ebbing.hooks.turns import spool_sent, spool_transcript
    from ebbing.journal.spool import Spool

    event = turn.event
    spool = Spool(turn.folder / "spool")
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
        spool_transcript(
            event.transcript,
            read=partial(event.sender.read_transcript, session_id=event.session_id),
            state_folder=turn.state_folder,
            spool=spool,
            namespace=turn.namespace,
            at=turn.at,
            is_late=turn.is_late,
        )


def _session_end(turn: _Turn) -> Done:
    from ebbing.hooks.background import start_maintenance

    reason: str | None = None
    try:
        # What was said last may have come into the transcript after the last stop.
        _take_turns(turn)
    except EbbingError as error:
        reason = str(error)
    start_maintenance(turn.folder)
    state = turn.state()
    state.shown, state.failures = [], []
    state.save()
    sweep(turn.state_folder)
    return Done(reason=reason)


_HOOKS: dict[str, Callable[[_Turn], Done]] = {
    "session-start": _session_start,
    "user-prompt": _user_prompt,
    "tool-result": _tool_result,
    "stop": _stop,
    "session-end": _session_end,
}


def _injected(turn: _Turn, block: Context | None) -> Done:
    if block is None:
        return Done()
    event = _EVENT_NAMES[turn.options.hook]
    return Done(turn.event.sender.answer(event, block.text))


def _store_folder(options: HookOptions) -> Path:
    given = expanded(options.store or default_store_path()).absolute()
    folder = given.parent if given.name == FILE_NAME else given
    if not (folder / FILE_NAME).exists():
        raise StoreMissing(
            f"there is no store at {folder}; the session goes on without; make one: ebbing init"
        )
    return folder


def _namespace(options: HookOptions, event: HookEvent) -> str:
    given = options.namespace or os.environ.get("EBBING_NAMESPACE") or AUTOMATIC
    if given == AUTOMATIC:
        return project_namespace(event.sender.project_folder(event.folder))
    from ebbing.safety.text import clean_namespace

    return clean_namespace(given)


def _next_place(turn: _Turn) -> int:
    """Return the place in the session that the turn's first message will have."""
    if turn.event.transcript is None:
        return 0
    from ebbing.hooks.turns import Watermark

    mark = Watermark.load(turn.state_folder, turn.event.transcript, turn.namespace)
    return mark.next_seq.get(turn.event.session_id, 0)
