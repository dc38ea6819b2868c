"""Matches: simulation against exact expectations, games against the rules, edges, other processes, and the command."""

import csv
import itertools
import json
import math
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pandas as pd
import pytest

import analysis
from analysis.common.memory import Budget
from analysis.errors import OptionError, PositionError, StoreError, TooLargeError
from analysis.games.mnk import Mnk
from analysis.playing import Terms
from analysis.playing.levels import find_player
from analysis.playing.match import expect, play_match
from analysis.playing.results import share
from analysis.rules.game import ONGOING
from analysis.search.finding import find_knowledge
from tests.playing.test_notation import OWN
from tests.support.own_game import MINE, own_game
from tests.support.program import one_line

SIGMAS = 5


def near(value: float, expected: float, games: int, spread: float) -> bool:
    """Within 5 standard deviations of the mean of so many games, each with this standard deviation at most."""
    return abs(value - expected) <= SIGMAS * spread / math.sqrt(games) + 1e-9


def agrees(result, expected, player: str = "A") -> None:
    standing = result.standing(player, "X")
    for name, p in (("wins", expected.x_wins), ("losses", expected.o_wins), ("ties", expected.tie),
                    ("unfinished", expected.unfinished)):  # fmt: skip
        p = float(p)
        assert near(standing.share(name).value, p, standing.games, math.sqrt(max(0.0, p * (1 - p)))), (name, p)
    assert near(standing.length, float(expected.plies), standing.games, spread=3)
    assert near(standing.payoff, float(expected.payoff), standing.games, spread=1.5)


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
    result = play_match(spec, [a, b], Terms(games=40_000, swap=True, seed=5, max_plies=max_plies))
    assert result.standing("A", "X").games == result.standing("B", "X").games == 20_000
    first, *second = play_match(spec, [a, b], Terms(games=0, max_plies=max_plies)).expectations
    agrees(result, first)
    if a != b:
        agrees(result, second[0], "B")


def test_perfect_players_that_search(monkeypatch):
    """Where there is no solution, players move one by one; what comes of it is the same."""

    def without_solution(*args, **options):
        knowledge = find_knowledge(*args, **options)
        knowledge.solution = None
        return knowledge

    monkeypatch.setattr("analysis.playing.match.find_knowledge", without_solution)
    result = play_match("tictactoe", ["perfect", "blunder:0.4"], Terms(games=1000, seed=2, swap=True))
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
    result = play_match(spec, [a, b], Terms(games=60, swap=True, seed=3, start=position, max_plies=max_plies, out=out))
    frame = pd.read_parquet(out)
    assert frame.game.tolist() == list(range(60))
    assert frame.x.tolist() == [a, b] * 30
    assert frame.o.tolist() == [b, a] * 30
    assert frame.dtypes.astype(str)[["game", "payoff"]].tolist() == ["int64", "int16"]
    knowledge = find_knowledge(spec, position)
    players = {level: find_player(level, spec, start=position, knowledge=knowledge) for level in (a, b)}
    for row in frame.itertuples():
        for level, state, code in replay(spec, row, position, max_plies):
            assert code in players[level].preferred(state)
    x_won = (frame.outcome == "X") & (frame.x == a)
    assert result.standing("A", "X").wins == x_won.sum()
    assert result.standing("A", "both").payoffs == (frame.payoff * (1 - 2 * (frame.game % 2))).sum()
    assert result.standing("B", "both").plies == frame.plies.sum()


def test_the_same_seed_gives_the_same_games(tmp_path):
    files = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv", "d.csv", "e.csv")]
    kinds = ((1, {}), (2, {}), (3, {}), (None, {"seed": 8}), (None, {"games": 500}))
    for path, (workers, options) in zip(files, kinds, strict=True):
        terms = Terms(**{"games": 10_000, "seed": 7, "swap": True, "out": path, **options})
        with analysis.running(workers=workers):
            play_match("tictactoe", ["blunder:0.5", "greedy"], terms)
    texts = [path.read_text() for path in files]
    assert texts[0] == texts[1] == texts[2]
    assert texts[0] != texts[3]
    assert texts[0].startswith(texts[4])  # a game does not depend on how many there are


def test_the_same_seed_gives_the_same_games_by_turns():
    one, two, other = (
        play_match("mnk:rows=1,cols=5,k=3", ["depth:1", "random"], Terms(games=9, seed=s)) for s in (4, 4, 5)
    )
    assert one.to_json() == two.to_json()
    assert one.standings != other.standings


def test_a_player_is_the_same_whichever_side_the_other_counts(tmp_path):
    result = play_match("dots_and_boxes:rows=1,cols=2", ["greedy", "random"], Terms(games=1001, swap=True, seed=1))
    assert result.standing("A", "X").games == 501
    for side, other in (("X", "O"), ("O", "X"), ("both", "both")):
        a, b = result.standing("A", side), result.standing("B", other)
        assert (a.wins, a.losses, a.ties, a.payoffs, a.plies) == (b.losses, b.wins, b.ties, -b.payoffs, b.plies)
    alone = play_match("dots_and_boxes:rows=1,cols=2", ["greedy", "random"], Terms(games=50, seed=1))
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


# Functions, and rules that say less than is true ----------------------------------------------------------------------


def first_free(position: str) -> int:
    return position.index("?")


def test_a_function_plays(tmp_path):
    """Beside a level; nothing is expected of it, and illegal moves are refused by name."""
    result = play_match(
        "tictactoe", [first_free, "perfect"], Terms(games=60, swap=True, seed=1, out=tmp_path / "g.csv")
    )
    assert (result.levels[0], result.standing("A", "both").games) == ("first_free", 60)
    assert result.standing("A", "both").wins == 0 < result.standing("A", "both").losses
    with pytest.raises(OptionError, match="a function has no exact expectations"):
        play_match("tictactoe", [first_free, "perfect"], Terms(games=0))
    for row in csv.DictReader((tmp_path / "g.csv").read_text().splitlines()):
        own = row["path"][row["o"] == "first_free" :: 2]
        played = [int(code) for code in row["path"]]
        for move, code in zip(range(row["o"] == "first_free", 9, 2), own, strict=False):
            assert int(code) == min(set(range(9)) - set(played[:move]))

    def zero(position: str) -> int:
        return 0

    with pytest.raises(PositionError, match=r"zero plays 0 in .{9}; legal moves are"):
        play_match("tictactoe", [zero, "random"], Terms(games=5, seed=1))


@pytest.mark.parametrize("levels", [("random", "random"), ("greedy", "depth:1")])
def test_games_longer_than_the_rules_say(gametree, tmp_path, levels):
    for bound in (3, 0, 12):
        (tmp_path / f"{bound}.py").write_text(OWN.replace("tier=tier)", f"tier=tier, max_plies={bound})"))
    for bound in (3, 0):
        refused = gametree("match", f"{bound}.py:Count", *levels, "--games", 5, "--out", "g.csv")
        one_line(refused, 1, f"go on after {bound} plies, but its rules say max_plies={bound}")
        assert not (tmp_path / "g.csv").exists()
    assert gametree("match", "12.py:Count", *levels, "--games", 5, "--max-plies", 3).code == 0


def test_expectations_that_do_not_fit_memory(monkeypatch, tmp_path):
    analysis.solve("tictactoe", directory=tmp_path / "s")
    monkeypatch.setattr("analysis.playing.expectation.Budget.of_machine", lambda: Budget(1000))
    with pytest.raises(TooLargeError, match="classes needs about"):
        play_match(str(tmp_path / "s"), ["perfect", "random"], Terms(games=0))
    assert (
        play_match(str(tmp_path / "s"), ["perfect", "random"], Terms(games=20, seed=1)).standing("A", "X").losses == 0
    )


def test_both_orders_without_games(gametree):
    for spec in ("tictactoe", "bidding:game=mnk:rows=1,cols=3,k=2,chips=1"):
        rows = gametree("match", spec, "greedy", "random", "--games", 0, "--format", "csv").rows
        assert [(row["player"], row["side"]) for row in rows] == list(itertools.product("AB", ("X", "O", "both")))
        assert all(0 <= float(row["expected_wins"]) <= 1 for row in rows)
        assert float(rows[0]["expected_wins"]) == float(rows[4]["expected_losses"])


def games_of(executor, path, game="mnk:rows=3,cols=4,k=3", levels=("depth:2", "random")):
    with analysis.running(executor=executor):
        result = play_match(game, levels, Terms(games=50, swap=True, seed=7, out=path))
    return pd.read_csv(path), result.standings


class Counting(ThreadPoolExecutor):
    tasks = 0

    def submit(self, *arguments, **options):
        self.tasks += 1
        return super().submit(*arguments, **options)


@pytest.mark.parametrize("workers", [1, 3])
def test_threads(workers, tmp_path):
    here, standings = games_of(None, tmp_path / "here.csv")
    with Counting(workers) as executor:
        there, others = games_of(executor, tmp_path / "there.csv")
        assert executor.tasks > 3
    assert there.equals(here)
    assert others == standings


@pytest.mark.slow
def test_processes_and_a_game_of_the_users(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    game = f"{tmp_path}/mine.py:Mine:rows=3,cols=4,k=3"
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        there, _ = games_of(executor, tmp_path / "there.csv", game, ("depth:3", "greedy"))
    here, _ = games_of(None, tmp_path / "here.csv", game, ("depth:3", "greedy"))
    assert there.equals(here)


def test_a_game_that_no_other_process_can_load(tmp_path):
    class Nameless(Mnk):
        pass

    with ThreadPoolExecutor(1) as executor, pytest.raises(StoreError, match="file"):
        games_of(executor, tmp_path / "a.csv", Nameless(rows=3, cols=3, k=3))


# The program ----------------------------------------------------------------------------------------------------------


def test_json_csv_and_table_say_the_same(gametree):
    command = ["match", "tictactoe", "perfect", "random", "--games", 1000, "--swap", "--seed", 1]
    found = gametree(*command, "--format", "json")
    assert (found.code, found.err) == (0, "")
    expected = play_match("tictactoe", ["perfect", "random"], Terms(games=1000, swap=True, seed=1))
    assert found.json == json.loads(json.dumps(expected.to_json()))
    rows = gametree(*command, "--format", "csv").rows
    assert [(row["player"], row["side"]) for row in rows] == list(itertools.product("AB", ("X", "O", "both")))
    for row, standing in zip(rows, found.json["standings"], strict=True):
        assert int(row["wins"]) == standing["wins"]
        assert float(row["share_wins_low"]) == standing["share_wins_low"]
        assert float(row["mean_plies"]) == standing["mean_plies"]


REFUSED = """
tictactoe perfect good --games 10 | 2 | level 'good' | blunder:P
tictacto perfect random --games 10 | 2 | tictacto
tictactoe random random --games many | 2 | --games
tictactoe random random --games -1 | 2 | --games
tictactoe random random --games 10000000000000 | 2 | give 0 to
tictactoe random random --games 10 --seed -1 | 2 | seed -1 is out of range
tictactoe random random --games 10 --seed 18446744073709551616 | 2 | is out of range
tictactoe random random --games 10 --max-plies 1000000000 | 2 | max_plies 1000000000 is out of range
tictactoe random random --games 10 --seconds 1 | 2 | no level is one
tictactoe depth:2 random --games 10 --seconds 0 | 2 | cannot search in 0
tictactoe depth:2 random --games 0 --seconds 1 | 2 | no exact expectations
tictactoe random random --from XXXOO???? | 2 | the game is over at
tictactoe random random --from XXXXX???? | 2 | XXXXX????
tictactoe random random --format xml | 2 | format 'xml'
bidding:game=mnk:rows=1,cols=3,k=2,chips=2 random random --out games.csv | 2 | --out is not for bidding
tictactoe random random --games 10 --out games.txt | 2 | must end in .parquet, .csv or .jsonl
tictactoe random random --games 10 --out there/is/none.csv | 1 | there is no directory
tictactoe random random --games 10 --out folder.csv | 1 | it is a directory
tictactoe random random --games 0 --out folder.csv | 2 | --games 0 plays none
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_refusals(gametree, tmp_path, line):
    (tmp_path / "folder.csv").mkdir()
    arguments, code, *words = line.split(" | ")
    one_line(gametree("match", *arguments.split()), int(code), *words)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder.csv"]


BROKEN = own_game(
    "Broken(Game)",
    max_moves="1",
    legal_moves="out[0] = 0\nreturn 1 FAULT",
    play="state + 1",
    outcome="ONGOING",
    to_move="1 - 2 * (state & 1)",
)


def test_games_that_nobody_finishes(tmp_path):
    (tmp_path / "line.py").write_text(BROKEN.replace("FAULT", "").replace("state + 1", "(state + 1) % 6").replace(
        "outcome, to_move", "outcome, to_move, loopy=True"))  # fmt: skip
    result = play_match(f"{tmp_path}/line.py:Broken", ["random", "perfect"], Terms(games=20, seed=1, max_plies=33))
    standing = result.standing("A", "X")
    assert (standing.unfinished, standing.length, standing.payoffs) == (20, 33, 0)
    (found, _) = play_match(
        f"{tmp_path}/line.py:Broken", ["random", "perfect"], Terms(games=0, max_plies=33)
    ).expectations
    assert (found.unfinished, found.plies) == (1, 33)


def test_a_large_game_needs_no_solution(gametree):
    command = ["match", "connect:rows=6,cols=7,k=4", "greedy", "random", "--games", 200, "--seed", 1]
    found = gametree(*command, "--format", "json")
    assert (found.code, found.err) == (0, "")
    assert found.json["standings"][0]["wins"] > 150
