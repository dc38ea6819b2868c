"""What a shell may complete: names that do not depend on what is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterable

LEVELS = ("random", "greedy", "depth:", "perfect", "perfect:shortest", "blunder:")
SIDES = ("X", "O", "both", "none", "first", "second")


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Completes one of these names."""
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return complete


def some_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Completes the last of several names that are apart by commas."""
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in known if name.startswith(last)]

    return complete


def players(incomplete: str) -> list[str]:
    """The levels, and the Python files that begin so, which may be bots."""
    from pathlib import Path

    paths = Path().glob(f"{incomplete}*") if incomplete and not incomplete.startswith("/") else iter(())
    return one_of(LEVELS)(incomplete) + sorted(str(path) for path in paths if path.is_dir() or path.suffix == ".py")


def games(incomplete: str) -> list[str]:
    """The built-in games, and the stored solutions and Python files that begin so."""
    from pathlib import Path

    from ..games.families import BIDDING, FAMILIES
    from ..solution.storage.directory import is_solution

    paths = Path().glob(f"{incomplete}*") if incomplete and not incomplete.startswith("/") else iter(())
    found = [str(path) for path in paths if path.is_dir() or path.suffix == ".py"]
    stored = [str(path) for path in Path("data").glob("*") if is_solution(path)]
    return [name for name in (*FAMILIES, BIDDING, *stored, *found) if name.startswith(incomplete)]


def algorithms(incomplete: str) -> list[str]:
    """The searches that there are."""
    from ..search.catalogue import ALGORITHMS

    return some_of((*ALGORITHMS, "all"))(incomplete)
