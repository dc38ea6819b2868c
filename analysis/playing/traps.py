"""Find the moves that keep the value but leave the opponent most room to err, and the longest lines of only moves.

A reply errs if it does not keep the value. How likely that is depends on who replies: a level of play, whose moves have
exact probabilities.

In a line of only moves both sides keep the value throughout, and one side has a single such move each time; the other
side chooses its moves to make this happen as often as possible. A line ends where the side has several moves that keep
the value, and where the game is over; a single legal move is no test, so it is passed over and not counted. In loopy
games, classes that lead to each other are treated together.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from analysis.engine.tiers import ValueRecord
from analysis.errors import PositionError
from analysis.machine.arguments import checked
from analysis.machine.workers import tell_progress
from analysis.playing.knowledge import Knowledge
from analysis.playing.levels import find_player, parse_level
from analysis.playing.player import Player
from analysis.rules.counting import said_path
from analysis.rules.game import HasRules
from analysis.rules.notation import move_name
from analysis.rules.positions import Place, read_position
from analysis.solution.lookup import Child
from analysis.solution.solution import LONGEST, Solution
from analysis.solving.find import find_values

R = TypeVar("R")

MOST_CLASSES = 20_000
"""Limit on the classes searched for a line of only moves, some 0.2 milliseconds each."""


@dataclasses.dataclass(frozen=True)
class OnlyMoves:
    """The longest line from a position in which a side has a single move each time that keeps the value."""

    side: str
    """``X`` or ``O``."""
    count: int | None
    """How often it has several moves of which one alone keeps the value; None if this can go on for ever."""
    path: str
    """A shortest such line, as a backtracker, to the last of these moves or, if endless, to its first repetition."""
    names: tuple[str, ...]
    """Its moves in the game's notation."""
    complete: bool
    """Whether no line was cut off, so that none is longer."""

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree traps --format json`` prints."""
        return dataclasses.asdict(self) | {"endless": self.count is None, "names": list(self.names)}


@dataclasses.dataclass(frozen=True)
class Trap:
    """A move that keeps the value, and how the opponent may err after it. Where the opponent is not to move next, since
    the game is over or the same side moves again, the fields about replies are None.
    """

    move: int
    name: str
    """The move in the game's notation."""
    position: str
    """After the move."""
    value: int
    remoteness_plies: int | None
    """Of that position."""
    replies: int | None
    """Number of the opponent's legal moves."""
    keeping: int | None
    """Number of these that keep the value."""
    chance: Fraction | None
    """The probability that the opponent plays one of the others."""
    loss: Fraction | None
    """The average value that the reply loses, in units of payoff; one that keeps it loses 0."""
    most: int | None
    """The most that a reply with a positive probability loses."""

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree traps --format json`` prints."""
        shown = dict(vars(self))
        for name in ("chance", "loss"):
            exact = shown[name]
            shown[name] = None if exact is None else float(exact)
            shown[f"{name}_exact"] = None if exact is None else str(exact)
        return shown


@dataclasses.dataclass(frozen=True)
class Traps:
    """The moves of a position that keep the value, those with the likeliest error first."""

    game: str
    position: str
    to_move: str
    """``X`` or ``O``."""
    value: int
    remoteness_plies: int | None
    against: str
    """The level that replies."""
    note: str
    """How it knows what it knows, in words."""
    moves: tuple[Trap, ...]
    only_moves: Mapping[str, OnlyMoves]
    """By side: its longest line of only moves."""
    state: int = dataclasses.field(default=0, repr=False)
    """The position as a state."""

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree traps --format json`` prints."""
        shown = ("game", "position", "to_move", "value", "remoteness_plies", "against")
        return {
            **{name: getattr(self, name) for name in shown},
            "moves": [trap.to_json() for trap in self.moves],
            "only_moves": [line.to_json() for line in self.only_moves.values()],
        }


@checked
def find_traps(
    game: str | HasRules | Solution,
    position: Place | None = None,
    *,
    against: str = "random",
    max_classes: int = MOST_CLASSES,
    symmetry: str | None = None,
) -> Traps:
    """Return the moves of a ``position`` (default: the start) of a ``game`` that keep the value, with the probability
    that a reply by the level ``against`` errs, and each side's longest line of only moves, for which at most
    ``max_classes`` classes are visited.

    A GAME_OR_DIR is solved, with this ``symmetry``, unless its solution is stored. Raises `PositionError` where the
    game is over, `OptionError` for an unknown level, and what solving raises.

    >>> traps = find_traps("tictactoe")
    >>> [(trap.name, trap.replies, trap.keeping, str(trap.chance)) for trap in traps.moves[:5]]
    [('0', 8, 1, '7/8'), ('2', 8, 1, '7/8'), ('6', 8, 1, '7/8'), ('8', 8, 1, '7/8'), ('1', 8, 4, '1/2')]
    """
    parse_level(against, bots=True)  # before anything is solved
    solution = find_values(game, position, symmetry)
    state = solution.engine.start if position is None else read_position(solution.game, position)
    knowledge = Knowledge(solution.game)
    knowledge.use(solution, state, "the solution")
    player = find_player(against, solution.game, knowledge=knowledge)
    try:
        player.get_ready()
        return returned(trap_steps(solution, state, player, max_classes=max_classes))
    finally:
        player.close()


def returned(steps: Generator[None, None, R]) -> R:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: R = done.value
            return found


def trap_steps(
    solution: Solution,
    state: int,
    player: Player,
    *,
    max_classes: int = MOST_CLASSES,
) -> Generator[None, None, Traps]:
    """Compute `find_traps` in a ``state`` step by step; a ``player`` replies."""
    rules, known = solution.game.rules(), solution.game
    look = solution.look(state, ValueRecord)
    if look.record.terminal:
        raise PositionError(f"the game is over at {known.format_position(state)}; choose an earlier position")
    side = look.record.to_move
    keeping = [child for child in look.children or () if child.record.value == look.record.value]
    traps = []
    for number, child in enumerate(keeping):
        yield
        tell_progress("replies", number, len(keeping))
        traps.append(_trap(solution, side, child, player))
    traps.sort(key=lambda trap: (trap.chance is None, -(trap.chance or 0)))  # stable: among equals the best stays first
    lines = []
    for each in (-side, side):
        lines.append((yield from only_moves(solution, state, each, most=max_classes)))
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


def _trap(solution: Solution, side: int, child: Child[ValueRecord], player: Player) -> Trap:
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


# Lines of only moves --------------------------------------------------------------------------------------------------


def only_moves(
    solution: Solution, state: int, side: int, *, most: int = MOST_CLASSES
) -> Generator[None, None, OnlyMoves]:
    """Compute a side's (+1 the first player) longest line of only moves from a state, one class per step, ``most`` at
    most. Raises `PositionError` where play does not reach the state, and `RulesNeededError` without rules.
    """
    import networkx as nx  # slow to import

    of = solution.engine.canonical
    root, nodes = of(state), dict[int, tuple[bool, list[int]]]()
    members, open_classes = {root: state}, [root]
    while open_classes:  # depth first
        here = open_classes.pop()
        if here in nodes:
            continue
        counts, keeping = _keeping(solution, members[here], side) if len(nodes) < most else (False, [])
        for child in keeping:
            members.setdefault(of(child.state), child.state)
        nodes[here] = counts, [of(child.state) for child in keeping]
        open_classes += reversed(nodes[here][1])
        tell_progress("following only moves", len(nodes), None)
        yield
    graph: nx.DiGraph[int] = nx.DiGraph((here, child) for here, (_, after) in nodes.items() for child in after)
    graph.add_nodes_from(nodes)
    components, lengths = nx.condensation(graph), dict[int, float]()
    for number in reversed([*nx.topological_sort(components)]):
        together = components.nodes[number]["members"]
        lengths |= dict.fromkeys(together, _length(together, nodes, lengths))
    count = lengths[root]
    moves = (_endless if math.isinf(count) else _shortest)(solution, state, side, lengths)
    return OnlyMoves(
        side="X" if side > 0 else "O",
        count=None if math.isinf(count) else int(count),
        path=said_path(moves, solution.engine.rules.largest_code),
        names=tuple(move_name(solution.game, move) for move in moves),
        complete=len(nodes) <= most or math.isinf(count),
    )


def _keeping(solution: Solution, state: int, side: int) -> tuple[bool, list[Child[ValueRecord]]]:
    """Return whether exactly one of a side's several moves keeps the value, and the moves that may continue a line."""
    look = solution.look(state, ValueRecord)
    children = look.children or ()
    keeping = [child for child in children if child.record.value == look.record.value]
    if look.record.to_move != side:
        return False, keeping
    return len(children) > 1 == len(keeping), keeping if len(keeping) == 1 else []


def _length(together: set[int], nodes: Mapping[int, tuple[bool, list[int]]], lengths: Mapping[int, float]) -> float:
    """Return the number of only moves in the longest line from one class or from classes that lead to each other: that
    of the classes after them, plus one if a single class has one; endless if several do, since play can go round.
    """
    after = {child for state in together for child in nodes[state][1]}
    length = max((lengths[child] for child in after - together), default=0)
    if not any(nodes[state][0] for state in together):
        return length
    return length + 1 if after.isdisjoint(together) else math.inf


def _shortest(solution: Solution, root: int, side: int, lengths: Mapping[int, float]) -> list[int]:
    """Return the codes of a shortest line of that length, the first in move order, found breadth first."""
    of, met, queue = solution.engine.canonical, {root}, [(root, list[int]())]
    for state, codes in queue:
        left = lengths[of(state)]
        if left == 0:
            return codes
        counts, keeping = _keeping(solution, state, side)
        for child in keeping:
            if lengths.get(of(child.state)) == left - counts and child.state not in met:
                met.add(child.state)
                queue.append((child.state, [*codes, child.move]))
    raise AssertionError("a line has an end")


def _endless(solution: Solution, state: int, side: int, lengths: Mapping[int, float]) -> list[int]:
    """Return the codes of an endless line up to its first repetition, or for `LONGEST` plies."""
    of, codes, seen = solution.engine.canonical, list[int](), set[int]()
    while state not in seen and len(codes) < LONGEST:
        seen.add(state)
        _, keeping = _keeping(solution, state, side)
        chosen = next(child for child in keeping if math.isinf(lengths[of(child.state)]))
        codes.append(chosen.move)
        state = chosen.state
    return codes
