"""The explorer's answers have the numbers of `show`, of `paths` and of publications."""

import asyncio
import json
import re

import pytest

from analysis.web import answers, http
from tests.support import golden
from tests.support.asking import KINDS, Asking, check_numbers, exact, q, solved, some_positions


@pytest.fixture(scope="module", params=KINDS)
def asking(request):
    return Asking(solved(request.param))


def test_positions_are_those_of_show(asking):
    solution = asking.site[0].solution
    for position in some_positions(solution, 60):
        text = position.position
        told, shown = asking.native(f"/position?p={q(text)}"), position.to_json()
        moves, counts = shown.pop("moves"), {name: shown.pop(name) for name in ("games", "continuations", "histories")}
        assert {name: told[name] for name in shown} == shown
        assert {name: exact(told[name]) for name in counts} == counts
        assert [{name: each[name] for name in moves[0]} for each in told["moves"]] == moves
        assert told["state"] == str(position.state)


def test_what_positions_say_fits_together(asking):
    solution = asking.site[0].solution
    for position in some_positions(solution, 60):
        text = position.position
        told = asking.native(f"/position?p={q(text)}")
        side = {"X": 1, "O": -1, None: 0}[told["to_move"]]
        assert told["class"]["state"] == str(solution.engine.canonical(int(told["state"])))
        assert told["ply" if solution.by_ply else "tier"] == solution.find_tier(int(told["state"]))
        for each in told["moves"]:
            assert each["value_for_mover"] == side * each["value"]
            assert each["optimal"] == (each["value"] == told["value"])
            same = [m["remoteness_plies"] for m in told["moves"] if m["outcome"] == each["outcome"]]
            best = None if None in same else max(same) if side * each["value"] < 0 else min(same)
            lost = None if best is None else abs(each["remoteness_plies"] - best)
            assert each["delta_remoteness"] == lost
        if told["continuations"] and told["moves"]:
            sums = {name: sum(int(m["games"][name]) for m in told["moves"]) for name in ("X", "O", "tie", "total")}
            assert sums == {name: int(number) for name, number in told["continuations"].items()}
            keeping = [int(m["optimal_paths"]) for m in told["moves"] if m["optimal"]]
            assert sum(keeping) == int(told["optimal_paths"])


def test_the_whole_solution(asking):
    solution = asking.site[0].solution
    told = asking.native("")
    assert told["statistics"]["positions"] == solution.position_count
    listed = asking.json("/api/v1/solutions")
    check_numbers(listed)
    assert [told[name] for name in listed["solutions"][0]] == [*listed["solutions"][0].values()]


def test_published_numbers():
    published = golden.tictactoe()
    asking = Asking(solved("tictactoe"))
    start = asking.native("/position")
    assert {name: str(number) for name, number in start["games"].items()} == {
        name: published[f"games_{name}"] for name in start["games"]
    }
    assert str(start["optimal_paths"]) == published["optimal_paths"].strip()
    by_move = {each["move"]: each["optimal_paths"] for each in start["moves"]}
    assert (by_move[0], by_move[1], by_move[4]) == (82, 758, 224)
    assert asking.json("/api/v1/tictactoe/paths?limit=1")["paths"] == [published["optimal_first"]]
    assert asking.json("/api/v1/tictactoe/paths?offset=3583")["paths"] == [published["optimal_last"]]


def test_lines_and_paths_are_those_of_paths():
    solution = solved("tictactoe")
    asking, paths = Asking(solution), solution.optimal_paths("0124")
    assert asking.native("/paths?p=0124&limit=1000")["paths"] == list(paths)
    assert asking.native("/paths?p=0124&limit=3&offset=8")["paths"] == paths[8:]
    assert asking.native("/paths?p=0124&offset=10")["paths"] == []
    line = asking.native("/line?p=0124")["moves"]
    assert [each["name"] for each in line] == [move.name for move in solution["0124"].line()]
    assert {each["value"] for each in line} == {0}


def test_paths_without_counts_come_one_by_one():
    asking, paths = Asking(solved("tictactoe", counts=False)), solved("tictactoe").optimal_paths()
    told = asking.native("/paths?limit=5&offset=2000")
    assert (told["count"], told["paths"]) == (None, [paths[number] for number in range(2000, 2005)])
    assert "first 10,000" in asking.refusal("/api/v1/tictactoe/paths?offset=9990")


def test_loopy_games_have_shortest_paths_only():
    asking = Asking(solved("dodgem"))
    asking.refusal("/api/v1/dodgem/paths", 404)
    solution = asking.site[0].solution
    won = next(position for position in solution if position.value and position.remoteness_plies == 3)
    told = asking.native(f"/paths?p={q(won.position)}&shortest=true&limit=1000")
    assert told["paths"] == list(solution.optimal_paths(won.position, shortest=True))


def test_many_at_once():
    asking = Asking(solved("tictactoe"))
    texts = [position.position for position in asking.site[0].solution][:300]
    response = asking.client.post("/api/v1/tictactoe/positions", json={"positions": [*texts, "no position"]})
    check_numbers(response.json())
    *told, refused = response.json()["positions"]
    assert [each["position"] for each in told] == texts
    assert told[250] == asking.native(f"/position?p={q(texts[250])}")
    assert set(refused) == {"error"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"positions": "0"}', 400),
        (b'{"positions": [1]}', 400),
        (b'{"positions"', 400),
        (b"[" * 100_000, 400),
        (b"\xff\xfe", 400),
        (json.dumps({"positions": ["0"] * 1001}).encode(), 400),
        (b" " * (1 << 22) + b"{}", 413),
    ],
)
def test_batches_that_are_none(body, status):
    asking = Asking(solved("mnk:rows=2,cols=2,k=2"))
    response = asking.client.post(f"/api/v1/{asking.site[0].id}/positions", content=body)
    assert response.status_code == status
    check_numbers(response.json())


@pytest.mark.parametrize(
    "path",
    [
        "position?p=XXXXXXXXX", "position?p=", "position?p=0&p=1", "position?x=1", "position?p=%FF", "position?p=00",
        "position?p=" + "0" * 5000, "line?index=1", "paths?shortest=maybe",
        "paths?limit=1001", "paths?limit=1e3", "paths?offset=99999999999999999999",
        "find?order=size", "find?limit=1001", "find?to_move=Y", "find?value=1.5", "find?remoteness=9-5",
        "find?remoteness=..", "find?ply=", "find?only_move=2", "random?limit=2", "find?" + "&".join(["a=1"] * 60),
        "find?value=99999", "position?p=0&extra",
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_in_a_line(path):
    Asking(solved("tictactoe")).refusal(f"/api/v1/tictactoe/{path}")


def test_numbers_that_javascript_rounds_are_texts():
    solution = solved("kayles:pins=22")
    asking = Asking(solution)
    told, stored = asking.native("/position"), solution.lookup(solution.engine.start)
    assert isinstance(told["games"]["total"], str)
    assert int(told["games"]["total"]) == solution.games.total > 2**64
    assert int(told["state"]) == solution.engine.start
    assert exact(told["optimal_paths"]) == stored.optimal_paths


def test_an_address_that_answers_nothing_names_one_that_does():
    asking = Asking(solved("tictactoe"))
    said = asking.refusal("/api/v1/tictactoe/positions/X????????", 404)
    base = re.search(r"below (\S+)", said)[1]
    assert all(path in said for path in [*answers.QUESTIONS][1:])
    assert asking.get(f"{base}/position?p=X????????").json()["position"] == "X????????"


def test_a_search_has_its_time_and_its_turn(monkeypatch):
    asking = Asking(solved("tictactoe"))
    monkeypatch.setattr(answers, "SECONDS", 0.0)
    for order in ("", "&order=games"):
        told = asking.native(f"/find?only_move=true&limit=1000{order}")
        assert not told["complete"]
        assert len(told["positions"]) < 294
    asking.refusal("/api/v1/tictactoe/random?value=1&remoteness=9", 404)
    monkeypatch.setattr(http, "TURN_SECONDS", 0.01)
    asking.client.app.state.turn = asyncio.Semaphore(0)
    assert "too many" in asking.refusal("/api/v1/tictactoe/find", 503)


def test_find_and_random():
    asking = Asking(solved("tictactoe"))
    told = asking.native("/find?to_move=X&value=tie&remoteness=5&only_move&limit=1000")
    assert told["complete"]
    assert told["classes_seen"] == told["classes"] == 765
    assert asking.native("/find?only_move=true&seconds=1")["complete"]
    for wrong in ("0", "6", "x"):
        asking.refusal(f"/api/v1/tictactoe/find?seconds={wrong}")
    assert {(each["to_move"], each["outcome"], each["remoteness_plies"]) for each in told["positions"]} == {
        ("X", "tie", 5)
    }
    assert len(asking.native("/find?only_move=true&limit=1000")["positions"]) == 294
    drawn = {asking.native(f"/random?value=O&ply=4..6&seed={seed}")["state"] for seed in range(20)}
    assert len(drawn) > 5
    assert asking.native("/random?value=O&ply=4..6&seed=1")["outcome"] == "O"
    asking.refusal("/api/v1/tictactoe/random?value=7", 404)
    hardest = asking.native("/find?order=errs&limit=40")
    assert hardest["complete"]
    errs = [error(asking, each["position"]) for each in hardest["positions"]]
    assert errs == sorted(errs, reverse=True)
    assert (errs[0], hardest["positions"][0]["position"]) == (7 / 8, "X????????")
    asking.refusal("/api/v1/tictactoe/find?value=7&order=hardest", 400)
    Asking(solved("dodgem")).refusal("/api/v1/dodgem/find?order=games", 404)
    Asking(solved("kayles:pins=6")).refusal("/api/v1/kayles-pins-6/find?ply=1", 400)


def error(asking, text):
    """The chance to err in a position."""
    moves = asking.native(f"/position?p={q(text)}")["moves"]
    return sum(not each["optimal"] for each in moves) / len(moves)
