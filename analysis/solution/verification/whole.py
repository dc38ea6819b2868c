"""Checks of all tiers together: reachability in loopy games, repeated states, totals by ply, manifest, and paths."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ...common.workers import tell_progress
from ...engine.census import PlyTotals, TierCensus, count_positions, games_ended
from ...engine.columns import NEVER, exact_sum, to_int
from ...engine.kernels.radix_sort import sorted_keys
from ...engine.passes.forward_by_ply import ranked
from ...engine.tiers import Tier
from ...errors import VerificationError
from ...rules.game import Permutation
from ...rules.symmetry import RESIDUAL, permute
from ..solution import Solution
from ..storage.directory import MANIFEST, PATHS
from ..storage.parquet import PartFile
from ..storage.path_files import PATH_SCHEMA
from .certificate import Certificate, temporary
from .kernels import set_bits
from .replay import BATCH
from .rows import InOrder, StoredRows, distinct

COUNTS = ("games", "histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry")
"""Entries that are null without counts."""
NOT_TOLD = ("positions", "moves", "quotient_paths", "games_up_to_symmetry")
"""Entries that are null where classes do not tell the number of positions."""
LABELS = ("to_move", "value", "remoteness_plies", "orbit_size")


def mark_reached(certificate: Certificate, start: int) -> None:
    """Set the bits of all rows reachable from a row of the first tier, in a loopy game. Children are looked up so many
    at a time that a tier which is not held is seldom read.
    """
    positions, tiers, reached = certificate.positions, certificate.tiers, certificate.reached
    waiting = {number: np.zeros_like(bits) for number, bits in reached.items()}
    most, children = int(certificate.memory / 5 / 32), list[np.ndarray]()

    def look_up() -> None:
        states = distinct(np.concatenate([np.empty(0, np.int64), *children]))
        children.clear()
        numbers = positions.tiers(states, 0)
        for later in np.unique(numbers).tolist():
            rows = certificate.rows_of(later, states[numbers == later])
            new = rows[(reached[later][rows >> 3] >> (rows & 7).astype(np.uint8) & 1) == 0]
            set_bits(waiting[later], new)

    set_bits(waiting[min(tiers)], np.array([start]))
    for number in sorted(tiers):  # no move lowers the tier
        while waiting[number].any():
            now, waiting[number] = waiting[number], np.zeros_like(waiting[number])
            reached[number] |= now
            flags = np.unpackbits(now, bitorder="little")
            chosen = lambda begin, end, flags=flags: begin + np.flatnonzero(flags[begin:end])  # noqa: E731
            for rows in tiers[number].batches(certificate.batch, ["state"], chosen):
                children.append(distinct(positions.expand(rows.states).children))
                if sum(map(len, children)) > most:
                    look_up()
            look_up()


def refuse_repetition(certificate: Certificate) -> None:
    """Raise `VerificationError` if a state is in two tiers that are plies: it would count twice.

    Then so are the states after its moves, down to an end of the game: it suffices to compare ends.
    """
    tiers = certificate.tiers.values()
    firsts = distinct(np.concatenate([part.bounds[0] for tier in tiers for part in tier.parts]))
    together = int(certificate.memory / 5 / 32) * len(firsts) // sum(map(len, tiers)) // certificate.workers.threads
    cuts = [*firsts[:: max(1, together)].tolist(), None]

    def repeated(bounds: tuple[int, int | None]) -> int | None:
        states = np.concatenate([each for tier in tiers for each in tier.ends_between(*bounds)])
        states = sorted_keys(states)
        again = np.flatnonzero(states[1:] == states[:-1])
        return int(states[again[0]]) if len(again) else None

    for state in certificate.workers.map(repeated, itertools.pairwise(cuts)):
        if state is not None:
            text = certificate.game.format_position(state)
            raise VerificationError(f"position {text} is in two tiers; the rules need tier(state) or loopy=True")


def totals_by_ply(certificate: Certificate) -> dict[int, tuple[PlyTotals, ...]]:
    """Return the totals at each ply, tier by tier, by following all move sequences from the start."""
    positions, tiers, ply = certificate.positions, certificate.tiers, 0
    found: dict[int, list[PlyTotals]] = {number: [] for number in tiers}
    held = 64 * sum(map(len, tiers.values())) <= certificate.memory / 5
    room = functools.partial(np.zeros, dtype=np.uint64) if held else temporary
    now = {min(tiers): room((len(tiers[min(tiers)]), 4))}  # sums of digits to the base 2 ** 32, for each row
    now[min(tiers)][certificate.find_start()[0], 0] = 1
    while now:
        following: dict[int, np.ndarray] = {}
        for number, here in now.items():
            chosen = lambda begin, end, here=here: begin + np.flatnonzero(here[begin:end].any(axis=1))  # noqa: E731
            totals = list[PlyTotals]()
            for rows in tiers[number].batches(certificate.batch, ["state", *LABELS], chosen):
                digits = here[certificate.rows_of(number, rows.states)]
                for digit in range(3):  # these are sums of fewer than 2 ** 32 digits
                    digits[:, digit + 1] += digits[:, digit] >> 32
                    digits[:, digit] &= 0xFFFFFFFF
                histories, expanded = digits[:, ::2] | digits[:, 1::2] << 32, positions.expand(rows.states)
                mover, value, remoteness, orbits = map(rows.__getitem__, LABELS)
                tier = Tier(number, False, rows.states, mover, value, remoteness, expanded.branching, orbits)
                ended = games_ended(tier, histories)
                totals.append(PlyTotals(ply, count_positions(tier).counts, exact_sum(histories), ended))
                n, places = ranked(expanded.children)
                states = expanded.children[:n]
                sums, numbers = np.zeros((len(states), 4), np.uint64), positions.tiers(states, 0)
                np.add.at(sums, places, np.repeat(digits, expanded.branching, axis=0))
                for later in np.unique(numbers).tolist():
                    if later not in following:
                        following[later] = room((len(tiers[later]), 4))
                    own = numbers == later
                    following[later][certificate.rows_of(later, states[own])] += sums[own]
            found[number].append(functools.reduce(PlyTotals.__add__, totals))
        now, ply = following, ply + 1
    return {number: tuple(own) for number, own in found.items()}


def compare_tiers(certificate: Certificate, numbers: Iterable[int], *, whole: bool) -> None:
    """Raise `VerificationError` unless tiers' totals are the sums of their rows; by ply only if ``whole``."""
    by_ply = whole and certificate.counted and not certificate.by_ply
    plies = totals_by_ply(certificate) if by_ply else {}
    recorded = {row["tier"]: TierCensus.from_json(row).to_json() for row in certificate.manifest["totals"]}
    for number in sorted(numbers):
        found = dataclasses.replace(certificate.totals[number], plies=plies.get(number)).to_json()
        for name, value in found.items():
            if recorded[number][name] != value and (whole or name != "plies"):
                message = f"{name} of tier {number} is {recorded[number][name]}, not {value}"
                raise VerificationError(f"{MANIFEST}: {message}")


def compare_whole(certificate: Certificate, start: StoredRows) -> None:
    """Raise `VerificationError` unless the manifest's facts about the game, its symmetries, tables and totals are
    right, given the totals of the tiers and the row of the start.
    """
    manifest, rules, positions = certificate.manifest, certificate.rules, certificate.positions
    tables = {name: manifest["tables"][name] for name in ("counts", "text")}
    tables |= {"paths": (certificate.directory / PATHS).is_file(), "moves": (certificate.directory / "moves").is_dir()}
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
    wanted |= dict.fromkeys(NOT_TOLD) if manifest["symmetry"]["kind"] == RESIDUAL else {}
    if certificate.counted:
        games = {name: to_int(start[f"games_{name.lower()}"][0]) for name in ("X", "O", "tie")}
        wanted["games"] = {**games, "total": sum(games.values())}
        wanted["histories"] = sum(tier["histories"] for tier in totals)
        wanted["optimal_paths"] = to_int(start["optimal_paths"][0])
    else:
        wanted |= dict.fromkeys(COUNTS)
    compare(manifest, wanted)


def compare_quotients(certificate: Certificate, solution: Solution, row: int) -> None:
    """Do the same for paths and games up to symmetry, which no row holds."""
    if certificate.counted and certificate.positions.sized:
        wanted = {"quotient_paths": certificate.quotient_paths(row), "games_up_to_symmetry": None}
        if certificate.positions.order is not None:
            reduces = certificate.positions.reduces
            wanted["games_up_to_symmetry"] = (_own_orbits if reduces else _game_orbits)(certificate, solution)
        compare(certificate.manifest, wanted)


def _game_orbits(certificate: Certificate, solution: Solution) -> int:
    """Count orbits of whole games: follow one move sequence of each orbit while a symmetry other than the identity
    fixes it, and from there on count all games.
    """
    rules, group = certificate.rules, certificate.positions.group

    @functools.cache
    def orbits(state: int, fixing: tuple[Permutation, ...]) -> int:
        children = [child for _, child in rules.moves(state)]
        if len(fixing) == 1 or not children:
            return solution.records.of(state).games or 0
        images = [[permute(child, p, group.planes) for p in fixing] for child in children]
        total = 0
        for child in dict(zip(map(min, images), children, strict=True)).values():
            total += orbits(child, tuple(p for p in fixing if permute(child, p, group.planes) == child))
        return total

    return orbits(rules.start, group.permutations)


def _own_orbits(certificate: Certificate, solution: Solution) -> int:
    """Count orbits of whole games under the symmetries of the rules' own canonical(): the mean number of games
    from the start that an element fixes.
    """
    rules, order = certificate.rules, certificate.positions.order
    assert order is not None

    def fixed(state: int, image: Callable[[int], int]) -> int:
        children = [child for _, child in rules.moves(state)]
        return sum(fixed(child, image) for child in children if image(child) == child) if children else 1

    total = solution.records.of(rules.start).games or 0
    for number, image in certificate.game.own_symmetries(rules.start) or ():
        total += number * fixed(rules.start, image)
    if total % order:
        raise VerificationError(f"{certificate.game.spec} has {order} symmetries, but they are not a group")
    return total // order


def compare_sums(certificate: Certificate) -> None:
    """Raise `VerificationError` unless tiers' totals fit each other and their rows, and all games fit the start."""
    manifest, ended = certificate.manifest, [0, 0, 0]
    for tier, classes in zip(manifest["totals"], map(len, certificate.tiers.values()), strict=True):
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


def check_paths(path: Path, recorded: dict[str, Any], solution: Solution) -> None:
    """Check a table of optimal paths with this entry in the manifest, by the values of a ``solution``, which are right,
    and by its count of paths, which was found by other means. Raises `VerificationError`, naming a path that is wrong.
    """
    file, done, paths = PartFile(path, recorded), 0, solution.optimal_paths()
    rows = InOrder([file], BATCH, PATH_SCHEMA, str(path))
    for block in paths.blocks():
        tell_progress("checking paths", done, file.metadata.num_rows)
        texts = block.decode("ascii").split("\n")[:-1]
        wanted = pa.table([texts, [paths.outcome] * len(texts), [*map(paths.plies, texts)]], schema=PATH_SCHEMA)
        stored = rows.take(len(wanted))
        if not stored.equals(wanted):
            pairs = itertools.zip_longest(stored.to_pylist(), wanted.to_pylist())
            row = next(row for row, (found, right) in enumerate(pairs) if found != right)
            found, right = ([*each.slice(row, 1).to_pylist(), "missing"][0] for each in (stored, wanted))
            raise VerificationError(f"{path}: row {done + row} is {found}, but the rules give {right}")
        done += len(wanted)
    if len(rows.take(1)) or (paths.counted and done != paths.count):
        raise VerificationError(f"{path} has other than the {paths.count if paths.counted else done} optimal paths")
