"""How to cite a solution, with all that it takes to compute it again and to see that it is the same."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.machine.arguments import checked
from analysis.machine.markup import as_tex
from analysis.machine.version import __version__
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.solution.conversions import checksum
from analysis.solving.find import find_solution, named_game
from analysis.storage.store import read_manifest
from analysis.storage.stored_games import refuse_bidding
from analysis.wording import signed, some

if TYPE_CHECKING:
    from analysis.solution.solution import Solution

AUTHORS, YEAR = "the gametree developers", 2026
"""As LICENSE and CITATION.cff have them."""

COUNTED = ("moves", "games", "histories", "optimal_paths")
"""Totals in the sentence, after positions and classes, as far as they are known."""


@dataclasses.dataclass(frozen=True)
class Citation:
    """What identifies a solution."""

    game: str
    start: str
    symmetry: str
    symmetry_order: int | None
    version: str
    """Of the program that solved it."""
    rules_hash: str
    value: int
    remoteness_plies: int | None
    positions: int | None
    """None, as moves are, where classes do not tell (``residual``)."""
    canonical: int
    moves: int | None
    games: int | None
    histories: int | None
    optimal_paths: int | None
    checksum: str
    file: str | None = None
    """The file of the rules, where these are not gametree's."""
    file_hash: str | None = None
    """Its SHA-256; None where it is not at hand."""
    author: str | None = None
    """Of that file; None where it was not told."""
    address: str | None = None
    """Where that file can be had, likewise."""
    own_start: bool = True
    """Whether it begins where the game begins."""

    @property
    def missing(self) -> tuple[str, ...]:
        """What a reader needs to find the rules and was not told: ``author`` and ``address`` of the user's file."""
        return tuple(name for name in ("author", "address") if self.file is not None and getattr(self, name) is None)

    @property
    def sentence(self) -> str:
        """All of it in a sentence."""
        start = "" if self.own_start else f" from {self.start}"
        plies = (
            "play never ends"
            if self.remoteness_plies is None
            else f" after {some(self.remoteness_plies, 'ply', 'plies')}"
        )
        order = "" if self.symmetry_order is None else f", {some(self.symmetry_order, 'symmetry', 'symmetries')}"
        totals = [
            f"{getattr(self, name):,} {name.replace('_', ' ')}" for name in COUNTED if getattr(self, name) is not None
        ]
        classes = some(self.canonical, "class", "classes")
        size = classes if self.positions is None else f"{some(self.positions, 'position')} in {classes}"
        return (
            f"{self.game}{start} was solved completely by gametree {self.version} ({self.symmetry}{order}; rules "
            f"{self.rules_hash}): value {signed(self.value)}{plies}; {', '.join([size, *totals])}; checksum "
            f"{self.checksum}.{self._whose_rules()}"
        )

    def _whose_rules(self) -> str:
        """Where the rules of a user's game are to be had, with words in capitals where that was not told."""
        if self.file is None:
            return ""
        known = "" if self.file_hash is None else f" (SHA-256 {self.file_hash})"
        return f" Its rules are {self.file}{known} by {self.author or 'AUTHOR'}, from {self.address or 'ADDRESS'}."

    @property
    def bibtex(self) -> str:
        """An entry for BibTeX. Texts of a game are no commands in it."""
        key = re.sub("[^a-z0-9]+", "-", f"gametree {self.game} {self.checksum[:8]}".lower())
        fields = {
            "author": f"{{{AUTHORS}}}",
            "title": as_tex(f"The complete solution of {self.game}, by gametree {self.version}"),
            "year": str(YEAR),
            "note": as_tex(self.sentence),
        }
        return f"@misc{{{key},\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items()) + "}\n"

    def to_json(self) -> dict[str, Any]:
        """All of it for programs."""
        numbers = {name: value for name, value in dataclasses.asdict(self).items() if name != "own_start"}
        return {**numbers, "sentence": self.sentence, "bibtex": self.bibtex}


@checked
def cite(
    name: str,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    author: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Citation:
    """How to cite the solution that ``name``, a game's specification or the directory of a solution, means, found as
    `analysis.find_solution` finds it: version, hash of the rules, totals and `conversions.checksum`. Of a game in a
    user's file there is the hash of the file too, and ``author`` and ``address`` say whose it is and where it can be
    had.

    Raises what `analysis.find_solution` raises, and `OptionError` for bidding games, and for an author or an address
    where the rules are gametree's own.

    >>> cite("tictactoe").bibtex.splitlines()[0]
    '@misc{gametree-tictactoe-a5be3de8,'
    """
    refuse_bidding(name, "cite is", "the manifest of its solution has its rules_hash")
    if (author is not None or address is not None) and not named_game(name).origin:
        raise OptionError(f"an author or an address is for rules in a file; those of {name} are gametree's")
    solution = find_solution(name, position=position, symmetry=symmetry, workers=workers, progress=progress)
    numbers, engine = solution.statistics(), solution.engine
    return Citation(
        game=solution.game.spec,
        start=solution.start,
        symmetry=solution.symmetry,
        version=_version(solution),
        rules_hash=solution.game.rules_hash(),
        games=numbers["games"] and numbers["games"]["total"],
        checksum=checksum(solution, progress),
        own_start=engine.start == engine.rules.start,
        file=_file_of(solution.game),
        file_hash=_hash_of_file(solution.game),
        author=author,
        address=address,
        **{name: numbers[name] for name in _SAME},
    )


_SAME = (
    "symmetry_order", "value", "remoteness_plies", "positions", "canonical", "moves", "histories", "optimal_paths",
)  # fmt: skip


def _file_of(game: Game) -> str | None:
    """The name of the file of a user's game."""
    return Path(game.origin.rpartition(":")[0]).name if game.origin else None


def _hash_of_file(game: Game) -> str | None:
    """Its SHA-256, where it is at hand."""
    path = Path(game.origin_file)
    return hashlib.sha256(path.read_bytes()).hexdigest() if game.origin and path.is_file() else None


def _version(solution: Solution) -> str:
    """That of the program which solved it."""
    return __version__ if solution.directory is None else str(read_manifest(solution.directory)["gametree"])
