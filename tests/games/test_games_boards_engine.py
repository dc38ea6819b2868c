"""The games on boards through the engine, against published and computed numbers."""

from __future__ import annotations

import pytest

import analysis
from analysis.errors import TooLargeError
from analysis.games.families import load_game
from tests.support.board_numbers import (
    LARGE,
    MIDDLE,
    ODD,
    ROWS,
    SMALL,
    TIERED,
    family_of,
    other_lines,
    published_connect,
    winners,
)


def check_totals(spec, known):
    solution = analysis.solve(spec, counts="games" in known or "optimal_paths" in known)
    for name in ("value", "remoteness_plies"):
        if name in known:
            assert getattr(solution, name) == known[name]
    assert solution.position_count == known["positions"]
    stats = solution.statistics()
    for name in ("canonical", "moves", "histories", "optimal_paths"):
        if name in known:
            assert stats[name] == known[name]
    if "terminal_first" in known:
        assert list(stats["terminal"].values())[:3] == [known[f"terminal_{w}"] for w in ("first", "second", "tie")]
    if "games_first" in known:
        assert list(stats["games"].values())[:3] == [known[f"games_{w}"] for w in ("first", "second", "tie")]
    if "games" in known:
        assert stats["games"]["total"] == known["games"]


FEW = [row for row in MIDDLE if row not in SMALL or row in ODD]  # each row compiles a game: about 0.4 s
PLAIN = [row for row in FEW if family_of(row[0]) not in TIERED]


@pytest.mark.parametrize(
    ("spec", "known"),
    [pytest.param(*row, marks=[pytest.mark.slow] if i % 8 else [], id=row[0]) for i, row in enumerate(PLAIN)],
)
def test_engine_totals(spec, known):
    check_totals(spec, known)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "known"), LARGE, ids=[spec for spec, _ in LARGE])
def test_engine_totals_of_large_boards(spec, known):
    check_totals(spec, known)


def test_engine_connect_by_ply():
    stats = analysis.solve("connect:rows=4,cols=4", counts=False).statistics()
    numbers = other_lines("connect", "by_ply")[0][-1].split()
    assert [row["positions"] for row in stats["by_ply"]] == [int(n) for n in numbers]


@pytest.mark.parametrize(("spec", "value"), [w for w in winners() if w[0] not in dict(ROWS)])
def test_engine_domineering_winners(spec, value):
    assert analysis.solve(spec, counts=False).value == value


BARS = [row for row in FEW if family_of(row[0]) in TIERED]


@pytest.mark.parametrize(("spec", "known"), BARS, ids=[spec for spec, _ in BARS])
@pytest.mark.slow
def test_engine_tiers(spec, known):
    check_totals(spec, known)


NIMBERS = [row for row in FEW if "nimber" in row[1]]


@pytest.mark.parametrize(
    ("spec", "known"),
    [pytest.param(*row, marks=pytest.mark.slow, id=row[0]) for row in NIMBERS],
)
def test_engine_nimbers(spec, known):
    game = load_game(spec)
    start = game.format_position(game.rules().start)
    assert analysis.solve(spec, counts=False)[start].nimber == known["nimber"]


@pytest.mark.parametrize("row", [row for row in published_connect() if row[6]], ids=str)
def test_connect_expects_about_as_many_positions_as_there_are(row):
    rows, cols, k, published = row[0], row[1], row[2], int(row[6])
    expected = load_game(f"connect:rows={rows},cols={cols},k={k}").expected_positions()
    assert sum(expected) == pytest.approx(published, rel=0.3 if int(cols) < 4 else 0.1)


def test_connect_too_large_is_refused_at_once():
    with pytest.raises(TooLargeError, match=r"connect:rows=6,cols=7,k=4 has about .* classes"):
        analysis.solve("connect")
