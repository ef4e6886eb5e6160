"""Setting agents up: only what is ours comes into their files, and it goes without a trace."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ebbing.agents import jsonc, toml
from ebbing.agents.checkup import check_agents
from ebbing.agents.files import Setup, own_command
from ebbing.agents.namespaces import project_namespace, project_root, resolve_namespace
from ebbing.agents.receipts import Receipt, insertions
from ebbing.agents.registry import AGENTS
from ebbing.agents.setup import apply_plan, plan_setup
from ebbing.cli.main import main
from ebbing.errors import InputError
from ebbing.safety.text import clean_namespace


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own; no agent's real files are ever touched."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    names = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "CLAUDE_PROJECT_DIR")
    for name in (*names, "EBBING_NAMESPACE", "EBBING_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


def setup(agent: str, root: Path, *, scope: str = "project", namespace: str = "n") -> Setup:
    return Setup(agent=agent, scope=scope, root=root, namespace=namespace, command=("ebbing",))


def install(chosen: Setup, store: Path) -> tuple[str, ...]:
    plan = plan_setup(chosen, store_folder=store)
    apply_plan(plan)
    return plan.problems


def remove(chosen: Setup, store: Path) -> tuple[str, ...]:
    plan = plan_setup(chosen, store_folder=store, remove=True)
    apply_plan(plan)
    return plan.problems


def snapshot(*folders: Path) -> dict[str, bytes | None]:
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for folder in folders
        for path in sorted(folder.rglob("*"))
    }


# K4: a user's config with other servers, hooks and comments

CLAUDE_SETTINGS = """\
{
    // mine
    "permissions": { "allow": ["Bash(ls:*)",], },
    "hooks": {
        "Stop": [
            { "hooks": [ { "type": "command", "command": "say done" } ] }  // ding
        ],
        /* others */
        "PreToolUse": []
    },
    "env": {"A": "1",  "b":2e5}
}
"""
CLAUDE_SERVERS = '{"mcpServers": {"github": {"command": "gh", "args": ["mcp"]}}, "x": "\\ud83d é"}'
OPENCODE = """\
{
\t"$schema": "https://opencode.ai/config.json",
\t"mcp": {
\t\t"other": { "type": "local", "command": ["x"], }, // the other one
\t\t// none after this
\t},
}
"""
CODEX = '''\
model = "o"   # mine
notify = ["say", "done"]

[mcp_servers.other]
command = "x"
note = """
[mcp_servers.ebbing]
"""

# trusted
[projects."/home/u/é"]
trust_level = "trusted"
'''
CURSOR = '{\r\n  "mcpServers": {\r\n    "a": {"url": "http://localhost/"}\r\n  }\r\n}\r\n'

CONFIGS: dict[str, dict[str, bytes]] = {
    "claude-code": {
        ".mcp.json": CLAUDE_SERVERS.encode(),
        ".claude/settings.json": CLAUDE_SETTINGS.encode(),
    },
    "codex": {
        ".codex/config.toml": CODEX.encode(),
        ".codex/hooks.json": b'\xef\xbb\xbf{"hooks":{}}',
    },
    "opencode": {"opencode.jsonc": OPENCODE.encode()},
    "cursor": {".cursor/mcp.json": CURSOR.encode(), ".cursor/rules/own.mdc": b"mine"},
    "gemini": {".gemini/settings.json": CLAUDE_SETTINGS.encode()},
    "qwen": {".qwen/settings.json": CLAUDE_SERVERS.encode()},
    "agents-md": {"AGENTS.md": "# Rules\n\nBe kind. 好".encode()},
}
TEXTS = (".mdc", ".md")


def write(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def loaded(path: Path) -> Any:
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text("utf-8"))
    return jsonc.data(path.read_text("utf-8-sig"))


@pytest.mark.parametrize("agent", AGENTS)
def test_k4_init_adds_its_own_and_remove_restores_every_byte(
    agent: str, root: Path, store: Path
) -> None:
    write(root, CONFIGS[agent])
    before = snapshot(root)
    chosen = setup(agent, root)
    assert install(chosen, store) == ()
    installed = snapshot(root)
    for name, data in CONFIGS[agent].items():
        text = (root / name).read_bytes()
        if text == data:
            continue
        # Every old byte is there, in its order.
        rest = iter(text)
        assert all(byte in rest for byte in data)
        assert b"ebbing" in text
        assert text.count(b"\n") - text.count(b"\r\n") == 0 or b"\r\n" not in data
    assert install(chosen, store) == ()
    assert snapshot(root) == installed
    assert plan_setup(chosen, store_folder=store).changes == ()
    assert remove(chosen, store) == ()
    assert snapshot(root) == before
    assert not (store / "agents.json").exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_k4_without_the_receipt_what_is_left_means_the_same(
    agent: str, root: Path, store: Path
) -> None:
    write(root, CONFIGS[agent])
    before = {name: loaded(root / name) for name in CONFIGS[agent] if not name.endswith(TEXTS)}
    install(setup(agent, root), store)
    (store / "agents.json").unlink()
    assert remove(setup(agent, root), store) == ()
    for name, value in before.items():
        # An object that was empty before is gone, as nobody knows any more that it was there.
        assert loaded(root / name) == ({} if value == {"hooks": {}} else value)
        assert b"ebbing hook" not in (root / name).read_bytes()


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("scope", ["project", "user"])
def test_files_and_folders_that_were_made_are_gone_after_remove(
    agent: str, scope: str, root: Path, store: Path, home: Path
) -> None:
    chosen = setup(agent, root, scope=scope)
    install(chosen, store)
    made = snapshot(root, home)
    assert made
    assert all(name.startswith(str(root if scope == "project" else home)) for name in made)
    # Another namespace replaces the entries and adds none.
    install(setup(agent, root, scope=scope, namespace="other"), store)
    assert len(snapshot(root, home)) == len(made)
    remove(setup(agent, root, scope=scope, namespace="other"), store)
    assert snapshot(root, home) == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_what_others_changed_later_stays(agent: str, root: Path, store: Path) -> None:
    write(root, CONFIGS[agent])
    install(setup(agent, root), store)
    for name in CONFIGS[agent]:
        path = root / name
        if path.suffix == ".toml":
            # As Codex itself does when the user trusts a folder.
            path.write_text(path.read_text() + '\n[projects."/new"]\ntrust_level = "trusted"\n')
        elif path.suffix in (".json", ".jsonc"):
            text = path.read_text("utf-8")
            path.write_text(text.replace("{", '{"added": [1, {"a": null}], ', 1), "utf-8")
    assert remove(setup(agent, root), store) == ()
    for name in CONFIGS[agent]:
        text = (root / name).read_text("utf-8")
        assert "added" in text or "/new" in text or name.endswith(TEXTS)
        assert "hook session-start" not in text
        if not name.endswith(TEXTS):
            value = loaded(root / name)
            servers = value.get("mcpServers") or value.get("mcp") or value.get("mcp_servers") or {}
            assert "ebbing" not in servers


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        (".mcp.json", b'{"mcpServers": {', "cut short"),
        (".mcp.json", b'{"a": 1 "b": 2}', "line 1: a comma is missing"),
        (".mcp.json", b"[1, 2]", "no JSON object"),
        (".mcp.json", b'{"mcpServers": []}', "mcpServers in it is no object"),
        (".mcp.json", b'{"mcpServers": {"ebbing": {"command": "other"}}}', "is another"),
        (".mcp.json", b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (".mcp.json", b"[" * 100_000, "nested too deeply"),
        (".claude/settings.json", b'{"hooks": {"Stop": {}}}', "hooks.Stop in it"),
        (".claude/settings.json", b"{'a': 1}", "key in quotes"),
        (".claude/settings.json", b'{"a": tru}', "missing or broken"),
        (".claude/settings.json", b'{} {"a": 1}', "something follows"),
    ],
)
def test_k4_invalid_files_are_reported_in_one_line_and_left_alone(
    root: Path, store: Path, name: str, data: bytes, reason: str
) -> None:
    write(root, {name: data})
    problems = install(setup("claude-code", root), store)
    assert len(problems) == 1
    assert reason in problems[0]
    assert name in problems[0]
    assert "\n" not in problems[0]
    assert (root / name).read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [b"a = \n", b'mcp_servers = {other = {command = "x"}}\n', b"[[mcp_servers]]\na = 1\n", b"a\rb"],
)
def test_k4_toml_that_is_invalid_or_closed_is_left_alone(
    root: Path, store: Path, data: bytes
) -> None:
    write(root, {".codex/config.toml": data})
    problems = install(setup("codex", root), store)
    assert len(problems) == 1
    assert (root / ".codex/config.toml").read_bytes() == data


def test_links_are_followed_and_permissions_kept(root: Path, store: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_bytes(b'{"mcpServers": {}}')
    real.chmod(0o640)
    (root / ".mcp.json").symlink_to(real)
    install(setup("claude-code", root), store)
    assert (root / ".mcp.json").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "ebbing" in json.loads(real.read_text())["mcpServers"]
    remove(setup("claude-code", root), store)
    assert real.read_bytes() == b'{"mcpServers": {}}'
    assert (root / ".mcp.json").is_symlink()
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".ebbing")]


def test_a_file_that_changed_since_the_difference_was_shown_is_left(
    root: Path, store: Path
) -> None:
    plan = plan_setup(setup("cursor", root), store_folder=store)
    write(root, {".cursor/mcp.json": b"{}"})
    with pytest.raises(InputError, match="changed meanwhile"):
        apply_plan(plan)
    assert (root / ".cursor/mcp.json").read_bytes() == b"{}"


def test_own_files_that_were_edited_are_not_overwritten_nor_deleted(
    root: Path, store: Path
) -> None:
    install(setup("cursor", root), store)
    rule = root / ".cursor/rules/ebbing.mdc"
    rule.write_text("mine now")
    assert len(install(setup("cursor", root), store)) == 1
    assert len(remove(setup("cursor", root), store)) == 1
    assert rule.read_text() == "mine now"


def test_our_hook_in_a_group_with_others_leaves_them(root: Path, store: Path) -> None:
    group = {
        "matcher": "",
        "hooks": [
            {"type": "command", "command": "say"},
            {"type": "command", "command": "/x/ebbing hook stop --agent claude-code"},
        ],
    }
    path = root / ".claude/settings.json"
    write(root, {".claude/settings.json": json.dumps({"hooks": {"Stop": [group]}}).encode()})
    remove(setup("claude-code", root), store)
    assert loaded(path)["hooks"]["Stop"] == [{**group, "hooks": group["hooks"][:1]}]


def test_hooks_are_called_with_what_they_need(root: Path, store: Path, tmp_path: Path) -> None:
    chosen = Setup(
        agent="claude-code",
        scope="project",
        root=root,
        namespace="my ' project",
        command=("/opt/my tools/ebbing",),
        store=tmp_path / "st ore",
    )
    install(chosen, store)
    hooks = loaded(root / ".claude/settings.json")["hooks"]
    assert set(hooks) == {
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
    }
    entry = hooks["SessionStart"][0]["hooks"][0]
    # In seconds, the unit of the host.
    assert entry["timeout"] == 10
    printed = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {entry['command']}"], capture_output=True, text=True
    )
    assert printed.stdout.splitlines() == [
        "/opt/my tools/ebbing",
        "hook",
        "session-start",
        "--agent",
        "claude-code",
        "--namespace",
        "my ' project",
        "--store",
        str(tmp_path / "st ore"),
    ]
    assert install(chosen, store) == ()
    remove(chosen, store)
    assert snapshot(root) == {}


# The texts, with every shape that a file can have

SPACE = st.text(" \t\n", max_size=3)
COMMENT = st.sampled_from(["", "", "// note\n", '/* a } ] , " */', "/**/", '// "x": {\n'])
GAP = st.builds(lambda *parts: "".join(parts), SPACE, COMMENT, SPACE)
SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from([1.5, -2e10])
)
KEYS = st.text(max_size=4).filter(lambda key: key not in ("mcp", "hooks"))
VALUES = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn, value: Any = None) -> str:
    """Write a value as JSONC in some odd way."""

    def written(one: Any) -> str:
        gap = lambda: draw(GAP)  # noqa: E731
        if not isinstance(one, dict | list):
            return json.dumps(one, ensure_ascii=draw(st.booleans()))
        members = (
            [f"{json.dumps(key)}{gap()}:{gap()}{written(item)}" for key, item in one.items()]
            if isinstance(one, dict)
            else [written(item) for item in one]
        )
        text = "".join(
            f"{gap()}{member}{gap()}{',' if place < len(members) - 1 else ''}"
            for place, member in enumerate(members)
        )
        if members and draw(st.booleans()):
            text += "," + gap()
        opening, closing = "{}" if isinstance(one, dict) else "[]"
        return f"{opening}{text or gap()}{closing}"

    document = draw(st.dictionaries(KEYS, VALUES, max_size=3)) if value is None else value
    if value is None:
        shape = draw(st.integers(0, 3))
        if shape:
            items = list(document.items())
            inner: Any = {} if shape == 1 else {"Stop": [] if shape == 2 else [1]}
            items.insert(draw(st.integers(0, len(items))), ("hooks", inner))
            document = dict(items)
    text = f"{draw(GAP)}{written(document)}{draw(GAP)}"
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents(), VALUES, st.booleans())
@settings(max_examples=200, deadline=None)
@example('{"a": 1 // note\n}', 1, False)
@example('{"hooks": { /* c */ }}', [], True)
@example('{"a": 1, // note\n\n}', {"b": 1}, False)
def test_insertions_add_what_they_say_and_nothing_else(
    text: str, value: object, is_element: bool
) -> None:
    before = jsonc.data(text)
    assert isinstance(before, dict)
    if is_element:
        edited = jsonc.append(text, ("hooks", "Stop"), value)
        held = before.get("hooks", {})
        wanted = {**before, "hooks": {**held, "Stop": [*held.get("Stop", []), value]}}
    else:
        edited = jsonc.add(text, ("mcp", "ebbing"), value)
        wanted = {**before, "mcp": {"ebbing": value}}
    assert jsonc.data(edited) == wanted
    receipt = Receipt(sha256="", insertions=insertions(text, edited), is_created=False)
    assert receipt.undo(edited) == text
    # Taken out by what it is, without knowing where it was put; what would be empty then is gone.
    if is_element:
        rest = jsonc.remove(edited, ("hooks", "Stop", len(wanted["hooks"]["Stop"]) - 1))
        wanted["hooks"]["Stop"].pop()
        if not wanted["hooks"]["Stop"]:
            del wanted["hooks"]["Stop"]
        if not wanted["hooks"]:
            del wanted["hooks"]
    else:
        rest = jsonc.remove(edited, ("mcp", "ebbing"))
        del wanted["mcp"]
    assert jsonc.data(rest) == wanted


@given(st.text(max_size=30) | st.text('{}[]",:/*\\ \n1tru', max_size=30))
@settings(max_examples=500, deadline=None)
def test_the_reader_takes_all_of_json_and_refuses_in_one_line(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=lambda _: pytest.fail)
    except ValueError:
        expected = None
    try:
        value = jsonc.data(text)
    except InputError as error:
        value, message = None, str(error)
        assert "\n" not in message
    if expected is not None and "NaN" not in text and "Infinity" not in text:
        assert value == expected


TOML_LINES = st.lists(
    st.sampled_from(
        [
            'a{n} = "x"',
            "# note",
            "",
            "[t{n}]",
            "[mcp_servers.s{n}]",
            "[mcp_servers.s{n}.env]",
            "[[list{n}]]",
            "b{n} = [\n  [1],\n]",
            'c{n} = """\n[mcp_servers.ebbing]\n"""',
            "mcp_servers.dotted{n}.x = 1",
        ]
    ),
    max_size=8,
)


@given(TOML_LINES, TOML_LINES, st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_table_comes_and_goes(
    lines: list[str], later: list[str], is_windows: bool, ends: bool
) -> None:
    text = "\n".join(line.replace("{n}", str(n)) for n, line in enumerate(lines))
    text += "\n" if ends and text else ""
    text = text.replace("\n", "\r\n") if is_windows else text
    try:
        before = toml.data(text)
        edited = toml.add(text, ("mcp_servers", "ebbing"), {"command": "e", "args": ['é"']})
        after = toml.data(edited)
    except InputError:
        return
    assert after["mcp_servers"]["ebbing"] == {"command": "e", "args": ['é"']}  # type: ignore[index]
    assert toml.remove(edited, ("mcp_servers", "ebbing")).rstrip() == text.rstrip()
    more = "\n".join(line.replace("{n}", str(n + 50)) for n, line in enumerate(later))
    try:
        longer = toml.data(edited + "[zz]\n" + more)
    except InputError:
        return
    left = toml.data(toml.remove(edited + "[zz]\n" + more, ("mcp_servers", "ebbing")))
    servers = {
        name: value
        for name, value in longer.pop("mcp_servers").items()  # type: ignore[attr-defined]
        if name != "ebbing"
    }
    assert left == ({**longer, "mcp_servers": servers} if servers else longer)
    assert before.keys() <= left.keys()


def test_a_table_of_the_users_own_stays_when_it_is_empty() -> None:
    text = "[mcp_servers]\n# none yet\n"
    edited = toml.add(text, ("mcp_servers", "ebbing"), {"command": "e"})
    assert toml.remove(edited + "env.A = '1'\n", ("mcp_servers", "ebbing")) == text


# Namespaces


def test_namespaces_are_distinct_for_distinct_folders_in_any_script(tmp_path: Path) -> None:
    names = [
        "app",
        "App",
        "приложение",
        "应用",
        "アプリ",
        "تطبيق",
        "café",
        "a b",
        "a'b; drop",
        "x" * 250,
    ]
    folders = [tmp_path / place / name for place in ("one", "two") for name in names]
    for folder in folders:
        folder.mkdir(parents=True)
    found = [project_namespace(folder) for folder in folders]
    assert len(set(found)) == len(folders)
    assert all(clean_namespace(name) == name for name in found)
    assert found[2].startswith("приложение-")
    assert found[3].startswith("应用-")
    assert [project_namespace(folder) for folder in folders] == found


def test_a_subfolder_of_a_repository_has_the_repositorys_namespace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "repo" / "src" / "深"
    inner.mkdir(parents=True)
    assert project_namespace(inner) != project_namespace(tmp_path / "repo")
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere")
    assert project_root(inner) == (tmp_path / "repo").resolve()
    assert project_namespace(inner) == project_namespace(tmp_path / "repo")
    (tmp_path / "link").symlink_to(inner)
    assert project_namespace(tmp_path / "link") == project_namespace(inner)
    monkeypatch.chdir(inner)
    assert resolve_namespace("auto") == project_namespace(inner)
    assert resolve_namespace("mine") == "mine"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    assert resolve_namespace("auto") == project_namespace(tmp_path)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


def test_clones_and_worktrees_of_a_repository_share_its_namespace(tmp_path: Path) -> None:
    repository = tmp_path / "app"
    repository.mkdir()
    git(repository, "init", "-q")
    git(repository, "commit", "-qm", "first", "--allow-empty")
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", "app", "clone")
    git(tmp_path / "clone", "commit", "-qm", "second", "--allow-empty")
    found = {project_namespace(tmp_path / name) for name in ("app", "tree", "clone")}
    assert len(found) == 1
    assert re.fullmatch("git-[0-9a-f]{12}", found.pop())
    (tmp_path / "clone" / ".ebbing.toml").write_text('namespace = "ours"\n')
    assert project_namespace(tmp_path / "clone") == "ours"


def test_a_repository_keeps_the_namespace_that_it_had_before_its_first_commit(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q")
    before = project_namespace(tmp_path)
    git(tmp_path, "commit", "-qm", "first", "--allow-empty")
    assert project_namespace(tmp_path) == before


def test_a_folder_whose_name_is_no_text_has_a_namespace(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("names there are text")
    folder = os.fsencode(tmp_path) + b"/\xff\xfe\n"
    os.mkdir(folder)
    name = project_namespace(os.fsdecode(folder))
    assert clean_namespace(name) == name


# The command


def test_the_command_shows_the_difference_asks_and_is_idempotent(
    root: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    (store / "memory.duckdb").touch()
    arguments = ["init", "--agent", "claude-code", "--store", str(store)]
    run = CliRunner().invoke
    asked = run(main, arguments, input="n\n")
    assert asked.exit_code == 1
    assert "+++ " in asked.output
    assert snapshot(root) == {}
    assert run(main, arguments, input="y\n").exit_code == 0
    written = "".join(path.read_text("utf-8") for path in root.rglob("*.json"))
    # What is in a project's files holds on every machine.
    assert str(root) not in written
    assert str(store) not in written
    assert project_namespace(root) not in written
    assert f"let EBBING_HOME be {store}" in asked.output
    again = run(main, [*arguments, "--yes"])
    assert again.output == "Nothing to change.\n"
    assert run(main, [*arguments, "--remove", "--yes"]).exit_code == 0
    assert snapshot(root) == {}
    (root / ".mcp.json").write_text("{")
    broken = run(main, [*arguments, "--yes"])
    assert broken.exit_code == 2
    assert "left alone" in broken.output


def test_the_command_that_is_written_exists() -> None:
    command = own_command()
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert "ebbing" in done.stdout


def test_line_ends_are_those_of_the_file() -> None:
    edited = jsonc.add('{\r\n  "a": 1\r\n}\r\n', ("b",), {"c": 1})
    assert edited.count("\n") == edited.count("\r\n") == 6
    assert "\r" not in jsonc.add("{}", ("b",), {"c": 1})


def test_the_doctor_finds_agents_their_versions_and_what_is_missing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    server = (
        'while read line; do case "$line" in *initialize\\"*) echo "{}";; *tools*) '
        'echo "{\\"result\\": {\\"tools\\": [1, 2]}}";; esac; done'
    )
    for name, body in (("codex", "echo codex-cli 0.99.0"), ("ebbing", server)):
        (programs / name).write_text(f"#!/bin/sh\n{body}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.chdir(root)
    ours = b'{"mcpServers": {"ebbing": {"command": "ebbing", "args": ["mcp"]}}}'
    write(root, {".mcp.json": ours})
    found = {one.subject: one for one in check_agents()}
    assert found["codex"].detail.startswith("version 0.99.0; tried with")
    assert "not set up" in found["codex, set-up"].detail
    # The server is there and the hooks are not.
    assert not found["claude-code, project"].is_well
    assert found["claude-code, project"].remedy == "ebbing init --agent claude-code --scope project"
    assert found["server"].detail == "answers, with 2 tools"
    assert not {"gemini", "qwen", "opencode, set-up"} & set(found)
