"""The output of ``gametree tournament``: points, ratings, losses of value, exact scores and faults."""

from __future__ import annotations

import itertools
from typing import Any

from analysis.cli.display.parts import Answer, Cell, Columns, Details, Paragraph, Part
from analysis.tournaments.tournament import Tournament
from analysis.wording import some

ENDS = ("wins", "draws", "losses")

LONGEST_NAME = 30
"""Characters of a name of a player in a table; longer ones are cut in the middle."""

WIDEST_TABLE = 12
"""Players up to which the crosstable is shown without ``--wide``."""

COLUMNS = (
    "rank", "player", "points", "games", "wins", "draws", "losses", "elo", "elo_low", "elo_high", "forfeits", "moves",
    "mistakes", "value_lost", "value_lost_mean", "first_mistakes", "against_perfect", "against_random",
    "exploitability_x", "exploitability_o", "fault",
)  # fmt: skip


def tournament_answer(found: Tournament) -> Answer:
    """Describe a tournament; as CSV a row for each player."""
    rows = found.rows()
    flat = [{name: _flat(row[name]) for name in COLUMNS} for row in rows]
    return Answer(found.to_json(), flat, tournament_parts(found, rows), COLUMNS)


def tournament_parts(found: Tournament, rows: list[dict[str, Any]]) -> list[Part]:
    """Return what people read of a tournament."""
    header = found.header
    each = f"{some(header['games'], 'game')} for each pair of players, from {some(len(header['openings']), 'opening')}"
    parts: list[Part] = [
        {
            "game": header["game"],
            "from": header["position"],
            "games": f"{len(found.games):,}; {each}, sides swapped",
            "time": f"{header['move_seconds']:g} s a move",
            "seed": str(header["seed"]),
            "stored": str(found.directory),
        },
        "",
        _points(rows),
    ]
    crosstable: list[Part] = ["", Paragraph("Points of each player against each other"), _crosstable(found)]
    parts += crosstable if len(rows) <= WIDEST_TABLE else [Details(crosstable)]
    parts += ["", *_judged(found, rows)]
    if header["sprt"]:
        parts += ["", Paragraph(found.standings.hypotheses)]
        parts += [Paragraph(f"  {test['why']}") for test in found.standings.stopped]
    faults = found.faults
    if faults:
        parts += ["", Paragraph("Lost by their own fault, the first of each")]
        parts += [
            Paragraph(f"  {player}: {some(len(games), 'game')}, first game {games[0].game}: {games[0].fault}")
            for player, games in faults.items()
        ]
    return parts


def _points(rows: list[dict[str, Any]]) -> Columns:
    names = ("rank", "player", "points", "games", "wins", "draws", "losses", "Elo", "95 %", "forfeits")
    cells = [
        (
            row["rank"], _name(row["player"]), _half(row["points"]), row["games"], *(row[name] for name in ENDS),
            f"{row['elo']:+.0f}", f"{row['elo_low']:+.0f} to {row['elo_high']:+.0f}", row["forfeits"],
        )
        for row in rows
    ]  # fmt: skip
    return Columns(names, cells, optional=("forfeits", "draws", "losses", "wins"))


def _crosstable(found: Tournament) -> Columns:
    standings = found.standings
    numbers = [str(rank) for rank in range(1, len(standings.order) + 1)]
    rows = [
        [
            number,
            _name(standings.players[i]),
            *("" if i == j else _half(standings.points[i, j]) for j in standings.order),
        ]
        for number, i in zip(numbers, standings.order, strict=True)
    ]
    return Columns(["", "player", *numbers], rows)


def _judged(found: Tournament, rows: list[dict[str, Any]]) -> list[Part]:
    """Return what the complete solution says."""
    if found.judgement.why:
        audit = f"gametree audit {found.header['game']} {found.directory}/games.jsonl --seconds 60"
        return [Paragraph(f"Moves are not judged: {found.judgement.why}. As far as searches get: {audit}")]
    names = (
        "player", "moves", "mistakes", "value lost", "a move", "first", "vs perfect", "vs random", "exploitable",
    )  # fmt: skip
    cells = [
        (
            _name(row["player"]), row["moves"], row["mistakes"], row["value_lost"],
            None if row["value_lost_mean"] is None else f"{row['value_lost_mean']:.4f}", row["first_mistakes"],
            *(_number(row[name], "{:.1%}") for name in ("against_perfect", "against_random")),
            None if None in exploited else ", ".join(map("{:g}".format, exploited)),
        )
        for row in rows
        for exploited in [[_flat(row[f"exploitability_{side}"]) for side in "xo"]]
    ]  # fmt: skip
    said = (
        "By the complete solution. Exact for bots that are functions of the position: the share of the points that "
        "they make against perfect and random play (wins plus half the ties), and their exploitability as X and as O"
    )
    parts: list[Part] = [
        Paragraph(said),
        _known(Columns(names, cells, optional=("first", "value lost", "exploitable"))),
    ]  # fmt: skip
    whys: dict[str, list[str]] = {}
    for row in rows:
        if row["why"] and not row["fault"]:
            whys.setdefault(row["why"], []).append(row["player"])
    parts += [Paragraph(f"  no exact score, {why}: {', '.join(players)}") for why, players in whys.items()]
    worst = [(row["player"], each) for row in rows for each in row["worst"]]
    if worst:
        parts += ["", "Where each lost most", _worst(worst)]
    return parts


def _worst(worst: list[tuple[str, dict[str, Any]]]) -> Columns:
    names = ("player", "position", "side", "move", "value lost", "in all", "would have kept it")
    cells = [
        (
            _name(player), each["position"], each["side"], each["name"], each["value_lost"], each["value_lost_in_all"],
            " ".join(each["best_names"] or ()),
        )
        for player, each in worst
    ]  # fmt: skip
    return _known(Columns(names, cells, optional=("in all", "side", "would have kept it", "value lost", "position")))


def _known(table: Columns) -> Columns:
    """Leave out the columns of which nothing is known."""
    rows = [[*row] for row in table.rows]
    known = [any(cell is not None for cell in column) for column in zip(*rows, strict=True)]
    kept = (itertools.compress(row, known) for row in rows)
    return table._replace(names=[*itertools.compress(table.names, known)], rows=[*map(list, kept)])


def _name(player: str) -> str:
    """Return a name that fits into a table."""
    return (
        player if len(player) <= LONGEST_NAME else f"{player[: LONGEST_NAME // 2 - 2]}...{player[-LONGEST_NAME // 2 :]}"
    )


def _half(points: float) -> str:
    return f"{points:g}"


def _number(value: Any, form: str) -> Cell:
    number = _flat(value)
    return None if number is None else form.format(number)


def _flat(value: Any) -> Any:
    return value["value"] if isinstance(value, dict) else value
