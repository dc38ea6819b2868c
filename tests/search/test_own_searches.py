"""Searches of users beside the built-in ones: right ones in many styles, and one fault at a time."""

import pytest

from analysis.errors import OptionError, RulesError
from analysis.machine.hosting import StoppedError, said
from analysis.search.comparison import SearchRequest, compare
from analysis.search.own.diagnosis import SearchVerdict, judge_with
from analysis.search.own.graph import few_transpositions, graph_of, nested_graph, small_trees
from analysis.search.own.program import OwnSearch
from analysis.search.own.variants import Variant, right_variants, run_variant, wrong_variants
from analysis.search.targets import find_problem
from tests.support import tree_oracle
from tests.support.faulty_searches import FAULTS, WRONG
from tests.support.program import PATIENCE, ROOT, one_line

RIGHT = ROOT / "tests" / "support" / "programs" / "right_searches.py"
TREE = "((3 12 8) (2 4 6) (14 5 2))"
GAME = "tictactoe"
LATE = "0142"
"""Moves after which tic-tac-toe has 5 free cells."""

EQUALS = {
    "textbook": "alphabeta", "plain_minimax": "minimax", "fail_hard": "alphabeta", "alpha_beta_search": "alphabeta",
    "negamax": "alphabeta", "leaves_at_their_parent": "minimax", "from_the_last": "alphabeta",
    "with_a_memory": "minimax_memo", "cached": "minimax", "with_a_stack": "minimax", "sorted_first": "alphabeta",
    "chooses": "alphabeta", "iterative_deepening": None, "never_at_equality": "alphabeta", "MinimaxAgent": "minimax",
    "AlphaBetaAgent": "alphabeta",
}  # fmt: skip
WITH_A_TABLE = """

def with_a_table(graph, node, alpha, beta, known={}):
    if node == graph.root:
        known.clear()
    key = node, alpha, beta
    if key not in known:
        known[key] = graph.evaluate(node) if graph.is_terminal(node) else search_below(graph, node, alpha, beta)
    return known[key]


def search_below(graph, node, alpha, beta):
    best = -math.inf if graph.is_max(node) else math.inf
    for child in graph.children(node):
        value = with_a_table(graph, child, alpha, beta)
        if graph.is_max(node):
            best, alpha = max(best, value), max(alpha, value)
        else:
            best, beta = min(best, value), min(beta, value)
        if alpha >= beta:
            break
    return best
"""
RULES = {"goes-on-at-equal": "textbook", "cuts-at-equal": "cs188"}


def judge_on(problem, text: str, rule: str | None, seconds: float) -> SearchVerdict:
    with OwnSearch(text, seconds) as own:
        return judge_with(own, problem, graph_of(problem), rule)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    path = tmp_path_factory.mktemp("searches") / "wrong.py"
    path.write_text(WRONG)
    return path


def judged(file, name: str, target: str = TREE, position: str | None = None, rule: str | None = None) -> SearchVerdict:
    seconds = 3.0 if FAULTS.get(name) == "endless" else PATIENCE
    return judge_on(find_problem(target, position), f"{file}:{name}", rule, seconds)


def test_there_are_enough():
    assert len(EQUALS) >= 12
    assert len(FAULTS) >= 12


def some_slow(names, *fast: str):
    """All names; all but a few are slow."""
    return [name if name in fast else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", some_slow(EQUALS, "textbook", "with_a_memory", "AlphaBetaAgent"))
def test_right(name):
    for target, position in ((TREE, None), (GAME, LATE)):
        found = judged(RIGHT, name, target, position)
        assert found.right, found
        assert (found.equals, found.faults, found.example) == (EQUALS[name], (), None)
    assert found.order == {"from_the_last": "reverse", "sorted_first": "own", "iterative_deepening": "own"}.get(
        name, "natural"
    )


@pytest.mark.parametrize(("name", "remembers"), [("with_a_table", True), ("textbook", False)])
def test_a_table_of_its_own(tmp_path, name, remembers):
    """It visits fewer nodes than the search that it equals on trees, and its row says that it has a table."""
    own = tmp_path / "own.py"
    own.write_text(RIGHT.read_text() + WITH_A_TABLE)
    request = SearchRequest(algorithms=["alphabeta"], own=[f"{own}:{name}"])
    found = compare(GAME, request, position=LATE)
    (verdict,), (alphabeta, mine) = found.own, found.rows
    assert (verdict.right, verdict.equals, verdict.remembers) == (True, "alphabeta", remembers)
    assert (mine.table == "own", mine.nodes < alphabeta.nodes) == (remembers, remembers)


@pytest.mark.parametrize(
    "name", some_slow(FAULTS, "stops_early", "goes_on", "takes_children_away", "ReplacesItsState", "divides_by_zero")
)
def test_wrong(wrong, name):
    fault = FAULTS[name]
    found = judged(wrong, name, rule=RULES.get(fault))
    assert not found.right
    assert [each.name for each in found.faults] == [fault]
    assert ("color" in found.faults[0].words) == (name == "forgets_the_color")
    assert found.example.own != found.example.expected


SLIP = """
def alphabeta(graph, node, depth, alpha, beta, maximizing):
    WITHIN
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -LOW if maximizing else HIGH
    for child in graph.children(node)[:MOST]:
        value = alphabeta(graph, child, depth - 1, alpha, beta, not maximizing)
        best = max(best, value) if maximizing else min(best, value)
        alpha, beta = (max(alpha, best), beta) if maximizing else (alpha, min(beta, best))
        if alpha >= beta:
            break
    return RESULT
"""


def slip(tmp_path, **parts: object) -> str:
    """A file with an alpha-beta that is right but for these parts of it."""
    text = SLIP
    for name, part in ({"LOW": 10**9, "HIGH": 10**9, "MOST": None, "RESULT": "best", "WITHIN": "pass"} | parts).items():
        text = text.replace(name, str(part))
    (tmp_path / "mine.py").write_text(text)
    return tmp_path / "mine.py"


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({}, None),
        ({"LOW": 100, "HIGH": 100}, "start-finite"),
        pytest.param({"LOW": 20, "HIGH": 20}, "start-finite", marks=pytest.mark.slow),
        pytest.param({"LOW": 10**6}, "start-finite", marks=pytest.mark.slow),
        pytest.param({"HIGH": 50}, "start-finite", marks=pytest.mark.slow),
        ({"MOST": 6}, "value-differs"),
        pytest.param({"MOST": 11}, "value-differs", marks=pytest.mark.slow),
        ({"RESULT": "int(best)"}, "value-differs"),
        pytest.param({"RESULT": "round(best)"}, "value-differs", marks=pytest.mark.slow),
        pytest.param({"WITHIN": "alpha, beta = max(alpha, -100), min(beta, 100)"}, "value-differs",
                     marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_slips_that_plain_numbers_hide(tmp_path, parts, fault):
    found = judged(slip(tmp_path, **parts), "alphabeta")
    assert [each.name for each in found.faults] == [fault] * (fault is not None)
    assert found.right == (fault is None)


def test_input_is_refused_at_once(tmp_path):
    found = judge_on(find_problem(TREE), str(slip(tmp_path, WITHIN="input('depth? ')")), None, PATIENCE)
    assert [each.name for each in found.faults] == ["input"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["goes_on", "forgets_the_minus", "remembers_bounds", "GhostsHelp"])
def test_wrong_on_a_game(wrong, name):
    found = judged(wrong, name, GAME, LATE, RULES.get(FAULTS[name]))
    assert [each.name for each in found.faults] == [FAULTS[name]]


@pytest.mark.slow
def test_equal_values_are_a_matter_of_rules():
    for name, rules in (("textbook", {"textbook", None}), ("never_at_equality", {"cs188", None})):
        assert {rule for rule in (None, "textbook", "cs188") if judged(RIGHT, name, rule=rule).right} == rules


@pytest.mark.slow
def test_whole_game_as_the_built_in_ones_count():
    request = SearchRequest(
        algorithms=["alphabeta", "minimax_memo"], own=[f"{RIGHT}:textbook", f"{RIGHT}:with_a_memory"]
    )
    alphabeta, memo, own, own_memo = compare(GAME, request).rows
    for built_in, mine in ((alphabeta, own), (memo, own_memo)):
        assert mine.algorithm.endswith("(own)")
        for field in ("value", "bound", "nodes", "cutoffs_effective", "branching", "relative_to_minimax"):
            assert getattr(mine, field) == getattr(built_in, field), field
    assert own.leaves == alphabeta.leaves
    assert own.cutoffs is None


# Oracles --------------------------------------------------------------------------------------------------------------


def test_variants_are_the_textbooks_searches():
    """Beside the oracle's searches, which know nothing of the library."""
    for tree in ([[3, 12, 8], [2, 4, 6], [14, 5, 2]], [[[1, 1], 0], [2, [1, 3]]], [[0], [[1, 0], [0, -1]], 2]):
        for first in (True, False):
            graph = nested_graph(tree, first)
            trace = tree_oracle.alphabeta(tree, first)
            assert run_variant(graph, graph.height, Variant()).value == trace.value
            assert [
                *map(graph.names.__getitem__, run_variant(graph, graph.height, Variant(cut="equal")).nodes)
            ] == names_on(tree, trace.nodes, graph)


def names_on(tree, paths, graph) -> list[str]:
    """The letters of nodes that are given by paths."""
    found = []
    for path in paths:
        node = 0
        for index in path:
            node = graph.children[node][index]
        found.append(graph.names[node])
    return found


@pytest.mark.slow
def test_every_fault_shows_on_a_small_tree():
    graphs = [*small_trees(), *few_transpositions()]
    for rule in ("textbook", "cs188"):
        for faults, _, right, wrong in wrong_variants(rule, None, most=1):
            if faults[0].name == "sides-alternate":
                continue  # shows only where the sides do not take turns
            shown = any(
                (a := run_variant(graph, depth, right)).nodes != (b := run_variant(graph, depth, wrong)).nodes
                or a.value != b.value
                or a.made != b.made
                for graph in graphs
                for depth in (graph.height, *range(2, graph.height), graph.height + 2)
            )
            assert shown, faults


def test_right_variants_find_the_value():
    for graph in [*small_trees()][::7]:
        values = {run_variant(graph, graph.height, how).value for _, how in right_variants(None, None)}
        assert len(values) == 1


def test_graph_of_a_game():
    graph = graph_of(find_problem(GAME))
    assert (len(graph.names), graph.height, graph.rounds) == (5478, 9, 2)
    assert len(graph_of(find_problem(GAME, depth=2)).names) == 1 + 9 + 72 + 252 + 756


# The command ----------------------------------------------------------------------------------------------------------


def test_command(gametree, wrong):
    result = gametree("prune", TREE, "-a", "alphabeta", "--own", f"{RIGHT}:textbook", "--own", f"{RIGHT}:negamax")
    assert result.code == 0
    assert "textbook (own)" in result.out
    assert "negamax(graph, node, depth, alpha, beta, color)" in result.out
    result = gametree(
        "prune", TREE, "-a", "alphabeta", "--own", f"{wrong}:goes_on", "--rule", "textbook", "--format", "json"
    )
    assert result.code == 1
    assert result.err.startswith("gametree: goes_on: ")
    (own,) = result.json["own"]
    assert own["faults"][0]["name"] == "goes-on-at-equal"
    assert own["example"]["own"]["visits"] == own["example"]["expected"]["visits"] + 1
    assert [row["algorithm"] for row in result.json["rows"]] == ["alphabeta", "goes_on (own)"]
    rows = gametree("prune", TREE, "--own", f"{RIGHT}:chooses", "--format", "csv").rows
    assert [row["nodes"] for row in rows if row["algorithm"] == "chooses (own)"] == ["11"]


@pytest.mark.slow
def test_rule_is_that_of_the_built_in_searches_too(gametree):
    for rule, nodes in (("textbook", 18297), ("cs188", 146120)):
        assert (
            gametree("prune", GAME, "-a", "alphabeta", "--rule", rule, "--format", "json").json["rows"][0]["nodes"]
            == nodes
        )


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        ("def f(graph, node:", "f", "SyntaxError"),
        ("import nothing_of_this_name", "f", "nothing_of_this_name"),
        ("x = 1", "f", "no function or class f"),
        ("def f(graph, board): pass", "f", "'board' is not known"),
        ("def f(node): pass", "f", "graph"),
        ("class f: pass", "f", "getAction"),
        ("while True: pass", "f", "endless"),
        ("import sys; sys.exit(3)", "f", "SystemExit"),
        ("depth = int(input())", "f", "input()"),
        ("import sys; sys.stdin.read()", "f", "input()"),
        ("x = 1", "", "no search"),
        ("def a(graph, node): pass\ndef b(graph, node): pass", "", "2 searches"),
    ],
)
def test_refused(gametree, tmp_path, code, name, said):
    (tmp_path / "mine.py").write_text(code)
    result = gametree("prune", TREE, "--own", f"mine.py:{name}" if name else "mine.py", "--own-seconds", "0.5")
    one_line(result, result.code, said)
    assert result.code in (1, 2)


def test_searches_that_are_called_alike_are_told_apart_by_their_files(gametree, tmp_path):
    for file, word in (("ann.py", "max"), ("bob.py", "min")):
        (tmp_path / file).write_text(
            f"def minimax(graph, node):\n    if graph.is_terminal(node):\n        return graph.evaluate(node)\n"
            f"    pick = max if graph.is_max(node) else {word}\n"
            f"    return pick(minimax(graph, child) for child in graph.children(node))\n"
        )
    asked = ("prune", TREE, "-a", "minimax", "--own", "ann.py", "--own", "bob.py:minimax")
    result = gametree(*asked, "--format", "json")
    assert [row["algorithm"] for row in result.json["rows"]][1:] == ["ann.py:minimax (own)", "bob.py:minimax (own)"]
    assert [(own["name"], own["right"]) for own in result.json["own"]] == [
        ("ann.py:minimax", False), ("bob.py:minimax", True)
    ]  # fmt: skip
    assert result.err.startswith("gametree: ann.py:minimax: ")
    said = gametree(*asked).out
    assert ("ann.py:minimax(graph, node)" in said, "bob.py:minimax(graph, node)" in said) == (True, True)


def test_searches_are_read_before_anything_is_solved(gametree, tmp_path):
    (tmp_path / "mine.py").write_text("def f(graph, board): pass")
    (tmp_path / "game.py").write_text("raise RuntimeError('the game is read')")
    for own in (["mine.py"], [f"{RIGHT}:textbook", "mine.py:f"]):
        refused = gametree("prune", "game.py", *(word for each in own for word in ("--own", each)))
        one_line(refused, 2, "mine.py", "is_terminal(node)", "is_max(node)")


def test_other_options_are_refused(gametree, tmp_path):
    own = f"{RIGHT}:textbook"
    one_line(gametree("prune", TREE, "--own", "nowhere.py:f"), 2, "nowhere.py")
    one_line(gametree("prune", TREE, "--own", own, "--rule", "berkeley"), 2, "textbook")
    one_line(gametree("prune", TREE, "--own", own, "--rule", "textbook", "--strict"), 2, "--strict")
    one_line(gametree("prune", TREE, "--own", own, "--random-orders", "3"), 2, "--own")
    one_line(gametree("prune", GAME, "--own", own, "--depth", "1..2"), 2, "--own")
    one_line(gametree("prune", TREE, "--own", own, "--own-seconds", "0"), 2, "seconds")
    one_line(gametree("prune", "max(max(1 2) min(3 4))", "--own", f"{RIGHT}:MinimaxAgent"), 2, "rounds")
    one_line(gametree("prune", GAME, "--depth", "3", "--own", f"{RIGHT}:MinimaxAgent"), 2, "multiple of 2")


def test_errors_are_those_of_the_library(tmp_path):
    (tmp_path / "mine.py").write_text("1 / 0")
    with pytest.raises(RulesError):
        compare(TREE, SearchRequest(own=["mine.py:f"]))
    with pytest.raises(OptionError):
        compare(TREE, SearchRequest(own=["other.py:f"]))


@pytest.mark.slow
def test_endless_loops_end(wrong):
    found = judge_on(find_problem(TREE), f"{wrong}:never_returns", None, 0.5)
    assert found.answer.error
    assert found.faults[0].name == "endless"


def test_files_beside_it_can_be_imported(tmp_path):
    (tmp_path / "helper.py").write_text("def sign(maximizing):\n    return max if maximizing else min\n")
    (tmp_path / "mine.py").write_text(
        "from helper import sign\n\n\ndef minimax(graph, node, maximizing):\n"
        "    if graph.is_terminal(node):\n        return graph.evaluate(node)\n"
        "    return sign(maximizing)(minimax(graph, c, not maximizing) for c in graph.children(node))\n"
    )
    assert judged(tmp_path / "mine.py", "minimax").right


@pytest.mark.slow
def test_it_cannot_leave_its_folder(tmp_path):
    outside = tmp_path / "elsewhere" / "secret.txt"
    outside.parent.mkdir()
    outside.write_text("3")
    (tmp_path / "hand").mkdir()
    for code in (f"open({str(outside)!r}).read()", f"open({str(outside)!r}, 'w')", "import os; os.fork()"):
        (tmp_path / "hand" / "mine.py").write_text(
            f"def minimax(graph, node, maximizing):\n    {code}\n    return graph.evaluate(node)\n"
        )
        found = judged(tmp_path / "hand" / "mine.py", "minimax")
        assert found.faults[0].name == "error"
    assert outside.read_text() == "3"


def test_the_time_limit_is_said_as_it_was_given():
    assert "within 3 s" in said(StoppedError(), "mine.py", 2.99998)
