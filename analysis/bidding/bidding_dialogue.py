"""Play a bidding game in a terminal: both sides bid in secret, the bids are shown, and the buyer of the move places."""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ..common.wording import with_count
from ..errors import PositionError, TooLargeError
from ..games.bidding import OTHER, SIDES, SIGN, BiddingState
from ..playing.conversation import WORDS, Conversation, TypedPrompt, columns, words_help, wrapped
from ..rules.either_side import EitherSide
from ..rules.game import Game
from ..rules.notation import Notation
from .bidding_players import DEPTH, depth_bidder, turn_values
from .bidding_rules import BidOutcome, Contest, Turn
from .bidding_solution import BiddingPosition, BiddingSolution
from .exact_values import Value, value_text


@dataclasses.dataclass(eq=False)
class BiddingDialogue(Conversation):
    """A `Conversation` in rounds: both sides bid, and the buyer of the move places.

    ``contest`` is the game in progress, ``know`` gives the solution and its source.
    """

    sides = SIDES
    undone = "round"

    contest: Contest

    def __post_init__(self) -> None:
        self.table = self.contest.table
        self._notations = {side: Notation(one_side(self.table.game.base, side), numbered=True) for side in SIDES}
        self._set_up(self.table.game, self._notations["X"], "XO")

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.contest.payoff is not None

    # A round ----------------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        """Play a decision; print the result of two bids, and what was placed."""
        contest, turn = self.contest, self.contest.turn
        number, state = len(contest.rounds) + 1, contest.state
        if turn.kind == "tie" and turn.side in self.people:
            other = OTHER[turn.side]
            bid = contest.choices[0]
            self.console.say(
                wrapped(
                    f"Both bid {bid}. {self.names[turn.side]} may take it: pay {other} {bid}, place, and pass the "
                    f"advantage to {other}; or leave it: keep the advantage, and {other} pays and places."
                )
            )
        player = self.players.get(turn.side)
        if player is None:
            choice = self._ask(self._prompt(turn))
        else:
            with self.waiting():
                choice = player.choose(turn, self.rng)
        contest.play(choice)
        if turn.kind == "placement":
            self.console.say(f"{self.names[turn.side]} places at {self._say(turn.side, state.board, choice)}.")
            self._show()
        elif len(contest.sales) == 1:
            self.console.say(wrapped(f"Round {number}. {self._bought(state, contest.sales[0])}"))

    def _prompt(self, turn: Turn) -> TypedPrompt:
        side, board, both = turn.side, turn.state.board, len(self.people) == 2
        read: Callable[[str], int]
        if turn.kind == "bid":
            legal = bids_text(turn.choices)
            label, moves = f"bids, {legal}", f"Legal bids: {legal}."
            read = functools.partial(read_bid, legal=turn.choices, secret=both)
        elif turn.kind == "tie":
            label, moves, read = "take or leave", "Legal: take, leave.", read_tie
        else:
            label, read = "places", functools.partial(self._notations[side].read, state=board)
            placements = "  ".join(self._say(side, board, code) for code in turn.choices)
            moves = wrapped(f"Legal placements ({len(turn.choices)}): {placements}", "  ")
        hints = {"bid": self._bid_hints, "tie": self._tie_hints, "placement": self._placement_hints}[turn.kind]
        ask = f"{self.names[side]}, {label}? " if turn.kind == "tie" else f"{self.names[side]} {label}: "
        bids = turn.kind == "bid"
        begun = not bids or (both and side == "O")
        return TypedPrompt(ask, read, lambda: hints(turn), lambda: moves, side, secretly=bids and both, begun=begun)

    def _bought(self, before: BiddingState, sale: BidOutcome) -> str:
        """Describe both bids, and who bought the move."""
        (x_bid, o_bid, *_), winner, holder = self.contest.choices, sale.winner, before.holder
        pays = f"pays {OTHER[winner]} {sale.bid}" if sale.bid else "pays nothing"
        if x_bid != o_bid:
            return f"X bids {x_bid}, O bids {o_bid}: {winner} {pays} and places."
        if winner == holder:
            return (
                f"Both bid {x_bid}: {winner}, who holds the advantage, {pays} and places; the advantage passes to "
                f"{OTHER[winner]}."
            )
        return f"Both bid {x_bid}: {holder} leaves it and keeps the advantage; {winner} {pays} and places."

    # Words ------------------------------------------------------------------------------------------------------------

    def _undo(self, question: TypedPrompt) -> str:
        number = self.contest.take_back(begun=question.begun)
        return f"round {number}" if number else ""

    def _solution(self) -> tuple[BiddingSolution, str]:
        """Return the solution with its source or, if there is none, a search from this board."""
        try:
            return self.know()  # type: ignore[no-any-return]
        except TooLargeError:
            searcher = depth_bidder(self.table, f"depth:{DEPTH}", DEPTH)
            source = f"the game is not solved; a search {with_count(DEPTH, 'round')} deep, {searcher.note}"
            return searcher.solution_of(self.contest.state.board), source

    def _bid_hints(self, turn: Turn) -> str:
        """Return the value, the optimal bids, and each legal bid."""
        (solution, source), rows, side, state = self._solution(), [], turn.side, turn.state
        position = solution.lookup(*state)
        for (guarantee, probability, placement), same in itertools.groupby(
            position.each_bid(side), lambda b: (b.guarantee, b.probability, b.placement)
        ):
            bids, drawn = [legal.bid for legal in same], value_text(probability).lstrip("+") if probability else ""
            span = str(bids[0]) if len(bids) == 1 else f"{bids[0]} to {bids[-1]}"
            rows.append((span, value_text(guarantee), drawn, self._say(side, state.board, placement.move)))
        play = "" if position.searched else " under optimal play"
        optimal = []
        for bidder in (side, OTHER[side]):
            shown = [f"{bid.bid} ({value_text(bid.probability).lstrip('+')})" for bid in position.bids[bidder]]
            optimal.append(f"{bidder} {', '.join(shown) if len(shown) > 1 else position.bids[bidder][0].bid}")
        head = ("bid", "X gets at least" if side == "X" else "X gets at most", "drawn", "then place")
        return "\n".join(
            [
                wrapped(f"The state is worth {worth(position, position.value)}{play} ({source})."),
                wrapped(f"Optimal bids: {'; '.join(optimal)}."),
                columns(head, rows),
            ]
        )

    def _tie_hints(self, turn: Turn) -> str:
        solution, source = self._solution()
        take, leave = map(value_text, turn_values(solution, turn).values())
        return f"Expected payoff of X ({source}): take it {take}, leave it {leave}."

    def _placement_hints(self, turn: Turn) -> str:
        """Return every placement with its value, best first."""
        solution, source = self._solution()
        position, values = solution.lookup(*turn.state), turn_values(solution, turn)
        order = sorted(values, key=lambda code: (-SIGN[turn.side] * values[code], code))
        rows = [
            (self._say(turn.side, turn.state.board, code), value_text(values[code]), worth(position, values[code]),
             "yes" if values[code] == values[order[0]] else "")
            for code in order
        ]  # fmt: skip
        table = columns(("place", "value", "that is", "best"), rows)
        return f"Expected payoff of X after each placement ({source}):\n{table}"

    def _help(self) -> str:
        game = self.table.game
        least = f" The least bid is {game.least}; with fewer chips all are bid." if game.least else ""
        lines = [
            wrapped(f"{game.base.spec} ({game.base.description or 'a game of your own'}), played by bidding."),
            wrapped(
                f"Before every move both bid chips; the higher bid buys the move, paid to the other player.{least}"
            ),
            wrapped(EQUAL_BIDS[game.ties]),
            wrapped(
                f"Type a bid as a number of chips. Type a placement, {self.notation.example(self.contest.state.board)}."
            ),
        ]
        if len(self.people) == 2:
            lines.append("Bids are not shown as they are typed.")
        return "\n".join([*lines, *words_help(EXPLAINED)])

    def _introduce(self) -> None:
        super()._introduce()
        if len(self.people) == 2:
            self.console.say("Both bid at this keyboard, X first: look away while the other types.")

    def _show(self) -> None:
        """Show the board, the chips and the advantage."""
        state = self.contest.state
        x, o = (f"{chips or 'no'} {'chip' if chips == 1 else 'chips'}" for chips in (state.x_chips, state.o_chips))
        purses = "" if self.over else f"\nX has {x}, O has {o}; {state.holder} holds the tie advantage."
        self.console.say(f"\n{self._draw(self.table.game.base, state.board)}\n{purses}")

    def _say(self, side: str, board: int, code: int) -> str:
        """Return a placement in the game's notation."""
        return self._notations[side].say(board, code)

    # The end ----------------------------------------------------------------------------------------------------------

    def _result(self) -> str:
        payoff, after = self.contest.payoff or 0, f"after {with_count(len(self.contest.rounds), 'round')}"
        if not payoff:
            return f"A tie {after}."
        return f"{'X' if payoff > 0 else 'O'} wins{f' by {abs(payoff)}' if abs(payoff) > 1 else ''} {after}."

    def _standing(self) -> tuple[str, str]:
        state = self.table.game.format_state(self.contest.state)
        return f"{with_count(len(self.contest.rounds), 'round')} at {state}", state

    def _look_back(self) -> None:
        rounds, rows = self.contest.rounds, []
        if not rounds:
            return
        for number, entry in enumerate(rounds, 1):
            before, winner = entry.before, entry.sale.winner
            cells = [number, before.x_chips, before.o_chips, before.holder, entry.x_bid, entry.o_bid, winner]
            rows.append([*map(str, cells), self._say(winner, before.board, entry.move)])
        head = ["round", "X has", "O has", "advantage", "X bids", "O bids", "bought by", "placed"]
        self.console.say(f"\n{columns(head, rows)}\n")
        self.console.say(self._decided())

    def _find_decided(self) -> str:
        solution: BiddingSolution = self.know()[0]
        position = solution.lookup(*self.contest.rounds[0].before)
        return wrapped(f"At the start it was worth {worth(position, position.value)}.")


# Words typed and printed ----------------------------------------------------------------------------------------------

MOST_SHOWN = 20
"""Characters of a typed text repeated in a message."""
EXPLAINED = WORDS | {
    "undo": "take back this round, or the one before it",
    "hint": "what the state is worth, each bid or each placement",
    "moves": "list the legal bids or placements",
    "board": "show the board and the chips again",
}
EQUAL_BIDS = {
    "passes": "Equal bids: the holder of the tie advantage wins, and the advantage passes to the other player.",
    "chooses": "Equal bids: the holder of the tie advantage takes it and passes the advantage on, or leaves it and "
    "keeps the advantage.",
}


def read_tie(text: str) -> int:
    """Read whether a tie is taken (0) or left (1). Raises `PositionError`."""
    answers = ("take", "t", "y", "yes"), ("leave", "l", "n", "no")
    for choice, forms in enumerate(answers):
        if text.lower() in forms:
            return choice
    raise PositionError(f"{text[:MOST_SHOWN]!r} is not an answer; write take or leave")


def read_bid(text: str, legal: Sequence[int], *, secret: bool = False) -> int:
    """Read a typed bid; an empty text is a sole legal bid. Raises `PositionError`, not revealing a ``secret`` bid."""
    typed = text.strip()
    if not typed and len(legal) == 1:
        return legal[0]
    number = typed.isascii() and typed.isdecimal()
    if number and int(typed[:MOST_SHOWN]) in legal:
        return int(typed[:MOST_SHOWN])
    shown = "that" if secret and number else repr(typed[:MOST_SHOWN])
    raise PositionError(f"{shown} is not a bid; write a number of chips, {bids_text(legal)}")


def bids_text(legal: Sequence[int]) -> str:
    """Format the legal bids."""
    return f"only {legal[0]}" if len(legal) == 1 else f"{legal[0]} to {legal[-1]}"


def worth(position: BiddingPosition, value: Value) -> str:
    """Describe a value: certain if no chance can intervene, otherwise X's expected payoff."""
    if position.searched:
        return value_text(value)
    least, greatest = position.payoffs
    if position.chance and (value not in (least, greatest) or value == 0):
        return f"an expected {value_text(value)} for X"
    if not value:
        return "a tie"
    margin = f" by {abs(value)}" if least < -1 or greatest > 1 else ""
    return f"a win for {'X' if value > 0 else 'O'}{margin}"


def one_side(base: Game, side: str) -> Game:
    """Return the game ``base`` with only the moves of one ``side``, ``X`` or ``O``, on boards of `Game.either_side`;
    its rules are not compiled. Codes and texts are those of the base game, for reading and writing moves.

    >>> from analysis.games.mnk import TicTacToe
    >>> game = one_side(TicTacToe(), "O")
    >>> [game.format_position(after) for _, after in game.rules().moves(game.parse_position("XX?XOX?OX"))]
    ['XXOXOX?OX', 'XX?XOXOOX']
    """
    rules, bit = EitherSide(base).rules(), SIDES.index(side)

    def legal_moves(state: int, out: Any) -> int:
        codes = [0] * rules.max_moves
        mine = [code >> 1 for code in codes[: rules.legal_moves(state, codes)] if code & 1 == bit]
        out[: len(mine)] = mine
        return len(mine)

    def play(state: int, move: int) -> int:
        return rules.play(state, 2 * move + bit)

    def to_move(state: int) -> int:
        return 1 - 2 * bit

    largest = rules.largest_code // 2
    mine = dataclasses.replace(rules, legal_moves=legal_moves, play=play, to_move=to_move, largest_code=largest)
    game = copy.copy(base)
    vars(game).update(rules=lambda: mine, parse_position=base.parse_either_side)  # the rest is as in the base game
    return game
