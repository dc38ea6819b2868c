"""Give up rights, then become another program: run as a script by `analysis.machine.confined`, with no other module of
the package, since every program that it starts waits for it.

What stays in force for the program that takes over, and for all its threads:

- limits on address space, open files, the size of files, and core dumps (`setrlimit`);
- no further processes, no sockets (seccomp, Linux on x86-64 and ARM64; elsewhere `RLIMIT_NPROC`, which forbids threads
  too and does not bind root);
- no files but those it is allowed (Landlock, Linux 5.13); from Linux 6.12 on no signals to others either;
- death with the program that started it (`PR_SET_PDEATHSIG`, Linux).

Sources: the kernel's documentation, userspace-api/landlock.rst and userspace-api/seccomp_filter.rst; the numbers are
those of linux/landlock.h, linux/filter.h, linux/audit.h and the tables of system calls.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
from typing import Any

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 1, 38, 22, 2

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's system calls."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
"""Rights that a single file can have."""

FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""By Landlock's version, how many rights on files it knows; later ones know 16."""

MACHINES = {
    "x86_64": (0xC000003E, 56, (57, 58, 41, 425), 0x40000000),
    "aarch64": (0xC00000B7, 220, (198, 425), 0),
}
"""By machine: how filters name it; its numbers of clone, and of fork, vfork, socket and io_uring_setup as far as it has
them; and a bit that marks numbers of another table (0: there is none)."""

CLONE3, CLONE_THREAD = 435, 0x10000
ALLOW, REFUSE, LACKING = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
"""Answers of a filter: go on, EPERM, ENOSYS (so that the C library falls back from clone3 to clone)."""

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
"""Instructions of a filter."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("first", ctypes.POINTER(_Instruction)))


def limit(memory: int, file_bytes: int, files: int) -> None:
    """Limit the address space and the size of a file, in bytes, and the number of open files."""
    limits = {"AS": memory, "FSIZE": file_bytes, "NOFILE": files, "CORE": 0}
    for name, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS does not take all
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))


def die_with(parent: int) -> None:
    """End with the process that started this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def forbid_files(readable: list[str], writable: list[str]) -> bool:
    """Forbid all files and directories but those below these; return whether the system can do that."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    every = (1 << FILE_RIGHTS.get(version, 16)) - 1
    scoped = 0b11 if version >= 6 else 0
    wanted = _Ruleset(every, 0b11 if version >= 4 else 0, scoped)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = libc.syscall(CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    for paths, access in ((readable, READ), (writable, every)):
        for path in paths:
            with contextlib.suppress(OSError):  # not every system has every directory
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
                allowed = access & every & (-1 if os.path.isdir(path) else OF_FILES)  # noqa: PTH112 - loads faster
                libc.syscall(ADD_RULE, rules, 1, ctypes.byref(_PathBeneath(allowed, place)), 0)
                os.close(place)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(libc.syscall(RESTRICT_SELF, rules, 0) == 0)


def forbid_processes() -> bool:
    """Forbid new processes and sockets, not threads; return whether the system can do that."""
    machine = MACHINES.get(os.uname().machine) if sys.platform == "linux" else None
    if machine is None:
        return False
    named, clone, refused, other_table = machine
    program = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, named), (RETURN, 0, 0, REFUSE), (LOAD, 0, 0, 0)]
    for number in refused:
        program += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    program += [(ANY_BIT, 0, 1, other_table), (RETURN, 0, 0, REFUSE)]
    program += [(EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, LACKING), (EQUAL, 0, 3, clone)]
    program += [(LOAD, 0, 0, 16), (ANY_BIT, 1, 0, CLONE_THREAD), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    instructions = (_Instruction * len(program))(*(_Instruction(*each) for each in program))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    whole = _Filter(len(program), instructions)
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(whole), 0, 0) == 0)


def main(task: dict[str, Any]) -> None:
    """Give up rights as the ``task`` says, and become its command."""
    die_with(task["parent"])
    limit(task["memory"], task["file_bytes"], task["files"])
    forbid_files(task["readable"], task["writable"])
    if not forbid_processes():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    command = task["command"]
    try:
        os.execv(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
