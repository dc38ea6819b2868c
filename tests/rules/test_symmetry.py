"""Symmetry groups against brute force, and the bits of canonical states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.engine.engine import make_engine
from analysis.errors import SymmetryError
from analysis.games.families import load_game
from analysis.games.mnk import Mnk
from analysis.games.shared.boards import geometric_symmetries
from analysis.rules.symmetry import AutomorphismGroup, automorphisms, find_group, permute
from tests.support.oracle import Oracle, boards


@pytest.mark.parametrize("board", boards(7), ids=str)
def test_automorphisms_are_all_there_are(board):
    oracle = Oracle(*board)
    group = automorphisms(board[0] * board[1], Mnk(*board).lines())
    elements = group.elements()
    assert sorted(elements) == sorted(oracle.permutations("full"))
    assert group.order == len(elements)


@pytest.mark.parametrize(("board", "order"), [((3, 3, 3), 8), ((4, 4, 4), 32), ((5, 5, 5), 32)])
def test_published_orders(board, order):
    assert automorphisms(board[0] * board[1], Mnk(*board).lines()).order == order


@settings(deadline=None)
@given(
    lines=st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), max_size=6),
    colours=st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_random_hypergraphs(lines, colours):
    sets = {frozenset(line) for line in lines}
    wanted = [
        p
        for p in itertools.permutations(range(6))
        if {frozenset(p[cell] for cell in line) for line in sets} == sets
        and all(colours[p[cell]] == colours[cell] for cell in range(6))
    ]
    assert sorted(automorphisms(6, lines, colours).elements()) == sorted(wanted)


@pytest.mark.parametrize(
    ("board", "order"),
    [
        ((1, 12, 10), math.factorial(8) * 2),
        ((1, 30, 28), math.factorial(26) * 2),
        ((3, 7, 6), (math.factorial(5) * 2) ** 3 * 6),
        ((3, 10, 9), (math.factorial(8) * 2) ** 3 * 6),
        ((5, 6, 6), math.factorial(6) ** 5 * math.factorial(5)),
    ],
)
def test_large_groups_are_counted_without_trying_their_elements(board, order):
    """Rows of lines that share most cells: factorially many elements, and as many dead ends for a plain search."""
    assert automorphisms(board[0] * board[1], Mnk(*board).lines()).order == order


def test_order_without_listing():
    group = automorphisms(31, [(cell,) for cell in range(31)])
    assert isinstance(group, AutomorphismGroup)
    assert group.order == math.factorial(31)


def test_large_group_is_refused_with_its_order():
    with pytest.raises(SymmetryError, match="2,239,488,000"):
        find_group(Mnk(3, 6, 6).rules(), "full")


def test_group_is_restricted_to_the_start():
    rules = Mnk().rules()
    assert find_group(rules, "geometric").order == 8
    corner, centre = Mnk().parse_position("X????????"), Mnk().parse_position("????X????")
    assert find_group(rules, "geometric", start=corner).order == 2
    assert find_group(rules, "full", start=corner).order == 2
    assert find_group(rules, "geometric", start=centre).order == 8


def test_large_group_is_fine_where_the_start_breaks_it():
    game = Mnk(1, 7, 7)
    with pytest.raises(SymmetryError, match="5,040"):
        find_group(game.rules(), "full")
    assert find_group(game.rules(), "full", start=game.parse_position("XOXO???")).order == 2 * 2 * 6


def test_rectangles_and_strips():
    assert len(geometric_symmetries(3, 4, Mnk(3, 4, 3).lines())) == 4
    assert len(geometric_symmetries(1, 5, Mnk(1, 5, 3).lines())) == 2
    assert len(geometric_symmetries(1, 1, Mnk(1, 1, 1).lines())) == 1


@pytest.mark.parametrize("kind", ["geometric", "full"])
@pytest.mark.parametrize(
    "spec", ["tictactoe", "mnk:rows=4,cols=4,k=4", "mnk:rows=3,cols=5,k=3", "mnk:rows=5,cols=6,k=4"]
)
def test_compiled_canonical_states_and_orbits(spec, kind):
    engine = make_engine(load_game(spec), symmetry=kind)
    cells = engine.rules.cells
    generator = np.random.default_rng(3)
    marks = generator.integers(0, 3, size=(200, cells))
    states = np.array([sum(1 << (c + cells * (m - 1)) for c, m in enumerate(row) if m) for row in marks.tolist()])
    sizes = engine.orbit_sizes(states)
    for state, size in zip(states.tolist(), sizes.tolist(), strict=True):
        orbit = {permute(state, p, 2) for p in engine.group.permutations}
        assert engine.canonical(state) == min(orbit)
        assert size == len(orbit)


def test_unknown_kind():
    with pytest.raises(ValueError, match="geometric, full, none"):
        find_group(Mnk().rules(), "rotations")


@pytest.mark.parametrize(
    "spec",
    [
        "nim:heaps=2-2",
        "hex:n=2",
        "mnk:rows=2,cols=2,k=3",
        pytest.param("connect:rows=3,cols=3,k=3", marks=pytest.mark.slow),
    ],
)
def test_full_is_a_games_own_symmetries_where_it_has_no_lines(spec, gametree):
    """In memory, on the disk and in searches: one solution, one place, and a line that says so."""
    one, other = analysis.solve(spec, symmetry="full"), analysis.solve(spec)
    assert one.symmetry == other.symmetry == "geometric"
    assert one.statistics() == other.statistics()
    result = gametree("solve", spec, "--symmetry", "full", "--format", "json")
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert "no lines" in result.err
    assert result.json["directory"] == gametree("solve", spec, "--format", "json").json["directory"]
    rows = gametree("prune", spec, "-a", "alphabeta_table", "--symmetry", "full,geometric", "--format", "json").json[
        "rows"
    ]
    assert [row["symmetry"] for row in rows] == ["geometric"]
    assert gametree("solve", "mnk:rows=2,cols=2,k=2", "--symmetry", "full").err == ""
