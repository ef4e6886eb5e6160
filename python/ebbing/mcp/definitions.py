"""Writes `definitions.json`: `python -m ebbing.mcp.definitions`, whenever a tool has changed."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import anyio
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from ebbing.mcp.early import Answers, Wire
from ebbing.mcp.server import build_server
from ebbing.memory import Memory

_ASKED = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": HANDSHAKE_PROTOCOL_VERSIONS[-1],
            "capabilities": {},
            "clientInfo": {"name": "definitions", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


def made() -> str:
    """Return the file's text: what the server itself answers on its streams."""
    asked, answered = os.pipe(), os.pipe()
    ends = Wire(os.fdopen(asked[0], "rb")), Answers(os.fdopen(answered[1], "wb"))
    server = build_server(Memory("."))
    serving = threading.Thread(target=lambda: anyio.run(server.run_on, *ends))
    serving.start()
    answers: dict[int, Any] = {}
    with os.fdopen(asked[1], "w") as writing, os.fdopen(answered[0], encoding="utf-8") as reading:
        for one in _ASKED:
            writing.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
            writing.flush()
            if "id" in one:
                answer = json.loads(reading.readline())
                answers[answer["id"]] = answer["result"]
        writing.close()
        serving.join()
    for end in ends:
        end.close()
    del answers[1]["protocolVersion"]
    known = {
        "versions": HANDSHAKE_PROTOCOL_VERSIONS,
        "initialize": answers[1],
        "tools": answers[2]["tools"],
    }
    return json.dumps(known, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "definitions.json").write_text(made(), "utf-8")
