"""Of a memory that is too long for a block, the passage that answers is given, as a part."""

from __future__ import annotations

from ebbing import Memory
from ebbing.recall.answering import Outcome, passage_of
from ebbing.recall.context import estimated_tokens

FILLER = "The river runs past the mill and the old bridge. We walked along it for an hour.\n"
ANSWER = "The staging database listens on port 5433 behind the jump host."


def test_a_long_memory_gives_the_passage_that_answers(memory: Memory) -> None:
    text = FILLER * 290 + ANSWER + "\n" + FILLER * 290
    assert len(text) > 47_000
    made = memory.remember(text)
    memory.remember("The team lunch is on Thursday")
    block = memory.context("which port does the staging database listen on?", budget=300)
    assert block.outcome is Outcome.FOUND
    assert ANSWER in block.text
    assert f"[{made.memory_id}]" in block.text
    assert "a part of it:" in block.text
    assert block.tokens == estimated_tokens(block.text) <= 300
    assert [one.memory_id for one in block.memories][-1] == made.memory_id


def test_passages_are_cut_on_sentences_and_hold_most_of_the_question(memory: Memory) -> None:
    chinese = "\u6211\u4eec\u6cbf\u7740\u6cb3\u8fb9\u6563\u6b65\u3002" * 50
    answer = "\u6d4b\u8bd5\u6570\u636e\u5e93\u7684\u7aef\u53e3\u662f5433\u3002"
    with memory.store.read() as connection:
        assert passage_of(connection, FILLER * 9 + ANSWER, "staging port", 80) == ANSWER
        assert (
            passage_of(connection, chinese + answer + chinese, "\u6570\u636e\u5e93\u7aef\u53e3", 15)
            == answer
        )
        # Nothing of the question is in it: the beginning.
        assert passage_of(connection, FILLER * 9, "quark", 60) == FILLER.split(".")[0] + "."
        assert passage_of(connection, "x" * 480, "", 60) == ""
        assert len(passage_of(connection, "x" * 500, "", 200)) == 160
