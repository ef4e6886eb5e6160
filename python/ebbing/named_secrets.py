"""Finds secrets that only their name gives away: `password: ...`, `密码是 ...`, `API_KEY=...`."""

# Full-width punctuation is part of what is looked for.

from __future__ import annotations

import re
from collections.abc import Iterator

from ebbing.secret_shapes import Found

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
        |self\..*|args\..*|config\..*|settings\..*|env\..*|secret(?:str|bytes)|any|password|secret|token)
    | (?:utf-?8|sha-?\d+|md5|base-?\d+|aes-?\d*|rsa-?\d*|ed25519|argon2\w*|p?bcrypt|pbkdf2|hs256
        |rs256|oauth-?2|totp|scrypt|uuid-?v?\d?)(?:[^\x00-\x7f].*|-\w+)?
    | \d+-?(?:char|digit|letter|bit|byte|word|day|minute|hour|month|year)\w*
    | https?://.* | /[\w./\-]+ | [\w\-]+\.(?:py|js|ts|json|ya?ml|env|txt|md|toml|pem|key)
    | (?:mem|msg)_[0-9a-f]{16} | [a-z_]*(?:password|passwd|pwd|secret|token|api_?key)[a-z_]{0,3}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT_IT = re.compile(
    r"(?:name|id|ids|ref|path|file|dir|arn|url|uri|type|length|len|count|limit|policy|manager"
    r"|field|prompt|hint|label|expiry|expires|expires_in|version|budget|usage|tokens)$",
    re.IGNORECASE,
)
_LATIN_START = re.compile(r"(?=[^A-Za-z0-9]{0,20}[A-Za-z0-9])[\x21-\x7e]+")
_NOTHING_FOLLOWS = re.compile(r"[ \t]*(?:$|[\n,;&|])")
_DOTTED_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def named_secrets(text: str) -> Iterator[Found]:
    """Yield the values that stand after the name of a secret, and that look like one."""
    # The dotted capital I is the one letter that grows when it is lowered.
    lowered = text.replace("\u0130", "i").lower()
    for words, find in (
        (_PASSWORD_WORDS, _password),
        (_CJK_WORDS, _cjk_password),
        (_KEY_WORDS, _key),
    ):
        for word in [word for word in words if word in lowered]:
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
                        yield Found(start, start + len(secret), type)
                at = lowered.find(word, at + len(word))


def _password(before: str, word: str, found: re.Match[str], value: str) -> str:
    """Return the password, or nothing where the value may be a word about passwords."""
    if word == "pwd" and before[-1:].isalpha():
        return ""
    if word == "_pass" and not (found["affix"] == "" and before[-1:].isupper()):
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
