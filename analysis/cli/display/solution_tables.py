"""The output of ``games``, ``solve``, ``stats``, ``show`` and ``find`` for games by turns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...common.wording import goal_words, signed, visible, with_count
from ...solution.storage.stored_games import StoredGame
from .parts import Answer, Columns, Paragraph, Part, answer, number
from .printing import (
    MOVES_UNKNOWN,
    board,
    headed,
    mover_name,
    named,
    quote,
    solve_summary,
    titled,
)  # fmt: skip

if TYPE_CHECKING:
    from ...rules.game import Game
    from ...search.finding import Finding, FoundPosition
    from ...solution.searching import FoundClass, FoundClasses
    from ...solution.solution import Solution

SOLVED = (
    "game", "value", "remoteness_plies", "positions", "classes", "symmetry_order", "terminal_x", "terminal_o",
    "terminal_tie", "moves", "games", "games_x", "games_o", "games_tie", "histories", "optimal_paths",
    "games_up_to_symmetry", "quotient_paths",
)  # fmt: skip
"""The statistics in the summary of a solve; those on the first line are also in CSV."""
SHOWN_BEST = 4
"""The most best moves in a row of the table; "…" stands for more."""
SHORT = 9
"""Characters of a player's name in the heading of a column."""


def games_answer(games: list[dict[str, Any]], others: list[dict[str, Any]], *, whole: bool) -> Answer:
    """List the games, each on a line or, if ``whole``, with its parameters and known results, and the names of
    OpenSpiel's games.
    """
    from ...rules.game import spell

    rows = [{key: game[key] for key in ("name", "description", "sizes", "known", "example")} for game in games + others]
    if not whole:
        lines = {game["name"]: game["description"] for game in games}
        notes = ["`gametree games NAME` describes a game: parameters, sizes, known results."]
        names_in_open_spiel = ", ".join(game["name"].partition(":")[2] for game in others)
        notes += [f"Of OpenSpiel, as open_spiel:NAME, these can be solved: {names_in_open_spiel}."] if others else []
        return Answer(games + others, rows, [lines, "", *map(Paragraph, notes)])
    parts: list[Part] = []
    for game in games:
        parameters = ",".join(f"{p['name']}={spell(p['default'])}" for p in game["parameters"])
        names = ("description", "sizes", "known", "files", "start", "moves", "evaluations", "symmetry", "example")
        facts = {f"  {name}": str(game[name]) for name in names if game.get(name)}
        parts += [game["name"] + (f":{parameters}" if parameters else ""), facts, ""]
    return Answer(games, rows, parts)


def solve_answer(solution: Solution, seconds: float) -> Answer:
    """Summarize a solve that took ``seconds``."""
    start, stats, name = solution[solution.start], solution.statistics(), named(solution)
    data = {
        **{key: stats[key] for key in SOLVED}, "drawn": _drawn(stats), "symmetry": solution.symmetry,
        "start": start.position, "to_move": start.to_move, "first_moves": start.to_json()["moves"],
    }  # fmt: skip
    puzzle = solution.game.puzzle
    steps = [] if solution.loopy and not puzzle else [f"paths {name}{' --shortest' * puzzle} --limit 5"]
    steps += [f"show {name} {quote(start.moves[0].position)}"] if start.moves else []
    summary = Answer(data, [], [_facts(solution, stats)], SOLVED[:5])
    return solve_summary(solution, summary, steps, seconds)


def stats_answer(solution: Solution) -> Answer:
    """Return all statistics of a solution; as CSV those by ply, or by tier."""

    stats = solution.statistics()
    unread = {"game": visible(solution.game.spec)} if isinstance(solution.game, StoredGame) else {}
    parts: list[Part] = [unread | _facts(solution, stats)]
    legend = "(positions; 'won' and 'tied' are terminal, 'v' is the value under optimal play"
    if solution.game.puzzle:
        legend = "(positions; goals and dead ends are terminal"
    if stats["positions"] is None:
        legend = "(classes"
    if "by_tier" in stats:
        parts += titled(f"By tier {legend})", _census("tier", stats["by_tier"], solution.game))
    if stats["by_ply"]:
        occurs = "" if "by_tier" not in stats else "; a position counts at every ply where it occurs"
        parts += titled(f"By ply {legend}{occurs})", _census("ply", stats["by_ply"], solution.game))
    if stats["games_by_length"]:
        parts += titled("Complete games by length", _lengths(stats["games_by_length"], solution.game))
    if any(row["value"] not in (-1, 0, 1) for row in stats["by_value"]):
        names = ("positions", "terminal", "games")
        values = ((signed(row["value"]), *(row[name] for name in names)) for row in stats["by_value"])
        legend = "By value: positions worth it, terminal positions and complete games that pay it"
        parts += titled(legend, Columns(("value", *names), values))
    if stats["by_remoteness"] is not None and solution.game.puzzle:
        ways = ((row["remoteness_plies"], row["win"]) for row in stats["by_remoteness"] if row["win"])
        parts += titled("Positions by moves to the goal", Columns(("moves", "positions"), ways))
    elif stats["by_remoteness"] is not None:
        remoteness = (row.values() for row in stats["by_remoteness"])
        legend = "Positions by remoteness in plies, as the player to move sees them"
        parts += titled(legend, Columns(("remoteness", "win", "lose", "tie", "draw"), remoteness))
    return answer(solution, parts)


def _lengths(rows: list[dict[str, int]], game: Game) -> Columns:
    """Make a table of games by length; a column of zeros is a detail."""
    table = [{"plies": row["plies"]} | _by_end(game, "games", row, SHORT) for row in rows]
    empty = [name for name in table[0] if not any(row[name] for row in table) and name != "plies"]
    return Columns(tuple(table[0]), (row.values() for row in table), details=empty)


def _by_end(game: Game, what: str, numbers: dict[str, Any], most: int = 999) -> dict[str, int]:
    """Return how many of something have each outcome, by what that is called."""
    x, o, tie = (numbers[f"{what}_{end}"] for end in ("x", "o", "tie"))
    if game.puzzle:
        return {"goals": x, "dead ends": o + tie}
    return dict(zip((*_per_player(game.players, "{} wins", most), "ties"), (x, o, tie), strict=True))


def _per_player(players: tuple[str, str], text: str, most: int = SHORT) -> list[str]:
    """Return a text for each player, in which ``{}`` stands for the name, shortened."""
    return [text.format(name if len(name) <= most else name[: most - 1] + "…") for name in players]


def _census(first: str, rows: list[dict[str, Any]], game: Game) -> Columns:
    """Make a table of positions by tier or by ply."""
    if game.puzzle:
        table = [
            {first: row[first], "positions": row["positions"], "classes": row["classes"]}
            | _by_end(game, "terminal", row)
            | {"solvable": row["value_x"], "unsolvable": row["positions"] - row["value_x"], "moves": row["moves"]}
            for row in rows
        ]
        return Columns(tuple(table[0]), (row.values() for row in table), optional=("moves", "classes"))
    draws = ["value_draw"] if "value_draw" in rows[0] else []
    last = [*draws, "moves", "histories"]
    keys = [name for name in rows[0] if name not in last] + last
    won, (worth_first, worth_second) = _per_player(game.players, "{} won"), _per_player(game.players, "v={}")
    head = ("positions", "classes", *won, "tied", worth_first, worth_second, "v=tie", *["v=draw"] * len(draws))
    if rows[0]["positions"] is None:
        names = {first: first, "classes": "classes", "histories": "histories"}
        return Columns(tuple(names.values()), ([row[key] for key in names] for row in rows))
    cells = ((row[key] for key in keys) for row in rows)
    optional = ("moves", *won, "tied", "histories", "classes", "v=draw")
    return Columns((first, *head, "moves", "histories"), cells, optional=optional)


def position_answer(finding: Finding, *, wide: bool = False) -> Answer:
    """Describe one position with its moves; as CSV the moves."""
    game, solved = finding.game, finding.solved
    facts = {} if game.puzzle else {"to move": mover_name(game.players, finding)}
    verdict = f": {_verdict(finding)}" if finding.exact and not finding.evaluation else ""
    facts["value"] = f"{signed(finding.value)}{verdict}"
    if solved is not None and solved.nimber is not None:
        facts["nimber"] = str(solved.nimber)
    if solved is not None and solved.histories is not None:
        facts["histories"] = f"{with_count(solved.histories, 'move sequence reaches', 'move sequences reach')} it"
    if solved is not None and solved.games is not None:
        facts["games"] = f"{solved.games:,} from here: {_outcomes(game, 'games', vars(solved))}"
    facts["source"] = f"{finding.source}; {'exact' if finding.exact else 'not exact'}"
    parts: list[Part] = [headed(finding.position), "", *board(game.grid(finding.state)), facts]
    errs = solved.errs() if wide and solved is not None and solved.moves else None
    if finding.moves:
        parts += titled("Moves, best first", _moves(finding, errs))
    elif solved is not None and not finding.moves_known:
        note = "The rules give no move here, but the solution is of others: `gametree check` tells what is wrong."
        parts += ["", Paragraph(MOVES_UNKNOWN if isinstance(game, StoredGame) else note)]
    data = finding.to_json()
    for move, share in zip(data["moves"] or (), errs or (), strict=False):
        move |= {"errs": None if share is None else float(share), "errs_exact": None if share is None else str(share)}
    return Answer(data, data["moves"] or [], parts, finding.columns)


def _moves(finding: Finding, errs: Sequence[Fraction | None] | None) -> Columns:
    """Make a table of moves, with codes if these are not their names, with nimbers if there are any, and with the share
    of replies that err if that is known.
    """
    coded = any(move.name != str(move.move) for move in finding.moves)
    impartial = finding.solved is not None and finding.solved.nimber is not None
    names = ["move", *["code"] * coded, "position after", "value", "remoteness", *["nimber"] * impartial, "optimal"]
    rows = []
    shares = iter(errs or ())
    for move in finding.moves:
        unknown = "?" if finding.solved is None else "draw"
        plies = unknown if move.remoteness_plies is None else number(move.remoteness_plies)
        value = "?" if move.value is None else signed(move.value)
        nimbers, code = [number(move.nimber)] * impartial, [str(move.move)] * coded
        optimal = "?" if move.optimal is None else "yes" if move.optimal else ""
        err = [_share(next(shares))] if errs else []
        rows.append([move.name, *code, move.position, value, plies, *nimbers, optimal, *err])
    names += ["errs"] * bool(errs)
    return Columns(names, rows, optional=["position after"])


# Parts ----------------------------------------------------------------------------------------------------------------


def _facts(solution: Solution, stats: dict[str, Any]) -> dict[str, str]:
    verdict = outcome_words(solution.game, stats["value"], stats["remoteness_plies"])
    facts = {
        "value": f"{signed(stats['value'])}: {verdict}",
        **_positions(solution, stats),
    }
    if solution.loopy:
        if (drawn := _drawn(stats)) is not None and not solution.game.puzzle:
            facts["draws"] = f"{with_count(drawn, 'position')} from which play never ends"
        facts["games"] = "not counted: play can return to a position, so there are infinitely many"
    if solution.game.puzzle and stats["by_remoteness"] is not None:
        facts |= _farthest(stats)
    orbits = stats["games_up_to_symmetry"]
    if stats["games"]:
        facts |= {
            "games": f"{stats['games']:,}: {_outcomes(solution.game, 'games', stats)}",
            "histories": f"{with_count(stats['histories'], 'move sequence')} of any length",
            "optimal paths": f"{stats['optimal_paths']:,}",
        }
    if stats["quotient_paths"] is not None:
        paths = with_count(stats["quotient_paths"], "quotient path")
        unknown = f"{paths}; games unknown, since the rules tell only which positions are alike, not their symmetries"
        facts["up to symmetry"] = unknown if orbits is None else f"{with_count(orbits, 'game')}; {paths}"
    if solution.promises is not None:
        facts["rules"] = f"what they promise is {solution.promises.words()}"
    return facts


def _farthest(stats: dict[str, Any]) -> dict[str, str]:
    """Return which positions of a puzzle are the farthest from the goal, and how many never get there."""
    ways = [(row["remoteness_plies"], row["win"]) for row in stats["by_remoteness"] if row["win"]]
    plies, number = ways[-1] if ways else (0, 0)
    facts = {"farthest": f"{goal_words(1, plies)}, from {with_count(number, 'position')}"} if ways else {}
    return facts | {"unsolvable": with_count(stats["positions"] - sum(n for _, n in ways), "position")}


def _drawn(stats: dict[str, Any]) -> int | None:
    """Return the number of drawn positions; None if unknown."""
    rows = stats["by_remoteness"]
    return None if rows is None else sum(row["draw"] for row in rows)


def _positions(solution: Solution, stats: dict[str, Any]) -> dict[str, str]:
    """Return the sizes; only the number of classes if positions are not counted."""
    if stats["positions"] is None:
        return {"classes": f"{stats['classes']:,} with different games left to play; positions are not counted"}
    classes = with_count(stats["classes"], "class", "classes")
    return {
        "positions": f"{stats['positions']:,}, in {classes} {_symmetries(solution)}",
        "terminal": _outcomes(solution.game, "terminal", stats),
        "moves": f"{stats['moves']:,}",
    }


def _symmetries(solution: Solution) -> str:
    if solution.symmetry_order is None:
        return "under the symmetries of its rules"
    return f"under {with_count(solution.symmetry_order, 'symmetry', 'symmetries')} ({solution.symmetry})"


def _outcomes(game: Game, what: str, numbers: dict[str, Any]) -> str:
    """Say how many of something have each outcome, with their shares."""
    counts = _by_end(game, what, numbers)
    total = sum(counts.values()) or 1
    return ", ".join(f"{label} {count:,} ({count / total:.1%})" for label, count in counts.items())


def _verdict(finding: Finding) -> str:
    """Describe the worth of a position; a search may know neither whether it is a tie or a draw, nor the remoteness."""
    game, value, plies = finding.game, finding.value, finding.remoteness_plies
    if finding.solved is None and plies is None and (value or not game.rules().loopy):
        return goal_words(value, plies) if game.puzzle else outcome_words(game, value, 1).rpartition(",")[0]
    return outcome_words(game, value, plies)


def outcome_words(game: Game, value: int, plies: int | None) -> str:
    """Describe the worth of a position."""
    if game.puzzle:
        return goal_words(value, plies)
    if plies is None:
        return "a draw: play never ends under optimal play"
    margin = f" by {abs(value)}" if abs(value) not in (0, 1) else ""
    winner = f"{game.players[0 if value > 0 else 1]} wins{margin}" if value else "a tie"
    if plies == 0:
        return f"{winner}, the game is over"
    return f"{winner} under optimal play, after {with_count(plies, 'ply', 'plies')}"


# Matches of a query ---------------------------------------------------------------------------------------------------


def found_answer(solution: Solution, matches: FoundClasses) -> Answer:
    """Return the classes that match a query; columns are named like the fields of queries."""
    tier = matches.tier_name
    names = ("position", "to_move", "value", "remoteness", "moves", "keeping", "errs", "orbit_size", tier, "best")
    table = Columns(
        names, [_match_cells(solution.game, match) for match in matches],
        words={"to_move", "best"}, optional=("orbit_size", tier, "keeping", "moves", "remoteness", "errs"),
        details=("to_move",) * solution.game.puzzle,
    )  # fmt: skip
    return answer(matches, [table])


def _match_cells(game: Game, match: FoundClass) -> list[Any]:
    mover = "-" if match.remoteness_plies == 0 else game.players[match.to_move < 0]
    names = match.best_names or ("-",)
    more = " …" if len(names) > SHOWN_BEST else ""
    numbers = (
        match.moves,
        match.keeping,
        _share(match.errs),
        match.orbit_size,
        match.tier,
        " ".join(names[:SHOWN_BEST]) + more,
    )
    return [match.position, mover, signed(match.value), _plies(match.remoteness_plies), *numbers]


def _share(chance: Fraction | None) -> str:
    return "-" if chance is None else f"{float(chance):.1%}"


def _plies(remoteness: int | None) -> str:
    return "draw" if remoteness is None else number(remoteness)


COLUMNS = (
    "line", "given", "position", "to_move", "value", "remoteness_plies", "best_moves", "best_names", "exact", "source",
    "error",
)  # fmt: skip
SHOWN_MOVES = 12
"""The width of best moves in a table, in characters."""

Block = Sequence[tuple[int, "FoundPosition"]]
"""Results for positions, each with its line or row number."""


def positions_answer(rows: Block, game: Game, *, short: bool) -> Answer:
    """Return what is known of several positions; ``short`` cuts their best moves to `SHOWN_MOVES`."""
    guesses = any(found.exact is False for _, found in rows)
    sides, cells = dict(zip((1, -1), game.players, strict=True)), []
    for line, found in rows:
        best = " ".join(found.best_names)
        if len(best) > SHOWN_MOVES and short:
            best = f"{best[: SHOWN_MOVES - 3].rstrip()}..."
        value = "-" if found.value is None else signed(found.value)
        exact = ["" if found.exact is None else "yes" if found.exact else "no"] * guesses
        place = found.position if found.error is None else "invalid"
        plies, mover = number(found.remoteness_plies), sides.get(found.to_move or 0, "-")
        cells.append([line, place, mover, value, plies, best, *exact, found.source])
    names = ["line", "position", "to move", "value", "plies", "best", *["exact"] * guesses, "source"]
    words = {"position", "to move", "best", "source"}
    table = Columns(names, cells, words=words, details=["source"], optional=["line", "to move", "best"])
    data = [{"line": line} | found.to_json() for line, found in rows]
    return Answer(data, data, [table], COLUMNS)
