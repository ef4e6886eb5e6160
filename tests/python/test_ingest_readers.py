"""Every log format is read in bounded memory, and a bad line costs only itself."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbing.errors import InputError
from ebbing.ingest import items as ingest_items
from ebbing.ingest.content import Unreadable
from ebbing.ingest.detection import detect_format
from ebbing.ingest.formats import format_names
from ebbing.ingest.items import BadLine, ParsedMessage
from ebbing.ingest.json_values import MAX_BYTES, JsonValues
from ebbing.ingest.reading import read_messages

FIXTURES = Path(__file__).parent.parent / "fixtures" / "ingest"


def read(
    data: bytes, *, name: str = "log.jsonl", format: str | None = None
) -> tuple[list[ParsedMessage], list[BadLine]]:
    items = list(read_messages(io.BytesIO(data), name=name, format=format))
    return (
        [item for item in items if isinstance(item, ParsedMessage)],
        [item for item in items if isinstance(item, BadLine)],
    )


def read_fixture(name: str) -> tuple[list[ParsedMessage], list[BadLine]]:
    return read((FIXTURES / name).read_bytes(), name=name)


def lines(*items: object) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def said(number: int, **more: object) -> dict[str, object]:
    return {"session_id": "s", "role": "user", "content": f"fact {number}", **more}


# Formats


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("messages.jsonl", "json-lines"),
        ("chat.json", "chat-completions"),
        ("claude_code.jsonl", "claude-code"),
        ("locomo.json", "locomo"),
    ],
)
def test_formats_are_recognised_from_the_file_or_its_first_bytes(name: str, format: str) -> None:
    assert detect_format(FIXTURES / name) == format
    assert detect_format((FIXTURES / name).read_bytes()) == format
    assert detect_format(b"\xef\xbb\xbf  \n" + (FIXTURES / name).read_bytes()) == format


def test_an_unknown_format_is_one_clear_error() -> None:
    for data in (b"Dear diary,\n", b"PK\x03\x04\x00", b'{"a": 1}\n', b"role,content\nuser,hi\n"):
        with pytest.raises(InputError, match="not a session log") as caught:
            read(data)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="UTF-16"):
        read('{"role": "user"}'.encode("utf-16"))
    with pytest.raises(InputError, match="not a log format"):
        read(b"", format="xml")
    assert all(format in str(caught.value) for format in format_names())


def test_an_empty_file_has_no_messages() -> None:
    assert read(b"") == ([], [])
    assert read(b" \n\n") == ([], [])
    assert read(b"[]", name="chat.json") == ([], [])


def test_a_long_first_line_is_still_recognised() -> None:
    long = said(1, content="x" * 400_000)
    assert detect_format(lines(long)) == "json-lines"
    assert detect_format(lines({"model": "m", "messages": [long]})) == "chat-completions"
    record = {"parentUuid": None, "type": "user", "message": {"content": "x" * 400_000}}
    assert detect_format(lines(record)) == "claude-code"


# JSON lines


def test_json_lines_are_read_and_bad_ones_are_named_by_number() -> None:
    messages, bad = read_fixture("messages.jsonl")
    assert [(m.session_id, m.message_seq, m.role, m.content) for m in messages] == [
        ("monday", 0, "user", "I moved to Lisbon in March."),
        ("monday", 1, "assistant", "Noted."),
        ("monday", 2, "user", "我更喜欢喝绿茶。"),
        ("monday", 3, "user", "half a smile \ufffd here"),
        ("monday", 4, "user", "a NUL  inside"),
        ("tuesday", 0, "user", "Look at this.\nMy cat is called Miso."),
        ("tuesday", 1, "assistant", "A good name."),
    ]
    assert [line.number for line in bad] == [4, 5, 6, 7, 8, 13, 14]
    reasons = [line.reason for line in bad]
    assert reasons[0].startswith("not JSON")
    assert reasons[1:] == [
        "no content",
        "not a JSON object",
        "unknown role 'narrator'",
        "the content is neither text nor a list of parts",
        "the content is empty",
        "cannot read the time 'the day before yesterday'",
    ]


def test_times_are_naive_utc_whatever_their_offset() -> None:
    messages, _ = read_fixture("messages.jsonl")
    assert [m.occurred_at for m in messages[:4]] == [
        datetime(2025, 7, 25, 2, 0),
        datetime(2025, 7, 25, 2, 0, 5),
        datetime(2025, 7, 25, 2, 0, 10),
        datetime(2025, 7, 25, 2, 1),
    ]
    assert messages[5].occurred_at is None
    with_milliseconds, _ = read(lines(said(1, ts=1753408810000)))
    assert with_milliseconds[0].occurred_at == datetime(2025, 7, 25, 2, 0, 10)


def test_a_line_without_a_session_belongs_to_the_file() -> None:
    messages, _ = read(lines({"role": "user", "content": "hi"}), name="logs/2025-07.jsonl")
    assert messages[0].session_id == "2025-07"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"role":"user","content":' + b"[" * 50_000 + b"]" * 50_000 + b"}", "nested too deeply"),
        (b'{"role": "user", "content": "' + b"\xff\xfe\xfd" * 50 + b'"}', "not UTF-8 text"),
        (b'{"role": "user", "content": "x", "ts": ' + b"9" * 5000 + b"}", "too many digits"),
        (b'{"role": "user", "content": "x", "ts": NaN}', "cannot read the time"),
        (b'{"role": "user", "content": "x", "ts": 1e300}', "cannot read the time"),
        (b'{"role": "user", "content": "x", "ts": true}', "neither text nor a number"),
        (b'{"role": ["user"], "content": "x"}', "no role"),
        (b'{"role": "user", "content": "x", "session_id": {}}', "an id is neither"),
        (b'{"role": "user", "content": [1]}', "a part of the content"),
        (b'{"role": "user", "content": "' + b"x" * (MAX_BYTES + 10) + b'"}', "longer than 10 MB"),
        (b"\x00\x01\x02", "not JSON"),
        (b"null", "not a JSON object"),
    ],
)
def test_a_bad_line_costs_only_itself(line: bytes, reason: str) -> None:
    messages, bad = read(lines(said(1)) + line + b"\n" + lines(said(2)), format="json-lines")
    assert [m.content for m in messages] == ["fact 1", "fact 2"]
    assert [b.number for b in bad] == [2]
    assert reason in bad[0].reason
    assert "\n" not in bad[0].reason
    assert len(bad[0].reason) < 120


def test_a_stray_byte_is_repaired() -> None:
    messages, bad = read(b'{"role": "user", "content": "caf\xe9 au lait"}\n')
    assert [m.content for m in messages] == ["caf\ufffd au lait"]
    assert not bad


def test_a_last_line_that_is_still_being_written_is_reported_and_read_later() -> None:
    whole = lines(said(1), said(2))
    messages, bad = read(whole[:-10])
    assert (len(messages), [b.number for b in bad]) == (1, [2])
    assert read(whole)[0][0] == messages[0]


# The ids of messages


@pytest.mark.parametrize("more", [{}, {"ts": "2025-07-25T02:00:00Z"}])
@pytest.mark.parametrize("format", ["json-lines", "chat-completions"])
def test_reading_again_and_reading_a_grown_file_gives_the_same_ids(
    more: dict[str, object], format: str
) -> None:
    history = [said(number % 4, **more) for number in range(12)]
    grown = [*history, *(said(number, **more) for number in range(10))]
    if format == "json-lines":
        first, again, later = (read(lines(*part))[0] for part in (history, history, grown))
    else:
        first, again, later = (
            read(json.dumps(part).encode())[0] for part in (history, history, grown)
        )
    assert first == again == later[:12]
    assert len(later) == 22
    assert len({m.message_id for m in later}) == 22
    assert all(len(m.message_id) == 20 and m.message_id.startswith("msg_") for m in later)


def test_a_source_id_outlives_a_changed_text_and_place() -> None:
    first, _ = read(lines(said(1, id="a"), said(2, id="b")))
    moved, _ = read(lines(said(2, id="b"), said(3, id="a"), said(4, id="a", session_id="t")))
    assert [m.message_id for m in moved[:2]] == [first[1].message_id, first[0].message_id]
    assert moved[2].message_id not in {m.message_id for m in first}


def test_repeats_are_counted_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_items, "REMEMBERED_REPEATS", 3)
    at = "2025-07-25T02:00:00Z"
    messages, _ = read(lines(*(said(number, ts=at) for number in (1, 1, 2, 3, 4, 5, 1))))
    ids = [m.message_id for m in messages]
    assert ids[0] != ids[1]
    assert ids[6] == ids[0]


# Chat completions


def test_a_chat_array_is_read_item_by_item() -> None:
    messages, bad = read_fixture("chat.json")
    assert {m.session_id for m in messages} == {"chat"}
    assert [(m.role, m.content) for m in messages] == [
        ("system", "You are a helpful assistant."),
        ("user", "What is the weather in Porto?"),
        ("tool", 'weather {"city": "Porto"}'),
        ("tool", "22 degrees"),
        ("assistant", "It's 22 degrees in Porto."),
        ("user", "Brackets ] } and quotes \" and \\ don't end me."),
    ]
    assert bad == [BadLine(6, "no content")]


def test_conversations_are_named_by_their_object_or_by_the_file() -> None:
    chat = [{"role": "user", "content": "hi"}]
    for data in (
        {"id": "abc", "model": "m", "usage": {"messages": [1, 2]}, "messages": chat},
        {"messages": chat, "model": "m"},
    ):
        messages, bad = read(json.dumps(data, indent=1).encode(), name="x/chat.json")
        assert [m.session_id for m in messages] == [data.get("id", "chat")]
        assert not bad
    several = [{"messages": chat}, {"session_id": 7, "messages": chat}, {"messages": chat}]
    for written in (lines(*several), json.dumps(several).encode()):
        messages, bad = read(written, name="chat.json", format="chat-completions")
        sessions = [m.session_id for m in messages]
        assert len(set(sessions)) == 3
        assert sessions[1] == "7"
        assert not bad


@pytest.mark.parametrize(
    "item",
    [
        b'"a bare text"',
        b"12.5",
        b'{"role": "user" "content": "x"}',
        b'{"role": "user", "content": "' + b"\xff" * 30 + b'"}',
        b'{"a":' * 90_000 + b"1" + b"}" * 90_000,
        b'{"role": "user", "content": "' + b"x" * (MAX_BYTES + 10) + b'"}',
        b"nonsense",
        b":",
    ],
)
def test_a_bad_item_costs_only_itself(item: bytes) -> None:
    data = b"[%s,\n%s,\n%s]" % (json.dumps(said(1)).encode(), item, json.dumps(said(2)).encode())
    messages, bad = read(data, format="chat-completions")
    assert [m.content for m in messages] == ["fact 1", "fact 2"]
    assert [b.number for b in bad] == [2]


def test_an_array_that_was_cut_off_gives_what_it_has() -> None:
    data = json.dumps([said(number) for number in range(5)]).encode()
    for cut in range(1, len(data)):
        messages, bad = read(data[:cut], format="chat-completions")
        assert [m.content for m in messages] == [f"fact {n}" for n in range(len(messages))]
        assert len(bad) == 1
        assert "ends" in bad[0].reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Drip(io.RawIOBase):
    """Gives a few bytes at a time, so that every border falls inside something."""

    def __init__(self, data: bytes, size: int) -> None:
        self._stream = io.BytesIO(data)
        self._size = size

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(self._size)


@given(values=st.lists(JSON, max_size=5), size=st.integers(1, 7), ascii=st.booleans())
def test_values_are_cut_out_whole_wherever_the_chunks_end(
    values: list[object], size: int, ascii: bool
) -> None:
    cursor = JsonValues(Drip(json.dumps(values, ensure_ascii=ascii).encode(), size))  # type: ignore[arg-type]
    assert cursor.take() == b"["
    found = []
    while (byte := cursor.peek()) != b"]":
        if byte == b",":
            cursor.take()
        else:
            found.append(json.loads(cursor.value()))
    assert found == values


@settings(max_examples=300)
@given(
    data=st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                *(bytes([byte]) for byte in b'[]{}"\\,:1\n\xff'),
                *(b'"messages"', b'"role"', b'"user"', b'"content"', b"null"),
                b'{"role":"user","content":"x"}',
            ]
        ),
        max_size=30,
    ).map(b"".join),
    format=st.sampled_from(format_names()),
)
def test_no_bytes_whatever_break_a_reader(data: bytes, format: str) -> None:
    messages, bad = read(data, format=format)
    assert all(m.content and m.session_id for m in messages)
    assert all(b.number > 0 and b.reason and "\n" not in b.reason for b in bad)


def test_a_value_that_is_too_long_is_passed_over() -> None:
    cursor = JsonValues(io.BytesIO(b'["aaaaaaaaaaaa", 1]'))
    cursor.take()
    with pytest.raises(Unreadable, match="longer"):
        cursor.value(limit=5)
    assert cursor.take() == b","
    assert cursor.value() == b"1"


# Claude Code


def test_a_claude_code_transcript_gives_what_was_said_and_done() -> None:
    messages, bad = read_fixture("claude_code.jsonl")
    assert {m.session_id for m in messages} == {"5e551000-0000-4000-8000-000000000000"}
    assert [(m.message_seq, m.role, m.content) for m in messages] == [
        (0, "user", "Use tabs in the Makefile, please."),
        (1, "assistant", "I'll read it first."),
        (2, "tool", 'Read {"file_path": "Makefile"}'),
        (3, "tool", "all:\n    true"),
        (4, "user", "No, four spaces in Python."),
    ]
    assert messages[0].occurred_at == datetime(2025, 7, 25, 2, 0, 0, 123000)
    assert len({m.message_id for m in messages}) == 5
    assert [line.number for line in bad] == [14, 15]
    assert bad[1].reason == "no message"


def test_a_transcript_read_after_every_turn_gives_the_same_ids() -> None:
    data = (FIXTURES / "claude_code.jsonl").read_bytes().splitlines(keepends=True)
    whole = read(b"".join(data))[0]
    for turn in range(2, len(data)):
        messages, _ = read(b"".join(data[:turn]))
        assert messages == whole[: len(messages)]


# LoCoMo


def test_a_locomo_file_gives_its_turns_in_dated_sessions() -> None:
    messages, bad = read_fixture("locomo.json")
    assert [(m.session_id, m.message_seq, m.content, m.occurred_at) for m in messages] == [
        ("conv-1/session_1", 0, "Ines: I work at the harbour now.", datetime(2023, 5, 8, 13, 56)),
        (
            "conv-1/session_1",
            1,
            "Rui: Look at my boat! [a photo of a small blue boat]",
            datetime(2023, 5, 8, 13, 56, 1),
        ),
        ("conv-1/session_1", 2, "Ines: Lovely.", datetime(2023, 5, 8, 13, 56, 3)),
        ("conv-1/session_10", 0, "Rui: Can't sleep.", datetime(2023, 9, 13, 0, 9)),
        ("conv-3/session_1", 0, "A: No date here.", None),
    ]
    assert {m.role for m in messages} == {"user"}
    assert bad == [
        BadLine(1, "session_1, turn 3: no text or no speaker"),
        BadLine(2, "no sample_id or no conversation"),
    ]


# Memory


MEASURED = """
import io, json, resource, sys

sys.path.insert(0, sys.argv[1])
from ebbing.ingest.items import ParsedMessage
from ebbing.ingest.reading import read_messages

TEXT = "a line of the log, \\\\n \\\\u4eca\\\\u5929 " * 80
ITEMS = {
    "json-lines": '{"session_id": "s", "role": "user", "ts": %d, "content": "%s"}\\n',
    "claude-code": '{"type": "user", "uuid": "%d", "message": {"content": "%s"}}\\n',
    "chat-completions": '{"role": "user", "ts": %d, "content": "%s"},\\n',
}


class Generated(io.RawIOBase):
    def __init__(self, format, count):
        self.item = ITEMS[format].replace("%s", TEXT)
        first, last = (b"[", b"{}]") if format == "chat-completions" else (b"", b"")
        self.parts = iter([first, *[None] * count, last])
        self.left, self.size, self.number = b"", 0, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        while len(self.left) < len(buffer):
            part = next(self.parts, "end")
            if part == "end":
                break
            self.number += 1
            self.left += part if part is not None else (self.item % self.number).encode()
        data, self.left = self.left[: len(buffer)], self.left[len(buffer) :]
        buffer[: len(data)] = data
        self.size += len(data)
        return len(data)


def run(format, count):
    raw = Generated(format, count)
    items = read_messages(io.BufferedReader(raw, 1 << 16), name="x")
    assert sum(isinstance(item, ParsedMessage) for item in items) == count
    return raw.size


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


run(sys.argv[2], 500)
before = peak()
size = run(sys.argv[2], 20_000)
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({"bytes": size, "grown": (peak() - before) * unit}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="resource is not on Windows")
@pytest.mark.parametrize("format", ["json-lines", "chat-completions", "claude-code"])
def test_a_large_log_is_read_in_bounded_memory(format: str) -> None:
    package = Path(ingest_items.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(package), format],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    measured = json.loads(done.stdout)
    assert measured["bytes"] > 50_000_000
    assert measured["grown"] < 20_000_000
