"""Grade hand-ins of a course: grade."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from analysis.cli.app import COMPARE, Answers, argument, command, option


@command("gametree grade alpha-beta hand-ins --out grades", COMPARE, waits=True)
def grade(
    exercise: Annotated[
        str,
        argument(
            "EXERCISE",
            "A TOML file, or one that comes with gametree: optimal-paths, alpha-beta or bidding-bot.",
        ),
    ],
    hand_ins: Annotated[
        list[str],
        argument(
            "FILE...", "Python programs and texts, or folders of them: one hand-in for each file or folder inside."
        ),
    ],
    out: Annotated[
        Path | None,
        option(
            "--out DIR", "Also write Gradescope's results.json: into DIR, or for several hand-ins into a folder each."
        ),
    ] = None,
    workers: Annotated[
        int | None, option("--workers N", "Hand-ins graded at once; by default one per processor.", min=1)
    ] = None,
) -> Answers:
    """Grade hand-ins: one table, and for each mistake the position or tree that shows it.

    Programs run in processes of their own with limits on time, memory, output and files.
    """
    from analysis.cli.display.grading_tables import grades_answer
    from analysis.courses.exercise import read_exercise
    from analysis.courses.grading import grade as graded
    from analysis.machine.context import within

    found = read_exercise(exercise)
    with within(workers=workers):
        yield grades_answer(found.title, graded(found, hand_ins, out=out))
