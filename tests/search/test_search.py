"""The searches on games: published counts, the solver's values, and the oracle's nodes."""

import dataclasses
import itertools
from typing import ClassVar

import pytest

import analysis
from analysis import Game, Rules
from analysis.errors import OptionError, RulesError
from analysis.games.families import load_game
from analysis.games.mnk import TicTacToe
from analysis.rules.game import Evaluation
from analysis.search.catalogue import (
    ALGORITHMS,
    Order,
    Settings,
    Window,
    find_algorithms,
    parse_order,
    parse_window,
)
from analysis.search.finding import advise
from analysis.search.laboratory import Laboratory, branching_factor
from analysis.search.problem import game_problem
from tests.support.golden import lines
from tests.support.oracle import Oracle


def laboratory(spec: str | Game, position: str | None = None, settings: Settings = Settings(), **options) -> Laboratory:
    return Laboratory(game_problem(spec, position, **options), settings)


def run(lab: Laboratory, name: str, order: str = "natural", window: str = "full", symmetry: str = "none"):
    problem = lab.problem
    orders, windows = [parse_order(order, problem)], [parse_window(window, problem)]
    return lab.run(lab.tasks([ALGORITHMS[name]], orders, windows, [symmetry])[0])


@pytest.fixture(scope="module")
def tictactoe() -> Laboratory:
    return laboratory("tictactoe")


@pytest.fixture(scope="module")
def strictly() -> Laboratory:
    return laboratory("tictactoe", settings=Settings(strict=True))


@pytest.mark.parametrize("line", lines("search.txt"))
def test_published_counts(tictactoe, strictly, line):
    name, window, strict, *wanted = line.split()
    row = run(strictly if strict == "yes" else tictactoe, name, window=window)
    found = (row.nodes, row.leaves, row.cutoffs, row.cutoffs_effective)
    assert row.value == 0
    found = ["-" if number is None else str(number) for number in found]
    assert [number for number, want in zip(found, wanted, strict=True) if want != "?"] == [
        want for want in wanted if want != "?"
    ]


def test_memo_evaluates_each_position_once(tictactoe):
    row = run(tictactoe, "minimax_memo")
    assert (row.table_entries, row.nodes, row.leaves) == (5478, 16168, 958)
    assert row.table_hits == row.nodes - row.table_entries
    assert run(tictactoe, "minimax_memo", symmetry="geometric").table_entries == 765


def positions(spec: str, step: int) -> list[str]:
    """Every so manieth position of a game, of all plies."""
    solution = analysis.solve(spec, symmetry="none")
    return list(solution.positions(text=True)["position"])[::step]


@pytest.mark.parametrize("spec", ["tictactoe", pytest.param("mnk:rows=3,cols=4,k=3", marks=pytest.mark.slow)])
def test_all_give_the_solvers_value(spec):
    solution = analysis.solve(spec)
    for position in positions(spec, 90 if spec == "tictactoe" else 3000):
        if position.count("?") > 9:
            continue
        lab = laboratory(spec, position)
        for row in lab.rows(lab.tasks(find_algorithms(["all"]), symmetries=("none", "geometric"))):
            assert row.value == solution[position].value, (position, row)
            assert row.bound == "exact"
            assert row.stopped is None


@pytest.mark.slow
def test_nodes_are_those_of_the_oracle():
    """Minimax and alpha-beta to the node, from positions of every ply, over boards of up to eight cells and 3x3."""
    for rows, cols, k in [(3, 3, 3), (2, 4, 3), (2, 3, 2), (1, 7, 3), (2, 2, 2)]:
        oracle = Oracle(rows, cols, k)
        spec = f"mnk:rows={rows},cols={cols},k={k}"
        every = [position for tier in oracle.tiers() for position in tier]
        for position in every[:: max(1, len(every) // 60)]:
            lab = laboratory(spec, position)
            assert run(lab, "minimax").nodes == oracle.minimax_nodes(position)
            for window, (alpha, beta) in {
                "full": (-9, 9),
                "value": (-1, 1),
                "null:1": (0, 1),
                "null:0": (-1, 0),
            }.items():
                row = run(lab, "alphabeta", window=window)
                assert (row.value, row.nodes) == oracle.alphabeta(position, alpha, beta), (spec, position, window)


def test_best_and_worst_first(tictactoe):
    natural, best, worst = (run(tictactoe, "alphabeta", order).nodes for order in ("natural", "best", "worst"))
    assert best < natural < worst
    least = tictactoe.solved.least()
    assert (least.nodes, least.leaves) == (1452, 529)
    row = run(tictactoe, "alphabeta", "least")
    assert (row.nodes, row.leaves) == (1452, 529)
    assert row.relative_to_least == 1
    assert run(tictactoe, "alphabeta", "least", "null:1").nodes == tictactoe.solved.least(Window(0, 1)).nodes == 1280
    assert run(tictactoe, "alphabeta", "least", "null:0").nodes == tictactoe.solved.least(Window(-1, 0)).nodes == 182


def test_random_orders_are_reproducible_and_differ(tictactoe):
    counts = [run(tictactoe, "alphabeta", f"random:{seed}").nodes for seed in range(20)]
    assert counts == [run(tictactoe, "alphabeta", f"random:{seed}").nodes for seed in range(20)]
    assert len(set(counts)) > 15


def test_rules_without_a_move_are_refused():
    rules = load_game("tictactoe").rules()
    legal = rules.legal_moves
    stuck = dataclasses.replace(rules, legal_moves=lambda state, out: 0 if state >> 9 & 511 else legal(state, out))
    with pytest.raises(RulesError, match="no legal move"):
        run(laboratory(type("Stuck", (TicTacToe,), {"rules": lambda self: stuck})()), "alphabeta")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_spent_budget_is_said(name):
    whole = run(laboratory("tictactoe"), name)
    row = run(laboratory("tictactoe", settings=Settings(max_nodes=whole.nodes)), name)
    assert (row.value, row.nodes, row.stopped) == (0, whole.nodes, None)
    row = run(laboratory("tictactoe", settings=Settings(max_nodes=whole.nodes - 1)), name)
    assert (row.value, row.bound, row.stopped) == (None, None, "max-nodes")
    assert row.nodes == (whole.nodes if name == "minimax" else whole.nodes - 1)  # minimax is counted, not run


@pytest.mark.parametrize("name", [name for name, a in ALGORITHMS.items() if a.table or a.pool])
def test_spent_memory_is_said(name):
    row = run(laboratory("mnk:rows=4,cols=4,k=4", settings=Settings(max_memory=1 << 20)), name)
    assert (row.value, row.stopped) == (None, "memory")
    assert row.nodes > 1000


def test_a_small_table_costs_nodes_not_the_value():
    large = run(laboratory("mnk:rows=3,cols=4,k=3"), "alphabeta_table")
    counts = []
    for entries in (10**6, 1000, 10):
        lab = laboratory("mnk:rows=3,cols=4,k=3", settings=Settings(table_entries=entries))
        row = run(lab, "alphabeta_table")
        assert row.value == 1
        assert row.table_entries <= entries
        assert row.table == f"{entries} deep"
        counts.append(row.nodes)
    assert large.nodes <= counts[0] < counts[1] < counts[2]


def test_settings_that_mean_nothing_make_no_rows_twice(tictactoe):
    """A search without window, table or cutoffs keeps its usual setting, and is done once."""
    tasks = tictactoe.tasks(
        find_algorithms(["minimax", "alphabeta", "sss"]),
        [Order(), parse_order("killer", tictactoe.problem)],
        [Window(), Window(-1, 1, "value")],
        ("none", "geometric"),
    )
    named = [(t.algorithm.name, t.order.name, t.window.name, t.symmetry) for t in tasks]
    assert named == [
        ("minimax", "natural", "full", "none"),
        ("alphabeta", "natural", "full", "none"),
        ("alphabeta", "natural", "value", "none"),
        ("alphabeta", "killer", "full", "none"),
        ("alphabeta", "killer", "value", "none"),
        ("sss", "natural", "full", "none"),
    ]


def test_branching_factor_of_uniform_trees():
    for breadth, depth in [(2, 5), (3, 3), (7, 8)]:
        nodes = sum(breadth**ply for ply in range(depth + 1))
        assert branching_factor(nodes, depth) == pytest.approx(breadth)
    assert branching_factor(1, 0) is None


@pytest.mark.parametrize(
    ("rows", "cols", "k", "misere"),
    [
        (4, 4, 4, False),
        *(
            pytest.param(*board, marks=pytest.mark.slow)
            for board in [(3, 3, 3, True), (3, 3, 3, False), (2, 5, 2, False)]
        ),
    ],
)
@pytest.mark.parametrize("evaluation", [None, "lines"])
def test_limited_depth(rows, cols, k, misere, evaluation):
    oracle = Oracle(rows, cols, k, misere)
    spec = f"mnk:rows={rows},cols={cols},k={k},misere={str(misere).lower()}"
    first = oracle.children(oracle.start)[-1]
    early = [oracle.start, first, oracle.children(first)[0], oracle.children(oracle.children(first)[1])[2]]
    for position, depth in itertools.product(early, range(4)):
        lab = Laboratory(game_problem(spec, position, depth=depth, evaluation=evaluation))
        value, nodes = oracle.alphabeta(position, -float("inf"), float("inf"), depth, evaluation and oracle.evaluate)
        assert lab.solved.value == value
        for row in lab.rows(lab.tasks(find_algorithms(["all"]), symmetries=("none", "geometric"))):
            assert row.value == value, (position, depth, row)
            if row.algorithm == "alphabeta":
                assert row.nodes == nodes


class Skewed(TicTacToe):
    """Tic-tac-toe with an evaluation that prefers some corners and edges."""

    family: ClassVar[str] = "skewed"

    def rules(self) -> Rules:
        return dataclasses.replace(
            super().rules(), evaluations={"skew": Evaluation(lambda s: (s & 511) % 7 - (s >> 9) % 5, (-4, 6))}
        )


def test_an_evaluation_need_not_be_symmetric():
    rules = Skewed().rules()

    def value(state, plies):
        moves = rules.moves(state)
        if not moves or plies == 0:
            return rules.evaluations["skew"].function(state)
        return (max if rules.mover(state) > 0 else min)(value(child, plies - 1) for _, child in moves)

    wrong = 0
    for position, depth in itertools.product(("?????????", "X????????", "?X?????O?"), range(4)):
        lab = laboratory(Skewed(), position, depth=depth, evaluation="skew")
        right = value(lab.problem.root, depth)
        assert lab.solved.value == right
        assert {run(lab, "minimax_memo", order).value for order in ("natural", "best", "worst", "least")} == {right}
        try:
            assert run(lab, "minimax_memo", symmetry="geometric").value == right
        except OptionError:
            wrong += 1
    assert wrong > 0


def test_games_longer_than_max_plies():
    rules = dataclasses.replace(load_game("tictactoe").rules(), max_plies=4)
    lab = laboratory(type("Short", (TicTacToe,), {"rules": lambda self: rules})())
    assert lab.solved is None
    assert "longer than 4 plies" in lab.unsolved


@pytest.mark.parametrize(
    ("size", "positions", "depths"),
    [
        ((3, 3, 3), ("X????????", "XO??X????", "XOX?O????", "XX?OO????", "XOXXOOOX?"), (1, 2, 3, 9)),
        pytest.param((3, 4, 3), ("X???O???????",), (2,), marks=pytest.mark.slow),
        pytest.param((4, 4, 4), ("X???????????????",), (2,), marks=pytest.mark.slow),
    ],
)
def test_advice_agrees_with_the_search(size, positions, depths):
    oracle, spec = Oracle(*size), "mnk:rows={},cols={},k={}".format(*size)
    for position, depth, evaluation in itertools.product(positions, depths, (None, "lines")):
        found = advise(spec, position, depth=depth, evaluation=evaluation)
        side = 1 if oracle.to_move(position) == "X" else -1
        worth = {
            cell: oracle.alphabeta(oracle.play(position, cell), -1e9, 1e9, depth - 1, evaluation and oracle.evaluate)[0]
            for cell in oracle.moves(position)
        }
        best = side * max(side * value for value in worth.values())
        order = sorted(worth, key=lambda cell: (-side * worth[cell], cell))
        assert [(move.move, move.value, move.optimal, move.position) for move in found.moves] == [
            (cell, worth[cell], worth[cell] == best, oracle.play(position, cell)) for cell in order
        ]
        assert (found.value, found.best_move, found.to_move) == (best, order[0], side)
    assert advise("tictactoe", depth=0).best_move is None
    assert advise("tictactoe", "XXXOO????", depth=3).moves == ()
