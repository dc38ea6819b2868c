"""Matches: simulation against exact expectations, games against the rules, and the program."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pandas as pd
import pytest

import analysis
from analysis.playing import Terms
from analysis.playing import match as matches
from analysis.playing.knowledge import find_knowledge
from analysis.playing.levels import find_player
from analysis.playing.match import Effort, expect, play_match
from analysis.playing.results import mean, share
from analysis.rules.game import ONGOING

SIGMAS = 5


def near(estimate, expected: float, games: int, spread: float) -> bool:
    """Within 5 standard deviations of the mean of so many games, each with this standard deviation at most."""
    return abs(estimate.value - expected) <= SIGMAS * spread / math.sqrt(games) + 1e-9


def agrees(result, expected, player: str = "A") -> None:
    standing = result.standing(player, "X")
    for name, p in (("wins", expected.x_wins), ("losses", expected.o_wins), ("ties", expected.tie),
                    ("unfinished", expected.unfinished)):  # fmt: skip
        p = float(p)
        assert near(standing.share(name), p, standing.games, math.sqrt(max(0.0, p * (1 - p)))), (name, p)
    assert near(standing.length, float(expected.plies), standing.games, spread(standing.length, standing.games))
    assert near(standing.payoff, float(expected.payoff), standing.games, spread(standing.payoff, standing.games))


def spread(estimate, games: int) -> float:
    """The standard deviation behind an interval; none where all games were alike."""
    return 0.0 if estimate.high is None else (estimate.high - estimate.low) / (2 * 1.96) * math.sqrt(games)


@pytest.mark.parametrize(
    ("spec", "a", "b", "max_plies"),
    [
        ("tictactoe", "random", "random", 1000),
        ("tictactoe", "perfect", "greedy", 1000),
        ("tictactoe", "blunder:0.4", "perfect:shortest", 6),
        ("nim:heaps=2-2-2", "greedy", "blunder:0.5", 1000),
        ("dots_and_boxes:rows=1,cols=2", "random", "perfect", 1000),
        ("morris", "perfect", "random", 40),
    ],
)
def test_simulation_agrees_with_expectation(spec, a, b, max_plies):
    result = play_match(spec, a, b, Terms(games=40_000, swap=True, seed=5, max_plies=max_plies))
    assert result.standing("A", "X").games == result.standing("B", "X").games == 20_000
    agrees(result, result.expectations[0])
    if a != b:
        agrees(result, result.expectations[1], "B")


@pytest.mark.slow
def test_games_by_turns_agree_too():
    result = play_match("mnk:rows=1,cols=4,k=2", "depth:4", "random", Terms(games=1000, seed=2))
    agrees(result, expect("mnk:rows=1,cols=4,k=2", "perfect", "random"))  # it sees to the end


def test_perfect_players_that_search(monkeypatch):
    """Where there is no solution, players move one by one; what comes of it is the same."""

    def without_solution(*args, **options):
        knowledge = find_knowledge(*args, **options)
        knowledge.solution = None
        return knowledge

    monkeypatch.setattr(matches, "find_knowledge", without_solution)
    result = play_match("tictactoe", "perfect", "blunder:0.4", Terms(games=1000, seed=2, swap=True))
    agrees(result, expect("tictactoe", "perfect", "blunder:0.4"))
    agrees(result, expect("tictactoe", "blunder:0.4", "perfect"), "B")


# Games ----------------------------------------------------------------------------------------------------------------


def replay(spec: str, row, position: str | None = None, max_plies: int = 1000) -> list[tuple[str, int, int]]:
    """Check a game of a file against the rules; the level, the state and the code of each move."""
    game = analysis.load_game(spec)
    rules = game.rules()
    joined = rules.largest_code > 9
    codes = [int(code) for code in (row.path.split("-") if joined and row.path else row.path)]
    state, played = rules.start if position is None else game.parse_position(position), []
    for code in codes:
        moves = dict(rules.moves(state))
        played.append((row.x if rules.to_move(state) > 0 else row.o, state, code))
        state = moves[code]
    payoff = rules.outcome(state)
    if payoff == ONGOING:
        assert (row.outcome, row.payoff, len(codes)) == ("unfinished", 0, max_plies)
    else:
        assert row.outcome == ("X" if payoff > 0 else "O" if payoff < 0 else "tie")
        assert row.payoff == payoff
    assert row.plies == len(codes)
    return played


@pytest.mark.parametrize(
    ("spec", "a", "b", "position", "max_plies"),
    [
        ("tictactoe", "perfect", "greedy", "X????????", 1000),
        ("dots_and_boxes:rows=1,cols=2", "perfect:shortest", "random", None, 1000),
        ("nim:heaps=2-2-2", "perfect", "greedy", None, 1000),
        pytest.param("morris", "perfect:shortest", "greedy", None, 9, marks=pytest.mark.slow),
        pytest.param("mnk:rows=1,cols=5,k=3", "depth:1", "greedy", None, 1000, marks=pytest.mark.slow),
    ],
)
def test_every_move_is_legal_and_one_that_the_level_prefers(tmp_path, spec, a, b, position, max_plies):
    out = tmp_path / "games.parquet"
    result = play_match(spec, a, b, Terms(games=60, swap=True, seed=3, position=position, max_plies=max_plies, out=out))
    frame = pd.read_parquet(out)
    assert frame.game.tolist() == list(range(60))
    assert frame.x.tolist() == [a, b] * 30
    assert frame.o.tolist() == [b, a] * 30
    assert frame.dtypes.astype(str)[["game", "payoff"]].tolist() == ["int64", "int16"]
    knowledge = find_knowledge(spec, position)
    players = {level: find_player(level, spec, position=position, knowledge=knowledge) for level in (a, b)}
    for row in frame.itertuples():
        for level, state, code in replay(spec, row, position, max_plies):
            assert code in players[level].preferred(state)
    x_won = (frame.outcome == "X") & (frame.x == a)
    assert result.standing("A", "X").wins == x_won.sum()
    assert result.standing("A", "both").payoffs == (frame.payoff * (1 - 2 * (frame.game % 2))).sum()
    assert result.standing("B", "both").plies == frame.plies.sum()


def test_moves_are_drawn_evenly():
    """Chi-square of the first and of the second moves; with 8 and 7 degrees of freedom, 40 is beyond 1 in 100,000."""
    first, second = Counter(), Counter()
    game = analysis.load_game("tictactoe")
    out = list(_paths(game, "random", "random", 36_000))
    for path in out:
        first[path[0]] += 1
        second[path[1]] += path[0] == "4"
    assert sum((n - 4000) ** 2 / 4000 for n in first.values()) < 40
    mean_second = first["4"] / 8
    assert len(second) == 9  # the centre itself is counted 0 times
    assert sum((n - mean_second) ** 2 / mean_second for cell, n in second.items() if cell != "4") < 40


def _paths(game, a, b, games, **options):
    from analysis.machine.workers import Workers
    from analysis.playing.simulation import Pairing, SolvedArrays, Terms, simulate

    terms = Terms(games, **{"swap": False, "seed": 1, "max_plies": 9, "out": "kept.csv", **options})
    arrays = SolvedArrays.unsolved(game, game.rules().start)
    batches = simulate(arrays, Pairing.of(a, b), terms, Workers(1))
    return itertools.chain.from_iterable(batch.paths for batch in batches)


def test_the_same_seed_gives_the_same_games(tmp_path):
    files = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv", "d.csv", "e.csv")]
    kinds = ((1, {}), (2, {}), (3, {}), (None, {"seed": 8}), (None, {"games": 500}))
    for path, (workers, options) in zip(files, kinds, strict=True):
        terms = Terms(**{"games": 10_000, "seed": 7, "swap": True, "out": path, **options})
        play_match("tictactoe", "blunder:0.5", "greedy", terms, effort=Effort(workers=workers))
    texts = [path.read_text() for path in files]
    assert texts[0] == texts[1] == texts[2]
    assert texts[0] != texts[3]
    assert texts[0].startswith(texts[4])  # a game does not depend on how many there are


def test_the_same_seed_gives_the_same_games_by_turns():
    one, two, other = (
        play_match("mnk:rows=1,cols=5,k=3", "depth:1", "random", Terms(games=9, seed=s)) for s in (4, 4, 5)
    )
    assert one.to_json() == two.to_json()
    assert one.standings != other.standings


def test_without_a_seed_every_match_is_another_and_can_be_repeated():
    one, two = (play_match("tictactoe", "random", "random", Terms(games=2000)) for _ in range(2))
    assert one.seed != two.seed
    assert one.standings != two.standings
    assert play_match("tictactoe", "random", "random", Terms(games=2000, seed=two.seed)).standings == two.standings


def test_a_player_is_the_same_whichever_side_the_other_counts(tmp_path):
    result = play_match("dots_and_boxes:rows=1,cols=2", "greedy", "random", Terms(games=1001, swap=True, seed=1))
    assert result.standing("A", "X").games == 501
    for side, other in (("X", "O"), ("O", "X"), ("both", "both")):
        a, b = result.standing("A", side), result.standing("B", other)
        assert (a.wins, a.losses, a.ties, a.payoffs, a.plies) == (b.losses, b.wins, b.ties, -b.payoffs, b.plies)
    alone = play_match("dots_and_boxes:rows=1,cols=2", "greedy", "random", Terms(games=50, seed=1))
    assert [(s.player, s.side, s.games) for s in alone.standings] == [("A", "X", 50), ("B", "O", 50)]


# Statistics -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals(count, games, low, high):
    """Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3."""
    found = share(count, games)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    turned = share(games - count, games)
    assert (turned.low, turned.high) == (pytest.approx(1 - found.high), pytest.approx(1 - found.low))


def test_means():
    numbers = [3, 5, 5, 9, 2, 0, -4]
    found = mean(sum(numbers), sum(n * n for n in numbers), len(numbers))
    frame = pd.Series(numbers)
    assert found.value == pytest.approx(frame.mean())
    assert found.high - found.value == pytest.approx(1.959964 * frame.sem())
    assert (share(0, 0), mean(0, 0, 0), mean(3, 9, 1)) == (None, None, (3.0, None, None))
