"""What an agent is to ebbing: the files it is set up in, its events, transcript and answers."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from ebbing.agents.files import AgentFile, Setup
    from ebbing.ingest.items import BadLine, MessageFactory, ParsedMessage, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """A message that an agent sends in the event itself."""

    message_id: str
    role: str
    text: str
    occurred_at: str | int | float | None = None


class Agent(ABC):
    """An agent with the hooks of Claude Code, which others have taken over; they override."""

    name: str
    program: str = ""
    """What a shell calls it; empty for one that is not a program of its own."""
    tried: str = ""
    """The version that was tried."""
    default_scope = "project"
    """Whose files it is set up in unless said: `project` or `user`."""
    has_hooks = True
    says_start = True
    """Whether it tells when a session starts; else its first prompt is given the start's block."""
    says_end = True
    """Whether it tells when a session ends; else its stops maintain, and not after each turn."""

    @abstractmethod
    def files(self, setup: Setup) -> tuple[AgentFile, ...]:
        """Return the files that it is set up in, and what each is to hold."""

    def is_sender(self, payload: Mapping[str, object]) -> bool:
        """Tell by its fields whether an event is from this agent."""
        return payload.get("agent") == self.name

    def messages(self, payload: Mapping[str, object]) -> tuple[SentMessage, ...]:
        """Return the messages that an event itself holds."""
        return ()

    def calls(self, payload: Mapping[str, object]) -> tuple[ToolCall, ...]:
        """Return the calls of tools that an event itself holds, with their outcomes."""
        return ()

    def prompt(self, payload: Mapping[str, object]) -> str:
        """Return what the user has typed."""
        return text_of(payload, "prompt")

    def folder(self, payload: Mapping[str, object]) -> str:
        """Return the folder that a session works in."""
        return text_of(payload, "cwd") or "."

    def project_folder(self, folder: Path) -> Path | None:
        """Return the folder whose project an event belongs to; None for that of the process."""
        return folder

    def answer(self, event: str, block: str) -> str:
        """Return what a hook prints to put a block into the session."""
        output = {"hookEventName": event, "additionalContext": block}
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False) + "\n"

    def read_transcript(
        self, stream: BinaryIO, *, session_id: str, factory: MessageFactory | None = None
    ) -> Iterator[ParsedMessage | BadLine]:
        """Yield the messages of its transcript; none where it keeps none."""
        return iter(())


def text_of(payload: Mapping[str, object], *names: str) -> str:
    """Return the first of some fields that is text, else an empty one."""
    return next((value for name in names if isinstance(value := payload.get(name), str)), "")
