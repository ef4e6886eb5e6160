"""How a secret looks, and how the words look that stand where one could."""

from __future__ import annotations

import re

_REFERENCE = re.compile(
    r"""
      \[redacted:.* | [<{(\[%].* | \$.* | .*[({\[].* | \*+ | \.{2,}.* | …+ | [xX•_\-.#?]+ | [:?].*
    | (?:none|null|nil|undefined|true|false|string|str|bytes|int|required|optional|changeme
        |todo|tbd|unknown|empty|example|placeholder|your.*|my[_-].*|process\.env.*|os\.environ.*
        |self\..*|args\..*|config\..*|settings\..*|env\..*|secret(?:str|bytes)|any|password|secret|token
        |n/a|hidden|redacted|masked|here)
    | (?:utf-?8|sha-?\d+|md5|base-?\d+|aes-?\d*|rsa-?\d*|ed25519|argon2\w*|p?bcrypt|pbkdf2|hs256
        |rs256|es256|oauth-?2(?:\.\d)?|totp|scrypt|uuid-?v?\d?|sm[234]|tls\d?|http/?\d?(?:\.\d)?|ipv[46]|x\.?509
        |openid|saml2?|hmac|des3?|3des|ntlmv?2?|k8s|s3|ldap|pkcs\d*|fido2|webauthn|p256|1password|1pass)
        (?:[^\x00-\x7f].*|-\w+)?
    | \d+(?:\.\d+)?-?(?:(?:char(?:acter)?|digit|letter|bit|byte|word|day|minute|hour|month|year|time|second
        |attempt)s?(?:-long)?|th|st|nd|rd|ms|s|m|h|d|kb|mb|gb|px|x|k|%)
    | [a-z]+:// [^@]* | /[\w./\-]* | ~/.* | \.{1,2}/.* | [\w\-./]+\.(?:py|js|ts|tsx|jsx|go|rs|rb|java|php|sh|json|ya?ml
        |env|txt|md|toml|pem|key|ini|cfg|conf|sql|html?|css|log|example|com|org|io|net|dev|lock|kdbx)
    | (?:mem|msg|rec|task)_[0-9a-f]{16,32} | [a-z_]*(?:password|passwd|pwd|secret|token|api_?key)[a-z_]{0,3}
    | v?\d+(?:\.\d+)+ | \d{4}-\d\d-\d\d.* | @\w+ | \#\d+
    | [A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+ | \w+=[\w"'].*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ABOUT_IT = re.compile(
    r"(?:name|id|ids|ref|path|file|dir|arn|url|uri|type|length|len|count|limit|policy|manager"
    r"|field|prompt|hint|label|expiry|expires|expires_in|version|budget|usage|tokens|hash|less|_at|algorithm"
    r"|protected|reset|rules?|strength|store|vault|size|rotation|format|index|placeholder|ring|board|word|words)$",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"""
      \w+(?:ed|ing|able|ible|ory|ly|ful|less|ive|ous|ant|ent|ic|ical|ary|ish|al|en|ion|ment|ness|ity)
    | (?:wrong|correct|incorrect|weak|strong|secure|insecure|valid|invalid|empty|missing|unknown|blank|fine
        |short|long|simple|complex|safe|unsafe|good|bad|null|none|not|never|always|still|already|also|only|just
        |kept|sent|set|reset|lost|shown|hidden|known|given|taken|stolen|broken|chosen|written|typed|here|there
        |case|one|two|it|this|that|these|those|what|where|when|which|something|nothing|anything|everything
        |secret|private|public|random|unique|plain|plaintext|clear|needed|true|false|old|new|same|different
        |too|very|more|less|longer|shorter|stronger|weaker|better|worse|enough|ready|gone|back|ours|yours|mine
        |about|above|below|between|behind|before|after|under|over|through|within|without|again|because|since
        |hard|easy|must|should|could|would|might|their|your|other|another|being|made|stale|today|tomorrow
        |alphanumeric|numeric|base64|lowercase|uppercase|plaintexts?|string|text|value|input|field|encrypted
        |auth|credentials?|proxy_auth|creds|username|user|login|data|params|kwargs|passphrase|passwd|pwd|line
        |important|mandatory|optional|the|then|than|them|they|open|shared|stored|hashed|salted|verboten|falsch
        |admin|root|exposed|compromised|unchanged|immutable|sensitive|insensitive|deprecated|ignored)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_NAME = 80
_SYMBOLS = frozenset("!@#$%^&*+=~?")
_IDENTIFIER = re.compile(r"[a-z]+(?:[_\-][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z]{2,})+\d?")
_CAMEL_CASE = re.compile(r"[a-z]*(?:[A-Z]{1,5}[a-z]{2,})*[A-Z]{0,5}s?")
_HEXADECIMAL = re.compile(r"[0-9a-f]+|[0-9A-F]+")


def is_reference(value: str) -> bool:
    """Tell whether a value names a secret, or says something else, instead of being one."""
    # No name of one is longer; a longer text is judged by how it begins.
    value = value[:_LONGEST_NAME]
    return bool(_REFERENCE.fullmatch(value) or _CONSTANT.fullmatch(value))


def is_about_it(affix: str) -> bool:
    """Tell whether what follows the word makes it the name of something else: `password_hash`."""
    return _ABOUT_IT.search(affix) is not None


def is_predicate(word: str) -> bool:
    """Tell whether a word is one that is said of passwords: `wrong`, `hashed`, `required`."""
    return _PREDICATE.fullmatch(word) is not None


def looks_strong(value: str, *, is_beside: bool = False) -> bool:
    """Tell whether a text is no word: digits among letters, signs, or letters of mixed case.

    `is_beside`: nothing says that it is a password but the word before it.
    """
    digit = any(character.isdigit() for character in value)
    letter = any(character.isalpha() for character in value)
    symbol = any(character in _SYMBOLS for character in value)
    if not is_beside:
        return (digit and letter) or (symbol and len(value) >= 4) or _is_scrambled(value)
    if len(value) < 6 or _IDENTIFIER.fullmatch(value) or value.endswith(("=", "?")):
        return False
    if "/" in value:
        return False
    cases = value.lower() != value and value.upper() != value
    is_mixed = digit and letter and (symbol or cases or len(value) >= 7)
    return is_mixed or (symbol and digit) or _is_scrambled(value)


def _is_scrambled(value: str) -> bool:
    return (
        len(value) >= 7
        and value.isascii()
        and value.isalpha()
        and sum(map(str.isupper, value)) >= 2
        and sum(map(str.islower, value)) >= 2
        and _CAMEL_CASE.fullmatch(value) is None
    )


def looks_random(value: str, *, least: int) -> bool:
    """Tell whether a text is long and mixed, as what a machine makes up is."""
    if len(value) < least:
        return False
    if not any(character.isdigit() for character in value):
        return _is_scrambled(value)
    if not any(character.isalpha() for character in value):
        return False
    if _HEXADECIMAL.fullmatch(value):
        return len(value) >= 16
    return not _IDENTIFIER.fullmatch(value) and len(set(value)) >= 8


def trimmed(value: str, *, is_quoted: bool) -> str:
    """Return a value without what ends the sentence around it."""
    return value if is_quoted else value.rstrip(".!?)]}>:*\\|")
