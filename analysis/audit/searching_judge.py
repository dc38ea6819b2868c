"""A judge for games too large to solve: searches find out what positions are worth, from the ends backwards."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from analysis.audit.judge import Judge, Judged, JudgedVisit, SolutionJudge, losses
from analysis.errors import OptionError, TooLargeError
from analysis.games.families import load_game
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress, patient
from analysis.rules.game import Game, HasRules
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
"""Memory that a position takes at most: 2,500 were measured."""


class SearchingJudge(Judge):
    """Judges moves as far as searches tell within so many ``seconds``; of a `Verdict` that they do not reach, the value
    lost is None. What it says is exact, but for remoteness, of which it says nothing.

    Every position of the game is taken for one that play reaches. Raises `RulesError` for rules that do not compile.

    >>> from analysis.audit import audit
    >>> from analysis.games.families import load_game
    >>> found = audit(SearchingJudge(load_game("tictactoe"), seconds=30), ["0412637"])
    >>> found.tally.all.unknown, found.tally.all.mistakes
    (0, 1)
    """

    tells_remoteness = False

    def __init__(
        self, game: Game, position: str | None = None, *, seconds: float = SECONDS, workers: int | None = None
    ) -> None:
        from analysis.search.backwards import Backwards  # what searches takes a while to load

        check_seconds(seconds)
        self.seconds, self.stopped = seconds, ""
        """What it may take, and why it stopped: ``seconds``, ``interrupted`` or, where all is known, an empty text."""
        self._search, self._budget = Backwards(game, workers), Budget.of_machine()
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

    def settled(self, judged: Iterator[Judged], progress: Progress = no_progress) -> Iterator[Judged]:
        """See `Judge.settled`: reads all of them, searches, and fills in what was found."""
        read = list(judged)
        for visit in self._visits.values():
            for verdict in visit.verdicts.values():
                self._search.add((verdict.before.state, verdict.after.state))
        self.stopped = self._search.run_lines(self.seconds, progress)
        for visit in self._visits.values():
            self._settle(visit)
        for visit in self._visits.values():
            for verdict in visit.verdicts.values():
                verdict.value_lost, _ = losses(verdict.before, verdict.after)
        return iter(read)

    def _settle(self, visit: JudgedVisit) -> None:
        """Fill in what is known of a position."""
        if visit.over:
            visit.value, visit.remoteness_plies = self.rules.payoff(visit.state), 0
        else:
            visit.value = self._search.value(visit.state)


def check_seconds(seconds: float | None) -> None:
    """Raise `OptionError` for a time in which nothing can be searched."""
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"{seconds:g} seconds are no time to judge in; give more than 0")


def judge_within(
    game: str | HasRules | Solution | Judge,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Judge:
    """A judge by a complete solution, as `find_judge` finds it, or by searches where the game is too large to solve or
    takes more than half of the ``seconds``, if any are given. A judge is taken as it is.

    Raises `OptionError` for ``seconds`` that are no time and for a judge that begins elsewhere than at ``position``,
    and what solving raises.
    """
    check_seconds(seconds)
    if isinstance(game, Judge):
        if position is not None and read_position(game.game, position) != game.start.state:
            raise OptionError(f"the judge begins at {game.position}, not at {position}")
        return game
    if isinstance(game, Solution):
        return SolutionJudge(game, position)
    name = game if isinstance(game, str) else load_game(game).spec
    solving = None if seconds is None else SOLVING_SHARE * seconds
    too_slow = TooLargeError(f"{name} takes more than {solving or 0:g} s to solve")
    told = patient(progress, solving, too_slow)
    try:
        return SolutionJudge(find_values(game, position, symmetry=symmetry, workers=workers, progress=told), position)
    except TooLargeError as error:
        left = SECONDS if seconds is None else seconds - (SOLVING_SHARE * seconds if error is too_slow else 0)
        why = str(error) if error is too_slow else f"{name} is too large to solve"
        LOG.info(f"{why}: judging by searches, from the ends backwards, for {left:g} s; --seconds S takes another time")
        return SearchingJudge(named_game(game), position, seconds=left, workers=workers)
