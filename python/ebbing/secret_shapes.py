"""Finds secrets by their shape: tokens with a prefix, keys, headers, passwords in URLs.

Plain prose is the common case, so a pattern runs only where a piece of text is found first that
all its secrets have. Shapes beyond the everyday ones are those of detect-secrets, which is
imported when a text looks as if it could hold one.
"""

# Full-width punctuation ends a password.

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Found:
    """Where a secret stands in a text, and of what type it is."""

    start: int
    end: int
    type: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a kind of secret looks like: the group `secret`, or the whole match, is redacted."""

    type: str
    markers: tuple[str, ...]
    pattern: re.Pattern[str]


# Secrets with a shape of their own


def _shape(type: str, markers: str, pattern: str, flags: int = 0) -> _Shape:
    return _Shape(type, tuple(markers.split()), re.compile(pattern, flags))


# A token isn't part of a longer word, and a full stop after it isn't part of it.
_A = r"(?<![A-Za-z0-9])"
_Z = r"(?![A-Za-z0-9])"

_SHAPES = (
    _shape(
        "private-key",
        "-----BEGIN",
        r"-----BEGIN (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"
        r"(?:(?:(?!-----BEGIN )[\s\S]){0,20000}?-----END (?P=kind)-----"
        # Never closed: what looks like its lines, also with the line ends escaped.
        r"|(?:(?:\s|\\[nr]|\d+→|[>|+])*(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version): .*))*"
        r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/]{1,64}={1,2})?)",
    ),
    _shape(
        "private-key",
        "PuTTY-User-Key-File-",
        r"Private-Lines: \d+\s+(?P<secret>(?:[A-Za-z0-9+/=]+\s+)*[A-Za-z0-9+/=]+)",
    ),
    _shape(
        "url-credentials",
        "://",
        r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{0,30}://[^\s:/?#@\"'<>`\[\]]{0,200}:"
        # A password may hold @ and /, but what begins as a port is one.
        r"(?!\d{1,5}/)(?P<secret>[^\s\"'<>`，。；！？、]{1,300})@(?=[\w\[%.\-])",
    ),
    _shape("anthropic-key", "sk-ant-", _A + r"sk-ant-[A-Za-z0-9_\-]{8,}"),
    _shape(
        "openai-key",
        "sk-",
        _A + r"sk-(?:(?:proj|svcacct|admin|None|or-v1|lf|live)-[A-Za-z0-9_\-]{16,}"
        r"|(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}|[A-Za-z0-9]{20,}|[A-Za-z0-9_\-]{0,40}[A-Za-z0-9]{20,})",
    ),
    _shape(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _A + r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})",
    ),
    _shape(
        "aws-access-key",
        "AKIA ASIA ABIA ACCA A3T",
        _A + r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _Z,
    ),
    _shape("slack-token", "xox xapp-", r"(?i)" + _A + r"(?:xox[a-z]|xapp)-[a-z0-9\-]{10,}"),
    _shape(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9_/]{16,})",
    ),
    _shape(
        "json-web-token",
        "eyJ",
        _A + r"eyJ[A-Za-z0-9_\-=]{8,}\.[A-Za-z0-9_\-=]{8,}(?:\.[A-Za-z0-9_\-+/=]*)?",
    ),
    _shape(
        "authorization-header",
        "uthorization UTHORIZATION",
        r"(?i)(?<![a-z0-9])authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|apikey|digest)\s+"
        r"(?P<secret>[A-Za-z0-9._~+/\-]{8,}=*)",
    ),
    _shape(
        "authorization-header",
        "earer EARER",
        r"(?i)(?<![a-z0-9])bearer\s+(?P<secret>(?=[A-Za-z._~+/\-]{0,80}\d)[A-Za-z0-9._~+/\-]{12,}=*)",
    ),
    _shape("google-key", "AIza", _A + r"AIza[A-Za-z0-9_\-]{30,}"),
    _shape("google-token", "ya29. GOCSPX-", _A + r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_\-.]{16,}"),
    _shape("npm-token", "npm_", _A + r"npm_[A-Za-z0-9]{20,}"),
    _shape("gitlab-token", "glpat- gldt- glrt-", _A + r"gl(?:pat|dt|rt)-[A-Za-z0-9_\-.]{16,}"),
    _shape("hugging-face-token", "hf_", _A + r"hf_[A-Za-z0-9]{20,}"),
    _shape(
        "stripe-key",
        "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
        _A + r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{10,}",
    ),
    _shape("npm-token", "_authToken", r":_authToken=\s*(?P<secret>[^\s$\"'{}]{8,})"),
    _shape(
        "password",
        "--pass --token --api --secret --auth",
        r"--(?:pass(?:word|wd|phrase)?|(?:api|auth|access)-(?:key|token)|token|secret)[ =]"
        r"(?P<quote>[\"']?)(?P<secret>(?=\S*\d)[^\s\-$<\"'\[(][^\s\"'\])]{3,})",
    ),
    _shape(
        "password", "curl", _A + r"curl\b[^\n]{0,300}?\s-u\s*[\"']?[^\s:\"']+:(?P<secret>[^\s\"']+)"
    ),
    _shape(
        "api-token",
        "gsk_ r8_ pplx- nvapi- xai- tvly- dckr_ dop_v1_ lin_api_ ntn_ shp secret_ fc- AGE-SEC",
        _A + r"(?:gsk_|r8_|pplx-|nvapi-|xai-|tvly-(?:dev-|prod-)?|dckr_pat_|dop_v1_|lin_api_|ntn_"
        r"|shp(?:at|ca|pa|ss)_|secret_|fc-|AGE-SECRET-KEY-1)"
        r"(?=[A-Za-z_\-]{0,40}\d)[A-Za-z0-9_\-]{24,}",
    ),
)

# A secret access key has no prefix; beside an access key, forty such characters are one.
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")


_MARKERS = tuple((marker, shape) for shape in _SHAPES for marker in shape.markers)


def shaped_secrets(text: str) -> Iterator[Found]:
    """Yield the secrets whose shape gives them away; they may overlap."""
    for shape in dict.fromkeys([shape for marker, shape in _MARKERS if marker in text]):
        group = "secret" if "secret" in shape.pattern.groupindex else 0
        for found in shape.pattern.finditer(text):
            if not _is_reference(found[group]):
                yield Found(*found.span(group), shape.type)
    if "AKIA" in text or "ASIA" in text:
        for found in _AWS_SECRET.finditer(text):
            if not _HEXADECIMAL.fullmatch(found[0]) and _entropy(found[0]) > 4.2:
                yield Found(*found.span(), "aws-secret-key")
    yield from _library_secrets(text)


def _entropy(text: str) -> float:
    """Return the bits per character of a text, as its own characters are spread."""
    shares = [text.count(character) / len(text) for character in set(text)]
    return -sum(share * math.log2(share) for share in shares)


_REFERENCE = re.compile(r"\$\{?\w+\}?|\{\{?.*\}?\}|<[^>]*>|%\w+%|\*+|\[redacted:.*", re.IGNORECASE)


def _is_reference(secret: str) -> bool:
    """Tell whether a password is only the name of one: `$PASSWORD`, `<password>`, `****`."""
    return _REFERENCE.fullmatch(secret) is not None


# Secrets whose shape detect-secrets knows

# Its detectors of keywords and of entropy are not used: prose, hashes and ids are full of what
# they take for secrets. Each row: module, class, type, and what a text must have for it to run.
_LIBRARY = (
    ("artifactory", "ArtifactoryDetector", "artifactory-token", "AKC", r"\bAKC[A-Za-z0-9]{10}"),
    ("azure_storage_key", "AzureStorageKeyDetector", "azure-storage-key", "AccountKey=", ""),
    ("discord", "DiscordBotTokenDetector", "discord-token", ".", r"[MNO][\w-]{23,25}\.[\w-]{6}\."),
    (
        "gitlab_token",
        "GitLabTokenDetector",
        "gitlab-token",
        "gl",
        r"\bgl(?:soat|cbt|imt|ptt|agent|oas|ft)-\w{9}",
    ),
    ("mailchimp", "MailchimpDetector", "mailchimp-key", "-us", r"\b[0-9a-z]{32}-us\d"),
    ("pypi_token", "PypiTokenDetector", "pypi-token", "pypi-Ag", ""),
    ("sendgrid", "SendGridDetector", "sendgrid-key", "SG.", r"\bSG\.[\w-]{22}\."),
    ("square_oauth", "SquareOAuthDetector", "square-key", "sq0csp-", ""),
    ("telegram_token", "TelegramBotTokenDetector", "telegram-token", ":", r"\d{8}:[\w-]{35}"),
    ("twilio", "TwilioKeyDetector", "twilio-key", "SK", r"\b(?:AC|SK)[a-z0-9]{32}\b"),
)
_WHEN = {row[0]: re.compile(row[4], re.ASCII) for row in _LIBRARY}
_WORD_INSIDE = re.compile(r"[A-Za-z0-9_]{2}")


def _library_secrets(text: str) -> Iterator[Found]:
    for module, detector, type, marker, when in _LIBRARY:
        if marker not in text or (when and not _WHEN[module].search(text)):
            continue
        for pattern in _library_patterns(module, detector):
            for found in pattern.finditer(text):
                token = found[0].strip(" \t\r\n\"'").lstrip("=:")
                start = found.start() + found[0].index(token)
                end = start + len(token)
                # Some patterns have no borders and would find a piece of a longer id or hash.
                around = (text[start - 1 : start] + token[:1], token[-1:] + text[end : end + 1])
                inside = any(_WORD_INSIDE.fullmatch(two) for two in around)
                if token and not inside:
                    yield Found(start, end, type)


@cache
def _library_patterns(module: str, detector: str) -> tuple[re.Pattern[str], ...]:
    # Imported late: detect-secrets brings an HTTP client along, a sixth of a second to import.
    plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), detector)
    return tuple(plugin.denylist)
