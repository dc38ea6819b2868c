"""Rules that break their contract in a way that `solve` meets: refused in one line that names the place."""

import dataclasses
import re
from typing import Any, ClassVar

import pytest

import analysis
from analysis.errors import PositionError, RulesError, VerificationError
from analysis.rules.game import ONGOING, Game, Rules
from analysis.solution.verification.verify import verify
from analysis.solving.to_directory import solve_to_directory
from tests.support.graph_oracle import oracle_of
from tests.support.own_game import free_cells, own_game
from tests.support.program import one_line


@dataclasses.dataclass(frozen=True)
class Walk(Game):
    """Add 1 or 2 until 6 is reached; X and O in turn, which bit 8 says. ``wrong`` says what is broken."""

    family: ClassVar[str] = "walk"
    wrong: str = ""

    def rules(self) -> Rules:  # noqa: C901 - one branch for each fault
        wrong = self.wrong
        codes = (300, 1) if wrong == "code" else (0, 1)
        many, negative = wrong == "many", wrong == "negative"

        def legal_moves(state, out):
            if many:
                for i in range(9):
                    out[i] = i
                return 9
            out[0] = 0
            out[1] = codes[1] if codes[0] == 0 else codes[0]
            return 2

        def play(state, move):
            if negative and state & 255 == 4:
                return -1
            return (state & 255) + 1 + (move & 1) | (state & 256 ^ 256)

        nobody = wrong == "mover"

        def to_move(state):
            if nobody and state & 255 == 3:
                return 0
            return -1 if state & 256 else 1

        def outcome(state):
            return -to_move(state) if state & 255 >= 6 else ONGOING

        first = 1 << 40 if wrong == "start tier" else 0

        def tier(state):
            return first + (state & 255)

        great = 70_000 if wrong == "orbit" else 5

        def canonical(state):
            return state

        def orbit_size(state):
            return great if state & 255 == 3 else 1

        settings: dict[str, Any] = {} if wrong == "repetition" else {"tier": tier}
        if wrong.startswith("orbit"):
            settings |= {"canonical": canonical, "orbit_size": orbit_size}
        if wrong == "loopy and impartial":
            settings |= {"loopy": True, "impartial": True}
        if wrong == "payoff":
            settings |= {"payoffs": (0, 1)}
        if wrong == "tier falls":
            settings["tier"] = lambda state: 9 - (state & 255)
        return Rules(0, 2, legal_moves, play, outcome, to_move, **settings)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("code", "walk:wrong=code, at position 0: the move code 300 is not an int from 0 to largest_code=254"),
        ("many", r"at position 0: legal_moves\(\) writes 9 moves, but max_moves=2"),
        ("negative", r"in play\(\), at position \d+: play\(\) gives the state -1, which is negative"),
        ("start tier", "position 0, the start, has the tier 1099511627776"),
        ("orbit", r"position \d+: orbit_size\(\) gives 70000"),
        ("loopy and impartial", "leave out impartial=True or loopy=True"),
        ("repetition", r"position \d+ occurs after \d and after \d plies; such rules need a tier"),
        ("payoff", r"in outcome\(\), at position \d+: outcome\(\) gives -1; payoffs must be ints from 0 to 1"),
        ("mover", r"in to_move\(\), at position \d+: to_move\(\) gives 0; it must be 1 or -1"),
        ("tier falls", "position 0, move 0: the tier goes from 9 to 8; it has to be greater"),
    ],
)
def test_wrong_rules(wrong, said):
    with pytest.raises(RulesError, match=said):
        analysis.solve(Walk(wrong))


RAISES = own_game(
    "Raises",
    head="from dataclasses import dataclass\nfrom analysis import ONGOING, Evaluation, Rules\n",
    fields='where: str = "nowhere"',
    setup="""
bad = tuple(int(self.where == name) for name in ("outcome", "legal_moves", "play", "to_move", "tier", "guess"))
few = (1, 1, 1, 1)

def fails(which, state):
    return bad[which] and few[state & 255] == 0

def guess(state):
    return 0 + fails(5, state)
""",
    max_moves="1",
    legal_moves="out[0] = 0\nif bad[1] and state & 255 == 4:\n    out[0] = 1 // (state & 1)\nreturn 1",
    play="state + 1 + fails(2, state)",
    outcome="if fails(0, state):\n    return 0\nreturn ONGOING if state & 255 < 6 else 1",
    to_move="1 - 2 * (state & 1) + fails(3, state)",
    tier="state + fails(4, state)",
    evaluations='{"guess": Evaluation(guess, (0, 0))}',
)
"""A count to 6 whose functions fail at 4: a tuple of four is asked for one more, or it is divided by zero."""


@pytest.mark.parametrize(
    "where",
    ["tier", *(pytest.param(name, marks=pytest.mark.slow) for name in ("outcome", "legal_moves", "play", "to_move"))],
)
def test_rules_that_raise(gametree, tmp_path, where):
    """Compiled functions that are called by pointers cannot raise: what they return then is no answer."""
    (tmp_path / "r.py").write_text(RAISES)
    result = gametree("solve", f"r.py:Raises:where={where}")
    assert result.code == 1
    assert result.out == ""
    error = "ZeroDivisionError" if where == "legal_moves" else "IndexError"
    caller = "legal_moves" if where == "legal_moves" else "fails"
    assert re.match(rf"gametree: r.py:\d+, in {caller}\(\), at position [34]: {error}: ", result.err)
    assert "Exception ignored" not in result.err
    assert not (tmp_path / "data").exists()
    checked = gametree("check", f"r.py:Raises:where={where}")
    assert checked.code == 1
    assert "Exception ignored" not in checked.err
    assert error in checked.out


def test_right_rules():
    solution = analysis.solve(Walk())
    oracle = oracle_of(Walk())
    assert (solution.value, solution.position_count) == (oracle.value(0), len(oracle.positions))
    with pytest.raises(PositionError, match="position 99 is not reached"):
        _ = solution["99"]
    with pytest.raises(PositionError, match="is not a state"):
        _ = solution["here"]


@dataclasses.dataclass(frozen=True)
class Ended(Game):
    """A game that is over before it begins, in a late tier."""

    family: ClassVar[str] = "ended"

    def rules(self) -> Rules:
        return Rules(
            0, 1, lambda state, out: 0, lambda state, move: state, lambda state: 7, lambda state: 1,
            tier=lambda state: 12_345, payoffs=(-9, 9),
        )  # fmt: skip


LOADING = (
    ("solving.to_directory", "load_game"),
    ("solution.storage.stored_games", "load_game"),
    ("solution.storage.opening", "stored_game"),
    ("solution.verification.verify", "stored_game"),
)
"""What makes a game of its specification, here of one that cannot be loaded."""


def trust(monkeypatch):
    """Take on trust what rules promise."""
    monkeypatch.setattr("analysis.engine.promises.refuse_few", lambda *_: None)
    monkeypatch.setattr("analysis.solving.to_directory.proven", lambda *_: None)
    monkeypatch.setattr("analysis.solution.verification.verify.try_promises", lambda *_: None)


def test_an_orbit_of_more_positions_than_histories(tmp_path, monkeypatch):
    """Where what the rules promise is not tried."""
    trust(monkeypatch)
    for module, name in LOADING:
        monkeypatch.setattr(f"analysis.{module}.{name}", lambda *_: Walk("orbit of 5"))
    solve_to_directory(Walk("orbit of 5"), directory=tmp_path / "d")
    with pytest.raises(VerificationError, match="tier 3, position 3: its orbit has more positions than"):
        verify(tmp_path / "d")


RARE = own_game(
    "Rare",
    legal_moves=free_cells(2, "(state | state >> 2) >> i & 1"),
    play="state | 1 << (move + 2 * (popcount(state) & 1))",
    outcome="1 if state == 2 else 0 if popcount(state) == 2 else ONGOING",
    to_move="1 - 2 * (popcount(state) & 1)",
    cells="2",
    planes="2",
    symmetries="((0, 1), (1, 0))",
)


def test_a_position_without_the_moves_of_its_class(gametree, tmp_path, monkeypatch):
    """Where what the rules promise is not tried."""
    (tmp_path / "rare.py").write_text(RARE)
    one_line(gametree("solve", "rare.py"), 1, "under the symmetry (1, 0)")
    one_line(gametree("solve", "rare.py", "--sharded"), 1, "under the symmetry (1, 0)")
    trust(monkeypatch)
    assert gametree("solve", "rare.py", "--out", "d").code == 0
    shown = gametree("show", "d", "2", "--game", "rare.py")
    assert (shown.code, "--game" in shown.out) == (0, False)
    assert "gametree check" in shown.out


def test_a_state_in_two_tiers_is_found_by_verify(tmp_path, monkeypatch):
    """Where a large game has a few such states, the sample that `solve` looks at may miss them."""
    for name in ("refuse_any_repetition", "_refuse_repetition"):
        monkeypatch.setattr(f"analysis.engine.passes.forward_by_ply.{name}", lambda *_: None)
    for module, name in LOADING:
        monkeypatch.setattr(f"analysis.{module}.{name}", lambda *_: Walk("repetition"))
    monkeypatch.setattr(Walk, "spec", "walk")
    trust(monkeypatch)
    solve_to_directory("walk", tmp_path / "d")
    for memory in (None, 1):
        with pytest.raises(VerificationError, match="is in two tiers"):
            verify(tmp_path / "d", memory=memory)
