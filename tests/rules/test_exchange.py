"""Symmetries that exchange the marks, against orbits found by brute force over boards."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import pytest

import analysis
from analysis.checks.rules.suite import check_game
from analysis.engine.engine import make_engine
from analysis.errors import RulesError
from analysis.games.families import load_game
from analysis.games.mnk import Mnk
from analysis.games.notakto import Notakto
from analysis.games.wild import Wild
from analysis.rules.fields import check_rules
from analysis.rules.game import Rules
from analysis.rules.symmetry import find_group

SWAPPED = str.maketrans("XO", "OX")


@dataclasses.dataclass(frozen=True)
class Either(Wild):
    """Wild tic-tac-toe up to the exchange of X and O."""

    family: ClassVar[str] = "either"

    def rules(self) -> Rules:
        return dataclasses.replace(super().rules(), exchange=True)


@dataclasses.dataclass(frozen=True)
class Unlike(Mnk):
    """Tic-tac-toe, in which marks cannot be exchanged."""

    family: ClassVar[str] = "unlike"

    def rules(self) -> Rules:
        return dataclasses.replace(super().rules(), exchange=True)


def images(text: str) -> list[str]:
    """All images of a board as text, by turning its rows around, its columns and, if it is square, its diagonal."""
    found = [text.split("/")]
    if len(found[0]) == len(found[0][0]):
        found.append(["".join(column) for column in zip(*found[0], strict=True)])
    for turned in (lambda rows: rows[::-1], lambda rows: [row[::-1] for row in rows]):
        found += [turned(rows) for rows in found]
    found += [[row.translate(SWAPPED) for row in rows] for rows in found]
    return ["/".join(rows) for rows in found]


def text_of(game: Wild, state: int) -> str:
    return "/".join("".join(mark if mark in "XO" else "?" for mark in row) for row in game.grid(state))


def reached(game: Wild) -> set[int]:
    rules = game.rules()
    states, waiting = {rules.start}, [rules.start]
    while waiting:
        new = {child for _, child in rules.moves(waiting.pop())} - states
        states |= new
        waiting += new
    return states


SMALL = [(2, 3, 2, False), (2, 3, 3, True), (1, 4, 3, False), (2, 2, 2, False), (1, 1, 1, True)]


@pytest.mark.parametrize("board", [*SMALL, pytest.param((3, 3, 3, False), marks=pytest.mark.slow)], ids=str)
def test_classes_are_orbits_and_all_else_stays(board):
    game, solution, other = Either(*board), analysis.solve(Either(*board)), analysis.solve(Wild(*board))
    found, plain, states = solution.statistics(), other.statistics(), reached(game)
    assert found["canonical"] == len({min(images(text_of(game, state))) for state in states})
    by_group = ("canonical", "symmetry_order", "quotient_paths", "games_up_to_symmetry", "game", "by_ply")
    assert all(found[name] == plain[name] for name in plain if name not in by_group)
    assert found["symmetry_order"] == 2 * plain["symmetry_order"]
    for state in sorted(states)[:: 1 + len(states) // 200]:
        text = text_of(game, state)
        assert solution.engine.orbit_size(state) == len(set(images(text))), text
        mine, its = (
            dataclasses.replace(each.lookup(state), orbit_size=None, histories=None) for each in (solution, other)
        )
        assert mine == its, text


@pytest.mark.parametrize("board", [(2, 2, 2, False), (1, 4, 3, False), (2, 3, 2, False)], ids=str)
def test_games_up_to_exchange(board):
    game = Either(*board)
    rules = game.rules()

    def games(line: list[str], state: int) -> list[list[str]]:
        line = [*line, text_of(game, state)]
        return [each for _, child in rules.moves(state) for each in games(line, child)] or [line]

    orbits = {min(zip(*map(images, line), strict=True)) for line in games([], rules.start)}
    assert analysis.solve(game).statistics()["games_up_to_symmetry"] == len(orbits)


def test_only_what_keeps_the_start_is_used():
    game = Either(1, 4, 3)
    rules = game.rules()
    for text, order in (("????", 4), ("X???", 1), ("X??O", 2), ("X??X", 2)):
        assert find_group(rules, "geometric", start=game.parse_position(text)).order == order
    assert find_group(rules, "none").order == 1
    assert find_group(rules, "full").order == 2 * find_group(Wild(1, 4, 3).rules(), "full").order
    assert make_engine(game).canonical(game.parse_position("O???")) == game.parse_position("X???")


def test_higher_planes_stay():
    rules = dataclasses.replace(Wild(1, 2, 2).rules(), planes=3, exchange=True, symmetries=(), lines=())
    assert find_group(rules, "geometric").images(0b1_10_11_01) == [0b1_10_11_01, 0b1_10_01_11]


def test_it_is_checked():
    assert check_game(Either(2, 2, 2)).passed
    wrong = {result.check: result for result in check_game(Unlike(2, 2, 2)).failures}
    fault = wrong["symmetric play"].fault
    assert fault is not None
    assert fault.position is not None
    assert "marks exchanged" in fault.message


def test_stored_solutions_are_verified(tmp_path, gametree):
    (tmp_path / "either.py").write_text(
        "import dataclasses\nfrom analysis.games.wild import Wild\n\n\n@dataclasses.dataclass(frozen=True)\n"
        "class Either(Wild):\n    family = 'either'\n\n    def rules(self):\n"
        "        return dataclasses.replace(super().rules(), exchange=True)\n"
    )
    name = f"{tmp_path}/either.py:Either:rows=2,cols=3,k=2"
    for symmetry in ("geometric", "full"):
        place = str(tmp_path / symmetry)
        assert gametree("solve", name, "--out", place, "--symmetry", symmetry).code == 0
        assert gametree("verify", place).code == 0
        page = tmp_path / f"{symmetry}.html"
        assert gametree("explore", place, "--out", str(page)).code == 0


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (dataclasses.replace(Notakto().rules(), exchange=True), "exchange=True with cells=9 and planes=1"),
        (dataclasses.replace(Wild().rules(), exchange=1), "exchange=1; it is True or False"),
        (dataclasses.replace(load_game("nim:1-2").rules(), canonical=None, orbit_size=None, exchange=True), "cells=0"),
    ],
)
def test_wrong_fields(rules, said):
    with pytest.raises(RulesError, match=said):
        check_rules(rules)
