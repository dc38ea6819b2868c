"""Find out how much memory there is, so that work that cannot fit is refused before it starts."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from ..errors import NoRoomError, OptionError, TooLargeError
from .context import options
from .wording import rough, with_count

SHARE = 0.9
"""Share of the available memory that a solve may plan for; the rest is for what the plan ignores."""


SMALLER = "a smaller board, `gametree solve` with --no-counts or fewer --workers"
"""What to try if an ordinary solve does not fit."""

LOG = logging.getLogger("gametree")


def bytes_of(size: str | int) -> int:
    """Return an amount of memory in bytes, from a number or a text with a unit. Raises `OptionError` for a text without
    a unit and for an invalid amount.

    >>> bytes_of("4GB"), bytes_of("512 MiB"), bytes_of("1.5g"), bytes_of(1000)
    (4000000000, 536870912, 1500000000, 1000)
    """
    match = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([kmgtpe]?)(i?)(b?)\s*", str(size), re.IGNORECASE)
    if match is None or float(match[1]) == 0:
        raise OptionError(f"{size!r} is not an amount of memory; write it as 4GB, 512MB or 2GiB")
    if not isinstance(size, str):
        return int(size)
    number, unit, binary, byte = match.groups()
    if not (unit or binary or byte):
        raise OptionError(f"{size!r} has no unit of memory; write it as 4GB, 512MB or 2GiB")
    return int(Fraction(number) * (1024 if binary else 1000) ** (" kmgtpe".find(unit.lower()) if unit else 0))


def available_bytes() -> int:
    """Return the bytes this process can still take within the limits of machine, container, process and options."""
    bound = options().memory
    rooms = [_machine()[0], *([] if bound is None else [bound - taken_bytes()])]
    rooms += [most - used for most, used in _limits()]
    return max(0, min(rooms))


def whole_bytes() -> int:
    """Return the bytes that this process may take in all, regardless of others: the memory option, else the least of
    the machine's memory, its container's limit and its own.
    """
    most = options().memory
    return most if most is not None else min([_machine()[1], *(limit for limit, _ in _limits())])


def _machine() -> tuple[int, int]:
    """Return the free bytes and all bytes of the machine's memory."""
    import psutil  # slower to import than a stored position is to read

    try:
        memory = psutil.virtual_memory()
    except OSError:
        _say_assumed()
        free, total = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"))
        return free, total
    return memory.available, memory.total


@functools.cache
def _say_assumed() -> None:
    LOG.info("there is no /proc: only memory that nothing uses, not even as a cache of files, is taken to be free")


def _limits() -> Iterator[tuple[int, int]]:
    """Yield the limits of the control groups and of this process, each with the bytes used."""
    yield from group_limits()
    if (space := _address_space()) is not None:
        yield space, _taken()[1]


def _address_space() -> int | None:
    """Return the bytes of address space that this process may take in all; None without a limit."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


LEAST_SPACE = 1_100_000_000
"""Bytes of address space without which libraries abort, or wait for more without end, as they are loaded."""


def require_address_space() -> None:
    """Raise `TooLargeError` if the process may not take as much address space as the libraries do."""
    if (space := _address_space()) is not None and space < LEAST_SPACE:
        raise TooLargeError(
            f"out of memory: `ulimit -v` allows {readable(space)} of address space, and libraries alone take "
            f"{readable(LEAST_SPACE)}"
        )


def group_limits(
    process: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")
) -> Iterator[tuple[int, int]]:
    """Yield the memory limit of each control group that holds a process, from the innermost up to the root, with the
    bytes used, for version 2 and version 1 (https://docs.kernel.org/admin-guide/cgroup-v2.html). Groups that this
    process does not see, such as those outside its container, are left out.

    Args:
        process: The file that names the groups of the process.
        mounted: Where the groups are.
    """
    try:
        lines = process.read_text().splitlines()
    except OSError:  # not Linux, or without /proc
        lines = ["0::/", "1:memory:/"]
    for _, controllers, place in (line.split(":", 2) for line in lines):
        old = "memory" in controllers.split(",")
        if controllers and not old:
            continue
        root, limit, usage = mounted, "memory.max", "memory.current"
        if old:
            root, limit, usage = mounted / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        innermost = root / place.lstrip("/")
        for group in (innermost, *innermost.parents)[: 1 + len(innermost.parts) - len(root.parts)]:
            with contextlib.suppress(OSError, ValueError):  # there is none, or "max"
                used = int((group / usage).read_text()) - _reclaimable(group / "memory.stat")
                yield int((group / limit).read_text()), used


def taken_bytes() -> int:
    """Return the bytes of memory that this process has taken."""
    return _taken()[0]


def _taken() -> tuple[int, int]:
    """Return the bytes of memory and of address space that this process has taken."""
    import psutil

    try:
        usage = psutil.Process().memory_info()
    except psutil.NoSuchProcess:  # without /proc
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        return peak, peak
    return usage.rss, usage.vms


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of glibc's mallopt, as in its malloc.h."""


def keep_freed_memory(most: int = 256 << 20) -> None:
    """Let the process keep up to ``most`` freed bytes, and arrays of up to 32 MiB, instead of returning them to the
    system at once: taking them back page by page was a quarter of the processor time of a solve. Only glibc can.
    """
    if (mallopt := _of_glibc("mallopt")) is not None:
        mallopt(M_MMAP_THRESHOLD, 32 << 20)  # the most that it accepts
        mallopt(M_TRIM_THRESHOLD, most)


def return_freed_memory() -> None:
    """Return freed memory to the system, and from now on most of what is freed later."""
    keep_freed_memory(64 << 20)  # as glibc itself does after it has freed an array of 32 MiB
    trim_memory()


def trim_memory() -> None:
    """Return the pages that are free now to the system."""
    if (trim := _of_glibc("malloc_trim")) is not None:
        trim(0)


def _of_glibc(name: str) -> Callable[..., int] | None:
    import ctypes  # only where something is solved

    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None


def _reclaimable(statistics: Path) -> int:
    """Return the bytes of a control group's usage that are only cached files."""
    lines = (line.split() for line in statistics.read_text().splitlines())
    return next((int(value) for name, value in lines if name in ("inactive_file", "total_inactive_file")), 0)


@dataclasses.dataclass
class Budget:
    """Bytes that a piece of work may take from now on, fixed when it starts."""

    limit: int
    greatest: float = 0.0
    """The most that was required so far: the predicted peak."""

    @classmethod
    def of_machine(cls) -> Budget:
        """Return `SHARE` of what is available now."""
        return cls(int(available_bytes() * SHARE))

    def require(self, needed: float, what: str, smaller: str = SMALLER) -> None:
        """Raise `NoRoomError` if ``needed`` bytes at once exceed the limit; ``smaller`` is what to try instead."""
        self.greatest = max(self.greatest, needed)
        if needed > self.limit:
            raise NoRoomError(
                f"{what} needs about {readable(needed)} of memory, but {left_in_words(self.limit)}; try {smaller} or a "
                "machine with more memory",
                what,
                needed,
                self.limit,
            )


def left_in_words(free: int) -> str:
    """Say how many bytes are ``free``, and of how many if the program was given a limit."""
    text, limit = readable(free), options().memory
    return f"{text} are free" if limit is None else f"the program leaves {text} of the {readable(limit)} given"


def readable(size: float) -> str:
    """Format a number of bytes for reading.

    >>> readable(622e6), readable(5.2e12), readable(4.1e19)
    ('622 MB', '5.2 TB', '41 EB')
    """
    return f"{rough(size)}B" if size >= 999.5 else with_count(round(size), "byte")
