"""Items of a LangGraph store as memories: names and texts.

Which items there are is said by the relation `langgraph_items`; nothing is stored beside the
journal.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote_to_bytes

import duckdb

from ebbing.errors import InputError
from ebbing.rows import fetch
from ebbing.safety.redaction import sanitise
from ebbing.safety.text import MAX_MEMORY_CHARACTERS, clean, repair

ROOT = "langgraph"
"""Namespaces of items begin with it, so that none is a namespace of other memories."""

MAX_KEY_CHARACTERS = 500

# Leaves room for a key behind the text.
_MOST_CHARACTERS = MAX_MEMORY_CHARACTERS - 10 * MAX_KEY_CHARACTERS

_LIVE = """
    from langgraph_items
    where
        (namespace = $scope or ($is_prefix and starts_with(namespace, $scope || '/')))
        and (expires_at is null or expires_at > $at)
"""

_ITEMS = f"""
    select event_id, memory_id, canonical_id, namespace, content, metadata
    {_LIVE}
    and (
        $keys::varchar[] is null
        or item_key in (select unnest($keys::varchar[]))
        or memory_id in (select unnest($memory_ids::varchar[]))
    )
    order by occurred_at, event_id
"""

_NAMESPACES = f"select distinct namespace {_LIVE}"


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A live item: the value, its times, and the write of the journal that holds it.

    `canonical_id` is the memory that recall finds it as.
    `ttl_minutes` is how long it lasts from its last write or read. Times are naive UTC.
    """

    event_id: str
    memory_id: str
    canonical_id: str
    namespace: tuple[str, ...]
    content: str
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    ttl_minutes: float | None
    is_indexed: bool

    def metadata(self) -> dict[str, object]:
        """Return what the write keeps of the item."""
        return item_metadata(
            key=self.key,
            value=self.value,
            created_at=self.created_at,
            updated_at=self.updated_at,
            ttl_minutes=self.ttl_minutes,
            is_indexed=self.is_indexed,
        )


def encode_namespace(namespace: Sequence[str]) -> str:
    """Return the name of the namespace; `decode_namespace` gives the tuple back.

    Labels are joined by `/`; what could not be told apart or stored is percent-encoded.
    """
    return "/".join((ROOT, *map(_escaped, namespace)))


def decode_namespace(name: str) -> tuple[str, ...]:
    """Return the tuple that a namespace's name was made of."""
    return tuple(
        unquote_to_bytes(label).decode("utf-8", "surrogatepass") for label in name.split("/")[1:]
    )


def checked_key(key: str) -> str:
    """Return a key as it is, or refuse one that would not come back as it is."""
    if not key or len(key) > MAX_KEY_CHARACTERS:
        raise InputError(
            f"the key has {len(key)} characters; nothing was stored; use 1 to {MAX_KEY_CHARACTERS}"
        )
    if repair(key) != key or sanitise(key).text != key:
        raise InputError(
            "the key holds a secret or characters that are no text; nothing was stored; "
            "use a plain one"
        )
    return key


def safe_value(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value as JSON has it, without secrets, or refuse what is not JSON."""
    try:
        plain = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the value is not JSON ({error}); nothing was stored; use plain values"
        ) from None
    try:
        # Once more as a whole, where names stand beside their values.
        safe = json.loads(sanitise(json.dumps(_safe(plain), ensure_ascii=False)).text)
    except ValueError:
        safe = None
    if not isinstance(safe, dict):
        raise InputError(
            "the value holds a secret that cannot be taken out of it; nothing was stored; "
            "leave the secret out"
        )
    return safe


def text_of(value: Mapping[str, Any], texts: Sequence[str] | None, *, key: str) -> str:
    """Return the text that stands for an item: given ones, else all that is in the value."""
    if texts is None:
        whole = list(value.values())
        texts = (
            [whole[0]]
            if len(whole) == 1 and isinstance(whole[0], str)
            else [f"{name}: {_shown(part)}" for name, part in value.items()]
        )
    text = clean(sanitise("\n".join(texts)).text)
    return text[:_MOST_CHARACTERS].strip() or key


def item_metadata(
    *,
    key: str,
    value: Mapping[str, Any],
    created_at: datetime,
    updated_at: datetime,
    ttl_minutes: float | None,
    is_indexed: bool,
) -> dict[str, object]:
    """Return what a write keeps of an item beside its text."""
    return {
        ROOT: {
            "key": key,
            "value": value,
            "created_at": created_at.isoformat(),
            "updated_at": updated_at.isoformat(),
            "ttl_minutes": ttl_minutes,
            "is_indexed": is_indexed,
        }
    }


def read_items(
    connection: duckdb.DuckDBPyConnection,
    namespace: Sequence[str],
    *,
    at: datetime,
    keys: Sequence[str] | None = None,
    memory_ids: Sequence[str] = (),
    is_prefix: bool = False,
) -> list[StoredItem]:
    """Return the live items of a namespace; with `is_prefix` of those below it too.

    With `keys` only the items of these, and those that are one of the memories.
    """
    rows = fetch(
        connection,
        _ITEMS,
        {
            "scope": encode_namespace(namespace),
            "is_prefix": is_prefix,
            "at": at,
            "keys": None if keys is None else list(keys),
            "memory_ids": list(memory_ids),
        },
    )
    items = [_item(*row) for row in rows]
    # An item keeps its place when it is put again.
    return sorted(items, key=lambda item: item.created_at)


def read_namespaces(
    connection: duckdb.DuckDBPyConnection, *, at: datetime
) -> list[tuple[str, ...]]:
    """Return the namespaces that hold a live item, sorted."""
    rows = fetch(connection, _NAMESPACES, {"scope": ROOT, "is_prefix": True, "at": at})
    return sorted(decode_namespace(name) for (name,) in rows)


def _item(
    event_id: str, memory_id: str, canonical_id: str, namespace: str, content: str, metadata: str
) -> StoredItem:
    item = json.loads(metadata)[ROOT]
    return StoredItem(
        event_id=event_id,
        memory_id=memory_id,
        canonical_id=canonical_id,
        namespace=decode_namespace(namespace),
        content=content,
        key=item["key"],
        value=item["value"],
        created_at=datetime.fromisoformat(item["created_at"]),
        updated_at=datetime.fromisoformat(item["updated_at"]),
        ttl_minutes=item["ttl_minutes"],
        is_indexed=item["is_indexed"],
    )


def _escaped(label: str) -> str:
    # A label that normalisation would change is kept apart from what it would become.
    is_stable = unicodedata.normalize("NFC", label) == label
    return "".join(
        character
        if character not in "%/"
        and unicodedata.category(character) not in ("Cc", "Cs")
        and (is_stable or character.isascii())
        else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in label
    )


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return sanitise(repair(value)).text
    if isinstance(value, list):
        return [_safe(item) for item in value]
    if isinstance(value, dict):
        return {_safe(name): _safe_number(name, _safe(item)) for name, item in value.items()}
    return value


def _safe_number(name: str, value: Any) -> Any:
    """Redact a number that is a secret by its name; within JSON a mark could not stand there."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    findings = sanitise(f"{name}: {value}").findings
    return f"[redacted:{findings[0]}]" if findings else value


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
