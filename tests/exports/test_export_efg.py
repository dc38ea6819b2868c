"""Extensive forms, read back by OpenSpiel."""

from __future__ import annotations

import functools
import inspect
import io
import re
import sys
from collections import Counter

import pytest

import analysis
from analysis.errors import OptionError, TooLargeError
from analysis.exports import extensive_form as efg
from analysis.exports.export import export
from analysis.exports.part import Part
from tests.support import extensive_form
from tests.support.odd_names import MOVES, Countdown, OddNames
from tests.support.oracle import Oracle

SMALL = ("nim:heaps=1-2", "chomp:rows=2,cols=2")
MORE = ("nim:heaps=1-2-3", "chomp:rows=2,cols=3", "wild:rows=1,cols=4,k=3", "dots_and_boxes:rows=1,cols=2")
LATE = "XOX?O????"
OUTCOME = re.compile(r"(.*?)(?: (. wins|tie|cut, value .*))?")
"""The text of a position and, where a tree ends, the label of the outcome."""

solve = functools.cache(analysis.solve)


def written(part: Part) -> bytes:
    file = io.BytesIO()
    efg.write(part, file)
    return file.getvalue()


def read(part: Part) -> extensive_form.ExtensiveForm:
    return extensive_form.read(written(part))


@pytest.mark.parametrize(
    "spec", [*SMALL, "kayles:pins=5", *(pytest.param(spec, marks=pytest.mark.slow) for spec in MORE)]
)
def test_the_whole_tree(spec):
    solution = solve(spec)
    game, found = read(Part(solution)), solution.statistics()
    ends = [node.payoffs for node in game.nodes if node.payoffs]
    assert len(game.nodes) == efg.count_nodes(Part(solution)) == found["histories"]
    assert all(second == -first for first, second in ends)
    assert Counter(first for first, _ in ends) == {r["value"]: r["games"] for r in found["by_value"] if r["games"]}
    assert game.values()[game.root] == solution.value
    assert game.nash_conv() == 0
    sets = [node.information for node in game.nodes if node.actions]
    assert len({*sets}) == len(sets)
    text = written(Part(solution)).decode()
    assert text.splitlines()[0].endswith(f' {{ "{solution.game.players[0]}" "{solution.game.players[1]}" }}')
    assert len({*re.findall(r'^t ".*?" ([0-9]+) ', text, re.MULTILINE)}) == len({first for first, _ in ends})


def test_nodes_are_histories_and_positions():
    """Against the oracle, which plays on texts."""
    oracle = Oracle(3, 3, 3)
    game = read(Part(solve("tictactoe", position=LATE)))
    values = game.values()

    def compare(node, path, position):
        label = f"{path or 'start'}: {position}"
        assert values[node] == oracle.value(position)
        moves = oracle.moves(position)
        if moves:
            assert (node.text, node.actions) == (label, [str(cell) for cell in moves])
            assert "XO"[node.player] == oracle.to_move(position)
        else:
            outcome = {1: "X wins", 0: "tie", -1: "O wins"}[oracle.outcome(position)]
            assert node.text == f"{label} {outcome}"
        for cell, child in zip(moves, node.children, strict=True):
            compare(child, path + str(cell), oracle.play(position, cell))

    compare(game.root, "", LATE)


@pytest.mark.parametrize(
    ("spec", "depth"),
    [("tictactoe", 2), ("tictactoe", 0), ("dodgem", 3), pytest.param("othello", 3, marks=pytest.mark.slow)],
)
def test_a_cut_tree_ends_in_values(spec, depth):
    solution = solve(spec)
    part = Part(solution, depth=depth)
    game = read(part)
    assert len(game.nodes) == efg.count_nodes(part)
    values = game.values()
    for node in game.nodes:
        path, _, text = node.text.partition(": ")
        position, outcome = OUTCOME.fullmatch(text).groups()
        known = solution[position]
        assert values[node] == known.value
        plies = 0 if path == "start" else len(path.split("-") if solution.engine.rules.largest_code > 9 else path)
        assert bool(node.payoffs) == bool(outcome) == (plies == depth or known.to_move is None)
        if outcome:
            assert node.payoffs[0] == known.value
            assert outcome.startswith("cut, value ") == (known.to_move is not None)


def test_optimal_moves_alone_are_the_optimal_paths():
    solution = solve("tictactoe", position=LATE)
    part = Part(solution, optimal_only=True)
    game = read(part)
    ends = {node.text.partition(": ")[0] for node in game.nodes if node.payoffs}
    assert ends == set(solution.optimal_paths())
    assert len(game.nodes) == efg.count_nodes(part)


def test_terminals_of_the_optimal_tree_are_counted_paths():
    solution = solve("tictactoe")
    text = written(Part(solution, optimal_only=True)).decode()
    assert text.count('\nt "" ') == solution.statistics()["optimal_paths"] == 3584


def test_names_that_are_no_labels():
    """Read by the grammar of Gambit's files; OpenSpiel knows no quotation marks within texts."""
    lines = written(Part(solve(OddNames()))).decode().splitlines()
    texts = [[text.replace('\\"', '"') for text in re.findall(r'"((?:\\"|[^"])*)"', line)] for line in lines]
    assert texts[0] == ["odd<&\"'", 'A & <B> "C"', "<U+00D6><U+005C>"]
    assert texts[3][2:] == [
        '0: say "x"<U+005C>', "1: <U+005C>N <b> &lt; $", "2: line break twice", "3: <U+265E> <U+221A><U+00FC>", "4:"
    ]  # fmt: skip
    assert len(texts[3][2:]) == len(MOVES)
    assert texts[4][0] == "0: <1> & \" <U+005C>'"


def test_labels_are_left_out_of_a_large_tree():
    """Reading compares each with all others."""
    small, large = Part(solve("tictactoe"), depth=3), Part(solve("tictactoe"), depth=4)
    assert efg.count_nodes(small) < efg.LABELLED < efg.count_nodes(large)
    assert all(": " in node.text for node in read(small).nodes)
    game = read(large)
    assert len(game.nodes) == 3610
    assert not any(": " in node.text for node in game.nodes)


def test_ends_and_cut_nodes_side_by_side():
    """Of the histories of three plies from here some are over, and the others end in what they are worth."""
    game = read(Part(solve("tictactoe", position=LATE), depth=3))
    solution, found = solve("tictactoe"), set()
    for node in game.nodes:
        if not node.payoffs:
            continue
        position, outcome = OUTCOME.fullmatch(node.text.partition(": ")[2]).groups()
        value, over = solution[position].value, not solution[position].moves
        name = {1: "X wins", -1: "O wins", 0: "tie"}[value] if over else f"cut, value {value:+d}".replace("+0", "0")
        assert (outcome, node.payoffs) == (name, (value, -value))
        found.add(name)
    assert found >= {"O wins", "X wins", "cut, value 0", "cut, value -1"}


def test_a_game_that_is_over_at_the_start():
    game = read(Part(solve("tictactoe", position="XXXOO????")))
    assert (len(game.nodes), game.root.text, game.root.payoffs) == (1, "start: XXXOO???? X wins", (1, -1))


def test_no_recursion():
    part = Part(solve(Countdown(plies=200), counts=False))
    file, limit = io.BytesIO(), sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        efg.write(part, file)
    finally:
        sys.setrecursionlimit(limit)
    lines = file.getvalue().decode().splitlines()[3:]
    assert len(lines) == efg.count_nodes(part)
    assert [line[0] for line in lines] == ["p"] * 200 + ["t"]


# How many nodes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "kayles:pins=5"])
@pytest.mark.parametrize("depth", [None, 0, 1, 4])
def test_nodes_by_classes_are_histories(spec, depth):
    counted = Part(solve(spec), depth=depth)
    uncounted = Part(solve(spec, counts=False, symmetry="none"), depth=depth)
    assert efg.count_nodes(uncounted) == efg.count_nodes(counted)


def test_counting_stops_where_nobody_would_write():
    part = Part(solve("tictactoe", counts=False))
    assert 1000 < efg.count_nodes(part, 1000) < 549946


def test_a_number_that_is_only_the_least_is_called_so():
    with pytest.raises(TooLargeError, match=r"^tictactoe has at least [1-9],\d{3} nodes in its tree, and efg"):
        export(solve("tictactoe", counts=False), None, "efg", max_nodes=999)
    with pytest.raises(TooLargeError, match=r"^tictactoe has 549,946 nodes in its tree"):
        export(solve("tictactoe"), None, "efg", max_nodes=999)


def test_a_loopy_tree_has_no_end():
    part = Part(solve("dodgem"))
    for refused in (efg.count_nodes, written):
        with pytest.raises(OptionError, match="no end; cut it with --depth PLIES"):
            refused(part)
