"""The wheel, installed where there is no checkout, brings all that a user needs."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from ebbing.project import CHECKOUT

# The tests' embedder, as a package of its own beside the wheel.
PLUGINS = str(CHECKOUT / "tests" / "python" / "plugins")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    try:
        import hatchling  # noqa: F401

        isolation = ["--no-build-isolation"]
    except ImportError:
        isolation = []
    built = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", str(CHECKOUT), "--no-deps", "--quiet"),
            *isolation,
            *("--wheel-dir", str(folder)),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if built.returncode and not isolation:
        pytest.skip(f"hatchling is not here and cannot be fetched: {built.stderr[-300:]}")
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("ebbing-*.whl")
    return found


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    paths = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=paths))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    # Last on the path, and without the link by which an editable install leads to the checkout.
    dependencies = "\n".join(
        f"import sys; sys.path.append({path!r})" for path in site.getsitepackages()
    )
    (packages / "dependencies.pth").write_text(dependencies + "\n", "utf-8")
    scripts = Path(sysconfig.get_path("scripts", "venv", vars=paths))
    return scripts / ("python.exe" if os.name == "nt" else "python")


def run(program: Path, *arguments: str, cwd: Path, home: Path) -> str:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "EBBING_PROJECT_DIR")
    }
    done = subprocess.run(
        [str(program), *arguments],
        cwd=cwd,
        env={**environment, "EBBING_HOME": str(home), "PYTHONPATH": PLUGINS},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_carries_the_project_and_nothing_of_a_build(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("models", "macros", "seeds", "tests/generic", "tests/invariants"):
        for file in (CHECKOUT / folder).rglob("*"):
            if file.is_file():
                assert f"ebbing/_dbt/{file.relative_to(CHECKOUT).as_posix()}" in names
    for file in ("dbt_project.yml", "profiles.yml", "selectors.yml"):
        assert f"ebbing/_dbt/{file}" in names
    assert "ebbing/py.typed" in names
    scripts = [name for name in names if name.endswith("entry_points.txt")]
    assert len(scripts) == 1
    unwanted = ("__pycache__", ".duckdb", "/target/", "/logs/", ".venv", "test_")
    assert not [name for name in names if any(part in name for part in unwanted)]


def test_an_installed_user_needs_no_checkout(program: Path, tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "store", tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = run(
        program,
        "-c",
        "import ebbing, ebbing.project as p; print(ebbing.__file__); print(p.project_dir())",
        cwd=elsewhere,
        home=home,
    ).splitlines()
    environment = program.parents[1].resolve()
    assert all(Path(path).resolve().is_relative_to(environment) for path in where)
    assert Path(where[1]).name == "_dbt"
    project = sorted((file, file.stat().st_size) for file in Path(where[1]).rglob("*"))

    def ebbing(*arguments: str) -> str:
        return run(program, "-m", "ebbing", *arguments, cwd=elsewhere, home=home)

    assert ebbing("init", "--model", "hashing:64").startswith("The store is ready")
    memory_id = ebbing("remember", "The attic is dry").strip()
    (answer,) = json.loads(ebbing("recall", "attic", "--json"))
    assert [memory["memory_id"] for memory in answer["memories"]] == [memory_id]
    assert "models built" in ebbing("maintain")
    assert memory_id in ebbing("recall", "attic")
    assert "BAD" not in ebbing("doctor")
    # It may be read-only: nothing is written beside it, nor where the user stands.
    assert sorted((file, file.stat().st_size) for file in Path(where[1]).rglob("*")) == project
    assert list(elsewhere.iterdir()) == []
