"""What is read off the page of a report, and how it is compared with ``gametree stats --format json``."""

from html.parser import HTMLParser

LISTS = ("by_ply", "by_tier", "games_by_length", "by_value", "by_remoteness")

READ = """
const text = node => node.textContent.trim();
return {
  keys: [...document.querySelectorAll('[data-key]')].map(e => [e.dataset.key, text(e)]),
  tables: [...document.querySelectorAll('table')].map(table => ({
    name: table.dataset.table,
    columns: [...table.tHead.querySelectorAll('th')].map(e => e.dataset.column),
    rows: [...table.tBodies[0].rows].map(row => [...row.cells].map(text)),
  })),
};
"""
"""The same as `Page` finds, as a script for a browser."""


class Page(HTMLParser):
    """The key numbers and the tables of a page, its ids, headings, links and elements."""

    VOID = ("meta", "link", "wbr", "br", "img", "input", "hr")

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.keys, self.tables, self.ids, self.links = [], [], [], []
        self.elements: list[tuple[str, dict]] = []
        self.headings: list[tuple[int, str]] = []
        self._open: list[str] = []
        self._texts: list[tuple[int, list[str], object]] = []
        self.feed(html)
        self.close()
        assert not self._open, f"not closed: {self._open}"

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.elements.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        if "href" in found:
            self.links.append(found["href"])
        if tag == "table":
            self.tables.append({"name": found["data-table"], "columns": [], "rows": []})
        elif tag == "tr" and self.tables and "tbody" in self._open:
            self.tables[-1]["rows"].append([])
        if tag not in self.VOID:
            self._open.append(tag)
            self._listen(tag, found)

    def _listen(self, tag, found):
        """Note what becomes of the text of some elements."""
        place = None
        if "data-key" in found:
            place = lambda text: self.keys.append([found["data-key"], text])  # noqa: E731
        elif "data-column" in found:
            self.tables[-1]["columns"].append(found["data-column"])
        elif tag in ("td", "th"):
            place = self.tables[-1]["rows"][-1].append
        elif tag in ("h1", "h2", "h3"):
            place = lambda text: self.headings.append((int(tag[1]), text))  # noqa: E731
        if place is not None:
            self._texts.append((len(self._open), [], place))

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if "id" in dict(attributes):
            self.ids.append(dict(attributes)["id"])

    def handle_data(self, data):
        for _, pieces, _ in self._texts:
            pieces.append(data)

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes {self._open[-1]}"
        while self._texts and self._texts[-1][0] == len(self._open):
            _, pieces, place = self._texts.pop()
            place("".join(pieces).strip())
        self._open.pop()

    def numbers(self) -> dict:
        """As `READ` finds them."""
        return {"keys": self.keys, "tables": self.tables}


def number(text: str) -> int | None:
    """A number as the page writes it; None for a dash."""
    return None if text == "\N{EN DASH}" else int(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def nimber(solution) -> int | None:
    """Of the start, as `gametree show` has it."""
    return solution[solution.start].nimber


MAYBE = (
    "terminal_x", "terminal_o", "terminal_tie", "value_x", "value_tie", "value_o", "value_draw", "games_x", "games_o",
    "games_tie", "win", "lose", "tie", "draw",
)  # fmt: skip
"""Columns that the page leaves out where they hold nothing but 0."""


def check_numbers(found: dict, stats: dict, nimber: int | None = None) -> None:
    """Every number of the statistics is on the page, and no other but the nimber of the start."""
    _check_keys(found["keys"], stats, nimber)
    for name in LISTS:
        _check_rows(name, [table for table in found["tables"] if table["name"] == name], stats.get(name))


def _check_keys(keys: list, stats: dict, nimber: int | None) -> None:
    read = {key: number(text) for key, text in keys}
    assert len(read) == len(keys)
    expected = {} if nimber is None else {"nimber": nimber}
    ends = [stats[f"terminal_{end}"] for end in ("x", "o", "tie")]
    if ends[0] is not None:
        expected["terminal"] = sum(ends)
    left_out = ("game", "start")
    numbers = {key: value for key, value in stats.items() if key not in left_out and not isinstance(value, list)}
    expected |= {key: value for key, value in numbers.items() if value is not None}
    assert read == expected


def _check_rows(name: str, tables: list, rows: list | None) -> None:
    trivial = rows is not None and len(rows) == 1 and not tables
    if rows is None or trivial:  # a game that is over at the start has no sections of plies
        assert not tables
        return
    seen = {}
    for table in tables:
        assert len(table["rows"]) == len(rows), name
        for place, column in enumerate(table["columns"]):
            cells = [number(row[place]) for row in table["rows"]]
            assert seen.setdefault(column, cells) == cells
    for column in rows[0]:
        expected = [row[column] for row in rows]
        shown = any(expected) if column in MAYBE else set(expected) != {None}
        assert (column in seen) == shown, (name, column)
        assert not shown or seen.pop(column) == expected, (name, column)
    assert not seen, f"{name} has columns that no statistics have: {list(seen)}"
