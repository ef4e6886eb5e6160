"""Command lines taken apart as far as two of them have to be compared."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

# Programs that only look: that one of them works after another failed teaches nothing.
_LOOKING = frozenset(
    """ls cat head tail less more grep rg ag find fd tree stat file wc pwd cd echo printf which
    type whereis env test [ true false sleep date ps top df du id whoami uname history jq diff cmp
    sort uniq ping man help""".split()
)
_LOOKING_SUBCOMMANDS = {
    "git": frozenset("status log diff show branch remote rev-parse ls-files blame reflog".split()),
    "docker": frozenset("ps images logs inspect".split()),
    "kubectl": frozenset("get describe logs".split()),
    "npm": frozenset("ls list view outdated".split()),
    "pip": frozenset("list show freeze".split()),
}
# How many words after the program name what it is to do.
_SUBCOMMANDS = {
    **dict.fromkeys(
        """git npm pnpm yarn bun cargo go docker kubectl pip pip3 uv poetry apt apt-get brew dnf yum
        systemctl service terraform dbt make just mvn gradle dotnet bundle rails composer conda helm
        flutter mix deno nx turbo alembic task podman vagrant ansible rustup sqlfluff pre-commit
        ebbing docker-compose""".split(),
        1,
    ),
    **dict.fromkeys("aws gcloud az gh artisan".split(), 2),
}
_DEEPER = {"run", "compose", "run-script", "pip", "exec", "tool", "stash", "buildx", "mod"}
# They change what is printed, not what is done.
_QUIET = re.compile(
    r"-[vqsx]+|--(?:verbose|quiet|silent|color|no-color|tb|maxfail|exitfirst)(?:=.*)?"
)
_WRAPPERS = frozenset("sudo env time nohup command exec".split())
_TAIL = re.compile(
    r"\s*\|\s*(?:tail|head|grep|cat|less|tee)\b[^|;&]*$|\s*2>&1\s*$|\s*2?>\s*\S+\s*$"
)
_BEFORE = re.compile(r"^\s*(?:cd|export|source|\.)\s[^&;|\n]*(?:&&|;|\n)\s*")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a shell, without the folder it is run in and the filters of its output."""

    words: tuple[str, ...]
    program: str
    subcommand: tuple[str, ...]

    @property
    def rest(self) -> tuple[str, ...]:
        """The arguments after the subcommand."""
        return self.words[1 + len(self.subcommand) :]

    @property
    def loud(self) -> tuple[str, ...]:
        """The arguments that change what is done."""
        return tuple(word for word in self.rest if not _QUIET.fullmatch(word))

    @property
    def only_looks(self) -> bool:
        """Whether it can't change anything."""
        looking = _LOOKING_SUBCOMMANDS.get(self.program, frozenset())
        is_help = bool({"--help", "-h", "--version", "help"} & set(self.words[1:]))
        return is_help or self.program in _LOOKING or bool(looking & set(self.subcommand[:1]))

    def shares(self, other: Command) -> bool:
        """Tell whether another one with the same subcommand is about the same things, or more."""
        mine, others = _things(self.rest), _things(other.rest)
        return not mine or bool(set(mine) & set(others))

    def is_slip_of(self, other: Command) -> bool:
        """Tell whether what one is about may be a slip of what the other is about."""
        mine, others = _things(self.rest), _things(other.rest)
        return len(mine) == len(others) and all(map(is_near, zip(mine), zip(others)))


@cache
def parse(line: str) -> Command | None:
    """Return the one command of a line; None for a script, a pipeline, or what can't be read."""
    while (shorter := _BEFORE.sub("", line, count=1)) != line:
        line = shorter
    while (shorter := _TAIL.sub("", line, count=1)) != line:
        line = shorter
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        words = list(lexer)
    except ValueError:
        return None
    if any(re.fullmatch(r"[|&;<>()]+", word) for word in words) or "\n" in line.strip():
        return None
    while words and (re.fullmatch(r"\w+=.*", words[0], re.DOTALL) or words[0] in _WRAPPERS):
        words.pop(0)
    if not words:
        return None
    program = os.path.basename(words[0]) or words[0]
    return Command((words[0], *words[1:]), program, tuple(_subcommand(program, words[1:])))


def is_near(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether one is a slip of the other."""
    return difflib.SequenceMatcher(None, " ".join(one), " ".join(other)).ratio() >= 0.7


def _subcommand(program: str, words: Sequence[str]) -> list[str]:
    if words[:1] == ["-m"]:
        return list(words[:2])
    depth = _SUBCOMMANDS.get(program, 0)
    found: list[str] = []
    for word in words:
        if len(found) >= depth or word.startswith("-"):
            break
        found.append(word)
        if word in _DEEPER:
            depth += 1
    return found


def _things(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]
