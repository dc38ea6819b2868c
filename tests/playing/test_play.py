"""`gametree play` in this process: the session, where a game was decided, and whole games through a script."""

from __future__ import annotations

import random
import re

import pytest

import analysis
from analysis.errors import OptionError, PositionError
from analysis.games.families import load_game
from analysis.playing.dialogue import Dialogue, Session, given_away, human_sides, known_since
from analysis.playing.knowledge import find_knowledge
from analysis.playing.levels import find_player
from analysis.rules.notation import Notation
from tests.playing.test_notation import GAMES, OWN
from tests.support import oracle
from tests.support.program import one_line

SMALL_BOARD = "H 5 1*\n5 10 5\n10 5 C\n"


class Script:
    """A console whose lines are known beforehand."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.said = list(lines), []

    def say(self, text: str = "") -> None:
        self.said.append(text)

    def ask(self, prompt: str) -> str | None:
        self.said.append(prompt)
        return self.lines.pop(0) if self.lines else None

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.said))


def unknown():
    raise OptionError("nobody knows this game")


def played(spec, *lines, position=None, players=None, know=unknown, seed=0, numbered=False):
    """A game by these lines."""
    console, session = Script(*lines), Session(load_game(spec), position)
    Dialogue(
        session, players=players or {}, console=console, know=know, resume=lambda text: f"resume {text}",
        rng=random.Random(seed), numbered=numbered,
    ).run()  # fmt: skip
    return session, console


# Session --------------------------------------------------------------------------------------------------------------


def test_session():
    session = Session(load_game("tictactoe"), "XO???????")
    assert (session.over, session.outcome, session.side, session.path) == (False, "unfinished", 1, "")
    for code in (4, 2, 8):
        session.play(code)
    assert (session.over, session.outcome, session.payoff, session.path) == (True, "X", 1, "428")
    with pytest.raises(PositionError, match="the game is over"):
        session.play(3)
    assert [turn.code for turn in session.take_back(frozenset({-1}))] == [2, 8]
    with pytest.raises(PositionError, match="4 is not legal here"):
        session.play(4)
    assert session.position == "XO??X????"
    assert session.take_back(frozenset({-1})) == []
    assert [turn.code for turn in session.take_back()] == [4]
    assert session.take_back() == []


def test_taking_back_where_a_side_moves_twice():
    """In dots and boxes whoever closes a box moves again: each of these moves is taken back by itself."""
    session = Session(load_game("dots_and_boxes:rows=1,cols=1"))
    for code in (0, 1, 2, 3):
        session.play(code)
    assert (session.outcome, session.payoff) == ("O", -1)
    assert [turn.code for turn in session.take_back(frozenset({1}))] == [2, 3]
    assert [turn.code for turn in session.take_back(frozenset({-1}))] == [1]


def test_third_occurrence_is_a_draw():
    game = load_game("dodgem")
    session = Session(game, "???/?X?/??O X")
    there = [game.parse_move(move) for move in ("b2-b3", "c1-b1", "b3-b2", "b1-c1")]
    for count in range(2):
        assert session.occurrences == count + 1
        for code in there:
            assert not session.over
            session.play(code)
    assert (session.over, session.repeated, session.outcome, session.payoff) == (True, True, "draw", 0)
    session.take_back()
    assert not session.over


# Where it was decided -------------------------------------------------------------------------------------------------


def test_given_away_by_the_oracle():
    """Every move after which the oracle's value is worse for the mover, and the moves that the oracle would keep."""
    known, rng = find_knowledge("tictactoe"), random.Random(3)
    textbook = oracle.Oracle(3, 3, 3)
    for _ in range(40):
        session = Session(load_game("tictactoe"))
        while not session.over:
            session.play(rng.choice(list(session.moves)))
        expected = []
        for ply, turn in enumerate(session.turns, start=1):
            board = session.game.format_position(turn.state)
            after = textbook.play(board, turn.code)
            if turn.side * textbook.value(after) < turn.side * textbook.value(board):
                kept = {
                    c for c in textbook.moves(board) if textbook.value(textbook.play(board, c)) == textbook.value(board)
                }
                expected.append((ply, turn.code, kept))
        found = given_away(session.turns, known.worth, known.moves)
        assert [(f.ply, f.turn.code, set(f.kept)) for f in found] == expected


def test_decided_where_only_the_end_is_known():
    session = Session(load_game("tictactoe"))
    for code in (0, 1, 4, 8, 2, 6, 7, 3, 5):
        session.play(code)
    known = find_knowledge("tictactoe")

    def worth(state):
        if bin(state).count("1") < 4:
            raise OptionError("too early")
        return known.worth(state)

    assert known_since(session.turns, known.worth) == 0
    assert known_since(session.turns, worth) == 4
    assert known_since([], worth) == 0
    everything = given_away(session.turns, known.worth, known.moves)
    assert given_away(session.turns, worth, known.moves, 4) == [f for f in everything if f.ply > 4]
    assert given_away(session.turns, worth, known.moves, 4) != everything


# Sides ----------------------------------------------------------------------------------------------------------------


def test_sides():
    game, coins = load_game("tictactoe"), load_game("coin_grabber:first=C")
    assert human_sides(game, None) == human_sides(game, "x") == human_sides(game, "first") == {1}
    assert human_sides(game, " O ") == human_sides(game, "second") == {-1}
    assert (human_sides(game, "BOTH"), human_sides(game, "none")) == ({1, -1}, set())
    assert human_sides(coins, "c") == human_sides(coins, "X") == {1}
    assert human_sides(load_game("wild"), "Second") == {-1}
    with pytest.raises(OptionError, match="--you 'Z' is no player of tictactoe; write one of X, O, both, none"):
        human_sides(game, "Z")


# Whole games, by script -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", sorted(GAMES))
def test_every_game_can_be_played(spec):
    """Random play by typed moves, to the end or 40 plies; a fresh session plays the same path to the same end."""
    game, rng = load_game(spec), random.Random(spec)
    model = Session(game)
    lines, notation = [], Notation(game)
    while not model.over and len(model.turns) < 40:
        turn = model.play(rng.choice(list(model.moves)))
        lines.append(notation.say(turn.state, turn.code))
    session, console = played(spec, *lines, numbered=notation.pointing)
    assert (session.path, session.outcome, session.state) == (model.path, model.outcome, model.state)
    assert console.lines == []
    assert all(f"{ply}. " in console.text for ply in range(1, len(lines) + 1))
    if session.over:
        assert f"after {len(lines)} pl" in console.text
        assert f"backtracker: {model.path}" in console.text
    else:
        assert f"stands after 40 plies at {model.position}, " in console.text
        assert f"resume {model.position}" in console.text


def test_end_and_decision_in_words():
    _, console = played("tictactoe", "b2", "b1", "a1", "c3", "a3", "c1", "a2", know=lambda: find_knowledge("tictactoe"))
    assert "X wins after 7 plies. The game as a backtracker: 4108623" in console.text
    assert "Decided at ply 2: O played b1 and a tie became a win for X; a1, c1, a3 or c3 would have kept the tie." in (
        console.text
    )
    _, console = played(
        "tictactoe", "4", "0", "8", "6", "3", "5", "1", "7", "2", know=lambda: find_knowledge("tictactoe")
    )
    assert "A tie after 9 plies." in console.text
    assert "Every move kept the value." in console.text


def test_margins_in_words():
    known = lambda: find_knowledge("dots_and_boxes:rows=1,cols=2")  # noqa: E731
    begun = ("dots_and_boxes:rows=1,cols=2", "a1-b1", "b1-c1", "a1-a2")
    _, console = played(*begun, "a2-b2", "b1-b2", "b2-c2", "c1-c2", know=known)
    assert "A tie after 7 plies. The game as a backtracker: 0125364 " in console.text
    assert [found[0] for found in re.findall(r"(X|O) played [^.]* would have kept", console.text)] == [*"XOXO"]
    for line in (
        "X played a1-b1 and a tie became a win for O by 2; b1-b2 would have kept the tie.",
        "O played b1-c1 and a win for O by 2 became a tie; a1-a2 or a2-b2 would have kept the win by 2.",
        "X played a1-a2 and a tie became a win for O by 2; b1-b2 would have kept the tie.",
        "O played a2-b2 and a win for O by 2 became a tie; c1-c2 or b2-c2 would have kept the win by 2.",
    ):
        assert line in console.text
    _, console = played(*begun, "c1-c2", "a2-b2", "b1-b2", "b2-c2", know=known)
    assert "O wins by 2 after 7 plies." in console.text
    assert [found[0] for found in re.findall(r"(X|O) played [^.]* would have kept", console.text)] == [*"XOX"]


def test_unknown_is_said():
    _, console = played("tictactoe", "0", "3", "1", "4", "2")
    assert "Where it was decided is not known: nobody knows this game." in console.text


def test_hints():
    known = lambda: find_knowledge("tictactoe")  # noqa: E731
    _, console = played("tictactoe", "a1", "b1", "h", know=known)
    said = "\n".join(console.said)
    assert "The position is a win for X under optimal play (" in said
    rows = {line.split()[0]: line.split()[1:] for line in said.splitlines() if re.match(r"[abc][123]\s+[+0-]", line)}
    position = analysis.solve("tictactoe", counts=False)["XO???????"]
    expected = {
        "abc"[m.move % 3] + str(m.move // 3 + 1): (m.value, m.remoteness_plies, m.optimal) for m in position.moves
    }
    assert list(rows) == list(expected)  # best first
    assert {name: (int(row[0]), int(row[1]), row[-1] == "yes") for name, row in rows.items()} == expected


def test_hints_where_nothing_is_known():
    _, console = played("tictactoe", "a1", "b1", "hint")
    assert "Not known: nobody knows this game. What a search says that went to the end:" in console.text
    assert re.search(r"[abc][123] \+1 yes", console.text)


def test_hints_tell_draws_from_ties():
    _, console = played("morris:variant=nine_holes", "h", know=lambda: find_knowledge("morris:variant=nine_holes"))
    solution = analysis.solve("morris:variant=nine_holes")
    assert (solution.value, solution.remoteness_plies) == (0, None)
    assert "The position is a draw under optimal play" in console.text
    assert re.search(r"b2 0 - a draw yes", console.text)


def test_words_take_back_give_up_and_refusals():
    session, console = played(
        "tictactoe", "u", "b2", "b2", "d9", "nonsense", ":nonsense", "", "m", "b", "?", "undo", "8", "0", "r",
        players={-1: find_player("random", "tictactoe")},
    )  # fmt: skip
    text = console.text
    assert "There is no move of yours to take back." in text
    assert "b2 is taken by X. ? explains." in text
    assert "there is no column d; columns are a to c. ? explains." in text
    assert "':nonsense' means nothing; there are :r, :u" in text
    assert "nothing was typed. ? explains." in text
    assert re.search(r"Legal moves \(7\): ", text)
    assert "Taken back: " in text
    assert "X (you) plays c3" in text
    assert "X (you) gives up: O wins." in text
    assert f"resume {session.position}" in text
    assert len(session.turns) in (2, 4)


def test_both_take_back_one_ply():
    session, console = played("tictactoe", "a1", "b1", "u", "c1")
    assert session.path == "02"
    assert "Taken back: b1." in console.text


def test_moves_win_over_words(tmp_path):
    board = tmp_path / "board.txt"
    board.write_text(SMALL_BOARD)
    spec = f"coin_grabber:board={board},threshold=10"
    session, console = played(spec, "d", "u", "?", ":u", "left", "undo", "L")
    assert "Here r, u are moves, not words." in console.text
    assert "2. C plays U" in console.text
    assert "Taken back: U." in console.text
    assert "Taken back: L." in console.text
    assert session.path == "12"


def test_repetition_is_announced():
    moves = ["b2-b3", "c1-b1", "b3-b2", "b1-c1"]
    session, console = played("dodgem", *moves, *moves, position="???/?X?/??O X")
    assert session.outcome == "draw"
    assert console.text.count("This position has occurred before; the third time ends the game as a draw.") == 4
    assert "A draw after 8 plies: the same position for the third time; play need not end." in console.text


def test_finished_position():
    session, console = played("tictactoe", "b2", position="XXXOO????")
    assert session.turns == []
    assert "X wins after 0 plies." in console.text
    assert console.lines == ["b2"]


def test_numbers_on_the_board():
    _, console = played("tictactoe", "4", "0", numbered=True)
    boards = [text for text in console.said if "---" in text]
    assert "2  3 | X | 5" in boards[1]
    assert "1  O | 1 | 2" in boards[2]


def test_games_of_ones_own(tmp_path):
    """Its letters are moves: h adds 2 and q adds 3, up to 4, so that O, who is then first there, wins."""
    (tmp_path / "own.py").write_text(OWN)
    spec = f"{tmp_path}/own.py:Lettered:most=4"
    session, console = played(spec, "?", ":h", "h", "q", know=lambda: find_knowledge(spec))
    assert session.path == "12"
    assert "Here h, q, u are moves, not words." in console.text
    assert "The position is a win for O under optimal play" in console.text
    assert "O wins after 2 plies." in console.text


# The command, in this process -----------------------------------------------------------------------------------------


def test_refusals(gametree):
    one_line(gametree("play", "tictactoe", "--you", "Z"), 2, "--you 'Z' is no player of tictactoe")
    one_line(gametree("play", "tictactoe", "--opponent", "expert"), 2, "level 'expert'", "random, greedy")
    one_line(gametree("play", "tictactoe", "--you", "both", "--opponent", "random"), 2, "leaves no side")
    one_line(gametree("play", "tictactoe", "--from", "XX"), 2, "position 'XX' has 2 cells")
    one_line(gametree("play", "tictactoe", "--move-seconds", "-1"), 2, "give more than 0")
    one_line(gametree("play", "tictactoe", "--move-seconds", 1, "--opponent", "greedy"), 2, "--move-seconds", "depth:N")
    one_line(gametree("play", "nim", "--you", "both", "--numbered"), 2, "--numbered is for games whose moves are cells")
    one_line(gametree("play", "chess"), 2, "no game is called 'chess'")


def test_watching_two_perfect_players(gametree):
    """They tie, whatever they draw at random, and a seed makes them play the same game again."""
    found = [gametree("play", "tictactoe", "--you", "none", "--seed", seed) for seed in (3, 3, 4)]
    assert all((result.code, result.err) == (0, "") for result in found)
    assert all("A tie after" in result.out and "very move kept the value" in result.out for result in found)
    paths = [re.search(r"backtracker: (\d+)", result.out)[1] for result in found]
    assert paths[0] == paths[1] != paths[2]
    assert "to move:" not in found[0].out


def test_rules_that_fail_in_the_middle(gametree, tmp_path):
    """One line says where; before it the game so far."""
    (tmp_path / "own.py").write_text(OWN.replace("ONGOING if state", "ONGOING // (state < 8) if state"))
    for level in ("greedy", "random"):  # the first looks ahead
        code, out, err = gametree("play", "own.py:Count", "--you", "none", "--opponent", level, "--seed", "1")
        assert "the rules fail at state" in err
        assert "ZeroDivisionError" in err
        assert (code, err.count("\n")) == (1, 1)
    assert "1. X plays" in out
