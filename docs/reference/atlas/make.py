"""Solve the games of the atlas again, as far as they are missing in it or have other rules now:
``python docs/reference/atlas/make.py``. It goes on where it was cut off.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import analysis
from analysis.cli.progress import ProgressBar
from analysis.cli.terminal import interruptible
from analysis.sweeps import Limits, sweep

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


def make() -> int:
    """Solve what is missing; 1 where a game cannot be solved."""
    os.chdir(ROOT)
    groups = ((PATTERNS, "geometric", 300), (ALL_AUTOMORPHISMS, "full", 300), (LEFT_TO_PLAY, "residual", 1200))
    solved = []
    for patterns, symmetry, seconds in groups:
        with ProgressBar(), analysis.running(workers=1):
            found = sweep(patterns, symmetry=symmetry, out=ATLAS, limits=Limits(seconds=seconds))
        print(found)
        solved += [row["status"] == "solved" for row in found]
    return int(not all(solved))


if __name__ == "__main__":
    with interruptible():
        sys.exit(make())
