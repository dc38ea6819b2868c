"""Families by name: what is imported for one, and whose hash a change of a file changes."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.games.families import BIDDING, FAMILIES, find_family, list_games
from tests.support.program import ROOT

GAMES = ROOT / "analysis" / "games"
SHARED = sorted(path for path in (GAMES / "shared").glob("*.py") if path.name != "__init__.py")
LATE = {"numba", "pyarrow", "pandas", "scipy", "networkx", "difflib"}


def test_one_family_is_imported_for_one_game():
    program = "import sys; from analysis.games.families import load_game; load_game('tictactoe'); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    homes = {name for name in loaded if name.startswith("analysis.games.") and ".shared" not in name}
    assert homes == {"analysis.games.families", "analysis.games.mnk"}
    assert not LATE & set(loaded)


def test_the_table_names_every_family():
    assert [game["name"] for game in list_games()] == [*FAMILIES, BIDDING]
    assert all(find_family(name).family == name for name in (*FAMILIES, BIDDING))
    files = {path.stem for path in GAMES.glob("*.py")} - {"__init__", "families", "user"}
    assert {home.partition(":")[0] for home in FAMILIES.values()} == files - {BIDDING}


@functools.cache
def used(path: Path) -> set[Path]:
    """The files of this package that a file imports something from, by its text."""
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    homes = {
        ROOT / f"{node.module.replace('.', '/')}.py" for node in imports if node.module.startswith("analysis.games.")
    }
    return homes.union(*map(used, homes)) if homes else set()


@pytest.mark.parametrize("changed", [*SHARED, GAMES / "nim.py"], ids=lambda path: path.stem)
def test_a_changed_file_changes_the_hash_of_the_families_that_use_it_and_of_no_other(changed, monkeypatch):
    hashes = {name: find_family(name)().rules_hash() for name in FAMILIES}
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path == changed))
    affected = {name for name in FAMILIES if find_family(name)().rules_hash() != hashes[name]}
    homes = {name: GAMES / f"{home.partition(':')[0]}.py" for name, home in FAMILIES.items()}
    assert affected == {name for name, home in homes.items() if changed in {home, *used(home)}}
    assert affected
