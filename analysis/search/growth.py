"""How searches grow with the board and with the depth: boards against algorithms, as courses tabulate them."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any

from analysis.errors import OptionError
from analysis.machine.workers import Progress, no_progress
from analysis.search.comparison import Comparison, SearchRequest, compare
from analysis.search.laboratory import Laboratory, Row
from analysis.search.problem import find_game, game_problem
from analysis.search.targets import is_tree

GREATEST_DEPTH = 1000


@dataclasses.dataclass(frozen=True)
class GrowthRow:
    """One search of one board to one depth."""

    board: str
    game: str
    depth: int | None
    winner: str | None
    """``X``, ``O`` or ``tie`` under optimal play; ``undecided`` where the depth does not show it; None if stopped."""
    search: Row

    def to_json(self) -> dict[str, Any]:
        """All on one level."""
        found = {name: getattr(self, name) for name in ("board", "game", "depth", "winner")}
        return found | dataclasses.asdict(self.search)


def parse_boards(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Boards as ``rows,cols,k`` or ``rowsxcolsxk``, one or several in a text: each with its game. Raises `OptionError`.

    >>> parse_boards(["4,4,3"]) == parse_boards(["4x4x3"])
    True
    >>> parse_boards(["3,3,3,3,4,3"])
    [('3,3,3', 'mnk:rows=3,cols=3,k=3'), ('3,4,3', 'mnk:rows=3,cols=4,k=3')]
    """
    found = []
    for text in texts:
        if re.fullmatch(r"[0-9]{1,4}([,x][0-9]{1,4}){2}(,[0-9]{1,4}([,x][0-9]{1,4}){2})*", text) is None:
            raise OptionError(f"board {text!r} is not rows,cols,k, such as 3,4,3")
        numbers = [int(number) for number in re.split("[,x]", text)]
        for rows, cols, k in zip(*[iter(numbers)] * 3, strict=True):
            found.append((f"{rows},{cols},{k}", f"mnk:rows={rows},cols={cols},k={k}"))
    return found


def parse_depths(text: str | None) -> list[int | None]:
    """Depths as ``8``, ``2,4,6`` or ``1..8``; None where none is given. Raises `OptionError`.

    >>> parse_depths("1..3,6")
    [1, 2, 3, 6]
    """
    if text is None:
        return [None]
    found: list[int | None] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})(?:\.\.([0-9]{1,6}))?\s*", part)
        ends = [int(end) for end in match.groups() if end] if match else []
        if not ends or ends[-1] < ends[0] or len(range(ends[0], ends[-1] + 1)) > GREATEST_DEPTH:
            raise OptionError(f"depth {text!r} is no number of plies; write 8, 2,4,6 or 1..8")
        found += range(ends[0], ends[-1] + 1)
    return list(dict.fromkeys(found))


@dataclasses.dataclass(frozen=True)
class Growth:
    """All searches of all boards to all depths."""

    rows: list[GrowthRow]

    def to_json(self) -> dict[str, Any]:
        """As ``gametree prune --boards ... --format json`` prints it."""
        return {"rows": self.csv_rows()}

    def csv_rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return [row.to_json() for row in self.rows]


def prune_targets(
    targets: Sequence[str],
    boards: Sequence[str] | None,
    request: SearchRequest = SearchRequest(),
    *,
    position: str | None = None,
    depths: str | None = None,
    evaluation: str | None = None,
    progress: Progress = no_progress,
) -> Comparison | Growth:
    """What ``gametree prune`` was asked for: one comparison of one target, or the growth over ``boards`` (as
    `parse_boards` reads them; ``targets`` are then more of them) or ``depths`` (as `parse_depths` reads them). The
    other arguments, and what is raised, are those of `compare`.
    """
    several = parse_depths(depths)
    if boards is None and len(several) == 1:
        if len(targets) != 1:
            raise OptionError("name one game or tree, such as tictactoe, or give --boards 3,3,3 3,4,3")
        options: dict[str, Any] = {"position": position, "depth": several[0], "evaluation": evaluation}
        return compare(targets[0], request, progress=progress, **options)
    if boards is not None:
        pairs = parse_boards([*boards, *targets])
    elif not targets:
        raise OptionError("name a game, such as tictactoe, or give --boards 3,3,3 3,4,3")
    elif any(is_tree(target) for target in targets):
        raise OptionError("a table of growth is of games; a tree is searched to one --depth at a time")
    else:
        pairs = [(game.spec, game.spec) for game in map(find_game, targets)]
    choices = (request.orders, request.windows, request.symmetries)
    if request.trace or request.random_orders or max(map(len, choices)) > 1:
        raise OptionError(
            "a table of growth has one order, one window and one symmetry, no --random-orders and no --trace"
        )
    request.find_algorithms()  # refuses what there is not before anything is solved
    settings, found = request.settings(), []
    for (board, spec), depth in itertools.product(pairs, several):
        problem = game_problem(spec, position, depth=depth, evaluation=evaluation)
        laboratory = Laboratory(problem, settings, progress=progress)
        for row in laboratory.rows(request.tasks(laboratory)):
            decided = depth is None or laboratory.horizon == 0
            winner = _winner(row.value, row.bound, decided, evaluation)
            found.append(GrowthRow(board, spec, depth, winner, row))
    return Growth(found)


def _winner(value: float | None, bound: str | None, decided: bool, evaluation: str | None) -> str | None:
    if value is None:
        return None
    known = bound == "exact" or (bound == "lower" and value > 0) or (bound == "upper" and value < 0)
    if evaluation is not None or not known or (value == 0 and not decided):
        return "undecided"
    return "X" if value > 0 else "O" if value < 0 else "tie"
