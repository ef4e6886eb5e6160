"""Setting an agent up, and undoing it: a plan of changes, the difference, applying it.

Each change of a file that others write to is proved before it is shown: the new text is parsed
again, and must hold what the old one held, plus or minus what is ours; see `jsonc` and `toml`.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

from ebbing.agents import jsonc, toml
from ebbing.agents.files import AgentFile, OwnFile, Setup, SharedFile, TextFile
from ebbing.agents.receipts import Receipt, Receipts, digest, insertions, write_whole
from ebbing.agents.registry import find_agent
from ebbing.errors import EbbingError, InputError

_BOM = "\ufeff"
_OUR_HOOK = re.compile(
    r"ebbing(?:\.exe)?[\"']? +hook +(?:session-start|user-prompt|tool-result|stop|session-end)\b"
)


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one file; None is a file that isn't there."""

    path: Path
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None

    def difference(self) -> str:
        """Return the change as a unified difference."""
        lines = difflib.unified_diff(
            _lines(self.before),
            _lines(self.after),
            fromfile=str(self.path) if self.before is not None else os.devnull,
            tofile=str(self.path) if self.after is not None else os.devnull,
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes of some files, and one line for each file that is left alone, with the reason."""

    changes: tuple[Change, ...]
    problems: tuple[str, ...]
    receipts: Receipts


def plan_setup(setup: Setup, *, store_folder: Path, remove: bool = False) -> Plan:
    """Return what setting an agent up, or undoing it, would change; changes nothing."""
    receipts = Receipts(store_folder)
    known = receipts.load()
    changes: list[Change] = []
    problems: list[str] = []
    for file in find_agent(setup.agent).files(setup):
        try:
            before = _read(file.path)
            receipt = known.get(str(file.path.absolute()))
            change = (_removed if remove else _installed)(file, before, receipt)
        except (InputError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            problems.append(f"{file.path} is left alone: {reason}")
            continue
        if change.before != change.after or change.receipt != receipt:
            changes.append(change)
    return Plan(tuple(changes), tuple(problems), receipts)


class Standing(Enum):
    """How much of a set-up is in an agent's files, whatever it is told."""

    NONE = "none"
    PARTIAL = "partial"
    WHOLE = "whole"


def standing(setup: Setup) -> Standing:
    """Return how much of a set-up is there; a file that can't be read holds nothing."""
    held = [entry for file in find_agent(setup.agent).files(setup) for entry in _held(file)]
    if not any(held):
        return Standing.NONE
    return Standing.WHOLE if all(held) else Standing.PARTIAL


def _held(file: AgentFile) -> Iterator[bool]:
    try:
        before = _read(file.path)
        text, _ = _decoded(before)
        if isinstance(file, OwnFile):
            yield before is not None
        elif isinstance(file, TextFile):
            yield file.line in text.splitlines()
        else:
            data = _form(file).data(text)
            for entry in file.entries:
                if not entry.is_default:
                    yield any(True for _ in _ours(SharedFile(file.path, (entry,)), data))
    except (InputError, OSError):
        yield False


def apply_plan(plan: Plan) -> None:
    """Make the changes, file by file, each whole or not at all."""
    known = plan.receipts.load()
    emptied: set[str] = set()
    for change in plan.changes:
        name = str(change.path.absolute())
        try:
            if _read(change.path) != change.before:
                raise InputError(
                    f"{change.path} has changed meanwhile; it was left as it is; again"
                )
            receipt = _write(change)
        except OSError as error:
            raise EbbingError(
                f"{change.path} cannot be written ({error.strerror}); it is as it was; "
                "make it writable"
            ) from None
        if receipt is None:
            gone = known.pop(name, None)
            emptied.update(gone.folders if gone and change.after is None else ())
        else:
            known[name] = receipt
        # After each file, so that what was done can be undone whatever happens to the next.
        plan.receipts.save(known)
    # The innermost first, when all files are gone; one that somebody else uses by now stays.
    for folder in sorted(emptied, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _write(change: Change) -> Receipt | None:
    if change.after is None:
        Path(os.path.realpath(change.path)).unlink(missing_ok=True)
        return change.receipt
    made = tuple(_make_folders(Path(os.path.realpath(change.path)).parent))
    if change.after != change.before:
        write_whole(change.path, change.after)
    if change.receipt is None:
        return None
    return replace(change.receipt, folders=made or change.receipt.folders)


def _make_folders(folder: Path) -> list[str]:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir()
    return [str(one) for one in missing]


# One file


def _installed(file: AgentFile, before: bytes | None, receipt: Receipt | None) -> Change:
    if isinstance(file, OwnFile):
        return _own_installed(file, before, receipt)
    if isinstance(file, TextFile):
        return _line_added(file, before, receipt)
    text, is_marked = _decoded(before)
    form = _form(file)
    if before is not None and _is_complete(file, form.data(text)):
        return Change(file.path, before, before, receipt)
    bare, is_created = _without_ours(file, text, before, receipt)
    text = bare
    for entry in file.entries:
        if not entry.is_default or _at(form.data(text), entry.path) is None:
            text = (jsonc.append if entry.is_hook else form.add)(text, entry.path, entry.value)
    after = _encoded(text, is_marked)
    made = Receipt(
        sha256=digest(after),
        insertions=insertions(bare, text),
        is_created=is_created,
        folders=receipt.folders if receipt and is_created else (),
    )
    return Change(file.path, before, after, made)


def _removed(file: AgentFile, before: bytes | None, receipt: Receipt | None) -> Change:
    if before is None:
        return Change(file.path, None, None, None)
    if isinstance(file, OwnFile):
        if before != file.text.encode("utf-8") and not (receipt and receipt.fits(before)):
            raise InputError("it was changed by hand; delete it yourself if it is not needed")
        return Change(file.path, before, None, None)
    text, is_marked = _decoded(before)
    bare, is_created = _without_ours(file, text, before, receipt)
    return Change(file.path, before, None if is_created else _encoded(bare, is_marked), None)


def _own_installed(file: OwnFile, before: bytes | None, receipt: Receipt | None) -> Change:
    after = file.text.encode("utf-8")
    is_ours = before is None or before == after or (receipt is not None and receipt.fits(before))
    if not is_ours:
        raise InputError("a file of another kind, or changed by hand, is there; move it away first")
    made = Receipt(
        sha256=digest(after),
        insertions=(),
        is_created=True,
        folders=receipt.folders if receipt else (),
    )
    return Change(file.path, before, after, made)


def _line_added(file: TextFile, before: bytes | None, receipt: Receipt | None) -> Change:
    text, is_marked = _decoded(before)
    if file.line in text.splitlines():
        return Change(file.path, before, before, receipt)
    # A paragraph of its own; taken out, it leaves the text as it was.
    between = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    added = f"{text}{between}{file.line}\n"
    after = _encoded(added, is_marked)
    made = Receipt(
        sha256=digest(after), insertions=insertions(text, added), is_created=before is None
    )
    return Change(file.path, before, after, made)


def _form(file: SharedFile) -> ModuleType:
    return toml if file.path.suffix == ".toml" else jsonc


def _without_ours(
    file: SharedFile | TextFile, text: str, before: bytes | None, receipt: Receipt | None
) -> tuple[str, bool]:
    """Return a file's text without what is ours, and whether there would be no file then."""
    if before is None:
        return "", True
    if receipt is not None and receipt.fits(before):
        bare = receipt.undo(text)
        return bare, receipt.is_created and not bare
    if isinstance(file, TextFile):
        bare = text.replace(f"\n{file.line}\n", "\n").replace(f"{file.line}\n", "")
        return bare, receipt is not None and receipt.is_created and not bare.strip()
    form = _form(file)
    for path in _ours(file, form.data(text)):
        text = form.remove(text, path)
    is_created = receipt is not None and receipt.is_created and _is_bare(file, form.data(text))
    return ("", True) if is_created else (text, False)


# What a file holds


def _ours(file: SharedFile, data: object) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of what is ours, found by what it is, so that one can go after the other."""
    for entry in file.entries:
        held = _at(data, entry.path)
        if entry.is_default:
            continue
        if not entry.is_hook:
            if held is not None:
                _refuse_foreign(held)
                yield entry.path
            continue
        groups = held if isinstance(held, list) else []
        for place, group in reversed(list(enumerate(groups))):
            mine = _our_hooks(group)
            if mine and len(mine) == len(group.get("hooks", mine)):
                yield (*entry.path, place)
            else:
                for one in reversed(mine):
                    yield (*entry.path, place, "hooks", one)


def _is_bare(file: SharedFile, data: object) -> bool:
    defaults = {entry.path[0]: entry.value for entry in file.entries if entry.is_default}
    return not data or data == defaults


def _is_complete(file: SharedFile, data: object) -> bool:
    for entry in file.entries:
        held = _at(data, entry.path)
        if entry.is_default and held is not None:
            continue
        if entry.is_hook:
            groups = held if isinstance(held, list) else []
            held = next(iter(ours := [one for one in groups if _our_hooks(one)]), None)
            if len(ours) > 1:
                return False
        if held != entry.value:
            return False
    return True


def _our_hooks(group: Any) -> list[int]:
    """Return the places of our hooks in a group of them."""
    hooks = group.get("hooks", [group]) if isinstance(group, dict) else None
    commands = [
        one.get("command") if isinstance(one, dict) else None
        for one in (hooks if isinstance(hooks, list) else ())
    ]
    return [
        place
        for place, command in enumerate(commands)
        if isinstance(command, str) and _OUR_HOOK.search(command)
    ]


def _at(data: object, path: tuple[str, ...]) -> object:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _refuse_foreign(entry: object) -> None:
    """Leave a server alone that bears our name and is another."""
    written = json.dumps(entry, default=str)
    if "ebbing" not in written or "mcp" not in written:
        raise InputError("a server called ebbing is in it that is another; rename it first")


# Bytes


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise InputError("a file is where its folder should be") from None


def _decoded(data: bytes | None) -> tuple[str, bool]:
    try:
        text = (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8 text") from None
    return (text[1:], True) if text.startswith(_BOM) else (text, False)


def _encoded(text: str, is_marked: bool) -> bytes:
    return ((_BOM if is_marked else "") + text).encode("utf-8")


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
