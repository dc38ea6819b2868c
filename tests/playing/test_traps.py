"""Traps and lines of only moves, compared with dicts, recursion over positions and rounds."""

import functools
import random
from fractions import Fraction

import pytest

import analysis
from analysis.engine.tiers import ValueRecord
from analysis.errors import OptionError, PositionError, RulesNeededError, SpecError
from analysis.games import families
from analysis.playing import find_player, find_traps
from analysis.playing.traps import only_moves, returned
from tests.support.graph_oracle import oracle_of
from tests.support.level_oracle import preferred
from tests.support.oracle import Oracle
from tests.support.random_games import load, looping
from tests.support.solved_kinds import USER


@functools.cache
def tictactoe():
    return analysis.solve("tictactoe")


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


@pytest.mark.parametrize("level", ["random", "greedy", "perfect"])
def test_tictactoe_by_brute_force(level):
    oracle, solution = Oracle(3, 3, 3), tictactoe()
    positions = [s for tier in oracle.tiers() for s in tier if oracle.moves(s)]

    def after(s):
        return [(cell, oracle.play(s, cell)) for cell in oracle.moves(s)]

    def mover(s):
        return 1 if oracle.to_move(s) == "X" else -1

    for s in positions[:: 13 if level == "random" else 50]:
        found = find_traps(solution, s, against=level)
        assert found_of(found) == expected(after, oracle.value, mover, s, lambda s: preferred(oracle, level, s))
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
    oracle = oracle_of(solution.game)
    unfinished = [s for s in oracle.positions if oracle.moves[s]]
    again = 0
    for s in unfinished[:: max(1, len(unfinished) // 60)]:
        wanted = expected(oracle.moves.__getitem__, oracle.value, oracle.to_move, s)
        assert found_of(find_traps(solution, solution.game.format_position(s), max_classes=10)) == wanted
        again += any(oracle.moves[child] and wanted.get(code) == (None,) * 5 for code, child in oracle.moves[s])
    assert again or not spec.startswith("dots")


def test_levels_reply_as_they_play():
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


def longest(children, value, mover, side):
    """Recursion as the definition has it: how many only moves the longest line has, and how few plies it may take."""

    @functools.cache
    def found(s):
        after = children(s)
        keeping = [child for child in after if value(child) == value(s)]
        if mover(s) == side and len(keeping) != 1:
            return 0, 0
        counts = mover(s) == side and len(after) > 1
        options = [(0, 0)] if not after else [found(child) for child in keeping]
        return max(((n + counts, plies - 1) if n + counts else (0, 0) for n, plies in options), default=(0, 0))

    return found


def check(solution, state, side, count, plies):
    """A line is as long as it should be, and every step of it is as the definition says."""
    line = returned(only_moves(solution, state, side))
    joined = solution.engine.rules.largest_code > 9
    codes = [int(code) for code in (line.path.split("-") if joined and line.path else line.path)]
    assert (line.side, line.count, line.complete) == ("X" if side > 0 else "O", count, True)
    if plies is not None:
        assert len(line.names) == len(codes) == plies
    met, states = walk(solution, state, side, codes)
    assert count is None or met == count
    assert line.to_json()["endless"] == (count is None) == (states[-1] in states[:-1])


def walk(solution, state, side, codes):
    met, value, states = 0, solution.lookup(state).value, [state]
    for code in codes:
        look = solution.look(state, ValueRecord)
        keeping = [child for child in look.children if child.record.value == value]
        child = next(each for each in look.children if each.move == code)
        assert child in keeping
        if look.record.to_move == side:
            assert len(keeping) == 1
            met += len(look.children) > 1
        state = child.state
        states.append(state)
    return met, states


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("tictactoe", marks=pytest.mark.slow),
        "connect:rows=3,cols=4,k=3",
        "nim:heaps=1-2-3",
        "dots_and_boxes:rows=1,cols=2",
        "kayles:pins=7",
        pytest.param("othello:size=4", marks=pytest.mark.slow),
    ],
)
def test_games_by_brute_force(spec):
    """Falling stones, impartial games, scores with extra turns, passes."""
    solution = analysis.solve(spec)
    oracle = oracle_of(solution.game)
    for side in (1, -1):
        found = longest(oracle.children, oracle.value, oracle.to_move, side)
        for s in oracle.positions[:: max(1, len(oracle.positions) // 300)]:
            count, plies = found(s)
            check(solution, s, side, count, -plies)


@pytest.mark.parametrize("spec", [pytest.param("morris", marks=pytest.mark.slow), "dodgem:n=2", "hexapawn"])
def test_loopy_games_by_rounds(spec):
    solution = analysis.solve(spec)
    assert by_rounds(solution, oracle_of(solution.game), 240, 400) == 0


def test_random_loopy_games_by_rounds():
    """Where the same side may move again, and return to where it is; most go on for ever somewhere."""
    endless = 0
    for seed in range(80):
        rng = random.Random(seed)
        graph = looping(rng, rng.randint(10, 40), tiered=seed % 2 == 1)
        oracle = graph.oracle()
        endless += by_rounds(analysis.solve(load(graph), workers=1), oracle, 2 * len(oracle.positions), 1000) > 0
    assert endless > 5


def by_rounds(solution, oracle, plies, most):
    """The longest line of so many plies: where it grows with them there is no end of it. How often that is so."""
    endless = 0
    for side in (1, -1):
        edges = {s: keeping(oracle, s, side) for s in oracle.positions}
        rounds = [dict.fromkeys(oracle.positions, 0)]
        for _ in range(2 * plies):
            last = rounds[-1]
            rounds.append(
                {s: max((last[c] for c in after), default=0) + counts for s, (counts, after) in edges.items()}
            )
        for s in oracle.positions[:: max(1, len(oracle.positions) // most)]:
            goes_on = rounds[-1][s] > rounds[plies][s]
            endless += goes_on
            check(solution, s, side, None if goes_on else rounds[-1][s], None)
    return endless


def keeping(oracle, s, side):
    after = oracle.children(s)
    kept = [child for child in after if oracle.value(child) == oracle.value(s)]
    if oracle.to_move(s) != side:
        return 0, kept
    return (int(len(after) > 1), kept) if len(kept) == 1 else (0, [])


def test_what_is_not_looked_at_is_said():
    solution = analysis.solve("connect:rows=4,cols=4")
    state = solution.find("value=tie and only_move and remoteness=12", limit=1)[0].state
    side = solution.lookup(state).to_move
    whole = returned(only_moves(solution, state, side))
    few = returned(only_moves(solution, state, side, most=1))
    assert whole.complete
    assert not few.complete
    assert 1 <= few.count <= whole.count
