"""A game in a terminal: the board, whose turn it is, what is typed and what comes of it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from analysis.errors import GametreeError, OptionError, TooLargeError
from analysis.playing.players.levels import Player
from analysis.playing.terminal import texts
from analysis.playing.terminal.conversation import Conversation, Question
from analysis.playing.terminal.session import Session, given_away, known_since, wasted
from analysis.playing.terminal.texts import TypedWords
from analysis.rules.notation import Notation
from analysis.search.advice import advise
from analysis.wording import some

if TYPE_CHECKING:
    from analysis.playing.players.knowledge import Knowledge

SEARCH_SECONDS = 1.0
"""What hints may take where a game cannot be known."""


@dataclasses.dataclass(eq=False)
class Dialogue(Conversation[int, Player]):
    """A `Conversation` in which the sides move in turn.

    ``session`` is the game that is played, ``know`` gives the `Knowledge` of it; ``substitute`` makes the player who
    takes over where a player whom no person has chosen cannot move.
    """

    sides = (1, -1)
    undone = "move of yours"

    session: Session
    substitute: Callable[[], Player] | None = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._gave_up = 0
        notation = Notation(self.session.game)
        self._set_up(notation.game, notation, TypedWords(notation.knows), notation.game.players)

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self.session.over

    # A turn -----------------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        state, side = self.session.state, self.session.side
        player = self.players.get(side)
        if player is not None:
            self._reply(player)
            return
        read = functools.partial(self.notation.read, state=state)
        moves = functools.partial(texts.legal_moves, self.notation, state)
        self._play(self._ask(Question(f"{self.names[side]} to move: ", read, self._hints, moves, side)))

    def _reply(self, player: Player) -> None:
        """A move of a player that is no person."""
        try:
            with self.waiting:
                code = player.choose(self.session.state, self.rng)
        except (OptionError, TooLargeError):
            if self.substitute is None:
                raise
            self.players, self.substitute = dict.fromkeys(self.players, self.substitute()), None
            self._introduce()
            return
        self._play(code)

    def _play(self, code: int) -> None:
        turn = self.session.play(code)
        said = f"{self.names[turn.side]} plays {self.notation.say(turn.state, turn.code)}"
        self.console.say(f"{len(self.session.turns)}. {said}")
        if not self.over and self.session.occurrences > 1:
            self.console.say("This position has occurred before; the third time ends the game as a draw.")
        if self.over or not self.people or self.session.side in self.people:
            self._show()

    # Words ------------------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self.console.say(f"\n{self._draw(self.game, self.session.state)}\n")

    def _help(self) -> str:
        return texts.help_text(self.notation, self.words, self.session)

    def _undo(self, question: Question[Any, int]) -> str:
        taken = self.session.take_back(self.people if len(self.people) == 1 else frozenset(self.sides))
        return ", ".join(self.notation.say(turn.state, turn.code) for turn in reversed(taken))

    def _give_up(self, side: int) -> None:
        super()._give_up(side)
        self._gave_up = side
        self._look_back()

    def _hints(self) -> str:
        """What is known of every move or, where nothing is, what a search says. Raises `OptionError` where not even
        that says anything.
        """
        state, position = self.session.state, self.session.position
        try:
            known: Knowledge = self.know()
            return texts.hints(self.notation, state, known.worth(state), known.moves(state), known.source)
        except GametreeError as error:
            reason = str(error)
        evaluation = self.session.rules.default_evaluation
        advice = advise(self.game, position, seconds=SEARCH_SECONDS, evaluation=evaluation)
        if advice.complete:  # then payoffs say more than what an evaluation makes of them
            advice = advise(self.game, position, depth=advice.depth, evaluation="none")
        return texts.searched(self.notation, state, advice, reason)

    # The end ----------------------------------------------------------------------------------------------------------

    def _result(self) -> str:
        return texts.result(self.session, self.names)

    def _standing(self) -> tuple[str, str]:
        path, position = self.session.path, self.session.position
        moves = some(len(self.session.turns), "ply", "plies") + (f" ({path})" if path else "")
        return f"{moves} at {position}, {self.names[self.session.side]} to move", position

    def _look_back(self) -> None:
        if self.session.turns:
            self.console.say(f"The game as a backtracker: {self.session.path}")
        if self.session.turns or self._gave_up:
            self.console.say(self._decided())

    def _find_decided(self) -> str:
        turns = self.session.turns
        known: Knowledge = self.know()
        since = known_since(turns, known.worth)
        found = given_away(turns, known.worth, known.moves, since)
        let_go = wasted(turns, known.worth, known.moves) if self.session.repeated and not since else None
        if let_go is not None:
            return texts.wasted_in_words(self.notation, let_go)
        said = [texts.decided(self.notation, found, since, len(turns))] if turns else []
        if self._gave_up:
            worth = known.worth(self.session.state)
            if self._gave_up * worth.value >= 0:
                had = texts.kept_in_words(self.game, worth, self._gave_up)
                said = [line.replace("Decided at", "Given away at") for line in said if found]
                said.append(f"Decided by giving up: {self.names[self._gave_up]} could have kept {had}.")
        return "\n".join(said)
