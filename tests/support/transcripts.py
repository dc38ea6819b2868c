"""Sessions at a console, each a ``$ command`` with what it prints, and what of it may change from run to run."""

from __future__ import annotations

import re

CHANGING = re.compile(r"  \d+\.\d{3}(?=(  max-nodes)?$)|, \d+\.\d s$|; [\d,]+ a second$| in \d+\.\d s\.?$")
"""What takes time, at the end of a line or before why a search stopped."""


def commands(session: str) -> list[tuple[str, str]]:
    """The commands of a session without the ``$``, and what each prints."""
    blocks = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    return [(command, printed) for command, _, printed in (block.partition("\n") for block in blocks)]


def comparable(text: str) -> list[str]:
    """Lines without padding, without frames (as wide as the line on files), times, keys and the protocol."""
    lines = [CHANGING.sub("", line.rstrip(" │")) for line in text.strip("\n").splitlines()]
    kept = [line for line in lines if not line.startswith(("╭", "╰", "│ files", "Searched to", "To draw the same"))]
    return kept[:-1] if kept and not kept[-1] else kept


def fits(found: list[str], wanted: list[str]) -> bool:
    """Whether the lines are those wanted, where ``...`` stands for any number of lines."""
    if not wanted:
        return not found
    if wanted[0] == "...":
        return any(fits(found[skipped:], wanted[1:]) for skipped in range(len(found) + 1))
    return found[:1] == wanted[:1] and fits(found[1:], wanted[1:])
