"""Exported graphs read back: trees that have the value of the position they are of."""

import functools
import io
import json
import random
from pathlib import Path

import networkx as nx
import pytest

import analysis
from analysis.errors import OptionError
from analysis.games.families import FAMILIES
from analysis.reports.exports import graphs
from analysis.search import alphabeta, parse_tree
from analysis.search.comparison import SearchRequest, compare
from tests.support.class_graph import class_graph
from tests.support.export_cases import BOARD, written
from tests.support.program import one_line

SPECS = {
    "tictactoe": ["tictactoe"],
    "mnk": ["mnk:rows=2,cols=3,k=2,misere=true"],
    "wild": ["wild:rows=2,cols=2,k=2", "wild:rows=2,cols=3,k=2,misere=true"],
    "notakto": ["notakto:rows=2,cols=3,k=2"],
    "connect": ["connect:rows=3,cols=3,k=3"],
    "hex": ["hex:n=2"],
    "domineering": ["domineering:rows=3,cols=3"],
    "chomp": ["chomp:rows=2,cols=3"],
    "nim": ["nim:heaps=1-2-3", "nim:heaps=1-2-3,misere=true"],
    "kayles": ["kayles:pins=6"],
    "grundy": ["grundy:heap=8"],
    "dots_and_boxes": ["dots_and_boxes:rows=1,cols=2", "dots_and_boxes:rows=1,cols=3"],
    "othello": ["othello:size=4"],
    "hexapawn": ["hexapawn"],
    "dodgem": ["dodgem"],
    "morris": ["morris"],
    "coin_grabber": ["coin_grabber:board=board.txt"],
}
"""Every family: extra turns, passes, scores, misere and impartial ones, and ends that the board comes back to."""

PLIES = {"tictactoe": 4, "connect:rows=3,cols=3,k=3": 3, "dots_and_boxes:rows=1,cols=3": 4, "othello:size=4": 7}
"""After so many plies games are small enough for a tree of all histories."""

ENDLESS = ("dodgem", "morris", "coin_grabber")
READERS = {
    "json": (graphs.write_json, lambda data: parse_tree(data.decode())),
    "graphml": (graphs.write_graphml, lambda data: nx.read_graphml(io.BytesIO(data))),
}


def test_every_family_is_here():
    assert list(SPECS) == list(FAMILIES)


@functools.cache
def game_of(spec: str) -> analysis.Game:
    return analysis.load_game(spec)


def later(spec: str, plies: int = 0) -> list[str]:
    """The start (of a large game, a position some plies later), and a position of each side to move from there on."""
    game = game_of(spec)
    rules, rng = game.rules(), random.Random(spec)
    state = rules.start
    found: dict[int, int] = {}
    for ply in range(60):
        moves = rules.moves(state)
        if rules.payoff(state) != analysis.ONGOING or not moves:
            break
        if ply == plies:
            found[0] = state
        if ply > plies:
            found.setdefault(rules.to_move(state), state)
        state = rng.choice(moves)[1]
    return [game.format_position(state) for state in found.values()]


def reads_back(solution: analysis.Solution, form: str, **cut) -> None:
    write, read = READERS[form]
    tree = read(written(write, solution.of_classes, **cut))
    assert alphabeta(tree).value == solution.value, (solution.start, form, cut)


@pytest.mark.parametrize("spec", [spec for family, specs in SPECS.items() if family not in ENDLESS for spec in specs])
def test_games_of_every_kind(spec):
    sides = set()
    for position in later(spec, PLIES.get(spec, 0)):
        solution = analysis.solve(spec, start=position)
        sides.add(game_of(spec).rules().to_move(solution.engine.start))
        for form in READERS:
            reads_back(solution, form)
            reads_back(solution, form, optimal_only=True)
            reads_back(solution, form, depth=1)
            reads_back(solution, form, depth=2)
        graph = class_graph(solution)
        assert alphabeta(graph).value == solution.value, position
        assert {row.value for row in compare(graph, SearchRequest(["mtdf", "sss", "dual", "pns"])).rows} == {
            solution.value
        }
    assert sides == {1, -1}


@pytest.mark.parametrize("spec", ["dodgem", "morris", "coin_grabber:board=board.txt"])
def test_games_without_an_end(gametree, tmp_path, spec):
    Path("board.txt").write_text(BOARD)
    solution = analysis.solve(spec)
    graph = class_graph(solution)
    if nx.is_directed_acyclic_graph(graph):
        for form in READERS:
            reads_back(solution, form)
        assert alphabeta(graph).value == solution.value
        return
    (tmp_path / "o.json").write_bytes(written(graphs.write_json, solution))
    one_line(gametree("prune", "o.json"), 2, "cycle")
    reads_back(solution, "json", depth=1)


def test_symmetries():
    for symmetry in ("none", "geometric", "full", "residual"):
        for position in ("XO??X????", "XO??X?O??"):
            solution = analysis.solve("tictactoe", start=position, symmetry=symmetry)
            for form in READERS:
                reads_back(solution, form)
            assert alphabeta(class_graph(solution)).value == solution.value


def test_from_the_command_line(gametree):
    for spec, position in (
        ("tictactoe", "X????????"),
        ("dots_and_boxes:rows=1,cols=2", "0 1 2"),
        ("othello:size=4", None),
    ):
        start = () if position is None else ("--from", position)
        shown = analysis.solve(spec, start=position).value
        if position is not None:
            for form in READERS:
                assert gametree("export", spec, *start, "--out", f"o.{form}").code == 0
                found = gametree("prune", f"o.{form}", "-a", "all", "--format", "json").json
                assert {row["value"] for row in found["rows"]} == {found["value"]} == {shown}
        assert gametree("export", spec, *start, "--depth", 3, "--out", "d.json").code == 0
        assert gametree("prune", "d.json", "--format", "json").json["value"] == shown


def test_a_side_that_contradicts_the_file():
    data = json.loads(written(graphs.write_json, analysis.solve("tictactoe", start="X???O????")))
    tree = nx.node_link_graph(data, edges="links")
    with pytest.raises(OptionError, match="first player"):
        alphabeta(tree, maximizing=False)
