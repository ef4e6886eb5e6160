"""A model on loopback that says what a test wrote for it, over the APIs that agents speak.

Anthropic's messages, OpenAI's responses and chat completions, and Gemini's content generation, with
streaming and tool calls. A request that offers tools gets the script's next step; any other one (a
title, a topic, a summary) gets a word, so that a script holds the conversation alone.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """The model answers with a text, and its turn is over."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls the offered tool whose name fits a pattern."""

    tool: str
    arguments: Mapping[str, Any]


Step = Say | Call


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: which API, and what was sent."""

    api: str
    body: Json

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered; one of a namespace as `namespace/name`."""
        return list(_tool_names(self.body))

    @property
    def said(self) -> str:
        """All that the conversation holds, without system texts and tools."""
        if self.api == "gemini":
            return _flat(self.body.get("contents"))
        messages = self.body.get("input") or self.body.get("messages") or []
        return _flat([one for one in messages if _role(one) not in ("system", "developer")])

    @property
    def whole(self) -> str:
        """All that was sent."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def system(self) -> str:
        """The system texts."""
        texts = [self.body.get(key) for key in ("system", "instructions", "systemInstruction")]
        messages = self.body.get("input") or self.body.get("messages") or []
        return _flat([texts, [one for one in messages if _role(one) == "system"]])


@dataclass(slots=True)
class ModelServer:
    """Serves a script; `asked` holds the requests in the order in which they came."""

    steps: list[Step] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """Requests for something that no model has: what a program does besides."""
    _server: ThreadingHTTPServer = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def script(self, *steps: Step) -> None:
        """Say these from now on, and forget what was asked."""
        self.steps, self.asked = list(steps), []

    def answer(self, asked: Asked) -> Step:
        """Return what is said to a request."""
        with self._lock:
            self.asked.append(asked)
            if not asked.tools:
                return Say("ok")
            return self.steps.pop(0) if self.steps else Say("Done.")


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path.endswith("/models"):
                self._json({"object": "list", "data": [{"id": "model", "object": "model"}]})
            else:
                self._missing()

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            path = self.path.partition("?")[0]
            for ending, (api, whole, stream) in _APIS.items():
                if not re.search(ending, path):
                    continue
                asked = Asked(api, body)
                step = _called(model.answer(asked), asked)
                if body.get("stream") or path.endswith(":streamGenerateContent"):
                    self._stream(stream(step), names_events=api in ("messages", "responses"))
                    if api == "chat":
                        self._piece(b"data: [DONE]\n\n")
                    self._piece(b"")
                else:
                    self._json(whole(step))
                return
            if path.endswith((":countTokens", "/count_tokens")):
                self._json({"totalTokens": 10, "input_tokens": 10})
            else:
                self._missing()

        def do_CONNECT(self) -> None:
            # It is the proxy too: of itself, and of nothing else.
            if f"http://{self.path}" == model.url:
                self.send_response(200)
                self.end_headers()
                self.close_connection = False
            else:
                self._missing()
                self.close_connection = True

        def _missing(self) -> None:
            model.strangers.append(f"{self.command} {self.path}")
            self._json({"error": {"message": "there is no such thing"}}, status=404)

        def _json(self, value: Json, *, status: int = 200) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: Iterator[Json], *, names_events: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for event in events:
                name = f"event: {event['type']}\n" if names_events else ""
                self._piece(f"{name}data: {json.dumps(event)}\n\n".encode())

        def _piece(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        def log_message(self, *args: object) -> None:
            pass

    return Handler


@dataclass(frozen=True, slots=True)
class _Said:
    """A step with what an API needs of it: an id, and the very name of the tool."""

    id: str
    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def _called(step: Step, asked: Asked) -> _Said:
    name = uuid.uuid4().hex[:20]
    if isinstance(step, Say):
        return _Said(name, text=step.text)
    fitting = [tool for tool in asked.tools if re.fullmatch(step.tool, tool)]
    if not fitting:
        return _Said(name, text=f"no tool {step.tool} among {', '.join(asked.tools)}")
    known = _parameters(asked.body, fitting[0])
    return _Said(
        name,
        tool=fitting[0],
        # Each program calls its shell's parameters otherwise, and takes no others.
        arguments={key: value for key, value in step.arguments.items() if key in known},
    )


# Anthropic's messages


def _messages(said: _Said) -> Json:
    block: Json = {"type": "text", "text": said.text}
    if said.tool:
        block = {
            "type": "tool_use",
            "id": f"toolu_{said.id}",
            "name": said.tool,
            "input": dict(said.arguments),
        }
    return {
        "id": f"msg_{said.id}",
        "type": "message",
        "role": "assistant",
        "model": "model",
        "content": [block],
        "stop_reason": "tool_use" if said.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _messages_stream(said: _Said) -> Iterator[Json]:
    whole = _messages(said)
    block = whole["content"][0]
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    begun = {**block, "input": {}} if said.tool else {**block, "text": ""}
    yield {"type": "content_block_start", "index": 0, "content_block": begun}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(dict(said.arguments))}
        if said.tool
        else {"type": "text_delta", "text": said.text}
    )
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": 5},
    }
    yield {"type": "message_stop"}


# OpenAI's responses


def _responses(said: _Said) -> Json:
    item: Json = {
        "type": "message",
        "id": f"msg_{said.id}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": said.text, "annotations": []}],
    }
    if said.tool:
        namespace, _, name = said.tool.rpartition("/")
        item = {
            "type": "function_call",
            "id": f"fc_{said.id}",
            "call_id": f"call_{said.id}",
            "name": name,
            "arguments": json.dumps(dict(said.arguments)),
            "status": "completed",
        } | ({"namespace": namespace} if namespace else {})
    return {
        "id": f"resp_{said.id}",
        "object": "response",
        "created_at": 1,
        "model": "model",
        "status": "completed",
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 15,
        },
    }


def _responses_stream(said: _Said) -> Iterator[Json]:
    whole = _responses(said)
    item = whole["output"][0]
    begun = {**whole, "output": [], "status": "in_progress", "usage": None}
    yield {"type": "response.created", "response": begun, "sequence_number": 0}
    yield {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {**item, "status": "in_progress"} | ({} if said.tool else {"content": []}),
        "sequence_number": 1,
    }
    if said.text:
        yield {
            "type": "response.output_text.delta",
            "item_id": item["id"],
            "output_index": 0,
            "content_index": 0,
            "delta": said.text,
            "sequence_number": 2,
        }
    yield {
        "type": "response.output_item.done",
        "output_index": 0,
        "item": item,
        "sequence_number": 3,
    }
    yield {"type": "response.completed", "response": whole, "sequence_number": 4}


# OpenAI's chat completions


def _chat(said: _Said) -> Json:
    message: Json = {"role": "assistant", "content": said.text or None}
    if said.tool:
        message["tool_calls"] = [_chat_call(said)]
    return _chat_answer(said, "chat.completion", "message", message) | {"usage": _CHAT_USAGE}


def _chat_stream(said: _Said) -> Iterator[Json]:
    delta: Json = {"role": "assistant", "content": said.text or None}
    if said.tool:
        delta["tool_calls"] = [{"index": 0, **_chat_call(said)}]
    begun = _chat_answer(said, "chat.completion.chunk", "delta", delta)
    begun["choices"][0]["finish_reason"] = None
    yield begun
    ended = _chat_answer(said, "chat.completion.chunk", "delta", {})
    yield ended
    yield ended | {"choices": [], "usage": _CHAT_USAGE}


_CHAT_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _chat_call(said: _Said) -> Json:
    function = {"name": said.tool, "arguments": json.dumps(dict(said.arguments))}
    return {"id": f"call_{said.id}", "type": "function", "function": function}


def _chat_answer(said: _Said, kind: str, part: str, message: Json) -> Json:
    end = "tool_calls" if said.tool else "stop"
    return {
        "id": f"chatcmpl-{said.id}",
        "object": kind,
        "created": 1,
        "model": "model",
        "choices": [{"index": 0, part: message, "finish_reason": end}],
    }


# Gemini


def _gemini(said: _Said) -> Json:
    part: Json = {"text": said.text}
    if said.tool:
        part = {"functionCall": {"name": said.tool, "args": dict(said.arguments)}}
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 10,
            "candidatesTokenCount": 5,
            "totalTokenCount": 15,
        },
        "modelVersion": "model",
    }


def _gemini_stream(said: _Said) -> Iterator[Json]:
    yield _gemini(said)


_Whole = Callable[[_Said], Json]
_Stream = Callable[[_Said], Iterator[Json]]
_APIS: dict[str, tuple[str, _Whole, _Stream]] = {
    r"/messages$": ("messages", _messages, _messages_stream),
    r"/responses$": ("responses", _responses, _responses_stream),
    r"/chat/completions$": ("chat", _chat, _chat_stream),
    r":(?:streamG|g)enerateContent$": ("gemini", _gemini, _gemini_stream),
}


def _tool_names(body: Json) -> Iterator[str]:
    for tool in body.get("tools") or ():
        if "functionDeclarations" in tool:
            yield from (one["name"] for one in tool["functionDeclarations"])
        elif tool.get("type") == "namespace":
            yield from (f"{tool['name']}/{one['name']}" for one in tool.get("tools", ()))
        elif "name" in tool:
            yield tool["name"]
        elif "function" in tool:
            yield tool["function"]["name"]


def _parameters(body: Json, name: str) -> set[str]:
    """Return the names of a tool's parameters."""
    listed: list[Json] = []
    for tool in body.get("tools") or ():
        listed += tool.get("functionDeclarations") or tool.get("tools") or [tool]
    for tool in listed:
        tool = tool.get("function", tool)
        if tool.get("name") == name.rpartition("/")[2]:
            keys = ("input_schema", "parametersJsonSchema", "parameters")
            schema: Json = next((tool[key] for key in keys if key in tool), {})
            return set(schema.get("properties", ()))
    return set()


def _role(message: object) -> str:
    return str(message.get("role", "")) if isinstance(message, dict) else ""


def _flat(value: object) -> str:
    """Return all texts within a value, a line each."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        value = [one for key, one in value.items() if key not in ("role", "type", "id")]
    if isinstance(value, Sequence):
        return "\n".join(text for text in map(_flat, value) if text)
    return ""
