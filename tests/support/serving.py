"""A server as people start it: the program, with a port of its own."""

import contextlib
import signal
import subprocess
import sys

from tests.support.program import PATIENCE, ROOT


class Serving:
    """``gametree explore`` in a process."""

    def __init__(self, *arguments, port=0, program=(sys.executable, ROOT / "cli.py"), **settings):
        command = [*map(str, program), "explore", *arguments, "--no-browser"]
        command += [] if port is None else ["--port", str(port)]
        self.process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, **settings)
        first = self.process.stdout.readline()
        self.url = first.rpartition(": ")[2].strip() if "http" in first else ""

    def end(self, number=signal.SIGINT):
        """Its exit code and what it said."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err


@contextlib.contextmanager
def serving(*arguments, **settings):
    """A server that is ended afterwards."""
    served = Serving(*arguments, **settings)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.process.kill()
        served.process.communicate()
