"""What is left to play on boards of lines: published numbers, closed forms, and small boards beside their positions.

Small boards are solved in plain Python, since compiling the rules of each takes longer.
"""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import analysis
from analysis.engine.engine import make_engine
from analysis.engine.plain import solve_plainly
from analysis.games.families import load_game
from analysis.rules.symmetry import residual_of
from analysis.solution.solution import Solution
from analysis.solving.solve import start_tallies, summarize
from tests.support import golden
from tests.support.board_numbers import tables
from tests.support.line_counts import line_counts
from tests.support.program import slow

MOST_PLAIN = 10
"""Cells of a board that is solved in plain Python."""
DETERMINED = ("value", "remoteness_plies", "games", "games_by_length", "histories", "optimal_paths")


def compiled(spec):
    """A board for which rules are compiled, which takes seconds."""
    return load_game(spec).rules().cells > MOST_PLAIN


def solved(spec, kind):
    """A solution; of a small board nothing is compiled for it."""
    game = load_game(spec)
    if compiled(spec):
        return analysis.solve(spec, symmetry=kind)
    engine = make_engine(game, symmetry=kind)
    steps = solve_plainly(engine.classes, counts=True)[::-1]
    tiers = [step.tier for step in steps]
    return Solution(engine, tiers, summarize(engine, [step.totals for step in steps], start_tallies(tiers[0])))


@pytest.mark.parametrize(
    ("spec", "numbers"),
    [
        pytest.param(*row, marks=[pytest.mark.slow] if compiled(row[0]) else [])
        for row in (*golden.mnk(), *tables("notakto"))
    ],
)
def test_published_numbers(spec, numbers):
    solution = solved(spec, "residual")
    stats = solution.statistics()
    found = {"games_first": stats["games_x"], "games_second": stats["games_o"]}
    found |= {name: stats[name] for name in stats if name.startswith("games")}
    found |= {name: stats[name] for name in ("value", "remoteness_plies", "histories", "optimal_paths")}
    if "nimber" in numbers:
        found["nimber"] = solution[solution.start].nimber
    assert numbers.keys() >= {"value", "histories"} or numbers.keys() >= {"value", "games"}
    assert {name: found[name] for name in numbers if name in found} == {
        name: number for name, number in numbers.items() if name in found
    }


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[] if row.startswith(("1,1", "1,2", "1,3", "2,2")) else [pytest.mark.slow])
        for row in golden.lines("dots_and_boxes.txt")
    ],
)
def test_published_numbers_of_dots_and_boxes(row):
    rows, cols, value, remoteness, _, _, _, games = map(int, row.split(","))
    stats = solved(f"dots_and_boxes:rows={rows},cols={cols}", "residual").statistics()
    assert (stats["value"], stats["remoteness_plies"], stats["games"]) == (value, remoteness, games)


@pytest.mark.parametrize(("n", "classes"), [(3, 370), pytest.param(4, 40_031, marks=pytest.mark.slow)])
def test_classes_of_squares(n, classes):
    """Fewer than 368 and 46,481 that a prototype found: ends of games, some of which count here, aside."""
    solution = solved(f"mnk:rows={n},cols={n},k={n}", "residual")
    assert solution.classes == classes
    assert solution.find("not terminal", limit=0).matched < {3: 368, 4: 46_481}[n]


@pytest.mark.parametrize("board", [(3, 3, 3), (3, 3, 2), (3, 4, 3), (2, 5, 3), (1, 4, 2), *slow((4, 4, 4))])
def test_closed_form(board):
    """Games by outcome and length and histories by ply, from sums over sets of cells."""
    rows, cols, k = board
    counted, spec = line_counts(rows, cols, k), f"mnk:rows={rows},cols={cols},k={k}"
    for misere in (False, True):
        stats = solved(f"{spec},misere={str(misere).lower()}", "residual").statistics()
        first, second = ("o", "x") if misere else ("x", "o")
        found = {row["plies"]: row for row in stats["games_by_length"]}
        lengths = range(rows * cols + 1)
        for name, games in ((first, counted.x), (second, counted.o), ("tie", counted.tie)):
            assert [found[ply][f"games_{name}"] if ply in found else 0 for ply in lengths] == games
        histories = [row["histories"] for row in stats["by_ply"]]
        assert histories + [0] * (len(lengths) - len(histories)) == counted.histories


@pytest.mark.slow
def test_five_in_a_row():
    """The closed form agrees with what benchmarks/five_in_a_row.py solves in two minutes."""
    counted = line_counts(5, 5, 5)
    assert sum(counted.x) == 1_785_076_390_861_215_319_123_200
    assert sum(counted.o) == 1_013_669_737_707_471_716_851_200
    assert sum(counted.tie) == 9_325_207_163_130_772_193_280_000
    assert sum(counted.histories) == 31_225_108_096_106_137_824_434_426


@st.composite
def boards(draw):
    """Boards of up to nine cells, of the families that have residual classes."""
    family = draw(st.sampled_from(["mnk", "wild", "connect", "notakto", "dots_and_boxes"]))
    if family == "dots_and_boxes":
        return draw(st.sampled_from([f"{family}:{size}" for size in ("1,1", "1,2", "1,3", "2,1", "2,2", "3,1")]))
    rows = draw(st.integers(1, 3))
    cols = draw(st.integers(1, {1: 6, 2: 4, 3: 3}[rows] if family != "wild" else {1: 5, 2: 3, 3: 2}[rows]))
    k = draw(st.integers(1, max(rows, cols) if family == "notakto" else 4))
    misere = draw(st.booleans())
    return f"{family}:rows={rows},cols={cols},k={k},misere={str(misere).lower()}"


@settings(deadline=None, max_examples=25)
@given(boards())
def test_every_small_board(spec):
    left, positions = (solved(spec, kind) for kind in ("residual", "none"))
    one, other = left.statistics(), positions.statistics()
    assert {name: one[name] for name in DETERMINED} == {name: other[name] for name in DETERMINED}
    assert [row["histories"] for row in one["by_ply"]] == [row["histories"] for row in other["by_ply"]]
    assert left.classes <= solved(spec, "geometric").classes
    for position in positions:
        assert left.records.of(position.state).games == positions.records.of(position.state).games


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from(
        ["mnk:rows=4,cols=4,k=4", "mnk:rows=5,cols=5,k=5", "mnk:rows=4,cols=5,k=4", "mnk:rows=5,cols=5,k=4,misere=true",
         "mnk:rows=4,cols=7,k=3", "wild:rows=4,cols=4,k=4", "connect:rows=5,cols=6", "connect:rows=4,cols=5,k=3",
         "mnk:rows=4,cols=6,k=5", "mnk:rows=7,cols=3,k=4", "wild:rows=3,cols=6,k=4", "wild:rows=5,cols=2,k=3",
         "notakto:rows=5,cols=5,k=5", "notakto:rows=4,cols=6,k=3", "dots_and_boxes:rows=3,cols=3",
         "dots_and_boxes:rows=1,cols=8"]
    ),
    st.integers(0, 1 << 30),
)  # fmt: skip
def test_moves_lead_to_what_is_left_after_them(spec, seed):
    """The contract, along a random game of a board that is not solved here."""
    game, numbers = load_game(spec), random.Random(seed)
    residual, rules = residual_of(game), game.rules()
    canonical = make_engine(game, symmetry="residual").group.canonical
    state = rules.start
    assert residual.rules.start == residual.of(state)
    while True:
        left, moves = canonical(residual.of(state)), rules.moves(state)
        assert residual.rules.payoff(left) == rules.payoff(state)
        assert residual.rules.mover(left) == rules.mover(state)
        after = Counter(canonical(child) for _, child in residual.rules.moves(left))
        assert after == Counter(canonical(residual.of(child)) for _, child in moves)
        if not moves:
            return
        state = numbers.choice(moves)[1]


def test_symmetric_positions_have_the_same_left():
    """All images of a position of 4x4 under the 32 automorphisms of its lines leave the same, and marks that count for
    nothing do not.
    """
    game = load_game("mnk:rows=4,cols=4,k=4")
    group, of, numbers = make_engine(game, symmetry="full").group, residual_of(game).of, random.Random(1)
    assert group.order == 32
    for _ in range(50):
        state = game.rules().start
        for _ in range(numbers.randrange(12)):
            moves = game.rules().moves(state)
            state = numbers.choice(moves)[1] if moves else state
        assert len({of(image) for image in group.images(state)}) == 1
    one, other = ("XOXO/XOXO/OXOX/????", "OXOX/XOXO/XOXO/????")
    assert of(game.parse_position(one)) == of(game.parse_position(other))
