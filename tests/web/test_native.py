"""The explorer's answers have the numbers of `show` and of publications."""

import pytest

from analysis.web import answers
from tests.support import golden
from tests.support.asking import KINDS, Asking, check_numbers, exact, q, solved, some_positions


@pytest.fixture(scope="module", params=KINDS)
def asking(request):
    return Asking(solved(request.param))


COUNTS = ("histories", "games", "games_x", "games_o", "games_tie")


def test_positions_are_those_of_show(asking):
    solution = asking.site[0].solution
    for position in some_positions(solution, 60):
        text = position.position
        told, shown = asking.native(f"/position?p={q(text)}"), position.to_json()
        moves, counts = shown.pop("moves"), {name: shown.pop(name) for name in COUNTS}
        assert {name: told[name] for name in shown} == shown
        assert {name: exact(told[name]) for name in counts} == counts
        assert [{name: each[name] for name in moves[0]} for each in told["moves"]] == moves
        assert told["state"] == str(position.state)


def test_what_positions_say_fits_together(asking):
    solution = asking.site[0].solution
    for position in some_positions(solution, 60):
        text = position.position
        told = asking.native(f"/position?p={q(text)}")
        side = told["to_move"]
        assert told["class"]["state"] == str(solution.engine.canonical(int(told["state"])))
        assert told["ply" if solution.by_ply else "tier"] == solution.records.tier(int(told["state"]))
        for each in told["moves"]:
            assert each["value_for_mover"] == side * each["value"]
            assert each["optimal"] == (each["value"] == told["value"])
        if told["games"] and told["moves"]:
            assert [sum(int(m[name]) for m in told["moves"]) for name in COUNTS[1:]] == [
                int(told[name]) for name in COUNTS[1:]
            ]
            keeping = [int(m["optimal_paths"]) for m in told["moves"] if m["optimal"]]
            assert sum(keeping) == int(told["optimal_paths"])


def test_a_line_is_what_its_moves_lead_to(asking):
    """By codes and by names, as far as it goes."""
    solution, codes, names = asking.site[0].solution, list[int](), list[str]()
    here = solution[solution.start]
    texts = [here.position]
    while here.moves and len(codes) < 12:
        move = here.moves[-1]
        codes.append(move.move)
        names.append(move.name)
        here = solution[move.position]
        texts.append(here.position)
    for typed in ("-".join(map(str, codes)), ", ".join(names)):
        told = asking.native(f"/line?moves={q(typed)}")
        assert (told["moves"], told["wrong"]) == (codes, None)
        assert [each["position"] for each in told["positions"]] == texts
        assert told["positions"][-1] == asking.native(f"/position?p={q(texts[-1])}")
    told = asking.native(f"/line?p={q(texts[1])}&moves={q(names[1] + ', nonsense')}")
    assert [each["position"] for each in told["positions"]] == texts[1:3]
    assert "nonsense" in told["wrong"]


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
    assert [str(start[name]) for name in COUNTS[1:]] == [published[name] for name in COUNTS[1:]]
    assert str(start["optimal_paths"]) == published["optimal_paths"].strip()
    by_move = {each["move"]: each["optimal_paths"] for each in start["moves"]}
    assert (by_move[0], by_move[1], by_move[4]) == (82, 758, 224)


@pytest.mark.parametrize(
    "path",
    [
        "position?p=XXXXXXXXX", "position?p=", "position?p=0&p=1", "position?x=1", "position?p=%FF", "position?p=00",
        "position?p=" + "0" * 5000, "find?limit=1e3", "find?limit=99999999999999999999",
        "find?order=size", "find?limit=1001", "find?where=to_move%3DY", "find?where=value%3D1.5", "find?where=%FF",
        "find?where=" + "(" * 3000, "find?where=ply+and", "find?where=size%3D2", "find?" + "&".join(["a=1"] * 60),
        "position?p=0&extra",
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_in_a_line(path):
    Asking(solved("tictactoe")).refusal(f"/api/v1/tictactoe/{path}")


def test_numbers_that_javascript_rounds_are_texts():
    solution = solved("kayles:pins=22")
    asking = Asking(solution)
    told, stored = asking.native("/position"), solution.records.of(solution.engine.start)
    assert isinstance(told["games"], str)
    assert int(told["games"]) == solution.games > 2**64
    assert int(told["state"]) == solution.engine.start
    assert exact(told["optimal_paths"]) == stored.optimal_paths


def test_a_search_has_its_time(monkeypatch):
    asking = Asking(solved("tictactoe"))
    monkeypatch.setattr(answers, "SECONDS", 0.0)
    for order in ("", "&order=games"):
        told = asking.native(f"/find?where=only_move&limit=1000{order}")
        assert not told["complete"]
        assert len(told["positions"]) < 294


def test_find():
    asking = Asking(solved("tictactoe"))
    where = q("to_move=X and value=tie and remoteness_plies=5 and only_move")
    told = asking.native(f"/find?where={where}&limit=1000")
    assert told["complete"]
    assert told["classes_seen"] == told["classes"] == 765
    assert asking.native("/find?where=only_move&seconds=1")["complete"]
    for wrong in ("0", "6", "x"):
        asking.refusal(f"/api/v1/tictactoe/find?seconds={wrong}")
    assert {(each["to_move"], each["outcome"], each["remoteness_plies"]) for each in told["positions"]} == {
        (1, "tie", 5)
    }
    assert len(asking.native("/find?where=only_move&limit=1000")["positions"]) == 294
    one = f"/find?order=random&limit=1&where={q('value=O and ply >= 4 and ply <= 6')}"
    drawn = [asking.native(f"{one}&seed={seed}")["positions"][0] for seed in range(20)]
    assert len({each["state"] for each in drawn}) > 5
    assert {each["outcome"] for each in drawn} == {"O"}
    assert asking.native("/find?order=random&limit=1&where=value%3D7")["positions"] == []
    hardest = asking.native("/find?order=errs&limit=40")
    assert hardest["complete"]
    errs = [error(asking, each["position"]) for each in hardest["positions"]]
    assert errs == sorted(errs, reverse=True)
    assert (errs[0], hardest["positions"][0]["position"]) == (7 / 8, "X????????")
    asking.refusal("/api/v1/tictactoe/find?order=hardest", 400)
    Asking(solved("dodgem")).refusal("/api/v1/dodgem/find?order=games", 404)
    Asking(solved("kayles:pins=6")).refusal("/api/v1/kayles-pins-6/find?where=ply%3D1", 400)


def error(asking, text):
    """The chance to err in a position."""
    moves = asking.native(f"/position?p={q(text)}")["moves"]
    return sum(not each["optimal"] for each in moves) / len(moves)
