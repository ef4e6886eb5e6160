"""Secrets on command lines and in SQL: the option that holds one has no name that says so.

Each row is tried where its marker stands, and reads on for a bounded stretch of the same command.
"""

from __future__ import annotations

from collections.abc import Iterator

from ebbing.safety.secret_shapes import Found, Tick, at_markers

_Q = r"[\"']?"
# The rest of a command up to the option: no end of line, no other command.
_TO = r"[^\n|;&]{0,200}?\s"
_V = r"(?P<secret>[^\s\"'$<>{}][^\s\"']{2,200})"

# (type, marker in lower case, pattern from the marker on)
COMMAND_SECRETS: tuple[tuple[str, str, str], ...] = (
    ("password", "mysql", r"mysql[a-z]{0,10}\b" + _TO + r"-p" + _Q + r"(?!assword\b)" + _V),
    ("password", "mariadb", r"mariadb[a-z\-]{0,10}\b" + _TO + r"-p" + _Q + _V),
    ("password", "sshpass", r"sshpass\s{1,3}-p\s{0,3}" + _Q + _V),
    ("password", "redis-cli", r"redis-cli\b" + _TO + r"(?:-a|--pass)\s{1,3}" + _Q + _V),
    (
        "password",
        "mongo",
        r"mongo(?:sh|dump|restore|export|import)?\b" + _TO + r"-p\s{1,3}" + _Q + _V,
    ),
    ("password", "sqlcmd", r"sqlcmd\b" + _TO + r"-P\s{0,3}" + _Q + _V),
    ("password", "docker", r"docker\s{1,3}login\b" + _TO + r"-p\s{0,3}" + _Q + _V),
    ("password", "registry login", r"registry login\b" + _TO + r"-p\s{0,3}" + _Q + _V),
    ("password", "az login", r"az login\b" + _TO + r"-p\s{1,3}" + _Q + _V),
    ("password", "ldap", r"ldap[a-z]{3,10}\b" + _TO + r"-w\s{1,3}" + _Q + _V),
    ("password", "smbclient", r"smbclient\b" + _TO + r"-U\s{0,3}" + _Q + r"[^\s%]{1,80}%" + _V),
    (
        "password",
        "curl",
        r"curl\b[^\n]{0,300}?\s(?:-u|-U|--user|--proxy-user)[\s=]{0,3}"
        + _Q
        + r"[^\s:\"']{1,100}:"
        + _V,
    ),
    (
        "api-token",
        "curl",
        r"curl\b[^\n]{0,300}?\s-u\s{0,3}[\"']?(?P<secret>[A-Za-z0-9_\-]{16,200}):(?=[\"'\s]|$)",
    ),
    (
        "password",
        "htpasswd",
        r"htpasswd\s{1,3}-\w{0,4}n\w{0,4}\s{1,3}[\w.@\-]{1,60}\s{1,3}[\"']?(?P<secret>[^\s\"']{3,100})",
    ),
    ("password", "wget", r"wget\b[^\n]{0,300}?--(?:http-|ftp-|proxy-)?password[ =]" + _Q + _V),
    (
        "password",
        "http",
        r"https?\s" + r"(?:[^\n|;&]{0,100}?\s)?(?:-a|--auth)[\s=]" + _Q + r"[\w.@\-]{1,60}:" + _V,
    ),
    ("password", "7z", r"7z[a-z]?\s" + r"(?:[^\n|;&]{0,200}?\s)?-p" + _Q + _V),
    ("password", "zip", r"zip\s(?:[^\n|;&]{0,200}?\s)?-P\s{0,3}" + _Q + _V),
    (
        "password",
        "htpasswd",
        r"htpasswd\s{1,3}-\w{0,4}b\w{0,4}\s{1,3}\S{1,100}\s{1,3}[\w.@\-]{1,60}\s{1,3}" + _Q + _V,
    ),
    ("password", "storepass", r"storepass\s{1,3}" + _Q + _V),
    ("password", "keypass", r"keypass\s{1,3}" + _Q + _V),
    ("password", "pass:", r"(?<=[\s\"'])pass:" + _V),
    ("password", "--passphrase", r"--passphrase[ =]" + _Q + _V),
    ("password", "net use", r"net use\b[^\n]{0,120}?/user:\S{1,60}\s{1,3}" + _Q + _V),
    ("password", "xfreerdp", r"xfreerdp\b[^\n]{0,200}?\s/p:" + _Q + _V),
    ("password", "sudo -s", r"(?i)sudo -S\b[^\n]{0,60}?<<<\s?" + _Q + _V),
    (
        "password",
        "echo ",
        r"echo\s{1,3}"
        + _Q
        + r"(?P<secret>[^\s\"'|$<>]{4,100})"
        + _Q
        + r"\s{0,3}\|\s{0,3}(?:sudo\s{1,3}-S|passwd\s{1,3}--stdin|docker login|su\b|kinit)",
    ),
    ("password", "chpasswd", r"chpasswd\s{0,3}<<<\s{0,3}" + _Q + r"[\w.\-]{1,40}:" + _V),
    (
        "password",
        "echo ",
        r"echo\s{1,3}"
        + _Q
        + r"[\w.\-]{1,40}:(?P<secret>[^\s\"'|$<>]{3,100})"
        + _Q
        + r"\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd",
    ),
    (
        "password",
        "identified",
        r"(?:IDENTIFIED|(?i:identified)(?=[^\n]{0,200};))\s{1,3}(?:(?i:with)\s{1,3}\w{1,40}\s{1,3})?(?i:by)\s{1,3}(?:(?i:password)\s{1,3})?[\"'](?P<secret>[^\"'\n$<{]{1,200})",
    ),
    ("password", "password '", r"(?i)(?<=[\s(])password\s'(?P<secret>[^'\n$<{\s]{3,200})'"),
    ("password", "requirepass", r"requirepass\s{1,3}" + _Q + _V),
    ("password", "masterauth", r"masterauth\s{1,3}" + _Q + _V),
    (
        "token",
        "vault login",
        r"vault login\s{1,3}(?:token=)?(?P<secret>(?=\S{0,100}\d)[\w.\-]{16,200})",
    ),
    ("token", "kubeadm join", r"kubeadm join\b[^\n]{0,200}?--token\s{1,3}(?P<secret>\S{10,60})"),
    (
        "password",
        "--",
        r"--(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)?|pw|(?:api|auth|access|secret|private|account)-?(?:key|token)"
        r"|token|secret|apikey)[ =]{1,2}"
        + _Q
        + r"(?P<secret>(?=[^\s\"']{0,200}[0-9!@#$%^&*+=~])[^\s\-$<\"'\[({][^\s\"'\])]{3,300})",
    ),
)


def command_secrets(text: str, lowered: str, tick: Tick) -> Iterator[Found]:
    """Yield the values of options, and of SQL's clauses, that hold a secret."""
    for type, marker, pattern in COMMAND_SECRETS:
        yield from at_markers(type, marker, pattern, text, lowered, tick)
