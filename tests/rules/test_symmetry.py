"""Symmetry groups, also those that exchange the marks, against brute force, and the bits of canonical states."""

import dataclasses
import itertools
import math
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.engine.engine import make_engine
from analysis.games.families import load_game
from analysis.games.mnk import Mnk
from analysis.games.wild import Wild
from analysis.rules.game import Rules
from analysis.rules.symmetry import automorphisms, find_group, permute
from analysis.solving.checks.suite import check_game
from tests.support.oracle import Oracle, boards
from tests.support.program import slow


@pytest.mark.parametrize("board", boards(7), ids=str)
def test_automorphisms_are_all_there_are(board):
    oracle = Oracle(*board)
    group = automorphisms(board[0] * board[1], Mnk(*board).lines())
    elements = group.elements()
    assert sorted(elements) == sorted(oracle.permutations("full"))
    assert group.order == len(elements)


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
        ((3, 7, 6), (math.factorial(5) * 2) ** 3 * 6),
    ],
)
def test_large_groups_are_counted_without_trying_their_elements(board, order):
    """Rows of lines that share most cells: factorially many elements, and as many dead ends for a plain search."""
    assert automorphisms(board[0] * board[1], Mnk(*board).lines()).order == order


def test_group_is_restricted_to_the_start():
    rules = Mnk().rules()
    assert find_group(rules, "geometric").order == 8
    corner, centre = Mnk().parse_position("X????????"), Mnk().parse_position("????X????")
    assert find_group(rules, "geometric", start=corner).order == 2
    assert find_group(rules, "full", start=corner).order == 2
    assert find_group(rules, "geometric", start=centre).order == 8


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


@pytest.mark.parametrize(
    "spec", ["nim:heaps=2-2", "hex:n=2", "mnk:rows=2,cols=2,k=3", *slow("connect:rows=3,cols=3,k=3")]
)
def test_full_is_a_games_own_symmetries_where_it_has_no_lines(spec, gametree):
    """In memory, on the disk and in searches: one solution, and one place."""
    one, other = analysis.solve(spec, symmetry="full"), analysis.solve(spec)
    assert one.symmetry == other.symmetry == "geometric"
    assert one.statistics() == other.statistics()
    result = gametree("solve", spec, "--symmetry", "full", "--format", "json")
    assert (result.code, result.err) == (0, "")
    assert result.json["directory"] == gametree("solve", spec, "--format", "json").json["directory"]
    rows = gametree("prune", spec, "-a", "alphabeta_table", "--symmetry", "full,geometric", "--format", "json").json[
        "rows"
    ]
    assert [row["symmetry"] for row in rows] == ["geometric"]
    assert gametree("solve", "mnk:rows=2,cols=2,k=2", "--symmetry", "full").err == ""


SWAPPED = str.maketrans("XO", "OX")


@dataclasses.dataclass(frozen=True)
class Either(Wild):
    """Wild tic-tac-toe up to the exchange of X and O."""

    family: ClassVar[str] = "either"

    def rules(self) -> Rules:
        return dataclasses.replace(super().rules(), exchange=True)


@dataclasses.dataclass(frozen=True)
class Unlike(Mnk):
    """Tic-tac-toe, in which marks cannot be exchanged."""

    family: ClassVar[str] = "unlike"

    def rules(self) -> Rules:
        return dataclasses.replace(super().rules(), exchange=True)


def images(text: str) -> list[str]:
    """All images of a board as text, by turning its rows around, its columns and, if it is square, its diagonal."""
    found = [text.split("/")]
    if len(found[0]) == len(found[0][0]):
        found.append(["".join(column) for column in zip(*found[0], strict=True)])
    for turned in (lambda rows: rows[::-1], lambda rows: [row[::-1] for row in rows]):
        found += [turned(rows) for rows in found]
    found += [[row.translate(SWAPPED) for row in rows] for rows in found]
    return ["/".join(rows) for rows in found]


def text_of(game: Wild, state: int) -> str:
    return "/".join("".join(mark if mark in "XO" else "?" for mark in row) for row in game.grid(state))


def reached(game: Wild) -> set[int]:
    rules = game.rules()
    states, waiting = {rules.start}, [rules.start]
    while waiting:
        new = {child for _, child in rules.moves(waiting.pop())} - states
        states |= new
        waiting += new
    return states


SMALL = [(2, 3, 2, False), (2, 3, 3, True), (1, 4, 3, False), (2, 2, 2, False), (1, 1, 1, True)]


@pytest.mark.parametrize("board", [*SMALL, *slow((3, 3, 3, False))], ids=str)
def test_classes_are_orbits_and_all_else_stays(board):
    game, solution, other = Either(*board), analysis.solve(Either(*board)), analysis.solve(Wild(*board))
    found, plain, states = solution.statistics(), other.statistics(), reached(game)
    assert found["classes"] == len({min(images(text_of(game, state))) for state in states})
    by_group = ("classes", "symmetry_order", "quotient_paths", "games_up_to_symmetry", "game", "by_ply")
    assert all(found[name] == plain[name] for name in plain if name not in by_group)
    assert found["symmetry_order"] == 2 * plain["symmetry_order"]
    for state in sorted(states)[:: 1 + len(states) // 200]:
        text = text_of(game, state)
        assert solution.engine.orbit_size(state) == len(set(images(text))), text
        mine, its = (
            dataclasses.replace(each.records.of(state), orbit_size=None, histories=None) for each in (solution, other)
        )
        assert mine == its, text


@pytest.mark.parametrize("board", [(2, 2, 2, False), (1, 4, 3, False), (2, 3, 2, False)], ids=str)
def test_games_up_to_exchange(board):
    game = Either(*board)
    rules = game.rules()

    def games(line: list[str], state: int) -> list[list[str]]:
        line = [*line, text_of(game, state)]
        return [each for _, child in rules.moves(state) for each in games(line, child)] or [line]

    orbits = {min(zip(*map(images, line), strict=True)) for line in games([], rules.start)}
    assert analysis.solve(game).statistics()["games_up_to_symmetry"] == len(orbits)


def test_only_what_keeps_the_start_is_used():
    game = Either(1, 4, 3)
    rules = game.rules()
    for text, order in (("????", 4), ("X???", 1), ("X??O", 2), ("X??X", 2)):
        assert find_group(rules, "geometric", start=game.parse_position(text)).order == order
    assert find_group(rules, "none").order == 1
    assert find_group(rules, "full").order == 2 * find_group(Wild(1, 4, 3).rules(), "full").order
    assert make_engine(game).canonical(game.parse_position("O???")) == game.parse_position("X???")


def test_it_is_checked():
    assert check_game(Either(2, 2, 2)).passed
    wrong = {result.check: result for result in check_game(Unlike(2, 2, 2)).failures}
    fault = wrong["promises"].fault
    assert fault is not None
    assert "under the symmetry" in fault.message
