"""What a manifest says of the game, the whole and its tiers, against what was found out."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from analysis.checks.solutions.certificate import Certificate
from analysis.checks.solutions.forward import totals_by_ply
from analysis.checks.solutions.rows import Rows
from analysis.engine.census import TierCensus
from analysis.engine.columns import NEVER, to_int
from analysis.errors import VerificationError
from analysis.rules.game import Permutation
from analysis.rules.residual import KIND
from analysis.rules.symmetry import permute
from analysis.solution.solution import Solution
from analysis.storage.directory import MANIFEST, PATHS

COUNTS = ("games", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")
"""Entries that are null where nothing was counted."""
NOT_TOLD = ("positions", "moves", "quotient_paths", "games_up_to_symmetry")
"""Entries that are null where classes do not tell how many positions there are."""


def compare_tiers(certificate: Certificate, numbers: Iterable[int], *, whole: bool) -> None:
    """Raise `VerificationError` where the totals of some tiers are not the sums of their rows; by ply, where these are
    to be told and it is the ``whole`` game.
    """
    by_ply = whole and certificate.counted and not certificate.by_ply
    plies = totals_by_ply(certificate) if by_ply else {}
    recorded = {row["tier"]: TierCensus.from_json(row).to_json() for row in certificate.manifest["totals"]}
    for number in sorted(numbers):
        found = dataclasses.replace(certificate.totals[number], plies=plies.get(number)).to_json()
        for name, value in found.items():
            if recorded[number][name] != value and (whole or name != "plies"):
                message = f"{name} of tier {number} is {recorded[number][name]}, not {value}"
                raise VerificationError(f"{MANIFEST}: {message}")


def compare_whole(certificate: Certificate, directory: Path, start: Rows) -> None:
    """Raise `VerificationError` for what is not as it should be of the game, its symmetries, the tables, and the whole,
    by the totals of the tiers and the row of the start.
    """
    manifest, rules, positions = certificate.manifest, certificate.rules, certificate.positions
    tables = {name: manifest["tables"][name] for name in ("counts", "text")}
    tables |= {"paths": (directory / PATHS).is_file(), "moves": (directory / "moves").is_dir()}
    paths_file = {**(manifest["paths_file"] or {}), "file": PATHS} if tables["paths"] else None
    symmetry = {"kind": manifest["symmetry"]["kind"], "order": positions.order}
    remoteness, totals = int(start["remoteness_plies"][0]), manifest["totals"]
    wanted: dict[str, Any] = {
        "start": int(start.states[0]), "loopy": rules.loopy, "by_ply": certificate.by_ply,
        "parameters": certificate.game.parameters(), "symmetry": symmetry, "tables": tables, "paths_file": paths_file,
        "value": int(start["value"][0]),
        "remoteness_plies": None if remoteness == NEVER else remoteness,
        "positions": sum(tier["counts"][0] for tier in totals),
        "canonical": sum(tier["counts"][1] for tier in totals),
        "moves": sum(tier["counts"][2] for tier in totals),
    }  # fmt: skip
    wanted |= dict.fromkeys(NOT_TOLD) if manifest["symmetry"]["kind"] == KIND else {}
    if certificate.counted:
        games = {name: to_int(start[f"games_{name.lower()}"][0]) for name in ("X", "O", "tie")}
        wanted["games"] = {**games, "total": sum(games.values())}
        wanted["histories"] = sum(tier["histories"] for tier in totals)
        wanted["optimal_paths"] = to_int(start["optimal_paths"][0])
    else:
        wanted |= dict.fromkeys(COUNTS)
    compare(manifest, wanted)


def compare_quotients(certificate: Certificate, solution: Solution, row: int) -> None:
    """The same for paths and games up to symmetry, which no row has."""
    if certificate.counted and certificate.positions.sized:
        wanted = {"quotient_paths": certificate.quotient_paths(row), "games_up_to_symmetry": None}
        if not certificate.positions.reduces:
            wanted["games_up_to_symmetry"] = _game_orbits(certificate, solution)
        compare(certificate.manifest, wanted)


def _game_orbits(certificate: Certificate, solution: Solution) -> int:
    """Orbits of whole games, by following one move sequence of each orbit as long as a symmetry other than the identity
    leaves it alone, and counting all continuations from there on.
    """
    rules, group = certificate.rules, certificate.positions.group

    @functools.cache
    def orbits(state: int, fixing: tuple[Permutation, ...]) -> int:
        children = [child for _, child in rules.moves(state)]
        if len(fixing) == 1 or not children:
            return sum(solution.lookup(state).continuations or ())
        images = [[permute(child, p, group.planes) for p in fixing] for child in children]
        total = 0
        for child in dict(zip(map(min, images), children, strict=True)).values():
            total += orbits(child, tuple(p for p in fixing if permute(child, p, group.planes) == child))
        return total

    return orbits(rules.start, group.permutations)


def compare_sums(manifest: dict[str, Any], rows: Sequence[int]) -> None:
    """Raise `VerificationError` where the totals of a tier with so many ``rows`` do not fit together, or those of the
    whole do not fit the games from the start.
    """
    ended = [0, 0, 0]
    for tier, classes in zip(manifest["totals"], rows, strict=True):
        positions, found, _, o, tie, x, *_, drawn = tier["counts"]
        fits = found == classes and positions == o + tie + x + drawn
        fits &= sum(map(sum, tier["by_remoteness"])) == positions - drawn
        fits &= tier["values"] is None or sum(row["positions"] for row in tier["values"]) == positions
        if manifest["tables"]["counts"]:
            ended = [one + other for one, other in zip(ended, tier["ended"], strict=True)]
            plies = tier["plies"] or [tier]
            fits &= sum(row["histories"] for row in plies) == tier["histories"]
            fits &= [sum(each) for each in zip(*(row["ended"] for row in plies), strict=True)] == tier["ended"]
        if not fits:
            raise VerificationError(f"{MANIFEST}: the totals of tier {tier['tier']} do not add up")
    if manifest["tables"]["counts"]:
        games = dict(zip(("O", "tie", "X"), ended, strict=True))
        compare(manifest, {"games": {name: games[name] for name in ("X", "O", "tie")} | {"total": sum(ended)}})


def compare(manifest: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise `VerificationError` for the first entry that is not as ``wanted``."""
    for name, value in wanted.items():
        if manifest[name] != value:
            raise VerificationError(f"{MANIFEST}: {name} is {manifest[name]}, not {value}")
