"""What the exports of rows are tried on: a solution of each kind of game, and texts that readers trip over."""

import dataclasses
import functools
import io
import os
import tempfile
from pathlib import Path
from typing import ClassVar

import pytest

import analysis
from analysis.reports.exports.part import Part

BOARD = "H 5 10\n5 1* 5\n10 5 C\n"
DRAWS = "coin_grabber:board=board.txt,threshold=25"
SCORES = "dots_and_boxes:rows=1,cols=2"
KINDS = ["tictactoe", "nim:heaps=1-2-3", "kayles:pins=6", DRAWS, pytest.param(SCORES, marks=pytest.mark.slow)]
"""By ply; heaps in any order; tiers that are not plies; loops; scores."""


@functools.cache
def solved(spec: str) -> analysis.Solution:
    """The solution, made once in a process."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("board.txt").write_text(BOARD)
            return analysis.solve(spec)
        finally:
            os.chdir(here)


def written(write, solution, **cut) -> bytes:
    """What an export writes of a part of a solution."""
    file = io.BytesIO()
    write(Part(solution, **cut), file)
    return file.getvalue()


ODD = ('say "1,2"', "two\nlines", "snowman \u2603", " <&>\t", "NA", "007", "half \ud800", "'")


@dataclasses.dataclass(frozen=True)
class Odd(analysis.Game):
    """Take one or two of seven; positions and moves have names that spreadsheets trip over."""

    family: ClassVar[str] = "odd"

    def rules(self):
        def legal_moves(state, out):
            for i in range(min(state, 2)):
                out[i] = i + 1
            return min(state, 2)

        return analysis.Rules(
            start=7,
            max_moves=2,
            legal_moves=legal_moves,
            play=lambda state, move: state - move,
            outcome=lambda state: 0 if state == 0 else 32767,
            to_move=lambda state: 1,
            tier=lambda state: 7 - state,
        )

    def parse_position(self, text):
        return ODD.index(text)

    def format_position(self, state):
        return ODD[state]

    def parse_move(self, text):
        return ODD.index(text)

    def format_move(self, move):
        return ODD[move]
