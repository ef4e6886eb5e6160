"""Commands that read: recall, context, history, status."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from ebbing.cli.options import (
    as_of_option,
    json_option,
    namespace_option,
    resolved_namespace,
    store_option,
)
from ebbing.cli.output import as_json, bars, note, show, table
from ebbing.memory import Memory
from ebbing.recall import Outcome, Recalled

_EMPTY = {
    Outcome.BELOW_THRESHOLD: "nothing near enough: memories are stored, all below the threshold",
    Outcome.NOTHING_STORED: "nothing stored in this namespace",
}


@click.command()
@click.argument("queries", nargs=-1, required=True, metavar="QUERY...")
@store_option
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
@click.option("--k", "top_k", default=5, show_default=True, help="Most memories for each query.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given several times.")
@click.option(
    "--min-similarity",
    default=0.0,
    show_default=True,
    help="Least cosine, -1 to 1; see the histogram of `ebbing status` first.",
)
@as_of_option
@click.option("--words-only", is_flag=True, help="Compare words alone; loads no model.")
@json_option
def recall(
    queries: tuple[str, ...],
    path: Path | None,
    namespaces: tuple[str, ...],
    top_k: int,
    kinds: tuple[str, ...],
    min_similarity: float,
    as_of: datetime | None,
    words_only: bool,
    as_json_: bool,
) -> None:
    """Print the memories that answer each query best.

    Several queries are answered in one statement. Each recall is logged, and strengthens what it
    found clearly related, unless --as-of looks into the past.
    """
    answers = Memory(path).recall_many(
        queries,
        top_k=top_k,
        namespaces=namespaces,
        kinds=kinds or None,
        min_similarity=min_similarity,
        as_of=as_of,
        with_vector=not words_only,
    )
    if as_json_:
        click.echo(as_json(answers))
        return
    for place, answer in enumerate(answers):
        if len(answers) > 1:
            click.echo(("\n" if place else "") + f"# {answer.query}")
        _print(answer)


@click.command()
@click.argument("queries", nargs=-1, required=True, metavar="QUERY...")
@store_option
@namespace_option
@click.option("--budget", default=1_000, show_default=True, help="Most tokens for the block.")
@click.option("--k", "top_k", default=20, show_default=True, help="Most memories for each query.")
@as_of_option
@json_option
def context(
    queries: tuple[str, ...],
    path: Path | None,
    namespace: str,
    budget: int,
    top_k: int,
    as_of: datetime | None,
    as_json_: bool,
) -> None:
    """Print a block of memories for a prompt: fenced, dated, within a budget of tokens."""
    block = Memory(path, namespace=namespace).context(
        *queries, budget=budget, top_k=top_k, as_of=as_of
    )
    if as_json_:
        click.echo(as_json(block))
        return
    if block.text:
        click.echo(block.text)
    else:
        note(
            f"{block.left_out} memories recalled, none fits {budget} tokens"
            if block.left_out
            else _EMPTY[block.outcome]
        )


@click.command()
@click.argument("memory_id", metavar="ID")
@store_option
@namespace_option
@json_option
def history(memory_id: str, path: Path | None, namespace: str, as_json_: bool) -> None:
    """Print every text that a memory has had, from when to when, and why it changed."""
    versions = Memory(path, namespace=namespace).history(memory_id)
    if as_json_:
        click.echo(as_json(versions))
        return
    if not versions:
        click.echo(f"{memory_id} is new: it has no history before the next `ebbing maintain`")
        return
    click.echo(
        table(
            ("id", "valid from", "valid to", "ended", "by", "why", "content"),
            (
                (
                    version.memory_id,
                    version.valid_from,
                    version.valid_to,
                    version.closed_because,
                    version.superseded_by or version.closed_by,
                    version.explanation,
                    version.content,
                )
                for version in versions
            ),
        )
    )


@click.command()
@store_option
@json_option
def status(path: Path | None, as_json_: bool) -> None:
    """Print counts, the distribution of strength, and the similarities of past recalls."""
    found = Memory(path).status()
    if as_json_:
        click.echo(as_json(found))
        return
    health = found.health
    rows = [
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
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"{name:<{width}}  {show(value)}")
    click.echo("\nStrength now, live memories")
    click.echo(bars((b.bucket_from, b.bucket_to, b.count) for b in found.strengths))
    click.echo("\nSimilarity of logged hits; look here before choosing --min-similarity")
    click.echo(bars((b.bucket_from, b.bucket_to, b.count) for b in found.similarities))


def _print(answer: Recalled) -> None:
    if answer.note:
        note(answer.note)
    if not answer.memories:
        note(_EMPTY[answer.outcome])
        return
    click.echo(
        table(
            ("id", "score", "similar", "words", "strength", "kind", "created", "content"),
            (
                (
                    memory.memory_id,
                    memory.score,
                    memory.similarity,
                    memory.lexical_score,
                    memory.strength,
                    memory.kind,
                    memory.created_at,
                    memory.content,
                )
                for memory in answer.memories
            ),
        )
    )


COMMANDS = (recall, context, history, status)
