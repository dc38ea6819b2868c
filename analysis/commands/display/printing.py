"""What the commands print for people, for programs (JSON) and for spreadsheets (CSV)."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from analysis.errors import OptionError
from analysis.machine.memory import readable
from analysis.rules.game import spell
from analysis.solution.position import Position
from analysis.solution.solution import Solution
from analysis.wording import signed

FORMATS = ("table", "json", "csv")
MOVE_COLUMNS = ("move", "position", "value", "remoteness_plies", "optimal", "nimber", "name")
MARKS = {1: "X", 0: "=", -1: "O"}


def show(
    form: str,
    *,
    data: Any,
    rows: Sequence[dict[str, Any]],
    table: Iterable[RenderableType],
    columns: Sequence[str] | None = None,
) -> None:
    """Print ``data`` as JSON, ``rows`` as CSV (with these ``columns`` where there may be no row), or the ``table`` for
    people. Raises `OptionError`.
    """
    check_format(form)
    if form == "json":
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, fieldnames=columns or list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        for renderable in table:
            sys.stdout.write(_rendered(renderable))


def _rendered(renderable: RenderableType) -> str:
    """As text: tables of numbers as wide as they are, since a number cut short is wrong; the rest fits the terminal."""
    terminal = sys.stdout.isatty()
    wide = isinstance(renderable, Table) and renderable.box is None and bool(renderable.columns[0].header)
    console = Console(width=1000 if wide else None if terminal else 200, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(renderable, soft_wrap=isinstance(renderable, Text))
    return "".join(line.rstrip() + "\n" for line in captured.get().splitlines())


def check_format(form: str) -> None:
    """Raise `OptionError` for a format that `show` does not have."""
    if form not in FORMATS:
        raise OptionError(f"format {form!r} is unknown; it is one of {', '.join(FORMATS)}")


# One command each -----------------------------------------------------------------------------------------------------


def games_table(games: list[dict[str, Any]]) -> list[RenderableType]:
    """The list of games, each with its parameters and what is known of it."""
    parts: list[RenderableType] = []
    for game in games:
        parameters = ",".join(f"{p['name']}={spell(p['default'])}" for p in game["parameters"])
        parts.append(Text(game["name"] + (f":{parameters}" if parameters else "")))
        names = ("description", "sizes", "known", "start", "moves", "example")
        facts = {name: str(game[name]) for name in names if game.get(name)}
        parts.append(Padding(pairs(facts), (0, 0, 1, 2)))
    return parts


def solve_row(solution: Solution, seconds: float) -> dict[str, Any]:
    """What ``solve`` prints as JSON."""
    return {
        "game": solution.game.spec,
        "value": solution.value,
        "remoteness_plies": solution.remoteness_plies,
        "positions": solution.position_count,
        "canonical": solution.canonical,
        "directory": str(solution.directory),
        "seconds": round(seconds, 3),
    }


def solve_summary(solution: Solution, was_there: bool, seconds: float) -> list[RenderableType]:
    """The summary of a solve: the board, the numbers, the files, and what to try next."""
    stats = solution.statistics()
    facts = _facts(solution, stats)
    files, size = files_of(solution.directory)
    verb = "there already (--force solves again)" if was_there else f"written, {seconds:.1f} s in all"
    facts["files"] = f"{solution.directory}: {files} files, {readable(size)}, {verb}"
    return [
        Panel(Group(_opening(solution), "", pairs(facts)), title=solution.game.spec, title_align="left", expand=False),
        Text("Try next:\n" + "\n".join("  " + line for line in _suggestions(solution))),
    ]


def stats_tables(solution: Solution, stats: dict[str, Any]) -> list[RenderableType]:
    """All statistics of a solution."""
    parts: list[RenderableType] = [pairs(_facts(solution, stats)), ""]
    said = "(positions; 'won' and 'tied' are terminal, 'v' is the value under optimal play)"
    if "by_tier" in stats:
        parts += [Text(f"By tier {said}"), _rows_table("tier", stats["by_tier"]), ""]
    if stats["by_ply"]:
        occurs = "" if "by_tier" not in stats else "; a position counts at every ply where it occurs"
        parts += [Text(f"By ply {said[:-1]}{occurs})"), _rows_table("ply", stats["by_ply"]), ""]
    if stats["games_by_length"]:
        lengths = plain_table("plies", "X wins", "O wins", "ties")
        for row in stats["games_by_length"]:
            lengths.add_row(*(number(value) for value in row.values()))
        parts += [Text("Complete games by length"), lengths, ""]
    if any(abs(row["value"]) > 1 for row in stats["by_value"]):
        values = plain_table("value", "positions", "terminal", "games")
        for row in stats["by_value"]:
            values.add_row(signed(row["value"]), *(number(row[name]) for name in ("positions", "terminal", "games")))
        parts += [Text("By value: positions worth it, terminal positions and complete games that pay it"), values, ""]
    remoteness = plain_table("remoteness", "win", "lose", "tie", "draw")
    for row in stats["by_remoteness"]:
        remoteness.add_row(*(number(value) for value in row.values()))
    return [*parts, Text("Positions by remoteness in plies, as the player to move sees them"), remoteness]


def _rows_table(first: str, rows: list[dict[str, Any]]) -> Table:
    """Positions by tier or by ply."""
    draws = ["v=draw"] if "value_draw" in rows[0] else []
    table = plain_table(
        first, "positions", "classes", "X won", "O won", "tied", "v=X", "v=tie", "v=O", *draws, "moves", "histories"
    )
    names = [name for name in rows[0] if name not in ("value_draw", "moves", "histories")]
    names += ["value_draw"] if draws else []
    for row in rows:
        table.add_row(*(number(row[name]) for name in (*names, "moves", "histories")))
    return table


def position_tables(solution: Solution, position: Position) -> list[RenderableType]:
    """One position with its moves."""
    players = solution.game.players
    verdict = _verdict(players, position.value, position.remoteness_plies)
    facts = {"to move": player_name(players, position.to_move), "value": f"{signed(position.value)}: {verdict}"}
    if position.nimber is not None:
        facts["nimber"] = str(position.nimber)
    if position.histories is not None and position.games is not None:
        games = position.games.to_json()
        facts["histories"] = f"{position.histories:,} move sequences reach it"
        facts["games through it"] = ", ".join(f"{name} {number:,}" for name, number in games.items())
    grid = solution.game.grid(solution.game.parse_position(position.position))
    parts: list[RenderableType] = [Text(position.position), ""]
    parts += [board_text(grid), ""] if grid else []
    parts.append(pairs(facts))
    if position.moves:
        nimber = ["nimber"] if position.nimber is not None else []
        coded = ["code"] if any(m.name != str(m.move) for m in position.moves) else []
        moves = plain_table("move", *coded, "position after", "value", "remoteness", *nimber, "optimal")
        for m in position.moves:
            plies = "draw" if m.remoteness_plies is None else number(m.remoteness_plies)
            own = [number(m.nimber)] if nimber else []
            code = [str(m.move)] if coded else []
            moves.add_row(m.name, *code, m.position, signed(m.value), plies, *own, "yes" if m.optimal else "")
        parts += ["", Text("Moves, best first"), moves]
    return parts


def player_name(players: tuple[str, str], letter: str | None) -> str:
    """What the player X or O is called in a game; None where the game is over."""
    return "nobody, the game is over" if letter is None else players[0 if letter == "X" else 1]


# Parts ----------------------------------------------------------------------------------------------------------------


def _facts(solution: Solution, stats: dict[str, Any]) -> dict[str, str]:
    verdict = _verdict(solution.game.players, stats["value"], stats["remoteness_plies"])
    facts = {
        "value": f"{signed(stats['value'])}: {verdict}",
        "positions": f"{stats['positions']:,}, in {stats['canonical']:,} classes {_symmetries(solution)}",
        "terminal": _outcomes(solution, stats["terminal"]),
        "moves": f"{stats['moves']:,}",
    }
    if solution.loopy:
        drawn = sum(row["draw"] for row in stats["by_remoteness"])
        facts["draws"] = f"{drawn:,} positions from which play never ends"
        facts["games"] = "not counted: play can return to a position, so there is no end of them"
    if stats["games"]:
        orbits = stats["games_up_to_symmetry"]
        facts |= {
            "games": f"{stats['games']['total']:,}: {_outcomes(solution, stats['games'])}",
            "histories": f"{stats['histories']:,} move sequences of any length",
            "optimal paths": f"{stats['optimal_paths']:,}",
            "up to symmetry": ("" if orbits is None else f"{orbits:,} games; ")
            + f"{stats['quotient_paths']:,} quotient paths",
        }
    return facts


def _symmetries(solution: Solution) -> str:
    order = solution.symmetry_order
    if order is None:
        return "under the symmetries of its rules"
    return f"under {order} {'symmetry' if order == 1 else 'symmetries'} ({solution.symmetry})"


def _outcomes(solution: Solution, numbers: dict[str, int]) -> str:
    total = sum(numbers[name] for name in ("X", "O", "tie")) or 1
    first, second = solution.game.players
    labels = {"X": f"{first} wins", "O": f"{second} wins", "tie": "ties"}
    parts = ((f"{label} {numbers[name]:,}", numbers[name] / total) for name, label in labels.items())
    return ", ".join(f"{text} ({share:.1%})" for text, share in parts)


def _verdict(players: tuple[str, str], value: int, plies: int | None) -> str:
    if plies is None:
        return "a draw, play never ends under optimal play"
    margin = f" by {abs(value)}" if abs(value) > 1 else ""
    winner = f"{players[0 if value > 0 else 1]} wins{margin}" if value else "a tie"
    if plies == 0:
        return f"{winner}, the game is over"
    return f"{winner} under optimal play, after {plies} {'ply' if plies == 1 else 'plies'}"


def _opening(solution: Solution) -> RenderableType:
    """The board with the codes of its cells, and beside it what each first move is worth, if a move is a cell."""
    position = solution[solution.start]
    grid = solution.game.grid(solution.game.parse_position(solution.start))
    worth = {m.move: MARKS[(m.value > 0) - (m.value < 0)] for m in position.moves}
    if grid is None:
        return Text(solution.start)
    cells = range(sum(map(len, grid)))
    if set(worth) != set(cells) or any(m.name != str(m.move) for m in position.moves):
        return board_text(grid)
    cols = len(grid[0])
    codes = [[str(r * cols + c) for c in range(cols)] for r in range(len(grid))]
    values = [[worth[r * cols + c] for c in range(cols)] for r in range(len(grid))]
    pictures = Table.grid(padding=(0, 4))
    pictures.add_row(Text("cells"), Text("value of each first move (X, O or = for a tie)"))
    pictures.add_row(board_text(codes), board_text(values))
    return pictures


def board_text(grid: list[list[str]]) -> Text:
    """The board as course sheets draw it."""
    width = max(len(mark) for row in grid for mark in row)
    rule = "\n" + "+".join(["-" * (width + 2)] * len(grid[0])) + "\n"
    return Text(rule.join("|".join(f" {mark:>{width}} " for mark in row) for row in grid))


def _suggestions(solution: Solution) -> list[str]:
    program, name = program_name(), shlex.quote(solution.game.spec)
    if solution.directory is not None and solution.directory != Path("data") / solution.game.slug:
        name = shlex.quote(str(solution.directory))
    best = solution[solution.start].moves
    paths = [] if solution.loopy else [f"{program} paths {name} --limit 5"]
    first = [f"{program} show {name} {quote(best[0].position)}"] if best else []
    return [f"{program} stats {name}", *paths, *first, f"{program} verify {shlex.quote(str(solution.directory))}"]


def quote(text: str) -> str:
    """A text as a word of a shell, in quotation marks even where a shell needs none.

    >>> print(quote("XO/X?"), quote("it's"))
    'XO/X?' 'it'"'"'s'
    """
    quoted = shlex.quote(text)
    return quoted if quoted != text else f"'{text}'"


def program_name() -> str:
    """How the user can call this program again."""
    called = Path(sys.argv[0])
    if called.name == "cli.py":
        return f"python {sys.argv[0]}"
    if shutil.which("gametree") or called.name != "gametree":
        return "gametree"
    return os.path.relpath(called)


def files_of(directory: Path | None) -> tuple[int, int]:
    """How many files a directory has, and their bytes."""
    files = [path for path in directory.rglob("*") if path.is_file()] if directory else []
    return len(files), sum(path.stat().st_size for path in files)


def pairs(facts: dict[str, str]) -> Table:
    """Names and what they are, in two columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, value)
    return table


def plain_table(*columns: str) -> Table:
    """A table without lines; columns of numbers to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, justify="left" if name in _WORDS else "right", no_wrap=name in ("game", "example"))
    return table


_WORDS = (
    "game", "parameters", "description", "example", "position after", "optimal", "board after",
    "algorithm", "order", "orders", "window", "table", "symmetry", "count", "stopped", "board", "winner",
)  # fmt: skip


def number(value: int | None) -> str:
    """A count for people, a dash where there is none."""
    return "-" if value is None else f"{value:,}"
