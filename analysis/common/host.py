"""Answer questions about a user's file: a script, ``host.py SERVICE FILE MEMORY FILE_BYTES PARENT``, that knows nothing
of the package. Its address space and the files that it writes are limited, and it ends when the process PARENT ends.

SERVICE is a file with a function ``answer(module, request)``. It is called with the module made from FILE and with the
value of each line of JSON; what it returns is printed. FILE gets no input, and what it prints is dropped.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import traceback
import types
from pathlib import Path


def load(file: str) -> types.ModuleType:
    """Run a file as a module."""
    stem = Path(file).stem
    module = types.ModuleType(f"own_{stem}" if stem in sys.modules else stem)
    module.__file__ = file
    sys.modules[module.__name__] = module
    exec(compile(Path(file).read_bytes(), file, "exec"), vars(module))
    return module


def describe(error: BaseException, file: str) -> str:
    """Return an error in one line, with the line of the file at which it happened."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    lines += [error.lineno] if isinstance(error, SyntaxError) and error.filename == file else []
    try:
        words = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
    except Exception:  # its __str__ fails as well
        words = type(error).__name__
    return (f"{Path(file).name}:{lines[-1]}: " if lines else "") + " ".join(words.split())[:400].removesuffix(":")


def limit(memory: int, file_bytes: int, parent: int) -> None:
    """Set the limits of this process."""
    with contextlib.suppress(ImportError):  # on Windows
        import resource

        for name, most in (("AS", memory), ("FSIZE", file_bytes), ("CORE", 0)):
            with contextlib.suppress(OSError, ValueError):  # macOS does not take all
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != parent:  # the parent has ended already
        os._exit(1)


def main() -> None:
    """Answer all lines."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    service, file, *limits = sys.argv[1:]
    limit(*map(int, limits))
    sys.path.insert(0, str(Path(file).parent))
    sys.argv = [file]
    answer, process, module = load(service).answer, os.getpid(), None
    for line in requests:
        try:
            module = module or load(file)
            reply = answer(module, json.loads(line))
        except BaseException as error:
            reply = {"error": describe(error, file)}
        if os.getpid() != process:  # a process that the file forked has returned here
            os._exit(0)
        print(json.dumps(reply), file=answers, flush=True)
    os._exit(0)  # whatever threads it has


if __name__ == "__main__":
    main()
