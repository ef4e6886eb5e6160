"""The real programs, each headless, in an environment and a home of its own, against the server.

Nothing of the machine's environment but the path reaches them. The server is their proxy as well,
and refuses what is meant for another machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from real_agents.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = Path(os.environ.get("EBBING_AGENT_PROGRAMS", ROOT / ".venv" / "agents"))
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program runs: a home, a project in it, a store, and the server."""

    home: Path
    project: Path
    store: Path
    model: ModelServer

    def environment(self) -> dict[str, str]:
        """Return all that a program and what it starts have of an environment."""
        proxies = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
        return dict.fromkeys(proxies, self.model.url) | {
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
            "HOME": str(self.home),
            "EBBING_HOME": str(self.store),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "CI": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
            "DO_NOT_TRACK": "1",
        }

    def run(self, *command: str | Path, **more: str) -> str:
        """Run a command in the project and return what it prints; it has to succeed."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.project,
            env=self.environment() | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def ebbing(self, *arguments: str) -> str:
        """Run a command of ebbing."""
        return self.run("ebbing", *arguments)


def program(name: str) -> Path:
    """Return the path of an installed program."""
    return INSTALLED / "node_modules" / ".bin" / name


def claude(place: Place, prompt: str, *arguments: str) -> str:
    """Run Claude Code, with everything allowed."""
    return claude_command(
        place,
        "-p",
        prompt,
        "--model",
        "claude-sonnet-4-5",
        "--allowedTools",
        "Bash,mcp__ebbing,Task,Agent",
        *arguments,
    )


def claude_command(place: Place, *arguments: str) -> str:
    """Run Claude Code with a command line of one's own."""
    return place.run(
        program("claude"),
        *arguments,
        ANTHROPIC_BASE_URL=place.model.url,
        ANTHROPIC_API_KEY="none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_AUTOUPDATER="1",
        DISABLE_TELEMETRY="1",
        DISABLE_ERROR_REPORTING="1",
    )


def codex(place: Place, prompt: str, *arguments: str) -> str:
    """Run Codex, with everything allowed and the hooks trusted."""
    provider = {
        "model_provider": '"test"',
        "model": '"gpt-5"',
        "model_providers.test.name": '"test"',
        "model_providers.test.base_url": json.dumps(f"{place.model.url}/v1"),
        "model_providers.test.wire_api": '"responses"',
        "model_providers.test.env_key": '"TEST_KEY"',
        "check_for_update_on_startup": "false",
        "analytics.enabled": "false",
    }
    settings = [word for name, value in provider.items() for word in ("-c", f"{name}={value}")]
    return place.run(
        program("codex"),
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--skip-git-repo-check",
        *settings,
        *arguments,
        prompt,
        TEST_KEY="none",
    )


def opencode(place: Place, prompt: str, *arguments: str) -> str:
    """Run OpenCode, with everything allowed."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.model.url}/v1", "apiKey": "none"},
        "models": {"model": {"name": "model", "tool_call": True}},
    }
    config = {
        "provider": {"test": provider},
        "model": "test/model",
        "small_model": "test/model",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
    }
    return place.run(
        program("opencode"),
        "run",
        *arguments,
        prompt,
        OPENCODE_CONFIG_CONTENT=json.dumps(config),
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_DISABLE_MODELS_FETCH="1",
        OPENCODE_DISABLE_LSP_DOWNLOAD="1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS="1",
    )


def gemini(place: Place, prompt: str, *arguments: str) -> str:
    """Run Gemini CLI, with everything allowed."""
    return place.run(
        program("gemini"),
        "-p",
        prompt,
        "--yolo",
        "--model",
        "gemini-2.5-flash",
        *arguments,
        GEMINI_API_KEY="none",
        GOOGLE_GEMINI_BASE_URL=place.model.url,
        GEMINI_CLI_TRUST_WORKSPACE="true",
        GEMINI_CLI_NO_RELAUNCH="true",
        GEMINI_TELEMETRY_ENABLED="false",
    )


def qwen(place: Place, prompt: str, *arguments: str) -> str:
    """Run Qwen Code, with everything allowed."""
    return place.run(
        program("qwen"),
        "-p",
        prompt,
        "--yolo",
        "--auth-type",
        "openai",
        "--model",
        "model",
        *arguments,
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=f"{place.model.url}/v1",
        QWEN_CODE_NO_RELAUNCH="true",
    )
