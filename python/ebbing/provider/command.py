"""A program as a language model: it reads a prompt on standard input and prints the answer.

`claude -p`, `codex exec -`, `llm`, `ollama run MODEL`: whatever the user has set up answers with
its own account, and ebbing needs no key. It is run in an empty folder, where no project's
instructions are, and with EBBING_OFF set, so that hooks of ours within it do nothing: what is asked
here is no conversation of the user's.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from ebbing.errors import InputError, ProviderError
from ebbing.llm_extraction.chat import DEFAULT_MAX_OUTPUT_TOKENS, Reply

DEFAULT_TIMEOUT_SECONDS = 300.0
OFF_VARIABLE = "EBBING_OFF"

_LONGEST_DETAIL = 200
_SCHEMA = "\n\nAnswer with one JSON object and nothing else. Its schema:\n"


class CommandModel:
    """A model that is asked by running a command, one question at a time."""

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS,
    ) -> None:
        """Name the command, a line as for a shell or its words; `timeout` is in seconds."""
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise InputError(
                f"the command is none ({error}); nothing was read or sent; give it as for a shell"
            ) from None
        if not words:
            raise InputError("the command is empty; nothing was read or sent; name a program")
        self._words = words
        self._timeout = timeout
        self.model = f"command {shlex.join(words)}"
        self.max_output_tokens = max_output_tokens

    def __repr__(self) -> str:
        """Show the command."""
        return f"CommandModel({shlex.join(self._words)!r})"

    @property
    def host(self) -> str:
        """The program, for messages."""
        return self._words[0]

    def ask(self, system: str, user: str, schema: Mapping[str, Any]) -> Reply:
        """Ask once; a program that fails or takes too long is not asked again."""
        prompt = f"{system}{_SCHEMA}{json.dumps(schema)}\n\n{user}"
        with tempfile.TemporaryDirectory(prefix="ebbing-") as folder:
            printed = self._run(prompt, folder)
        return Reply(_answer(printed), False, None, None, None)

    def _run(self, prompt: str, folder: str) -> str:
        try:
            process = subprocess.Popen(
                self._words,
                cwd=folder,
                env={**os.environ, OFF_VARIABLE: "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise self._error(f"cannot be run ({error.strerror})", "check the command") from None
        with process:
            try:
                printed, said = process.communicate(prompt, timeout=self._timeout)
            except BaseException as error:
                _end(process)
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                raise self._error(
                    f"did not answer within {self._timeout:g} s", "give it more with --timeout"
                ) from None
        if process.returncode != 0:
            detail = " ".join((said or printed).split())[-_LONGEST_DETAIL:]
            raise self._error(f"failed ({process.returncode}: {detail})", "try it by hand")
        return printed

    def _error(self, what: str, cure: str) -> ProviderError:
        return ProviderError(f"{self.host} {what}; nothing was written; {cure}")


def _answer(printed: str) -> str:
    """Return the answer itself where the program wraps it, as `--output-format json` does."""
    try:
        wrapped = json.loads(printed)
    except ValueError:
        return printed
    inner = wrapped.get("result", wrapped.get("response")) if isinstance(wrapped, dict) else None
    return inner if isinstance(inner, str) else printed


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and whatever it has started."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
