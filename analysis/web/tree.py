"""All positions below one and the moves between them: what searches of its tree go through, such as the page's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.errors import MissingDataError, OptionError
from analysis.web.asked import SECONDS
from analysis.web.served import Served

MOST_POSITIONS = 100_000
"""In one answer, which then has 4 to 6 MB and takes about a second."""

TOGETHER = 256
"""Positions that are looked at between two chances for others."""

LOOPY = "play can return to a position in this game, so the tree below one has no end to search to"
TOO_MANY = (
    f"more than {MOST_POSITIONS:,} positions follow this one, too many to search through here: play some moves first"
)
TOO_SLOW = f"going through what follows this position takes more than {SECONDS:g} seconds: play some moves first"


class Tree:
    """The positions below one, itself first: follow `steps` to the end, then ask for `to_json`."""

    def __init__(self, served: Served, state: int) -> None:
        """Raises `PositionError` for a state that play does not reach, `MissingDataError` for a loopy game, and
        `RulesNeededError` where the moves are not known.
        """
        served.solution.find_tier(state)
        if served.solution.loopy:
            raise MissingDataError(LOOPY)
        self._game, self._rules, self._root = served.game, served.game.rules(), state
        self._moves: dict[int, list[tuple[int, int]]] = {}
        self._values = dict[int, int]()
        """By state, in the order in which a depth-first walk leaves them: children before their parents."""
        self._texts: list[str] = []

    def steps(self) -> Iterator[None]:
        """Pieces of work, of some milliseconds each. Raises `OptionError` for too many positions, and where all of it
        takes more than `SECONDS`.
        """
        took, began = 0.0, time.monotonic()
        for _ in self._pieces():
            took += time.monotonic() - began
            if took > SECONDS:
                raise OptionError(TOO_SLOW)
            yield
            began = time.monotonic()

    def _pieces(self) -> Iterator[None]:
        waiting = [self._root]
        while waiting:
            state = waiting[-1]
            if state in self._moves:
                self._leave(waiting.pop())
                continue
            if len(self._moves) == MOST_POSITIONS:
                raise OptionError(TOO_MANY)
            self._moves[state] = self._rules.moves(state)
            waiting += [child for _, child in self._moves[state] if child not in self._moves]
            if len(self._moves) % TOGETHER == 0:
                yield
        states = list(self._values)[::-1]
        for low in range(0, len(states), TOGETHER):
            self._texts += self._game.format_positions(np.array(states[low : low + TOGETHER], dtype=np.int64))
            yield

    def _leave(self, state: int) -> None:
        """Value a position whose children have their values; one that waited twice has had its own before."""
        if state in self._values:
            return
        values = [self._values[child] for _, child in self._moves[state]]
        best = max if self._side(state) > 0 else min
        self._values[state] = best(values) if values else self._rules.payoff(state)

    def _side(self, state: int) -> int:
        return self._rules.mover(state) if self._moves[state] else 0

    def to_json(self) -> dict[str, Any]:
        """Arrays by the number of a position, and of its moves one position after the other; every move leads to a
        greater number.
        """
        states = list(self._values)[::-1]
        numbers = {state: number for number, state in enumerate(states)}
        moves = [move for state in states for move in self._moves[state]]
        return {
            "payoffs": list(self._rules.payoffs),
            "positions": self._texts,
            "sides": list(map(self._side, states)),
            "values": [self._values[state] for state in states],
            "branching": [len(self._moves[state]) for state in states],
            "codes": [code for code, _ in moves],
            "children": [numbers[child] for _, child in moves],
            "names": {code: self._game.format_move(code) for code in sorted({code for code, _ in moves})},
        }
