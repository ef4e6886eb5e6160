"""One run of extraction: unread messages in, memories and a record of what was read out.

Each request's memories and its record are one transaction, so a run that is killed loses one
request at most, and the next run goes on behind the last record.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ebbing import journal
from ebbing.embedding.api import estimated_tokens
from ebbing.errors import ProviderError, StoreBusy
from ebbing.journal.writing import Origin, write_event
from ebbing.llm_extraction.answer import Answer, Found, Unusable, check, read_answer
from ebbing.llm_extraction.chat import DEFAULT_MAX_OUTPUT_TOKENS, Model, Reply
from ebbing.llm_extraction.limits import Limits, Spending
from ebbing.llm_extraction.prompt import (
    PROMPT_VERSION,
    Known,
    LoggedMessage,
    Prompt,
    answer_schema,
    compose,
    shown_text,
    system_prompt,
)
from ebbing.llm_extraction.unread import (
    DONE,
    REJECTED,
    RUN_KIND,
    is_any_read,
    known_kinds,
    session_messages,
    unread_sessions,
)
from ebbing.maintenance.dbt import Progress
from ebbing.store.store import Store

ACTOR = "extraction"
METHOD = "inferred"

# What one request holds at most; local models often take 8,192 tokens, rules and answer included.
_MOST_MESSAGES = 40
_MOST_MESSAGE_TOKENS = 3_500
_EARLIER = 4
_EARLIER_CHARACTERS = 600
# What a request spends beyond the texts: ids, roles, times, the schema, the known memories.
_TOKENS_BESIDE = 600
_TOKENS_PER_MESSAGE = 25


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why items of answers were refused, and how many."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What a run did, or with `is_estimate` would do at most.

    `left` messages of the user were not read, and `stopped` says why; of those, `rejected`
    ones had an answer that was of no use, and are tried again in the next two runs.
    """

    model: str
    sessions: int
    requests: int
    messages: int
    memories: int
    refused: tuple[Refusal, ...] = ()
    tokens_in: int
    tokens_out: int
    cost: float
    left: int
    rejected: int = 0
    stopped: str | None = None
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Messages of one session for one request, and what came before them."""

    session_id: str
    messages: tuple[LoggedMessage, ...]
    earlier: tuple[LoggedMessage, ...]

    @property
    def user_messages(self) -> int:
        return sum(message.role == "user" for message in self.messages)

    @property
    def message_ids(self) -> list[str]:
        return [message.message_id for message in self.messages]

    def halves(self) -> list[_Chunk]:
        """Return two requests in the place of this one, without such that hold no user message."""
        middle = len(self.messages) // 2
        first, second = self.messages[:middle], self.messages[middle:]
        halves = [
            _Chunk(self.session_id, first, self.earlier),
            _Chunk(self.session_id, second, _earlier(first)),
        ]
        return [half for half in halves if half.user_messages]


def extract(
    store: Store,
    chat: Model,
    *,
    namespace: str,
    sessions: Sequence[str] = (),
    limits: Limits,
    related: Callable[[Sequence[str]], Sequence[Known]],
    vectors: Callable[[Sequence[journal.MemoryWrite]], Sequence[journal.Embedding]],
    clock: Callable[[], datetime],
    progress: Progress | None = None,
) -> Extracted:
    """Read what the model has not read of the namespace, within the limits.

    `related` returns the live memories near some texts, `vectors` the vectors of writes. A
    provider that fails at once is a `ProviderError`; one that fails later ends the run, and what
    was done stays.
    """
    return _Run(store, chat, namespace, limits, related, vectors, clock).over(sessions, progress)


def estimate(
    store: Store,
    *,
    model: str,
    namespace: str,
    sessions: Sequence[str] = (),
    limits: Limits,
    max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS,
) -> Extracted:
    """Return what a run would read and spend at most; sends nothing and writes nothing."""
    spending = Spending(limits)
    plan = _Plan.of(store, namespace=namespace, model=model, sessions=sessions)
    chunks = list(plan.chunks)
    done: list[_Chunk] = []
    stopped = None
    for chunk in chunks:
        tokens_in = _estimated(chunk, plan.kinds)
        stopped = spending.cap_reached_by(tokens_in, max_output_tokens)
        if stopped:
            break
        spending.add(tokens_in, max_output_tokens)
        done.append(chunk)
    return Extracted(
        model=model,
        sessions=len({chunk.session_id for chunk in done}),
        requests=len(done),
        messages=sum(len(chunk.messages) for chunk in done),
        memories=0,
        tokens_in=spending.tokens_in,
        tokens_out=spending.tokens_out,
        cost=spending.cost,
        left=sum(chunk.user_messages for chunk in chunks[len(done) :]),
        stopped=stopped,
        is_estimate=True,
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """The unread messages in requests, in the order in which they were said."""

    kinds: Mapping[str, str]
    chunks: tuple[_Chunk, ...]

    @classmethod
    def of(cls, store: Store, *, namespace: str, model: str, sessions: Sequence[str]) -> _Plan:
        with store.read() as connection:
            kinds = known_kinds(connection)
            chunks = [
                chunk
                for session_id in unread_sessions(
                    connection, namespace=namespace, model=model, sessions=sessions
                )
                for chunk in _chunks(
                    session_id,
                    session_messages(
                        connection, namespace=namespace, model=model, session_id=session_id
                    ),
                )
            ]
        return cls(kinds, tuple(chunks))


class _Run:
    def __init__(
        self,
        store: Store,
        chat: Model,
        namespace: str,
        limits: Limits,
        related: Callable[[Sequence[str]], Sequence[Known]],
        vectors: Callable[[Sequence[journal.MemoryWrite]], Sequence[journal.Embedding]],
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._chat = chat
        self._namespace = namespace
        self._related = related
        self._vectors = vectors
        self._clock = clock
        self._spending = Spending(limits)
        self._kinds: Mapping[str, str] = {}
        self._sessions: set[str] = set()
        self._requests = self._messages = self._memories = self._rejected = 0
        self._refused: Counter[str] = Counter()

    def over(self, sessions: Sequence[str], progress: Progress | None) -> Extracted:
        plan = _Plan.of(
            self._store, namespace=self._namespace, model=self._chat.model, sessions=sessions
        )
        self._kinds = plan.kinds
        waiting = deque(plan.chunks)
        total = sum(chunk.user_messages for chunk in waiting)
        stopped = None
        while waiting and stopped is None:
            if progress is not None:
                progress(total - _user_messages(waiting), total, "messages")
            chunk = waiting.popleft()
            try:
                smaller, stopped = self._read(chunk)
            except ProviderError as error:
                if not self._requests:
                    raise
                smaller, stopped = [chunk], str(error)
            waiting.extendleft(reversed(smaller))
        return Extracted(
            model=self._chat.model,
            sessions=len(self._sessions),
            requests=self._requests,
            messages=self._messages,
            memories=self._memories,
            refused=tuple(Refusal(*one) for one in self._refused.most_common()),
            tokens_in=self._spending.tokens_in,
            tokens_out=self._spending.tokens_out,
            cost=self._spending.cost,
            left=_user_messages(waiting) + self._rejected,
            rejected=self._rejected,
            stopped=stopped,
        )

    def _read(self, chunk: _Chunk) -> tuple[list[_Chunk], str | None]:
        """Read a chunk; return what is still to be read of it, and why the run must stop."""
        from ebbing.provider.http import RequestRefused

        prompt = self._prompt(chunk)
        tries = 2
        while tries:
            tries -= 1
            tokens_in = _prompt_tokens(prompt)
            stopped = self._spending.cap_reached_by(tokens_in, self._chat.max_output_tokens)
            if stopped:
                return [chunk], stopped
            try:
                reply = self._ask(prompt, tokens_in)
            except RequestRefused as refused:
                is_too_long = "context" in refused.reason or "too long" in refused.reason
                if len(chunk.messages) > 1 and (self._requests or is_too_long):
                    return chunk.halves(), None
                if not self._requests:
                    raise
                self._reject(chunk, refused.reason, (0, 0))
                return [], None
            spent = (reply.tokens_in or 0, reply.tokens_out or 0)
            if reply.refusal is not None:
                self._reject(chunk, "the model refused", spent)
                return [], None
            try:
                answer = read_answer(reply.text)
            except Unusable as unusable:
                if reply.is_cut_off and len(chunk.messages) > 1:
                    return chunk.halves(), None
                if not tries:
                    self._reject(chunk, str(unusable), spent)
                continue
            if answer.is_cut_off and len(chunk.messages) > 1:
                # Asked in halves, each answer is shorter; what came is not kept, to have it once.
                return chunk.halves(), None
            if answer.is_cut_off and not answer.items:
                self._reject(chunk, "cut off", spent)
                return [], None
            self._keep(chunk, prompt, answer, spent)
            return [], None
        return [], None

    def _prompt(self, chunk: _Chunk) -> Prompt:
        said = [shown_text(message.content) for message in chunk.messages if message.role == "user"]
        return compose(
            chunk.messages,
            earlier=chunk.earlier,
            known=self._related(said),
            kinds=self._kinds,
        )

    def _ask(self, prompt: Prompt, tokens_in: int) -> Reply:
        reply = self._chat.ask(prompt.system, prompt.user, answer_schema(self._kinds))
        self._requests += 1
        # A server that does not count is taken at our estimate, which is on the high side.
        self._spending.add(
            tokens_in if reply.tokens_in is None else reply.tokens_in,
            estimated_tokens(reply.text) if reply.tokens_out is None else reply.tokens_out,
        )
        return reply

    def _keep(self, chunk: _Chunk, prompt: Prompt, answer: Answer, spent: tuple[int, int]) -> None:
        checked = check(answer, prompt, kinds=self._kinds.keys())
        writes = [self._write(chunk, found) for found in checked.found]
        vectors = self._vectors(writes)
        record = self._record(
            chunk,
            DONE,
            spent,
            memories=len(writes),
            refused=dict(Counter(checked.refused)),
            is_cut_off=answer.is_cut_off,
        )
        if not self._append(chunk, [*writes, *vectors, record]):
            return
        self._sessions.add(chunk.session_id)
        self._messages += len(chunk.messages)
        self._memories += len(writes)
        self._refused.update(checked.refused)
        if answer.is_cut_off:
            self._refused["cut off"] += 1

    def _reject(self, chunk: _Chunk, reason: str, spent: tuple[int, int]) -> None:
        self._append(chunk, [self._record(chunk, REJECTED, spent, reason=reason)])
        self._refused[f"answer of no use: {reason}"] += 1
        self._rejected += chunk.user_messages

    def _append(self, chunk: _Chunk, events: Sequence[journal.Event]) -> bool:
        """Append unless another run has read the same meanwhile."""
        try:
            with self._store.write() as connection:
                self._store.fold_spool(connection)
                is_read = is_any_read(
                    connection,
                    namespace=self._namespace,
                    model=self._chat.model,
                    message_ids=chunk.message_ids,
                )
                if not is_read:
                    self._store.append(events)
                return not is_read
        except StoreBusy:
            # What was paid for is not thrown away: it waits in the spool.
            self._store.append(events, wait=False)
            return True

    def _write(self, chunk: _Chunk, found: Found) -> journal.MemoryWrite:
        last = [source for source in found.sources if source.role == "user"][-1]
        metadata: dict[str, object] = {
            "source_message_ids": [source.message_id for source in found.sources],
            "prompt_version": PROMPT_VERSION,
        }
        if found.supersedes is not None:
            metadata["proposes_superseding"] = found.supersedes.memory_id
        event, _ = write_event(
            found.content,
            namespace=self._namespace,
            kind=found.kind,
            actor=ACTOR,
            method=METHOD,
            at=last.occurred_at,
            recorded_at=self._clock(),
            importance=found.importance,
            origin=Origin(
                session_id=chunk.session_id,
                message_id=last.message_id,
                model_id=self._chat.model,
                metadata=metadata,
            ),
        )
        return event

    def _record(
        self, chunk: _Chunk, outcome: str, spent: tuple[int, int], **detail: object
    ) -> journal.Run:
        now = self._clock()
        return journal.Run(
            run_kind=RUN_KIND,
            outcome=outcome,
            detail=json.dumps(
                {
                    "namespace": self._namespace,
                    "session_id": chunk.session_id,
                    "message_ids": chunk.message_ids,
                    "model": self._chat.model,
                    "prompt_version": PROMPT_VERSION,
                    "tokens_in": spent[0],
                    "tokens_out": spent[1],
                    **detail,
                },
                ensure_ascii=False,
            ),
            occurred_at=now,
            recorded_at=now,
        )


def _chunks(session_id: str, messages: Sequence[LoggedMessage]) -> Iterator[_Chunk]:
    """Cut the unread messages of a session into requests."""
    chunk: list[LoggedMessage] = []
    before: list[LoggedMessage] = []
    tokens = 0
    for message in messages:
        if message.is_read:
            if chunk:
                yield from _chunk(session_id, chunk, before)
                before, chunk, tokens = before + chunk, [], 0
            before.append(message)
            continue
        size = _message_tokens(message)
        is_full = len(chunk) == _MOST_MESSAGES or tokens + size > _MOST_MESSAGE_TOKENS
        if chunk and is_full:
            yield from _chunk(session_id, chunk, before)
            before, chunk, tokens = before + chunk, [], 0
        chunk.append(message)
        tokens += size
    yield from _chunk(session_id, chunk, before)


def _chunk(
    session_id: str, messages: Sequence[LoggedMessage], before: Sequence[LoggedMessage]
) -> Iterator[_Chunk]:
    # What the assistant says alone makes no memory, so it is not asked about.
    if any(message.role == "user" for message in messages):
        yield _Chunk(session_id, tuple(messages), _earlier(before))


def _earlier(messages: Sequence[LoggedMessage]) -> tuple[LoggedMessage, ...]:
    return tuple(
        LoggedMessage(
            message.message_id,
            message.role,
            message.content[:_EARLIER_CHARACTERS],
            message.occurred_at,
            message.is_read,
        )
        for message in messages[-_EARLIER:]
    )


def _user_messages(chunks: Sequence[_Chunk] | deque[_Chunk]) -> int:
    return sum(chunk.user_messages for chunk in chunks)


def _message_tokens(message: LoggedMessage) -> int:
    return estimated_tokens(shown_text(message.content)) + _TOKENS_PER_MESSAGE


def _prompt_tokens(prompt: Prompt) -> int:
    return estimated_tokens(prompt.system) + estimated_tokens(prompt.user) + _TOKENS_BESIDE // 2


def _estimated(chunk: _Chunk, kinds: Mapping[str, str]) -> int:
    texts = sum(map(_message_tokens, (*chunk.messages, *chunk.earlier)))
    return estimated_tokens(system_prompt(kinds)) + texts + _TOKENS_BESIDE
