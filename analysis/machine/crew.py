"""Executors that run tasks elsewhere; crews, whose workers on other machines are checked beforehand."""

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
    """What a worker needs for the tasks of a job."""

    game: str
    """The specification of the game."""
    rules_hash: str
    """Hash of the rules, which the worker's must match."""
    folders: tuple[Path, ...] = ()
    """Folders on shared storage: what one worker writes there, the others can read."""
    task_bytes: int = 0
    """Memory for each task."""


class Crew(Executor):
    """An executor whose workers come and go, may be lost and replaced, and may be unusable."""

    @abstractmethod
    def prepare(self, needs: Requirements) -> int:
        """Check the workers; those that lack something are reported and get no tasks, nor will later ones. Returns the
        bytes of memory for each task in the worker that has least. Raises `ClusterError` if none is left, saying what
        is wrong with the first.
        """

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of workers that get tasks now."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """Number of tasks that these workers can do at once; at least 1."""


def slots_of(executor: Executor) -> int:
    """Return how many tasks an executor does at once: the workers requested, its own number, or one per processor."""
    return options().workers or (executor.slots if isinstance(executor, Crew) else processors())


def in_order(executor: Executor, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """Return the results in the order of the tasks (see `results_in_order`)."""
    return results_in_order(executor, function, tasks, lambda: slots_of(executor))
