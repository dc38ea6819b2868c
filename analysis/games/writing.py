"""Write the first files of a new game: rules, in plain Python or compiled, and a test."""

from __future__ import annotations

import keyword
import sys
from pathlib import Path
from string import Template

from ..common.files import write_bytes
from ..common.wording import in_words
from ..errors import OptionError, StoreError

TEMPLATES = Path(__file__).parent / "templates"
LIKE = {
    "tictactoe": "marks on a board",
    "nim": "heaps",
    "hexapawn": "pawns that move on a board, and take",
}
"""The games that a new game may be like, and what they consist of."""


def write_game(name: str, like: str = "tictactoe", *, fast: bool = False) -> tuple[Path, Path]:
    """Write a game and its test into two new files, and return their paths. Raises `OptionError` if the name or the
    model is not possible, and `StoreError` if a file exists already or cannot be written.

    Args:
        name: The file of the game, with or without its ending, perhaps in another folder: ``mine`` or ``mine.py``.
        like: One of `LIKE`.
        fast: Whether to write rules that are compiled, instead of plain Python.
    """
    if like not in LIKE:
        raise OptionError(f"a new game can be like {in_words([*LIKE])}, not {like!r}")
    path = Path(name if name.endswith(".py") else f"{name}.py")
    stem = path.stem
    taken = stem in sys.stdlib_module_names or stem in ("analysis", "gametree", "numpy", "numba")
    if not (stem.isidentifier() and stem.isascii()) or keyword.iskeyword(stem) or taken or stem.startswith("test_"):
        raise OptionError(
            f"a new game cannot be called {stem!r}: use letters, digits (not first) and _, no word of Python's, no "
            "name of a "
            "module that others import, and no test_ at the beginning"
        )
    test = path.with_name(f"test_{path.name}")
    if existing := next((file for file in (path, test) if file.exists() or file.is_symlink()), None):
        raise StoreError(f"{existing} is there already, and nothing is overwritten; choose another name")
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent}")
    words = {
        "title": " ".join(filter(None, stem.split("_"))).capitalize() or stem,
        "kind": "".join(part.capitalize() for part in stem.split("_")) or "Game",
        "file": path.name,
        "test": test.name,
    }
    for target, template in ((path, f"{like}-fast" if fast else like), (test, f"{like}-test")):
        text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
        write_bytes(target, Template(text).substitute(words).encode())
    return path, test
