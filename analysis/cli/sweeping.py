"""Solve ranges of games into one table, and cite solutions: sweep, cite."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import analysis
from analysis import sweeps
from analysis.cli import completion
from analysis.cli.app import (
    PUBLISH,
    SOLVE,
    Answers,
    Dask,
    From,
    GameOrDir,
    Symmetries,
    Symmetry,
    argument,
    command,
    option,
    split,
)  # fmt: skip
from analysis.cli.display.parts import Answer
from analysis.cli.display.printing import shown
from analysis.cli.progress import ProgressBar
from analysis.errors import MissingDataError, OptionError, SpecError
from analysis.wording import visible

if TYPE_CHECKING:
    from analysis.sweeps.one_game import SweptGame

CITATIONS = ("text", "json", "bibtex")


@command("gametree sweep 'mnk:rows=1..4,cols=1..4,k=3|4' --game-seconds 60 --out sweep.parquet", SOLVE, waits=True)
def sweep(
    patterns: Annotated[
        list[str] | None,
        argument(
            "PATTERN...",
            "Specifications in which a parameter may be a list, 3|4, a range, 1..4, or both, by name or "
            "position: 'connect:3..4,1..4,3|4'. Without one, the file of --out is printed.",
            autocompletion=completion.games,
        ),
    ] = None,
    symmetry: Symmetries = None,
    out: Annotated[
        Path | None,
        option("--out FILE", "The table, .parquet or .csv; missing rows are added to an existing one."),
    ] = None,
    max_positions: Annotated[
        int | None, option("--max-positions N", "Limit on the positions of a game.", min=1)
    ] = None,
    memory: Annotated[
        str | None,
        option("--memory SIZE", "Memory limit per game, such as 4GB; by default its share of what is free."),
    ] = None,
    seconds: Annotated[float | None, option("--game-seconds SECONDS", "Time limit per game.")] = None,
    workers: Annotated[
        int | None,
        option("--workers N", "Number of games solved at once; by default one per processor.", min=1),
    ] = None,
    dask: Dask = None,
    columns: Annotated[list[str] | None, option("--columns COLUMNS", "Names of the columns to print.")] = None,
    bfile: Annotated[
        str | None, option("--bfile COLUMN", "Print a column as a b-file of OEIS: a term for each size of a game.")
    ] = None,
    plot: Annotated[
        Path | None, option("--plot FILE", "Plot one column against another, instead of the table: .svg, .png or .pdf.")
    ] = None,
    x: Annotated[str | None, option("--x COLUMN", "The column along x.")] = None,
    y: Annotated[str | None, option("--y COLUMN", "The column along y.")] = None,
    check: Annotated[
        Path | None, option("--check FILE", "Compare with an earlier sweep, and print each difference.")
    ] = None,
) -> Answers:
    """Solve a range of games into one table: values, totals, times, checksums.

    Each game is solved in its own process; one that does not fit gets a row that says why. After an interruption the
    same command resumes: it solves games that are missing, whose rules have changed, or whose limit is now larger.

    With --check the exit code is 1 if any result that the rules determine differs.
    """
    from analysis.cli.display.sweep_tables import check_columns, comparison_answer, summary, sweep_answer
    from analysis.exports.bfile import listing
    from analysis.reports.figures.searches import check_picture, write_picture
    from analysis.solving.cluster.running import on_dask
    from analysis.sweeps.one_game import swept_games
    from analysis.sweeps.sweep import columns_of
    from analysis.sweeps.terms import terms_of

    if not patterns and out is None:
        raise OptionError("give a pattern such as 'mnk:rows=1..4,cols=3,k=3', or --out FILE to print what it has")
    there = None if patterns or out is None else sweeps.read_sweep(out)
    chosen, known = split(columns), columns_of(patterns or []) if there is None else there.columns
    check_columns(chosen, known)
    if plot is None and (x or y):
        raise OptionError("--x and --y are the columns of a picture; name its file by --plot")
    if bfile is not None and (columns or check):
        raise OptionError("--bfile prints one column as a sequence; leave out --columns and --check")
    if plot is not None and (x is None or y is None):
        raise OptionError("--plot draws a column over another: give both, --x COLUMN and --y COLUMN")
    check_picture(plot)
    check_columns([name for name in (x, y) if name], known)
    symmetries = split(symmetry) or ["geometric"]
    if bfile is not None and there is None:  # else all would be solved first
        _check_terms(swept_games(patterns or [], symmetries), bfile)
    earlier = None if check is None else sweeps.read_sweep(check)
    if there is not None:
        found = there
    else:
        limits = sweeps.Limits(max_positions, memory, seconds)
        with ProgressBar(), analysis.running(workers=workers), on_dask(dask):
            found = sweeps.sweep(patterns or [], symmetry=symmetries, out=out, limits=limits)
    if plot is not None:
        write_picture(sweeps.plot_sweep(found.rows, str(x), str(y)), plot)
        print(f"gametree: {visible(str(plot))} is drawn", file=sys.stderr)
    if bfile is not None:
        name, sized = terms_of(found.rows, bfile)
        terms = [{"n": size, bfile: term} for size, term in sized]
        yield Answer(terms, terms, [listing(name, sized).decode().rstrip("\n")])
    elif earlier is None and (plot is None or columns):
        yield sweep_answer(found, chosen)
    sys.stdout.flush()
    print(f"gametree: {summary(found)}", file=sys.stderr)
    if earlier is not None:
        compared = sweeps.compare_sweeps(earlier, found)
        yield comparison_answer(compared)
        if compared.differences:
            raise typer.Exit(1)


def _check_terms(asked: Sequence[SweptGame], column: str) -> None:
    """Refuse what cannot be a sequence, as far as that is known before the games are solved."""
    from analysis.sweeps.terms import sizes_of

    sizes_of([each.key for each in asked], column)
    for each in asked:
        if each.why is not None:
            raise SpecError(f"{each.spec} has no {column}: {each.why}")
        if column == "nimber" and not each.nimbers:
            raise MissingDataError(f"{each.spec} has no nimber: only impartial games have")


@command("gametree cite tictactoe --format bibtex", PUBLISH, reads_solutions=True, waits=True)
def cite(
    game: GameOrDir,
    position: From = None,
    symmetry: Symmetry = None,
    author: Annotated[
        str | None, option("--author NAME", "Author of the rules, for a game in a file of your own.")
    ] = None,
    address: Annotated[str | None, option("--address URL", "Where that file is published.")] = None,
    form: Annotated[
        str, option("--format FORMAT", "text, json or bibtex.", autocompletion=completion.one_of(CITATIONS))
    ] = "text",
) -> None:
    """Cite a solution: a BibTeX entry, and a sentence with everything needed to compute it again.

    These are the version, the hash of the rules, the totals, and a checksum over all classes that does not depend on
    how the game was solved or stored.
    """
    if form not in CITATIONS:
        raise OptionError(f"format {form!r} is unknown; it is one of {', '.join(CITATIONS)}")
    with ProgressBar():
        found = sweeps.cite(game, position=position, symmetry=symmetry, author=author, address=address)
    if found.missing:
        options = " and ".join(f"--{name}" for name in found.missing)
        print(f"gametree: {found.file} is not gametree's own; say with {options} where it is from", file=sys.stderr)
    if form == "json":
        print(json.dumps(found.to_json(), indent=2))
    else:
        print(shown(found.bibtex), end="" if form == "bibtex" else f"\n{shown(found.sentence)}\n")
