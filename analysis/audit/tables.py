"""Read rows with named columns, one by one, from a file or Python object: CSV, JSON, JSON lines, Parquet or text.

Text stays text in every format: a reader that guesses numbers would turn the path ``0124`` into 124. Python's own csv
and json are used, since those of pyarrow do not tell the line of an error, cannot mix paths as texts and as lists, and
accept an unclosed quotation mark. Text is UTF-8, UTF-16, or cp1252 where it can be nothing else.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import GametreeError, InputError, OptionError
from ..machine.files import reason
from ..machine.markup import from_cell
from ..wording import whole

NAMES: dict[str, tuple[str, ...]] = {
    "path": ("path", "backtracker", "moves", "movelist", "movesequence", "sequence", "gamemoves", "history", "pgn"),
    "position": ("position", "state", "prestate", "board", "boardstate", "boardbefore", "statebefore", "before"),
    "code": ("code",),
    "move": ("move", "action", "cell", "square", "choice", "movemade"),
    "row": ("row",),
    "col": ("col", "column"),
    "game": ("game", "gameid", "gameno", "gamenumber", "gamenum", "gameindex", "match", "matchid", "episode",
             "episodeid", "id"),
    "number": ("number", "movenumber", "moveno", "movenum", "moveindex", "moveid", "moveorder", "ply", "plyno", "step",
               "order", "no", "turnnumber", "turnno", "turn"),
    "player": ("player", "playername", "playerid", "mover", "side", "symbol", "mark", "who", "token", "piece", "colour",
               "color", "currentplayer", "sidetomove", "tomove", "turn"),
    "x": ("x", "xplayer", "playerx", "player1", "p1", "white", "first", "firstplayer"),
    "o": ("o", "oplayer", "playero", "player2", "p2", "black", "second", "secondplayer"),
    "outcome": ("outcome", "result", "winner", "class", "gameresult", "gameoutcome", "finalresult", "xoutcome",
                "xresult", "wonby"),
    "outcome_o": ("ooutcome", "oresult", "outcomeo", "resulto"),
    "side": ("side", "playedas", "seat", "symbol", "mark"),
}  # fmt: skip
"""Role -> names of its columns as `plain` has them, the preferred one first."""

WINNERS = ("winner", "wonby")
"""Outcome columns in which 1 and 2 number the players."""

STEMS = ("move", "m", "mv", "ply", "turn", "step", "cell", "square", "action")
"""Stems of numbered columns that hold a move each."""

PEOPLE = frozenset(
    ("student", "studentid", "studentname", "pupil", "learner", "candidate", "participant", "subject", "person", "user",
     "username", "userid", "email", "netid", "author", "team", "submission", "agent", "bot", "model", "policy",
     "algorithm")
)  # fmt: skip
"""Columns that say who chose, where no player is named."""
OF_GAMES = frozenset(("game", "gameid", "payoff", "plies"))
"""Columns of a game and its result; sums by their values say nothing of who played."""

_NUMBERED = re.compile(r"(.*?)0*([0-9]{1,4})", re.ASCII).fullmatch

_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0+)?", re.ASCII).fullmatch

FORMATS = ("csv", "json", "jsonl", "parquet", "text")
SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
}  # fmt: skip

NO_TEXT = "is not UTF-8 text; write CSV, JSON lines or Parquet"
_UNDECODED = re.compile("[\udc80-\udcff]").search
"""Whether a text has bytes that could not be decoded."""
_IN_A_WORD = re.compile(r"[A-Za-z][^\W\d_A-Za-z]|[^\W\d_A-Za-z][A-Za-z]").search
"""Whether an accented letter stands next to a plain one, which is rare in anything but text."""

LONGEST_LINE = 1 << 20
"""Limit on the bytes of a line."""

MOST_JSON = 1 << 28
"""Limit on the bytes of a JSON file, which is read as a whole."""

PEEKED = 100
"""Rows examined to learn the columns where rows name their own."""


class RowError(GametreeError, ValueError):
    """A file of games or choices, or a row of it, that cannot be read; the message says which."""

    exit_code = 2


Row = tuple[int, Mapping[str, Any] | RowError]
"""The number of a row, as people count it, with its values by column or what is wrong with it."""


class RowTable(NamedTuple):
    """A table that can be read once."""

    name: str
    """Its name in messages, such as ``games.csv``."""
    unit: str
    """What its numbers count: ``line`` or ``row``."""
    columns: tuple[str, ...]
    rows: Iterator[Row]
    first: Mapping[str, Any] | None
    """The first good row, if any."""
    empty: bool
    """Whether there are no rows, so that this can be reported before anything is solved."""
    notes: list[str]
    """What else was recognised, such as an encoding; complete once all rows were read."""

    @classmethod
    def of(
        cls,
        name: str,
        unit: str,
        rows: Iterator[Row],
        columns: tuple[str, ...] | None = None,
        notes: list[str] | None = None,
    ) -> RowTable:
        """Return the table of these rows; without ``columns``, those of the first rows are collected."""
        begun, good = list[Row](), list[Mapping[str, Any]]()
        for row in rows:
            begun.append(row)
            if not isinstance(row[1], RowError):
                good.append(row[1])
            if len(good) == PEEKED or columns is not None:
                break
        if columns is None:
            if begun and not good:
                raise begun[0][1]  # type: ignore[misc]
            columns = tuple(dict.fromkeys(itertools.chain.from_iterable(good)))
        first = good[0] if good else None
        return cls(name, unit, columns, itertools.chain(begun, rows), first, not begun, [] if notes is None else notes)

    def error(self, number: int, problem: object) -> RowError:
        """Return an error that says where it is."""
        return RowError(f"{self.name}, {self.unit} {number}: {problem}")


@contextlib.contextmanager
def table_of(rows: Any, form: str | None = None) -> Iterator[RowTable]:
    """Open a file, standard input (``-``) or a Python object (see `rows_of`) as a table of rows. The format of a file
    follows from its suffix or first bytes unless ``form`` names it. Raises `OptionError` for an unknown format,
    `InputError` where the file cannot be read, `RowError` where it has another format.
    """
    if form is not None and form not in FORMATS:
        raise OptionError(f"unknown input format {form!r}; formats are {', '.join(FORMATS)}")
    if not isinstance(rows, (str, Path)):
        yield rows_of(rows)
        return
    form = form or SUFFIXES.get(Path(rows).suffix.lower())
    with contextlib.ExitStack() as open_files:
        file, name = _opened(str(rows), open_files)
        if form == "parquet":
            yield _parquet(file if file.seekable() else io.BytesIO(file.read()), name)
            return
        notes: list[str] = []
        lines = _lines(file, name, form, notes)
        first = next(lines, "")
        yield _TEXTS[form or _guess(first)](itertools.chain([first], lines), name)._replace(notes=notes)


def rows_of(given: Any) -> RowTable:
    """Return a table of a data frame or of mappings, backtrackers or lists of moves. Raises `RowError`."""
    if hasattr(given, "itertuples"):
        columns = _columns(given.columns, "rows")
        rows = (dict(zip(columns, row, strict=True)) for row in given.itertuples(index=False))
        return RowTable.of("rows", "row", enumerate(rows, 1))
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise RowError(f"rows must be a data frame or a list of mappings or backtrackers, not {type(given).__name__}")
    found = (row if isinstance(row, Mapping) else {"path": row} for row in given)
    return RowTable.of("rows", "row", _mappings(enumerate(found, 1), "rows, row"))


def missing(value: Any) -> bool:
    """Return whether a value is absent: None, NaN, or pandas' NA.

    >>> missing(None), missing(float("nan")), missing(0), missing("")
    (True, True, False, False)
    """
    if value is None or isinstance(value, str):
        return value is None
    return type(value).__name__ == "NAType" or (isinstance(value, Number) and value != value)


def number_of(value: Any) -> int | None:
    """Return a whole number, also from a text; None for anything else.

    >>> [number_of(value) for value in (4, 4.0, " 4 ", "4.0", "b2", True, None)]
    [4, 4, 4, 4, None, None, None]
    """
    if isinstance(value, str):
        found = _WHOLE(value.strip())
        return int(found[1]) if found else None
    if isinstance(value, bool) or not hasattr(value, "__int__"):
        return None
    try:
        return int(value) if int(value) == value and 0 <= value < 1 << 30 else None
    except (ArithmeticError, TypeError, ValueError):
        return None


def name_of(player: Any) -> str | None:
    """Return a player's name, or None."""
    if not isinstance(player, str):
        player = "" if missing(player) else str(player)
    return player.strip() or None


# Names of columns -----------------------------------------------------------------------------------------------------


def plain(name: str) -> str:
    """Return the name of a column without differences of spelling.

    >>> plain("Game ID"), plain("move_number"), plain("Move #")
    ('gameid', 'movenumber', 'moveno')
    """
    return re.sub(r"[\W_]+", "", name.lower().replace("#", "no"))


def numbered(columns: Sequence[str], stems: Sequence[str] = STEMS) -> tuple[str, ...]:
    """Return the columns that hold a move each, in order: two or more with consecutive numbers from 0 or 1.

    >>> numbered(["id", "Move 2", "Move 1", "class"])
    ('Move 1', 'Move 2')
    """
    for stem in stems:
        found = {int(match[2]): name for name in columns if (match := _NUMBERED(plain(name))) and match[1] == stem}
        numbers = sorted(found)
        if len(numbers) > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1:
            return tuple(found[number] for number in numbers)
    return ()


def is_header(names: Sequence[str]) -> bool:
    """Return whether these could be the columns of a table of games or choices.

    >>> is_header(["path", "x"]), is_header(["game", "row", "col"]), is_header(["0", "4"]), is_header(["a1 b2"])
    (True, True, False, False)
    """
    found = {role for role, called in NAMES.items() if not {*called}.isdisjoint(map(plain, names))}
    moves = found & {"move", "code", "row", "col"}
    return bool("path" in found or (moves and found & {"position", "game", "number"}) or moves >= {"row", "col"}) or (
        bool(numbered(names)) or "position" in found
    )


def delimiter(header: str) -> str:
    """Return what separates the columns of this header: a comma, semicolon, tab or bar.

    >>> delimiter("path;x,y;o"), delimiter("path")
    (';', ',')
    """
    known = {name for called in NAMES.values() for name in called}

    def recognised(sign: str) -> tuple[bool, int, int]:
        names = [plain(name) for name in header.split(sign)]
        return is_header(names), sum(name in known for name in names), len(names)

    return max(",;\t|", key=recognised)


# Opening --------------------------------------------------------------------------------------------------------------


def _opened(path: str, open_files: contextlib.ExitStack) -> tuple[IO[bytes], str]:
    if path == "-":
        if sys.stdin is None:
            raise InputError("cannot read standard input: it is closed")
        return sys.stdin.buffer, "standard input"
    try:
        return open_files.enter_context(Path(path).open("rb")), path
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None


def _lines(file: IO[bytes], name: str, form: str | None, notes: list[str]) -> Iterator[str]:
    """Yield the lines as text, with their ends but no byte order mark; bytes that cannot be decoded become surrogates.
    An encoding other than UTF-8 is noted.
    """
    buffered = file if hasattr(file, "peek") else io.BufferedReader(file)  # type: ignore[arg-type,type-var]
    head = buffered.peek(64)[:64]
    if head.startswith(b"PAR1"):
        raise RowError(f"{name} looks like a Parquet file; add --input parquet")
    encoding = _encoding(head, name)
    if b"\0" in head and encoding == "utf-8-sig":
        raise RowError(f"{name} is a binary file, not a file of games or choices")
    whole_file = form == "json" or (form is None and head.strip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] in (b"[", b"{"))
    longest = MOST_JSON if whole_file else LONGEST_LINE
    if encoding != "utf-8-sig":
        notes.append(f"read as {encoding.upper()}")
    text = io.TextIOWrapper(buffered, encoding, errors="surrogateescape", newline="")  # type: ignore[type-var]
    is_utf8 = encoding != "utf-8-sig"  # whether a line is, or need not be, UTF-8 with more than ASCII
    try:
        for number in itertools.count(1):
            line = text.readline(longest)
            if len(line) == longest:
                raise RowError(f"{name}, line {number} has more than {longest:,} bytes: not a file of games or choices")
            if not line:
                return
            if not is_utf8 and not line.isascii():
                is_utf8 = not _UNDECODED(line)
                line = line if is_utf8 else _western(line, notes)
            yield line
    except UnicodeError:
        raise RowError(f"{name} is damaged: it starts in {encoding.upper()} but does not continue so") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {reason(error)}") from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            text.detach()  # whoever opened the file closes it


def _encoding(head: bytes, name: str) -> str:
    """Return the encoding of a file that begins with these bytes. Raises `RowError` for UTF-32."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise RowError(f"{name} is UTF-32; save it as UTF-8")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if zeros and not any(zeros) and all(others):
            return encoding
    return "utf-8-sig"


def _western(line: str, notes: list[str]) -> str:
    """Return a line that is not UTF-8 as cp1252 if it then looks like text, and note that; otherwise as it is."""
    try:
        text = line.encode("utf-8", "surrogateescape").decode("cp1252")
    except UnicodeDecodeError:
        return line
    if "\0" in text or not (notes or _IN_A_WORD(text)):
        return line
    notes[:] = ["read as cp1252, since it is not UTF-8"]
    return text


def _guess(first: str) -> str:
    """Guess the format of a file from its first line."""
    if first.lstrip()[:1] in ("{", "["):
        try:
            found = json.loads(first)
        except (ValueError, RecursionError):
            return "jsonl" if first.startswith("{") and first.strip() != "{" else "json"
        moves = isinstance(found, list) and all(isinstance(each, (str, int)) or _is_pair(each) for each in found)
        return "text" if moves and found else "jsonl" if isinstance(found, dict) else "json"
    return "csv" if is_header([name.strip(' "\n\r') for name in first.split(delimiter(first))]) else "text"


def _is_pair(move: Any) -> bool:
    return isinstance(move, list) and len(move) == 2 and all(isinstance(part, int) for part in move)


# Formats --------------------------------------------------------------------------------------------------------------


def _csv(lines: Iterator[str], name: str) -> RowTable:
    first = next(lines, "")
    reader = csv.reader(itertools.chain([first], lines), strict=True, delimiter=delimiter(first))

    def numbered_rows() -> Iterator[tuple[int, list[str]]]:
        try:
            yield from ((reader.line_num, row) for row in reader if row)
        except csv.Error as error:
            said = "a line ends inside it" if "new-line" in str(error) else error
            raise RowError(f"{name}, line {reader.line_num}: invalid CSV: {said}") from None

    rows = numbered_rows()
    header = next(rows, (0, []))[1]
    while len(header) > 1 and not header[-1].strip():  # a comma at the end of each line
        header.pop()
    if any(map(_UNDECODED, header)):
        raise RowError(f"{name}, line 1 {NO_TEXT}")
    columns = _columns(map(from_cell, header), name)

    def mappings() -> Iterator[Row]:
        for number, row in rows:
            if len(row) > 1 and not any(map(str.strip, row)):
                continue
            if len(row) < len(columns) or any(map(str.strip, row[len(columns) :])):
                said = f"{len(row)} fields where the header has {len(columns)}"
                yield number, RowError(f"{name}, line {number}: {said}")
            elif any(map(_UNDECODED, row)):
                yield number, RowError(f"{name}, line {number} {NO_TEXT}")
            else:
                yield number, dict(zip(columns, map(from_cell, row), strict=False))

    return RowTable.of(name, "line", mappings(), columns)


def _jsonl(lines: Iterator[str], name: str) -> RowTable:
    def records() -> Iterator[tuple[int, Any]]:
        for number, line in _lines_of_text(lines):
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                what = NO_TEXT if _UNDECODED(line) else "is not JSON; each line must be one object"
                yield number, RowError(f"{name}, line {number} {what}")

    return RowTable.of(name, "line", _mappings(records(), f"{name}, line"))


def _json(lines: Iterator[str], name: str) -> RowTable:
    """Read an array of records, an object that holds one, or JSON lines."""
    parts, size = [], 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size > MOST_JSON:
            raise RowError(f"{name} has more than {MOST_JSON:,} characters of JSON; write JSON lines")
    content = "".join(parts)
    if _UNDECODED(content):
        raise RowError(f"{name} {NO_TEXT}")
    try:
        found = json.loads(content)
    except RecursionError:
        raise RowError(f"{name}: not JSON of games or choices") from None
    except ValueError as error:
        if content.lstrip().startswith("["):
            where = f"{name}, line {error.lineno}" if isinstance(error, json.JSONDecodeError) else name
            raise RowError(f"{where}: invalid JSON: {error}") from None
        return _jsonl(iter(content.splitlines(keepends=True)), name)
    records = ({"path": row} if isinstance(row, (list, str)) else row for row in _records_of(found))
    return RowTable.of(name, "row", _mappings(enumerate(records, 1), f"{name}, row"))


def _records_of(found: Any) -> Sequence[Any]:
    """Return the records of a JSON document: an array, an object's only array, a data frame's columns, or one."""
    if isinstance(found, list):
        return [found] if found and not any(isinstance(each, (dict, list, str)) for each in found) else found
    if not isinstance(found, dict) or not found:
        return [found]
    if isinstance(found.get("paths"), list):  # as `gametree paths` writes them
        return found["paths"]
    columns = list(found.values())
    if all(isinstance(column, dict) for column in columns):
        return [{name: column.get(key) for name, column in found.items()} for key in columns[0]]
    if len(columns) > 1 and all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        return [dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True)]
    arrays = [each for each in columns if isinstance(each, list) and each and isinstance(each[0], dict)]
    return arrays[0] if len(arrays) == 1 else [found]


def _text(lines: Iterator[str], name: str) -> RowTable:
    def row(number: int, line: str) -> Row:
        return number, RowError(f"{name}, line {number} {NO_TEXT}") if _UNDECODED(line) else {"path": line}

    return RowTable.of(name, "line", (row(number, line) for number, line in _lines_of_text(lines)), ("path",))


def _lines_of_text(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, stripped."""
    return ((number, line) for number, line in enumerate(map(str.strip, lines), 1) if line)


def _mappings(records: Iterable[tuple[int, Any]], place: str) -> Iterator[Row]:
    """Yield rows that name their own columns, in any case; ``place`` precedes their number in messages."""
    known: dict[tuple[Any, ...], tuple[str, ...]] = {}
    for number, record in records:
        if isinstance(record, RowError):
            yield number, record
        elif not isinstance(record, Mapping):
            yield number, RowError(f'{place} {number} is not an object; write {{"path": "0124"}}')
        else:
            own = tuple(record)
            try:
                if own not in known:  # most records have the same keys as the one before
                    known = {own: _columns(own, f"{place} {number}")}
            except RowError as error:
                yield number, error
            else:
                yield number, dict(zip(known[own], record.values(), strict=True))


def _parquet(file: IO[bytes], name: str) -> RowTable:
    import pyarrow as pa

    from ..solution.storage.parquet import open_parquet
    from ..solution.storage.parquet import rows_of as parquet_rows

    try:
        table = open_parquet(file)
        names = table.schema_arrow.names
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise RowError(f"{name} is damaged, or not a Parquet file: {reason(error).splitlines()[0]}") from None
    columns = _columns(names, name)

    def rows() -> Iterator[Mapping[str, Any]]:
        try:
            for values in parquet_rows(table, name):
                yield from (dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True))
        except GametreeError:
            raise
        except (OSError, pa.ArrowException) as error:
            raise RowError(f"{name} is damaged: {reason(error).splitlines()[0]}") from None

    return RowTable.of(name, "row", enumerate(rows(), 1), columns)


def _columns(names: Iterable[Any], table: str) -> tuple[str, ...]:
    """Return names of columns in lower case. Raises `RowError` for duplicates."""
    columns = tuple(whole(str(name)).strip().lower() for name in names)
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise RowError(f"{table} has two columns called {twice!r}")
    return columns


_TEXTS: dict[str, Callable[[Iterator[str], str], RowTable]] = {
    "csv": _csv, "json": _json, "jsonl": _jsonl, "text": _text,
}  # fmt: skip
