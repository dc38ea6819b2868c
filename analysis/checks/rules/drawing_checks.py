"""The check of the contract that is about how positions are drawn and pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.checks.rules.sample import Fault, Look, Sample
from analysis.rules.answers import wrong_answer

Found = Iterator[Fault | None]

FEW = 250
"""Positions that are looked at."""


def boards(sample: Sample) -> Found:
    """grid(), picture(), caption() and cell_of() give what can be drawn and pointed at."""
    game = sample.game
    for look in sample.each(most=FEW):
        grid = game.grid(look.state)
        answers = {"grid": grid, "picture": game.picture(look.state), "caption": game.caption(look.state)}
        fault = next(filter(None, (_misdrawn(sample, look, *answer) for answer in answers.items())), None)
        for code in look.codes if fault is None else ():
            fault = fault or _misdrawn(sample, look, "cell_of", game.cell_of(look.state, code), grid, code)
        yield fault


def _misdrawn(
    sample: Sample, look: Look, name: str, answer: Any, grid: list[list[str]] | None = None, code: int | None = None
) -> Fault | None:
    reason = wrong_answer(name, answer, grid)
    return sample.fault(f"{name}() gives {answer!r}; {reason}", look.state, code) if reason else None
