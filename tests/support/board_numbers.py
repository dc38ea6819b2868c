"""The published and computed numbers of the games on boards, from tests/golden."""

from tests.support import golden

BOARDS = ("connect", "wild", "notakto", "hex", "domineering", "chomp")
TIERED = ("chomp",)
NOT_TABLES = ("by_ply", "winner", "bite")


def spec_of(family, parameters):
    return f"{family}:" + ",".join(f"{name}={value}" for name, value in parameters)


def tables(family):
    """Specification and known numbers of every row; the columns before ``value`` are the parameters."""
    text = (golden.FOLDER / f"{family}.txt").read_text()
    columns = text.split("# columns: ")[1].split("\n")[0].split(",")
    split = columns.index("value")
    for line in golden.lines(f"{family}.txt"):
        if not line.startswith(NOT_TABLES):
            fields = line.split(",")
            numbers = dict(zip(columns[split:], fields[split:], strict=True))
            parameters = zip(columns[:split], fields[:split], strict=True)
            yield spec_of(family, parameters), {name: int(n) for name, n in numbers.items() if n}


ROWS = [row for family in BOARDS for row in tables(family)]
SMALL = [row for row in ROWS if row[1].get("positions", 1e9) <= 1000]
MIDDLE = [row for row in ROWS if row[1].get("positions", 1e9) <= 200_000]
ODD = [row for row in SMALL if row[1]["positions"] in (1, 2, 32, 450, 500, 504, 920)]
LARGE = [row for row in ROWS if 200_000 < row[1].get("positions", 0) < 7e7]


def family_of(spec):
    return spec.partition(":")[0]


def published_connect():
    """The rows of large boards of connect."""
    rows = [line.split(",") for line in golden.lines("connect.txt")]
    return [row for row in rows if row[0].isdigit() and len(row) > 6 and row[2:4] == ["4", "false"] and int(row[0]) > 3]


def other_lines(family, kind):
    return [line.split(",")[1:] for line in golden.lines(f"{family}.txt") if line.startswith(kind)]


def winners():
    """Domineering: who wins where V begins, and where H does."""
    for rows, cols, winner in other_lines("domineering", "winner"):
        for first in "VH":
            first_wins = winner == "1" or winner == first
            yield spec_of("domineering", (("rows", rows), ("cols", cols), ("first", first))), 1 if first_wins else -1
