"""Numbers of sweeps as sequences, from tables and files as people have them."""

import re
from pathlib import Path

import pytest

from analysis.exports.sequences import sized
from tests.support.program import one_line


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('game,games_total\n"mnk:1,1,1",1\n"mnk:2,2,2",\n', ["mnk:rows=2,cols=2,k=2", "games_total"]),
        ("game,games_total\nmnk:1,1,1,1\n", ["row 1"]),
        ('game,games_total\n"mnk:1,1,1"\n', ["row 1"]),
    ],
)
def test_what_a_table_lacks_is_named(gametree, table, words):
    Path("t.csv").write_text(table)
    one_line(gametree("sweep", "--out", "t.csv", "--bfile", "games_total"), 1, *words)


@pytest.mark.parametrize("option", ["--bfile", "--columns"])
def test_names_like_an_unknown_one_are_suggested(gametree, option):
    refused = gametree("sweep", "hex:1..2", option, "games")
    one_line(refused, 2, "games_total")
    assert {"'games_x'", "'games_total'"} < set(re.findall("'[a-z_]+'", refused.err.partition("; ")[0]))


def test_braces_in_the_name_of_a_file():
    assert sized(["b{a}/r.py:plies=2", "b{a}/r.py:plies=3"]) == ("b{a}/r.py:plies=n", [2, 3])


def test_nimbers_of_other_games_are_refused_before_anything_is_solved(gametree):
    one_line(gametree("sweep", "hex:n=2..6", "--bfile", "nimber"), 1, "hex:n=2")
    assert gametree("sweep", "sum:kayles:2..4", "--bfile", "nimber").out.splitlines()[1:] == ["2 2", "3 3", "4 1"]
