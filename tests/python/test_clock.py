"""Times come in many shapes and leave in one: UTC."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from ebbing.clock import format_time, parse_time, utc_now
from ebbing.errors import InputError

TWO = datetime(2025, 7, 25, 2, 0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2025-07-25T02:00Z", TWO),
        ("2025-07-25T02:00:00Z", TWO),
        ("2025-07-24T19:00-07:00", TWO),
        ("2025-07-25 02:00", TWO),
        ("  2025-07-25T02:00:00+00:00 ", TWO),
        ("2025-07-25", datetime(2025, 7, 25)),
        ("2025-07-25T02:00:00.123456Z", TWO.replace(microsecond=123456)),
        (TWO, TWO),
        (TWO.replace(tzinfo=UTC), TWO),
        (datetime(2025, 7, 24, 19, tzinfo=timezone(timedelta(hours=-7))), TWO),
        (1753408800, TWO),
        (1753408800000, TWO),
        (1753408800.5, TWO.replace(microsecond=500000)),
        ("1753408800", TWO),
        ("1753408800000", TWO),
        ("1753408800.25", TWO.replace(microsecond=250000)),
        (0, datetime(1970, 1, 1)),
        (-86400, datetime(1969, 12, 31)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9)),
        ("8 May, 2023", datetime(2023, 5, 8)),
        ("May 8, 2023", datetime(2023, 5, 8)),
        ("8 May 2023", datetime(2023, 5, 8)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21)),
        ("Mon, 08 May 2023 13:56:00 +0200", datetime(2023, 5, 8, 11, 56)),
    ],
)
def test_a_time_is_read_as_utc(given: str | datetime | float, expected: datetime) -> None:
    parsed = parse_time(given)
    assert parsed == expected
    assert parsed.tzinfo is None


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "   ",
        "yesterday-ish",
        "2025-13-01",
        "25:00",
        "0000-00-00",
        "not a time at all " * 100,
        float("nan"),
        float("inf"),
        10**30,
        True,
        b"2025-07-25",
        date(2025, 7, 25),
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_garbage_is_refused_in_one_line(garbage: object) -> None:
    with pytest.raises(InputError) as refused:
        parse_time(garbage)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_nothing_is_now() -> None:
    before = utc_now()
    assert before <= parse_time(None) <= utc_now()


def test_times_are_printed_in_one_way() -> None:
    assert format_time(TWO) == "2025-07-25T02:00:00Z"
    assert format_time(TWO.replace(microsecond=999999)) == "2025-07-25T02:00:00Z"
    assert format_time(datetime(2025, 7, 24, 19, tzinfo=timezone(timedelta(hours=-7)))) == (
        "2025-07-25T02:00:00Z"
    )
    assert parse_time(format_time(TWO)) == TWO
