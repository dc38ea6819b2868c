"""Which games a pattern stands for."""

from __future__ import annotations

import itertools
import textwrap

import pytest

from analysis.errors import GametreeError, OptionError, SpecError
from analysis.games.families import load_game
from analysis.sweeps.patterns import MOST, swept_games


def specs(*patterns, **options):
    return [asked.spec for asked in swept_games(patterns, **options)]


def test_products():
    """All combinations, the last parameter changing fastest."""
    sides = itertools.product((1, 2, 3), (2, 4), (1, 2))
    wanted = [f"mnk:rows={rows},cols={cols},k={k}" for rows, cols, k in sides]
    assert specs("mnk:rows=1..3,cols=2|4,k=1..2") == wanted
    assert specs("mnk:1..3,2|4,1..2") == wanted
    assert specs("mnk:1..3,2|4,k=1|2") == wanted
    assert specs(" mnk: 1..3 , 2 | 4 , k = 1 | 2 ") == wanted


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("tictactoe", ["tictactoe"]),
        ("hex:n=1..2|4|2", ["hex:n=1", "hex:n=2", "hex:n=4"]),
        ("nim:heaps=3-4-5|1..2", ["nim:heaps=3-4-5,take=any", "nim:heaps=1,take=any", "nim:heaps=2,take=any"]),
        (
            "nim:2,misere=false|true|yes",
            ["nim:heaps=2,take=any", "nim:heaps=2,take=any,misere=true"],
        ),
        ("nim:2,misere", ["nim:heaps=2,take=any,misere=true"]),
        ("domineering:2,2,V|H", ["domineering:rows=2,cols=2,first=V", "domineering:rows=2,cols=2,first=H"]),
        ("mnk", ["mnk:rows=3,cols=3,k=3"]),
    ],
)
def test_values(pattern, wanted):
    assert specs(pattern) == wanted
    assert [load_game(spec).spec for spec in wanted] == wanted


def test_several_patterns_name_a_game_once():
    assert specs("hex:1..2", "hex:2|1|3", "tictactoe") == ["hex:n=1", "hex:n=2", "hex:n=3", "tictactoe"]


def test_symmetries_that_make_no_difference_are_left_out():
    found = swept_games(["tictactoe", "hex:2", "hexapawn:2,2"], ["geometric", "full", "none"])
    assert [asked.key for asked in found] == [
        ("tictactoe", "geometric"), ("tictactoe", "full"), ("tictactoe", "none"),
        ("hex:n=2", "geometric"), ("hex:n=2", "none"),
        ("hexapawn:rows=2,cols=2", None),
    ]  # fmt: skip


def test_what_makes_no_game_says_why():
    wrong, right = swept_games(["hexapawn:2|3,2"])
    assert (wrong.rules_hash, wrong.parameters) == (None, {"rows": 2, "cols": 2})
    assert "rows=2" in wrong.why
    assert (right.why, right.rules_hash) == (None, load_game("hexapawn:3,2").rules_hash())
    with pytest.raises(GametreeError):
        load_game(wrong.spec)


@pytest.mark.parametrize(
    ("pattern", "kind", "words"),
    [
        ("nosuch:1..3", SpecError, "nosuch"),
        ("mnk:rows=4..1", SpecError, "1..4"),
        ("mnk:rows=1..", SpecError, "rows"),
        ("mnk:rows=1..x", SpecError, "rows"),
        ("mnk:rows=1||3", SpecError, "3|4"),
        ("mnk:rows=|", SpecError, "3|4"),
        ("mnk:row=1..3", SpecError, "rows"),
        ("mnk:1..2,1,1,false,7", SpecError, "one too many"),
        ("mnk:rows=1..2,rows=3", SpecError, "twice"),
        ("mnk:rows=1.5", SpecError, "whole number"),
        ("mnk:misere=maybe", SpecError, "true"),
        ("bidding:game=tictactoe,chips=1..4", OptionError, "bidding"),
        (f"hex:1..{MOST + 1}", OptionError, f"{MOST + 1:,}"),
        ("mnk:rows=1..999999999999999999,cols=1..999999999999999999", OptionError, f"{MOST:,}"),
        ("nosuch.py:A:n=1..2", SpecError, "nosuch.py"),
    ],
)
def test_wrong_patterns(pattern, kind, words):
    with pytest.raises(kind, match=words.replace("|", r"\|")):
        swept_games([pattern])


def test_wrong_symmetries():
    with pytest.raises(OptionError, match="sideways"):
        swept_games(["tictactoe"], ["sideways"])


def test_user_games(tmp_path):
    (tmp_path / "count..down.py").write_text(
        textwrap.dedent(
            """
            from dataclasses import dataclass
            from analysis import ONGOING, Game, Rules

            @dataclass(frozen=True)
            class Down(Game):
                heap: int = 3
                value: bool = False

                def __post_init__(self):
                    if self.heap > 4:
                        raise ValueError("a heap has 4 at most")

                def rules(self):
                    def legal_moves(state, out):
                        out[0] = 0
                        return 1
                    def play(state, move):
                        return (state ^ 1) - 2
                    def outcome(state):
                        return ONGOING if state > 1 else 1 if state else -1
                    return Rules(2 * self.heap, 1, legal_moves, play, outcome, lambda state: 1 - 2 * (state & 1))
            """
        )
    )
    found = swept_games(["count..down.py:Down:heap=3..5,value=true", "count..down.py:2", "count..down.py"])
    assert [asked.spec for asked in found] == [
        "count..down.py:Down:heap=3,value=true", "count..down.py:Down:heap=4,value=true",
        "count..down.py:Down:heap=5,value=true", "count..down.py:Down:heap=2", "count..down.py:Down:heap=3",
    ]  # fmt: skip
    assert [asked.why is None for asked in found] == [True, True, False, True, True]
    assert found[0].lasting_spec.startswith(str(tmp_path))
