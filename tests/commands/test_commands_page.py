"""docs/commands.md says what the commands declare, however the version of Typer that wrote it spells types."""

from __future__ import annotations

import re
from html import unescape

import pytest
import typer

from analysis.commands.main import app
from tests.support.program import ROOT

SECTIONS = re.split(r"^## `gametree (\w+)`$", unescape((ROOT / "docs" / "commands.md").read_text()), flags=re.MULTILINE)
PAGES = dict(zip(SECTIONS[1::2], SECTIONS[2::2], strict=True))
COMMANDS = typer.main.get_command(app).commands


def test_every_command_is_listed_in_the_order_of_the_help():
    listed = re.findall(r"^\* `(\w+)`: (.*)$", SECTIONS[0], re.MULTILINE)
    assert listed == [(name, command.short_help) for name, command in COMMANDS.items()]
    assert list(PAGES) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_is_not_stale(name):
    """If this fails, run ``make docs``."""
    command, page = COMMANDS[name], PAGES[name]
    assert all(paragraph in page for paragraph in command.help.split("\n\n"))
    assert page.rstrip().endswith(command.epilog)
    assert f"gametree {name}" in command.epilog
    lines = re.findall(r"^\* `([^`]*)`: (.*)$", page, re.MULTILINE)
    params = [param for param in command.params if not param.hidden]
    assert len(lines) == len(params) + 1  # --help
    for param in params:
        names = set(param.opts) if param.opts[0].startswith("-") else {param.metavar}
        said = next(said for head, said in lines if names <= {*re.split(", | ", head), head})
        assert param.help in said
        assert not param.default or param.default is True or f"default: {param.default}" in said, names
