"""What the commands print for people: one session a command, in tests/golden/transcripts."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.support import transcripts
from tests.support.program import ROOT

SESSIONS = {path.stem: path.read_text() for path in sorted((ROOT / "tests" / "golden" / "transcripts").glob("*.txt"))}


@pytest.mark.parametrize("name", SESSIONS)
def test_transcript(name, gametree):
    Path("games.txt").write_text("041263578\n0123456\n8042635\n041263578\n")
    Path("choices.csv").write_text("position,move\n?????????,0\nXO???????,2\nXO???????,3\nX???O????,8\n")
    for command, wanted in transcripts.commands(SESSIONS[name]):
        result = gametree(*shlex.split(command)[1:])
        assert result.err == ""
        assert transcripts.comparable(result.out) == transcripts.comparable(wanted), command
