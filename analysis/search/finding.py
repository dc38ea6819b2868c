"""Find out what is known of positions: look them up in the solved game, or search as far as time allows."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..common.context import exploring_within, no_progress
from ..common.memory import Budget
from ..common.results import Printable
from ..common.wording import described
from ..common.workers import processors, tell_progress, telling
from ..engine.plan import STATE
from ..engine.tiers import VALUES
from ..errors import (
    ArgumentError,
    CountOverflowError,
    GametreeError,
    OptionError,
    TooLargeError,
)
from ..rules.game import ONGOING, Game, GameLike
from ..rules.notation import Notation
from ..rules.positions import Place, read_position
from ..rules.symmetry import find_group
from ..solution.position import JSON_FIELDS, JudgedMove, Move, Position, Worth, best_first, preference, worth_of
from ..solution.solution import Solution
from ..solving.find import named_game, read_start, solving_within, stored_solution
from ..solving.solve import solve

if TYPE_CHECKING:
    from .proving import Deepening, Proof

SECONDS = 10.0
"""The default time for a search for a proof, and for solving a game of unknown size."""

PATIENCE_SECONDS = 60.0
"""The default time to find perfect play in one position."""

SOLVING_SHARE = 0.5
"""The share of the time in which a game is solved; a search has the rest."""

REMEMBERED = 1 << 16
"""Positions whose proofs are remembered."""

LEAST_SECONDS = 1.0
"""Time for the moves of a position once its value is proven, if there is that much."""

CLASSES_A_SECOND = 1e7
"""An upper bound on the classes that one thread solves in a second."""

TOGETHER = 1 << 14
"""How many positions are looked up together and held in memory."""

WHOLE = "the game, solved here"


@dataclasses.dataclass(frozen=True)
class FoundMove(Printable):
    """A legal move with the fields of `Move`, None where they are unknown."""

    move: int
    position: str
    value: int | None
    remoteness_plies: int | None
    optimal: bool | None
    nimber: int | None
    name: str


@dataclasses.dataclass(frozen=True)
class Finding(Printable):
    """What is known of a position, and its source."""

    game: Game = dataclasses.field(repr=False)
    state: int = dataclasses.field(repr=False)
    to_move: int
    value: int
    """If not ``exact``, the value at the depth of the search."""
    remoteness_plies: int | None
    """None for a draw, and if unknown."""
    moves: tuple[FoundMove, ...] | tuple[Move, ...]
    source: str
    """The source in words, such as ``the solution in data/tictactoe``."""
    exact: bool
    """Whether the value is that of optimal play."""
    solved: Position | None = dataclasses.field(default=None, repr=False)
    """The position of a solution, if it was looked up."""
    depth: int | None = None
    """The plies of a search of limited depth: fewer than requested if time ran out."""
    evaluation: str | None = None
    """What such a search counts at its depth limit; None for 0."""
    nodes: int = 0
    seconds: float = 0.0
    """Processor time of the search."""

    @property
    def position(self) -> str:
        """The position in the game's notation."""
        return self.game.format_position(self.state)

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return self.remoteness_plies == 0

    @property
    def moves_known(self) -> bool:
        """Whether the moves are known, or there are none."""
        return bool(self.moves) or self.terminal

    @property
    def best_move(self) -> int | None:
        """The code of the best move, the lowest of equals; None if none is known."""
        return next((move.move for move in self.moves if move.optimal), None)

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a move."""
        return [field.name for field in dataclasses.fields(FoundMove)]

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each move."""
        return [move.to_json() for move in self.moves]

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree show --format json`` prints."""
        facts = {name: getattr(self.solved or self, name, None) for name in JSON_FIELDS}
        names = (
            "source",
            "exact",
            *["depth", "evaluation", "best_move", "nodes", "seconds"] * (self.depth is not None),
        )
        moves = self.csv_rows() if self.moves_known or self.depth == 0 else None
        return facts | {"moves": moves} | {name: getattr(self, name) for name in names}


@dataclasses.dataclass(frozen=True)
class FoundPosition(Printable):
    """What is known of one of many positions; for an invalid text, only ``given`` and ``error``."""

    given: str
    """The text as given."""
    position: str | None = None
    """The position in the game's own notation."""
    to_move: int | None = None
    value: int | None = None
    """The first player's payoff under optimal play or, if not ``exact``, at the depth of a search."""
    remoteness_plies: int | None = None
    """None for a draw or if unknown."""
    best_moves: tuple[int, ...] = ()
    """The codes of the moves known to keep the value, best first."""
    best_names: tuple[str, ...] = ()
    """The names of these moves."""
    exact: bool | None = None
    """Whether the value is that of optimal play."""
    source: str | None = None
    """The source in words."""
    error: str | None = None
    """What is wrong with the text."""


def find_position(
    name: GameLike, position: Place | None = None, *, seconds: float | None = None, symmetry: str | None = None
) -> Finding:
    """Find the value and moves of a ``position`` (default: the start) of a game or solution directory.

    It is looked up in a stored solution, with any symmetry unless a ``symmetry`` is given, or in the game solved here
    unless that is too large (see `solve_if_small`). Otherwise one search, ever deeper, proves the value and then those
    of the moves, or says to which depth it came. Solving may take half of the ``seconds`` of processor time, the search
    the rest; if ``seconds`` is None, a game that is known to fit is solved however long it takes, and a search has
    `SECONDS`.

    Raises what loading a game or its solution raises, `PositionError` for an invalid position (before anything is
    solved) or an unreachable one, and `OptionError` for ``seconds`` that are not positive and finite.

    >>> found = find_position("tictactoe", "XOX?O????")
    >>> found.value, found.exact
    (0, True)
    """
    began = time.process_time()
    _check_seconds(seconds)
    solution, source = stored_solution(name, symmetry, counts=False), WHOLE
    with exploring_within(seconds):
        game, state = read_start(name if solution is None else solution, position)
    if solution is None:
        solution = solve_if_small(game, seconds and SOLVING_SHARE * seconds, symmetry=symmetry, counts=True)
    else:
        source = _stored(solution)
    if solution is None:
        return search_position(game, state, SECONDS if seconds is None else began + seconds - time.process_time())
    found = solution.at(state)
    return Finding(
        game, state, found.to_move, found.value, found.remoteness_plies, found.moves, source, exact=True, solved=found
    )


def find_positions(
    game: GameLike,
    positions: Iterable[Place | GametreeError],
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
) -> Iterator[FoundPosition]:
    """Yield the value and best moves of each of many ``positions`` of a game or solution directory, in order; see
    `find_position`. If they are searched, each gets an equal share of what is left of the ``seconds``.

    An invalid or unreachable position gets an ``error``, as does an error given in place of a text. Raises what loading
    a game or its solution raises, and `OptionError` for ``seconds`` that are not positive and finite.

    >>> [(found.position, found.value, found.best_moves) for found in find_positions("tictactoe", ["04", "XOX?O????"])]
    [('X???O????', 0, (1, 2, 3, 5, 6, 7, 8)), ('XOX?O????', 0, (7,))]
    >>> next(find_positions("tictactoe", ["00"])).error.partition(";")[2].partition(";")[0]
    " move 2, 0: '0' is not a legal move"
    """
    _check_seconds(seconds)
    if isinstance(positions, str | bytes) or not isinstance(positions, Iterable):
        raise ArgumentError(f"positions must be a list of texts, not {described(positions)}")
    began = time.process_time()
    solution = stored_solution(game, symmetry, counts=False)
    if solution is not None:
        return _look_up(solution, _stored(solution), positions)
    chosen = named_game(game)
    solution = solve_if_small(chosen, seconds and SOLVING_SHARE * seconds, symmetry=symmetry)
    if solution is not None:
        return _look_up(solution, WHOLE, positions)
    return _search_all(chosen, positions, None if seconds is None else began + seconds)


def _stored(solution: Solution) -> str:
    return f"the solution in {solution.directory or 'memory'}"


def _check_seconds(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot search for {seconds:g} seconds; give a number above 0")


def solve_if_small(
    game: Game, seconds: float | None, start: int | None = None, *, symmetry: str | None = None, counts: bool = False
) -> Solution | None:
    """Solve a game, from a ``start`` on if given, within so many ``seconds`` of processor time (see `solving_within`);
    without ``counts`` if they are too large. If ``seconds`` is None, a game of unknown size gets `SECONDS` and another
    one all that it needs. Returns None if the time or the memory does not suffice.
    """
    symmetry, expected = symmetry or "geometric", game.expected_positions()
    if expected is None:
        seconds = SECONDS if seconds is None else seconds
    elif symmetry != "residual":  # how large its classes are is not known beforehand
        classes = sum(expected) / find_group(game.rules(), symmetry).order
        most = math.inf if seconds is None else CLASSES_A_SECOND * processors() * seconds
        if classes * STATE > Budget.of_machine().limit or classes > most:
            return None
    position = None if start is None else game.format_position(start)
    try:
        with solving_within(seconds):
            try:
                return solve(game, start=position, symmetry=symmetry, counts=counts)
            except CountOverflowError:
                return solve(game, start=position, symmetry=symmetry, counts=False)
    except TooLargeError:
        return None


def search_position(game: Game, state: int, seconds: float) -> Finding:
    """Find the value and moves of a state by a search of so many ``seconds`` of processor time."""
    from .proving import Deepening

    rules = game.rules()
    payoff, side = rules.payoff(state), rules.mover(state)
    if payoff != ONGOING:
        return Finding(game, state, side, payoff, 0, (), "the rules", exact=True)
    search = Deepening(game, state)
    search.decide(max(seconds, 0.001))
    if search.decided and search.seconds < seconds:
        search.value(seconds - search.seconds)
    proof = search.proof()
    if proof is None:
        moves = [JudgedMove(code, None, optimal=False) for code, _ in search.children]
        return _described(search, Worth(search.estimate, None), moves, f"{search.seen} plies deep, not proven", False)
    return _described(search, proof.worth, proof.moves, "to the end of the game", True)


def _described(
    search: Deepening, worth: Worth, judged: list[JudgedMove], extent: str, exact: bool, **limits: Any
) -> Finding:
    game, after, moves = search.game, dict(search.children), []
    for code, found, optimal in judged:
        value, plies = (None, None) if found is None else (found.value, found.remoteness_plies)
        keeps = optimal or (None if found is None else False)
        moves.append(
            FoundMove(code, game.format_position(after[code]), value, plies, keeps, None, game.format_move(code))
        )
    source = f"a search {extent}; {search.nodes:,} nodes in {search.seconds:.1f} s"
    return Finding(
        game, search.state, search.side, worth.value, worth.remoteness_plies, tuple(moves), source, exact,
        nodes=search.nodes, seconds=round(search.seconds, 6), **limits,
    )  # fmt: skip


def advise(
    game: GameLike,
    position: Place | None = None,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    evaluation: str | None = None,
) -> Finding:
    """Value a position and each of its moves by iterative deepening until ``depth`` plies are reached or the
    ``seconds`` of processor time are over.

    ``position`` is a text (default: the start). At the depth limit, positions are valued by the game's ``evaluation``
    of that name; the default is its heuristic, or 0 if it has none or the name is ``none``. The result is exact if no
    value rests on the limit. Raises what `problem.game_problem` raises, `TooLargeError`, and `OptionError` if neither
    depth nor seconds are given or time runs out before depth 1.

    >>> advise("tictactoe", "X????????", depth=2, evaluation="lines").best_move
    4
    """
    from .proving import DEEPEST, Deepening, search_table

    if depth is None and seconds is None:  # only an evaluation was given
        raise OptionError(f"an evaluation needs a depth to search to: add --depth to --evaluate {evaluation}")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"cannot search for {seconds} seconds; give more than 0")
    game = named_game(game)
    rules = game.rules()
    state = rules.start if position is None else read_position(game, position)
    evaluation = (rules.heuristic if evaluation is None else evaluation) if evaluation != "none" else None
    table = search_table(game, depth=DEEPEST if depth is None else depth, evaluation=evaluation)
    counted = f"by evaluation {evaluation}" if evaluation else "open positions count 0"
    over = rules.payoff(state) != ONGOING
    if over or depth == 0:
        return Finding(
            game, state, rules.to_move(state), int(table.problem.estimate(state)), 0 if over else None, (),
            "the rules" if over else f"no search; {counted}", over, depth=depth or 0, evaluation=evaluation, nodes=1,
        )  # fmt: skip
    search = Deepening(game, state, table)
    search.value(seconds)
    if len(search.values) < len(search.children):
        raise OptionError(f"{seconds} seconds were too short for a search of depth 1; give it more")
    best = search.side * max(search.side * value for value in search.values.values())
    judged = [
        JudgedMove(code, Worth(search.values[i], None), search.values[i] == best)
        for i, (code, _) in enumerate(search.children)
    ]
    complete = search.complete
    reached = depth if depth is not None and complete else search.depth
    extent = "to the end of every game" if complete else f"{reached} plies deep, {counted}"
    moves = best_first(judged, search.side)
    return _described(search, Worth(best, None), moves, extent, complete, depth=reached, evaluation=evaluation)


# Perfect play ---------------------------------------------------------------------------------------------------------


class Knowledge:
    """The values and moves of positions of a game: looked up in a ``solution`` that holds them, or else searched within
    ``patience``, in seconds of processor time.
    """

    def __init__(self, game: Game, solution: Solution | None = None, patience: float = PATIENCE_SECONDS) -> None:
        self.game, self.rules, self.solution, self.patience = game, game.rules(), solution, patience
        self.source = "searches each move to the end"
        """Where the values come from, in words, such as ``reads data/tictactoe``."""
        if solution is not None:
            self.source = "solved here" if solution.directory is None else f"reads {solution.directory}"
        self._proof = functools.lru_cache(REMEMBERED)(self._prove)

    def worth(self, state: int) -> Worth:
        """Return the value and remoteness of a state. Raises `OptionError` if they cannot be found in time."""
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return Worth(self.game.worth(payoff), 0)
        if self.solution is not None and self.solution.records.holds(state):
            return worth_of(self.solution.records.of(state, VALUES))
        return self._proof(state).worth

    def moves(self, state: int) -> list[JudgedMove]:
        """Return every legal move, best first for the mover as in `Position.moves`, unknown ones last; none if the game
        is over. Raises `OptionError` like `worth`.
        """
        if self.rules.payoff(state) != ONGOING:
            return []
        if self.solution is None or not self.solution.records.holds(state):
            return list(self._proof(state).moves)
        value, after = self.worth(state).value, [(code, self.worth(child)) for code, child in self.rules.moves(state)]
        return best_first([JudgedMove(code, worth, worth.value == value) for code, worth in after],
                          self.rules.mover(state))  # fmt: skip

    def _prove(self, state: int) -> Proof:
        from .proving import Deepening

        search = Deepening(self.game, state)
        with telling(no_progress):
            search.decide(self.patience)
            if search.decided:
                search.value(min(max(search.seconds, LEAST_SECONDS), self.patience - search.seconds))
        proof = search.proof()
        if proof is None:
            raise OptionError(
                f"no perfect play in {self.game.spec} from {self.game.format_position(state)}: it was neither solved "
                f"nor searched to the end in {self.patience:g} s; try depth:8"
            )
        return proof


def find_knowledge(
    game: GameLike, position: Place | None = None, *, patience: float = PATIENCE_SECONDS, symmetry: str | None = None
) -> Knowledge:
    """Return the `Knowledge` of a game or solution directory from ``position`` (default: its start) on: read from a
    stored solution, with any symmetry unless one is named, else solved from there on if half of the ``patience``
    seconds suffice, else searched. Raises `OptionError` if that does not succeed either, and what loading a game
    or solution raises.
    """
    chosen, state = read_start(game, position)
    solution = stored_solution(game, symmetry, counts=False)
    if solution is None or not solution.records.holds(state):
        start = None if state == chosen.rules().start else state
        solution = solve_if_small(chosen, SOLVING_SHARE * patience, start, symmetry=symmetry)
    knowledge = Knowledge(chosen, solution, patience)
    knowledge.worth(state)
    return knowledge


# Many -----------------------------------------------------------------------------------------------------------------


def _look_up(solution: Solution, source: str, positions: Iterable[Place | GametreeError]) -> Iterator[FoundPosition]:
    """Look positions up in batches."""
    remaining, notation, game = iter(positions), Notation(solution.game), solution.game
    while batch := list(itertools.islice(remaining, TOGETHER)):
        states_or_errors = [_state_or_error(each, notation) for each in batch]
        states = {state for state in states_or_errors if isinstance(state, int)}
        moves = {state: notation.rules.moves(state) if solution.engine.ruled else [] for state in states}
        needed = sorted(states | {child for after in moves.values() for _, child in after})
        worths = {state: worth for state, worth in zip(needed, solution.lookup(needed).worths(), strict=True) if worth}
        for place, state in zip(batch, states_or_errors, strict=True):
            text = _text_of(place)
            if isinstance(state, GametreeError):
                yield FoundPosition(text, error=str(state))
                continue
            position = game.format_position(state)
            if state not in worths:
                yield FoundPosition(text, error=f"position {position} is not reached from {solution.start}")
                continue
            rules, worth = solution.engine.rules, worths[state]
            side = rules.mover(state)
            best = [(code, worths[child]) for code, child in moves[state] if worths[child].value == worth.value]
            codes = tuple(code for code, _ in sorted(best, key=lambda move: preference(side, move[1], move[0])))
            names = tuple(game.format_move(code) for code in codes)
            yield FoundPosition(text, position, side, worth.value, worth.remoteness_plies, codes, names, True, source)


def _search_all(game: Game, positions: Iterable[Place | GametreeError], ends: float | None) -> Iterator[FoundPosition]:
    """Search positions one after the other, equal ones once."""
    notation = Notation(game)
    texts_and_states = [(_text_of(place), _state_or_error(place, notation)) for place in positions]
    distinct = dict.fromkeys(state for _, state in texts_and_states if isinstance(state, int))
    ends = time.process_time() + SECONDS * len(distinct) if ends is None else ends
    findings: dict[int, Finding] = {}
    for number, (text, state) in enumerate(texts_and_states):
        if isinstance(state, GametreeError):
            yield FoundPosition(text, error=str(state))
            continue
        if state not in findings:
            tell_progress("positions", number, len(texts_and_states))
            with telling(no_progress):
                share = (ends - time.process_time()) / (len(distinct) - len(findings))
                findings[state] = search_position(game, state, share)
        found = findings[state]
        best = [move for move in found.moves if move.optimal]
        codes, names = tuple(move.move for move in best), tuple(move.name for move in best)
        yield FoundPosition(
            text, found.position, found.to_move, found.value, found.remoteness_plies, codes, names, found.exact,
            found.source,
        )  # fmt: skip


def _text_of(position: Place | GametreeError) -> str:
    text = getattr(position, "position", position)
    return str(text) if isinstance(text, Sequence) else ""


def _state_or_error(position: Place | GametreeError, notation: Notation) -> int | GametreeError:
    """Return the state of a position, or its error."""
    if isinstance(position, GametreeError):
        return position
    try:
        return read_position(notation.game, position, notation)
    except GametreeError as error:
        return error
