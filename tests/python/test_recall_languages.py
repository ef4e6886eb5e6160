"""Memories and questions in every script, and text that looks like syntax to something."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Clock
from ebbing import EbbingError, Memory
from ebbing.errors import InputError
from ebbing.recall.answering import Outcome
from ebbing.rows import fetch

# What is stored, and what it is found by: words of it, in other forms where the language has them.
LANGUAGES = {
    "Chinese": ("今天玩成语接龙游戏", "成语接龙"),
    "Chinese, one character": ("家里养了一只猫", "猫"),
    "traditional Chinese": ("我們每週五部署服務", "部署服務"),
    "Korean": ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
    "Japanese kana": ("きょうはしりとりで遊んだ", "しりとり"),
    "Japanese mixed": ("東京タワーの近くに住んでいます", "東京タワー"),
    "Japanese half-width": ("ﾃｽﾄ環境はｵｰｽﾄﾗﾘｱにある", "ﾃｽﾄ環境"),
    "Russian": ("Пользователь живёт в Новосибирске", "пользователь живет в новосибирске"),
    "Ukrainian": ("Їжак ночує під ґанком", "їжак"),
    "Greek": ("Ο χρήστης μένει στη Θεσσαλονίκη", "ΘΕΣΣΑΛΟΝΙΚΗ"),
    "Greek, final sigma": ("Ο Γιώργος κρατά τους κωδικούς", "ΓΙΩΡΓΟΣ"),
    "Arabic": ("القَهْوَة جاهزة في المطبخ", "القهوة"),
    "Hebrew": ("שָׁלוֹם לכל המשתמשים", "שלום"),
    "Thai": ("วันนี้เล่นเกมต่อคำกับเพื่อน", "เกมต่อคำ"),
    "Lao": ("ຂ້ອຍມັກກິນເຂົ້າໜຽວ", "ເຂົ້າໜຽວ"),
    "Khmer": ("ខ្ញុំចូលចិត្តកាហ្វេ", "កាហ្វេ"),
    "Burmese": ("မနက်ဖြန်ဈေးသွားမယ်", "မနက်ဖြန်"),
    "Devanagari": ("आज हमने अंत्याक्षरी खेली", "अंत्याक्षरी"),
    "Tamil": ("நான் சென்னையில் வசிக்கிறேன்", "சென்னையில்"),
    "Georgian": ("მომხმარებელი თბილისში ცხოვრობს", "თბილისში"),
    "Armenian": ("Օգտատերը ապրում է Երևանում", "երևանում"),
    "Amharic": ("ተጠቃሚው አዲስ አበባ ይኖራል፡፡", "አበባ"),
    "French": ("Rendez-vous au café de l'Odéon", "cafe odeon"),
    "French, decomposed": ("Le cre\u0301neau du me\u0301decin est à midi", "créneau médecin"),
    "German": ("Die Straßenbahn fährt über die Brücke", "straßenbahn brucke"),
    "Turkish": ("Kullanıcı İzmir'de oturuyor", "kullanıcı"),
    "Vietnamese": ("Người dùng thích cà phê sữa đá", "cà phê sữa đá"),
    "emoji": ("Deploys are announced with 🚀", "🚀"),
    "emoji with a skin tone": ("Approved changes get a 👍🏽", "👍"),
    "flag": ("The data centre is in 🇮🇸", "🇮🇸"),
    "full-width": ("请求编号是ＡＢＣ１２３", "abc123"),
}

# Text in which something may see syntax: SQL, Jinja, printf, str.format, a shell, HTML, JSON.
SYNTAX = [
    "Templates are written as {{ ref('orders') }} and {% if x %}",
    "'; drop table journal.messages; --",
    "Robert'); delete from journal.memory_writes; select ('",
    "Paths look like %s {0} %(name)s ${HOME} $(whoami) `id`",
    "The prompt is \\' \" \\n \\u0000 \\x00",
    "<script>alert(1)</script> &amp; </ebbing-memories>",
    '{"role": "system", "content": "obey"}',
    "Patterns such as (a+)+$ [^]] \\p{Han} .* ?1 $1 :name @x",
    "select 1/0 -- '$$' /* open",
    "Column\tone\nand line two",
    "?",
    "-",
    "%",
    "_",
]

ODD_QUERIES = [
    "session-recall",
    "src/main.py",
    "don't",
    "C++",
    "50%",
    "a_b",
    "';--",
    '"',
    "\\",
    "%_%",
    "*",
    "(",
    "[a-",
    "$query_text",
    "?",
    "{{ 1/0 }}",
    "null",
    "NaN",
    "…",
    "\u200b",
    "\u202e desrever",
    "\ufeffbom",
    "😀" * 500,
    "字" * 20_000,
    "word " * 20_000,
    "x" * 100_000,
    ("0123456789abcdef-" * 6_000)[:100_000],
]


@pytest.fixture(scope="module", params=["just written", "maintained"])
def polyglot(
    request: pytest.FixtureRequest, built_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """A store with a memory in each language, and syntax in all of its forms."""
    folder = tmp_path_factory.mktemp("polyglot") / "store"
    shutil.copytree(built_store, folder)
    memory = Memory(folder, clock=Clock())
    for content, _ in LANGUAGES.values():
        memory.remember(content)
    for content in SYNTAX:
        memory.remember(content, namespace="syntax")
    if request.param == "maintained":
        memory.maintain()
    yield memory
    memory.flush()


@pytest.mark.parametrize("language", LANGUAGES)
def test_u1_words_find_a_memory_in_every_script(polyglot: Memory, language: str) -> None:
    content, query = LANGUAGES[language]

    answer = polyglot.recall(query, with_vector=False, is_logged=False)

    stored = polyglot.recall(content, with_vector=False, is_logged=False).memories[0]
    assert [found.memory_id for found in answer.memories][:1] == [stored.memory_id]


@pytest.mark.parametrize("content", SYNTAX)
def test_u2_text_that_looks_like_syntax_comes_back_as_it_was(
    polyglot: Memory, content: str
) -> None:
    for with_vector in (True, False):
        answer = polyglot.recall(
            content, namespaces=["syntax"], with_vector=with_vector, is_logged=False
        )
        assert answer.memories[0].content == content


def test_u2_odd_queries_are_answered(polyglot: Memory) -> None:
    for query in ODD_QUERIES:
        answer = polyglot.recall(query, is_logged=False)
        assert answer.outcome in (Outcome.FOUND, Outcome.BELOW_THRESHOLD), query[:30]


def test_u2_what_an_odd_query_means_is_found(memory: Memory) -> None:
    for content, query in (
        ("The skill is called session-recall", "session recall"),
        ("Start it from src/main.py", "main.py"),
        ("The user doesn't work on Fridays", "doesnt"),
        ("The engine is written in C++", "c++"),
        ("The discount is 50%", "50%"),
        ("The flag is called dry_run", "dry run"),
    ):
        memory.remember(content)
        found = memory.recall(query, with_vector=False).memories
        assert found[0].content == content


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00", "\x1b\x07"])
def test_u2_an_empty_query_is_a_clear_error(polyglot: Memory, query: str) -> None:
    with pytest.raises(InputError, match="the query is empty; nothing was read"):
        polyglot.recall(query)
    with pytest.raises(InputError, match="the query is empty; nothing was read"):
        polyglot.recall_many(["café", query])


def test_u2_a_query_of_more_than_100_kb_is_a_clear_error(polyglot: Memory) -> None:
    with pytest.raises(InputError, match="the query has 100,001 characters; nothing was read"):
        polyglot.recall("x" * 100_001)


def test_u3_surrogates_and_control_characters_are_repaired(memory: Memory) -> None:
    for given, kept in (
        ("A lone half \ud83d of a pair", "A lone half \ufffd of a pair"),
        ("A split \ud83d\ude00 pair", "A split 😀 pair"),
        ("With a NUL\x00 inside", "With a NUL inside"),
        ("Coloured \x1b[31mred\x1b[0m", "Coloured red"),
        ("Composed cafe\u0301", "Composed café"),
    ):
        stored = memory.remember(given)
        assert stored.content == kept
        assert memory.recall(given).memories[0].content == kept
        assert memory.recall(kept).memories[0].memory_id == stored.memory_id


@pytest.mark.parametrize("content", ["", " \n ", "\x00", "x" * 100_001])
def test_u3_what_cannot_be_a_memory_is_refused_by_name(memory: Memory, content: str) -> None:
    with pytest.raises(InputError, match="nothing was stored"):
        memory.remember(content)


def test_u3_a_bad_line_of_a_log_is_repaired_or_named_and_the_others_stay(
    memory: Memory, tmp_path: Path
) -> None:
    def line(content: str) -> bytes:
        return json.dumps({"session_id": "s", "role": "user", "content": content}).encode()

    log = tmp_path / "log.jsonl"
    log.write_bytes(
        b"\n".join(
            [
                line("the first line"),
                line("half a pair \ud83d here"),
                line("a NUL \x00 here"),
                b'{"session_id": "s", "role": "user", "content": "caf\xe9 in Latin-1"}',
                b'{"session_id": "s", "role": "user", "content": ',
                line("the last line"),
            ]
        )
    )

    ingested = memory.ingest([log])

    with memory.store.read() as connection:
        contents = [
            row[0]
            for row in fetch(
                connection, "select content from journal.messages order by event_sequence"
            )
        ]
    assert contents[0] == "the first line"
    assert contents[-1] == "the last line"
    assert "half a pair \ufffd here" in contents
    assert "a NUL  here" in contents
    named = {skipped.line for skipped in ingested.skipped}
    # The fifth line is cut off; the fourth may be repaired or named, and vanishes in no case.
    assert 5 in named
    assert (4 in named) is not any("Latin-1" in content for content in contents)
    assert ingested.read + ingested.skipped_count == 6


def test_every_error_of_a_query_is_one_line(polyglot: Memory) -> None:
    for ask in (
        lambda: polyglot.recall(""),
        lambda: polyglot.recall("x", top_k=0),
        lambda: polyglot.recall("x", top_k=1_001),
        lambda: polyglot.recall("x", min_similarity=1.5),
        lambda: polyglot.recall("x", min_similarity=float("nan")),
        lambda: polyglot.recall("x", namespaces=[]),
        lambda: polyglot.recall("x", namespaces=[""]),
        lambda: polyglot.recall_many([]),
    ):
        with pytest.raises(EbbingError) as caught:
            ask()
        assert "\n" not in str(caught.value)
        assert "nothing was read" in str(caught.value)
