"""Bidding games on the command line, also games of one's own: what the library's tests do not see."""

import pytest

from analysis.games import families, user
from tests.support.own_game import free_cells, own_game
from tests.support.program import one_line

SUM = own_game(
    "Sum",
    more="def rules(self):\n    return self.either_side()",
    method="either_side",
    play="1 + move",
    outcome="ONGOING if state == 0 else 2 * (state & 1)",
    payoffs="(0, 2)",
)
"""One move decides: 2 for the first player, nothing for the second."""


def test_an_expected_payoff_is_no_win(gametree, tmp_path):
    (tmp_path / "sum.py").write_text(SUM)
    found = gametree("show", "bidding:game=notakto:rows=2,cols=2,k=2,chips=2", "????")
    assert "value  -1/3: X's expected payoff under optimal play" in found.out
    found = gametree("show", f"bidding:game={tmp_path}/sum.py:Sum,chips=1+0", "0")
    assert "value  +2: X wins by 2 under optimal play" in found.out


def test_boards_that_are_not_by_plies(gametree, tmp_path):
    (tmp_path / "sum.py").write_text(SUM.replace("payoffs=(0, 2)", "payoffs=(0, 2), tier=outcome"))
    found = gametree("stats", f"bidding:game={tmp_path}/sum.py:Sum,chips=0")
    one_line(found, 1, "has tiers or loops; for bidding, boards must be tiered by ply")


RACE = own_game(
    "Pair",
    fields="n: int = 3",
    more="def rules(self):\n    return self.either_side()",
    method="either_side",
    setup="n, board = self.n, (1 << self.n) - 1",
    max_moves="2 * n",
    legal_moves=free_cells("2 * n", "(state | state >> n) >> (i >> 1) & 1"),
    play="state | 1 << ((move >> 1) + n * (move & 1))",
    outcome="""
x, o = state & board, state >> n
if x & x >> 1:
    return 1
if o & o >> 1:
    return -1
return 0 if x | o == board else ONGOING
""",
)
"""Two marks side by side on a row of n cells win; bit i is X's mark on cell i, bit i + n O's."""


@pytest.fixture
def pair(tmp_path):
    path = tmp_path / "pair.py"
    path.write_text(RACE)
    return path


def test_played_by_bidding(gametree, pair):
    """The same as the built-in game of two in a row on one row."""
    own = gametree("stats", f"bidding:game={pair}:Pair:n=3,chips=2", "--format", "json")
    known = gametree("stats", "bidding:game=mnk:rows=1,cols=3,k=2,chips=2", "--format", "json", "--symmetry", "none")
    assert (own.code, own.err) == (0, "")
    for name in ("value", "boards", "terminal_x", "states", "saddle", "mixed", "by_value", "by_tier"):
        assert own.json[name] == known.json[name]


def test_stored_and_verified(gametree, pair):
    assert gametree("solve", f"bidding:game={pair}:Pair:n=3,chips=1", "--out", "there").code == 0
    assert gametree("show", "there", "0 X=1 O=1 advantage=X").code == 0
    assert gametree("verify", "there").code == 0
    pair.write_text(pair.read_text().replace("return 0 if x | o", "return 1 if x | o"))
    named = ("--game", f"bidding:game={pair}:Pair:n=3,chips=1")
    one_line(gametree("show", "there", "0 X=1 O=1 advantage=X", *named), 1, "have changed since there was solved")


def test_a_directory_runs_no_file(gametree, pair, monkeypatch):
    spec = f"bidding:game={pair}:Pair:n=3,chips=1"
    assert gametree("solve", spec, "--out", "there").code == 0
    with_rules = gametree("show", "there", "--game", spec, "--format", "json").json
    text = pair.read_text()
    monkeypatch.setattr(families, "_NAMED", {})
    monkeypatch.setattr(user, "_FILES", {})
    pair.write_text("raise SystemExit('it was run')")
    for command in (["stats"], ["show"], ["verify"], ["play"], ["match", "perfect", "random"]):
        refused = gametree(command[0], "there", *command[1:])
        one_line(refused, 1, "whose rules are needed here")
    pair.write_text(text)
    assert gametree("show", "there", "--game", spec, "--format", "json").json == with_rules
