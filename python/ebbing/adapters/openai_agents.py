"""A session of the OpenAI Agents SDK that ebbing remembers, and is recalled to.

    session = EbbingSession("s1", Memory(namespace="ada"))
    config = RunConfig(session_input_callback=session.recalled)
    await Runner.run(agent, "hello", session=session, run_config=config)

The items of the conversation are kept by another session of the SDK, by default one in memory:
they have to come back as they were. What the user and the assistant said goes into the log too.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from agents.memory import Session, SQLiteSession

from ebbing.adapters.said import Said, log
from ebbing.memory import Memory
from ebbing.recall.context import compose

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

_MOST = 10
_MOST_CHARACTERS = 4_000


class EbbingSession:
    """The SDK's interface; `budget` is the most tokens of memories that a turn is given."""

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        items: Session | None = None,
        budget: int = 600,
    ) -> None:
        """Remember in `memory`'s namespace, and keep the items of the conversation in `items`."""
        self.session_id = session_id
        self._items = items or SQLiteSession(session_id)
        self.session_settings: SessionSettings | None = self._items.session_settings
        self._memory = memory
        self._budget = budget
        self._shown: set[str] = set()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items of the conversation, the latest `limit` of them."""
        return await self._items.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items, and log what was said in them."""
        await self._items.add_items(items)
        said = [
            Said(role=role, text=text, at=self._memory.now())
            for role, text in map(_said, items)
            if role in ("user", "assistant") and text
        ]
        await asyncio.to_thread(
            log, self._memory, said, session_id=self.session_id, source="openai-agents"
        )

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item out of the conversation; the log keeps what was said."""
        return await self._items.pop_item()

    async def clear_session(self) -> None:
        """Begin the conversation anew; the log and the memories stay."""
        self._shown.clear()
        await self._items.clear_session()

    async def recalled(
        self, history: list[TResponseInputItem], new: list[TResponseInputItem]
    ) -> list[TResponseInputItem]:
        """Put the memories that fit what is new before it: the run's `session_input_callback`."""
        asked = "\n".join(text for role, text in map(_said, new) if role == "user")
        if not asked.strip():
            return [*history, *new]
        answer = await asyncio.to_thread(
            self._memory.recall, asked[:_MOST_CHARACTERS], top_k=_MOST, session_id=self.session_id
        )
        # What was said in this conversation, or given to it, is in it.
        here = {text for _, text in map(_said, history)}
        fresh = tuple(
            memory
            for memory in answer.memories
            if memory.memory_id not in self._shown and memory.content not in here
        )
        block = compose([replace(answer, memories=fresh)], budget=self._budget, passage=_beginning)
        if not block.memories:
            return [*history, *new]
        self._shown |= {memory.memory_id for memory in block.memories}
        given = cast("TResponseInputItem", {"role": "developer", "content": block.text})
        return [*history, given, *new]


def _said(item: Any) -> tuple[str, str]:
    """Return the role and the text of an item; no role for one that is no message."""
    role = item.get("role", "") if isinstance(item, dict) else ""
    content = item.get("content") if role else None
    if isinstance(content, str):
        return role, content
    parts = content if isinstance(content, list) else []
    return role, "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _beginning(content: str, query: str, most_characters: int) -> str:
    return content[:most_characters]
