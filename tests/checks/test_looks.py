"""What the page cannot draw of a game in the look that it has chosen."""

import dataclasses

import pytest

from analysis.checks.rules.looks import misfits
from analysis.games.families import FAMILIES, load_game
from analysis.rules.game import LOOKS
from tests.web.test_boards import COINS, SPECS


def changed(spec, **attributes):
    """A game that has chosen something else."""
    base = type(load_game(spec))
    return dataclasses.dataclass(frozen=True)(type("Changed", (base,), attributes))()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_families_fit_their_looks(family, tmp_path):
    (tmp_path / "coins.txt").write_text(COINS)
    assert misfits(load_game(SPECS[family].format(tmp_path / "coins.txt"))) == []


@pytest.mark.parametrize(
    ("spec", "attributes", "example"),
    [
        ("tictactoe", {"look": "pins"}, "3 rows"),
        ("tictactoe", {"look": "points"}, "[] of 9 points"),
        ("tictactoe", {"look": "heaps"}, "'0'"),
        ("tictactoe", {"look": "dominoes"}, "'2'"),
        ("tictactoe", {"look": "columns"}, "'0'"),
        ("domineering", {"look": "columns"}, "'0'"),
        ("tictactoe", {"in_row": 4}, "4 on 3 x 3"),
        ("tictactoe", {"cell_of": lambda self, state, move: None}, "'0'"),
        ("tictactoe", {"grid": lambda self, state: [["wking"] * 3] * 3}, "'wking'"),
        ("hexapawn", {"look": "heaps"}, "'a1-a2'"),
        ("chomp", {"look": "dots"}, "3 x 4"),
        ("kayles", {"look": "squares"}, "'1'"),
    ],
)
def test_what_does_not_fit(spec, attributes, example):
    found = misfits(changed(spec, **attributes))
    assert any(f": {example} in " in line for line in found), found


def test_every_look_is_tried_on_another_board():
    """None of them fails on a board that is not its own."""
    for look in LOOKS:
        for spec in ("tictactoe", "hexapawn", "kayles", "grundy", "nim"):
            assert isinstance(misfits(changed(spec, look=look)), list)


def test_check_tells(gametree):
    assert "On the page" in gametree("check", "nim:heaps=40", "--games", "2").out
    assert "On the page" not in gametree("check", "othello:size=4", "--games", "20").out
