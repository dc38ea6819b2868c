"""Commands print a result as `to_json` and `to_pandas` have it, by names of one table."""

import csv
import io
import json
import re

import pandas as pd
import pytest

import analysis
from analysis.common.markup import csv_line
from analysis.playing import RowOptions, Terms, audit, play_match
from analysis.search import find_position

BIDS = "bidding:tictactoe,chips=1"
COINS = "dots_and_boxes:rows=1,cols=2"
KEY = "0" * 31 + "1"

RESULTS = {
    "plan tictactoe": lambda: analysis.plan("tictactoe"),
    "plan dodgem": lambda: analysis.plan("dodgem"),
    f"check {COINS}": lambda: analysis.check_game(COINS),
    f"verify t --key {KEY}": lambda: analysis.verify("t", key=KEY),
    "verify t --share 0.5 --seed 1": lambda: analysis.verify("t", share=0.5, seed=1),
    "verify b": lambda: analysis.verify("b"),
    "stats t": lambda: analysis.open_solution("t"),
    "stats dodgem": lambda: analysis.solve("dodgem"),
    f"stats {COINS}": lambda: analysis.solve(COINS),
    "stats b": lambda: analysis.bidding.open_solution("b"),
    "show t XOX?O????": lambda: find_position("t", "XOX?O????"),
    "show dodgem": lambda: find_position("dodgem"),
    f"show {COINS}": lambda: find_position(COINS),
    "show b": lambda: analysis.bidding.open_solution("b").root,
    "paths t": lambda: analysis.open_solution("t").optimal_paths(),
    "find t only_move --limit 3": lambda: analysis.open_solution("t").find("only_move", limit=3),
    "find dodgem remoteness_plies>25": lambda: analysis.solve("dodgem").find("remoteness_plies>25"),
    "prune tictactoe 0124": lambda: analysis.compare("tictactoe", start="0124"),
    "match t perfect random --games 5 --seed 1": lambda: play_match(
        "t", ["perfect", "random"], Terms(games=5, seed=1)
    ),
    "match t perfect random greedy --games 2 --seed 1": lambda: play_match(
        "t", ["perfect", "random", "greedy"], Terms(games=2, seed=1)
    ),
    "match b perfect random --games 2 --seed 1": lambda: analysis.bidding.play_match(
        "b", ["perfect", "random"], Terms(games=2, seed=1)
    ),
    "audit t games.csv": lambda: audit("t", "games.csv"),
    "audit t games.csv --by x": lambda: audit("t", "games.csv", RowOptions(by=["x"])),
    "audit t choices.csv": lambda: audit("t", "choices.csv"),
}  # fmt: skip
VARYING = re.compile(r"seconds|free|memory_bytes|advice|source|judged_by|fits")
OLD = re.compile(r"canonical|from|value_after|remoteness_after_plies|over|(terminal|games|value)_[XO]")


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    analysis.solve("tictactoe", directory="t")
    analysis.bidding.solve(BIDS, directory="b")
    (tmp_path / "games.csv").write_text("path,x,o\n041263578,ann,bob\n0814,bob,ann\n", encoding="utf-8")
    (tmp_path / "choices.csv").write_text("position,move\nX????????,1\nXO???????,4\n", encoding="utf-8")


def steady(found):
    """What does not depend on time and place."""
    if isinstance(found, dict):
        return {name: steady(each) for name, each in found.items() if not VARYING.search(name)}
    if isinstance(found, str) and re.fullmatch(r"-?[0-9]+\.0", found):  # columns of whole numbers are that in pandas
        return found[:-2]
    return [steady(each) for each in found] if isinstance(found, list) else found


def plain(cell):
    """A cell of a data frame as Python has it."""
    if isinstance(cell, list | tuple):
        return cell
    return None if pd.isna(cell) else getattr(cell, "item", lambda: cell)()


def names(found):
    """All names in an object."""
    if isinstance(found, dict):
        return {*found}.union(*map(names, found.values()))
    return set().union(*map(names, found)) if isinstance(found, list) else set()


def test_commands_print_what_results_turn_into(gametree, stored):
    for command, result in RESULTS.items():
        found = result()
        data = json.loads(json.dumps(found.to_json()))
        printed = json.loads(gametree(*command.split(), "--format", "json").out)
        assert steady(printed) == steady(data), command
        frame = found.to_pandas()
        lines = [csv_line(map(plain, row)) for row in frame.itertuples(index=False, name=None)]
        rows, expected = (
            [steady(row) for row in csv.DictReader(io.StringIO(text))]
            for text in (gametree(*command.split(), "--format", "csv").out, csv_line(frame) + "".join(lines))
        )
        assert rows == expected, command
        assert [name for name in names(printed).union(frame) if OLD.fullmatch(name)] == [], command
