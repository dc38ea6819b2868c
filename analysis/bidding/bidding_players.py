"""Levels of play in bidding games.

A level defines what it prefers in a turn; its choices and their probabilities follow. Probabilities are fractions where
exact, and floats where a mixed strategy is rounded.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from ..common.workers import patient
from ..errors import GametreeError, OptionError, TooLargeError, TooSlowError
from ..games.bidding import OTHER, SIGN
from ..playing.levels import parse_level
from .bidding_rules import BiddingRules, Turn
from .bidding_solution import BiddingSolution, bounds
from .bidding_solving import find_solution
from .exact_values import Value
from .plain_bidding import search_bidding

REMEMBERED_TURNS = 1 << 16
"""The most turns whose probabilities a player remembers."""
REMEMBERED_SEARCHES = 1 << 12
"""The most boards whose searches are remembered."""
PATIENCE_SECONDS = 10.0
"""Time to solve a game if the level does not need the solution."""
DEPTH = 2
"""Rounds that hints and the default opponent look ahead if the game is not solved."""


class BiddingPlayer:
    """Decides turns of one game for either side, uniformly (level ``random``); subclasses override `preferred`."""

    blunders: Fraction = Fraction(0)
    """Probability that a decision is made at random."""
    note: str = ""
    """How it works, in words; empty if there is nothing to say."""
    symmetric: bool = True
    """Whether it plays alike on boards symmetric to each other."""

    def __init__(self, table: BiddingRules, level: str) -> None:
        self.table = table
        self.level = level
        """The text that names it, such as ``depth:2``."""
        self.chances = functools.lru_cache(REMEMBERED_TURNS)(self._chances)
        """``chances(turn)``: the probability of each choice; impossible ones are left out."""
        self.forfeits: list[str] = []
        """Always empty: its decisions are legal."""

    def preferred(self, turn: Turn) -> Mapping[int, Value] | Sequence[int]:
        """Return the preferred choices, at least one: equally likely, or with their probabilities."""
        return turn.choices

    def _chances(self, turn: Turn) -> dict[int, Value]:
        weights = self.preferred(turn)
        weights = dict(weights) if isinstance(weights, Mapping) else dict.fromkeys(weights, Fraction(1, len(weights)))
        if self.blunders:
            evenly = self.blunders / len(turn.choices)
            weights = {choice: (1 - self.blunders) * weights.get(choice, 0) + evenly for choice in turn.choices}
        return {choice: chance for choice, chance in weights.items() if chance}

    def choose(self, turn: Turn, rng: random.Random) -> int:
        """Draw a choice; a single one uses no random number."""
        chances = self.chances(turn)
        choices = list(chances)
        return choices[0] if len(choices) == 1 else rng.choices(choices, list(map(float, chances.values())))[0]

    def get_ready(self) -> None:
        """See `analysis.playing.player.Player`."""

    def close(self) -> None:
        """See `analysis.playing.player.Player`."""


class GreedyBidder(BiddingPlayer):
    """Looks only at the next placement.

    Bids: if a placement of either side would win, the least bid that the opponent cannot beat, or everything if there
    is none; if none would, and either side could only place and lose, the least bid; otherwise any. Placements: one
    that wins; otherwise one that neither loses nor lets the opponent win with the next; otherwise any. It settles a tie
    in the same spirit.
    """

    def preferred(self, turn: Turn) -> Mapping[int, Value] | Sequence[int]:
        """See the class."""
        side, state, legal, ending = turn.side, turn.state, turn.choices, self.table.ending
        opponent = OTHER[side]
        if turn.kind == "placement":
            moves, losing = self.table.moves(state.board, side), ending(state.board, side, side)
            safe = [code for code, after in moves.items() if code not in losing and not ending(after, opponent, side)]
            return ending(state.board, side, opponent) or safe or legal
        wants_move = self._wants(state.board)
        if wants_move is None:
            return legal
        if turn.kind == "tie":
            return [0 if wants_move else 1]
        most = self.table.bidding(state, opponent).choices[-1]
        enough = most if state.holder == side else most + 1
        return [min(max(enough, legal[0]), legal[-1]) if wants_move else legal[0]]

    def _wants(self, board: int) -> bool | None:
        """Return whether the next placement is worth having; None if nothing seems to depend on it."""
        if any(self.table.ending(board, side, OTHER[side]) for side in "XO"):
            return True
        if any(len(self.table.ending(board, side, side)) == len(self.table.moves(board, side)) for side in "XO"):
            return False
        return None


class SolvedBidder(BiddingPlayer):
    """Decides by the values of states, uniformly among equals. ``solution_of`` gives the solution that knows a board's
    states; with probability ``blunders`` it decides at random.
    """

    def __init__(
        self, table: BiddingRules, level: str, solution_of: Callable[[int], BiddingSolution],
        blunders: Fraction = Fraction(0),
    ) -> None:  # fmt: skip
        super().__init__(table, level)
        self.solution_of, self.blunders = solution_of, blunders

    def preferred(self, turn: Turn) -> Mapping[int, Value] | Sequence[int]:
        """Return the choices that keep the value: all such pure bids, if both sides have one, else the solution's mix;
        the better result of a tie; the best placements.
        """
        solution, side, state = self.solution_of(turn.state.board), turn.side, turn.state
        if turn.kind == "bid":
            guarantees = bounds(solution.moves_on(state.board).matrix(self.table.game.column(state)))
            if max(guarantees["X"]) != min(guarantees["O"]):
                return dict(solution.lookup(*state).bids[side])
            values = dict(zip(turn.choices, guarantees[side], strict=True))
        else:
            values = turn_values(solution, turn)
        best = max(SIGN[side] * value for value in values.values())
        return [choice for choice, value in values.items() if SIGN[side] * value == best]


def turn_values(solution: BiddingSolution, turn: Turn) -> dict[int, Value]:
    """Return X's values of the choices of a tie or a placement."""
    column, moves = solution.game.column, solution.moves_on(turn.state.board)
    if turn.kind == "tie":
        return {choice: moves.best(sale.winner, column(sale.state)) for choice, sale in enumerate(turn.sales)}
    return {child.move: child.after.value(column(turn.state)) for child in moves.children[turn.side]}


def depth_bidder(table: BiddingRules, level: str, depth: int) -> SolvedBidder:
    """Return a player that solves the next ``depth`` rounds; boards at their end are valued by the evaluation."""
    game, evaluation = table.game, table.game.base.rules().default_evaluation

    @functools.lru_cache(maxsize=REMEMBERED_SEARCHES)
    def search(board: int) -> BiddingSolution:
        return search_bidding(game, game.base.format_position(board), depth, evaluation=evaluation)

    player = SolvedBidder(table, level, search)
    player.symmetric = evaluation is None or not game.base.origin  # users' evaluations are not checked for symmetry
    player.note = f"evaluation {evaluation}" if evaluation else "no evaluation: open boards count 0"
    return player


class BiddingMemory:
    """The solution of a game, which is read or solved when first needed, and not tried twice."""

    def __init__(
        self, name: str, position: str | None, *, symmetry: str | None = None, solution: BiddingSolution | None = None
    ) -> None:
        self._name, self._position, self._symmetry = name, position, symmetry
        self._solution: BiddingSolution | GametreeError | None = solution
        self.source = ""
        """Where the solution comes from; empty until there is one."""

    def recall(self) -> tuple[BiddingSolution, str]:
        """Return the solution unless it takes too long. Raises `TooLargeError`, and what finding it raises."""
        return self.solve(PATIENCE_SECONDS), self.source

    def solve(self, seconds: float | None = None) -> BiddingSolution:
        """Return the solution. Raises `TooSlowError` if it takes more than ``seconds``, and what solving raises."""
        if self._solution is None:
            began = time.perf_counter()
            too_slow = TooSlowError(f"{self._name} could not be solved in {seconds or 0:g} seconds; solve it first")
            try:
                with patient(seconds, too_slow):
                    self._solution = find_solution(self._name, start=self._position, symmetry=self._symmetry)
            except GametreeError as error:
                self._solution = error
                raise
            directory, seconds_taken = self._solution.directory, time.perf_counter() - began
            self.source = f"reads {directory}" if directory is not None else f"solved here in {seconds_taken:.1f} s"
        if isinstance(self._solution, GametreeError):
            raise self._solution
        return self._solution


def find_bidder(level: str | None, table: BiddingRules, memory: BiddingMemory) -> BiddingPlayer:
    """Return the player of a level; by default a perfect one if the game is soon solved, else one that searches. Raises
    `OptionError` for a level that bidding games do not have.
    """
    name = "perfect" if level is None else level.strip().lower()
    kind = parse_level(name)
    if kind.shortest:
        raise OptionError(
            f"level {name!r} is not for bidding games: random bids leave no remoteness to shorten; write perfect"
        )
    if kind.kind in ("random", "greedy"):
        return (BiddingPlayer if kind.kind == "random" else GreedyBidder)(table, name)
    if kind.kind == "depth":
        return depth_bidder(table, name, kind.depth)
    try:
        solution = memory.solve(PATIENCE_SECONDS if level is None else None)
    except TooLargeError:
        if level is not None:
            raise
        player = depth_bidder(table, f"depth:{DEPTH}", DEPTH)
        player.note += f"; the game is not solved in {PATIENCE_SECONDS:g} s"
        return player
    player = SolvedBidder(table, name, lambda board: solution, kind.chance)
    player.note = memory.source
    return player


def solved_bidder(solution: BiddingSolution, level: str) -> BiddingPlayer:
    """Return the player of a level in a game that is solved. Raises `OptionError` as `find_bidder`."""
    return find_bidder(level, BiddingRules(solution.game), BiddingMemory(solution.game.spec, None, solution=solution))
