"""Functions of a game that never return: a check ends, and says at which position."""

import signal
import time

import pytest

from analysis.errors import OptionError
from analysis.solving.checks.suite import check_game
from tests.support.own_game import own_game

SOURCE = own_game(
    "Take(Game)",
    fields='where: str = "nowhere"',
    setup="""
in_play, in_outcome = self.where == "play", self.where == "outcome"
everywhere = self.where == "everywhere"
while self.where == "rules":
    pass
""",
    more="""
def format_position(self, state):
    while self.where == "text" and state == 6:
        pass
    return f"{state >> 1} {'XO'[state & 1]}"

def parse_position(self, text):
    taken, _, side = text.partition(" ")
    return 2 * int(taken) + "XO".index(side)
""",
    legal_moves="""
count = 0
while count < 2 and count < 12 - (state >> 1):
    out[count] = count
    count += 1
return count
""",
    play="""
while in_play and state >> 1 == 3:
    state = state + 0
return ((state >> 1) + move + 1) * 2 + 1 - (state & 1)
""",
    outcome="""
while everywhere or (in_outcome and state >> 1 == 4):
    state = state + 0
return ONGOING if state >> 1 < 12 else 2 * (state & 1) - 1
""",
    to_move="1 - 2 * (state & 1)",
    tier="state >> 1",
)
"""Take one or two of twelve."""


@pytest.fixture
def spec(tmp_path):
    """The specification of the game, of which something does not return."""
    (tmp_path / "take.py").write_text(SOURCE)
    return lambda where: f"{tmp_path / 'take.py'}:Take:where={where}"


@pytest.mark.parametrize(
    ("where", "check", "position"),
    [
        ("play", "functions", "3 "),
        ("everywhere", "functions", "0 X"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("outcome", "functions", "4 "),
                ("text", "position texts", "state 6"),
            )
        ),
    ],
)
def test_an_endless_loop_is_told_with_its_position(spec, where, check, position):
    began = time.monotonic()
    report = check_game(spec(where), games=50, seconds=0.5)
    assert time.monotonic() - began < 30
    failed = next(result for result in report.failures if result.check == check)
    assert "0.5 s" in failed.fault.message
    assert failed.fault.position is None if position is None else failed.fault.position.startswith(position)


def test_on_the_command_line(gametree, spec):
    result = gametree("check", spec("play"), "--seconds", "0.3")
    assert result.code == 1
    assert "3 X" in result.out or "3 O" in result.out
    assert "play()" in result.out
    assert gametree("check", "tictactoe", "--seconds", "0").code == 2
    with pytest.raises(OptionError):
        check_game("tictactoe", seconds=float("nan"))


def test_signals_are_as_they_were(spec):
    before = signal.getsignal(signal.SIGALRM)
    check_game(spec("play"), games=5, seconds=0.2)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
