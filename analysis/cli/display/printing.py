"""Print the results of commands: for people, programs (JSON), spreadsheets (CSV), pages and papers."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analysis.errors import OptionError
from analysis.machine.markup import csv_line
from analysis.wording import visible_lines

FORMATS = ("table", "json", "csv", "markdown", "latex")

Cell = str | int | None
"""A text, a count, or None if unknown."""


class Columns(NamedTuple):
    """A table without lines."""

    names: Sequence[str]
    rows: Iterable[Iterable[Cell]]
    words: bool | Collection[str] = False
    """Whether all columns are aligned left, or which are, besides those known to hold texts."""
    gap: int = 2
    """Spaces between columns."""
    optional: Sequence[str] = ()
    """Columns left out, in this order, while the table is wider than a line."""
    details: Sequence[str] = ()
    """Columns shown only with ``--wide``."""


class Frame(NamedTuple):
    """Parts in a frame with a title."""

    title: str
    parts: Sequence[Part]


class Paragraph(str):
    """Text that wraps at the width of the terminal, with the indentation of its first line."""


class Hint(str):
    """Lines about what to do next, for terminals only."""


class Beside(NamedTuple):
    """Two blocks of lines, side by side if they fit, else one below the other."""

    left: str
    right: str


class Details(NamedTuple):
    """Parts shown only with ``--wide``."""

    parts: Sequence[Part]


Part = str | Mapping[str, str] | Columns | Frame | Beside | Details
"""Output for people: lines of text, names with facts, a table, a frame around parts, two blocks, or details."""


class Answer(NamedTuple):
    """What a command found, in each format."""

    data: Any
    """As JSON."""
    rows: Sequence[Mapping[str, Any]]
    """As CSV."""
    table: Iterable[Part]
    """For people, pages and papers."""
    columns: Sequence[str] | None = None
    """The columns of the CSV, if it may have no rows."""


def show(form: str, answer: Answer, *, wide: bool = False) -> None:
    """Print an answer in one of `FORMATS`, with ``wide`` tables. Raises `OptionError` for another format."""
    check_format(form)
    if form == "json":
        sys.stdout.write(json.dumps(answer.data, indent=2) + "\n")
    elif form == "csv":
        names = answer.columns or list(answer.rows[0])
        sys.stdout.write(shown("".join(map(csv_line, (names, *(map(row.get, names) for row in answer.rows))))))
    else:
        sys.stdout.writelines(texts(form, answer.table, wide))


def texts(form: str, parts: Iterable[Part], wide: bool) -> Iterator[str]:
    """Return the parts of an answer as text for people: ``table``, ``markdown`` or ``latex``."""
    if form == "table":
        from analysis.cli.display.rendering import rendered

        return (rendered(part, wide) for part in parts)
    from analysis.cli.display.rendering import document

    return map(shown, document(form, parts, wide))


def shown(text: str) -> str:
    """Escape control characters in output for programs if a terminal shows it.

    Raises `OptionError` if the encoding of standard output lacks a character: programs would read another one.
    """
    text = visible_lines(text) if sys.stdout.isatty() else text
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError as error:
        lacking = text[error.start]
        raise OptionError(
            f"{sys.stdout.encoding} cannot encode {lacking!r}; set PYTHONIOENCODING=utf-8, or use --format json"
        ) from None
    return text


def check_format(form: str) -> None:
    """Raise `OptionError` for an unknown format."""
    if form not in FORMATS:
        raise OptionError(f"unknown format {form!r}; choose from {', '.join(FORMATS)}")


MOVES_UNKNOWN = "Only the rules tell the moves: name their file with --game, see `gametree show --help`."

# Parts of several commands --------------------------------------------------------------------------------------------


def number(value: int | None) -> str:
    """Format a count for people, or a dash for None."""
    return "-" if value is None else f"{value:,}"


def titled(title: str, table: Columns) -> list[Part]:
    """Put an empty line and a title above a table."""
    return ["", Paragraph(title), table]


def board(grid: list[list[str]] | None) -> list[Part]:
    """Return the board with an empty line below; nothing if the game has none."""
    if not grid:
        return []
    from analysis.rules.picture import bare_board  # loads the rules, so only if needed

    return [bare_board(grid), ""]


def headed(position: str) -> str:
    """Return a position as a heading: if it is a bare number, as a state."""
    return f"state {position}" if position.isdecimal() else position


def player_name(players: tuple[str, str], letter: str | None) -> str:
    """Return the game's name for player X or O; None means that the game is over."""
    return "neither player, the game is over" if letter is None else players[0 if letter == "X" else 1]


def named(solution: Any) -> str:
    """Return the GAME_OR_DIR of a stored solution as shell words: a directory with the user game that it is of."""
    game = solution.game
    if solution.directory == Path("data") / game.slug:
        return shlex.quote(game.spec)
    return with_rules(solution.directory, game)


def with_rules(directory: Path, game: Any) -> str:
    """Return a directory as shell words, with the option for its user game."""
    origin = getattr(game, "base", game).origin
    return shlex.join([str(directory), *(["--game", game.spec] if origin else [])])


def solve_summary(solution: Any, found: Answer, steps: Sequence[str], seconds: float) -> Answer:
    """Complete the summary of a solve with its files.

    For people it is a frame around the picture of the start and the facts, the last of the parts ``found``, and the
    commands to try next.
    """
    from analysis.machine.memory import readable

    *picture, facts = found.table
    assert isinstance(facts, dict)
    sizes = [path.stat().st_size for path in solution.directory.rglob("*") if path.is_file()]
    verb = "there already (--force solves again)" if solution.was_there else f"written, {seconds:.1f} s in all"
    facts = facts | {"files": f"{solution.directory}: {len(sizes)} files, {readable(sum(sizes))}, {verb}"}
    commands = [f"stats {named(solution)}", *steps, f"verify {with_rules(solution.directory, solution.game)}"]
    program = program_name()
    data = found.data | {
        "directory": str(solution.directory), "files": len(sizes), "bytes": sum(sizes),
        "there_already": solution.was_there, "seconds": round(seconds, 3),
    }  # fmt: skip
    parts: list[Part] = [
        Frame(solution.game.spec, [*picture, facts]),
        Hint("Try next:\n" + "\n".join(f"  {program} {command}" for command in commands)),
    ]
    return Answer(data, [data], parts, [*(found.columns or ()), "directory", "seconds"])


def symmetries_answer(solved: Sequence[tuple[Any, float]], sizes: Sequence[str]) -> Answer:
    """Compare the solutions of one game with several symmetries, each with its seconds; ``sizes`` are the statistics
    that count positions and classes.
    """
    rows = [
        {
            "game": solution.game.spec,
            "symmetry": solution.symmetry,
            "symmetry_order": solution.symmetry_order,
            **{name: solution.statistics()[name] for name in sizes},
            "directory": str(solution.directory),
            "seconds": round(seconds, 3),
        }
        for solution, seconds in solved
    ]
    names = ("symmetry", "order", sizes[0], "classes", "seconds", "directory")
    table = (
        (row["symmetry"], row["symmetry_order"], *(row[name] for name in sizes),
         "there already" if solution.was_there else f"{seconds:.1f}", row["directory"])
        for row, (solution, seconds) in zip(rows, solved, strict=True)
    )  # fmt: skip
    return Answer(rows, rows, [rows[0]["game"], "", Columns(names, table, optional=["order", "directory"])])


def play_command(name: str, game: Any, **given: str | bool | None) -> str:
    """Return the command that continues a game in a terminal, with these options of ``play``, in order."""
    from analysis.solution.storage.directory import is_solution

    if getattr(game, "base", game).origin and is_solution(Path(name)):
        given = {"game": game.spec, **given}
    words = [word for option, value in given.items() if value for word in (f"--{option}", value)]
    return f"{program_name()} {shlex.join(['play', name, *(word for word in words if isinstance(word, str))])}"


def quote(text: str) -> str:
    """Return a text as a shell word, always in quotation marks.

    >>> print(quote("XO/X?"), quote("it's"))
    'XO/X?' 'it'"'"'s'
    """
    quoted = shlex.quote(text)
    return quoted if quoted != text else f"'{text}'"


def program_name() -> str:
    """Return the command by which the user can call this program again."""
    called = Path(sys.argv[0])
    if called.name == "cli.py":
        return f"python {sys.argv[0]}"
    if called.parts[-2:] == ("analysis", "__main__.py"):
        return "python -m analysis"
    if shutil.which("gametree") or called.name != "gametree":
        return "gametree"
    return os.path.relpath(called)
