"""The command line prints what the library says: solve, stats, show, paths, several games."""

import io
import json
import os
import subprocess
import sys
from fractions import Fraction

import pandas as pd
import pytest

import analysis
from analysis.games.programs.open_spiel import list_open_spiel
from analysis.playing import expect
from tests.support.program import ROOT, one_line, run_python


@pytest.mark.parametrize("arguments", [["--help"], ["solve"], ["solve", "tictactoe", "--format", "xml"]], ids=str)
def test_what_is_said_at_once_loads_nothing_heavy(arguments):
    script = f"import sys, cli; sys.argv = ['gametree', *{arguments}]\ntry: cli.main()\nexcept SystemExit: pass\n"
    script += "print([m for m in ('numba', 'numpy', 'pandas', 'psutil', 'pyarrow') if m in sys.modules])\n"
    script += "print('rich' in sys.modules)"
    assert run_python(script).splitlines()[-2:] == ["[]", str(arguments == ["--help"])]


def test_games(gametree):
    assert gametree("games", "--format", "json").json == [*analysis.list_games(), *list_open_spiel()]
    names = [game["name"] for game in analysis.list_games()]
    lines = gametree("games").out.splitlines()
    assert [line.split()[0] for line in lines[: lines.index("")] if not line.startswith(" ")] == names
    assert max(map(len, lines)) <= 80
    assert gametree("games", "hex,nim", "kayles", "--format", "json").json == analysis.list_games(
        ["hex", "nim", "kayles"]
    )
    assert {"known", "sizes", "moves"} <= {
        line.split()[0] for line in gametree("games", "hex").out.splitlines() if line
    }
    assert gametree("games", "--format", "csv").out.splitlines()[0] == "name,description,sizes,known,example"


def test_solve(gametree, tmp_path):
    result = gametree("solve", "tictactoe", "--format", "json")
    assert result.code == 0
    found, solution = result.json, analysis.solve("tictactoe")
    assert found["seconds"] > 0
    for name, value in solution.statistics().items():
        assert found.get(name, value) == value
    told = {"terminal_x", "moves", "games", "histories", "optimal_paths", "games_up_to_symmetry", "quotient_paths"}
    assert told | {"value", "positions", "classes", "symmetry_order"} <= set(found)
    assert (found["remoteness_plies"], found["symmetry"], found["drawn"]) == (9, "geometric", 0)
    assert found["first_moves"] == gametree("show", "tictactoe", "--format", "json").json["moves"]
    files = [path for path in (tmp_path / found["directory"]).rglob("*") if path.is_file()]
    assert found["bytes"] == sum(path.stat().st_size for path in files)
    assert (found["files"], found["there_already"]) == (len(files), False)
    row = gametree("solve", "tictactoe", "--format", "csv").out.splitlines()
    assert row[0] == "game,value,remoteness_plies,positions,classes,directory,seconds"
    assert row[1].startswith("tictactoe,0,9,5478,765,data/tictactoe,")
    assert analysis.verify(tmp_path / "data" / "tictactoe").classes == 765
    again = gametree("solve", "tictactoe")
    assert again.code == 0
    assert "there already" in again.out
    assert "written" in gametree("solve", "tictactoe", "--force").out


def test_solve_everything(gametree, tmp_path):
    result = gametree("solve", "mnk:cols=4", "--moves", "--text", "--out", "here", "--symmetry", "none", "--workers", 2)
    assert result.code == 0
    frame = pd.read_parquet(tmp_path / "here" / "positions")
    assert len(frame) == 111973
    assert "position" in frame
    assert len(pd.read_parquet(tmp_path / "here" / "moves")) == 391062
    assert gametree("solve", "tictactoe", "--no-counts", "--paths").code == 0
    assert len(pd.read_parquet(tmp_path / "data" / "tictactoe" / "optimal_paths.parquet")) == 3584


@pytest.mark.parametrize("stored", [False, True])
def test_stats(gametree, stored):
    if stored:
        gametree("solve", "tictactoe")
    wanted = analysis.solve("tictactoe").statistics()
    assert gametree("stats", "tictactoe", "--format", "json").json == wanted
    rows = gametree("stats", "tictactoe", "--format", "csv").rows
    assert [{k: int(v) for k, v in row.items()} for row in rows] == wanted["by_ply"]


def test_stats_of_a_directory_and_from_a_position(gametree):
    gametree("solve", "tictactoe", "--out", "ttt", "--symmetry", "none")
    assert gametree("stats", "ttt", "--format", "json").json["symmetry_order"] == 1
    assert gametree("stats", "ttt", "--symmetry", "full", "--format", "json").json["classes"] == 765
    wanted = analysis.solve("tictactoe", start="X???O????").statistics()
    assert gametree("stats", "tictactoe", "--from", "X???O????", "--format", "json").json == wanted
    assert wanted["symmetry_order"] == 2
    assert wanted["by_ply"][0]["positions"] == 1
    wanted = analysis.solve("tictactoe", start="X???O????", symmetry="none").statistics()
    assert gametree("stats", "ttt", "--from", "X???O????", "--format", "json").json == wanted


@pytest.mark.parametrize("stored", [False, True])
def test_show(gametree, stored):
    if stored:
        gametree("solve", "tictactoe")
    wanted = analysis.solve("tictactoe")["XOX?O????"]
    found = gametree("show", "tictactoe", "XOX/?O?/???", "--format", "json").json
    source = "the solution in data/tictactoe" if stored else "the game, solved here"
    assert found == {**wanted.to_json(), "source": source, "exact": True}
    names = ["position", "to_move", "terminal", "value", "remoteness_plies", "histories"]
    assert list(found) == [*names, "games", "games_x", "games_o", "games_tie", "nimber", "moves", "source", "exact"]
    assert [found[name] for name in found if name.startswith("games")] == [92, 24, 32, 36]
    assert [m["move"] for m in found["moves"]] == [7, 3, 5, 6, 8]


@pytest.mark.parametrize("stored", [False, True])
def test_show_by_residual_classes(gametree, stored):
    """The games from here on are known, and the histories that lead here are not."""
    if stored:
        gametree("solve", "tictactoe", "--symmetry", "residual")
    show = ("show", "tictactoe", "XOX?O????", "--symmetry", "residual")
    wanted = analysis.solve("tictactoe")["XOX?O????"].to_json() | {"histories": None}
    found = gametree(*show, "--format", "json").json
    assert {name: found[name] for name in wanted} == wanted
    assert "92 from here: X wins 24" in gametree(*show).out
    assert gametree(*show, "--format", "csv") == gametree(*show[:3], "--format", "csv")


@pytest.mark.parametrize("position", ["---------", "-X-O-----", "_________", "... ... ..."])
def test_positions_that_look_like_options(gametree, position):
    assert gametree("show", "tictactoe", position, "--format", "json").code == 0
    assert gametree("paths", "tictactoe", "--from", position, "--count").code == 0


@pytest.mark.parametrize("stored", [False, True])
def test_paths(gametree, stored):
    if stored:
        gametree("solve", "tictactoe")
    every = list(analysis.solve("tictactoe").optimal_paths())
    assert gametree("paths", "tictactoe").out.split() == every
    assert gametree("paths", "tictactoe", "--count").out == "3584\n"
    assert gametree("paths", "tictactoe", "--limit", 7).out.split() == every[:7]
    assert gametree("paths", "tictactoe", "--limit", 0).out == ""
    assert gametree("paths", "tictactoe", "--index", 1234).out.split() == [every[1234]]
    sample = gametree("paths", "tictactoe", "--sample", 5, "--seed", 3).out.split()
    assert len(sample) == 5
    assert set(sample) <= set(every)
    assert gametree("paths", "tictactoe", "--sample", 5, "--seed", 3).out.split() == sample


def test_paths_where_the_game_is_over(gametree):
    found = gametree("paths", "tictactoe", "--from", "XXXOO????")
    assert (found.code, found.out) == (0, "\n")
    assert "the game is over in XXXOO????" in found.err
    assert "over" not in gametree("paths", "tictactoe", "--from", "XX?OO????").err


def test_path_formats(gametree, tmp_path):
    every = list(analysis.solve("tictactoe").optimal_paths("XOX?O????"))
    at = ("paths", "tictactoe", "--from", "XOX?O????", "--format")
    assert gametree(*at, "json").json == {"game": "tictactoe", "start": "XOX?O????", "count": 10, "paths": every}
    assert gametree(*at, "json", "--limit", 2).json["paths"] == every[:2]
    assert gametree(*at, "json", "--count").json == {
        "game": "tictactoe",
        "start": "XOX?O????",
        "count": 10,
        "paths": [],
    }
    rows = [{"path": path, "outcome": "tie", "plies": 5} for path in every]
    assert [json.loads(line) for line in gametree(*at, "jsonl").out.splitlines()] == rows
    assert gametree(*at, "csv").rows == [{**row, "plies": "5"} for row in rows]
    assert gametree(*at, "parquet", "--out", "p.parquet").code == 0
    assert pd.read_parquet("p.parquet").to_dict("records") == rows
    for form in ("text", "json", "csv", "jsonl"):
        assert gametree(*at, form, "--out", "p").out == ""
        assert (tmp_path / "p").read_text() == gametree(*at, form).out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "p.parquet"]
    assert gametree(*at, "csv", "--count").out == "count\n10\n"
    assert gametree(*at, "jsonl", "--count").json == {"count": 10}


def test_out_follows_links_keeps_modes_and_feeds_pipes(gametree, tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    assert gametree("paths", "tictactoe", "--limit", 1, "--out", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "041263578\n"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE, text=True)
    assert gametree("paths", "tictactoe", "--limit", 2, "--out", "pipe").code == 0
    assert reader.communicate()[0] == "041263578\n041263587\n"
    assert (tmp_path / "pipe").is_fifo()
    for name in (".", ""):
        one_line(gametree("paths", "tictactoe", "--out", name), 1, "directory")


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (["games"], ["--format", "json"]),
        (["--help"], []),
        pytest.param(["paths", "tictactoe"], ["--format", "json"], marks=pytest.mark.slow),
        pytest.param(["stats", "tictactoe"], [], marks=pytest.mark.slow),
        pytest.param(["games"], [], marks=pytest.mark.slow),
        pytest.param(["stats", "tictactoe"], ["--format", "json"], marks=pytest.mark.slow),
        pytest.param(["paths", "tictactoe"], [], marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_standard_output_that_cannot_be_written(tmp_path, command, form):
    """A reader that is gone ends a command without a word; a full disk is one line."""
    program = [sys.executable, str(ROOT / "cli.py"), *command, *(form if command != ["--help"] else [])]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 0
    limited = ["bash", "-c", 'ulimit -f 0; exec "$@" > full', "bash", *program]
    done = subprocess.run(limited, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["gametree: cannot write standard output: File too large"]


@pytest.mark.slow
def test_constant_memory(tmp_path):
    """Hundreds of thousands of paths, and no more memory than for the first ones."""
    script = (
        "import resource, itertools, analysis\n"
        "blocks = analysis.solve('mnk:rows=4,cols=4,k=4', counts=False).optimal_paths().blocks()\n"
        "size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "n = sum(b.count(b'\\n') for b in itertools.islice(blocks, 10)); before = size()\n"
        "n += sum(b.count(b'\\n') for b in itertools.islice(blocks, 20)); print(n, size() - before)"
    )
    paths, kilobytes = map(int, run_python(script).split())
    assert paths > 10**6
    assert kilobytes < 20_000


def test_play(gametree, monkeypatch):
    def play(typed, game="tictactoe"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return gametree("play", game, "--you", "both")

    result = play("5\n1\n0\n")
    assert result.code == 0
    for words in ("1 | 2 | 3", "X plays b2", "O plays a1", "X gives up", "The game as a backtracker: 40"):
        assert words in result.out
    assert "gives up" not in play("0\nq\n", "nim:heaps=1-2").out


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("show", "tictactoe", "9"), 2, "is not a legal move"),
        (("show", "tictactoe", "x,x,x,o"), 2, "3 rows of 3"),
    ],
)
def test_refusals(gametree, arguments, code, word):
    one_line(gametree(*arguments), code, word)


GAMES = ("tictactoe", "tictactoe:misere=true")


def test_numbers_of_two_variants(gametree):
    rows = gametree("stats", *GAMES, "--format", "json").json
    plain, misere = rows
    assert [row["games_x"] for row in rows] == [131184, 77904]
    assert [row["optimal_paths"] for row in rows] == [3584, 200]
    assert [(row["first_moves"], row["optimal_first_moves"]) for row in rows] == [(9, 9), (9, 1)]
    assert [row["blunder_start"] for row in rows] == [0, 8 / 9]
    assert plain["random_x"] == misere["random_o"] == float(Fraction(737, 1260))
    assert plain["games_x_share"] == 131184 / 255168
    for row, game in zip(rows, GAMES, strict=True):
        assert row["game"].startswith(game)
        exact = expect(game, "random", "random")
        assert [row[f"random_{name}"] for name in ("x", "o", "tie")] == [
            float(chance) for chance in (exact.x_wins, exact.o_wins, exact.tie)
        ]


def test_csv_has_a_row_for_each(gametree):
    rows = gametree("stats", *GAMES, "--format", "csv").rows
    assert [row["games_x"] for row in rows] == ["131184", "77904"]
    assert [row["loopy"] for row in rows] == ["false", "false"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_tables(gametree, form):
    found = gametree("stats", *GAMES, "dodgem", "tictactoe", "--format", form, "--wide")
    assert found.code == 0
    rows = [line for line in found.out.splitlines() if "255,168" in line]
    assert len(rows) == 3
    assert any("dodgem" in line and " - " in line for line in found.out.splitlines())  # its games have no end


def test_from_a_position_of_all(gametree):
    found = gametree("stats", "tictactoe", "wild", "--from", "XO???????", "--format", "json")
    assert [row["positions"] for row in found.json] == [654, 2066]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tictactoe", "nosuch"), "nosuch"),
        (("tictactoe", "bidding:game=tictactoe,chips=4"), "bidding game"),
        (("bidding:game=tictactoe,chips=4", "tictactoe"), "bidding game"),
        (("tictactoe", "nim:1-2", "--from", "XO???????"), "nim"),
    ],
)
def test_refusals_of_variants(gametree, words, said):
    found = gametree("stats", *words)
    one_line(found, found.code, said)
    assert found.code in (1, 2)
