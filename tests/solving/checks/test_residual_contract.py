"""`gametree check` finds what is wrong with residual states, and `verify` refuses a table that is not of them."""

import dataclasses
from pathlib import Path

import pytest

import analysis
from analysis.errors import RulesError, VerificationError
from analysis.games.families import load_game
from analysis.games.mnk import TicTacToe
from analysis.rules.game import Residual
from analysis.solving.checks.suite import check_game
from analysis.solving.to_directory import solve_to_directory
from tests.support.program import ROOT

HEAPS = f"{ROOT / 'tests' / 'support' / 'residual_heaps.py'}:Heaps"


def failures(game):
    return {failed.check: failed.fault for failed in check_game(game, games=60).failures}


def test_a_user_game_keeps_the_contract():
    assert failures(HEAPS) == {}


@pytest.mark.parametrize("fault", ["mark", "permutation", "multiplicity"])
def test_planted_faults(fault):
    found = failures(f"{HEAPS}:fault={fault}")
    assert list(found) == ["promises"]
    assert "position" in found["promises"].message


def test_other_numbers_where_it_is_compiled():
    assert next(iter(failures(f"{HEAPS}:fault=overflow"))) == "residual()"


@dataclasses.dataclass(frozen=True)
class Spoilt(TicTacToe):
    """Tic-tac-toe whose residual states are changed."""

    family = "spoilt"
    fault: str = ""

    def residual(self) -> Residual:
        """What is left, spoilt."""
        residual = super().residual()
        of, rules = residual.of, residual.rules
        if self.fault == "early":  # O's first mark is forgotten
            return dataclasses.replace(residual, of=lambda state: of(state & 511 | 1 << 17 if state >> 9 else state))
        if self.fault == "start":
            return dataclasses.replace(residual, rules=dataclasses.replace(rules, start=rules.start + 1))
        if self.fault == "float":
            return dataclasses.replace(residual, of=lambda state: of(state) / 1)
        if self.fault == "overflow":  # 1 in plain Python, and 0 where numbers have 64 bits
            return dataclasses.replace(
                residual, of=lambda state: of(state) ^ 1 - ((state | 1) * (1 << 62) * 4 // (1 << 62) // 4 & 1)
            )
        if self.fault == "nothing":
            return None
        if self.fault == "of raises":
            return dataclasses.replace(residual, of=lambda state: 1 // (state - rules.start + state))
        if self.fault == "of nothing":
            return dataclasses.replace(residual, of=lambda state: None)
        if self.fault == "text":
            return dataclasses.replace(residual, text=lambda state: None)
        if self.fault == "payoffs":
            return dataclasses.replace(residual, rules=dataclasses.replace(rules, payoffs=(-2, 2)))
        if self.fault == "outcome":
            other = rules.outcome
            return dataclasses.replace(
                residual, rules=dataclasses.replace(rules, outcome=lambda state: abs(other(state)))
            )
        raise ValueError(self.fault)


@pytest.mark.parametrize(
    ("fault", "check"),
    [("early", "promises"), ("start", "residual()"), ("float", "residual()"), ("payoffs", "residual()"),
     ("outcome", "promises"), ("raises", "residual()"), ("nothing", "residual()"), ("of raises", "residual()"),
     ("of nothing", "residual()"), ("text", "residual()"),
     pytest.param("overflow", "residual()", marks=pytest.mark.slow)],
)  # fmt: skip
def test_wrong_residuals(fault, check):
    assert next(iter(failures(Spoilt(fault=fault)))) == check


MINE = """
import dataclasses
from analysis.errors import SymmetryError
from analysis.games.mnk import Mnk
@dataclasses.dataclass(frozen=True)
class Mine(Mnk):
    def residual(self):
        residual = super().residual()
        {line}
"""


@pytest.mark.parametrize(
    "line",
    ["pass", "raise ValueError('such')", "raise SystemExit(0)", "return dataclasses.replace(residual, of=len)",
     "return dataclasses.replace(residual, of=lambda state: None)"],
)  # fmt: skip
def test_a_file_whose_residual_is_none(line, gametree):
    Path("mine.py").write_text(MINE.format(line=line))
    found = gametree("check", "mine.py:Mine", "--format", "json")
    assert found.code == 1
    assert [each["check"] for each in found.json["checks"] if each["result"] == "failed"] == ["residual()"]
    refused = gametree("solve", "mine.py:Mine", "--symmetry", "residual", "--out", "s")
    assert (refused.code, refused.out, refused.err.count("gametree: ")) == (1, "", 1)
    assert "residual" in refused.err
    assert not Path("s").exists()


def test_a_file_whose_residual_does_not_fit(gametree):
    Path("mine.py").write_text(MINE.format(line="raise SymmetryError('too large a board')"))
    assert gametree("check", "mine.py:Mine").code == 0


def test_verify_plays_positions_beside_their_classes(monkeypatch, tmp_path):
    """A table of true residual classes, into which positions are mapped wrong."""
    solve_to_directory(HEAPS, tmp_path / "heaps", symmetry="residual")
    assert analysis.verify(tmp_path / "heaps").classes == 68
    residual = load_game(HEAPS).residual()
    forgetful = load_game(f"{HEAPS}:fault=mark").residual()
    wrong = dataclasses.replace(residual, of=forgetful.of)
    monkeypatch.setattr("analysis.engine.engine.residual_of", lambda game: wrong)  # what is asked once is kept
    with pytest.raises(RulesError, match="at position 31"):
        analysis.verify(tmp_path / "heaps")
    monkeypatch.setattr("analysis.solution.verification.verify.try_promises", lambda *_: None)
    with pytest.raises(VerificationError, match="its moves lead to other classes"):
        analysis.verify(tmp_path / "heaps")


@pytest.mark.parametrize("fault", ["mover", "multiplicity", "permutation"])
def test_verify_finds_classes_that_are_solved_by_other_rules(fault, tmp_path, monkeypatch):
    """Tables that follow from residual rules, which are not those of the game: solve refuses what it tries out."""
    with pytest.raises(RulesError, match="position"):
        analysis.solve(f"{HEAPS}:fault={fault}", symmetry="residual")
    monkeypatch.setattr("analysis.engine.promises.refuse_few", lambda *_: None)
    monkeypatch.setattr("analysis.engine.promises.prove", lambda *_: None)
    solve_to_directory(f"{HEAPS}:fault={fault}", tmp_path / "heaps", symmetry="residual")
    with pytest.raises((RulesError, VerificationError), match="position"):
        analysis.verify(tmp_path / "heaps")
