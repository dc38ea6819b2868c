"""Broken texts and values, and which checks are left out after a failure."""

from __future__ import annotations

import dataclasses

import pytest

from analysis.checks.rules.checks import CHECKS
from analysis.checks.rules.suite import check_game
from analysis.rules.game import ONGOING, Rules
from tests.checks.test_contract_faults import (
    BROKEN,
    LEFT,
    SOUND,
    Blank,
    Boardless,
    Forgetful,
    Growing,
    Lost,
    Marks,
    Nameless,
    Numeric,
    OneName,
    Pointless,
    Ragged,
    Raising,
    TwoLines,
    Wordless,
    back_and_forth,
    failure,
    left_wins,
    negative_play,
    outcome,
)

# Texts, values and what follows from a failure ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (Forgetful, "position texts", "'?XX' for the state 34, which is read as 6"),
        (TwoLines, "position texts", "it is text on one line"),
        (Raising, "position texts", "in parse_position(): IndexError: list index out of range"),
        (OneName, "move texts", "gives '0', which is read as 0"),
        (Nameless, "move texts", "it is text on one line"),
        (Blank, "move texts", "it is text on one line"),
        (Ragged, "boards", "grid() gives [['X', 'O'], ['?']]; the rows of a board are all as long as the first"),
        (Numeric, "boards", "picture() gives 0; it has to return a text or None"),
        (Wordless, "boards", "caption() gives None; it has to return a text"),
        (Pointless, "boards", "cell_of() gives 3; it has to return None or a cell of the board, from 0 to 2"),
        (Boardless, "boards", "cell_of() gives 0; it has to return None, since there is no board"),
        (Lost, "boards", "in cell_of(): IndexError: tuple index out of range"),
    ],
)
def test_broken_texts(kind, name, words):
    assert words in failure(kind(), name).fault.message


def test_a_board_may_change_its_shape():
    assert check_game(Growing(), games=30).passed


def test_every_check_has_a_broken_game():
    elsewhere = {"position texts", "move texts", "boards", "canonical"}
    assert {check.name for check in CHECKS} == {name for name, *_ in BROKEN} | elsewhere | LEFT


def test_wrong_values():
    """A small game is solved in plain Python too: here the engine is given other rules than the search."""

    @dataclasses.dataclass(frozen=True, eq=False)
    class Changing(Marks):
        def rules(self) -> Rules:
            asked.append(1)
            return dataclasses.replace(SOUND, outcome=outcome if len(asked) == 1 else left_wins, symmetries=())

    asked: list[int] = []
    found = failure(Changing(), "compiled")
    assert "outcome() gives" in found.fault.message


def test_later_checks_are_left_out():
    report = check_game(Marks({"start": -1}))
    assert [result.result for result in report.results] == ["failed"] + ["left out"] * (len(CHECKS) - 1)
    assert "start=-1; it is at least 0 and below 2**63" in report.failures[0].fault.message
    report = check_game(Marks({"play": negative_play}))
    results = {result.check: result.result for result in report.results}
    assert results["compiled"] == results["solution"] == "left out"


def test_a_game_that_never_ends_is_left():
    report = check_game(Marks({"play": back_and_forth, "outcome": lambda state: ONGOING, "loopy": True}), games=3)
    assert report.positions < 50


def test_canonical_states_of_no_group(monkeypatch):
    """The engine refuses small sets of symmetries that are no group; a large one is left to this check."""
    monkeypatch.setattr("analysis.rules.symmetry.CHECKED_ORDER", 0)
    found = failure(Marks({"symmetries": ((0, 1, 2), (1, 2, 0), (1, 0, 2))}), "canonical")
    assert "images" in found.fault.message
