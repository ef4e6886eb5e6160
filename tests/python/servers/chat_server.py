"""An OpenAI-compatible chat server on loopback that can be told to misbehave.

It notes a memory for each message of the user that says "I ...", with the message's own id.
`answers` are served instead, one for each request, as long as there are any.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-loopback-9876543210"


@dataclass
class ChatServer:
    """The server's address, how it behaves now, and what it was asked."""

    base_url: str
    mode: str = "normal"
    failures_left: int = 0
    answers: list[str | dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def logs(self) -> list[dict[str, Any]]:
        """Return the logs that were sent, one for each request."""
        return [log_of(request) for request in self.requests]


def log_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the log that a request holds as JSON."""
    text: str = request["messages"][1]["content"]
    log: dict[str, Any] = json.loads(text[text.index("{") :])
    return log


def memory(text: str, source: str, **changes: Any) -> dict[str, Any]:
    """Return an item of an answer about what the user said in one message."""
    return {
        "kind": "fact",
        "content": f"The user said: {text}",
        "sources": [source],
        "quote": text,
        "importance": 0.5,
        "supersedes": None,
        **changes,
    }


def _noted(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        memory(message["text"], message["id"])
        for message in log_of(request)["messages"]
        if message["role"] == "user" and message["text"].startswith("I ")
    ]


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            request = json.loads(self.rfile.read(length))
            server.requests.append(request)
            server.headers.append(dict(self.headers))
            if self.path != "/v1/chat/completions":
                return self.answer(404, {"error": {"message": f"no {self.path}"}})
            if server.failures_left > 0:
                server.failures_left -= 1
                return self.answer(429, {"error": {"message": "slow down"}})
            if server.answers:
                served = server.answers.pop(0)
                if isinstance(served, dict):
                    return self.answer(200, served)
                return self.chat(served)
            good = json.dumps({"memories": _noted(request)})
            match server.mode:
                case "slow":
                    server.released.wait(10)
                case "always 500":
                    return self.answer(500, {"error": {"message": "out\nof order"}})
                case "wrong key":
                    key = self.headers.get("Authorization", "")
                    return self.answer(401, {"error": {"message": f"bad key: {key}"}})
                case "broken HTTP body":
                    return self.raw(200, b'{"choices": [{"mess')
                case "not a chat":
                    return self.answer(200, {"data": []})
                case "broken JSON":
                    return self.chat("I'd be glad to help with that!")
                case "fenced":
                    return self.chat(f"<think>a {{plan}}</think>\nHere:\n```json\n{good}\n```\n")
                case "trailing commas":
                    return self.chat(good.replace("}]", "},]").replace("null}", "null,}"))
                case "cut off":
                    # After the first item, within the second, as at a limit on tokens.
                    if (comma := good.find("}, {")) >= 0:
                        return self.chat(good[: comma + 60], finish_reason="length")
                case "refuses":
                    return self.chat("", refusal="I can't help with that")
                case "filtered":
                    return self.chat("", finish_reason="content_filter")
                case "context too small":
                    if len(log_of(request)["messages"]) > 2:
                        message = "the request exceeds the available context size"
                        return self.answer(400, {"error": {"message": message}})
                case "reasoning model":
                    if "max_tokens" in request:
                        message = "'max_tokens' is not supported: use 'max_completion_tokens'"
                        return self.answer(400, {"error": {"message": message}})
                    if "temperature" in request:
                        message = "Unsupported value: 'temperature' does not support 0"
                        return self.answer(400, {"error": {"message": message}})
                case "no schemas":
                    if request.get("response_format", {}).get("type") == "json_schema":
                        message = "response_format json_schema is unavailable now"
                        return self.answer(400, {"error": {"message": message}})
                case "no formats":
                    if "response_format" in request:
                        message = "unknown field response_format"
                        return self.answer(422, {"error": {"message": message}})
                case "refuses all":
                    return self.answer(400, {"error": {"message": "no such model"}})
            return self.chat(good)

        def chat(
            self, content: str, *, finish_reason: str = "stop", refusal: str | None = None
        ) -> None:
            body: dict[str, Any] = {
                "object": "chat.completion",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": content, "refusal": refusal},
                        "finish_reason": finish_reason,
                    }
                ],
            }
            if server.mode != "no usage":
                body["usage"] = {"prompt_tokens": 1000, "completion_tokens": 100}
            self.answer(200, body)

        def answer(self, status: int, body: dict[str, Any]) -> None:
            self.raw(status, json.dumps(body).encode())

        def raw(self, status: int, body: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                if status == 429:
                    self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up waiting

    return Handler


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serve on a free port of loopback until the block ends."""
    server = ChatServer("")
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.base_url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        http.shutdown()
        thread.join()
        http.server_close()
