"""Exact expectations: against recursion over positions as strings, and against players asked at every state."""

import functools
import itertools
import json
import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import analysis
from analysis.common.workers import Workers
from analysis.errors import OptionError, PositionError, SpecError, TooLargeError
from analysis.playing import chain as chain_module
from analysis.playing import expectation as graphs
from analysis.playing.expectation import chains
from analysis.playing.levels import find_player, parse_level
from analysis.playing.match import expect, play_match
from analysis.playing.simulation import LevelView, Terms, simulate
from analysis.rules.game import ONGOING
from analysis.search.finding import find_knowledge
from tests.support.graph_oracle import GraphOracle
from tests.support.level_oracle import distribution
from tests.support.oracle import Oracle
from tests.support.random_games import layered, load, looping, mirrored, skipping

LEVELS = ("random", "greedy", "perfect", "perfect:shortest", "blunder:0.3")
PAIRS = list(itertools.product(LEVELS, repeat=2))


# Expectations written out again, for positions as strings -----------------------------------------------------------


def by_ply(start, payoff, moves, max_plies: int = 99) -> tuple[Fraction, ...]:
    """The probabilities that X wins, O wins, of a tie, and of neither after so many plies; payoff and plies. ``payoff``
    is None where play goes on, ``moves`` are positions after it and how likely they are.
    """
    mass, found = {start: Fraction(1)}, [Fraction(0)] * 6
    for ply in range(max_plies + 1):
        after = defaultdict(Fraction)
        for s, here in mass.items():
            end = payoff(s)
            if end is not None:
                found[0 if end > 0 else 1 if end < 0 else 2] += here
                found[4] += here * end
            elif ply == max_plies:
                found[3] += here
            else:
                for child, p in moves(s):
                    after[child] += here * p
            found[5] += here * ply if end is not None or ply == max_plies else 0
        mass = after
    return tuple(found)


def expected(oracle: Oracle, start: str, x: str, o: str, max_plies: int = 99) -> tuple[Fraction, ...]:
    def moves(s: str):
        chances = distribution(oracle, x if oracle.to_move(s) == "X" else o, s)
        return [(oracle.play(s, cell), p) for cell, p in chances.items()]

    return by_ply(start, oracle.outcome, moves, max_plies)


def numbers(found) -> tuple:
    return found.x_wins, found.o_wins, found.tie, found.unfinished, found.payoff, found.plies


def compare(spec: str, oracle: Oracle, pairs, position: str | None = None, max_plies: int = 99) -> None:
    for x, o in pairs:
        found = expect(spec, x, o, start=position, max_plies=max_plies)
        assert found.exact
        assert numbers(found) == expected(oracle, position or oracle.start, x, o, max_plies), (spec, x, o)
        assert sum(numbers(found)[:4]) == 1


def test_all_pairs_on_a_small_board():
    compare("mnk:rows=2,cols=3,k=3", Oracle(2, 3, 3), PAIRS[::2])
    compare("mnk:rows=2,cols=3,k=2,misere=true", Oracle(2, 3, 2, misere=True), PAIRS[::3])


@pytest.mark.parametrize("position", ["XO???????", "X???O???X"])
def test_all_pairs_from_the_middle_of_a_game(position):
    compare("tictactoe", Oracle(3, 3, 3), PAIRS[::4] if position.count("?") > 6 else PAIRS, position)


def test_a_game_that_is_cut_off():
    for plies in (1, 5, 6):
        compare("tictactoe", Oracle(3, 3, 3), [("random", "greedy")], "X???O????", plies)


def test_known_numbers():
    """Random tic-tac-toe: 737/1260, 121/420 and 8/63, as in any textbook that counts its 9! orders."""
    found = expect("tictactoe", "random", "random")
    assert (found.x_wins, found.o_wins, found.tie) == (Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63))
    assert expect("tictactoe", "blunder:1", "blunder:1/1").x_wins == found.x_wins
    assert numbers(expect("tictactoe", "blunder:0", "random")) == numbers(expect("tictactoe", "perfect", "random"))


# Every kind of game, with the players that search or look up ----------------------------------------------------------

KINDS = (
    "tictactoe",  # symmetries of a board
    "nim:heaps=2-2-2",  # canonical() of its own, and tiers that are skipped
    "dots_and_boxes:rows=1,cols=2",  # margins, and turns that are kept
    "dodgem",  # loopy, without a draw
    "morris",  # loopy, with draws
)


def view_of(game, symmetry="none", **options) -> LevelView:
    solution = analysis.solve(game, counts=False, **options)
    return LevelView.of(solution.game, solution.game.rules().start, solution, symmetry=symmetry)


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.slow] * (spec in ("tictactoe", "morris"))) for spec in KINDS]
)
def test_kernels_prefer_what_the_players_prefer(spec):
    view = view_of(spec)
    game, rules = view.engine.game, view.engine.game.rules()
    knowledge = find_knowledge(game)
    states = [rules.start]
    for state in states:  # grows as it goes
        states += [child for _, child in rules.moves(state) if child not in states][: 400 - len(states)]
    for level in ("random", "greedy", "perfect", "perfect:shortest"):
        player, liked = (
            find_player(level, game, knowledge=knowledge),
            view.preferred(parse_level(level), np.array(states)).tolist(),
        )
        for state in states:
            chosen = [code for code, _ in rules.moves(state) if liked.pop(0)]
            over = rules.outcome(state) != ONGOING
            assert chosen == ([] if over else player.preferred(state)), (level, game.format_position(state))
        assert not liked


def by_players(spec: str, x: str, o: str, max_plies: int = 99, position: str | None = None) -> tuple[Fraction, ...]:
    """The same numbers by what the players say of their own moves."""
    game = analysis.load_game(spec)
    rules = game.rules()
    knowledge = find_knowledge(game)
    players = [find_player(level, game, knowledge=knowledge) for level in (x, o)]
    asked = functools.cache(lambda s: players[0 if rules.to_move(s) > 0 else 1].distribution(s))
    return by_ply(
        rules.start if position is None else game.parse_position(position),
        lambda s: None if rules.outcome(s) == ONGOING else rules.outcome(s),
        lambda s: [(rules.play(s, code), p) for code, p in asked(s).items()],
        max_plies,
    )


def test_a_loopy_game_to_the_end_in_doubles(monkeypatch):
    found = expect("dodgem:n=2", "random", "random", max_plies=400)
    assert numbers(found) == pytest.approx([float(n) for n in by_players("dodgem:n=2", "random", "random", 400)])
    monkeypatch.setattr(chain_module, "MOST_EXACT_STEPS", 1000)
    long = expect("dodgem", "random", "greedy", max_plies=25)
    assert not long.exact
    short = [float(n) for n in by_players("dodgem", "random", "greedy", 25)]
    assert numbers(long) == pytest.approx(short, abs=1e-12)
    assert sum(numbers(long)[:4]) == pytest.approx(1, abs=1e-12)


# Random games: any payoffs, any order of movers, loops, symmetries of the rules' own ----------------------------------


def likes(oracle: GraphOracle, level: str, s: int) -> list[int]:
    """The moves that a level prefers, by number."""
    me, children = oracle.to_move(s), [child for _, child in oracle.moves[s]]
    numbers = list(range(len(children)))

    def won_by(side: int, state: int) -> bool:
        return not oracle.moves[state] and side * oracle.payoff(state) > 0

    def safe(state: int) -> bool:
        if not oracle.moves[state]:
            return me * oracle.payoff(state) >= 0
        return oracle.to_move(state) == me or not any(won_by(-me, reply) for _, reply in oracle.moves[state])

    if level == "greedy":
        wins = [i for i in numbers if won_by(me, children[i])]
        return wins or [i for i in numbers if safe(children[i])] or numbers
    if level.startswith("perfect"):
        value = oracle.value(s)
        keep = [i for i in numbers if oracle.value(children[i]) == value]
        ended = {i: oracle.remoteness(children[i]) for i in keep if oracle.remoteness(children[i]) is not None}
        if level == "perfect" and (not oracle.loopy_rules or me * value <= 0):
            return keep
        best = (max if me * value < 0 else min)(ended.values(), default=None)
        return [i for i in keep if ended.get(i) == best]
    return numbers


def by_graph(oracle: GraphOracle, x: str, o: str, max_plies: int) -> tuple[Fraction, ...]:
    def moves(s: int):
        chosen = likes(oracle, x if oracle.to_move(s) > 0 else o, s)
        return [(oracle.moves[s][i][1], Fraction(1, len(chosen))) for i in chosen]

    return by_ply(oracle.start, lambda s: None if oracle.moves[s] else oracle.payoff(s), moves, max_plies)


def random_graphs(seed: int, sizes):
    rng = random.Random(seed)
    for size in sizes:
        yield from (layered(rng, size), skipping(rng, size), mirrored(rng, layered(rng, size)))
        yield from (looping(rng, size, tiered=False), looping(rng, size, tiered=True))
        yield mirrored(rng, looping(rng, size, tiered=False))


def check_random_game(graph, pairs) -> None:
    game = load(graph)
    view, oracle = view_of(game), graph.oracle()
    oracle.loopy_rules = game.loopy  # a level goes by the rules, whether or not there is a cycle
    plies = 5 if game.loopy else 40
    for a, b in pairs:
        for chain, (x, o) in zip(
            chains(view_of(game, "geometric"), (parse_level(a), parse_level(b)), [0, 1]), ((a, b), (b, a)), strict=True
        ):
            ends = chain.ends(plies)
            assert (*ends.won, ends.unfinished, ends.payoff, ends.plies) == by_graph(oracle, x, o, plies), (x, o)
        check_batch(view, oracle, (a, b))


def check_batch(view: LevelView, oracle: GraphOracle, pair: tuple[str, str]) -> None:
    """Simulated games: every move is one that its level prefers."""
    with Workers(1) as workers:
        (batch,) = simulate(
            view, tuple(map(parse_level, pair)), Terms(20, swap=True, seed=9, max_plies=8, out="kept.csv"), workers
        )
    for number, (path, plies, payoff) in enumerate(zip(batch.paths, batch.plies, batch.payoffs, strict=True)):
        s, order = oracle.start, pair[:: -1 if number % 2 else 1]
        for code in map(int, filter(None, path.split("-"))):
            chosen = [oracle.moves[s][i] for i in likes(oracle, order[0 if oracle.to_move(s) > 0 else 1], s)]
            s = dict(chosen)[code]
        assert payoff == (0 if oracle.moves[s] else oracle.payoff(s))
        assert plies == 8 or not oracle.moves[s]


@pytest.mark.slow
def test_random_games():
    for graph in random_graphs(seed=2, sizes=(4, 9, 14, 20)):
        if graph.nodes[0].moves:
            check_random_game(graph, [("greedy", "perfect"), ("perfect:shortest", "random")])


@pytest.mark.parametrize("spec", ["mnk:rows=2,cols=3,k=3", "wild:rows=2,cols=3,k=3", "connect:rows=3,cols=3,k=3"])
def test_symmetries_make_no_difference(spec):
    """Of residual classes neither, in which equal moves are made as often as others."""
    kinds = [kind for kind in ("geometric", "none", "full", "residual") if "connect" not in spec or kind != "full"]
    views = [
        LevelView.of(view.engine.game, view.root, analysis.solve(spec, counts=False, symmetry=kind), symmetry=symmetry)
        for kind in kinds
        for symmetry in ("none", "geometric")
        for view in [view_of(spec)]
    ]
    for a, b in (("greedy", "perfect"), ("random", "perfect:shortest")):
        expected = [chains(view, (parse_level(a), parse_level(b)), [0])[0].ends(99) for view in views]
        assert all(each == expected[0] for each in expected)
        terms = Terms(50, swap=True, seed=4, max_plies=20, out="kept.csv")
        with Workers(1) as workers:
            played = [
                next(simulate(view, (parse_level(a), parse_level(b)), terms, workers)).paths for view in views[::2]
            ]
        assert all(each == played[0] for each in played)


def test_a_stored_solution_by_residual_classes(gametree):
    assert gametree("solve", "tictactoe", "--symmetry", "residual", "--out", "left").code == 0
    match = ("random", "perfect", "--games", 0, "--from", "X????????", "--format", "json")
    left, geometric = (gametree("match", name, *match) for name in ("left", "tictactoe"))
    assert (left.code, left.json) == (0, geometric.json)
    assert len(left.json["expectations"]) == 2


SEARCHED = [("depth:1", "random"), ("greedy", "depth:2"), ("depth:1", "depth:2"), ("depth:3", "blunder:1/3")]


@pytest.mark.parametrize(
    ("spec", "position"), [("tictactoe", "XO??X????"), ("hexapawn", None), ("nim:heaps=1-2-3", None)]
)
def test_levels_that_search(spec, position):
    for pair in SEARCHED:
        found = expect(spec, *pair, start=position)
        assert numbers(found) == by_players(spec, *pair, position=position), pair
        assert found.exact
        assert (found.x, found.o) == pair
        assert found.x_wins + found.o_wins + found.tie == 1


def test_searches_that_take_long(monkeypatch):
    levels = ["depth:2", "random"]
    first, second = play_match("mnk:rows=2,cols=3,k=2", levels, Terms(games=0)).expectations
    assert numbers(first) == numbers(expect("mnk:rows=2,cols=3,k=2", *levels))
    assert numbers(second) == numbers(expect("mnk:rows=2,cols=3,k=2", *levels[::-1]))
    monkeypatch.setattr(chain_module, "MOST_EXACT_STEPS", 1)
    rounded = expect("mnk:rows=2,cols=3,k=2", *levels)
    assert not rounded.exact
    assert numbers(rounded) == pytest.approx([float(number) for number in numbers(first)])
    monkeypatch.setattr(graphs, "MOST_POSITIONS", 5)
    with pytest.raises(TooLargeError, match="at most 5 positions"):
        expect("mnk:rows=2,cols=3,k=2", *levels)


def test_what_cannot_be_expected():
    with pytest.raises(PositionError, match="the game is over at XXXOO"):
        expect("tictactoe", "random", "random", start="XXXOO????")
    with pytest.raises(OptionError, match="level 'good'"):
        expect("tictactoe", "good", "random")
    with pytest.raises(SpecError, match="bidding game"):
        expect("bidding:game=tictactoe,chips=4", "random", "random")


def test_the_program_prints_fractions_and_decimals(gametree):
    found = gametree("match", "tictactoe", "random", "random", "--games", 0)
    assert (found.code, found.err) == (0, "")
    assert "58.492% = 737/1260" in found.out
    both = gametree("match", "tictactoe", "perfect", "random", "--games", 0, "--format", "json").json
    first, second = both["expectations"]
    assert (first["x"], second["x"], first["exact"], both["standings"]) == ("perfect", "random", True, [])
    assert Fraction(first["x_wins_exact"]) == Fraction(75257, 77760)
    assert (second["x_wins"], second["x_wins_exact"]) == (0.0, "0")
    assert json.dumps(both)
