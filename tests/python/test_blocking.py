"""Blocking misses no pair that the rules would join."""

from __future__ import annotations

from pair_harness import classify, connection, labelled_pairs, load_pairs, macros


def test_every_labelled_pair_that_is_joined_shares_a_block_key() -> None:
    labelled = labelled_pairs()
    verdicts = classify([one.pair for one in labelled])
    sql = macros()
    with connection() as database:
        load_pairs(database, [one.pair for one in labelled])
        database.execute(
            "create table tokens as " + sql["significant_tokens"]("texts", "comparison_words")
        )
        shared = database.execute(
            "with keyed as (select content_hash, "
            + sql["block_keys"]("tokens")
            + " as block_keys from tokens) "
            "select list_has_any(earlier.block_keys, later.block_keys) from pairs "
            "inner join keyed as earlier on pairs.earlier_content_hash = earlier.content_hash "
            "inner join keyed as later on pairs.later_content_hash = later.content_hash "
            "order by pairs.pair_number"
        ).fetchall()

    joined = [place for place, one in enumerate(verdicts) if one.pair_class != "different"]
    missed = [labelled[place].pair for place in joined if not shared[place][0]]
    assert len(joined) > 300
    assert missed == []
    apart = [place for place, one in enumerate(verdicts) if one.pair_class == "different"]
    assert sum(shared[place][0] for place in apart) < len(apart) / 2
