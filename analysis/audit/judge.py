"""Judge moves: compare the position before with the position after.

*Value lost* is the value before the move minus the value after it, from the mover's view, in units of payoff. It is
never negative; a move that loses 0 is optimal, any other a mistake.

*Remoteness lost* is how many plies an optimal move wasted (the winner hurries, the loser delays, with value 0 the
players hurry), again never negative:

- the mover wins, or the value is 0: the remoteness after the move, plus 1, minus the remoteness before it;
- the mover loses: the remoteness before the move minus, plus 1, that after it.

It is None where value was lost, where searches do not find the remoteness, and where either position is a draw, which
has no remoteness.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import logging
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from ..engine.tiers import ValueRecord
from ..errors import OptionError, PositionError, TooLargeError, TooSlowError
from ..machine.context import options
from ..machine.endings import interrupts
from ..machine.memory import Budget
from ..machine.workers import telling
from ..playing.terms import NO_LIMITS, Effort
from ..rules.backtracker import joined
from ..rules.game import ONGOING, Game, GameLike
from ..rules.notation import Notation
from ..rules.positions import Place, read_position
from ..rules.symmetry import find_group
from ..solution.solution import Solution
from ..solving.find import find_values, named_game
from ..wording import described, some
from .records import CellMove, cell_code
from .tables import missing, number_of

LOG = logging.getLogger("gametree")

SECONDS = 60.0
"""Default time for searches."""

SOLVING_SHARE = 0.5
"""Share of the given seconds for solving; searches get the rest."""

VISIT_BYTES = 4000
"""Memory for a position where searches judge: 2,500 bytes were measured."""

REMEMBERED = 1 << 18
"""Positions that a judge keeps before it starts again; each takes about half a kilobyte."""

KEPT_MOVES = 1 << 16
"""Positions whose moves are kept; each takes about a kilobyte."""

SHOWN = 12
"""Legal moves listed in an error message."""

LONGEST_TEXT = 4000
"""Limit on the characters of a position or a move."""

FIRST_SECONDS, GROWTH = 0.02, 4
"""The first processor time of a search of a position, and its growth each time that it goes on."""

Judged = TypeVar("Judged")


@dataclasses.dataclass(eq=False, slots=True)
class JudgedVisit:
    """A position, and the ply of play at which it arose, if known."""

    ply: int | None
    state: int
    mover: int
    """+1 the first player, -1 the second; meaningless where the game is over."""
    value: int | None
    """None while searches have not found it."""
    remoteness_plies: int | None
    children: dict[int, int] = dataclasses.field(repr=False)
    """Code -> state after each legal move; empty where the game is over."""
    verdicts: dict[Any, Verdict] = dataclasses.field(repr=False)
    """The moves judged so far, by code and by text."""

    @property
    def over(self) -> bool:
        """Whether the game is over; the value is then the payoff."""
        return not self.children


@dataclasses.dataclass(eq=False, slots=True)
class Verdict:
    """One judged move. Verdicts are compared by identity, since a judge makes one for all games that share it."""

    before: JudgedVisit
    code: int
    after: JudgedVisit
    value_lost: int | None
    """In units of payoff, for the mover; 0 or more. None where the value before or after is not known."""
    remoteness_lost_plies: int | None

    @property
    def optimal(self) -> bool | None:
        """Whether the move kept the value; None where that is not known."""
        return None if self.value_lost is None else self.value_lost == 0

    @property
    def side(self) -> str:
        """Who moved, ``X`` or ``O``."""
        return "X" if self.before.mover > 0 else "O"


def losses(before: JudgedVisit, after: JudgedVisit) -> tuple[int | None, int | None]:
    """Return what a move from one position to another lost: value, and plies of remoteness; see above."""
    if before.value is None or after.value is None:
        return None, None
    value_lost = before.mover * (before.value - after.value)
    if value_lost or before.remoteness_plies is None or after.remoteness_plies is None:
        return value_lost, None
    longer = after.remoteness_plies + 1 - before.remoteness_plies
    return value_lost, -longer if before.mover * before.value < 0 else longer


class Judge(abc.ABC):
    """Judges the moves of a ``game`` that begins in state ``start``, by what it knows of positions."""

    tells_remoteness = True
    """Whether it knows remoteness."""

    def __init__(self, game: Game, start: int) -> None:
        self.game, self.rules = game, game.rules()
        self.legal = functools.lru_cache(KEPT_MOVES)(self.rules.moves)
        """`Rules.moves`, which best responses to many policies call repeatedly."""
        self.notation = Notation(self.game)
        self._visits: dict[tuple[int | None, int], JudgedVisit] = {}
        self.position = self.game.format_position(start)
        """Where play begins."""
        self.start = self.visit(start, 0)

    @abc.abstractmethod
    def look(self, state: int, ply: int | None) -> JudgedVisit:
        """Return a state that was not met before. Raises `PositionError` where play never reaches it."""

    @abc.abstractmethod
    def best_moves(self, state: int) -> tuple[int, ...] | None:
        """Return the codes of the moves that keep the value, ascending, or None if unknown."""

    @abc.abstractmethod
    def source(self) -> str:
        """Describe where the values come from."""

    def settled(self, judged: Iterator[Judged]) -> Iterator[Judged]:
        """Return these games or choices with everything found out about them."""
        return judged

    def ply(self, state: int) -> int | None:
        """Return after how many plies a ``state`` arises; None if unknown. Raises what `look` raises."""
        return None

    def visit(self, state: int, ply: int | None) -> JudgedVisit:
        """Return a ``state`` met after ``ply`` plies (None: unknown). Raises what `look` raises."""
        known = self._visits.get((ply, state))
        if known is None:
            known = self._visits[ply, state] = self.look(state, ply)
        return known

    def verdict(self, before: JudgedVisit, move: Any) -> Verdict:
        """Judge a ``move`` (as for `code`) made at ``before``. Raises `PositionError`, listing the legal moves."""
        code = None if before.over else self.code(move, before.state)
        if code is None or code not in before.children:
            raise PositionError(self._illegal(before, move))
        found = before.verdicts.get(code)
        if found is None:
            after = self.visit(before.children[code], None if before.ply is None else before.ply + 1)
            found = before.verdicts[code] = Verdict(before, code, after, *losses(before, after))
        if type(move) is str or type(move) is CellMove:
            before.verdicts[move] = found
        return found

    @property
    def joined(self) -> bool:
        """Whether the codes of a path are joined by ``-``."""
        return joined(self.rules.largest_code)

    def code(self, move: Any, state: int) -> int:
        """Return the code of a move in a ``state``. Numbers are codes, and so are texts of digits unless the game's
        notation has other numbers; other texts are read by `Notation`, and a `CellMove` is the move made in that cell.
        Raises `PositionError`.

        >>> judge = find_judge("kayles")
        >>> [judge.code(move, judge.start.state) for move in (4, 4.0, "4", "3+4")]
        [4, 4, 6, 5]
        """
        if type(move) is int:
            return move
        if isinstance(move, CellMove):
            return cell_code(self.notation, move, state)
        if missing(move) or (isinstance(move, str) and not move.strip()):
            raise PositionError("the move is missing")
        if not isinstance(move, str):
            return _whole(move)
        number = None if self.notation.own_numbers else number_of(move)
        return self.notation.read(_short(move, "move"), state) if number is None else number

    def state(self, position: Any) -> int:
        """Return the state of a position: a text, a board as a list, or a number. Raises `PositionError`."""
        if isinstance(position, (list, tuple)) or getattr(position, "ndim", None):
            return read_position(self.game, position)
        if missing(position) or position == "":
            raise PositionError("the position is missing")
        if not isinstance(position, str):
            try:
                position = str(_whole(position))
            except PositionError:
                raise PositionError(f"position {described(position)} is neither text nor a whole number") from None
        return read_position(self.game, _short(position, "position"), self.notation)

    def forget(self) -> None:
        """Drop the positions kept when they are many, so that a long file does not fill the memory."""
        if len(self._visits) > REMEMBERED:
            self._visits = {(0, self.start.state): self.start}
            self.start.verdicts.clear()

    def text(self, visit: JudgedVisit) -> str:
        """Return the position of a ``visit`` as the game writes it."""
        return self.game.format_position(visit.state)

    def _illegal(self, before: JudgedVisit, move: Any) -> str:
        position = self.text(before)
        if before.over:
            return f"the game is over in {position}"
        legal = [*before.children]
        shown = " ".join(map(str, legal[:SHOWN])) + (" ..." if len(legal) > SHOWN else "")
        move = move.strip() if isinstance(move, str) else described(move)
        return f"move {move} is not legal in {position}; legal moves are {shown}"


class SolutionJudge(Judge):
    """Judges moves by a complete solution, from ``position`` (default: its start) on.

    >>> judge = find_judge("tictactoe")
    >>> corner = judge.verdict(judge.start, 0)
    >>> edge = judge.verdict(corner.after, 1)
    >>> (corner.value_lost, edge.value_lost), judge.best_moves(corner.after.state)
    ((0, 1), (4,))
    """

    def __init__(self, solution: Solution, position: Place | None = None) -> None:
        self.solution = solution
        self.best_moves = functools.lru_cache(maxsize=1 << 16)(self.best_moves)  # type: ignore[method-assign]
        super().__init__(
            solution.game, solution.engine.start if position is None else read_position(solution.game, position)
        )

    def ply(self, state: int) -> int | None:
        """See `Judge.ply`; the tiers tell it, where they are plies."""
        return self.solution.find_tier(state) if self.solution.by_ply else None

    def look(self, state: int, ply: int | None) -> JudgedVisit:
        """See `Judge.look`. Raises `PositionError` where the solution lacks the state."""
        record = self.solution.lookup(state)
        children = {} if record.terminal else dict(self.rules.moves(state))
        return JudgedVisit(ply, state, record.to_move, record.value, record.remoteness_plies, children, {})

    def best_moves(self, state: int) -> tuple[int, ...]:
        """See `Judge.best_moves`."""
        value = self._value(state)
        return tuple(code for code, child in self.rules.moves(state) if self._value(child) == value)

    def source(self) -> str:
        """See `Judge.source`."""
        directory = self.solution.directory
        return f"the solution in {directory}" if directory is not None else "a solution computed for this audit"

    def _value(self, state: int) -> int:
        return self.solution.lookup_as(state, ValueRecord).value


class SearchingJudge(Judge):
    """Judges moves as far as searches get within these ``seconds`` of processor time; the value lost by a move that
    they do not reach is None. Everything else is exact, but remoteness is unknown.

    Every position is assumed to be reachable. Raises `RulesError` for rules that do not compile.

    >>> from analysis import load_game
    >>> from analysis.audit import audit
    >>> found = audit(SearchingJudge(load_game("tictactoe"), seconds=30), ["0412637"])
    >>> found.tally.all.unknown, found.tally.all.mistakes
    (0, 1)
    """

    tells_remoteness = False

    def __init__(self, game: Game, position: Place | None = None, *, seconds: float = SECONDS) -> None:
        from ..search.proving import search_table  # slow to import

        _check_seconds(seconds)
        self.seconds, self.stopped, self._nodes = seconds, "", 0
        """The time limit, and why it stopped: ``seconds``, ``interrupted``, or an empty text if all is known."""
        self._table, self._budget = search_table(game), Budget.of_machine()
        rules = game.rules()
        self._canonical = rules.canonical or find_group(rules, "geometric").canonical
        self._values: dict[int, int] = {}
        """Values of positions, named by their least images."""
        super().__init__(game, rules.start if position is None else read_position(game, position))

    def look(self, state: int, ply: int | None) -> JudgedVisit:
        """See `Judge.look`. Raises `TooLargeError` for more positions than fit in memory."""
        self._budget.require(VISIT_BYTES * len(self._visits), f"judging {len(self._visits):,} positions", "fewer games")
        mover, children = self.rules.mover(state), dict(self.rules.moves(state))
        found = JudgedVisit(ply, state, mover, None, None, children, {})
        self._settle(found)
        return found

    def best_moves(self, state: int) -> tuple[int, ...] | None:
        """See `Judge.best_moves`."""
        value, after = self._value(state), {code: self._value(child) for code, child in self.rules.moves(state)}
        if value is None or None in after.values():
            return None
        return tuple(code for code, worth in after.items() if worth == value)

    def source(self) -> str:
        """See `Judge.source`."""
        ended = {"seconds": f", ended after {self.seconds:g} s", "interrupted": ", interrupted"}.get(self.stopped, "")
        nodes = f", {some(self._nodes, 'node')}" if self._nodes else ""
        return f"searches to the end of the game{nodes}{ended}"

    def forget(self) -> None:
        """Forget nothing: all games are searched together."""

    def settled(self, judged: Iterator[Judged]) -> Iterator[Judged]:
        """See `Judge.settled`: read everything, search, and fill in the values found."""
        read = list(judged)
        with interrupts():
            try:
                self.stopped = self._search()
            except KeyboardInterrupt:
                self.stopped = "interrupted"
        for visit in self._visits.values():
            self._settle(visit)
            for verdict in visit.verdicts.values():
                self._settle(verdict.after)
                verdict.value_lost, _ = losses(visit, verdict.after)
        return iter(read)

    def _search(self) -> str:
        """Search all positions from the ends backwards, at first shortly, so that a hard one does not hold up easy
        ones; return why it stopped.
        """
        from ..search.proving import Deepening

        left, allowed, searches, progress = self.seconds, FIRST_SECONDS, dict[int, Deepening](), options().progress

        def tell(*_: object) -> None:
            known = len(self._values)
            stage = f"searching from the ends backwards, {known:,} of {known + len(unknown):,} positions known"
            progress(stage, self.seconds - left, self.seconds)

        while unknown := self._unknown():
            for name, state in [*unknown.items()]:
                if left <= 0:
                    return "seconds"
                search = searches.setdefault(name, Deepening(self.game, state, self._table))
                nodes, spent = search.nodes, search.seconds
                tell()
                with telling(tell):
                    search.decide(min(allowed, left))
                left, self._nodes = left - search.seconds + spent, self._nodes + search.nodes - nodes
                proof = search.proof()
                if proof is not None:
                    self._values[name] = proof.worth.value
                    del unknown[name]
            allowed *= GROWTH
        return ""

    def _unknown(self) -> dict[int, int]:
        """Return the positions of unknown value, by their names, the last ones first; after a losing move, those after
        the other moves too.
        """
        visits = sorted(self._visits.values(), key=lambda visit: -(visit.ply or 0))
        states = [visit.state for visit in visits]
        for visit in visits:
            value = self._value(visit.state)
            after = [self._value(verdict.after.state) for verdict in visit.verdicts.values()]
            if value is not None and any(other is not None and other != value for other in after):
                states += visit.children.values()
        return {self._canonical(state): state for state in states if self._value(state) is None}

    def _value(self, state: int) -> int | None:
        payoff = self.rules.payoff(state)
        return self._values.get(self._canonical(state)) if payoff == ONGOING else payoff

    def _settle(self, visit: JudgedVisit) -> None:
        visit.value = self._value(visit.state)
        visit.remoteness_plies = 0 if visit.over else None


def find_judge(game: GameLike, *, position: Place | None = None) -> SolutionJudge:
    """Return a judge by a complete solution of a game or of a directory: a stored solution is opened, otherwise the
    game is solved from ``position`` on. Raises what `analysis.solve` raises.
    """
    return SolutionJudge(find_values(game, position), position)


def judge_within(game: GameLike | Judge, *, position: Place | None = None, effort: Effort = NO_LIMITS) -> Judge:
    """Return a judge by a complete solution, as `find_judge` does, or by searches where the game is too large to solve
    or takes more than half of the seconds of the ``effort``, if these are limited. A judge is returned as it is.

    Raises `OptionError` for invalid seconds and for a judge that does not begin at ``position``, and solving errors.
    """
    seconds = effort.seconds
    _check_seconds(seconds)
    if isinstance(game, Judge):
        if position is not None and read_position(game.game, position) != game.start.state:
            raise OptionError(f"the judge begins at {game.position}, not at {position}")
        return game
    if isinstance(game, Solution):
        return SolutionJudge(game, position)
    name = game if isinstance(game, str) else named_game(game).spec
    solving = None if seconds is None else SOLVING_SHARE * seconds
    try:
        return SolutionJudge(find_values(game, position, effort.symmetry, seconds=solving), position)
    except TooLargeError as error:
        slow = isinstance(error, TooSlowError)
        left = SECONDS if seconds is None else seconds - (SOLVING_SHARE * seconds if slow else 0)
        why = str(error) if slow else f"{name} is too large to solve"
        LOG.info(f"{why}: judging by searches, from the ends backwards, for {left:g} s (--seconds S to change)")
        return SearchingJudge(named_game(game), position, seconds=left)


def _check_seconds(seconds: float | None) -> None:
    """Raise `OptionError` for seconds that are not positive and finite."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot judge in {seconds:g} seconds; give a finite number above 0")


def _whole(move: Any) -> int:
    """Return a whole number as an integer. Raises `PositionError` for anything else, booleans too."""
    try:
        single = not isinstance(move, (bool, np.bool_, bytes, bytearray)) and np.ndim(move) == 0
        if single and int(move) == move and abs(move) < 1 << 63:
            return int(move)
    except (ArithmeticError, TypeError, ValueError):
        pass
    raise PositionError(f"move {described(move)} is neither a code nor text")


def _short(text: str, what: str) -> str:
    """Return the text. Raises `PositionError` if it is too long for any move or position."""
    if len(text) > LONGEST_TEXT:
        raise PositionError(f"{what} {text[:SHOWN]}... is too long: {len(text):,} characters, allowed {LONGEST_TEXT:,}")
    return text
