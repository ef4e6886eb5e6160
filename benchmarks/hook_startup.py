"""What each hook costs beside the bare start of the interpreter.

    python -m benchmarks.hook_startup [--runs N] [--store FOLDER --namespace NAME]

Each command is run several times in turn with the others, so that a busy machine is busy for all.
Medians of the time waited and of processor time are printed, and their ratios to `python -c pass`;
on a machine that does other work, only the second ratio means much.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from ebbing import Memory
from ebbing.cli.output import table

SENTENCES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="how often each command is run")
    parser.add_argument("--store", type=Path, help="a store to use instead of a small new one")
    parser.add_argument("--namespace", default="default")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or made(Path(folder) / "store")
        transcript = Path(folder) / "transcript.jsonl"
        commands = hooks(store, given.namespace, transcript)
        waited: dict[str, list[float]] = {name: [] for name in commands}
        worked: dict[str, list[float]] = {name: [] for name in commands}
        for run in range(given.runs):
            for name, (command, event) in commands.items():
                with transcript.open("a") as file:
                    file.write(json.dumps(message(run)) + "\n")
                before, started = processor_seconds(), time.perf_counter()
                subprocess.run(command, input=event, capture_output=True, check=True)
                waited[name].append(time.perf_counter() - started)
                worked[name].append(processor_seconds() - before)
    bare = "python -c pass"
    print(
        table(
            ("command", "ratio", "ratio, processor", "ms", "ms, processor"),
            (
                (
                    name,
                    f"{median(waited[name]) / median(waited[bare]):.1f}",
                    f"{median(worked[name]) / median(worked[bare]):.1f}",
                    f"{median(waited[name]) * 1000:.0f}",
                    f"{median(worked[name]) * 1000:.0f}",
                )
                for name in commands
            ),
        )
    )


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def made(folder: Path) -> Path:
    memory = Memory.create(folder, model="hashing:16")
    for number in range(SENTENCES):
        memory.remember(f"Service {number} listens on port {number * 7}")
    memory.maintain()
    return folder


def hooks(
    store: Path, namespace: str, transcript: Path
) -> dict[str, tuple[list[str], bytes | None]]:
    def hook(name: str, **event: object) -> tuple[list[str], bytes]:
        command = [sys.executable, "-m", "ebbing", "hook", name, "--agent", "claude-code"]
        where = ["--store", str(store), "--namespace", namespace, "--budget", "60"]
        return [*command, *where], json.dumps({"session_id": "s", **event}).encode()

    ok = {"tool_name": "Read", "tool_input": {"file_path": "x"}, "tool_response": {}}
    failure = {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "npm tets"},
        "error": "Exit code 1",
    }
    return {
        "python -c pass": ([sys.executable, "-c", "pass"], None),
        "python -c 'import duckdb'": ([sys.executable, "-c", "import duckdb"], None),
        "session-start": hook("session-start", source="startup"),
        "user-prompt": hook("user-prompt", prompt="On which port does service 12 listen?"),
        "tool-result, a success": hook("tool-result", **{**ok, "session_id": "t"}),
        "tool-result, a failure": hook("tool-result", **failure),
        "stop, a new turn": hook("stop", transcript_path=str(transcript)),
    }


def message(number: int) -> dict[str, object]:
    return {
        "type": "user",
        "uuid": f"u{number}-{time.perf_counter_ns()}",
        "sessionId": "s",
        "timestamp": "2026-05-01T10:00:00Z",
        "message": {"role": "user", "content": f"I prefer tea number {number}"},
    }


if __name__ == "__main__":
    main()
