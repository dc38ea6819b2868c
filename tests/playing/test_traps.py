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


def expected(after, value, mover, s, preferred=None):
    """Of each move that keeps the value: replies, those that keep it, and what the preferred ones lose."""
    found = {}
    for code, child in after(s):
        lost = {reply: mover(s) * (value(each) - value(child)) for reply, each in after(child)}
        if value(child) != value(s):
            continue
        if not lost or mover(child) == mover(s):
            found[code] = (None,) * 5
            continue
        assert min(lost.values()) == 0
        played = [lost[reply] for reply in preferred(child)] if preferred else [*lost.values()]
        share = Fraction(1, len(played))
        kept = [*lost.values()].count(0)
        found[code] = len(lost), kept, share * sum(loss > 0 for loss in played), share * sum(played), max(played)
    return found


def found_of(traps):
    return {move.move: (move.replies, move.keeping, move.chance, move.loss, move.most) for move in traps.moves}


@pytest.mark.parametrize("level", LEVELS)
def test_tictactoe_by_brute_force(level):
    oracle, solution = Oracle(3, 3, 3), tictactoe()
    positions = [s for tier in oracle.tiers() for s in tier if oracle.moves(s)]

    def after(s):
        return [(cell, oracle.play(s, cell)) for cell in oracle.moves(s)]

    def mover(s):
        return 1 if oracle.to_move(s) == "X" else -1

    for s in positions[:: 13 if level == "random" else 50]:
        found = find_traps(solution, s, against=level)
        assert found_of(found) == expected(after, oracle.value, mover, s, lambda s: LEVELS[level](oracle, s))
        chances = [-1 if move.chance is None else move.chance for move in found.moves]
        assert chances == sorted(chances, reverse=True)
        assert (found.position, found.to_move, found.value) == (s, oracle.to_move(s), oracle.value(s))


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
        wanted = expected(oracle.moves.__getitem__, oracle.value, oracle.to_move, s)
        assert found_of(find_traps(solution, solution.game.format_position(s), max_classes=10)) == wanted
        again += any(oracle.moves[child] and wanted.get(code) == (None,) * 5 for code, child in oracle.moves[s])
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
