"""What the real programs send and are given, headless, with a model on loopback."""

from __future__ import annotations

import re

from ebbing import Memory
from ebbing.agents.namespaces import project_namespace
from ebbing.rows import fetch
from real_agents.conftest import ASKED, REMEMBER, SAID, Played, found
from real_agents.model_server import Call, Say
from real_agents.programs import claude_command

MEMORY = "release.sh"


def rows(agent: Played, query: str) -> list[tuple[object, ...]]:
    """Ask the store in the scope of the agent's project, with what is in the spool."""
    memory = Memory(agent.place.store)
    memory.store.append([])
    memory.live()
    namespace = project_namespace(agent.place.project)
    with memory.store.read() as connection:
        return fetch(connection, query, {"namespace": namespace})


def test_the_conversation_has_the_tools_of_the_server(agent: Played) -> None:
    # In its first request, unless the machine is so busy that the server starts late.
    last = agent.turns("first")[-1]
    is_offered = any(re.fullmatch(REMEMBER, tool) for tool in last.tools)
    # Some programs let the model look tools up, and give it the server's instructions or names.
    is_named = re.search(r"Long-term memory across sessions|ebbing_+remember", last.whole)
    is_looked_up = {"ToolSearch", "tool_search"} & set(last.tools)
    assert is_offered or is_named or is_looked_up, last.tools


def test_what_was_said_is_in_the_log_once_and_nothing_else_is(agent: Played) -> None:
    said = rows(
        agent,
        "select content from session_log where namespace = $namespace and role = 'user'"
        " order by message_seq",
    )
    assert said == [(SAID.format(name=agent.name),)]


def test_a_command_put_otherwise_is_a_correction(agent: Played) -> None:
    corrected = rows(
        agent,
        "select content from long_term_memory where namespace = $namespace and kind = 'correction'",
    )
    assert len(corrected) == 1
    assert "`mkdir a/b/c` failed" in str(corrected[0][0])
    assert "`mkdir -p a/b/c` worked" in str(corrected[0][0])


def test_a_later_session_is_given_the_memory_in_its_conversation(asked_later: Played) -> None:
    turns = asked_later.turns("second")
    assert "ebbing-memories" in turns[0].whole
    assert MEMORY in turns[0].whole
    if asked_later.name == "codex":
        # Codex gives it as a message of the developer, which stays where it is.
        return
    assert MEMORY in turns[0].said
    assert MEMORY not in turns[0].system
    # Where it was given, it stays.
    assert MEMORY in turns[1].said


def test_a_block_is_in_no_request_for_a_title(asked_later: Played) -> None:
    for one in asked_later.asked["second"]:
        if not one.tools:
            assert "ebbing-memories" not in one.whole


def test_no_block_becomes_a_message(asked_later: Played) -> None:
    blocks = rows(
        asked_later,
        "select content from journal.messages where namespace = $namespace"
        " and (content like '%ebbing-memories%' or content like '%mem\\_%' escape '\\')",
    )
    assert blocks == []


def test_project_files_hold_on_every_machine(agent: Played) -> None:
    place = agent.place
    ours = [
        text
        for path in place.project.rglob("*")
        if path.is_file() and ".git/" not in str(path) and "node_modules" not in str(path)
        if "ebbing" in (text := path.read_text("utf-8"))
    ]
    assert bool(ours) is (agent.name != "codex")
    for text in ours:
        assert str(place.home) not in text
        assert str(place.store) not in text
        assert project_namespace(place.project) not in text


def test_claude_resumed_or_forked_is_not_given_the_same_again(began: dict[str, Played]) -> None:
    agent = found(began, "claude-code")
    agent.run("one", ASKED, steps=(Say("With release.sh."),))
    assert "[mem_" in agent.turns("one")[-1].said
    for session, more in (("resumed", ()), ("forked", ("--fork-session",))):
        agent.run(session, "Again: " + ASKED, "--continue", *more, steps=(Say("As I said."),))
        given = re.findall(r"\[(mem_[0-9a-f]{16})\]", agent.turns(session)[-1].said)
        assert len(given) == len(set(given))
    # A fork begins with a copy of what was said: each message is in the journal once.
    counts = dict(
        rows(
            agent,
            "select content, count(*) from journal.messages where role = 'user'"
            " and namespace = $namespace group by 1",
        )
    )
    assert counts[SAID.format(name="claude-code")] == 1
    assert counts["Again: " + ASKED.format(name="claude-code")] == 2


def test_codex_leaves_out_what_it_says_to_a_subagent(began: dict[str, Played]) -> None:
    agent = found(began, "codex")
    spawn = Call(".*spawn_agent", {"message": "Look around the house", "agent_type": "default"})
    agent.run("subagent", "Have it looked at", steps=(spawn, Say("Begun."), Say("Looked.")))
    said = rows(
        agent,
        "select content from journal.messages where role = 'user' and namespace = $namespace"
        " and content in ('Have it looked at', 'Look around the house')",
    )
    assert said == [("Have it looked at",)]


def test_claude_lists_servers_and_no_maintenance_is_asked_for(began: dict[str, Played]) -> None:
    agent = found(began, "claude-code")
    note = agent.place.store / "hooks" / "maintenance.wanted"
    note.unlink(missing_ok=True)
    claude_command(agent.place, "mcp", "list")
    assert not note.exists()
