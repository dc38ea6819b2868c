"""Solve bidding games lazily, state by state, in plain Python; small ones need no compiler."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable, Iterator
from fractions import Fraction

from ..engine.engine import make_engine
from ..errors import GametreeError, OptionError, SpecError
from ..games.bidding import Bidding
from ..games.families import load_game
from ..games.shared.either_side import EitherSide
from ..machine.files import read_sealed_json, rules_folder, write_sealed_json
from ..machine.version import __version__
from ..machine.workers import Workers
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


def worth_of(game: Bidding, evaluation: str | None) -> Callable[[int], int]:
    """Return the value of boards at the end of a search: by an ``evaluation`` of the game, or 0 while it goes on.
    Raises `OptionError` for an unknown evaluation.
    """
    rules = EitherSide(game.base).rules()
    if evaluation in (None, "none"):
        return lambda board: 0 if rules.outcome(board) == ONGOING else rules.outcome(board)
    if evaluation not in rules.evaluations:
        known = ", ".join(rules.evaluations) or "none"
        raise OptionError(f"{game.base.spec} has no evaluation {evaluation!r}; it has {known}")
    return rules.evaluations[evaluation].function


def solve_lazily(
    game: str | Bidding,
    position: str | None = None,
    depth: int | None = None,
    *,
    evaluation: str | None = None,
    kept: KeptValues | None = None,
) -> BiddingSolution:
    """Return a lazy solution of a bidding game: only what is asked for is found, unless it was ``kept``; whether chance
    matters is not known beforehand. With a ``depth`` it is a search that deep from a ``position``, as by
    `search_bidding`.
    """
    game = load_bidding(game)
    start = game.start if position is None else game.parse_state(position)
    with Workers(1) as pool:
        engine = make_engine(EitherSide(game.base), workers=pool)
    outcome, cut = engine.rules.outcome, set[int]()
    worth: Callable[[int], int] = outcome
    if depth is not None:
        worth, cut = worth_of(game, evaluation), {engine.canonical(start.board)}
        for _ in range(depth):
            cut = {engine.canonical(child) for each in cut for _, child in engine.rules.moves(each)}

    def find(board: int) -> BoardRecord:
        if outcome(board) != ONGOING or board in cut:
            return BoardRecord.ended(worth(board))
        found = functools.cache(lambda column: _value(solution.moves_on(board), column, solution.bounds))
        value = found if kept is None else kept.of(board, found)
        return BoardRecord(False, value, lambda column: _bids(solution.moves_on(board), column))

    solution = BiddingSolution(game, engine, [find], [], searched=depth, start=start)
    return solution


def _value(moves: BoardMoves, column: int, bounds: tuple[float, float]) -> Value:
    """Return the value of a state. If pure bids of both sides guarantee the same, not all entries are computed."""
    x_bids, o_bids = moves.layout.bids(column % moves.layout.purses)
    low: Value = bounds[0]
    for i in x_bids:
        low = max(low, _least((moves.entry(column, i, j) for j in o_bids), low))
        if low == bounds[1]:
            return low
    high: Value = bounds[1]
    for j in o_bids:
        high = min(high, -_least((-moves.entry(column, i, j) for i in x_bids), -high))
        if high == low:
            return low
    return stored_as(solve_matrix(moves.matrix(column)).value)


def _least(entries: Iterator[Value], enough: Value) -> Value:
    """Return the least of some numbers, or any that is at most ``enough``."""
    found = next(entries)
    for entry in entries:
        if found <= enough:
            break
        found = min(found, entry)
    return found


def _bids(moves: BoardMoves, column: int) -> Bids:
    return drawn_bids(solve_matrix(moves.matrix(column)), moves.layout.bids(column % moves.layout.purses))


class KeptValues:
    """Values by board and column that a bot has found, kept in the user's cache folder for its next turn, which is
    another process. A file that is damaged or has other rules is ignored; if none can be written, nothing is kept.
    """

    def __init__(self, game: Bidding) -> None:
        name = hashlib.sha256(f"{__version__} {game.spec} {game.rules_hash()}".encode()).hexdigest()
        self._path = rules_folder().with_name("bids") / f"{name}.json"
        self._texts: dict[str, str] = {}
        with contextlib.suppress(GametreeError):
            data, sealed = read_sealed_json(self._path)
            self._texts = dict(data["values"]) if sealed else {}
        self._known = len(self._texts)

    def of(self, board: int, find: Callable[[int], Value]) -> Callable[[int], Value]:
        """Return the values of a board by column, kept or found with ``find``."""

        def value(column: int) -> Value:
            key = f"{board} {column}"
            if key not in self._texts:
                found = find(column)
                self._texts[key] = repr(found) if isinstance(found, float) else str(Fraction(found))
            text = self._texts[key]
            return float(text) if "." in text or "e" in text else Fraction(text)

        return value

    def write(self) -> None:
        """Save the values found since the last time."""
        if len(self._texts) > self._known:
            with contextlib.suppress(OSError, GametreeError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_sealed_json(self._path, {"values": self._texts})
            self._known = len(self._texts)
