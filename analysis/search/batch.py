"""What can be known of many positions, in the best way that there is: see `find_positions`."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Iterable, Iterator
from typing import Any

from analysis.errors import GametreeError, PositionError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.notation import Notation, move_name
from analysis.rules.positions import read_position
from analysis.search import finding
from analysis.solution.position import Worth, preference
from analysis.solution.solution import Solution
from analysis.solving.find import named_game, stored_solution

TOGETHER = 1 << 14
"""Positions that are looked up at once, and that are in memory."""

LEAST_SECONDS = 0.1
"""What a position that is not solved has of the time at least, as long as there is any."""


GRACE_SECONDS = 1.0
"""For how long positions still get that once there is none: the compiler may have taken all of it."""


@dataclasses.dataclass(frozen=True)
class FoundPosition:
    """What is known of one of many positions; where the text is none, only ``given`` and ``error``."""

    given: str
    """The text that was given."""
    position: str | None = None
    """The position as the game writes it."""
    to_move: str | None = None
    """``X`` or ``O``; None where the game is over."""
    value: int | None = None
    """The first player's payoff under optimal play, or a guess at it if it is not ``exact``."""
    remoteness_plies: int | None = None
    """None for a draw, and where it is not known."""
    best_moves: tuple[int, ...] = ()
    """The codes of the moves that are known to keep the value, best first."""
    best_names: tuple[str, ...] = ()
    """The same moves as people write them."""
    exact: bool | None = None
    """Whether the value is that of optimal play."""
    source: str | None = None
    """Where it is from, for people."""
    error: str | None = None
    """What is wrong with the text."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show GAME FILE --format json`` prints it."""
        return vars(self) | {"best_moves": list(self.best_moves), "best_names": list(self.best_names)}


@checked
def find_positions(
    game: str | HasRules,
    positions: Iterable[str | GametreeError],
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Iterator[FoundPosition]:
    """What can be known of each of many ``positions`` of a GAME_OR_DIR, in their order; see `find_position`.

    They are looked up together in a stored solution, with this ``symmetry`` if one is wanted, or in one made here if
    the whole game fits; some are in memory at a time. Otherwise all are read first, and each is searched for an equal
    share of what is left of the ``seconds`` (by default `finding.SECONDS` for each); what comes when the time is over
    has no value. So many ``workers`` work at once, and ``progress`` is told how far it is. A text that is no position,
    or that play does not reach, has its ``error``; so has an error that is given in the place of a text.

    Raises what loading a game or its solution raises, and `OptionError` for ``seconds`` that are no time.

    >>> [(found.position, found.value, found.best_moves) for found in find_positions("tictactoe", ["04", "XOX?O????"])]
    [('X???O????', 0, (1, 2, 3, 5, 6, 7, 8)), ('XOX?O????', 0, (7,))]
    >>> next(find_positions("tictactoe", ["00"])).error
    "move 2 of '00': a1 is taken by X"
    """
    finding.check_seconds(seconds)
    began = time.monotonic()
    stored = stored_solution(game, symmetry, counts=False)
    if stored is not None:
        return _looked_up(stored, f"the solution in {stored.directory}", positions)
    named = named_game(game)
    kind = symmetry or "geometric"
    ends = math.inf if seconds is None else began + finding.SOLVING_SHARE * seconds
    solution = finding.solve_game(named, kind, workers, progress, ends)
    if solution is not None:
        return _looked_up(solution, finding.WHOLE, positions)
    return _searched(named, positions, kind, workers, progress, None if seconds is None else began + seconds)


def _looked_up(solution: Solution, source: str, positions: Iterable[str | GametreeError]) -> Iterator[FoundPosition]:
    """Some at a time."""
    left, notation = iter(positions), Notation(solution.game)
    while some := list(itertools.islice(left, TOGETHER)):
        read = [_read(each, notation) for each in some]
        states = {state for state in read if isinstance(state, int)}
        moves = {state: notation.rules.moves(state) if solution.engine.ruled else [] for state in states}
        worths = solution.worths(states | {child for after in moves.values() for _, child in after})
        for given, state in zip(some, read, strict=True):
            text = given if isinstance(given, str) else ""
            if isinstance(state, GametreeError):
                yield FoundPosition(text, error=str(state))
            elif state not in worths:
                where = f"position {solution.game.format_position(state)} is not reached from {solution.start}"
                yield FoundPosition(text, error=where)
            else:
                yield _solved(solution, text, state, moves[state], worths, source)


def _solved(
    solution: Solution, text: str, state: int, moves: list[tuple[int, int]], worths: dict[int, Worth], source: str
) -> FoundPosition:
    """What a solution tells of a state with these moves, of which it is known what they are worth."""
    game, rules, worth = solution.game, solution.engine.rules, worths[state]
    over = rules.payoff(state) != ONGOING
    side = 0 if over else rules.mover(state)
    best = [(code, worths[child]) for code, child in moves if worths[child].value == worth.value]
    codes = tuple(code for code, _ in sorted(best, key=lambda move: preference(side, move[1], move[0])))
    mover = None if over else "X" if side > 0 else "O"
    names = tuple(move_name(game, code) for code in codes)
    position = game.format_position(state)
    return FoundPosition(text, position, mover, worth.value, worth.remoteness_plies, codes, names, True, source)


def _searched(
    game: Game,
    positions: Iterable[str | GametreeError],
    symmetry: str,
    workers: int | None,
    progress: Progress,
    ends: float | None,
) -> Iterator[FoundPosition]:
    """One after the other, equal ones once."""
    notation = Notation(game)
    read = [(each if isinstance(each, str) else "", _read(each, notation)) for each in positions]
    left = dict.fromkeys(state for _, state in read if isinstance(state, int))
    ends = time.monotonic() + finding.SECONDS * len(left) if ends is None else ends
    found: dict[int, FoundPosition] = {}
    for number, (text, state) in enumerate(read):
        if isinstance(state, GametreeError):
            yield FoundPosition(text, error=str(state))
            continue
        if state not in found:
            progress("positions", number, len(read))
            share = max(LEAST_SECONDS, (ends - time.monotonic()) / (len(left) - len(found)))
            late = time.monotonic() >= ends + GRACE_SECONDS
            known = None if late else finding.find_state(game, state, share, symmetry, workers, no_progress)
            found[state] = _row(game, state, known)
        yield dataclasses.replace(found[state], given=text)


def _row(game: Game, state: int, found: finding.Finding | None) -> FoundPosition:
    """What was found of a state; None if there was no time."""
    position = game.format_position(state)
    if found is None:
        return FoundPosition("", position, exact=False, source="not known: the time was over")
    known = found.known
    best = [move for move in known.moves if move.optimal]
    codes, names = tuple(move.move for move in best), tuple(move.name for move in best)
    plies = getattr(known, "remoteness_plies", None)
    return FoundPosition("", position, known.to_move, known.value, plies, codes, names, found.exact, found.source)


def _read(given: str | GametreeError, notation: Notation) -> int | GametreeError:
    """The state of a text, or what is wrong with it."""
    if isinstance(given, GametreeError):
        return given
    if not isinstance(given, str):
        return PositionError(f"a position is a text, not {type(given).__name__}")
    try:
        return read_position(notation.game, given, notation)
    except GametreeError as error:
        return error
