"""What someone holds in a notebook or a script: collections, positions, texts, tables, exact numbers, checksums."""

import dataclasses
import hashlib
import itertools
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.common.memory import Budget
from analysis.engine.columns import COUNT_COLUMNS
from analysis.engine.passes.forward_by_ply import forward_by_ply
from analysis.engine.plan import Plan
from analysis.errors import (
    CountOverflowError,
    GametreeError,
    MissingDataError,
    OptionError,
    PositionError,
    RulesError,
    TooLargeError,
)
from analysis.solution.conversions import VALUES, checksum
from tests.support.class_graph import every_position
from tests.support.taking import Take


@pytest.fixture(scope="module")
def solution():
    return analysis.solve("tictactoe")


def test_public_names():
    for name in analysis.__all__:
        assert getattr(analysis, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        analysis.nothing  # noqa: B018
    assert issubclass(GametreeError, Exception)


def test_small_budget_is_refused_at_the_tier_it_cannot_hold():
    from analysis.engine.engine import make_engine
    from analysis.games.families import load_game

    engine = make_engine(load_game("mnk:rows=4,cols=4,k=4"))
    with pytest.raises(TooLargeError, match="about 1,200,000 classes: a solution needs about 28 MB"):
        forward_by_ply(engine, Plan(Budget(10_000_000), in_memory=True, fields=0))
    middle = make_engine(engine.game, start=engine.game.parse_position("XO??" * 1 + "?" * 12))
    with pytest.raises(TooLargeError, match=r"a solution of mnk:rows=4,cols=4,k=4 needs"):
        forward_by_ply(middle, Plan(Budget(2_000_000), in_memory=True, fields=5))
    with pytest.raises(TooLargeError, match="expanding a tier of"):
        forward_by_ply(middle, Plan(Budget(8_000_000), in_memory=True, fields=0))


@pytest.mark.slow
def test_a_game_of_ones_own():
    """Helpers in globals and closures are compiled; a game without a board has no symmetries. 3k is lost."""
    fibonacci = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
    for pile in range(1, 10):
        solution = analysis.solve(Take(pile))
        assert solution.value == (-1 if pile % 3 == 0 else 1)
        assert solution.games == fibonacci[pile]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"outcome": lambda state: 32767}, "no legal move"),
        ({"play": lambda state, move: f"{state}"}, "cannot be used in rules"),
    ],
)
def test_wrong_rules(wrong, words):
    @dataclasses.dataclass(frozen=True)
    class Wrong(Take):
        def rules(self):
            return dataclasses.replace(super().rules(), **wrong)

    with pytest.raises(RulesError, match=words):
        analysis.solve(Wrong(3))


@pytest.mark.parametrize(
    "ask",
    [
        lambda solution: solution.positions(),
        lambda solution: solution.to_arrow(),
    ],
)
def test_what_is_whole_in_memory_is_refused_before_it_is_begun(monkeypatch, ask):
    solution = analysis.solve("nim:heaps=2-2-3")
    monkeypatch.setattr(Budget, "of_machine", classmethod(lambda cls: cls(1000)))
    with pytest.raises(TooLargeError, match=r"needs about .* of memory, but 1 kB are free"):
        ask(solution)
    with analysis.running(memory="9kB"), pytest.raises(TooLargeError, match="1 kB of the 9 kB given"):
        ask(solution)


def slowly(directory):
    """From the files, number by number."""
    tables = [pq.read_table(path) for path in sorted((directory / "positions").glob("*.parquet"))]
    names = [*VALUES, *(name for name in COUNT_COLUMNS if name in tables[0].column_names)]
    lines = ""
    for name in names:
        found = [number for table in tables for number in table[name].to_pylist()]
        if name in VALUES:
            width = np.dtype(VALUES[name]).itemsize
            data = b"".join(
                (65535 if number is None else int(number)).to_bytes(width, "little", signed=VALUES[name][1] == "i")
                for number in found
            )
        else:
            data = b"".join(int(number).to_bytes(16, "little") for number in found)
        lines += f"{name} {hashlib.sha256(data).hexdigest()}\n"
    return hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(
    "spec",
    [
        "tictactoe",
        "dodgem",
        "nim:2-2-2",
        "kayles:22",
        "connect:3,4,3",
        pytest.param("kayles:28", marks=pytest.mark.slow),
    ],
)
def test_however_it_is_stored(tmp_path, spec):
    wanted = checksum(analysis.solve(spec))
    for name, how in {
        "plain": {}, "threads": {"workers": 2}, "sharded": {"sharded": True}, "text": {},
    }.items():  # fmt: skip
        with analysis.running(**how):
            output = analysis.Output(tmp_path / name, ["text", "moves"] if name == "text" else [])
            stored = analysis.solve(spec, directory=output)
        assert checksum(stored) == wanted
        assert slowly(tmp_path / name) == wanted


def test_what_it_depends_on(tmp_path):
    found = {
        checksum(analysis.solve("tictactoe", symmetry="none")),
        checksum(analysis.solve("tictactoe")),
        checksum(analysis.solve("tictactoe", counts=False)),
        checksum(analysis.solve("mnk:3,3,3,misere")),
        checksum(analysis.solve("tictactoe", start="X????????")),
    }
    assert len(found) == 5
    assert checksum(analysis.solve("mnk:3,3,3")) in found  # the same positions, another name


@pytest.mark.parametrize("given", [{"workers": 0}, {"memory": "4"}, {"memory": 0}])
def test_a_run_that_makes_no_sense_is_refused(given):
    with pytest.raises(OptionError), analysis.running(**given):
        pass


def seen(thing, lines: int) -> str:
    """What is printed of a thing, in so many lines at most that fit a terminal."""
    text = repr(thing)
    assert text.startswith("<")
    assert text.endswith(">")
    assert len(text.splitlines()) <= lines
    assert all(len(line) < 80 for line in text.splitlines())
    return text


@pytest.mark.parametrize(
    "spec", ["tictactoe", "nim:heaps=1-2", "dodgem:n=2", "dots_and_boxes:rows=1,cols=2", "connect:rows=3,cols=3,k=3"]
)
def test_positions(spec):
    for position in itertools.islice(every_position(analysis.solve(spec)), 0, None, 50):
        text = seen(position, 3)
        assert position.position in text
        assert ("to move" in text) == (not position.terminal)
        assert all(move.name in text for move in position.moves[:1])


def test_what_is_said_of_a_position(solution):
    position = solution["XOX?O????"]
    text = seen(position, 3)
    assert all(fact in text for fact in ("X to move", "value 0", "remoteness 5", "keep it: 7", "92 games"))
    assert "over" in seen(solution["041263578"], 2)
    bare = analysis.solve("tictactoe", counts=False)["0124"]
    assert "368" not in seen(bare, 2)


def test_paths(solution, tmp_path):
    paths = solution.optimal_paths()
    text = seen(paths, 2)
    assert all(fact in text for fact in ("tictactoe", "3,584", "a tie", "041263578"))
    assert len(paths) == paths.count == len(list(paths)) == 3584
    assert paths
    assert [*itertools.islice(reversed(paths), 2)] == [paths[3583], paths[3582]]
    assert "win of X" in seen(solution.optimal_paths("X?O?X?O?X"), 2)
    uncounted = analysis.solve("tictactoe", counts=False).optimal_paths()
    assert uncounted
    assert "3,584" not in seen(uncounted, 2)
    assert len(list(uncounted)) == 3584  # which asks for a length first
    for error in (MissingDataError, TypeError):
        with pytest.raises(error):
            len(uncounted)
    loopy = analysis.solve("dodgem:n=2").optimal_paths(shortest=True)
    assert len(loopy) == loopy.count
    assert "shortest" in seen(loopy, 2)


def test_more_paths_than_len_can_say():
    paths = analysis.solve("kayles:pins=30").optimal_paths()
    assert paths.count > sys.maxsize
    assert paths
    assert f"{paths.count:,}" in seen(paths, 3)
    for error in (CountOverflowError, OverflowError):
        with pytest.raises(error, match=r"\.count"):
            len(paths)
    assert len([*itertools.islice(paths, 5)]) == 5


SPECS = (
    "mnk:rows=2,cols=3,k=3",
    "connect:rows=3,cols=3,k=3",
    "nim:heaps=1-2-3",
    "dodgem:n=2",
    "dots_and_boxes:rows=1,cols=2",
)


# Collections ----------------------------------------------------------------------------------------------------------


def test_collections(solution):
    assert len(solution) == solution.position_count
    assert all(text in solution for text in solution.positions(text=True)["position"][::50])
    with pytest.raises(TypeError):
        iter(solution)


def test_positions_by_moves(solution):
    wanted = solution["XOX?O????"]
    for given in ("0124", (0, 1, 2, 4), [0, "b1", 2, "b2"], "a1 b1 c1 b2"):
        assert solution[given] == wanted
        assert given in solution
    assert solution[()].position == solution.start
    assert wanted in solution
    for absent in ("XXX??????", (0, 0), "nonsense", (0, 1.5)):
        assert absent not in solution
        with pytest.raises(PositionError):
            solution[absent]


def test_moves_are_from_the_start_of_the_solution():
    later = analysis.solve("tictactoe", start="X???O????")
    assert later[(1,)].position == "XX??O????"
    assert "?????????" not in later


# Positions ------------------------------------------------------------------------------------------------------------


def test_playing_on(solution):
    position = solution["XOX?O????"]
    assert position.play() is position
    assert position.play(7) == solution["XOX?O??X?"]
    assert position.play(7, "a2", 5) == solution["XOXOOX?X?"]
    for illegal in (0, "a1", 9, "nonsense", 2.5, None):
        with pytest.raises(PositionError) as refused:
            position.play(illegal)
        assert "\n" not in str(refused.value)
    assert not position.play(7, 3, 5, 6, 8).moves


@pytest.mark.parametrize("spec", SPECS)
def test_the_line_keeps_the_value_and_ends_the_game(spec):
    solution = analysis.solve(spec)
    for position in itertools.islice(every_position(solution), 0, None, 40):
        line = position.line()
        end = position.play(*(move.move for move in line))
        assert {move.value for move in line} <= {position.value}
        if position.remoteness_plies is None:
            states = [position.play(*(move.move for move in line[:n])).state for n in range(len(line) + 1)]
            assert states[-1] in states[:-1]
        else:
            assert len(line) == position.remoteness_plies
            assert not end.moves
        assert position.line(1) == line[:1]


# Numbers --------------------------------------------------------------------------------------------------------------


def test_sums_in_pandas_are_exact(tmp_path):
    """Counts of 33 digits: sums of decimals, as files hold them, are rounded to 28 of these."""
    solution = analysis.solve("kayles:pins=30", directory=tmp_path / "kayles")
    wanted = 1778663370786818181284307317871496
    for each in (solution, analysis.open_solution(tmp_path / "kayles"), analysis.solve("kayles:pins=30")):
        frame = each.positions()
        assert frame["histories"].sum() == wanted == each.statistics()["histories"] == each.total("histories")
        assert {type(number) for number in frame["histories"]} == {int}
        first = frame[frame["tier"] == 0]
        assert first["games_x"].sum() + first["games_o"].sum() == each.games
        for column in ("games_x", "optimal_paths", "orbit_size", "remoteness_plies", "value"):
            assert each.total(column) == sum(map(int, frame[column]))


def test_small_counts_are_int64_and_products_do_not_wrap(solution):
    frame = solution.positions()
    numbers = frame.select_dtypes("number")
    assert set(map(str, numbers.dtypes)) == {"int64"}
    assert (frame["orbit_size"] * frame["histories"] // frame["orbit_size"]).sum() == 549946
    assert solution.total("positions", ply=3) == frame[frame["ply"] == 3]["orbit_size"].sum() == 252


def test_columns_that_are_not_there(solution):
    for column in ("nimber", "position", "terminal", ""):
        with pytest.raises(MissingDataError, match="orbit_size"):
            solution.total(column)
    with pytest.raises(PositionError):
        solution.total("histories", ply=10)


def test_totals(solution):
    assert (solution.total("positions"), solution.total("classes")) == (5478, 765)
    assert solution.total("games_x", ply=0) == solution.games_x == 131184
    assert solution.total("games_x") == solution.positions()["games_x"].sum() == 213845


# Functions of the public API -----------------------------------------------------------------------------------------


def test_a_plain_dataclass_is_a_game_everywhere():
    game = Take(3)
    assert analysis.find_solution(game).value == analysis.solve(game).value == -1
    assert analysis.compare(game, ["minimax"]).rows[0].nodes == 7
    assert analysis.search.alphabeta(game).value == analysis.search.minimax(Take).value == -1
    judged = analysis.playing.audit(game, ["10"])
    assert (judged.totals()["moves"], judged.totals()["mistakes"]) == (2, 0)


# Wrong types ----------------------------------------------------------------------------------------------------------

WRONG = (
    None, 3, -1, 2.5, True, b"x", [], {}, object(), "", "\0", ("a",), ["tictactoe"], analysis.Game, float("nan"),
    10**30,
)  # fmt: skip
SMALL = "mnk:rows=2,cols=2,k=2"

CALLS = {
    "solve": lambda s, w: analysis.solve(w),
    "solve position": lambda s, w: analysis.solve(SMALL, start=w),
    "solve symmetry": lambda s, w: analysis.solve(SMALL, symmetry=w),
    "find_solution": lambda s, w: analysis.find_solution(w),
    "find_positions": lambda s, w: [*analysis.find_positions(SMALL, w)],
    "verify tiers": lambda s, w: analysis.verify("nowhere", tiers=w),
    "load_game": lambda s, w: analysis.load_game(w),
    "check_game": lambda s, w: analysis.check_game(w, games=1),
    "compare": lambda s, w: analysis.compare(w, ["alphabeta"]),
    "compare depth": lambda s, w: analysis.compare(SMALL, ["alphabeta"], depth=w),
    "compare evaluation": lambda s, w: analysis.compare(SMALL, ["alphabeta"], evaluation=w),
    "write_report": lambda s, w: analysis.write_report(w),
    "plot figure": lambda s, w: analysis.plot(s, w),
    "plot position": lambda s, w: analysis.plot(s, "position", w),
    "[]": lambda s, w: s[w],
    "in": lambda s, w: w in s,
    "at": lambda s, w: s.at(w),
    "lookup": lambda s, w: s.lookup(w),
    "optimal_paths": lambda s, w: s.optimal_paths(w),
    "paths[]": lambda s, w: s.optimal_paths()[w],
    "positions": lambda s, w: s.positions(w),
    "positions tier": lambda s, w: s.positions(tier=w),
    "total": lambda s, w: s.total(w),
    "play": lambda s, w: s["0"].play(w),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_get_errors_of_ours(solution, name):
    said = []
    for wrong in WRONG:
        try:
            CALLS[name](solution, wrong)
        except analysis.GametreeError as error:
            said.append(str(error))
    assert len(said) >= 8
    assert not any("\n" in message for message in said)


@pytest.mark.parametrize("spec", ["tictactoe", "dodgem:n=2", "chomp:rows=2,cols=2", "(1 2)"])
@pytest.mark.parametrize("state", [-1, 2**62, 2**70])
def test_a_number_beyond_the_board_is_told_as_a_number(spec, state):
    solution = analysis.solve(spec)
    with pytest.raises(PositionError, match=rf"^state {state} is not"):
        solution.at(state)
    if state != 2**62:
        assert not solution.records.holds(state)


def test_a_wrong_type_is_a_type_error_too(solution):
    for call in (
        lambda: solution[3.5],
        lambda: solution.at("0"),
        lambda: analysis.find_positions("tictactoe", "01"),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(OptionError, match="maximizing"):
        analysis.search.minimax("tictactoe", maximizing=-1)
