"""Games whose classes are those of their own `canonical()`: searched, counted and found as such."""

import pytest

import analysis


def lines_up_to_symmetry(images: list[dict[int, int]], moves_after) -> tuple[int, int]:
    """Return complete games and their classes under ``images`` of cells, by trying every order of play."""
    games: set[tuple[int, ...]] = set()

    def play(line: tuple[int, ...]) -> None:
        moves = moves_after(line)
        if not moves:
            games.add(line)
        for move in moves:
            play((*line, move))

    play(())
    return len(games), len({min(tuple(image[c] for c in line) for image in images) for line in games})


def chomp_moves(size: int):
    def moves(line: tuple[int, ...]) -> list[int]:
        left = set(range(1, size * size))  # the last piece, 0, is not taken
        for eaten in line:
            row, column = divmod(eaten, size)
            left -= {c for c in left if c // size >= row and c % size >= column}
        return sorted(left)

    return moves


def test_chomp_is_searched_up_to_its_transpose():
    compared = analysis.compare("chomp:rows=2,cols=2", algorithms=["minimax_memo"], symmetries=["geometric"])
    assert [(row.nodes, row.table_entries) for row in compared.rows] == [(8, 6)]


@pytest.mark.parametrize("size", [2, 3])
def test_games_of_chomp_up_to_its_transpose(size):
    transpose = {c: (c % size) * size + c // size for c in range(size * size)}
    images = [{c: c for c in transpose}, transpose]
    games, classes = lines_up_to_symmetry(images, chomp_moves(size))
    counted = analysis.solve(f"chomp:rows={size},cols={size}").statistics()
    assert counted["symmetry_order"] == 2
    assert counted["games"]["total"] == games
    assert counted["games_up_to_symmetry"] == classes


@pytest.mark.parametrize("game", ["tictactoe", "nim:3-4", "chomp:rows=3,cols=3", "mnk:rows=2,cols=3,k=3"])
def test_every_class_is_found_won_lost_or_tied(game):
    solution = analysis.solve(game)
    found = [solution.find(f"value={value}", limit=1).matched for value in ("win", "loss", "tie")]
    assert sum(found) == solution.canonical
    assert found[1] >= solution.find("value=loss and remoteness=0", limit=1).matched > 0
