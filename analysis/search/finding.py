"""What can be known of one position, in the best way that there is: see `find_position`."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from analysis.errors import CountOverflowError, OptionError, TooLargeError
from analysis.machine.workers import Progress, no_progress, patient
from analysis.rules.game import ONGOING, Game
from analysis.rules.positions import read_position
from analysis.solution.position import Position
from analysis.solution.solution import Solution
from analysis.solving import named_game, solve, stored_solution

if TYPE_CHECKING:
    from analysis.search.advice import Advice
    from analysis.search.proving import Proof

SECONDS = 10.0
"""What a search for a proof may take, unless told otherwise."""

SOLVING_SECONDS = 3.0
"""What solving may take where nobody knows how large the game is from there."""

EVALUATION_SECONDS = 1.0
"""What an evaluation takes where nothing can be proven."""


@dataclasses.dataclass(frozen=True)
class ProvenMove:
    """A legal move, as far as searches know it; the fields are those of `Move`, None where they do not."""

    move: int
    position: str
    value: int | None
    remoteness_plies: int | None
    optimal: bool | None
    nimber: int | None
    name: str


@dataclasses.dataclass(frozen=True)
class Proven:
    """A position whose value searches have proven; the fields are those of `Position`."""

    position: str
    to_move: str | None
    value: int
    remoteness_plies: int | None
    """None where it is not known, too."""
    moves: tuple[ProvenMove, ...]
    histories: None = None
    games: None = None
    nimber: None = None

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        names = ("position", "to_move", "value", "remoteness_plies", "histories", "games", "nimber")
        found = {name: getattr(self, name) for name in names}
        return found | {"moves": [dataclasses.asdict(move) for move in self.moves]}


@dataclasses.dataclass(frozen=True)
class Finding:
    """What is known of a position, and where that is from."""

    game: Game
    state: int
    known: Position | Proven | Advice
    """`Proven` by searches, or `Advice` by a search of limited depth, where it is not known by solving."""
    source: str
    """Where it is from, for people, such as ``the solution in data/tictactoe``."""
    exact: bool
    """Whether the values are those of optimal play."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        return self.known.to_json() | {"source": self.source, "exact": self.exact}


def find_position(
    name: str | Game,
    position: str | None = None,
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Finding:
    """What can be known of a ``position`` (default: the start) of a GAME_OR_DIR.

    In this order: from a stored solution that holds it, whatever its symmetries unless one ``symmetry`` is asked for;
    from the whole game, solved here, if that is known to fit; from the position on, solved here, if that takes no
    longer than `SOLVING_SECONDS`; proven by searches to the end that take ``seconds`` (default: `SECONDS`); or, not
    exact, by a search of limited depth and what the game's evaluation makes of its leaves. So many ``threads`` work at
    once (default: one a core), and ``progress`` is told how far it is.

    Raises what loading a game or its solution raises, `PositionError` for a text that is no position, before anything
    is solved, and for one that play does not reach, and `OptionError` for ``seconds`` that are no time.

    >>> found = find_position("tictactoe", "XOX?O????")
    >>> found.known.value, found.exact
    (0, True)
    """
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"{seconds:g} seconds are no time to search; give more than 0")
    game = named_game(name)
    state = game.rules().start if position is None else read_position(game, position)
    stored = stored_solution(name, symmetry, counts=False)
    if stored is not None:
        return _solved(stored, state, f"the solution in {stored.directory}")
    settings = {"symmetry": symmetry or "geometric", "threads": threads}
    found = _solve_whole(game, state, settings, progress) or _solve_from(game, state, settings, progress)
    if found is not None:
        return found
    return _search(game, state, SECONDS if seconds is None else seconds, threads, progress)


def _solve_whole(game: Game, state: int, settings: dict[str, Any], progress: Progress) -> Finding | None:
    """From the start on, where the game says beforehand how large it is; `TooLargeError` comes at once then."""
    if game.expected_positions() is None:
        return None
    try:
        solution = solve(game, progress=progress, **settings)
    except TooLargeError:
        return None
    return _solved(solution, state, "the game, solved here")


def _solve_from(game: Game, state: int, settings: dict[str, Any], progress: Progress) -> Finding | None:
    """The whole game, or else what is left of it, as far as that is soon done."""
    start = game.rules().start
    known = game.expected_positions() is not None
    for begin in [state] if known or state == start else [start, state]:
        try:
            solution = solve(
                game, position=None if begin == start else game.format_position(begin),
                progress=patient(progress, SOLVING_SECONDS, _TimeIsUpError()), **settings,
            )  # fmt: skip
        except (_TimeIsUpError, TooLargeError, CountOverflowError):
            continue
        from_there = "the game" if begin == start else "the game from there on"
        return _solved(solution, state, f"{from_there}, solved here")
    return None


class _TimeIsUpError(Exception):
    """A solve has taken as long as it may."""


def _solved(solution: Solution, state: int, source: str) -> Finding:
    position = solution.at(state)
    if solution.engine.start != solution.game.rules().start:  # then they count move sequences from there only
        position = dataclasses.replace(position, histories=None)
    return Finding(solution.game, state, position, source, exact=True)


def _search(game: Game, state: int, seconds: float, threads: int | None, progress: Progress) -> Finding:
    """What a proof shows or, where there is none, what an evaluation says."""
    from analysis.search.advice import advise  # what searches takes a while to load
    from analysis.search.proving import prove

    if game.rules().payoff(state) != ONGOING:
        return _ended(game, state)
    began = time.monotonic()
    try:
        proof = prove(game, state, seconds, progress, threads=threads, every_move=True)
    except TooLargeError:
        proof = None
    if proof is not None:
        took = f"{proof.nodes:,} nodes in {time.monotonic() - began:.1f} s"
        return Finding(game, state, _proven(game, state, proof), f"searches to the end of the game, {took}", exact=True)
    text, evaluation = game.format_position(state), game.rules().default_evaluation
    advice = advise(game, text, seconds=EVALUATION_SECONDS, evaluation=evaluation or "none", progress=progress)
    said = f"the evaluation {evaluation}" if evaluation else "a guess: open positions count 0"
    source = f"{said}, {advice.depth} plies deep; not proven in {seconds:g} s"
    return Finding(game, state, advice, source, exact=advice.complete)


def _ended(game: Game, state: int) -> Finding:
    """A position in which the game is over."""
    known = Proven(game.format_position(state), None, game.rules().payoff(state), 0, ())
    return Finding(game, state, known, "the rules", exact=True)


def _proven(game: Game, state: int, proof: Proof) -> Proven:
    """A position as searches have shown it."""
    after, moves = dict(game.rules().moves(state)), []
    for code, worth, optimal in proof.moves:
        value, plies = (None, None) if worth is None else (worth.value, worth.remoteness_plies)
        keeps = True if optimal else None if worth is None else False
        text = game.format_position(after[code])
        moves.append(ProvenMove(code, text, value, plies, keeps, None, game.format_move(code)))
    side = "X" if game.rules().mover(state) > 0 else "O"
    return Proven(game.format_position(state), side, proof.worth.value, proof.worth.remoteness_plies, tuple(moves))
