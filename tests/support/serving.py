"""A server as people start it: the program, with a port of its own."""

import contextlib
import signal
import subprocess
import sys
import time

from tests.support.program import ROOT


class Serving:
    """``gametree explore`` in a process."""

    def __init__(self, *arguments, port=0, program=(sys.executable, ROOT / "cli.py"), **settings):
        command = [*map(str, program), "explore", *arguments, "--no-browser"]
        command += [] if port is None else ["--port", str(port)]
        self.process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, **settings)
        first = self.process.stdout.readline()
        self.url = first.rpartition(": ")[2].strip() if "http" in first else ""

    def end(self, number=signal.SIGINT):
        """Seconds until it has ended; its exit code and what it said."""
        began = time.monotonic()
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return time.monotonic() - began, self.process.returncode, err


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
