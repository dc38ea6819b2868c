"""Whether two games are one, written in two ways: position by position, from the start on."""

from __future__ import annotations

import collections

from analysis.engine.sample import Fault, Found, Sample
from analysis.rules.game import Game, Rules

MOST = 200_000
"""Positions that are compared, at most."""


def same_game(sample: Sample, other: Game) -> Found:
    """Both games have the same movers, ends and moves in every position, and equal positions after equal moves."""
    rules, theirs = sample.rules, other.rules()
    image, original = {rules.start: theirs.start}, {theirs.start: rules.start}
    waiting = collections.deque([rules.start])
    while waiting and len(image) <= MOST:
        state = sample.at = waiting.popleft()
        yield _differs(sample, state, theirs, other, image[state])
        for code, child, there in paired_moves(sample, state, other, image[state]):
            if child not in image and there not in original:
                waiting.append(child)
            if image.setdefault(child, there) != there or original.setdefault(there, child) != child:
                met = (other.format_position(image[child]), sample.text(original[there]))
                one = f"the position after it is {other.format_position(there)} of {other.spec}"
                yield sample.fault(f"{one}, which was met before as {met[1]}, or it was met as {met[0]}", state, code)
    sample.at = None


def _differs(sample: Sample, state: int, theirs: Rules, other: Game, image: int) -> Fault | None:
    """Return what differs between a position and the one of the other game that the same moves lead to."""
    rules, there = sample.rules, f"in {other.format_position(image)} of {other.spec}"
    told = {
        "the payoff": (rules.payoff(state), theirs.payoff(image)),
        "the number of moves": (len(rules.moves(state)), len(theirs.moves(image))),
        "who moves": (rules.mover(state), theirs.mover(image)) if rules.moves(state) else (0, 0),
    }
    for what, (mine, its) in told.items():
        if mine != its:
            return sample.fault(f"{what} is {mine} here and {its} {there}", state)
    return None


def paired_moves(sample: Sample, state: int, other: Game, image: int) -> list[tuple[int, int, int]]:
    """Return each move's code, the position after it and that of the other game after the same move: of the same name
    where all have one, else in the order of their codes.
    """
    moves, its = sample.rules.moves(state), other.rules().moves(image)
    named = {other.format_move(code): child for code, child in its}
    if {sample.game.format_move(code) for code, _ in moves} == {*named}:
        return [(code, child, named[sample.game.format_move(code)]) for code, child in moves]
    return [(code, child, there) for (code, child), (_, there) in zip(moves, its, strict=False)]
