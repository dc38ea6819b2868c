"""Windows by name."""

from __future__ import annotations

import re

from analysis.errors import OptionError
from analysis.search.kernels.layout import GREATEST_PAYOFF
from analysis.search.problem import SearchProblem, Window


def parse_window(text: str, problem: SearchProblem) -> Window:
    """``full``: every value; ``value``: the least and the greatest payoff that a leaf can have; ``null:B``: from B - 1
    to B, which only asks whether the value is at least B. Raises `OptionError`.
    """
    name, _, rest = text.strip().partition(":")
    if name == "full" and not rest:
        return Window()
    if name == "value" and not rest:
        least, greatest = problem.payoffs
        if least == greatest:
            raise OptionError(f"window value is empty: every payoff of {problem.name} is {least}")
        return Window(least, greatest, "value")
    if name == "null" and re.fullmatch("[+-]?[0-9]{1,18}", rest) and abs(int(rest)) < GREATEST_PAYOFF:
        return Window(int(rest) - 1, int(rest), f"null:{int(rest)}")
    raise OptionError(f"window {text!r} is unknown; it is full, value or null:B, with B the bound to ask for")
