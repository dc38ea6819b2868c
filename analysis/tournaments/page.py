"""The page of a tournament: one file, with its tables as CSV beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from analysis.machine.files import make_directories, write_bytes
from analysis.machine.markup import printable
from analysis.machine.version import __version__
from analysis.pictures.style import environment, variables
from analysis.reports.page import TEMPLATES
from analysis.reports.sections import Section
from analysis.reports.tables import Column, ReportTable
from analysis.tournaments.tournament import Tournament
from analysis.wording import some

PAGE = "index.html"

TEMPLATE = "tournament.html.j2"


def write_page(found: Tournament) -> Path:
    """Write the page of a tournament and its tables into the tournament's directory; return its path. Raises
    `StoreError`.
    """
    from markupsafe import Markup, escape

    sections = make_sections(found)
    pages = environment(TEMPLATES)
    pages.filters["breakable"] = lambda text: Markup(re.sub(r"([,_/:])(?=\w)", r"\1<wbr>", str(escape(text))))
    best = found.players[found.standings.order[0]]
    html = pages.get_template(TEMPLATE).render(
        game=found.header["game"],
        version=__version__,
        summary=f"{best} is first of {some(len(found.players), 'player')} after {some(len(found.games), 'game')}.",
        sections=sections,
        drawings={},
        colours=variables(),
        dark_colours=variables(dark=True),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    tables = found.directory / "tables"
    make_directories(tables)
    for table in (table for section in sections for table in section.tables):
        write_bytes(tables / f"{table.name}.csv", table.csv())
    write_bytes(found.directory / PAGE, printable(html).encode())
    return found.directory / PAGE


def make_sections(found: Tournament) -> list[Section]:
    """Make the sections of the page."""
    rows, header = found.rows(), found.header
    facts = {
        "Game": header["game"],
        "Start": header["position"],
        "Games": f"{header['games']:,} for each pair of players, with sides swapped",
        "Openings": f"{len(header['openings']):,}",
        "Time": f"{header['move_seconds']:g} s a move",
        "Seed": str(header["seed"]),
    }
    rating = "Elo: maximum a posteriori of the Bradley-Terry model, relative to the mean, with 95 % intervals."
    tests = [found.standings.hypotheses, *(test["why"] for test in found.standings.stopped)] if header["sprt"] else []
    judged = found.judgement.why or (
        "By the complete solution: what moves lost, and what bots are worth that are functions of the position."
    )
    sections = [
        Section("players", "Players", [rating, *tests], facts, tables=[_players(rows), _crosstable(found)]),
        Section("moves", "Moves", [judged], tables=_moves(rows)),
    ]
    if found.faults:
        text = ["The first game that each lost by its own fault."]
        sections.append(Section("faults", "Faults", text, tables=[_faults(found)]))
    return sections


def _players(rows: list[dict[str, Any]]) -> ReportTable:
    columns = (
        Column("rank", "rank"), Column("player", "player", kind="text"), Column("points", "points", kind="mean"),
        Column("games", "games"), Column("wins", "wins"), Column("draws", "draws"), Column("losses", "losses"),
        Column("elo", "Elo", kind="value"), Column("elo_low", "from", kind="value"),
        Column("elo_high", "to", kind="value"),
        Column("forfeits", "own faults", optional=True),
    )  # fmt: skip
    rounded = [{**row, **{name: round(row[name]) for name in ("elo", "elo_low", "elo_high")}} for row in rows]
    return ReportTable("players", "Results", columns, rounded, opened=True)


def _crosstable(found: Tournament) -> ReportTable:
    standings = found.standings
    columns = [Column("player", "player", kind="text")]
    columns += [Column(f"against_{rank}", f"{rank}", kind="text") for rank in range(1, len(standings.order) + 1)]
    rows = [
        {
            "player": f"{rank} {standings.players[i]}",
            **{
                f"against_{other}": "" if i == j else f"{standings.points[i, j]:g}"
                for other, j in enumerate(standings.order, 1)
            },
        }
        for rank, i in enumerate(standings.order, 1)
    ]
    return ReportTable("crosstable", "Points of each player against each other", tuple(columns), rows, opened=True)


def _moves(rows: list[dict[str, Any]]) -> list[ReportTable]:
    names = ("against_perfect", "against_random", "exploitability_x", "exploitability_o")
    flat = [
        {**row, **{name: row[name]["value"] if isinstance(row[name], dict) else row[name] for name in names}}
        for row in rows
        if row["moves"] is not None
    ]
    columns = (
        Column("player", "player", kind="text"), Column("moves", "moves"), Column("mistakes", "mistakes"),
        Column("value_lost", "value lost"), Column("value_lost_mean", "value lost a move", kind="mean"),
        Column("first_mistakes", "first mistakes"),
        Column("against_perfect", "score against perfect play", kind="mean"),
        Column("against_random", "score against random play", kind="mean"),
        Column("exploitability_x", "exploitability, first", kind="mean"),
        Column("exploitability_o", "exploitability, second", kind="mean"), Column("why", "no exact score", kind="text"),
    )  # fmt: skip
    worst = [
        {
            "player": row["player"], **each, "best": " ".join(each["best_names"] or ()),
        }
        for row in rows
        for each in row["worst"]
    ]  # fmt: skip
    shown = (
        Column("player", "player", kind="text"), Column("position", "position", kind="text"),
        Column("side", "side", kind="text"), Column("name", "played", kind="text"), Column("value_lost", "value lost"),
        Column("value_lost_in_all", "in all"), Column("best", "would have kept it", kind="text"),
    )  # fmt: skip
    found = [ReportTable("moves", "What moves lost", columns, flat, opened=True)] if flat else []
    return found + ([ReportTable("mistakes", "Where each lost most", shown, worst, opened=True)] if worst else [])


def _faults(found: Tournament) -> ReportTable:
    rows = [
        {"player": player, "times": len(games), "game": games[0].game, "fault": games[0].fault}
        for player, games in found.faults.items()
    ]
    columns = (
        Column("player", "player", kind="text"), Column("times", "games"), Column("game", "first game"),
        Column("fault", "what it did", kind="text"),
    )  # fmt: skip
    return ReportTable("faults", "Lost by their own fault", columns, rows, opened=True)
