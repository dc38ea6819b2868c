"""Whether wrong values planted in a large solution are found: by all of verify, by samples as often as promised.

``python benchmarks/planted.py connect:rows=5,cols=5,k=5 --symmetry none`` solves the game (149,811,215 classes) into a
temporary directory, plants one wrong value, verifies all, plants more, and verifies a hundred samples. A wrong value is
seen from its own class and, where it matters there, from those before it: so a sample finds one at least as often as
it draws one of the wrong classes. The exact binomial test says how probable as few finds would be if that were so.
An ``orbit_size`` is seen from its own class alone; then the test has two sides.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

import analysis  # noqa: E402
from analysis.errors import VerificationError  # noqa: E402
from analysis.solution.storage.parquet import describe, parquet_options  # noqa: E402
from tests.support.forging import forge_tier, tier_of  # noqa: E402

RARE = 0.001
"""A chance so small that what has it does not just happen."""


def main() -> int:
    """Run the experiment; 1 if something is not as promised."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--symmetry", default="geometric")
    parser.add_argument("--directory", type=Path, help="a solution of the game, which is damaged, instead of a new one")
    parser.add_argument("--column", choices=("value", "orbit_size"), default="value")
    parser.add_argument("--wrong", type=int, default=50, metavar="N", help="wrong classes for the samples")
    parser.add_argument("--share", type=float, help="of a sample; by default half of the samples draw a wrong class")
    parser.add_argument("--samples", type=int, default=100, metavar="N")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = arguments.directory or Path(folder) / "s"
        if arguments.directory is None:
            options = {"symmetry": arguments.symmetry, "counts": False, "workers": arguments.workers}
            timed("solved", lambda: analysis.solve(arguments.game, directory=directory, **options))
            timed("verified", lambda: analysis.verify(directory, workers=arguments.workers))
        return experiment(directory, arguments)


def experiment(directory: Path, arguments: argparse.Namespace) -> int:
    """Plant and verify."""
    classes, rng = analysis.open_solution(directory).classes, random.Random(1)
    rows = rng.sample(range(classes), arguments.wrong)
    plant(directory, rows[:1], arguments.column)
    found = timed(f"one wrong {arguments.column} among {classes:,}", lambda: failure(directory, arguments.workers))
    print(f"full verification: {found or 'MISSED'}", flush=True)
    plant(directory, rows[1:], arguments.column)

    share = arguments.share or 1 - 0.5 ** (1 / arguments.wrong)
    drawn = max(1, round(share * classes))
    promised = 1 - math.prod((classes - drawn - i) / (classes - i) for i in range(arguments.wrong))
    finds, began = 0, time.perf_counter()
    for seed in range(arguments.samples):
        finds += failure(directory, arguments.workers, share=share, seed=seed) is not None
        if seed % 10 == 9:
            print(f"{seed + 1} samples, {finds} finds, {time.perf_counter() - began:.0f} s", flush=True)
    fewer, more = tails(finds, arguments.samples, promised)
    print(
        f"{arguments.samples} samples of {drawn:,} classes, {arguments.wrong} wrong ones: {finds} finds, promised "
        f"{promised:.1%} each, that is {promised * arguments.samples:.1f}; so few have a chance of {fewer:.3g}, "
        f"so many of {more:.3g}"
    )
    kept = fewer > RARE and (arguments.column == "value" or more > RARE)
    print("as promised" if found and kept else "NOT AS PROMISED")
    return 0 if found and kept else 1


def plant(directory: Path, rows: list[int], column: str) -> None:
    """Make a number wrong in the classes with these numbers, and all checksums fit."""
    begin = 0
    for number in [row["tier"] for row in json.loads((directory / "manifest.json").read_text())["totals"]]:
        tier, changed = tier_of(directory, number), False
        for place, part in enumerate(tier["positions"]):
            own = [row - begin for row in rows if begin <= row < begin + part["rows"]]
            if own:
                path = directory / "positions" / part["file"]
                table = wrong(pq.ParquetFile(path).read(), own, column)
                pq.write_table(table, path, **parquet_options(table.schema))
                tier["positions"][place], changed = describe(path), True
            begin += part["rows"]
        if changed:
            forge_tier(directory, number, tier)


def wrong(table: pa.Table, rows: list[int], column: str) -> pa.Table:
    """The table with another number in some rows of a column."""
    numbers = table[column].to_numpy().copy()
    for row in rows:
        numbers[row] = numbers[row] + 1 if column == "orbit_size" or numbers[row] < 1 else -1
    return table.set_column(table.column_names.index(column), column, pa.array(numbers, table[column].type))


def failure(directory: Path, workers: int, **choice: Any) -> str | None:
    """What verification finds."""
    try:
        analysis.verify(directory, workers=workers, **choice)
    except VerificationError as error:
        return str(error)
    return None


def timed(what: str, work: Any) -> Any:
    """What some work returns; how long it took is printed."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what}: {wall:.1f} s, {cpu:.1f} s of processor", flush=True)
    return result


def tails(finds: int, runs: int, chance: float) -> tuple[float, float]:
    """The chances of at most and of at least so many finds, each run having one with this chance."""
    chances = [math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(runs + 1)]
    return sum(chances[: finds + 1]), sum(chances[finds:])


if __name__ == "__main__":
    sys.exit(main())
