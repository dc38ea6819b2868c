"""Endgames whose first moves set up the position."""

import random

import pytest

import analysis
from tests.support.program import ROOT

ROOK = f"{ROOT}/docs/how-to/examples/endgame.py"
DEPTHS = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390]
"""Classes of king and rook against king with black to move that are mate in 0, 1, ... moves, beside 2,796 draws:
M. Bain and A. van der Hoff, Chess (King-Rook vs. King), UCI Machine Learning Repository 1994.
"""


def classes_to_move(solution, value: int) -> dict[int, int]:
    """How many classes of positions with black to move have each remoteness, of those with a value."""
    table = solution.to_arrow(columns=["to_move", "value", "remoteness_plies"]).to_pandas()
    table = table[(table.to_move == -1) & (table.value == value)]
    return table.remoteness_plies.value_counts().sort_index().to_dict()


def test_king_and_rook():
    solution = analysis.solve(ROOK)
    assert solution.position_count == 630_345
    assert classes_to_move(solution, 1) == {2 * moves: number for moves, number in enumerate(DEPTHS)}
    assert sum(classes_to_move(solution, 0).values()) == 2_796
    assert solution["c3 a1 d8 black"].position == solution["c3 a1 R:d8 black"].position


def test_king_and_queen():
    """Mate in ten moves at most, so in twenty plies if black begins."""
    solution = analysis.solve(f"{ROOK}:Endgame:piece=queen", counts=False)
    assert max(classes_to_move(solution, 1)) == 20


@pytest.mark.parametrize("piece", ["rook", "queen"])
def test_moves_are_those_of_chess(piece):
    """In positions at random, beside python-chess."""
    chess = pytest.importorskip("chess")
    game, rng = analysis.load_game(f"{ROOK}:Endgame:piece={piece}"), random.Random(0)
    rules, checked = game.rules(), 0
    while checked < 300:
        men = dict(
            zip(rng.sample(range(64), 3), (chess.KING, chess.KING, chess.ROOK + (piece == "queen")), strict=True)
        )
        board = chess.Board(None)
        for square, (number, kind) in zip(men, enumerate(men.values()), strict=True):
            board.set_piece_at(square, chess.Piece(kind, number != 1))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            state = game.parse_position(" ".join([*map(chess.square_name, men), "white" if board.turn else "black"]))
            king = board.king(board.turn)
            wanted = {move.to_square + 64 * (move.from_square != king) for move in board.legal_moves}
            assert {move for move, _ in rules.moves(state)} == wanted
            assert (rules.payoff(state) == 1) == board.is_checkmate()
            checked += 1
