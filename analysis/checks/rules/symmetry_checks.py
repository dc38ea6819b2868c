"""The checks of the contract that are about symmetries, in plain Python."""

from __future__ import annotations

import itertools

from analysis.checks.rules.sample import FEW, Fault, Found, Look, Sample, is_state
from analysis.rules.symmetry import permute

PERMUTATIONS = 8
"""Symmetries that each position is looked at under; the group itself is checked as a whole."""
PAIRS = 4096
"""Products of two symmetries that are checked."""


def symmetry_group(sample: Sample) -> Found:
    """symmetries are a whole group."""
    group = set(sample.rules.symmetries)
    identity = tuple(range(sample.rules.cells))
    yield None if identity in group else Fault(f"the identity {identity} is not among the symmetries")
    for first, second in itertools.islice(itertools.product(sample.rules.symmetries, repeat=2), PAIRS):
        both = tuple(second[cell] for cell in first)
        yield (
            None if both in group else Fault(f"{first} and then {second} is {both}, which is not among the symmetries")
        )


def symmetric_play(sample: Sample) -> Found:
    """symmetries keep outcome, turn and moves."""
    rules = sample.rules
    identity = tuple(range(rules.cells))
    chosen = [permutation for permutation in rules.symmetries if permutation != identity]
    chosen = chosen[:: -(-len(chosen) // PERMUTATIONS) or 1]
    for look in sample.each(most=FEW):
        for permutation in chosen:
            image = sample.look(permute(look.state, permutation, rules.planes))
            children = {permute(child, permutation, rules.planes): code for code, child in look.moves}
            yield _unlike(sample, look, image, f"under the symmetry {permutation}", children, set(image.children))


def _unlike(
    sample: Sample, look: Look, image: Look, where: str, children: dict[int, int], others: set[int]
) -> Fault | None:
    """What differs between a state and its image; ``children`` leads from the images of its children to moves."""
    if image.fault is not None:
        return image.fault
    words = f"the image {sample.text(image.state)!r} {where}"
    if (look.payoff, look.mover) != (image.payoff, image.mover):
        name, mine, its = ("outcome()", look.payoff, image.payoff)
        if mine == its:
            name, mine, its = ("to_move()", look.mover, image.mover)
        return sample.fault(f"{name} gives {mine} here and {its} for {words}", look.state)
    lost = [code for child, code in children.items() if child not in others]
    if lost:
        return sample.fault(f"no move of {words} leads to the image of what this move leads to", look.state, lost[0])
    if others - set(children):
        return sample.fault(f"{words} has more moves", look.state)
    return None


def own_canonical(sample: Sample) -> Found:
    """canonical() is idempotent, leaves the start alone, and keeps outcome, turn, tier and moves."""
    canonical, tier = sample.rules.canonical, sample.rules.tier
    assert canonical is not None
    for look in sample.each([sample.rules.start, *sample.visited], most=2 * FEW):
        least = canonical(look.state)
        if not is_state(least):
            yield sample.fault(f"canonical() gives {least!r}, which is no state", look.state)
        elif canonical(least) != least:
            yield sample.fault(f"canonical() gives {least}, but of that {canonical(least)}", look.state)
        elif look.state == sample.rules.start != least:
            yield sample.fault(
                f"canonical() gives {least} for the start, which symmetries must leave alone", look.state
            )
        elif tier is not None and tier(least) != tier(look.state):
            fault = f"tier() gives {tier(look.state)} here and {tier(least)} for the canonical state {least}"
            yield sample.fault(fault, look.state)
        else:
            children = {canonical(child): code for code, child in look.moves}
            image = sample.look(least)
            others = {canonical(child) for child in image.children}
            yield _unlike(sample, look, image, "by canonical()", children, others)


def own_orbit_size(sample: Sample) -> Found:
    """orbit_size() is the same on an orbit, and not too small."""
    canonical, orbit_size = sample.rules.canonical, sample.rules.orbit_size
    assert canonical is not None
    assert orbit_size is not None
    met: dict[int, set[int]] = {}
    for look in sample.each():
        least, size = canonical(look.state), orbit_size(look.state)
        orbit = met.setdefault(least, set())
        orbit.add(look.state)
        if not isinstance(size, int) or not 1 <= size < 1 << 16:
            yield sample.fault(f"orbit_size() gives {size!r}; it is a whole number from 1 to 65,535", look.state)
        elif orbit_size(least) != size:
            fault = f"orbit_size() gives {size} here and {orbit_size(least)} for the canonical state {least}"
            yield sample.fault(fault, look.state)
        else:
            fault = f"orbit_size() gives {size}, but {len(orbit)} states have the canonical state {least}"
            yield sample.fault(fault, look.state) if len(orbit) > size else None
