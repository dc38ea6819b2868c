"""A stored solution is read without the compiler: what describes tiers and their columns does not load Numba."""

from __future__ import annotations

import subprocess
import sys

from tests.support.program import ROOT

CODE = """
import sys
from analysis.engine import census, columns, plan, tiers
sys.exit("numba" in sys.modules)
"""


def test_numba_is_not_loaded():
    assert subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, check=False).returncode == 0
