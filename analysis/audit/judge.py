"""What a move costs: the judge compares the position before it with the position after it.

*Value lost* is what the move took from its maker: the value before minus the value after, seen by the mover, in units
of payoff. It is never negative, and a move is optimal where it is 0; any other move is a mistake.

*Remoteness lost* is how many plies an optimal move wasted by remoteness (the winner hurries, the loser delays, with
value 0 the players hurry), again never negative:

- the mover wins, or the value is 0: the remoteness after the move, plus 1, minus the remoteness before it;
- the mover loses: the remoteness before the move minus, plus 1, that after it.

There is none (None) where value was lost, none where searches do not tell how far the end is, and none where either
position is a draw, which has no remoteness: a move from one endless position to another wastes nothing, and one from a
tie into endless play never comes to its end.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import logging
import re
import reprlib
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from analysis.audit.records import CellMove, cell_code
from analysis.audit.tables import missing
from analysis.engine.tiers import ValueRecord
from analysis.errors import OptionError, PositionError, TooLargeError
from analysis.games.families import load_game
from analysis.machine.arguments import checked
from analysis.machine.memory import Budget
from analysis.machine.workers import patient
from analysis.playing.terms import NO_LIMITS, Effort
from analysis.rules.counting import first_number, joined
from analysis.rules.game import Game, HasRules
from analysis.rules.notation import Notation
from analysis.rules.positions import read_position
from analysis.solution.solution import Solution
from analysis.solving.find import find_values, named_game
from analysis.wording import some

LOG = logging.getLogger("gametree")

SECONDS = 60.0
"""What searching may take, unless told otherwise."""

SOLVING_SHARE = 0.5
"""What solving may take of the seconds that are given, before searches take the rest."""

VISIT_BYTES = 4000
"""Memory that a position takes at most where searches judge: 2,500 were measured."""

REMEMBERED = 1 << 18
"""Positions that a judge keeps before it begins anew; each takes about half a kilobyte."""

KEPT_MOVES = 1 << 16
"""Positions whose moves are kept; each takes about a kilobyte."""

SHOWN = 12
"""Legal moves that a refusal lists."""

LONGEST = 4000
"""Characters of a position or a move; none is that long."""

Judged = TypeVar("Judged")

_CODE = re.compile(r"([0-9]{1,9})(?:\.0)?", re.ASCII)
"""A code as text: ``4.0``, which tables with gaps are full of, is 4."""


@dataclasses.dataclass(eq=False, slots=True)
class JudgedVisit:
    """A position, at a ply of play if it is known at which."""

    ply: int | None
    state: int
    mover: int
    """+1 the first player, -1 the second; of no meaning where the game is over."""
    value: int | None
    """None where searches have not found it."""
    remoteness_plies: int | None
    children: dict[int, int] = dataclasses.field(repr=False)
    """The state after each legal move, by code; none where the game is over."""
    verdicts: dict[Any, Verdict] = dataclasses.field(repr=False)
    """Of the moves that were judged here, by code and by the texts that stood for them."""

    @property
    def over(self) -> bool:
        """Whether the game is over; the value is then the payoff."""
        return not self.children


@dataclasses.dataclass(eq=False, slots=True)
class Verdict:
    """One judged move; verdicts are compared by identity, since a judge makes one for all games that share it."""

    before: JudgedVisit
    code: int
    after: JudgedVisit
    value_lost: int | None
    """In units of payoff, as the mover sees it; 0 or more. None where the value before or after it is not known."""
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
    """What a move from one position to another lost, in value and in plies of remoteness; see above."""
    if before.value is None or after.value is None:
        return None, None
    value_lost = before.mover * (before.value - after.value)
    if value_lost or before.remoteness_plies is None or after.remoteness_plies is None:
        return value_lost, None
    longer = after.remoteness_plies + 1 - before.remoteness_plies
    return value_lost, -longer if before.mover * before.value < 0 else longer


class Judge(abc.ABC):
    """Judges the moves of a ``game`` that begins in the state ``start``, by what it knows of positions."""

    tells_remoteness = True
    """Whether it knows how far ends are."""

    def __init__(self, game: Game, start: int) -> None:
        self.game, self.rules = game, game.rules()
        self.legal = functools.lru_cache(KEPT_MOVES)(self.rules.moves)
        """`Rules.moves`, which best responses to many policies ask for again and again."""
        self.notation = Notation(self.game)
        self._visits: dict[tuple[int | None, int], JudgedVisit] = {}
        self.position = self.game.format_position(start)
        """Where play begins."""
        self.start = self.visit(start, 0)

    @abc.abstractmethod
    def look(self, state: int, ply: int | None) -> JudgedVisit:
        """A state that was not met before. Raises `PositionError` where play does not come there."""

    @abc.abstractmethod
    def best_moves(self, state: int) -> tuple[int, ...] | None:
        """The codes of the moves that keep the value, ascending; None where these are not known."""

    @abc.abstractmethod
    def source(self) -> str:
        """Where the values come from, for people."""

    def settled(self, judged: Iterator[Judged]) -> Iterator[Judged]:
        """These games or choices with all that is found out about them."""
        return judged

    def visit(self, state: int, ply: int | None) -> JudgedVisit:
        """A ``state``, met after ``ply`` plies (None: unknown). Raises what `look` raises."""
        known = self._visits.get((ply, state))
        if known is None:
            known = self._visits[ply, state] = self.look(state, ply)
        return known

    def verdict(self, before: JudgedVisit, move: Any) -> Verdict:
        """Judge a ``move``, given as `code` takes it, made at ``before``. Raises `PositionError` where it is not legal,
        and says which are.
        """
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

    def recorded(self, move: Any) -> Any:
        """A move of a record as `code` takes it: there numbers count as texts do."""
        first = first_number()
        return move if not first or isinstance(move, (str, CellMove)) or missing(move) else _whole(move) - first

    def code(self, move: Any, state: int) -> int:
        """The code of a move in a ``state``: numbers are codes, and so are texts of digits, unless the game writes
        other moves so; all other texts are legal moves as `Notation` reads them. A `CellMove` is the move that is made
        there. Raises `PositionError`.

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
        found = None if self.notation.own_numbers else _CODE.fullmatch(move.strip())
        return int(found[1]) - first_number() if found else self.notation.read(_short(move, "move"), state)

    def state(self, position: Any) -> int:
        """The state of a position: text, a board as a list or, of games that write positions as numbers, a number.
        Raises `PositionError`.
        """
        if isinstance(position, (list, tuple)) or getattr(position, "ndim", None):
            return read_position(self.game, position)
        if missing(position) or position == "":
            raise PositionError("the position is missing")
        if not isinstance(position, str):
            try:
                position = str(_whole(position))
            except PositionError:
                raise PositionError(f"position {quoted(position)} is neither text nor a whole number") from None
        return read_position(self.game, _short(position, "position"), self.notation)

    def forget(self) -> None:
        """Begin anew where many positions are remembered, so that a long file does not fill the memory."""
        if len(self._visits) > REMEMBERED:
            self._visits = {(0, self.start.state): self.start}
            self.start.verdicts.clear()

    def text(self, visit: JudgedVisit) -> str:
        """The position of a ``visit`` as the game writes it."""
        return self.game.format_position(visit.state)

    def _illegal(self, before: JudgedVisit, move: Any) -> str:
        position = self.text(before)
        if before.over:
            return f"the game is over in {position}"
        written = [code + first_number() for code in before.children]
        shown = " ".join(map(str, written[:SHOWN])) + (" ..." if len(written) > SHOWN else "")
        if isinstance(move, int) and not isinstance(move, bool):
            move += first_number()
        move = move.strip() if isinstance(move, str) else quoted(move)
        return f"move {move} is not legal in {position}; legal are {shown}"


class SolutionJudge(Judge):
    """Judges moves by a complete solution, from ``position`` (default: where that begins) on.

    >>> judge = find_judge("tictactoe")
    >>> corner = judge.verdict(judge.start, 0)
    >>> edge = judge.verdict(corner.after, 1)
    >>> (corner.value_lost, edge.value_lost), judge.best_moves(corner.after.state)
    ((0, 1), (4,))
    """

    def __init__(self, solution: Solution, position: str | None = None) -> None:
        self.solution = solution
        self.best_moves = functools.lru_cache(maxsize=1 << 16)(self.best_moves)  # type: ignore[method-assign]
        super().__init__(
            solution.game, solution.engine.start if position is None else read_position(solution.game, position)
        )

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
        return f"the solution in {directory}" if directory is not None else "a solution made for it"

    def _value(self, state: int) -> int:
        return self.solution.lookup_as(state, ValueRecord).value


class SearchingJudge(Judge):
    """Judges moves as far as searches tell within so many ``seconds``; of a `Verdict` that they do not reach, the value
    lost is None. What it says is exact, but for remoteness, of which it says nothing.

    Every position of the game is taken for one that play reaches. Raises `RulesError` for rules that do not compile.

    >>> from analysis.audit import audit
    >>> found = audit(SearchingJudge(load_game("tictactoe"), seconds=30), ["0412637"])
    >>> found.tally.all.unknown, found.tally.all.mistakes
    (0, 1)
    """

    tells_remoteness = False

    def __init__(self, game: Game, position: str | None = None, *, seconds: float = SECONDS) -> None:
        from analysis.search.backwards import Backwards  # what searches takes a while to load

        _check_seconds(seconds)
        self.seconds, self.stopped = seconds, ""
        """What it may take, and why it stopped: ``seconds``, ``interrupted`` or, where all is known, an empty text."""
        self._search, self._budget = Backwards(game), Budget.of_machine()
        super().__init__(game, game.rules().start if position is None else read_position(game, position))

    def look(self, state: int, ply: int | None) -> JudgedVisit:
        """See `Judge.look`. Raises `TooLargeError` for more positions than memory holds."""
        self._budget.require(VISIT_BYTES * len(self._visits), f"judging {len(self._visits):,} positions", "fewer games")
        mover, children = self.rules.mover(state), dict(self.rules.moves(state))
        found = JudgedVisit(ply, state, mover, None, None, children, {})
        self._settle(found)
        return found

    def best_moves(self, state: int) -> tuple[int, ...] | None:
        """See `Judge.best_moves`."""
        return self._search.keeping(state)

    def source(self) -> str:
        """See `Judge.source`."""
        ended = {"seconds": f", ended after {self.seconds:g} s", "interrupted": ", interrupted"}.get(self.stopped, "")
        nodes = f", {some(self._search.nodes, 'node')}" if self._search.nodes else ""
        return f"searches to the end of the game{nodes}{ended}"

    def forget(self) -> None:
        """Forget nothing: all games are searched together."""

    def settled(self, judged: Iterator[Judged]) -> Iterator[Judged]:
        """See `Judge.settled`: reads all of them, searches, and fills in what was found."""
        read = list(judged)
        verdicts = [verdict for visit in self._visits.values() for verdict in visit.verdicts.values()]
        for verdict in verdicts:
            self._search.add((verdict.before.state, verdict.after.state))
        self.stopped = self._search.run_lines(self.seconds)
        for visit in self._visits.values():
            self._settle(visit)
        for verdict in verdicts:
            verdict.value_lost, _ = losses(verdict.before, verdict.after)
        return iter(read)

    def _settle(self, visit: JudgedVisit) -> None:
        """Fill in what is known of a position."""
        if visit.over:
            visit.value, visit.remoteness_plies = self.rules.payoff(visit.state), 0
        else:
            visit.value = self._search.value(visit.state)


@checked
def find_judge(
    game: str | HasRules | Solution, *, position: str | None = None, effort: Effort = NO_LIMITS
) -> SolutionJudge:
    """A judge for a game or for the directory of its solution: the solution is opened if it is stored; otherwise the
    game is solved with this ``effort``, from ``position`` on if there is one. Raises what `analysis.solve` raises:
    without a complete solution it cannot be judged.
    """
    return SolutionJudge(find_values(game, position, effort.symmetry), position)


def judge_within(
    game: str | HasRules | Solution | Judge, *, position: str | None = None, effort: Effort = NO_LIMITS
) -> Judge:
    """A judge by a complete solution, as `find_judge` finds it, or by searches where the game is too large to solve or
    takes more than half of the seconds of the ``effort``, if it has any. A judge is taken as it is.

    Raises `OptionError` for seconds that are no time and for a judge that begins elsewhere than at ``position``, and
    what solving raises.
    """
    seconds = effort.seconds
    _check_seconds(seconds)
    if isinstance(game, Judge):
        if position is not None and read_position(game.game, position) != game.start.state:
            raise OptionError(f"the judge begins at {game.position}, not at {position}")
        return game
    if isinstance(game, Solution):
        return SolutionJudge(game, position)
    name = game if isinstance(game, str) else load_game(game).spec
    solving = None if seconds is None else SOLVING_SHARE * seconds
    too_slow = TooLargeError(f"{name} takes more than {solving or 0:g} s to solve")
    try:
        with patient(solving, too_slow):
            return SolutionJudge(find_values(game, position, effort.symmetry), position)
    except TooLargeError as error:
        left = SECONDS if seconds is None else seconds - (SOLVING_SHARE * seconds if error is too_slow else 0)
        why = str(error) if error is too_slow else f"{name} is too large to solve"
        LOG.info(f"{why}: judging by searches, from the ends backwards, for {left:g} s; --seconds S takes another time")
        return SearchingJudge(named_game(game), position, seconds=left)


def _check_seconds(seconds: float | None) -> None:
    """Raise `OptionError` for a time in which nothing can be searched."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"{seconds:g} seconds are no time to judge in; give more than 0")


def _whole(move: Any) -> int:
    """A number without a fraction as an integer. Raises `PositionError` for everything else, truth values too."""
    try:
        single = not isinstance(move, (bool, np.bool_, bytes, bytearray)) and np.ndim(move) == 0
        if single and int(move) == move and abs(move) < 1 << 63:
            return int(move)
    except (ArithmeticError, TypeError, ValueError):
        pass
    raise PositionError(f"move {quoted(move)} is neither a code nor text")


def quoted(value: Any) -> str:
    """What a refusal says of a value that is no text."""
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of thousands of digits
        return f"<{type(value).__name__}>"


def _short(text: str, what: str) -> str:
    """The text. Raises `PositionError` where it is so long that the game need not look at it."""
    if len(text) > LONGEST:
        raise PositionError(f"a {what} of {len(text):,} characters, {text[:SHOWN]}..., is none")
    return text
