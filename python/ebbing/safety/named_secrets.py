"""Finds secrets that only their name gives away: `password: ...`, `密码是 ...`, `API_KEY=...`.

Where a name stands, a bounded stretch after it (and before it) is read: what it is for, a sign
or a verb, and the value. Whether the value is one depends on how it looks, since people write
about passwords more often than they write one down.
"""

# Full-width punctuation is part of what is looked for.

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ebbing.safety.secret_looks import (
    is_about_it,
    is_predicate,
    is_reference,
    looks_random,
    looks_strong,
    trimmed,
)
from ebbing.safety.secret_shapes import Found, Tick

_PASSWORD_WORDS = (
    "password", "passwd", "passphrase", "pass phrase", "passcode", "pwd", "passwort", "kennwort",
    "contraseña", "contrasena", "mot de passe", "senha", "пароль", "parola", "community string",
)  # fmt: skip
_SHORT_PASSWORD_WORDS = ("pass", "pw", "psk", "pre-shared key")
_CJK_WORDS = (
    "密码", "密碼", "口令", "密钥", "密鑰", "私钥", "私鑰", "令牌", "凭证", "暗号", "秘钥", "密匙", "授权码", "解压码",
    "访问码", "パスワード", "暗証番号", "비밀번호", "비번",
)  # fmt: skip
_KEY_WORDS = tuple(
    "key token secret credential phpsessid jsessionid asp.net_sessionid laravel_session connect.sid x-auth"
    " access_code pat ключ".split()
)
_NUMBER_WORDS = ("pin", "code", "cvv", "cvc", "combination", "puk")
_CODES = ("验证码", "安全码", "pin码", "门禁码", "解锁码", "取件码", "开门码", "提取码", "提取密码")

_FOR = (
    r"(?P<for>s?\s{1,2}(?:\(|(?:for|of|on|to|at|in|from|behind|protecting|we|i|you|that|there|here|used|now|für"
    r"|de|pour|para)\b)(?:[^\n.!?。;:=]|\.(?=\S)|:(?=\d)){0,60}?)"
)
# A sign or a verb; what only hints at a value is told from what gives one.
_HINT = r",\s{1,2}(?:it['’]s|it is|which is|and it['’]s)\s{1,2}|[\"']\s{1,2}value=(?=[\"'])|\?\s{1,3}(?:it['’]s\s|it is\s)?|\s?\((?=[^\s()]{4,64}\))|\s{1,3}\|\s{1,3}"
_IS = (
    r"(?:\s{0,3}(?:=>|:=|=(?![=~>])|%3D|:(?!:)|：|＝|->|→|—|>(?=[^<>\s]{3,200}</))[*_]{0,2}\s{0,3}"
    r"|(?:\s{1,3}(?:is|was|are|equals|ist|lautet|est|es|é|это|(?:(?:has|have) been |was |is |got |were )?"
    r"(?:re)?(?:set|changed|reset|rotated|updated)(?: it| that)? to)|['’]s)"
    r"(?:\s(?:now|still|set to|just|simply|currently|called|again|temporarily))?:?\s{1,3}"
    r"|\s?(?:就是|还是|依然是|仍是|改成了?|改为了?|换成了?|换为|设成了?|设为|设置为|设置成|设定为|更新为|是|为|為|は|は、|는|은|叫)"
    r"\s{0,2}[:：]?\s{0,2}|" + _HINT + r")"
)
_VALUE = (
    r"(?:[bBrRuUfF]?(?P<quote>[\"'`“「『])(?P<quoted>[^\"'`“”「」『』\n]{3,300})[\"'`”」』]"
    r"|(?P<bare>[^\s\"'`“”「」『』，。；！？、,;<>]{3,300}))"
)
# The rest of an identifier, what it is for, a sign or a verb, and the value.
_AFTER = (
    r"(?P<affix>(?:[A-Za-z0-9_]|[\-.](?=[A-Za-z0-9_])){0,30}+)(?P<closed>[\"'`”*)]{0,3}\]?)"
    rf"(?:{_FOR})?(?P<is>{_IS}){_VALUE}"
)
_BESIDE = r"(?P<closed>[\"'`]?)\s{1,2}(?:(?P<to>to\s)|of\s|with\s)?" + _VALUE
_SET = re.compile(
    r"(?i)\b(?:set|change|changed|changing|reset|update|updated|rotate|rotated)\s(?:[\w'’]{1,12}\s){0,3}$"
)
_CJK_AFTER = (
    r"(?P<for>[^\n，。；！？,;:：=＝\x21-\x7e]{0,10}?)"
    r"(?:(?P<is>\s{0,2}(?:[:：=＝]|->|→)\s{0,2}|，(?:现在|目前)?是\s{0,2}|" + _IS + r")|\s{0,2})"
    r"[\"'`“「『《(（]?(?P<bare>[\x21-\x7e]{3,100})"
)
_CJK_NOT = re.compile(
    r"长度|長度|位数|强度|策略|规则|格式|算法|类型|字段|数量|加密|过期|有效|错误|错|学|管理|框|输入|哈希|个数|要求|最少|至少|不能|必须|包含|使用|存|保存|放|找|登录页|文件|表"
)
_CJK_BEFORE = re.compile(
    r"(?P<secret>[\x21-\x7e]{4,64})[\"'`”」]?\s{0,2}(?:是|就是|作为|当作|当|做)[^，。\n]{0,10}$"
)
_ENDS = re.compile(
    r"[\"'`”’]?\s{0,2}(?:$|[.,;!?\n)。，；！？]|(?:for|of|to|on|at|here|now|please|and|there|everywhere|too|in|since|but)\b)"
)
_CJK_ENDS = re.compile(r"\s{0,2}(?:$|[\n。，；！？,.!?)）]|吧|了|哦|啊|的|登录|就)")
_NOTHING_FOLLOWS = re.compile(r"[ \t]*(?:$|[\n,;&.!})\]]|</)")
_SENTENCE_ENDS = re.compile(r"[\"'`]?[ \t]*(?:$|[\n.,;!?)—]|and\b|but\b|so\b|by the way)")

# What makes of a common word the name of a secret
_KEY_BEFORE = re.compile(
    r"(?:api|access|auth|secret|private|account|service|encryption|signing|master|client|admin|storage"
    r"|license|licence|subscription|webhook|deploy|ingest|ingestion|app|application|project|server|write"
    r"|read|session|shared|function|host|openai|vendor|hmac|jwt|wi-?fi|wpa\d?|wlan|network|security|recovery|_)"
    r"[_\- .]?$",
    re.IGNORECASE,
)
_PASS_BEFORE = re.compile(
    r"(?:[_/]|(?:^|[\n{,])\s{0,8}[\"']?|\b(?:db|database|wi-?fi|root|admin|user|login|e?mail|ssh|sudo|ftp|smtp|vpn"
    r"|postgres|pg|mysql|redis|mongo|server|router|my|our|his|her|the|your|staging|prod|test|account|master"
    r"|network|guest|office|home|imap|sftp|and|with|sql)[\s_\-]{1,2})$",
    re.IGNORECASE,
)
_CODE_BEFORE = re.compile(
    r"\b(?:door|gate|alarm|entry|lock|safe|garage|building|access|security|unlock|voicemail|sim|puk|pin|backup"
    r"|recovery|2fa|mfa|otp|one-time|scratch|verification|entrance|lockbox|keypad|locker)[\s\-]$",
    re.IGNORECASE,
)
_BOARD = re.compile(
    r"(?:gpio|board|header|input|output|data|reset|power|ground|clock|led|analog|digital)[\s_\-]{1,2}$",
    re.I,
)
_MY = re.compile(
    r"\b(?:my|our|his|her|the|your|their|bank|card|atm|phone|sim|debit|credit)\s(?:\w{1,12}\s){0,2}$",
    re.I,
)
_NUMBER = re.compile(
    r"(?P<affix>s?|[ \-]?(?:code|number|no\.?|nr\.?))(?:" + _FOR + r")?(?P<is>" + _IS + r"|\s{1,2})"
    r"[\"'`*]{0,2}(?P<secret>[#*]?\d(?:[\d\-]|[ ](?=\d)){2,14}\d?[#*]?|(?=[A-Za-z\-]{0,9}\d)[A-Za-z0-9]{2,10}-[A-Za-z0-9\-]{2,12})(?![\w%.]\w|[\w%])"
)
_PAIR = re.compile(
    r"(?:credential|cred|wi-?fi|auth|login|log in|logging in|log on|sign in|user ?name|user|account|账号|帐号|账户|用户名)s?"
    r"(?:[/&]\w{2,10})?[^\n:=，]{0,24}?(?:\s(?:is|are|as|with|using|use)\s{1,2}|\s?[:：=]\s?|是|为|\s)[\"'`]?"
    r"(?P<user>[\w.@+\-]{2,60})[\"'`]?\s?(?:/|:|\||,|，|\sand\s|\swith\s|&|\s/\s)\s?"
    r"(?:(?:password|pass|pwd|pw|密码|口令)\s?[:：=是为]?\s?)?[\"'`]?(?P<secret>[^\s\"'`，。；！？、,;<>]{4,100})",
    re.IGNORECASE,
)
_PAIR_WORDS = ("cred", "login", "log in", "logging in", "log on", "sign in", "user", "wifi", "wi-fi", "auth", "账号", "帐号", "账户", "用户名")  # fmt: skip
_COOKIE = re.compile(
    r"(?i)(?:set-)?cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<pairs>[^\n\"']{8,4000})"
)
_COOKIE_VALUE = re.compile(r"[\w.\-]{1,80}=(?P<secret>[^;\s]{8,4000})")


def named_secrets(text: str, lowered: str, tick: Tick) -> Iterator[Found]:
    """Yield the values that stand beside the name of a secret, and that look like one."""
    for words, find in _FINDERS:
        for word in words:
            at = lowered.find(word)
            while at >= 0:
                tick()
                end = at + len(word)
                found = find(text, lowered, word, at, end)
                if found is not None:
                    yield found
                    # A name before a value that was found may have been part of the value.
                    end = max(end, min(found.end, end + 300))
                at = lowered.find(word, end)


def _password(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    if word == "pwd" and _is_letter(lowered[at - 1 : at]):
        return None
    if word in _SHORT_PASSWORD_WORDS:
        around = lowered[at - 1 : at] + lowered[end : end + 1]
        if any(map(_is_letter, around)):
            return None
        if word == "pass" and not _PASS_BEFORE.search(text[max(0, at - 24) : at]):
            return None
    found = _compiled(_AFTER).match(text, end)
    is_its_name = found is not None and not is_about_it(found["affix"])
    if found is not None and is_its_name and (span := _assigned_password(word, found)) is not None:
        return _with_second(text, span)
    if word == "passcode" and (digits := _DIGITS_BESIDE.match(text, end)) is not None:
        return Found(*digits.span("secret"), "pin")
    if (beside := _compiled(_BESIDE).match(text, end)) is not None:
        value, start = _value(beside)
        is_quoted = beside["quoted"] is not None
        value = trimmed(value, is_quoted=is_quoted)
        is_set = beside["to"] is not None and _SET.search(text, max(0, at - 40), at) is not None
        if not is_reference(value) and looks_strong(value, is_beside=not is_set):
            return Found(start, start + len(value), "password")
    if (named := _FOR_BESIDE.match(text, end)) is not None:
        value = trimmed(named["secret"], is_quoted=False)
        start = named.start("secret")
        is_mixed = looks_random(value, least=8) and looks_strong(value, is_beside=True)
        if is_mixed and value.lower() != value and not is_reference(value):
            return Found(start, start + len(value), "password")
    if _ENDS.match(text, end) and (said := _said_before(text, at)) is not None:
        start, value = said
        if looks_strong(value) and not is_reference(value):
            return Found(start, start + len(value), "password")
    return None


_WORDS = re.compile(r"\S+")
_LINKS = frozenset(("is", "was", "as", "=", "that's", "that’s", "thats"))
_OWNERS = frozenset(("my", "the", "our", "his", "her", "their", "your", "a"))
_QUOTES = "\"'`“”"


def _said_before(text: str, at: int) -> tuple[int, str] | None:
    """Return the value of "VALUE is the root password", and where it stands."""
    first = max(0, at - 140)
    words = [*_WORDS.finditer(text, first, at)]
    for place in range(len(words) - 2, max(len(words) - 8, 0), -1):
        if words[place][0].lower() in _LINKS and words[place + 1][0].lower() in _OWNERS:
            given = words[place - 1]
            is_of_two = given[0].lower() in ("that", "which") and place > 1
            given = words[place - 2] if is_of_two else given
            if not 4 <= len(given[0]) <= 68 or (given.start() == first and first > 0):
                return None
            value = given[0].lstrip(_QUOTES)
            start = given.end() - len(value)
            return start, trimmed(value.rstrip(_QUOTES + ","), is_quoted=False).rstrip(_QUOTES)
    return None


_SECOND = re.compile(r"(?:,? (?:and|or|then) |, | ?/ ?)[\"'`]?(?P<secret>[^\s\"'`,;]{6,64})")
# An app's password as its maker shows it
_GROUPS = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}(?![A-Za-z])")
_FOR_BESIDE = re.compile(
    r"\s{1,2}(?:for|of|on|to|at|in)\s(?:[\w.@\-]{1,30}\s{1,2}){1,4}?"
    r"(?P<secret>(?=[^\s]{0,40}\d)(?=[^\s]{0,40}[A-Za-z])[^\s\"'`,;()]{6,64})"
)
_DIGITS_BESIDE = re.compile(r"\s{1,2}(?P<secret>\d{4,10})(?![\w.%])")


def _with_second(text: str, found: Found) -> Found:
    """Return a password together with the one that is named after it: "A and B"."""
    second = _SECOND.match(text, found.end)
    if second is None:
        return found
    value = trimmed(second["secret"], is_quoted=False)
    if is_reference(value) or not looks_strong(value, is_beside=True):
        return found
    return Found(found.start, second.start("secret") + len(value), found.type)


def _assigned_password(word: str, found: re.Match[str]) -> Found | None:
    value, start = _value(found)
    is_quoted = found["quoted"] is not None
    if is_quoted and " " in value:
        if is_reference(value):
            return None
        return Found(start, start + len(value), "password") if _is_phrase(value) else None
    if not is_quoted and (groups := _GROUPS.match(found.string, start)) is not None:
        return Found(*groups.span(), "password")
    if word in ("passphrase", "pass phrase") and not is_quoted:
        phrase = re.compile(
            r"[A-Za-z]{2,12}(?:[ \-][A-Za-z]{2,12}){3,8}(?=[ \t]*(?:$|[\n.,;!?]))"
        ).match(found.string, start)
        if phrase is not None and _is_phrase(phrase[0]):
            return Found(*phrase.span(), "password")
    value = trimmed(value, is_quoted=is_quoted)
    if len(value) < 3 or is_reference(value):
        return None
    sign = found["is"].strip()[:1]
    if sign in ("(", "?", "|", ",") and not looks_strong(value, is_beside=True):
        return None
    is_assigned = sign in ("=", ":", "：", "＝", "-", "→", ">")
    if len(value) < 4 and not (is_assigned and looks_strong(value)):
        return None
    if word in _SHORT_PASSWORD_WORDS and value.isdigit() and not is_assigned:
        return None
    if is_quoted or looks_strong(value):
        return Found(start, start + len(value), "password")
    if value.isdigit():
        return Found(start, start + len(value), "password") if len(value) >= 4 else None
    rest = found.string[start + len(value) : start + len(value) + 40]
    if (
        is_assigned
        and found["for"] is None
        and _NOTHING_FOLLOWS.match(rest)
        and not is_predicate(value)
    ):
        return Found(start, start + len(value), "password")
    # Letters alone after a verb: the last word of a sentence that isn't said of passwords.
    if (
        len(value) >= 5
        and value.isalpha()
        and _SENTENCE_ENDS.match(rest)
        and not is_predicate(value)
    ):
        return Found(start, start + len(value), "password")
    return None


_OF_SENTENCES = frozenset(
    "must is are was the your be to at least characters required invalid enter should please a an of and"
    " not for can cannot with in it you we this that field wrong incorrect".split()
)


def _is_phrase(value: str) -> bool:
    """Tell whether some words are a passphrase and not a sentence about one."""
    words = value.lower().split()
    return 2 <= len(words) <= 9 and not any(word.strip(".,!?") in _OF_SENTENCES for word in words)


def _cjk(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    found = _compiled(_CJK_AFTER).match(text, end)
    if found is not None and not _CJK_NOT.search(found["for"]):
        value = trimmed(found["bare"], is_quoted=False)
        start = found.start("bare")
        is_said = found["is"] is not None
        after = text[start + len(value) : start + len(value) + 1]
        if len(value) >= 3 and not is_reference(value) and after not in ("位", "个", "字", "天"):
            if looks_strong(value, is_beside=not is_said) or (len(value) >= 4 and value.isdigit()):
                return Found(start, start + len(value), "password")
            if is_said and len(value) >= 4 and not is_predicate(value) and not found["for"]:
                return Found(start, start + len(value), "password")
    if any(link in text[max(0, at - 12) : at] for link in "是为当做") and _CJK_ENDS.match(
        text, end
    ):
        before = _CJK_BEFORE.search(text, max(0, at - 90), at)
        value = trimmed(before["secret"], is_quoted=False) if before else ""
        if before and looks_strong(value) and not is_reference(value):
            return Found(before.start("secret"), before.start("secret") + len(value), "password")
    return None


def _key(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    """Find a key or token; as the names are common words, it must be long and mixed."""
    if word == "pat" and (text[at:end] != "PAT" or _is_letter(lowered[at - 1 : at])):
        return None
    before = text[max(0, at - 24) : at]
    is_named = word != "key" or bool(_KEY_BEFORE.search(before))
    found = _compiled(_AFTER).match(text, end)
    if found is not None and not is_about_it(found["affix"]):
        value, start = _value(found)
        is_quoted = found["quoted"] is not None
        value = trimmed(value.partition("&")[0], is_quoted=is_quoted)
        is_assigned = found["is"].strip()[:1] in ("=", ":", "：", "＝", "→", ">")
        if _is_key(value, is_named=is_named, is_assigned=is_assigned, is_quoted=is_quoted):
            return Found(start, start + len(value), "secret")
        if _WIFI.search(before) and looks_strong(value) and not is_reference(value):
            return Found(start, start + len(value), "password")
    if is_named and (beside := _compiled(_BESIDE).match(text, end)) is not None:
        value, start = _value(beside)
        value = trimmed(value, is_quoted=beside["quoted"] is not None)
        if looks_random(value, least=16) and not is_reference(value):
            return Found(start, start + len(value), "secret")
    if is_named and _ENDS.match(text, end) and (said := _said_before(text, at)) is not None:
        start, value = said
        if looks_random(value, least=16) and not is_reference(value):
            return Found(start, start + len(value), "secret")
    return None


_WIFI = re.compile(r"(?i)(?:wi-?fi|wlan|wpa\d?|network|router)\s$")


def _is_key(value: str, *, is_named: bool, is_assigned: bool, is_quoted: bool) -> bool:
    if " " in value or is_reference(value):
        return False
    digit = any(character.isdigit() for character in value)
    letter = any(character.isalpha() for character in value)
    if not is_named:
        return looks_random(value, least=20)
    if is_quoted and is_assigned:
        return (
            len(value) >= 8 and (digit or looks_random(value, least=12)) and not is_predicate(value)
        )
    if len(value) < (10 if is_assigned else 12):
        return False
    if is_assigned and len(value) < 16:
        return digit and letter and looks_strong(value)
    return (digit and letter) or (
        len(value) >= 24 and value.isalnum() and looks_random(value, least=24)
    )


def _number(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    """Find a short number that opens something."""
    if _is_letter(lowered[at - 1 : at]) or lowered[at - 1 : at] in ("_", ".", "#"):
        return None
    before = text[max(0, at - 30) : at]
    written = text[at:end]
    if _BOARD.search(before):
        return None
    found = _compiled(_NUMBER.pattern).match(text, end)
    if found is None:
        return None
    sign = found["is"].strip()
    is_of_lock = re.search(r"(?i)lock|safe|gate|door|alarm", found["for"] or "") is not None
    if word in ("code", "combination") and not (is_of_lock or _CODE_BEFORE.search(before)):
        return None
    is_plain = word == "pin" and written != "PIN" and not found["affix"].strip(" -")
    if is_plain and not (_MY.search(before) or (sign and found["for"])):
        return None
    if not sign and not (
        written == "PIN" or found["affix"].strip(" -") or word in ("cvv", "cvc", "puk")
    ):
        return None
    if _MANY_BEFORE.search(before) and (more := _MORE_CODES.match(text, found.end("secret"))):
        return Found(found.start("secret"), more.end(), "recovery-codes")
    return Found(*found.span("secret"), "pin")


_MANY_BEFORE = re.compile(r"(?i)(?:backup|recovery|one-time|scratch|2fa|mfa)[\s\-]$")
_MORE_CODES = re.compile(
    r"(?:[,;]?\s{1,3}(?:and\s)?(?=[a-z]{0,8}\d)[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10})?){1,16}"
)


def _cjk_number(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    found = re.compile(
        r"[^\n，。,\x21-\x7e]{0,6}?(?:是|为|：|:|\s)\s{0,2}(?P<secret>[A-Za-z0-9#*\-]{3,12})"
    ).match(text, end)
    if found is None:
        return None
    if word not in ("提取码", "提取密码") and not any(map(str.isdigit, found["secret"])):
        return None
    return Found(*found.span("secret"), "pin")


def _at_host(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    """Find the password of `user:password@host`, without a scheme before it."""
    if not _HOST.match(text, end):
        return None
    found = _USER_AND_PASSWORD.search(text, max(0, at - 110), at)
    if found is None or not looks_strong(found["secret"]) or is_reference(found["secret"]):
        return None
    return Found(*found.span("secret"), "password")


_HOST = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|[\w\-]{1,60}\.[a-z]{2,}|localhost")
_USER_AND_PASSWORD = re.compile(r"(?<![\w/.:])[\w.\-]{2,40}:(?P<secret>[^\s:@/\"'<>]{4,64})$")


def _pair(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    if _is_letter(lowered[at - 1 : at]):
        return None
    found = _PAIR.match(text, at)
    if found is None:
        return None
    value = trimmed(found["secret"], is_quoted=False)
    if len(value) < 4 or is_reference(value) or not looks_strong(value, is_beside=True):
        return None
    start = found.start("secret")
    return Found(start, start + len(value), "password")


# A user whom every system knows, and what can't be a path or a word after the sign.
_AFTER_USER = re.compile(
    r"\s?[:/]\s?(?P<secret>(?=[^\s]{0,40}\d)(?=[^\s]{0,40}[a-z])(?=[^\s]{0,40}[A-Z])[^\s:/.,;()\[\]{}\"'`<>]{8,40})(?![\w:/.(\[])"
)


def _after_user(text: str, lowered: str, word: str, at: int, end: int) -> Found | None:
    found = _AFTER_USER.match(text, end)
    if found is None or (at and (text[at - 1].isalnum() or text[at - 1] in "_-./@")):
        return None
    value = trimmed(found["secret"], is_quoted=False)
    if is_reference(value) or not looks_strong(value, is_beside=True):
        return None
    return Found(found.start("secret"), found.start("secret") + len(value), "password")


def cookies(text: str, lowered: str, tick: Tick) -> Iterator[Found]:
    """Yield the values of cookies that could stand for somebody."""
    at = lowered.find("cookie")
    while at >= 0:
        tick()
        end = at + len("cookie")
        found = _COOKIE.match(text, at)
        if found is not None:
            end = found.end()
            whole = found["pairs"].strip()
            if "=" not in whole.rstrip("=") and looks_random(whole, least=20):
                yield Found(*found.span("pairs"), "cookie")
            for pair in _COOKIE_VALUE.finditer(text, *found.span("pairs")):
                if looks_random(pair["secret"], least=12) and not is_reference(pair["secret"]):
                    yield Found(*pair.span("secret"), "cookie")
        at = lowered.find("cookie", end)


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _value(found: re.Match[str]) -> tuple[str, int]:
    group = "quoted" if found["quoted"] is not None else "bare"
    return found[group], found.start(group)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_FINDERS = (
    (_PASSWORD_WORDS, _password),
    (_SHORT_PASSWORD_WORDS, _password),
    (_CJK_WORDS, _cjk),
    (_KEY_WORDS, _key),
    (_NUMBER_WORDS, _number),
    (_CODES, _cjk_number),
    (_PAIR_WORDS, _pair),
    (("@",), _at_host),
    (("root", "admin", "postgres", "ubuntu"), _after_user),
)
