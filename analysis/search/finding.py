"""What can be known of positions, in the best way that there is: see `find_position` and `find_positions`."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from analysis.engine.plan import FINDING, LOADING, STATE
from analysis.errors import CountOverflowError, GametreeError, OptionError, PositionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.context import Progress, no_progress, options
from analysis.machine.memory import Budget
from analysis.machine.workers import processors, tell_progress, telling
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.notation import Notation, move_name
from analysis.rules.positions import read_position
from analysis.rules.symmetry import find_group
from analysis.solution.position import Position, preference
from analysis.solution.solution import Solution
from analysis.solving.find import named_game, stored_solution
from analysis.solving.solve import solve

if TYPE_CHECKING:
    from analysis.search.advice import Advice
    from analysis.search.proving import Proof, Prover

SECONDS = 10.0
"""What a search for a proof may take, unless told otherwise."""

SOLVING_SECONDS = 1.0
"""What solving may take at first where nobody knows how large the game is from there."""

QUICK_SHARE, SOLVING_SHARE, AGAIN_SHARE = 0.25, 0.5, 0.3
"""What a first search may take of the time, and solving the whole game where it is known to fit; and what solving may
take of the time that is left once the first search has shown nothing: it mostly fails then.
"""

EVALUATION_SECONDS, EVALUATION_SHARE, LEAST_SECONDS = 1.0, 0.1, 0.1
"""What an evaluation takes at most where nothing can be proven, also in parts of the time; and what it, and each of
many positions, always may.
"""

LOADING_SECONDS = 2.0
"""What the compiler of a solve takes to load and to compile the rules; it is not begun with less time."""

LEAST_SHARE = 0.25
"""What searches have of the time at least, even if the compiler has taken all of it."""

LEAST_PATIENCE = 4.0
"""With less time the whole game is not solved for a position of it where nobody knows how large it is."""

GRACE_SECONDS = 1.0
"""For how long each of many positions still gets the least time once there is none."""

CLASSES_A_SECOND = 1e7
"""More than a thread solves."""

TOGETHER = 1 << 14
"""Positions that are looked up at once, and that are in memory."""

WHOLE = "the game, solved here"


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
    histories: None = None
    games: None = None
    continuations: None = None
    nimber: None = None
    moves: tuple[ProvenMove, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        return dataclasses.asdict(self) | {"moves": [dataclasses.asdict(move) for move in self.moves]}


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

    @property
    def moves_known(self) -> bool:
        """Whether the moves are known, or there are none."""
        return bool(self.known.moves) or self.known.to_move is None

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        found = self.known.to_json()
        by_solving = ("remoteness_plies", "histories", "games", "continuations", "nimber")
        return (
            found
            | {name: None for name in by_solving if name not in found}
            | {"source": self.source, "exact": self.exact}
        )


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
def find_position(
    name: str | HasRules,
    position: str | None = None,
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
) -> Finding:
    """What can be known of a ``position`` (default: the start) of a GAME_OR_DIR.

    In this order: from a stored solution that holds it, whatever its symmetries unless one ``symmetry`` is asked for;
    from the whole game, solved here, if that is known to fit; from the position on, solved here, if that takes no
    longer than `SOLVING_SECONDS`; proven by searches to the end, or solved after all, whichever is done sooner; or, not
    exact, by a search of limited depth and what the game's evaluation makes of its leaves. What time is left after a
    proof goes to the other moves and to how far the ends are. All of that takes ``seconds``, the loading of the
    compiler included; without them a whole game that fits is solved however long that takes, and the rest takes
    `SECONDS`.

    Raises what loading a game or its solution raises, `PositionError` for a text that is no position, before anything
    is solved, and for one that play does not reach, and `OptionError` for ``seconds`` that are no time.

    >>> found = find_position("tictactoe", "XOX?O????")
    >>> found.known.value, found.exact
    (0, True)
    """
    began = time.monotonic()
    _check_seconds(seconds)
    stored = stored_solution(name, symmetry, counts=False)
    game = named_game(name) if stored is None else stored.game
    if stored is not None:
        state = stored.engine.start if position is None else read_position(game, position)
        return _solved(stored, state, f"the solution in {stored.directory}")
    state = game.rules().start if position is None else read_position(game, position)
    finder = _PositionFinder(game, symmetry)
    solution = finder.solve_whole(math.inf if seconds is None else began + SOLVING_SHARE * seconds)
    if solution is not None:
        return _solved(solution, state, WHOLE)
    began = time.monotonic() if seconds is None else began
    return finder.find(state, SECONDS if seconds is None else seconds, began)


@checked
def find_positions(
    game: str | HasRules,
    positions: Iterable[str | GametreeError],
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
) -> Iterator[FoundPosition]:
    """What can be known of each of many ``positions`` of a GAME_OR_DIR, in their order; see `find_position`.

    They are looked up together in a stored solution, with this ``symmetry`` if one is wanted, or in one made here if
    the whole game fits; some are in memory at a time. Otherwise all are read first, and each is searched for an equal
    share of what is left of the ``seconds`` (by default `SECONDS` for each); what comes when the time is over has no
    value. A text that is no position, or that play does not reach, has its ``error``; so has an error that is given in
    the place of a text.

    Raises what loading a game or its solution raises, and `OptionError` for ``seconds`` that are no time.

    >>> [(found.position, found.value, found.best_moves) for found in find_positions("tictactoe", ["04", "XOX?O????"])]
    [('X???O????', 0, (1, 2, 3, 5, 6, 7, 8)), ('XOX?O????', 0, (7,))]
    >>> next(find_positions("tictactoe", ["00"])).error
    "move 2 of '00': a1 is taken by X"
    """
    _check_seconds(seconds)
    began = time.monotonic()
    stored = stored_solution(game, symmetry, counts=False)
    if stored is not None:
        return _looked_up(stored, f"the solution in {stored.directory}", positions)
    finder = _PositionFinder(named_game(game), symmetry)
    solution = finder.solve_whole(math.inf if seconds is None else began + SOLVING_SHARE * seconds, unsized=True)
    if solution is not None:
        return _looked_up(solution, WHOLE, positions)
    return _searched(finder, positions, None if seconds is None else began + seconds)


def _check_seconds(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"{seconds:g} seconds are no time to search; give more than 0")


class _PositionFinder:
    """Ways to find out about a game and its states; each returns None where it does not, in time."""

    prover: Prover | None = None

    def __init__(self, game: Game, symmetry: str | None) -> None:
        self.game, self.symmetry = game, symmetry or "geometric"

    @functools.cached_property
    def expected(self) -> float | None:
        """How many positions the game says that it has, about; None where it does not."""
        try:
            return _expected(self.game)
        except TypeError:  # a user game without a hash
            return _expected.__wrapped__(self.game)

    def solve_whole(self, ends: float, *, unsized: bool = False) -> Solution | None:
        """The solution from the start on of a game that says how many positions it has or, within `SECONDS`, of one
        that is ``unsized``; None where they do not fit memory, or are not solved when ``time.monotonic()`` ``ends``.
        """
        if self.expected is None:
            return self.solve_from(None, ends, SECONDS) if unsized else None
        residual = self.symmetry == "residual"  # how large classes are is not known beforehand
        classes = self.expected / (math.inf if residual else find_group(self.game.rules(), self.symmetry).order)
        most = CLASSES_A_SECOND * processors() * (ends - time.monotonic())
        if classes * STATE > Budget.of_machine().limit or classes > most:
            return None
        return self.solve_from(None, ends)

    def solve_from(self, position: str | None, ends: float, seconds: float = math.inf) -> Solution | None:
        """The solution from a ``position`` (None: the start) on, without counts where these are too large; None where
        it takes too long, see `_patient`, or too much memory.
        """
        try:
            with telling(_patient(ends, seconds)):
                try:
                    return solve(self.game, position=position, symmetry=self.symmetry)
                except CountOverflowError:
                    return solve(self.game, position=position, symmetry=self.symmetry, counts=False)
        except (_SolveStoppedError, TooLargeError):
            return None

    # A state of a game that is not solved whole -----------------------------------------------------------------------

    def find(self, state: int, patience: float, began: float) -> Finding:
        """What can be known of a state, within some ``patience`` since it ``began``."""
        self.state, self.patience, self.began = state, patience, began
        rules = self.game.rules()
        if rules.payoff(state) != ONGOING:
            over = Proven(self.game.format_position(state), None, rules.payoff(state), 0)
            return Finding(self.game, state, over, "the rules", exact=True)
        start = rules.start  # the whole game has been tried where it is known how large it is
        if patience < LEAST_PATIENCE or self.expected is not None:
            start = state
        try:
            return (
                self._solve(min(SOLVING_SECONDS, QUICK_SHARE * patience), start, state)
                or self._prove(QUICK_SHARE * patience)
                or self._solve(AGAIN_SHARE * self._left, state)
                or self._prove(self._left - min(EVALUATION_SECONDS, EVALUATION_SHARE * patience))
                or self._evaluate()
            )
        finally:
            self.prover = None  # which holds much

    @property
    def _left(self) -> float:
        return self.began + self.patience - time.monotonic()

    def _solve(self, seconds: float, *begins: int) -> Finding | None:
        """What is left of the game from one of these states on, as far as that is done so soon."""
        game = self.game
        for begin in dict.fromkeys(begins if seconds > 0 else ()):
            whole = begin == game.rules().start
            position = None if whole else game.format_position(begin)
            solution = self.solve_from(position, self.began + self.patience, seconds)
            if solution is not None:
                return _solved(solution, self.state, WHOLE if whole else "the game from there on, solved here")
        return None

    def _prove(self, seconds: float) -> Finding | None:
        """What searches to the end show in so many seconds and, if they have shown the value, in all that are left."""
        from analysis.search.proving import Prover  # what searches takes a while to load

        game, ends, least = self.game, self.began + self.patience, 0.0
        try:
            if self.prover is None:
                self.prover = Prover(game, self.state)
                least = time.monotonic() + LEAST_SHARE * self.patience  # however long that took to load
            soon = min(time.monotonic() + seconds, ends)
            self.prover.run(max(soon, least), rest=max(ends, least), every_move=True)
        except TooLargeError:
            return None
        proof = self.prover.proof()
        if proof is None:
            return None
        source = f"searches to the end of the game, {proof.nodes:,} nodes in {time.monotonic() - self.began:.1f} s"
        return Finding(game, self.state, _proven(game, self.state, proof), source, exact=True)

    def _evaluate(self) -> Finding:
        """What a search of limited depth guesses, where nothing was proven."""
        from analysis.search.advice import advise

        self.prover, game = None, self.game
        evaluation = game.rules().default_evaluation
        ask = functools.partial(advise, game, game.format_position(self.state))
        try:
            seconds = max(self._left, min(LEAST_SECONDS, self.patience), 0.001)
            advice = ask(seconds=seconds, evaluation=evaluation or "none")
        except OptionError:  # not even one ply deep
            advice = ask(depth=1, evaluation=evaluation or "none")
        if advice.complete:  # to the end of all lines: then payoffs say more than what an evaluation makes of them
            advice = ask(depth=advice.depth, evaluation="none")
            source = f"a search to the end, {advice.depth} plies deep"
            return Finding(game, self.state, advice, source, exact=advice.complete)
        said = f"the evaluation {evaluation}" if evaluation else "a guess: open positions count 0"
        source = f"{said}, {advice.depth} plies deep; not proven in {round(self.patience, 2):g} s"
        return Finding(game, self.state, advice, source, exact=False)


@functools.lru_cache(16)
def _expected(game: Game) -> float | None:
    plies = game.expected_positions()
    return None if plies is None else sum(plies)


def _patient(ends: float, seconds: float = math.inf) -> Progress:
    """What is told ends a solve when the time is over, or too short to load the compiler, and some ``seconds``
    after this is loaded, or half of them where positions are still being found: to solve these takes as long again.
    """
    begun, share, told = math.inf, 0.5, options().progress

    def tell(stage: str, done: float, total: float | None) -> None:
        nonlocal begun, share
        if time.monotonic() + (LOADING_SECONDS if stage == LOADING else 0) > ends:
            raise _SolveStoppedError
        told(stage, done, total)
        if stage != LOADING:
            begun = min(begun, time.monotonic())
            share = share if stage == FINDING else 1.0  # all have been found, and are again where counts are too large
            if time.monotonic() > begun + seconds * share:
                raise _SolveStoppedError

    return tell


class _SolveStoppedError(Exception):
    """A solve has taken as long as it may."""


def _solved(solution: Solution, state: int, source: str) -> Finding:
    position = solution.at(state)
    if solution.directory is None and solution.engine.start != solution.game.rules().start:
        position = dataclasses.replace(position, histories=None)  # they count move sequences from there only
    return Finding(solution.game, state, position, source, exact=True)


def _proven(game: Game, state: int, proof: Proof) -> Proven:
    """A position as searches have shown it."""
    after, moves = dict(game.rules().moves(state)), []
    for code, worth, optimal in proof.moves:
        value, plies = (None, None) if worth is None else (worth.value, worth.remoteness_plies)
        keeps = True if optimal else None if worth is None else False
        text = game.format_position(after[code])
        moves.append(ProvenMove(code, text, value, plies, keeps, None, move_name(game, code)))
    side, (value, plies, _) = "X" if game.rules().mover(state) > 0 else "O", proof.worth
    return Proven(game.format_position(state), side, value, plies, moves=tuple(moves))


# Many -----------------------------------------------------------------------------------------------------------------


def _looked_up(solution: Solution, source: str, positions: Iterable[str | GametreeError]) -> Iterator[FoundPosition]:
    """Some at a time."""
    left, notation, game = iter(positions), Notation(solution.game), solution.game
    while some := list(itertools.islice(left, TOGETHER)):
        read = [_read(each, notation) for each in some]
        states = {state for state in read if isinstance(state, int)}
        moves = {state: notation.rules.moves(state) if solution.engine.ruled else [] for state in states}
        worths = solution.worths(states | {child for after in moves.values() for _, child in after})
        for given, state in zip(some, read, strict=True):
            text = given if isinstance(given, str) else ""
            if isinstance(state, GametreeError):
                yield FoundPosition(text, error=str(state))
                continue
            position = game.format_position(state)
            if state not in worths:
                yield FoundPosition(text, error=f"position {position} is not reached from {solution.start}")
                continue
            rules, worth = solution.engine.rules, worths[state]
            side = 0 if rules.payoff(state) != ONGOING else rules.mover(state)
            best = [(code, worths[child]) for code, child in moves[state] if worths[child].value == worth.value]
            codes = tuple(code for code, _ in sorted(best, key=lambda move: preference(side, move[1], move[0])))
            mover, names = {0: None, 1: "X", -1: "O"}[side], tuple(move_name(game, code) for code in codes)
            yield FoundPosition(text, position, mover, worth.value, worth.remoteness_plies, codes, names, True, source)


def _searched(
    finder: _PositionFinder, positions: Iterable[str | GametreeError], ends: float | None
) -> Iterator[FoundPosition]:
    """One after the other, equal ones once."""
    notation = Notation(finder.game)
    read = [(each if isinstance(each, str) else "", _read(each, notation)) for each in positions]
    left = dict.fromkeys(state for _, state in read if isinstance(state, int))
    ends = time.monotonic() + SECONDS * len(left) if ends is None else ends
    found: dict[int, FoundPosition] = {}
    for number, (text, state) in enumerate(read):
        if isinstance(state, GametreeError):
            yield FoundPosition(text, error=str(state))
            continue
        if state not in found:
            tell_progress("positions", number, len(read))
            now, position = time.monotonic(), finder.game.format_position(state)
            if now >= ends + GRACE_SECONDS:
                found[state] = FoundPosition("", position, exact=False, source="not known: the time was over")
            else:
                share = max(LEAST_SECONDS, (ends - now) / (len(left) - len(found)))
                with telling(no_progress):
                    known = finder.find(state, share, now)
                found[state] = _row(position, known)
        yield dataclasses.replace(found[state], given=text)


def _row(position: str, found: Finding) -> FoundPosition:
    known, best = found.known, [move for move in found.known.moves if move.optimal]
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
