"""Solutions and what is asked of them, as copies and in other processes."""

import copy
import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest

import analysis
from analysis.errors import MissingDataError, SpecError, StoreError
from tests.support import taking

KINDS = {
    "plies": ("tictactoe", {}),
    "later": ("tictactoe", {"start": "X???O????"}),
    "without counts": ("tictactoe", {"counts": False}),
    "full": ("mnk:rows=3,cols=3,k=2", {"symmetry": "full"}),
    "residual": ("tictactoe", {"symmetry": "residual"}),
    "tiers": ("dots_and_boxes:rows=1,cols=2", {}),
    "loopy": ("dodgem:n=2", {}),
    "nimbers": ("nim:heaps=1-2", {}),
    "wide counts": ("kayles:pins=30", {}),
}

FILE = Path(taking.__file__).read_text()


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def told(solution):
    """All that a solution says."""
    start = solution[()]
    frames = [solution.positions(), solution.to_arrow(moves=True).to_pandas()]
    return solution.statistics(), solution.symmetry, start, start.line(), [each.to_csv() for each in frames]


@pytest.mark.parametrize("stored", [False, True], ids=["in memory", "in a directory"])
@pytest.mark.parametrize("kind", KINDS)
def test_solutions(kind, stored, tmp_path):
    spec, options = KINDS[kind]
    if stored and "start" in options:
        pytest.skip("a directory holds a game from its own start")
    solution = analysis.solve(spec, **options, **({"directory": tmp_path / "s"} if stored else {}))
    says = told(solution)
    for other in (again(solution), copy.deepcopy(solution), copy.copy(solution), again(again(solution))):
        assert type(other) is analysis.Solution
        assert other is not solution
        assert other.directory == (tmp_path / "s" if stored else None)
        assert other.game == solution.game
        assert told(other) == says
    if solution.counted and not solution.loopy:
        paths = again(solution.optimal_paths())
        assert paths[0] == solution.optimal_paths()[0]
    classes = again(solution.of_classes)
    assert classes.game == solution.of_classes.game
    assert classes.positions().equals(solution.of_classes.positions())


def test_a_directory_is_pickled_as_its_path(tmp_path, monkeypatch):
    solution = analysis.solve("tictactoe", directory="s")
    data = pickle.dumps(solution)
    assert len(data) < 1000
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(data).value == 0
    (tmp_path / "s").rename(tmp_path / "t")
    with pytest.raises(StoreError, match="s"):
        pickle.loads(data)
    analysis.solve("tictactoe", directory=tmp_path / "s", symmetry="none")
    with pytest.raises(StoreError, match="another solution"):
        pickle.loads(data)


def test_user_games(tmp_path, monkeypatch):
    (tmp_path / "take.py").write_text(FILE)
    game = analysis.load_game("take.py:Take:pile=7")
    odd = dataclasses.replace(game, name="b, c")  # which no specification can hold
    solution = analysis.solve(game)
    stored = analysis.solve(game, directory=tmp_path / "s")
    for thing in (game, odd):
        assert again(thing) == copy.deepcopy(thing) == thing
    for each in (solution, stored):
        assert again(each).value == each.value == 1
        assert again(each).game == game
    data = [pickle.dumps(thing) for thing in (game, solution, stored)]
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert pickle.loads(data[0]).rules_hash() == game.rules_hash()
    (tmp_path / "take.py").write_text(FILE + "# another file\n")
    for each in data:
        with pytest.raises(SpecError, match="changed"):
            pickle.loads(each)
    (tmp_path / "take.py").unlink()
    for each in data:
        with pytest.raises(SpecError):
            pickle.loads(each)


def test_without_rules_it_stays_without(tmp_path):
    (tmp_path / "take.py").write_text(FILE)
    analysis.solve(f"{tmp_path}/take.py:Take:pile=6", directory=tmp_path / "s")
    from analysis.games import families

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(families, "_NAMED", {})
        solution = analysis.open_solution(tmp_path / "s")
        assert not solution.engine.ruled
        for other in (again(solution), copy.deepcopy(solution)):
            assert not other.engine.ruled
            assert other.statistics() == solution.statistics()


def test_games_of_the_running_program():
    solution = analysis.solve(taking.Take(7))
    assert again(solution.game) == solution.game
    assert told(again(solution)) == told(solution)


def test_positions_and_their_solution(tmp_path):
    solution = analysis.solve("tictactoe")
    position = solution["0124"]
    assert copy.copy(position).play(7) == copy.deepcopy(position).play(7) == position.play(7)
    assert again(position) == position
    assert [again(move) for move in position.moves] == list(position.moves)
    with pytest.raises(MissingDataError, match="look it up"):
        again(position).play(7)
    found = solution.find("only_move", limit=3)
    assert again(found) == copy.deepcopy(found) == found


def test_arrays_that_were_lent():
    """Where they cannot be written, as joblib and Dask hand them on, they are copied."""
    solution = analysis.solve("tictactoe")
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(solution, protocol=5, buffer_callback=buffers.append)
    other = pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])
    assert buffers
    assert isinstance(other.tiers[3].states, np.ndarray)
    assert told(other) == told(solution)


def look(solution, text):
    return solution[text].value, solution[text].best_moves
