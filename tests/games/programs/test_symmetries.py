"""Symmetries of games in plain Python: used, and refused with a position where they do not hold."""

import numpy as np
import pytest

import analysis
from analysis.errors import RulesError
from analysis.games.programs.symmetries import difference, image_of
from tests.games.programs.test_programs import PROGRAMS, numbers, spec

TURN, FLIP = (2, 5, 8, 1, 4, 7, 0, 3, 6), (2, 1, 0, 5, 4, 3, 8, 7, 6)
SQUARES = """
class Squares:
    def __init__(self):
        self.board, self.turn = {}, "X"
    def legal_moves(self):
        return [(r, c) for r in (1, 2) for c in (1, 2) if (r, c) not in self.board]
    def make_move(self, r, c):
        self.board[r, c] = self.turn
        self.turn = "O" if self.turn == "X" else "X"
    def winner(self):
        b = self.board
        return next((b[1, c] for c in (1, 2) if (1, c) in b and b[1, c] == b.get((2, c))), None)
"""
"""Whoever fills a column of a board of two wins: of eight symmetries four are not of the square."""


def squares(tmp_path, line="pass"):
    path = tmp_path / "squares.py"
    path.write_text(SQUARES.replace("class Squares:", f"class Squares:\n    {line}"))
    return str(path)


def with_symmetries(tmp_path, program, text, name="game.py"):
    """The file of a program with a line added to its class or module."""
    path = tmp_path / name
    source = (PROGRAMS / f"{program}.py").read_text()
    path.write_text(source + f"\n\nsymmetries = {text}\n")
    return str(path)


def test_positions_that_are_alike_are_solved_once(tmp_path):
    game = with_symmetries(tmp_path, "functions_tictactoe", (TURN, FLIP))
    solution, known = analysis.solve(game), analysis.solve(spec("functions_tictactoe"))
    assert (solution.classes, known.classes) == (765, 5478)
    assert numbers(solution) == numbers(known)
    assert analysis.solve(game, symmetry="none").classes == 5478
    assert len(solution.optimal_paths()) == len(known.optimal_paths())
    for text in ("X???O????", "??X?O????", "????O?X??", "04"):
        assert solution[text].value == known[text].value == 0
    assert solution["XOX/?O?/???"].moves == known["XOX/?O?/???"].moves


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ("symmetries = [[1, 0, 3, 2]]", 18),
        ("symmetries = ((1, 0, 3, 2), (2, 1, 0, 3))", 7),
        ("symmetries = staticmethod(lambda: [(1, 0, 3, 2)])", 18),
        ("symmetries = lambda self, board, policy: []", 33),
    ],
)
def test_attributes_and_functions_without_arguments_say_so(line, classes, tmp_path):
    solution = analysis.solve(squares(tmp_path, line))
    assert (solution.classes, solution.position_count) == (classes, 33)


WRONG = {
    "a row is no column": ((0, 2, 1, 3), "has an image that play does not reach"),
    "not a permutation": ((0, 0, 2, 3), "is not a permutation"),
    "too few cells": ((1, 0), "has 2 cells, and positions have 4"),
}


@pytest.mark.parametrize(("permutation", "words"), WRONG.values(), ids=WRONG)
def test_wrong_ones_are_refused(tmp_path, permutation, words, gametree):
    game = squares(tmp_path, f"symmetries = ({permutation},)")
    with pytest.raises(RulesError, match=words):
        analysis.solve(game)
    checked = gametree("check", game)
    assert checked.code == 1
    assert words in " ".join(checked.out.split())


@pytest.mark.parametrize("given", [5, "abc", (5,), ({"a": 1},), ((0.5, 1),)], ids=repr)
def test_what_is_no_permutation_is_refused(tmp_path, given):
    with pytest.raises(RulesError, match="permutation"):
        analysis.solve(squares(tmp_path, f"symmetries = {given!r}"))


def test_every_kind_of_difference_is_found():
    graph = analysis.load_game(spec("functions_tictactoe")).graph
    image = image_of(graph, FLIP)
    assert difference(graph, image) == ""
    centre = next(rank for rank in range(len(image)) if image[rank] != rank and graph.payoffs[rank] == 32767)
    other = int(image[centre])
    movers, payoffs, children = graph.movers.copy(), graph.payoffs.copy(), graph.children.copy()
    movers[centre] *= -1
    payoffs[other] = 1
    children[graph.first[centre]] = children[graph.first[centre] + 1]
    assert "who moves" in difference(graph._replace(movers=movers), image)
    assert "payoffs" in difference(graph._replace(payoffs=payoffs), image)
    assert "moves" in difference(graph._replace(children=children), image)
    swapped = np.arange(len(image))
    swapped[[0, 1]] = 1, 0
    assert "start" in difference(graph, swapped)
