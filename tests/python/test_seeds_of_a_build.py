"""What a build goes by is known to the next one."""

from __future__ import annotations

import yaml

from ebbing.project import CHECKOUT


def test_a_build_waits_for_every_seed_and_takes_its_rows_into_the_fingerprint() -> None:
    sql = (CHECKOUT / "models/intermediate/builds/int_settings.sql").read_text("utf-8")
    named = yaml.safe_load("[" + sql.split("for seed in [")[1].split("]")[0] + "]")
    assert named == sorted(path.stem for path in (CHECKOUT / "seeds").glob("*.csv"))
