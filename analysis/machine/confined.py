"""Run a program that nobody has read in a process of its own, with limits, and talk to it line by line.

The process has an empty directory to work in, no open files but its three streams, and its own process group; what it
may not do is said in `confine`. It computes only while it is waited for: otherwise it is stopped, so that it takes no
time from others. Whatever it does wrong ends it and is one `MisbehaviourError`.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from analysis.errors import GametreeError, OptionError
from analysis.machine import hosting
from analysis.machine.endings import cleanup

SCRIPT = Path(__file__).with_name("confine.py")

SYSTEM = (
    "/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/sys/devices/system/cpu",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    *map(str, Path("/etc").glob("java*")),
)  # fmt: skip
"""What every program may read."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

OPEN_FILES = 64
"""Limit on open files."""

SHOWN_ERROR = 200
"""Characters shown of the last line on standard error."""

KEPT_ERRORS = 1 << 12
"""Bytes kept of standard error."""

DRAINED = 2
"""Reads that empty a pipe, which holds 64 kB, of what was printed unasked."""

LAST_WORDS = 1.0
"""Seconds to wait for a process that has closed its output to end."""


PATIENCE = 4
"""How much longer than its time of computing code may take, since others compute, too."""

MARGIN = 5.0
"""Seconds for reading requests and writing answers."""


class MisbehaviourError(GametreeError):
    """A program ended, crashed, was silent, or printed too much. One line says what it did."""


class SilenceError(MisbehaviourError):
    """A program did not answer in time."""


@dataclasses.dataclass(frozen=True)
class ProcessLimits:
    """Limits on one process; times are given where it is waited for."""

    memory: int = 1 << 30
    """Bytes of address space."""
    output: int = 1 << 16
    """Bytes that it may print until the next request."""
    file_bytes: int = 1 << 24
    """Bytes of a file that it writes."""


USUAL_LIMITS = ProcessLimits()


class Closing(abc.ABC):
    """Something with processes that a ``with`` ends."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    @abc.abstractmethod
    def close(self) -> None:
        """End them."""


class ConfinedProcess(Closing):
    """A program at work: a ``command`` (its first word a path) that may read the files and directories in ``readable``
    besides those of the system. Use it in a ``with``, or call `close`. Raises `OptionError` where the system has no
    processes to limit.

    >>> with ConfinedProcess(["/bin/cat"]) as cat:
    ...     cat.send("hello")
    ...     cat.receive(5.0)
    'hello'
    """

    def __init__(
        self, command: Sequence[str], readable: Sequence[str | Path] = (), limits: ProcessLimits = USUAL_LIMITS
    ) -> None:
        if os.name != "posix":
            raise OptionError("programs of others need a system that can limit them: Linux, or another POSIX system")
        self.limits = limits
        self._folder = tempfile.mkdtemp(prefix="gametree-")
        self._printed, self._unread, self._errors, self._closed = 0, b"", b"", False
        self._ends = contextlib.ExitStack()
        self._ends.enter_context(cleanup(self._end))
        task = {
            "parent": os.getpid(),
            "memory": limits.memory,
            "file_bytes": limits.file_bytes,
            "files": OPEN_FILES,
            "readable": [*SYSTEM, sys.prefix, sys.base_prefix, *map(str, readable)],
            "writable": [self._folder, *DEVICES],
            "command": list(command),
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SCRIPT), json.dumps(task)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, cwd=self._folder,
                env=self._environment(), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self.close()
            raise MisbehaviourError(f"cannot start a process: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._open = {self._out, self._err}

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": self._folder,
            "TMPDIR": self._folder,
            "LANG": "C.UTF-8",
            "OPENBLAS_NUM_THREADS": "1",  # each of its threads takes address space
            "OMP_NUM_THREADS": "1",
        }

    def send(self, text: str) -> None:
        """Let it go on, and send it lines; what it has printed unasked is dropped. Raises `MisbehaviourError` where it
        has ended or does not read.
        """
        if self._closed:
            raise MisbehaviourError("it has been ended")
        for _ in range(DRAINED):
            for stream in self._ready(0):
                self._read(stream)
        self._unread, self._printed = b"", 0
        self._signal(signal.SIGCONT)
        data = text.encode() + b"\n"
        try:
            sent = os.write(self._in, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._ended() from None
        if sent < len(data):
            raise self._wrong("it does not read what it is sent")

    def receive(self, seconds: float) -> str:
        """Return the next line that it prints within some seconds. Raises `SilenceError` where there is none by then,
        `MisbehaviourError` where there will be none.
        """
        ends = time.monotonic() + seconds
        while b"\n" not in self._unread:
            left = ends - time.monotonic()
            ready = self._ready(left) if left > 0 else []
            if not ready:
                self.close()
                raise SilenceError(f"no answer within {seconds:.3g} s")
            for stream in ready:
                self._read(stream)
            if self._printed > self.limits.output:
                raise self._wrong(f"it prints more than {self.limits.output:,} bytes")
            if self._out not in self._open and b"\n" not in self._unread:
                raise self._ended()
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(errors="replace").strip()

    def pause(self) -> None:
        """Stop it until the next `send`."""
        self._signal(signal.SIGSTOP)

    def close(self) -> None:
        """Kill it, and remove its directory."""
        self._ends.close()

    def _ready(self, seconds: float) -> list[int]:
        watch = select.poll()
        for stream in self._open:
            watch.register(stream, select.POLLIN)
        return [stream for stream, _ in watch.poll(1000 * seconds)]

    def _read(self, stream: int) -> None:
        try:
            data = os.read(stream, 1 << 16)
        except BlockingIOError:
            return
        self._printed += len(data)
        if not data:
            self._open.discard(stream)
        elif stream == self._out:
            self._unread += data
        else:
            self._errors = (self._errors + data)[-KEPT_ERRORS:]

    def _ended(self) -> MisbehaviourError:
        """Return how it ended, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS)
        while self._err in self._open and self._ready(0):
            self._read(self._err)
            if self._printed > self.limits.output:
                break
        code, said = self._process.poll(), self._errors.decode(errors="replace").strip().splitlines()
        if code is None:
            how = "it closed its output"
        elif code < 0:
            how = f"killed by {_name_of(-code)}"
        else:
            how = f"it ended with exit code {code}"
        last = said[-1].strip() if said else ""
        last = last if len(last) <= SHOWN_ERROR else last[: SHOWN_ERROR - 3] + "..."
        return self._wrong(f"{how}: {last}" if last else how)

    def _wrong(self, what: str) -> MisbehaviourError:
        self.close()
        return MisbehaviourError(what)

    def _signal(self, number: int) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    def _end(self) -> None:
        """Kill the process group; it may be called twice, and before there is a process."""
        self._closed = True  # its descriptors may soon be those of others
        process = getattr(self, "_process", None)
        if process is not None:
            self._signal(signal.SIGKILL)
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(OSError):
                    stream.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Host(Closing):
    """A script of the package that runs code of others in a confined process (see `hosting`), and answers each line
    with one of JSON. The process begins when it is first asked, and anew after it has failed. Use it in a ``with``, or
    call `close`.

    Args:
        script: The script, which may be read.
        arguments: Its arguments; the seconds follow.
        readable: What else it may read.
        seconds: Time of computing for an answer.
        limits: Limits on the process.
    """

    def __init__(
        self, script: str, arguments: Sequence[str], readable: Sequence[Path], seconds: float, limits: ProcessLimits
    ) -> None:
        self.seconds, self.limits = seconds, limits
        self._command = hosting.host_command(script, *arguments, str(seconds))
        self._readable: list[str | Path] = [hosting.__file__, script, *readable]
        self._process: ConfinedProcess | None = None

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def ask(self, request: str, margin: float = MARGIN) -> Any:
        """Return the answer to a line, which may be some seconds on its way. Raises `MisbehaviourError`."""
        try:
            if self._process is None:
                self._process = ConfinedProcess(self._command, self._readable, self.limits)
            self._process.send(request)
            answer = json.loads(self._process.receive(PATIENCE * self.seconds + margin))
            self._process.pause()
        except SilenceError:
            self.close()
            raise SilenceError(f"it does not end within {self.seconds:g} s") from None
        except (MisbehaviourError, ValueError) as error:
            self.close()
            raise MisbehaviourError(str(error)) from None
        return answer


def _name_of(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
