"""Commands that read: recall, context, list, history, status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ebbing.cli.command import command, joined, listed, rows
from ebbing.cli.options import as_of_option, memory_id, resolved_namespace, top_k, words_only
from ebbing.cli.output import bars, note, show

if TYPE_CHECKING:
    from ebbing.maintenance.status import Status
    from ebbing.memory import Memory
    from ebbing.recall.answering import Recalled
    from ebbing.remote.registry import RemoteState

# By the outcome of a recall.
_EMPTY = {
    "below threshold": "nothing near enough: memories are stored, all below the threshold",
    "nothing stored": "nothing stored in this namespace",
}
_ANSWER = {
    "id": "memory_id",
    "score": "score",
    "similar": "similarity",
    "words": "lexical_score",
    "strength": "strength",
    "kind": "kind",
    "created": "created_at",
    "content": "content",
}


def _answers(answers: Sequence[Recalled]) -> str:
    shown = []
    for answer in answers:
        if answer.note:
            note(answer.note)
        found = rows(_ANSWER, answer.memories) if answer.memories else ""
        if not found:
            note(_EMPTY[answer.outcome])
        shown.append(joined(f"# {answer.query}" if len(answers) > 1 else "", found))
    return "\n\n".join(shown)


@command(shown=_answers, is_scoped=False)
@click.argument("queries", nargs=-1, required=True, metavar="QUERY...")
@click.option(
    "--namespace",
    "-n",
    "namespaces",
    multiple=True,
    default=["default"],
    envvar="EBBING_NAMESPACE",
    show_default=True,
    callback=resolved_namespace,
    help="Scope to recall from, `auto` for that of the project folder; may be given several times.",
)
@top_k(5, "memories for each query")
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given several times.")
@click.option(
    "--min-similarity",
    default=0.0,
    show_default=True,
    help="Least cosine, -1 to 1; see the histogram of `ebbing status` first.",
)
@as_of_option
@words_only
def recall(
    memory: Memory, queries: tuple[str, ...], kinds: tuple[str, ...], words_only: bool, **how: Any
) -> object:
    """Print the memories that answer each query best.

    Several queries are answered in one statement. Each recall is logged, and strengthens what it
    found clearly related, unless --as-of looks into the past.
    """
    return memory.recall_many(queries, kinds=kinds or None, with_vector=not words_only, **how)


@command(shown="{done.text}")
@click.argument("queries", nargs=-1, required=True, metavar="QUERY...")
@click.option("--budget", default=1_000, show_default=True, help="Most tokens for the block.")
@top_k(20, "memories for each query")
@as_of_option
def context(memory: Memory, queries: tuple[str, ...], budget: int, **how: Any) -> object:
    """Print a block of memories for a prompt: fenced, dated, within a budget of tokens."""
    block = memory.context(*queries, budget=budget, **how)
    if block.left_out and not block.text:
        note(f"{block.left_out} memories recalled, none fits {budget} tokens")
    elif not block.text:
        note(_EMPTY[block.outcome])
    return block


@command(
    "list",
    shown=listed(
        {
            "id": "memory_id",
            "kind": "kind",
            "since": "valid_from",
            "from": "source",
            "content": "content",
        },
        empty="nothing stored in this namespace",
    ),
)
@top_k(50, "memories")
def list_(memory: Memory, top_k: int) -> object:
    """Print the live memories, the newest first."""
    return memory.live(top_k=top_k)


@command(
    shown=listed(
        {
            "id": "memory_id",
            "valid from": "valid_from",
            "valid to": "valid_to",
            "ended": "closed_because",
            "by": lambda version: version.superseded_by or version.closed_by,
            "why": "explanation",
            "content": "content",
        },
        empty="it is new: it has no history before the next `ebbing maintain`",
    )
)
@memory_id
def history(memory: Memory, memory_id: str) -> object:
    """Print every text that a memory has had, from when to when, and why it changed."""
    return memory.history(memory_id)


def _status(found: Status) -> str:
    health = found.health
    counts = [
        ("live memories", health.live_memories),
        ("  not maintained yet", found.unmaintained),
        ("  pinned", health.pinned_memories),
        ("forgotten", health.forgotten_memories),
        ("messages", health.messages),
        ("waiting for a vector", health.pending_embeddings),
        ("waiting in the spool", found.spooled),
        ("share at the floor", health.share_at_floor),
        ("hits of unknown memories", health.orphan_hits),
        ("embedding model", health.embedding_model),
        ("last maintenance", health.last_maintenance_at),
        *((f"kind {kind}", count) for kind, count in found.kinds),
        *((f"namespace {namespace}", count) for namespace, count in found.namespaces),
        *((f"remote {one.url}", _exchanged(one)) for one in found.remotes),
    ]
    width = max(len(name) for name, _ in counts)
    return joined(
        *(f"{name:<{width}}  {show(value)}" for name, value in counts),
        "\nStrength now, live memories",
        bars((b.bucket_from, b.bucket_to, b.count) for b in found.strengths),
        "\nSimilarity of logged hits; look here before choosing --min-similarity",
        bars((b.bucket_from, b.bucket_to, b.count) for b in found.similarities),
    )


def _exchanged(remote: RemoteState) -> str:
    at = f"exchanged {show(remote.exchanged_at)}" if remote.exchanged_at else "never read"
    return at + (", something to send" if remote.is_behind else "")


@command(shown=_status, is_scoped=False)
def status(memory: Memory) -> object:
    """Print counts, the distribution of strength, and the similarities of past recalls."""
    return memory.status()
