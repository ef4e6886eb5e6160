"""Benchmarks: commands that print figures beside a baseline measured in the same run."""
