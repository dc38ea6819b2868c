"""The dialects of Lichess: what its schemas require, and its signs as properties."""

from __future__ import annotations

import pytest

from tests.support.asking import KINDS, Asking, q, solved, some_positions

NULL = ("dtz", "precise_dtz", "dtc", "dtw")
FALSE = ("checkmate", "insufficient_material")
OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw"}


@pytest.fixture(scope="module", params=KINDS)
def asking(request):
    return Asking(solved(request.param))


def some(asking, number=100):
    return some_positions(asking.site[0].solution, number)


def ask(asking, text, path=""):
    return asking.json(f"/lichess/{asking.site[0].id}{path}?fen={q(text)}")


def test_what_a_tablebase_says(asking):
    rules = asking.site[0].solution.engine.rules
    for position in some(asking):
        told = ask(asking, position.position)
        children = dict(rules.moves(position.state))
        for each in (told, *told["moves"]):
            assert [each[name] for name in NULL] == [None] * 4
            assert not any(each[name] for name in FALSE)
            sign = {"win": 1, "loss": -1, "draw": 0}[each["category"]]
            assert each["dtm"] == sign * (each["remoteness_plies"] or 0)
        over = not position.moves
        assert told["stalemate"] == (over and told["category"] == "draw")
        assert told["variant_loss"] == (over and told["category"] == "loss")
        assert told["variant_win"] == (over and told["category"] == "win")
        side = rules.mover(position.state)
        for each in told["moves"]:
            same = rules.mover(children[int(each["uci"])]) == side
            ours = each["category"] if same else OPPOSITE[each["category"]]
            assert ours == {1: "win", 0: "draw", -1: "loss"}[(side * each["value"] > 0) - (side * each["value"] < 0)]
        if told["moves"]:
            first = told["moves"][0]
            assert abs(told["dtm"]) == (abs(first["dtm"]) + 1 if told["dtm"] else 0)
            assert [each["uci"] for each in told["moves"]] == [str(move.move) for move in position.moves]


def test_the_main_line(asking):
    for position in some(asking, 20):
        told = ask(asking, position.position, "/mainline")
        assert [each["uci"] for each in told["mainline"]] == [str(move.move) for move in position.line()]
        assert told["winner"] == {1: "w", 0: None, -1: "b"}[(position.value > 0) - (position.value < 0)]


def test_all_games_as_an_opening_explorer_has_them(asking):
    solution = asking.site[0].solution
    if solution.loopy:
        asking.refusal(f"/lichess/{asking.site[0].id}/explorer", 404)
        return
    for position in some(asking, 30):
        told = ask(asking, position.position, "/explorer")
        record = solution.lookup(position.state)
        assert [told[f"{name}_exact"] for name in ("white", "black", "draws")] == list(map(str, record.continuations))
        if told["moves"]:
            for name in ("white_exact", "draws_exact", "black_exact"):
                assert sum(int(each[name]) for each in told["moves"]) == int(told[name])
        assert [told["topGames"], told["recentGames"], told["opening"]] == [[], [], None]


def test_large_numbers_are_scaled_by_one_power_of_two():
    asking = Asking(solved("kayles:pins=22"))
    told = asking.json("/lichess/kayles-pins-22/explorer")
    total = sum(int(told[f"{name}_exact"]) for name in ("white", "draws", "black"))
    scaled = sum(told[name] for name in ("white", "draws", "black"))
    factor = 2 ** (total.bit_length() - 53)
    assert 2**52 - 3 <= scaled < 2**53
    for each in (told, *told["moves"]):
        assert [each[name] for name in ("white", "black")] == [
            int(each[f"{name}_exact"]) // factor for name in ("white", "black")
        ]


def test_positions_in_a_fen():
    asking = Asking(solved("tictactoe"), solved("othello:size=4"))
    assert asking.json("/lichess/tictactoe?fen=XOX?O????") == asking.json("/lichess/tictactoe?fen=01&play=2,4")
    assert asking.json("/lichess/tictactoe") == asking.json("/lichess/tictactoe?fen=%3F%3F%3F%3F%3F%3F%3F%3F%3F&x=1")
    start = asking.site[1].solution.start
    assert "_" not in start
    identifier = asking.site[1].id
    assert asking.json(f"/lichess/{identifier}?fen={q(start.replace(' ', '_'))}") == asking.json(
        f"/lichess/{identifier}"
    )
    asking.refusal("/lichess/tictactoe?fen=zz")
    for play in ("0,0", "0,,1", "9" * 5000, "-1"):
        asking.refusal(f"/lichess/tictactoe?play={play}")
    asking.refusal("/lichess/nope", 404)
