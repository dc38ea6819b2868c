"""Solve ranges of games into one table, and cite solutions: sweep, cite."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.commands import completion
from analysis.commands.app import (
    PUBLISH,
    SOLVE,
    Dask,
    Format,
    From,
    GameOrDir,
    Symmetries,
    Symmetry,
    Wide,
    Workers,
    argument,
    command,
    option,
    split,
)  # fmt: skip
from analysis.commands.display.printing import check_format, show, shown
from analysis.commands.progress import ProgressBar
from analysis.errors import OptionError
from analysis.wording import visible

if TYPE_CHECKING:
    from analysis.sweeps.sweep import Sweep

CITATIONS = ("text", "json", "bibtex")


@command("gametree sweep 'mnk:rows=1..4,cols=1..4,k=3|4' --game-seconds 60 --out sweep.parquet", SOLVE, waits=True)
def sweep(
    patterns: Annotated[
        list[str] | None,
        argument(
            "PATTERN...",
            "Specifications in which a parameter may be a list, 3|4, a range, 1..4, or both, by name or by place: "
            "'connect:3..4,1..4,3|4'. By default what the file has is printed.",
            autocompletion=completion.games,
        ),
    ] = None,
    symmetry: Symmetries = None,
    out: Annotated[
        Path | None,
        option("--out FILE", "The table, .parquet or .csv: what is missing is added, what is there stays."),
    ] = None,
    max_positions: Annotated[
        int | None, option("--max-positions N", "Positions that a game may have, at most.", min=1)
    ] = None,
    memory: Annotated[
        str | None,
        option("--memory SIZE", "What one game may take, such as 4GB; by default its share of what is free."),
    ] = None,
    seconds: Annotated[float | None, option("--game-seconds SECONDS", "What one game may take.")] = None,
    workers: Annotated[
        int | None,
        option("--workers N", "How many games are solved at once; by default as many as processors.", min=1),
    ] = None,
    dask: Dask = None,
    columns: Annotated[list[str] | None, option("--columns COLUMNS", "The columns to print, by their names.")] = None,
    plot: Annotated[Path | None, option("--plot FILE", "Draw a column over another: .svg, .png or .pdf.")] = None,
    x: Annotated[str | None, option("--x COLUMN", "The column along x.")] = None,
    y: Annotated[str | None, option("--y COLUMN", "The column along y.")] = None,
    check: Annotated[
        Path | None, option("--check FILE", "Compare with an earlier sweep, and print each difference.")
    ] = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Solve a range of games into one table: values, totals, times, checksums.

    Each game is solved in a process of its own; one that does not fit is a row that says why. Cut off by anything, the
    same command goes on: it solves what is missing, what has other rules now, and what a larger limit is given for.

    With --check the exit code is 1 where something differs that the rules determine.
    """
    check_format(form)
    from analysis.commands.display.sweep_tables import check_columns, comparison_answer, summary, sweep_answer
    from analysis.sweeps.compare import compare_sweeps
    from analysis.sweeps.sweep import read_sweep

    chosen, known = split(columns), _columns(patterns, out)
    check_columns(chosen, known)
    _check_plot(plot, x, y, known)
    earlier = None if check is None else read_sweep(check)
    limits = {"max_positions": max_positions, "memory": memory, "seconds": seconds}
    found = _found(patterns, split(symmetry), out, workers, dask, limits)
    if plot is not None:
        _draw(found, plot, str(x), str(y))
    if earlier is None:
        show(form, sweep_answer(found, chosen), wide=wide)
    sys.stdout.flush()
    print(f"gametree: {summary(found)}", file=sys.stderr)
    if earlier is not None:
        compared = compare_sweeps(earlier, found)
        show(form, comparison_answer(compared), wide=wide)
        if compared.differences:
            raise typer.Exit(1)


def _columns(patterns: list[str] | None, out: Path | None) -> list[str]:
    """The columns that there will be, known before anything is solved."""
    from analysis.sweeps.sweep import columns_of, read_sweep

    if patterns:
        return columns_of(patterns)
    if out is None:
        raise OptionError("give a pattern such as 'mnk:rows=1..4,cols=3,k=3', or --out FILE to print what it has")
    return read_sweep(out).columns


def _check_plot(plot: Path | None, x: str | None, y: str | None, known: list[str]) -> None:
    """Raise what is wrong with the options of a plot, before anything is solved."""
    from analysis.commands.display.sweep_tables import check_columns
    from analysis.machine.files import check_target
    from analysis.pictures.style import FORMATS as PICTURES

    if plot is None:
        if x or y:
            raise OptionError("--x and --y are the columns of a picture; name its file by --plot")
        return
    if x is None or y is None:
        raise OptionError("--plot draws a column over another: give both, --x COLUMN and --y COLUMN")
    check_target(plot, [f".{each}" for each in PICTURES], "a picture")
    check_columns([x, y], known)


def _found(
    patterns: list[str] | None,
    symmetries: list[str] | None,
    out: Path | None,
    workers: int | None,
    dask: str | None,
    limits: dict[str, Any],
) -> Sweep:
    """What was asked for, or what is there."""
    from analysis.cluster.choosing import named
    from analysis.sweeps.sweep import read_sweep
    from analysis.sweeps.sweep import sweep as solve_all

    if not patterns:
        assert out is not None
        return read_sweep(out)
    with ProgressBar() as progress, named(dask, workers, progress) as executor:
        return solve_all(
            patterns, symmetry=symmetries or "geometric", out=out, workers=workers, executor=executor,
            progress=progress, **limits,
        )  # fmt: skip


def _draw(found: Sweep, plot: Path, x: str, y: str) -> None:
    from analysis.machine.files import write_bytes
    from analysis.pictures.style import picture_bytes
    from analysis.sweeps.picture import plot_sweep

    write_bytes(plot, picture_bytes(plot_sweep(found.rows, x, y), plot.suffix.lower().removeprefix(".")))
    print(f"gametree: {visible(str(plot))} is drawn", file=sys.stderr)


@command("gametree cite tictactoe --format bibtex", PUBLISH, reads_solutions=True, waits=True)
def cite(
    game: GameOrDir,
    start: From = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
    author: Annotated[str | None, option("--author NAME", "Who wrote the rules, of a game in a file of yours.")] = None,
    address: Annotated[str | None, option("--address URL", "Where that file can be had.")] = None,
    form: Annotated[
        str, option("--format FORMAT", "text, json or bibtex.", autocompletion=completion.one_of(CITATIONS))
    ] = "text",
) -> None:
    """Tell how to cite a solution: an entry for BibTeX, and a sentence with all that it takes to compute it again.

    These are the version, the hash of the rules, the totals, and a checksum of what is known of every class, which does
    not depend on how it was solved or stored.
    """
    if form not in CITATIONS:
        raise OptionError(f"format {form!r} is unknown; it is one of {', '.join(CITATIONS)}")
    from analysis.sweeps.citing import cite as find_citation

    with ProgressBar() as progress:
        found = find_citation(
            game, position=start, symmetry=symmetry, author=author, address=address, workers=workers, progress=progress
        )
    if found.missing:
        options = " and ".join(f"--{name}" for name in found.missing)
        print(f"gametree: {found.file} is not gametree's own; say with {options} where it is from", file=sys.stderr)
    if form == "json":
        print(json.dumps(found.to_json(), indent=2))
    else:
        print(shown(found.bibtex), end="" if form == "bibtex" else f"\n{shown(found.sentence)}\n")
