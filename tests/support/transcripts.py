"""Sessions at a console, each a ``$ command`` with what it prints, and what of it may change from run to run."""

import re
from collections.abc import Sequence

CHANGING = re.compile(r"  \d+\.\d{3}(?=(  max-nodes)?$)|, \d+\.\d s$|; [\d,]+ a second$| in \d+\.\d s\.?$")
"""What takes time, at the end of a line or before why a search stopped."""

TYPED = re.compile(r"(?<=to move: )(.+)$", re.MULTILINE)
"""What a person answers who plays."""


def written_files(page: str) -> dict[str, str]:
    """The files that a page has a reader write."""
    return dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.DOTALL))


def commands(session: str) -> list[tuple[str, str]]:
    """The commands of a session without the ``$``, and what each prints."""
    blocks = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    return [(command, printed) for command, _, printed in (block.partition("\n") for block in blocks)]


def comparable(text: str) -> list[str]:
    """Lines without padding, without frames (as wide as the line on files), times, keys and the protocol."""
    lines = [CHANGING.sub("", line.rstrip(" │")) for line in text.strip("\n").splitlines()]
    kept = [line for line in lines if not line.startswith(("╭", "╰", "│ files", "Searched to", "To draw the same"))]
    return kept[:-1] if kept and not kept[-1] else kept


def places(found: Sequence[object], wanted: Sequence[object]) -> list[int] | None:
    """Where the lines wanted are among those found, if these are all, but for what ``...`` stands for: any number of
    lines. Where it stands itself is -1.
    """
    if not wanted:
        return None if found else []
    first, *rest = wanted
    if first == "...":
        for skipped in range(len(found) + 1):
            after = places(found[skipped:], rest)
            if after is not None:
                return [-1, *(place + skipped if place >= 0 else place for place in after)]
        return None
    if not found or found[0] != first:
        return None
    after = places(found[1:], rest)
    return None if after is None else [0, *(place + 1 if place >= 0 else place for place in after)]


def fits(found: Sequence[object], wanted: Sequence[object]) -> bool:
    """Whether the lines are those wanted, where ``...`` stands for any number of lines."""
    return places(found, wanted) is not None
