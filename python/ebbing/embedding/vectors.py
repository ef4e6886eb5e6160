"""Vectors of length 1: normalising and pooling, the only arithmetic done outside of SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum, isfinite, sqrt

from ebbing.embedding.protocol import Vector

# Below this a vector's direction is rounding noise.
_SMALLEST_LENGTH = 1e-6


def unit(values: Iterable[float]) -> Vector | None:
    """Scale to length 1; None for a vector that is zero or holds a NaN or an infinity."""
    numbers = [float(value) for value in values]
    length = sqrt(fsum(number * number for number in numbers))
    if not isfinite(length) or length < _SMALLEST_LENGTH:
        return None
    return tuple(number / length for number in numbers)


def pooled(vectors: Sequence[Vector]) -> Vector | None:
    """Return the mean of the vectors of one text's windows, scaled to length 1."""
    if len(vectors) == 1:
        return vectors[0]
    return unit(fsum(column) for column in zip(*vectors, strict=True))
