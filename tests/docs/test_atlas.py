"""The atlas agrees with what is published, and with what is solved now."""

import contextlib
import csv
import runpy
from collections import Counter

import pytest

from analysis.games.families import FAMILIES
from tests.support.line_counts import line_counts
from tests.support.program import ROOT

FOLDER = ROOT / "docs" / "reference" / "atlas"


def value_of(text):
    """A cell: a number, a truth value, a text, or None."""
    for read in (int, float):
        with contextlib.suppress(ValueError):
            return read(text)
    return {"true": True, "false": False, "": None}.get(text, text)


with (FOLDER / "atlas.csv").open(newline="") as file:
    ROWS = {
        (row["game"], row["symmetry"]): {name: value_of(cell) for name, cell in row.items()}
        for row in csv.DictReader(file)
    }
SECONDS, BEGINNING = 40.0, 0.4
"""What may be solved again in all, and what a process takes to begin."""
LEFT = ("value", "remoteness_plies", "games", "histories", "optimal_paths")
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
    asked = [(game.spec, symmetry) for game, symmetry in made["games"]()]
    assert set(asked) == set(ROWS)
    assert {spec.partition(":")[0] for spec, _ in asked} == set(FAMILIES)


def test_symmetries_change_no_total():
    compared = Counter()
    for game, symmetry in ROWS:
        if symmetry != "geometric" and (game, "geometric") in ROWS:
            compared[symmetry] += 1
            for name in (*LEFT, *(POSITIONS if symmetry == "full" else ())):
                assert ROWS[game, symmetry][name] == ROWS[game, "geometric"][name]
    assert compared == {"full": 2, "residual": 6}
    assert ROWS["mnk:rows=4,cols=4,k=4", "full"]["classes"] == 307639


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
    assert [row[name] for name in ("games_x", "games_o", "games_tie", "games")] == [
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


CHANGING = ("seconds", "version", "rules_hash")
"""Columns that say how a game was solved."""


def solved_again(made, game, symmetry):
    row, before = made["solved"](game, symmetry), ROWS[game, symmetry]
    known = row.keys() & before.keys() - {*CHANGING}
    return {
        name: (
            before[name],
            None
            if row[name] is None
            else value_of(str(row[name]).lower() if isinstance(row[name], bool) else str(row[name])),
        )
        for name in known
    }


def test_a_game_of_each_family_is_solved_again(monkeypatch):
    monkeypatch.chdir(ROOT)
    made, seen = runpy.run_path(str(FOLDER / "make.py")), set()
    for game, symmetry in sorted(ROWS, key=lambda key: ROWS[key]["seconds"]):
        if (family := game.partition(":")[0]) not in seen:
            seen.add(family)
            for name, (before, now) in solved_again(made, game, symmetry).items():
                assert before == now, (game, name)
    assert seen == set(FAMILIES)


@pytest.mark.slow
def test_what_takes_under_a_minute_is_solved_again(monkeypatch):
    monkeypatch.chdir(ROOT)
    made, left, done = runpy.run_path(str(FOLDER / "make.py")), SECONDS, 0
    for (game, symmetry), row in sorted(ROWS.items(), key=lambda item: item[1]["checksum"]):
        if row["seconds"] < 5 and left > row["seconds"] + BEGINNING:
            left -= row["seconds"] + BEGINNING
            done += 1
            for name, (before, now) in solved_again(made, game, symmetry).items():
                assert before == now, (game, name)
    assert done > 50
