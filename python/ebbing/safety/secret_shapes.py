"""Finds secrets by their shape: tokens with a beginning, keys, headers, passwords in URLs.

Plain prose is the common case, so a pattern is compiled and tried only where a piece of text is
found that all its secrets have, and only there: what it may read on from that place is bounded,
so no text takes more than its length.
"""

# Full-width punctuation ends a password.

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from ebbing.safety.vendor_tokens import UNMARKED_TOKENS, VENDOR_TOKENS


@dataclass(frozen=True, slots=True)
class Found:
    """Where a secret stands in a text, and of what type it is."""

    start: int
    end: int
    type: str


Tick = Callable[[], None]
"""Called between pieces of work, so that a caller may end it."""

# A token isn't part of a longer word; a percent escape before it is none of its own.
_A = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))"
_HEX_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"

# (type, markers in lower case, pattern from the marker on); `secret` is what goes, or all.
_PLACES: tuple[tuple[str, str, str], ...] = (
    (
        "url-credentials",
        "://",
        r"(?<=[A-Za-z0-9+])://(?P<user>[^\s:/?#@\"'<>`\[\]]{0,200}):"
        # A password may hold @ and /, but what begins as a port is one.
        r"(?!\d{1,5}/)(?P<secret>[^\s\"'<>`，。；！？、]{1,300})@(?=[\w\[%.\-])",
    ),
    # https://TOKEN@host, https://TOKEN:x-oauth-basic@host
    (
        "url-credentials",
        "://",
        r"(?<=https)://(?P<secret>[A-Za-z0-9_\-]{20,200}):[^\s@/]{0,40}@(?=[\w\[])",
    ),
    ("url-credentials", "://", r"(?<=https)://(?P<secret>[A-Za-z0-9_\-]{20,300})@(?=[\w\[])"),
    (
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/]{16,200})",
    ),
    (
        "webhook",
        "/api/webhooks/",
        r"/api/webhooks/\d{10,25}/(?P<secret>[A-Za-z0-9_\-]{20,120})",
    ),
    ("webhook", ".webhook.office.com/", r"\.webhook\.office\.com/(?P<secret>\S{20,400})"),
    ("webhook", "/bot/v2/hook/", r"/bot/v2/hook/(?P<secret>[0-9a-f\-]{20,60})"),
    ("telegram-token", "bot", r"(?i)bot(?P<secret>\d{8,10}:[A-Za-z0-9_\-]{30,40})"),
    (
        "json-web-token",
        "eyj",
        _A
        + r"eyJ[A-Za-z0-9_\-=]{8,1000}+\.[A-Za-z0-9_\-=]{8,8000}+(?:\.[A-Za-z0-9_\-+/=]{0,2000}+)*",
    ),
    (
        "authorization-header",
        "authorization",
        r"(?i)authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token|apikey|api-key|digest"
        r"|hmac|negotiate|splunk|genie-?key|sso-key|key)\s{1,3}|(?=[^\s\"']{0,100}\d))(?:token=)?[\"']?"
        r"(?P<secret>(?!bearer|basic|token|header|digest|required|scheme)[A-Za-z0-9._~+/\-:|]{8,4000}={0,3})",
    ),
    (
        "authorization-header",
        "bearer",
        r"(?i)(?<![a-z0-9])bearer\s{1,3}(?P<secret>(?=[A-Za-z._~+/\-]{0,80}\d)[A-Za-z0-9._~+/%\-]{12,4000}={0,3})",
    ),
    (
        "npm-token",
        "_authtoken",
        r"(?i)_authToken\s{0,3}=\s{0,3}[\"']?(?P<secret>[^\s$\"'{}]{8,300})",
    ),
    ("npm-token", "_auth", r"_auth\s{0,3}=\s{0,3}[\"']?(?P<secret>[A-Za-z0-9+/]{8,300}={0,2})"),
    ("cookie", "sessionid", r"(?<![A-Za-z])sessionid\s?=\s?(?P<secret>[A-Za-z0-9]{16,200})"),
    (
        "password",
        " p:",
        r"(?<=\w) P(?:ass\w{0,5})?:\s{0,2}(?P<secret>(?=\S{0,60}\d)[^\s,;]{6,100})",
    ),
    # .netrc, and what else names a login before it
    (
        "password",
        "machine",
        r"machine\s{1,3}\S{1,100}\s{1,10}login\s{1,3}\S{1,100}\s{1,10}password\s{1,3}(?P<secret>\S{1,200})",
    ),
    (
        "password",
        "login",
        r"login\s{1,3}[\w.@\-]{1,60}\s{1,10}password\s{1,3}(?P<secret>[^\s,;]{4,200})",
    ),
    # .pgpass
    ("password", ":5432:", r":5432:[^\s:]{1,60}:[^\s:]{1,60}:(?P<secret>[^\s:]{3,200})"),
    # docker's config.json, and others that keep user and password in Base64
    (
        "docker-auth",
        '"auth',
        r"\"auth\"\s{0,3}:\s{0,3}\"(?P<secret>[A-Za-z0-9+/_\-]{8,2000}={0,2})\"",
    ),
    (
        "docker-auth",
        '"identitytoken',
        r"\"identitytoken\"\s{0,3}:\s{0,3}\"(?P<secret>[^\"]{8,4000})\"",
    ),
    ("private-key", "-key-data:", r"-key-data:\s{0,3}(?P<secret>[A-Za-z0-9+/]{40,8000}={0,2})"),
    (
        "private-key",
        "privatekey",
        r"(?i)PrivateKey\s{0,3}=\s{0,3}(?P<secret>[A-Za-z0-9+/]{42,44}={0,2})",
    ),
    (
        "private-key",
        "presharedkey",
        r"(?i)PresharedKey\s{0,3}=\s{0,3}(?P<secret>[A-Za-z0-9+/]{42,44}={0,2})",
    ),
    ("azure-storage-key", "accountkey=", r"(?i)AccountKey=[A-Za-z0-9+/]{40,120}={0,2}"),
    (
        "azure-key",
        "sharedaccesskey=",
        r"(?i)SharedAccessKey=(?P<secret>[A-Za-z0-9+/]{20,120}={0,2})",
    ),
    # Signatures that open what they sign
    ("signature", "sig=", r"(?<![A-Za-z])sig=(?P<secret>[A-Za-z0-9%+/\-_]{20,200}={0,2})"),
    (
        "signature",
        "x-amz-",
        r"(?i)X-Amz-(?:Signature|Security-Token|Credential)=(?P<secret>[^\s&\"'<>]{16,2000})",
    ),
    ("signature", "x-goog-signature=", r"(?i)X-Goog-Signature=(?P<secret>[0-9a-f]{32,1100})"),
    ("wifi-password", "wifi:", r"(?i)WIFI:[^\n]{0,200}?;P:(?P<secret>[^;\n]{1,100});"),
    (
        "private-key",
        "keypair",
        r"(?i)keypair[^\[\n]{0,40}(?P<secret>\[(?:\s{0,2}\d{1,3},){31,63}\s{0,2}\d{1,3}\s{0,2}\])",
    ),
    *(
        (
            "secret",
            f"{name}{sign}",
            r"(?i)(?<![A-Za-z0-9])[as]k[:：=]\s{0,2}[\"']?(?P<secret>(?=[A-Za-z]{0,60}\d)[A-Za-z0-9+/=]{16,80})",
        )
        for name in ("ak", "sk")
        for sign in (":", "：", "=")
    ),
    (
        "otp-secret",
        "otpauth://",
        r"otpauth://[^\s\"'<>]{1,300}?[?&]secret=(?P<secret>[A-Za-z2-7=]{8,200})",
    ),
    # Hashes of passwords, by which they are guessed
    ("password-hash", "$2", r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}"),
    ("password-hash", "$apr1$", r"\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    (
        "password-hash",
        "$argon2",
        r"\$argon2(?:id|i|d)\$v=\d{1,3}\$[a-z0-9=,]{5,40}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{20,120}",
    ),
    ("password-hash", "$6$", r"\$6\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"),
    (
        "private-key",
        "private-lines:",
        r"(?i)Private-Lines: \d{1,4}\s{1,3}(?P<secret>(?:[A-Za-z0-9+/=]{1,80}\s{0,3}+){1,60})",
    ),
)


_MARKED = tuple(
    (type, marker, f"{_A}{re.escape(marker)}{tail}")
    for type, markers, tail in VENDOR_TOKENS
    for marker in markers.split()
)


def shaped_secrets(text: str, lowered: str, tick: Tick) -> Iterator[Found]:
    """Yield the secrets whose shape gives them away; they may overlap.

    `lowered` is the text in lower case, letter for letter.
    """
    for type, marker, pattern in _MARKED:
        yield from at_markers(type, marker, pattern, text, text, tick)
    for type, marker, pattern in _PLACES:
        yield from at_markers(type, marker, pattern, text, lowered, tick)
    for type, marker, pattern in UNMARKED_TOKENS:
        if marker in text:
            tick()
            for found in _compiled(_A + pattern).finditer(text):
                yield Found(*found.span(), type)
    if "-----BEGIN" in text:
        yield from _pem_blocks(text, tick)
    if '"kty"' in text:
        yield from _json_web_keys(text)
    if "AKIA" in text or "ASIA" in text:
        yield from _aws_secrets(text)


def at_markers(
    type: str, marker: str, pattern: str, text: str, haystack: str, tick: Tick
) -> Iterator[Found]:
    """Yield what a pattern finds where its marker stands: its group `secret`, or all of it."""
    at = haystack.find(marker)
    while at >= 0:
        tick()
        found = _compiled(pattern).match(text, at)
        if found is None:
            at = haystack.find(marker, at + 1)
            continue
        group = "secret" if "secret" in found.re.groupindex else 0
        if not _is_reference(found[group]):
            yield Found(*found.span(group), type)
        at = haystack.find(marker, max(found.end(group), at + 1))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_REFERENCE = re.compile(
    r"\$\{?\w+\}?|\$\(.{0,300}|\{\{?.{0,300}\}?\}|<[^>]{0,300}>|%\w+%|\*+|x+|X+|\.+"
    r"|\[redacted:.{0,300}|(?:your|my|the)[-_ ].{0,100}|process\.env.{0,100}|example.{0,20}",
    re.IGNORECASE,
)


def _is_reference(secret: str) -> bool:
    """Tell whether a secret is only the name of one: `$PASSWORD`, `<password>`, `****`."""
    return _REFERENCE.fullmatch(secret) is not None


# Keys of several lines

_PEM = re.compile(r"-----BEGIN (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----")
_LONGEST_PEM = 20_000
# Never closed: what looks like its lines, also behind line numbers and quote marks.
_PEM_LINES = re.compile(
    r"(?:(?:\s|\\[nr]|\d{1,6}→|[>|+])*+(?:[A-Za-z0-9+/=]{16,}+|(?:Proc-Type|DEK-Info|Version): .{0,200}))*+"
    r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/]{1,64}={1,2})?"
)


def _pem_blocks(text: str, tick: Tick) -> Iterator[Found]:
    at = 0
    while begun := _PEM.search(text, at):
        tick()
        last = f"-----END {begun['kind']}-----"
        end = text.find(last, begun.end(), begun.end() + _LONGEST_PEM)
        again = text.find("-----BEGIN ", begun.end(), end if end >= 0 else begun.end())
        if end >= 0 and again < 0:
            at = end + len(last)
        else:
            lines = _PEM_LINES.match(text, begun.end())
            at = lines.end() if lines else begun.end()
        yield Found(begun.start(), at, "private-key")


_JWK_PART = re.compile(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,3}:\s{0,3}\"([A-Za-z0-9_\-]{20,2000})\"")


def _json_web_keys(text: str) -> Iterator[Found]:
    for found in _JWK_PART.finditer(text):
        yield Found(*found.span(1), "private-key")


# A secret access key has no beginning; beside an access key, forty such characters are one.
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")


def _aws_secrets(text: str) -> Iterator[Found]:
    for found in _AWS_SECRET.finditer(text):
        if not _HEXADECIMAL.fullmatch(found[0]) and entropy(found[0]) > 4.2:
            yield Found(*found.span(), "aws-secret-key")


def entropy(text: str) -> float:
    """Return the bits per character of a text, as its own characters are spread (Shannon)."""
    shares = [text.count(character) / len(text) for character in set(text)]
    return -sum(share * math.log2(share) for share in shares)
