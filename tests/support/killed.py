"""A program that a signal, by default kill -9, comes to before it moves its n-th file into place."""

import signal
import subprocess
import sys
from pathlib import Path

from tests.support.program import ROOT

COUNTED = """
import os, pathlib, signal, sys
SIGNAL = signal.SIGKILL
number, replace = int(sys.argv[1]), pathlib.Path.replace
def counting(self, target):
    global number
    if not self.name.endswith(".tmp"):
        number -= 1
        if number == 0:
            os.kill(os.getpid(), SIGNAL)
    return replace(self, target)
pathlib.Path.replace = counting
"""

SOLVE = "import analysis; analysis.solve(sys.argv[3], directory=analysis.Output(sys.argv[2], force=True))"


def killed_before_move(number: int, directory: Path, *arguments: str, program: str = SOLVE) -> None:
    """Run a program on a directory, by default one that solves the game of the first argument, until it is killed."""
    command = [sys.executable, "-c", COUNTED + program, str(number), str(directory), *arguments]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
