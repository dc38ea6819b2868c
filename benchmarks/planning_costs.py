"""How often the intervals of ``analysis.solving.planning.costs`` hold: ``python planning_costs.py [RECORDS]``.

Every solve is a process of its own (`planning_measure.py`): in memory, into a directory and in shards, with counts and
without. What was measured is added to a file of JSON lines, and not measured again. The constants were chosen by the
games of `FITTED` and widened by those of `WIDENED`; `OTHERS` say what they are worth. Sizes are the true ones, so that
costs alone are judged, and one worker does all, whose processor seconds are counted: a busy machine changes them least.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import ROOT

FITTED = (
    "mnk:rows=4,cols=4,k=4", "connect:rows=4,cols=5,k=4", "wild:rows=3,cols=4", "notakto:rows=4,cols=5,k=4",
    "hex:n=4", "domineering:rows=5,cols=5", "domineering:rows=5,cols=6", "chomp:rows=10,cols=10",
    "nim:heaps=15-15-15-15", "kayles:pins=30", "grundy:heap=32", "dots_and_boxes:rows=2,cols=4", "othello:size=4",
    "hexapawn:rows=4,cols=6", "dodgem:n=4",
)  # fmt: skip
WIDENED = (
    "mnk:rows=3,cols=6,k=3", "mnk:rows=4,cols=4,k=3", "connect:rows=5,cols=4,k=3", "connect:rows=6,cols=3,k=3",
    "wild:rows=3,cols=5", "wild:rows=3,cols=4,misere=true", "notakto:rows=4,cols=4,k=3", "notakto:rows=5,cols=5,k=5",
    "chomp:rows=8,cols=12", "chomp:rows=6,cols=6", "nim:heaps=30-30-30-20", "kayles:pins=33",
    "dots_and_boxes:rows=3,cols=3", "hexapawn:rows=5,cols=5", "hexapawn:rows=4,cols=5", "coin_grabber:board={board}",
)  # fmt: skip
OTHERS = (
    "mnk:rows=3,cols=5,k=4", "connect:rows=3,cols=6,k=3", "notakto:rows=3,cols=6,k=4", "domineering:rows=4,cols=7",
    "chomp:rows=5,cols=14", "nim:heaps=12-12-12-12,take=1-2-3", "kayles:pins=26", "dots_and_boxes:rows=2,cols=3",
    "hexapawn:rows=6,cols=4", "wild:rows=2,cols=7,k=3", "grundy:heap=28", "dodgem:n=3",
)  # fmt: skip
BOARD = "H 5 10 5\n5 10 1 10\n10 5 25 5\n10 5 10 C\n"
HOW = ("memory", "directory", "sharded")
COLUMNS = ("memory", "writing", "scratch", "directory", "seconds", "sharded_seconds")


def recorded(path: Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """What was measured before, by game, counts, how and workers."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(row["game"], row["counts"], row["how"], row["workers"]): row for row in rows}


def measured(game: str, board: Path, records: dict[Any, Any], path: Path, workers: int) -> Iterator[dict[str, Any]]:
    """The solves of a game, measured now if they were not before; those that are refused are left out."""
    solves = ((counts, how, workers) for counts, how in itertools.product((True, False), HOW))
    for counts, how, threads in ((False, "forward", 1), *solves):
        key = (game, counts, how, threads)
        if key not in records:
            command = [sys.executable, str(Path(__file__).with_name("planning_measure.py")), game.format(board=board)]
            done = subprocess.run(
                [*command, str(int(counts)), how, str(threads)], cwd=ROOT, capture_output=True, text=True
            )
            if done.returncode and "CountOverflowError" not in done.stderr:
                raise RuntimeError(done.stderr)
            records[key] = json.loads(done.stdout) if not done.returncode else {}
            records[key] |= {"game": game, "counts": counts, "how": how, "workers": threads}
            with path.open("a") as file:
                file.write(json.dumps(records[key]) + "\n")
        if "cpu" in records[key]:
            yield records[key]


def judged(game: str, rows: list[dict[str, Any]], workers: int) -> Iterator[tuple[bool, str, Any, float]]:
    """For each number of the plan: with counts or not, its name, the interval, and what was measured."""
    from analysis.common.workers import Workers
    from analysis.engine.engine import make_engine
    from analysis.games.families import load_game
    from analysis.solution.storage.store import Tables
    from analysis.solving.planning.costs import Span, costs_of
    from analysis.solving.planning.sizes import MEASURED, GameSizes, Interval, TierSizes

    def interval(number: int) -> Interval:
        return Interval(int(number), int(number), MEASURED)

    found = {(row["counts"], row["how"]): row for row in rows}
    facts, forward = found[False, "memory"], found[False, "forward"]
    tiers = tuple(
        TierSizes(tier, interval(size), interval(size), interval(size))
        for tier, size in zip(facts["tiers"], facts["sizes"], strict=True)
    )
    sizes = GameSizes(
        interval(facts["positions"]), interval(facts["classes"]), interval(facts["moves"]), tiers,
        forward["cpu"] / forward["classes"],
    )  # fmt: skip
    with Workers(workers) as pool:
        engine = make_engine(load_game(game), workers=pool)
        for counts in (True, False):
            if (counts, "memory") not in found:
                continue
            needs = costs_of(engine, sizes, Tables(counts))
            memory, directory, sharded = (found[counts, how] for how in HOW)
            numbers = (memory["asked"], directory["asked"], sharded["scratch"], directory["bytes"],
                       directory["cpu"], sharded["cpu"])  # fmt: skip
            for name, number in zip(COLUMNS, numbers, strict=True):
                yield counts, name, getattr(needs, name), number
            for name, row in (("memory", memory), ("writing", directory)):
                yield counts, f"{name}, touched", Span(0, getattr(needs, name).high), row["memory"]


def main(path: Path, workers: int) -> None:
    """Print a line for each game and a table of hits."""
    with tempfile.TemporaryDirectory() as folder:
        board = Path(folder) / "board.txt"
        board.write_text(BOARD)
        records, hits = recorded(path), dict[tuple[str, str], list[bool]]()
        for kind, games in (("fitted", FITTED), ("widened", WIDENED), ("other", OTHERS)):
            for game in games:
                rows = list(measured(game, board, records, path, workers))
                missed = []
                for counts, name, span, number in judged(game.format(board=board), rows, workers):
                    low, high = span.to_json().values()
                    hits.setdefault((kind, name), []).append(low <= number <= high)
                    if not low <= number <= high:
                        words = "with" if counts else "without"
                        missed.append(f"{name} {words} counts {number:,.1f} not in {low:,} to {high:,}")
                print(f"{kind:7} {game:34} {rows[-1]['classes']:>12,} classes  {'; '.join(missed) or 'all hold'}")
        for (kind, name), found in hits.items():
            print(f"{kind:7} {name:16} {sum(found):3} of {len(found)} hold")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "planning-costs.jsonl"), 1)
