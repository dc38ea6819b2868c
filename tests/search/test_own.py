"""Searches of users run as they are: what they return, whether that is right, and their calls."""

import functools
import re

import pytest

from analysis.errors import OptionError, WrongSearchError
from analysis.search import own as own_search
from analysis.search.comparison import SearchRequest, compare
from analysis.search.targets import parse_tree
from tests.support.program import ROOT, one_line

PROGRAMS = ROOT / "tests" / "support" / "programs"
GRAPHS, LISTS, IN_CLASS, OF_MOVES, SLIPS = (
    PROGRAMS / f"{name}.py"
    for name in ("searches_of_graphs", "searches_of_lists", "search_in_class", "search_of_moves", "searches_with_slips")
)
TREE = "A(B(3 12 8) C(2 4 6) D(14 5 2))"
LATE = "XO?XO????"
"""X wins at once."""
LATE_ROWS = "[[X, O, EMPTY], [X, O, EMPTY], [EMPTY] * 3]"


def searched(target: str, file, names: str, **options):
    found = compare(target, own=f"{file}:{names}", **options)
    return found.own, {row.algorithm.partition(" (own)")[0]: row.nodes for row in found.rows[:2]} | {
        "own": found.rows[-1].nodes
    }


@pytest.mark.parametrize(
    ("names", "like", "move"),
    [
        ("minimax", "minimax", None),
        ("alphabeta", "alphabeta", "B"),
        ("negamax", "minimax", None),
        ("cached", "minimax", None),
    ],
)
def test_with_a_graph(names, like, move):
    own, nodes = searched(TREE, GRAPHS, names)
    assert (own.value, own.move, own.right, own.start) == (3, move, True, "graph")
    assert own.calls == {names: nodes["own"]} == {names: nodes[like]}


def test_with_a_graph_of_a_game():
    for names, like in (("minimax", "minimax"), ("alphabeta", "alphabeta")):
        own, nodes = searched("tictactoe", GRAPHS, names, start="0142")
        assert (own.value, own.right, nodes["own"]) == (compare("tictactoe", start="0142").value, True, nodes[like])
    own, _ = searched("tictactoe", GRAPHS, "cached")
    assert own.calls == {"cached": 5478}  # positions: what the cache answers is no call
    own, nodes = searched("tictactoe", GRAPHS, "minimax", depth=3)
    assert (own.value, own.right, nodes["own"]) == (0, True, nodes["minimax"])
    own, _ = searched("max(min(1 2) 0)", GRAPHS, "negamax", start="1")
    assert (own.value, own.right) == (1, True)  # whoever begins


def test_functions_within_another_are_counted():
    own, nodes = searched(TREE, GRAPHS, "alpha_beta_search,max_value,min_value")
    assert own.calls == {"alpha_beta_search": 1, "max_value": 8, "min_value": 3}
    assert nodes["alphabeta"] == own.calls["max_value"] + own.calls["min_value"]
    assert (own.value, own.move, own.right) == (None, "B", True)


def test_nested_lists():
    own, nodes = searched(TREE, LISTS, "max_value,min_value", own_start="[[3, 12, 8], [2, 4, 6], [14, 5, 2]]")
    assert (own.value, own.right, own.calls) == (3, True, {"max_value": 8, "min_value": 3})
    assert nodes["own"] == nodes["alphabeta"]
    own, _ = searched("((3 12 8) (2 4 6))", LISTS, "min_value,max_value", own_start="[[1, 2], [3, 4]]")
    assert (own.value, own.start, own.right) == (2, "[[1, 2], [3, 4]]", False)


def test_method_that_calls_itself():
    """And prints, and would ask if it were run as a program; it returns a move and 10, 0 or -10."""
    name = "TicTacToe.minimax"
    own, nodes = searched("tictactoe", IN_CLASS, name)
    assert (own.value, own.move, own.right, own.start) == (0, "0", True, "board")
    assert own.calls == {name: nodes["alphabeta"]} == {name: 18297}
    own, _ = searched("tictactoe", IN_CLASS, name, start=LATE, own_start="list('XO XO    ')")
    assert (own.value, own.move, own.right) == (10, "6", True)


def test_moves_are_rows_and_columns():
    names = "minimax,max_value,min_value"
    own, _ = searched("tictactoe", OF_MOVES, names, start=LATE, own_start=LATE_ROWS)
    assert (own.value, own.move, own.right, own.calls["minimax"]) == (None, "(2, 0)", True, 1)
    own, _ = searched("tictactoe", OF_MOVES, "worst", start=LATE, own_start=LATE_ROWS)
    assert (own.value, own.right) == (None, False)


def test_beside_the_game_of_its_file(gametree):
    found = gametree("prune", OF_MOVES, "--own", "max_value,min_value", "-a", "minimax", "--format", "json").json
    assert found["own"]["calls"] == {"max_value": 258265, "min_value": 291681}
    assert sum(found["own"]["calls"].values()) == found["rows"][0]["nodes"] == 549946
    assert (found["own"]["start"], found["own"]["right"]) == ("initial_state", True)


@pytest.mark.parametrize(
    ("name", "start", "value", "calls"), [("always_max", "tree", 12, 9), ("forgets_to_return", "[3, 2]", None, 3)]
)
def test_wrong_values(gametree, name, start, value, calls):
    asked = ("prune", "((3 12 8) (2 4 6))", "--own", f"{SLIPS}:{name}", "--own-start", start)
    result = gametree(*asked)
    assert result.code == 1
    assert "+3" in result.err.splitlines()[-1]
    assert re.search(rf"^{name} \(own\) +own .* {calls} ", result.out, re.MULTILINE)
    own = gametree(*asked, "--format", "json").json["own"]
    assert (own["value"], own["right"], own["start"]) == (value, False, start)


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("divides", 1, "searches_with_slips.py:27: ZeroDivisionError"),
        ("calls_itself", 1, "RecursionError"),
        ("asks", 1, "searches_with_slips.py:31: EOFError"),
        ("leaves", 1, "searches_with_slips.py:35: SystemExit"),
        ("forgets_to_return", 1, "TypeError"),
        ("wants_more", 2, "colour_of_the_sky"),
        ("nothing", 2, "no function nothing"),
        ("", 2, "FUNCTION"),
    ],
)
def test_failures_are_one_line(gametree, name, code, said):
    one_line(gametree("prune", TREE, "--own", f"{SLIPS}:{name}"), code, said)


def test_files_that_fail(gametree, tmp_path):
    for code, said in (("def f(node:", "own.py:1: SyntaxError"), ("import no_such_module", "own.py:1: ModuleNotFound")):
        (tmp_path / "own.py").write_text(code)
        one_line(gametree("prune", TREE, "--own", "own.py:f"), 1, said)
    one_line(gametree("prune", TREE, "--own", "nowhere.py:f"), 2, "nowhere.py")
    (tmp_path / "own.py").write_text("import os\nos._exit(3)")
    one_line(gametree("prune", TREE, "--own", "own.py:f"), 1, "exit code 3")


def test_a_search_that_never_ends_is_stopped(gametree, monkeypatch):
    monkeypatch.setattr(own_search, "SECONDS", 0.5)
    one_line(gametree("prune", TREE, "--own", f"{SLIPS}:never_ends"), 1, "0.5 s", "does not end")


def test_where_it_begins_must_be_known(gametree):
    one_line(gametree("prune", "tictactoe", "--own", f"{LISTS}:max_value"), 2, "--own-start")
    one_line(gametree("prune", "tictactoe", LATE, "--own", f"{OF_MOVES}:minimax"), 2, "--own-start")
    one_line(gametree("prune", "tictactoe", "--own-start", "3"), 2, "--own")
    one_line(gametree("prune", TREE, "--own", f"{LISTS}:max_value", "--own-start", "a"), 2, "--own-start a: NameError")
    one_line(gametree("prune", "tictactoe", "--own", f"{OF_MOVES}:minimax", "--depth", "1..2"), 2, "--own")


class Searcher:
    def __init__(self, calls_to_make: int) -> None:
        self.calls_to_make = calls_to_make

    def minimax(self, node, maximizing):
        if isinstance(node, int):
            return node
        return (max if maximizing else min)(self.minimax(child, not maximizing) for child in node)


def test_functions_in_python():
    def minimax(graph, node, depth, maximizing):
        if graph.is_terminal(node):
            return graph.evaluate(node)
        return (max if maximizing else min)(
            minimax(graph, child, depth - 1, not maximizing) for child in graph.children(node)
        )

    @functools.cache
    def known(graph, node):
        if graph.is_terminal(node):
            return graph.evaluate(node)
        return (max if graph.is_max(node) else min)(known(graph, child) for child in graph.children(node))

    method = Searcher(3).minimax
    for function in (minimax, known):
        for _ in range(2):  # it is as it was
            found = compare(parse_tree(TREE), own=function)
            assert (found.own.value, found.own.right, found.rows[-1].nodes) == (3, True, 13)
            assert "value +3; right" in repr(found)
    assert compare(TREE, SearchRequest(["alphabeta"], own=method, own_start=[[3], [2]])).own.value == 3
    with pytest.raises(ZeroDivisionError):
        compare(TREE, own=lambda graph, node: 1 / 0)
    with pytest.raises(OptionError, match="own"):
        compare(TREE, own=3)
    with pytest.raises(OptionError, match="beside"):
        compare(TREE, SearchRequest(), own=minimax)
    with pytest.raises(WrongSearchError, match="ZeroDivisionError"):
        compare(TREE, own=f"{SLIPS}:divides")
