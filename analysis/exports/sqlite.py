"""An SQLite database: positions, moves, a view of the optimal moves, and facts about the solution as a whole.

Flags are 0 and 1. All columns are INTEGER or TEXT, so that DuckDB's reader of SQLite files, which goes by the declared
type, gets every value; counts beyond 63 bits, which INTEGER cannot hold, make their whole column text. ``moves`` has
every legal move of each position in the file; ``child`` is NULL if the class after it is not in the file, so that
foreign keys hold in a part too.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import pyarrow as pa

from analysis.engine.columns import NEVER, column
from analysis.exports.part import Block, Part, worth_column
from analysis.solution.counts import OUTCOMES
from analysis.wording import whole

APPLICATION_ID = int.from_bytes(b"gmtr", "big")
"""``PRAGMA application_id``, by which tools such as file(1) recognise these databases."""
SCHEMA_VERSION = 1
"""``PRAGMA user_version``."""

_SETTINGS = f"""
PRAGMA page_size = 8192;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA cache_size = -32768;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""
"""Unfinished files are discarded: no journal, no syncs. 32 MiB are cached, since states of tiers interleave."""

_MOVES = """
CREATE TABLE moves (
    state INTEGER NOT NULL REFERENCES positions (state),
    move INTEGER NOT NULL,
    name TEXT NOT NULL,
    child INTEGER REFERENCES positions (state),
    value INTEGER NOT NULL,
    remoteness_plies INTEGER,
    optimal INTEGER NOT NULL{}
"""

_KEY, _NO_KEY = ",\n    PRIMARY KEY (state, move)\n) WITHOUT ROWID", "\n)"
"""Ends of the table of moves; equal moves of a residual class are separate rows with the same code."""

_AFTERWARDS = (
    "CREATE INDEX moves_child ON moves (child)",
    """
CREATE VIEW optimal_moves AS
SELECT m.state, p.position, p.to_move, m.move, m.name, m.child, after.position AS position_after,
    m.value, m.remoteness_plies
FROM moves AS m JOIN positions AS p ON p.state = m.state LEFT JOIN positions AS after ON after.state = m.child
WHERE m.optimal
""",
)


def write(part: Part, file: IO[bytes]) -> None:
    """Write the database to an empty named file.

    Raises `StoreError`, and SQLite's own errors (a full disk) as `OSError`, to which
    `analysis.machine.files.atomic_file` adds the name.
    """
    sized = part.solution.engine.sized
    with _database(file.name) as database:
        for number, block in enumerate(part.blocks(moves=True)):
            columns = part.columns(block)
            del columns["cut"]
            if not number:
                database.execute(_positions_table(columns, sized=sized))
                database.execute(_MOVES.format(_KEY if sized else _NO_KEY))
                database.execute("CREATE TABLE solution (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
                database.executemany("INSERT INTO solution VALUES (?, ?)", _solution(part))
            marks = ", ".join("?" * len(columns))
            rows = zip(*(values.to_pylist() for values in columns.values()), strict=True)
            database.executemany(f"INSERT INTO positions VALUES ({marks})", rows)
            database.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?)", _moves(block))
        for statement in (*_AFTERWARDS, *([] if sized else ["CREATE INDEX moves_state ON moves (state, move)"])):
            database.execute(statement)


@contextlib.contextmanager
def _database(name: str) -> Iterator[sqlite3.Connection]:
    """Open a connection with one transaction."""
    try:
        with contextlib.closing(sqlite3.connect(name, isolation_level=None)) as database:
            database.executescript(_SETTINGS)
            database.execute("BEGIN")
            yield database
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise OSError(str(error)) from None


def _positions_table(columns: Mapping[str, pa.Array], *, sized: bool) -> str:
    optional = ("to_move", "remoteness_plies", "outcome", *([] if sized else ["orbit_size"]))
    lines = []
    for name, values in columns.items():
        key = " PRIMARY KEY" if name == "state" else "" if name in optional else " NOT NULL"
        lines.append(f"    {name} {'TEXT' if pa.types.is_string(values.type) else 'INTEGER'}{key}")
    return "CREATE TABLE positions (\n" + ",\n".join(lines) + "\n)"


def _moves(block: Block) -> Iterable[tuple[Any, ...]]:
    moves = block.moves
    assert moves is not None
    codes = moves.codes.tolist()
    names = {code: whole(block.game.format_move(code)) for code in set(codes)}
    return zip(
        block.states[moves.rows].tolist(),
        codes,
        map(names.__getitem__, codes),
        column(moves.children, valid=moves.inside).to_pylist(),
        worth_column(block.game, moves.values).to_pylist(),
        column(moves.remoteness, valid=moves.remoteness != NEVER).to_pylist(),
        moves.optimal.tolist(),
        strict=True,
    )


def _solution(part: Part) -> list[tuple[str, str | None]]:
    """Return facts about the whole game, and which part of it the file holds."""
    solution, said = part.solution, part.solution.statistics()
    rows: dict[str, Any] = {
        **part.facts,
        "start_state": solution.engine.canonical(solution.engine.start),
        "canonical": said["canonical"],
        "symmetry_order": said["symmetry_order"],
        "positions": said["positions"],
        "moves": said["moves"],
        **{f"terminal_{name}": number for name, number in (said["terminal"] or dict.fromkeys(OUTCOMES)).items()},
        **{f"games_{name}": number for name, number in (said["games"] or {}).items()},
        **{name: said[name] for name in ("histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")},
    }
    texts = {name: str(int(value)) if isinstance(value, bool) else value for name, value in rows.items()}
    return [(name, None if value is None else whole(str(value))) for name, value in texts.items()]
