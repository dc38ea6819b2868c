"""A stored solution is read without the compiler: what describes tiers and their columns does not load Numba."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.program import ROOT


@pytest.mark.parametrize("name", ["columns", "tiers", "census", "plan", "integers"])
def test_numba_is_not_loaded(name):
    code = f"import sys, analysis.engine.{name}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
