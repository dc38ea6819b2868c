"""How games in a terminal end: drawn though won, given up, left, and taken over by another opponent."""

from __future__ import annotations

import contextlib
import io
import random
import signal
import subprocess
import sys
import time

import pytest

from analysis.errors import OptionError, TooLargeError
from analysis.games.families import load_game
from analysis.playing import dialogue as texts
from analysis.playing.dialogue import Dialogue, Session, given_away, human_sides, wasted
from analysis.playing.knowledge import find_knowledge
from analysis.playing.levels import Player, find_player
from analysis.rules.notation import Notation
from analysis.search.finding import JudgedMove
from analysis.solution.position import Worth
from tests.playing.test_play import Script, played
from tests.support.program import ROOT

SHUFFLED = ("b2-b3", "c1-b1", "b3-b2", "b1-c1")


def test_a_win_let_go_by_repetition():
    """Nobody gave value away, and yet X could have won."""
    known = find_knowledge("dodgem")
    _, console = played("dodgem", *SHUFFLED * 2, position="???/?X?/??O X", know=lambda: known)
    assert "A draw after 8 plies" in console.text
    assert (
        "Let go at ply 1: X could have won all along and played b2-b3, which comes no nearer to it; b2-c2 does."
        in console.text
    )


def test_a_draw_that_nobody_could_win_is_nobodys_fault():
    spec = "morris:variant=nine_holes"
    known, session = find_knowledge(spec), Session(load_game(spec))
    rng = random.Random(4)
    perfect = find_player("perfect", spec, knowledge=known)
    while not session.over:
        session.play(perfect.choose(session.state, rng))
    assert session.outcome == "draw"
    assert wasted(session.turns, known.worth, known.moves) is None
    assert given_away(session.turns, known.worth, known.moves) == []


def test_several_moves_that_gave_value_away():
    """The first is told, and the last, which decided."""
    known = find_knowledge("tictactoe")
    _, console = played("tictactoe", "a1", "b1", "b3", "a3", "a2", "c1", "b2", "c3", "c2", know=lambda: known)
    first, last = console.text.index("First given away at ply 2"), console.text.index("Decided at ply")
    assert first < console.text.index("Then at ply 3") < last
    assert console.text.count("Decided at") == 1


def test_one_position_that_stays_unknown():
    """What is known of the others is still told."""
    known, session = find_knowledge("tictactoe"), Session(load_game("tictactoe"))
    for code in (0, 1, 2, 4):
        session.play(code)

    def worth(state: int) -> Worth:
        if state == session.turns[2].child:
            raise OptionError("too much")
        return known.worth(state)

    assert [found.ply for found in given_away(session.turns, worth, known.moves)] == [2]


def test_giving_up_ends_a_game_too():
    known = find_knowledge("tictactoe")
    _, console = played("tictactoe", "a1", "b1", "r", know=lambda: known)
    assert "X gives up: O wins." in console.text
    assert "The game as a backtracker: 01" in console.text
    assert "Given away at ply 2: O played b1" in console.text
    assert "Decided by giving up: X could have kept the win." in console.text
    assert "The game stands after 2 plies (01) at XO???????, X to move." in console.text


@pytest.mark.parametrize(
    ("moves", "said", "unsaid"),
    [
        ((), ["Decided by giving up: X could have kept the tie."], ["kept the value"]),
        (("a1", "b2"), ["Decided by giving up: X could have kept the tie."], ["kept the value", "ply"]),
        (("a1", "b1", "b2"), ["Decided at ply 2: O played b1"], ["by giving up", "kept the value"]),
    ],
)
def test_giving_up_what_is_no_loss_decides_the_game(moves, said, unsaid):
    known = find_knowledge("tictactoe")
    _, console = played("tictactoe", *moves, "r", know=lambda: known)
    decided = console.text.partition("gives up")[2].partition("The game stands")[0].replace("The game as a", "")
    assert all(words in decided for words in said)
    assert not any(words in decided for words in unsaid)


def test_who_moves_first_from_a_position(gametree, monkeypatch):
    game = load_game("tictactoe")
    assert human_sides(game, None, begins=-1) == human_sides(game, "first", begins=-1) == frozenset((-1,))
    assert human_sides(game, "second", begins=-1) == frozenset((1,))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    out = gametree("play", "tictactoe", "--you", "first", "--from", "X????????", "--opponent", "random").out
    assert "X against O (you)" in out
    assert "--you O" in out.splitlines()[-1]


class Lost(Player):
    """Knows no move at all."""

    def preferred(self, state):
        raise TooLargeError("too much")


def test_another_opponent_takes_over():
    """Nobody has chosen this one; one that was chosen is not replaced."""
    for substitute in (None, lambda: find_player("greedy", "tictactoe")):
        game, console = load_game("tictactoe"), Script("a1", "q")
        dialogue = Dialogue(
            Session(game), players={-1: Lost(game, "perfect")}, console=console, know=lambda: None, resume=str,
            rng=random.Random(1), substitute=substitute,
        )  # fmt: skip
        with contextlib.nullcontext() if substitute else pytest.raises(TooLargeError):
            dialogue.run()
        assert ("O is greedy. 2. O plays" in console.text) == (substitute is not None)


def test_hints_tell_a_proven_tie_from_a_draw():
    """Of a search that proves a tie in a loopy game nobody knows how long it takes, but a draw it is not."""
    game = load_game("dodgem")
    state, names = game.rules().start, Notation(game)
    codes = [code for code, _ in game.rules().moves(state)]
    moves = [JudgedMove(codes[0], Worth(0, None, False), True), JudgedMove(codes[1], Worth(0, None), True)]
    lines = texts.hints(names, state, Worth(0, None, False), moves, "searched").splitlines()
    assert [line.split()[2] for line in lines[2:4]] == ["?", "-"]
    assert ("a tie or a draw" in lines[2], "a draw" in lines[3]) == (True, True)


@pytest.mark.slow
def test_hints_search_as_the_levels_do():
    _, console = played("connect", "h", "q")
    assert "open positions count as lines says" in console.text


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tictactoe", "bidding:game=mnk:rows=1,cols=3,k=2,chips=1"])
def test_ctrl_c_twice(spec, tmp_path):
    """The second one, while the first is answered, breaks nothing."""
    command = [sys.executable, str(ROOT / "cli.py"), "play", spec, "--opponent", "random"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        while "explains" not in process.stdout.readline():
            pass
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "")
    assert "Go on with:" in out
