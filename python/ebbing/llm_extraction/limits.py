"""What a run of extraction may spend, and what it has spent."""

from __future__ import annotations

from dataclasses import dataclass

from ebbing.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps of one run; prices are for a million tokens, in whatever currency `max_cost` is."""

    max_tokens: int | None = None
    max_cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InputError(
                f"{self.max_tokens} tokens are none; nothing was read; give a larger cap"
            )
        prices = (self.price_in, self.price_out)
        if not all(0.0 <= price < float("inf") for price in prices):
            raise InputError("a price is not 0 or more; nothing was read; give one per million")
        if self.max_cost is None:
            return
        if not 0.0 < self.max_cost < float("inf"):
            raise InputError(f"a cost of {self.max_cost} caps nothing; nothing was read; give more")
        if not any(prices):
            raise InputError(
                "a cost can be capped only where prices are known; nothing was read; "
                "give the prices of a million tokens, or cap the tokens"
            )

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return what so many tokens cost."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


class Spending:
    """Counts what was spent, and says before a request whether it would go beyond a cap."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tokens_in = 0
        self.tokens_out = 0

    @property
    def cost(self) -> float:
        """What was spent so far."""
        return self.limits.cost(self.tokens_in, self.tokens_out)

    def add(self, tokens_in: int, tokens_out: int) -> None:
        """Count a request that was answered."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def cap_reached_by(self, tokens_in: int, tokens_out: int) -> str | None:
        """Name the cap that a request of at most this size could break, or None."""
        limits = self.limits
        total_in = self.tokens_in + tokens_in
        total_out = self.tokens_out + tokens_out
        if limits.max_tokens is not None and total_in + total_out > limits.max_tokens:
            return "the cap on tokens"
        if limits.max_cost is not None and limits.cost(total_in, total_out) > limits.max_cost:
            return "the cap on cost"
        return None
