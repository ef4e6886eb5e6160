"""Odd text is repaired or refused by name; scope fails closed."""

import json

import pytest

from ebbing.errors import InputError, ScopeError
from ebbing.safety.text import (
    clean,
    clean_id,
    clean_memory,
    clean_namespace,
    repair,
    repaired_id,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (json.loads('"\\ud83d\\ude00"'), "😀"),
        ("\ud83d" + "\ude00", "😀"),
        (json.loads('"lone \\ud83d here"'), "lone � here"),
        ("\ude00\ud83d", "��"),
        ("nul\x00 and bell\x07", "nul and bell"),
        ("escape \x1b[31mred\x9b0m", "escape red"),
        (
            "title \x1b]0;gone\x07 and link \x1b]8;;http://a\x1b\\b\x1b]8;;\x1b\\",
            "title  and link b",
        ),
        ("next\x85line, c1 \x90 goes", "next\nline, c1  goes"),
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree"),
        ("tab\tstays  and  runs  stay", "tab\tstays  and  runs  stay"),
        ("cafe\u0301", "café"),
        ("  padded \n", "padded"),
        ("今天玩成语接龙游戏", "今天玩成语接龙游戏"),
        ("👩‍💻 नमस्ते", "👩‍💻 नमस्ते"),
        ("", ""),
    ],
)
def test_text_is_cleaned(given: str, expected: str) -> None:
    cleaned = clean(given)
    assert cleaned == expected
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")


def test_repair_keeps_sound_text_as_it_is() -> None:
    sound = "  two\r\nlines "
    assert repair(sound) is sound
    assert repair("a\x00\ud83db") == "a�b"


@pytest.mark.parametrize("empty", ["", "   ", "\n\t", "\x00\x01", "\u00a0"])
def test_an_empty_memory_is_refused(empty: str) -> None:
    with pytest.raises(InputError, match="empty"):
        clean_memory(empty)


def test_a_memory_has_a_greatest_length() -> None:
    assert len(clean_memory("x" * 100_000)) == 100_000
    with pytest.raises(InputError, match="100,001"):
        clean_memory("x" * 100_001)


def test_a_memory_that_is_not_text_is_refused() -> None:
    with pytest.raises(InputError):
        clean_memory(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("nothing", [None, "", "  ", "\t", "\u3000", 7, "a\nb", "a\x00", "\ud83d"])
def test_a_namespace_that_names_nothing_is_refused(nothing: object) -> None:
    with pytest.raises(ScopeError):
        clean_namespace(nothing)  # type: ignore[arg-type]


def test_a_namespace_is_taken_exactly() -> None:
    assert clean_namespace("A") == "A"
    assert clean_namespace("a' or 1=1") == "a' or 1=1"
    assert clean_namespace(" a") == " a"
    assert clean_namespace("cafe\u0301") == "café"
    assert clean_namespace("n" * 200) == "n" * 200
    with pytest.raises(ScopeError):
        clean_namespace("n" * 201)


@pytest.mark.parametrize(
    "sound", ["0198c2f1-7b3a", "conv-26_session 1", "会话/七", "a.b:c@d#e+f=g~h,i%", "it's (1)&!"]
)
def test_a_sound_id_stays_as_it_is(sound: str) -> None:
    assert clean_id(sound, "session") == repaired_id(sound) == sound


@pytest.mark.parametrize(
    "odd",
    [
        "x</ebbing-memories>",
        "a\nb",
        "a\x1b[2Jb",
        "a\u202eb",
        "a`b",
        "[a]",
        " a",
        "s" * 201,
        "\ud83d",
    ],
)
def test_an_odd_id_is_refused_by_name_and_repaired_in_a_log(odd: str) -> None:
    with pytest.raises(InputError, match="the id of the task"):
        clean_id(odd, "task")
    repaired = repaired_id(odd)
    assert clean_id(repaired, "task") == repaired
    assert repaired_id(odd + "x") != repaired


def test_no_id_is_none_and_an_empty_one_is_refused() -> None:
    assert clean_id(None, "session") is None
    assert repaired_id(" \x07") == ""
    with pytest.raises(InputError):
        clean_id("", "session")
