"""What keeps a store: dbt, maintenance, replay, purge, erasure, transfer, diagnosis."""
