"""The README's console session prints what it says, and its commands and links exist."""

from __future__ import annotations

import io
import re
import shlex

import pytest

from tests.support.program import ROOT

README = (ROOT / "README.md").read_text()


TYPED = re.compile(r"(?<=to move: )(.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/bidding.md", "docs/playing.md"])
def test_console_session(page, gametree, monkeypatch):
    session = "".join(re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.DOTALL))
    if page == "docs/playing.md":
        gametree("solve", "tictactoe")
    for block in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, wanted = block.partition("\n")
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(TYPED.findall(wanted))))
        wanted = TYPED.sub("", wanted)
        result = gametree(*shlex.split(command)[1:])
        assert result.code == 0
        assert result.err == ""
        assert comparable(result.out) == comparable(wanted)


def comparable(text: str) -> list[str]:
    """Lines without padding, without frames (as wide as the line on files), what takes time, and the protocol."""
    lines = [re.sub(r"(  \d+\.\d{3}|, \d+\.\d s)$", "", line.rstrip(" │")) for line in text.strip("\n").splitlines()]
    kept = [line for line in lines if not line.startswith(("╭", "╰", "│ files", "Searched to"))]
    return kept[:-1] if kept and not kept[-1] else kept


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))])
def test_links(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_table_of_commands():
    from analysis import list_games

    rows = re.findall(r"^\| `gametree (\w+)", README, re.MULTILINE)
    assert rows == [
        "games",
        "solve",
        "stats",
        "paths",
        "show",
        "play",
        "match",
        "audit",
        "prune",
        "report",
        "export",
        "richman",
        "bot",
        "check",
        "verify",
    ]
    assert all(game["name"] in README for game in list_games())
