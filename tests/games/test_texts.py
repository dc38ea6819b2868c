"""What the built-in families write and read: positions, moves and parameters; and what is refused, with its reason."""

import contextlib
import itertools

import pytest

from analysis.errors import PositionError, SpecError
from analysis.games.families import load_game
from tests.support.graph_oracle import oracle_of


@pytest.mark.parametrize(
    ("spec", "written", "slug"),
    [
        ("tictactoe", "tictactoe", "tictactoe"),
        ("tictactoe:misere=1", "tictactoe:misere=true", "tictactoe-misere"),
        ("mnk", "mnk:rows=3,cols=3,k=3", "mnk"),
        ("mnk:cols=4,misere", "mnk:rows=3,cols=4,k=3,misere=true", "mnk-cols4-misere"),
        ("hex:4", "hex:n=4", "hex-n4"),
        ("domineering:2,5,h", "domineering:rows=2,cols=5,first=H", "domineering-rows2-cols5-firstH"),
        ("nim:10,take=1-2-3", "nim:heaps=10,take=1-2-3", "nim-heaps10-take1-2-3"),
        ("morris:ACHI", "morris:variant=achi", "morris-variantachi"),
    ],
)
def test_names(spec, written, slug):
    game = load_game(spec)
    assert (game.spec, game.slug) == (written, slug)
    assert load_game(game.spec) == game


@pytest.mark.parametrize(
    ("spec", "text", "state"),
    [
        ("mnk", "XO?/?X?/???", 0b000000010_000010001),
        ("notakto", "X??/?X?/???", 0b000010001),
        ("connect:2,3,2", "???/XO?", 0b001_010_011),
        ("domineering:2,4", "#???/###?", 0b0111_0001),
        ("chomp", "P###/##??/???? second", 0b1_000_010_100),
        ("nim", "3-4-0 O", 0b1_000_100_11),
        ("kayles", "5-3-1 O", 0b1_010111011111),
        ("kayles", "0 X", 0),
        ("grundy", "5-3-2", 0b1010010000),
        ("dots_and_boxes:1,2", "_./||./_. -1 O", 0b1_001_01_011_01),
        ("hexapawn", "OOO/???/XXX X", 0b111111000000),
        ("dodgem", "X??/X??/?OO X", 0b110000000000001001),
        ("morris", "XO?/?X?/??? O", 0b1000000010000010001),
        ("othello", "????/?OX?/?XO?/???? X", 0b0000010000100000_0000001001000000),
    ],
)
def test_states_are_written_so(spec, text, state):
    game = load_game(spec)
    assert game.parse_position(text) == state
    assert game.format_position(state).replace("/", "") == text.replace("/", "")


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("wild", {8: "X4", 9: "O4"}),
        ("othello", {3: "3", 16: "pass"}),
        ("hexapawn", {37: "a1-a2", 11: "b3xc2"}),
        ("dodgem", {18: "a2-b2", 29: "c2-off"}),
        ("morris", {4: "b2", 47: "b2-c3"}),
        ("nim", {5: "2:3"}),
        ("kayles", {4: "3", 5: "3+4"}),
        ("grundy", {0: "10=1+9", 4: "9=1+8"}),
        ("dots_and_boxes", {0: "a1-b1", 2: "a1-a2"}),
        ("coin_grabber", {3: "R", 4: "pass"}),
    ],
)
def test_moves_are_called_so(spec, names):
    game = load_game(spec)
    assert {code: game.format_move(code) for code in names} == names
    assert {game.parse_move(f" {name.lower()} "): name for name in names.values()} == names


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        (
            "mnk",
            ["XOX?O????", "XOX.O....", "XOX_O____", "XOX-O----", "XOX ?O? ???", "xox\n?o?\n???", " XOX / ?O? / ??? "],
        ),
        ("mnk", ["XXXXOOXOO", "xxx/xoo/xoo"]),  # the corner completed a row and a column
        ("connect:2,3,3", ["???/?XO", "..._xO"]),
        ("connect:2,3,3", ["O??/XXO", "o-- / xxo"]),
        ("wild", ["OO?X?X???", "oo. / x.x / ..."]),
        ("notakto", ["XX??????X", "xx. / ... / ..x"]),
        ("hex:2", ["X?/O?", "x. o."]),
        ("domineering:2,2", ["#?/#?", "#.#."]),
        ("chomp:2,2", ["P#/#? second", "p# #.  SECOND"]),
        ("chomp:2,2", ["P#/## first", "####"]),
        ("nim:3-4-5", ["3-4-0 O", "3 4 0 o", "3/4/0/O", "3, 4, 0 O"]),
        ("kayles:12", ["5-3-1 O", "1 3 5 o", "5/3/1 O", "0-5-3-1 O"]),
        ("grundy:10", ["5-3-2", "2 3 5", "5/2/3", " 5,3,2 "]),
        ("dots_and_boxes:1,2", ["_./||./_. +1 O", "-./||./-. +1 O", "_. ||. _. 1 o", "_?||?_? +1 O"]),
        ("othello:4", ["????/?OX?/?XO?/???? X", "-----ox--xo-----x", "____ _OX_ .XO. .... X"]),
    ],
)
def test_spellings(spec, texts):
    game = load_game(spec)
    assert {game.format_position(game.parse_position(text)) for text in texts} == {texts[0]}


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        ("mnk", "XOX", "has 3 cells"),
        ("mnk", "XOZ?O????", "'Z' is not a mark"),
        ("mnk", "XX???????", "2 X and 0 O"),
        ("mnk", "XXXOOO???", "for both sides"),
        ("mnk", "XXXOO?O??", "moves after the end"),
        ("mnk:3,6,3", "XXXO?? XXX??? OO?OO?", "moves after the end"),
        ("connect:rows=2,cols=3,k=3", "O?? ?X?", "the O of row 0, column 0 rests on nothing"),
        ("connect:rows=3,cols=3,k=3", "??? OOO XXX", "moves after the end: X already had 3 in a row"),
        ("wild", "XXXOOO???", "no single mark completes"),
        ("notakto", "XO???????", "'O' is not a mark; write X, and"),
        ("hex:n=3", "X?O XO? X?O", "moves after the end: X was already connected"),
        ("chomp:rows=2,cols=2", "?### first", "the poison, P, must be at the upper left"),
        ("chomp:rows=2,cols=2", "P?##", "is not a bitten bar"),
        ("nim:3-4-5", "3-4-5", "does not end in X or O"),
        ("nim:3-4-5", "3-4 X", "has 2 heaps; nim:heaps=3-4-5,take=any has 3"),
        ("nim:3-4-5", "4-4-5 X", "heap 1 has 4 tokens; it begins with 3"),
        ("kayles:12", "6-6 X", "needs 13 places in a row; there are 12"),
        ("grundy:10", "5-3", "has 8 tokens; grundy:heap=10 has 10"),
        ("dots_and_boxes:1,1", ".|..", "does not end in margin and side to move; write it like ./../. \\+0 X"),
        ("dots_and_boxes:1,1", "|... 0 O", "edge a1-b1 is '|'; write _ or ."),
        ("dots_and_boxes:1,1", "-/||/- 0 O", r"a margin of \+0 is impossible with 1 complete boxes"),
        ("othello:4", "????/?OX?/?XO?/????", "write 4 rows of 4 marks and then X or O, who is to move"),
        ("othello:4", "????/?OX?/?X??/???? X", "the four cells in the middle"),
        ("othello:6", "????/?OX?/?XO?/???? X", "write 6 rows of 6 marks"),
        ("hexapawn", "OOO/???/XXX", r"3 rows of 3.*who is to move"),
        ("hexapawn", "OOO/O??/XXX X", "more than 3 pieces"),
        ("dodgem", "XXX/???/?OO O", "more than 2 pieces"),
        ("morris", "XX?/???/??? X", r"2 X and 0 O.*as many or one more"),
        ("morris", "XXO/XXO/OO? X", "more than 3 pieces"),
    ],
)
def test_impossible_positions(spec, text, reason):
    with pytest.raises(PositionError, match=reason) as error:
        load_game(spec).parse_position(text)
    assert "\n" not in str(error.value)


def boards(marks, cells):
    return map("".join, itertools.product(marks, repeat=cells))


TEXTS = {
    **{f"mnk:{r},{c},{k}": boards("?XO", r * c) for r, c, k in ((3, 3, 3), (2, 3, 2), (2, 4, 3), (3, 3, 2), (1, 6, 2))},
    **{f"wild:2,3,{k}": boards("?XO", 6) for k in (2, 3)},
    **{f"notakto:{r},{c},{k}": boards("?X", r * c) for r, c, k in ((3, 3, 3), (1, 9, 3), (2, 3, 2))},
    **{"mnk:2,2,1": boards("?XO", 4), "hex:2": boards("?XO", 4)},
}


@pytest.mark.parametrize("spec", TEXTS)
def test_exactly_the_reachable_positions_are_accepted(spec):
    game, accepted = load_game(spec), set()
    for text in TEXTS[spec]:
        with contextlib.suppress(PositionError):
            accepted.add(game.parse_position(text))
    assert accepted == set(oracle_of(game).positions)


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        *(("wild", text, "write X or O and a cell") for text in ("", "4", "Z4", "X9", "X-1", "X", "X4.0", "X²")),
        ("nim:3-4-5", "1:4", "write heap:tokens, such as"),
        ("nim:9,take=2-5", "1:3", "is not a move of nim"),
        ("kayles:12", "3+5", "two such as 3\\+4"),
        ("grundy:10", "10=5+5", "two unequal parts"),
        ("dots_and_boxes", "a1-c1", "two neighbouring dots"),
        ("othello", "c4", "the number of a cell, counted from 0, or pass"),
        ("hexapawn", "a1-a3", r"a1-a2.*a1xb2"),
        ("dodgem", "a2-c2", r"is not a move of dodgem.*-off"),
        ("morris", "a3-b1", r"b2-c3"),
    ],
)
def test_impossible_moves(spec, text, reason):
    with pytest.raises(PositionError, match=reason):
        load_game(spec).parse_move(text)


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        ("kayles", ["3+4", " 3 + 4 "]),
        ("grundy", ["7=3+4", "7=4+3", "7 = 3 + 4"]),
        ("dots_and_boxes", ["a1-b1", "B1A1"]),
        ("othello", ["pass", " PASS ", "16"]),
        ("hexapawn", ["b3xc2", "B3 C2", "b3c2"]),
        ("nim", ["2:3", "02 : 3"]),
        ("coin_grabber", ["R", "right"]),
    ],
)
def test_spellings_of_moves(spec, texts):
    game = load_game(spec)
    assert {game.format_move(game.parse_move(text)) for text in texts} == {texts[0]}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("tictactoo", "did you mean 'tictactoe'"),
        ("chess", "no game is called 'chess'"),
        ("mnk:rows=0", "rows must be at least 1"),
        ("mnk:rows=6,cols=6", "at most 31"),
        ("mnk:k=0", "k must be at least 1"),
        ("mnk:rows=x", "not a whole number"),
        ("mnk:rows", "write NAME=VALUE"),
        ("mnk:row=3", "did you mean 'rows'"),
        ("mnk:rows=3,rows=4", "is not read"),
        ("mnk:misere=maybe", "neither true nor false"),
        ("tictactoe:rows=4", "is not read"),
        ("nim:take=0", "numbers from 1 on"),
        ("notakto:rows=1,cols=1,k=2", "longer than a 1 x 1 board"),
        ("connect:rows=7,cols=8", "takes 64 bits, cols x .rows . 1.; at most 63 fit a state"),
        ("wild:rows=4,cols=8", "32 cells; at most 31 fit"),
        ("notakto:k=4", "longer than a 3 x 3 board"),
        ("hex:n=6", "n=6 is too large; n must be from 1 to 5"),
        ("domineering:first=X", "first='X' is unknown; it is one of V, H"),
        ("chomp:rows=16,cols=16", "256 .* at most 255"),
        ("chomp:rows=80,cols=3", "take 160 bits; at most 62 fit a state; rows=3,cols=80 is the same game"),
        ("nim:heaps=3--5", "numbers from 0 on joined by -, such as 1-2-3"),
        ("nim:heaps=3-4,take=none", "write any, or numbers from 1 on"),
        ("nim:heaps=200-100", "has 300 different moves; at most 255 have a code"),
        ("nim:heaps=70000,take=1", "at most 65534 can be counted"),
        ("nim:heaps=" + "-".join("1" * 63), "needs 63 bits; at most 62 fit a state"),
        ("kayles:pins=63", "pins=63 is too large; pins must be from 0 to 62"),
        ("grundy:heap=33", "heap=33 is too large; heap must be from 0 to 32"),
        ("coin_grabber:threshold=-1", "threshold must be from 0 to"),
        ("coin_grabber:board=none.txt", "none.txt cannot be read.*'course'"),
        ("dots_and_boxes:rows=5,cols=5", "have 60 edges and need 66 bits; 62 fit"),
        ("othello:size=8", "boards are 2 x 2, 4 x 4 and 6 x 6"),
        ("hexapawn:rows=4,cols=8", r"32 cells.*at most 31"),
        ("dodgem:n=6", r"too large.*2 to 5"),
        ("morris:variant=nine", r"is unknown.*achi.*nine_holes"),
    ],
)
def test_impossible_parameters(spec, reason):
    with pytest.raises(SpecError, match=reason) as error:
        load_game(spec)
    assert "\n" not in str(error.value)


def test_pictures_and_captions():
    pins = ["  i   i   i       i   i       i", "  1   2   3       5   6       8"]
    assert load_game("kayles").picture(0b0_000_010_110_111).split("\n") == pins
    heaps = ["heap 1  ooo   3", "heap 2  oooo  4", "heap 3        0"]
    assert load_game("nim").picture(0b1_000_100_11).split("\n") == heaps
    assert load_game("grundy").picture(0b1010010000).split("\n") == [
        "heap  ooooo  5",
        "heap  ooo    3",
        "heap  oo     2",
    ]
    game = load_game("coin_grabber:threshold=15")
    state, rules = game.rules().start, game.rules()
    assert game.caption(state) == "purses: H 0, C 0; the decisive coin is the 1 at c3; it takes 15 to win"
    for move in (3, 2, 3, 2, 1, 2, 1):
        state = rules.play(state, move)
    assert game.caption(state) == "purses: H 41, C 20; H took the decisive coin: H wins"
