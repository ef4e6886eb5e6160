"""What is the same becomes one memory, what was updated becomes history, the rest stays apart."""

from __future__ import annotations

from conftest import Clock
from ebbing import Memory
from ebbing.rows import fetch


def live(memory: Memory) -> set[str]:
    with memory.store.read() as connection:
        return {row[0] for row in fetch(connection, "select content from long_term_memory")}


def forgotten(memory: Memory) -> dict[str, str]:
    with memory.store.read() as connection:
        return dict(fetch(connection, "select content, reason from forgotten_memories"))


def test_d1_the_same_text_twice_is_one_memory_with_one_more_access(
    memory: Memory, clock: Clock
) -> None:
    first = memory.remember("The build takes 14 minutes")
    clock.forward(hours=1)
    second = memory.remember("The build takes 14 minutes")
    memory.maintain()

    assert first.memory_id == second.memory_id
    with memory.store.read() as connection:
        rows = fetch(
            connection, "select memory_id, access_count, source_count from long_term_memory"
        )
    assert rows == [(first.memory_id, 1, 2)]


def test_d2_a_new_address_supersedes_the_old_one_and_says_why(memory: Memory, clock: Clock) -> None:
    old = memory.remember("The router IP is 192.168.7.1")
    clock.forward(days=1)
    new = memory.remember("The router IP is 192.168.9.1")
    memory.maintain()

    assert live(memory) == {"The router IP is 192.168.9.1"}
    ended = next(v for v in memory.history(new.memory_id) if v.memory_id == old.memory_id)
    assert ended.closed_because == "superseded"
    assert ended.superseded_by == new.memory_id
    assert "192.168.7.1 -> 192.168.9.1" in (ended.explanation or "")
    assert ended.valid_to == clock.now


def test_d3_measurements_of_two_runs_are_two_memories(memory: Memory) -> None:
    memory.remember("run 14: p95 212 ms")
    memory.remember("run 15: p95 389 ms")
    memory.maintain()

    assert live(memory) == {"run 14: p95 212 ms", "run 15: p95 389 ms"}


def test_d5_one_fact_in_five_wordings_is_one_memory_with_five_sources(
    memory: Memory, clock: Clock
) -> None:
    wordings = (
        "The user lives in Hangzhou",
        "User lives in Hangzhou.",
        "user currently lives in Hangzhou",
        "The user is living in Hangzhou",
        "The user lives in Hangzhou now",
    )
    for wording in wordings:
        memory.remember(wording)
        clock.forward(days=1)
    memory.maintain()

    with memory.store.read() as connection:
        rows = fetch(connection, "select content, source_count from long_term_memory")
        sources = fetch(
            connection, "select stated_content from memory_sources order by occurred_at"
        )
    assert rows == [(wordings[0], 5)]
    assert [row[0] for row in sources] == list(wordings)
    assert set(forgotten(memory).values()) == {"merged"}


def test_d6_two_facts_in_one_style_stay_two(memory: Memory, clock: Clock) -> None:
    memory.remember("The staging database runs on Postgres 15")
    clock.forward(seconds=40)
    memory.remember("The billing service runs on Kubernetes")
    memory.maintain()

    assert len(live(memory)) == 2


def test_h1_the_latest_of_a_changing_preference_wins_and_each_date_has_its_answer(
    memory: Memory, clock: Clock
) -> None:
    said = {}
    for content in (
        "User drinks green tea",
        "User is not drinking green tea at the moment",
        "User stopped drinking green tea",
        "User started drinking coffee",
    ):
        memory.remember(content, kind="preference")
        said[content] = clock.now
        clock.forward(days=10)
    memory.maintain()

    assert "User drinks green tea" not in live(memory)
    for content, moment in said.items():
        if "coffee" not in content:
            answer = memory.recall("green tea", as_of=moment)
            assert [found.content for found in answer.memories] == [content]
    coffee = memory.recall("coffee", as_of=clock.now)
    assert [found.content for found in coffee.memories] == ["User started drinking coffee"]


def test_h3_of_uses_and_a_rename_only_the_rename_closes_anything(
    memory: Memory, clock: Clock
) -> None:
    for content in (
        "The importer uses Parsley",
        "Parsley uses Basil",
        "The template engine is called Basil",
        "Basil was renamed to Thyme",
    ):
        memory.remember(content)
        clock.forward(days=1)
    memory.maintain()

    assert live(memory) == {
        "The importer uses Parsley",
        "Parsley uses Basil",
        "Basil was renamed to Thyme",
    }


def test_an_old_value_stated_again_is_live_again(memory: Memory, clock: Clock) -> None:
    for address in ("192.168.7.1", "192.168.9.1", "192.168.7.1"):
        memory.remember(f"The router IP is {address}")
        clock.forward(days=1)
    memory.maintain()

    assert live(memory) == {"The router IP is 192.168.7.1"}
    assert forgotten(memory) == {"The router IP is 192.168.9.1": "superseded"}


def test_a_chinese_move_supersedes_the_old_home(memory: Memory, clock: Clock) -> None:
    memory.remember("用户住在杭州")
    clock.forward(days=30)
    memory.remember("用户住在成都")
    memory.maintain()

    assert live(memory) == {"用户住在成都"}


def test_a_merge_can_be_undone_and_stays_undone(memory: Memory, clock: Clock) -> None:
    memory.remember("The user lives in Hangzhou")
    clock.forward(days=1)
    member = memory.remember("User lives in Hangzhou.")
    memory.maintain()
    assert live(memory) == {"The user lives in Hangzhou"}

    memory.unmerge(member.memory_id)
    memory.maintain()
    assert live(memory) == {"The user lives in Hangzhou", "User lives in Hangzhou."}
    memory.maintain()
    assert len(live(memory)) == 2


def test_what_is_superseded_in_one_namespace_is_untouched_in_another(
    store_path: object, memory: Memory, clock: Clock
) -> None:
    memory.remember("The router IP is 192.168.7.1", namespace="home")
    clock.forward(days=1)
    memory.remember("The router IP is 192.168.9.1", namespace="office")
    memory.maintain()

    assert len(live(memory)) == 2


def test_what_was_said_last_of_an_attribute_is_live_and_the_rest_is_history(
    memory: Memory, clock: Clock
) -> None:
    said = {
        "User lives in Leeds": "User moved to York last weekend",
        "User uses VS Code": "User switched from VS Code to Zed",
        "User's team deploys with Ansible": "User's team migrated from Ansible to Nomad",
        "公司在张江": "公司搬到漕河泾",
        "用户喜欢喝咖啡": "用户不喝咖啡了，改喝普洱",
    }
    kept = {
        "User has a cat named Milo",
        "User has a cat named Otis",
        "User's brother lives in Hull",
    }
    for content in (*said, *kept, *said.values()):
        memory.remember(content)
        clock.forward(hours=1)
    memory.maintain()

    assert live(memory) == kept | set(said.values())
    leeds = memory.remember("User lives in Leeds")
    ended = next(v for v in memory.history(leeds.memory_id) if v.closed_because == "superseded")
    assert ended.explanation == "home: leed -> york"
