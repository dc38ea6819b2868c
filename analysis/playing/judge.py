"""What is known of positions: by a complete solution, or as far as searches get."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..common.context import options
from ..common.endings import interrupts
from ..common.memory import Budget
from ..common.wording import described
from ..common.workers import telling
from ..engine.tiers import VALUES
from ..errors import OptionError, PositionError, TooLargeError, TooSlowError
from ..rules.game import ONGOING, GameLike
from ..rules.notation import Notation
from ..rules.positions import Place, read_position
from ..rules.symmetry import find_group
from ..solution.solution import Solution
from ..solving.find import find_values, named_game
from .layouts import Move, move_of
from .terms import NO_LIMITS, Effort

LOG = logging.getLogger("gametree")

SECONDS = 60.0
"""Default time for searches."""

SOLVING_SHARE = 0.5
"""Share of the given seconds for solving; searches get the rest."""

VISIT_BYTES = 4000
"""Memory for a position where searches judge: 2,500 bytes were measured."""

KEPT_MOVES = 1 << 16
"""Positions whose moves are kept; each takes about a kilobyte."""

SHOWN = 12
"""Legal moves listed in an error message."""

FIRST_SECONDS, GROWTH = 0.02, 4
"""The first processor time of a search of a position, and its growth each time that it goes on."""


class Step(NamedTuple):
    """A move from one state to another, made after ``ply`` plies (None if unknown)."""

    before: int
    after: int
    ply: int | None
    code: int


class Known(NamedTuple):
    """What is known of a position: None while its value, or remoteness, is not."""

    value: int | None
    remoteness_plies: int | None


class Judge:
    """Knows positions of a game that begins at ``start`` (default: its start).

    From a `Solution` it knows them all. Otherwise it knows them as far as searches get within these ``seconds`` of
    processor time: values that they do not reach are None, all others exact, and remoteness is unknown; every position
    is assumed to be reachable. Raises `PositionError`, `OptionError`, and `RulesError` for rules that do not compile.

    >>> from analysis import load_game
    >>> from analysis.playing import audit
    >>> totals = audit(Judge(load_game("tictactoe"), seconds=30), ["0412637"]).totals()
    >>> totals["unknown"], totals["mistakes"]
    (0, 1)
    """

    def __init__(self, game: GameLike, start: Place | None = None, *, seconds: float = SECONDS) -> None:
        self.solution = game if isinstance(game, Solution) else None
        self.game = named_game(game)
        self.rules, self.seconds = self.game.rules(), seconds
        first = self.rules.start if self.solution is None else self.solution.engine.start
        self.start = first if start is None else read_position(self.game, start)
        self.legal = functools.lru_cache(KEPT_MOVES)(self.rules.moves)
        """`Rules.moves`, which games and best responses ask for repeatedly."""
        self.notation, self.position = Notation(self.game), self.game.format_position(self.start)
        self._step = functools.lru_cache(KEPT_MOVES)(self._find_step)
        self.stopped = ""
        """What ended the searches: ``stopped`` by the time, ``interrupted``, or an empty text if all is known."""
        if self.solution is not None:
            self.solution.records.of(self.start, VALUES)  # refuses a position that play does not reach
            return
        from ..search.proving import search_table  # slow to import

        _check_seconds(seconds)
        self._table = search_table(self.game)
        self._canonical = self.rules.canonical or find_group(self.rules, "geometric").canonical
        self._values: dict[int, int] = {}
        """Values of positions, named by their least images."""

    @property
    def source(self) -> str:
        """Where the values come from, in words."""
        if self.solution is not None:
            directory = self.solution.directory
            return f"the solution in {directory}" if directory is not None else "a solution computed for this audit"
        return f"searches to the end of the game, {self.stopped or 'complete'}, within {self.seconds:g} s"

    @property
    def value(self) -> int | None:
        """The value of the start, None if unknown."""
        return self.know([self.start])[self.start].value

    def know(self, states: Iterable[int]) -> dict[int, Known]:
        """Return what is known of these states, without those that play never reaches."""
        if self.solution is not None:
            asked = list(states)
            worths = zip(asked, self.solution.lookup(asked).worths(), strict=True)
            return {state: Known(*worth[:2]) for state, worth in worths if worth is not None}
        return {state: Known(self._value(state), None if self.legal(state) else 0) for state in states}

    def ply(self, state: int) -> int | None:
        """Return after how many plies a ``state`` arises; None where the tiers of a solution do not tell."""
        return self.solution.records.tier(state) if self.solution is not None and self.solution.by_ply else None

    def best_moves(self, states: Iterable[int]) -> dict[int, tuple[int, ...] | None]:
        """Return for each state the codes of the moves that keep its value, ascending, or None if unknown.

        >>> judge = find_judge("tictactoe")
        >>> judge.best_moves([judge.step(judge.start, 0)[1]])
        {1: (4,)}
        """
        after = {state: self.legal(state) for state in states}
        known = self.know({*after, *(child for moves in after.values() for _, child in moves)})
        best: dict[int, tuple[int, ...] | None] = {}
        for state, moves in after.items():
            value, values = known[state].value, [known[child].value for _, child in moves]
            unknown = value is None or None in values
            keep = (code for (code, _), other in zip(moves, values, strict=True) if other == value)
            best[state] = None if unknown else tuple(keep)
        return best

    # Reading ----------------------------------------------------------------------------------------------------------

    def step(self, state: int, move: Any) -> tuple[int, int]:
        """Return the code of a ``move`` in a ``state`` (see `move_of`), and the state after it. Raises `PositionError`
        for an illegal one, listing the legal moves.

        >>> judge = find_judge("kayles")
        >>> [judge.step(judge.start, move)[0] for move in (4, 4.0, "4", "3+4")]
        [4, 4, 4, 5]
        """
        return self._step(state, move_of(move))

    def _find_step(self, state: int, move: Move) -> tuple[int, int]:
        legal, position = dict(self.legal(state)), self.game.format_position(state)
        if not legal:
            raise PositionError(f"the game is over in {position}")
        code = move
        if isinstance(move, tuple):
            (row, col), (_, cols) = move, self.notation.shape(state)
            cells = [each.code for each in self.notation.legal(state) if each.cell == row * cols + col and col < cols]
            code = cells[0] if len(cells) == 1 else -1
        elif isinstance(move, str):
            code = self.notation.read(move, state)
        if code not in legal:
            shown = " ".join(map(str, [*legal][:SHOWN])) + (" ..." if len(legal) > SHOWN else "")
            text = move if isinstance(move, str) else described(move)
            raise PositionError(f"move {text} is not legal in {position}; legal moves are {shown}")
        return int(code), legal[code]

    def state(self, position: Any) -> int:
        """Return the state of a position: a text, a number that is one, or a board as a list. Raises
        `PositionError`.
        """
        listed = isinstance(position, (list, tuple)) or hasattr(position, "tolist")
        return read_position(self.game, position if listed else str(position), self.notation)

    # Searching --------------------------------------------------------------------------------------------------------

    def settle(self, steps: Iterable[Step]) -> None:
        """Find out what can be found about these moves: search until all is known, the time is over, or Ctrl-C. Raises
        `TooLargeError` for more positions than fit in memory.
        """
        if self.solution is not None:
            return
        steps = [*steps]
        Budget.of_machine().require(VISIT_BYTES * len(steps), f"judging {len(steps):,} moves", "fewer games")
        with interrupts():
            try:
                self.stopped = self._search(sorted({*steps}, key=lambda step: -(step.ply or 0)))
            except KeyboardInterrupt:
                self.stopped = "interrupted"

    def _search(self, steps: list[Step]) -> str:
        """Search all positions from the ends backwards, at first shortly, so that a hard one does not hold up easy
        ones; return why it stopped.
        """
        from ..search.proving import Deepening

        left, allowed, searches, progress = self.seconds, FIRST_SECONDS, dict[int, Deepening](), options().progress

        def tell(*_: object) -> None:
            known = len(self._values)
            stage = f"searching from the ends backwards, {known:,} of {known + len(unknown):,} positions known"
            progress(stage, self.seconds - left, self.seconds)

        while unknown := self._unknown(steps):
            for name, state in [*unknown.items()]:
                if left <= 0:
                    return "stopped"
                search = searches.setdefault(name, Deepening(self.game, state, self._table))
                spent = search.seconds
                tell()
                with telling(tell):
                    search.decide(min(allowed, left))
                left += spent - search.seconds
                proof = search.proof()
                if proof is not None:
                    self._values[name] = proof.worth.value
                    del unknown[name]
            allowed *= GROWTH
        return ""

    def _unknown(self, steps: list[Step]) -> dict[int, int]:
        """Return the positions of unknown value, by their names, the last ones first; after a losing move, those after
        the other moves too.
        """
        states = [*(state for step in steps for state in (step.after, step.before)), self.start]
        for step in steps:
            value, after = self._value(step.before), self._value(step.after)
            if value is not None and after not in (value, None):
                states += [child for _, child in self.legal(step.before)]
        return {self._canonical(state): state for state in states if self._value(state) is None}

    def _value(self, state: int) -> int | None:
        payoff = self.rules.payoff(state)
        return self._values.get(self._canonical(state)) if payoff == ONGOING else payoff


def find_judge(game: GameLike | Judge, start: Place | None = None, effort: Effort = NO_LIMITS) -> Judge:
    """Return a judge by a complete solution of a game or of a directory: a stored solution is opened, otherwise the
    game is solved from ``start`` on. A game too large for that, or one that takes more than half of the seconds, is
    judged by searches. Raises `OptionError` for seconds that are not positive, or a judge of another start, and what
    `analysis.solve` raises.
    """
    _check_seconds(effort.seconds)
    if isinstance(game, Judge):
        if start is not None and read_position(game.game, start) != game.start:
            raise OptionError(f"the judge begins at {game.position}, not at {start}")
        return game
    if isinstance(game, Solution):
        return Judge(game, start)
    solving = None if effort.seconds is None else SOLVING_SHARE * effort.seconds
    try:
        return Judge(find_values(game, start, effort.symmetry, seconds=solving), start)
    except TooLargeError as error:
        left = (effort.seconds or SECONDS) - (solving or 0) * isinstance(error, TooSlowError)
        LOG.info(f"{named_game(game).spec} is not solved: judging by searches for {left:g} s (see --seconds)")
        return Judge(named_game(game), start, seconds=left)


def _check_seconds(seconds: float | None) -> None:
    """Raise `OptionError` for seconds that are not positive and finite."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot judge in {seconds:g} seconds; give a finite number above 0")
