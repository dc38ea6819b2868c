"""How often the intervals of `gametree plan` hold: ``python benchmarks/planning.py --truths DIRECTORY``.

Each board is counted as a whole, once: the directory keeps what was found. Then its size is estimated from few of its
tiers. The constants of the estimator were chosen on the boards of `TUNED`, those for few tiers on `LATER` too, and
those of `SEEN` were looked at besides; `HELD_OUT` were set aside, and looked at once the rest was chosen. No formula
and no known total is used.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from common import OtherWork, Settings, machine
from rich.console import Console

from analysis.engine.engine import Engine, make_engine
from analysis.games.families import load_game
from analysis.solving.planning.counting import count_tiers
from analysis.solving.planning.estimate import estimate_sizes
from analysis.solving.planning.sizes import MEASURED, GameSizes

CUTS = (0.1, 0.3, 0.5)
"""Shares of the tiers, rounded up, that are counted of a board."""
SECONDS = 3.0
"""For an estimate from such a share."""
PLAN_SECONDS = 20.0
"""For one of a large board, of which as many tiers are counted as there is time for, as of a plan."""
WIDE = 3.0
"""A factor between the ends of an interval that is too much where a tenth of the tiers is known."""

TUNED = (
    "connect:rows=4,cols=5,k=4", "hexapawn:rows=5,cols=5", "hexapawn:rows=4,cols=6", "othello:size=4", "dodgem:n=4",
    "coin_grabber:board=tuned", "domineering:rows=5,cols=6", "nim:heaps=9-10-11-12-13", "nim:heaps=15-15-15-15-15",
    "chomp:rows=10,cols=10", "kayles:pins=40", "dots_and_boxes:rows=3,cols=3", "dots_and_boxes:rows=2,cols=4",
    "mnk:rows=4,cols=4,k=4",
)  # fmt: skip
LATER = (
    "domineering:rows=4,cols=7", "domineering:rows=4,cols=6", "domineering:rows=3,cols=9", "chomp:rows=8,cols=9",
    "chomp:rows=7,cols=11", "chomp:rows=6,cols=14", "chomp:rows=9,cols=12", "nim:heaps=7-11-13-17",
    "nim:heaps=12-12-12-12", "nim:heaps=14-14-14-14-14,take=1-2-3", "nim:heaps=5-9-10-20-21", "kayles:pins=35",
    "kayles:pins=45", "kayles:pins=52", "grundy:heap=20", "grundy:heap=25", "grundy:heap=29",
    "dots_and_boxes:rows=2,cols=3", "dots_and_boxes:rows=1,cols=6", "dots_and_boxes:rows=1,cols=7",
    "dots_and_boxes:rows=3,cols=3 after 4/1", "othello:size=4 after 2/1", "othello:size=4 after 4/2",
    "othello:size=6 after 22/1", "othello:size=6 after 21/2", "hexapawn:rows=6,cols=4", "hexapawn:rows=3,cols=7",
    "hexapawn:rows=7,cols=3", "hexapawn:rows=3,cols=8", "dodgem:n=3", "dodgem:n=4 after 6/1", "dodgem:n=4 after 9/2",
    "dodgem:n=5", "coin_grabber:board=3x4", "coin_grabber:board=3x5", "coin_grabber:board=4x4",
    "coin_grabber:board=2x7", "morris:variant=three", "morris:variant=achi", "morris:variant=nine_holes",
)  # fmt: skip
"""On which the constants for few tiers were chosen."""
SEEN = (
    "connect:rows=5,cols=5,k=4", "connect:rows=6,cols=5,k=4", "connect:rows=6,cols=7,k=4", "mnk:rows=4,cols=5,k=4",
    "hexapawn:rows=5,cols=6", "wild:rows=4,cols=4", "notakto:rows=5,cols=5,k=4", "kayles:pins=62",
    "domineering:rows=5,cols=5", "domineering:rows=3,cols=8", "domineering:rows=2,cols=12", "chomp:rows=7,cols=9",
    "chomp:rows=6,cols=11", "chomp:rows=5,cols=15", "nim:heaps=6-9-15-22", "nim:heaps=11-11-11-14",
    "nim:heaps=20-30-40", "kayles:pins=33", "kayles:pins=42", "kayles:pins=48", "grundy:heap=22", "grundy:heap=27",
    "grundy:heap=31", "dots_and_boxes:rows=1,cols=8", "dots_and_boxes:rows=2,cols=4 after 3/2",
    "dots_and_boxes:rows=3,cols=3 after 6/5", "othello:size=4 after 3/7", "othello:size=4 after 1/4",
    "othello:size=6 after 23/5", "hexapawn:rows=5,cols=4", "hexapawn:rows=4,cols=5", "hexapawn:rows=3,cols=6",
    "dodgem:n=4 after 7/5", "dodgem:n=4 after 3/3", "dodgem:n=3 after 2/1", "coin_grabber:board=4x3",
    "coin_grabber:board=3x6", "coin_grabber:board=5x3",
    "grundy:heap=18", "grundy:heap=24", "grundy:heap=30",
    "hexapawn:rows=4,cols=4", "hexapawn:rows=5,cols=3", "hexapawn:rows=6,cols=3", "morris:variant=three after 2/41",
    "morris:variant=achi after 2/42", "morris:variant=nine_holes after 1/43",
)  # fmt: skip
HELD_OUT = (
    "mnk:rows=3,cols=6,k=4", "mnk:rows=4,cols=4,k=3", "mnk:rows=3,cols=6,k=3", "mnk:rows=2,cols=8,k=3",
    "wild:rows=2,cols=6", "wild:rows=2,cols=7,k=3", "wild:rows=3,cols=4,k=4", "notakto:rows=4,cols=4,k=3",
    "notakto:rows=3,cols=6,k=4", "notakto:rows=3,cols=7,k=3", "connect:rows=4,cols=6,k=4", "connect:rows=3,cols=7,k=3",
    "connect:rows=5,cols=4,k=4,misere=true", "connect:rows=6,cols=4,k=4", "connect:rows=5,cols=6,k=4",
    "connect:rows=6,cols=6,k=4", "hex:n=3", "hex:n=4 after 2/1", "hex:n=4 after 1/2", "hex:n=5 after 11/3",
    "domineering:rows=4,cols=5", "domineering:rows=3,cols=7", "domineering:rows=2,cols=11", "chomp:rows=8,cols=8",
    "chomp:rows=6,cols=9", "chomp:rows=9,cols=9", "nim:heaps=8-8-8-9-9", "nim:heaps=5-6-7-8-9", "nim:heaps=25-35-45",
    "kayles:pins=30", "kayles:pins=38", "kayles:pins=50", "grundy:heap=19", "grundy:heap=23", "grundy:heap=28",
    "dots_and_boxes:rows=1,cols=5", "dots_and_boxes:rows=2,cols=3 after 2/31",
    "dots_and_boxes:rows=3,cols=3 after 7/32", "othello:size=4 after 2/11", "othello:size=4 after 3/12",
    "othello:size=6 after 22/13", "hexapawn:rows=5,cols=4 after 1/51", "hexapawn:rows=4,cols=3",
    "hexapawn:rows=8,cols=3",
    "dodgem:n=4 after 5/21", "dodgem:n=4 after 8/22", "dodgem:n=3 after 3/23", "coin_grabber:board=3x3",
    "coin_grabber:board=2x6", "coin_grabber:board=4x5", "morris:variant=three after 1/51",
    "morris:variant=achi after 1/52", "morris:variant=nine_holes after 2/53",
)  # fmt: skip
"""A board; ``after`` so many random moves by a generator of that seed."""
PUBLISHED = {
    "connect:rows=6,cols=5,k=4": 1_044_334_437, "connect:rows=5,cols=6,k=4": 2_818_972_642,
    "connect:rows=6,cols=6,k=4": 69_212_342_175, "connect:rows=6,cols=7,k=4": 4_531_985_219_092,
    "mnk:rows=4,cols=5,k=4": 674_794_169, "dodgem:n=5": 164_308_067,
}  # fmt: skip
"""Positions of large boards: Connect-Four by Edelkamp and Kissmann (2008; OEIS A212693) and by Tromp, the others by
solves of their own.
"""
COINS = {
    "tuned": "H 5 10 5\n5 10 25 10\n10 25 1 5\n5 10 5 C\n",
    "3x4": "H 10 5 25\n5 1 10 5\n25 5 10 C\n",
    "3x5": "H 5 25 5 10\n10 5 1 10 5\n5 25 10 5 C\n",
    "4x4": "H 25 5 10\n10 5 1 5\n5 10 25 10\n25 5 10 C\n",
    "4x3": "H 5 10\n25 10 5\n5 1 10\n10 5 C\n",
    "3x6": "H 5 10 5 5 10\n5 10 1 25 10 5\n10 5 25 10 5 C\n",
    "5x3": "H 10 5\n5 25 10\n10 1 5\n25 5 10\n5 10 C\n",
    "3x3": "H 5 25\n10 1 5\n5 10 C\n",
    "2x6": "H 25 5 10 1 5\n5 10 5 25 10 C\n",
    "4x5": "H 5 10 5 25\n10 25 5 10 5\n5 10 25 5 10\n1 5 10 5 C\n",
    "2x7": "H 5 10 1 25 5 10\n10 25 5 10 5 25 C\n",
}


class Tier(NamedTuple):
    """What is true of a tier."""

    number: int
    positions: int
    classes: int
    moves: int


def engine_of(board: str, folder: Path) -> Engine:
    """The engine of a board; boards of coins are in a folder."""
    spec, _, played = board.partition(" after ")
    engine = make_engine(load_game(re.sub("(board=)(.*)", rf"\1{folder}/\2.txt", spec)))
    if not played:
        return engine
    plies, seed = map(int, played.split("/"))
    generator, state = random.Random(seed), engine.start
    while plies:
        moves = engine.rules.moves(state)
        plies, state = (plies - 1, generator.choice(moves)[1]) if moves else (int(played.split("/")[0]), engine.start)
    return make_engine(engine.game, start=state)


def truth(board: str, engine: Engine, directory: Path) -> list[Tier]:
    """All tiers of a board, counted now if they were not before."""
    path = directory / (re.sub("[^a-z0-9]+", "_", board) + ".json")
    if not path.exists():
        counted = count_tiers(engine, 1e9)
        if not counted.complete:
            raise MemoryError(f"{board} is too large to be counted")
        path.write_text(json.dumps([(each.number, each.positions.low, each.classes.low, each.moves.low)
                                    for each in counted.tiers]))  # fmt: skip
    return [Tier(*tier) for tier in json.loads(path.read_text())]


def judged(board: str, cut: float | None, sizes: GameSizes, tiers: list[Tier] | None) -> dict[str, Any]:
    """What one estimate says against the truth; without ``tiers`` only the number of positions is known."""
    total = sum(tier.positions for tier in tiers) if tiers else PUBLISHED[board]
    known = [tier for tier in sizes.tiers if tier.positions.how == MEASURED]
    low, high, _ = sizes.positions
    row = {
        "board": board,
        "cut": cut,
        "positions": total,
        "tiers_known": len(known),
        "tiers": len(tiers or sizes.tiers),
        "known": sum(tier.positions.low for tier in known) / total,
        "low": low / total,
        "high": high / total,
        "width": high / max(1, low),
        "holds": sizes.positions.holds(total),
    }
    if tiers:
        guessed = {tier.number: tier for tier in sizes.tiers}
        beyond = tiers[len(known) :]
        row["classes"] = sizes.classes.holds(sum(tier.classes for tier in tiers))
        row["moves"] = sizes.moves.holds(sum(tier.moves for tier in tiers))
        row["by_tier"] = statistics.fmean(
            tier.number in guessed and guessed[tier.number].positions.holds(tier.positions) for tier in beyond
        )
    return row


def estimates(board: str, engine: Engine, directory: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Estimates of a board from several shares of its tiers; of a large one from what there is time for."""
    engine.prepare()
    tiers = None if board in PUBLISHED else truth(board, engine, directory)
    whole = len(tiers) if tiers else None
    for cut in CUTS if whole else (None,):
        most = None if cut is None else min(whole - 1, -int(-cut * whole // 1))
        sizes = estimate_sizes(engine, PLAN_SECONDS if most is None else seconds, most_tiers=most)
        if sizes.positions.how != MEASURED:
            row = judged(board, cut, sizes, tiers)
            yield row
            if most is not None and row["tiers_known"] < most:
                break  # more cannot be counted in that time


def summary(rows: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Cells of a line for each family, and for all."""
    families = sorted({row["board"].partition(":")[0] for row in rows})
    for family in [*families, "all"]:
        some = [row for row in rows if family in ("all", row["board"].partition(":")[0])]
        enough = [row for row in some if 10 * row["tiers_known"] >= row["tiers"]]
        counted = [row for row in some if "by_tier" in row]
        yield [
            family,
            str(len({row["board"] for row in some})),
            *(f"{sum(row[part] for row in rest)} of {len(rest)}"
              for part, rest in (("holds", some), ("classes", counted), ("moves", counted))),
            *(f"{sum(row['holds'] for row in rest)} of {len(rest)}" if rest else ""
              for rest in ([row for row in some if row["cut"] == cut] for cut in CUTS)),
            f"{statistics.fmean(row['by_tier'] for row in counted):.0%}" if counted else "",
            f"{statistics.median(row['width'] for row in some):.2f}",
            f"{sum(row['width'] > WIDE for row in enough)} of {len(enough)}",
        ]  # fmt: skip


def main() -> None:
    """Print a line for each estimate, and a table for each kind of boards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="PATTERN", default="", help="only boards in which this is found")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="for an estimate from few tiers")
    parser.add_argument("--truths", type=Path, default=Path("planning-truths"), metavar="DIRECTORY")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="estimates; those of other boards are kept")
    arguments = parser.parse_args()
    settings, others = Settings(1, 1, False, Console(width=200)), OtherWork()
    settings.print(machine())
    arguments.truths.mkdir(exist_ok=True)
    rows: list[dict[str, Any]] = []
    if arguments.out and arguments.out.exists():
        rows = [row for row in json.loads(arguments.out.read_text()) if not re.search(arguments.only, row["board"])]
    with tempfile.TemporaryDirectory() as folder:
        for name, squares in COINS.items():
            Path(folder, f"{name}.txt").write_text(squares)
        for kind, boards in (("held out", HELD_OUT), ("tuned", TUNED + LATER), ("seen", SEEN)):
            for board in (board for board in boards if re.search(arguments.only, board)):
                engine = engine_of(board, Path(folder))
                for row in estimates(board, engine, arguments.truths, arguments.seconds):
                    rows.append({"kind": kind, **row})
                    settings.print(line(rows[-1]))
                if arguments.out:
                    arguments.out.write_text(json.dumps(rows, indent=1) + "\n")
        columns = ("family", "boards", "positions", "classes", "moves", *(f"from {cut:.0%}" for cut in CUTS),
                   "single tiers", "width", "too wide")  # fmt: skip
        for kind in ("held out", "tuned", "seen"):
            if some := [row for row in rows if row["kind"] == kind]:
                settings.table(f"Intervals that hold: {kind}", columns, summary(some))
    settings.print(f"\nOther processes took {others.share():.0%} of the processors.")


def line(row: dict[str, Any]) -> str:
    """An estimate in words."""
    parts = "".join(f" {part} no" for part in ("classes", "moves") if row.get(part) is False)
    single = f" tiers {row['by_tier']:.0%}" if "by_tier" in row else ""
    return (
        f"{row['kind']:8} {row['board']:38} {row['tiers_known']:3} of {row['tiers']:3} tiers, {row['known']:7.2g} of "
        f"{row['positions']:,}: {row['low']:.2f} to {row['high']:.2f}, x {row['width']:.2f} "
        f"{'holds' if row['holds'] else 'MISSES'}{single}{parts}"
    )


if __name__ == "__main__":
    main()
