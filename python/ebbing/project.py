"""Where the dbt project is: beside the source in a checkout, inside the package when installed."""

from __future__ import annotations

import os
from pathlib import Path

from ebbing.errors import InputError
from ebbing.store.location import expanded

PACKAGED = Path(__file__).resolve().parent / "_dbt"
CHECKOUT = Path(__file__).resolve().parents[2]


def project_dir() -> Path:
    """Return the folder of dbt_project.yml; EBBING_PROJECT_DIR overrides where it is looked for."""
    override = os.environ.get("EBBING_PROJECT_DIR")
    if override:
        folder = expanded(override).resolve()
        if not (folder / "dbt_project.yml").is_file():
            raise InputError(
                f"EBBING_PROJECT_DIR is {folder}, which holds no dbt_project.yml; "
                "nothing was changed; unset it or point it at the project"
            )
        return folder
    return PACKAGED if PACKAGED.is_dir() else CHECKOUT
