"""Extensive forms, read back by pygambit."""

from __future__ import annotations

import functools
import inspect
import io
import sys
from collections import Counter

import pygambit
import pytest

import analysis
from analysis.errors import OptionError, TooLargeError
from analysis.exports.export import export
from analysis.exports.parts.part import Part
from analysis.exports.trees import efg
from analysis.exports.trees import size as tree_size
from analysis.solving import solve_to_directory
from tests.support.odd_names import MOVES, Countdown, OddNames
from tests.support.oracle import Oracle

SMALL = ("nim:heaps=1-2", "chomp:rows=2,cols=2")
MORE = ("nim:heaps=1-2-3", "chomp:rows=2,cols=3", "wild:rows=1,cols=4,k=3", "dots_and_boxes:rows=1,cols=2")
LATE = "XOX?O????"

solve = functools.cache(analysis.solve)


def written(part: Part) -> bytes:
    file = io.BytesIO()
    efg.write(part, file)
    return file.getvalue()


def read(part: Part) -> pygambit.Game:
    return pygambit.read_efg(io.BytesIO(written(part)))


def payoffs(game, node) -> tuple[int, int]:
    first, second = (int(node.outcome[player]) for player in game.players)
    return first, second


def solved(game: pygambit.Game) -> dict:
    """The first player's payoff in every node by backward induction."""
    order, values = [game.root], {}
    for node in order:  # grows as it goes
        order += list(node.children)
    for node in reversed(order):
        if node.is_terminal:
            values[node] = payoffs(game, node)[0]
        else:
            best = max if node.player == next(iter(game.players)) else min
            values[node] = best(values[child] for child in node.children)
    return values


@pytest.mark.parametrize(
    "spec", [*SMALL, "kayles:pins=5", *(pytest.param(spec, marks=pytest.mark.slow) for spec in MORE)]
)
def test_the_whole_tree(spec):
    solution = solve(spec)
    game, found = read(Part(solution)), solution.statistics()
    ends = [payoffs(game, node) for node in game.nodes if node.is_terminal]
    assert len(game.nodes) == tree_size.count_nodes(Part(solution)) == found["histories"]
    assert all(second == -first for first, second in ends)
    assert Counter(first for first, _ in ends) == {r["value"]: r["games"] for r in found["by_value"] if r["games"]}
    assert solved(game)[game.root] == solution.value
    assert [player.label for player in game.players] == list(solution.game.players)
    assert len(game.outcomes) == len({first for first, _ in ends})
    assert all(len(info.members) == 1 for info in game.infosets)


def test_nodes_are_histories_and_positions():
    """Against the oracle, which plays on texts."""
    oracle = Oracle(3, 3, 3)
    game = read(Part(solve("tictactoe", position=LATE)))
    values = solved(game)

    def compare(node, path, position):
        assert node.label == f"{path or 'start'}: {position}"
        assert values[node] == oracle.value(position)
        moves = oracle.moves(position)
        if moves:
            assert [action.label for action in node.infoset.actions] == [str(cell) for cell in moves]
            assert node.player.label == oracle.to_move(position)
        else:
            assert node.outcome.label == {1: "X wins", 0: "tie", -1: "O wins"}[oracle.outcome(position)]
        for cell, child in zip(moves, node.children, strict=True):
            compare(child, path + str(cell), oracle.play(position, cell))

    compare(game.root, "", LATE)


@pytest.mark.parametrize("spec", SMALL)
def test_gambit_solves_it_alike(spec):
    solution = solve(spec)
    game = read(Part(solution))
    (equilibrium,) = pygambit.nash.lcp_solve(game, rational=True).equilibria
    assert equilibrium.payoff(next(iter(game.players))) == solution.value


@pytest.mark.parametrize(
    ("spec", "depth"),
    [("tictactoe", 2), ("tictactoe", 0), ("dodgem", 3), pytest.param("othello", 3, marks=pytest.mark.slow)],
)
def test_a_cut_tree_ends_in_values(spec, depth):
    solution = solve(spec)
    part = Part(solution, depth=depth)
    game = read(part)
    assert len(game.nodes) == tree_size.count_nodes(part)
    values = solved(game)
    for node in game.nodes:
        path, _, position = node.label.partition(": ")
        known = solution[position]
        assert values[node] == known.value
        plies = 0 if path == "start" else len(path.split("-") if solution.engine.rules.largest_code > 9 else path)
        assert node.is_terminal == (plies == depth or known.to_move is None)
        if node.is_terminal:
            assert payoffs(game, node)[0] == known.value
            assert node.outcome.label.startswith("cut, value ") == (known.to_move is not None)


def test_optimal_moves_alone_are_the_optimal_paths():
    solution = solve("tictactoe", position=LATE)
    part = Part(solution, optimal_only=True)
    game = read(part)
    ends = {node.label.partition(": ")[0] for node in game.nodes if node.is_terminal}
    assert ends == set(solution.optimal_paths())
    assert len(game.nodes) == tree_size.count_nodes(part)


def test_terminals_of_the_optimal_tree_are_counted_paths():
    solution = solve("tictactoe")
    text = written(Part(solution, optimal_only=True)).decode()
    assert text.count('\nt "" ') == solution.statistics()["optimal_paths"] == 3584


def test_names_that_are_no_labels():
    solution = solve(OddNames())
    game = read(Part(solution))
    assert solved(game)[game.root] == solution.value
    assert [action.label for action in game.root.infoset.actions] == [
        '0: say "x"<U+005C>', "1: <U+005C>N <b> &lt; $", "2: line break twice", "3: <U+265E> <U+221A><U+00FC>", "4:"
    ]  # fmt: skip
    assert [player.label for player in game.players] == ['A & <B> "C"', "<U+00D6><U+005C>"]
    assert len(game.root.children) == len(MOVES)
    assert next(iter(game.root.children)).label == "0: <1> & \" <U+005C>'"


def test_labels_are_left_out_of_a_large_tree():
    """Reading compares each with all others."""
    small, large = Part(solve("tictactoe"), depth=3), Part(solve("tictactoe"), depth=4)
    assert tree_size.count_nodes(small) < efg.LABELLED < tree_size.count_nodes(large)
    assert all(node.label for node in read(small).nodes)
    game = read(large)
    assert len(game.nodes) == 3610
    assert not any(node.label for node in game.nodes)


def test_ends_and_cut_nodes_side_by_side():
    """Of the histories of three plies from here some are over, and the others end in what they are worth."""
    game = read(Part(solve("tictactoe", position=LATE), depth=3))
    solution, found = solve("tictactoe"), set()
    for node in game.nodes:
        if not node.is_terminal:
            continue
        position = node.label.partition(": ")[2]
        value, over = solution[position].value, not solution[position].moves
        name = {1: "X wins", -1: "O wins", 0: "tie"}[value] if over else f"cut, value {value:+d}".replace("+0", "0")
        assert (node.outcome.label, payoffs(game, node)) == (name, (value, -value))
        found.add(name)
    assert found >= {"O wins", "X wins", "cut, value 0", "cut, value -1"}


def test_a_game_that_is_over_at_the_start():
    game = read(Part(solve("tictactoe", position="XXXOO????")))
    assert (len(game.nodes), game.root.outcome.label, payoffs(game, game.root)) == (1, "X wins", (1, -1))


def test_no_recursion():
    part = Part(solve(Countdown(plies=200), counts=False))
    file, limit = io.BytesIO(), sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        efg.write(part, file)
    finally:
        sys.setrecursionlimit(limit)
    lines = file.getvalue().decode().splitlines()[3:]
    assert len(lines) == tree_size.count_nodes(part)
    assert [line[0] for line in lines] == ["p"] * 200 + ["t"]


def test_the_same_bytes_from_the_disk(tmp_path):
    specification = "kayles:pins=5"
    solve_to_directory(specification, tmp_path / "kayles")
    stored = Part(analysis.open_solution(tmp_path / "kayles"), optimal_only=True)
    assert written(stored) == written(Part(solve(specification), optimal_only=True))


# How many nodes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "kayles:pins=5"])
@pytest.mark.parametrize("depth", [None, 0, 1, 4])
def test_nodes_by_classes_are_histories(spec, depth):
    counted = Part(solve(spec), depth=depth)
    uncounted = Part(solve(spec, counts=False, symmetry="none"), depth=depth)
    assert tree_size.count_nodes(uncounted) == tree_size.count_nodes(counted)


def test_counting_stops_where_nobody_would_write(monkeypatch):
    part = Part(solve("tictactoe", counts=False))
    monkeypatch.setattr(tree_size, "ENOUGH", 1000)
    assert 1000 < tree_size.count_nodes(part) < 549946


def test_a_number_that_is_only_the_least_is_called_so(monkeypatch):
    monkeypatch.setattr(tree_size, "ENOUGH", 1000)
    with pytest.raises(TooLargeError, match=r"^tictactoe has at least [1-9],\d{3} nodes in its tree, and efg"):
        export(solve("tictactoe", counts=False), "efg", None, max_nodes=999)
    with pytest.raises(TooLargeError, match=r"^tictactoe has 549,946 nodes in its tree"):
        export(solve("tictactoe"), "efg", None, max_nodes=999)


def test_a_loopy_tree_has_no_end():
    part = Part(solve("dodgem"))
    for refused in (tree_size.count_nodes, written):
        with pytest.raises(OptionError, match="no end; cut it with --depth PLIES"):
            refused(part)
