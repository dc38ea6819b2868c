"""What can be known of one position, in the best way that there is: see `find_position`."""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from typing import TYPE_CHECKING, Any

from analysis.engine.plan import FINDING, LOADING, STATE
from analysis.errors import CountOverflowError, OptionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress, processors
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.notation import move_name
from analysis.rules.positions import read_position
from analysis.rules.symmetry import find_group
from analysis.solution.position import Position
from analysis.solution.solution import Solution
from analysis.solving.find import named_game, stored_solution
from analysis.solving.solve import solve

if TYPE_CHECKING:
    from analysis.search.advice import Advice
    from analysis.search.proofs import Proof
    from analysis.search.proving import Prover

SECONDS = 10.0
"""What a search for a proof may take, unless told otherwise."""

SOLVING_SECONDS = 1.0
"""What solving may take at first where nobody knows how large the game is from there."""

QUICK_SHARE, SOLVING_SHARE, AGAIN_SHARE = 0.25, 0.5, 0.3
"""What a first search may take of the time, and solving the whole game where it is known to fit; and what solving may
take of the time that is left once the first search has shown nothing: it mostly fails then.
"""

EVALUATION_SECONDS, EVALUATION_SHARE, LEAST_SECONDS = 1.0, 0.1, 0.1
"""What an evaluation takes at most where nothing can be proven, also in parts of the time; and what it always may."""

LOADING_SECONDS = 2.0
"""What the compiler of a solve takes to load and to compile the rules; it is not begun with less time."""

LEAST_SHARE = 0.25
"""What searches have of the time at least, even if the compiler has taken all of it."""

LEAST_PATIENCE = 4.0
"""With less time the whole game is not solved for a position of it where nobody knows how large it is."""

CLASSES_A_SECOND = 1e7
"""More than a thread solves."""

WHOLE = "the game, solved here"

BY_SOLVING = ("histories", "games", "continuations", "nimber")
"""What is known of a position by solving alone."""


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
    continuations: None = None
    nimber: None = None

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        found = {
            name: getattr(self, name) for name in ("position", "to_move", "value", "remoteness_plies", *BY_SOLVING)
        }
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

    @property
    def moves_known(self) -> bool:
        """Whether the moves are known, or there are none."""
        return bool(self.known.moves) or self.known.to_move is None

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        found = self.known.to_json()
        unknown = {name: None for name in ("remoteness_plies", *BY_SOLVING) if name not in found}
        return found | unknown | {"source": self.source, "exact": self.exact}


@checked
def find_position(
    name: str | HasRules,
    position: str | None = None,
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Finding:
    """What can be known of a ``position`` (default: the start) of a GAME_OR_DIR.

    In this order: from a stored solution that holds it, whatever its symmetries unless one ``symmetry`` is asked for;
    from the whole game, solved here, if that is known to fit; from the position on, solved here, if that takes no
    longer than `SOLVING_SECONDS`; proven by searches to the end, or solved after all, whichever is done sooner; or, not
    exact, by a search of limited depth and what the game's evaluation makes of its leaves. What time is left after a
    proof goes to the other moves and to how far the ends are. All of that takes ``seconds``, the loading of the
    compiler included; without them a whole game that fits is solved however long that takes, and the rest takes
    `SECONDS`. So many ``workers`` work at once (default: one a core), and ``progress`` is told how far it is.

    Raises what loading a game or its solution raises, `PositionError` for a text that is no position, before anything
    is solved, and for one that play does not reach, and `OptionError` for ``seconds`` that are no time.

    >>> found = find_position("tictactoe", "XOX?O????")
    >>> found.known.value, found.exact
    (0, True)
    """
    began = time.monotonic()
    check_seconds(seconds)
    stored = stored_solution(name, symmetry, counts=False)
    game = named_game(name) if stored is None else stored.game
    if stored is not None:
        state = stored.engine.start if position is None else read_position(game, position)
        return _solved(stored, state, f"the solution in {stored.directory}")
    state = game.rules().start if position is None else read_position(game, position)
    ends = math.inf if seconds is None else began + SOLVING_SHARE * seconds
    whole = solve_known(game, symmetry or "geometric", workers, progress, ends)
    if whole is not None:
        return _solved(whole, state, WHOLE)
    began = time.monotonic() if seconds is None else began
    return find_state(game, state, seconds or SECONDS, symmetry or "geometric", workers, progress, began)


def find_state(
    game: Game,
    state: int,
    seconds: float,
    symmetry: str,
    workers: int | None,
    progress: Progress,
    began: float | None = None,
) -> Finding:
    """What can be known of a ``state`` of a game that is not solved whole, in so many ``seconds`` since it ``began``
    (default: now).
    """
    work = _Work(game, state, symmetry, workers, progress, time.monotonic() if began is None else began, seconds)
    try:
        return work.find()
    finally:
        work.prover = None  # which holds much


def check_seconds(seconds: float | None) -> None:
    """Raise `OptionError` for ``seconds`` that are no time to search."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"{seconds:g} seconds are no time to search; give more than 0")


def solve_known(game: Game, symmetry: str, workers: int | None, progress: Progress, ends: float) -> Solution | None:
    """The solution from the start on of a game that says beforehand how many positions it has; None where it does not,
    where they do not fit memory, or where it is not done when ``time.monotonic()`` says that it ``ends``.
    """
    positions = expected_positions(game)
    if positions is None:
        return None
    classes = positions / most_symmetric(game, symmetry)
    most = CLASSES_A_SECOND * (workers or processors()) * (ends - time.monotonic())
    if classes * STATE > Budget.of_machine().limit or classes > most:
        return None
    return solve_until(game, None, symmetry, workers, _until(progress, ends))


def solve_game(game: Game, symmetry: str, workers: int | None, progress: Progress, ends: float) -> Solution | None:
    """As `solve_known`, for many positions: also of a game that does not say how many it has, for `SECONDS` at most."""
    if expected_positions(game) is not None:
        return solve_known(game, symmetry, workers, progress, ends)
    return solve_until(game, None, symmetry, workers, _patient(progress, SECONDS, ends))


def expected_positions(game: Game) -> float | None:
    """How many positions a game says that it has, about; None where it does not."""
    try:
        return _expected(game)
    except TypeError:  # a user game without a hash
        return _expected.__wrapped__(game)


@functools.lru_cache(16)
def _expected(game: Game) -> float | None:
    plies = game.expected_positions()
    return None if plies is None else sum(plies)


def most_symmetric(game: Game, symmetry: str) -> float:
    """How many positions a class has at most; infinitely many where that is not known beforehand."""
    return math.inf if symmetry == "residual" else find_group(game.rules(), symmetry).order


def solve_until(
    game: Game, position: str | None, symmetry: str, workers: int | None, progress: Progress
) -> Solution | None:
    """The solution from a ``position`` (None: the start) on, without counts where they are too large; None where it
    does not fit memory, or ``progress`` says that the time is over.
    """
    for counts in (True, False):
        try:
            return solve(game, position=position, symmetry=symmetry, counts=counts, workers=workers, progress=progress)
        except CountOverflowError:
            continue
        except (_TimeIsUpError, TooLargeError):
            return None
    return None


@dataclasses.dataclass
class _Work:
    """Ways to find out about a state in some ``patience`` since it ``began``; each returns None where it does not."""

    game: Game
    state: int
    symmetry: str
    workers: int | None
    progress: Progress
    began: float
    patience: float
    prover: Prover | None = None

    def find(self) -> Finding:
        """What can be known of the state."""
        if self.game.rules().payoff(self.state) != ONGOING:
            return _ended(self.game, self.state)
        start = self.game.rules().start  # the whole game has been tried where it is known how large it is
        if self.patience < LEAST_PATIENCE or expected_positions(self.game) is not None:
            start = self.state
        return (
            self.solve(min(SOLVING_SECONDS, QUICK_SHARE * self.patience), start, self.state)
            or self.prove(QUICK_SHARE * self.patience)
            or self.solve(AGAIN_SHARE * self._left, self.state)
            or self.prove(self._left - min(EVALUATION_SECONDS, EVALUATION_SHARE * self.patience))
            or self.evaluate()
        )

    @property
    def _ends(self) -> float:
        return self.began + self.patience

    @property
    def _left(self) -> float:
        return self._ends - time.monotonic()

    def solve(self, seconds: float, *begins: int) -> Finding | None:
        """What is left of the game from one of these states on, as far as that is done so soon."""
        for begin in dict.fromkeys(begins if seconds > 0 else ()):
            whole = begin == self.game.rules().start
            text = None if whole else self.game.format_position(begin)
            progress = _patient(self.progress, seconds, self._ends)
            solution = solve_until(self.game, text, self.symmetry, self.workers, progress)
            if solution is not None:
                return _solved(solution, self.state, WHOLE if whole else "the game from there on, solved here")
        return None

    def prove(self, seconds: float) -> Finding | None:
        """What searches to the end show in so many seconds and, if they have shown the value, in all that are left."""
        from analysis.search.proving import Prover  # what searches takes a while to load

        try:
            if self.prover is None:
                self.prover = Prover(self.game, self.state, self.progress, workers=self.workers)
                least = time.monotonic() + LEAST_SHARE * self.patience  # however long that took to load
            else:
                least = 0.0
            ends = min(time.monotonic() + seconds, self._ends)
            self.prover.run(max(ends, least), rest=max(self._ends, least), every_move=True)
        except TooLargeError:
            return None
        proof = self.prover.proof()
        if proof is None:
            return None
        source = f"searches to the end of the game, {proof.nodes:,} nodes in {time.monotonic() - self.began:.1f} s"
        return Finding(self.game, self.state, _proven(self.game, self.state, proof), source, exact=True)

    def evaluate(self) -> Finding:
        """What a search of limited depth guesses, where nothing was proven."""
        from analysis.search.advice import advise

        self.prover = None
        text, evaluation = self.game.format_position(self.state), self.game.rules().default_evaluation
        seconds = max(self._left, min(LEAST_SECONDS, self.patience), 0.001)
        try:
            advice = advise(self.game, text, seconds=seconds, evaluation=evaluation or "none", progress=self.progress)
        except OptionError:  # not even one ply deep
            advice = advise(self.game, text, depth=1, evaluation=evaluation or "none", progress=self.progress)
        if advice.complete:  # to the end of all lines: then payoffs say more than what an evaluation makes of them
            advice = advise(self.game, text, depth=advice.depth, evaluation="none", progress=self.progress)
            source = f"a search to the end, {advice.depth} plies deep"
            return Finding(self.game, self.state, advice, source, exact=advice.complete)
        said = f"the evaluation {evaluation}" if evaluation else "a guess: open positions count 0"
        source = f"{said}, {advice.depth} plies deep; not proven in {round(self.patience, 2):g} s"
        return Finding(self.game, self.state, advice, source, exact=False)


def _until(progress: Progress, ends: float) -> Progress:
    """A ``progress`` that ends a solve when the time is over, or too short to load the compiler."""

    def tell(stage: str, done: float, total: float | None) -> None:
        if time.monotonic() + (LOADING_SECONDS if stage == LOADING else 0) > ends:
            raise _TimeIsUpError
        progress(stage, done, total)

    return tell


def _patient(progress: Progress, seconds: float, ends: float) -> Progress:
    """A ``progress`` that ends a solve when the time is over, and so many ``seconds`` after it has begun in earnest:
    loading the compiler takes none of these. It also does where positions are still being found after half of them: to
    solve these takes as long again.
    """
    until, begun, share = _until(progress, ends), math.inf, 0.5

    def tell(stage: str, done: float, total: float | None) -> None:
        nonlocal begun, share
        until(stage, done, total)
        if stage != LOADING:
            begun = min(begun, time.monotonic())
            share = share if stage == FINDING else 1.0  # all have been found, and are again where counts are too large
            if time.monotonic() > begun + seconds * share:
                raise _TimeIsUpError

    return tell


class _TimeIsUpError(Exception):
    """A solve has taken as long as it may."""


def _solved(solution: Solution, state: int, source: str) -> Finding:
    position = solution.at(state)
    if (
        solution.directory is None and solution.engine.start != solution.game.rules().start
    ):  # then they count move sequences from there only
        position = dataclasses.replace(position, histories=None)
    return Finding(solution.game, state, position, source, exact=True)


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
        moves.append(ProvenMove(code, text, value, plies, keeps, None, move_name(game, code)))
    side = "X" if game.rules().mover(state) > 0 else "O"
    return Proven(game.format_position(state), side, proof.worth.value, proof.worth.remoteness_plies, tuple(moves))
