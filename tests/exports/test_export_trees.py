"""Trees of histories for Gambit, and exports read back: trees that have the value of the position they are of."""

import functools
import inspect
import io
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

import analysis
from analysis.errors import OptionError, TooLargeError
from analysis.exports import extensive_form as efg
from analysis.exports import graphs
from analysis.exports.export import export
from analysis.exports.part import Part
from analysis.games.families import FAMILIES
from analysis.search import alphabeta, parse_tree
from analysis.search.comparison import SearchRequest, compare
from tests.support import extensive_form
from tests.support.export_cases import BOARD, written
from tests.support.odd_names import MOVES, Countdown, OddNames
from tests.support.oracle import Oracle
from tests.support.program import one_line

SMALL = ("nim:heaps=1-2", "chomp:rows=2,cols=2")
MORE = ("nim:heaps=1-2-3", "chomp:rows=2,cols=3", "wild:rows=1,cols=4,k=3", "dots_and_boxes:rows=1,cols=2")
LATE = "XOX?O????"
OUTCOME = re.compile(r"(.*?)(?: (. wins|tie|cut, value .*))?")
"""The text of a position and, where a tree ends, the label of the outcome."""

solve = functools.cache(analysis.solve)


def text_of(part: Part) -> bytes:
    file = io.BytesIO()
    efg.write(part, file)
    return file.getvalue()


def read(part: Part) -> extensive_form.ExtensiveForm:
    return extensive_form.read(text_of(part))


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
    text = text_of(Part(solution)).decode()
    assert text.splitlines()[0].endswith(f' {{ "{solution.game.players[0]}" "{solution.game.players[1]}" }}')
    assert len({*re.findall(r'^t ".*?" ([0-9]+) ', text, re.MULTILINE)}) == len({first for first, _ in ends})


def test_nodes_are_histories_and_positions():
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
    ("spec", "position", "depth"),
    [
        ("tictactoe", None, 2), ("tictactoe", None, 0), ("tictactoe", LATE, 3), ("dodgem", None, 3),
        pytest.param("othello", None, 3, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_cut_tree_ends_in_values(spec, position, depth):
    """Some histories of three plies from the late position are over before they are cut."""
    solution = solve(spec, position=position)
    part = Part(solution, depth=depth)
    game, outcomes = read(part), set()
    assert len(game.nodes) == efg.count_nodes(part)
    values = game.values()
    for node in game.nodes:
        path, _, text = node.text.partition(": ")
        board, outcome = OUTCOME.fullmatch(text).groups()
        known = solution[board]
        assert values[node] == known.value
        plies = 0 if path == "start" else len(path.split("-") if solution.engine.rules.largest_code > 9 else path)
        assert bool(node.payoffs) == bool(outcome) == (plies == depth or known.to_move is None)
        if outcome:
            name = {1: "X wins", -1: "O wins", 0: "tie"}.get(known.value)
            cut = f"cut, value {known.value:+d}".replace("+0", "0")
            assert outcome == (name if known.to_move is None else cut)
            assert node.payoffs == (known.value, -known.value)
            outcomes.add(outcome)
    assert position is None or outcomes >= {"O wins", "X wins", "cut, value 0", "cut, value -1"}


def test_optimal_moves_alone_are_the_optimal_paths():
    solution = solve("tictactoe", position=LATE)
    part = Part(solution, optimal_only=True)
    game = read(part)
    ends = {node.text.partition(": ")[0] for node in game.nodes if node.payoffs}
    assert ends == set(solution.optimal_paths())
    assert len(game.nodes) == efg.count_nodes(part)


def test_terminals_of_the_optimal_tree_are_counted_paths():
    solution = solve("tictactoe")
    text = text_of(Part(solution, optimal_only=True)).decode()
    assert text.count('\nt "" ') == solution.statistics()["optimal_paths"] == 3584


def test_names_that_are_no_labels():
    """Read by the grammar of Gambit's files; OpenSpiel knows no quotation marks within texts."""
    lines = text_of(Part(solve(OddNames()))).decode().splitlines()
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


@pytest.mark.parametrize("spec", ["tictactoe", "kayles:pins=5"])
@pytest.mark.parametrize("depth", [None, 0, 1, 4])
def test_nodes_are_histories(spec, depth):
    part = Part(solve(spec), depth=depth)
    rows = part.solution.statistics()["by_ply"]
    assert efg.count_nodes(part) == sum(row["histories"] for row in rows if depth is None or row["ply"] <= depth)


def test_counting_stops_where_nobody_would_write():
    part = Part(solve("tictactoe", counts=False))
    assert 1000 < efg.count_nodes(part, 1000) < 549946


def test_a_number_that_is_only_the_least_is_called_so():
    with pytest.raises(
        TooLargeError, match=r"^tictactoe has at least [1-9],\d{3} nodes in its tree; the limit for efg"
    ):
        export(solve("tictactoe", counts=False), None, "efg", max_nodes=999)


def test_a_loopy_tree_has_no_end():
    part = Part(solve("dodgem"))
    for refused in (efg.count_nodes, text_of):
        with pytest.raises(OptionError, match="infinite; limit it by --depth PLIES"):
            refused(part)


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
    "gexf": (graphs.write_gexf, lambda data: nx.read_gexf(io.BytesIO(data))),
    "efg": (efg.write, lambda data: parse_tree(data.decode())),
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
    tree = read(written(write, solution if form == "efg" else solution.classes, **cut))
    assert alphabeta(tree).value == solution.value, (solution.start, form, cut)


@pytest.mark.parametrize("spec", [spec for family, specs in SPECS.items() if family not in ENDLESS for spec in specs])
def test_games_of_every_kind(spec):
    sides = set()
    for position in later(spec, PLIES.get(spec, 0)):
        solution = analysis.solve(spec, position=position)
        sides.add(game_of(spec).rules().to_move(solution.engine.start))
        for form in READERS:
            reads_back(solution, form)
        for form in ("json", "graphml"):
            reads_back(solution, form, optimal_only=True)
            reads_back(solution, form, depth=1)
            reads_back(solution, form, depth=2)
        graph = solution.classes.to_networkx()
        assert alphabeta(graph).value == solution.value, position
        assert {row.value for row in compare(graph, SearchRequest(["mtdf", "sss", "dual", "pns"])).rows} == {
            solution.value
        }
    assert sides == {1, -1}


@pytest.mark.parametrize("spec", ["dodgem", "morris", "coin_grabber:board=board.txt"])
def test_games_without_an_end(gametree, tmp_path, spec):
    Path("board.txt").write_text(BOARD)
    solution = analysis.solve(spec)
    graph = solution.to_networkx()
    if nx.is_directed_acyclic_graph(graph):
        for form in ("json", "graphml", "gexf"):
            reads_back(solution, form)
        assert alphabeta(graph).value == solution.value
        return
    (tmp_path / "o.json").write_bytes(written(graphs.write_json, solution))
    one_line(gametree("prune", "o.json"), 2, "cycle")
    reads_back(solution, "efg", depth=2)
    reads_back(solution, "json", depth=1)


def test_symmetries():
    for symmetry in ("none", "geometric", "full", "residual"):
        for position in ("XO??X????", "XO??X?O??"):
            solution = analysis.solve("tictactoe", position=position, symmetry=symmetry)
            for form in READERS:
                reads_back(solution, form)
            assert alphabeta(solution.classes.to_networkx()).value == solution.value


def test_from_the_command_line(gametree):
    for spec, position in (
        ("tictactoe", "X????????"),
        ("dots_and_boxes:rows=1,cols=2", "moves:0 1 2"),
        ("othello:size=4", None),
    ):
        start = () if position is None else ("--from", position)
        shown = analysis.solve(spec, position=position).value
        if position is not None:
            for form in ("json", "efg"):
                if form == "efg" and spec == "tictactoe":
                    continue  # 59,704 histories
                assert gametree("export", spec, *start, "--out", f"o.{form}").code == 0
                found = gametree("prune", f"o.{form}", "-a", "all", "--format", "json").json
                assert {row["value"] for row in found["rows"]} == {found["value"]} == {shown}
        assert gametree("export", spec, *start, "--depth", 3, "--out", "d.json").code == 0
        assert gametree("prune", "d.json", "--format", "json").json["value"] == shown


def test_a_side_that_contradicts_the_file():
    data = json.loads(written(graphs.write_json, analysis.solve("tictactoe", position="X???O????")))
    tree = nx.node_link_graph(data, edges="links")
    with pytest.raises(OptionError, match="first player"):
        alphabeta(tree, maximizing=False)
