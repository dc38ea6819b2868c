"""The oracle for graphs against what is known, and the engine against that oracle on random games of every kind."""

import dataclasses
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.errors import CountOverflowError, MissingDataError, PositionError, RulesError
from tests.support.graph_oracle import GraphOracle, sign, solved
from tests.support.random_games import (
    START,
    ExplicitGame,
    Graph,
    Node,
    impartial,
    layered,
    load,
    looping,
    mirrored,
    skipping,
)

seeds = st.integers(0, 2**32)
sizes = st.integers(1, 26)
MOST_PATHS = 300
"""Optimal paths that are compared one by one; their number always is."""

# The engine -----------------------------------------------------------------------------------------------------------


def check_positions(solution: analysis.Solution, graph: Graph, oracle: GraphOracle) -> None:
    """Everything that is said of single positions, but counts."""
    orbits = orbit_of(graph)
    for s in oracle.positions:
        record = solution.records.of(s)
        assert (record.value, record.remoteness_plies) == (oracle.value(s), oracle.remoteness(s)), s
        assert (record.terminal, record.to_move) == (oracle.over(s), oracle.to_move(s)), s
        assert record.orbit_size == len(orbits[s])
        if graph.kind.impartial:
            assert record.nimber == oracle.nimber(s)
        shown = solution[str(s)]
        assert (shown.to_move, shown.terminal) == (oracle.to_move(s), oracle.over(s))
        assert [m.move for m in shown.moves] == oracle.best_first(s)
        wanted = {code: (str(c), oracle.value(c), oracle.remoteness(c)) for code, c in oracle.moves[s]}
        assert {m.move: (m.position, m.value, m.remoteness_plies) for m in shown.moves} == wanted
        assert sorted(shown.best_moves) == [code for code, c in oracle.moves[s] if oracle.value(c) == oracle.value(s)]
    for node in range(len(graph.nodes)):
        if not orbits[graph.state(node)] & set(oracle.positions):
            with pytest.raises(PositionError, match="not reached"):
                solution.records.of(graph.state(node))


def orbit_of(graph: Graph) -> dict[int, set[int]]:
    """The states that a symmetry makes of each."""
    orbits = {graph.state(node): {graph.state(node)} for node in range(len(graph.nodes))}
    for pair in graph.twins:
        orbits |= {graph.state(node): set(map(graph.state, pair)) for node in pair}
    return orbits


def check_statistics(solution: analysis.Solution, graph: Graph, oracle: GraphOracle) -> None:
    """Counts of positions over the whole game."""
    stats = solution.statistics()
    assert solution.value == stats["value"] == oracle.value(oracle.start)
    assert solution.remoteness_plies == stats["remoteness_plies"] == oracle.remoteness(oracle.start)
    assert solution.position_count == stats["positions"] == len(oracle.positions)
    assert stats["classes"] == len({min(orbit_of(graph)[s]) for s in oracle.positions})
    assert stats["moves"] == oracle.move_count
    assert stats.items() >= oracle.terminal().items()
    found = Counter({
        (row["remoteness_plies"] if name != "draw" else None, name): row[name]
        for row in stats["by_remoteness"]
        for name in ("win", "lose", "tie", "draw")
        if row[name]
    })  # fmt: skip
    assert found == oracle.by_remoteness()


def check_counts(solution: analysis.Solution, graph: Graph, oracle: GraphOracle) -> None:
    """Games, histories and paths, of every position and of the whole game."""
    histories, orbits, start = oracle.histories(), orbit_of(graph), oracle.start
    for s in oracle.positions:
        record, games = solution.records.of(s), oracle.games_by_outcome(s)
        assert record.histories == sum(histories[twin] for twin in orbits[s])
        assert (record.games_x, record.games_o, record.games_tie) == (
            games["games_x"],
            games["games_o"],
            games["games_tie"],
        )
        assert record.optimal_paths == oracle.optimal_paths(s)
        assert record.shortest_paths == oracle.shortest_paths(s)
        shown = solution[str(s)]
        assert shown.histories == histories[s]
        assert {name: getattr(shown, name) for name in games} == games
    stats = solution.statistics()
    assert stats.items() >= oracle.games_by_outcome(start).items()
    assert stats["games_by_length"] == oracle.games_by_length(start)
    assert stats["histories"] == histories.total()
    assert stats["optimal_paths"] == oracle.optimal_paths(start)
    plies = oracle.histories_by_ply()
    wanted = [(ply, len(reached), reached.total()) for ply, reached in enumerate(plies)]
    assert [(row["ply"], row["positions"], row["histories"]) for row in stats["by_ply"]] == wanted
    assert stats["quotient_paths"] == oracle.quotient_paths(start, lambda s: min(orbits[s]))
    assert stats["games_up_to_symmetry"] == (None if graph.kind.symmetric else stats["games"])


def check_by_ply(solution: analysis.Solution, oracle: GraphOracle) -> None:
    """The columns that only a game without ``tier`` has, whose plies are its tiers."""
    for row, reached in zip(solution.statistics()["by_ply"], oracle.histories_by_ply(), strict=True):
        values = Counter(sign(oracle.value(s)) for s in reached)
        over = Counter(sign(oracle.payoff(s)) for s in reached if oracle.over(s))
        assert (row["value_x"], row["value_tie"], row["value_o"]) == (values[1], values[0], values[-1])
        assert (row["terminal_x"], row["terminal_tie"], row["terminal_o"]) == (over[1], over[0], over[-1])
        assert row["moves"] == sum(len(oracle.moves[s]) for s in reached)


def check_by_tier(solution: analysis.Solution, graph: Graph, oracle: GraphOracle) -> None:
    """One row for each tier that play reaches."""
    tier_of = {graph.state(i): node.tier for i, node in enumerate(graph.nodes)}
    tiers = sorted({tier_of[s] for s in oracle.positions})
    of_tier = {tier: [s for s in oracle.positions if tier_of[s] == tier] for tier in tiers}
    rows = [row for row in solution.statistics()["by_tier"] if row["positions"]]
    assert [(row["tier"], row["positions"]) for row in rows] == [(tier, len(of_tier[tier])) for tier in tiers]
    assert [row["moves"] for row in rows] == [sum(len(oracle.moves[s]) for s in of_tier[tier]) for tier in tiers]


def check_by_value(solution: analysis.Solution, oracle: GraphOracle, *, counted: bool) -> None:
    rows = solution.statistics()["by_value"]
    assert {row["value"]: (row["positions"], row["terminal"]) for row in rows} == oracle.by_value()
    assert len(rows) == len({row["value"] for row in rows})
    games = oracle.games_by_payoff(oracle.start) if counted else {}
    assert [row["games"] for row in rows] == [games.get(row["value"], 0) if counted else None for row in rows]


def check_paths(solution: analysis.Solution, oracle: GraphOracle) -> None:
    """The start's paths, all of them where there are few; by number, too."""
    for shortest, count in ((False, oracle.optimal_paths), (True, oracle.shortest_paths)):
        paths = solution.optimal_paths(shortest=shortest)
        assert paths.count == count(oracle.start)
        assert paths.value == oracle.value(oracle.start)
        if paths.count <= MOST_PATHS:
            wanted = ["-".join(map(str, path)) for path in oracle.out(oracle.start, shortest=shortest)]
            assert list(paths) == wanted
            assert [paths[i] for i in range(0, paths.count, 7)] == wanted[::7]
            assert list(paths) == wanted


def check_no_counts(solution: analysis.Solution) -> None:
    """What a solution without counts says of them."""
    stats = solution.statistics()
    names = ("games", "games_by_length", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")
    assert [stats[name] for name in names] == [None] * len(names)
    with pytest.raises(MissingDataError):
        _ = solution.games
    start = solution[solution.start]
    assert start.histories is start.games is None


def solve(graph: Graph, start: int = 0, *, chunk: int = 1 << 20, **options: Any) -> analysis.Solution:
    """Solve it from a node on, by chunks of states that have at most so many moves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("analysis.engine.engine.CHUNK_MOVES", chunk)
        patch.setattr("analysis.engine.engine.CHUNK_TIERED", chunk)
        return analysis.solve(load(graph), start=str(graph.state(start)), **options)


KINDS: dict[str, Callable[[random.Random, int], Graph]] = {
    "layered": layered,
    "skipping": skipping,
    "impartial-layered": lambda rng, size: impartial(rng, size, tiered=False),
    "impartial-skipping": lambda rng, size: impartial(rng, size, tiered=True),
    "looping": lambda rng, size: looping(rng, 2 * size, tiered=False),
    "looping-tiers": lambda rng, size: looping(rng, 2 * size, tiered=True),
}


def kinds(*but: str) -> Any:
    return pytest.mark.parametrize("kind", [name for name in KINDS if name not in but])


def check(solution: analysis.Solution, graph: Graph, oracle: GraphOracle, *, counted: bool) -> None:
    """All of the above that this kind of game has."""
    check_positions(solution, graph, oracle)
    check_statistics(solution, graph, oracle)
    check_by_value(solution, oracle, counted=counted)
    if graph.kind.tiered:
        check_by_tier(solution, graph, oracle)
    elif not graph.kind.loopy:
        check_by_ply(solution, oracle)
    if counted:
        check_counts(solution, graph, oracle)
        check_paths(solution, oracle)
    else:
        check_no_counts(solution)
    if graph.kind.loopy:
        with pytest.raises(MissingDataError):
            list(solution.optimal_paths())


@kinds()
@settings(max_examples=15, deadline=None)
@given(seed=seeds, size=sizes, chunk=st.sampled_from([1, 20, 1 << 20]), workers=st.sampled_from([1, 1, 1, 2]))
def test_random_games(kind, seed, size, chunk, workers):
    """From the start, or from another position; and in chunks of one state, of three, or all at once."""
    rng = random.Random(seed)
    graph = KINDS[kind](rng, size)
    start = rng.choice((0, 0, rng.randrange(len(graph.nodes))))
    oracle = graph.oracle(start, by_rounds=graph.kind.loopy)
    solution = solve(graph, start, chunk=chunk, workers=workers)
    check(solution, graph, oracle, counted=not graph.kind.loopy)


@pytest.mark.slow
@kinds("layered", "skipping", "impartial-layered", "impartial-skipping")
def test_many_loopy_games(kind):
    """Few random graphs tell a retrograde analysis from one that is nearly right: where a loser that delays finds its
    longest way out in a later tier, say. The same graphs each time, and only values.
    """
    for seed in range(300):
        graph = KINDS[kind](random.Random(seed), 1 + seed % 26)
        oracle = graph.oracle(by_rounds=True)
        records = map(analysis.solve(load(graph), workers=1).lookup, oracle.positions)
        assert [(each.value, each.remoteness_plies) for each in records] == list(solved(oracle).values()), seed


@kinds()
@settings(max_examples=6, deadline=None)
@given(seed=seeds, size=sizes)
@pytest.mark.slow
def test_symmetric_random_games(kind, seed, size):
    """Canonical states and orbit sizes from the rules: all counts are of positions, as without them."""
    rng = random.Random(seed)
    graph = mirrored(rng, KINDS[kind](rng, size))
    oracle = graph.oracle(by_rounds=graph.kind.loopy)
    solution = analysis.solve(load(graph), workers=1)
    check(solution, graph, oracle, counted=not graph.kind.loopy)
    solution = analysis.solve(load(graph), workers=1, symmetry="none")
    plain = Graph(dataclasses.replace(graph.kind, symmetric=False), graph.nodes, graph.labels)
    check(solution, plain, oracle, counted=not graph.kind.loopy)


@kinds("looping", "looping-tiers")
@settings(max_examples=6, deadline=None)
@given(seed=seeds, size=sizes)
def test_random_games_without_counts(kind, seed, size):
    graph = KINDS[kind](random.Random(seed), size)
    solution = analysis.solve(load(graph), workers=1, counts=False)
    check(solution, graph, graph.oracle(), counted=False)
    oracle = graph.oracle()
    if oracle.optimal_paths(oracle.start) <= MOST_PATHS:
        for shortest in (False, True):
            wanted = ["-".join(map(str, path)) for path in oracle.out(oracle.start, shortest=shortest)]
            assert list(solution.optimal_paths(shortest=shortest)) == wanted


# Made by hand ---------------------------------------------------------------------------------------------------------


def chain(plies: int, *, tiered: bool) -> Graph:
    """A row of positions with six moves from each: all to the next one, or (tiered) three of them to the one after."""
    nodes = []
    for i in range(plies):
        ahead = i + 2 if tiered and i + 2 <= plies else i + 1
        moves = tuple((code, i + 1 if code % 2 else ahead) for code in range(6))
        nodes.append(Node(moves, 1 if i % 3 else -1, 0, i))
    nodes.append(Node((), 1, 1, plies))
    return Graph(ExplicitGame(tiered=tiered), tuple(nodes), (START, *reversed(range(plies))))


@pytest.mark.parametrize("tiered", [False, True])
def test_counts_beyond_64_bits(tiered):
    graph = chain(40, tiered=tiered)
    oracle = graph.oracle()
    assert 2**64 < oracle.games_by_outcome(oracle.start)["games"] < 10**38
    solution = analysis.solve(load(graph), workers=1)
    check_statistics(solution, graph, oracle)
    check_counts(solution, graph, oracle)


@pytest.mark.parametrize(("plies", "tiered"), [(49, False), (80, False), (66, True), (90, True)])
def test_counts_of_more_than_38_digits_are_refused(plies, tiered):
    """The first of each would fit 128 bits: 6**49 games, and 2.3e38."""
    graph = chain(plies, tiered=tiered)
    with pytest.raises(CountOverflowError):
        analysis.solve(load(graph), workers=1)
    check_statistics(analysis.solve(load(graph), workers=1, counts=False), graph, graph.oracle())


def fours(plies: int, *, tiered: bool) -> Graph:
    """A row of positions with four moves from each, all to the next."""
    nodes = [Node(tuple((code, i + 1) for code in range(4)), 1 if i % 2 else -1, 0, i) for i in range(plies)]
    return Graph(ExplicitGame(tiered=tiered), (*nodes, Node((), 1, 1, plies)), (START, *range(1, plies + 1)))


def forked(fours_before: int) -> Graph:
    """After so many positions with four moves, two moves to the end, and two to where one more leads there."""
    n = fours_before
    nodes = [Node(tuple((code, i + 1) for code in range(4)), 1, 0, i) for i in range(n)]
    nodes += [Node(((0, n + 1), (1, n + 1), (2, n + 2), (3, n + 2)), 1, 0, n), Node(((0, n + 2),), 1, 0, n + 1)]
    return Graph(ExplicitGame(tiered=True), (*nodes, Node((), 1, 1, n + 2)), (START, *range(1, n + 3)))


GRAPHS = [lambda n: fours(n, tiered=False), lambda n: fours(n, tiered=True), lambda n: forked(n - 1)]


@pytest.mark.parametrize("graph", GRAPHS, ids=["by ply", "by tier", "lengths"])
def test_powers_of_two_games(graph):
    """In 64 bits none would be left, then in 128: along a move, and where games of different lengths are added up."""
    solution = analysis.solve(load(graph(32)), workers=1)
    assert solution.games == solution.optimal_paths().count == 2**64
    with pytest.raises(CountOverflowError):
        analysis.solve(load(graph(64)), workers=1)


def test_of_more_paths_than_a_double_counts_each_is_as_likely():
    """4**40 paths: numbers of them that were doubles would all end in the same moves."""
    paths = analysis.solve(load(fours(40, tiered=False)), workers=1).optimal_paths()
    assert paths.count == 4**40
    drawn = [paths.codes(path) for path in paths.sample(64, seed=1)]
    for ply in (0, 20, 38, 39):
        assert {codes[ply] for codes in drawn} == {0, 1, 2, 3}


@pytest.mark.parametrize("payoff", [0, -1])
@pytest.mark.parametrize("tiered", [False, True])
def test_an_impartial_game_that_is_not_lost_at_its_end_is_refused(payoff, tiered):
    first, last = Node(((8, 1),), 1, 0, 3), Node((), -1, payoff, 4)
    graph = refused(first, last, "impartial", impartial=True, tiered=tiered)
    lost = dataclasses.replace(graph, nodes=(first, dataclasses.replace(last, payoff=1)))
    assert analysis.solve(load(lost), workers=1).value == 1


def test_a_position_that_only_leads_to_itself_is_drawn():
    graph = Graph(ExplicitGame(loopy=True), (Node(((3, 0), (5, 0)), 1, 0),), (START,))
    solution = analysis.solve(load(graph), workers=1)
    check(solution, graph, graph.oracle(), counted=False)
    assert (solution.value, solution.remoteness_plies) == (0, None)


def refused(first, last, match, **kind):
    """A game of one move, and why its rules are refused."""
    graph = Graph(ExplicitGame(**kind), (first, last), (START, 0))
    with pytest.raises(RulesError, match=match):
        analysis.solve(load(graph), workers=1)
    return graph


@pytest.mark.parametrize(("after", "loopy"), [(2, False), (3, False), (2, True)])
def test_a_tier_that_does_not_rise_is_refused(after, loopy):
    words = f"move 8: the tier goes from 3 to {after}"
    refused(Node(((8, 1),), 1, 0, 3), Node((), 1, 0, after), words, tiered=True, loopy=loopy)


@pytest.mark.parametrize("tiered", [False, True])
def test_codes_and_payoffs_beyond_what_the_tables_hold_are_refused(tiered):
    for code in (-1, 255):
        refused(Node(((code, 1),), 1, 0, 3), Node((), 1, 1, 4), f"move code {code}", tiered=tiered)
    refused(Node(((8, 1),), 1, 0, 3), Node((), 1, 2, 4), "2", loopy=True, tiered=tiered)


"""Moves to the letters named, payoffs, where the second player moves; value and remoteness of all."""
