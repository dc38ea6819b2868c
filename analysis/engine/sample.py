"""Play random games and record all results of the rules for their positions in plain Python: the contract is checked on
these.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import logging
import math
import random
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from ..common.time_limit import OvertimeError, TimeLimit
from ..common.workers import tell_progress
from ..errors import GametreeError, RulesError
from ..rules.fields import ARGUMENTS, OVER, Buffer, ask_all, excerpt, in_words, is_state, place, raised_at
from ..rules.game import ONGOING, Game, Rules, is_users
from .compiling.plain_code import check_function, reached

LOG = logging.getLogger("gametree")

LOOPY_PLIES = 200
"""Plies after which a game that may never end is broken off."""
MOST_PLIES = 5000
"""Plies after which any other game is broken off."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """The first counterexample to a check."""

    message: str
    position: str | None = None
    move: str | None = None
    excerpt: str = ""


Found = Iterator[Fault | None]
"""The results of a check: for everything it examines, a fault or None."""

SECONDS = 10.0
"""Seconds that an author's functions may take for a position."""
FEW = 250
"""Positions examined by costly checks."""
TRIAL_GAMES, TRIAL_POSITIONS, TRIAL_SECONDS = 20, 1000, 2.0
"""Games of a `trial`, positions after which it plays on no further, and seconds after which it does not in any case."""


@dataclasses.dataclass
class Look:
    """The results of the rules for one state."""

    state: int
    mover: Any = None
    payoff: Any = None
    codes: tuple[Any, ...] = ()
    children: tuple[Any, ...] = ()
    fault: Fault | None = None
    """The exception that one of the functions raised."""

    @property
    def over(self) -> bool:
        """Whether the game has ended here."""
        return bool(self.payoff != ONGOING)

    @property
    def moves(self) -> list[tuple[int, int]]:
        """Move codes and the states after them."""
        return list(zip(self.codes, self.children, strict=True))


class Sample:
    """Random games, and every position in them."""

    def __init__(
        self,
        game: Game,
        rules: Rules,
        games: int,
        seed: int,
        limit: TimeLimit,
        *,
        most: float = math.inf,
        until: float = math.inf,
    ) -> None:
        self.game, self.rules = game, rules
        self.left, self.until = most, until
        """The most further positions that are looked at, and the time after which none is."""
        self.limit = limit
        self.endless = False
        """Whether a function did not return in time; no more games are then played."""
        self.looks: dict[int, Look] = {}
        self.games: list[list[int]] = []
        """The states of each game, in order."""
        self.at: int | None = None
        """The state being examined, for the report of an exception."""
        generator = random.Random(seed)
        for number in range(games):
            tell_progress("playing", number, games)
            self.games.append(self._play(generator))
            if self.endless or self.ended:
                break
        self.visited = list(self.looks)

    @property
    def ended(self) -> bool:
        """Whether no further position is looked at."""
        return self.left <= 0 or time.monotonic() > self.until

    def _play(self, generator: random.Random) -> list[int]:
        state, passed, reached = self.rules.start, [self.rules.start], {self.rules.start}
        for _ in range(LOOPY_PLIES if self.rules.loopy else MOST_PLIES):
            look = self.look(state)
            following = [child for child in look.children if is_state(child)]
            if look.over or not following or self.ended:
                break
            state = generator.choice(following)
            passed.append(state)
            if state in reached and not self.rules.loopy:
                break
            reached.add(state)
        return passed

    def look(self, state: int) -> Look:
        """Return the results of the rules for a state, which are computed only once."""
        if state not in self.looks:
            self.looks[state] = self.look_again(state, 0)
        return self.looks[state]

    def look_again(self, state: int, filling: int) -> Look:
        """Compute the results of the rules for a state again, with this number filling the buffer."""
        look, rules = Look(state), self.rules
        self.left -= 1
        self.limit.start()
        try:
            look.mover = rules.to_move(state)
            look.payoff = rules.outcome(state)
            if look.payoff == ONGOING:
                buffer = Buffer(rules.max_moves, filling)
                count = rules.legal_moves(state, buffer)
                look.codes = tuple(buffer[: max(0, count)]) if isinstance(count, int) else ()
                look.children = tuple(rules.play(state, code) for code in look.codes)
        except (Exception, SystemExit, OvertimeError) as error:
            self.limit.stop()
            self.endless |= isinstance(error, OvertimeError)
            look.codes, look.children = (), ()
            look.fault = self.raised(error, state)
        self.limit.stop()
        return look

    # For checks -----------------------------------------------------------------------------------------------------

    def each(
        self, states: Iterable[int] | None = None, most: int | None = None, *, raising: bool = False
    ) -> Iterator[Look]:
        """Yield the looks at the visited states, or at others; at most ``most``, evenly spread. States at which a
        function raises an exception are only included if ``raising``.
        """
        chosen = self.visited if states is None else list(states)
        if most is not None and len(chosen) > most:
            chosen = chosen[:: -(-len(chosen) // most)]
        for number, state in enumerate(chosen):
            if self.ended:
                break
            self.at = state
            self.left -= 1
            if number % 64 == 0:
                tell_progress("checking", number, len(chosen))
            look = self.look(state)
            if look.fault is None or raising:
                self.limit.start()
                yield look
                self.limit.stop()
        self.at = None

    def fault(self, message: str, state: int | None = None, move: int | None = None) -> Fault:
        """Return a counterexample."""
        return Fault(message, None if state is None else self.text(state), None if move is None else self.move(move))

    def difference(self, look: Look, other: Look, words: str) -> Fault | None:
        """Return the difference between two looks at a state, if any; ``words`` have places for both results."""
        for name, function in (("mover", "to_move"), ("payoff", "outcome"), ("codes", "legal_moves")):
            first, second = getattr(look, name), getattr(other, name)
            if first != second:
                return self.fault(f"{function}() {words.format(_text_of(first), _text_of(second))}", look.state)
        for code, first, second in zip(look.codes, look.children, other.children, strict=False):
            if first != second:
                return self.fault(f"play() {words.format(first, second)}", look.state, code)
        return other.fault

    def raised(self, error: BaseException, state: int | None) -> Fault:
        """Return an exception as a counterexample, with the line of the author's code that raised it."""
        position = None if state is None else self.text(state)
        if isinstance(error, OvertimeError):
            return overtime(self.game, self.limit, error, position)
        if isinstance(error, GametreeError):
            return Fault(str(error), position, excerpt=error.excerpt)
        line = raised_at(error, author_files(self.game))
        if line is None:
            return Fault(in_words(error), position)
        return Fault(f"{place(*line)}: {in_words(error)}", position, excerpt=excerpt(*line[:2]))

    def text(self, state: int) -> str:
        """Return a state as people write it, or as its number if that fails."""
        self.limit.start()
        try:
            text = str(self.game.format_position(state)) if is_state(state) else ""
            return " / ".join(text.splitlines()) or f"state {state}"
        except (
            Exception,
            OvertimeError,
        ):  # the author's code may do anything, and another fault is being reported
            return f"state {state}"
        finally:
            self.limit.stop()

    def move(self, code: int) -> str:
        """Return a move as people write it, or as its code if that fails."""
        try:
            return str(self.game.format_move(code))
        except Exception:  # likewise
            return str(code)


def overtime(game: Game, limit: TimeLimit, error: OvertimeError, position: str | None = None) -> Fault:
    """Return the fault that a function of the author's did not return in time, with its line."""
    line = raised_at(error, author_files(game))
    where = "" if line is None else f"{place(*line)}: "
    return Fault(where + limit.message, position, excerpt="" if line is None else excerpt(*line[:2]))


def _text_of(value: Any) -> str:
    return " ".join(map(str, value)) or "no move" if isinstance(value, tuple) else repr(value)


def author_files(game: Game) -> set[str]:
    """Return the files that define a game's class and its bases, and those next to them."""
    files: set[str] = set()
    for kind in type(game).__mro__:
        module = inspect.getmodule(kind)
        path = getattr(module, "__file__", None)
        if path and kind is not Game and kind.__module__ not in ("builtins", "abc"):
            files |= {path, *map(str, Path(path).parent.glob("*.py"))}
    return files


def refuse(game: Game, fault: Fault) -> NoReturn:
    """Raise a fault as a `RulesError`, worded as by ``gametree check``."""
    position = f", at position {fault.position}" if fault.position else ""
    at, line, message = re.match(r"(.+?:\d+, in \w+\(\))?(: )?(.*)", fault.message, re.DOTALL).groups()  # type: ignore[union-attr]
    raise RulesError(f"{at if line else game.spec}{position}: {message}").showing(fault.excerpt)


def try_out(game: Game, rules: Rules) -> None:
    """Play a few random games by the rules of a user's game in plain Python, before they are compiled: compiled code
    cannot be stopped, and exceptions in it may be lost.

    Raises `RulesError` if a function fails or does not return.
    """
    if not is_users(game) or threading.current_thread() is not threading.main_thread():  # where it can be stopped
        return
    for function in reached([getattr(rules, name) for name in ARGUMENTS]):
        check_function(function)
    limit = TimeLimit(SECONDS, more="`gametree check` tells more")
    with limit(), contextlib.redirect_stdout(sys.stderr):
        until = time.monotonic() + TRIAL_SECONDS
        sample = Sample(game, rules, TRIAL_GAMES, 0, limit, most=TRIAL_POSITIONS, until=until)
        fault = next((look.fault for look in sample.looks.values() if look.fault), None)
    if fault:
        refuse(game, fault)
    for state in sample.visited:
        ask_all(game, rules, state)
    if rules.outcome(rules.start) != ONGOING:
        LOG.warning(f"{game.spec}: {OVER}")
