"""b-files: the grammar of the OEIS, published sequences, and what cannot be written."""

from __future__ import annotations

import functools
import re
from collections import Counter

import pytest

import analysis
from analysis.errors import MissingDataError, OptionError
from analysis.exports import bfile
from analysis.exports.bfile import COUNTS, text
from tests.support.export_cases import DRAWS, KINDS, solved, written
from tests.support.oracle import Oracle

NUMBER = "(0|-?[1-9][0-9]*)"
LINE = re.compile(f"{NUMBER} {NUMBER}")

A008907 = [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]
"""Number of legal tic-tac-toe positions after n plays, up to rotation and reflection; offset 0 (https://oeis.org/A008907)."""
GOLDEN = {
    "positions": [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78],
    "canonical": A008907,
    "histories": [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    "games": [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872],
    "games_X": [0, 0, 0, 0, 0, 1440, 0, 47952, 0, 81792],
    "games_O": [0, 0, 0, 0, 0, 0, 5328, 0, 72576, 0],
    "games_tie": [0, 0, 0, 0, 0, 0, 0, 0, 0, 46080],
}
"""tests/golden/tictactoe.txt."""


def parse(data: bytes) -> tuple[list[str], list[int]]:
    """The comments and the terms of a b-file from 0 on, by the rules of https://oeis.org/wiki/B-files."""
    decoded = data.decode("ascii")
    assert decoded.endswith("\n")
    assert "\r" not in decoded
    assert "\t" not in decoded
    lines = decoded.removesuffix("\n").split("\n")
    comments = [line for line in lines if line.startswith("#")]
    assert all(" " <= character <= "~" for line in lines for character in line)
    pairs = [LINE.fullmatch(line).groups() for line in lines if not line.startswith("#")]
    assert [int(n) for n, _ in pairs] == list(range(len(pairs)))
    assert all(len(line) < 1000 for line in lines)
    return comments, [int(number) for _, number in pairs]


def terms(stats, count, **options) -> list[int]:
    (comment,), found = parse(text(stats, count, **options))
    assert comment.startswith("# ")
    assert stats["game"] in comment
    return found


@pytest.mark.parametrize("count", GOLDEN)
def test_published_sequences(count):
    assert terms(solved("tictactoe").statistics(), count) == GOLDEN[count]


def test_every_count_against_the_oracle():
    oracle, layer, wanted = Oracle(3, 3, 3), {"?" * 9}, {}
    names = {1: "X", 0: "tie", -1: "O"}
    while layer:
        found = Counter(positions=len(layer))
        for s in layer:
            found[f"value_{names[oracle.value(s)]}"] += 1
            found["moves"] += len(oracle.moves(s))
            if oracle.outcome(s) is not None:
                found["terminal"] += 1
                found[f"terminal_{names[oracle.outcome(s)]}"] += 1
        for name in found.keys() | wanted.keys() | set(COUNTS):
            wanted.setdefault(name, []).append(found[name])
        layer = {child for s in layer for child in oracle.children(s)}
    checked = set(COUNTS) - set(GOLDEN) | {"positions"}
    assert len(checked) == 9
    stats = solved("tictactoe").statistics()
    assert {name: terms(stats, name) for name in checked} == {name: wanted[name] for name in checked}


@pytest.mark.parametrize("spec", [spec for spec in KINDS if spec not in ("tictactoe", DRAWS)])
def test_tiers_that_are_no_plies(spec):
    stats = solved(spec).statistics()
    assert sum(terms(stats, "games")) == stats["games"]["total"]
    assert sum(terms(stats, "histories")) == stats["histories"]
    assert terms(stats, "positions") == [row["positions"] for row in stats["by_ply"]]
    histories, games, moves = (terms(stats, name) for name in ("histories", "games", "moves"))
    assert len(histories) == len(games)
    assert moves[-1] == 0
    by_outcome = [terms(stats, f"games_{name}") for name in ("X", "O", "tie")]
    assert [sum(row) for row in zip(*by_outcome, strict=True)] == games
    assert all(number > 0 for number in histories)


@pytest.mark.slow
def test_large_numbers_are_whole():
    stats = solved("kayles:pins=24").statistics()
    assert max(terms(stats, "histories")) > 1 << 64
    assert sum(terms(stats, "histories")) == stats["histories"]


def test_over_at_the_start():
    solution = analysis.solve("tictactoe", position="XXXOO????")
    assert (
        written(functools.partial(bfile.write, count="games_X"), solution)
        == b"# tictactoe from XXXOO????: complete games of n plies won by X\n0 1\n"
    )


def test_comments():
    stats = solved("tictactoe").statistics()
    for count, what in COUNTS.items():
        assert f"# tictactoe: {what}" in text(stats, count).decode().splitlines()[0]
    first = b"# tictactoe: classes of positions after n plies, up to symmetry (8 symmetries)\n"
    assert text(stats, "canonical").startswith(first)


def test_a_comment_is_one_line_of_ascii():
    stats = {**solved("tictactoe").statistics(), "game": "caf\u00e9\n1 2.py:G\U0001f600"}
    (comment,), numbers = parse(text(stats, "positions"))
    assert comment.startswith(r"# caf\xe9\n1 2.py:G\U0001f600: positions")
    assert numbers == GOLDEN["positions"]


def test_unknown_counts():
    with pytest.raises(
        OptionError, match=r"count 'games_x' is unknown; it is one of positions, canonical, .*games_tie$"
    ):
        text(solved("tictactoe").statistics(), "games_x")


def refused(stats, count):
    with pytest.raises(MissingDataError) as error:
        text(stats, count)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("count", COUNTS)
def test_loopy_games_have_no_plies(count):
    message = refused(solved(DRAWS).statistics(), count)
    assert "is loopy" in message
    assert "by tier" in message


def test_what_was_not_counted():
    stats = analysis.solve("tictactoe", counts=False).statistics()
    assert terms(stats, "value_X") == terms(solved("tictactoe").statistics(), "value_X")
    for count in ("histories", "games", "games_tie"):
        message = refused(stats, count)
        assert "--no-counts" in message
        assert "tier" not in message
    tiered = analysis.solve("kayles:pins=6", counts=False).statistics()
    assert "by tier" in refused(tiered, "positions")
