"""Providers over the network: one way to ask them, with retries and limits."""
