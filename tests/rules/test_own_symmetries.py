"""Games with a canonical() of their own: their groups, games up to symmetry, and searches by class."""

import functools
import itertools

import pytest

import analysis
from analysis.errors import VerificationError
from analysis.games.families import load_game
from analysis.search.catalogue import ALGORITHMS, parse_order
from analysis.search.laboratory import Laboratory
from analysis.search.problem import game_problem
from tests.support.forging import forge_manifest, manifest_of

CASES = [
    ("chomp:rows=1,cols=1", None, 1), ("chomp:rows=2,cols=2", None, 2), ("chomp:rows=3,cols=3", None, 2),
    ("chomp:rows=3,cols=3", "P##/#??/#??", 2), ("nim:heaps=2-2-2", None, 6), ("nim:heaps=1-1-2-2", None, 4),
    ("nim:heaps=1-1-1-1-1", None, 120), ("nim:heaps=2-2-1,misere=true", None, 2), ("nim:heaps=0-0-2", None, 1),
    ("nim:heaps=3-3-1,take=2-3", None, 2), ("nim:heaps=1-1-3-3,take=2-3", None, 2), ("nim:heaps=1-1,take=2", None, 1),
    ("nim:heaps=3-3-5-5,take=2-3", "3-3-1-1 X", 2), ("nim:heaps=3-3-3,take=2", "1-1-1 O", 1),
]  # fmt: skip


def images(game, text):
    """All images of a position, from its text alone."""
    board, mover = text.rsplit(" ", 1)
    if game.family == "chomp":
        rows = board.split("/")
        return [board + mover, "/".join(map("".join, zip(*rows, strict=True))) + mover]
    heaps, starts = board.split("-"), game.heaps.split("-")
    places = range(len(starts))
    orders = [p for p in itertools.permutations(places) if all(starts[i] == starts[p[i]] for i in places)]
    return ["-".join(heaps[i] for i in p) + mover for p in orders]


def complete_games(game, state):
    children = [child for _, child in game.rules().moves(state)]
    longer = itertools.chain.from_iterable(complete_games(game, child) for child in children)
    return [[game.format_position(state), *rest] for rest in longer] if children else [[game.format_position(state)]]


@pytest.mark.parametrize(("spec", "position", "order"), CASES)
def test_games_up_to_symmetry(spec, position, order):
    """Orbits of complete games under the symmetries that leave the start alone, all listed."""
    solution = analysis.solve(spec, start=position)
    game, stats = load_game(spec), solution.statistics()
    lines = complete_games(game, solution.engine.start)
    together = [[*zip(*(images(game, text) for text in line), strict=True)] for line in lines]  # all images of each
    orbits = {min(image for image in line if image[0] == line[0][0]) for line in together}
    assert (stats["symmetry_order"], stats["games_up_to_symmetry"]) == (order, len(orbits))
    assert stats["games"] == len(lines)


@pytest.mark.parametrize(("spec", "order"), [("chomp:rows=3,cols=3", 2), ("nim:heaps=1-1-1-1-1-1-1-1-1", 362880)])
def test_they_are_stored_and_verified(spec, order, tmp_path):
    analysis.solve(spec, directory=tmp_path / "s")
    assert analysis.verify(tmp_path / "s").classes == analysis.open_solution(tmp_path / "s").classes
    manifest = manifest_of(tmp_path / "s")
    assert manifest["symmetry"]["order"] == order == analysis.open_solution(tmp_path / "s").symmetry_order
    orbits = manifest["games_up_to_symmetry"]
    for wrong in ({"games_up_to_symmetry": orbits + 1}, {"symmetry": {"kind": "geometric", "order": order + 1}}):
        forge_manifest(tmp_path / "s", manifest | wrong)
        with pytest.raises(VerificationError, match=next(iter(wrong))):
            analysis.verify(tmp_path / "s")


def test_a_user_is_not_believed(tmp_path):
    """Who derives a game from ours may say anything of its symmetries."""
    file = tmp_path / "mine.py"
    file.write_text(
        "import dataclasses\nfrom analysis.games.chomp import Chomp\n@dataclasses.dataclass(frozen=True)\n"
        "class Mine(Chomp):\n    family = 'mine'\n    def own_symmetries(self, start):\n        return [(6, abs)]\n"
    )
    stats = analysis.solve(f"{file}:Mine:rows=2,cols=2").statistics()
    assert (stats["symmetry_order"], stats["games_up_to_symmetry"]) == (None, None)


# Searches -------------------------------------------------------------------------------------------------------------


SEARCHED = ["chomp:rows=3,cols=3", "nim:heaps=2-2-3", "nim:heaps=1-1-2-2,misere=true"]


@functools.cache
def laboratory(spec):
    return Laboratory(game_problem(spec))


@pytest.mark.parametrize("spec", SEARCHED)
def test_calls_of_minimax(spec):
    """As many as of a program with a dictionary from the least text of each class."""
    game, seen, calls = load_game(spec), {}, [0]
    rules = game.rules()

    def minimax(state):
        calls[0] += 1
        name = min(images(game, game.format_position(state)))
        if name not in seen:
            values = [minimax(child) for _, child in rules.moves(state)]
            seen[name] = (max if rules.to_move(state) > 0 else min)(values) if values else rules.outcome(state)
        return seen[name]

    lab, value = laboratory(spec), minimax(rules.start)
    row = lab.run(lab.tasks([ALGORITHMS["minimax_memo"]], symmetries=["geometric"])[0])
    assert (row.value, row.nodes, row.table_entries, row.symmetry) == (value, calls[0], len(seen), "geometric")
    assert len(lab.solved.sides) == len(seen)


@pytest.mark.parametrize("order", ["natural", "killer", "best", "worst", "least"])
@pytest.mark.parametrize("spec", SEARCHED)
def test_values_and_least(spec, order):
    lab = laboratory(spec)
    solution = analysis.solve(spec)
    for name in ALGORITHMS:
        row = lab.run(lab.tasks([ALGORITHMS[name]], [parse_order(order, lab.problem)], symmetries=["geometric"])[0])
        assert row.value == solution.value, name
        if name == "minimax":
            assert row.nodes == solution.total("histories") == lab.solved.tree.nodes
        if (name, order) == ("alphabeta", "least"):
            assert row.nodes == lab.solved.least().nodes
