"""Verify the directory of a bidding solution: its files are intact, and its numbers follow from the rules.

The boards are played again by the author's functions, one by one and without hashing. Bids, pure or mixed, are
certified by what they guarantee a side against every bid; if both sides guarantee the same, that is the value.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..common.arguments import differences
from ..common.results import Printable
from ..common.workers import tell_progress
from ..errors import OptionError, SymmetryError, VerificationError
from ..games.bidding import Bidding, BiddingState
from ..rules.either_side import EitherSide
from ..rules.game import ONGOING, GameLike
from ..rules.symmetry import find_group, usable_kind
from ..solution.storage.directory import MANIFEST, TIERS, part_name, part_path, tier_name
from ..solution.storage.parquet import PartFile
from ..solution.verification.kernels import ReplayedMoves
from ..solution.verification.replay import BATCH, Positions
from ..solution.verification.verify import check_files, first_difference, not_as_written, read_tier_files
from .bidding_store import (
    SCHEMA,
    TEXT,
    VALUE,
    manifest_of,
    position_table,
    read_bidding_manifest,
    stored_bidding,
    totals_of,
)
from .board_tiers import BoardTier, Mixed, Placements, SolvedBoards, matrix_at, ranked
from .exact_values import Value, stored_as, stored_value
from .kernels import NO_BID
from .matrix_games import MatrixSolution, solve_matrix
from .plain_bidding import load_bidding

UNDETERMINED = [*VALUE, "x_mix", "o_mix"]
"""Columns that may differ for a state without a saddle point, as long as the mixes prove the value."""


@dataclasses.dataclass(frozen=True)
class BiddingReport(Printable):
    """What was checked. Symmetric boards and states count separately, as in ``gametree stats``."""

    game: str
    files: int
    boards: int
    states: int
    mixed: int
    """States with mixed bids."""

    def sentence(self) -> str:
        """Describe the result in a sentence."""
        return (
            f"{self.game}: all {self.files} files are intact, and the value, the bids and the placements of each of "
            f"{self.states:,} states, {self.mixed:,} of them with mixed bids, on {self.boards:,} boards follow "
            "from the rules."
        )


def verify(directory: str | Path, game: GameLike | None = None) -> BiddingReport:
    """Verify every file and every number in the ``directory`` of a bidding solution (of the ``game``, if given).

    The boards are played again, and each state is compared with those after it: its placements have to be the best, and
    its bids have to guarantee each side the value whatever the other bids, which proves the value. Then the manifest is
    checked. Raises `StoreError` if there is no bidding solution at all, and `VerificationError` if one contradicts the
    rules, naming the file, or the first wrong state and column.
    """
    directory = Path(directory)
    manifest, path = read_bidding_manifest(directory), directory / MANIFEST
    game = stored_bidding(directory, manifest) if game is None else load_bidding(game)
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{path}: made by other rules than {game.spec} has now (rules_hash)")
    with not_as_written(directory):
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        for data in recorded:
            names = [part_name(data["tier"], number) for number in range(max(1, len(data["positions"])))]
            if [part["file"] for part in data["positions"] if part["rows"]] != names or data["moves"]:
                raise VerificationError(f"{directory / TIERS / tier_name(data['tier'])}: not what gametree writes")
        files = check_files(directory, recorded, ["positions"])
        either, kind, text = EitherSide(game.base), manifest["symmetry"]["kind"], bool(manifest["tables"]["text"])
        try:
            find_group(either.rules(), usable_kind(either.rules(), kind))  # fails if the game is missing
            positions = Positions(either, kind)
        except (OptionError, SymmetryError) as error:
            raise VerificationError(f"{path}: {error}") from None
        tiers, totals = play_boards(positions), list[dict[str, Any]]()
        if [data["tier"] for data in recorded] != list(range(len(tiers))):
            raise VerificationError(f"{path}: totals are not those of tiers 0 to {len(tiers) - 1}")
        solved: SolvedBoards | None = None
        for tier, data in zip(reversed(tiers), reversed(recorded), strict=True):
            tell_progress("verifying", len(totals), len(tiers))
            parts = [PartFile(part_path(directory / "positions", part), part).read() for part in data["positions"]]
            solved = _check_tier(game, tier, solved, parts, text=text)
            totals.insert(0, totals_of(game, solved))
        assert solved is not None
        boards = {"start": int(tiers[0].states[0]), "payoffs": list(positions.rules.payoffs)}
        boards["symmetry"] = {"kind": kind, "order": positions.order}
        expected = manifest_of(game, boards, solved, totals, text=text)
        expected |= {name: manifest[name] for name in ("schema", TIERS)}
        expected |= {"gametree": str(manifest["gametree"]), "entries": ["positions", TIERS]}
        for place, stored, right in differences(manifest, expected):
            raise VerificationError(f"{path}: {place} is {stored}, the rules say {right}")
    return BiddingReport(game.spec, files, **{name: manifest[name] for name in ("boards", "states", "mixed")})


def _check_tier(
    game: Bidding, tier: BoardTier, below: SolvedBoards | None, parts: list[pa.Table], *, text: bool
) -> SolvedBoards:
    """Return a tier as it must be, given the tier ``below``. Raises `VerificationError` if the tables differ."""
    wanted_schema = SCHEMA.append(TEXT) if text else SCHEMA
    for part in parts:
        if not part.schema.equals(wanted_schema):
            raise VerificationError(f"tier {tier.number}: positions/ has wrong columns or types")
    stored = pa.concat_tables(parts)
    values, ranks = (below.values, below.ranks) if below else ([], np.empty((0, game.columns), np.int32))
    (x_best, x_moves), (o_best, o_moves) = (_best(side, ranks, sign) for side, sign in ((tier.x, 1), (tier.o, -1)))
    low, high, *bids = (array.astype(np.int32) for array in sure_bids(game, x_best, o_best))
    x_bids, o_bids = (np.where(low == high, of_side, NO_BID).astype(np.int16) for of_side in bids)
    mixed, states = Mixed(), np.argwhere(low != high).tolist()

    def compare(left_out: Sequence[str] = ()) -> SolvedBoards:
        distinct, every = ranked(tier, values, low, mixed)
        solved = SolvedBoards(tier, distinct, every, x_bids, o_bids, x_moves, o_moves, mixed)
        expected = position_table(game, solved, slice(0, len(tier.states)), text=text)
        if different := first_difference(stored, expected.drop_columns(list(left_out))):
            at, name, actual, right = different
            raise VerificationError(f"{_place(game, expected, at)}: {name} is {actual!r}, the rules say {right!r}")
        return solved

    solved = compare(UNDETERMINED if states else ())
    ends = [part["state"][i].as_py() for part in parts for i in (0, -1)][1:-1]
    if any(last == first for last, first in zip(ends[::2], ends[1::2], strict=True)):
        raise VerificationError(f"tier {tier.number}: a file of positions/ ends amid a board")
    rows = np.flatnonzero(stored["x_chips"].is_valid().to_numpy() & stored["x_bid"].is_null().to_numpy())
    certificates = dict[bytes, MatrixSolution]()  # many states are equal
    batches = stored.select(UNDETERMINED).take(rows).to_batches(1 << 12)
    numbers = (row for batch in batches for row in batch.to_pylist())
    for (board, column), row, number in zip(states, rows.tolist(), numbers, strict=True):
        matrix, legal = matrix_at(game, column, values, x_best[board], o_best[board]), game.bids(column)
        key = hashlib.sha256(repr((matrix, legal, number)).encode()).digest()
        try:
            certificates[key] = mixed[board, column] = certificates.get(key) or certified(matrix, legal, number)
        except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
            raise VerificationError(f"{_place(game, stored, row)}: value and mixes: {error}") from None
    return compare() if mixed else solved


def _place(game: Bidding, table: pa.Table, row: int) -> str:
    """Describe a row of a table of positions (or its last row): the tier, and the state or finished board."""
    cells = table.slice(min(row, len(table) - 1), 1).to_pylist()[0]
    if cells["terminal"]:
        return f"tier {cells['tier']}, board {game.base.format_position(cells['state'])}"
    holder = {1: "X", -1: "O"}[cells["advantage"]]
    state = BiddingState(cells["state"], cells["x_chips"], cells["o_chips"], holder)
    return f"tier {cells['tier']}, state {game.format_state(state)}"


def play_boards(positions: Positions) -> list[BoardTier]:
    """Return all boards that moves of either side reach, tier by tier, with each side's placements."""

    def expand(states: np.ndarray) -> ReplayedMoves:
        batches = [positions.expand(states[low : low + BATCH]) for low in range(0, max(1, len(states)), BATCH)]
        return ReplayedMoves(*(np.concatenate(parts) for parts in zip(*batches, strict=True)))

    states, tiers = positions.least(np.array([positions.rules.start])), list[BoardTier]()
    moves = expand(states)
    while len(states):
        tell_progress("playing", len(tiers), len(tiers) + 1)
        children, rows = np.unique(moves.children, return_inverse=True)
        following, orbit_sizes = expand(children), positions.least_and_orbits(states)[1]
        of_moves = moves.payoffs, moves.branching, moves.codes, rows
        tiers.append(BoardTier.of(len(tiers), states, orbit_sizes, of_moves, following.payoffs == ONGOING))
        states, moves = children, following
    return tiers


# Pure bids ------------------------------------------------------------------------------------------------------------

ABOVE_ALL = np.int32(2**30)


def _best(side: Placements, below: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Return for each board the greatest value ``below`` [boards of the next tier, columns] after a placement (the
    least with ``sign`` -1), and the first move that leads to it.
    """
    first = side.offsets[:-1]
    if not len(first):
        return np.empty((0, below.shape[1]), np.int32), np.empty((0, below.shape[1]), np.uint8)
    places = np.arange(len(side.rows)) - np.repeat(first, np.diff(side.offsets))  # fewer than 256 per board
    best = np.maximum.reduceat((sign * below[side.rows] << 8) + (255 - places.astype(np.int32))[:, None], first, axis=0)
    return sign * (best >> 8), side.moves[first[:, None] + 255 - (best & 255)]


def sure_bids(game: Bidding, x_best: np.ndarray, o_best: np.ndarray) -> list[np.ndarray]:
    """Return what one bid of X guarantees at least and one of O at most, and the least such bids, each [boards,
    columns], from the ranks of both sides' best placements. O's bids are X's with the sides exchanged.
    """
    x, o = (best.T.reshape(2, game.splits, -1) for best in (x_best, o_best))
    low, x_bids = _sure(game, x, o)
    high, o_bids = (array[::-1, ::-1] for array in _sure(game, -o[::-1, ::-1], -x[::-1, ::-1]))
    return [array.reshape(game.columns, -1).T for array in (low, -high, x_bids, o_bids)]


def _sure(game: Bidding, mine: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the most that a bid of mine guarantees, and the least such bid, from the ranks of ``mine`` and ``theirs``
    after winning, [whether they hold the advantage, my chips, boards].
    """
    purses, chips = game.splits, np.arange(game.splits)
    later = np.full((2, 2 * purses, mine.shape[2]), ABOVE_ALL)
    later[:, :purses] = theirs
    dearer = np.minimum.accumulate(later[:, ::-1], axis=1)[:, ::-1]  # the worst of this many chips and more
    dearer = np.append(dearer, np.full_like(dearer[:, :1], ABOVE_ALL), axis=1)
    guaranteed, least = np.full_like(mine, -ABOVE_ALL), np.full_like(mine, NO_BID)
    for bid in range(purses - 1, -1, -1):
        my_chips, their_chips = chips[bid:], chips[::-1][bid:]
        value, won = dearer[:, 2 * bid + 1 : purses + bid + 1], mine[:, : purses - bid]
        value = np.where((bid > np.minimum(game.least, their_chips))[:, None], np.minimum(value, won), value)
        taken = [won[1], later[0, 2 * bid : purses + bid]]
        tied = np.stack([np.maximum(*taken), np.minimum(*taken)] if game.ties == "chooses" else taken)
        both_can = (np.minimum(game.least, their_chips) <= bid) & (bid <= their_chips)
        value = np.where(both_can[:, None], np.minimum(value, tied), value)
        value = np.where((np.minimum(game.least, my_chips) <= bid)[:, None], value, -ABOVE_ALL)
        least[:, bid:] = np.where(value >= guaranteed[:, bid:], bid, least[:, bid:])
        guaranteed[:, bid:] = np.maximum(guaranteed[:, bid:], value)
    return guaranteed, least


# Mixed bids -----------------------------------------------------------------------------------------------------------

CLOSE = 2e-9
"""Tolerance of payments where numbers are rounded, as a share of the largest."""


def certified(matrix: Sequence[Sequence[Value]], bids: Sequence[range], row: Mapping[str, Any]) -> MatrixSolution:
    """Return the stored solution in a ``row`` of a state without a saddle point, after checking that the mix of each
    side's ``bids`` guarantees the value in the ``matrix``; rounded numbers must be those of the solved matrix, too.
    Raises `ValueError`.
    """
    value, mixes = stored_value(*(row[name] for name in VALUE)), list[tuple[Value, ...]]()
    for side, legal in zip("xo", bids, strict=True):
        drawn = {part["bid"]: stored_value(*list(part.values())[1:]) for part in row[f"{side}_mix"]}
        mixes.append(tuple(drawn.pop(bid, Fraction(0)) for bid in legal))
        if drawn:
            raise ValueError(f"{side}_mix holds other bids than legal ones")
    entries = [entry for line in matrix for entry in line]
    exact = not any(isinstance(number, float) for number in (value, *mixes[0], *mixes[1], *entries))
    slack: Any = 0 if exact else CLOSE * max(abs(float(entry)) for entry in entries)
    for side, mix, of_side in zip("xo", mixes, (matrix, [*zip(*matrix, strict=True)]), strict=True):
        if not min(mix) >= 0 or not abs(sum(mix) - 1) <= slack:
            raise ValueError(f"{side}_mix does not hold probabilities that add up to 1")
        expected = [sum(p * entry for p, entry in zip(mix, line, strict=True)) for line in zip(*of_side, strict=True)]
        result = min(expected) if side == "x" else max(expected)
        if not abs(result - value) <= slack:
            raise ValueError(f"{side}_mix gets {result} against the best answer, not {value}")
    if not exact:
        solution = solve_matrix(matrix)
        expected_numbers = [solution.value, *(p for p in map(stored_as, (*solution.rows, *solution.columns)) if p)]
        if repr([value, *(p for mix in mixes for p in mix if p)]) != repr(expected_numbers):
            raise ValueError(f"{value} by {mixes}, the rules say {expected_numbers}")
    return MatrixSolution(value, mixes[0], mixes[1], saddle=False)
