"""Run somebody's program as an ordinary process and talk to it line by line, each answer within a time limit.

It has the rights of whoever runs it. It gets a process group of its own, which is killed when it is late, when it is
closed, and when this process ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from analysis.errors import GametreeError
from analysis.machine import host
from analysis.machine.endings import cleanup

MEMORY = 4 << 30
"""The address space of a program, in bytes."""

FILE_BYTES = 1 << 28
"""The largest file that it may write."""

LONGEST_LINE = 1 << 24
"""Characters of an answer."""

LAST_WORDS = 1.0
"""Seconds to wait for a program that has closed its output to end."""

SHOWN = 200
"""Characters shown of its last line on standard error."""

LIMITED = """
import ctypes, os, resource, sys
for name, most in (("AS", int(sys.argv[1])), ("FSIZE", int(sys.argv[2])), ("CORE", 0)):
    try:
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
    except (OSError, ValueError):  # macOS does not take all
        pass
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() != int(sys.argv[3]):  # which has ended already
    sys.exit(1)
try:
    os.execvp(sys.argv[4], sys.argv[4:])
except OSError as error:
    sys.exit(f"{sys.argv[4]}: {error.strerror}")
"""
"""What sets the limits, then becomes the program."""


class ProgramError(GametreeError):
    """A program ended, crashed or answered nonsense. One line says how."""


class LateError(ProgramError):
    """A program did not answer in time."""


class Program:
    """A running program: its command, and the directory in which it works. Use it in a ``with``, or call `close`.

    >>> with Program(["cat"]) as cat:
    ...     cat.ask([1, "two"], 60)
    [1, 'two']
    """

    def __init__(self, command: Sequence[str], folder: Path | None = None, memory: int = MEMORY) -> None:
        self._late, self._killed, self._ends = False, False, contextlib.ExitStack()
        self._errors = self._ends.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it is one
        limits = [str(memory), str(FILE_BYTES), str(os.getpid())]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", LIMITED, *limits, *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=folder,
            encoding="utf-8", errors="replace", start_new_session=True,
        )  # fmt: skip
        self._ends.enter_context(cleanup(self._kill))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill it."""
        self._ends.close()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def ask(self, request: Any, seconds: float) -> Any:
        """Send a value as a line of JSON; return the value that it answers likewise. Raises as `answer` does."""
        text = self.answer(json.dumps(request), seconds)
        try:
            return json.loads(text)
        except ValueError:
            raise ProgramError(f"it answers {text[:SHOWN]!r}, which is not JSON") from None

    def answer(self, text: str, seconds: float) -> str:
        """Send a line; return the next line that it prints. Raises `LateError` after some seconds of wall clock, and
        `ProgramError` if it ends, prints a line that is too long, or was killed before.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(seconds, self._too_late)
        timer.start()
        line = ""
        try:
            with contextlib.suppress(OSError, ValueError):  # it has ended, or was closed
                self._process.stdin.write(text + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline(LONGEST_LINE)
        finally:
            timer.cancel()
        if line and not self._late and len(line) < LONGEST_LINE:
            return line.strip()
        how = "it prints a line that is too long" if line else self._how_it_ended()
        self._kill()
        raise LateError(f"no answer within {seconds:g} s") if self._late else ProgramError(how)

    @property
    def ended(self) -> bool:
        """Whether it was killed: it was late, or what it did is no answer."""
        return self._killed

    def _too_late(self) -> None:
        self._late = True
        self._kill()

    def _how_it_ended(self) -> str:
        """Return the exit code or signal, and the last line on standard error."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS)
        code, last = self._process.poll(), ""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(max(0, os.fstat(self._errors.fileno()).st_size - 4096))
            last = " ".join(self._errors.read().decode(errors="replace").strip().splitlines()[-1:])[:SHOWN]
        how = "it closed its output" if code is None else f"it ended with exit code {code}"
        if code is not None and code < 0:
            how = f"it was killed by signal {-code}"
        return f"{how}: {last}" if last else how

    def _kill(self) -> None:
        """Kill the process group, whose other processes may outlive the program; it may be called twice."""
        if not self._killed:
            self._killed = True
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Host(Program):
    """A process that answers questions about a ``file`` of the user's by the file ``service``, see `host`."""

    def __init__(self, service: str, file: str) -> None:
        super().__init__([sys.executable, "-P", host.__file__, service, file])

    def ask(self, request: Any, seconds: float) -> Any:
        """Return the answer. Raises `ProgramError` where the file fails, too; it may be asked again then."""
        answer = super().ask(request, seconds)
        if "error" in answer:
            raise ProgramError(answer["error"])
        return answer
