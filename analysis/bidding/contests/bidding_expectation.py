"""What is to be expected of two levels, exactly: no game is drawn, the chances of all states are.

Every round adds a stone, so the states after each round are a tier, and the chance that play comes through a state
follows from the chances of the tier before. Boards that are symmetric to each other are one, where both levels play
alike on them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules, BidOutcome
from analysis.errors import TooLargeError
from analysis.games.bidding import BiddingState
from analysis.machine.workers import Progress, no_progress
from analysis.playing.matches.results import Expectation

EXACT = 10_000
"""States in all up to which chances are fractions; they take several times as long as floats."""
MOST = 400_000
"""States in all that are looked at: up to a minute."""

Chances = dict[BiddingState, Value]


@dataclasses.dataclass(frozen=True)
class BiddingExpectation(Expectation):
    """What to expect of two levels; ``plies`` are placements, one a round."""

    states: int
    """How many states (up to symmetry) have a chance to come up."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree match --format json`` prints it."""
        return super().to_json() | {"states": self.states}


def expect(
    table: BiddingRules,
    players: Mapping[str, BiddingPlayer],
    start: BiddingState | None = None,
    *,
    most: int = MOST,
    progress: Progress = no_progress,
) -> BiddingExpectation:
    """The expectation of the ``players`` of X and of O at a ``table``, from ``start`` (default: where the game begins)
    on. Raises `TooLargeError` where there are more than ``most`` states.

    >>> from analysis.games.bidding import Bidding
    >>> table = BiddingRules(Bidding("mnk:rows=1,cols=2,k=2", "1"))
    >>> found = expect(table, dict.fromkeys("XO", BiddingPlayer(table, "random")))
    >>> str(found.x_wins), str(found.o_wins), str(found.tie)
    ('7/48', '0', '41/48')
    """
    same = _same_boards(table, players, progress)
    tier: Chances = {table.start if start is None else start: Fraction(1)}
    ends: list[tuple[int, int, Value]] = []
    states = rounds = 0
    while tier:
        states += len(tier)
        if states > most:
            raise TooLargeError(
                f"exact expectations of {table.game.spec} take more than {most:,} states; play a sample: --games 10000"
            )
        payoffs = {state: table.payoff(state.board) for state in tier}
        ends += [(payoff, rounds, tier[state]) for state, payoff in payoffs.items() if payoff is not None]
        going_on = {state: tier[state] for state, payoff in payoffs.items() if payoff is None}
        progress("expectations, round", rounds, None)
        if states > EXACT:
            going_on = {state: float(chance) for state, chance in going_on.items()}
        tier = _next(table, players, going_on, same, rounded=states > EXACT)
        rounds += 1
    return _summary(players, ends, states)


def _summary(
    players: Mapping[str, BiddingPlayer], ends: list[tuple[int, int, Value]], states: int
) -> BiddingExpectation:
    def total(weight: Callable[[int, int], int]) -> Value:
        return sum((chance * weight(payoff, rounds) for payoff, rounds, chance in ends), Fraction(0))

    return BiddingExpectation(
        players["X"].level,
        players["O"].level,
        total(lambda payoff, _: payoff > 0),
        total(lambda payoff, _: payoff < 0),
        total(lambda payoff, _: payoff == 0),
        total(lambda payoff, _: payoff),
        total(lambda _, rounds: rounds),
        states,
    )


def _next(
    table: BiddingRules,
    players: Mapping[str, BiddingPlayer],
    tier: Chances,
    same: Callable[[int], int],
    *,
    rounded: bool,
) -> Chances:
    """The chances after one more round."""
    none: Value = 0.0 if rounded else Fraction(0)
    bought: dict[tuple[str, BiddingState], Value] = {}
    for state, chance in tier.items():
        for sale, share in _sales(table, players, state, rounded):
            key = sale.winner, sale.state
            bought[key] = bought.get(key, none) + chance * share
    found: Chances = {}
    for (side, state), chance in bought.items():
        boards = dict(table.moves(state.board, side))
        for move, share in players[side].placement_distribution(state, side, rounded=rounded).items():
            after = BiddingState(same(boards[move]), *state[1:])
            found[after] = found.get(after, none) + chance * share
    return found


def _sales(
    table: BiddingRules, players: Mapping[str, BiddingPlayer], state: BiddingState, rounded: bool
) -> Iterator[tuple[BidOutcome, Value]]:
    """What a round's bids can come to, and how likely: all lower bids of the loser at once."""
    drawn = {side: player.bid_distribution(state, side, rounded=rounded) for side, player in players.items()}
    for side, other in (("X", "O"), ("O", "X")):
        theirs, least = sorted(drawn[other].items(), reverse=True), min(drawn[other])
        below: Value = 0.0 if rounded else Fraction(0)
        for bid in sorted(drawn[side]):
            while theirs and theirs[-1][0] < bid:
                below += theirs.pop()[1]
            if below:
                bids = (bid, least) if side == "X" else (least, bid)
                yield table.sales(state, *bids)[0], drawn[side][bid] * below
    for bid in drawn["X"].keys() & drawn["O"].keys():
        yield from _tied(table, players, state, bid, drawn["X"][bid] * drawn["O"][bid])


def _tied(
    table: BiddingRules, players: Mapping[str, BiddingPlayer], state: BiddingState, bid: int, chance: Value
) -> Iterator[tuple[BidOutcome, Value]]:
    sales = table.sales(state, bid, bid)
    if len(sales) == 1:
        yield sales[0], chance
        return
    first, second = sales
    chooser = table.chooser(state)
    if chooser is None:
        yield first, chance / 2
        yield second, chance / 2
        return
    for sale, share in players[chooser].tie_distribution((first, second), chooser).items():
        yield sale, chance * share


def _same_boards(table: BiddingRules, players: Mapping[str, BiddingPlayer], progress: Progress) -> Callable[[int], int]:
    """Which board stands for a board."""
    if not all(player.symmetric for player in players.values()):
        return lambda board: board
    from analysis.bidding.boards import board_engine
    from analysis.machine.workers import Workers

    engine = board_engine(table.game.base, workers=Workers(1), progress=progress)
    return functools.lru_cache(maxsize=1 << 16)(engine.canonical)
