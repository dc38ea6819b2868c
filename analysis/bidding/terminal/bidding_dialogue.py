"""A bidding game in a terminal: both bid in secret, the bids are shown, and whoever has bought the move places."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable, Mapping
from typing import Any, Generic, NoReturn, TypeVar

from analysis.bidding.bidding_position import BiddingPosition
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.contests.contest import Contest, decide, first_mistake
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BidOutcome
from analysis.bidding.players.solved_bidder import DepthBidder, sale_value
from analysis.bidding.terminal import bidding_texts as texts
from analysis.bidding.terminal.one_side import OneSide
from analysis.bidding.terminal.private_console import Screen
from analysis.errors import GametreeError, PositionError, TooLargeError
from analysis.games.bidding import OTHER, BiddingState
from analysis.playing.terminal.notation import Notation
from analysis.playing.terminal.texts import wrapped
from analysis.playing.terminal.typed_words import TypedWords
from analysis.rules.picture import picture

Known = tuple[BiddingSolution, str]
"""A solution, and how it came about."""

HINT_DEPTH = 2
"""Rounds that hints look ahead where the game is not solved."""

TAKE, LEAVE = ("take", "t", "y", "yes"), ("leave", "l", "n", "no")


Answer = TypeVar("Answer")


@dataclasses.dataclass(frozen=True)
class Question(Generic[Answer]):
    """Something that a person is asked."""

    prompt: str
    read: Callable[[str], Answer]
    """The answer that a text means. Raises `PositionError` with the reason where it is none."""
    hints: Callable[[], str]
    """What there is to know; may raise `GametreeError`."""
    moves: Callable[[], str]
    """What is legal."""
    side: str
    """Who is asked."""
    secretly: bool = False
    begun: bool = False
    """Whether something of this round has been said already: to take back is then to begin the round again."""


class _Again(Exception):  # noqa: N818 - no error: the round begins again
    """Somebody took something back."""


class _Left(Exception):  # noqa: N818 - no error either
    """Somebody left."""


class BiddingDialogue:
    """One game between the ``players`` of some sides and the people of the others.

    ``know`` gives the solution when it is first needed; it may raise `GametreeError`. ``resume`` makes the command that
    goes on from a state; ``waiting`` is entered while something may take long.
    """

    def __init__(
        self,
        contest: Contest,
        players: Mapping[str, BiddingPlayer],
        *,
        console: Screen,
        know: Callable[[], Known],
        resume: Callable[[str], str],
        rng: random.Random,
        numbered: bool = False,
        waiting: contextlib.AbstractContextManager[object] | None = None,
    ) -> None:
        self.contest, self.table, self.players = contest, contest.table, players
        self.game = self.table.game
        self.console, self.know, self.resume, self.rng = console, know, resume, rng
        self.numbered = numbered
        self.waiting = waiting or contextlib.nullcontext()
        self.people = [side for side in "XO" if side not in players]
        self.names = {side: f"{side} (you)" if self.people == [side] else side for side in "XO"}
        self._notation = {side: Notation(OneSide(self.game.base, side)) for side in "XO"}
        self.words = TypedWords(lambda text: text.isdecimal() or self._notation["X"].knows(text))

    # The loop ---------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        self._open()
        while self.contest.payoff is None:
            try:
                self._round()
            except _Again:
                self._show()
            except _Left:
                return
        self._close()

    def _round(self) -> None:
        """Both bids, the payment and the placement."""
        state = self.contest.state
        x_bid, o_bid = self._bid(state, "X"), self._bid(state, "O")
        sale = self._sale(state, x_bid, o_bid)
        number = len(self.contest.rounds) + 1
        self.console.say(wrapped(f"Round {number}. {texts.bought(self.game, state, (x_bid, o_bid), sale)}"))
        move = self._placement(sale)
        self.contest.add(x_bid, o_bid, sale, move)
        self.console.say(f"{self.names[sale.winner]} places at {self.say(sale.winner, state.board, move)}.")
        self._show()

    def _bid(self, state: BiddingState, side: str) -> int:
        player = self.players.get(side)
        if player is not None:
            with self.waiting:
                return player.bid(state, side, self.rng)
        legal = self.table.bids(state, side)
        prompt = f"{self.names[side]} bids, {texts.bids_text(legal)}: "

        def hints() -> str:
            return texts.bid_hints(*self._position(state), side, self.say)

        def moves() -> str:
            return f"Legal bids: {texts.bids_text(legal)}."

        def read(text: str) -> int:
            return texts.read_bid(text, legal, texts.purse(state, side), secret=both)

        both = len(self.people) == 2
        return self._ask(Question(prompt, read, hints, moves, side, secretly=both, begun=both and side == "O"))

    def _sale(self, state: BiddingState, x_bid: int, o_bid: int) -> BidOutcome:
        """What comes of two bids, if need be by asking the holder of the advantage."""
        sales = self.table.sales(state, x_bid, o_bid)
        chooser = self.table.chooser(state)
        if len(sales) == 1 or chooser is None or chooser in self.players:
            with self.waiting:
                return decide(self.table, self.players, state, sales, self.rng)
        self.console.say(texts.tie_question(self.game, self.names[chooser], x_bid, chooser))

        def read(text: str) -> BidOutcome:
            typed = text.lower()
            if typed in (*TAKE, *LEAVE):
                return sales[typed in LEAVE]
            raise PositionError(f"{text[: texts.LONGEST]!r} is no answer; write take or leave")

        def hints() -> str:
            known = [self._position(sale.state) for sale in sales]
            values = [sale_value(position, sale.winner) for (position, _), sale in zip(known, sales, strict=True)]
            return texts.tie_hints(values, known[0][1])

        def moves() -> str:
            return "Legal: take, leave."

        return self._ask(Question(f"{self.names[chooser]}, take or leave? ", read, hints, moves, chooser, begun=True))

    def _placement(self, sale: BidOutcome) -> int:
        """The code of the winner's placement."""
        side, board = sale.winner, sale.state.board
        if side in self.players:
            with self.waiting:
                return self.players[side].place(sale.state, side, self.rng)

        def hints() -> str:
            return texts.placement_hints(*self._position(sale.state), side, self.say)

        def moves() -> str:
            legal = [self.say(side, board, code) for code, _ in self.table.moves(board, side)]
            return wrapped(f"Legal placements ({len(legal)}): {'  '.join(legal)}", "  ")

        def read(text: str) -> int:
            return self._notation[side].read(text, board)

        return self._ask(Question(f"{self.names[side]} places: ", read, hints, moves, side, begun=True))

    # Asking -----------------------------------------------------------------------------------------------------------

    def _ask(self, question: Question[Answer]) -> Answer:
        """The answer to a question, however often it takes. Raises `_Again` and `_Left`."""
        ask = self.console.ask_secretly if question.secretly else self.console.ask
        while True:
            text = ask(question.prompt)
            if text is None:
                self._leave("End of input. ")
            try:
                meaning = self.words.find(text)
                if meaning is None:
                    return question.read(text)
                self._obey(meaning, question)
            except GametreeError as error:
                self.console.say(wrapped(f"{error}. {self.words.shortest('help')} explains."))

    def _obey(self, meaning: str, question: Question[Any]) -> None:
        """Do what a word asks for."""
        if meaning == "give up":
            self.console.say(f"{self.names[question.side]} gives up: {OTHER[question.side]} wins.")
            self._leave()
        elif meaning == "quit":
            self._leave()
        elif meaning == "take back":
            self._take_back(question)
        elif meaning == "hints":
            with self.waiting:
                hints = question.hints()
            self.console.say(hints)
        elif meaning == "moves":
            self.console.say(question.moves())
        elif meaning == "board":
            self._show()
        else:
            self._help()

    def _leave(self, why: str = "") -> NoReturn:
        self.console.say(f"{why}{self.farewell()}")
        raise _Left

    def _take_back(self, question: Question[Any]) -> None:
        number = len(self.contest.rounds) + question.begun
        if not question.begun and not self.contest.take_back():
            self.console.say("There is no round to take back.")
            return
        self.console.say(f"Taken back: round {number}.")
        raise _Again

    def _position(self, state: BiddingState) -> tuple[BiddingPosition, str]:
        """What is known of a state, and how: by the solution or, where there is none, by a search."""
        try:
            solution, source = self.know()
        except TooLargeError:
            searching = DepthBidder(self.table, f"depth:{HINT_DEPTH}", HINT_DEPTH)
            source = f"the game is not solved; a search {texts.rounds_text(HINT_DEPTH)} deep, {searching.note}"
            return searching.position(state), source
        return solution.lookup(*state), source

    def _help(self) -> None:
        board = self.contest.state.board
        example = self._notation["X"].example(board)
        secret = len(self.people) == 2
        self.console.say(texts.help_text(self.game, self.words, example, secret=secret))

    # Beginning and end ------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        self.console.say(f"{self.game.spec}: {self.names['X']} against {self.names['O']}.")
        for side, player in self.players.items():
            how = f": {player.note}" if player.note else ""
            self.console.say(wrapped(f"{self.names[side]} is {player.level}{how}."))
        if len(self.people) == 2:
            self.console.say("Both bid at this keyboard, X first: look away while the other types.")
        if self.people:
            self.console.say(f"{self.words.shortest('help')} explains.")
        self._show()

    def _show(self) -> None:
        """The board, the chips and the advantage."""
        state = self.contest.state
        chips = "" if self.contest.payoff is not None else f"\n{texts.purses(state)}"
        numbers = self._notation["X"].numbers(state.board) if self.numbered else None
        self.console.say(f"\n{picture(self.game.base, state.board, numbers)}\n{chips}")

    def _close(self) -> None:
        """How the game ended, round by round, and where it was decided."""
        rounds = self.contest.rounds
        self.console.say(texts.result(self.contest.payoff or 0, len(rounds)))
        if rounds:
            self.console.say(f"\n{texts.rounds_table(rounds, self.say)}\n")
            self.console.say(self._decided())

    def _decided(self) -> str:
        rounds = self.contest.rounds
        try:
            with self.waiting:
                solution, _ = self.know()
                positions = [solution.lookup(*one.before) for one in rounds]
                found = first_mistake(self.table, solution, rounds)
        except GametreeError as error:
            return wrapped(f"Where it was decided is not known: {error}.")
        return texts.decided(found, positions, self.say, self.contest.payoff or 0)

    def farewell(self) -> str:
        """Where the game stands, and how to go on from there."""
        rounds = len(self.contest.rounds)
        if self.contest.payoff is not None:
            return texts.result(self.contest.payoff, rounds)
        state = self.game.format_state(self.contest.state)
        return f"The game stands after {texts.rounds_text(rounds)} at {state}.\nGo on with:\n  {self.resume(state)}"

    def say(self, side: str, board: int, code: int) -> str:
        """A placement as people are told of it."""
        return self._notation[side].say(board, code)
