"""What a report says and what files it is: words, tables, and a directory that is complete or as it was."""

from __future__ import annotations

import csv
import dataclasses
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, one_line

import analysis
from analysis.errors import OptionError, StoreError
from analysis.reports import output, sections, summary, tables, words
from analysis.reports.board import start_board
from analysis.reports.figures import gallery
from analysis.reports.findings import gather
from analysis.reports.report import report_files, write_report
from analysis.rules import ONGOING, Game, Rules
from analysis.search.comparison import Request, compare

OVER = "XXXOO????"
"""A tic-tac-toe position in which X has won."""


@pytest.fixture(scope="module")
def tictactoe():
    return gather(analysis.solve("tictactoe"))


@pytest.fixture(scope="module")
def files(tictactoe):
    return report_files(tictactoe.solution)


def read(table: tables.Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.csv().decode())))


# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("tictactoe", {}, "Under optimal play tictactoe is a tie after 9 plies."),
        ("tictactoe", {"counts": False}, "Under optimal play tictactoe is a tie after 9 plies."),
        ("mnk:rows=2,cols=2,k=2", {}, "X, who moves first, wins mnk:rows=2,cols=2,k=2 after 3 plies."),
        ("notakto:rows=2,cols=2,k=2", {}, "the first player wins notakto:rows=2,cols=2,k=2 after 2 plies."),
        ("notakto:rows=1,cols=2,k=1", {}, "Under optimal play the second player wins"),
        ("nim:heaps=2-2", {}, "O, who moves second, wins nim:heaps=2-2,take=any after 4 plies."),
        ("dots_and_boxes:rows=1,cols=3", {}, "O, who moves second, wins dots_and_boxes:rows=1,cols=3 by 1 after 10"),
        ("dodgem", {}, "X, who moves first, wins dodgem:n=3 after 19 plies."),
        ("chomp:rows=1,cols=1", {}, "chomp:rows=1,cols=1 is over at its start, and the second player has won."),
        ("tictactoe", {"position": "XO???????"}, "From XO??????? on, under optimal play X, who moves first, wins"),
        ("tictactoe", {"position": OVER}, f"nothing to play: tictactoe is over at {OVER}, and X has won."),
        ("tictactoe", {"position": "XOXXOOOXX"}, "is over at XOXXOOOXX, and it is a tie."),
    ],
)  # fmt: skip
def test_the_first_sentence_is_the_finding(game, options, sentence):
    assert sentence in summary.summary(gather(analysis.solve(game, **options)))[0]


def test_the_other_sentences(tictactoe):
    assert summary.summary(tictactoe)[1:] == [
        "All 9 first moves keep that value.",
        "Play can reach 5,478 positions (765 up to symmetry) in 255,168 different games: X wins 51.4\u202f% of them, O "
        "30.5\u202f%, and 18.1\u202f% are tied.",
    ]
    loopy = summary.summary(gather(analysis.solve("dodgem")))
    assert loopy[1] == "Only one of the 3 first moves, a3-b3, keeps that value."
    assert loopy[2] == "Play can reach 1,963 positions."
    assert "no end of games" in loopy[3]
    uncounted = summary.summary(gather(analysis.solve("tictactoe", counts=False)))
    assert uncounted[3] == "Histories, games and paths were left out of this solution (--no-counts)."


@dataclasses.dataclass(frozen=True)
class Endless(Game):
    """Two places and one step between them, for ever."""

    family = "endless"

    def rules(self) -> Rules:
        def legal_moves(state, out):
            out[0] = 0
            return 1

        def play(state, move):
            return state ^ 1

        def outcome(state):
            return ONGOING

        def to_move(state):
            return 1 - 2 * (state & 1)

        return Rules(0, 1, legal_moves, play, outcome, to_move, loopy=True)


def test_a_game_without_an_end_is_a_draw():
    found = gather(analysis.solve(Endless()))
    assert summary.verdict(found) == "a draw"
    assert summary.summary(found)[0] == (
        "Under optimal play endless is a draw: neither player can force a win, and play never ends."
    )
    text = sections.make_sections(found, (), tables.make_tables(found))[1].text
    assert text[1].endswith("This one comes back to an earlier position: play never ends.")
    assert ("plies to the end", "0") not in summary.tiles(found)


def test_every_number_of_the_statistics_has_a_name_and_a_meaning(tictactoe):
    listed = {"game", "games_by_length", "by_ply", "by_value", "by_remoteness"}
    assert set(words.LABELS) == set(words.MEANINGS) == set(tictactoe.statistics) - listed


# Tables ---------------------------------------------------------------------------------------------------------------


def test_tables_have_the_rows_of_the_statistics(tictactoe):
    made, stats = tables.make_tables(tictactoe), tictactoe.statistics
    for name in ("by_ply", "games_by_length", "by_value", "by_remoteness"):
        found = [{key: int(cell) for key, cell in row.items()} for row in read(made[name])]
        assert found == stats[name], name
    keys = {row["key"]: int(row["number"]) for row in read(made["key_numbers"])}
    assert keys["positions"] == 5478
    assert (keys["games_X"], keys["games_O"], keys["games_tie"], keys["games_total"]) == (131184, 77904, 46080, 255168)
    assert keys["games_up_to_symmetry"] == stats["games_up_to_symmetry"]
    assert set(made) == set(tables.NAMES) - {"by_tier", "pruning"}


def test_what_was_not_counted_is_empty_and_not_shown():
    made = tables.make_tables(gather(analysis.solve("dodgem")))
    assert {"games_by_length", "by_ply"} & set(made) == set()
    assert {row["histories"] for row in read(made["by_tier"])} == {""}
    assert "histories" not in [column.name for column in made["by_tier"].shown]
    assert {row["games_total"] for row in read(made["first_moves"])} == {""}
    assert [row["number"] for row in read(made["key_numbers"]) if row["key"] == "games"] == [""]


def test_first_moves_are_those_of_the_solution(tictactoe):
    made = read(tables.make_tables(tictactoe)["first_moves"])
    assert sum(int(row["games_total"]) for row in made) == tictactoe.solution.games.total
    assert sum(int(row["optimal_paths"]) for row in made) == tictactoe.statistics["optimal_paths"]
    by_name = {move.name: move for move in tictactoe.solution[tictactoe.solution.start].moves}
    assert [row["name"] for row in made] == list(by_name)
    assert {row["position"] for row in made} == {move.position for move in by_name.values()}


def test_the_principal_variation_is_one_of_the_optimal_paths(tictactoe):
    made = read(tables.make_tables(tictactoe)["principal_variation"])
    path = "".join(row["move"] for row in made)
    assert path in set(tictactoe.solution.optimal_paths(shortest=True))
    assert [int(row["remoteness_plies"]) for row in made] == list(range(9, -1, -1))


def test_pruning_has_every_search_and_the_least_but_no_seconds(tictactoe):
    comparison = compare("tictactoe", Request(max_nodes=1_000_000))
    made = read(tables.make_tables(gather(tictactoe.solution, comparison))["pruning"])
    nodes = {row["algorithm"]: int(row["nodes"]) for row in made}
    assert nodes == {row.algorithm: row.nodes for row in comparison.rows} | {"least possible": 1452}
    assert nodes["alphabeta"] == 18297
    assert not [name for name in made[0] if "second" in name]


# Files ----------------------------------------------------------------------------------------------------------------


def everything(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def test_a_report_is_these_files(gametree, tmp_path):
    result = gametree("report", "tictactoe")
    assert (result.code, result.out) == (0, "reports/tictactoe/index.html\n")
    assert result.err == "The page, 7 figures (SVG and PNG) and 8 tables (CSV) are written.\n"
    found = everything(tmp_path / "reports/tictactoe")
    pictures = set(gallery.NAMES) - {"scores", "pruning"}
    assert set(found) == {
        "index.html",
        *(f"figures/{name}.{form}" for name in pictures for form in ("svg", "png")),
        *(f"tables/{name}.csv" for name in set(tables.NAMES) - {"by_tier", "pruning"}),
    }
    assert [p.name for p in (tmp_path / "reports").iterdir()] == ["tictactoe"]
    assert (tmp_path / "reports/tictactoe").stat().st_mode & 0o777 == 0o777 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.slow
def test_stored_and_in_memory_are_the_same_report(files, tmp_path):
    analysis.solve_to_directory("tictactoe", tmp_path / "stored")
    write_report(str(tmp_path / "stored"), tmp_path / "report")
    assert everything(tmp_path / "report") == files


def test_every_figure_belongs_to_a_section():
    placed = [name for names in sections.FIGURES.values() for name in names]
    assert sorted(placed) == sorted(gallery.NAMES)


@pytest.mark.slow
def test_the_same_bytes_whatever_the_hash_seed(tmp_path):
    found = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        command = [sys.executable, ROOT / "cli.py", "report", "tictactoe", "--prune", "--out", out]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "MPLBACKEND": "Agg" if seed == "1" else "SVG"}
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=120)
        found.append(everything(out))
    assert len(found[0]) > 20
    assert found[0] == found[1]


def test_files_of_an_earlier_report_go_and_others_stay(files, tmp_path):
    output.write_files(tmp_path / "r", files)
    mine = {"notes.txt": b"mine", "figures/own.svg": b"mine", "tables/by_tier.txt": b"mine"}
    stale = {"tables/pruning.csv": b"old", "figures/pruning.png": b"old", "tables/by_ply.csv": b"old"}
    for name, data in (mine | stale).items():
        (tmp_path / "r" / name).write_bytes(data)
    output.write_files(tmp_path / "r", files)
    assert everything(tmp_path / "r") == files | mine


def test_a_failed_report_leaves_the_earlier_one(files, tmp_path, monkeypatch):
    output.write_files(tmp_path / "r", files)
    written = []

    def full(descriptor):
        written.append(descriptor)
        if len(written) == 5:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        output.write_files(
            tmp_path / "r", {"index.html": b"new", **{f"tables/{name}.csv": b"" for name in tables.NAMES}}
        )
    assert everything(tmp_path / "r") == files
    written.clear()
    with pytest.raises(StoreError, match="cannot write a report to"):
        output.write_files(tmp_path / "new/deep", files)
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_what_a_killed_report_left_goes_and_one_at_work_stays(files, tmp_path):
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left, busy = (tmp_path / f".report.{pid}.tmp" for pid in (int(gone.stdout), os.getppid()))
    for directory in (left, busy):
        directory.mkdir()
    output.write_files(tmp_path, files)
    assert [p.name for p in tmp_path.glob(".report.*")] == [busy.name]


def test_refusals_in_one_line(gametree, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken/index.html").mkdir(parents=True)
    one_line(gametree("report", "tictactoe", "--out", "file"), 1, "file is a file", "--out names a directory")
    one_line(gametree("report", "tictactoe", "--out", "file/below"), 1, "file is a file")
    one_line(gametree("report", "tictactoe", "--out", "taken"), 1, "taken/index.html is a directory")
    one_line(gametree("report", "bidding", "--out", "r"), 2, "gametree stats bidding", "docs/bidding.md")
    one_line(gametree("report", "tictactoe", "--from", "X????????"), 2, "--out DIR")
    one_line(gametree("report", "tictactoe", "--from", "nonsense", "--out", "r"), 2, "nonsense")
    one_line(gametree("report", "dodgem", "--prune"), 2, "loopy", "gametree prune dodgem:n=3 --depth D")
    one_line(gametree("report", "no_such_game"), 2, "no_such_game")
    one_line(gametree("report", "tictactoe", "--symmetry", "odd"), 2, "odd")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "taken"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_may_not_be_written(gametree, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    one_line(gametree("report", "tictactoe", "--out", "closed"), 1, "closed may not be written to")


def test_from_a_position(tmp_path):
    report = write_report("tictactoe", tmp_path / "r", position="XOX?O????", symmetry="none")
    page = report.page.read_text(encoding="utf-8")
    assert "From XOX?O???? on, under optimal play tictactoe is a tie after 5 plies." in page
    assert "to move at this start: X" in page
    assert "gametree report tictactoe --from &#39;XOX?O????&#39; --symmetry none --out DIR" in page
    with pytest.raises(OptionError, match="--out DIR"):
        write_report("tictactoe", position="XOX?O????")


# The board at the top -------------------------------------------------------------------------------------------------


def test_boards_by_cells_and_boards_as_text():
    marks = start_board(gather(analysis.solve("hexapawn")))
    assert [cell.mark for cell in marks.cells] == [*"OOO", *[""] * 3, *"XXX"]
    assert (marks.letters, marks.numbers, marks.named) == (("a", "b", "c"), ("3", "2", "1"), False)
    slanted = start_board(gather(analysis.solve("hex:n=2")))
    assert (slanted.slant, slanted.letters, [cell.name for cell in slanted.cells]) == (True, (), ["0", "1", "2", "3"])
    heaps = start_board(gather(analysis.solve("nim:heaps=1-2")))
    assert (heaps.cells, heaps.text) == ((), "heap 1  o   1\nheap 2  oo  2")
    boxes = start_board(gather(analysis.solve("dots_and_boxes:rows=1,cols=1")))
    assert (boxes.caption, "boxes: level" in boxes.text) == ("boxes: level", False)
    wide = start_board(gather(analysis.solve("mnk:rows=1,cols=21,k=21", position="X" + "XO" * 8 + "OXO?")))
    assert (wide.cells, "|" in wide.text) == ((), True)
