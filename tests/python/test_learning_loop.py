"""Correct, forget by rule, explain, replay: every step can be told and undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Clock
from ebbing import Memory
from ebbing.errors import InputError, ScopeError
from ebbing.journal.writing import write_event
from ebbing.rows import fetch


def contents(memory: Memory, query: str, **options: object) -> list[str]:
    found = memory.recall(query, is_logged=False, **options)  # type: ignore[arg-type]
    return [recalled.content for recalled in found.memories]


def test_h4_a_correction_keeps_the_old_text_with_its_dates_and_the_reason(
    memory: Memory, clock: Clock
) -> None:
    said = clock.now
    old = memory.remember("The port of the staging database is 5432")
    corrected_at = clock.forward(days=2)
    new = memory.correct(old.memory_id, "The staging database listens on 6000", reason="moved")
    assert contents(memory, "staging database") == ["The staging database listens on 6000"]
    clock.forward(days=1)
    newest = memory.correct(new.memory_id, "The staging database listens on port 6432")
    memory.maintain()

    assert contents(memory, "staging database") == ["The staging database listens on port 6432"]
    first, second, third = memory.history(newest.memory_id)
    assert (first.memory_id, first.valid_from, first.valid_to) == (
        old.memory_id,
        said,
        corrected_at,
    )
    assert (first.explanation, first.superseded_by, first.closed_by) == (
        "moved",
        new.memory_id,
        "user",
    )
    assert second.superseded_by == third.memory_id == newest.memory_id
    assert third.valid_to is None
    assert contents(memory, "staging database", as_of=said) == [
        "The port of the staging database is 5432"
    ]


def test_a_correction_is_refused_across_namespaces_and_for_what_is_not_live(
    memory: Memory, store_path: Path, clock: Clock
) -> None:
    old = memory.remember("The office is on floor 3")
    new = memory.correct(old.memory_id, "The office is on the roof")
    stranger = Memory(store_path, namespace="other", clock=clock)

    with pytest.raises(ScopeError, match="not a memory of namespace 'other'"):
        stranger.correct(new.memory_id, "The office is on floor 9")
    with pytest.raises(InputError, match=f"correct {new.memory_id}"):
        memory.correct(old.memory_id, "The office is on floor 9")
    with pytest.raises(InputError, match="there is no memory mem_0000000000000000"):
        memory.correct("mem_0000000000000000", "anything")
    with pytest.raises(InputError, match="has that text already"):
        memory.correct(new.memory_id, "The office is on the roof")
    assert contents(memory, "office") == ["The office is on the roof"]


def test_a_correction_outranks_old_evidence_that_comes_back(memory: Memory, clock: Clock) -> None:
    old = memory.remember("User's dentist is Dr. Wu")
    clock.forward(days=1)
    new = memory.correct(old.memory_id, "User's dentist is Dr. Bell", reason="a mix-up")
    clock.forward(days=1)
    pasted, _ = write_event(
        "User's dentist is Dr. Wu",
        namespace=memory.namespace,
        kind="fact",
        actor="another tool",
        method="imported",
        at=clock.now,
        recorded_at=clock.now,
    )
    memory.store.append([pasted])
    memory.maintain()

    assert contents(memory, "dentist") == ["User's dentist is Dr. Bell"]
    back = [v for v in memory.history(old.memory_id) if v.memory_id == old.memory_id][-1]
    assert back.explanation == "held back, since it was corrected: a mix-up"
    with memory.store.read() as connection:
        conflicts = fetch(connection, "select memory_id, kept_memory_id from memory_conflicts")
    assert conflicts == [(pasted.memory_id, new.memory_id)]

    clock.forward(days=1)
    memory.remember("User's dentist is Dr. Wu")
    memory.maintain()
    assert contents(memory, "dentist") == ["User's dentist is Dr. Wu"]
    clock.forward(days=1)
    memory.correct(old.memory_id, "User's dentist is Dr. Bell", reason="again")
    memory.maintain()
    assert contents(memory, "dentist") == ["User's dentist is Dr. Bell"]
    reasons = [v.explanation for v in memory.history(old.memory_id) if v.explanation]
    assert len(set(reasons)) == len(reasons)


def test_the_rules_of_forgetting_spare_the_pinned_show_themselves_first_and_can_be_undone(
    memory: Memory, clock: Clock
) -> None:
    unused = memory.remember("The old printer is called Rosa")
    pinned = memory.remember("The fire exit is behind the kitchen", is_pinned=True)
    expiring = memory.remember(
        "The guest code is 4711 this week", expires_at=clock.now.replace(day=12)
    )
    used = memory.remember("The espresso machine takes Arabica beans")
    clock.forward(days=80)
    memory.recall("espresso machine Arabica beans", with_vector=False)
    clock.forward(days=20)
    memory.maintain()

    shown = memory.purge(is_dry_run=True)
    assert {(m.memory_id, m.rule_id) for m in shown.memories} == {
        (unused.memory_id, "never_used"),
        (expiring.memory_id, "expired"),
    }
    assert contents(memory, "printer Rosa") == ["The old printer is called Rosa"]

    memory.purge()
    assert contents(memory, "printer Rosa") == []
    assert contents(memory, "fire exit kitchen") == ["The fire exit is behind the kitchen"]
    assert contents(memory, "espresso Arabica") == ["The espresso machine takes Arabica beans"]
    memory.maintain()
    with memory.store.read() as connection:
        rows = fetch(
            connection,
            "select memory_id, reason, brought_back_by from forgotten_memories order by reason",
        )
    assert [(row[0], row[1]) for row in rows] == [
        (expiring.memory_id, "expired"),
        (unused.memory_id, "never used"),
    ]
    assert f"ebbing restore {unused.memory_id}" in rows[1][2]

    memory.restore(unused.memory_id)
    assert contents(memory, "printer Rosa") == ["The old printer is called Rosa"]
    memory.maintain()
    assert memory.purge(is_dry_run=True).memories == ()
    assert contents(memory, "fire exit kitchen") == [pinned.content]
    assert contents(memory, "espresso Arabica") == [used.content]


def test_why_tells_every_step_in_order_with_its_place_in_the_log(
    memory: Memory, clock: Clock
) -> None:
    stated = memory.remember("The deploy window opens on Tuesday")
    clock.forward(days=10)
    recalled = memory.recall("The deploy window opens on Tuesday")
    clock.forward(days=1)
    memory.remember("The deploy window opens on Tuesday")
    memory.forget(stated.memory_id, reason="wrong team")
    clock.forward(days=1)
    memory.restore(stated.memory_id)
    memory.maintain()
    clock.forward(days=9)

    explained = memory.why(stated.memory_id)
    assert [step.event for step in explained.steps] == [
        "stated",
        "recalled",
        "stated again",
        "forgotten",
        "restored",
    ]
    access = explained.steps[1]
    assert access.strength_before == pytest.approx(0.95**10, abs=1e-12)
    assert access.strength_after == pytest.approx(0.95 * 0.95**10 + 0.05, abs=1e-12)
    assert recalled.recall_id in access.source
    restated = explained.steps[2]
    assert restated.strength_before == pytest.approx((access.strength_after or 0) * 0.95, abs=1e-12)
    state = explained.state
    assert state.strength == restated.strength_after
    assert state.days_since == pytest.approx(10, abs=1e-9)
    assert state.strength_now == pytest.approx(state.strength * 0.95**10, abs=1e-12)


def test_why_not_names_the_factor_that_lost_it(memory: Memory, clock: Clock) -> None:
    faded = memory.remember("The backup job for invoices runs at night")
    clock.forward(days=60)
    fresh = memory.remember("The backup job for invoices runs by night")
    memory.remember("Nothing here is like the question")
    gone = memory.remember("The backup job for payroll runs at noon")
    memory.forget(gone.memory_id, reason="asked for")
    memory.maintain()

    lost = memory.why_not(faded.memory_id, "backup job invoices", top_k=1, with_vector=False)
    assert (lost.recall_rank, lost.is_recalled) == (2, False)
    assert (lost.lost_by, lost.beaten_by) == ("strength", fresh.memory_id)
    assert lost.score is not None
    assert lost.score_to_beat is not None
    assert lost.score < lost.score_to_beat

    found = memory.why_not(fresh.memory_id, "backup job invoices", top_k=1, with_vector=False)
    assert (found.is_recalled, found.lost_by) == (True, None)
    absent = memory.why_not(gone.memory_id, "backup job payroll", with_vector=False)
    assert "asked for" in (absent.lost_by or "")


def test_replay_shows_what_other_settings_would_make_and_touches_nothing(
    memory: Memory, clock: Clock
) -> None:
    memory.remember("The kitchen is painted green")
    clock.forward(days=30)
    memory.remember("The kitchen tiles are painted white and green")
    memory.recall("kitchen painted green", with_vector=False)
    memory.maintain()
    with memory.store.read() as connection:
        before = fetch(connection, "from long_term_memory order by memory_id")

    same = memory.replay()
    assert (same.differences, same.rank_changes, same.compared) == ((), (), 2)

    other = memory.replay(variables={"min_relevance": 0.99})
    assert {change.rank_after for change in other.rank_changes} == {None}
    assert other.queries == 1
    with memory.store.read() as connection:
        assert fetch(connection, "from long_term_memory order by memory_id") == before


def test_tune_compares_decay_models_on_what_was_of_use(memory: Memory, clock: Clock) -> None:
    memory.remember("The bakery closes at six")
    for days in (1, 5, 20):
        clock.forward(days=days)
        memory.recall("The bakery closes at six")
        memory.recall("bakery", with_vector=False)
    memory.maintain()

    table = memory.tune()
    assert [row.log_loss for row in table] == sorted(row.log_loss for row in table)
    assert {row.observations for row in table} == {6}
    assert {"exponential", "power", "none"} == {row.decay_model for row in table}
