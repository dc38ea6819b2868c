"""Read the published numbers in tests/golden; each file names its sources."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"

MNK_COLUMNS = [
    "value", "remoteness_plies", "positions", "nonterminal", "moves", "terminal_x", "terminal_o", "terminal_tie",
    "classes", "games_x", "games_o", "games_tie", "histories", "optimal_paths",
]  # fmt: skip


def lines(name: str) -> list[str]:
    """The lines of a file without comments."""
    return [line for text in (FOLDER / name).read_text().splitlines() if (line := text.split("#")[0].strip())]


def tictactoe() -> dict[str, str]:
    """What follows each name."""
    return dict(line.split(" ", 1) for line in lines("tictactoe.txt"))


def mnk() -> list[tuple[str, dict[str, int]]]:
    """A specification and its numbers, for the variants that the family has."""
    found = []
    for line in lines("mnk.txt"):
        rows, cols, k, variant, *numbers = line.split(",")
        if variant in ("normal", "misere"):
            spec = f"mnk:rows={rows},cols={cols},k={k},misere={str(variant == 'misere').lower()}"
            found.append((spec, dict(zip(MNK_COLUMNS, map(int, numbers), strict=True))))
    return found
