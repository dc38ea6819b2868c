"""What the work may take and who is told how far it is: said once, around all that is done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from analysis.machine.arguments import checked
from analysis.machine.memory import within_memory
from analysis.machine.workers import Progress, telling, working


@contextlib.contextmanager
@checked
def running(
    *, workers: int | None = None, memory: int | str | None = None, progress: Progress | None = None
) -> Iterator[None]:
    """What is called inside, in this thread, works so.

    Args:
        workers: How many threads work at once where nothing else is asked for (default: as many as processors).
        memory: What it may take in all, bytes or a text such as ``"4GB"`` (default: what is free).
        progress: Called now and then as ``progress(stage, done, total)``; ``total`` is None where it is not known.

    Raises `OptionError` for less than one worker and for what is no amount of memory.

    >>> import analysis
    >>> stages = set()
    >>> with analysis.running(workers=1, progress=lambda stage, done, total: stages.add(str(stage))):
    ...     value = analysis.solve("tictactoe", symmetry="none").value
    >>> value, "finding positions" in stages
    (0, True)
    """
    with contextlib.ExitStack() as stack:
        if workers is not None:
            stack.enter_context(working(workers))
        if memory is not None:
            stack.enter_context(within_memory(memory))
        if progress is not None:
            stack.enter_context(telling(progress))
        yield
