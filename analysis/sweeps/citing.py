"""Cite a solution, with everything needed to compute it again and to recognise it."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

from analysis.errors import OptionError
from analysis.games.families import BIDDING, SUM
from analysis.games.sums import SumGame
from analysis.machine.markup import as_tex
from analysis.machine.version import __version__
from analysis.solution.conversions import checksum
from analysis.solution.storage.directory import open_manifest
from analysis.solution.storage.stored_games import own_kind
from analysis.solving.find import find_solution, named_game
from analysis.wording import signed, some

AUTHORS, YEAR = "the gametree developers", 2026
"""As in LICENSE and CITATION.cff."""

COUNTED = {"moves": "move", "games": "game", "histories": "history", "optimal_paths": "optimal path"}
"""Totals in the sentence after positions and classes, if known, and one of each."""


@dataclasses.dataclass(frozen=True)
class Citation:
    """The facts that identify a solution.

    ``version`` is the program's that solved it, and ``command`` computes all of this again; ``positions`` and ``moves``
    are None if classes do not tell (``residual``). Of a sum there is only its ``nimber``; of a bidding game only the
    value, and ``value_exact``, a fraction, unless it is rounded. For rules in a user's file there are the ``file``, its
    SHA-256 if it is at hand, and its ``author`` and ``address`` if given. ``own_start`` says whether it begins at the
    game's own start.
    """

    game: str
    start: str
    symmetry: str | None
    symmetry_order: int | None
    version: str
    rules_hash: str
    value: float | None
    remoteness_plies: int | None
    positions: int | None
    canonical: int | None
    moves: int | None
    games: int | None
    histories: int | None
    optimal_paths: int | None
    checksum: str | None
    command: str
    nimber: int | None = None
    value_exact: str | None = None
    file: str | None = None
    file_hash: str | None = None
    author: str | None = None
    address: str | None = None
    own_start: bool = True

    @property
    def missing(self) -> tuple[str, ...]:
        """What a reader needs to find the rules but was not given: ``author`` and ``address`` of a user's file."""
        return tuple(name for name in ("author", "address") if self.file is not None and getattr(self, name) is None)

    @property
    def sentence(self) -> str:
        """The citation as a sentence, with words in capitals for missing facts."""
        start = "" if self.own_start else f" from {self.start}"
        order = "" if self.symmetry_order is None else f", {some(self.symmetry_order, 'symmetry', 'symmetries')}"
        how = "" if self.symmetry is None else f"{self.symmetry}{order}; "
        completely = "" if self.value is None else " completely"
        rules, digest = "", "" if self.file_hash is None else f" (SHA-256 {self.file_hash})"
        if self.file is not None:
            rules = (
                f" Its rules are {self.file}{digest} by {self.author or 'AUTHOR'}, from {self.address or 'ADDRESS'}."
            )
        return (
            f"{self.game}{start} was solved{completely} by gametree {self.version} ({how}rules {self.rules_hash}): "
            f"{self._result}; computed by: {self.command}.{rules}"
        )

    @property
    def _result(self) -> str:
        if self.value is None:
            return f"nimber {self.nimber}"
        if self.canonical is None:
            exact = self.value_exact
            return f"value {f'{signed(self.value)} (rounded)' if exact is None else signed(Fraction(exact))}"
        end = ", play never ends"
        if self.remoteness_plies is not None:
            end = f" after {some(self.remoteness_plies, 'ply', 'plies')}"
        classes = some(self.canonical, "class", "classes")
        totals = [classes if self.positions is None else f"{some(self.positions, 'position')} in {classes}"]
        known = {name: getattr(self, name) for name in COUNTED}
        totals += [some(n, COUNTED[name], name.replace("_", " ")) for name, n in known.items() if n is not None]
        return f"value {signed(self.value)}{end}; {', '.join(totals)}; checksum {self.checksum}"

    @property
    def bibtex(self) -> str:
        """The citation as a BibTeX entry, with the game's texts escaped."""
        key = re.sub("[^a-z0-9]+", "-", f"gametree {self.game} {(self.checksum or self.rules_hash)[:8]}".lower())
        what = "nimber" if self.value is None else "complete solution"
        fields = {
            "author": f"{{{AUTHORS}}}",
            "title": as_tex(f"The {what} of {self.game}, by gametree {self.version}"),
            "year": str(YEAR),
            "note": as_tex(self.sentence),
        }
        return f"@misc{{{key},\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items()) + "}\n"

    def to_json(self) -> dict[str, Any]:
        """Return the citation for programs."""
        numbers = {name: value for name, value in dataclasses.asdict(self).items() if name != "own_start"}
        return {**numbers, "sentence": self.sentence, "bibtex": self.bibtex}


def cite(
    name: str,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    author: str | None = None,
    address: str | None = None,
) -> Citation:
    """Cite the solution that ``name`` means, a game's specification or a solution directory, as
    `analysis.find_solution` finds it: version, hash of the rules, totals and `conversions.checksum`.

    For rules in a user's file, the file's hash is added; ``author`` and ``address`` say whose it is and where to get
    it. Raises what `analysis.find_solution` raises, and `OptionError` for an author or an address of gametree's own
    rules.

    >>> cite("tictactoe").bibtex.splitlines()[0]
    '@misc{gametree-tictactoe-a5be3de8,'
    """
    other = _of_other_kind(name, position=position, symmetry=symmetry)
    game: Any = named_game(name) if other is None else other.game
    base = getattr(game, "base", game)
    if (author is not None or address is not None) and not base.origin:
        raise OptionError(f"an author or address is only for rules in your own file; those of {name} are gametree's")
    solution: Any = find_solution(name, position=position, symmetry=symmetry) if other is None else other
    game, numbers, directory = solution.game, solution.statistics(), solution.directory
    start, own_start = solution.start, True
    if other is None:
        own_start = solution.engine.start == solution.engine.rules.start
    elif not isinstance(game, SumGame):
        start, own_start = game.format_state(start), start == game.start
    own = Path(base.origin_file) if base.origin and Path(base.origin_file).is_file() else None
    return Citation(
        game=game.spec,
        start=start,
        symmetry=None if isinstance(game, SumGame) else solution.symmetry,
        version=__version__ if directory is None else str(open_manifest(directory)["gametree"]),
        rules_hash=game.rules_hash(),
        games=numbers["games"]["total"] if numbers.get("games") else None,
        checksum=checksum(solution) if other is None else None,
        command=_command(solution, None if own_start else start, in_one=other is not None or not own_start),
        own_start=own_start,
        file=Path(base.origin.rpartition(":")[0]).name if base.origin else None,
        file_hash=hashlib.sha256(own.read_bytes()).hexdigest() if own else None,
        author=author,
        address=address,
        **{name: numbers.get(name) for name in _SAME},
    )


def _of_other_kind(name: str, **how: str | None) -> Any:
    """Return the solution of a bidding game or a sum; None for other games."""
    from analysis import bidding, sums

    rooms = {BIDDING: bidding, SUM: sums}
    kind = own_kind(name)
    return None if kind is None else rooms[kind].find_solution(name, **how)


def _command(solution: Any, start: str | None, *, in_one: bool) -> str:
    """Return what solves and cites it, for a shell: ``in_one`` command or in two."""
    spec, directory = solution.game.spec, solution.game.slug
    symmetry = getattr(solution, "symmetry", None)
    kind = [] if symmetry in (None, "geometric") else ["--symmetry", symmetry]
    if in_one:
        return shlex.join(["gametree", "cite", spec, *([] if start is None else ["--from", start]), *kind])
    counted = solution.loopy or solution.statistics()["histories"] is not None
    solve = ["gametree", "solve", spec, *kind, *([] if counted else ["--no-counts"]), "--out", directory]
    rules = ["--game", spec] if solution.game.origin else []
    return f"{shlex.join(solve)} && {shlex.join(['gametree', 'cite', directory, *rules])}"


_SAME = (
    "symmetry_order", "value", "remoteness_plies", "positions", "canonical", "moves", "histories", "optimal_paths",
    "nimber", "value_exact",
)  # fmt: skip
