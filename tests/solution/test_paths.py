"""Optimal paths against the oracle's out(s)."""

import itertools
from collections import Counter

import numpy as np
import pytest

import analysis
from analysis.common.memory import Budget
from analysis.engine.kernels import walk
from analysis.errors import MissingDataError, NoSuchPathError
from tests.support.class_graph import every_position
from tests.support.oracle import Oracle
from tests.support.program import ROOT, one_line

BOARDS = [(3, 3, 3, False), (3, 3, 3, True), (2, 3, 2, False), (2, 5, 3, False), (1, 1, 1, False), (2, 6, 3, False)]


def written(path: tuple[int, ...], cells: int) -> str:
    return ("-" if cells > 10 else "").join(map(str, path))


def spec(rows, cols, k, misere):
    return f"mnk:rows={rows},cols={cols},k={k},misere={str(misere).lower()}"


@pytest.mark.parametrize("board", BOARDS[:5], ids=str)
@pytest.mark.parametrize("symmetry", ["geometric", "none"])
def test_all_paths_in_order(board, symmetry):
    oracle = Oracle(*board)
    wanted = [written(path, board[0] * board[1]) for path in itertools.islice(oracle.out(oracle.start), 5000)]
    paths = analysis.solve(spec(*board), symmetry=symmetry).optimal_paths()
    assert list(itertools.islice(paths, 5000)) == wanted
    assert paths.count == oracle.optimal_paths(oracle.start)


def test_codes_above_nine_are_joined_and_ordered_by_code():
    paths = list(itertools.islice(analysis.solve("mnk:rows=3,cols=4,k=3").optimal_paths(), 2000))
    codes = [tuple(map(int, path.split("-"))) for path in paths]
    assert codes == sorted(codes)
    assert paths != sorted(paths)
    ten = list(itertools.islice(analysis.solve("mnk:rows=2,cols=5,k=3").optimal_paths(), 100))
    assert all("-" not in path and len(path) == 10 for path in ten)


def test_compiled_code_spells_every_code():
    codes = np.arange(65_535, dtype=np.uint16).reshape(3, -1)
    out = np.empty(6 * 65_535 + 3, dtype=np.uint8)
    size = walk.spell(codes, np.array([21_845] * 3), 3, 1, out)
    wanted = [*("-".join(map(str, row)) for row in codes.tolist()), ""]
    assert out[:size].tobytes().decode().split("\n") == wanted
    size = walk.spell(codes[:, :10].copy(), np.array([10]), 1, 0, out)
    assert out[:size].tobytes() == b"0123456789\n"


@pytest.mark.parametrize("shortest", [False, True])
def test_index(shortest):
    paths = analysis.solve("tictactoe").optimal_paths("X???O????", shortest=shortest)
    every = list(paths)
    assert [paths[i] for i in range(paths.count)] == every
    assert [paths[-1], paths[-paths.count]] == [every[-1], every[0]]
    for part in (slice(3), slice(-1, None), slice(3, 0, -2)):
        assert paths[part] == every[part]
    for wrong in (-paths.count - 1, paths.count):
        with pytest.raises(NoSuchPathError, match=f"numbered from 0 to {paths.count - 1}") as refused:
            paths[wrong]
        assert isinstance(refused.value, IndexError)


@pytest.mark.slow
def test_index_into_billions():
    paths = analysis.solve("mnk:rows=4,cols=4,k=4").optimal_paths()
    assert paths.count == 3848888994048
    assert next(iter(paths)) == paths[0]
    solution_codes = [tuple(map(int, paths[i].split("-"))) for i in (0, 1, 10**6, 10**12, paths.count - 1)]
    assert solution_codes == sorted(solution_codes)
    assert list(itertools.islice(paths, 70000))[69999] == paths[69999]


def test_sample_is_uniform_and_reproducible():
    paths = analysis.solve("tictactoe").optimal_paths("XOX?O????")
    every = list(paths)
    drawn = Counter(paths.sample(50 * len(every), seed=5))
    assert set(drawn) == set(every)
    chi_square = sum((drawn[path] - 50) ** 2 / 50 for path in every)
    assert chi_square < 2 * len(every)
    assert list(paths.sample(5, seed=1)) == list(paths.sample(5, seed=1)) != list(paths.sample(5, seed=2))


@pytest.mark.slow
def test_of_many_paths_the_first_come_move_by_move_and_the_rest_from_compiled_code(monkeypatch):
    paths = analysis.solve("tictactoe").optimal_paths()
    wanted, limits = list(paths), (0, 1, 9, 10, 11, 63, 64, 65, 100, 1000, 3584, 4000)

    def cut_off():
        return [b"".join(paths.blocks(limit)).decode().split() for limit in limits]

    assert cut_off() == [wanted[:limit] for limit in limits]
    monkeypatch.setattr("analysis.solution.paths.FEW", 0)
    assert list(paths) == wanted
    assert cut_off() == [wanted[:limit] for limit in limits]
    last = analysis.solve("tictactoe").optimal_paths("XOX?O????")
    assert list(last) == list(analysis.solve("tictactoe", counts=False).optimal_paths("XOX?O????"))


@pytest.mark.parametrize("short", [0, 1])
def test_a_walk_that_does_not_fit_memory_looks_positions_up(monkeypatch, short):
    """It takes a hash table of 2,048 slots, and 20 bytes for each of 765 states."""
    paths = analysis.solve("tictactoe").optimal_paths()
    wanted = list(paths)
    monkeypatch.setattr("analysis.solution.paths.FEW", 0)
    monkeypatch.setattr("analysis.solution.paths.REMEMBERED", 20)
    monkeypatch.setattr("analysis.solution.paths.Budget.of_machine", lambda: Budget(8 * 2048 + 20 * 765 - short))
    walked = []
    monkeypatch.setattr(paths, "_walk", lambda *_: walked.append(1) or iter([b""]))
    assert list(paths) == (wanted if short else [])
    assert len(walked) == 1 - short


def test_without_counts():
    solution = analysis.solve("tictactoe", counts=False)
    paths = solution.optimal_paths()
    assert len(list(paths)) == 3584
    for ask in (lambda: paths.count, lambda: paths[0], lambda: solution.games, lambda: list(paths.sample(1))):
        with pytest.raises(MissingDataError, match="no counts"):
            ask()
    assert solution["?????????"].games is None
    assert solution.statistics()["optimal_paths"] is None


@pytest.mark.slow
def test_shortest_paths_by_each_way(monkeypatch):
    """Move by move, by compiled code and by their numbers: the same ones, each a ply shorter with every move."""
    for spec, position in (("mnk:rows=3,cols=4,k=3", None), ("tictactoe", "XOX?O????")):
        solution = analysis.solve(spec)
        paths = solution.optimal_paths(position, shortest=True)
        one_by_one = list(paths)
        assert len(one_by_one) == paths.count == len(set(one_by_one))
        assert {paths.plies(path) for path in one_by_one} == {solution[position or paths.start].remoteness_plies}
        assert [paths[number] for number in range(0, paths.count, 7)] == one_by_one[::7]
        with monkeypatch.context() as patch:
            patch.setattr("analysis.solution.paths.FEW", 0)
            assert list(paths) == one_by_one


def shortest_by_hand(solution, position) -> list[str]:
    """Every line in which each move is one ply nearer to the end and keeps the value."""
    if not position.moves:
        return [""]
    found = []
    for move in sorted(position.moves, key=lambda move: move.move):
        nearer = position.remoteness_plies is not None and move.remoteness_plies == position.remoteness_plies - 1
        if move.optimal and nearer:
            rest = shortest_by_hand(solution, position.play(move.move))
            found += [f"{move.move}-{path}".rstrip("-") for path in rest]
    return found


@pytest.mark.parametrize("spec", ["dodgem:n=2", pytest.param("morris:variant=tapatan", marks=pytest.mark.slow)])
def test_shortest_paths_of_a_loopy_game(spec):
    solution = analysis.solve(spec)
    position = next((each for each in every_position(solution) if (each.remoteness_plies or 0) > 2), None)
    assert position is not None
    wanted = shortest_by_hand(solution, position)
    paths = solution.optimal_paths(position.position, shortest=True)
    assert list(paths) == wanted
    assert paths.count == len(wanted)
    assert [paths[number] for number in range(len(wanted))] == wanted
    assert set(paths.sample(5, seed=1)) <= set(wanted)
    assert b"".join(paths.blocks(2)).decode().split() == wanted[:2]


@pytest.mark.slow
def test_dodgem_is_won_in_19_plies(gametree):
    out = gametree("paths", "dodgem", "--shortest").out.splitlines()
    assert len(out) == len(set(out)) == 212 == int(gametree("paths", "dodgem", "--shortest", "--count").out)
    assert {path.count("-") + 1 for path in out} == {19}


def test_a_draw_has_no_shortest_path(gametree):
    solution = analysis.solve("dodgem:n=2")
    drawn = next((each for each in every_position(solution) if each.remoteness_plies is None), None)
    with pytest.raises(MissingDataError, match="`shortest`"):
        solution.optimal_paths()
    if drawn is not None:
        with pytest.raises(MissingDataError, match="loopy"):
            solution.optimal_paths(drawn.position)
        with pytest.raises(MissingDataError, match="is a draw"):
            solution.optimal_paths(drawn.position, shortest=True)
    assert gametree("paths", "dodgem:n=2").code == 1
    pong = ROOT / "docs" / "how-to" / "examples" / "pong.py"
    one_line(gametree("paths", pong, "--shortest"), 1, "the start is a draw")
