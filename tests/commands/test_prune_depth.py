"""``gametree prune`` and ``gametree show`` to a depth, with the evaluation of the courses written out."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from analysis.search.advice import advise
from tests.support.oracle import Oracle


def by_lines(game: Oracle, board: str, depth: int) -> int:
    """Minimax to a depth, where a position counts its lines."""
    below = [] if depth == 0 else [by_lines(game, child, depth - 1) for child in game.children(board)]
    if below:
        return max(below) if game.to_move(board) == "X" else min(below)
    found = 0
    for marks in (Counter(board[cell] for cell in line) for line in game.lines):
        if marks["X"] and not marks["O"]:
            found += 10 ** (marks["X"] - 1)
        if marks["O"] and not marks["X"]:
            found -= 10 ** (marks["O"] - 1)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "position", "wanted"),
    [
        ("tictactoe", "X????????", 3),
        ("tictactoe", "XX?O?????", 11),
        ("tictactoe", "XXXOO????", 91),
        ("tictactoe", "XX?OO????", -1),
        ("tictactoe", "XOXXOXOXO", 0),
        ("mnk:rows=4,cols=4,k=4", "XXXXOOO?????????", 901),
    ],
)
def test_lines_count(gametree, spec, position, wanted):
    """100 for a full line, 10 for two and an empty cell, 1 for one and two empty cells; for O the same below zero."""
    found = gametree("show", spec, position, "--depth", 0, "--evaluate", "lines", "--format", "json").json
    assert (found["value"], found["moves"], found["best_move"]) == (wanted, [], None)


@pytest.mark.parametrize(
    ("size", "position", "depth"),
    [
        ((3, 3, 3), "?????????", 2),
        ((3, 3, 3), "X????????", 3),
        ((3, 3, 3), "XO??X????", 9),
        ((3, 4, 3), "X???O???????", 2),
        ((4, 4, 4), "X???????????????", 2),
    ],
)
@pytest.mark.slow
def test_best_move_of_a_search_to_a_depth(gametree, rows, size, position, depth):
    game, spec = Oracle(*size), "mnk:rows={},cols={},k={}".format(*size)
    at = ("--depth", depth, "--evaluate", "lines")
    found = gametree("show", spec, position, *at, "--format", "json").json
    side = game.to_move(position)
    values = {code: by_lines(game, game.play(position, code), depth - 1) for code in game.moves(position)}
    best = (max if side == "X" else min)(values.values())
    assert (found["value"], found["to_move"], found["depth"]) == (best, side, depth)
    assert found["best_move"] == min(code for code, value in values.items() if value == best)
    order = sorted(values, key=lambda code: (-values[code] if side == "X" else values[code], code))
    assert found["moves"] == [
        {
            "move": code,
            "position": game.play(position, code),
            "value": values[code],
            "optimal": values[code] == best,
            "name": str(code),
        }
        for code in order
    ]
    assert {row["value"] for row in rows(spec, "--from", position, *at, "-a", "all", "--guess", 5).values()} == {best}


def test_show_by_a_search(gametree):
    at = ("show", "tictactoe", "X????????", "--depth", 2, "--evaluate", "lines")
    found, wanted = (
        gametree(*at, "--format", "json").json,
        advise("tictactoe", "X????????", depth=2, evaluation="lines"),
    )
    assert found | {"seconds": 0} == json.loads(json.dumps(wanted.to_json())) | {"seconds": 0}
    assert gametree(*at, "--format", "csv").out.splitlines()[:2] == [
        "move,position,value,optimal,name", "4,X???O????,10,True,4",
    ]  # fmt: skip
    assert gametree("show", "tictactoe", "X????????", "--depth", 1, "--format", "json").json["value"] == 0
