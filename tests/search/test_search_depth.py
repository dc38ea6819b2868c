"""Searches of limited depth, with the evaluation of the courses, against the same written out."""

from __future__ import annotations

import itertools

import pytest

from analysis.search.catalogue import find_algorithms
from analysis.search.laboratory import Laboratory
from analysis.search.problem import game_problem
from tests.support.oracle import Oracle


class Limited(Oracle):
    """Minimax and alpha-beta to a depth, with the evaluation of the courses, as they write it."""

    def evaluate(self, s: str) -> int:
        total = 0
        for line in self.lines:
            x, o = (sum(s[cell] == side for cell in line) for side in "XO")
            if x and not o:
                total += 10 ** (x - 1)
            if o and not x:
                total -= 10 ** (o - 1)
        return -total if self.misere else total

    def search(self, s: str, alpha: float, beta: float, depth: int, lines: bool) -> tuple[float, int]:
        outcome = self.outcome(s)
        if outcome is not None or depth == 0:
            return (self.evaluate(s) if lines else outcome or 0), 1
        first = self.to_move(s) == "X"
        best, nodes = (-float("inf") if first else float("inf")), 1
        for child in self.children(s):
            value, visited = self.search(child, alpha, beta, depth - 1, lines)
            nodes += visited
            best = max(best, value) if first else min(best, value)
            alpha, beta = (max(alpha, best), beta) if first else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return best, nodes


@pytest.mark.parametrize(
    ("rows", "cols", "k", "misere"),
    [
        (4, 4, 4, False),
        *(
            pytest.param(*board, marks=pytest.mark.slow)
            for board in [(3, 3, 3, True), (3, 3, 3, False), (2, 5, 2, False)]
        ),
    ],
)
@pytest.mark.parametrize("evaluation", [None, "lines"])
def test_limited_depth(rows, cols, k, misere, evaluation):
    oracle = Limited(rows, cols, k, misere)
    spec = f"mnk:rows={rows},cols={cols},k={k},misere={str(misere).lower()}"
    first = oracle.children(oracle.start)[-1]
    early = [oracle.start, first, oracle.children(first)[0], oracle.children(oracle.children(first)[1])[2]]
    for position, depth in itertools.product(early, range(4)):
        lab = Laboratory(game_problem(spec, position, depth=depth, evaluation=evaluation))
        value, nodes = oracle.search(position, -float("inf"), float("inf"), depth, evaluation is not None)
        assert lab.solved.value == value
        for row in lab.rows(lab.tasks(find_algorithms(["all"]), symmetries=("none", "geometric"))):
            assert row.value == value, (position, depth, row)
            if row.algorithm == "alphabeta":
                assert row.nodes == nodes


def test_advice_agrees_with_the_search():
    from analysis.search.advice import advise

    oracle = Limited(3, 3, 3)
    for position in ("X????????", "XO??X????", "XOX?O????", "XX?OO????", "XOXXOOOX?"):
        for depth in (1, 2, 3, 9):
            for evaluation in (None, "lines"):
                found = advise("tictactoe", position, depth=depth, evaluation=evaluation)
                side = 1 if oracle.to_move(position) == "X" else -1
                worth = {
                    cell: oracle.search(oracle.play(position, cell), -1e9, 1e9, depth - 1, evaluation is not None)[0]
                    for cell in oracle.moves(position)
                }
                assert {move.move: move.value for move in found.moves} == worth
                assert found.value == side * max(side * value for value in worth.values())
                assert found.best_move == min(worth, key=lambda cell: (-side * worth[cell], cell))
    assert advise("tictactoe", depth=0).best_move is None
    assert advise("tictactoe", "XXXOO????", depth=3).moves == ()
