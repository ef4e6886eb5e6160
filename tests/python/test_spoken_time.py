"""Which days words mean, by the day on which they were said or asked."""

from __future__ import annotations

from contextlib import closing

import duckdb
import pytest

from extraction_harness import Message, macros, run_extraction

# A Tuesday.
SAID_ON = "2025-06-10"
MEANT = {
    "the demo is in three weeks": "2025-07-01",
    "I see the dentist this afternoon": "2025-06-10",
    "I'm away until Thursday": "2025-06-12",
    "the rent is due on the 14th": "2025-06-14",
    "the rent is due on the 3rd": "2025-07-03",
    "we fly in two days": "2025-06-12",
    "two weeks from now we launch": "2025-06-24",
    "I met her a fortnight ago": "2025-05-27",
    "the day after tomorrow": "2025-06-12",
    "I moved last year": "2024",
    "next Friday": "2025-06-20",
    "last Friday": "2025-06-06",
    "last Monday": "2025-06-09",
    "last week": "2025-06-02 to 2025-06-08",
    "this weekend": "2025-06-14 to 2025-06-15",
    "three years ago": "2022",
    "in a month": "2025-07",
    "by the end of the month": "2025-06-30",
    "我礼拜五要去体检": "2025-06-13",
    "三天后交稿": "2025-06-13",
    "上个礼拜我搬家了": "2025-06-02 to 2025-06-08",
    "上周末": "2025-06-07 to 2025-06-08",
    "下周三": "2025-06-18",
    "下下周三": "2025-06-25",
    "月底前交": "2025-06-30",
    "两个月后": "2025-08",
    "大后天": "2025-06-13",
    "前年": "2023",
    # What recurs, or is no date, leans on no day.
    "I take it every Thursday": None,
    "on the 3rd of every month": None,
    "my office is on the 5th floor": None,
    "我们每周五发版": None,
    "每月14号发工资": None,
    "I may go in May": None,
    "nothing of the kind": None,
}
ASKED = {
    "what happened last week?": "2026-11-09 to 2026-11-15",
    "11月17号发生了什么": "2026-11-17",
    "十一月十七号做了什么": "2026-11-17",
    "what did I do on 2026-11-17?": "2026-11-17",
    "what did we decide on December 3": "2025-12-03",
    "anything on the 5th of May, 2024?": "2024-05-05",
    "what happened in May?": "2026-05",
    "2025年3月我在哪": "2025-03",
    "what did I buy in 2024?": "2024",
    "昨天我说了什么": "2026-11-19",
    "what is my name?": None,
    "may I ask what I like": None,
}


def _periods(sql: str, texts: list[str]) -> dict[str, str | None]:
    with closing(duckdb.connect()) as connection:
        rows = connection.execute(
            f"select text, list_transform([{sql}], lambda period: "
            f"{macros().period_text('period', ' to ')})[1] "
            "from (select unnest(?::varchar[]) as text)",
            [texts],
        ).fetchall()
    return dict(rows)


def test_words_mean_days_by_the_day_of_their_saying() -> None:
    found = _periods(macros().period_meant("text", f"date '{SAID_ON}'"), list(MEANT))
    assert found == MEANT


def test_a_question_about_a_time_means_days_too() -> None:
    asked = macros().asked_period("text", "timestamp '2026-11-20 10:00:00'")
    assert _periods(asked, list(ASKED)) == ASKED


@pytest.mark.parametrize("said", ["I'm flying to Oslo next Friday.", "我明天要去北京。"])
def test_the_same_words_on_two_days_are_two_memories(said: str) -> None:
    messages = [
        Message(message_id=day, content=said, occurred_at=f"{day} 09:00:00")
        for day in (SAID_ON, "2025-06-27")
    ]
    made = {statement.content for statement in run_extraction(messages)}
    assert len(made) == 2
