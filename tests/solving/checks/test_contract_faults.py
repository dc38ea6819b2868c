"""A check that cannot fail is none: for every check of the contract a game that breaks it, and the words it gets."""

import dataclasses
import re
from typing import Any, ClassVar

import pytest

import analysis
from analysis.engine.engine import make_engine
from analysis.engine.promises import refuse_few
from analysis.errors import RulesError
from analysis.rules.game import ONGOING, Evaluation, Game, Rules, popcount
from analysis.solving.checks.checks import CHECKS
from analysis.solving.checks.suite import check_game
from tests.support.graph_oracle import oracle_of
from tests.support.own_game import own_game

FULL = 0b111


def to_move(state: int) -> int:
    return 1 - 2 * (popcount(state) & 1)


def outcome(state: int) -> int:
    """Three cells, marked in turn; X wins with the middle cell."""
    if (state | state >> 3) & FULL != FULL:
        return ONGOING
    return 1 if state & 0b010 else -1


def legal_moves(state: int, out: Any) -> int:
    count = 0
    for cell in range(3):
        if not (state | state >> 3) >> cell & 1:
            out[count] = cell
            count += 1
    return count


def play(state: int, move: int) -> int:
    return state | 1 << (move + 3 * (popcount(state) & 1))


def balance(state: int) -> int:
    return popcount(state & FULL) - popcount(state >> 3)


SOUND = Rules(
    start=0,
    max_moves=3,
    legal_moves=legal_moves,
    play=play,
    outcome=outcome,
    to_move=to_move,
    largest_code=2,
    cells=3,
    symmetries=((0, 1, 2), (2, 1, 0)),
    max_plies=3,
    evaluations={"balance": Evaluation(balance, (0, 1))},
)


@dataclasses.dataclass(frozen=True, eq=False)
class Marks(Game):
    """The sound game, with some of its rules replaced. Games are told apart by identity: rules have no equality."""

    family: ClassVar[str] = "marks"

    changed: dict = dataclasses.field(default_factory=dict)

    def rules(self) -> Rules:
        return dataclasses.replace(SOUND, **self.changed)

    def format_position(self, state: int) -> str:
        return "".join("X" if state >> c & 1 else "O" if state >> (c + 3) & 1 else "?" for c in range(3))

    def parse_position(self, text: str) -> int:
        return sum(1 << (c + 3 * (mark == "O")) for c, mark in enumerate(text) if mark != "?")


class Growing(Marks):
    """Not broken: the board gets another shape with the first move."""

    def grid(self, state: int) -> Any:
        return [["?"] * 3] * (1 + bool(state))


def parse_position(self, text):
    return [][0]


# Broken functions, each in one place ----------------------------------------------------------------------------------


def raising_play(state, move):
    return state if move < 2 else (1, 2)[move]


def overflowing_play(state, move):
    return play(state, move) + ((state + 1) << 62 >> 62) - (state + 1)


def descending_moves(state, out):
    n = legal_moves(state, out)
    if n == 2:
        out[0], out[1] = out[1], out[0]
    return n


def one_too_many(state, out):
    out[3] = 0
    return legal_moves(state, out)


def middle_is_worth_more(state):
    return 2 if state & FULL == 0b111 & ~(state >> 3) and state & 0b010 else outcome(state)


def left_wins(state):
    payoff = outcome(state)
    return payoff if payoff == ONGOING else 1 if state & 1 else -1


def no_middle_after_left(state, out):
    n = legal_moves(state, out)
    if state == 1:
        out[0] = 2
        return 1
    return n


def depends_on_rubbish(state, out):
    out[2] = out[2] % 2 + 2
    for cell in range(2):
        out[cell] = cell
    return 3 if state == 0 else legal_moves(state, out)


def back_and_forth(state, move):
    return 0 if popcount(state) == 2 else play(state, move)


def falling(state):
    return 3 - popcount(state)


def mirror(state):
    return state & 0b010010 | (state & 0b001001) << 2 | (state & 0b100100) >> 2


def least(state):
    return min(state, mirror(state))


def orbit_of_least(state):
    return 1 if state == mirror(state) else 2


def always_one(state):
    return 1


def divided(state, move):
    return play(state, move) + state / 2


def undefined(state):
    return state + no_such_name  # noqa: F821


OWN = {"cells": 0, "symmetries": ()}
BROKEN = [
    ("rules", {"max_moves": 0}, None, None, "max_moves=0; it must be a whole number from 1 to 255"),
    ("functions", {"play": raising_play}, "???", None, "in raising_play(): IndexError: tuple index out of range"),
    ("functions", {"play": lambda s, move: play(s, move) if move != 1 else -1},
     "???", None, "play() gives the state -1, which is negative"),
    ("functions", {"play": lambda s, move: play(s, move) * 1.0}, "???", None, "play() gives 1.0, which is not an int"),
    ("functions", {"to_move": lambda s: 0 if s >> 3 else to_move(s)}, None, None, "to_move() gives 0; it must"),
    ("functions", {"legal_moves": one_too_many}, "???", None, "writes to out[3], but max_moves=3"),
    ("functions", {"legal_moves": descending_moves}, None, None, "codes must ascend"),
    ("some move", {"legal_moves": lambda s, out: 0 if popcount(s) == 2 else legal_moves(s, out)},
     None, None, "there is no legal move, but outcome() says"),
    ("functions", {"outcome": middle_is_worth_more}, None, None, "outcome() gives 2; payoffs must be ints from -1"),
    ("promises", {"legal_moves": depends_on_rubbish}, None, None, "but when called again"),
    ("loops", {"play": back_and_forth}, "???", None, "the position recurs after 3 plies; set loopy=True"),
    ("tiers", {"tier": falling}, "???", "0", "the tier goes from 3 to 2; it must rise with every move"),
    ("tiers", {"play": lambda s, move: 1 if s & 2 else play(s, move)},
     "X??", None, "occurs after 1 and after 2 plies; give the rules a tier()"),
    ("max_plies", {"max_plies": 2}, None, None, "a game takes 3 plies, but max_plies=2"),
    ("evaluations", {"evaluations": {"b": Evaluation(balance, (0, 0))}}, None, None, "'b' gives 1; its bounds"),
    ("compiled", {"play": overflowing_play}, None, None, "in plain Python and"),
    ("code", {"play": divided}, None, None, "in divided(): "),
    ("code", {"evaluations": {"b": Evaluation(undefined, (0, 9))}}, None, None, "'no_such_name' is not defined"),
    ("promises", {"symmetries": ((0, 1, 2), (1, 2, 0))}, None, None, "is missing, that is"),
    ("promises", {"impartial": True}, None, None, "in an impartial game the player to move at the end has lost"),
]  # fmt: skip
FALSE = [
    ({"outcome": left_wins}, "outcome() gives"),
    ({"legal_moves": no_middle_after_left}, "under the symmetry (2, 1, 0)"),
    ({"lines": ((0, 1, 2),), "symmetries": ()}, "under the symmetry ("),
    ({**OWN, "canonical": mirror, "orbit_size": always_one}, "applied again"),
    ({**OWN, "canonical": least, "orbit_size": orbit_of_least, "outcome": left_wins}, "outcome() gives"),
    ({**OWN, "canonical": least, "orbit_size": always_one}, "1, but 2 positions have"),
    (
        {**OWN, "canonical": least, "orbit_size": lambda s: 2 if s else 1, "tier": lambda s: popcount(s)},
        "2, but 1 positions have",
    ),
]
"""Promises that do not hold, and what is said."""


def failure(game: Game, name: str):
    report = check_game(game, games=30)
    results = {result.check: result for result in report.results}
    assert results[name].result == "failed", {result.check: result.result for result in report.results}
    assert not report.passed
    return results[name]


def test_the_sound_game_passes():
    report = check_game(Marks())
    assert report.passed, report.failures
    assert {result.check for result in report.results if result.result == "does not apply"} == {"residual()"}


@pytest.mark.parametrize(  # each compiles a game of its own
    ("name", "changed", "position", "move", "words"),
    [
        pytest.param(*b, marks=pytest.mark.slow if i % 3 else [], id=f"{b[0]}: {b[4]}"[:60])
        for i, b in enumerate(BROKEN)
    ],
)
def test_broken_rules(name, changed, position, move, words):
    found = failure(Marks(changed), name)
    assert words in found.fault.message
    assert position is None or found.fault.position == position
    assert move is None or found.fault.move == move
    assert found.looked_at >= 1


@pytest.mark.parametrize(
    ("changed", "words"), [pytest.param(*each, marks=pytest.mark.slow if i % 3 else []) for i, each in enumerate(FALSE)]
)
def test_false_promises(changed, words):
    """They are refused before a solve, and by the check."""
    kind = "full" if "lines" in changed else "geometric"
    with pytest.raises(RulesError, match=re.escape(words)):
        refuse_few(make_engine(Marks(changed), symmetry=kind))
    refuse_few(make_engine(Marks(changed), symmetry="geometric" if "lines" in changed else "none"))
    assert words in failure(Marks(changed), "promises").fault.message


def test_rules_are_refused_by_whatever_rests_on_their_symmetries():
    wrong = Marks({"outcome": left_wins})
    for use in (analysis.solve, analysis.compare):
        with pytest.raises(RulesError, match="under the symmetry"):
            use(wrong)
    assert analysis.solve(wrong, symmetry="none").value == oracle_of(wrong).value(0)


TAKE = own_game(
    "Take",
    fields="most: int = 2\nplace: int = 0\nby_ply: bool = False",
    setup="""
most, place, by_ply = self.most, self.place, self.by_ply
def tokens(state):
    return state >> 8 & 255
def turn(state):
    return state >> place & 1
""",
    start="9 << 8",
    legal_moves="""
count = 0
for take in range(1, 1 + (most if turn(state) else 2)):
    if take <= tokens(state):
        out[count] = take
        count += 1
return count
""",
    play="state - (move << 8) + (1 if by_ply else (1 - 2 * turn(state)) << place)",
    outcome="ONGOING if tokens(state) else 1 if turn(state) else -1",
    to_move="1 - 2 * turn(state)",
    tier="255 - tokens(state)",
    impartial="True",
)


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [("most=2", True), ("most=2,place=20", True), ("most=2,by_ply=true", True), ("most=1", False),
     ("most=1,place=20", False), ("most=1,by_ply=true", False)],
)  # fmt: skip
def test_players_of_an_impartial_game_have_the_same_moves(parameters, kept, tmp_path):
    """Whether states hold the turn, in any bit, or the ply."""
    (tmp_path / "take.py").write_text(TAKE)
    report = check_game(f"{tmp_path / 'take.py'}:Take:{parameters}", games=30)
    assert {each.check: each.result for each in report.results}["promises"] == ("ok" if kept else "failed")
    assert report.passed is kept


# Texts, values and what follows from a failure ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "broken", "name", "words"),
    [
        ("format_position", lambda self, s: Marks.format_position(self, s).replace("O", "X"),
         "position texts", "'?XX' for the state 34, which is read as 6"),
        ("parse_position", parse_position,
         "position texts", "in parse_position(): IndexError: list index out of range"),
        ("format_move", lambda self, move: "0", "move texts", "gives '0', which is read as 0"),
        ("grid", lambda self, s: [["X", "O"], ["?"]],
         "boards", "grid() gives [['X', 'O'], ['?']]; it must return None or a list of equally long rows"),
        ("caption", lambda self, s: None, "boards", "caption() gives None; it must return a text"),
        ("cell_of", lambda self, s, move: 3 * move,
         "boards", "cell_of() gives 3; it must return None or a cell of the board, from 0 to 2"),
    ],
)  # fmt: skip
def test_broken_texts(method, broken, name, words):
    kind = type("Broken", (Growing,), {method: broken})
    assert words in failure(kind(), name).fault.message


def test_every_check_has_a_broken_game():
    elsewhere = {"position texts", "move texts", "boards", "solution", "residual()"}
    assert {check.name for check in CHECKS} == {name for name, *_ in BROKEN} | elsewhere


def test_later_checks_are_left_out():
    report = check_game(Marks({"start": -1}))
    assert [result.result for result in report.results] == ["failed"] + ["left out"] * (len(CHECKS) - 1)
    assert "start=-1; it must be a whole number from 0 and below 2**63" in report.failures[0].fault.message
    report = check_game(Marks({"play": lambda s, move: play(s, move) if move != 1 else -1}))
    results = {result.check: result.result for result in report.results}
    assert results["compiled"] == results["solution"] == "left out"
