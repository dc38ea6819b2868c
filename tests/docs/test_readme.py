"""The README's console session prints what it says, and its commands and links exist."""

from __future__ import annotations

import io
import re
import shlex

import pytest
import typer

from tests.support import transcripts
from tests.support.program import ROOT

README = (ROOT / "README.md").read_text()


TYPED = re.compile(r"(?<=to move: )(.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/bidding.md", "docs/playing.md"])
def test_console_session(page, gametree, monkeypatch):
    session = "".join(re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.DOTALL))
    if page == "docs/playing.md":
        gametree("solve", "tictactoe")
    for command, wanted in transcripts.commands(session):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(TYPED.findall(wanted))))
        wanted = TYPED.sub("", wanted)
        result = gametree(*shlex.split(command)[1:])
        assert result.code == 0
        assert result.err == "" or command.startswith("gametree find")  # which says how many match
        assert transcripts.comparable(result.out + result.err) == transcripts.comparable(wanted)


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))])
def test_links(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_table_of_commands():
    from analysis import list_games
    from analysis.commands.main import app

    rows = re.findall(r"^\| `gametree (\w+)", README, re.MULTILINE)
    assert rows == list(typer.main.get_command(app).commands)
    assert all(game["name"] in README for game in list_games())
