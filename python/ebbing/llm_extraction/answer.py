"""What the language model answered: JSON repaired or rejected, and each memory checked."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ebbing.llm_extraction.prompt import MAX_CONTENT_CHARACTERS, Known, LoggedMessage, Prompt
from ebbing.safety.redaction import safe_text

_THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-z]*\s*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_MOST_CHARACTERS = 200_000
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO")


class Unusable(Exception):
    """The answer holds no list of memories; its text says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that passed every check."""

    kind: str
    content: str
    sources: tuple[LoggedMessage, ...]
    importance: float | None
    supersedes: Known | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The items of an answer as they came, and whether its end is missing."""

    items: tuple[Any, ...]
    is_cut_off: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """The memories of an answer, and why each of the others was refused."""

    found: tuple[Found, ...]
    refused: tuple[str, ...]


def read_answer(text: str) -> Answer:
    """Return the items of an answer: sound JSON as it is, other repaired, else `Unusable`.

    Of one that was cut off the last item is dropped, as its text may stop halfway.
    """
    text = _bare(text)
    if len(text) > _MOST_CHARACTERS:
        raise Unusable("too long")
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not starts:
        raise Unusable("no JSON")
    text = text[min(starts) :]
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
        return Answer(_items(value), is_cut_off=False)
    except ValueError:
        pass
    except RecursionError:
        raise Unusable("broken JSON") from None
    items = _items(_repaired(text))
    if text.rstrip().endswith(("}", "]")):
        return Answer(items, is_cut_off=False)
    return Answer(items[:-1], is_cut_off=True)


def check(answer: Answer, prompt: Prompt, *, kinds: Collection[str]) -> Checked:
    """Check every item against what was asked; what fails one check is refused by its name."""
    found: list[Found] = []
    refused: list[str] = []
    seen: set[str] = set()
    for item in answer.items:
        try:
            one = _checked(item, prompt, kinds)
        except _Refused as reason:
            refused.append(str(reason))
            continue
        if one.content in seen:
            refused.append("said twice")
            continue
        seen.add(one.content)
        found.append(one)
        if one.supersedes is None and item.get("supersedes"):
            # The memory stands; only what it claims to replace is unknown.
            refused.append("supersedes an unknown memory (kept without that)")
    return Checked(tuple(found), tuple(refused))


class _Refused(Exception):
    pass


def _checked(item: Any, prompt: Prompt, kinds: Collection[str]) -> Found:
    if not isinstance(item, dict):
        raise _Refused("no object")
    kind = item.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise _Refused("unknown kind")
    content = _content(item.get("content"))
    sources = _sources(item.get("sources"), prompt.messages)
    by_user = [source for source in sources if source.role == "user"]
    if not by_user:
        raise _Refused("no message of the user among its sources")
    quote = item.get("quote")
    if not isinstance(quote, str) or not _plain(quote):
        raise _Refused("no quote")
    if not any(_plain(quote) in _plain(source.content) for source in by_user):
        raise _Refused("the user did not say what it quotes")
    if not _keeps_language(content, quote, by_user):
        raise _Refused("in another language than the user's")
    supersedes = item.get("supersedes")
    return Found(
        kind=kind,
        content=content,
        sources=sources,
        importance=_importance(item.get("importance")),
        supersedes=prompt.known.get(supersedes) if isinstance(supersedes, str) else None,
    )


def _content(value: Any) -> str:
    if not isinstance(value, str):
        raise _Refused("no content")
    content = safe_text(value)
    if not content:
        raise _Refused("no content")
    if len(content) > MAX_CONTENT_CHARACTERS:
        raise _Refused("too long")
    if "[redacted" in content:
        raise _Refused("holds a secret")
    return content


def _sources(value: Any, given: Mapping[str, LoggedMessage]) -> tuple[LoggedMessage, ...]:
    if not isinstance(value, list) or not value:
        raise _Refused("no source")
    if not all(isinstance(short_id, str) and short_id in given for short_id in value):
        raise _Refused("names a message that was not given")
    return tuple(given[short_id] for short_id in dict.fromkeys(value))


def _importance(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0.0 <= value <= 1.0 else None


def _keeps_language(content: str, quote: str, sources: list[LoggedMessage]) -> bool:
    """Compare scripts: a statement is in those of its sources, and in that of its quote."""
    scripts = _scripts(content)
    spoken = {script for source in sources for script in _scripts(source.content)}
    quoted = _scripts(quote)
    if not scripts or not quoted:
        return True
    return _main(scripts) in spoken and _main(quoted) in scripts


def _scripts(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for character in text:
        if character.isalpha():
            script = unicodedata.name(character, "UNKNOWN").split(" ")[0].split("-")[0]
            if script in _EAST_ASIAN:
                script = "EAST ASIAN"
            counts[script] = counts.get(script, 0) + 1
    return counts


def _main(scripts: Mapping[str, int]) -> str:
    return max(scripts, key=lambda script: scripts[script])


def _plain(text: str) -> str:
    """Return letters and digits alone: models change quotation marks and spaces as they copy."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def _bare(text: str) -> str:
    text = _THOUGHT.sub("", text).strip()
    if text.startswith(("{", "[")):
        return text
    fenced = _FENCE.search(text)
    return (fenced[1] if fenced else text).strip()


def _repaired(text: str) -> Any:
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        raise Unusable("broken JSON") from None


def _items(value: Any) -> tuple[Any, ...]:
    if isinstance(value, dict):
        value = value.get("memories")
    if not isinstance(value, list):
        raise Unusable("no list of memories")
    return tuple(value)
