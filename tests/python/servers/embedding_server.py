"""An OpenAI-compatible embeddings server on loopback that can be told to misbehave.

Vectors are hashed from the text, so that equal texts get equal vectors. A text that contains
`POISON` makes the server refuse the whole request, as providers do for a text that they won't take.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

POISON = "POISON"
KEY = "sk-loopback-0123456789"


@dataclass
class EmbeddingServer:
    """The server's address, how it behaves now, and what it was asked."""

    base_url: str
    mode: str = "normal"
    dimension: int = 8
    retry_after: str | None = None
    failures_left: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def vector(self, text: str) -> list[float]:
        """Hash a text to numbers between -1 and 1."""
        digest = blake2b(text.encode(), digest_size=64).digest()
        return [digest[i % 64] / 127.5 - 1 + i / 1000 for i in range(self.dimension)]


def _handler(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Stay quiet."""

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            request = json.loads(self.rfile.read(length))
            server.requests.append(request)
            server.headers.append(dict(self.headers))
            texts = request["input"]
            if self.path != "/v1/embeddings":
                return self.answer(404, {"error": {"message": f"no {self.path}"}})
            if server.failures_left > 0:
                server.failures_left -= 1
                return self.answer(429, {"error": {"message": "slow down"}})
            match server.mode:
                case "slow":
                    server.released.wait(10)
                    return self.answer(200, self.embeddings(texts))
                case "broken JSON":
                    return self.raw(200, b'{"data": [{"index": 0, "embedd')
                case "not embeddings":
                    return self.answer(200, {"choices": []})
                case "always 500":
                    return self.answer(500, {"error": {"message": "out\nof order"}})
                case "wrong key":
                    key = self.headers.get("Authorization", "")
                    return self.answer(401, {"error": {"message": f"bad key: {key}"}})
                case "refuses all":
                    return self.answer(400, {"error": {"message": "no such model"}})
            if any(POISON in text for text in texts):
                return self.answer(400, {"error": {"message": "this input is not allowed"}})
            answer = self.embeddings(texts)
            match server.mode:
                case "drops one item" if len(texts) > 1:
                    del answer["data"][1]
                case "drops one item, no index" if len(texts) > 1:
                    del answer["data"][1]
                    for item in answer["data"]:
                        del item["index"]
                case "shuffled":
                    answer["data"].reverse()
                case "NaN":
                    answer["data"][0]["embedding"][0] = float("nan")
                case "zero":
                    answer["data"][0]["embedding"] = [0.0] * server.dimension
                case "null":
                    answer["data"][0]["embedding"] = None
            return self.answer(200, answer)

        def embeddings(self, texts: list[str]) -> dict[str, Any]:
            return {
                "object": "list",
                "data": [
                    {"object": "embedding", "index": i, "embedding": server.vector(text)}
                    for i, text in enumerate(texts)
                ],
            }

        def answer(self, status: int, body: dict[str, Any]) -> None:
            self.raw(status, json.dumps(body).encode())

        def raw(self, status: int, body: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                if status == 429 and server.retry_after is not None:
                    self.send_header("Retry-After", server.retry_after)
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up waiting

    return Handler


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Serve on a free port of loopback until the block ends."""
    server = EmbeddingServer("")
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
