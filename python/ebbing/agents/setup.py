"""Setting an agent up, and undoing it: a plan of changes, the difference, applying it.

Each change of a file that others write to is proved before it is shown: the new text is parsed
again, and must hold what the old one held, plus or minus what is ours.
"""

from __future__ import annotations

import contextlib
import copy
import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ebbing.agents.config import AgentFile, JsonFile, OwnFile, Setup, TomlFile, agent_files
from ebbing.agents.json_text import (
    Edited,
    Item,
    Node,
    add_member,
    append_element,
    line_end,
    parse,
    remove_item,
)
from ebbing.agents.receipts import Receipt, Receipts, digest, lengths, write_whole
from ebbing.agents.toml_text import add_table, parse_toml, remove_table
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
    for file in agent_files(setup):
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
    text, is_marked = _decoded(before)
    if before is not None and _is_complete(file, text):
        return Change(file.path, before, before, receipt)
    bare, is_created = _without_ours(file, text, before, receipt)
    edited = Edited(bare)
    if isinstance(file, TomlFile):
        edited = add_table(edited, file.table, file.values)
    else:
        edited = _json_installed(file, edited)
    after = _encoded(edited.text, is_marked)
    made = Receipt(
        sha256=digest(after),
        insertions=lengths([(one.at, one.text) for one in edited.insertions]),
        is_created=is_created,
        folders=receipt.folders if receipt and is_created else (),
    )
    _prove(file, bare, edited.text)
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
    if is_created:
        return Change(file.path, before, None, None)
    return Change(file.path, before, _encoded(bare, is_marked), None)


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


def _without_ours(
    file: JsonFile | TomlFile, text: str, before: bytes | None, receipt: Receipt | None
) -> tuple[str, bool]:
    """Return a file's text without what is ours, and whether there would be no file then."""
    if before is None:
        return "", True
    if receipt is not None and receipt.fits(before):
        bare = receipt.undo(text)
        return bare, receipt.is_created and not bare
    is_created = receipt is not None and receipt.is_created
    if isinstance(file, TomlFile):
        bare = text
        if _at(parse_toml(text), file.table) is not None:
            _refuse_foreign(_at(parse_toml(text), file.table))
            bare = remove_table(text, file.table)
        return ("", True) if is_created and not bare.strip() else (bare, False)
    if not text.strip():
        return text, False
    bare = _json_removed(file, text)
    return ("", True) if is_created and parse(bare).value == {} else (bare, False)


# JSON


def _json_installed(file: JsonFile, edited: Edited) -> Edited:
    if not edited.text.strip():
        edited = edited.insert(len(edited.text), "{}" + line_end(edited.text))
    root = parse(edited.text)
    if not root.is_object:
        raise InputError("it holds no JSON object")
    for member in file.members:
        edited = add_member(edited, member.path, member.key, dict(member.value))
    for group in file.hooks:
        edited = append_element(edited, group.path, dict(group.value))
    return edited


def _json_removed(file: JsonFile, text: str) -> str:
    """Take out what is ours, entry by entry, found by what it is."""
    root = parse(text)
    for member in file.members:
        _refuse_foreign(_at(root.value, (*member.path, member.key)))
    expected = _bare_data(file, root.value)
    while (found := next(_ours(file, parse(text)), None)) is not None:
        text = remove_item(text, *found)
    if parse(text).value != expected:
        raise InputError("its entries of ebbing can't be taken out safely; take them out by hand")
    return text


def _ours(file: JsonFile, root: Node) -> Iterator[tuple[Node, Item]]:
    """Yield what is ours, with the container that it is in; a container of nothing else instead."""
    for member in file.members:
        chain = _chain(root, (*member.path, member.key))
        if chain:
            yield _outermost(chain)
    for group in file.hooks:
        chain = _chain(root, group.path)
        if not chain or not chain[-1][1].node.is_array:
            continue
        array = chain[-1][1].node
        for element in array.items:
            inner = element.node.member("hooks") if element.node.is_object else None
            entries = inner.node.items if inner is not None else ()
            mine = [entry for entry in entries if _is_our_hook(entry.node.value)]
            if mine and len(mine) == len(entries):
                yield _outermost([*chain, (array, element)])
            elif mine and inner is not None:
                yield inner.node, mine[0]


def _chain(root: Node, path: tuple[str, ...]) -> list[tuple[Node, Item]]:
    chain: list[tuple[Node, Item]] = []
    node = root
    for name in path:
        item = node.member(name) if node.is_object else None
        if item is None:
            return []
        chain.append((node, item))
        node = item.node
    return chain


def _outermost(chain: list[tuple[Node, Item]]) -> tuple[Node, Item]:
    place = len(chain) - 1
    while place > 0 and len(chain[place][0].items) == 1:
        place -= 1
    return chain[place]


def _bare_data(file: JsonFile, value: object) -> object:
    """Return what a document holds without what is ours."""
    data = copy.deepcopy(value)
    for member in file.members:
        _prune(data, (*member.path, member.key))
    for group in file.hooks:
        groups = _at(data, group.path)
        if not isinstance(groups, list) or not any(map(_has_our_hook, groups)):
            continue
        kept = []
        for one in groups:
            if not _has_our_hook(one):
                kept.append(one)
            elif rest := [entry for entry in one["hooks"] if not _is_our_hook(entry)]:
                kept.append({**one, "hooks": rest})
        groups[:] = kept
        if not kept:
            _prune(data, group.path)
    return data


def _prune(data: object, path: tuple[str, ...]) -> None:
    holders = [_at(data, path[:depth]) for depth in range(len(path))]
    if _at(data, path) is None:
        return
    for holder, name in zip(reversed(holders), reversed(path), strict=True):
        if isinstance(holder, dict):
            del holder[name]
            if holder:
                return


def _has_our_hook(group: object) -> bool:
    entries = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(entries, list) and any(map(_is_our_hook, entries))


def _is_our_hook(entry: object) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and _OUR_HOOK.search(command) is not None


# What a file holds


def _is_complete(file: JsonFile | TomlFile, text: str) -> bool:
    if isinstance(file, TomlFile):
        values = {
            name: value if isinstance(value, str) else list(value)
            for name, value in file.values.items()
        }
        return _at(parse_toml(text), file.table) == values
    if not text.strip():
        return False
    data = parse(text).value
    return all(
        _at(data, (*member.path, member.key)) == member.value for member in file.members
    ) and all(_is_only_group(_at(data, group.path), group.value) for group in file.hooks)


def _is_only_group(groups: object, wanted: Mapping[str, object]) -> bool:
    return isinstance(groups, list) and [one for one in groups if _has_our_hook(one)] == [wanted]


def _prove(file: JsonFile | TomlFile, bare: str, text: str) -> None:
    """Refuse an edit whose result isn't what the file held and what is ours."""
    if isinstance(file, TomlFile):
        held = parse_toml(bare)
        values = {
            name: value if isinstance(value, str) else list(value)
            for name, value in file.values.items()
        }
        _put(held, file.table, values)
        is_right = parse_toml(text) == held
    else:
        data = parse(bare).value if bare.strip() else {}
        held = copy.deepcopy(data) if isinstance(data, dict) else {}
        for member in file.members:
            _put(held, (*member.path, member.key), member.value)
        for group in file.hooks:
            groups = _at(held, group.path)
            _put(held, group.path, [*(groups if isinstance(groups, list) else []), group.value])
        is_right = parse(text).value == held
    if not is_right:
        raise InputError("it is written in a way that can't be added to safely; add to it by hand")


def _at(data: object, path: tuple[str, ...]) -> object:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _put(data: dict[str, object], path: tuple[str, ...], value: object) -> None:
    for name in path[:-1]:
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        data = inner
    data[path[-1]] = value


def _refuse_foreign(entry: object) -> None:
    """Leave a server alone that bears our name and is another."""
    if entry is None:
        return
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
