"""Files that `gametree new` writes run as they are, and pass their tests."""

import itertools
import subprocess
import sys

import pytest

import analysis
from analysis.games.writing import LIKE

QUICK = (("tictactoe", False), ("nim", True))
FORMS = [
    pytest.param(
        *form, id=f"{form[0]}-{'fast' if form[1] else 'plain'}", marks=[pytest.mark.slow] * (form not in QUICK)
    )
    for form in itertools.product(LIKE, (False, True))
]


@pytest.mark.parametrize(("like", "fast"), FORMS)
def test_what_is_written_passes_its_test(like, fast, tmp_path, gametree):
    (tmp_path / "games").mkdir()
    done = gametree("new", "games/my_game.py", "--like", like, *(["--fast"] * fast))
    assert done.code == 0, done.err
    assert sorted(path.name for path in (tmp_path / "games").iterdir()) == ["my_game.py", "test_my_game.py"]
    source = (tmp_path / "games/my_game.py").read_text()
    assert "class MyGame:" in source
    assert "$" not in source
    assert max(map(len, source.splitlines())) <= 120
    assert source == source.strip() + "\n"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "games"], capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stdout.decode()
    assert isinstance(analysis.load_game("games/my_game.py").rules().start, int)


@pytest.mark.slow
@pytest.mark.parametrize("like", LIKE)
def test_both_forms_are_one_game(like, gametree):
    assert gametree("new", "plain", "--like", like).code == 0
    assert gametree("new", "fast", "--like", like, "--fast").code == 0
    checked = gametree("check", "plain.py", "--like", "fast.py", "--games", "10")
    assert checked.code == 0, checked.out + checked.err
    both = [analysis.solve(f"{name}.py").statistics() for name in ("plain", "fast")]
    known = {"tictactoe": "tictactoe", "nim": "nim:heaps=3-4-5", "hexapawn": "hexapawn"}[like]
    both.append(analysis.solve(known).statistics())
    for name in ("value", "remoteness_plies", "games"):
        assert len({str(each[name]) for each in both}) == 1, name
    assert both[0]["positions"] == both[1]["positions"]


def test_nothing_is_overwritten(tmp_path, gametree):
    (tmp_path / "test_mine.py").write_text("mine")
    refused = gametree("new", "mine")
    assert (refused.code, "test_mine.py" in refused.err, refused.err.count("\n")) == (1, True, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["test_mine.py"]
    assert gametree("new", "other").code == 0
    before = (tmp_path / "other.py").read_text()
    assert gametree("new", "other.py", "--like", "nim").code == 1
    assert (tmp_path / "other.py").read_text() == before
