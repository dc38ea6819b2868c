"""Bidding games as text: specifications and folder names, states, and every refusal in one line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.plain_bidding import search_bidding
from analysis.errors import GametreeError, OptionError, PositionError, SpecError
from analysis.games.bidding import MOST_CHIPS, Bidding, BiddingState
from analysis.games.families import load_game
from analysis.search.problem import game_problem
from analysis.solving import solve as solving
from analysis.solving.find import find_solution
from analysis.solving.to_directory import solve_to_directory
from tests.support.bidding_cases import TABLES, named, spec, states
from tests.support.bidding_oracle import Rules

BOARDS = [
    "tictactoe", "mnk", "mnk:misere=true", "mnk:rows=2,cols=3,k=3", "mnk:rows=3,cols=2,k=3", "mnk:rows=1,cols=1,k=1",
    "wild:rows=2,cols=2,k=2", "notakto:rows=2,cols=3,k=2", "connect:rows=3,cols=3,k=3", "hex:n=2",
]  # fmt: skip


@st.composite
def bidding_games(draw):
    budgets = [draw(st.integers(0, MOST_CHIPS)) for _ in range(draw(st.integers(1, 2)))]
    return Bidding(
        game=draw(st.sampled_from(BOARDS)),
        chips="+".join(map(str, budgets)),
        least=draw(st.sampled_from([0, 1])),
        ties=draw(st.sampled_from(["passes", "chooses"])),
        first=draw(st.sampled_from("XO")),
    )


def parts(game):
    return game.base.spec, game.budgets, game.least, game.ties, game.first


@settings(max_examples=200, deadline=None)
@given(bidding_games())
def test_specification_there_and_back(game):
    again = load_game(game.spec)
    assert (again.spec, again.slug, again.rules_hash()) == (game.spec, game.slug, game.rules_hash())
    assert parts(again) == parts(game)
    assert load_game(game) is game


DEFAULTS = {"game": "tictactoe", "chips": (4, 4), "least": 0, "ties": "passes", "first": "X"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bidding", {}),
        ("bidding:", {}),
        ("bidding:game=mnk:rows=2,cols=3,k=3,chips=5+3,ties=chooses",
         {"game": "mnk:rows=2,cols=3,k=3", "chips": (5, 3), "ties": "chooses"}),
        ("bidding: least=1, game=mnk:rows=2, cols=3, k=2, chips = 5 + 3",
         {"game": "mnk:rows=2,cols=3,k=2", "chips": (5, 3), "least": 1}),
        ("bidding:chips=0,first=o", {"chips": (0, 0), "first": "O"}),
        ("bidding:least=1,chips=0+5", {"chips": (0, 5), "least": 1}),
        ("bidding:chips=10000", {"chips": (10_000, 10_000)}),
    ],
)  # fmt: skip
def test_ways_to_write_it(text, expected):
    assert parts(load_game(text)) == tuple({**DEFAULTS, **expected}.values())


def test_a_game_of_your_own(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import dataclasses\nfrom analysis.games.mnk import Mnk\n\n\n@dataclasses.dataclass(frozen=True)\n"
        "class Corners(Mnk):\n    rows: int = 2\n    cols: int = 2\n    k: int = 2\n"
    )
    game = load_game("bidding:game=mine.py:Corners:rows=1,k=1,chips=1+2,ties=chooses")
    assert (game.base.rows, game.base.cols, game.budgets, game.ties) == (1, 2, (1, 2), "chooses")
    assert load_game(game.spec).slug == game.slug
    values = [
        solve_bidding(spec, workers=1).root.value
        for spec in (game, "bidding:game=mnk:rows=1,cols=2,k=1,chips=1+2,ties=chooses")
    ]
    assert values[0] == values[1] == -1


CHIPS = "is not a number of chips; write chips=4, or chips=5+3 for X's and O's"

PARAMETERS = "game, chips, least, ties, first"
REFUSED = [
    ("chips=four", f"chips=four {CHIPS}"),
    ("chips=-1", f"chips=-1 {CHIPS}"),
    ("chips=٣", f"chips=٣ {CHIPS}"),
    ("chips=10001", "chips=10001 is too many; each player may have at most 10,000"),
    ("chips=3,chips=4", "'chips=4' is not read (did you mean 'chips'?)"),
    (
        "chip=3",
        "'chip=3' is not read (did you mean 'chips'?); write NAME=VALUE, or the first values in order",
    ),
    ("ties=coin", "ties=coin is unknown; it is one of passes, chooses"),
    ("first=Z", "first=Z is unknown; it is one of X, O"),
    ("least=2", "least=2 is not possible; the least bid must be 0 or 1"),
    ("game=tictactoo", "no game is called 'tictactoo' (did you mean 'tictactoe'?); `gametree games` lists them"),
    (
        "game=mnk:rows=2,depth=3,k=2",
        "'depth=3' is not read; write NAME=VALUE, or the first values in order, of rows, cols, k, misere",
    ),
    (
        "game=mnk:rows=2,chips=3,cols=3",
        "'cols=3' is not read; write NAME=VALUE, or the first values in order",
    ),
]


@pytest.mark.parametrize(("parameters", "message"), REFUSED)
def test_refused_specifications(parameters, message):
    with pytest.raises(SpecError) as refusal:
        load_game(f"bidding:{parameters}")
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("rules", [Rules(2, 2, 2, **table) for table in TABLES], ids=named)
def test_every_state_there_and_back(rules):
    game = load_game(spec(rules, 1, 2))
    texts = set()
    for board, x, o, holder in states(rules, 1, 2):
        state = BiddingState(game.base.parse_either_side(board), x, o, holder)
        text = game.format_state(state)
        assert text == f"{board} X={x} O={o} advantage={holder}"
        assert game.parse_state(text) == game.parse_state(f"  {text.lower()} ") == state
        texts.add(text)
    assert len(texts) == len(list(states(rules, 1, 2)))


def test_ways_to_write_a_state():
    game = load_game("bidding:chips=4")
    expected = BiddingState(0b000000010_000000001, 5, 3, "X")
    for text in (
        "XO?/???/??? X=5 O=3 advantage=X",
        "xo. --- ___ x=5 o=3 ADVANTAGE=x",
        "O=3 XO??????? advantage=X X=5",
        "XO? ??? ??? X=05 O=3 advantage=X",
    ):
        assert game.parse_state(text) == expected
    assert game.parse_state("XO?/???/???") == (expected.board, 4, 4, "X")


FORM = "after the board write X=4 O=4 advantage=X, each once, or nothing"

EMPTY = "position '' has 0 cells"
WRONG_BOARDS = [
    ("", EMPTY),
    (" X=4 O=4 advantage=X", EMPTY),
    ("XO?/??? X=4 O=4 advantage=X", "position 'XO?/???' has 6 cells"),
    ("????????? Y=4", "position '????????? Y=4': 'Y' is not a mark"),
    ("XXX/XXX/???", "position 'XXX/XXX/???': position 'XXXXXX???' has moves after the end"),
    ("XXX/OOO/??? X=4 O=4 advantage=X",
     "position 'XXX/OOO/???': position 'XXXOOO???' has 3 in a row for both sides"),
]  # fmt: skip
WRONG = [
    *(("", text, f": {FORM}") for text in ("X=4 O=4", "X=4 X=4 O=4 advantage=X")),
    ("", "X=² O=6 advantage=X", ": X=² is not a number of chips; write X=4"),
    ("", "X=5 O=4 advantage=X",
     " has 5 + 4 chips but bidding:game=tictactoe,chips=4 has 8; use chips=5+4 instead"),
    ("", "X=4 O=4 advantage=Z", ": advantage=Z names no player; write advantage=X or advantage=O"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "text", "message"),
    [
        *(("", text, message) for text, message in WRONG_BOARDS),
        *((rules, f"{'?' * 9} {text}", f"state '{'?' * 9} {text}'{message}") for rules, text, message in WRONG),
    ],
)
def test_refused_states(rules, text, message):
    with pytest.raises(PositionError) as refusal:
        load_game(f"bidding:chips=4{rules}").parse_state(text)
    assert str(refusal.value).startswith(message)


def test_finished_boards_that_do_not_say_who_won():
    with pytest.raises(PositionError, match="is over, and the text does not say who completed the 2 in a row"):
        load_game("bidding:game=notakto:rows=2,cols=2,k=2,chips=1").parse_state("XX?? X=1 O=1 advantage=X")


@pytest.mark.parametrize("search", [False, True])
def test_start_with_other_chips(search):
    """They are taken, or refused; not passed over."""
    name, text = spec(Rules(2, 2, 2), 2, 1), "X?/O? X=0 O=3 advantage=O"
    try:
        root = (search_bidding(name, text, 2) if search else solve_bidding(name, start=text)).root
    except (PositionError, OptionError):
        return
    assert root.state[1:] == (0, 3, "O")


@pytest.mark.parametrize(
    ("game", "options", "error", "words"),
    [
        ("tictactoe", {}, SpecError, r"tictactoe is not a bidding game; write bidding:game=tictactoe,chips=4"),
        ("bidding", {"start": "zzz"}, PositionError, "'z' is not a mark"),
        ("bidding", {"symmetry": "zzz"}, OptionError, "symmetry 'zzz' is unknown"),
        ("bidding", {"workers": 0}, OptionError, "workers=0 is too few"),
    ],
)
def test_refusals_of_solving(game, options, error, words):
    with pytest.raises(error, match=words):
        solve_bidding(game, **options)


@pytest.mark.parametrize(
    "function",
    [solving.solve, solve_to_directory, find_solution, analysis.check_game, game_problem],
    ids=lambda function: function.__name__,
)
def test_what_takes_turns_refuses(function, tmp_path):
    with pytest.raises(GametreeError) as refusal:
        function("bidding:game=mnk:rows=2,cols=2,k=2,chips=1")
    message = str(refusal.value)
    assert message.startswith("bidding:game=mnk:rows=2,cols=2,k=2,chips=1 is a bidding game; solve, stats, show, ")
    assert message.endswith("; for this, take the game on the board, mnk:rows=2,cols=2,k=2")
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []
