"""Forgetting by rule: what the seed garbage_rules names leaves recall, and can come back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ebbing import journal
from ebbing.rows import fetch_as
from ebbing.store.store import Store

_GARBAGE = """
    select memory_id, kind, content, rule_id, reason, explanation, brought_back_by
    from garbage(as_of := $at::timestamp)
    where namespace = $namespace
"""


@dataclass(frozen=True, slots=True)
class Garbage:
    """A memory that a rule takes out of recall, why, and what would bring it back."""

    memory_id: str
    kind: str
    content: str
    rule_id: str
    reason: str
    explanation: str
    brought_back_by: str


@dataclass(frozen=True, slots=True)
class Purged:
    """What the rules took out of recall; nothing was changed if it was a dry run."""

    memories: tuple[Garbage, ...]
    is_dry_run: bool


def purge(
    store: Store, *, namespace: str, actor: str, at: datetime, is_dry_run: bool = False
) -> Purged:
    """Apply the rules of forgetting to a namespace as of a moment (naive UTC)."""
    with store.held(exclusive=not is_dry_run):
        with store.read() if is_dry_run else store.write() as connection:
            if not is_dry_run:
                store.fold_spool(connection)
            found = fetch_as(connection, Garbage, _GARBAGE, {"at": at, "namespace": namespace})
        if found and not is_dry_run:
            store.append(
                [
                    journal.MemoryChange(
                        memory_id=memory.memory_id,
                        change="forget",
                        reason=memory.reason,
                        detail=memory.explanation,
                        actor=f"{actor}, by rule {memory.rule_id}",
                        occurred_at=at,
                        recorded_at=at,
                    )
                    for memory in found
                ]
            )
    return Purged(memories=tuple(found), is_dry_run=is_dry_run)
