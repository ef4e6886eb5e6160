"""Long-term memory for AI agents: a dbt project over DuckDB, with a thin Python runner.

`Memory` is the facade; `Store`, `Embedder` and the errors are public beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ebbing.embedding import Embedder, get_embedder
    from ebbing.errors import EbbingError
    from ebbing.journal.writing import Origin, Remembered
    from ebbing.memory import Memory
    from ebbing.recall.answering import Outcome, Recalled, RecalledMemory
    from ebbing.recall.context import Context
    from ebbing.store.store import Store

__version__ = "0.1.0"

_HOMES = {
    "Context": "ebbing.recall.context",
    "EbbingError": "ebbing.errors",
    "Embedder": "ebbing.embedding",
    "Memory": "ebbing.memory",
    "Origin": "ebbing.journal.writing",
    "Outcome": "ebbing.recall.answering",
    "Recalled": "ebbing.recall.answering",
    "RecalledMemory": "ebbing.recall.answering",
    "Remembered": "ebbing.journal.writing",
    "Store": "ebbing.store.store",
    "get_embedder": "ebbing.embedding",
}

__all__ = [
    "Context",
    "EbbingError",
    "Embedder",
    "Memory",
    "Origin",
    "Outcome",
    "Recalled",
    "RecalledMemory",
    "Remembered",
    "Store",
    "__version__",
    "get_embedder",
]


def __getattr__(name: str) -> Any:
    # Late, so that a hook that needs one small module does not load them all.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
