"""What the commands print for people: one session a command, in tests/golden/transcripts."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.support import transcripts
from tests.support.program import ROOT

SESSIONS = {path.stem: path.read_text() for path in sorted((ROOT / "tests" / "golden" / "transcripts").glob("*.txt"))}


@pytest.mark.parametrize("name", SESSIONS)
def test_transcript(name, gametree, monkeypatch):
    Path("turn.txt").write_text("X\nBID\n\n\n___\n___\n___\n")
    Path("games.txt").write_text("041263578\n0123456\n8042635\n041263578\n")
    Path("choices.csv").write_text("position,move\n?????????,0\nXO???????,2\nXO???????,3\nX???O????,8\n")
    for command, wanted in transcripts.commands(SESSIONS[name]):
        call, _, given = command.partition(" < ")
        with Path(given or os.devnull).open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            result = gametree(*shlex.split(call)[1:])
        assert result.err == "" or name in ("report", "find")  # which say there what is written, and how many match
        assert transcripts.comparable(result.out) == transcripts.comparable(wanted), command
