"""Families by name: what is imported for one, and each at its smallest sizes."""

import io

import pytest

import analysis
from analysis.games.families import BIDDING, FAMILIES, find_family, list_games, load_game
from tests.support.graph_oracle import oracle_of
from tests.support.program import ROOT, run_python

GAMES = ROOT / "analysis" / "games"
LATE = {"numba", "pyarrow", "pandas", "scipy", "networkx", "difflib"}


def test_one_family_is_imported_for_one_game():
    program = "import sys; from analysis.games.families import load_game; load_game('tictactoe'); print(*sys.modules)"
    loaded = run_python(program).split()
    homes = {name for name in loaded if name.startswith("gametree.games.")}
    assert homes == {"gametree.games.families", "gametree.games.mnk"}
    assert not LATE & set(loaded)


def test_the_table_names_every_family():
    assert [game["name"] for game in list_games()] == [*FAMILIES, BIDDING]
    assert all(find_family(name).family == name for name in (*FAMILIES, BIDDING))
    files = {path.stem for path in GAMES.glob("*.py")} - {"__init__", "families", "ranges", "user", "writing"}
    homes = FAMILIES.values()
    assert {home.partition(":")[0] for home in homes} == files - {BIDDING}


OVER = {
    "domineering:rows=1,cols=1": -1,
    "domineering:rows=1,cols=2,first=V": -1,
    "domineering:rows=2,cols=1,first=H": -1,
    "chomp:rows=1,cols=1": -1,
    "nim:heaps=0": -1,
    "nim:heaps=0,misere=true": 1,
    "nim:heaps=1,take=2-3-5": -1,
    "nim:heaps=2-2,take=3-4,misere=true": 1,
    "kayles:pins=0": -1,
    "grundy:heap=0": -1,
    "grundy:heap=2": -1,
    "othello:size=2": 0,
}
"""Games without a move, and who wins them: where a player who cannot move loses it is the second, -1."""

GOING = {
    "tictactoe": (0, 9),
    "mnk:rows=1,cols=1,k=1": (1, 1),
    "mnk:rows=1,cols=1,k=1,misere=true": (-1, 1),
    "mnk:rows=1,cols=2,k=3,misere=true": (0, 2),
    "wild:rows=1,cols=1,k=1": (1, 1),
    "wild:rows=1,cols=1,k=2": (0, 1),
    "notakto:rows=1,cols=1,k=1": (-1, 1),
    "notakto:rows=1,cols=1,k=1,misere=true": (1, 1),
    "connect:rows=1,cols=1,k=1": (1, 1),
    "connect:rows=1,cols=1,k=1,misere=true": (-1, 1),
    "hex:n=1": (1, 1),
    "domineering:rows=2,cols=1": (1, 1),
    "chomp:rows=1,cols=2": (1, 1),
    "nim:heaps=1": (1, 1),
    "nim:heaps=1,misere=true": (-1, 1),
    "kayles:pins=1": (1, 1),
    "grundy:heap=3": (1, 1),
    "dots_and_boxes:rows=1,cols=1": (-1, 4),
    "hexapawn:rows=3,cols=1": (1, 1),
    "dodgem:n=2": (1, 3),
    "coin_grabber:board=board.txt": (-1, 1),
    "coin_grabber:board=board.txt,threshold=1": (1, 1),
}
"""The value and the remoteness of the smallest games with a move: most are told by looking at them."""


@pytest.fixture(autouse=True)
def board(tmp_path):
    (tmp_path / "board.txt").write_text("H 1* C\n")


def test_every_family_is_here():
    assert {spec.partition(":")[0] for spec in (*OVER, *GOING)} == {*FAMILIES} - {"morris"}  # has one size


FAST = ("nim:heaps=1,take=2-3-5", "nim:heaps=0,misere=true", "kayles:pins=0", "grundy:heap=0", "othello:size=2")


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=() if spec in FAST else pytest.mark.slow) for spec in (*OVER, *GOING)]
)
def test_against_the_oracle(spec):
    solution, rules = analysis.solve(spec), load_game(spec).rules()
    oracle = oracle_of(load_game(spec))
    assert (solution.value, solution.remoteness_plies) == ((OVER[spec], 0) if spec in OVER else GOING[spec])
    assert len(solution) == len(oracle.positions)
    for state in oracle.positions:
        found = solution.records.of(state)
        assert (found.value, found.remoteness_plies) == (oracle.value(state), oracle.remoteness(state))
        assert found.terminal == oracle.over(state)
        assert found.nimber == (oracle.nimber(state) if rules.impartial else None)
    if not rules.loopy:
        games = oracle.games_by_outcome(rules.start)
        assert (solution.games_x, solution.games_o, solution.games_tie) == (
            games["games_x"],
            games["games_o"],
            games["games_tie"],
        )
        assert [*map(solution.optimal_paths().codes, solution.optimal_paths())] == [*map(list, oracle.out(rules.start))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["domineering:rows=1,cols=1", "nim:heaps=0,misere=true", "kayles:pins=0", "othello:size=2"]
)
def test_commands_where_there_is_no_move(gametree, monkeypatch, spec):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    for command in (
        ["solve", spec, "--out", "solved", "--moves", "--paths", "--text"], ["verify", "solved"], ["show", "solved"],
        ["find", "solved", "terminal"], ["prune", spec], ["play", spec], ["plan", spec], ["check", spec],
        ["match", spec, "random", "perfect", "--games", 3, "--out", "games.csv"], ["audit", "solved", "games.csv"],
        ["report", "solved", "--out", "page"], ["export", "solved", "--to", "svg", "--out", "out.svg"],
        ["explore", "solved", "--out", "page.html"],
    ):  # fmt: skip
        result = gametree(*command)
        assert result.code == 0, (command, result.err)
    assert gametree("paths", "solved").out == "\n"
    assert gametree("stats", "solved", "--format", "json").json["positions"] == 1
