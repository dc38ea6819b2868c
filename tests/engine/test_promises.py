"""What rules promise is proven by a solve: a false promise is refused, or what is found is right all the same."""

from pathlib import Path
from typing import Any

import pytest

import analysis
from analysis.engine import promises
from analysis.errors import RulesError
from analysis.rules.game import Game
from analysis.solving.to_directory import solve_to_directory
from tests.support.faulty_rules import KINDS, Faulty, brute_numbers

HOW = {"lines": "full", "residual": "residual"}


def found(game: Game, symmetry: str) -> dict[str, Any]:
    """The numbers that a solve finds, as `brute_numbers` has them."""
    solution = analysis.solve(game, symmetry=symmetry)
    stats = solution.statistics()
    games = {end: stats[f"games_{end}"] for end in ("x", "o", "tie")}
    return {"value": stats["value"], **games, "positions": stats["positions"], "moves": stats["moves"]}


def is_refused(game: Game, symmetry: str) -> bool:
    """Whether a solve refuses the game; what it finds otherwise is right."""
    right = brute_numbers(game.rules())
    try:
        numbers = found(game, symmetry)
    except RulesError:
        return True
    assert {name: number for name, number in numbers.items() if number is not None} == {
        name: right[name] for name in numbers if numbers[name] is not None
    }
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_a_false_promise_is_refused_or_harmless(kind: str) -> None:
    refused = [is_refused(Faulty(kind, seed), HOW.get(kind, "geometric")) for seed in range(3)]
    assert any(refused), kind


def test_sound_rules_are_proven() -> None:
    solution = analysis.solve(Faulty("none", 1))
    assert solution.promises == promises.Tried(len(solution), len(solution))
    assert analysis.solve("tictactoe").promises is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 70))
def test_no_fault_is_silent(seed: int) -> None:
    """60 random games, every kind of fault in turn."""
    kind = KINDS[seed % len(KINDS)]
    is_refused(Faulty(kind, seed), HOW.get(kind, "geometric"))


def test_large_games_are_tried_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "MOST_CLASSES", 10)
    monkeypatch.setattr(promises, "TRIED", 50)
    tried = analysis.solve(Faulty("none", 1)).promises
    assert tried is not None
    assert tried.of is not None
    assert 10 <= tried.tried < tried.of


def test_a_state_at_two_plies_is_found_among_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "EXACT", 0)
    monkeypatch.setattr("analysis.engine.passes.forward_by_ply.EXACT", 0)
    monkeypatch.setattr("analysis.engine.passes.forward_by_ply.SAMPLE", 1)
    with pytest.raises(RulesError, match="occurs after"):
        analysis.solve(Faulty("two plies", 2))


@pytest.mark.parametrize("kind", ["symmetries end", "canonical", "orbit_size", "residual"])
def test_verify_and_check_refuse_what_a_solve_took_on_trust(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(__file__).parents[1] / "support" / "faulty_rules.py"
    game, symmetry = f"{path}:Faulty:kind={kind},seed=3", HOW.get(kind, "geometric")
    with monkeypatch.context() as trusting:
        trusting.setattr("analysis.engine.promises.refuse_few", lambda *_: None)
        trusting.setattr("analysis.solving.to_directory.proven", lambda *_: None)
        solution = solve_to_directory(game, tmp_path / "solved", symmetry=symmetry)
    assert solution.promises is None
    with pytest.raises(RulesError):
        analysis.verify(tmp_path / "solved")
    report = analysis.check_game(game, games=1, every=True)
    assert not report.passed
