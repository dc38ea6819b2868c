"""Run a user's file as an ordinary process that answers questions, each within a time limit.

The process has the rights of whoever runs it. It gets its own process group, which is killed when an answer is late,
when it is closed, and when this process ends.
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
from typing import Any, Self

from ..errors import GametreeError
from . import host
from .endings import cleanup

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


class ProgramError(GametreeError):
    """A program ended, crashed or answered nonsense; the message says how in one line."""


class LateError(ProgramError):
    """A program did not answer in time."""


class Program:
    """A user's ``file`` that answers questions through the file ``service``, see `host`. Use it in a ``with``, or call
    `close`.
    """

    def __init__(self, service: str, file: str) -> None:
        self._late, self._killed, self._ends = False, False, contextlib.ExitStack()
        self._errors = self._ends.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it is one
        limits = [str(MEMORY), str(FILE_BYTES), str(os.getpid())]
        self._process = subprocess.Popen(
            [sys.executable, "-P", host.__file__, service, file, *limits],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            encoding="utf-8", errors="replace", start_new_session=True,
        )  # fmt: skip
        self._ends.enter_context(cleanup(self._kill))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the process."""
        self._ends.close()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def ask(self, request: Any, seconds: float) -> dict[str, Any]:
        """Send a request; return the answer. Raises `LateError` after ``seconds`` of wall clock, and `ProgramError` if
        the file fails, or if the process ends, answers nonsense, or was killed before: then it has `ended`.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(seconds, self._too_late)
        timer.start()
        line, answer = "", None
        try:
            with contextlib.suppress(OSError, ValueError):  # it has ended, or was closed, or this is not JSON
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline(LONGEST_LINE)
                answer = json.loads(line)
        finally:
            timer.cancel()
        if not isinstance(answer, dict) or self._late:
            how = f"it answers {line[:SHOWN]!r}" if line else self._how_it_ended()
            self._kill()
            raise LateError(f"no answer within {seconds:g} s") if self._late else ProgramError(how)
        if "error" in answer:
            raise ProgramError(answer["error"])
        return answer

    @property
    def ended(self) -> bool:
        """Whether it was killed, because it was late or gave no valid answer."""
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
        """Kill the process group, whose other processes may outlive the program; may be called twice."""
        if not self._killed:
            self._killed = True
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
