"""The atlas agrees with what is published, and with what is solved now."""

import csv
import runpy
from collections import Counter
from pathlib import Path

import pytest

from analysis.games.families import FAMILIES
from analysis.sweeps import compare_sweeps, read_sweep, sweep
from analysis.sweeps.one_game import swept_games
from tests.support.line_counts import line_counts
from tests.support.program import ROOT

FOLDER = ROOT / "docs" / "reference" / "atlas"
ROWS = {(row["game"], row["symmetry"]): row for row in read_sweep(FOLDER / "atlas.csv")}
SECONDS, BEGINNING = 40.0, 0.4
"""What may be solved again in all, and what a process takes to begin."""
LEFT = ("value", "remoteness_plies", "games_total", "histories", "optimal_paths")
POSITIONS = ("positions", "moves")
"""What symmetries tell, and what is left to play does not."""

with (FOLDER / "sources.csv").open(newline="") as file:
    SOURCES = list(csv.DictReader(file))


def test_every_published_number():
    for line in SOURCES:
        assert ROWS[line["game"], "geometric"][line["column"]] == int(line["number"]), line
        assert line["source"]
    assert len(SOURCES) > 200


def test_the_patterns_are_those_of_the_rows(monkeypatch):
    monkeypatch.chdir(ROOT)
    made = runpy.run_path(str(FOLDER / "make.py"))
    groups = {"PATTERNS": "geometric", "ALL_AUTOMORPHISMS": "full", "LEFT_TO_PLAY": "residual"}
    asked = [each for name, symmetry in groups.items() for each in swept_games(made[name], [symmetry])]
    assert {each.key for each in asked} == set(ROWS)
    assert {each.spec.partition(":")[0] for each in asked} == set(FAMILIES)
    assert Counter(row["status"] for row in ROWS.values()) == {"solved": len(ROWS)}


def test_symmetries_change_no_total():
    compared = Counter()
    for game, symmetry in ROWS:
        if symmetry != "geometric" and (game, "geometric") in ROWS:
            compared[symmetry] += 1
            for name in (*LEFT, *(POSITIONS if symmetry == "full" else ())):
                assert ROWS[game, symmetry][name] == ROWS[game, "geometric"][name]
    assert compared == {"full": 2, "residual": 6}
    assert ROWS["mnk:rows=4,cols=4,k=4", "full"]["canonical"] == 307639


def boards():
    """Boards of lines that were solved by what is left to play."""
    for game, symmetry in ROWS:
        if symmetry == "residual" and game.startswith("mnk"):
            cells = ROWS[game, symmetry]["rows"] * ROWS[game, symmetry]["cols"]
            marks = [pytest.mark.slow] if cells > 21 else []
            yield pytest.param(game, marks=marks)


@pytest.mark.parametrize("game", list(boards()))
def test_closed_form(game):
    row = ROWS[game, "residual"]
    counted = line_counts(row["rows"], row["cols"], row["k"])
    first, second = ("games_o", "games_x") if row["misere"] else ("games_x", "games_o")
    assert [row[first], row[second], row["games_tie"]] == [sum(counted.x), sum(counted.o), sum(counted.tie)]
    assert row["histories"] == sum(counted.histories)


def test_five_in_a_row_is_published():
    """OEIS A061526 to A061529, n = 5 (J. Ferry 2001)."""
    row = ROWS["mnk:rows=5,cols=5,k=5", "residual"]
    assert [row[f"games_{name}"] for name in ("x", "o", "tie", "total")] == [
        1785076390861215319123200, 1013669737707471716851200, 9325207163130772193280000, 12123953291699459229254400,
    ]  # fmt: skip


def test_terms_to_submit():
    """b061530.txt, in the format of OEIS: n, a blank and a(n), lines ended by line feeds."""
    text = (ROOT / "docs" / "reference" / "results" / "b061530.txt").read_bytes().decode("ascii")
    assert text.endswith("\n")
    terms = [tuple(map(int, line.split(" "))) for line in text.splitlines()]
    rows = [ROWS[f"mnk:rows={n},cols={n},k={n}", "geometric"] for n in range(1, 5)]
    rows.append(ROWS["mnk:rows=5,cols=5,k=5", "residual"])
    assert {row["rows"]: row["optimal_paths"] for row in rows}.items() <= dict(terms).items()
    assert [n for n, _ in terms] == [1, 2, 3, 4, 5]


@pytest.mark.slow
def test_what_takes_under_a_minute_is_solved_again(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    chosen, left = {"geometric": [], "full": [], "residual": []}, SECONDS
    for row in sorted(ROWS.values(), key=lambda row: row["checksum"]):
        if row["seconds"] < 5 and left > row["seconds"] + BEGINNING:
            left -= row["seconds"] + BEGINNING
            chosen[row["symmetry"]].append(row["game"])
    for symmetry, games in chosen.items():
        sweep(games, symmetry=symmetry, out=Path(tmp_path, "again.csv"))
    compared = compare_sweeps(ROWS.values(), read_sweep(tmp_path / "again.csv"))
    games = [game for each in chosen.values() for game in each]
    assert compared.differences == ()
    assert (compared.compared, compared.undecided) == (len(games), 0)
    assert len(games) > 50
    assert chosen["residual"]
    assert len({game.partition(":")[0] for game in games}) > 8
