"""Classes of positions on n x n with n in a row that X wins, that O wins, and ties, by ply (OEIS A317573, A317574):
``python benchmarks/won_classes.py --n 5 --out won5.json``.

Every position is looked up in the solution of what is left to play, without listing any: for each set of X's cells that
is the least of its images, all sets of O's cells of the other size that are the least under the symmetries that leave
X's alone. Whatever is counted is kept in the file of ``--out``, block by block, and the same command goes on with it.
``--seconds`` ends each ply after so long, and says how long all of it would take at these rates. The classes of each
ply have to be as many as `count_positions` tells, which counts orbits.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import common  # noqa: F401 - so that it runs from a checkout that is not installed
import numba
import numpy as np
import pyarrow.parquet as pq
from line_positions import count_positions

from analysis.common.files import write_json
from analysis.engine.compiling.functions import compile_function
from analysis.games.mnk import Mnk
from analysis.rules.symmetry import find_group
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory

BLOCK = 14
"""Bits of the sets of X's cells that are counted in one go."""
SAVED = 20.0
"""Seconds after which counts are saved."""
NAMES = ("X", "O", "tie")


@numba.njit(nogil=True)
def slot_of(state: int, states: np.ndarray) -> int:
    """The slot of a state, or the free one where it belongs."""
    last = len(states) - 1
    slot = ((state ^ state >> 29) * -7046029254386353131 >> 20) & last
    while states[slot] != -1 and states[slot] != state:
        slot = (slot + 1) & last
    return slot


@numba.njit(nogil=True)
def hashed(keys: np.ndarray, found: np.ndarray, states: np.ndarray, values: np.ndarray) -> None:
    """Put states and their values into an open-addressing table."""
    for i in range(len(keys)):
        slot = slot_of(keys[i], states)
        states[slot], values[slot] = keys[i], found[i]


@numba.njit(nogil=True)
def size_of(cells: int) -> int:
    """The number of cells of a set."""
    size = 0
    while cells:
        cells &= cells - 1
        size += 1
    return size


@numba.njit(nogil=True)
def lined(lines: np.ndarray, cells: int) -> np.ndarray:
    """Of each set of cells: 0 without a full line, 1 with some that share a cell, 2 with others."""
    kinds = np.zeros(1 << cells, np.uint8)
    for cells_of in range(1 << cells):
        shared, full = -1, False
        for line in lines:
            if cells_of & line == line:
                shared, full = shared & line, True
        if full:
            kinds[cells_of] = 1 if shared else 2
    return kinds


@numba.njit(nogil=True)
def image(marks: int, tables: np.ndarray, number: int) -> int:
    """Cells under a symmetry, eight at a time."""
    found = 0
    for chunk in range(tables.shape[1]):
        found |= tables[number, chunk, marks >> 8 * chunk & 255]
    return found


@numba.njit(nogil=True)
def spread(number: int, places: np.ndarray) -> int:
    """The bits of a number at other places."""
    found, bit = 0, 0
    while number:
        if number & 1:
            found |= places[bit]
        number >>= 1
        bit += 1
    return found


@numba.njit(nogil=True)
def fixing(marks, tables, out):  # type: ignore[no-untyped-def]
    """Write the symmetries that leave a set alone; how many there are, 0 if it is not the least of its images."""
    fixed = 0
    for number in range(len(tables)):
        turned = image(marks, tables, number)
        if turned < marks:
            return 0
        if turned == marks:
            out[fixed] = number
            fixed += 1
    return fixed


@numba.njit(nogil=True)
def spread_free(x, cells, parts):  # type: ignore[no-untyped-def]
    """Write the cells that nine bits of a number stand for, at three places; how many cells X leaves free."""
    places, free = np.zeros(cells, np.int64), 0
    for cell in range(cells):
        if not x >> cell & 1:
            places[free] = 1 << cell
            free += 1
    for part in range(3):
        for number in range(1 << max(0, min(9, free - 9 * part))):
            parts[part, number] = spread(number, places[9 * part :])
    return free


@numba.njit(nogil=True)
def is_least(marks, tables, numbers):  # type: ignore[no-untyped-def]
    """Whether a set is the least of its images under some symmetries."""
    for number in numbers:  # noqa: SIM110 - compiled, all() takes a list
        if image(marks, tables, number) < marks:
            return False
    return True


@numba.njit(nogil=True)
def count_block(first, end, ply, cells, kinds, tables, states, values, left_of):  # type: ignore[no-untyped-def]
    """The classes that X wins, that O wins, and ties, with a set of X's cells from ``first`` to before ``end``."""
    won, numbers = np.zeros(3, np.int64), np.zeros(len(tables), np.int64)
    parts, o_size = np.zeros((3, 512), np.int64), ply >> 1
    for x in range(first, end):
        if size_of(x) != ply + 1 >> 1 or kinds[x] > ply & 1:
            continue
        fixed = fixing(x, tables, numbers)
        if not fixed:
            continue
        free = spread_free(x, cells, parts)
        chosen = (1 << o_size) - 1
        while chosen < 1 << free:
            o = parts[0, chosen & 511] | parts[1, chosen >> 9 & 511] | parts[2, chosen >> 18]
            low = chosen & -chosen
            up = chosen + low  # the next number with as many bits
            chosen = ((chosen ^ up) >> 2) // low | up if low else 1 << free
            if kinds[o] > 1 - (ply & 1) or not is_least(o, tables, numbers[1:fixed]):
                continue
            if kinds[x] or kinds[o]:
                won[0 if kinds[x] else 1] += 1
            else:
                value = values[slot_of(left_of(x | o << cells), states)]
                won[0 if value > 0 else 1 if value < 0 else 2] += 1
    return won


def table_of(solution: Any) -> tuple[np.ndarray, np.ndarray]:
    """The states of a solution in a directory, and their values, hashed."""
    read = pq.read_table(solution.directory / "positions", columns=["state", "value"])
    states = np.full(1 << (2 * read.num_rows - 1).bit_length(), -1, np.int64)
    values = np.zeros(len(states), np.int8)
    hashed(read["state"].to_numpy(), read["value"].to_numpy().astype(np.int8), states, values)
    return states, values


class Count:
    """What is counted, by ply: the blocks that are done, classes, and seconds of all threads."""

    def __init__(self, file: Path, n: int) -> None:
        self.file = file
        there = json.loads(file.read_text()) if file.exists() else {"n": n, "plies": {}}
        if there["n"] != n:
            raise SystemExit(f"{file} is of {there['n']} x {there['n']}")
        self.plies: dict[str, Any] = there["plies"]
        self.data = there

    def of(self, ply: int) -> dict[str, Any]:
        """The record of a ply."""
        return self.plies.setdefault(str(ply), {"blocks": 0, "X": 0, "O": 0, "tie": 0, "seconds": 0.0})

    def save(self) -> None:
        """Write the file, completely or not at all."""
        write_json(self.file, self.data)


def main() -> int:
    """1 where a number differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--solution", type=Path, default=None, help="of the game by residual classes; else it is made")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    n, game = given.n, Mnk(given.n, given.n, given.n)
    cells, rules = game.cells, game.rules()
    counted = count_positions(game)
    where = given.solution or given.out.with_suffix(".solution")
    states, values = table_of(solve_to_directory(game.spec, where, symmetry="residual", tables=Tables(counts=False)))
    kinds = lined(np.array([sum(1 << cell for cell in line) for line in rules.lines], np.int64), cells)
    tables = find_group(rules, "geometric").tables.astype(np.int64)
    residual = game.residual()
    assert residual is not None
    left_of, count = compile_function(residual.of), Count(given.out, n)
    blocks = 1 << max(0, cells - BLOCK)
    size, hours, wrong = (1 << cells) // blocks, 0.0, 0

    def work(ply: int, block: int) -> tuple[np.ndarray, float]:
        began = time.thread_time()
        found = count_block(
            block * size, (block + 1) * size, ply, cells, kinds, tables, states, values, left_of
        )  # fmt: skip
        return found, time.thread_time() - began

    work(0, 0)  # compiled
    with ThreadPoolExecutor(given.workers) as pool:
        for ply in range(cells + 1):
            record, ends, saved = count.of(ply), time.monotonic() + given.seconds, time.monotonic()
            while record["blocks"] < blocks and time.monotonic() < ends:
                batch = range(record["blocks"], min(blocks, record["blocks"] + 2 * given.workers))
                for found, seconds in pool.map(work, [ply] * len(batch), batch):
                    for name, number in zip(NAMES, found.tolist(), strict=True):
                        record[name] += number
                    record["seconds"] += seconds
                record["blocks"] = batch.stop
                if time.monotonic() > saved + SAVED:
                    count.save()
                    saved = time.monotonic()
            count.save()
            classes = sum(record[name] for name in NAMES)
            rate = classes / max(record["seconds"], 1e-9)
            hours += counted[ply].classes / max(rate, 1.0) / 3600
            done = record["blocks"] == blocks
            wrong += done and classes != counted[ply].classes
            numbers = " ".join(f"{record[name]:,}" for name in NAMES)
            print(
                f"{ply}: {numbers}; {classes:,} of {counted[ply].classes:,} classes, {rate / 1e6:.2f} M/s", flush=True
            )
    print(f"{hours:.1f} hours of one processor for all; {wrong} plies are WRONG" if wrong else f"{hours:.1f} hours")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
