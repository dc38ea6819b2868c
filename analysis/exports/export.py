"""Write a solution, or a part of it, as a file that another tool reads."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from analysis.errors import OptionError, TooLargeError
from analysis.exports.formats import Format, Write, find_format
from analysis.exports.parts.part import Part
from analysis.machine.arguments import checked
from analysis.machine.files import require_disk
from analysis.machine.places import check_writable
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.solution.solution import Solution
from analysis.solving.find import find_solution, named_game
from analysis.storage.row_files import opened
from analysis.storage.stored_games import refuse_bidding
from analysis.storage.without_rules import StoredGame

LEAST_BYTES = 16
"""Of a class in any format: what a file takes at least."""


@dataclasses.dataclass(frozen=True)
class ExportRequest:
    """What is to be written; the defaults are those of ``gametree export``."""

    to: str | None = None
    """The format; None: as the file is called."""
    depth: int | None = None
    """Only what so many plies reach."""
    optimal_only: bool = False
    """Only what optimal moves reach, and only these moves."""
    moves: bool = False
    """A table of moves instead of positions, for csv."""
    count: str | None = None
    """The count by ply that a b-file holds; None: positions."""
    max_nodes: int | None = None
    """How many classes, or nodes of an extensive form, there may be; None: as many as the format is fit for."""

    def check(self, out: Path | None) -> Format:
        """The format. Raises `OptionError` for options that do not go together and for a format that needs a file, and
        `StoreError` where that file cannot be: what can be told before anything is solved.
        """
        if out is not None:
            check_writable(out)
        form = find_format(self.to, out)
        cut = self.depth is not None or self.optimal_only
        for given, option, fits in (
            (self.moves, "--moves", form.name == "csv"),
            (self.count is not None, "--count", form.name == "bfile"),
            (cut, "--depth and --optimal-only", form.name != "bfile"),
            (self.max_nodes is not None, "--max-nodes", form.name != "bfile"),
        ):
            if given and not fits:
                raise OptionError(
                    f"{option} cannot be had as {form.name}; leave {'them' if ' and ' in option else 'it'} out"
                )
        if self.depth is not None and self.depth < 0:
            raise OptionError(f"a depth of {self.depth} plies makes no sense; it is 0 or more")
        if form.seekable and out is None:
            raise OptionError(f"{form.name} needs a file of its own; add --out FILE{form.suffixes[0]}")
        if form.seekable and out is not None and out.exists() and not out.is_file():
            raise OptionError(f"{form.name} needs a file of its own, and {out} is no regular file")
        if self.count is not None:
            from analysis.exports.tables.bfile import check_count

            check_count(self.count)
        return form

    def check_game(self, form: Format, game: Game) -> None:
        """Raise `OptionError` or `MissingDataError` for a game that has no such file, whatever its solution."""
        if form.name == "efg":
            from analysis.exports.trees.size import check_end

            check_end(game, self.depth)
        if form.name == "bfile" and not isinstance(game, StoredGame) and game.rules().loopy:
            from analysis.exports.tables.bfile import no_plies

            raise no_plies(game.spec, self.count or "positions")

    def writer(self, form: Format, solution: Solution) -> Write:
        """The function that writes it. Raises `MissingDataError` where a solution does not tell what is asked."""
        if form.name == "bfile":
            from analysis.exports.tables import bfile

            count = self.count or "positions"
            if count in bfile.OF_POSITIONS:
                solution.refuse_residual(f"{count} by ply")
            return lambda part, file: bfile.write(part.solution.statistics(), count, file, start=_other_start(part))
        if self.moves:
            from analysis.exports.tables import rows

            return rows.write_moves
        return form.write


@checked
def export(
    solution: Solution,
    out: str | Path | None,
    to: str | None = None,
    *,
    depth: int | None = None,
    optimal_only: bool = False,
    moves: bool = False,
    count: str | None = None,
    max_nodes: int | None = None,
    progress: Progress = no_progress,
) -> None:
    """Write a solution, or a part of it, to the file ``out`` (None: standard output) in the format ``to`` of
    docs/file-formats.md (None: as the file's suffix says). ``depth`` and ``optimal_only`` choose a part: what so many
    plies from its start reach, or optimal moves. ``moves`` writes the table of moves as csv, ``count`` names the count
    by ply of a bfile (None: positions); ``progress`` is told how far it is. The file is complete or absent. Raises
    `OptionError` for options that do not go together and a format that is not known, `MissingDataError` for counts that
    the solution lacks, `StoreError` for a file that cannot be written, and `TooLargeError` for more than ``max_nodes``
    classes, or nodes of an extensive form (None: what the format is fit for).
    """
    request = ExportRequest(to, depth, optimal_only, moves, count, max_nodes)
    path = None if out is None else Path(out)
    _export(solution, request, request.check(path), path, progress)


def export_game(
    name: str,
    request: ExportRequest,
    out: Path | None,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> None:
    """Write the solution of a GAME_OR_DIR, solved from a ``position`` on if one is given, as ``request`` says to the
    file ``out`` (None: standard output). Raises what `export` and `find_solution` raise.
    """
    refuse_bidding(name, "exports are", f"`gametree solve {name} --text` writes its states as Parquet tables")
    form = request.check(out)
    request.check_game(form, named_game(name))
    solution = find_solution(name, position=position, symmetry=symmetry, workers=workers, progress=progress)
    _export(solution, request, form, out, progress)


def _export(solution: Solution, request: ExportRequest, form: Format, out: Path | None, progress: Progress) -> None:
    solution = solution if form.name in ("bfile", "efg") else solution.classes
    part = Part(solution, depth=request.depth, optimal_only=request.optimal_only, progress=progress)
    _refuse_large(part, form, request.max_nodes)
    if out is not None and form.name != "bfile":
        require_disk(out, LEAST_BYTES * part.classes, f"{part.classes:,} classes")
    if request.moves or form.name not in ("csv", "bfile"):
        solution.classes.engine.prepare()
    progress("writing positions", 0, None)
    write = request.writer(form, solution)
    with opened(out) as file:
        write(part, file)


def _refuse_large(part: Part, form: Format, most: int | None) -> None:
    """Raise `TooLargeError` for a part that a format is not fit to hold."""
    most = form.most if most is None else most
    if form.name == "efg":
        from analysis.exports.trees.size import count_nodes, is_exact

        size = count_nodes(part)
        number, what = f"{'' if is_exact(part, size) else 'at least '}{size:,}", "nodes in its tree"
    else:
        size = part.classes
        number, what = f"{size:,}", "classes"
    if most is not None and size > most:
        whole = "" if part.whole else " after it is cut"
        tables = "; sqlite, csv and jsonl hold any number" if what == "classes" and form.most is not None else ""
        raise TooLargeError(
            f"{part.solution.game.spec} has {number} {what}{whole}, and {form.name} is written up to {most:,}; cut it "
            f"with --depth, --optimal-only or --from, or raise --max-nodes{tables}"
        )


def _other_start(part: Part) -> str | None:
    """The position that it was solved from, if that is not where the game begins."""
    engine = part.solution.engine
    whole = part.solution.directory is not None or engine.start == engine.rules.start
    return None if whole else part.solution.start
