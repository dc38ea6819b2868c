"""Complete names for a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes one of these names."""
    choices = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in choices if name.startswith(incomplete)]

    return complete


def games(incomplete: str) -> list[str]:
    """Return the built-in games, and stored solutions and Python files, that begin like this."""
    from pathlib import Path

    from ..games.families import BIDDING, FAMILIES
    from ..solution.storage.directory import is_solution

    paths = Path().glob(f"{incomplete}*") if incomplete and not incomplete.startswith("/") else iter(())
    files = [str(path) for path in paths if path.is_dir() or path.suffix == ".py"]
    stored = [str(path) for path in Path("data").glob("*") if is_solution(path)]
    return [name for name in (*FAMILIES, BIDDING, *stored, *files) if name.startswith(incomplete)]
