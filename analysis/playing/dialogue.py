"""Play a game of alternate moves in a terminal: the moves played, who plays, what is said, and the dialogue."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..common.wording import signed, with_count
from ..errors import GametreeError, OptionError, PositionError, TooLargeError
from ..rules.backtracker import backtracker
from ..rules.game import ONGOING, Game
from ..rules.notation import Notation
from ..rules.positions import read_position
from ..search.finding import PATIENCE_SECONDS as KNOWING_SECONDS
from ..search.finding import Knowledge, find_knowledge
from ..solution.position import JudgedMove, Worth
from .conversation import WORDS, Conversation, Left, TypedPrompt, columns, words_help, wrapped
from .levels import GREATEST_DEPTH, find_player, parse_level
from .player import ForfeitError, Player

REPETITIONS = 3
"""A position that occurs this often ends the game as a draw, since loopy games need not end by themselves."""


class PlayedTurn(NamedTuple):
    """A move that was played."""

    state: int
    """Before it."""
    code: int
    child: int
    """After it."""
    side: int
    """Who played it: +1 the first player, -1 the second."""


class Session:
    """A game in progress from a position (default: its start). Raises `RulesError` for faulty rules.

    >>> from analysis.games.families import load_game
    >>> session = Session(load_game("tictactoe"))
    >>> for code in (0, 3, 1, 4, 2):
    ...     _ = session.play(code)
    >>> session.over, session.outcome, session.path
    (True, 'X', '03142')
    """

    def __init__(self, game: Game, position: str | None = None) -> None:
        self.game, self.rules = game, game.rules()
        self.start = self.rules.start if position is None else read_position(game, position)
        self.turns: list[PlayedTurn] = []

    @property
    def state(self) -> int:
        """The current state."""
        return self.turns[-1].child if self.turns else self.start

    @property
    def position(self) -> str:
        """The current position."""
        return self.game.format_position(self.state)

    @property
    def side(self) -> int:
        """Who is to move: +1 the first player, -1 the second."""
        return self.rules.mover(self.state)

    @property
    def moves(self) -> dict[int, int]:
        """The states after each legal move, by code; none where the rules end the game."""
        return dict(self.rules.moves(self.state))

    @property
    def occurrences(self) -> int:
        """How often the position has occurred, including now."""
        state = self.state
        return (state == self.start) + sum(turn.child == state for turn in self.turns)

    @property
    def repeated(self) -> bool:
        """Whether the game has ended as a draw by repetition."""
        return self.occurrences >= REPETITIONS

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.rules.payoff(self.state) != ONGOING or self.repeated

    @property
    def payoff(self) -> int:
        """The first player's payoff; 0 for a draw by repetition and while the game goes on."""
        payoff = self.rules.payoff(self.state)
        return 0 if payoff == ONGOING else self.game.worth(payoff)

    @property
    def outcome(self) -> str:
        """``X``, ``O``, ``tie``, ``draw`` or ``unfinished``."""
        if not self.over:
            return "unfinished"
        if self.payoff:
            return "X" if self.payoff > 0 else "O"
        return "draw" if self.rules.payoff(self.state) == ONGOING else "tie"

    @property
    def path(self) -> str:
        """The moves played, as a backtracker."""
        return backtracker([turn.code for turn in self.turns], self.rules.largest_code)

    def play(self, code: int) -> PlayedTurn:
        """Play a move. Raises `PositionError` where it is illegal, or the game is over."""
        moves = {} if self.over else self.moves
        if code not in moves:
            reason = "the game is over" if not moves else f"{self.game.format_move(code)} is not legal here"
            raise PositionError(f"position {self.position!r}: {reason}")
        self.turns.append(PlayedTurn(self.state, code, moves[code], self.side))
        return self.turns[-1]

    def take_back(self, sides: frozenset[int] = frozenset((1, -1))) -> list[PlayedTurn]:
        """Take back the last move by one of these sides and everything since; return these turns in order, if any."""
        last = max((i for i, turn in enumerate(self.turns) if turn.side in sides), default=len(self.turns))
        taken = self.turns[last:]
        del self.turns[last:]
        return taken


# Who plays ------------------------------------------------------------------------------------------------------------

SIDES = (1, -1)


def human_sides(game: Game, you: str | None, *, begins: int = 1) -> frozenset[int]:
    """Return the sides (+1 the first player, -1 the second) that people play, where ``you`` is, in any case, ``X``,
    ``O``, a player's name in the game, ``both``, ``none``, ``first`` (the side that ``begins``; the default) or
    ``second``. Raises `OptionError` for anything else.

    >>> from analysis.games.families import load_game
    >>> human_sides(load_game("domineering"), "h"), human_sides(load_game("tictactoe"), "second")
    (frozenset({-1}), frozenset({-1}))
    """
    wanted = "first" if you is None else you.strip().lower()
    named = {"both": SIDES, "none": (), "first": (begins,), "second": (-begins,)}
    for pair in (("X", "O"), game.players):
        named |= {name.lower(): (side,) for side, name in zip(SIDES, pair, strict=True)}
    if you is not None and wanted not in named:
        names = dict.fromkeys((*game.players, "X", "O", "both", "none", "first", "second"))
        raise OptionError(f"--you {you[:40]!r} is not a player of {game.spec}; write one of {', '.join(names)}")
    return frozenset((begins,) if you is None else named[wanted])


PATIENCE_SECONDS = 10.0
"""Time to find out about the game, unless a perfect opponent is asked for."""

MOVE_SECONDS = 1.0
"""Time for a move of the opponent where the game is not known."""

LATER_SECONDS = 2.0
"""Time to find out about a later position in that case."""


class OpponentMemory:
    """What is known of a game: found out when first needed, and not tried twice."""

    def __init__(self, name: str, session: Session, symmetry: str | None) -> None:
        self.name, self.session, self.symmetry = name, session, symmetry

    def recall(self, patience: float) -> Knowledge:
        """Return knowledge of the whole game. Raises what `find_knowledge` raises."""
        start = self.session.start
        place = None if start == self.session.rules.start else self.session.game.format_position(start)
        return find_knowledge(self.name, place, patience=patience, symmetry=self.symmetry)

    @functools.cached_property
    def knowledge(self) -> Knowledge:
        """Knowledge of the whole game or, if that is too large, of single positions when asked."""
        try:
            return self.recall(PATIENCE_SECONDS)
        except (OptionError, TooLargeError):
            return Knowledge(self.session.game, patience=LATER_SECONDS)


def find_opponent(level: str | None, memory: OpponentMemory, seconds: float | None) -> Player:
    """Return the player of a level; by default a perfect one if the game is solved soon, else one that searches."""
    game = memory.session.game
    if level is None and memory.knowledge.solution is not None:
        return find_player("perfect", game, knowledge=memory.knowledge)
    if level is None:
        player = find_player(f"depth:{GREATEST_DEPTH}", game, seconds=seconds or MOVE_SECONDS)
        player.note = f"{PATIENCE_SECONDS:g} s were not enough for perfect play; {player.note}"
        return player
    needs = parse_level(level, bots=True).knows
    player = find_player(level, game, knowledge=memory.recall(KNOWING_SECONDS) if needs else None, seconds=seconds)
    player.get_ready()
    return player


# What is said ---------------------------------------------------------------------------------------------------------


def player(game: Game, side: int) -> str:
    """Return the name of a side."""
    return game.players[0 if side > 0 else 1]


def margin(game: Game, value: int) -> str:
    """Return the winner's margin, such as `` by 3``, in games that count it."""
    least, greatest = game.rules().payoffs
    return f" by {abs(value)}" if value and (least < -1 or greatest > 1 or abs(value) != 1) else ""


def worth_in_words(game: Game, worth: Worth) -> str:
    """Describe the value of a position: ``a win for X``, ``a tie``, ``a draw``."""
    if worth.value:
        return f"a win for {player(game, worth.value)}{margin(game, worth.value)}"
    if worth.remoteness_plies is None and game.rules().loopy:
        return "a draw" if worth.known_remoteness else "a tie or a draw"
    return "a tie"


def given_away(names: Notation, turns: Sequence[PlayedTurn], knowledge: Knowledge) -> str:
    """Describe the moves of a game that gave value away, one a line, as far back as positions are known; the last one
    decided it.
    """
    worths, lines, game = list[Worth](), list[str](), names.game
    with contextlib.suppress(GametreeError):  # before a position that is not known, none is
        for state in (*(turn.child for turn in reversed(turns)), turns[0].state):
            worths.append(knowledge.worth(state))
    since = len(turns) + 1 - len(worths)
    for ply, (before, after) in enumerate(itertools.pairwise(reversed(worths)), since):
        turn = turns[ply]
        if turn.side * after.value < turn.side * before.value:
            kept = names.say_all(turn.state, [move.code for move in knowledge.moves(turn.state) if move.optimal])
            lines.append(
                f"at ply {ply + 1}: {player(game, turn.side)} played {names.say(turn.state, turn.code)} and "
                f"{worth_in_words(game, before)} became {worth_in_words(game, after)}; {kept} would have kept it."
            )
    told = [f"{'Decided' if line is lines[-1] else 'Given away'} {line}" for line in lines]
    if since:
        told.insert(
            0, f"The first {with_count(since, 'ply', 'plies')} could not be judged: too much to solve or search."
        )
    return "\n".join(wrapped(line, "  ") for line in told or ["Every move kept the value."])


def hints(names: Notation, state: int, worth: Worth, moves: Iterable[JudgedMove], source: str) -> str:
    """Return every move, best first, with its value and remoteness."""
    rows = []
    for move in moves:
        value, plies = ("?", "?") if move.worth is None else (signed(move.worth.value), move.worth.remoteness_plies)
        rows.append((names.say(state, move.code), value, "-" if plies is None else str(plies), "yes" * move.optimal))
    head = f"The position is {worth_in_words(names.game, worth)} under optimal play ({source})."
    note = "Remoteness: plies to the end after the move; the winner hurries, the loser delays."
    return f"{wrapped(head)}\n{columns(('move', 'value', 'remoteness', 'optimal'), rows)}\n{wrapped(note)}"


def help_text(notation: Notation, session: Session) -> str:
    """Return the description of the game, how moves are typed, and the words."""
    game = notation.game
    first, second = game.players
    lines = [wrapped(f"{game.spec}: {game.description or 'a game of your own'}.")]
    ends = "Positions can return; one that occurs for the third time ends the game as a draw." * game.rules().loopy
    lines.append(wrapped(f"{first} begins; {second} is the second player. {ends}"))
    if not session.over:
        lines.append(wrapped(f"Type a move, {notation.example(session.state)}."))
    lines += [wrapped(game.notation)] if game.notation else []
    return "\n".join([*lines, *words_help(WORDS, zero=notation.lowest > 0)])


# The dialogue ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(eq=False)
class Dialogue(Conversation):
    """A `Conversation` in which the sides move alternately.

    ``session`` is the game in progress, ``know`` gives the `Knowledge` of it.
    """

    sides = (1, -1)
    undone = "move of yours"

    session: Session

    def __post_init__(self) -> None:
        for player in self.players.values():
            player.new_game(self.session.start)
        notation = Notation(self.session.game, numbered=True)
        self._set_up(notation.game, notation, notation.game.players, zero=notation.lowest > 0)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.session.over

    def run(self) -> None:
        """See `Conversation.run`."""
        try:
            super().run()
        finally:
            for player in self.players.values():
                player.close()

    def _turn(self) -> None:
        state, side = self.session.state, self.session.side
        player = self.players.get(side)
        if player is not None:
            self._reply(player)
            return
        read = functools.partial(self.notation.read, state=state)
        self._play(self._ask(TypedPrompt(f"{self.names[side]} to move: ", read, self._hints, self._moves, side)))

    def _reply(self, player: Player) -> None:
        """Play a move of a player that is not a person."""
        try:
            with self.waiting():
                code = player.choose(self.session.state, self.rng, [turn.code for turn in self.session.turns])
        except ForfeitError as error:
            side = self.session.side
            self.console.say(wrapped(f"{error}."))
            self._lose(side, f"{self.names[side]} loses")
            raise Left from None
        self._play(code)

    def _play(self, code: int) -> None:
        turn = self.session.play(code)
        move = self.notation.say(turn.state, turn.code)
        self.console.say(f"{len(self.session.turns)}. {self.names[turn.side]} plays {move}")
        if not self.over and self.session.occurrences > 1:
            self.console.say("This position has occurred before; the third time ends the game as a draw.")
        if self.over or not self.people or self.session.side in self.people:
            self._show()

    def _show(self) -> None:
        self.console.say(f"\n{self._draw(self.game, self.session.state)}\n")

    def _moves(self) -> str:
        state = self.session.state
        legal = [self.notation.say(state, move.code) for move in self.notation.legal(state)]
        return wrapped(f"Legal moves ({len(legal)}): {'  '.join(legal)}", "  ")

    def _help(self) -> str:
        return help_text(self.notation, self.session)

    def _undo(self, question: TypedPrompt) -> str:
        taken = self.session.take_back(self.people if len(self.people) == 1 else frozenset(self.sides))
        for player in self.players.values():
            player.new_game(self.session.start)
        return ", ".join(self.notation.say(turn.state, turn.code) for turn in reversed(taken))

    def _lose(self, side: int, how: str) -> None:
        super()._lose(side, how)
        self._look_back()

    def _hints(self) -> str:
        """Return the value of every move. Raises `OptionError` if that is not known."""
        state, knowledge = self.session.state, self.know()
        return hints(self.notation, state, knowledge.worth(state), knowledge.moves(state), knowledge.source)

    def _result(self) -> str:
        after = f"after {with_count(len(self.session.turns), 'ply', 'plies')}"
        if self.session.outcome == "draw":
            return f"A draw {after}: the same position for the third time; play need not end."
        if self.session.outcome == "tie":
            return f"A tie {after}."
        return (
            f"{self.names[1 if self.session.payoff > 0 else -1]} wins{margin(self.game, self.session.payoff)} {after}."
        )

    def _standing(self) -> tuple[str, str]:
        path, position = self.session.path, self.session.position
        moves = with_count(len(self.session.turns), "ply", "plies") + (f" ({path})" if path else "")
        return f"{moves} at {position}, {self.names[self.session.side]} to move", position

    def _look_back(self) -> None:
        if self.session.turns:
            self.console.say(f"The game as a backtracker: {self.session.path}")
            self.console.say(self._decided())

    def _find_decided(self) -> str:
        return given_away(self.notation, self.session.turns, self.know())
