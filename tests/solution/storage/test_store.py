"""Solution directories: complete or absent, the same bytes every time, read by others and without rules."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.engine import columns
from analysis.errors import PositionError, RulesNeededError, StoreError, VerificationError
from analysis.games import families, user
from analysis.solution.storage import parquet
from analysis.solution.storage.directory import SolutionDirectory
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.forging import forge_manifest, forge_tier, manifest_of, tier_of
from tests.support.oracle import Oracle
from tests.support.own_game import HEAD, own_game
from tests.support.program import ROOT, one_line

EVERYTHING = Tables(moves=True, text=True, paths=True)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    directory = tmp_path_factory.mktemp("solutions") / "ttt"
    solve_to_directory("tictactoe", directory, tables=EVERYTHING)
    return directory


def test_rows_against_the_oracle(stored):
    oracle = Oracle(3, 3, 3)
    frame = pd.read_parquet(stored / "positions")
    reached = {s: histories for tier in oracle.tiers() for s, histories in tier.items()}
    for row in frame.itertuples():
        s, outcomes = row.position, oracle.outcomes(row.position)
        assert (row.value, row.remoteness_plies) == (oracle.value(s), oracle.remoteness(s))
        assert row.terminal == (oracle.outcome(s) is not None)
        assert row.histories == reached[s] * row.orbit_size
        assert (row.games_x, row.games_o, row.games_tie) == (outcomes[1], outcomes[-1], outcomes[0])
        assert (row.optimal_paths, row.shortest_paths) == (oracle.optimal_paths(s), oracle.shortest_paths(s))
        assert row.to_move == (1 if oracle.to_move(s) == "X" else -1)


def test_states_are_sorted_and_delta_encoded(stored):
    for path in sorted((stored / "positions").iterdir()):
        file = pq.ParquetFile(path)
        states = file.read(["state"])["state"].to_pylist()
        assert states == sorted(set(states))
        assert "DELTA_BINARY_PACKED" in file.metadata.row_group(0).column(0).encodings


def test_moves_and_paths(stored):
    moves = ds.dataset(stored / "moves", format="parquet").to_table().to_pandas()
    values = pd.read_parquet(stored / "positions").set_index("state")["value"]
    assert len(moves) == 2270
    assert (values[moves["child"]].to_numpy() == values[moves["state"]].to_numpy()).tolist() == moves[
        "optimal"
    ].tolist()
    paths = pd.read_parquet(stored / "optimal_paths.parquet")
    assert paths["path"].tolist() == list(analysis.solve("tictactoe").optimal_paths())
    assert set(paths["outcome"]) == {"tie"}
    assert set(paths["plies"]) == {9}


def test_tier_files(stored):
    manifest = json.loads((stored / "manifest.json").read_text())
    for number in range(10):
        tier = json.loads((stored / "tiers" / f"tier-{number:04d}.json").read_text())
        assert tier["rules_hash"] == manifest["rules_hash"]
        assert tier["rows"] == sum(part["rows"] for part in tier["positions"])
        for folder in ("positions", "moves"):
            for part in tier[folder]:
                data = (stored / folder / part["file"]).read_bytes()
                assert (len(data), hashlib.sha256(data).hexdigest()) == (part["bytes"], part["sha256"])


@pytest.mark.slow
def test_large_tier_lies_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "PART", 1000)
    monkeypatch.setattr(parquet, "ROW_GROUP", 300)
    wanted = analysis.solve("mnk:cols=4")
    stored = solve_to_directory("mnk:cols=4", tmp_path / "s", tables=Tables(moves=True))
    assert len(list((tmp_path / "s" / "positions").glob("tier-0008-*"))) > 3
    assert stored["XOX?O???????"] == wanted["XOX?O???????"]
    assert stored.positions(8)["state"].tolist() == wanted.positions(8)["state"].tolist()
    assert analysis.verify(tmp_path / "s").classes == wanted.classes


def test_no_counts(tmp_path):
    stored = solve_to_directory("tictactoe", tmp_path / "s", tables=Tables(counts=False))
    assert "histories" not in stored.positions(3).columns
    stats = stored.statistics()
    assert stats["positions"] == 5478
    assert stats["games"] is stats["histories"] is stats["optimal_paths"] is stats["games_by_length"] is None
    assert len(list(stored.optimal_paths())) == 3584
    assert not analysis.verify(tmp_path / "s").counts


def test_force_replaces(tmp_path):
    solve_to_directory("tictactoe", tmp_path / "s", tables=EVERYTHING)
    assert not solve_to_directory("mnk:cols=4", tmp_path / "s", force=True).was_there
    assert not (tmp_path / "s" / "moves").exists()
    assert not (tmp_path / "s" / "optimal_paths.parquet").exists()
    assert analysis.verify(tmp_path / "s").game == "mnk:rows=3,cols=4,k=3"


def test_foreign_directory_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match=r"thesis\.tex"):
        solve_to_directory("tictactoe", tmp_path, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(StoreError, match="is a file"):
        solve_to_directory("tictactoe", tmp_path / "thesis.tex")


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.2, 0.6, 1.0, 1.4, 1.8])
def test_kill_9(tmp_path, seconds):
    directory = tmp_path / "s"
    solve_to_directory("tictactoe", directory)
    options = ["mnk:rows=4,cols=4,k=4", "--force", "--out", str(directory)]
    command = [sys.executable, str(ROOT / "cli.py"), "solve", *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert analysis.verify(directory).game in ("tictactoe", "mnk:rows=4,cols=4,k=4")
    solve_to_directory("mnk:cols=4", directory, force=True)
    assert not (directory / ".partial").exists()
    assert analysis.verify(directory).classes == 28275


def test_two_solves_of_one_directory(tmp_path):
    with SolutionDirectory(tmp_path / "s", ["positions"]):
        with pytest.raises(StoreError, match=r"another process is writing"):
            solve_to_directory("tictactoe", tmp_path / "s")
        assert (tmp_path / "s" / ".partial" / "positions").is_dir()
    assert not (tmp_path / "s").exists()
    solve_to_directory("tictactoe", tmp_path / "s")


def test_unwritable(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"not a directory"):
        solve_to_directory("tictactoe", tmp_path / "file" / "below")


def test_damaged_manifest(tmp_path):
    solve_to_directory("tictactoe", tmp_path / "s")
    for text, reason in (("{", "damaged"), ("[" * 100_000, "damaged"), ("[]", "schema"), ('{"schema": 99}', "schema")):
        (tmp_path / "s" / "manifest.json").write_text(text)
        with pytest.raises(StoreError, match=reason):
            analysis.open_solution(tmp_path / "s")
    with pytest.raises(StoreError, match="is not a solution directory"):
        analysis.open_solution(tmp_path)


def test_files_with_fewer_rows_than_are_recorded(tmp_path):
    """Each file is as its checksum says, and the rows of the tier add up: only the file itself tells."""
    solve_to_directory("tictactoe", tmp_path / "s")
    tier = tier_of(tmp_path / "s", 5)
    assert tier["rows"] == 174
    tier["rows"] = tier["positions"][0]["rows"] = 175
    forge_tier(tmp_path / "s", 5, tier)
    with pytest.raises(VerificationError, match="174 rows"):
        analysis.verify(tmp_path / "s")
    with pytest.raises(StoreError):
        analysis.open_solution(tmp_path / "s").positions(5)


def test_rules_that_changed(tmp_path):
    solve_to_directory("tictactoe", tmp_path / "s")
    forge_manifest(tmp_path / "s", {**manifest_of(tmp_path / "s"), "rules_hash": "0"})
    with pytest.raises(StoreError, match="rules of tictactoe have changed"):
        analysis.open_solution(tmp_path / "s")


GAME = own_game(
    "Heap",
    head=HEAD + 'import pathlib\n\npathlib.Path(__file__).with_suffix(".run").write_text("run")\n',
    fields="tokens: int = 7",
    more="""
def format_position(self, state):
    return f"{state >> 1}{'XO'[state & 1]}"

def parse_position(self, text):
    return 2 * int(text[:-1]) + (text[-1] == "O")
""",
    start="2 * self.tokens",
    legal_moves="n = min(2, state >> 1)\nfor i in range(n):\n    out[i] = i + 1\nreturn n",
    play="(((state >> 1) - move) << 1) | (1 - (state & 1))",
    outcome="ONGOING if state >> 1 else (1 if state & 1 else -1)",
    to_move="1 - 2 * (state & 1)",
    tier="100 - (state >> 1)",
)
"""Take one or two of a heap; who takes the last wins."""

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
    }
    solution = analysis.open_solution(solved)
    assert not (tmp_path / "heap.run").exists()
    assert (solution.value, len(solution), solution.games) == (1, 14, 21)
    assert (solution.total("histories"), len(solution.positions()), solution.at(8).value) == (54, 14, 1)
    unnamed()
    with_rules = {
        "stats": gametree("stats", "s", "--game", "heap.py:Heap", "--format", "json").json,
        "show": gametree("show", "s", "4X", "--game", "heap.py", "--format", "json").json,
        "csv": gametree("export", "heap.py:Heap", "--to", "csv").out,
    }
    assert (tmp_path / "heap.run").exists()
    assert without["stats"] | {"game": ""} == with_rules["stats"] | {"game": ""}
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
        "no game" if command[0] == "solve" else f"--game {tmp_path}/heap.py:Heap:tokens=7",
    )
    assert not (tmp_path / "heap.run").exists()
    assert not (tmp_path / "reports").exists()


def test_in_python(solved, tmp_path, unnamed):
    solution = analysis.open_solution(solved)
    for needs in (
        lambda: solution["4X"],
        lambda: list(solution.batches(moves=True)),
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
    one_line(gametree("show", "s", "--game", "heap.py:Heap"), 1, "have changed since s was solved")
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
    assert solution.lookup([0, 1, 2]).known.all()
    for look_up in (solution.at, lambda state: solution.lookup([state])):
        with pytest.raises(RulesNeededError):
            look_up(4)  # the mirror image of 1
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
