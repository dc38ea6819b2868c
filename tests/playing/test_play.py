"""`gametree play`: sessions, whole games by script, how they end, and the program in a pipe and a pseudo-terminal."""

import io
import random
import re
import signal
import subprocess
import sys
import time

import pexpect
import pytest

import analysis
from analysis.errors import OptionError, PositionError
from analysis.games.families import load_game
from analysis.playing.dialogue import Dialogue, Session, given_away, human_sides
from analysis.playing.levels import find_player
from analysis.rules.notation import Notation
from analysis.search.finding import find_knowledge
from tests.playing.test_notation import GAMES, OWN
from tests.support import oracle
from tests.support.program import PATIENCE, ROOT, one_line

SMALL_BOARD = "H 5 1*\n5 10 5\n10 5 C\n"


class Script:
    """A console whose lines are known beforehand."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.said, self.secret = list(lines), [], []

    def say(self, text: str = "") -> None:
        self.said.append(text)

    def ask(self, prompt: str) -> str | None:
        self.said.append(prompt)
        return self.lines.pop(0) if self.lines else None

    def ask_secretly(self, prompt: str) -> str | None:
        self.secret.append(prompt)
        return self.ask(prompt)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.said))


def unknown():
    raise OptionError("nobody knows this game")


def played(spec, *lines, position=None, players=None, know=unknown, seed=0):
    """A game by these lines."""
    console, session = Script(*lines), Session(load_game(spec), position)
    Dialogue(
        session, players=players or {}, console=console, know=know, resume=lambda text: f"resume {text}",
        rng=random.Random(seed),
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
    known, rng, notation = find_knowledge("tictactoe"), random.Random(3), Notation(load_game("tictactoe"))
    textbook = oracle.Oracle(3, 3, 3)
    for _ in range(40):
        session = Session(load_game("tictactoe"))
        while not session.over:
            session.play(rng.choice(list(session.moves)))
        expected = []
        for ply, turn in enumerate(session.turns, start=1):
            board = session.game.format_position(turn.state)
            value, children = textbook.value(board), textbook.moves(board)
            if turn.side * textbook.value(textbook.play(board, turn.code)) < turn.side * value:
                kept = [c for c in children if textbook.value(textbook.play(board, c)) == value]
                expected.append((ply, notation.say(turn.state, turn.code), {notation.say(turn.state, c) for c in kept}))
        lines = given_away(notation, session.turns, known).replace("\n  ", " ").splitlines()
        found = [re.search(r"at ply (\d+): . played (\S+) .*; (.*) would", line) for line in lines]
        assert [(int(m[1]), m[2], set(re.split(", | or ", m[3]))) for m in found if m] == expected
        assert expected or lines == ["Every move kept the value."]


def test_decided_where_only_the_end_is_known():
    session = Session(load_game("tictactoe"))
    for code in (0, 1, 4, 8, 2, 6, 7, 3, 5):
        session.play(code)
    known, notation = find_knowledge("tictactoe"), Notation(session.game)
    everything, worth = given_away(notation, session.turns, known).splitlines(), known.worth

    def late(state):
        if bin(state).count("1") < 4:
            raise OptionError("too early")
        return worth(state)

    known.worth = late
    first, *found = given_away(notation, session.turns, known).splitlines()
    assert first.startswith("The first 4 plies could not be judged")
    assert found == everything[len(everything) - len(found) :]


# Sides ----------------------------------------------------------------------------------------------------------------


def test_sides():
    game, coins = load_game("tictactoe"), load_game("coin_grabber:first=C")
    assert human_sides(game, None) == human_sides(game, "x") == human_sides(game, "first") == {1}
    assert human_sides(game, " O ") == human_sides(game, "second") == {-1}
    assert (human_sides(game, "BOTH"), human_sides(game, "none")) == ({1, -1}, set())
    assert human_sides(coins, "c") == human_sides(coins, "X") == {1}
    assert human_sides(load_game("wild"), "Second") == {-1}
    with pytest.raises(OptionError, match="`you` 'Z' is not a player of tictactoe; write one of X, O, both, none"):
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
    session, console = played(spec, *lines)
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
    assert "Decided at ply 2: O played b1 and a tie became a win for X; a1, c1, a3 or c3 would have kept it." in (
        console.text
    )
    _, console = played(
        "tictactoe", "5", "1", "9", "7", "4", "6", "2", "8", "3", know=lambda: find_knowledge("tictactoe")
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
        "X played a1-b1 and a tie became a win for O by 2; b1-b2 would have kept it.",
        "O played b1-c1 and a win for O by 2 became a tie; a1-a2 or a2-b2 would have kept it.",
        "X played a1-a2 and a tie became a win for O by 2; b1-b2 would have kept it.",
        "O played a2-b2 and a win for O by 2 became a tie; c1-c2 or b2-c2 would have kept it.",
    ):
        assert line in console.text
    _, console = played(*begun, "c1-c2", "a2-b2", "b1-b2", "b2-c2", know=known)
    assert "O wins by 2 after 7 plies." in console.text
    assert [found[0] for found in re.findall(r"(X|O) played [^.]* would have kept", console.text)] == [*"XOX"]


def test_hints():
    known = lambda: find_knowledge("tictactoe")  # noqa: E731
    _, console = played("tictactoe", "a1", "b1", "hint", know=known)
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
    assert "nobody knows this game. Type ? for help." in console.text


def test_hints_tell_draws_from_ties():
    _, console = played("morris:variant=nine_holes", "hint", know=lambda: find_knowledge("morris:variant=nine_holes"))
    solution = analysis.solve("morris:variant=nine_holes")
    assert (solution.value, solution.remoteness_plies) == (0, None)
    assert "The position is a draw under optimal play" in console.text
    assert re.search(r"b2 0 - yes", console.text)


def test_words_and_refusals():
    session, console = played(
        "tictactoe", "undo", "b2", "b2", "d9", "nonsense", "", "moves", "board", "?", "UNDO", "9", "1", "0",
        players={-1: find_player("random", "tictactoe")},
    )  # fmt: skip
    text = console.text
    assert "There is no move of yours to take back." in text
    assert "'b2' is not a legal move; legal moves are" in text
    assert re.search(r"Legal moves \(7\): ", text)
    assert all(re.search(rf"{word} +[a-z]", text) for word in ("hint", "undo", "moves", "board", "quit", "0"))
    for words in ("Taken back: ", "X (you) plays c3", "X (you) gives up: O wins.", f"resume {session.position}"):
        assert words in text
    assert len(session.turns) in (2, 4)


def test_words_are_no_moves(tmp_path):
    board = tmp_path / "board.txt"
    board.write_text(SMALL_BOARD)
    session, console = played(f"coin_grabber:board={board},threshold=10", "d", "u", "?", "undo", "left", "undo", "L")
    for words in ("2. C plays U", "Taken back: U.", "Taken back: L."):
        assert words in console.text
    assert session.path == "12"


# The command, in this process -----------------------------------------------------------------------------------------


def test_refusals(gametree):
    one_line(gametree("play", "tictactoe", "--you", "Z"), 2, "--you 'Z' is not a player of tictactoe")
    one_line(gametree("play", "tictactoe", "--opponent", "expert"), 2, "level 'expert'", "random, greedy")
    one_line(gametree("play", "tictactoe", "--you", "both", "--opponent", "random"), 2, "leaves no side")
    one_line(gametree("play", "tictactoe", "XX"), 2, "position 'XX' has 2 cells")
    one_line(gametree("play", "tictactoe", "--seconds", "-1"), 2, "give more than 0")
    one_line(gametree("play", "tictactoe", "--seconds", 1, "--opponent", "greedy"), 2, "--seconds", "depth:N")
    one_line(gametree("play", "chess", "--opponent", "nobody.py"), 2, "no file nobody.py")  # before the game is read
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
    (tmp_path / "own.py").write_text(OWN.replace("ONGOING if state", "ONGOING // (state < 8) if state"))
    for level in ("greedy", "random"):  # the first looks ahead
        code, out, err = gametree("play", "own.py:Count", "--you", "none", "--opponent", level, "--seed", "1")
        assert "the rules fail at state" in err
        assert "ZeroDivisionError" in err
        assert (code, err.count("\n")) == (1, 1)
    assert "1. X plays" in out


def test_who_moves_first_from_a_position(gametree, monkeypatch):
    game = load_game("tictactoe")
    assert human_sides(game, None, begins=-1) == human_sides(game, "first", begins=-1) == frozenset((-1,))
    assert human_sides(game, "second", begins=-1) == frozenset((1,))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    out = gametree("play", "tictactoe", "X????????", "--you", "first", "--opponent", "random").out
    assert "X against O (you)" in out
    assert "--you O" in out.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tictactoe", "bidding:game=mnk:rows=1,cols=3,k=2,chips=1"])
def test_ctrl_c_twice(spec, tmp_path):
    command = [sys.executable, str(ROOT / "cli.py"), "play", spec, "--opponent", "random"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        while "for help" not in process.stdout.readline():
            pass
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    assert "Continue with:" in out


@pytest.mark.slow
def test_through_a_pipe(program, tmp_path):
    done = program("play", "tictactoe", "--you", "X", "--seed", "1", input="5\n", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("O is perfect: (solved here in|searches)", done.stdout)  # whichever is sooner
    assert "End of input. The game stands after 2 plies (42) at ??O?X????, X (you) to move." in done.stdout
    command = done.stdout.splitlines()[-1].strip()
    assert re.fullmatch(r"\S.* play tictactoe '[XO?]{9}' --you X", command)


# The program in a pseudo-terminal -------------------------------------------------------------------------------------


@pytest.fixture
def terminal(tmp_path):
    """Start `gametree play` in a pseudo-terminal."""
    started = []

    def start(*args: object) -> pexpect.spawn:
        child = pexpect.spawn(
            sys.executable, [str(ROOT / "cli.py"), "play", *map(str, args)], cwd=tmp_path, encoding="utf-8",
            codec_errors="replace", timeout=PATIENCE, dimensions=(50, 80),
        )  # fmt: skip
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


def code_of(child):
    """The exit code, when the program has ended."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code", "said"),
    [("interrupt", 130, "Interrupted"), ("eof", 0, "End of input"), ("quit", 0, "The game stands after 1 ply")],
)
def test_leaving(terminal, how, code, said):
    child = terminal("tictactoe", "XO???????", "--you", "both")
    child.expect("X to move: ")
    child.sendline("9")
    child.expect("O to move: ")
    {"interrupt": child.sendintr, "eof": child.sendeof, "quit": lambda: child.sendline("quit")}[how]()
    child.expect(said)
    child.expect("play tictactoe 'XO\\?\\?\\?\\?\\?\\?X' --you both")
    assert code_of(child) == code


@pytest.mark.slow
def test_interrupt_while_the_opponent_thinks(terminal):
    child = terminal("connect", "--you", "second", "--opponent", "depth:1000", "--seconds", 10 * PATIENCE)
    child.expect("X is depth:1000")
    time.sleep(1.5)
    child.sendintr()
    child.expect("Interrupted. The game stands after 0 plies")
    assert code_of(child) == 130
