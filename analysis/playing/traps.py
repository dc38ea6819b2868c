"""Which moves that keep the value leave the opponent most room to err.

A reply errs where it does not keep the value. How likely it does is a matter of who replies: a level of play, whose
moves have exact probabilities.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Any

from analysis.engine.tiers import ValueRecord
from analysis.errors import PositionError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.playing.players.knowledge import Knowledge
from analysis.playing.players.levels import Player, find_player, parse_level
from analysis.rules.game import HasRules
from analysis.rules.notation import move_name
from analysis.rules.positions import read_position
from analysis.solution.lookup import Child
from analysis.solution.only_moves import MOST_CLASSES, OnlyMoves, only_moves_steps, returned
from analysis.solution.solution import Solution
from analysis.solving.find import find_values


@dataclasses.dataclass(frozen=True)
class Trap:
    """A move that keeps the value, and how the opponent may err after it. Where the opponent is not to move after it,
    since the game is over or the same side moves again, there are no replies: all that is about them is None.
    """

    move: int
    name: str
    """The move as people write it."""
    position: str
    """After the move."""
    value: int
    remoteness_plies: int | None
    """Of that position."""
    replies: int | None
    """How many legal moves the opponent has."""
    keeping: int | None
    """How many of them keep the value."""
    chance: Fraction | None
    """The probability that the opponent errs: plays one of the others."""
    loss: Fraction | None
    """The value that the opponent's reply loses on average, in units of payoff; one that keeps it loses 0."""
    most: int | None
    """The most that a reply loses which the opponent may choose."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree traps --format json`` prints it."""
        shown = dict(vars(self))
        for name in ("chance", "loss"):
            exact = shown[name]
            shown[name] = None if exact is None else float(exact)
            shown[f"{name}_exact"] = None if exact is None else str(exact)
        return shown


@dataclasses.dataclass(frozen=True)
class Traps:
    """The moves of a position that keep the value, the greatest chance of an error first."""

    game: str
    position: str
    to_move: str
    """``X`` or ``O``."""
    value: int
    remoteness_plies: int | None
    against: str
    """The level that replies."""
    note: str
    """How it knows what it knows, for people."""
    moves: tuple[Trap, ...]
    only_moves: Mapping[str, OnlyMoves]
    """By side: the longest line in which it has one move each time that keeps the value."""
    state: int = dataclasses.field(default=0, repr=False)
    """The position as the rules know it."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree traps --format json`` prints it."""
        names = ("game", "position", "to_move", "value", "remoteness_plies", "against")
        return {
            **{name: getattr(self, name) for name in names},
            "moves": [trap.to_json() for trap in self.moves],
            "only_moves": [line.to_json() for line in self.only_moves.values()],
        }


@checked
def find_traps(
    game: str | HasRules | Solution,
    position: str | None = None,
    *,
    against: str = "random",
    max_classes: int = MOST_CLASSES,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Traps:
    """The moves of a ``position`` (default: the start) of a ``game`` that keep the value, and how likely a reply by the
    level ``against`` errs; and for each side the longest line in which it has one move that keeps the value each time,
    for which at most ``max_classes`` classes are looked at.

    A game or a directory (GAME_OR_DIR) is solved, with this ``symmetry`` and by so many ``workers``, unless its
    solution is stored; ``progress`` is told how far it is. Raises `PositionError` where the game is over,
    `OptionError` for another level, and what solving raises.

    >>> traps = find_traps("tictactoe")
    >>> [(trap.name, trap.replies, trap.keeping, str(trap.chance)) for trap in traps.moves[:5]]
    [('0', 8, 1, '7/8'), ('2', 8, 1, '7/8'), ('6', 8, 1, '7/8'), ('8', 8, 1, '7/8'), ('1', 8, 4, '1/2')]
    """
    parse_level(against)  # before anything is solved
    solution = game if isinstance(game, Solution) else _solved(game, position, symmetry, workers, progress)
    state = solution.engine.start if position is None else read_position(solution.game, position)
    knowledge = Knowledge(solution.game)
    knowledge.use(solution, state, "the solution")
    player = find_player(against, solution.game, knowledge=knowledge)
    return returned(trap_steps(solution, state, player, max_classes=max_classes, progress=progress))


def trap_steps(
    solution: Solution,
    state: int,
    player: Player,
    *,
    max_classes: int = MOST_CLASSES,
    progress: Progress = no_progress,
) -> Generator[None, None, Traps]:
    """What `find_traps` finds in a ``state``, a little at a time; a ``player`` replies."""
    rules, known = solution.game.rules(), solution.game
    look = solution.look(state, ValueRecord)
    if look.record.terminal:
        raise PositionError(f"the game is over at {known.format_position(state)}; ask where it goes on")
    side = look.record.to_move
    keeping = [child for child in look.children or () if child.record.value == look.record.value]
    traps = []
    for number, child in enumerate(keeping):
        yield
        progress("replies", number, len(keeping))
        traps.append(_trap(solution, side, child, player))
    traps.sort(key=lambda trap: (trap.chance is None, -(trap.chance or 0)))  # of equal ones the best first, as they are
    lines = []
    for each in (-side, side):
        lines.append((yield from only_moves_steps(solution, state, each, most=max_classes, progress=progress)))
    return Traps(
        game=known.spec,
        position=known.format_position(state),
        to_move="X" if rules.mover(state) > 0 else "O",
        value=look.record.value,
        remoteness_plies=look.record.remoteness_plies,
        against=player.level,
        note=player.note,
        moves=tuple(traps),
        only_moves={line.side: line for line in lines},
        state=state,
    )


def _solved(
    game: str | HasRules, position: str | None, symmetry: str | None, workers: int | None, progress: Progress
) -> Solution:
    from analysis.playing.matches.expectation import game_of  # what plays matches takes a while to load

    game_of(game)  # refuses games of bids
    return find_values(game, position, symmetry=symmetry, workers=workers, progress=progress)


def _trap(solution: Solution, side: int, child: Child[ValueRecord], player: Player) -> Trap:
    """What may follow a move of a side."""
    game, record = solution.game, child.record
    known = (
        child.move, move_name(game, child.move), game.format_position(child.state),
        record.value, record.remoteness_plies,
    )  # fmt: skip
    look = solution.look(child.state, ValueRecord)
    if look.record.terminal or look.record.to_move == side:
        return Trap(*known, None, None, None, None, None)
    shares = player.distribution(child.state)
    lost = {reply.move: side * (reply.record.value - record.value) for reply in look.children or ()}
    return Trap(
        *known,
        replies=len(lost),
        keeping=sum(not loss for loss in lost.values()),
        chance=sum((shares[code] for code, loss in lost.items() if loss), Fraction(0)),
        loss=sum((shares[code] * loss for code, loss in lost.items()), Fraction(0)),
        most=max(loss for code, loss in lost.items() if shares[code]),
    )
