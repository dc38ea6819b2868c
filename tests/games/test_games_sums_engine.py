"""Heap and scoring games through the engine, against published and computed numbers."""

from __future__ import annotations

import functools
import itertools
import operator

import pytest

import analysis
from analysis.games.grundy import Grundy
from analysis.games.nim import Nim
from tests.support.graph_oracle import oracle_of
from tests.support.sum_numbers import COLUMNS, ROWS, golden_lists, numbers_of

SLOW = {
    "dots_and_boxes:rows=3,cols=3",
    "dots_and_boxes:rows=2,cols=4",
    "kayles:pins=1",
    "kayles:pins=28",
    "grundy:heap=1",
    "grundy:heap=32",
    "nim:heaps=3-5-3-5,take=any,misere=false",
    "nim:heaps=9,take=2-5,misere=false",
    "othello:size=6",
}
CHOSEN = {
    "nim:heaps=1,take=any,misere=false",
    "nim:heaps=2-3-2-2,take=any,misere=false",
    "nim:heaps=3-5-3-5,take=any,misere=false",
    "nim:heaps=3-4-5,take=any,misere=true",
    "nim:heaps=3-5-3,take=2-3,misere=true",
    "nim:heaps=9,take=2-5,misere=false",
    "kayles:pins=1",
    "kayles:pins=16",
    "kayles:pins=28",
    "grundy:heap=1",
    "grundy:heap=10",
    "grundy:heap=32",
}
"""Of the heap games: to compile the rules of one takes half a second."""
ENGINE = [
    pytest.param(*row, marks=pytest.mark.slow if row[0] in SLOW or i % 2 else (), id=row[0])
    for i, row in enumerate(row for row in ROWS if row[0] in CHOSEN or row[0].startswith(("dots", "othello")))
]


def test_engine_rows_are_there():
    assert CHOSEN.issubset(row[0] for row in ROWS)
    assert len(ENGINE) == len(CHOSEN) + 13


@pytest.mark.parametrize(("spec", "position", "wanted"), ENGINE)
def test_engine_golden_numbers(spec, position, wanted):
    solution = analysis.solve(spec, position=position)
    stats = solution.statistics()
    terminal, games = sum(stats["terminal"].values()), stats["games"]["total"]
    assert {**{name: stats[name] for name in COLUMNS[:4]}, "terminal": terminal, "games": games} == wanted


@pytest.mark.parametrize(
    "spec", ["dots_and_boxes", *(pytest.param(spec, marks=pytest.mark.slow) for spec in ("nim:heaps=3-5-3", "othello"))]
)
def test_engine_without_symmetry_counts_the_same(spec):
    reduced, plain = analysis.solve(spec), analysis.solve(spec, symmetry="none")
    assert (reduced.value, reduced.remoteness_plies) == (plain.value, plain.remoteness_plies)
    assert reduced.position_count == plain.position_count == plain.canonical
    assert reduced.games == plain.games


@pytest.mark.parametrize("position", ["1-2-3 X", "3-2-2 X"])
def test_engine_from_a_position_with_other_symmetries(position):
    """Heaps that are equal at the start need not be so at another position."""
    plain = numbers_of(oracle_of(Nim("3-3-3"), position))
    solution = analysis.solve("nim:heaps=3-3-3", position=position)
    found = {"value": solution.value, "positions": solution.position_count, "games": solution.games.total}
    assert found == {name: plain[name] for name in found}


@pytest.mark.slow
def test_engine_nimbers_of_nim():
    solution = analysis.solve("nim:heaps=3-4-3")
    for sizes in itertools.product(range(4), range(5), range(4)):
        if sum(sizes) <= 6:  # after so many tokens an even number of moves is always possible
            position = f"{'-'.join(map(str, sizes))} X"
            assert solution[position].nimber == functools.reduce(operator.xor, sizes)


@pytest.mark.slow
def test_engine_nimbers_of_kayles():
    nimbers = golden_lists("kayles")["nimbers"]
    solution = analysis.solve("kayles:pins=28")
    for length, nimber in enumerate(nimbers):
        side = "O" if length == 27 else "X"
        assert solution[f"{length} {side}"].nimber == nimber


@pytest.mark.parametrize("heap", [20, *(pytest.param(heap, marks=pytest.mark.slow) for heap in (2, 29))])
def test_engine_nimbers_of_grundy(heap):
    nimbers = golden_lists("grundy")["nimbers"]
    assert analysis.solve(Grundy(heap))[str(heap)].nimber == nimbers[heap]


def test_engine_misere_nim_has_no_nimbers():
    assert analysis.solve("nim:heaps=2-3,misere=true")["2-3 X"].nimber is None
