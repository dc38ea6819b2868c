"""What does tasks elsewhere: executors, and those whose workers run on other machines and are checked beforehand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple, TypeVar

from analysis.machine.context import options
from analysis.machine.workers import processors, results_in_order

T = TypeVar("T")
R = TypeVar("R")


class Requirements(NamedTuple):
    """What a worker must have to do the tasks of one piece of work."""

    game: str
    """The specification of the game."""
    rules_hash: str
    """Of its rules, which the worker's must be."""
    folders: tuple[Path, ...] = ()
    """On storage that all see: what one writes there, the others read."""
    task_bytes: int = 0
    """Of memory for each task."""


class Crew(Executor):
    """An executor of workers that come and go, that are lost and replaced, and some of which may be of no use."""

    @abstractmethod
    def prepare(self, needs: Requirements) -> int:
        """Check the workers. Those that do not have what is needed are named and get no tasks, nor do later ones.
        Returns bytes of memory for each task, in the worker that has the least. Raises `ClusterError` where none is
        left, saying what is wrong with the first.
        """

    @property
    @abstractmethod
    def workers(self) -> int:
        """Workers that get tasks at this moment."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """Tasks that can be done at the same time by the workers of this moment; at least 1."""


def slots_of(executor: Executor) -> int:
    """Tasks that an executor does at the same time: as many as workers were asked for, else as many as it says; of one
    that does not say, as many as there are processors.
    """
    return options().workers or (executor.slots if isinstance(executor, Crew) else processors())


def in_order(executor: Executor, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """The results in the order of the tasks, as `results_in_order` has them."""
    return results_in_order(executor, function, tasks, lambda: slots_of(executor))
