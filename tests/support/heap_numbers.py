"""The published and computed numbers of heap and scoring games, from tests/golden."""

from tests.support.golden import lines
from tests.support.graph_oracle import GraphOracle

COLUMNS = ["value", "remoteness_plies", "positions", "moves", "terminal", "games"]
PARAMETERS = {
    "nim": ["heaps", "take", "misere"],
    "kayles": ["pins"],
    "grundy": ["heap"],
    "dots_and_boxes": ["rows", "cols"],
    "othello": ["size"],
}
MOST_POSITIONS = 6_500
"""What the brute force here takes on."""


def golden_rows() -> list[tuple[str, str | None, dict[str, int]]]:
    """A specification, a position to start from or None, and the numbers."""
    found = []
    for family, names in PARAMETERS.items():
        for line in lines(f"{family}.txt"):
            if ":" in line:
                continue
            *given, last = line.split(",")[: -len(COLUMNS)]
            position = None if family != "othello" or last == "start" else last
            values = given if family == "othello" else [*given, last]
            spec = f"{family}:" + ",".join(f"{n}={v}" for n, v in zip(names, values, strict=True))
            numbers = map(int, line.split(",")[-len(COLUMNS) :])
            found.append((spec, position, dict(zip(COLUMNS, numbers, strict=True))))
    return found


def golden_lists(family: str) -> dict[str, list[int]]:
    """What follows ``nimbers`` and the like, by what precedes the colon."""
    pairs = (line.split(":") for line in lines(f"{family}.txt") if ":" in line)
    return {name: list(map(int, numbers.split())) for name, numbers in pairs}


ROWS = golden_rows()
SMALL = [row for row in ROWS if row[2]["positions"] <= MOST_POSITIONS]


def numbers_of(oracle: GraphOracle) -> dict[str, int]:
    """The same numbers as the golden ones, by brute force."""
    start = oracle.start
    found = (
        oracle.value(start),
        oracle.remoteness(start),
        len(oracle.positions),
        oracle.move_count,
        sum(map(oracle.over, oracle.positions)),
        oracle.games(start).total(),
    )
    return dict(zip(COLUMNS, found, strict=True))
