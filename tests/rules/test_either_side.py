"""The rules where either side may be given the move, against a search on strings that shares no code with the games."""

import itertools
from collections import Counter

import pytest

from analysis.common.memory import Budget
from analysis.engine.engine import make_engine
from analysis.engine.passes.forward_by_ply import forward_by_ply
from analysis.engine.plan import Plan
from analysis.errors import PositionError, SpecError, TooLargeError
from analysis.games.families import load_game
from analysis.rules.either_side import EitherSide
from analysis.rules.fields import check_rules
from analysis.rules.game import ONGOING
from tests.support.either_side_oracle import images, plain
from tests.support.program import slow

BOARDS = [
    *(plain("mnk", *size) for size in ((3, 3, 3), (2, 3, 2, True), (1, 4, 3), (2, 2, 1))),
    *(plain("wild", *size) for size in ((2, 2, 2), (2, 3, 3), (2, 3, 2, True))),
    *(plain("notakto", *size) for size in ((2, 3, 2), (2, 3, 3, True), (3, 3, 3))),
    *(plain("connect", *size) for size in ((2, 3, 2), (3, 2, 2, True), (3, 3, 3))),
    *(plain("hex", n, n) for n in (1, 2)),
]
ENGINE = [
    plain("mnk", 3, 3, 3),
    plain("wild", 2, 3, 3),
    plain("hex", 2, 2),
    *slow(plain("notakto", 3, 3, 3), plain("connect", 3, 3, 3)),
]


def name(board):
    return board.spec


def read(game, rules, state):
    """A state of the library as one of ours."""
    outcome = rules.outcome(state)
    return game.format_position(state).replace("/", ""), None if outcome == ONGOING else outcome


@pytest.mark.parametrize("board", [*slow(BOARDS[0]), *BOARDS[1:]], ids=name)
def test_the_boards_outcomes_and_moves_are_those_of_the_search_on_strings(board):
    game = load_game(board.spec)
    rules = check_rules(game.either_side())
    tier = {rules.start}
    for expected in board.plies:
        states = {read(game, rules, state): state for state in tier}
        assert states.keys() == expected
        assert len(states) == len(tier)
        for ours, state in states.items():
            moves = rules.moves(state)
            codes = [code for code, _ in moves]
            assert codes == sorted(set(codes))
            assert len(codes) <= rules.max_moves
            assert max(codes, default=0) <= rules.largest_code
            assert rules.to_move(state) == 1
            found = [("XO"[code & 1], code >> 1, read(game, rules, child)) for code, child in moves]
            assert sorted(found, key=repr) == sorted(board.successors(ours), key=repr)
        tier = {child for state in tier for _, child in rules.moves(state)}
    assert not tier
    assert rules.max_plies >= len(board.plies) - 1


def test_the_published_numbers_of_tictactoe():
    """golden/bidding.txt: 18,753 boards, 7,660 of them finished, 2,694 up to symmetry."""
    states = [state for of_ply in plain("mnk", 3, 3, 3).plies for state in of_ply]
    assert len(states) == 18753
    assert sum(outcome is not None for _, outcome in states) == 7660
    engine = make_engine(EitherSide(load_game("mnk:rows=3,cols=3,k=3")))
    assert sum(forward_by_ply(engine, plan()).sizes) == 2694


def plan():
    return Plan(Budget.of_machine(), True, 0)


@pytest.mark.parametrize("board", ENGINE, ids=name)
@pytest.mark.slow
def test_the_engine_finds_the_same_boards_and_classes(board):
    engine = make_engine(EitherSide(load_game(board.spec)))
    for states, expected in zip(forward_by_ply(engine, plan()).states, board.plies, strict=True):
        assert engine.orbit_sizes(states).sum() == len(expected)
        assert len(states) == len({(min(images(board, text)), outcome) for text, outcome in expected})


@pytest.mark.parametrize("board", [*slow(ENGINE[0]), *ENGINE[1:]], ids=name)
def test_the_engine_makes_the_same_moves(board):
    game = EitherSide(load_game(board.spec))
    engine = make_engine(game, symmetry="none")
    for states, expected in zip(forward_by_ply(engine, plan()).states, board.plies, strict=True):
        ours = [read(game, engine.rules, state) for state in states.tolist()]
        assert len(ours) == len(set(ours))
        assert set(ours) == expected
        going_on = states[[outcome is None for _, outcome in ours]]
        rows, codes, children = engine.expand_moves(going_on)
        found = Counter(
            (read(game, engine.rules, int(going_on[row])), "XO"[code & 1], int(code >> 1), child)
            for row, code, child in zip(
                rows, codes, (read(game, engine.rules, c) for c in children.tolist()), strict=True
            )
        )
        assert found == Counter((state, *successor) for state in expected for successor in board.successors(state))


@pytest.mark.parametrize("spec", ["wild:rows=1,cols=31,k=31", "notakto:rows=1,cols=62,k=62", "connect:rows=8,cols=7"])
def test_the_largest_boards_fit(spec):
    """The bit above the planes too, on a board that is filled by the second player."""
    game = EitherSide(load_game(spec))
    rules = game.rules()
    state = rules.start
    while rules.outcome(state) == ONGOING:
        state = rules.moves(state)[1][1]  # the second player's first move: for wild and notakto an X
        assert 0 <= state < 1 << 63
    assert rules.outcome(state) == (1 if spec.startswith("notakto") else -1)
    assert game.parse_position(game.format_position(rules.start)) == rules.start


SHAPES = [
    *(plain(family, *shape) for family in ("mnk", "wild", "notakto") for shape in ((2, 2, 2), (2, 3, 2), (1, 3, 2))),
    *(plain("connect", *shape) for shape in ((2, 2, 2), (2, 3, 2), (1, 3, 2), (3, 2, 2), (2, 3, 3))),
    *(plain("mnk", *shape) for shape in ((2, 3, 3), (1, 3, 3), (2, 2, 1), (2, 3, 2, True))),
    *[plain("wild", 2, 3, 3), plain("notakto", 1, 3, 3), plain("hex", 1, 1), plain("hex", 2, 2)],
    *slow(plain("mnk", 3, 3, 3), plain("connect", 3, 3, 3), plain("hex", 3, 3)),
]


@pytest.mark.parametrize("board", SHAPES, ids=name)
def test_exactly_the_boards_that_moves_of_either_side_reach_are_accepted(board):
    """Every string of the three marks; of wild and notakto those where nobody has completed a line."""
    game = load_game(board.spec)
    rules = game.either_side()
    reachable = {text: outcome for of_ply in board.plies for text, outcome in of_ply}
    if board.family in ("wild", "notakto"):
        reachable = {text: outcome for text, outcome in reachable.items() if not outcome}
    for marks in itertools.product("?XO", repeat=board.rows * board.cols):
        text = "".join(marks)
        try:
            state = game.parse_either_side(text)
        except PositionError:
            assert text not in reachable
        else:
            assert read(game, rules, state) == (text, reachable[text])


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        ("tictactoe", "XXX/OOO/???", "has 3 in a row for both sides; play stops at the first"),
        ("tictactoe:misere=true", "OOO/???/OOO", "has moves after the end: O already had 3 in a row"),
        ("connect:rows=2,cols=4,k=2", "OO??/XXOX", "has 2 in a row for both sides"),
        ("connect:rows=2,cols=3,k=2", "OXO/XX?", "the O of row 0, column 2 rests on nothing"),
        ("hex:n=3", "XX?/XX?/XX?", "has moves after the end: X was already connected"),
        ("wild", "XXX/???/???", "is over, and the text does not say who completed the 3 in a row"),
        ("nim", "3-4-5", "take=any has no form in which either side may be given the move"),
    ],
)
def test_refused_positions(spec, text, reason):
    with pytest.raises(PositionError) as error:
        load_game(spec).parse_either_side(text)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spec", ["nim", "othello", "hexapawn", "dots_and_boxes"])
def test_games_without_such_a_form(spec):
    game = load_game(spec)
    assert game.either_side() is None
    assert game.expected_either_side() is None
    with pytest.raises(SpecError) as error:
        EitherSide(game).rules()
    assert str(error.value) == (
        f"{game.spec} has no form in which either side may be given the move; "
        "tictactoe, mnk, wild, notakto, connect and hex have one"
    )


@pytest.mark.parametrize(
    "spec",
    [
        "mnk:rows=3,cols=3,k=3",
        "wild:rows=2,cols=3,k=3",
        "notakto:rows=3,cols=3,k=3",
        "connect:rows=3,cols=3,k=3",
        "hex:n=2",
        *slow("mnk:rows=3,cols=4,k=3", "wild", "notakto:rows=4,cols=4,k=4", "connect:rows=4,cols=4,k=4", "hex:n=3"),
    ],
)
def test_expected_boards(spec):
    """Each ply within a factor of 2, all together within a fifth."""
    game = EitherSide(load_game(spec))
    engine = make_engine(game)
    exact = [int(engine.orbit_sizes(states).sum()) for states in forward_by_ply(engine, plan()).states]
    expected = game.expected_positions()
    assert len(expected) >= len(exact)
    assert sum(expected) == pytest.approx(sum(exact), rel=0.2)
    for known, guess in zip(exact, expected, strict=False):
        assert known / 2 <= guess <= known * 2


@pytest.mark.parametrize("spec", ["connect", "hex:n=5", *slow("mnk:rows=5,cols=6,k=4", "notakto:rows=7,cols=8,k=5")])
def test_what_cannot_fit_is_refused_at_once(spec):
    game = EitherSide(load_game(spec))
    assert sum(game.expected_positions()) > 1e11
    with pytest.raises(TooLargeError, match="with either side to move has about"):
        forward_by_ply(make_engine(game), plan())
