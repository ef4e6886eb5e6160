"""The facade: everything that can be done with a memory, in Python.

from ebbing import Memory

memory = Memory.create("~/agent-memory")
memory.remember("The router's address is 192.168.9.1")
for found in memory.recall("router address").memories:
    print(found.content, found.score)
memory.maintain()
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from ebbing import journal
from ebbing.clock import parse_time, utc_now
from ebbing.embedding import Embedder, Vector, default_model, get_embedder
from ebbing.embedding.model import (
    RecordedModel,
    embed,
    embedder_for,
    recorded_model,
)
from ebbing.errors import (
    InputError,
    ModelMismatch,
    ProviderError,
    ScopeError,
    StoreBusy,
    StoreReadOnly,
)
from ebbing.journal import ids
from ebbing.journal.writing import Origin, Remembered, clean_origin, write_event
from ebbing.recall.answering import (
    Outcome,
    Query,
    Recalled,
    RecalledMemory,
    RecallLog,
    answer_all,
    checked_similarity,
    checked_top_k,
    clean_query,
    passage_of,
)
from ebbing.recall.context import Context, compose
from ebbing.safety.redaction import safe_text
from ebbing.safety.text import clean, clean_id, clean_namespace
from ebbing.store.foreign_code import refuse_foreign_code
from ebbing.store.location import INTENT_NAME
from ebbing.store.store import Store

# The rest is imported where it is called: who recalls has no use for what maintains or erases.
if TYPE_CHECKING:
    import duckdb

    from ebbing.erasure.plan import Plan
    from ebbing.erasure.run import Erased
    from ebbing.ingest.ingestion import ByteProgress, Ingested
    from ebbing.learning.corrections import Corrected
    from ebbing.learning.tasks import Attribution, EndedTask, StartedTask, Task
    from ebbing.llm_extraction import Extracted, Limits, Model
    from ebbing.llm_extraction.prompt import Known
    from ebbing.maintenance.backup import BackedUp
    from ebbing.maintenance.dbt import Progress
    from ebbing.maintenance.export import Exported
    from ebbing.maintenance.finding import Finding
    from ebbing.maintenance.importing import Imported
    from ebbing.maintenance.maintain import Maintained, Reembedded
    from ebbing.maintenance.purge import Purged
    from ebbing.maintenance.repair import Repaired
    from ebbing.maintenance.replay import Candidate, Replay
    from ebbing.maintenance.status import Status
    from ebbing.recall.explaining import Explanation, WhyNot
    from ebbing.recall.listing import LiveMemory
    from ebbing.recall.lookup import Version
    from ebbing.remote.registry import RemoteState
    from ebbing.remote.sync import Synced

_logger = logging.getLogger("ebbing")

DEFAULT_NAMESPACE = "default"

_WITHOUT_VECTOR = "stored without its vector, which the next maintenance makes: {}"

# How long a recall waits for what is new at a remote, in seconds.
_LONGEST_PULL = 0.3

# How many logs of recalls wait for a writer before one of them is made to write.
_MOST_LOGS = 50

# How many of a request's messages are looked up among the memories.
_MOST_QUERIES = 8


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of a memory's state that is in the journal, or waits in the spool."""

    memory_id: str
    is_spooled: bool


class Memory:
    """One store and one scope; holds nothing open between calls, and threads may share it.

    `namespace` is the scope of what is written, and of recalls that name none, together with
    `recalled_with`. `clock` returns naive UTC; give one to replay time. `actor` says in the journal
    who did it. `budget` is the longest wait for a busy store, in seconds.
    """

    def __init__(
        self,
        path: Path | str | None = None,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        recalled_with: Sequence[str] = (),
        embedder: Embedder | None = None,
        actor: str = "user",
        budget: float = 5.0,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Name a store that exists, or will when it is first used; see `Memory.create`."""
        self.store = Store(path, budget=budget)
        self.namespace = clean_namespace(namespace)
        self.recalled_with = tuple(clean_namespace(one) for one in recalled_with)
        self.actor = actor
        self._given = embedder
        self._clock = clock
        self._model: RecordedModel | None = None
        self._embedder_of: dict[RecordedModel, Embedder] = {}
        self._embedder_lock = Lock()
        self._pending: set[Future[None]] = set()

    @classmethod
    def create(
        cls,
        path: Path | str | None = None,
        *,
        model: str | None = None,
        namespace: str = DEFAULT_NAMESPACE,
        embedder: Embedder | None = None,
        actor: str = "user",
        budget: float = 5.0,
        clock: Callable[[], datetime] = utc_now,
        progress: Progress | None = None,
    ) -> Memory:
        """Make a store, record its embedding model, build the dbt project in it.

        One that exists is completed and otherwise left as it is; another model than the recorded
        one raises `ModelMismatch`.
        """
        from ebbing.maintenance.maintain import create

        memory = cls(
            path, namespace=namespace, embedder=embedder, actor=actor, budget=budget, clock=clock
        )
        chosen = embedder or (get_embedder(model) if model else None)

        def to_record(recorded: RecordedModel | None) -> Embedder | None:
            if recorded is None:
                return chosen or get_embedder(default_model())
            if chosen is not None:
                embedder_for(recorded, chosen)
            return None

        memory._finish_erasure(progress)
        create(memory.store, to_record, at=clock(), progress=progress)
        return memory

    # Writing

    def remember(
        self,
        content: str,
        *,
        kind: str = "fact",
        namespace: str | None = None,
        at: datetime | None = None,
        importance: float | None = None,
        is_pinned: bool = False,
        expires_at: datetime | None = None,
        method: str = "remembered",
        origin: Origin | None = None,
        wait: bool = True,
        with_vector: bool = True,
    ) -> Remembered:
        """Store one memory; it can be recalled when this returns.

        The same text in the same namespace is the same memory: stating it again strengthens it.
        `at` is when it is true from (naive UTC, default now). Secrets are redacted first. If the
        embedding provider is down, the memory is stored and waits for its vector.
        """
        now = self._clock()
        event, redacted = write_event(
            content,
            namespace=self.namespace if namespace is None else namespace,
            kind=kind,
            actor=self.actor,
            method=method,
            at=at or now,
            recorded_at=now,
            importance=importance,
            is_pinned=is_pinned,
            expires_at=expires_at,
            origin=clean_origin(origin),
        )
        try:
            vectors, note = self._vectors(event, wait=wait) if with_vector else ((), None)
        except StoreBusy:
            # Which model the store uses is not to be learnt now, and the memory need not wait.
            vectors, note, wait = (), _WITHOUT_VECTOR.format("the store is busy"), False
        appended = self.store.append([event, *vectors], wait=wait)
        if appended.away is not None:
            note = f"kept here, and not sent yet: {appended.away}"
        return Remembered(
            memory_id=event.memory_id,
            content=event.content,
            valid_from=event.occurred_at,
            is_spooled=appended.spooled > 0,
            is_embedded=bool(vectors),
            redacted=redacted,
            note=note,
        )

    def correct(
        self,
        memory_id: str,
        new_content: str,
        *,
        reason: str | None = None,
        at: datetime | None = None,
    ) -> Corrected:
        """Put a memory right: the new text is live, the old one is history with the reason.

        `at` is when the new text is true from (naive UTC, default now). Refused for a memory of
        another namespace and for one that is not live.
        """
        from ebbing.learning.corrections import Corrected

        now = self._clock()
        event, _ = write_event(
            new_content,
            namespace=self.namespace,
            kind="fact",
            actor=self.actor,
            method="corrected",
            at=at or now,
            recorded_at=now,
        )
        change = journal.MemoryChange(
            memory_id=memory_id,
            change="supersede",
            other_memory_id=event.memory_id,
            reason="corrected" if reason is None else safe_text(reason),
            actor=self.actor,
            occurred_at=at or now,
            recorded_at=now,
        )
        try:
            vectors, note = self._vectors(event)
        except StoreBusy:
            vectors, note = (), _WITHOUT_VECTOR.format("the store is busy")
        appended = self.store.append([event, change, *vectors], namespace=self.namespace)
        return Corrected(event.memory_id, memory_id, appended.spooled > 0, note)

    def purge(self, *, at: datetime | None = None, is_dry_run: bool = False) -> Purged:
        """Apply the rules of forgetting (seed garbage_rules) to this namespace."""
        from ebbing.maintenance.purge import purge

        self.flush()
        return purge(
            self.store,
            namespace=self.namespace,
            actor=self.actor,
            at=at or self._clock(),
            is_dry_run=is_dry_run,
        )

    def forget(self, memory_id: str, *, reason: str = "asked for") -> Changed:
        """Take a memory out of recall at once; `restore` brings it back."""
        return self._change(memory_id, "forget", reason)

    def restore(self, memory_id: str, *, reason: str | None = None) -> Changed:
        """Bring a forgotten or superseded memory back into recall."""
        return self._change(memory_id, "restore", reason)

    def pin(self, memory_id: str) -> Changed:
        """Exempt a memory from the rules of forgetting."""
        return self._change(memory_id, "pin", None)

    def unpin(self, memory_id: str) -> Changed:
        """Let the rules of forgetting apply again."""
        return self._change(memory_id, "unpin", None)

    def unmerge(self, memory_id: str) -> Changed:
        """Take a text out of the memory that it was merged into; it stays by itself."""
        return self._change(memory_id, "unmerge", None)

    def scoped(self, namespace: str) -> Self:
        """Return a facade of the same store that writes to another scope."""
        other = copy(self)
        other.namespace = clean_namespace(namespace)
        return other

    # Reading

    def recall(
        self,
        query: str,
        *,
        top_k: int = 5,
        namespaces: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        min_similarity: float = 0.0,
        as_of: datetime | None = None,
        session_id: str | None = None,
        task_id: str | None = None,
        is_logged: bool = True,
        with_vector: bool = True,
    ) -> Recalled:
        """Return the memories that answer a query best; see `recall_many`."""
        return self.recall_many(
            [query],
            top_k=top_k,
            namespaces=namespaces,
            kinds=kinds,
            min_similarity=min_similarity,
            as_of=as_of,
            session_id=session_id,
            task_id=task_id,
            is_logged=is_logged,
            with_vector=with_vector,
        )[0]

    def recall_many(
        self,
        queries: Sequence[str],
        *,
        top_k: int = 5,
        namespaces: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        min_similarity: float = 0.0,
        as_of: datetime | None = None,
        session_id: str | None = None,
        task_id: str | None = None,
        is_logged: bool = True,
        with_vector: bool = True,
    ) -> list[Recalled]:
        """Answer several queries of one scope in one statement, each best first.

        `as_of` looks into the past (naive UTC) and strengthens nothing. `min_similarity` is a
        cosine, -1 to 1. Without a vector (provider down) words alone are compared, and the
        answer's note says so. Each recall and its hits are logged after the answer is ready.
        """
        scope = self._scope(namespaces)
        asked_at = self._clock()
        texts = [clean_query(text) for text in queries]
        clean_id(session_id, "session")
        clean_id(task_id, "task")
        model = self._recorded()
        vectors, note = self._query_vectors(model, texts) if with_vector else (None, None)
        prepared = [
            Query(
                text=text,
                vector=vectors[position] if vectors else None,
                namespaces=scope,
                kinds=None if kinds is None else tuple(kinds),
                top_k=checked_top_k(top_k),
                min_similarity=checked_similarity(min_similarity),
                as_of=as_of,
                at=asked_at,
            )
            for position, text in enumerate(texts)
        ]
        self._take_in()
        with self._reading() as connection:
            if recorded_model(connection) != model:
                self._model = None
                raise ModelMismatch(
                    "the store has changed to another model; nothing was harmed; ask again"
                )
            answers = answer_all(connection, prepared, note=note)
        if is_logged:
            logged = RecallLog(
                model_id=model.model_id if vectors else None,
                actor=self.actor,
                session_id=session_id,
                task_id=task_id,
            )
            self._log(logged.events(prepared, answers))
        return answers

    def context(
        self,
        *queries: str,
        budget: int = 1_000,
        top_k: int = 20,
        namespaces: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        as_of: datetime | None = None,
        session_id: str | None = None,
        task_id: str | None = None,
        with_vector: bool = True,
    ) -> Context:
        """Return a block of memories for a prompt, of at most `budget` tokens."""
        if budget < 1:
            raise InputError(f"a budget of {budget} tokens holds nothing; give a larger one")
        answers = self.recall_many(
            queries,
            top_k=top_k,
            namespaces=namespaces,
            kinds=kinds,
            as_of=as_of,
            session_id=session_id,
            task_id=task_id,
            with_vector=with_vector,
        )
        return compose(answers, budget=budget, passage=self._passage)

    def _passage(self, content: str, query: str, most_characters: int) -> str:
        with self._reading() as connection:
            return passage_of(connection, content, query, most_characters)

    def history(self, memory_id: str) -> tuple[Version, ...]:
        """Return every version of a memory and of those it superseded or that superseded it."""
        from ebbing.recall.lookup import history

        with self._reading() as connection:
            return history(connection, memory_id, self.namespace)

    def live(self, *, top_k: int = 50) -> tuple[LiveMemory, ...]:
        """Return the live memories of the namespace, the newest first."""
        from ebbing.recall.listing import live_memories

        self._fold_waiting()
        with self._reading() as connection:
            return live_memories(
                connection, self.namespace, at=self._clock(), top_k=checked_top_k(top_k)
            )

    def status(self, *, at: datetime | None = None) -> Status:
        """Return counts, and how strengths and similarities are distributed."""
        from ebbing.maintenance.status import read_status

        with self._reading() as connection:
            return read_status(connection, self.store, at=at or self._clock())

    # Learning

    def start_task(
        self,
        description: str,
        *,
        top_k: int = 5,
        session_id: str | None = None,
        with_vector: bool = True,
    ) -> StartedTask:
        """Begin a task and recall what its description asks for.

        Give `task_id` to the recalls that follow, rate what they brought back in `end_task`.
        """
        from ebbing.learning.tasks import StartedTask, task_start

        event = task_start(
            description,
            namespace=self.namespace,
            session_id=clean_id(session_id, "session"),
            actor=self.actor,
            at=self._clock(),
        )
        try:
            recalled = self.recall(
                event.description,
                top_k=top_k,
                session_id=session_id,
                task_id=event.task_id,
                with_vector=with_vector,
            )
        except StoreBusy as busy:
            recalled = Recalled(
                ids.recall_id(), event.description, (), Outcome.NOT_ASKED, str(busy)
            )
        appended = self.store.append([event])
        return StartedTask(event.task_id, recalled, is_spooled=appended.spooled > 0)

    def end_task(
        self,
        task_id: str,
        *,
        is_completed: bool,
        tokens_used: int | None = None,
        tool_calls: int | None = None,
        errors: int | None = None,
        user_corrections: int | None = None,
        ratings: Mapping[str, int] | None = None,
        at: datetime | None = None,
    ) -> EndedTask:
        """End a task: how it went, and how useful each memory was that was recalled in it.

        `ratings` maps memory ids to 0 (misled), 1 (hardly any use), 2 (useful) or 3 (needed).
        """
        from ebbing.learning.tasks import end_task

        self.flush()
        now = self._clock()
        end = journal.TaskEnd(
            task_id=task_id,
            tokens_used=tokens_used,
            tool_calls=tool_calls,
            errors=errors,
            user_corrections=user_corrections,
            is_completed=is_completed,
            actor=self.actor,
            occurred_at=parse_time(at or now),
            recorded_at=now,
        )
        return end_task(self.store, end, ratings=ratings or {}, namespace=self.namespace)

    def tasks(self, *, top_k: int = 20) -> tuple[Task, ...]:
        """Return the tasks of the namespace, the last one started first."""
        from ebbing.learning.tasks import list_tasks

        self._fold_waiting()
        with self._reading() as connection:
            return list_tasks(connection, self.namespace, top_k=checked_top_k(top_k))

    def attribution(self, task_id: str) -> tuple[Attribution, ...]:
        """Return what a task says of each memory recalled in it, as of the last maintenance."""
        from ebbing.learning.tasks import attribution

        with self._reading() as connection:
            return attribution(connection, task_id, self.namespace)

    def why(self, memory_id: str, *, at: datetime | None = None) -> Explanation:
        """Return every event and factor that made a memory's strength and weight what they are."""
        from ebbing.recall.explaining import why

        with self._reading() as connection:
            return why(connection, memory_id, namespace=self.namespace, at=at or self._clock())

    def why_not(
        self,
        memory_id: str,
        query: str,
        *,
        top_k: int = 5,
        at: datetime | None = None,
        with_vector: bool = True,
    ) -> WhyNot:
        """Return a memory's rank for a query, the score that beat it, and what lost it."""
        from ebbing.recall.explaining import why_not

        text = clean_query(query)
        vectors, _ = self._query_vectors(self._recorded(), [text]) if with_vector else (None, None)
        with self._reading() as connection:
            return why_not(
                connection,
                memory_id,
                text,
                vectors[0] if vectors else None,
                namespace=self.namespace,
                top_k=checked_top_k(top_k),
                at=at or self._clock(),
            )

    def replay(
        self,
        *,
        variables: Mapping[str, object] | None = None,
        seeds: Mapping[str, Path] | None = None,
        as_of: datetime | None = None,
        progress: Progress | None = None,
    ) -> Replay:
        """Build the memory under other settings in a scratch store, and show the difference."""
        from ebbing.maintenance.replay import replay

        self.flush()
        return replay(
            self.store, variables=variables or {}, seeds=seeds or {}, as_of=as_of, progress=progress
        )

    def tune(self) -> tuple[Candidate, ...]:
        """Compare decay models and parameters on the logged recalls and ratings."""
        from ebbing.maintenance.replay import tune

        with self._reading() as connection:
            return tune(connection)

    # Keeping

    def ingest(
        self,
        paths: Iterable[Path | str],
        *,
        namespace: str | None = None,
        format: str | None = None,
        progress: ByteProgress | None = None,
    ) -> Ingested:
        """Read session logs into the journal; what is there already is not added again.

        A path of `-` is standard input. Bad lines are skipped and named in the result.
        """
        from ebbing.ingest.ingestion import ingest

        scope = self.namespace if namespace is None else clean_namespace(namespace)
        return ingest(
            self.store, paths, namespace=scope, format=format, at=self._clock(), progress=progress
        )

    def extract(
        self,
        chat: Model | None = None,
        *,
        namespace: str | None = None,
        sessions: Sequence[str] = (),
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> Extracted:
        """Let a language model read the messages that it has not read yet.

        `chat` is by default the model that the environment names; without one nothing is sent.
        What it finds are memories with the method `inferred`; a second run adds nothing.
        """
        from ebbing.llm_extraction import ChatModel, Limits, extract

        scope = self.namespace if namespace is None else clean_namespace(namespace)
        chat = chat or ChatModel.from_environment()
        self._fold_waiting()
        return extract(
            self.store,
            chat,
            namespace=scope,
            sessions=sessions,
            limits=limits or Limits(),
            related=partial(self._known, scope),
            vectors=self.vectors_for,
            clock=self._clock,
            progress=progress,
        )

    def extract_estimate(
        self,
        model: str | None = None,
        *,
        namespace: str | None = None,
        sessions: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> Extracted:
        """Return what `extract` would read and spend at most; sends nothing."""
        from ebbing.llm_extraction import Limits, estimate
        from ebbing.llm_extraction.chat import model_name

        self._fold_waiting()
        return estimate(
            self.store,
            model=model_name(model),
            namespace=self.namespace if namespace is None else clean_namespace(namespace),
            sessions=sessions,
            limits=limits or Limits(),
        )

    def maintain(self, *, progress: Progress | None = None) -> Maintained:
        """Fold the spool, exchange with the remotes, embed what waits, run the dbt models.

        An erasure that was stopped halfway is finished first; one that another store made, and an
        import told of, is made here.
        """
        from ebbing.erasure.incoming import has_tombstones
        from ebbing.maintenance.maintain import maintain

        self.flush()
        self._finish_erasure(progress)
        if self.store.has_remotes():
            from ebbing.remote.keeping import sync_quietly

            sync_quietly(self.store, progress=progress)
        done = maintain(self.store, self._embedder, at=self._clock(), progress=progress)
        with self.store.read() as connection:
            is_erasing = has_tombstones(connection)
        if is_erasing:
            from ebbing.erasure.run import erase_as_elsewhere

            erase_as_elsewhere(self.store, at=self._clock(), progress=progress)
        if self.store.mirror.is_scattered():
            with self.store.write() as connection:
                self.store.mirror.rewrite(connection)
        return done

    def reembed(
        self,
        model: str | None = None,
        *,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> Reembedded:
        """Change the store to another embedding model; can be stopped and resumed.

        The old vectors serve until the new set is whole.
        """
        from ebbing.maintenance.maintain import reembed

        chosen = embedder or get_embedder(model or default_model())
        self._finish_erasure(progress)
        done = reembed(self.store, chosen, at=self._clock(), progress=progress)
        self._given, self._model, self._embedder_of = embedder, None, {}
        return done

    def erase(
        self, *memory_ids: str, at: datetime | None = None, progress: Progress | None = None
    ) -> Erased:
        """Remove memories for good, from every table, vector, file and log; see `Erased`."""
        from ebbing.erasure.run import erase

        self.flush()
        return erase(
            self.store,
            memory_ids,
            namespace=self.namespace,
            actor=self.actor,
            at=at or self._clock(),
            progress=progress,
        )

    def erase_preview(self, *memory_ids: str, progress: Progress | None = None) -> Plan:
        """Return what `erase` would touch; touches nothing."""
        from ebbing.erasure.run import preview

        self.flush()
        return preview(self.store, memory_ids, namespace=self.namespace, progress=progress)

    def export(self, path: Path | str, *, format: str = "json-lines") -> Exported:
        """Write the journal to a file (json-lines) or a new folder (parquet)."""
        from ebbing.maintenance.export import export

        self.flush()
        return export(self.store, Path(path), format=format, at=self._clock())

    def import_(self, path: Path | str, *, progress: Progress | None = None) -> Imported:
        """Read an export into the journal; what is there already is not added again.

        What was erased where the export comes from is erased here.
        """
        from ebbing.erasure.run import erase_as_elsewhere
        from ebbing.maintenance.importing import import_path, require_source
        from ebbing.maintenance.maintain import build_in

        # Before anything is made for it.
        source = require_source(Path(path))
        self.flush()
        self._finish_erasure(progress)
        done = build_in(self.store, lambda copy: import_path(copy, source), progress=progress)
        erased = erase_as_elsewhere(self.store, at=self._clock(), progress=progress)
        return replace(done, erased=erased)

    def backup(self, path: Path | str) -> BackedUp:
        """Copy the store, whole, to a new folder, beside running writers."""
        from ebbing.maintenance.backup import backup

        self.flush()
        return backup(self.store, Path(path), at=self._clock())

    def repair(self, *, progress: Progress | None = None) -> Repaired:
        """Make a store whose file is damaged anew from the mirror of its journal."""
        from ebbing.maintenance.maintain import create
        from ebbing.maintenance.repair import Damage, repair

        done = repair(self.store)
        self._finish_erasure(progress)
        if done.damage is not Damage.NONE:
            create(self.store, lambda recorded: None, at=self._clock(), progress=progress)
        return done

    def doctor(self) -> tuple[Finding, ...]:
        """Look at everything that the store needs; change nothing."""
        from ebbing.maintenance.doctor import examine

        self.flush()
        return examine(self.store)

    # Sharing

    def add_remote(self, url: str) -> Synced:
        """Share the journal with other machines, by Postgres or a folder; exchange at once.

        An address is `postgresql://HOST/DATABASE`, without a password, or `file:///FOLDER`.
        """
        from ebbing.remote.registry import add

        self.flush()
        return add(self.store, url)

    def remove_remote(self, url: str) -> RemoteState:
        """Share no longer; what came from there stays, and so does what is there."""
        from ebbing.remote.registry import remove

        return remove(self.store, url)

    def remotes(self) -> tuple[RemoteState, ...]:
        """Return the remotes, as the store knows them."""
        from ebbing.remote.registry import states

        with self.store.read() as connection:
            return states(connection, self.store)

    def grant_statements(self, role: str, namespaces: Sequence[str]) -> str:
        """Return the SQL by which a remote's owner lets a role see these namespaces alone."""
        from ebbing.remote.granting import grant_statements

        return grant_statements(role, namespaces)

    def sync(self, *, is_whole: bool = False) -> tuple[Synced, ...]:
        """Exchange with every remote what is new; `is_whole` reads all that is there again."""
        from ebbing.remote.sync import sync

        self.flush()
        return sync(self.store, is_whole=is_whole)

    def flush(self) -> None:
        """Wait until the recalls that were answered are logged; in the journal, if it is free."""
        self._logged_by_now()
        self._fold_waiting()

    # For adapters

    def now(self) -> datetime:
        """Return the present moment by this memory's clock, naive UTC."""
        return self._clock()

    def vectors_for(self, writes: Sequence[journal.MemoryWrite]) -> tuple[journal.Embedding, ...]:
        """Return the vectors of some writes; none while the embedding provider is down.

        Texts without one wait for the next maintenance, and words find them meanwhile.
        """
        if not writes:
            return ()
        try:
            texts = [(write.content_hash, write.content) for write in writes]
            return embed(self._embedder(), texts).events
        except ProviderError:
            return ()

    def log_recall(
        self, query: str, hits: Iterable[RecalledMemory], *, namespaces: Sequence[str]
    ) -> None:
        """Log a recall that was made with `is_logged=False`, with the hits that were of use."""
        scope = self._scope(namespaces)
        found = tuple(hits)
        asked = Query(
            text=clean_query(query),
            vector=None,
            namespaces=scope,
            top_k=max(1, len(found)),
            at=self._clock(),
        )
        answer = Recalled(ids.recall_id(), asked.text or "", found, Outcome.FOUND)
        self._log(RecallLog(model_id=None, actor=self.actor).events([asked], [answer]))

    # Within

    def _finish_erasure(self, progress: Progress | None) -> None:
        """Finish an erasure that was stopped halfway, if there is one."""
        if (self.store.folder / INTENT_NAME).exists():
            from ebbing.erasure.run import finish

            finish(self.store, progress=progress)

    def _scope(self, namespaces: Sequence[str] | None) -> tuple[str, ...]:
        if namespaces is None:
            return (self.namespace, *self.recalled_with)
        if isinstance(namespaces, str) or not namespaces:
            raise ScopeError("namespaces is no list of names; nothing was read; name at least one")
        return tuple(clean_namespace(namespace) for namespace in namespaces)

    @contextlib.contextmanager
    def _reading(self) -> Generator[duckdb.DuckDBPyConnection]:
        """Open the store to ask its views and macros, if they are those that ebbing builds."""
        with self.store.read() as connection:
            refuse_foreign_code(connection, self.store.path)
            yield connection

    def _recorded(self, *, budget: float | None = None) -> RecordedModel:
        if self._model is None:
            with self.store.read(budget=budget) as connection:
                self._model = recorded_model(connection)
        return self._model

    def _embedder(self) -> Embedder:
        model = self._recorded()
        with self._embedder_lock:
            # Two first calls at once would load the model twice.
            if model not in self._embedder_of:
                self._embedder_of = {model: embedder_for(model, self._given)}
            return self._embedder_of[model]

    def _vectors(
        self, event: journal.MemoryWrite, *, wait: bool = True
    ) -> tuple[tuple[journal.Embedding, ...], str | None]:
        self._recorded(budget=None if wait else 0.0)
        try:
            vectors = embed(self._embedder(), [(event.content_hash, event.content)])
        except ProviderError as error:
            return (), _WITHOUT_VECTOR.format(error)
        return vectors.events, vectors.notes.get(event.content_hash)

    def _query_vectors(
        self, model: RecordedModel, texts: Sequence[str]
    ) -> tuple[list[Vector] | None, str | None]:
        embedder = self._embedder()
        try:
            return [embedder.embed_query(text) for text in texts], None
        except ProviderError as error:
            return None, f"answered by words alone: {error}"

    def _known(self, namespace: str, texts: Sequence[str]) -> list[Known]:
        """Return the live memories near the last of some texts, each once."""
        from ebbing.llm_extraction.prompt import Known

        queries = [text for text in texts if clean(text)][-_MOST_QUERIES:]
        if not queries:
            return []
        # The messages themselves stand in the prompt already; they must not crowd out memories.
        answers = self.recall_many(
            queries, top_k=20, namespaces=[namespace], min_similarity=-1.0, is_logged=False
        )
        found = {
            memory.memory_id: Known(memory.memory_id, memory.kind, memory.content)
            for answer in answers
            for memory in [one for one in answer.memories if one.kind != "episode"][:3]
        }
        return list(found.values())

    def _change(self, memory_id: str, change: str, reason: str | None) -> Changed:
        event = journal.MemoryChange(
            memory_id=memory_id,
            change=change,
            reason=None if reason is None else safe_text(reason),
            actor=self.actor,
            occurred_at=self._clock(),
            recorded_at=self._clock(),
        )
        appended = self.store.append([event], namespace=self.namespace)
        return Changed(memory_id, is_spooled=appended.spooled > 0)

    def _waiting(self) -> list[Path]:
        return self.store.spool.waiting()

    def _take_in(self) -> None:
        """Let what remotes and the spool have be recalled too, where that is quick."""
        if self.store.has_remotes():
            from ebbing.remote.sending import refresh

            refresh(self.store, budget=_LONGEST_PULL)
        if self.store.spool.has_news():
            self._fold_waiting()

    def _fold_waiting(self) -> None:
        """Let what waits in the spool be recalled too, unless the store is busy."""
        if not self._waiting():
            return
        with contextlib.suppress(StoreBusy, StoreReadOnly), self.store.write(budget=0.2) as found:
            self.store.fold_spool(found)

    def _log(self, events: Sequence[journal.Event]) -> None:
        """Leave the log to the next writer, in the background: no answer waits for it.

        To open the store for each would shut out everybody else for as long as a recall takes.
        """
        pending = _logger_thread().submit(self.store.leave, events, most_waiting=_MOST_LOGS)
        self._pending.add(pending)
        pending.add_done_callback(self._logged)

    def _logged_by_now(self) -> None:
        for pending in [*self._pending]:
            pending.result()

    def _logged(self, pending: Future[None]) -> None:
        self._pending.discard(pending)
        if (error := pending.exception()) is not None:
            _logger.warning("a recall could not be logged: %s; its answer was given", error)


@cache
def _logger_thread() -> ThreadPoolExecutor:
    # One thread keeps the order; the interpreter waits for it before it ends.
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="ebbing-log")
