"""Google ADK's memory service over ebbing: `Runner(..., memory_service=EbbingMemoryService())`.

Each user of each application has a namespace of their own. What was said goes into the session
log, from which rules and maintenance make memories; it is found at once. ADK's own tools
`load_memory` and `preload_memory` ask it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai.types import Content, Part

from ebbing.adapters.said import Said, log
from ebbing.clock import format_time, parse_time
from ebbing.memory import Memory
from ebbing.recall.answering import RecalledMemory

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session


class EbbingMemoryService(BaseMemoryService):
    """ADK's interface over one store; `top_k` is the most memories that a search returns."""

    def __init__(self, path: Path | str | None = None, *, top_k: int = 10) -> None:
        """Name a store that exists; `ebbing init` makes one."""
        self._memory = Memory(path, actor="adk")
        self._top_k = top_k

    async def add_session_to_memory(self, session: Session) -> None:
        """Log a session; what was logged of it before is not added again."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Log some events of a session; of each what was said, no calls of tools."""
        said = [
            Said(
                role="user" if event.author == "user" else "assistant",
                text=_text(event.content),
                message_id=event.id,
                at=datetime.fromtimestamp(event.timestamp, UTC).replace(tzinfo=None),
            )
            for event in events
            if not event.partial
        ]
        await asyncio.to_thread(
            log,
            self._of(app_name, user_id),
            said,
            session_id=session_id or f"{app_name} {user_id}",
            source="adk",
        )

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memories as they are."""
        memory = self._of(app_name, user_id)
        for entry in memories:
            at = parse_time(entry.timestamp) if entry.timestamp else None
            await asyncio.to_thread(memory.remember, _text(entry.content), at=at)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the memories that answer a query best."""
        memory = self._of(app_name, user_id)
        found = await asyncio.to_thread(memory.recall, query, top_k=self._top_k)
        return SearchMemoryResponse(memories=[_entry(one) for one in found.memories])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Take a memory out of recall; only `ebbing erase` removes it for good."""
        if memory_id is not None:
            await asyncio.to_thread(self._of(app_name, user_id).forget, memory_id)

    def _of(self, app_name: str, user_id: str) -> Memory:
        return self._memory.scoped(f"{app_name}/{user_id}")


def _text(content: Content | None) -> str:
    parts = (content.parts or []) if content is not None else []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _entry(memory: RecalledMemory) -> MemoryEntry:
    return MemoryEntry(
        id=memory.memory_id,
        content=Content(role="user", parts=[Part(text=memory.content)]),
        author=memory.kind,
        timestamp=format_time(memory.created_at),
        custom_metadata={"score": memory.score},
    )
