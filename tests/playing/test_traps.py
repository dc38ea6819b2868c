"""Traps: every number compared with dicts and recursion over positions."""

from __future__ import annotations

import functools
from fractions import Fraction

import pytest

import analysis
from analysis.errors import OptionError, PositionError, RulesNeededError, SpecError
from analysis.games import families
from analysis.playing import find_player, find_traps
from tests.support.graph_oracle import GraphOracle
from tests.support.oracle import Oracle
from tests.support.solved_kinds import USER


@functools.cache
def tictactoe():
    return analysis.solve("tictactoe")


def greedy(oracle, s):
    """As docs/playing.md says it."""
    side, other = (1, -1) if oracle.to_move(s) == "X" else (-1, 1)
    after = {cell: oracle.play(s, cell) for cell in oracle.moves(s)}
    wins = [cell for cell, child in after.items() if oracle.outcome(child) == side]
    lost = [
        cell for cell, child in after.items() if any(oracle.outcome(each) == other for each in oracle.children(child))
    ]
    return wins or [cell for cell in after if cell not in lost] or list(after)


LEVELS = {
    "random": lambda oracle, s: oracle.moves(s),
    "greedy": greedy,
    "perfect": lambda oracle, s: [c for c in oracle.moves(s) if oracle.value(oracle.play(s, c)) == oracle.value(s)],
}


@pytest.mark.parametrize("level", LEVELS)
def test_tictactoe_by_brute_force(level):
    oracle, solution = Oracle(3, 3, 3), tictactoe()
    positions = [s for tier in oracle.tiers() for s in tier if oracle.moves(s)]
    for s in positions[:: 13 if level == "random" else 50]:
        found = find_traps(solution, s, against=level)
        wanted = {}
        for cell in oracle.moves(s):
            child = oracle.play(s, cell)
            if oracle.value(child) == oracle.value(s):
                wanted[cell] = told(oracle, child, LEVELS[level])
        assert {m.move: (m.replies, m.keeping, m.chance, m.loss, m.most) for m in found.moves} == wanted
        chances = [-1 if move.chance is None else move.chance for move in found.moves]
        assert chances == sorted(chances, reverse=True)
        assert (found.position, found.to_move, found.value) == (s, oracle.to_move(s), oracle.value(s))


def told(oracle, child, preferred):
    """How the replies to a move turn out."""
    replies = oracle.moves(child)
    if not replies:
        return (None,) * 5
    sign, played = (1 if oracle.to_move(child) == "X" else -1), preferred(oracle, child)
    lost = {cell: sign * (oracle.value(child) - oracle.value(oracle.play(child, cell))) for cell in replies}
    share = Fraction(1, len(played))
    return (
        len(replies), sum(not loss for loss in lost.values()), share * sum(lost[cell] > 0 for cell in played),
        share * sum(lost[cell] for cell in played), max(lost[cell] for cell in played),
    )  # fmt: skip


def test_the_worst_trap_of_tictactoe():
    """A corner leaves O one safe reply of eight: no move of the whole game leaves less."""
    solution = tictactoe()
    start = find_traps(solution)
    assert [(m.move, m.chance) for m in start.moves[:4]] == [(cell, Fraction(7, 8)) for cell in (0, 2, 6, 8)]
    assert {m.move: m.chance for m in start.moves[4:]} == dict.fromkeys((1, 3, 4, 5, 7), Fraction(1, 2))
    every = [
        m.chance or 0
        for each in solution.find("not terminal", limit=999)
        for m in find_traps(solution, each.position).moves
    ]
    assert max(every) == Fraction(7, 8) == solution.find(order="trap", limit=1)[0].trap


@pytest.mark.parametrize(
    "spec",
    [
        "connect:rows=3,cols=4,k=3",
        "dots_and_boxes:rows=1,cols=2",
        pytest.param("othello:size=4", marks=pytest.mark.slow),
        "nim:heaps=1-2-3",
        "morris",
        "dodgem",
    ],
)
def test_other_games_by_brute_force(spec):
    """Falling stones, scores with extra turns, passes, own symmetries, loops."""
    solution = analysis.solve(spec)
    rules = solution.game.rules()
    oracle = GraphOracle(rules.start, rules.moves, rules.outcome, rules.to_move)
    unfinished = [s for s in oracle.positions if oracle.moves[s]]
    again = 0
    for s in unfinished[:: max(1, len(unfinished) // 60)]:
        side, value = oracle.to_move(s), oracle.value(s)
        found = find_traps(solution, solution.game.format_position(s), max_classes=10)
        wanted = {}
        for code, child in oracle.moves[s]:
            if oracle.value(child) != value:
                continue
            if not oracle.moves[child] or oracle.to_move(child) == side:
                wanted[code] = (None,) * 5
                again += bool(oracle.moves[child])
                continue
            lost = [side * (oracle.value(each) - value) for each in oracle.children(child)]
            wrong = sum(loss > 0 for loss in lost)
            assert min(lost) == 0
            wanted[code] = (
                len(lost), len(lost) - wrong, Fraction(wrong, len(lost)), Fraction(sum(lost), len(lost)), max(lost)
            )  # fmt: skip
        assert {m.move: (m.replies, m.keeping, m.chance, m.loss, m.most) for m in found.moves} == wanted
    assert again or not spec.startswith("dots")


def test_levels_reply_as_they_play():
    """Exact probabilities of the level itself, nothing drawn."""
    solution = tictactoe()
    for level in ("depth:1", "depth:3", "blunder:1/10", "perfect:shortest"):
        player = find_player(level, "tictactoe")
        for move in find_traps(solution, "0", against=level).moves + find_traps(solution, "04", against=level).moves:
            if move.chance is None:
                continue
            shares = player.distribution(move.position)
            after = solution[move.position]
            assert move.chance == sum(shares[each.move] for each in after.moves if not each.optimal)
    assert {move.chance for move in find_traps(solution, against="blunder:1/10").moves} == {
        Fraction(7, 80),
        Fraction(1, 20),
    }
    assert {move.chance for move in find_traps(solution, against="depth:9").moves} == {0}


def test_stored_solutions_and_games_by_name(tmp_path):
    analysis.solve("tictactoe", directory=tmp_path / "s")
    for game in (str(tmp_path / "s"), "tictactoe", analysis.open_solution(tmp_path / "s")):
        assert find_traps(game, "X???O????").moves == find_traps(tictactoe(), "04").moves


def test_what_has_no_traps(tmp_path, monkeypatch):
    for settings, error in (
        (("tictactoe", "XXXOO????"), PositionError),
        (("tictactoe", "XXXXX????"), PositionError),
        (("bidding:game=tictactoe,chips=4",), OptionError),
        (("nosuchgame",), SpecError),
    ):
        with pytest.raises(error):
            find_traps(*settings)
    with pytest.raises(OptionError, match="no such level"):
        find_traps("nosuchgame", against="strong")
    monkeypatch.setattr(families, "_NAMED", {})
    (tmp_path / "count.py").write_text(USER)
    known = find_traps(analysis.solve("count.py:Count", directory="s", workers=1))
    assert [(move.name, move.replies, move.chance) for move in known.moves] == [("2", 2, 0)]
    families._NAMED.clear()  # as in another process
    with pytest.raises(RulesNeededError):
        find_traps("s")
