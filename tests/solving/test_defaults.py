"""Every built-in game at its defaults is solved in under a minute, or it is said soon what to do instead."""

from __future__ import annotations

import time

import pytest

from analysis.games.families import BIDDING, FAMILIES
from tests.support.program import one_line

pytestmark = pytest.mark.slow

SECONDS = 60


@pytest.mark.parametrize("family", [*FAMILIES, BIDDING])
def test_solved_or_refused(family, tmp_path, gametree):
    began = time.monotonic()
    result = gametree("solve", family, "--out", str(tmp_path / "s"))
    assert time.monotonic() - began < SECONDS
    assert (tmp_path / "s").exists() == (result.code == 0)
    if result.code:
        one_line(result, 1, "classes", f"gametree show {family}")
