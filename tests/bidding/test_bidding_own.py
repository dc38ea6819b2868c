"""Games of one's own, played by bidding: `either_side` in a file."""

from __future__ import annotations

import pytest

from analysis.games import families, user
from tests.support.program import one_line

RACE = '''
import dataclasses

from analysis.games import families, user
from analysis import ONGOING, PositionError, Rules, popcount


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two marks side by side on a row of n cells win; bit i is X's mark on cell i, bit i + n O's."""

    n: int = 3

    def rules(self):
        return self._rules(either=False)

    def either_side(self):
        return self._rules(either=True)

    def _rules(self, either):
        n, board = self.n, (1 << self.n) - 1

        def outcome(state):
            x, o = state & board, state >> n
            if x & x >> 1:
                return 1
            if o & o >> 1:
                return -1
            return 0 if x | o == board else ONGOING

        def legal_moves(state, out):
            count = 0
            for cell in range(n):
                if (state | state >> n) >> cell & 1 == 0:
                    for side in range(2 if either else 1):
                        out[count] = 2 * cell + side if either else cell
                        count += 1
            return count

        def play(state, move):
            if either:
                return state | 1 << ((move >> 1) + n * (move & 1))
            return state | 1 << (move + n * (popcount(state) & 1))

        def to_move(state):
            return 1 if either else 1 - 2 * (popcount(state) & 1)

        return Rules(start=0, max_moves=2 * n, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move)
'''


@pytest.fixture
def pair(tmp_path):
    path = tmp_path / "pair.py"
    path.write_text(RACE.replace(", PositionError", ""))
    return path


def test_played_by_bidding(gametree, pair):
    """The same as the built-in game of two in a row on one row."""
    own = gametree("stats", f"bidding:game={pair}:Pair:n=3,chips=2,pays=bank", "--format", "json")
    known = gametree(
        "stats", "bidding:game=mnk:rows=1,cols=3,k=2,chips=2,pays=bank", "--format", "json", "--symmetry", "none"
    )
    assert (own.code, own.err) == (0, "")
    for name in ("value", "boards", "terminal", "states", "saddle", "mixed", "by_value", "by_tier", "least_chips"):
        assert own.json[name] == known.json[name]


def test_thresholds(gametree, pair):
    own = gametree("richman", f"{pair}:Pair:n=4", "--format", "csv")
    assert own.out == gametree("richman", "mnk:rows=1,cols=4,k=2", "--format", "csv").out


def test_stored_and_verified(gametree, pair):
    assert gametree("solve", f"bidding:game={pair}:Pair:n=3,chips=1", "--out", "there").code == 0
    assert gametree("show", "there", "0 X=1 O=1 advantage=X").code == 0
    assert gametree("verify", "there").code == 0
    pair.write_text(pair.read_text().replace("return 0 if x | o", "return 1 if x | o"))
    named = ("--game", f"bidding:game={pair}:Pair:n=3,chips=1")
    one_line(gametree("show", "there", "0 X=1 O=1 advantage=X", *named), 1, "was solved by other rules")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            ("    def either_side(self):\n        return self._rules(either=True)\n", ""),
            ["either side may be given the move"],
        ),
        (("return self._rules(either=True)", "return 1 // 0"), ["in either_side(): ZeroDivisionError"]),
        (("return self._rules(either=True)", "return 7"), ["returns a int"]),
        (("2 * cell + side if either else cell", "255"), ["move code 255"]),
    ],
)
def test_mistakes(gametree, pair, change, words):
    pair.write_text(pair.read_text().replace(*change))
    found = gametree("stats", f"bidding:game={pair}:Pair,chips=1")
    assert found.code in (1, 2)
    assert found.out == ""
    first = found.err.splitlines()[0]
    for word in words:
        assert word in first, found.err


def test_stored_and_read_without_the_rules(gametree, pair, monkeypatch):
    """Statistics and the stored bids; what is worth what takes the rules."""
    spec = f"bidding:game={pair}:Pair:n=3,chips=1"
    assert gametree("solve", spec, "--out", "there").code == 0
    with_rules = [gametree(command, "there", "--format", "json").json for command in ("stats", "show")]
    monkeypatch.setattr(families, "_NAMED", {})
    monkeypatch.setattr(user, "_FILES", {})
    pair.write_text("raise SystemExit('it was run')")
    stats, show = (gametree(command, "there", "--format", "json").json for command in ("stats", "show"))
    assert stats == with_rules[0] | {"game": stats["game"], "parameters": stats["parameters"]}
    unknown = ("legal_bids", "matrix", "matrix_exact", "placements")
    assert show == with_rules[1] | dict.fromkeys(unknown)
    assert all(with_rules[1][name] for name in unknown)
    assert gametree("show", "there").code == 0
    assert gametree("show", "there", f"{show['board']} X=2 O=0 advantage=O", "--format", "json").json["x_chips"] == 2
    for command in (["verify"], ["play"], ["match", "perfect", "random"], ["stats", "--from", "0"], ["richman"]):
        refused = gametree(command[0], "there", *command[1:])
        assert refused.code in (1, 2), refused
        assert refused.err.count("\n") == 1, refused
        assert "it was run" not in refused.err
