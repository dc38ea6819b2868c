"""find: what it prints is what the library finds, and what is wrong is said in a line."""

from pathlib import Path

import pytest

import analysis
from analysis.games import families
from tests.support.program import one_line
from tests.support.solved_kinds import USER


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("spec", ["tictactoe", "dots_and_boxes:rows=1,cols=2", "morris", "nim:heaps=1-2-3"])
def test_find(gametree, spec, stored):
    if stored:
        gametree("solve", spec)
    solution = analysis.solve(spec)
    tier = "ply" if solution.by_ply else "tier"
    for query, more in (("only_move", {"order": "errs"}), ("value=X", {"order": "-remoteness", "limit": 7}), ("", {})):
        options = [text for name, value in more.items() for text in (f"--{name}", value)]
        result = gametree("find", spec, query, *options, "--format", "json")
        wanted = solution.find(query, **more)
        assert result.code == 0
        assert result.json == wanted.to_json()
        assert (result.json["query"], result.json["order"]) == (query, more.get("order"))
        assert f"{wanted.matched:,} match" in result.err
        assert ("--limit" in result.err) == (len(wanted) < wanted.matched)
        rows = gametree("find", spec, query, *options, "--format", "csv").rows
        assert [row["position"].removeprefix("'") for row in rows] == [each.position for each in wanted]
        assert all(tier in row for row in rows)


def test_find_from_a_position_and_with_symmetries(gametree):
    wanted = analysis.solve("tictactoe", start="X???O????").find("only_move", limit=0)
    assert (
        gametree("find", "tictactoe", "only_move", "--from", "04", "--format", "json").json["matched"] == wanted.matched
    )
    wanted = analysis.solve("tictactoe", symmetry="none").find("only_move", limit=0)
    found = gametree("find", "tictactoe", "only_move", "--symmetry", "none", "--format", "json").json
    assert found["matched"] == wanted.matched > 294
    drawn = [gametree("find", "tictactoe", "only_move", "--order", "random", "--seed", 3).out for _ in range(2)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["tictactoe", "value=tye"], 2, ("'value=tye'",)),
        (["tictactoe", "value=tie and"], 2, ("joined by and",)),
        (["tictactoe", "remoteness_ply>3"], 2, ("'remoteness_plies'?",)),
        (["tictactoe", "only_move", "--order", "size"], 2, ("'size'", "errs, remoteness")),
        (["tictactoe", "only_move", "--limit", "-1"], 2, ("--limit",)),
        (["tictactoe", "only_move", "--format", "xml"], 2, ("table, json, csv",)),
        (["tictactoe", "only_move", "value=tie"], 2, ("unexpected extra argument",)),
        (["kayles", "ply=3"], 2, ("ply", "tier")),
        (["tictactoe", "tier=3"], 2, ("tier", "ply")),
        (["tictactoe", "nimber=3"], 2, ("nimber",)),
        (["dodgem", "--order", "games"], 1, ("loopy",)),
        (["dodgem", "histories>3"], 1, ("loopy",)),
        (["bidding:game=tictactoe,chips=4", "only_move"], 2, ("bidding game",)),
        (["nosuchgame", "only_move"], 2, ("nosuchgame",)),
    ],
)
def test_what_find_refuses(gametree, arguments, code, words):
    one_line(gametree("find", *arguments), code, *words)


def test_find_without_counts_and_without_rules(gametree, monkeypatch):
    gametree("solve", "tictactoe", "--no-counts", "--out", "s")
    one_line(gametree("find", "s", "--order", "games"), 1, "no counts")
    one_line(gametree("find", "s", "games>3"), 1, "no counts")
    assert gametree("find", "s", "only_move", "--limit", 1, "--format", "json").json["matched"] == 294
    monkeypatch.setattr(families, "_NAMED", {})
    Path("count.py").write_text(USER)
    analysis.solve("count.py:Count", directory="u", workers=1)
    families._NAMED.clear()  # as in another process
    one_line(gametree("find", "u", "only_move"), 1, f"--game {Path.cwd()}/count.py:Count")
    without = gametree("find", "u", "value=X", "--limit", 1, "--format", "json").json["positions"][0]
    assert (without["moves"], without["errs"]) == (None, None)
    assert " - " in gametree("find", "u", "value=X", "--limit", 1).out
    known = gametree("find", "u", "only_move", "--game", "count.py:Count", "--format", "json").json
    assert known["matched"] == analysis.solve("count.py:Count").find("only_move").matched > 0


def test_a_game_that_is_stored_without_counts_is_read_unless_they_are_needed(gametree):
    gametree("solve", "tictactoe", "--no-counts")
    wanted = analysis.solve("tictactoe").find("games>1000", limit=0).matched
    assert gametree("find", "tictactoe", "games>1000", "--format", "json").json["matched"] == wanted
