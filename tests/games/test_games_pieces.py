"""Hexapawn, Dodgem, three men's morris and Coin Grabber: rules against golden numbers, text, and the engine."""

import pytest

import analysis
from analysis.errors import PositionError, SpecError
from analysis.games.coin_grabber import CoinGrabber
from analysis.games.dodgem import Dodgem
from analysis.games.families import load_game
from analysis.games.hexapawn import Hexapawn
from analysis.games.morris import Morris
from analysis.rules.game import ONGOING
from tests.support import golden
from tests.support.contract import check_states, check_symmetries
from tests.support.graph_oracle import oracle_of

GOLDEN = {
    name: [line.split(",") for line in golden.lines(f"{name}.txt")]
    for name in ("hexapawn", "dodgem", "morris", "coin_grabber")
}


def kind(oracle) -> str:
    value, remoteness = oracle.value(oracle.start), oracle.remoteness(oracle.start)
    return "win" if value else "draw" if remoteness is None else "tie"


def counts(oracle) -> list[int]:
    """Positions, those that go on, and moves."""
    return [len(oracle.positions), sum(not oracle.over(s) for s in oracle.positions), oracle.move_count]


def wins(oracle, side=None) -> int:
    """Positions that a side wins, or that their mover does."""
    return sum(oracle.value(s) == (side or oracle.to_move(s)) for s in oracle.positions)


def level(oracle) -> int:
    return sum(oracle.value(s) == 0 for s in oracle.positions)


def check_contract(game, oracle) -> None:
    rules = game.rules()
    assert load_game(game.spec) == game
    check_states(game, oracle.positions)
    check_symmetries(rules, oracle.positions[:300])
    for state in oracle.positions:
        assert all(rules.to_move(child) == -rules.to_move(state) for child in oracle.children(state))


def refused(call, text, *words) -> None:
    with pytest.raises((PositionError, SpecError)) as error:
        call(text)
    message = str(error.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def small_hexapawn(most):
    return [list(map(int, row)) for row in GOLDEN["hexapawn"] if int(row[4]) <= most]


@pytest.mark.parametrize("row", small_hexapawn(10_000), ids=str)
def test_hexapawn_golden(row):
    rows, cols, value, remoteness, *numbers = row
    game = Hexapawn(rows, cols)
    oracle = oracle_of(game)
    assert (oracle.value(oracle.start), oracle.remoteness(oracle.start)) == (value, remoteness)
    assert counts(oracle) == numbers
    assert game.rules().max_plies >= remoteness
    check_contract(game, oracle)


@pytest.mark.parametrize("row", [row for row in GOLDEN["dodgem"] if int(row[0]) < 4], ids=str)
def test_dodgem_golden(row):
    game = Dodgem(int(row[0]))
    oracle = oracle_of(game)
    assert (oracle.value(oracle.start), kind(oracle)) == (int(row[1]), row[2])
    assert oracle.remoteness(oracle.start) == (int(row[3]) if row[3] else None)
    assert [*counts(oracle), wins(oracle, 1), wins(oracle, -1), level(oracle)] == list(map(int, row[4:]))
    check_contract(game, oracle)


def test_dodgem_texts_and_ends():
    game = Dodgem()
    rules = game.rules()
    assert [game.format_move(code) for code, _ in rules.moves(rules.start)] == ["a3-b3", "a2-a1", "a2-b2"]
    leaving = game.parse_position("??X ??? O?? X")
    assert [game.format_move(code) for code, _ in rules.moves(leaving)] == ["c3-c2", "c3-off"]
    assert rules.outcome(rules.play(leaving, game.parse_move("c3-off"))) == 1
    blocked = game.parse_position("XO?/O??/??? X")  # O blocks X completely, and loses
    assert rules.outcome(blocked) == 1
    assert rules.outcome(game.parse_position("XO?/O??/??? O")) == ONGOING


@pytest.mark.parametrize("row", GOLDEN["morris"], ids=str)
def test_morris_golden(row):
    game = Morris(row[0])
    oracle = oracle_of(game)
    assert (oracle.value(oracle.start), kind(oracle)) == (int(row[1]), row[2])
    assert oracle.remoteness(oracle.start) == (int(row[3]) if row[3] else None)
    won = wins(oracle)
    lost = len(oracle.positions) - won - level(oracle)
    assert [*counts(oracle), won, level(oracle), lost] == list(map(int, row[4:]))
    winning = [code for code, child in oracle.moves[oracle.start] if oracle.value(child) == 1]
    assert winning == ([4] if row[2] == "win" else [])
    if row[0] != "tapatan":
        check_contract(game, oracle)


@pytest.fixture
def grabber(tmp_path):
    """A game on a board given as text, rows apart by ``/``."""

    def make(board: str, first: str = "H", threshold: int = 0) -> CoinGrabber:
        file = tmp_path / "board.txt"
        file.write_text("# a board\n\n" + board.replace("/", "\n") + "\n")
        return CoinGrabber(str(file), first, threshold)

    return make


@pytest.mark.parametrize("row", GOLDEN["coin_grabber"], ids=str)
def test_coin_grabber_golden(row, grabber):
    game = grabber(row[0], row[1], int(row[2]))
    oracle = oracle_of(game)
    result = {1: "first", -1: "second"}.get(oracle.value(oracle.start), kind(oracle))
    assert (result, oracle.remoteness(oracle.start)) == (row[3], int(row[4]) if row[4] else None)
    positions, going_on, moves = counts(oracle)
    found = [positions, moves, positions - going_on, wins(oracle, 1), wins(oracle, -1), level(oracle)]
    assert found == list(map(int, row[5:]))
    if row[1] == "C":
        check_contract(game, oracle)


def test_coin_grabber_course_board():
    game = CoinGrabber()
    rules = game.rules()
    assert game.layout.total == 271
    assert game.spec == "coin_grabber:board=course,first=H,threshold=100"
    assert game.players == ("H", "C")
    assert CoinGrabber(first="c").players == ("C", "H")
    assert [game.format_move(code) for code, _ in rules.moves(rules.start)] == ["D", "R"]
    assert [game.parse_move(text) for text in ("up", " Down ", "l", "RIGHT")] == [0, 1, 2, 3]
    state = rules.start
    for word in ("right", "left", "right", "up", "down"):
        state = rules.play(state, game.parse_move(word))
    text = "0 0 0 5 25 / 5 10 H 10 5 / 10 25 1 25 10 / 5 10 25 C 5 / 25 5 10 0 0 H=40 C=15 C"
    assert game.format_position(state) == text
    assert rules.evaluations["money"].function(state) == 25
    assert game.grid(state)[0] == [" ", " ", " ", "5", "25"]


@pytest.mark.parametrize(
    ("threshold", "purses", "payoff"),
    [(16, "H=15 C=10", 1), (17, "H=15 C=10", -1), (0, "H=10 C=15", -1), (0, "H=15 C=10", 1)],
)
def test_coin_grabber_threshold(threshold, purses, payoff, grabber):
    """Whoever takes the decisive coin with less than the threshold loses, however poor the other is."""
    game = grabber("H 5 10/10 1* C", threshold=threshold)
    rules = game.rules()
    end = rules.play(game.parse_position(f"0 0 C / H 1 0 {purses} H"), game.parse_move("R"))
    assert rules.outcome(end) == payoff
    assert rules.evaluations["money"].function(end) == 10_000 * payoff
    assert rules.to_move(end) == -1


def test_coin_grabber_hash_covers_the_board(grabber):
    one, same = grabber("H 5/1 C"), grabber("H  5 # a comment\n1* C")
    other = grabber("H 6/1 C")
    assert one.spec == same.spec == other.spec
    assert one.rules_hash() == same.rules_hash() != other.rules_hash()
    assert one == same != other


BAD_BOARDS = {
    "H 5/1 C 5": "rows of as many squares",
    "H 5/x C": "and values",
    "H 5/5 C": "0 decisive coins",
    "H 1*/1* C": "2 decisive coins",
    "H 1 2 3 4 5 6 7/" + "9 9 9 9 9 9 9 9/" * 5 + "9 9 9 9 9 9 9 C": "at most 63 fit a state",
}


@pytest.mark.parametrize("board", BAD_BOARDS)
def test_coin_grabber_bad_boards(board, grabber):
    refused(grabber, board, BAD_BOARDS[board])


def test_coin_grabber_bad_positions(grabber):
    game = grabber("H 5 10/10 1* C")
    parse = game.parse_position
    assert parse("0 H 10 10 1 C h = 5, c=0 c") == parse("0 h 10 / 10 1* c H=5 C=0 C")
    refused(parse, "H 5 10 / 10 1 C", "purses", "H=15 C=20 H")
    refused(parse, "H 5 10 / 10 1 H=0 C=0 H", "5 squares", "2 rows of 3")
    refused(parse, "H 5 10 / 10 2 C H=0 C=0 H", "row 2, column 2 holds 2; write 1 or 0")
    refused(parse, "H 5 10 / 10 1 0 H=0 C=0 H", "0 C; write exactly one")
    refused(parse, "H 0 10 / 10 1 C H=0 C=0 H", "coins worth 5 are gone")
    refused(game.parse_move, "north", "up, down, left, right")


def engine_rows():
    """A specification, its value, remoteness and number of positions."""
    for rows, cols, value, remoteness, positions, *_ in small_hexapawn(30_000):
        if positions in (135, 3708, 20286):
            slow = [pytest.mark.slow] * (positions > 135)
            yield pytest.param(f"hexapawn:{rows},{cols}", value, remoteness, positions, marks=slow)
    for family in ("dodgem", "morris"):
        for name, value, _, remoteness, positions, *_ in GOLDEN[family]:
            slow = [pytest.mark.slow] * (name not in ("2", "3"))
            if name != "tapatan":
                plies = int(remoteness) if remoteness else None
                yield pytest.param(f"{family}:{name}", int(value), plies, int(positions), marks=slow)


@pytest.mark.parametrize(("spec", "value", "remoteness", "positions"), [*engine_rows()])
def test_engine(spec, value, remoteness, positions):
    solution = analysis.solve(spec, counts=spec.startswith("hexapawn"))
    assert (solution.value, solution.remoteness_plies, solution.position_count) == (value, remoteness, positions)


ENGINE_BOARDS = [row for row in GOLDEN["coin_grabber"] if row[1] == "H" and (int(row[5]) > 1000 or "C 1*" in row[0])]


@pytest.mark.parametrize("row", ENGINE_BOARDS, ids=str)
@pytest.mark.slow
def test_engine_coin_grabber(row, grabber):
    solution = analysis.solve(grabber(row[0], row[1], int(row[2])), counts=False)
    assert solution.value == {"first": 1, "second": -1}.get(row[3], 0)
    assert solution.position_count == int(row[5])
    assert solution.remoteness_plies == (int(row[4]) if row[4] else None)
