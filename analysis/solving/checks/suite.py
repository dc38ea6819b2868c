"""Check the contract that every game must keep on positions of random play: ``gametree check GAME``.

A check looks at positions until it finds a counterexample. Passing is no proof: random play reaches few positions of a
large game. Small games are searched completely and compared with a search of a few lines.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Sequence
from typing import Any

from ...common.results import Printable
from ...common.time_limit import OvertimeError, TimeLimit
from ...common.workers import tell_progress
from ...engine.sample import SECONDS, Fault, Sample, overtime
from ...errors import OptionError, RulesError
from ...games.families import load_game
from ...rules.fields import check_rules
from ...rules.game import Game, GameLike, Rules, is_users
from .checks import CHECKS, EVERYWHERE, ContractCheck
from .deeper_checks import same_game

GAMES = 200


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of one check."""

    check: str
    """Its name, such as ``max_moves``."""
    about: str
    """The requirement in a few words."""
    looked_at: int
    """The number of positions, games, moves or symmetries checked."""
    result: str
    """``ok``, ``failed``, ``does not apply``, or ``left out`` after another failure."""
    fault: Fault | None = None
    """The first counterexample, if it failed."""

    def to_json(self) -> dict[str, Any]:
        """Return one row of what ``gametree check`` prints."""
        row, fault = vars(self).copy(), self.fault
        del row["fault"]
        return row | {name: fault and getattr(fault, name) for name in ("position", "move", "message")}


@dataclasses.dataclass(frozen=True)
class ContractReport(Printable):
    """The results of all checks of a game."""

    game: str
    """The specification."""
    games: int
    """Games played at random; 0 if the rules cannot be used at all."""
    seed: int
    positions: int
    """Distinct positions in these games."""
    results: tuple[Result, ...]
    """In order of the checks."""

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> list[Result]:
        """The failed checks."""
        return [result for result in self.results if result.result == "failed"]

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree check --format json`` prints."""
        counted = {name: getattr(self, name) for name in ("game", "games", "seed", "positions", "passed")}
        return counted | {"checks": self.csv_rows()}

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each check."""
        return [result.to_json() for result in self.results]


def check_game(
    game: GameLike,
    *,
    games: int = GAMES,
    seed: int = 0,
    seconds: float = SECONDS,
    like: GameLike | None = None,
    every: bool = False,
) -> ContractReport:
    """Check that a game keeps the engine's contract, on positions of random play.

    ``game`` is a specification such as ``nim:heaps=1-2`` or a `Game`; ``games`` is the number of random games and
    ``seed`` their seed: the same seed gives the same positions. ``seconds`` limits how long the functions may take for
    a position (except outside the main thread). A game that it is to be ``like``, such as the compiled
    form of a game in plain Python, is compared with it position by position. With ``every``, what the rules promise is
    proven for all positions of a game of any size, in bounded memory. Raises `SpecError` for an unknown game,
    and `OptionError` for ``games`` below 1 or invalid ``seconds``; faults in the rules are not raised but reported.

    >>> check_game("nim:heaps=1-2").passed
    True
    """
    if games < 1:
        raise OptionError(f"cannot play {games} games; give at least 1")
    if not 0 < seconds < 1e6:
        raise OptionError(f"a limit of {seconds:g} seconds is not possible; give more than 0")
    limit = TimeLimit(seconds)
    with limit():
        checks = CHECKS + EVERYWHERE * every
        if like is not None:
            other, needs = load_game(like), tuple(check.name for check in checks)
            checks += (ContractCheck("same game", functools.partial(same_game, other=other), needs=needs),)
        return _check(load_game(game), games, seed, limit, checks)


def _check(game: Game, games: int, seed: int, limit: TimeLimit, checks: Sequence[ContractCheck]) -> ContractReport:
    rules = _rules(game, limit)
    if isinstance(rules, Fault):
        left_out = [Result(check.name, check.about, 0, "left out") for check in checks[1:]]
        first = Result(checks[0].name, checks[0].about, 1, "failed", rules)
        return ContractReport(game.spec, 0, seed, 0, (first, *left_out))
    results: dict[str, Result] = {}
    with contextlib.redirect_stdout(sys.stderr):  # what the author's functions print
        sample = Sample(game, rules, games, seed, limit)
        for check in checks:
            tell_progress(check.name, len(results), len(checks))
            results[check.name] = _run(check, sample, results)
    return ContractReport(game.spec, games, seed, len(sample.visited), tuple(results.values()))


def _rules(game: Game, limit: TimeLimit) -> Rules | Fault:
    if is_users(game):  # those of others may be tables that are made now
        limit.start()
    try:
        return check_rules(game.rules())
    except RulesError as error:
        return Fault(str(error), excerpt=error.excerpt)
    except OvertimeError as error:
        return overtime(game, limit, error)
    finally:
        limit.stop()


def _run(check: ContractCheck, sample: Sample, results: dict[str, Result]) -> Result:
    result = functools.partial(Result, check.name, check.about)
    if not check.applies(sample):
        return result(0, "does not apply")
    if any(results[name].result in ("failed", "left out") for name in check.needs):
        return result(0, "left out")
    looked_at = 0
    try:
        for fault in check.function(sample):
            looked_at += 1
            if fault is not None:
                return result(looked_at, "failed", fault)
    except (Exception, OvertimeError) as error:  # whatever the author's functions raise is the fault
        sample.limit.stop()
        return result(looked_at + 1, "failed", sample.raised(error, sample.at))
    return result(looked_at, "ok")
