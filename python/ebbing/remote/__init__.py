"""Remotes: journals that several machines share, in Postgres or in a shared folder."""
