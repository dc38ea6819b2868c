"""Print the results of commands: for people, programs (JSON), spreadsheets (CSV), pages and papers."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...common.markup import csv_line
from ...errors import OptionError
from .parts import Answer, Columns, Frame, Hint, Paragraph, Part

FORMATS = ("table", "json", "csv", "markdown", "latex")


def show(form: str, reply: Answer, *, wide: bool = False) -> None:
    """Print an answer in one of `FORMATS`, with ``wide`` tables. Raises `OptionError` for another format."""
    check_format(form)
    if form == "json":
        sys.stdout.write(json.dumps(reply.data, indent=2, default=json_value) + "\n")
    elif form == "csv":
        names = reply.columns or list(reply.rows[0])
        sys.stdout.write(shown("".join(map(csv_line, (names, *(map(row.get, names) for row in reply.rows))))))
    else:
        sys.stdout.writelines(texts(form, reply.table, wide))


def json_value(value: Any) -> str:
    """Return a fraction as the text that JSON has for it. Raises `TypeError` for anything else."""
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{value!r} is not a value of JSON")


def texts(form: str, parts: Iterable[Part], wide: bool) -> Iterator[str]:
    """Return the parts of an answer as text for people: ``table``, ``markdown`` or ``latex``."""
    if form == "table":
        from .rendering import rendered

        return (rendered(part, wide) for part in parts)
    from .rendering import document

    return map(shown, document(form, parts, wide))


def shown(text: str) -> str:
    """Return a text for programs. Raises `OptionError` if the encoding of standard output lacks a character, since they
    would read another one.
    """
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError as error:
        missing = text[error.start]
        raise OptionError(
            f"{sys.stdout.encoding} cannot encode {missing!r}; set PYTHONIOENCODING=utf-8, or use --format json"
        ) from None
    return text


def check_format(form: str) -> None:
    """Raise `OptionError` for an unknown format."""
    if form not in FORMATS:
        raise OptionError(f"unknown format {form!r}; choose from {', '.join(FORMATS)}")


MOVES_UNKNOWN = "Only the rules tell the moves: name their file with --game, see `gametree show --help`."

# Parts of several commands --------------------------------------------------------------------------------------------


def titled(title: str, table: Columns) -> list[Part]:
    """Put an empty line and a title above a table."""
    return ["", Paragraph(title), table]


def board(grid: list[list[str]] | None) -> list[Part]:
    """Return the board with an empty line below; nothing if the game has none."""
    if not grid:
        return []
    from ...rules.picture import bare_board  # loads the rules, so only if needed

    return [bare_board(grid), ""]


def headed(position: str) -> str:
    """Return a position as a heading: if it is a bare number, as a state."""
    return f"state {position}" if position.isdecimal() else position


def mover_name(players: tuple[str, str], position: Any) -> str:
    """Return the game's name for the player to move in a position."""
    return "neither player, the game is over" if position.terminal else players[position.to_move < 0]


def named(solution: Any) -> str:
    """Return the GAME_OR_DIR of a stored solution as shell words: a directory comes with its user game."""
    from ...solution.storage.stored_games import place_of

    game = solution.game
    if solution.directory == place_of(game):
        return shlex.quote(game.spec)
    return with_rules(solution.directory, game)


def with_rules(directory: Path, game: Any) -> str:
    """Return a directory as shell words, with the option for its user game."""
    origin = getattr(game, "base", game).origin
    return shlex.join([str(directory), *(["--game", game.spec] if origin else [])])


def solve_summary(solution: Any, summary: Answer, steps: Sequence[str], seconds: float) -> Answer:
    """Complete the summary of a solve with its files.

    For people it is a frame around the facts, the only part of ``summary``, and the commands to try next.
    """
    from ...common.memory import readable

    (facts,) = summary.table
    assert isinstance(facts, dict)
    sizes = [path.stat().st_size for path in solution.directory.rglob("*") if path.is_file()]
    resumed = getattr(solution, "resumed", False)  # games by turns only
    duration = f"{seconds:.1f} s {'since it was resumed' if resumed else 'in all'}"
    verb = "there already (--force solves again)" if solution.was_there else f"written, {duration}"
    facts = facts | {"files": f"{solution.directory}: {len(sizes)} files, {readable(sum(sizes))}, {verb}"}
    commands = [f"stats {named(solution)}", *steps, f"verify {with_rules(solution.directory, solution.game)}"]
    program = program_name()
    data = summary.data | {
        "directory": str(solution.directory), "files": len(sizes), "bytes": sum(sizes),
        "there_already": solution.was_there, "resumed": resumed, "seconds": round(seconds, 3),
    }  # fmt: skip
    parts: list[Part] = [
        Frame(solution.game.spec, [facts]),
        Hint("Try next:\n" + "\n".join(f"  {program} {command}" for command in commands)),
    ]
    return Answer(data, [data], parts, [*(summary.columns or ()), "directory", "seconds"])


def play_command(name: str, game: Any, position: str, **options: str | None) -> str:
    """Return the command that continues a game from a position in a terminal, with these options of ``play``."""
    from ...solution.storage.directory import is_solution

    if getattr(game, "base", game).origin and is_solution(Path(name)):
        options = {"game": game.spec, **options}
    words = [word for option, value in options.items() if value for word in (f"--{option}", value)]
    return f"{program_name()} {shlex.join(['play', name, position, *words])}"


def quote(text: str) -> str:
    """Return a text as a shell word, always in quotation marks.

    >>> print(quote("XO/X?"), quote("it's"))
    'XO/X?' 'it'"'"'s'
    """
    quoted = shlex.quote(text)
    return quoted if quoted != text else f"'{text}'"


def program_name() -> str:
    """Return the command with which the user can call this program again."""
    script = Path(sys.argv[0])
    if script.name == "cli.py":
        return f"python {sys.argv[0]}"
    return "gametree"
