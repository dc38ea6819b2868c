"""What the commands print for people, for programs (JSON) and for spreadsheets (CSV)."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from analysis.errors import OptionError
from analysis.memory import readable
from analysis.position import Position, signed
from analysis.solution import Solution

FORMATS = ("table", "json", "csv")
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
    """The list of games."""
    table = plain_table("game", "parameters", "description", "example")
    for game in games:
        parameters = ", ".join(f"{p['name']}={str(p['default']).lower()}" for p in game["parameters"])
        table.add_row(game["name"], parameters, game["description"], game["example"])
    return [table]


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
    files, size = _files(solution.directory)
    verb = "there already (--force solves again)" if was_there else f"written, {seconds:.1f} s in all"
    facts["files"] = f"{solution.directory}: {files} files, {readable(size)}, {verb}"
    return [
        Panel(Group(_opening(solution), "", pairs(facts)), title=solution.game.spec, title_align="left", expand=False),
        Text("Try next:\n" + "\n".join("  " + line for line in _suggestions(solution))),
    ]


def stats_tables(solution: Solution, stats: dict[str, Any]) -> list[RenderableType]:
    """All statistics of a solution."""
    parts: list[RenderableType] = [pairs(_facts(solution, stats)), ""]
    plies = plain_table(
        "ply", "positions", "classes", "X won", "O won", "tied", "v=X", "v=tie", "v=O", "moves", "histories"
    )
    for row in stats["by_ply"]:
        plies.add_row(*(number(value) for value in row.values()))
    parts += [Text("By ply (positions; 'won' and 'tied' are terminal, 'v' is the value under optimal play)"), plies]
    if stats["games_by_length"]:
        lengths = plain_table("plies", "X wins", "O wins", "ties")
        for row in stats["games_by_length"]:
            lengths.add_row(*(number(value) for value in row.values()))
        parts += ["", Text("Complete games by length"), lengths]
    remoteness = plain_table("remoteness", "win", "lose", "tie", "draw")
    for row in stats["by_remoteness"]:
        remoteness.add_row(*(number(value) for value in row.values()))
    parts += ["", Text("Positions by remoteness in plies, as the player to move sees them"), remoteness]
    return parts


def position_tables(solution: Solution, position: Position) -> list[RenderableType]:
    """One position with its moves."""
    facts = {
        "to move": position.to_move or "nobody, the game is over",
        "value": f"{signed(position.value)}: {_verdict(position.value, position.remoteness_plies)}",
    }
    if position.histories is not None and position.games is not None:
        games = position.games.to_json()
        facts["histories"] = f"{position.histories:,} move sequences reach it"
        facts["games through it"] = ", ".join(f"{name} {number:,}" for name, number in games.items())
    grid = solution.game.grid(solution.game.parse_position(position.position))
    parts: list[RenderableType] = [Text(position.position), ""]
    parts += [board_text(grid), ""] if grid else []
    parts.append(pairs(facts))
    if position.moves:
        moves = plain_table("move", "position after", "value", "remoteness", "optimal")
        for m in position.moves:
            moves.add_row(
                str(m.move), m.position, signed(m.value), number(m.remoteness_plies), "yes" if m.optimal else ""
            )
        parts += ["", Text("Moves, best first"), moves]
    return parts


# Parts ----------------------------------------------------------------------------------------------------------------


def _facts(solution: Solution, stats: dict[str, Any]) -> dict[str, str]:
    facts = {
        "value": f"{signed(stats['value'])}: {_verdict(stats['value'], stats['remoteness_plies'])}",
        "positions": f"{stats['positions']:,}, in {stats['canonical']:,} classes under {stats['symmetry_order']} "
        f"{'symmetry' if stats['symmetry_order'] == 1 else 'symmetries'} ({solution.symmetry})",
        "terminal": _outcomes(stats["terminal"]),
        "moves": f"{stats['moves']:,}",
    }
    if stats["games"]:
        facts |= {
            "games": f"{stats['games']['total']:,}: {_outcomes(stats['games'])}",
            "histories": f"{stats['histories']:,} move sequences of any length",
            "optimal paths": f"{stats['optimal_paths']:,}",
            "up to symmetry": f"{stats['games_up_to_symmetry']:,} games; {stats['quotient_paths']:,} quotient paths",
        }
    return facts


def _outcomes(numbers: dict[str, int]) -> str:
    total = sum(numbers[name] for name in ("X", "O", "tie")) or 1
    parts = ((f"{label} {numbers[name]:,}", numbers[name] / total) for name, label in _LABELS.items())
    return ", ".join(f"{text} ({share:.1%})" for text, share in parts)


_LABELS = {"X": "X wins", "O": "O wins", "tie": "ties"}


def _verdict(value: int, plies: int | None) -> str:
    winner = "X wins" if value > 0 else "O wins" if value < 0 else "a tie"
    if plies == 0:
        return f"{winner}, the game is over"
    return f"{winner} under optimal play, after {plies} {'ply' if plies == 1 else 'plies'}"


def _opening(solution: Solution) -> RenderableType:
    """The board with the codes of its cells, and beside it what each first move is worth."""
    position = solution[solution.start]
    grid = solution.game.grid(solution.game.parse_position(solution.start))
    worth = {m.move: MARKS[(m.value > 0) - (m.value < 0)] for m in position.moves}
    if grid is None or len(worth) != sum(map(len, grid)):
        return Text(solution.start)
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
    program, name = program_name(), solution.game.spec
    if solution.directory is not None and solution.directory != Path("data") / solution.game.slug:
        name = str(solution.directory)
    best = solution[solution.start].moves
    first = [f"{program} show {name} '{best[0].position}'"] if best else []
    return [
        f"{program} stats {name}",
        f"{program} paths {name} --limit 5",
        *first,
        f"{program} verify {solution.directory}",
    ]


def program_name() -> str:
    """How the user can call this program again."""
    called = Path(sys.argv[0])
    if called.name == "cli.py":
        return f"python {sys.argv[0]}"
    if shutil.which("gametree") or called.name != "gametree":
        return "gametree"
    return os.path.relpath(called)


def _files(directory: Path | None) -> tuple[int, int]:
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
    "game", "parameters", "description", "example", "position after", "optimal",
    "algorithm", "order", "orders", "window", "table", "symmetry", "count", "stopped", "board", "winner",
)  # fmt: skip


def number(value: int | None) -> str:
    """A count for people, a dash where there is none."""
    return "-" if value is None else f"{value:,}"
