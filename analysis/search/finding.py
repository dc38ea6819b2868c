"""What can be known of one position, in the best way that there is: see `find_position`."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from analysis.errors import CountOverflowError, OptionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress, patient
from analysis.rules.game import ONGOING, Game
from analysis.rules.notation import move_name
from analysis.rules.positions import read_position
from analysis.solution.position import Position
from analysis.solution.solution import Solution
from analysis.solving.find import named_game, stored_solution
from analysis.solving.solve import solve

if TYPE_CHECKING:
    from analysis.search.advice import Advice
    from analysis.search.proofs import Proof

SECONDS = 10.0
"""What a search for a proof may take, unless told otherwise."""

SOLVING_SECONDS = 1.0
"""What solving may take at first where nobody knows how large the game is from there."""

QUICK_SHARE, SOLVING_SHARE = 0.25, 0.5
"""What a first search, and then solving, may take in parts of the time for a proof."""

EVALUATION_SECONDS = 1.0
"""What an evaluation takes where nothing can be proven."""

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
    name: str | Game,
    position: str | None = None,
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Finding:
    """What can be known of a ``position`` (default: the start) of a GAME_OR_DIR.

    In this order: from a stored solution that holds it, whatever its symmetries unless one ``symmetry`` is asked for;
    from the whole game, solved here, if that is known to fit (within ``seconds``, if they are given); from the position
    on, solved here, if that takes no longer than `SOLVING_SECONDS`; proven by searches to the end that take ``seconds``
    (default: `SECONDS`), or solved in half of that, whichever is done sooner; or, not exact, by a search of limited
    depth and what the game's evaluation makes of its leaves. So many ``workers`` work at once (default: one a core),
    and ``progress`` is told how far it is.

    Raises what loading a game or its solution raises, `PositionError` for a text that is no position, before anything
    is solved, and for one that play does not reach, and `OptionError` for ``seconds`` that are no time.

    >>> found = find_position("tictactoe", "XOX?O????")
    >>> found.known.value, found.exact
    (0, True)
    """
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"{seconds:g} seconds are no time to search; give more than 0")
    stored = stored_solution(name, symmetry, counts=False)
    game = named_game(name) if stored is None else stored.game
    if stored is not None:
        state = stored.engine.start if position is None else read_position(game, position)
        return _solved(stored, state, f"the solution in {stored.directory}")
    state = game.rules().start if position is None else read_position(game, position)
    patience = SECONDS if seconds is None else seconds
    work = _Work(game, state, symmetry or "geometric", workers, progress)
    return (
        work.solve_whole(seconds)
        or work.solve_within(min(SOLVING_SECONDS, patience))
        or work.prove(QUICK_SHARE * patience)
        or work.solve_within(SOLVING_SHARE * patience)
        or work.prove(patience)
        or work.evaluate(patience)
    )


@dataclasses.dataclass(frozen=True)
class _Work:
    """Ways to find out about a state; each returns None where it does not."""

    game: Game
    state: int
    symmetry: str
    workers: int | None
    progress: Progress

    def solve_whole(self, seconds: float | None) -> Finding | None:
        """From the start on, where the game says beforehand how large it is; `TooLargeError` comes at once then."""
        if self.game.expected_positions() is None:
            return None
        return self._solve(self.game.rules().start, _patient(self.progress, seconds))

    def solve_within(self, seconds: float) -> Finding | None:
        """The whole game, or else what is left of it, as far as that is done so soon."""
        start = self.game.rules().start
        known = self.game.expected_positions() is not None  # then the whole game has been tried
        for begin in [self.state] if known or self.state == start else [start, self.state]:
            found = self._solve(begin, _patient(self.progress, seconds))
            if found is not None:
                return found
        return None

    def _solve(self, begin: int, progress: Progress) -> Finding | None:
        """What solving from there tells, without counts where they are too large."""
        start = self.game.rules().start
        for counts in (True, False):
            try:
                solution = solve(
                    self.game, position=None if begin == start else self.game.format_position(begin),
                    symmetry=self.symmetry, counts=counts, workers=self.workers, progress=progress,
                )  # fmt: skip
            except CountOverflowError:
                continue
            except (_TimeIsUpError, TooLargeError):
                return None
            from_there = "the game" if begin == start else "the game from there on"
            return _solved(solution, self.state, f"{from_there}, solved here")
        return None

    def prove(self, seconds: float) -> Finding | None:
        """What searches to the end show in so many seconds."""
        from analysis.search.proving import prove  # what searches takes a while to load

        if self.game.rules().payoff(self.state) != ONGOING:
            return _ended(self.game, self.state)
        began = time.monotonic()
        try:
            proof = prove(self.game, self.state, seconds, self.progress, workers=self.workers, every_move=True)
        except TooLargeError:
            return None
        if proof is None:
            return None
        source = f"searches to the end of the game, {proof.nodes:,} nodes in {time.monotonic() - began:.1f} s"
        return Finding(self.game, self.state, _proven(self.game, self.state, proof), source, exact=True)

    def evaluate(self, seconds: float) -> Finding:
        """What a search of limited depth guesses, where nothing was proven in so many seconds."""
        from analysis.search.advice import advise

        text, evaluation = self.game.format_position(self.state), self.game.rules().default_evaluation
        most = min(EVALUATION_SECONDS, seconds)
        advice = advise(self.game, text, seconds=most, evaluation=evaluation or "none", progress=self.progress)
        if advice.complete:  # to the end of all lines: then payoffs say more than what an evaluation makes of them
            advice = advise(self.game, text, depth=advice.depth, evaluation="none", progress=self.progress)
            source = f"a search to the end, {advice.depth} plies deep"
            return Finding(self.game, self.state, advice, source, exact=advice.complete)
        said = f"the evaluation {evaluation}" if evaluation else "a guess: open positions count 0"
        source = f"{said}, {advice.depth} plies deep; not proven in {seconds:g} s"
        return Finding(self.game, self.state, advice, source, exact=False)


def _patient(progress: Progress, seconds: float | None) -> Progress:
    """A ``progress`` that ends a solve after so many seconds from its first word on: compiling takes none of them."""
    told: list[Progress] = []

    def tell(stage: str, done: float, total: float | None) -> None:
        told.extend([] if told else [patient(progress, seconds, _TimeIsUpError())])
        told[0](stage, done, total)

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
