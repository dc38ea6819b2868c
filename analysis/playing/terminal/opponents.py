"""Who plays which side, the opponent, and what is known of the game that is played."""

from __future__ import annotations

from analysis.errors import GametreeError, OptionError, TooLargeError
from analysis.machine.workers import Progress
from analysis.playing.players.knowledge import PATIENCE_SECONDS as KNOWING_SECONDS
from analysis.playing.players.knowledge import Knowledge, find_knowledge
from analysis.playing.players.levels import GREATEST_DEPTH, Player, find_player, parse_level
from analysis.playing.terminal.session import Session
from analysis.rules.game import Game

SIDES = (1, -1)
BOTH, NEITHER = frozenset(SIDES), frozenset[int]()


def human_sides(
    game: Game, you: str | None, first: bool = False, second: bool = False, *, begins: int = 1
) -> frozenset[int]:
    """The sides (+1 the first player, -1 the second) that people play. ``you`` is ``X``, ``O``, what the game calls
    its players, ``both`` or ``none``, in any case; ``first`` or ``second`` says whether the person makes the next move,
    which the flags of these names say too; ``begins`` is the side that does. Without any of them the person does.
    Raises `OptionError` where they make no sense or contradict each other.

    >>> from analysis.games.families import load_game
    >>> human_sides(load_game("domineering"), "h"), human_sides(load_game("tictactoe"), None, second=True)
    (frozenset({-1}), frozenset({-1}))
    """
    turn = "" if you is None else you.strip().lower()
    if turn in ("first", "second") and turn not in map(str.lower, game.players):
        you, first, second = None, first or turn == "first", second or turn == "second"
    if first and second:
        raise OptionError("--first and --second contradict each other; you begin, or the opponent does")
    wanted = frozenset((-begins,)) if second else frozenset((begins,))
    if you is None:
        return wanted
    named = _named(game, you)
    if (first or second) and wanted != named:
        option = "--first" if first else "--second"
        raise OptionError(f"--you {you} and {option} contradict each other; leave one of them out")
    return named


def _named(game: Game, you: str) -> frozenset[int]:
    wanted = you.strip().lower()
    for names in (game.players, ("X", "O")):
        for side, name in zip(SIDES, names, strict=True):
            if wanted == name.lower():
                return frozenset((side,))
    if wanted in ("both", "none"):
        return BOTH if wanted == "both" else NEITHER
    known = dict.fromkeys((*game.players, "X", "O", "both", "none", "first", "second"))
    raise OptionError(f"--you {you[:40]!r} is no player of {game.spec}; write one of {', '.join(known)}")


PATIENCE_SECONDS = 10.0
"""How long to try to know the game, unless a perfect opponent is asked for."""

MOVE_SECONDS = 1.0
"""For a move of the opponent where the game is not known."""

LATER_SECONDS = 2.0
"""How long to try to know one of its later positions then."""


class OpponentMemory:
    """What is known of a game, found out when it is first needed, and not tried twice."""

    def __init__(
        self,
        name: str,
        session: Session,
        progress: Progress,
        *,
        symmetry: str | None = None,
        workers: int | None = None,
    ) -> None:
        self.name, self.session, self.progress = name, session, progress
        self.symmetry, self.workers = symmetry, workers
        self._found: Knowledge | None = None
        self._failure: GametreeError | None = None

    def consult(self) -> Knowledge:
        """Knowledge of the whole game or, where that is too much, what finds out about single positions when asked."""
        try:
            return self.recall()
        except (OptionError, TooLargeError):
            self._found = Knowledge(self.session.game, LATER_SECONDS, self.progress, self.workers, self.symmetry)
            return self._found

    def recall(self, patience: float = PATIENCE_SECONDS) -> Knowledge:
        """Knowledge of the whole game. Raises what `players.knowledge.find_knowledge` raises."""
        if self._found is None and self._failure is not None:
            raise self._failure
        if self._found is None:
            start = self.session.game.format_position(self.session.start)
            position = None if self.session.start == self.session.rules.start else start
            try:
                self._found = find_knowledge(
                    self.name, position, patience=patience, symmetry=self.symmetry, workers=self.workers,
                    progress=self.progress,
                )  # fmt: skip
            except GametreeError as error:
                self._failure = error
                raise
            self._found.progress = self.progress
        return self._found


def find_opponent(level: str | None, memory: OpponentMemory, seconds: float | None) -> Player:
    """The player of a level; by default a perfect one where the game can be known soon, otherwise one that searches."""
    game = memory.session.game
    if level is not None:
        needs = parse_level(level).kind in ("perfect", "blunder")
        return find_player(level, game, knowledge=memory.recall(KNOWING_SECONDS) if needs else None, seconds=seconds)
    try:
        return find_player("perfect", game, knowledge=memory.recall())
    except (OptionError, TooLargeError):
        return searching_opponent(game, seconds)


def searching_opponent(game: Game, seconds: float | None) -> Player:
    """Who plays where a game, or a position that has come up, is not known."""
    player = find_player(f"depth:{GREATEST_DEPTH}", game, seconds=seconds or MOVE_SECONDS)
    player.note = f"{PATIENCE_SECONDS:g} s were not enough for perfect play; {player.note}"
    return player
