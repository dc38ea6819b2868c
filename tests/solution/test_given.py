"""What is taken as a game, and which types its functions name: a specification, a `Game`, a solution, a directory."""

import re
from types import FunctionType

import pytest

import analysis
from analysis import bidding, playing, search

TERMS = playing.Terms(games=4, seed=1)
SEARCHES = search.SearchRequest(algorithms=["alphabeta"])
OF_GAMES = {
    "solve": lambda game: analysis.solve(game).value,
    "check_game": lambda game: analysis.check_game(game, games=1, like=game).passed,
    "plan": lambda game: analysis.plan(game, seconds=1).sizes.positions.low,
    "load_game": lambda game: analysis.load_game(game).spec,
    "compare_growth": lambda game: search.compare_growth([game], SEARCHES)[0]["nodes"],
}
"""Functions that take a game, by what they say of it."""
OF_SOLUTIONS = {
    "find_solution": lambda game: analysis.find_solution(game).start,
    "find_positions": lambda game: [found.value for found in analysis.find_positions(game, ["XO?X?????"])],
    "find_position": lambda game: search.find_position(game, "XO?X?????").value,
    "compare": lambda game: analysis.compare(game, SEARCHES).rows[0].nodes,
    "alphabeta": lambda game: search.alphabeta(game).nodes,
    "export": lambda game: analysis.export(game, "part.json", depth=1),
    "explore": lambda game: analysis.explore(game, (0, 1, 3)).title,
    "plot": lambda game: analysis.plot(game, "position", "XO?X?????") is not None,
    "exploit": lambda game: analysis.exploit(game, "perfect", "X").exact,
    "find_judge": lambda game: playing.find_judge(game).start,
    "audit": lambda game: playing.audit(game, [{"position": "XO?X?????", "move": 4}]).totals()["mistakes"],
    "find_player": lambda game: playing.find_player("perfect", game).level,
    "play_match": lambda game: playing.play_match(game, ["perfect", "random"], TERMS).start,
    "expect": lambda game: playing.expect(game, "perfect", "random").x_wins,
}
"""Functions that take a GAME_OR_DIR."""


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    directory = tmp_path_factory.mktemp("given") / "solved"
    stored = analysis.solve("tictactoe", directory=directory)
    return [analysis.load_game("tictactoe"), stored, analysis.solve("tictactoe")], [directory, str(directory)]


@pytest.mark.parametrize("name", [*OF_GAMES, *OF_SOLUTIONS])
def test_games_solutions_and_directories_are_taken_alike(name, forms, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, (objects, directories) = (OF_GAMES | OF_SOLUTIONS)[name], forms
    given = ["tictactoe", *objects, *(directories if name in OF_SOLUTIONS else ())]
    assert len({repr(function(game)) for game in given}) == 1


@pytest.mark.parametrize("name", ["find_solution", "find_position", "play_match", "expect", "alphabeta", "find_judge"])
def test_a_solution_begins_where_it_does(name):
    """Not at the start of the game, which it does not hold."""
    solution = analysis.solve("tictactoe", start="XO???????")
    shown = repr(OF_SOLUTIONS[name](solution))
    assert shown != repr(OF_SOLUTIONS[name]("tictactoe")) or name == "find_position"


def test_bidding_solutions_are_taken_as_their_games():
    solution = bidding.solve("bidding:game=tictactoe,chips=2")
    assert bidding.find_solution(solution) is analysis.find_solution(solution) is solution
    assert analysis.solve(solution).root.value == bidding.solve(solution).root.value == solution.root.value


def test_every_function_of_games_is_tried():
    taken = set()
    for room in (analysis, playing, search):
        for name in room.__all__:
            if isinstance(function := getattr(room, name), FunctionType):
                kinds = map(str, function.__annotations__.values())
                taken |= {name} if any(re.search("GameLike|Target", kind) for kind in kinds) else set()
    tried = {*OF_GAMES, *OF_SOLUTIONS}
    assert taken - tried == {"open_solution", "verify", "write_report", "minimax"}
    assert tried <= taken
