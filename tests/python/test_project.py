"""The dbt project is found in a checkout, in an installed package, and where a user says."""

from pathlib import Path

import pytest

from ebbing import project
from ebbing.errors import InputError


def test_a_checkout_is_its_own_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EBBING_PROJECT_DIR", raising=False)
    assert (project.project_dir() / "dbt_project.yml").is_file()


def test_an_installed_package_brings_its_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EBBING_PROJECT_DIR", raising=False)
    monkeypatch.setattr(project, "PACKAGED", tmp_path)
    assert project.project_dir() == tmp_path


def test_a_user_may_name_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EBBING_PROJECT_DIR", str(tmp_path))
    with pytest.raises(InputError, match="dbt_project"):
        project.project_dir()
    (tmp_path / "dbt_project.yml").write_text("name: mine\n")
    assert project.project_dir() == tmp_path
