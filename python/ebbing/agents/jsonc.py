"""JSON with comments that others write to as well: a value comes in or goes, all else stays.

json-five keeps a document's comments, commas, order and blanks; the standard parser says what the
document holds, and proves each edit before anybody sees it.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, Never, cast

import json5
from json5.dumper import ModelDumper
from json5.loader import ModelLoader
from json5.model import Comment, JSONArray, JSONObject, JSONText, LineComment, Node, Value, walk

from ebbing.errors import InputError

Path = Sequence[str | int]
Blanks = list[str | Comment]

_SOME_INDENT = re.compile(r"\n([ \t]+)\S")
_LINE = re.compile(r"line (\d+)")
# What the two parsers say, and what is said of it.
_FAULTS = (
    (re.compile(r"\bEOF"), "it is cut short"),
    (re.compile(r"property name|expecting (?:key|COLON)"), "a key in quotes is missing"),
    (re.compile(r"expecting COMMA"), "a comma is missing"),
    (re.compile(r"Syntax Error in or near"), "something follows its end"),
    (re.compile(r""), "a value is missing or broken"),
)


def data(text: str) -> object:
    """Return what a document holds, of equal keys the last; an `InputError` says why it can't."""
    if not text.strip():
        return {}
    try:
        return _strict(text)
    except ValueError:
        pass
    model = _model(text)
    for node in walk(model):
        for name in ("wsc_before", "wsc_after", "leading_wsc"):
            blanks = [_blank(one) for one in getattr(node, name, ())]
            setattr(node, name, blanks)
        if isinstance(node, JSONObject | JSONArray):
            node.trailing_comma = None
    try:
        return _strict(_text(model))
    except ValueError as error:
        raise InputError(_said(error)) from None


def add(text: str, path: Path, value: object) -> str:
    """Put a value at a path of keys; objects on the way are made where they are missing."""
    return _added(text, path, value, is_element=False)


def append(text: str, path: Path, value: object) -> str:
    """Put a value at the end of the array at a path, which is made where it is missing."""
    return _added(text, path, value, is_element=True)


def remove(text: str, path: Path) -> str:
    """Take what is at a path of keys and places out, and whatever would be empty then."""
    held = data(text)
    while len(path) > 1 and len(_at(held, path[:-1])) == 1:
        path = path[:-1]
    wanted = copy.deepcopy(held)
    del _at(wanted, path[:-1])[path[-1]]

    def change(root: Value) -> None:
        container = root
        for name in path[:-1]:
            container = _container(container).values[_found(container, name)]
        _take_out(_container(container), _found(container, path[-1]))

    return _proved(_edited(text, change), wanted, "taken out")


def _added(text: str, path: Path, value: object, *, is_element: bool) -> str:
    if not text.strip():
        text = "{}\n"
    held = data(text)
    if not isinstance(held, dict):
        raise InputError("it holds no JSON object")
    wanted = copy.deepcopy(held)
    parents = path if is_element else path[:-1]
    inner: Any = wanted
    for depth, name in enumerate(parents, 1):
        is_list = is_element and depth == len(parents)
        inner = inner.setdefault(name, [] if is_list else {})
        if not isinstance(inner, list if is_list else dict):
            raise InputError(
                f"{'.'.join(map(str, path[:depth]))} in it is no {'list' if is_list else 'object'}"
            )
    if is_element:
        inner.append(value)
    else:
        inner[path[-1]] = value
    unit = found[1][:8] if (found := _SOME_INDENT.search(text)) else "  "
    unit = "\t" if unit.startswith("\t") else unit

    def change(root: Value) -> None:
        container, indent, depth = _container(root), "", 0
        while depth < len(parents) and (place := _place(container, parents[depth])) is not None:
            indent = _indent(_before(container, place)) or indent
            container, depth = _container(container.values[place]), depth + 1
        # What is missing on the way comes in as one value.
        missing = [*path[depth:]]
        inner = [value] if is_element and missing else value
        for name in reversed(missing[1:]):
            inner = {name: inner}
        _put_in(container, missing[0] if missing else None, inner, indent, unit)

    return _proved(_edited(text, change), wanted, "added to")


def _proved(text: str, wanted: object, what: str) -> str:
    if data(text) != wanted:
        raise InputError(f"it is written in a way that can't be {what} safely; edit it by hand")
    return text


# The text and its model


def _edited(text: str, change: Callable[[Value], None]) -> str:
    is_windows = 0 < text.count("\n") == text.count("\r\n")
    model = _model(text.replace("\r\n", "\n") if is_windows else text)
    change(model.value)
    text = _text(model)
    return text.replace("\n", "\r\n") if is_windows else text


def _model(text: str) -> JSONText:
    if "\r" in text.replace("\r\n", ""):
        raise InputError("a line in it ends as on no system of today")
    try:
        return cast(JSONText, json5.loads(text, loader=ModelLoader()))
    except RecursionError:
        raise InputError("it is nested too deeply") from None
    # A document that is no JSON at all ends in any of these.
    except (ValueError, AssertionError, AttributeError, TypeError, IndexError) as error:
        raise InputError(_said(error)) from None


def _text(model: Node) -> str:
    # The dumper of models is none to the library's own annotations.
    return json5.dumps(model, dumper=cast(Any, ModelDumper()))


def _strict(text: str) -> object:
    def refuse(constant: str) -> Never:
        raise ValueError(constant)

    try:
        return cast(object, json.loads(text, parse_constant=refuse))
    except RecursionError:
        raise InputError("it is nested too deeply") from None


def _said(error: Exception) -> str:
    # Of several errors of one cause the first.
    said = str(error).partition("\nAdditional")[0]
    line = f"line {found[1]}: " if (found := _LINE.search(said)) else ""
    return line + next(what for fault, what in _FAULTS if fault.search(said))


def _blank(one: str | Comment) -> str:
    return one if isinstance(one, str) else re.sub(r"[^\n]", " ", one.value)


# Inside one object or array


def _container(value: Value) -> JSONObject | JSONArray:
    assert isinstance(value, JSONObject | JSONArray)
    return value


def _place(container: Value, name: str | int) -> int | None:
    """Return where a member or an element is; of equal keys the last counts."""
    if isinstance(container, JSONArray):
        return int(name)
    names = [json.loads(key.raw_value) for key in cast(Any, container).keys]
    return max((place for place, one in enumerate(names) if one == name), default=None)


def _found(container: Value, name: str | int) -> int:
    place = _place(container, name)
    assert place is not None
    return place


def _first(container: JSONObject | JSONArray, place: int) -> Node:
    return container.keys[place] if isinstance(container, JSONObject) else container.values[place]


def _before(container: JSONObject | JSONArray, place: int) -> Blanks:
    return _first(container, place).wsc_before if place else container.leading_wsc


def _set_before(container: JSONObject | JSONArray, place: int, blanks: Blanks) -> None:
    if place:
        _first(container, place).wsc_before = blanks
    else:
        container.leading_wsc = blanks


def _put_in(
    container: JSONObject | JSONArray, key: object, value: object, outer: str, unit: str
) -> None:
    """Put a value behind the others, on a line of its own unless they share one."""
    count = len(container.values)
    comma = container.trailing_comma
    last: Blanks = (
        comma.wsc_after
        if comma
        else container.values[-1].wsc_after
        if count
        else container.leading_wsc
    )
    closing = list(takewhile(lambda one: isinstance(one, str), reversed(last)))[::-1]
    kept = last[: len(last) - len(closing)]
    indents = [_indent(_before(container, place)) for place in reversed(range(count))]
    indent = next((one for one in indents if one is not None), outer + unit)
    is_one_line = (
        count and "\n" not in _joined(last) and not any(one is not None for one in indents)
    )
    if not count and "\n" not in _joined(closing):
        kept, closing = [*kept, *closing], ["\n" + outer]
    written = json.dumps(value, ensure_ascii=False, indent=None if is_one_line else unit)
    node = _model(written.replace("\n", "\n" + indent)).value
    if comma:
        comma.wsc_after = closing
    else:
        node.wsc_after = closing
        if count:
            container.values[-1].wsc_after = []
    if isinstance(container, JSONObject):
        named = _model(json.dumps({key: 0}, ensure_ascii=False)).value
        container.keys.append(cast(JSONObject, named).keys[0])
        node.wsc_before = [" "]
    container.values.append(node)
    _set_before(container, count, [*kept, " " if is_one_line else "\n" + indent])


def _take_out(container: JSONObject | JSONArray, place: int) -> None:
    """Take a value out, with its comma and the blanks before it; comments around it stay."""
    before = _before(container, place)
    after = container.values[place].wsc_after
    is_last = place == len(container.values) - 1
    comma = container.trailing_comma
    if not is_last:
        after = [*after, *_before(container, place + 1)]
    elif comma:
        after = [*after, *comma.wsc_after]
        container.trailing_comma = comma if place else None
    while before and isinstance(before[-1], str) and not _ends_comment(before):
        before = before[:-1]
    left = [*before, *after]
    if isinstance(container, JSONObject):
        del container.keys[place]
    del container.values[place]
    if not is_last:
        _set_before(container, place, left)
    elif not place:
        container.leading_wsc = left if _joined(left).strip() else []
    elif comma:
        comma.wsc_after = left
    else:
        container.values[-1].wsc_after = [*container.values[-1].wsc_after, *left]


def _ends_comment(blanks: Blanks) -> bool:
    """Tell whether the last of some blanks is what ends a comment to the line's end."""
    return len(blanks) > 1 and isinstance(blanks[-2], LineComment)


def _joined(blanks: Blanks) -> str:
    return "".join(one if isinstance(one, str) else one.value for one in blanks)


def _indent(blanks: Blanks) -> str | None:
    _, newline, indent = _joined(blanks).rpartition("\n")
    return indent if newline and not indent.strip(" \t") else None


def _at(held: object, path: Path) -> Any:
    for name in path:
        held = cast(Any, held)[name]
    return held
