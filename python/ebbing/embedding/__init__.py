"""Text in, unit vectors out: one protocol, one registry, a module for each provider.

Importing this package loads no model and no numpy; a model is loaded at its first use.
"""

from __future__ import annotations

from ebbing.embedding.protocol import Embedded, Embedder, QueryMode, Vector
from ebbing.embedding.registry import (
    default_model,
    get_embedder,
    model_names,
    require_same_model,
)

__all__ = [
    "Embedded",
    "Embedder",
    "QueryMode",
    "Vector",
    "default_model",
    "get_embedder",
    "model_names",
    "require_same_model",
]
