"""Keeps secrets, private passages and injected memories out of the journal.

Plain prose is the common case, so each detector runs only where a fixed piece of text that all
its secrets have is found first. Token shapes beyond the everyday ones are those of
detect-secrets, which is imported when a text looks as if it could hold one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

INJECTED_TAG = "ebbing-memories"
PRIVATE_TAG = "private"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text that may be stored, and the types of what was taken out of it, in order."""

    text: str
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    type: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a kind of secret looks like: the group `secret`, or the whole match, is redacted."""

    type: str
    markers: tuple[str, ...]
    pattern: re.Pattern[str]


def sanitise(text: str) -> Redacted:
    """Drop private and injected blocks, then redact the secrets in what is left.

    Blocks go first, as a secret that was cut in two by a block is whole once the block is gone.
    """
    text, dropped = _drop_blocks(text, (PRIVATE_TAG, INJECTED_TAG))
    redacted = redact(text)
    return Redacted(redacted.text, dropped + redacted.findings)


def drop_private(text: str) -> str:
    """Drop `<private>` blocks; one that is never closed reaches to the end."""
    return _drop_blocks(text, (PRIVATE_TAG,))[0]


def strip_injected(text: str) -> str:
    """Drop memory blocks that were injected into a prompt, and keep the rest of the message."""
    return _drop_blocks(text, (INJECTED_TAG,))[0]


def redact(text: str) -> Redacted:
    """Replace every secret in the text by `[redacted:<type>]`."""
    found = sorted(_secrets(text), key=lambda one: (one.start, -one.end))
    if not found:
        return Redacted(text, ())
    kept: list[str] = []
    types: list[str] = []
    at = 0
    for one in found:
        if one.end <= at:
            continue
        if one.start >= at:
            kept += [text[at : one.start], f"[redacted:{one.type}]"]
            types.append(one.type)
        at = one.end
    kept.append(text[at:])
    return Redacted("".join(kept), tuple(types))


# Blocks

_ROUNDS = 8


def _drop_blocks(text: str, tags: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Drop the blocks of the tags, and blocks whose tags come together once others are gone."""
    findings: list[str] = []
    opening = re.compile(rf"<\s*({'|'.join(tags)})(?:\s[^<>]*)?>", re.IGNORECASE)
    for _ in range(_ROUNDS):
        kept: list[str] = []
        at = 0
        while found := opening.search(text, at):
            tag = found[1].lower()
            kept.append(text[at : found.start()])
            findings.append("private" if tag == PRIVATE_TAG else "injected")
            at = _end_of_block(text, found.end(), tag)
        if not kept:
            return text, tuple(findings)
        text = "".join([*kept, text[at:]])
    # Tags inside tags inside tags: nobody writes that by accident.
    found = opening.search(text)
    return text[: found.start()] if found else text, tuple(findings)


def _end_of_block(text: str, at: int, tag: str) -> int:
    """Return where a block ends that was opened before `at`; blocks may lie in one another."""
    depth = 1
    for found in re.compile(rf"<\s*(/?)\s*{tag}(?:\s[^<>]*)?>", re.IGNORECASE).finditer(text, at):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end()
    return len(text)


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


def _secrets(text: str) -> Iterator[_Found]:
    for shape in _SHAPES:
        if any(marker in text for marker in shape.markers):
            for found in shape.pattern.finditer(text):
                group = "secret" if "secret" in shape.pattern.groupindex else 0
                if not _is_reference(found[group]):
                    yield _Found(*found.span(group), shape.type)
    if "AKIA" in text or "ASIA" in text:
        for found in _AWS_SECRET.finditer(text):
            if not _HEXADECIMAL.fullmatch(found[0]) and _entropy(found[0]) > 4.2:
                yield _Found(*found.span(), "aws-secret-key")
    yield from _library_secrets(text)
    yield from _named_secrets(text)


def _entropy(text: str) -> float:
    """Return the bits per character of a text, as its own characters are spread."""
    shares = [text.count(character) / len(text) for character in set(text)]
    return -sum(share * math.log2(share) for share in shares)


# Secrets whose shape detect-secrets knows

# Its detectors of keywords and of entropy are not used: prose, hashes and ids are full of what
# they take for secrets. Each row: module, class, type, and what a text must have for it to run.
_LIBRARY = (
    ("artifactory", "ArtifactoryDetector", "artifactory-token", "AKC", r"\bAKC[A-Za-z0-9]{10}"),
    ("azure_storage_key", "AzureStorageKeyDetector", "azure-storage-key", "AccountKey=", ""),
    ("discord", "DiscordBotTokenDetector", "discord-token", ".", r"[MNO][\w-]{23,25}\.[\w-]{6}\."),
    ("gitlab_token", "GitLabTokenDetector", "gitlab-token", "gl", r"\bgl[a-z]{2,5}-\w{2}"),
    ("mailchimp", "MailchimpDetector", "mailchimp-key", "-us", r"\b[0-9a-z]{32}-us\d"),
    ("pypi_token", "PypiTokenDetector", "pypi-token", "pypi-Ag", ""),
    ("sendgrid", "SendGridDetector", "sendgrid-key", "SG.", r"\bSG\.[\w-]{22}\."),
    ("square_oauth", "SquareOAuthDetector", "square-key", "sq0csp-", ""),
    ("telegram_token", "TelegramBotTokenDetector", "telegram-token", ":", r"\d{8}:[\w-]{35}"),
    ("twilio", "TwilioKeyDetector", "twilio-key", "SK", r"\b(?:AC|SK)[a-z0-9]{32}\b"),
)
_WHEN = {row[0]: re.compile(row[4], re.ASCII) for row in _LIBRARY}
_WORD = re.compile(r"[A-Za-z0-9_]")


def _library_secrets(text: str) -> Iterator[_Found]:
    for module, detector, type, marker, when in _LIBRARY:
        if marker not in text or (when and not _WHEN[module].search(text)):
            continue
        for pattern in _library_patterns(module, detector):
            for found in pattern.finditer(text):
                token = found[0].strip(" \t\r\n\"'").lstrip("=:")
                start = found.start() + found[0].index(token)
                end = start + len(token)
                # Some patterns have no borders and would find a piece of a longer id or hash.
                inside = _WORD.match(text[start - 1 : start]) or _WORD.match(text[end : end + 1])
                if token and not inside:
                    yield _Found(start, end, type)


@cache
def _library_patterns(module: str, detector: str) -> tuple[re.Pattern[str], ...]:
    # Imported late: detect-secrets brings an HTTP client along, a sixth of a second to import.
    plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), detector)
    return tuple(plugin.denylist)


# Secrets that only their name gives away

_PASSWORD_WORDS = (
    "password", "passwd", "passphrase", "passcode", "_pass", "pwd",
    "passwort", "kennwort", "contraseña", "contrasena", "mot de passe", "senha", "пароль",
)  # fmt: skip
_CJK_WORDS = ("密码", "密碼", "口令", "密钥", "密鑰", "私钥", "令牌", "パスワード", "비밀번호")
_KEY_WORDS = ("key", "token", "secret", "credential")
_KEY_BEFORE = re.compile(
    r"(?:api|access|auth|secret|private|account|service|encryption|signing|master|client)[_\- ]?$",
    re.IGNORECASE,
)
_QUOTED = r"(?P<quote>[\"'`“「『])(?P<quoted>[^\"'`“”「」『』\s]{4,300})[\"'`”」』]"
# What follows the name: the rest of an identifier, a sign or a verb, and the value.
_VALUE = re.compile(
    r"(?P<affix>[A-Za-z0-9_\-]{0,30}+)[\"'`”*]{0,3}+\]?"
    r"(?P<is>\s{0,3}(?:=>|:=|=(?![=~>])|:(?!:)|：|＝)\s{0,3}"
    r"|\s{1,3}(?:is|was|are|ist|est|es|é|это|—|->|→)(?:\s+(?:now|still|set to|just))?:?\s{1,3}"
    r"|\s?(?:就是|还是|改成了?|改为|设为|设置为|换成了?|是|为|為|は|는|은)\s{0,2}[:：]?\s{0,2})"
    rf"(?:{_QUOTED}|(?P<bare>[^\s\"'`“”「」『』，。；！？、,;]{{4,300}}))",
    re.IGNORECASE,
)
_NOT_THE_SECRET = re.compile(
    r"""
      \[redacted:.*  | [<{(\[%].* | \$.* | .*[({\[].* | \*+ | \.{2,}.* | …+ | [xX•_\-.]+
    | (?:none|null|nil|undefined|true|false|string|str|bytes|int|required|optional|changeme
        |todo|tbd|unknown|empty|example|placeholder|your.*|my[_-].*|process\.env.*|os\.environ.*
        |self\..*|args\..*|config\..*|settings\..*|env\..*|secretstr|any|password|secret|token)
    | (?:utf-?8|sha-?\d+|md5|base-?\d+|aes-?\d*|rsa-?\d*|ed25519|argon2\w*|p?bcrypt|pbkdf2|hs256
        |rs256|oauth-?2|totp|scrypt|uuid-?v?\d?)(?:[^\x00-\x7f].*|-\w+)?
    | \d+-?(?:char|digit|letter|bit|byte|word|day|minute|hour|month|year)\w*
    | https?://.* | /[\w./\-]+ | [\w\-]+\.(?:py|js|ts|json|ya?ml|env|txt|md|toml|pem|key)
    | (?:mem|msg)_[0-9a-f]{16} | [a-z_]*(?:password|passwd|pwd|secret|token|api_?key)[a-z_]{0,3}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REFERENCE = re.compile(r"\$\{?\w+\}?|\{\{?.*\}?\}|<[^>]*>|%\w+%|\*+|\[redacted:.*", re.IGNORECASE)

_ABOUT_IT = re.compile(
    r"(?:name|id|ids|ref|path|file|dir|arn|url|uri|type|length|len|count|limit|policy|manager"
    r"|field|prompt|hint|label|expiry|expires|expires_in|version|budget|usage|tokens)$",
    re.IGNORECASE,
)
_LATIN_START = re.compile(r"(?=[^A-Za-z0-9]{0,20}[A-Za-z0-9])[\x21-\x7e]+")
_NOTHING_FOLLOWS = re.compile(r"[ \t]*(?:$|[\n,;&|])")
_DOTTED_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def _is_reference(secret: str) -> bool:
    """Tell whether a password is only the name of one: `$PASSWORD`, `<password>`, `****`."""
    return _REFERENCE.fullmatch(secret) is not None


def _named_secrets(text: str) -> Iterator[_Found]:
    # The dotted capital I is the one letter that grows when it is lowered.
    lowered = text.replace("\u0130", "i").lower()
    for words, find in (
        (_PASSWORD_WORDS, _password),
        (_CJK_WORDS, _cjk_password),
        (_KEY_WORDS, _key),
    ):
        for word in words:
            at = lowered.find(word)
            while at >= 0:
                found = _VALUE.match(text, at + len(word))
                if found and not _ABOUT_IT.search(found["affix"]):
                    group = "quoted" if found["quoted"] else "bare"
                    secret = found[group].rstrip(".!?)]}>:*\\")
                    secret = find(text[max(0, at - 12) : at], word, found, secret)
                    if len(secret) >= 4 and not _NOT_THE_SECRET.fullmatch(secret):
                        start = found.start(group)
                        type = "secret" if find is _key else "password"
                        yield _Found(start, start + len(secret), type)
                at = lowered.find(word, at + len(word))


def _password(before: str, word: str, found: re.Match[str], value: str) -> str:
    """Return the password, or nothing where the value may be a word about passwords."""
    if word == "pwd" and before[-1:].isalpha():
        return ""
    if found["quoted"] or any(character.isdigit() for character in value):
        return value
    if any(character in "!@#$%^&*+=~?" for character in value):
        return value
    # Letters alone: only after a sign, and where no sentence goes on.
    rest = found.string[found.end() : found.end() + 40]
    return value if _is_assigned(found) and _NOTHING_FOLLOWS.match(rest) else ""


def _cjk_password(before: str, word: str, found: re.Match[str], value: str) -> str:
    """Return the Latin text that a Chinese, Japanese or Korean sentence names as a password."""
    latin = _LATIN_START.match(value)
    return latin[0].rstrip(".!?)]}>:*\\") if latin else ""


def _key(before: str, word: str, found: re.Match[str], value: str) -> str:
    """Return the key or token; as the names are common words, it must be long and mixed."""
    if word == "key" and not _KEY_BEFORE.search(before):
        return ""
    digit = any(character.isdigit() for character in value)
    letter = any(character.isalpha() for character in value)
    assigned = _is_assigned(found)
    if found["quoted"]:
        return value if assigned and (digit or len(value) >= 12) else ""
    if len(value) < (12 if assigned else 16) or _DOTTED_NAME.fullmatch(value):
        return ""
    return value if digit and letter else ""


def _is_assigned(found: re.Match[str]) -> bool:
    return found["is"].strip()[:1] in ("=", ":", "：", "＝")
