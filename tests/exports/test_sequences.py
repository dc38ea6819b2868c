"""Sequences of OEIS that our counts are, compared with the terms that are known there.

Read at oeis.org: A008907, A212693, A002186 and A002187 (beginnings), A316632; in copies of it, A061526 to A061530 (all
their terms up to n = 5) and A342329. A317575 (rows 1 to 4, and the first terms
of row 5) and A002188 were not looked up there again.
"""

import pytest

import analysis
from analysis import sweeps
from analysis.exports.sequences import SIZES, sequence_of
from analysis.sweeps.rows import read_rows
from analysis.sweeps.terms import terms_of
from tests.support.program import ROOT, one_line

KNOWN = {
    "A008907": [1, 3, 12, 38, 108, 174, 204, 153, 57, 15],
    "A212693": [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623],
    "A002186": [
        0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7, 4, 1, 2, 8, 5, 4, 7, 2, 1, 8, 6, 7, 4,
        1, 2, 3, 1, 4, 7, 2, 1, 8, 2, 7, 4, 1, 2, 8, 1, 4, 7, 2, 1, 4, 2, 7, 4, 1, 2,
    ],
    "A002187": [
        0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1, 3, 0, 2, 1, 1, 0, 4, 5, 2, 7, 4, 0, 1, 1,
        2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 4, 5, 5, 2, 3, 3,
    ],
    "A002188": [0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4, 1, 2],
    "A061526": [1, 24, 255168, 15038733958272, 12123953291699459229254400],
    "A061527": [1, 24, 131184, 3225291101568, 1785076390861215319123200],
    "A061528": [0, 0, 77904, 3106180802304, 1013669737707471716851200],
    "A061529": [0, 0, 46080, 8707262054400, 9325207163130772193280000],
    "A061530": [1, 24, 3584, 3848888994048],
    "A342329": [2, 90, 356232, 152505051772],
    "A316632": [2, 1, 1, 0, 3, 3, 2, 2, 2, 3, 3, 5, 2, 4, 1, 3],
}  # fmt: skip
OFFSETS = dict(sorted(SIZES.values(), reverse=True))
TRIANGLE = {
    1: [1, 1],
    2: [1, 1, 2, 2],
    3: [1, 3, 12, 38, 108, 174, 204, 153, 57, 15],
    4: [1, 3, 33, 219, 1413, 5514, 20122, 50215, 112379, 179510, 245690, 245690, 193318, 110452, 41870, 10489, 1059],
}


def terms(text: str) -> tuple[str, dict[int, int]]:
    """The comment of a b-file, and a(n) by n."""
    comment, *lines = text.splitlines()
    return comment, {int(n): int(term) for n, term in map(str.split, lines)}


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("sum:kayles:62", "A002186"),
        ("sum:octal:0.77,200", "A002186"),
        ("sum:grundy:29", "A002188"),
        ("sum:octal:0.137,60", "A002187"),
        ("sum:node_kayles:3,16", "A316632"),
    ],
)
def test_nimbers(gametree, spec, name):
    comment, found = terms(gametree("export", spec, "--to", "bfile").out)
    assert comment.endswith(f"; OEIS {name}")
    known = dict(enumerate(KNOWN[name], OFFSETS[name]))
    shared = found.keys() & known.keys()
    assert len(shared) >= 16
    assert {n: found[n] for n in shared} == {n: known[n] for n in shared}
    assert min(found) <= max(min(known), 1)


ATLAS = read_rows(ROOT / "docs" / "reference" / "atlas" / "atlas.csv")


@pytest.mark.parametrize(("kind", "column"), SIZES)
def test_sequences_over_sizes(kind, column):
    """Five in a row of the atlas, others solved here."""
    name, first = SIZES[kind, column]
    specs = {kind.replace("n+1", str(n + 1)).replace("=n", f"={n}"): n for n in range(first, 17)}
    if not kind.startswith("mnk:"):
        rows = list(sweeps.sweep([spec for spec, n in specs.items() if n < first + 2]))
    else:
        rows = [row for row in ATLAS if row["game"] in specs and row["symmetry"] == "geometric"]
    comment, found = terms_of(rows[::-1], column)
    assert comment == f"{kind}: {column}; OEIS {name}"
    assert found == list(enumerate(KNOWN[name], OFFSETS[name]))[first - OFFSETS[name] :][: len(found)]
    assert len(found) == len(rows) >= 2


def test_a_sequence_that_is_not_known(gametree):
    told = gametree("sweep", "hex:n=1..3", "--bfile", "positions").out
    assert terms(told) == ("# hex:n=n: positions", {1: 2, 2: 32, 3: 5514})
    told = gametree("sweep", "hex:n=1..2", "--bfile", "positions", "--format", "json").json
    assert told == [{"n": 1, "positions": 2}, {"n": 2, "positions": 32}]


def test_a_sequence_that_begins_later_is_not_called_by_that_of_oeis(gametree):
    told = gametree("sweep", "sum:node_kayles:rows=3,cols=2..4", "--bfile", "nimber").out
    assert terms(told) == ("# sum:node_kayles:rows=3,cols=n: nimber", {2: 1, 3: 1, 4: 0})


@pytest.mark.parametrize(
    ("patterns", "column", "words"),
    [
        (["hex:n=1|3"], "positions", "n = 2"),
        (["hex:n=1..2"], "seconds", "games_total"),
        (["hex:n=1"], "positions", "grow"),
        (["mnk:1..2,1..2,1"], "positions", "grow"),
        (["hex:n=1", "nim:2"], "positions", "grow"),
        (["hex:n=1..2", "--symmetry", "geometric,none"], "positions", "--symmetry"),
        (["hex:n=1..2", "--columns", "n"], "positions", "--columns"),
        (["sum:kayles:0..100"], "nimber", "pins=63"),
        (["hex:0..2"], "positions", "n=0"),
    ],
)
def test_what_is_no_sequence_over_sizes(gametree, tmp_path, patterns, column, words):
    """Before any game is solved."""
    one_line(gametree("sweep", *patterns, "--bfile", column, "--out", tmp_path / "out.csv"), 2, words)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("options", "column", "missing"), [([], "nimber", "hex:n=1"), (["--max-positions", "3"], "positions", "hex:n=2")]
)
def test_terms_that_no_game_has(gametree, options, column, missing):
    result = gametree("sweep", "hex:n=1..2", *options, "--bfile", column)
    said = [line for line in result.err.splitlines() if missing in line]
    assert (result.code, result.out, len(said)) == (1, "", 1), result


@pytest.mark.parametrize("n", TRIANGLE)
def test_rows_of_a_triangle(gametree, n):
    comment, found = terms(gametree("export", f"mnk:{n},{n},{n}", "--to", "bfile", "--count", "canonical").out)
    assert comment.endswith(f"A317575, row {n}" if n != 3 else "OEIS A008907, row 3 of A317575")
    assert list(found.values()) == TRIANGLE[n]


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("count", "number"), [("value_X_canonical", 317573), ("value_O_canonical", 317574), ("terminal_canonical", 317576)]
)
def test_rows_of_triangles_of_classes(gametree, n, count, number):
    comment, found = terms(gametree("export", f"mnk:{n},{n},{n}", "--to", "bfile", "--count", count).out)
    assert comment.endswith(f"OEIS A{number}, row {n}")
    first = sum(size * size + 1 for size in range(1, n)) + 1
    row = [result_terms(number)[first + ply] for ply in range(n * n + 1)]
    assert [*found.values()] == row[: len(found)]
    assert not any(row[len(found) :])


def result_terms(number: int) -> dict[int, int]:
    """The terms of a b-file of the results."""
    return terms(f"#\n{(ROOT / 'docs' / 'reference' / 'results' / f'b{number}.txt').read_text()}")[1]


def test_connect_four():
    solution = analysis.load_game("connect:rows=6,cols=7,k=4")
    assert sequence_of(solution, "positions", "none") == "A212693"
    from analysis.engine.engine import make_engine
    from analysis.machine.workers import Workers
    from analysis.solving.planning.sampling import count_tiers

    with Workers(1) as pool:
        counted = count_tiers(make_engine(solution, workers=pool), 60, 9)
    assert [tier.positions for tier in counted.tiers] == KNOWN["A212693"][:9]


def test_what_is_no_sequence(gametree):
    assert "OEIS" not in gametree("export", "mnk:3,4,3", "--to", "bfile", "--count", "canonical").out
    assert "OEIS" not in gametree("export", "tictactoe", "--to", "bfile").out
    assert "OEIS" not in gametree("export", "mnk:3,3,3,misere", "--to", "bfile", "--count", "canonical").out
    assert "OEIS" not in gametree("export", "sum:cram:2,5", "--to", "bfile").out
    assert "OEIS" not in gametree("export", "sum:node_kayles:1,5", "--to", "bfile").out  # A002187 begins with n = 0
    one_line(gametree("export", "sum:nim", "--to", "bfile"), 1, "smaller games")
    one_line(gametree("export", "sum:cram", "--to", "bfile", "--count", "games"), 2, "--count")


def test_won_classes_of_the_results():
    """Classes that X wins, and that O wins: rows 1 to 4 as at oeis.org, and no term above that of all classes."""
    x, o, classes = map(result_terms, (317573, 317574, 317575))
    assert [x[n] for n in range(1, 35)] == [
        1, 1, 1, 1, 2, 2, 0, 0, 0, 7, 9, 85, 67, 139, 70, 23, 12, 0, 0, 0, 0, 0, 0, 1100, 280, 26771, 11535, 91567,
        36362, 78138, 26146, 12900, 3774, 0,
    ]  # fmt: skip
    assert [o[n] for n in range(1, 35)] == [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 5, 72, 38, 56, 23, 0, 0, 0, 0, 0, 0, 0, 0, 2476, 642, 31841, 11251, 66364,
        21718, 29258, 8496, 1335, 371,
    ]  # fmt: skip
    assert len(x) == len(o) == len(classes) == 2 + 5 + 10 + 17 + 26
    assert all(x[n] + o[n] <= classes[n] for n in classes)
