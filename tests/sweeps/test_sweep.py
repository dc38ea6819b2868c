"""Sweeps: which games, numbers as published and as `solve` finds them, what does not fit, what survives kill -9."""

import itertools
import os
import random
import subprocess
import sys
import threading
import time

import psutil
import pyarrow.csv
import pyarrow.parquet
import pytest

import analysis
from analysis.errors import GametreeError, InUseError, OptionError, SpecError, StoreError
from analysis.games.families import load_game
from analysis.machine.endings import what_is_kept
from analysis.solution.conversions import checksum
from analysis.sweeps import Limits, compare_sweeps, read_sweep, sweep
from analysis.sweeps.one_game import MOST, SweptGame, balance_of, numbers_of, solve_apart, solve_here, swept_games
from analysis.sweeps.rows import COLUMNS, as_table, write_rows
from tests.support import golden
from tests.support.killed import killed_before_move
from tests.support.own_game import HEAD, own_game
from tests.support.program import ROOT, said_how_it_ended, until

FOREVER = own_game(
    "Odd(Game)",
    head=f"{HEAD}import os, signal\n",
    fields='what: str = "fine"\nmoves: int = 1',
    setup="""
if self.what == "endless" and "gametree_child" in os.environ:
    while True:
        pass
if self.what == "killed" and "gametree_child" in os.environ:
    print("farewell", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
print("chatter")
""",
    max_moves="1",
    legal_moves="out[0] = 0\nreturn 1",
    play="1",
    outcome="ONGOING if state == 0 else 1",
    to_move="1 - 2 * state",
)
"""A game whose rules misbehave in the process that solves it."""


@pytest.fixture
def odd(tmp_path, monkeypatch):
    (tmp_path / "odd.py").write_text(FOREVER)
    begun = analysis.sweeps.one_game.subprocess.Popen

    def begin(*args, **settings):
        return begun(*args, **settings, env={**os.environ, "gametree_child": "1"})

    monkeypatch.setattr("analysis.sweeps.one_game.subprocess.Popen", begin)
    return "odd.py:Odd"


def test_numbers_as_published():
    wanted = dict(golden.mnk())
    specs = [spec for spec in wanted if spec.startswith(("mnk:rows=2,", "mnk:rows=3,cols=3"))]
    found = analysis.running(workers=2)(sweep)(specs)
    assert len(found) == len(specs) == 6
    for row, spec in zip(found, specs, strict=True):
        numbers = dict(wanted[spec])
        terminal = sum(row[name] for name in ("terminal_x", "terminal_o", "terminal_tie"))
        assert row["positions"] - terminal == numbers.pop("nonterminal")
        assert {name: row[name.lower()] for name in numbers} == numbers


@pytest.mark.parametrize("spec", ["tictactoe", "dodgem", "nim:2-2", "kayles:5", "dots_and_boxes:1,2"])
def test_a_row_is_what_solve_finds(spec):
    solution = analysis.solve(spec)
    (row,) = sweep(spec)
    assert row["status"] == "solved"
    for name, number in (numbers_of(solution.statistics()) | balance_of(solution)).items():
        assert row[name] == number, name
    assert (row["game"], row["symmetry"], row["loopy"]) == (solution.game.spec, solution.symmetry, solution.loopy)
    assert (row["rules_hash"], row["version"]) == (solution.game.rules_hash(), analysis.__version__)
    assert row["checksum"] == checksum(solution)
    assert row["nimber"] == solution[solution.start].nimber
    assert row["why"] is row["limit_positions"] is row["limit_memory_bytes"] is row["limit_seconds"] is None
    assert row["seconds"] > 0
    assert 10_000_000 < row["peak_memory_bytes"] < 2_000_000_000
    assert set(COLUMNS) <= set(row)


def test_sums(tmp_path):
    """Only nimbers are known of them, and who wins."""
    out = tmp_path / "s.csv"
    found = sweep(["sum:cram:rows=2..3,cols=4", "sum:octal:code=0.8|0.77,tokens=5"], out=out)
    assert [(row["nimber"], row["value"], row["status"]) for row in found] == [
        (0, -1, "solved"), (1, 1, "solved"), (None, None, "refused"), (4, 1, "solved")
    ]  # fmt: skip
    assert [row["game"] for row in found][1:3] == ["sum:cram:rows=3,cols=4", "sum:octal:code=0.8,tokens=5"]
    assert [dict(row) for row in read_sweep(out)] == [dict(row) for row in found]
    (limited,) = sweep("sum:cram:4,6", limits=Limits(positions=500))
    assert limited["status"] == "too_many_positions"


def test_symmetries(tmp_path):
    found = analysis.running(workers=2)(sweep)(
        "tictactoe", symmetry=["geometric", "none", "residual"], out=tmp_path / "kinds.csv"
    )
    assert [(row["symmetry"], row["canonical"], row["games_total"]) for row in found] == [
        ("geometric", 765, 255168), ("none", 5478, 255168), ("residual", 370, 255168),
    ]  # fmt: skip
    assert len({row["checksum"] for row in found}) == 3
    assert [found.rows[2][name] for name in ("positions", "moves", "terminal_x", "quotient_paths")] == [None] * 4
    assert [dict(row) for row in read_sweep(tmp_path / "kinds.csv")] == [dict(row) for row in found]


BALANCE = ("games_x_share", "random_x", "random_o", "random_tie", "blunder_start")


@pytest.mark.parametrize("name", ["s.parquet", "s.csv"])
def test_files_without_balance_are_gone_on_with(tmp_path, name):
    out = tmp_path / name
    (row,) = sweep("hex:2")
    assert [row[each] for each in BALANCE] == [0.5, 0.5, 0.5, 0, 0.5]
    old = {each: value for each, value in row.items() if each not in BALANCE}
    table = as_table([old]).drop_columns(list(BALANCE))
    pyarrow.parquet.write_table(table, out) if name == "s.parquet" else pyarrow.csv.write_csv(table, out)
    assert read_sweep(out).rows == [old]
    sweep(["hex:2", "kayles:2"], out=out)
    first, second = read_sweep(out)
    assert first == row | dict.fromkeys(BALANCE)
    assert [second[each] for each in BALANCE] == pytest.approx([1 / 3, 1 / 3, 2 / 3, 0, 2 / 3])
    assert not compare_sweeps([old], [row]).differences


def test_balance_is_null_where_it_is_not_known():
    loopy, over = sweep(["dodgem", "nim:0"])
    assert [loopy[each] for each in BALANCE[:4]] == [None] * 4
    assert loopy["blunder_start"] == 2 / 3
    assert (over["games_x_share"], over["random_o"], over["blunder_start"]) == (0, 1, None)


@pytest.mark.parametrize("name", ["s.parquet", pytest.param("s.csv", marks=pytest.mark.slow)])
def test_only_what_is_missing_is_solved(tmp_path, name):
    out = tmp_path / name
    first = sweep("hex:1..2", out=out)
    assert read_sweep(out).rows == first.rows
    told = []
    with analysis.running(progress=lambda *what: told.append(what)):
        more = sweep(["kayles:2", "hex:2..3"], out=out)
    assert [row["game"] for row in more] == ["kayles:pins=2", "hex:n=2", "hex:n=3"]
    assert more.rows[1] == first.rows[1]  # its seconds, too
    assert [row["game"] for row in read_sweep(out)] == ["hex:n=1", "hex:n=2", "kayles:pins=2", "hex:n=3"]
    assert {on for stage, *_ in told if (on := stage.on)} <= {"kayles:pins=2", "hex:n=3", "kayles:pins=2, hex:n=3"}
    assert told[0][1:] == (1, 3)
    assert told[-1][1:] == (3, 3)
    before = out.read_bytes()
    again = sweep(["kayles:2", "hex:2..3"], out=out)
    assert (again.rows, out.read_bytes()) == (more.rows, before)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_other_rules_are_solved_again(tmp_path):
    out = tmp_path / "s.parquet"
    (row,) = sweep("hex:1", out=out)
    write_rows(out, [row | {"rules_hash": "0" * 64, "value": 0}])
    assert sweep("hex:1", out=out).rows[0]["value"] == 1


def test_limits(tmp_path):
    out = tmp_path / "s.csv"
    few = sweep("hex:1..3", out=out, limits=Limits(100))
    assert [(row["status"], row["limit_positions"]) for row in few] == [
        ("solved", 100), ("solved", 100), ("too_many_positions", 100),
    ]  # fmt: skip
    assert few.rows[2]["value"] is few.rows[2]["checksum"] is few.rows[2]["seconds"] is None
    assert "100" in few.rows[2]["why"]
    assert sweep("hex:3", out=out, limits=Limits(99)).rows[0]["limit_positions"] == 100  # not tried again
    more = sweep("hex:3", out=out, limits=Limits(5514))
    assert (more.rows[0]["status"], more.rows[0]["positions"]) == ("solved", 5514)
    assert sweep("hex:3", out=out, limits=Limits(1)).rows == more.rows  # what is solved stays
    assert sweep("hex:3", limits=Limits(5513)).rows[0]["status"] == "too_many_positions"


@pytest.mark.parametrize(("spec", "limit"), [("chomp:15,15", 10**8), ("nim:30-30-30-30-30-30", 10**6)])
def test_a_formula_refuses_at_once(spec, limit):
    """To find so many positions takes a while."""
    (game,) = swept_games([spec])
    assert solve_here(Limits(limit), game)["status"] == "too_many_positions"


@pytest.mark.slow
def test_memory_that_will_not_do(tmp_path):
    out = tmp_path / "s.parquet"
    (row,) = sweep("mnk:3,4,3", out=out, limits=Limits(memory="1MB"))
    assert (row["status"], row["limit_memory_bytes"]) == ("too_little_memory", 1_000_000)
    assert "memory" in row["why"]
    assert "--" not in row["why"]
    assert sweep("mnk:3,4,3", out=out, limits=Limits(memory=999_999)).rows == [row]
    assert sweep("mnk:3,4,3", out=out).rows[0]["status"] == "solved"


def processes():
    """Those that this one has begun and that go on, such as the browser of other tests."""
    return {each.pid for each in psutil.Process().children(recursive=True) if each.status() != "zombie"}


def test_time_that_will_not_do(tmp_path, odd):
    out, before = tmp_path / "s.parquet", processes()
    began = time.monotonic()
    (row,) = found = sweep(f"{odd}:what=endless", out=out, limits=Limits(seconds=1))
    assert (row["status"], row["limit_seconds"]) == ("too_long", 1)
    assert time.monotonic() - began >= 1
    assert sweep(f"{odd}:what=endless", out=out, limits=Limits(seconds=0.5)).rows == found.rows  # not tried again
    assert processes() <= before


def test_a_crash_costs_one_row(tmp_path, odd):
    out = tmp_path / "s.parquet"
    found = sweep([f"{odd}:what=killed", f"{odd}:what=fine,moves=2"], out=out)
    assert [row["status"] for row in found] == ["failed", "solved"]
    assert "signal 9" in found.rows[0]["why"]
    assert (found.rows[1]["what"], found.rows[1]["moves_parameter"], found.rows[1]["moves"]) == ("fine", 2, 1)
    write_rows(out, [row | {"why": "another"} for row in found])
    again = sweep([f"{odd}:what=killed", f"{odd}:what=fine,moves=2"], out=out)
    assert [row["why"] == "another" for row in again] == [False, True]  # what failed is tried again


def test_a_file_that_has_changed_is_refused(tmp_path, odd):
    spec = f"{tmp_path}/{odd}"
    row = solve_apart(Limits(), SweptGame(spec, "geometric", {}, "0" * 64, spec))
    assert row["status"] == "failed"
    assert "different rules" in row["why"]


@pytest.mark.slow
def test_rules_that_fail(tmp_path):
    bad = own_game(
        "Bad(Game)", fields="heap: int = 3",
        setup="if self.heap > 3:\n    return Rules(0, 1, None, None, None, None)\n",
        legal_moves="return 0", play="1", outcome="ONGOING",
    )  # fmt: skip
    (tmp_path / "bad.py").write_text(bad)
    found = sweep("bad.py:heap=3..4", out="s.csv")
    assert [row["status"] for row in found] == ["refused", "refused"]
    assert [row["symmetry"] for row in found] == ["geometric", None]
    assert all(row["why"] and row["positions"] is None for row in found)
    assert sweep("bad.py:heap=3..4", out="s.csv").rows == found.rows == read_sweep("s.csv").rows


@pytest.mark.slow
def test_two_at_a_time_on_one_file(tmp_path, odd):
    out, working, goes_on = tmp_path / "s.csv", threading.Event(), threading.Event()

    def wait(stage, done, total):
        working.set()
        goes_on.wait()

    at_work = threading.Thread(
        target=analysis.running(progress=wait)(sweep),
        args=[f"{odd}:what=endless"],
        kwargs={"out": out, "limits": Limits(seconds=1)},
    )
    at_work.start()
    try:
        working.wait()
        with pytest.raises(InUseError, match=r"s\.csv"):
            sweep("hex:1", out=out)
        sweep("hex:1", out=tmp_path / "other.csv")
    finally:
        goes_on.set()
    at_work.join()
    assert sweep("hex:1", out=out).rows[0]["status"] == "solved"
    assert [row["status"] for row in read_sweep(out)] == ["too_long", "solved"]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"symmetry": "sideways"}, OptionError),
        ({"out": "s.txt"}, OptionError),
        ({"out": "nowhere/s.csv"}, StoreError),
    ],
)
def test_refusals(options, kind):
    with pytest.raises(kind):
        sweep("hex:1", **options)


@pytest.mark.parametrize(
    ("name", "limit"),
    [("positions", 0), ("positions", 1.5), ("seconds", 0.0), ("seconds", float("nan")), ("seconds", "1"),
     ("memory", "much"), ("memory", [])],
)  # fmt: skip
def test_what_is_no_limit(name, limit):
    with pytest.raises(OptionError):
        Limits(**{name: limit})


@pytest.mark.slow
def test_the_order_of_rows_is_that_of_the_patterns(tmp_path):
    out = tmp_path / "s.csv"
    names = ["mnk:3,4,3", "hex:1", "hex:2", "hex:3", "kayles:3"]
    wanted = [analysis.load_game(name).spec for name in names]
    assert [row["game"] for row in analysis.running(workers=3)(sweep)(names, out=out)] == wanted
    assert [row["game"] for row in read_sweep(out)] == wanted


def test_a_sweep_that_is_broken_off_ends_its_processes(odd, tmp_path):
    def broken(stage, done, total):
        if stage.on:
            raise KeyboardInterrupt

    before = processes()
    with pytest.raises(KeyboardInterrupt), analysis.running(progress=broken):
        sweep(f"{odd}:what=endless", out=tmp_path / "s.csv")
    assert processes() <= before
    assert not (tmp_path / ".s.csv.lock").exists()


SWEEP = """
import analysis
from analysis.sweeps import sweep
with analysis.running(workers=1):
    sweep(sys.argv[3], out=sys.argv[2])
"""
PATTERN = "hex:1..3"


def left_by(pid):
    """Processes that solve a game for the one with this number."""
    return [each for each in psutil.process_iter(["cmdline"]) if (each.info["cmdline"] or [])[-1:] == [str(pid)]]


def rows_in(out):
    return read_sweep(out).rows if out.exists() else []


@pytest.mark.parametrize(("move", "rows"), [pytest.param(1, 0, marks=pytest.mark.slow), (3, 2)])
def test_killed_before_a_row_is_moved_into_place(tmp_path, move, rows):
    out = tmp_path / "s.csv"
    killed_before_move_into(move, out)
    there = rows_in(out)
    assert len(there) == rows
    done = sweep(PATTERN, out=out)
    assert done.rows[:rows] == there  # with the seconds that they took
    assert [row["status"] for row in done] == ["solved"] * 3
    assert not list(tmp_path.glob(".*lock"))


def killed_before_move_into(move, out):
    """The temporary file of a row is moved into place by `Path.replace`."""
    program = "pathlib.Path.replace = lambda self, to: (_count(), replace(self, to))[1]\n" + COUNT + SWEEP
    killed_before_move(move, out, PATTERN, program=program)


COUNT = """
def _count():
    global number
    number -= 1
    if number == 0:
        os.kill(os.getpid(), SIGNAL)
"""


def begin(out, *more):
    command = [sys.executable, str(ROOT / "cli.py"), "sweep", "mnk:1..3,1..4,3", "--out", str(out), *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


@pytest.mark.slow
def test_killed_again_and_again(tmp_path):
    out, drawn, before = tmp_path / "s.parquet", random.Random(1), []
    for _ in range(4):
        process = begin(out)
        until(lambda: len(rows_in(out)) > len(before))  # noqa: B023
        time.sleep(drawn.uniform(0, 0.5))
        process.kill()
        process.communicate()
        found = rows_in(out)
        assert all(row["status"] == "solved" for row in found)
        assert [row for row in found if row in before] == before
        before = found
        until(lambda: not left_by(process.pid))  # noqa: B023
    process = begin(out)
    process.communicate()
    assert process.returncode == 0
    found = rows_in(out)
    assert [row for row in found if row in before] == before
    assert len(found) == 12


@pytest.mark.slow
def test_interrupted(tmp_path):
    out = tmp_path / "s.csv"
    process = begin(out)
    until(lambda: len(rows_in(out)) > 1)
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 128 + 15
    said_how_it_ended(said)
    assert f"rows of {out} are kept" in said
    assert not list(tmp_path.glob(".*"))
    until(lambda: not left_by(process.pid))


def test_without_a_file_nothing_is_kept():
    told = []
    with analysis.running(progress=lambda *_: told.append(what_is_kept())):
        sweep("nim:heaps=1..2")
    assert any("--out" in words for words in told if words)


def specs(*patterns, **options):
    return [asked.spec for asked in swept_games(patterns, **options)]


def test_products():
    sides = itertools.product((1, 2, 3), (2, 4), (1, 2))
    wanted = [f"mnk:rows={rows},cols={cols},k={k}" for rows, cols, k in sides]
    assert specs("mnk:rows=1..3,cols=2|4,k=1..2") == wanted
    assert specs("mnk:1..3,2|4,1..2") == wanted
    assert specs("mnk:1..3,2|4,k=1|2") == wanted
    assert specs(" mnk: 1..3 , 2 | 4 , k = 1 | 2 ") == wanted


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("tictactoe", ["tictactoe"]),
        ("hex:n=1..2|4|2", ["hex:n=1", "hex:n=2", "hex:n=4"]),
        ("nim:heaps=3-4-5|1..2", ["nim:heaps=3-4-5,take=any", "nim:heaps=1,take=any", "nim:heaps=2,take=any"]),
        ("nim:2,misere=false|true|yes", ["nim:heaps=2,take=any", "nim:heaps=2,take=any,misere=true"]),
        ("nim:2,misere", ["nim:heaps=2,take=any,misere=true"]),
        ("domineering:2,2,V|H", ["domineering:rows=2,cols=2,first=V", "domineering:rows=2,cols=2,first=H"]),
        ("mnk", ["mnk:rows=3,cols=3,k=3"]),
    ],
)
def test_values(pattern, wanted):
    assert specs(pattern) == wanted
    assert [load_game(spec).spec for spec in wanted] == wanted


def test_several_patterns_name_a_game_once():
    assert specs("hex:1..2", "hex:2|1|3", "tictactoe") == ["hex:n=1", "hex:n=2", "hex:n=3", "tictactoe"]


def test_symmetries_that_make_no_difference_are_left_out():
    found = swept_games(["tictactoe", "hex:2", "hexapawn:2,2"], ["geometric", "full", "none"])
    assert [asked.key for asked in found] == [
        ("tictactoe", "geometric"), ("tictactoe", "full"), ("tictactoe", "none"),
        ("hex:n=2", "geometric"), ("hex:n=2", "none"),
        ("hexapawn:rows=2,cols=2", None),
    ]  # fmt: skip


def test_what_makes_no_game_says_why():
    wrong, right = swept_games(["hexapawn:2|3,2"])
    assert (wrong.rules_hash, wrong.parameters) == (None, {"rows": 2, "cols": 2})
    assert "rows=2" in wrong.why
    assert (right.why, right.rules_hash) == (None, load_game("hexapawn:3,2").rules_hash())
    with pytest.raises(GametreeError):
        load_game(wrong.spec)


@pytest.mark.parametrize(
    ("pattern", "kind", "words"),
    [
        ("nosuch:1..3", SpecError, "nosuch"),
        ("mnk:rows=4..1", SpecError, "1..4"),
        ("mnk:rows=1..", SpecError, "rows"),
        ("mnk:rows=1..x", SpecError, "rows"),
        ("mnk:rows=1||3", SpecError, "3|4"),
        ("mnk:rows=|", SpecError, "3|4"),
        ("mnk:row=1..3", SpecError, "rows"),
        ("mnk:1..2,1,1,false,7", SpecError, "one too many"),
        ("mnk:rows=1..2,rows=3", SpecError, "twice"),
        ("mnk:rows=1.5", SpecError, "whole number"),
        ("mnk:misere=maybe", SpecError, "true"),
        ("bidding:game=tictactoe,chips=1..4", OptionError, "bidding"),
        (f"hex:1..{MOST + 1}", OptionError, f"{MOST + 1:,}"),
        ("mnk:rows=1..999999999999999999,cols=1..999999999999999999", OptionError, f"{MOST:,}"),
        ("nosuch.py:A:n=1..2", SpecError, "nosuch.py"),
    ],
)
def test_wrong_patterns(pattern, kind, words):
    with pytest.raises(kind, match=words.replace("|", r"\|")):
        swept_games([pattern])


def test_wrong_symmetries():
    with pytest.raises(OptionError, match="sideways"):
        swept_games(["tictactoe"], ["sideways"])


def test_user_games(tmp_path):
    down = own_game(
        "Down(Game)",
        fields="""
heap: int = 3
value: bool = False

def __post_init__(self):
    if self.heap > 4:
        raise ValueError("a heap has 4 at most")
""",
        start="2 * self.heap",
        max_moves="1",
        legal_moves="out[0] = 0\nreturn 1",
        play="(state ^ 1) - 2",
        outcome="ONGOING if state > 1 else 1 if state else -1",
        to_move="1 - 2 * (state & 1)",
    )
    (tmp_path / "count..down.py").write_text(down)
    found = swept_games(["count..down.py:Down:heap=3..5,value=true", "count..down.py:2", "count..down.py"])
    assert [asked.spec for asked in found] == [
        "count..down.py:Down:heap=3,value=true", "count..down.py:Down:heap=4,value=true",
        "count..down.py:Down:heap=5,value=true", "count..down.py:Down:heap=2", "count..down.py:Down:heap=3",
    ]  # fmt: skip
    assert [asked.why is None for asked in found] == [True, True, False, True, True]
    assert found[0].lasting_spec.startswith(str(tmp_path))
