"""What every registered game must keep, whatever its family. A new family adds its specifications to `GAMES`."""

import dataclasses

import pytest

from analysis.games.families import FAMILIES, find_family, load_game
from analysis.solving.checks.suite import check_game
from tests.support.golden import FOLDER

GAMES = {
    "tictactoe": ["tictactoe:misere=true"],
    "mnk": [
        "mnk:rows=2,cols=5,k=3",
        "mnk:rows=5,cols=6,k=4,misere=true",
        "mnk:rows=1,cols=31,k=5",
        "mnk:rows=1,cols=1,k=1",
    ],
    "wild": ["wild:rows=2,cols=3,k=2", "wild:misere=true"],
    "notakto": ["notakto:rows=2,cols=4,k=3", "notakto:misere=true"],
    "connect": ["connect:rows=2,cols=3,k=2,misere=true", "connect"],
    "hex": ["hex:n=2", "hex:n=4"],
    "domineering": ["domineering:rows=2,cols=4", "domineering:rows=5,cols=5"],
    "chomp": ["chomp:rows=3,cols=3", "chomp:rows=2,cols=9"],
    "nim": ["nim:heaps=2-2-2", "nim:heaps=3-1-3-1,take=1-3"],
    "kayles": ["kayles", "kayles:pins=31"],
    "grundy": ["grundy", "grundy:heap=29"],
    "dots_and_boxes": ["dots_and_boxes:rows=1,cols=2", "dots_and_boxes:rows=3,cols=2"],
    "othello": ["othello", "othello:size=6"],
    "hexapawn": ["hexapawn", "hexapawn:rows=4,cols=5"],
    "dodgem": ["dodgem", "dodgem:n=4"],
    "morris": ["morris:variant=achi", "morris:variant=nine_holes"],
    "coin_grabber": ["coin_grabber:first=C"],
}

LATER = {"tictactoe", "mnk", "wild", "notakto", "hex", "domineering", "chomp", "nim", "grundy", "morris", "othello"}
"""Families like others here: marks on a board, heaps, loops."""
EVERY = [
    pytest.param(spec, marks=pytest.mark.slow) if number or name in LATER else spec
    for name, specs in GAMES.items()
    for number, spec in enumerate(specs)
]
"""The first of each kind; the others in the slow step."""


def test_every_family_is_tested_and_has_golden_numbers():
    assert set(GAMES) == set(FAMILIES)
    for name in FAMILIES:
        numbers = (FOLDER / f"{name}.txt").read_text()
        assert numbers.startswith("#")
        assert any(character.isdigit() for character in numbers)


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name):
    family = find_family(name)
    assert family.family == name
    assert family.description
    assert load_game(family.example)
    assert load_game(name) == family()
    assert load_game(load_game(family.example).spec) == load_game(family.example)
    assert dataclasses.is_dataclass(family)
    assert all(load_game(spec).family == name for spec in GAMES[name])


@pytest.mark.parametrize("spec", EVERY)
def test_contract(spec):
    """Legal moves, turns, payoffs, tiers, symmetries, texts, compiled functions and a second solution: see
    `analysis.solving.checks.checks`, each of which fails in `test_contract_faults`.
    """
    report = check_game(spec, games=15)
    assert report.passed, [(failure.check, failure.fault) for failure in report.failures]
    assert report.positions > 1
