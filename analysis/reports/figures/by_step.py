"""What there is at each ply or tier: positions and moves, what positions are worth, and moves to choose from."""

from __future__ import annotations

from typing import Any

from analysis.pictures.style import AMBER, HEAT, INK, PURPLE, Picture
from analysis.reports.figures import panels
from analysis.reports.figures.panels import Series
from analysis.reports.findings import Findings, terminal
from analysis.reports.report_words import WHOLE, called, mean, shares
from analysis.wording import listed, some

SHAPES = {
    "positions": "of positions (circles)",
    "classes": "of classes of them up to symmetry (squares)",
    "terminal": "of positions in which the game is over (diamonds)",
    "moves": "of moves (triangles)",
}
"""What the caption calls each line."""


def draw_growth(findings: Findings) -> Picture | None:
    """None where there is one step only, or one number all over, and where positions are not counted."""
    rows, step = findings.rows, findings.step
    if not findings.sized or len(rows) < 2 or constant_growth(findings):
        return None
    steps, series = [row[step] for row in rows], _growth_series(rows)
    figure = panels.line_chart(3.2, steps, step, series, f"number of each, by {step}")
    caption, alternative = _growth_caption(findings, series), _growth_alternative(findings)
    return Picture("growth", f"Positions and moves by {step}", caption, alternative, figure)


def constant_growth(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    if not findings.sized:
        return None
    number = findings.rows[0]["positions"]
    same = all(other == number for line in _growth_series(findings.rows) for other in line.numbers if other)
    if not same or len(findings.rows) < 2:
        return None
    there = f"{some(number, 'position')}, and {some(number, 'move')} where play goes on"
    return f"There {'is' if number == 1 else 'are'} {there}, at each {findings.step}."


def _growth_series(rows: list[dict[str, Any]]) -> list[Series]:
    found = [
        Series("moves", [row["moves"] for row in rows], AMBER, "^", (0, (5, 1.5, 1, 1.5))),
        Series("positions", [row["positions"] for row in rows], INK, "o"),
        Series("classes", [row["canonical"] for row in rows], HEAT, "s", (0, (5, 2))),
        Series("terminal", [terminal(row) for row in rows], PURPLE, "D", (0, (1.5, 1.5))),
    ]
    if found[1].numbers == found[2].numbers:  # without symmetries they are the same line
        del found[2]
    return [line for line in found if any(line.numbers)]


def _growth_caption(findings: Findings, series: list[Series]) -> str:
    names, log = [line.name for line in series], panels.wide(number for line in series for number in line.numbers)
    shapes = listed([shape for name, shape in SHAPES.items() if name in names])
    said = f"Each point is the number {shapes} at one {findings.step}{', on a log scale' * log}; where there is none, "
    said += "there is no point."
    return said + " A position that occurs at several plies counts at each." * _repeated(findings)


def _repeated(findings: Findings) -> bool:
    """Whether a position counts at every ply at which it occurs."""
    return bool(findings.statistics["by_ply"]) and not findings.solution.by_ply


def _growth_alternative(findings: Findings) -> str:
    rows, step = findings.rows, findings.step
    busiest = max(rows, key=lambda row: row["moves"])
    ended = [row[step] for row in rows if terminal(row)]
    said = f"Line chart. {_positions(rows, step)} The most moves are at {step} {busiest[step]}: {busiest['moves']:,}."
    return said + (f" The first terminal positions are at {step} {ended[0]}." if ended else "")


def _positions(rows: list[dict[str, Any]], step: str) -> str:
    """How the number of positions goes, in a sentence.

    >>> _positions([{"ply": ply, "positions": 1, "canonical": 1} for ply in range(3)], "ply")
    'There is 1 position at each ply.'
    """
    first, last, most = rows[0], rows[-1], max(rows, key=lambda row: row["positions"])
    start = some(first["positions"], "position")
    if all(row["positions"] == most["positions"] for row in rows):
        return f"There {'is' if most['positions'] == 1 else 'are'} {start} at each {step}."
    classes = f" ({some(most['canonical'], 'class', 'classes')})" * (most["canonical"] != most["positions"])
    then = "" if most is last else f" and is {last['positions']:,} at {step} {last[step]}, the last"
    if most is first:
        return f"The number of positions is greatest at {step} {first[step]}, {start}{classes},{then}."
    peak = f"{most['positions']:,}{classes} at {step} {most[step]}"
    return f"From {start} at {step} {first[step]} the number grows to {peak}{then}."


def draw_values(findings: Findings) -> Picture | None:
    """None where there is one step only, or one outcome all over, and where positions are not counted."""
    rows, step = findings.rows, findings.step
    if not findings.sized or len(rows) < 2 or constant_values(findings):
        return None
    figure, (axes,) = panels.stack(3.2)
    panels.draw_shares(axes, [row[step] for row in rows], _value_columns(findings), "share of positions", step)
    caption, alternative = _values_caption(findings), _values_alternative(findings)
    return Picture("values", f"Values of positions by {step}", caption, alternative, figure)


def constant_values(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its positions have one outcome."""
    if not findings.sized or len(findings.rows) < 2 or len(_value_columns(findings)) > 1:
        return None
    return f"{_outcomes(findings)}."


def _value_columns(findings: Findings) -> list[panels.Column]:
    return panels.outcome_columns(findings, findings.rows, "value_")


def _outcomes(findings: Findings) -> str:
    """Positions of all rows by outcome; one that occurs at several plies counts at each."""
    sums = {outcome.key: sum(numbers) for outcome, _, numbers in _value_columns(findings)}
    return shares(findings, sums, "position", f" at all {'plies' if findings.step == 'ply' else 'tiers'}")


def _values_caption(findings: Findings) -> str:
    said = f"The positions at each {findings.step} by their value under optimal play, in percent of them"
    said += "; a position that occurs at several plies counts at each" * _repeated(findings)
    return said + ". The table has their numbers."


def _values_alternative(findings: Findings) -> str:
    last, step = findings.rows[-1], findings.step
    columns = _value_columns(findings)
    there = [f"{called(findings, o.key, WHOLE)} {numbers[-1]:,}" for o, _, numbers in columns if numbers[-1]]
    return (
        f"Stacked bars, one for each {step}. {_outcomes(findings)}. At {step} {last[step]}, the last: "
        f"{', '.join(there)}."
    )


SAME = 0.005
"""Means that differ by less are one line: their second decimals are the same."""


def draw_branching(findings: Findings) -> Picture | None:
    """None where there is one step only in which anybody can move, or one mean all over, and where positions are not
    counted.
    """
    rows, step = findings.branching, findings.step
    if not findings.sized or len(rows) < 2 or constant_branching(findings):
        return None
    series = [Series("per position", [row["moves_per_position"] for row in rows], INK, "o")]
    if _counted(findings) and not _alike(findings):
        series.append(Series("per history", [row["moves_per_history"] for row in rows], AMBER, "^", (0, (5, 2))))
    steps, what = [row[step] for row in rows], f"legal moves, mean, by {step}"
    figure = panels.line_chart(2.4, steps, step, series, what, linear=True)
    return Picture("branching", "Branching", _branching_caption(findings), _branching_alternative(findings), figure)


def constant_branching(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    rows = findings.branching if findings.sized else []
    means = {mean(row[key]) for row in rows for key in ("moves_per_position", "moves_per_history") if row[key]}
    if len(rows) < 2 or len(means) > 1:
        return None
    return f"The mean is {_mean(rows[0])} at each {findings.step} in which anybody can move."


def _counted(findings: Findings) -> bool:
    return any(row["moves_per_history"] is not None for row in findings.branching)


def _alike(findings: Findings) -> bool:
    """Whether both means are the same at every step."""
    rows = findings.branching
    return _counted(findings) and all(
        abs(row["moves_per_position"] - (row["moves_per_history"] or 0)) < SAME for row in rows
    )


def _branching_caption(findings: Findings) -> str:
    said = f"Legal moves, on average over the positions of a {findings.step} in which the game goes on"
    if _alike(findings):
        return said + (
            ". The mean over the sequences of moves that lead there and can go on, in which a position that can be "
            f"reached in more ways weighs more, is the same at every {findings.step}: one line is both."
        )
    if _counted(findings):
        said += " (circles), and over the sequences of moves that lead there and can go on (triangles): a position "
        said += "that can be reached in more ways weighs more"
    return said + "."


def _branching_alternative(findings: Findings) -> str:
    rows, step = findings.branching, findings.step
    first, last, most = rows[0], rows[-1], max(rows, key=lambda row: row["moves_per_position"])
    over_all = sum(row["moves_per_position"] * row["positions"] for row in rows) / sum(row["positions"] for row in rows)
    peak = "the most," if most is first else f"at most {_mean(most)} on average, at {step} {most[step]},"
    return (
        f"Line chart. {_mean(first)} moves at {step} {first[step]}, {peak} and {_mean(last)} at {step} {last[step]}, "
        f"the last in which anybody can move. Over all these positions the mean is {mean(over_all)}."
    )


def _mean(row: dict[str, float]) -> str:
    return mean(row["moves_per_position"])
