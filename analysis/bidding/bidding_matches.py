"""Play matches of bidding games."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..common.context import options
from ..common.workers import Workers, tell_progress
from ..errors import MissingDataError
from ..games.bidding import OTHER, SIDES, BiddingState
from ..playing.chain import explored
from ..playing.expectation import MOST_SEARCHED_MOVES
from ..playing.levels import Function, level_name
from ..playing.match import Ground, checked, hold, told_apart
from ..playing.results import Expectation, MatchResult
from ..playing.simulation import UNFINISHED, Batch, end_of, play_by_turns
from ..playing.terms import NO_LIMITS, USUAL_TERMS, Effort, Terms
from ..rules.game import GameLike
from ..solution.storage.stored_games import refuse_options
from .bidding_players import BiddingMemory, BiddingPlayer, find_bidder
from .bidding_rules import BiddingRules, BidOutcome, Contest, Turn
from .bidding_solving import named_bidding
from .board_tiers import board_engine
from .exact_values import Value

Players = Mapping[str, BiddingPlayer]
"""Who plays which side."""

# Matches --------------------------------------------------------------------------------------------------------------


class BiddingGround(Ground):
    """A bidding game from one of its states, and levels; a ply is a round."""

    def __init__(self, name: GameLike, levels: Sequence[str], position: str | None, effort: Effort) -> None:
        self.game = named_bidding(name)
        self.name, self.levels, self.position, self.effort, self.solution = name, levels, position, effort, None
        self.root = self.game.start if position is None else self.game.parse_state(position)
        self.start, self.table = self.game.format_state(self.root), BiddingRules(self.game)
        self.names, self.players = tuple(told_apart(levels)), []
        self._memory = BiddingMemory(str(name), position, symmetry=effort.symmetry)

    def solve(self, seconds: float | None = None) -> Any:
        """Raise `MissingDataError`: moves are not judged."""
        raise MissingDataError("only moves of games by turns are judged")

    def pairing(self, a: int, b: int) -> None:
        """Return None: players choose one by one."""

    def longest(self, max_plies: int) -> int:
        """Return the limit on rounds."""
        return max_plies

    def _player(self, level: Any) -> Any:
        return find_bidder(level, self.table, self._memory)

    def _batches(self, a: int, b: int, terms: Terms, workers: Workers) -> Iterator[Batch]:
        return play_by_turns((self.players[a], self.players[b]), self.root, terms, play=self._play_one)

    def _play_one(
        self, order: tuple[Any, Any], root: Any, rng: random.Random, max_plies: int
    ) -> tuple[int, int, list[int]]:
        contest, players = Contest(self.table, root), dict(zip(SIDES, order, strict=True))
        while contest.payoff is None and len(contest.rounds) < max_plies:
            turn = contest.turn
            contest.play(players[turn.side].choose(turn, rng))
        payoff, moves = contest.payoff, [entry.move for entry in contest.rounds]
        return (0, UNFINISHED, moves) if payoff is None else (payoff, end_of(payoff), moves)

    def _by_searches(self, orders: Sequence[tuple[int, int]], max_plies: int) -> tuple[Expectation, ...]:
        """Return the expectations by a chain of states, and of states with a bid that is paid. Boards symmetric to each
        other count as one if both levels play alike on them.
        """
        self.seat()
        same: Callable[[int], int] = int
        if all(player.symmetric for player in self.players):
            same = functools.cache(board_engine(self.table.game.base, workers=Workers(1)).canonical)
        expectations = []
        for order in orders:
            players = {side: self.players[number] for side, number in zip(SIDES, order, strict=True)}
            look = functools.partial(next_steps, self.table, players, same)
            ends = explored(self.root, look, MOST_SEARCHED_MOVES).ends(2 * max_plies)
            x_wins, o_wins, tie = ends.won
            numbers = (x_wins, o_wins, tie, ends.payoff, ends.plies / 2)
            expectations.append(
                Expectation(players["X"].level, players["O"].level, *numbers, unfinished=ends.unfinished)
            )
        return tuple(expectations)


Step = BiddingState | BidOutcome


def next_steps(
    table: BiddingRules, players: Players, representative: Any, step: Step
) -> int | list[tuple[Step, Value]]:
    """Return the payoff if the game is over, else the next steps with their probabilities: from a state, bids that are
    paid; from a paid bid, states.
    """

    def chances(turn: Turn) -> Mapping[int, Value]:
        return players[turn.side].chances(turn)

    if isinstance(step, BidOutcome):
        boards = table.moves(step.state.board, step.winner)
        placed = chances(table.placing(step)).items()
        return [(step.state._replace(board=representative(boards[move])), chance) for move, chance in placed]
    tell_progress("expectations", 0, None)
    payoff = table.payoff(step.board)
    if payoff is not None:
        return payoff
    drawn, sales = {side: chances(table.bidding(step, side)) for side in SIDES}, list[tuple[Step, Value]]()
    for side, opponent in OTHER.items():
        for bid, chance in drawn[side].items():  # all lower bids of the loser have one result
            lower = {reply: of_reply for reply, of_reply in drawn[opponent].items() if reply < bid}
            if lower:
                bids = (bid, min(lower)) if side == "X" else (min(lower), bid)
                sales.append((table.sales(step, *bids)[0], chance * sum(lower.values())))
    for bid in drawn["X"].keys() & drawn["O"].keys():
        tied, chance = table.sales(step, bid, bid), drawn["X"][bid] * drawn["O"][bid]
        tie = Turn("tie", step.holder, step, range(2), tied)
        shares = chances(tie) if len(tied) > 1 else {0: Fraction(1)}
        sales += [(tied[choice], chance * share) for choice, share in shares.items()]
    return sales


def play_match(
    game: GameLike, levels: Sequence[str | Function], terms: Terms = USUAL_TERMS, *, effort: Effort = NO_LIMITS
) -> MatchResult:
    """Play games of a bidding game, a GAME_OR_DIR, as `analysis.playing.play_match` does, but only between levels;
    plies are rounds, and moves are not judged. Raises `OptionError` also for ``seconds`` and for a file of games.
    """
    settings = {"seconds": effort.seconds, "out": terms.out, "dask": options().executor}
    refuse_options(game, **{name: value is not None for name, value in settings.items()})
    terms, names = checked(terms, levels, None), [level_name(str(level)) for level in levels]
    start = None if terms.start is None else str(terms.start)
    return hold(BiddingGround(game, names, start, effort), terms)
