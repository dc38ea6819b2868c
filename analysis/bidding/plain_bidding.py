"""Solve bidding games lazily, state by state, in plain Python; small ones, and searches, need no compiler."""

from __future__ import annotations

import functools

from ..common.workers import Workers
from ..engine.engine import make_engine
from ..errors import OptionError, SpecError
from ..games.bidding import OTHER, SIGN, Bidding
from ..games.families import load_game
from ..rules.either_side import EitherSide
from ..rules.game import ONGOING, GameLike
from .bidding_solution import BiddingSolution, Bids, BoardMoves, BoardRecord, drawn_bids
from .exact_values import Value, stored_as
from .matrix_games import solve_matrix


def load_bidding(game: GameLike) -> Bidding:
    """Load the bidding game of a specification. Raises `SpecError` for another game."""
    loaded = load_game(game)
    if not isinstance(loaded, Bidding):
        raise SpecError(f"{loaded.spec} is not a bidding game; write bidding:game={loaded.spec},chips=4")
    return loaded


def search_bidding(
    game: GameLike, position: str | None, depth: int | None, *, evaluation: str | None = None
) -> BiddingSolution:
    """Solve the game that ends ``depth`` moves after a ``position``, a board or state (None: the start), lazily: boards
    at its end are valued by the game's ``evaluation``, or 0 while the game goes on (``none``, the default). Without a
    depth it is the whole game; whether chance matters is not known beforehand.

    Raises `OptionError` for an unknown evaluation and for a depth below 1, and what loading the game raises.
    """
    game = load_bidding(game)
    with Workers(1) as pool:
        engine = make_engine(EitherSide(game.base), workers=pool)
    rules = engine.rules
    outcome, start = rules.outcome, game.start if position is None else game.parse_state(position)
    if depth is not None and depth < 1:
        raise OptionError(f"a search of depth {depth} cannot choose a bid; the depth must be at least 1")
    if evaluation not in (None, "none", *rules.evaluations):
        names = ", ".join(rules.evaluations) or "none"
        raise OptionError(f"{game.base.spec} has no evaluation {evaluation!r}; it has {names}")
    guess = rules.evaluations[evaluation].function if evaluation and evaluation != "none" else None
    cut, within = set[int](), set[int]()
    if depth is not None:
        cut = {engine.canonical(start.board)}
        for _ in range(depth):
            within |= cut
            cut = {engine.canonical(child) for board in cut for _, child in rules.moves(board)}
        within |= cut
    solution = BiddingSolution(game, engine, [], [], searched=depth, start=start)
    solution.again = functools.partial(search_bidding, game, position, depth, evaluation=evaluation)

    def find(board: int) -> BoardRecord | None:
        if depth is not None and board not in within:
            return None
        if outcome(board) != ONGOING or board in cut:
            payoff = guess(board) if guess else 0 if outcome(board) == ONGOING else outcome(board)
            return BoardRecord(True, lambda column: payoff, lambda column: {})
        value = functools.cache(lambda column: _value(solution.moves_on(board), column, solution.bounds))
        return BoardRecord(False, value, lambda column: _bids(solution.moves_on(board), column))

    solution.tables = (find,)
    return solution


def _value(moves: BoardMoves, column: int, bounds: tuple[float, float]) -> Value:
    """Return the value of a state: what pure bids of both sides guarantee if that is equal, else by the matrix."""
    low = _sure(moves, column, "X", bounds[1])
    if low == bounds[1] or low == _sure(moves, column, "O", low):
        return low
    return stored_as(solve_matrix(moves.matrix(column)).value)


def _sure(moves: BoardMoves, column: int, side: str, aim: float | Value) -> Value:
    """Return the best of X's values that single bids of a side guarantee, or the first that reaches ``aim``."""
    game, opponent = moves.game, OTHER[side]
    mine, theirs = game.bids(column)[:: SIGN[side]]
    better, worse = (max, min) if side == "X" else (min, max)
    best, dearer, replies = list[Value](), list[Value](), [*theirs]
    for bid in reversed(mine):
        while replies and replies[-1] > bid:
            dearer = [worse([*dearer, moves.best(opponent, column + SIGN[side] * replies.pop())])]
        if best and dearer and better(best[0], dearer[0]) == best[0]:
            break  # lower bids guarantee no more
        guaranteed = list(dearer)
        if bid > theirs[0]:
            guaranteed.append(moves.best(side, column - SIGN[side] * bid))
        if bid in theirs:
            guaranteed.append(moves.entry(column, bid, bid))
        best = [better([*best, worse(guaranteed)])]
        if best[0] == aim:
            break
    return best[0]


def _bids(moves: BoardMoves, column: int) -> Bids:
    return drawn_bids(solve_matrix(moves.matrix(column)), moves.game.bids(column))
