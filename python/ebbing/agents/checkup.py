"""The agents that are on this machine: which version, whether set up, whether that can work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ebbing.agents.files import SCOPES, Setup, own_command
from ebbing.agents.namespaces import AUTOMATIC, project_root
from ebbing.agents.registry import AGENTS, find_agent
from ebbing.agents.setup import Standing, standing
from ebbing.maintenance.finding import Finding

_SECONDS = 20
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
_ASKED = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "doctor", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


def check_agents() -> Iterator[Finding]:
    """Yield what is found of each agent, and then of the server that they would start."""
    is_any = False
    for name in AGENTS:
        agent = find_agent(name)
        set_up = {scope: _standing(name, scope) for scope in SCOPES}
        program = shutil.which(agent.program) if agent.program else None
        is_set_up = set(set_up.values()) != {Standing.NONE}
        if program is None and not is_set_up:
            continue
        is_any = True
        if program is not None:
            yield Finding(name, True, f"{_version(program)}; tried with {agent.tried}")
        elif agent.program:
            yield Finding(name, True, f"set up; {agent.program} is not on PATH")
        for scope, found in set_up.items():
            remedy = f"ebbing init --agent {name} --scope {scope}"
            if found is Standing.PARTIAL:
                yield Finding(f"{name}, {scope}", False, "some entries are missing or old", remedy)
            elif found is Standing.WHOLE:
                yield Finding(f"{name}, {scope}", True, "server and hooks are set up")
        if not is_set_up:
            yield Finding(f"{name}, set-up", True, f"not set up: ebbing init --agent {name}")
    if is_any:
        yield _server()


def _standing(name: str, scope: str) -> Standing:
    return standing(
        Setup(
            agent=name, scope=scope, root=project_root(), namespace=AUTOMATIC, command=("ebbing",)
        )
    )


def _version(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "of a version that it doesn't say"
    found = _VERSION.search(done.stdout)
    return f"version {found[0]}" if found else "of a version that it doesn't say"


def _server() -> Finding:
    """Start the server as an agent does, and ask what tools it has."""
    remedy = "pip install 'ebbing[mcp]'"
    if shutil.which("ebbing") is None:
        remedy = f"add {Path(own_command()[0]).parent} to PATH"
        return Finding("server", False, "no shell finds the command ebbing", remedy)
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in _ASKED)
    try:
        done = subprocess.run(
            ["ebbing", "mcp", "--no-maintain"],
            input=lines,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Finding("server", False, "it does not answer", remedy)
    try:
        tools = json.loads(done.stdout.splitlines()[1])["result"]["tools"]
    except (ValueError, LookupError, TypeError):
        said = " ".join(done.stderr.split())[:200]
        return Finding("server", False, said or "it does not answer", remedy)
    return Finding("server", True, f"answers, with {len(tools)} tools")
