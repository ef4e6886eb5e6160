"""Where words stand in a text, and what a text is without them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbing.erasure.passages import (
    Words,
    blanked,
    claimed,
    in_json,
    letters,
    likeness,
    mentions,
    mentions_blanked,
    places,
    sentences,
)

TEXT = st.text(st.sampled_from("ab cß.É,\n'`住杭州-"), max_size=40)


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("I live in Leeds", "so: I live\n in  LEEDS, yes", "I live\n in  LEEDS"),
        ("It's a dog's life", "“It’s a dog’s life”", "It’s a dog’s life"),
        ("我住在杭州。", "你好，我住在杭州，谢谢", "我住在杭州"),
        ("uses C++", "it uses C++ only", "uses C++"),
        ("straße", "die STRASSE da", "STRASSE"),
    ],
)
def test_words_are_found_whatever_the_spaces_marks_and_case(
    words: str, text: str, found: str
) -> None:
    assert [text[start:end] for start, end in places(words, text)] == [found]


@pytest.mark.parametrize("text", ["notebook", "a piano", "can not", "snow", "no_op", "Nora"])
def test_a_word_is_not_found_within_another(text: str) -> None:
    assert places("no", text) == []


def test_a_mere_word_counts_only_where_it_is_a_sentence() -> None:
    assert mentions("no", "There is no parking, no.") == []
    assert mentions_blanked("Well? No. There is no parking", [Words("no", is_erased=True)]) == (
        "Well? [erased]. There is no parking"
    )


def test_what_lies_within_the_words_of_another_memory_is_left_alone() -> None:
    words = [
        Words("The key hangs behind the door", is_erased=True),
        Words("The key hangs behind the door of the barn", is_erased=False),
    ]
    text = "The key hangs behind the door of the barn. The key hangs behind the door!"
    assert mentions_blanked(text, words) == ("The key hangs behind the door of the barn. [erased]!")


def test_a_clause_is_taken_out_with_what_joined_it() -> None:
    text = "My name is Lin and I live in Leeds. I code."
    erased, _, kept = claimed(
        text,
        [
            Words("I live in Leeds.", is_erased=True, is_clause=True),
            Words("My name is Lin", is_erased=False, is_clause=True),
        ],
    )
    assert blanked(text, erased, is_bordered=True) == "My name is Lin\n[erased]\nI code."
    assert [text[start:end] for start, end in kept] == ["My name is Lin"]


def test_mentions_in_json_leave_it_json() -> None:
    words = [Words('The "blue" door is ajar', is_erased=True)]
    assert in_json('{"a": ["said: the \\"blue\\" door is ajar", 1], "b": null}', words) == (
        '{"a": ["said: [erased]", 1], "b": null}'
    )
    assert in_json('{"b": 1,"a":2}', words) == '{"b": 1,"a":2}'


def test_a_sentence_of_other_words_is_told_by_how_many_it_shares() -> None:
    text = "We met in spring. The invoice is due on Friday, says Ann. Bye"
    said = [text[start:end] for start, end in sentences(text)]
    shares = [likeness("Ann's invoice is due on Friday", sentence) for sentence in said]
    assert shares.index(max(shares)) == 1
    assert shares[0] == shares[2] == 0.0


@given(TEXT, TEXT)
def test_what_was_blanked_is_not_found_again(words: str, text: str) -> None:
    left = mentions_blanked(text, [Words(words, is_erased=True)])
    assert mentions(words, left) == []
    if not mentions(words, text):
        assert left == text


@given(TEXT, TEXT, TEXT)
def test_the_letters_around_stay_in_order(before: str, words: str, after: str) -> None:
    text = f"{before}\n{words}\n{after}"
    left = mentions_blanked(text, [Words(words, is_erased=True)])
    remaining = iter(letters(text))
    assert all(letter in remaining for letter in letters(left.replace("[erased]", "")))
