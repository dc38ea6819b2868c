"""Solve the games of the atlas again, as far as they are missing in it or have other rules now:
``python docs/reference/atlas/make.py``. Each is solved by a process of its own; it goes on where it was cut off.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import analysis
from analysis.common.version import __version__
from analysis.engine.tiers import VALUES
from analysis.games.ranges import games_of
from analysis.playing.balance import balance_of, numbers_of
from analysis.solution.conversions import checksum

ROOT = Path(__file__).parents[3]
ATLAS = Path("docs", "reference", "atlas", "atlas.csv")

PATTERNS = (
    "tictactoe",
    "mnk:rows=1..3,cols=1..4,k=1..4",
    "mnk:rows=4,cols=1..4,k=2..4",
    "mnk:rows=2..3,cols=2..4,k=2..3,misere=true",
    "mnk:rows=3,cols=5,k=3..5",
    "mnk:rows=4,cols=4,k=4,misere=true",
    "wild:rows=1..2,cols=3..4,k=2..3",
    "wild:rows=3,cols=3,k=2..3,misere=false|true",
    "wild:rows=3,cols=4,k=3",
    "notakto:rows=1..3,cols=3..4,k=3,misere=false|true",
    "notakto:rows=4,cols=4..5,k=4,misere=false|true",
    "connect:rows=1..4,cols=3..4,k=2..3",
    "connect:rows=1..6,cols=4,k=4",
    "connect:rows=1..4,cols=5,k=4",
    "connect:rows=1..3,cols=6,k=4",
    "connect:rows=1..2,cols=7,k=4",
    "connect:rows=3,cols=4,k=3..4,misere=true",
    "hex:n=1..4",
    "domineering:rows=1..4,cols=1..5,first=V|H",
    "domineering:rows=2,cols=6,first=V|H",
    "domineering:rows=5,cols=5,first=V|H",
    "chomp:rows=1..6,cols=1..6",
    "chomp:rows=2,cols=7..10",
    "nim:heaps=1..6,take=any|1-2",
    "nim:heaps=1-2|1-1-1|2-2|2-2-2|1-2-3|3-3-3|3-4-5|3-5-6|3-5-7|1-2-3-4|7-7-7-7",
    "nim:heaps=3-4-5|1-1-1|2-2|3-3-3|1-3-5-7,misere=true",
    "kayles:pins=1..33",
    "grundy:heap=1..32",
    "dots_and_boxes:rows=1,cols=1..4",
    "dots_and_boxes:rows=2,cols=2..4",
    "othello:size=4",
    "hexapawn:rows=3,cols=1..6",
    "hexapawn:rows=4,cols=1..5",
    "hexapawn:rows=5,cols=1..4",
    "dodgem:n=2..4",
    "morris:variant=three|tapatan|achi|nine_holes",
    "coin_grabber:board=docs/reference/atlas/coins.txt,first=H|C,threshold=0|20|25",
)
"""Every built-in family of games by turns, over what is soon solved."""

ALL_AUTOMORPHISMS = ("tictactoe", "mnk:rows=4,cols=4,k=4")
"""Solved with ``full`` symmetry, too."""

LEFT_TO_PLAY = (
    "tictactoe",
    "mnk:rows=3,cols=3,k=3,misere=true",
    "mnk:rows=3,cols=5..8,k=4",
    "mnk:rows=4,cols=4,k=4,misere=false|true",
    "mnk:rows=4,cols=5,k=4..5",
    "mnk:rows=4,cols=6,k=5..6",
    "mnk:rows=4,cols=7,k=5..7",
    "mnk:rows=5,cols=5,k=5,misere=false|true",
    "wild:rows=4,cols=4,k=4,misere=false|true",
    "notakto:rows=5,cols=5,k=5,misere=false|true",
    "connect:rows=4,cols=5,k=4",
    "dots_and_boxes:rows=3,cols=3",
)
"""Solved by what is left to play: larger boards, and some that are there by symmetries, to compare."""


GROUPS = ((PATTERNS, "geometric"), (ALL_AUTOMORPHISMS, "full"), (LEFT_TO_PLAY, "residual"))
SECONDS = 1200
"""What a game may take."""


def games() -> Iterator[tuple[analysis.Game, str]]:
    """Yield every game of the atlas and the symmetries to solve it with, each once."""
    seen = set()
    for patterns, symmetry in GROUPS:
        for game in map(analysis.load_game, (spec for pattern in patterns for spec in games_of(pattern))):
            if (game.spec, symmetry) not in seen:
                seen.add((game.spec, symmetry))
                yield game, symmetry


def solved(spec: str, symmetry: str) -> dict[str, object]:
    """Solve a game in this process; return its row."""
    game, began = analysis.load_game(spec), time.perf_counter()
    with analysis.running(workers=1, anyway=True):
        solution = analysis.solve(game, symmetry=symmetry)
    seconds = time.perf_counter() - began
    return {
        "game": game.spec, "symmetry": symmetry, **game.parameters(), **numbers_of(solution.statistics()),
        "nimber": solution.records.of(solution.engine.start, VALUES).nimber, "loopy": solution.loopy,
        **balance_of(solution), "seconds": round(seconds, 3), "version": __version__,
        "rules_hash": game.rules_hash(), "checksum": checksum(solution),
    }  # fmt: skip


def write(rows: dict[tuple[str, str], dict[str, object]], names: list[str]) -> None:
    """Write the table, completely or not at all."""
    new = ATLAS.with_suffix(".new")
    with new.open("w", newline="") as file:
        table = csv.DictWriter(file, names, lineterminator="\n", extrasaction="ignore")
        table.writeheader()
        for row in rows.values():
            table.writerow(
                {name: str(value).lower() if isinstance(value, bool) else value for name, value in row.items()}
            )
    new.replace(ATLAS)


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def make() -> int:
    """Solve what is missing; 1 if a game cannot be solved."""
    os.chdir(ROOT)
    with ATLAS.open(newline="") as file:
        table = csv.DictReader(file)
        there, names = {(row["game"], row["symmetry"]): row for row in table}, list(table.fieldnames or ())
    rows, failed = {}, 0
    for game, symmetry in games():
        key = game.spec, symmetry
        rows[key] = there.get(key, {})
        if rows[key].get("rules_hash") == game.rules_hash():
            continue
        print(*key, flush=True)
        command = [sys.executable, __file__, *key]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            failed = 1
            continue
        rows[key] = json.loads(done.stdout)
        write({**there, **rows}, names)
    write(rows, names)
    return failed


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(solved(sys.argv[1], sys.argv[2])))
    else:
        sys.exit(make())
