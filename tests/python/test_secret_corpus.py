"""How many secrets are found, and how few ordinary texts are changed, on labelled sets.

`pytest -s tests/python/test_secret_corpus.py` prints the figures that the README names.
"""

from __future__ import annotations

import pytest

from ebbing.safety.redaction import sanitise
from ordinary_texts import PROSE, ordinary_texts
from secret_corpus import Labelled, secret_texts


def missed(texts: list[Labelled]) -> list[Labelled]:
    return [one for one in texts if one.secret in sanitise(one.text).text]


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


@pytest.mark.parametrize("is_held_out", [False, True], ids=["looked at", "held out"])
def test_secrets_are_found(is_held_out: bool) -> None:
    texts = [one for one in secret_texts() if one.is_held_out is is_held_out]
    lost = missed(texts)
    found = 1 - len(lost) / len(texts)
    print(f"\n{'held out' if is_held_out else 'looked at'}: {found:.3f} of {len(texts)} texts")
    for language in ("English", "Chinese"):
        own = [one for one in texts if is_chinese(one.text) is (language == "Chinese")]
        found_of_own = 1 - sum(one in lost for one in own) / len(own)
        print(f"  {language}: {found_of_own:.3f} of {len(own)}")
        assert found_of_own >= 0.95, [one.name for one in lost]
    assert len(texts) > 1_000
    assert found >= 0.95, [one.name for one in lost]


def test_secrets_in_plain_chinese_are_found() -> None:
    texts = [one for one in secret_texts() if one.name.startswith("chinese")]
    assert len(missed(texts)) <= 0.05 * len(texts)


def test_ordinary_texts_stay_as_they_are() -> None:
    texts = ordinary_texts()
    changed = [text for text in texts if sanitise(text).text != text]
    print(f"\nordinary texts changed: {len(changed)} of {len(texts)}, of which")
    for language in ("English", "Chinese"):
        own = [text for text in texts if is_chinese(text) is (language == "Chinese")]
        print(f"  {language}: {sum(text in changed for text in own)} of {len(own)}")
    assert len(PROSE) > 100
    assert len(changed) <= 0.01 * len(texts), changed
