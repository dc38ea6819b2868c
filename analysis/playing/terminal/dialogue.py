"""A game in a terminal: the board, whose turn it is, what is typed and what comes of it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from analysis.errors import GametreeError, OptionError, RulesError, TooLargeError
from analysis.playing.players.player import Player
from analysis.playing.terminal import texts
from analysis.playing.terminal.decided import given_away, known_since, wasted
from analysis.playing.terminal.notation import Notation
from analysis.playing.terminal.session import Session
from analysis.playing.terminal.typed_words import TypedWords
from analysis.rules.picture import picture
from analysis.search.advice import advise

if TYPE_CHECKING:
    from analysis.playing.players.knowledge import Knowledge

SEARCH_SECONDS = 1.0
"""What hints may take where a game cannot be known."""


class Screen(Protocol):
    """What `console.Console` does."""

    def say(self, text: str = "") -> None:
        """Print lines."""

    def ask(self, prompt: str) -> str | None:
        """What is typed; None at the end of the input."""


class Dialogue:
    """One game between the ``players`` of some sides and the people of the others.

    ``know`` finds `Knowledge` of the game when it is first needed; it may raise `GametreeError`. ``resume`` makes the
    command that goes on from a position; ``waiting`` is entered while something may take long; ``substitute`` makes the
    player who takes over where a player of nobody's choosing cannot move.
    """

    def __init__(
        self,
        session: Session,
        players: Mapping[int, Player],
        *,
        console: Screen,
        know: Callable[[], Knowledge],
        resume: Callable[[str], str],
        rng: random.Random,
        numbered: bool = False,
        waiting: contextlib.AbstractContextManager[object] | None = None,
        substitute: Callable[[], Player] | None = None,
    ) -> None:
        self.session, self.game, self.players = session, session.game, players
        self.substitute = substitute
        self.notation = Notation(self.game)
        self.words = TypedWords(self.notation.knows)
        self.console, self.know, self.resume, self.rng = console, know, resume, rng
        self.numbered = numbered
        self.waiting = waiting or contextlib.nullcontext()
        self.people = frozenset((1, -1)) - set(players)
        self.names = {side: self._name(side) for side in (1, -1)}
        self._answers: dict[str, Callable[[], bool]] = {
            "give up": self._give_up,
            "take back": self._take_back,
            "hints": self._hint,
            "moves": self._list_moves,
            "board": self._show,
            "help": self._help,
            "quit": self._quit,
        }

    # The loop ---------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        self._open()
        while not self.session.over:
            player = self.players.get(self.session.side)
            if player is not None:
                self._reply(player)
            elif not self._turn():
                return
        self._close()

    def _turn(self) -> bool:
        """One line from a person; False where that ends it."""
        text = self.console.ask(f"{self.names[self.session.side]} to move: ")
        if text is None:
            return self._quit("End of input. ")
        try:
            meaning = self.words.find(text)
            if meaning is not None:
                return self._answers[meaning]()
            self._play(self.notation.read(text, self.session.state))
        except RulesError:
            raise
        except GametreeError as error:
            self.console.say(texts.wrapped(f"{error}. {self.words.shortest('help')} explains."))
        return True

    def _reply(self, player: Player) -> None:
        """A move of a player that is no person."""
        try:
            with self.waiting:
                code = player.choose(self.session.state, self.rng)
        except (OptionError, TooLargeError):
            if self.substitute is None:
                raise
            player = self.substitute()
            self.players, self.substitute = dict.fromkeys(self.players, player), None
            self._introduce()
            return
        self._play(code)

    def _play(self, code: int) -> None:
        turn = self.session.play(code)
        said = f"{self.names[turn.side]} plays {self.notation.say(turn.state, turn.code)}"
        self.console.say(f"{len(self.session.turns)}. {said}")
        if not self.session.over and self.session.occurrences > 1:
            self.console.say("This position has occurred before; the third time ends the game as a draw.")
        if self.session.over or not self.people or self.session.side in self.people:
            self._show()

    # Beginning and end ------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        first, second = (self.names[side] for side in (1, -1))
        self.console.say(f"{self.game.spec}: {first} against {second}.")
        self._introduce()
        if self.people:
            self.console.say(f"{self.words.shortest('help')} explains.")
        self._show()

    def _introduce(self) -> None:
        """Who plays what."""
        for side, player in self.players.items():
            how = f": {player.note}" if player.note else ""
            self.console.say(texts.wrapped(f"{self.names[side]} is {player.level}{how}."))

    def _close(self) -> None:
        """How the game ended, and where it was decided."""
        self.console.say(texts.result(self.session, self.names))
        self._look_back()

    def _look_back(self) -> None:
        """The moves, and where the game was decided."""
        if self.session.turns:
            self.console.say(f"The game as a backtracker: {self.session.path}")
            self.console.say(self._decided())

    def _decided(self) -> str:
        turns = self.session.turns
        try:
            with self.waiting:
                known = self.know()
                since = known_since(turns, known.worth)
                found = given_away(turns, known.worth, known.moves, since)
                let_go = wasted(turns, known.worth, known.moves) if self.session.repeated and not since else None
        except GametreeError as error:
            return texts.wrapped(f"Where it was decided is not known: {error}.")
        if let_go is not None:
            return texts.wasted_in_words(self.notation, let_go)
        return texts.decided(self.notation, found, since, len(turns))

    def farewell(self) -> str:
        """Where the game stands, and how to go on from there."""
        position, played = self.session.position, texts.plies(len(self.session.turns))
        if self.session.over:
            return texts.result(self.session, self.names)
        who, path = self.names[self.session.side], self.session.path
        moves = f" ({path})" if path else ""
        return (
            f"The game stands after {played}{moves} at {position}, {who} to move.\n"
            f"Go on with:\n  {self.resume(position)}"
        )

    # Words ------------------------------------------------------------------------------------------------------------

    def _give_up(self) -> bool:
        side = self.session.side
        self.console.say(f"{self.names[side]} gives up: {self.names[-side]} wins.")
        self._look_back()
        self.console.say(self.farewell())
        return False

    def _quit(self, why: str = "") -> bool:
        self.console.say(f"{why}{self.farewell()}")
        return False

    def _take_back(self) -> bool:
        taken = self.session.take_back(self.people if len(self.people) == 1 else frozenset((1, -1)))
        if not taken:
            self.console.say("There is no move of yours to take back.")
            return True
        moves = ", ".join(self.notation.say(turn.state, turn.code) for turn in reversed(taken))
        self.console.say(texts.wrapped(f"Taken back: {moves}."))
        return self._show()

    def _hint(self) -> bool:
        state = self.session.state
        with self.waiting:
            try:
                known = self.know()
                worth, moves = known.worth(state), known.moves(state)
            except GametreeError as error:
                self.console.say(self._searched(str(error)))
                return True
        self.console.say(texts.hints(self.notation, state, worth, moves, known.source))
        return True

    def _searched(self, reason: str) -> str:
        """Hints where nothing is known. Raises `OptionError` where not even a search says anything."""
        advice = advise(
            self.game,
            self.session.position,
            seconds=SEARCH_SECONDS,
            evaluation=self.session.rules.default_evaluation,
        )
        if advice.complete:  # then payoffs say more than what an evaluation makes of them
            advice = advise(self.game, self.session.position, depth=advice.depth, evaluation="none")
        return texts.searched(self.notation, self.session.state, advice, reason)

    def _list_moves(self) -> bool:
        self.console.say(texts.legal_moves(self.notation, self.session.state))
        return True

    def _show(self) -> bool:
        state = self.session.state
        numbers = self.notation.numbers(state) if self.numbered and not self.session.over else None
        self.console.say(f"\n{picture(self.game, state, numbers)}\n")
        return True

    def _help(self) -> bool:
        self.console.say(texts.help_text(self.notation, self.words, self.session))
        return True

    def _name(self, side: int) -> str:
        """What a side is called, and whether that is the person at the keyboard."""
        return texts.player(self.game, side) + (" (you)" if self.people == {side} else "")
