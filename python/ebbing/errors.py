"""What can go wrong, as a user sees it.

EbbingError
├── InputError          what was asked cannot be done as asked: unknown id, bad value
├── ScopeError          a namespace is missing, empty, or not the memory's own
├── StoreError          the store cannot be used
│   ├── StoreMissing    there is none at that path
│   ├── StoreBusy       another process held it for longer than the budget
│   │   └── ErasurePending   an erasure was stopped halfway, and is to be finished first
│   ├── StoreCorrupt    the file is not a store that this version can read
│   └── StoreReadOnly   the folder or disk does not take writes
├── EmbeddingError      text could not be embedded
│   ├── ModelMismatch   the store's vectors were made by another model
│   └── ProviderError   the provider is missing, down, slow or refused
├── RemoteError         a remote cannot be used
│   ├── RemoteAway      it did not answer in time, or the network is down
│   └── RemoteRefused   it is of another version or model, or does not let this user in
└── MaintenanceError    dbt could not finish; the journal is as it was

Each message is one line: what happened, what was not harmed, what to do.
"""

from __future__ import annotations


class EbbingError(Exception):
    """Root of every error that a user can cause or cure."""

    exit_code = 1


class InputError(EbbingError):
    """The request itself is wrong: an unknown id, a value out of range, unreadable text."""

    exit_code = 2


class ScopeError(InputError):
    """A namespace is null or empty, or the memory belongs to another one."""


class StoreError(EbbingError):
    """The store cannot be used as it is."""

    exit_code = 3


class StoreMissing(StoreError):
    """There is no store at the path; `ebbing init` makes one."""


class StoreBusy(StoreError):
    """Another process held the store for the whole budget; nothing was written."""


class ErasurePending(StoreBusy):
    """An erasure was stopped halfway; until it is finished nothing is read, and writes wait."""


class StoreCorrupt(StoreError):
    """The file is not a store, or a newer version wrote it; it was not touched."""


class StoreReadOnly(StoreError):
    """The folder cannot be written or the disk is full; nothing was written."""


class EmbeddingError(EbbingError):
    """Text could not be turned into a vector."""

    exit_code = 4


class ModelMismatch(EmbeddingError):
    """The store holds vectors of another model or dimension; nothing was written."""


class ProviderError(EmbeddingError):
    """The embedding or chat provider is missing, down, too slow, or refused the request."""


class RemoteError(EbbingError):
    """A remote cannot be used; the store answers and takes writes without it."""

    exit_code = 6


class RemoteAway(RemoteError):
    """The remote did not answer in time; what was to be sent waits in the store."""


class RemoteRefused(RemoteError):
    """The remote holds another model's vectors, is of a newer version, or denies access."""


class MaintenanceError(EbbingError):
    """dbt did not finish; the journal and the last maintained state are as they were."""

    exit_code = 5
