"""Policies that are silent or contradict themselves somewhere, and what else is said of a policy."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import analysis
from analysis.audit import audit, exploit, nash_conv
from analysis.errors import OptionError, PositionError, TooLargeError
from analysis.machine.memory import Budget
from tests.audit.test_exploitability import SIDES, check, fixed_value, graph, own, perfect, random_policy, solution
from tests.support.random_games import load, looping, skipping

# Gaps -----------------------------------------------------------------------------------------------------------------


def ends_by_brute_force(game, policy, sign, gaps):
    """The least and the greatest value over every way to fill the gaps."""
    ways = itertools.product(*([code for code, _ in game.moves[s]] for s in gaps))
    values = [fixed_value(game, policy, sign, filled=dict(zip(gaps, way, strict=True))) for way in ways]
    return max(values, key=lambda v: sign * v), min(values, key=lambda v: sign * v)


def come_to(game, policy, sign, *, beyond):
    """Own positions without a move that arise; ``beyond`` also those behind others without."""
    seen, waiting, gaps = {game.start}, [game.start], []
    for s in waiting:
        children = game.children(s)
        if children and game.to_move(s) == sign and s in policy:
            children = [child for code, child in game.moves[s] if code == policy[s]]
        elif children and game.to_move(s) == sign:
            gaps.append(s)
            children = children if beyond else []
        waiting += [c for c in dict.fromkeys(children) if c not in seen]
        seen |= set(children)
    return gaps


SMALL = ["mnk:rows=2,cols=3,k=2", "dots_and_boxes:rows=1,cols=2", "dodgem:n=2"]


@pytest.mark.parametrize("spec", [*SMALL, pytest.param("tictactoe", marks=pytest.mark.slow)])
def test_partial_policies(spec):
    rng, game, intervals, tried = random.Random(3), graph(spec), 0, 0
    while tried < (4 if spec == "tictactoe" else 10):
        side, sign = rng.choice(list(SIDES.items()))
        policy = perfect(spec, sign) if rng.random() < 0.7 else random_policy(game, sign, rng)
        arise = reached(game, policy, sign)
        arise = [s for s in policy if s in arise and len(game.moves[s]) > 1]
        for s in rng.sample(arise, min(rng.randint(1, 3), len(arise))):
            policy.pop(s)
        gaps = come_to(game, policy, sign, beyond=True)
        if not gaps or math.prod(len(game.moves[s]) for s in gaps) > 64:
            continue
        found = exploit(solution(spec), policy, side)
        assert (found.value_at_best, found.value_at_worst) == ends_by_brute_force(game, policy, sign, gaps)
        assert found.least <= found.most
        assert found.gaps == len(come_to(game, policy, sign, beyond=False))
        assert found.gap_example in gaps
        intervals += found.exact is None
        tried += 1
    assert intervals


def reached(game, policy, sign):
    seen, waiting = {game.start}, [game.start]
    for s in waiting:
        children = [c for code, c in game.moves[s] if game.to_move(s) != sign or policy.get(s, code) == code]
        waiting += [c for c in dict.fromkeys(children) if c not in seen]
        seen |= set(children)
    return seen


def test_random_graphs_with_gaps():
    rng, intervals, loops = random.Random(11), 0, 0
    for turn in range(60):
        made = looping(rng, rng.randint(4, 14), tiered=False) if turn % 2 else skipping(rng, rng.randint(4, 20))
        game, oracle = load(made), made.oracle()
        solved = analysis.solve(game, counts=False)
        side, sign = rng.choice(list(SIDES.items()))
        policy = {s: code for s, code in random_policy(oracle, sign, rng).items() if rng.random() < 0.6}
        gaps = come_to(oracle, policy, sign, beyond=True)
        if len(gaps) > 4:
            continue
        found = exploit(solved, {str(s): code for s, code in policy.items()}, side)
        assert (found.value_at_best, found.value_at_worst) == ends_by_brute_force(oracle, policy, sign, gaps)
        intervals += found.exact is None
        loops += oracle.loopy
    assert intervals > 2
    assert loops > 5


# What else is said ----------------------------------------------------------------------------------------------------


def test_a_function_is_asked_once_for_each_position_that_arises():
    asked = []

    def policy(position):
        asked.append(position)
        return position.index("?")

    found = exploit("tictactoe", policy, "O")
    assert len(asked) == len(set(asked)) == found.positions
    game = graph("tictactoe")
    first_free = {s: s.index("?") for s in own(game, -1)}
    assert set(asked) == set(first_free) & reached(game, first_free, -1)
    check("tictactoe", first_free, "O", found)


def test_a_silent_function_is_like_no_policy():
    found = exploit(solution("tictactoe"), lambda position: None, "X")
    assert (found.least, found.most, found.gaps, found.gap_example) == (0, 1, 1, "?????????")
    assert found.line is None


def test_from_a_position():
    found = exploit("tictactoe", {"XOX?O????": 7}, "X", position="XOX?O????")
    assert (found.value, found.positions, found.gaps, found.unused) == (0, 5, 4, 0)
    over = exploit("tictactoe", {}, "O", position="XXXOO????")
    assert (over.exact, over.positions, over.line) == (0, 0, None)


@pytest.mark.parametrize(
    ("policy", "side", "error", "words"),
    [
        ({"X????????": 0}, "O", PositionError, r"the policy's move 0 is not legal in X\?{8}; legal are 1 2 3"),
        (lambda position: 9, "O", PositionError, "the policy's move 9 is not legal in"),
        ({"X????????": 1, "X??/???/???": 2}, "O", PositionError, "two moves for"),
        *((lambda _, move=move: move, "X", PositionError, "neither a code nor") for move in (True, 1e999, b"4", [4])),
        ({9: 1}, "O", PositionError, "there is no cell 9"),
        ({("X",): 1}, "O", PositionError, "'X' is no move"),
        ({"XX???????": 2}, "O", PositionError, "has 2 X and 0 O"),
        ({}, "Z", OptionError, "side 'Z' is none; it is X or O"),
        (lambda position: None, "O", TooLargeError, "can reach more than 100 positions"),
    ],
)
def test_wrong_policies(policy, side, error, words):
    with pytest.raises(error, match=words):
        exploit(solution("tictactoe"), policy, side, max_positions=100)


def write(path, policies):
    rows = ["position,move,player"]
    rows += [f"{s},{code},{player}" for player, policy in policies.items() for s, code in policy.items()]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.slow
def test_files_of_choices(gametree, tmp_path):
    game, rng = graph("tictactoe"), random.Random(2)
    both, only = {}, perfect("tictactoe", 1)
    for sign in SIDES.values():
        policy = random_policy(game, sign, rng)
        both |= {s: policy[s] for s in policy.keys() & reached(game, policy, sign)}
    only = {s: only[s] for s in only.keys() & reached(game, only, 1)}
    path = write(tmp_path / "c.csv", {"both": both, "only": only})
    found = audit(solution("tictactoe"), path)
    first, second = found.policies
    for side in SIDES:
        assert first.sides[side] == exploit(solution("tictactoe"), both, side)
    assert first.nash_conv == nash_conv(first.sides["X"], first.sides["O"])
    assert (second.player, second.sides["O"], second.nash_conv) == ("only", None, None)
    assert second.sides["X"].exact == 0
    data = gametree("audit", "tictactoe", path, "--format", "json").json
    assert [row["player"] for row in data["exploitability"]] == ["both", "only"]
    assert data["exploitability"][0]["nash_conv"] == first.nash_conv[0]
    assert data["exploitability"][0]["X"]["line"]["path"] == first.sides["X"].line.path
    assert data["exploitability"][1]["O"] is None
    out = gametree("audit", "tictactoe", path).out
    assert f"NashConv, the sum: {first.nash_conv[0]}" in out
    assert "as O: not covered, no row" in out
    assert f"a shortest line that costs most: {first.sides['X'].line.path}, O wins" in out


@pytest.mark.slow
def test_contradictions_are_left_out(gametree, tmp_path):
    path = write(tmp_path / "c.csv", {"me": perfect("tictactoe", -1)})
    with path.open("a") as file:
        file.write("X????????,1,me\nX????????,4,me\n????X????,0,me\n")
    (policy,) = audit(solution("tictactoe"), path).policies
    assert (policy.contradictions, policy.contradiction) == (1, ("X????????", (4, 1)))
    found = policy.sides["O"]
    assert (found.gaps, found.gap_example, found.least, found.most) == (0, None, 0, 1)
    assert (found.contradictions, found.contradiction_example) == (1, "X????????")
    out = " ".join(gametree("audit", "tictactoe", path).out.split())
    assert "further positions, where rows contradict each other: 1, such as X????????: 4 and 1" in out
    assert "as O: 0 to 1, depending on what it plays where its rows contradict each other, and beyond" in out
    assert "without a row" not in out
    assert "of these with rows that contradict each other: 1, such as X????????; any of the moves they name" in out


@pytest.mark.slow
def test_contradicting_rows_allow_what_they_name():
    """Both answers to the corner that rows name lose, so that the loss is sure although they contradict each other."""
    rows = [{"position": "X????????", "move": move} for move in (1, 2, 1)]
    rows += [{"position": s, "move": code} for s, code in perfect("tictactoe", -1).items() if s != "X????????"]
    (policy,) = audit(solution("tictactoe"), rows).policies
    found = policy.sides["O"]
    assert (found.exact, found.gaps, found.contradictions) == (1, 0, 1)


def test_a_side_with_contradicting_rows_only_is_covered():
    rows = [{"position": "?????????", "move": move} for move in (4, 0, 8)]
    (policy,) = audit(solution("tictactoe"), rows).policies
    assert (policy.positions, policy.contradictions, policy.contradiction) == (0, 1, ("?????????", (4, 0, 8)))
    found = policy.sides["X"]
    assert (found.gaps, found.contradictions, found.positions, found.unused) == (0, 1, 1, 0)
    assert (found.least, found.most) == (0, 1)
    assert policy.sides["O"] is None


@pytest.mark.parametrize("spec", [*SMALL, pytest.param("tictactoe", marks=pytest.mark.slow)])
def test_contradictions_against_every_way_to_settle_them(spec):
    rng, game = random.Random(5), graph(spec)
    for turn in range(2 if spec == "tictactoe" else 6):
        side, sign = list(SIDES.items())[turn % 2]
        policy = perfect(spec, sign) if turn % 3 else random_policy(game, sign, rng)
        arise = reached(game, policy, sign)
        several = [s for s in policy if s in arise and len(game.moves[s]) > 1]
        named = {s: rng.sample([c for c, _ in game.moves[s]], 2) for s in rng.sample(several, min(3, len(several)))}
        rows = [{"position": s, "move": code} for s, code in policy.items() if s not in named]
        rows += [{"position": s, "move": code} for s, codes in named.items() for code in codes]
        rng.shuffle(rows)
        values = [
            sign * fixed_value(game, policy, sign, filled=dict(zip(named, codes, strict=True)))
            for codes in itertools.product(*named.values())
        ]
        found = audit(solution(spec), rows).policies[0].sides[side]
        assert (sign * found.value_at_best, sign * found.value_at_worst) == (max(values), min(values))
        assert found.gaps == 0
        assert found.contradictions <= len(named)


def test_too_many_positions_are_said(gametree, tmp_path):
    path = write(tmp_path / "c.csv", {"me": {"X????????": 4}})
    result = gametree("audit", "tictactoe", path, "--max-positions", 50)
    assert result.code == 0
    assert "not known: a best response to the policy can reach more than 50 positions" in result.out
    refused = gametree("audit", "tictactoe", path, "--max-positions", 0)
    assert (refused.code, refused.out) == (2, "")
    assert "--max-positions" in refused.err


def test_a_best_response_is_planned_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.audit.exploitability.Budget.of_machine", lambda: Budget(300_000))
    with pytest.raises(TooLargeError, match=r"reaches 2\d\d positions or more, needs about 3\d\d kB of memory and 300"):
        exploit(solution("tictactoe"), lambda position: None, "O")
    path = write(tmp_path / "c.csv", {"me": {"X????????": 4}})
    (policy,) = audit(solution("tictactoe"), path).policies
    assert "kB of memory and 300 kB are free" in policy.left_out
    monkeypatch.setattr("analysis.audit.exploitability.Budget.of_machine", lambda: Budget(1_000_000))
    assert exploit(solution("tictactoe"), lambda position: position.index("?"), "O").exact == 1


def test_of_many_policies_each_is_known(gametree, tmp_path):
    path = write(tmp_path / "c.csv", {f"p{number}": {"X????????": 4} for number in range(21)})
    data = gametree("audit", "tictactoe", path, "--format", "json").json
    assert [row["left_out"] for row in data["exploitability"]] == [None] * 21
    assert {row["O"]["gaps"] for row in data["exploitability"]} == {exploit("tictactoe", {"X????????": 4}, "O").gaps}
    assert "21 policies" in gametree("audit", "tictactoe", path).out
