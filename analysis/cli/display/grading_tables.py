"""The output of ``gametree grade`` for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.cli.display.parts import Answer, Columns, Paragraph, Part
from analysis.courses.grading import Grade


def grades_answer(title: str, grades: Sequence[Grade]) -> Answer:
    """Return the table of grades, and below it what is wrong with each hand-in; as CSV a row for each test."""
    rows: list[dict[str, Any]] = [
        {
            "hand_in": grade.name, "test": test.name, "score": test.score, "max_score": test.max_score,
            "visibility": test.visibility, "output": test.output,
        }
        for grade in grades
        for test in grade.tests
    ]  # fmt: skip
    data = {"exercise": title, "hand_ins": [{"name": g.name, "file": g.file, **g.to_gradescope()} for g in grades]}
    names = [f"{number}" for number in range(1, len(grades[0].tests) + 1)]
    cells = [
        [grade.name, *map(_points, [*(test.score for test in grade.tests), grade.score, grade.max_score])]
        for grade in grades
    ]
    parts: list[Part] = [title, ""]
    parts += [f"{name}  {test.name}" for name, test in zip(names, grades[0].tests, strict=True)]
    parts += ["", Columns(("hand-in", *names, "score", "of"), cells, words=("hand-in",))]
    for grade in grades:
        wrong: dict[str, list[str]] = {}
        for name, test in zip(names, grade.tests, strict=True):
            if test.score < test.max_score:
                wrong.setdefault(test.output, []).append(name)
        said = [Paragraph(f"  {', '.join(tests)}: {output}") for output, tests in wrong.items()]
        parts += ["", grade.name, *said] if said else []
    return Answer(data, rows, parts)


def _points(score: float) -> str:
    """Return points with at most two decimals."""
    return f"{score:.2f}".rstrip("0").rstrip(".")
