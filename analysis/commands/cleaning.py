"""Remove what work that was cut off has left: clean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from analysis.commands.app import SOLVE, Format, Wide, argument, command, fail, option
from analysis.commands.display.printing import check_format, show


@command("gametree clean data --dry-run", SOLVE)
def clean(
    directory: Annotated[
        Path | None,
        argument(
            "DIR", "A solution, a report or a folder of them; by default data, reports and the current directory's own."
        ),
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", "Only say what there is.")] = False,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Remove what is left of work that was cut off by kill -9 or a loss of power.

    A solution that only had to be moved into place is completed. What is complete, in use, or not written by gametree
    is left alone.
    """
    from analysis.commands.display.cleaning_tables import clean_answer
    from analysis.machine.files import rules_folder
    from analysis.reports.page_files import STAGE
    from analysis.storage.directory import SOLUTION
    from analysis.storage.leftovers import DEPTH
    from analysis.storage.leftovers import clean as clean_places
    from analysis.storage.stored_games import DATA

    check_format(form)
    usual = ((DATA, DEPTH), (Path("reports"), DEPTH), (Path(), 0), (rules_folder(), 0))
    places = [(directory, DEPTH)] if directory else [(place, depth) for place, depth in usual if place.is_dir()]
    found = clean_places(places, (SOLUTION, STAGE), dry_run=dry_run)
    show(form, clean_answer(found, dry_run), wide=wide)
    if found.problems:
        more = f" (and {len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
        fail(found.problems[0] + more, 1)
