"""A stored solution is data: of a user game it tells what its tables hold, and runs nothing that nobody has named."""

import shutil

import pytest

import analysis
from analysis.errors import PositionError, RulesNeededError, StoreError
from analysis.games import families, user
from tests.support.forging import forge_manifest, manifest_of
from tests.support.program import one_line

GAME = '''
import dataclasses
import pathlib

from analysis.rules.game import ONGOING, Rules

pathlib.Path(__file__).with_suffix(".run").write_text("run")


@dataclasses.dataclass(frozen=True)
class Heap:
    """Take one or two of a heap; who takes the last wins."""

    tokens: int = 7

    def rules(self):
        def legal_moves(state, out):
            n = min(2, state >> 1)
            for i in range(n):
                out[i] = i + 1
            return n

        def play(state, move):
            return (((state >> 1) - move) << 1) | (1 - (state & 1))

        def outcome(state):
            return ONGOING if state >> 1 else (1 if state & 1 else -1)

        def to_move(state):
            return 1 - 2 * (state & 1)

        def tier(state):
            return 100 - (state >> 1)

        return Rules(
            start=2 * self.tokens, max_moves=2, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move,
            tier=tier,
        )

    def format_position(self, state):
        return f"{state >> 1}{'XO'[state & 1]}"

    def parse_position(self, text):
        return 2 * int(text[:-1]) + (text[-1] == "O")
'''

BOARD = """
import pathlib

from analysis.games.mnk import Mnk
import dataclasses

pathlib.Path(__file__).with_suffix(".run").write_text("run")


@dataclasses.dataclass(frozen=True)
class Board(Mnk):
    rows: int = 1
    cols: int = 3
    k: int = 3
"""


@pytest.fixture
def unnamed(monkeypatch):
    """Nobody has named a game in this process."""

    def forget():
        monkeypatch.setattr(families, "_NAMED", {})
        monkeypatch.setattr(user, "_FILES", {})

    return forget


@pytest.fixture
def solved(tmp_path, gametree, unnamed):
    (tmp_path / "heap.py").write_text(GAME)
    assert gametree("solve", "heap.py:Heap", "--out", "s").code == 0
    (tmp_path / "heap.run").unlink()
    unnamed()
    return tmp_path / "s"


def test_what_tables_tell(solved, gametree, unnamed, tmp_path):
    without = {
        "stats": gametree("stats", "s", "--format", "json").json,
        "show": gametree("show", "s", "8", "--format", "json").json,
        "csv": gametree("export", "s", "--to", "csv").out,
        "bfile": gametree("export", "s", "--to", "bfile").out.splitlines()[1:],
    }
    solution = analysis.open_solution(solved)
    assert not (tmp_path / "heap.run").exists()
    assert (solution.value, len(solution), solution.games.total) == (1, 14, 21)
    assert (solution.total("histories"), len(solution.positions()), solution.at(8).value) == (54, 14, 1)
    unnamed()
    with_rules = {
        "stats": gametree("stats", "s", "--game", "heap.py:Heap", "--format", "json").json,
        "show": gametree("show", "s", "4X", "--game", "heap.py", "--format", "json").json,
        "csv": gametree("export", "heap.py:Heap", "--to", "csv").out,
        "bfile": gametree("export", "s", "--game", "heap.py", "--to", "bfile").out.splitlines()[1:],
    }
    assert (tmp_path / "heap.run").exists()
    assert without["stats"] | {"game": ""} == with_rules["stats"] | {"game": ""}
    assert without["bfile"] == with_rules["bfile"]
    known = {name: with_rules["show"][name] for name in ("value", "to_move", "remoteness_plies", "histories", "games")}
    assert without["show"] == without["show"] | known
    assert without["show"]["moves"] is None
    columns = [line.split(",")[1:14] for line in without["csv"].splitlines()]
    assert columns == [line.split(",")[1:14] for line in with_rules["csv"].splitlines()]


@pytest.mark.parametrize(
    "command",
    [
        ["show", "s", "4X"],
        ["paths", "s"],
        ["verify", "s"],
        ["stats", "s", "--from", "8"],
        ["export", "s", "--to", "jsonl"],
        ["export", "s", "--to", "csv", "--moves"],
        ["export", "s", "--to", "svg"],
        ["match", "s", "perfect", "random"],
        ["report", "s"],
        ["prune", "s"],
        ["play", "s", "--you", "none"],
        ["solve", "s"],
    ],
)
def test_what_needs_the_rules_asks_for_them(solved, gametree, tmp_path, command):
    refused = gametree(*command)
    one_line(
        refused,
        2 if command[0] == "solve" else 1,
        "no game" if command[0] == "solve" else "--game FILE.py:Heap:tokens=7",
    )
    assert not (tmp_path / "heap.run").exists()
    assert not (tmp_path / "reports").exists()


def test_in_python(solved, tmp_path, unnamed):
    solution = analysis.open_solution(solved)
    for needs in (
        solution.to_networkx,
        lambda: list(solution),
        lambda: solution["4X"],
        lambda: solution.moves(tier=96),
    ):
        with pytest.raises(RulesNeededError):
            needs()
    with pytest.raises(PositionError):
        solution.at(1000)
    assert not (tmp_path / "heap.run").exists()
    with pytest.raises(StoreError, match="other rules"):
        analysis.open_solution(solved, game="tictactoe")
    with pytest.raises(StoreError, match="other rules"):
        analysis.open_solution(solved, game=f"{tmp_path}/heap.py:Heap:tokens=8")
    unnamed()
    known = analysis.open_solution(solved, game=f"{tmp_path}/heap.py:Heap")
    assert known["4X"].best_moves == (1,)
    again = analysis.open_solution(solved)  # a person has named the game by now
    assert again["4X"].best_moves == (1,)


def test_a_changed_file_is_refused(solved, gametree, tmp_path):
    (tmp_path / "heap.py").write_text(GAME.replace("min(2,", "min(1,"))
    one_line(gametree("show", "s", "--game", "heap.py:Heap"), 1, "other rules")
    one_line(gametree("stats", "heap.py:Heap", "--game", "heap.py:Heap"), 2, "--game")


def test_images_of_classes_are_not_denied(tmp_path, unnamed):
    """With symmetries a state that no table holds may be an image of one."""
    (tmp_path / "board.py").write_text(BOARD)
    analysis.solve(f"{tmp_path}/board.py:Board", directory=tmp_path / "s")
    unnamed()
    (tmp_path / "board.run").unlink()
    solution = analysis.open_solution(tmp_path / "s")
    assert solution.symmetry_order == 2
    assert solution.at(0).value == 0
    assert {solution.at(state).histories for state in (1, 2)} == {1}
    with pytest.raises(RulesNeededError):
        solution.at(4)  # the mirror image of 1
    assert not (tmp_path / "board.run").exists()


def test_no_manifest_runs_a_file(tmp_path, gametree, unnamed):
    """Whatever a manifest calls the game, and whichever game is below the bids."""
    (tmp_path / "evil.py").write_text(GAME)
    evil = str(tmp_path / "evil.py")
    gametree("solve", "mnk:rows=1,cols=3,k=3", "--out", "turns")
    gametree("solve", "bidding:game=mnk:rows=1,cols=3,k=3,chips=2", "--out", "bids")
    unnamed()
    for kind, names in {
        "turns": [f"{evil}:Heap", f" {evil}", f"{evil}:Heap:tokens=3", "evil.py", f"bidding:game={evil}:Heap,chips=2"],
        "bids": [
            f"bidding:game={evil}:Heap,chips=2", f"bidding:{evil}:Heap,2", f"bidding:chips=2,game={evil}",
            f"bidding: game = {evil} ,chips=2", f"bidding:game=bidding:game={evil},chips=2", f"{evil}:Heap",
            f"bidding:game=bidding:{evil}",
        ],
    }.items():  # fmt: skip
        for name in names:
            shutil.rmtree(tmp_path / "s", ignore_errors=True)
            shutil.copytree(tmp_path / kind, tmp_path / "s")
            forge_manifest(tmp_path / "s", {**manifest_of(tmp_path / "s"), "game": name})
            for command in ("stats", "show", "paths", "verify", "report", "export", "play", "prune"):
                result = gametree(command, "s", *(["--to", "csv"] if command == "export" else []))
                assert "Traceback" not in result.err, (name, command, result)
                assert not (tmp_path / "evil.run").exists(), (name, command)
