"""Random small games with one false promise each, and the numbers that are right, from the functions themselves."""

import dataclasses
import functools
import random
from typing import Any

from analysis.rules.game import ONGOING, Game, Residual, Rules, popcount

KINDS = (
    "symmetries move", "symmetries end", "exchange", "lines", "canonical", "orbit_size", "residual", "turn kept",
    "partizan", "partizan bit", "texts", "largest_code", "reads out", "max_plies", "two plies",
)  # fmt: skip
CELLS = 7


@dataclasses.dataclass(frozen=True)
class Faulty(Game):
    """Players in turn mark one of the cells; who marks all cells of a mask wins. The promise of this ``kind`` is broken
    in one position, drawn with the ``seed``.
    """

    kind: str = "none"
    seed: int = 0
    family = "faulty"

    @functools.cached_property
    def drawn(self) -> tuple[tuple[int, ...], int, int]:
        """The masks, a position that is reached, and one of its moves."""
        numbers = random.Random(self.seed)
        masks = set()
        for _ in range(3):
            mask = sum(1 << cell for cell in numbers.sample(range(CELLS), 3))
            masks |= {mask, mirrored(mask)}
        sound = Faulty("none", self.seed)
        object.__setattr__(sound, "drawn", (tuple(sorted(masks)), -1, -1))
        rules, state = sound.rules(), 0
        for _ in range(numbers.randint(2, 4)):
            state = numbers.choice(rules.moves(state) or [(0, state)])[1]
        moves = rules.moves(state) or [(-1, 0)]
        return tuple(sorted(masks)), state, numbers.choice(moves)[0]

    def rules(self) -> Rules:  # noqa: C901 - rules of all kinds in one place, as users write them
        masks, there, missing = self.drawn
        kind, full = self.kind, (1 << CELLS) - 1
        partizan, kept = kind.startswith("partizan"), kind == "turn kept"
        bit = 1 << 2 * CELLS if kind in ("partizan bit", "turn kept") else 0
        impartial, wild = partizan or kept, kind == "exchange"
        there = (there | there >> CELLS) & full if impartial else there
        no_move = kind in ("symmetries move", "reads out")
        other_end = kind in ("symmetries end", "exchange", "lines", "canonical")
        wrong_size = kind == "orbit_size"
        reads, jumps, coded = kind == "reads out", kind == "two plies", kind == "largest_code"

        def to_move(state: int) -> int:
            if bit:
                return -1 if state & bit else 1
            return 1 if popcount(state & (1 << 2 * CELLS) - 1) % 2 == 0 else -1

        def legal_moves(state: int, out: Any) -> int:
            count = 0
            for cell in range(CELLS):
                if (state | state >> CELLS) >> cell & 1:
                    continue
                if no_move and state == there and cell == missing and (not reads or out[CELLS + 1] != 0):
                    continue
                if partizan and cell == missing and to_move(state) < 0:
                    continue
                if wild:
                    out[count] = 2 * cell
                    count += 1
                out[count] = 2 * cell + 1 if wild else cell
                count += 1
            if jumps and state == there:
                out[count] = CELLS
                count += 1
            return count

        def play(state: int, move: int) -> int:
            if impartial:
                turn = 0 if kept and state & (1 << 2 * CELLS) - 1 == there and move == missing else bit
                return (state | 1 << move) ^ turn
            if wild:
                return state | 1 << (move >> 1) + CELLS * (move & 1)
            if move == CELLS:  # two marks at once
                for cell in range(CELLS - 1):
                    if not (state | state >> CELLS) >> cell & 1:
                        for second in range(cell + 1, CELLS):
                            if not (state | state >> CELLS) >> second & 1:
                                return state | 1 << cell | 1 << second + CELLS
            return state | (1 << move if to_move(state) > 0 else 1 << move + CELLS)

        def outcome(state: int) -> int:
            if impartial:
                for cell in range(CELLS):
                    if not state >> cell & 1 and not (partizan and cell == missing and to_move(state) < 0):
                        return ONGOING
                return -to_move(state)
            if other_end and state == there and state:
                return 1
            for mask in masks:
                if wild and (state & mask == mask or state >> CELLS & mask == mask):
                    return -to_move(state)
                if state & mask == mask:
                    return 1
                if state >> CELLS & mask == mask:
                    return -1
            return 0 if (state | state >> CELLS) & full == full else ONGOING

        def canonical(state: int) -> int:
            image = 0
            for cell in range(CELLS):
                image |= (state >> cell & 1) << CELLS - 1 - cell
                image |= (state >> cell + CELLS & 1) << 2 * CELLS - 1 - cell
            return min(state, image)

        def orbit_size(state: int) -> int:
            image = 0
            for cell in range(CELLS):
                image |= (state >> cell & 1) << CELLS - 1 - cell
                image |= (state >> cell + CELLS & 1) << 2 * CELLS - 1 - cell
            if wrong_size and canonical(state) == canonical(there):
                return 3
            return 1 if image == state else 2

        more: dict[str, Any] = {}
        if kind.startswith("symmetries"):
            more = {"symmetries": (tuple(range(CELLS)), tuple(reversed(range(CELLS)))), "cells": CELLS}
        if kind == "exchange":
            more = {"exchange": True, "cells": CELLS}
        if kind == "lines":
            lines = tuple(tuple(cell for cell in range(CELLS) if mask >> cell & 1) for mask in masks)
            more = {"lines": lines, "cells": CELLS}
        if kind in ("canonical", "orbit_size"):
            more = {"canonical": canonical, "orbit_size": orbit_size}
        if kind == "max_plies":
            more = {"max_plies": 2}
        return Rules(
            start=0, max_moves=2 * CELLS, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move,
            largest_code=2 * CELLS if wild else CELLS - 2 if coded else CELLS, impartial=impartial, **more,
        )  # fmt: skip

    def residual(self) -> Residual:
        """What is left, where two different positions are one."""
        there = self.drawn[1]
        rules = dataclasses.replace(self, kind="none").rules()
        other = turned(there) | turned(there >> CELLS) << CELLS

        def of(state: int) -> int:
            return other if state == there else state

        moves = rules.play

        def play(state: int, move: int) -> int:
            return of(moves(state, move))

        return Residual(of, dataclasses.replace(rules, play=play), text=str)

    def format_position(self, state: int) -> str:
        return str(state)

    def parse_position(self, text: str) -> int:
        return int(text)

    def format_positions(self, states: Any) -> list[str]:
        wrong = self.drawn[1] if self.kind == "texts" else -1
        return [str(state ^ (state == wrong)) for state in states.tolist()]


def mirrored(mask: int) -> int:
    """The mask from right to left."""
    return sum(1 << CELLS - 1 - cell for cell in range(CELLS) if mask >> cell & 1)


def turned(marks: int) -> int:
    """The marks of one player, each moved to the next cell."""
    return sum(1 << (cell + 1) % CELLS for cell in range(CELLS) if marks >> cell & 1)


def brute_numbers(rules: Rules) -> dict[str, int]:
    """Value, games by outcome, positions and moves, by recursion over the author's functions."""

    @functools.cache
    def of(state: int) -> tuple[int, int, int, int]:
        moves = rules.moves(state)
        if not moves:
            payoff = rules.outcome(state)
            return payoff, payoff > 0, payoff == 0, payoff < 0
        after = [of(child) for _, child in moves]
        best = max if rules.to_move(state) > 0 else min
        return best(value for value, *_ in after), *(sum(each) for each in list(zip(*after, strict=True))[1:])

    value, x, tie, o = of(rules.start)
    positions, waiting, moves = {rules.start}, [rules.start], 0
    while waiting:
        after = rules.moves(waiting.pop())
        moves += len(after)
        new = {child for _, child in after} - positions
        positions |= new
        waiting += new
    return {"value": value, "x": x, "tie": tie, "o": o, "positions": len(positions), "moves": moves}
