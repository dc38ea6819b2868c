"""Real-valued bids: thresholds against recursions that share no code with the library, and played out."""

import dataclasses
import functools
import json
import math
import random
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.bidding import richman as passes
from analysis.bidding.richman import MEASURES, SCHEMA, find_thresholds, optimal_bid
from analysis.errors import OptionError, RulesError, SpecError, TooLargeError
from analysis.games.families import load_game
from analysis.rules.game import ONGOING, Game, Rules
from tests.support import bidding_oracle as oracle
from tests.support.program import one_line, slow

TICTACTOE = {("richman", "O"): (133, 256), ("richman", "X"): (123, 256), ("poorman", "O"): (396925, 786688)}
"""golden/bidding.txt, C: 133/256 and 123/256; poorman 101.8375 to 100."""


@functools.cache
def known_of(spec):
    """`by_state` of all boards, each for itself."""
    return by_state(spec, symmetry="none")


def by_state(game, **options):
    """All four thresholds of every board, in the order of `MEASURES`."""
    table = table_of(game, **options)
    columns = [table.column(f"{rule}_ties_{ties.lower()}").to_pylist() for rule, ties in MEASURES]
    rows = zip(table.column("state").to_pylist(), *columns, strict=True)
    found = {state: tuple(map(Fraction, texts)) for state, *texts in rows}
    assert len(found) == len(table)
    return found


def table_of(game, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "all.parquet")
        find_thresholds(game, out=path, **options)
        return pq.read_table(path)


# Every board ----------------------------------------------------------------------------------------------------------


def recursion(game):
    """The same by plain recursion over the rules, from the definition."""
    rules = game.either_side()

    def step(rule, low, high):
        low, high = min(low, high), max(low, high)  # whoever wins the bid says who moves
        return (low + high) / 2 if rule == "richman" else high / (1 + high - low)

    def solve(state, known):
        if state not in known:
            payoff = rules.outcome(state)
            children = {code: solve(child, known) for code, child in rules.moves(state)}
            sides = [[found for code, found in children.items() if code % 2 == side] for side in (0, 1)]
            known[state] = tuple(
                Fraction(int(not (payoff > 0 or (payoff == 0 and ties == "X"))))
                if payoff != ONGOING
                else step(rule, min(x[i] for x in sides[0]), max(o[i] for o in sides[1]))
                for i, (rule, ties) in enumerate(MEASURES)
            )
        return known[state]

    known: dict = {}
    solve(rules.start, known)
    return known


@pytest.mark.parametrize(
    "shape",
    [
        (2, 2, 2, False), (2, 3, 2, True), (1, 2, 3, False),
        *slow((1, 3, 3, False), (1, 4, 2, True), (2, 2, 2, True), (2, 3, 3, False), (3, 3, 3, False), (3, 3, 3, True)),
    ],
)  # fmt: skip
def test_every_board_of_mnk_has_the_oracles_thresholds(shape):
    rows, cols, k, misere = shape
    rules = oracle.Rules(*shape)
    game = load_game(f"mnk:rows={rows},cols={cols},k={k}" + ",misere=true" * misere)
    found = known_of(game.spec)
    assert {game.format_position(state) for state in found} == oracle.reachable(rules)
    for state, values in found.items():
        board = game.format_position(state)
        assert values[:2] == tuple(oracle.richman(board, ties, rules) for ties in "OX")
        if not misere:  # where moves can hurt, the oracle's poorman formula does not hold
            assert values[2:] == tuple(oracle.poorman(board, ties, rules) for ties in "OX")


SMALL = ["wild:rows=2,cols=2,k=2", "connect:rows=2,cols=3,k=2", "hex:n=2"]
MORE = [
    "mnk:rows=2,cols=3,k=2,misere=true", "wild:rows=2,cols=3,k=2,misere=true", "notakto:rows=2,cols=3,k=2",
    "notakto:rows=2,cols=3,k=3,misere=true", "connect:rows=3,cols=2,k=2,misere=true", "tictactoe",
    "tictactoe:misere=true", "wild", "notakto", "connect:rows=3,cols=3,k=3", "hex:n=3",
]  # fmt: skip


@pytest.mark.parametrize("spec", [SMALL[2], *slow(*SMALL[:2], *MORE)])
def test_every_board_has_the_thresholds_of_plain_recursion(spec):
    game = load_game(spec)
    expected = recursion(game)
    assert known_of(spec) == expected
    classes = by_state(spec)
    assert classes.items() <= expected.items()
    assert table_of(spec).column("orbit_size").to_numpy().sum() == len(expected)


@pytest.mark.parametrize("spec", ["tictactoe", *slow("mnk:rows=2,cols=4,k=3,misere=true", "wild:rows=2,cols=3,k=3")])
def test_exchanging_the_sides_exchanges_whom_ties_count_for(spec):
    game = load_game(spec)
    rules = game.either_side()
    found = known_of(spec)
    board = (1 << rules.cells) - 1
    for state, (richman_o, richman_x, poorman_o, poorman_x) in found.items():
        mirrored = state >> rules.cells & board | (state & board) << rules.cells
        if spec.startswith("wild"):  # marks are nobody's; the bit says who made the last move
            mirrored = state ^ (rules.outcome(state) in (-1, 1)) << 2 * rules.cells
        assert found[mirrored] == (1 - richman_x, 1 - richman_o, 1 - poorman_x, 1 - poorman_o)


def test_the_result_does_not_depend_on_chunks_threads_and_symmetry(monkeypatch):
    spec = "mnk:rows=2,cols=3,k=2,misere=true"
    found = [analysis.running(workers=workers)(by_state)(spec) for workers in (1, 2)]
    monkeypatch.setattr(passes, "CHUNK_MOVES", 64)
    found.append(analysis.running(workers=2)(by_state)(spec))
    assert all(other == found[0] for other in found)
    assert by_state(spec, symmetry="full").items() <= known_of(spec).items()
    assert found[0].items() <= known_of(spec).items()


# One position ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["tictactoe", "bidding:game=tictactoe,chips=4"])
def test_the_published_thresholds_of_tictactoe(spec):
    found = find_thresholds(spec)
    for measure, (numerator, denominator) in TICTACTOE.items():
        assert found[measure].threshold == Fraction(numerator, denominator)
    assert round(float(found["poorman", "O"].ratio), 6) == 1.018375
    assert found["poorman", "X"].ratio == 1 / found["poorman", "O"].ratio
    assert (found.position, found.boards, found.tied, found.over) == ("?" * 9, 2694, True, False)
    assert [t.pays for t in found.thresholds] == ["loser", "loser", "bank", "bank"]


@pytest.mark.parametrize("spec", ["tictactoe", "connect:rows=2,cols=3,k=2", *slow("tictactoe:misere=true", "wild")])
def test_positions_and_placements_are_those_of_the_whole_game(spec):
    game, known = load_game(spec), known_of(spec)
    rules = game.either_side()
    generator = random.Random(5)
    playing = [state for state in known if rules.outcome(state) == ONGOING]
    for state in generator.sample(playing, 4):
        text = game.format_position(state)
        found = find_thresholds(spec, text)
        assert (found.state, found.position) == (state, text)
        children = dict(rules.moves(state))
        for number, threshold in enumerate(found.thresholds):
            assert (threshold.rule, threshold.ties) == MEASURES[number]
            assert threshold.threshold == known[state][number]
            for side, sign in (("X", 1), ("O", -1)):
                placements = threshold.placements[side]
                order = [(sign * p.threshold, p.move) for p in placements]
                assert order == sorted(order)
                codes = {2 * p.move + (side == "O"): p for p in placements}
                assert codes.keys() == {code for code in children if code % 2 == (side == "O")}
                for code, p in codes.items():
                    assert p.threshold == known[children[code]][number]
                    assert p.position == game.format_position(children[code])
                    assert p.name == game.format_move(p.move)


def test_finished_positions():
    for text, thresholds in (("XXX/???/???", [0, 0]), ("??O/XXO/??O", [1, 1]), ("XOX/XOO/OXX", [1, 0])):
        found = find_thresholds("tictactoe", text)
        assert found.over
        assert [t.threshold for t in found.thresholds] == thresholds * 2
        assert all((t.bid, t.winner_places, t.placements) == (None, None, {"X": (), "O": ()}) for t in found.thresholds)
        assert found["richman", "O"].ratio == (None if thresholds[0] else 0)


def test_where_both_lose_by_moving_the_winner_of_the_bid_has_the_other_side_move():
    found = find_thresholds("tictactoe:misere=true", "XX?/XOX/OXO")
    for threshold in found.thresholds:
        assert (threshold.threshold, threshold.bid, threshold.winner_places) == (Fraction(1, 2), Fraction(1, 2), False)


# The bids -------------------------------------------------------------------------------------------------------------


def between(rules, known, state, number):
    """The lesser and the greater threshold that may come, after X's best placement or O's."""
    children = rules.moves(state)
    x = min(known[child][number] for code, child in children if code % 2 == 0)
    o = max(known[child][number] for code, child in children if code % 2 == 1)
    return min(x, o), max(x, o), x <= o


@pytest.mark.parametrize("spec", ["tictactoe", "tictactoe:misere=true", "hex:n=2", *slow("notakto")])
def test_the_bid_keeps_both_sides_what_they_have(spec):
    """On the threshold either side can pay the bid, and has afterwards, whoever pays it, just what it then needs."""
    known, rules = known_of(spec), load_game(spec).either_side()
    playing = [state for state in known if rules.outcome(state) == ONGOING]
    for state in random.Random(3).sample(playing, min(len(playing), 1000)):
        for number, (rule, _) in enumerate(MEASURES):
            low, high, _ = between(rules, known, state, number)
            share, bid = known[state][number], optimal_bid(rule, low, high)
            assert 0 <= bid <= min(share, 1 - share)
            left = 1 if rule == "richman" else 1 - bid
            assert (share - bid) / left == low
            assert (share + bid if rule == "richman" else share / left) == high


# Games of one's own ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Tug(Game):
    """So many steps, each one to the right by X or to the left by O; where it ends is paid, fivefold."""

    family: ClassVar[str] = "tug"
    steps: int = 6
    only_x: bool = False

    def rules(self) -> Rules:
        return self.either_side()

    def either_side(self) -> Rules:
        steps, sides, width = self.steps, 1 if self.only_x else 2, 1 << 8

        def outcome(state: int) -> int:
            return 5 * (2 * (state % width) - steps) if state // width == steps else ONGOING

        def legal_moves(state: int, out) -> int:
            out[0] = 0
            out[sides - 1] = sides - 1
            return sides

        def play(state: int, move: int) -> int:
            return state + width + 1 - move

        def to_move(state: int) -> int:
            return 1

        bounds = (-5 * steps, 5 * steps)
        return Rules(0, 2, legal_moves, play, outcome, to_move, largest_code=1, payoffs=bounds, max_plies=steps)


@pytest.mark.parametrize("steps", [6, 75, *slow(1, 64)])
def test_any_payoffs_and_any_number_of_plies(steps):
    """A Richman threshold is what a walk at random loses with (the theory's own remark): here sums of binomials. More
    than 61 plies do not fit an int64.
    """
    found = find_thresholds(Tug(steps))
    lost = sum(math.comb(steps, right) for right in range(steps + 1) if 2 * right < steps)
    level = math.comb(steps, steps // 2) if steps % 2 == 0 else 0
    assert found["richman", "O"].threshold == Fraction(lost + level, 2**steps)
    assert found["richman", "X"].threshold == Fraction(lost, 2**steps)
    assert found.tied == (steps % 2 == 0)
    if steps <= 6:
        assert by_state(Tug(steps)) == recursion(Tug(steps))


def test_a_side_without_a_move_is_refused():
    with pytest.raises(RulesError, match=r"position 0 has no move for O, but outcome\(\) says that the game goes on"):
        find_thresholds(Tug(1, only_x=True))


# Files and the command line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_tables_of_all_boards(suffix, tmp_path):
    path = tmp_path / f"all.{suffix}"
    found = find_thresholds("tictactoe", out=path)
    table = pd.read_parquet(path) if suffix == "parquet" else pd.read_csv(path, dtype={"position": str})
    assert list(table.columns) == SCHEMA.names
    assert (len(table), table.orbit_size.sum()) == (2694, 18753)
    assert (table.ply == table.position.str.count("[XO]")).all()
    game = load_game("tictactoe")
    assert (table.state == [game.parse_either_side(text) for text in table.position]).all()
    start = table[table.position == "?" * 9].iloc[0]
    for rule, ties in MEASURES:
        exact = [Fraction(text) for text in table[f"{rule}_ties_{ties.lower()}"].astype(str)]
        assert np.array_equal([float(value) for value in exact], table[f"{rule}_ties_{ties.lower()}_float"])
        assert Fraction(start[f"{rule}_ties_{ties.lower()}"]) == found[rule, ties].threshold
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    if suffix == "parquet":
        assert pq.read_schema(path).equals(SCHEMA)


def test_the_command(gametree):
    result = gametree("richman", "tictactoe")
    assert (result.code, result.err) == (0, "")
    for words in (
        "Richman (the winner of a bid pays the loser)",
        "a tie counts for O: X wins with more than 133/256 = 0.51953 of all money and both bid 41/256 = 0.16016 of it",
        "a tie counts for X: X wins or ties with more than 123/256 = 0.48047 of all money",
        "Poorman (the winner of a bid pays the bank)",
        "X wins with more than 396925/786688 = 0.50455 of all money, 1.018375 to 1, and both bid",
        "Boards from here on: 2,694 up to symmetry",
    ):
        assert words in " ".join(result.out.split())
    lines = result.out.splitlines()
    first = lines[next(i for i, line in enumerate(lines) if line.startswith("X's placements")) + 2]
    assert first.split() == ["4", "*", "0.35938", "*", "0.32031", "*", "0.42010", "*", "0.40945"]


def test_json_and_csv(gametree):
    text = "X??/?O?/???"
    found = find_thresholds("tictactoe", text)
    result = gametree("richman", "tictactoe", text, "--format", "json")
    assert result.json == json.loads(json.dumps(found.to_json()))
    assert result.json["thresholds"][0]["threshold"] == str(found["richman", "O"].threshold)
    assert len(result.json["thresholds"][0]["placements"]["X"]) == 7
    rows = gametree("richman", "tictactoe", text, "--format", "csv").rows
    assert [row["threshold"] for row in rows] == [str(t.threshold) for t in found.thresholds]
    assert [row["rule"] + row["ties"] for row in rows] == ["richmanO", "richmanX", "poormanO", "poormanX"]


def test_out_in_the_command(gametree, tmp_path):
    assert gametree("richman", "tictactoe", "XX?/?O?/???", "--out", "some.csv", "--format", "json").code == 0
    table = pd.read_csv(tmp_path / "some.csv")
    assert table.position.iloc[-1] == "XX??O????"
    assert (table.ply.iloc[0], table.ply.iloc[-1]) == (6, 0)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nim",), 2, "has no form in which either side may be given the move"),
        (("nim", "3-4-5"), 2, "has no form in which either side may be given the move"),
        (("tictactoe", "XX"), 2, "this board has 3 rows of 3"),
        (("tictactoe", "XXX/OOO/???"), 2, "play stops at the first"),
        (("wild", "XXX/???/???"), 2, "does not say who completed"),
        (("tictactoe", "--out", "some.txt"), 2, "--out some.txt: thresholds are written as .parquet or .csv"),
        (("tictactoe", "--out", "no/such/some.csv"), 1, "cannot write no/such/some.csv"),
        (("tictactoe", "--format", "xml"), 2, "unknown format 'xml'"),
        (("tictactoe", "--symmetry", "some"), 2, "some"),
    ],
)
def test_refusals(gametree, tmp_path, arguments, code, words):
    one_line(gametree("richman", *arguments), code, words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_is_too_large_is_refused_at_once(gametree):
    one_line(gametree("richman", "connect"), 1, "has about 16,000,000,000,000 classes", "needs about")


def test_the_librarys_refusals(monkeypatch, tmp_path):
    with pytest.raises(SpecError):
        find_thresholds("nim")
    with pytest.raises(OptionError):
        find_thresholds("tictactoe", out=tmp_path / "some.json")
    monkeypatch.setattr(passes.Budget, "of_machine", lambda: passes.Budget(10**6))
    with pytest.raises(TooLargeError, match="thresholds of 2,694 boards of tictactoe"):
        find_thresholds("tictactoe")
