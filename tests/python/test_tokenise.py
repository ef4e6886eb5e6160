"""The terms that texts and queries are cut into, as the SQL macros give them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from jinja2 import Environment

ROOT = Path(__file__).parents[2]
LEXICAL = ROOT / "macros" / "lexical"

Tokenise = Callable[[str | None], list[str]]


def render(call: str) -> str:
    """Render one macro call as dbt would on DuckDB, without importing dbt."""
    source = "\n".join(path.read_text("utf-8") for path in sorted(LEXICAL.glob("*.sql")))

    def dispatch(name: str, package: str) -> Any:
        assert package == "ebbing"
        found = getattr(module, f"duckdb__{name}", None)
        return found or getattr(module, f"default__{name}")

    environment = Environment()
    environment.globals["adapter"] = SimpleNamespace(dispatch=dispatch)
    environment.globals["return"] = lambda value: value
    module: Any = environment.from_string(source).module
    return environment.from_string(source + "{{ " + call + " }}").render().strip()


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database with both tokenisers as table macros of a parameter."""
    with duckdb.connect() as opened:
        for name in ("tokenise", "tokenise_query"):
            expression = render(f"{name}('body')")
            opened.execute(f"create macro {name}(body) as table select {expression} as terms")
        yield opened


@pytest.fixture(scope="module")
def tokenise(connection: duckdb.DuckDBPyConnection) -> Tokenise:
    """Give the terms of a stored text."""
    return lambda text: connection.execute("from tokenise(?)", [text]).fetchall()[0][0]


@pytest.fixture(scope="module")
def tokenise_query(connection: duckdb.DuckDBPyConnection) -> Tokenise:
    """Give the terms of a query."""
    return lambda text: connection.execute("from tokenise_query(?)", [text]).fetchall()[0][0]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("今天玩成语接龙游戏", "成语接龙"),
        ("我家有一只猫很可爱", "猫"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
        ("우리 집에 왔다", "집"),
        ("今日はしりとりゲームをしました", "しりとり"),
        ("カラオケでガンダムの歌", "ガンダム"),
        ("Мы играли в города вчера", "играли"),
        ("Ёлка стоит", "елка"),
        ("Παίξαμε ένα παιχνίδι ΛΈΞΕΩΝ", "λέξεων"),
        ("ο Οδυσσέας", "ΟΔΥΣΣΈΑΣ"),
        ("لعبنا لعبة الكلمات أمس", "الكلمات"),
        ("كَتَبَ الوَلَدُ", "كتب"),
        ("วันนี้เล่นเกมต่อคำกัน", "เกมต่อคำ"),
        ("आज शब्द श्रृंखला खेल खेला", "श्रृंखला"),
        ("ມື້ນີ້ຫຼິ້ນເກມ", "ຫຼິ້ນເກມ"),
        ("ថ្ងៃនេះលេងល្បែង", "លេងល្បែង"),
        ("ဒီနေ့ ဂိမ်းကစား", "ဂိမ်း"),
        ("We met at the café", "cafe"),
        ("We met at the cafe", "CAFÉ"),
        ("We met at the cafe\u0301", "café"),
        ("what a party 🎉👍🏽", "🎉"),
        ("what a party 🎉👍🏽", "👍"),
        ("flying to 🇯🇵 soon", "🇯🇵"),
        ("型番はＡＢＣ１２３です", "abc123"),
        ("The HttpClientFactory retries thrice", "http client factory"),
        ("The HttpClientFactory retries thrice", "HttpClientFactory"),
        ("call parseUserId first", "user id"),
        ("Toplantı Kadıköy'de", "toplanti"),
    ],
)
def test_a_text_is_found_in_its_own_language(
    tokenise: Tokenise, tokenise_query: Tokenise, text: str, query: str
) -> None:
    terms = tokenise_query(query)
    assert terms
    assert set(terms) <= set(tokenise(text))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("कल", "कुल"),
        ("かき", "がき"),
        ("ハン", "バン"),
        ("말", "물"),
        ("ปา", "ป่า"),
    ],
)
def test_marks_that_make_another_word_are_kept(tokenise: Tokenise, text: str, other: str) -> None:
    assert not set(tokenise(text)) & set(tokenise(other))


def test_two_chinese_texts_do_not_meet_in_single_characters(
    tokenise: Tokenise, tokenise_query: Tokenise
) -> None:
    assert not set(tokenise_query("天气很好")) & set(tokenise("今天玩成语接龙游戏"))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("session-recall", {"session", "recall", "sessionrecall"}),
        ("src/main.py", {"src", "main", "py", "mainpy"}),
        ("don't", {"dont"}),
        ("don’t", {"dont"}),
        ("Caroline's dog", {"carolin", "dog"}),
        ("l'homme", {"homm"}),
        ("C++", {"c++"}),
        ("C# or F#", {"c#", "or", "f#"}),
        ("50%", {"50", "50%"}),
        ("a_b", {"a", "b", "ab"}),
        ("__init__", {"init"}),
        ("192.168.7.1", {"192", "168", "7", "1", "192.168.7.1"}),
        ("v1.2.3", {"v1", "2", "3", "v1.2.3"}),
        ("1,000 km", {"1000", "km"}),
        ("alice@example.com", {"alic", "exampl", "com", "examplecom"}),
        ("#todo $100", {"todo", "100"}),
        ("用Python3写", {"用", "python3", "写"}),
        ("';--", set()),
        ("' or 1=1; drop table x", {"or", "1", "drop", "tabl", "x"}),
        ("\\ ( [ * ?", set()),
        ("", set()),
        ("   \n\t", set()),
        (None, set()),
    ],
)
def test_odd_text_gives_terms_and_is_never_syntax(
    tokenise: Tokenise, tokenise_query: Tokenise, text: str | None, terms: set[str]
) -> None:
    assert set(tokenise(text)) == terms
    assert set(tokenise_query(text)) == terms


@pytest.mark.parametrize(
    "family",
    [
        "hope hopes hoped hoping",
        "hop hops hopped hopping",
        "run runs running",
        "study studies studied studying",
        "movie movies",
        "box boxes",
        "class classes",
        "watch watches watched watching",
        "cache caches cached caching",
        "use uses used using",
        "dance dances danced dancing",
        "promise promises promised promising",
        "play plays played playing",
        "go going",
        "add adds added adding",
        "e-mail email e-mails emails",
    ],
)
def test_english_forms_of_a_word_share_a_term(tokenise: Tokenise, family: str) -> None:
    common = set.intersection(*(set(tokenise(word)) for word in family.split()))
    assert common


@pytest.mark.parametrize("word", ["thing", "king", "need", "this", "bus", "glass", "is", "red"])
def test_words_that_only_look_inflected_are_left_alone(tokenise: Tokenise, word: str) -> None:
    assert tokenise(word) == [word]


def test_hope_and_hop_stay_two_words(tokenise: Tokenise) -> None:
    assert tokenise("hoping") != tokenise("hopping")


def test_words_of_other_languages_are_not_stemmed(tokenise: Tokenise) -> None:
    assert tokenise("éclairs") == ["eclairs"]


def test_repeats_are_kept(tokenise: Tokenise) -> None:
    assert sorted(tokenise("dog cat dogs")) == ["cat", "dog", "dog"]


@pytest.mark.parametrize("unit", ["word ", "中文", "a-b_c.", "'", "é"])
def test_a_long_text_is_cut_not_refused(tokenise: Tokenise, unit: str) -> None:
    terms = tokenise(unit * 100_000)
    assert len(terms) <= 200_000
    assert terms == tokenise((unit * 100_000)[:100_000])


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("What is the name of my dog?", {"name", "dog"}),
        ("Please tell me what you don't know about them", set()),
        ("我的猫叫什么？", {"的猫", "猫叫"}),
        ("什么？", set()),
    ],
)
def test_stop_words_are_terms_of_a_query(
    tokenise_query: Tokenise, query: str, kept: set[str]
) -> None:
    with (ROOT / "seeds" / "stop_words.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    words = [row["word"] for row in rows]
    assert len(set(words)) == len(words)
    assert {row["language"] for row in rows} == {"en", "zh"}
    assert set(tokenise_query(query)) - set(words) == kept
