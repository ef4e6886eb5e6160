"""Secrets, private passages and injected memories never reach the journal; prose does.

What looks like a secret here is put together from pieces, so that no scanner takes this file for
a leak.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbing.safety import named_secrets, redaction, secret_shapes
from ebbing.safety.command_secrets import COMMAND_SECRETS
from ebbing.safety.deadline import redaction_until
from ebbing.safety.redaction import (
    drop_private,
    redact,
    sanitise,
    strip_injected,
)
from ebbing.safety.text import clean

MIXED = "A1b2C3d4" + "E5f6G7h8" + "I9j0K1l2" + "M3n4O5p6" + "Q7r8"
HEX = "0a1b2c3d" * 4
PEM = "\n".join(
    [
        "-----BEGIN " + "RSA PRIVATE KEY-----",
        "MIIEow" + "IBAAKCAQEA" + MIXED,
        MIXED + "+/" + MIXED,
        "c2hvcnQ=",
        "-----END " + "RSA PRIVATE KEY-----",
    ]
)

# (type, the secret)
TOKENS = [
    ("openai-key", "sk-" + MIXED),
    ("openai-key", "sk-" + "abcdefghijklmnopqrstuvwx"),
    ("openai-key", "sk-" + "proj-" + MIXED + "_x-" + MIXED),
    ("openai-key", "sk-" + HEX),
    ("anthropic-key", "sk-" + "ant-api03-" + MIXED + "-" + MIXED),
    ("github-token", "gh" + "p_" + MIXED),
    ("github-token", "github" + "_pat_11ABCDE_" + MIXED),
    ("aws-access-key", "AK" + "IA" + "IOSFODNN7EXAMPLE"),
    ("slack-token", "xox" + "b-123456789012-" + MIXED),
    ("json-web-token", "ey" + "JhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + MIXED),
    ("google-key", "AI" + "za" + MIXED),
    ("npm-token", "np" + "m_" + MIXED),
    ("gitlab-token", "gl" + "pat-" + MIXED[:20]),
    ("hugging-face-token", "h" + "f_" + MIXED),
    ("stripe-key", "sk" + "_live_" + MIXED[:24]),
    ("private-key", PEM),
    ("private-key", PEM.replace("\n", "\\n")),
    ("private-key", "\n".join(PEM.splitlines()[:-1])),
    ("private-key", PEM.replace("RSA ", "")),
    # From the library
    ("sendgrid-key", "SG" + "." + MIXED[:22] + "." + (MIXED * 2)[:43]),
    ("twilio-key", "S" + "K" + HEX),
    ("telegram-token", "12345678" + ":" + MIXED[:35]),
    ("pypi-token", "pypi" + "-AgEIcHlwaS5vcmc" + MIXED * 2),
    ("mailchimp-key", HEX + "-us" + "12"),
    ("azure-storage-key", "Account" + "Key=" + ("x9" * 43) + "=="),
    ("discord-token", "M" + (MIXED * 2)[:23] + "." + MIXED[:6] + "." + MIXED[:27]),
]


@pytest.mark.parametrize(("type", "secret"), TOKENS)
@pytest.mark.parametrize(
    "around", ["{}", "use {} please", "它是{}。", '{{"k": "{}"}}', "a\n{}\nb", "`{}`"]
)
def test_tokens_are_redacted_wherever_they_stand(type: str, secret: str, around: str) -> None:
    redacted = redact(around.format(secret))
    assert redacted.text == around.format(f"[redacted:{type}]")
    assert redacted.findings == (type,)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is {}.", "hunter" + "2"),
        ("The password was {}, I think", "hunter" + "2"),
        ("password: {}", "let" + "mein"),
        ('{{"user": "bob", "password": "{}"}}', "let" + "mein"),
        ("DB_PASSWORD={}", "let" + "mein"),
        ("MYSQL_PWD={} mysql", "abc" + "12"),
        ("Passwort ist {}", "geheim" + "9"),
        ("密码是 {}", "hunter" + "2"),
        ("我的密码是{}别告诉别人", "hunter" + "2"),
        ("数据库密码：{}", "let" + "mein"),
        ("パスワードは{}です", "abc" + "123"),
        ("비밀번호는 {}", "abc" + "123"),
        ('api_key = "{}"', "abcd1234" + "efgh"),
        ("export OPENAI_API_KEY={}", "abcd1234" + "efgh5678"),
        ("client_secret: {}", "8f3a9c0b" + "1d2e4f5a"),
        ("aws_secret_access_key = {}", "wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("mysql --password={} x", "hunter" + "2"),
        ("curl -u bob:{} http://localhost", "hun" + "ter"),
        ("//localhost/:_authToken={}", "0a1b2c3d-" + "e5f6"),
        ("Authorization: Basic {}", "dXNlcjpw" + "YXNz"),
        ('-H "Authorization: Bearer {}"', MIXED),
        ("then send Bearer {}", MIXED),
        ("postgres://user:{}@host/db", "pa" + "ss"),
        ("postgres://user:{}@host:5432/db?sslmode=require", "p@ss" + "/w"),
        ("redis://:{}@localhost:6379", "pa" + "ss"),
        ("mongodb+srv://a.b:{}@c.example.com", "my%20" + "pw"),
        ("https://hooks.slack.com/services/{}", "T0001/B0002/" + MIXED),
    ],
)
def test_secrets_that_their_place_gives_away_are_redacted(text: str, secret: str) -> None:
    redacted = redact(text.format(secret))
    start, end = text.format("\0").split("\0")
    assert redacted.text.startswith(start)
    assert redacted.text.endswith(end)
    assert redacted.text[len(start) :].startswith("[redacted:")
    assert secret not in redacted.text.replace("[redacted:password]", "")
    assert len(redacted.findings) == 1


def test_a_secret_access_key_beside_its_access_key_is_redacted() -> None:
    access, secret = (
        "AK" + "IA" + "IOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCYEXAMPLEKEY",
    )
    assert redact(f"{access}\n{secret}\n{'ab12' * 10}").text == (
        f"[redacted:aws-access-key]\n[redacted:aws-secret-key]\n{'ab12' * 10}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes 8d777f3",
        "sha256:" + "ab12cd34" * 8,
        "550e8400-e29b-41d4-a716-446655440000 and 0198c2f1-7b3a-7c3e-8d5f-0123456789ab",
        "mem_0123456789abcdef msg_0123456789abcdef",
        "The secret is to keep stirring. The secret ingredient is paprika.",
        "The token limit is 4096 tokens, so max_tokens=4096 and tokens: 12000.",
        "I forgot my password, can you reset it? The password is wrong.",
        "password is required; password must be 12-characters; the password is 12-character long",
        "The password was changed yesterday and is stored as SHA-256.",
        "密码是8位 密码是什么 密码是SHA256加密的 密码学是一门学科 口令红包是什么",
        "the api key is base64 encoded; the primary key is user_id; the key is under the mat",
        "password: str | None = None",
        "password = get_password(1234)",
        "password = os.environ['PASSWORD_1']",
        "if password == expected1: pass",
        "connect(password=db_password, token=self.token1)",
        "const token = response.data.accessToken2",
        "token_type=bearer secret_name: my-app-secret-2024",
        "the bearer token authentication scheme; a bearer of bad news",
        "Authorization: Bearer $TOKEN",
        "postgres://user:${PASSWORD}@host postgres://user:<password>@host",
        "https://example.com:8080/a@b https://localhost:443/@scope/pkg@1.0 git@github.com:a/b.git",
        "sk-learn-contrib-project sk-SK task-1234567890123456 risk-abcdefghijklmnopqrstuvwxyz",
        "PWD=/work/main pwd: /home/user",
        "-----BEGIN " + "CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "APACHE2022 SOLR APACHEFOUNDATION2 10.0.0.1 8.8.8.8 +351 912 345 678",
        "Ich wohne in Köln, ich arbeite als Lehrer. Я живу в Москве. 오늘 끝말잇기 게임을 했다",
        "{{ password }} %s {0} '; drop table memories; --",
        "",
    ],
)
def test_prose_code_and_ids_stay_as_they_are(text: str) -> None:
    assert redact(text) == sanitise(text)
    assert redact(text).text == text
    assert redact(text).findings == ()


@given(
    st.lists(
        st.one_of(
            st.sampled_from([secret for _, secret in TOKENS]),
            st.sampled_from(
                [
                    *("password: ", "密码是", "token=", "Bearer ", "postgres://u:", "@host", "-u "),
                    *("curl ", "[redacted:x]", "=", "is ", " ", '"', "\n"),
                    *("<private>", "</private>"),
                ]
            ),
            st.text(max_size=6),
        ),
        max_size=8,
    ).map("".join)
)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == type(once)(once.text, ())
    assert ("[redacted:" in once.text) >= bool(once.findings)


@given(st.text(), st.sampled_from([secret for _, secret in TOKENS]), st.text())
def test_no_token_survives_between_spaces(before: str, secret: str, after: str) -> None:
    assert secret not in sanitise(f"{before} {secret} {after}").text


# Blocks


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private>c", "a c"),
        ("a<private>b<private>c</private>d</private>e", "ae"),
        ("a<private>b<private>c</private>d", "a"),
        ("a<private>b", "a"),
        ("a<PRIVATE >b</Private >c", "ac"),
        ('a<private reason="x">b\nc</private>d', "ad"),
        ("a<private>b</private>c<private>d</private>e", "ace"),
        ("a<pri<private>b</private>vate>c</private>d", "ad"),
        ("a</private>b", "a</private>b"),
        ("The <private> tag hides it; this stays.", "The <private> tag hides it; this stays."),
        ("Write `<private>` and `</private>`.", "Write `<private>` and `</private>`."),
        ("the <private> tag: <private>b</private>c", "the <private> tag: c"),
        ("note <private> I feel ill", "note "),
        ("a private b < private, <privateer>", "a private b < private, <privateer>"),
    ],
)
def test_private_blocks_are_dropped(text: str, kept: str) -> None:
    assert drop_private(text) == sanitise(text).text == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('hi <ebbing-memories count="2">\n- likes tea\n</ebbing-memories> there', "hi  there"),
        ("hi <ebbing-memories>\n- likes tea", "hi "),
        ("<ebbing-memories>a</ebbing-memories>b<ebbing-memories>c</ebbing-memories>", "b"),
        ("<ebbing-memories>a<ebbing-memories>b</ebbing-memories>c</ebbing-memories>d", "d"),
        ("I use ebbing-memories.", "I use ebbing-memories."),
    ],
)
def test_injected_memories_are_stripped_and_the_rest_is_kept(text: str, kept: str) -> None:
    assert strip_injected(text) == sanitise(text).text == kept


def test_the_outer_block_decides_and_secrets_are_looked_for_last() -> None:
    cut = "s" + "k-<private>x</private>" + MIXED
    assert sanitise(cut).text == "[redacted:openai-key]"
    assert sanitise(cut).findings == ("private", "openai-key")
    assert sanitise("a<private><ebbing-memories></private>b").text == "ab"
    assert sanitise("<ebbing-memories><private></ebbing-memories>b").text == "b"
    assert sanitise("<ebbing-memories>x").findings == ("injected",)


def test_blocks_folded_into_one_another_are_dropped_soon() -> None:
    folded = "a" + "<pri" * 2000 + "<private>x</private>" + "vate>x</private>" * 2000 + "secret"
    start = time.process_time()
    assert "x" not in sanitise(folded).text
    assert time.process_time() - start < 2


# Cost


ENGLISH = "We walked along the river, talked about the key points and what the token meant. "
CHINESE = "昨天我们沿着河边散步,讨论了下周的计划,他说他更喜欢喝茶。"


@pytest.mark.parametrize("prose", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_a_long_message_costs_little(prose: str) -> None:
    text = (prose * 2000)[:100_000]
    best = min(_seconds(text) for _ in range(5))
    assert best < 0.25  # some 0.01 on an idle machine


def pieces() -> list[str]:
    """What each pattern begins with, and what once took the square of a text's length."""
    names = {word for words, _ in named_secrets._FINDERS for word in words}
    markers = {
        marker
        for rows in (secret_shapes._MARKED, secret_shapes._PLACES, COMMAND_SECRETS)
        for _, marker, _ in rows
    }
    return [
        *("--token=", "<private>x<", "-eyJ", "a\u0300\u0316", "password: ", "://a:", "eyJ."),
        *("-----BEGIN PRIVATE KEY-----", "<private ", "<private>", "密码是", "cookie: a=", " "),
        *("user a:b", "word ", "abandon ", "\x1b[", "\x1b]", "\x9d", "\\n", "\\", "\u200b", "<"),
        *("a:b@", "sk-a-", "key is is is ", "pass for for for ", "A", "a1", "%20", "1. ", "a1-"),
        *(
            "identified by '",
            "keypair [1,",
            '"kty"',
            '"d":"',
            "recovery code a1b2-",
            "0" * 32 + ".",
        ),
        *("curl -u ", "Bearer a.", "xoxb-", "[redacted:x]", "otpauth://a?", "? ", "| ", "'s "),
        *sorted(names),
        *(f"{name} is " for name in sorted(names)),
        *(f"{name}=" for name in sorted(names)),
        *sorted(markers),
    ]


def test_twice_the_text_takes_twice_the_time() -> None:
    slow = []
    for piece in pieces():
        small, large = (piece * (length // len(piece)) for length in (4_000, 16_000))
        # Four times the text; a square would be sixteen times. A small text is over at once.
        if (seconds := _seconds(large)) > 0.03 and seconds > 8 * _least_seconds(small):
            slow.append((piece, seconds))
    assert slow == []


def test_a_hundred_thousand_characters_of_options_take_no_seconds() -> None:
    for piece in ("--token=", "<private>x<", "-eyJ", "a\u0300\u0316"):
        assert _seconds(piece * (100_000 // len(piece))) < 3


def _least_seconds(text: str) -> float:
    return min(_seconds(text) for _ in range(3))


def _seconds(text: str) -> float:
    start = time.process_time()
    sanitise(clean(text))
    return time.process_time() - start


def test_past_the_deadline_all_that_could_be_a_secret_goes() -> None:
    secrets = [secret for _, secret in TOKENS]
    text = (
        "The build failed. "
        + " and ".join(secrets)
        + ", my password is swordfish today. "
        + "Sorry for that. " * 3
    )
    with redaction_until(time.monotonic() - 1):
        late = sanitise(text)
    assert late.text.startswith("The build failed. ")
    assert late.text.endswith("Sorry for that. ")
    assert late.findings == ("unchecked",)
    assert not [secret for secret in (*secrets, "swordfish") if secret in late.text]
    assert sanitise("The build failed.").text == "The build failed."


def test_a_pattern_that_holds_the_interpreter_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def holding(*_: object) -> Iterator[None]:
        # Takes longer than any test may.
        yield re.match(r"(a+)+$", "a" * 60 + "b")  # type: ignore[misc]

    monkeypatch.setattr(redaction, "shaped_secrets", holding)
    with redaction_until(time.monotonic() + 0.1):
        late = sanitise("The build failed, as my password is swordfish.")
    assert late.findings == ("unchecked",)
    assert "swordfish" not in late.text
    assert "The build" in late.text
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_prose_does_not_load_the_words_of_wallets() -> None:
    code = (
        "import sys; from ebbing.safety.redaction import sanitise; "
        f"sanitise({(ENGLISH + CHINESE)!r}); sys.exit('mnemonic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_threads_may_redact_at_once() -> None:
    texts = [f"{number} {secret}" for number, (_, secret) in enumerate(TOKENS)]
    results: dict[int, list[str]] = {}

    def run(place: int) -> None:
        results[place] = [redact(text).text for text in texts]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == results[0] for result in results.values())
    assert len(results) == 8
