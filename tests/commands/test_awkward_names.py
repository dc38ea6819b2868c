"""Files and directories whose names a shell or another argument could take for something else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.program import one_line

RULES = """
from dataclasses import dataclass

from analysis import ONGOING, Game, Rules


@dataclass(frozen=True)
class Halves(Game):
    family = "halves"
    coins: int = 3

    def rules(self):
        def legal_moves(state, out):
            out[0] = 0
            return 1

        def play(state, move):
            return state - 1

        def outcome(state):
            return 1 if state == 0 else ONGOING

        def to_move(state):
            return 1

        return Rules(self.coins, 1, legal_moves, play, outcome, to_move)
"""


@pytest.mark.parametrize("name", ["a b.py", "it's & <that>.py", "d(1)/own.py"])
def test_suggested_commands_are_words_of_a_shell(name, gametree):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(RULES)
    for options in ([], ["--out", "d d"]):
        lines = gametree("solve", name, *options).out.partition("Try next:\n")[2].splitlines()
        assert len(lines) == 4
        for line in lines:
            assert gametree(*shlex.split(line)[1:]).code == 0, line


@pytest.mark.slow
def test_a_path_with_brackets_is_no_tree(gametree):
    Path("d(1)").mkdir()
    Path("d(1)/own.py").write_text(RULES)
    assert gametree("solve", "d(1)/own.py", "--out", "s(1)").code == 0
    found = [gametree("prune", name, "-a", "minimax", "--format", "json") for name in ("d(1)/own.py", "s(1)")]
    assert [result.code for result in found] == [0, 0]
    assert found[0].json["rows"][0]["nodes"] == found[1].json["rows"][0]["nodes"] == 4
    assert gametree("prune", "(1 (2 3))", "-a", "minimax").code == 0


@pytest.mark.parametrize("command", ["stats", "report", "play", "export"])
def test_a_directory_that_is_not_there(command, gametree):
    more = ["--to", "csv"] if command == "export" else []
    one_line(gametree(command, "data/none", *more), 1, "data/none")


def test_a_usage_error_names_the_command(gametree):
    result = gametree("paths", "tictactoe", "--limit", "many")
    one_line(result, 2, "--limit", "See 'gametree paths --help'.")
    assert not re.search(r"[a-z] See", result.err)
