"""Find out what is known of positions, by the best available method: see `find_position` and `find_positions`."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from ..solution.position import JSON_FIELDS, JudgedMove, Position, Worth, best_first, preference, worth_of
from ..solution.solution import Solution
from ..solving.find import named_game, read_start, solving_within, stored_solution
from ..solving.solve import solve

if TYPE_CHECKING:
    from .proving import Advice, Deepening, Proof

SECONDS = 10.0
"""The default time for a search for a proof."""

PATIENCE_SECONDS = 60.0
"""The default time to find perfect play in one position."""

FIRST_SECONDS, EVALUATION_SECONDS, SHARE = 1.0, 1.0, 0.1
"""Limits: the first attempt to solve, doubled for each further one; an evaluation, also as a share of all the time."""

SOLVING_SHARE = 0.5
"""The share of the time for solving a whole game that is known to fit."""

REMEMBERED = 1 << 16
"""The maximum number of proofs kept."""

LEAST_SECONDS = 0.1
"""The least time of an evaluation, and of each of many positions while there is any."""

LEAST_PATIENCE = 4.0
"""With less time than this, a game of unknown size is not solved from its start for one position."""

CLASSES_A_SECOND = 1e7
"""An upper bound on the classes that one thread solves in a second."""

TOGETHER = 1 << 14
"""How many positions are looked up together and held in memory."""

WHOLE = "the game, solved here"


@dataclasses.dataclass(frozen=True)
class ProvenMove(Printable):
    """A legal move with the fields of `Move`, None where searches do not know them."""

    move: int
    position: str
    value: int | None
    remoteness_plies: int | None
    optimal: bool | None
    nimber: int | None
    name: str


@dataclasses.dataclass(frozen=True)
class Proven(Printable):
    """A position whose value searches have proven, with the fields of `Position`."""

    position: str
    to_move: int
    value: int
    remoteness_plies: int | None
    """None also if unknown."""
    histories: None = None
    games: None = None
    games_x: None = None
    games_o: None = None
    games_tie: None = None
    nimber: None = None
    moves: tuple[ProvenMove, ...] = ()

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return not self.moves

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a move."""
        return [field.name for field in dataclasses.fields(ProvenMove)]


@dataclasses.dataclass(frozen=True)
class Finding(Printable):
    """What is known of a position, and its source."""

    game: Game
    state: int
    known: Position | Proven | Advice
    """If not solved, `Proven` by searches, or `Advice` from a search of limited depth."""
    source: str
    """The source in words, such as ``the solution in data/tictactoe``."""
    exact: bool
    """Whether the values are those of optimal play."""

    @property
    def moves_known(self) -> bool:
        """Whether the moves are known, or there are none."""
        return bool(self.known.moves) or self.known.terminal

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a move."""
        return self.known.columns

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each move."""
        return self.to_json()["moves"] or []

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree show --format json`` prints."""
        data = self.known.to_json()
        return (
            dict.fromkeys(JSON_FIELDS)
            | data
            | {"terminal": self.known.terminal, "source": self.source, "exact": self.exact}
        )


@dataclasses.dataclass(frozen=True)
class FoundPosition(Printable):
    """What is known of one of many positions; for an invalid text, only ``given`` and ``error``."""

    given: str
    """The text as given."""
    position: str | None = None
    """The position in the game's own notation."""
    to_move: int | None = None
    value: int | None = None
    """The first player's payoff under optimal play, or an estimate if not ``exact``."""
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
    name: GameLike,
    position: Place | None = None,
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
) -> Finding:
    """Find the value and moves of a ``position`` (default: the start) of a game or solution directory.

    The sources, in this order: a stored solution that holds it, with any symmetry unless a ``symmetry`` is given; the
    whole game solved here, if it is known to fit; solving from the position on or a proof by a search to the end,
    whichever is sooner (see `Knowledge`); or, not exact, a search of limited depth with the game's evaluation. Time
    left after a proof goes to the other moves and to remoteness.

    All of this takes at most ``seconds`` of processor time, but small games are solved anyway (see `solving_within`).
    If ``seconds`` is None, a whole game that fits is solved however long it takes, and the rest takes `SECONDS`.

    Raises what loading a game or its solution raises, `PositionError` for an invalid position (before anything is
    solved) or an unreachable one, and `OptionError` for ``seconds`` that are not positive and finite.

    >>> found = find_position("tictactoe", "XOX?O????")
    >>> found.known.value, found.exact
    (0, True)
    """
    began = time.process_time()
    _check_seconds(seconds)
    stored = stored_solution(name, symmetry, counts=False)
    with exploring_within(seconds):
        game, state = read_start(name if stored is None else stored, position)
    if stored is None:
        finder = Knowledge(game, symmetry=symmetry, counts=True)
        solution = finder.solve_whole(math.inf if seconds is None else began + SOLVING_SHARE * seconds)
        if solution is None:
            now = time.process_time() if seconds is None else began
            return finder.find(state, SECONDS if seconds is None else seconds, now)
        return _solved(solution, state, WHOLE)
    return _solved(stored, state, _stored(stored))


def find_positions(
    game: GameLike,
    positions: Iterable[Place | GametreeError],
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
) -> Iterator[FoundPosition]:
    """Yield the value and best moves of each of many ``positions`` of a game or solution directory, in order; see
    `find_position`.

    They are looked up, in batches, in a stored solution (with this ``symmetry``, if given) or in one made here if the
    whole game fits. Otherwise all are read first, and each gets an equal share of what is left of ``seconds`` (default:
    `SECONDS` for each); those whose turn comes too late have no value. An invalid or unreachable position gets an
    ``error``, as does an error given in place of a text.

    Raises what loading a game or its solution raises, and `OptionError` for ``seconds`` that are not positive and
    finite.

    >>> [(found.position, found.value, found.best_moves) for found in find_positions("tictactoe", ["04", "XOX?O????"])]
    [('X???O????', 0, (1, 2, 3, 5, 6, 7, 8)), ('XOX?O????', 0, (7,))]
    >>> next(find_positions("tictactoe", ["00"])).error.partition(";")[0]
    "position '00': move 2, 0: '0' is not a legal move"
    """
    _check_seconds(seconds)
    if isinstance(positions, str | bytes) or not isinstance(positions, Iterable):
        raise ArgumentError(f"positions must be a list of texts, not {described(positions)}")
    began = time.process_time()
    stored = stored_solution(game, symmetry, counts=False)
    if stored is not None:
        return _look_up(stored, _stored(stored), positions)
    finder = Knowledge(named_game(game), symmetry=symmetry, counts=True)
    solution = finder.solve_whole(math.inf if seconds is None else began + SOLVING_SHARE * seconds, unsized=True)
    if solution is not None:
        return _look_up(solution, WHOLE, positions)
    return _search_all(finder, positions, None if seconds is None else began + seconds)


def _stored(solution: Solution) -> str:
    return f"the solution in {solution.directory or 'memory'}"


def _check_seconds(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot search for {seconds:g} seconds; give a number above 0")


class Knowledge:
    """The values and moves of positions of a game, worked out when they are first asked for and then remembered.

    A position is looked up in the solutions that hold it. Otherwise it is solved from there on and searched to the end,
    in turns of doubling length, a search twice as long as a solve, until one succeeds or ``patience``, in seconds of
    processor time, is over. An attempt that needs too much memory is given up; a search goes on where it stopped.
    """

    def __init__(
        self, game: Game, patience: float = PATIENCE_SECONDS, symmetry: str | None = None, *, counts: bool = False
    ) -> None:
        self.game, self.rules, self.patience = game, game.rules(), patience
        self.symmetry, self.counts = symmetry or "geometric", counts
        self.tells = True
        """Whether it reports progress."""
        self.source = ""
        """Where the values come from, in words, such as ``reads data/tictactoe``."""
        self.solution: Solution | None = None
        """The solution that holds the first position asked for, if there is one."""
        self._solutions: list[Solution] = []
        self._proofs: dict[int, Proof] = {}

    def use(self, solution: Solution, state: int, source: str) -> bool:
        """Use a solution as a source from now on if it holds the state; return whether it does."""
        if not solution.records.holds(state):
            return False
        self._solutions.append(solution)
        self.solution = solution if not self.source else self.solution
        self._tell(source)
        return True

    def worth(self, state: int) -> Worth:
        """Return the value and remoteness of a state. Raises `OptionError` if they cannot be found in time."""
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return Worth(self.game.worth(payoff), 0)
        solution = self.solution_with(state)
        return self._proofs[state].worth if solution is None else worth_of(solution.records.of(state, VALUES))

    def moves(self, state: int) -> list[JudgedMove]:
        """Return every legal move, best first for the mover as in `Position.moves`, unknown ones last; none if the game
        is over. Raises `OptionError` like `worth`.
        """
        if self.rules.payoff(state) != ONGOING:
            return []
        solution = self.solution_with(state)
        if solution is None:
            return list(self._proofs[state].moves)
        value = solution.records.of(state, VALUES).value
        after = ((code, worth_of(solution.records.of(child, VALUES))) for code, child in self.rules.moves(state))
        return best_first(
            [JudgedMove(code, worth, worth.value == value) for code, worth in after], self.rules.mover(state)
        )

    def solution_with(self, state: int) -> Solution | None:
        """Return the solution that holds a state, or None if there is a proof. Raises `OptionError` if it takes too
        long.
        """
        solution = next((stored for stored in self._solutions if stored.records.holds(state)), None)
        if solution is not None or state in self._proofs:
            return solution
        began = time.process_time()
        with contextlib.nullcontext() if self.tells else telling(no_progress):
            result = self._solve_or_search(state, began + self.patience)
        seconds = time.process_time() - began
        if result is None:
            raise OptionError(
                f"no perfect play in {self.game.spec} from {self.game.format_position(state)}: it was neither solved "
                f"nor searched to the end in {self.patience:g} s; try depth:8"
            )
        if isinstance(result, Solution):
            origin = "" if not self.source else f" from {self.game.format_position(state)} on"
            self.use(result, state, f"solved here{origin} in {seconds:.1f} s")
            return result
        if len(self._proofs) >= REMEMBERED:
            self._proofs.clear()
        proof = result.proof()
        assert proof is not None
        self._proofs[state] = proof
        self._tell("searches each move to the end")
        return None

    def _tell(self, source: str) -> None:
        if source not in self.source:
            self.source = f"{self.source}; {source}" if self.source else source

    def find(self, state: int, patience: float, began: float) -> Finding:
        """Find the value and moves of a state within ``patience`` seconds of ``began``: by solving from there on or, if
        the game's size is unknown and there is time, from its start; by a search to the end, which goes on to all
        moves; or, not exact, by a search of limited depth.
        """
        game, ends = self.game, began + patience
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return Finding(
                game,
                state,
                Proven(game.format_position(state), self.rules.mover(state), payoff, 0),
                "the rules",
                exact=True,
            )
        whole = patience >= LEAST_PATIENCE and self.expected is None
        last = ends - min(EVALUATION_SECONDS, SHARE * patience)
        result = self._solve_or_search(state, last, whole=whole, every_move=True)
        if isinstance(result, Solution):
            start = result.engine.start == self.rules.start
            return _solved(result, state, WHOLE if start else "the game from there on, solved here")
        if result is None:
            return self._evaluate(state, patience, ends)
        proof = result.proof()
        assert proof is not None
        source = f"searches to the end of the game, {proof.nodes:,} nodes in {result.seconds:.1f} s"
        return Finding(game, state, _proven(game, state, proof), source, exact=True)

    # Solving and searching --------------------------------------------------------------------------------------------

    @functools.cached_property
    def expected(self) -> float | None:
        """The approximate number of positions, if the game gives one."""
        plies = self.game.expected_positions()
        return None if plies is None else sum(plies)

    def solve_whole(self, ends: float, *, unsized: bool = False) -> Solution | None:
        """Solve a game from its start; one of unknown size only if ``unsized``, and within `SECONDS`.

        Returns None if it does not fit memory or is not solved when ``time.process_time()`` reaches ``ends``.
        """
        if self.expected is None:
            ends = min(ends, time.process_time() + SECONDS) if unsized else 0.0
        else:
            residual = self.symmetry == "residual"  # how large classes are is not known beforehand
            classes = self.expected / (math.inf if residual else find_group(self.rules, self.symmetry).order)
            most = CLASSES_A_SECOND * processors() * (ends - time.process_time())
            if classes * STATE > Budget.of_machine().limit or classes > most:
                return None
        with contextlib.suppress(TooLargeError):
            return self._solve(self.rules.start, ends) if ends else None
        return None

    def _solve_or_search(
        self, state: int, ends: float, *, whole: bool = False, every_move: bool = False
    ) -> Solution | Deepening | None:
        """Return a solution that holds an ongoing state, preferably from the start of the game if ``whole``, or a
        search that has proven its value; None if there is neither when ``time.process_time()`` reaches ``ends``.
        """
        from .proving import Deepening  # slow to load

        seconds = min(FIRST_SECONDS, SHARE * (ends - time.process_time()))
        least, deepening = 2 * seconds, None

        def search(until: float) -> Deepening | None:
            nonlocal deepening
            deepening = deepening or Deepening(self.game, state)
            deepening.decide(max(until - time.process_time(), least))  # however long loading took
            if not deepening.decided:
                return None
            deepening.prove(max(0.0, (ends if every_move else until) - time.process_time()), every_move=every_move)
            return deepening

        attempts: list[tuple[Callable[[float], Solution | Deepening | None], int]]
        attempts = [(functools.partial(self._solve, begin), 1)
                    for begin in dict.fromkeys([self.rules.start, state] if whole else [state])]  # fmt: skip
        attempts.insert(0 if self._proofs else len(attempts), (search, 2))  # first if one was enough before
        while attempts:
            for attempt, share in [*attempts]:
                if (now := time.process_time()) >= ends:
                    return None
                until = min(now + share * seconds, ends) if len(attempts) > 1 else ends
                with contextlib.suppress(TooLargeError):
                    result = attempt(until)
                    if result is not None:
                        return result
                if time.process_time() < until:  # it does not fit in memory
                    attempts.remove((attempt, share))
            seconds *= 2
        return None

    def _solve(self, begin: int, ends: float) -> Solution:
        """Solve from a state, without counts if they are too large. Raises `TooLargeError` if time or memory runs
        out.
        """
        position = None if begin == self.rules.start else self.game.format_position(begin)
        solve_from = functools.partial(solve, self.game, start=position, symmetry=self.symmetry)
        with solving_within(ends - time.process_time()):
            try:
                return solve_from(counts=self.counts)
            except CountOverflowError:
                return solve_from(counts=False)

    def _evaluate(self, state: int, patience: float, ends: float) -> Finding:
        """Estimate the value by a search of limited depth."""
        from .proving import advise

        game, evaluation = self.game, self.rules.default_evaluation
        ask = functools.partial(advise, game, game.format_position(state), evaluation=evaluation or "none")
        try:
            advice = ask(seconds=max(ends - time.process_time(), min(LEAST_SECONDS, patience), 0.001))
        except OptionError:  # not even one ply deep
            advice = ask(depth=1)
        how = f"the evaluation {evaluation}" if evaluation else "a guess: open positions count 0"
        source = f"{how}, {advice.depth} plies deep; not proven in {round(patience, 2):g} s"
        return Finding(game, state, advice, source, exact=False)


def find_knowledge(
    game: GameLike, position: Place | None = None, *, patience: float = PATIENCE_SECONDS, symmetry: str | None = None
) -> Knowledge:
    """Return the `Knowledge` of a game or solution directory from ``position`` (default: its start) on: read from a
    stored solution, with any symmetry unless one is named, else worked out. Raises `OptionError` if that does not
    succeed within ``patience`` seconds, and what loading a game or solution raises.
    """
    chosen, state = read_start(game, position)
    knowledge = Knowledge(chosen, patience, symmetry)
    stored = stored_solution(game, symmetry, counts=False)
    if stored is None or not knowledge.use(stored, state, f"reads {stored.directory or 'a solution'}"):
        knowledge.solution_with(state)
    knowledge.tells = False
    return knowledge


def _solved(solution: Solution, state: int, source: str) -> Finding:
    position = solution.at(state)
    if solution.directory is None and solution.engine.start != solution.game.rules().start:
        position = dataclasses.replace(position, histories=None)  # counted from the position only
    return Finding(solution.game, state, position, source, exact=True)


def _proven(game: Game, state: int, proof: Proof) -> Proven:
    """Describe a position as searches have proven it."""
    after, moves = dict(game.rules().moves(state)), []
    for code, worth, optimal in proof.moves:
        value, plies = (None, None) if worth is None else (worth.value, worth.remoteness_plies)
        keeps = True if optimal else None if worth is None else False
        text = game.format_position(after[code])
        moves.append(ProvenMove(code, text, value, plies, keeps, None, game.format_move(code)))
    value, plies, _ = proof.worth
    return Proven(game.format_position(state), game.rules().mover(state), value, plies, moves=tuple(moves))


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


def _search_all(
    finder: Knowledge, positions: Iterable[Place | GametreeError], ends: float | None
) -> Iterator[FoundPosition]:
    """Search positions one after the other, equal ones once."""
    notation = Notation(finder.game)
    texts_and_states = [(_text_of(place), _state_or_error(place, notation)) for place in positions]
    distinct = dict.fromkeys(state for _, state in texts_and_states if isinstance(state, int))
    ends = time.process_time() + SECONDS * len(distinct) if ends is None else ends
    rows: dict[int, FoundPosition] = {}
    for number, (text, state) in enumerate(texts_and_states):
        if isinstance(state, GametreeError):
            yield FoundPosition(text, error=str(state))
            continue
        if state not in rows:
            tell_progress("positions", number, len(texts_and_states))
            now, position = time.process_time(), finder.game.format_position(state)
            if now >= ends:
                rows[state] = FoundPosition("", position, exact=False, source="not known: the time was over")
            else:
                share = max(LEAST_SECONDS, (ends - now) / (len(distinct) - len(rows)))
                with telling(no_progress):
                    rows[state] = _row(position, finder.find(state, share, now))
        yield dataclasses.replace(rows[state], given=text)


def _row(position: str, finding: Finding) -> FoundPosition:
    position_facts, best = finding.known, [move for move in finding.known.moves if move.optimal]
    codes, names = tuple(move.move for move in best), tuple(move.name for move in best)
    plies = getattr(position_facts, "remoteness_plies", None)
    return FoundPosition(
        "", position, position_facts.to_move, position_facts.value, plies, codes, names, finding.exact, finding.source
    )


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
