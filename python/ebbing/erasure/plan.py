"""What an erasure touches, found out before anything is touched.

A memory's texts, ids and vectors go. Of the texts that it was read from, or that mention it, in
its own namespace, the passages go, and no other memory's. A message without those passages is
read again by the rules, to see that it still says all else that it said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import duckdb

from ebbing.erasure import passages
from ebbing.erasure.passages import BLANK, Span, Words
from ebbing.journal import ids
from ebbing.maintenance.dbt import Dbt
from ebbing.rows import fetch
from ebbing.store.store import Store

_MEMBERS = """
    with given as (
        select unnest($memory_ids::varchar[]) as memory_id
    ),
    members as (
        select canonicals.memory_id
        from internal.int_memory_canonicals as canonicals
        where not $is_alone and canonicals.canonical_id in (
            select coalesce(own.canonical_id, given.memory_id)
            from given
            left join internal.int_memory_canonicals as own using (memory_id)
        )
        union
        select memory_id from given
    ),
    texts as (
        select memory_id, content, content_hash, null as message_id
        from internal.int_statements_extracted
        where namespace = $namespace
        union all
        select memory_id, content, content_hash, message_id
        from internal.int_episodes
        where namespace = $namespace
        union all
        select memory_id, content, content_hash, message_id
        from journal.memory_writes
        where namespace = $namespace
    )
    select distinct texts.memory_id, texts.content, texts.content_hash, texts.message_id
    from members
    inner join texts using (memory_id)
"""

_EXTRACTED_FROM = """
    select distinct message_id from internal.int_statements_extracted
    where namespace = $namespace and list_contains($memory_ids::varchar[], memory_id)
"""

# Others of the namespace: those whose text holds an erased one, and those of the same messages.
_OTHERS = """
    with texts as (
        select memory_id, content, message_id
        from journal.memory_writes
        where namespace = $namespace
        union
        select memory_id, content, null
        from internal.int_statements_extracted
        where namespace = $namespace
    )
    select distinct memory_id, content, message_id
    from texts
    where not list_contains($memory_ids::varchar[], memory_id)
        and (list_contains($message_ids::varchar[], message_id)
            or list_bool_or([contains({compared}, needle) for needle in $needles]))
    order by all
"""

# What an erased memory had displaced stays displaced.
_ORPHANED = """
    select distinct memory_id
    from memory_history
    where list_contains($memory_ids::varchar[], superseded_by)
        and not list_contains($memory_ids::varchar[], memory_id)
    order by memory_id
"""

# Other memories of the same text, in other namespaces, keep their vector.
_VECTORS = """
    with others as (
        select memory_id, content_hash from journal.memory_writes
        union all
        select memory_id, content_hash from internal.int_statements_extracted
        union all
        select memory_id, content_hash from internal.int_episodes
    ),
    erased as (
        select unnest($hashes::varchar[]) as content_hash
    )
    select content_hash from erased
    except
    select content_hash from others
    where not list_contains($memory_ids::varchar[], memory_id)
"""

_OWN_IDS = """
    select memory_id from journal.memory_writes where namespace = $namespace
    union
    select memory_id from internal.int_statements_extracted where namespace = $namespace
    union
    select memory_id from internal.int_episodes where namespace = $namespace
"""

# What a message said as a whole, under an id that follows from its words.
_EPISODES = """
    select message_id, memory_id, content, content_hash
    from internal.int_episodes
    where namespace = $namespace and list_contains($message_ids::varchar[], message_id)
"""

# Every other text that may mention a memory: table, column, which rows are the namespace's.
_FIELDS = (
    ("recalls", "query_text", "list_contains(namespaces, $namespace)"),
    ("task_starts", "description", "namespace = $namespace"),
    ("memory_writes", "metadata", "namespace = $namespace"),
    ("memory_changes", "reason", f"memory_id in ({_OWN_IDS})"),
    ("memory_changes", "detail", f"memory_id in ({_OWN_IDS})"),
    ("runs", "detail", "run_kind not in ('build', 'export', 'backup') and $namespace is not null"),
)

# Behind every event id.
_NEVER = "g"

_COUNTED = ("memory_writes", "memory_changes", "recall_hits", "ratings")

_STATEMENTS = """
    select message_id, content, clause, sentence
    from internal.statements_to_erase
    order by message_id, statement_seq
"""

_PASSAGES = "select message_id, content from internal.passages_to_erase"

# From this share of a memory's words on, a sentence is what a language model read it from.
_LEAST_LIKENESS = 1 / 3


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text of the journal that stays without a passage: which it is, and how it reads then."""

    table: str
    event_id: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All that an erasure touches.

    `texts` of the memory and of all merged into it go, with their rows, and so do the `vectors`
    of those content hashes that no other memory has. `wordings` are the texts, and the words that
    they were read from. `gone` are their ids, and those of the episodes that they were part of.
    `rewritten` are the texts around it. `lost`
    are other memories that cannot be read any more from what is left, and `kept_within` are other
    memories whose text holds an erased one: theirs stays.
    """

    namespace: str
    memory_ids: tuple[str, ...]
    texts: tuple[str, ...]
    wordings: tuple[str, ...]
    gone: tuple[str, ...]
    content_hashes: tuple[tuple[str, str], ...]
    vectors: tuple[str, ...]
    orphaned: tuple[str, ...]
    rewritten: tuple[Rewritten, ...]
    rows: tuple[tuple[str, int], ...]
    lost: tuple[str, ...]
    kept_within: tuple[str, ...]
    before: str

    @property
    def needles(self) -> tuple[str, ...]:
        """What copies outside the store are searched for."""
        return (*self.memory_ids, *(text for text in self.wordings if passages.is_passage(text)))


@dataclass(frozen=True, slots=True)
class _Message:
    event_id: str
    message_id: str
    role: str
    content: str
    occurred_at: datetime
    speaker: str | None
    is_dated: bool


@dataclass(slots=True)
class _Read:
    """What a message says: its statements, and its passages as episodes."""

    statements: list[_Statement] = field(default_factory=list)
    passages: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Statement:
    content: str
    clause: str
    sentence: str
    is_erased: bool


def make_plan(
    store: Store, dbt: Dbt, memory_ids: Sequence[str], namespace: str, *, before: str | None = None
) -> Plan:
    """Find out what an erasure touches; the caller holds the store, which is up to date.

    With `before`, an event id, it takes the memories alone, and only what was written before it.
    """
    end = before or _NEVER
    with store.write() as connection:
        given = {"memory_ids": memory_ids, "namespace": namespace, "is_alone": before is not None}
        rows = fetch(connection, _MEMBERS, given)
        members = sorted({row[0] for row in rows} | set(memory_ids))
        texts = sorted({row[1] for row in rows}, key=lambda text: (-len(text), text))
        scope = {"namespace": namespace, "memory_ids": members}
        # Which texts a language model, or somebody, took from which message.
        written = defaultdict(set)
        for _, content, _, message_id in rows:
            if message_id is not None:
                written[message_id].add(content)
        sources = {*written, *(row[0] for row in fetch(connection, _EXTRACTED_FROM, scope))}
        read_from = _messages(connection, namespace, (), sources, end)
        _lay_out(connection, ((m.event_id, m.content, m) for m in read_from))
    # What the user said, where the rules worded it otherwise: it may have been said elsewhere too.
    said = {
        one.clause
        for read in _read(store, dbt, namespace, members).values()
        for one in read.statements
        if one.is_erased and passages.is_passage(one.clause)
    }
    wordings = [*texts, *sorted(said - set(texts))]
    with store.write() as connection:
        given = {
            **scope,
            "message_ids": list(sources),
            "needles": [wanted for text in wordings if (wanted := passages.letters(text))],
        }
        others = fetch(connection, _OTHERS.format(compared=_compared("content")), given)
        messages = _messages(connection, namespace, wordings, sources, end)
        _lay_out(connection, ((m.event_id, m.content, m) for m in messages))
        kept = sorted({content for _, content, _ in others if _holds_any(content, wordings)})
        words = [
            *(Words(text, is_erased=True) for text in wordings),
            *(Words(text, is_erased=False) for text in kept),
        ]
        fields = list(_rewritten_fields(connection, namespace, wordings, words, end))
        displaced = fetch(connection, _ORPHANED, {"memory_ids": members})
        counted = tuple(_count(connection, members))
    read_now = _read(store, dbt, namespace, members)
    others_of = defaultdict(set)
    for _, content, message_id in others:
        others_of[message_id].add(content)
    candidates = {
        message.event_id: _candidates(
            message,
            read_now[message.event_id].statements,
            words,
            written[message.message_id],
            others_of[message.message_id],
        )
        for message in messages
    }
    rewritten, lost, said_still = _choose(
        store, dbt, namespace, members, messages, candidates, read_now
    )
    hashes = {(row[0], row[2]) for row in rows}
    with store.read() as connection:
        given = {"namespace": namespace, "message_ids": list(said_still)}
        # A message that lost a passage is another episode, and the one that it was is no more.
        hashes |= {
            (memory_id, content_hash)
            for message_id, memory_id, content, content_hash in fetch(connection, _EPISODES, given)
            if content not in said_still[message_id]
        }
        gone = sorted({memory_id for memory_id, _ in hashes} | set(members))
        given = {"hashes": [content_hash for _, content_hash in hashes], "memory_ids": gone}
        vectors = tuple(row[0] for row in fetch(connection, _VECTORS, given))
    return Plan(
        namespace=namespace,
        memory_ids=tuple(members),
        texts=tuple(texts),
        wordings=tuple(wordings),
        gone=tuple(gone),
        content_hashes=tuple(sorted(hashes)),
        vectors=vectors,
        orphaned=tuple(row[0] for row in displaced),
        rewritten=(*rewritten, *fields),
        rows=counted,
        lost=tuple(sorted(lost)),
        kept_within=tuple(kept),
        before=end,
    )


# What is looked at


def _compared(column: str) -> str:
    """Return SQL for what `passages.letters` compares of a column."""
    return rf"regexp_replace(lower({column}), '[\pZ\pP\pC\s]', '', 'g')"


def _prefilter(column: str, texts: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """Return SQL for the rows that may mention one of the texts, and its parameters."""
    given = list(texts)
    long = [passages.letters(text) for text in given if passages.is_passage(text)]
    short = [text for text in given if not passages.is_passage(text)]
    alone = "|".join(
        r"[\s\pP]*".join(re.sub(r"(\W)", r"\\\1", word) for word in re.split(r"\s+", text))
        for text in short
    )
    borders = r"\pP\s"
    return (
        f"(list_bool_or([contains({_compared(column)}, needle) for needle in $passages::varchar[]])"
        f" or ($words <> '' and regexp_matches({column}, $words)))",
        {
            "passages": long or ["\x00"],
            "words": f"(?is)(?:\\A|[{borders}])(?:{alone})(?:\\z|[{borders}])" if alone else "",
        },
    )


def _messages(
    connection: duckdb.DuckDBPyConnection,
    namespace: str,
    texts: Sequence[str],
    sources: Iterable[str],
    end: str,
) -> list[_Message]:
    condition, given = _prefilter("content", texts)
    rows = fetch(
        connection,
        "select event_id, message_id, role, content, occurred_at, speaker,"
        " coalesce(is_dated, true) from journal.messages"
        " where namespace = $namespace and event_id < $end"
        f" and (list_contains($message_ids::varchar[], message_id) or {condition})"
        " order by event_sequence",
        {"namespace": namespace, "message_ids": list(sources), "end": end, **given},
    )
    return [_Message(*row) for row in rows]


def _rewritten_fields(
    connection: duckdb.DuckDBPyConnection,
    namespace: str,
    texts: Sequence[str],
    words: Sequence[Words],
    end: str,
) -> Iterator[Rewritten]:
    for table, column, scope in _FIELDS:
        condition, given = _prefilter(column, texts)
        rows = fetch(
            connection,
            f"select event_id, {column} from journal.{table}"
            f" where event_id < $end and {scope} and {condition}",
            {"namespace": namespace, "end": end, **given},
        )
        blank = passages.in_json if column == "metadata" else passages.mentions_blanked
        for event_id, before in rows:
            after = blank(before, words)
            if after != before:
                yield Rewritten(table, event_id, column, before, after)


def _count(
    connection: duckdb.DuckDBPyConnection, memory_ids: Sequence[str]
) -> Iterator[tuple[str, int]]:
    for table in _COUNTED:
        rows = fetch(
            connection,
            f"select count(*) from journal.{table}"
            " where list_contains($memory_ids::varchar[], memory_id)",
            {"memory_ids": memory_ids},
        )
        yield f"journal.{table}", rows[0][0]


def _holds_any(content: str, texts: Iterable[str]) -> bool:
    return any(passages.mentions(text, content) for text in texts)


# What the rules read


def _lay_out(
    connection: duckdb.DuckDBPyConnection, rows: Iterable[tuple[str, str, _Message]]
) -> None:
    """Lay messages, or what may become of them, where the rules read them."""
    connection.execute(
        "create or replace table internal.messages_to_erase"
        " (message_id varchar, role varchar, content varchar, occurred_at timestamp,"
        " speaker varchar, is_dated boolean)"
    )
    given = [
        (name, one.role, content, one.occurred_at, one.speaker, one.is_dated)
        for name, content, one in rows
    ]
    if given:
        connection.executemany(
            "insert into internal.messages_to_erase values (?, ?, ?, ?, ?, ?)", given
        )


def _read(
    store: Store, dbt: Dbt, namespace: str, members: Sequence[str]
) -> defaultdict[str, _Read]:
    """Let the rules read what is laid out, and clear it away."""
    found: defaultdict[str, _Read] = defaultdict(_Read)
    with store.read() as connection:
        is_any = bool(fetch(connection, "select 1 from internal.messages_to_erase limit 1"))
    if is_any:
        dbt.operate("read_messages_to_erase")
    with store.write() as connection:
        if is_any:
            for name, content, clause, sentence in fetch(connection, _STATEMENTS):
                is_erased = ids.memory_id(namespace, content) in members
                found[name].statements.append(_Statement(content, clause, sentence, is_erased))
            for name, content in fetch(connection, _PASSAGES):
                found[name].passages.add(content)
        connection.execute("drop table if exists internal.statements_to_erase")
        connection.execute("drop table if exists internal.passages_to_erase")
        connection.execute("drop table if exists internal.messages_to_erase")
    return found


# What becomes of a message


def _candidates(
    message: _Message,
    statements: Sequence[_Statement],
    words: Sequence[Words],
    written: set[str],
    others: set[str],
) -> list[str]:
    """Return what a message may be without the passages, from the least change to the largest."""
    content = message.content
    read = [Words(one.clause, is_erased=one.is_erased, is_clause=True) for one in statements]
    known = {one.content for one in statements if one.is_erased}
    guessed = [text for text in written - known if not passages.mentions(text, content)]
    clauses, mentioned, kept = passages.claimed(content, [*read, *words])
    chosen = _most_like(content, guessed, [*others, *(one.content for one in statements)])
    clauses += [piece for span in chosen for piece in passages.outside(span, kept)]
    if not clauses and not mentioned and not any(one.is_erased for one in statements):
        return [content]
    spans = passages.merged([*clauses, *mentioned])
    wide = [
        piece
        for one in statements
        if one.is_erased
        for span in passages.places(one.sentence, content)
        for piece in passages.outside(span, kept)
    ]
    return list(
        dict.fromkeys(
            (
                passages.blanked(content, spans),
                passages.blanked(content, spans, is_bordered=True),
                passages.blanked(content, passages.merged([*spans, *wide]), is_bordered=True),
                passages.only(content, kept),
                BLANK,
            )
        )
    )


def _most_like(content: str, erased: Sequence[str], others: Sequence[str]) -> list[Span]:
    """Return the sentences that memories in other words were taken from.

    Where none can be told apart, all that is not another memory's.
    """
    if not erased:
        return []
    sentences = passages.sentences(content)
    scores = {
        span: (
            max(passages.likeness(text, content[span[0] : span[1]]) for text in erased),
            max(
                (passages.likeness(text, content[span[0] : span[1]]) for text in others),
                default=0.0,
            ),
        )
        for span in sentences
    }
    likely = [
        span for span, (own, other) in scores.items() if own >= _LEAST_LIKENESS and own >= other
    ]
    return likely or [span for span, (_, other) in scores.items() if other < _LEAST_LIKENESS]


def _choose(
    store: Store,
    dbt: Dbt,
    namespace: str,
    members: Sequence[str],
    messages: Sequence[_Message],
    candidates: dict[str, list[str]],
    read_now: dict[str, _Read],
) -> tuple[list[Rewritten], set[str], dict[str, set[str]]]:
    """Take of each message the least change after which it says all else, and nothing erased.

    Return the changes, what cannot be read any more, and what the messages say as episodes then.
    """
    changed = [message for message in messages if candidates[message.event_id] != [message.content]]
    with store.write() as connection:
        _lay_out(
            connection,
            (
                (f"{place}:{message.event_id}", content, message)
                for message in changed
                for place, content in enumerate(candidates[message.event_id])
            ),
        )
    read = _read(store, dbt, namespace, members)
    rewritten: list[Rewritten] = []
    lost: set[str] = set()
    said_still: dict[str, set[str]] = {}
    for message in changed:
        wanted = {one.content for one in read_now[message.event_id].statements if not one.is_erased}

        def cost(
            place: int, event_id: str = message.event_id, wanted: set[str] = wanted
        ) -> tuple[int, int, int]:
            found = read[f"{place}:{event_id}"].statements
            said = {one.content for one in found if not one.is_erased}
            return (
                sum(one.is_erased for one in found),
                len(wanted - said),
                len(said - wanted),
            )

        best = min(range(len(candidates[message.event_id])), key=cost)
        after = candidates[message.event_id][best]
        left = read[f"{best}:{message.event_id}"]
        lost |= wanted - {one.content for one in left.statements}
        said_still[message.message_id] = left.passages
        rewritten.append(Rewritten("messages", message.event_id, "content", message.content, after))
    return rewritten, lost, said_still
