"""Verify the directory of a bidding solution: the files are as written, and the numbers follow from the rules.

The boards are played again by the author's functions, one by one and without hashing. Bids, pure or mixed, are
certified: what they guarantee a side whatever is bid against them; if both sides guarantee the same, it is the value.
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

from ..checks.solutions.kernels import ReplayedMoves
from ..checks.solutions.replay import BATCH, Positions
from ..checks.solutions.verify import check_files, first_difference, not_as_written, read_tier_files
from ..errors import OptionError, RulesError, SymmetryError, VerificationError
from ..games.bidding import OTHER, SIDES, SIGN, Bidding, BiddingState
from ..games.shared.either_side import EitherSide
from ..machine.arguments import differences
from ..machine.workers import tell_progress
from ..rules.game import ONGOING, GameLike
from ..rules.symmetry import find_group, usable_kind
from ..solution.storage.directory import MANIFEST, TIERS, part_name, part_path, tier_name
from ..solution.storage.parquet import PartFile
from .bidding_rules import StateLayout
from .bidding_solution import BiddingTotals
from .bidding_store import manifest_of, position_table, read_bidding_manifest, schema, stored_bidding
from .board_tiers import BoardTier, LevelWorth, Mixed, Placements, SolvedBoards
from .exact_values import Value, stored_as, stored_value
from .kernels import NO_BID
from .matrix_games import MatrixSolution, solve_matrix
from .plain_bidding import load_bidding

OF_MIXED = ["value", "value_numerator", "value_denominator", "x_mix", "o_mix"]
"""Columns that may differ for a state without a saddle point, as long as the mixes prove the value."""


@dataclasses.dataclass(frozen=True)
class BiddingReport:
    """What was checked. Symmetric boards and states count separately, as in ``gametree stats``."""

    game: str
    files: int
    boards: int
    states: int
    mixed: int
    """States with mixed bids."""

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree verify --format json`` prints."""
        return dataclasses.asdict(self)

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
    its bids have to guarantee each side the value whatever the other bids, which proves the value. The manifest
    follows. Rounded values may be off by 2e-9 of the range of payoffs. Raises
    `StoreError` if there is no bidding solution at all, and `VerificationError` if one contradicts the rules, naming
    the file, or the first wrong state and column.
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
            if [part["file"] for part in data["positions"] if part["rows"]] != names or "moves" in data:
                raise VerificationError(f"{directory / TIERS / tier_name(data['tier'])}: not what gametree writes")
        files = check_files(directory, recorded, ["positions"])
        either, kind = EitherSide(game.base), manifest["symmetry"]["kind"]
        try:
            find_group(either.rules(), usable_kind(either.rules(), kind))  # fails if the game is missing
            positions = Positions(either, kind)
        except (OptionError, SymmetryError) as error:
            raise VerificationError(f"{path}: {error}") from None
        tiers, totals = play_boards(positions), list[BiddingTotals]()
        if [data["tier"] for data in recorded] != list(range(len(tiers))):
            raise VerificationError(f"{path}: totals are not those of tiers 0 to {len(tiers) - 1}")
        check = _TierCheck(game, bool(manifest["tables"]["text"]), directory / "positions")
        for tier, data in zip(reversed(tiers), reversed(recorded), strict=True):
            tell_progress("verifying", len(totals), len(tiers))
            totals.insert(0, check.tier(tier, data["positions"]))
        root = check.level.table[check.level.ranks[0, check.layout.column(game.start)]]
        boards = {"start": int(tiers[0].states[0]), "payoffs": list(positions.rules.payoffs)}
        boards["symmetry"] = {"kind": kind, "order": positions.order}
        wanted = manifest_of(game, boards, root, totals, text=check.text)
        wanted |= {name: manifest[name] for name in ("schema", TIERS)}
        wanted |= {"gametree": str(manifest["gametree"]), "entries": ["positions", TIERS]}
        for place, found, right in differences(manifest, wanted):
            raise VerificationError(f"{path}: {place} is {found}, the rules say {right}")
    counts = {name: manifest[name] for name in ("boards", "states", "mixed")}
    return BiddingReport(game.spec, files, **counts)


class _TierCheck:
    """Checks the tables in a ``folder``, tier by tier, the last first."""

    def __init__(self, game: Bidding, text: bool, folder: Path) -> None:
        self._game, self.text, self._folder, self.layout = game, text, folder, StateLayout.of(game)
        self._bids = _PureBids(self.layout, game.ties)
        self.level = LevelWorth.joined(self.layout.columns, [])

    def tier(self, tier: BoardTier, parts: list[dict[str, Any]]) -> BiddingTotals:
        """Check a tier against the one after it, and count its states."""
        ends = np.cumsum(np.where(tier.over, 1, self.layout.columns))
        solved, rows, first = list[tuple[LevelWorth, BiddingTotals]](), 0, 0
        for part in parts:
            stored = PartFile(part_path(self._folder, part), part).read()
            if not stored.schema.equals(schema(text=self.text)) or first == len(tier):
                raise VerificationError(f"{part['file']}: has wrong columns or types, or too many rows")
            rows += len(stored)
            boards = slice(first, min(int(np.searchsorted(ends, rows)) + 1, len(tier)))
            solved.append(self._part(tier.some(boards), stored))
            first = boards.stop
        if first < len(tier):  # a board is missing
            self._part(tier.some(slice(first, first + 1)), stored.slice(0, 0))
        levels, counts = zip(*solved, strict=True)
        self.level = LevelWorth.joined(self.layout.columns, levels)
        return BiddingTotals.joined(tier.number, counts)

    def _part(self, boards: BoardTier, stored: pa.Table) -> tuple[LevelWorth, BiddingTotals]:
        """Check the rows of some boards of a tier."""
        x_best, x_moves = _best_placements(boards.x, self.level.ranks, 1)
        o_best, o_moves = _best_placements(boards.o, self.level.ranks, -1)
        table, places = self.level.table, (x_best, o_best)
        kind = np.min_scalar_type(len(table))  # the smallest type for ranks
        best = {side: np.ascontiguousarray(of_side.T, kind) for side, of_side in zip(SIDES, places, strict=True)}
        least = {side: np.empty(of_side.shape, dtype=np.int16) for side, of_side in best.items()}
        low, high = (self._bids.sure(side, best, least[side]).T for side in SIDES)
        x_bids, o_bids = (np.where(low == high, least[side].T, np.int16(NO_BID)) for side in SIDES)

        def compare(mixed: Mixed, but: list[str]) -> SolvedBoards:
            solved = SolvedBoards.of(boards, table, low, (x_bids, o_bids), (x_moves, o_moves), mixed)
            wanted = position_table(self.layout, solved, slice(0, len(boards)), self._game.base if self.text else None)
            if different := first_difference(stored, wanted.drop_columns(but)):
                at, name, was, due = different
                raise VerificationError(f"{self._place(wanted, at)}: {name} is {was!r}, the rules say {due!r}")
            return solved

        states = np.argwhere(low != high)
        solved = compare({}, OF_MIXED if len(states) else [])
        rows = np.flatnonzero(stored["x_chips"].is_valid().to_numpy() & stored["x_bid"].is_null().to_numpy())
        batches = stored.select(OF_MIXED).take(rows).to_batches(1 << 12)
        said = (row for batch in batches for row in batch.to_pylist())
        known, mixed, worth = dict[bytes, Any](), Mixed(), self.level.table  # many states are equal
        for (board, column), row, numbers in zip(states.tolist(), rows.tolist(), said, strict=True):
            x, o = x_best[board], o_best[board]
            matrix = self.layout.matrix(column, lambda at: worth[x[at]], lambda at: worth[o[at]])  # noqa: B023
            legal = self.layout.bids(column % self.layout.purses)
            key = hashlib.sha256(repr((matrix, legal, numbers)).encode()).digest()
            try:
                known[key] = mixed[board, column] = known.get(key) or certified(matrix, legal, numbers)
            except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
                raise VerificationError(f"{self._place(stored, row)}: value and mixes: {error}") from None
        solved = compare(mixed, []) if mixed else solved
        return solved.level(), BiddingTotals.of(solved)

    def _place(self, table: pa.Table, row: int) -> str:
        """Describe a row of a table of positions (or its last row): the tier, and the state or finished board."""
        found = table.slice(min(row, len(table) - 1), 1).to_pylist()[0]
        if found["terminal"]:
            return f"tier {found['tier']}, board {self._game.base.format_position(found['state'])}"
        holder = {1: "X", -1: "O"}[found["advantage"]]
        state = BiddingState(found["state"], found["x_chips"], found["o_chips"], holder)
        return f"tier {found['tier']}, state {self._game.format_state(state)}"


def play_boards(positions: Positions) -> list[BoardTier]:
    """Return all boards that moves of either side reach, tier by tier, with each side's placements."""

    def expand(states: np.ndarray) -> ReplayedMoves:
        batches = [positions.expand(states[low : low + BATCH]) for low in range(0, max(1, len(states)), BATCH)]
        return ReplayedMoves(*(np.concatenate(parts) for parts in zip(*batches, strict=True)))

    states, tiers = positions.least(np.array([positions.rules.start])), list[BoardTier]()
    found = expand(states)
    while len(states):
        tell_progress("playing", len(tiers), len(tiers) + 1)
        children, rows = np.unique(found.children, return_inverse=True)
        following, playing = expand(children), np.flatnonzero(found.branching)
        boards = np.repeat(np.arange(len(playing)), found.branching[playing])
        x, o = Placements.of_sides(len(playing), boards, found.codes, rows, following.payoffs == ONGOING)
        if not (np.diff(x.offsets).all() and np.diff(o.offsets).all()):
            raise RulesError(f"tier {len(tiers)}: a side has no move on a board where the game goes on")
        found.payoffs[playing] = 0
        orbit_sizes = positions.least_and_orbits(states)[1]
        tiers.append(BoardTier(len(tiers), states, orbit_sizes, found.payoffs, playing, x, o))
        states, found = children, following
    return tiers


# Pure bids ------------------------------------------------------------------------------------------------------------

BETTER = {"X": np.maximum, "O": np.minimum}
Best = Mapping[str, np.ndarray]
"""X's and O's best placements by column: ranks of values, unsigned [columns, boards]."""


def _best_placements(side: Placements, below: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Return for each board the greatest value ``below`` [boards of the next tier, columns] after a placement (the
    least with ``sign`` -1), and the first move that leads to it.
    """
    first = side.offsets[:-1]
    places = np.arange(len(side.rows)) - np.repeat(first, np.diff(side.offsets))  # fewer than 256 per board
    best = np.maximum.reduceat((sign * below[side.rows] << 8) + (255 - places.astype(np.int32))[:, None], first, axis=0)
    return sign * (best >> 8), side.moves[first[:, None] + 255 - (best & 255)]


class _PureBids:
    """The bids in all columns of a ``layout``."""

    def __init__(self, layout: StateLayout, ties: str) -> None:
        self._ties, self._splits = ties, layout.purses
        self._pays = {"X": -1, "O": 1}  # columns to move for each chip
        self._chips = {"X": np.tile(layout.x_chips, 2), "O": np.tile(layout.o_chips, 2)}
        self._least = {side: np.minimum(layout.least, chips) for side, chips in self._chips.items()}
        self._all = range(layout.purses - 1, -1, -1)

    def _legal(self, bid: int) -> dict[str, np.ndarray]:
        """Return the columns where each side may make a bid, and where both may."""
        fine = {side: (self._least[side] <= bid) & (bid <= self._chips[side]) for side in SIDES}
        return {name: np.flatnonzero(may) for name, may in {**fine, "XO": fine["X"] & fine["O"]}.items()}

    def _tied(self, best: Best, at: np.ndarray, bid: int) -> np.ndarray:
        """Return the values of equal bids in ascending columns."""
        x, o = at + bid * self._pays["X"], at + bid * self._pays["O"]
        first = np.searchsorted(at, self._splits)  # X holds the advantage before this; the winner passes it on
        x_takes, o_takes = best["X"][x[:first] + self._splits], best["O"][o[first:] - self._splits]
        if self._ties == "chooses":
            x_takes = np.maximum(x_takes, best["O"][o[:first]])
            o_takes = np.minimum(o_takes, best["X"][x[first:]])
        return np.concatenate([x_takes, o_takes])

    def sure(self, side: str, best: Best, least: np.ndarray) -> np.ndarray:
        """Return the best that a side can guarantee by one bid; write the least such bid into ``least``."""
        other, better, worse = OTHER[side], BETTER[side], BETTER[OTHER[side]]
        sure = np.full_like(best[side], 0 if side == "X" else np.iinfo(best[side].dtype).max)
        dearer = ~sure  # the worst effect of the other side's higher bids
        for bid in self._all:
            legal = self._legal(bid)
            mine, theirs, both = legal[side], legal[other], legal["XO"]
            found, cheaper = dearer.take(mine, axis=0), bid > self._least[other][mine, None]
            won = worse(found, best[side].take(mine + bid * self._pays[side], axis=0))
            found = won if cheaper.all() else np.where(cheaper, won, found)
            equal = np.searchsorted(mine, both)
            found[equal] = worse(found[equal], self._tied(best, both, bid))
            sure[mine] = most = better(sure.take(mine, axis=0), found)
            least[mine] = np.where(most == found, bid, least[mine])
            dearer[theirs] = worse(dearer[theirs], best[other].take(theirs + bid * self._pays[other], axis=0))
        return sure


# Mixed bids -----------------------------------------------------------------------------------------------------------

CLOSE, SLIPS = 2e-9, 1e-14
"""Tolerances of rounded mixes: a share of the range of payments, and for each bid a share of the largest."""


def certified(matrix: Sequence[Sequence[Value]], bids: Sequence[range], row: Mapping[str, Any]) -> MatrixSolution:
    """Return the stored solution in a ``row`` of a state without a saddle point, after checking that the mix of each
    side's ``bids`` guarantees the value in the ``matrix``, and that numbers are rounded only if necessary. Raises
    `ValueError`.
    """
    value, mixes = stored_value(*(row[name] for name in ("value", "value_numerator", "value_denominator"))), []
    payments, entries = np.array(matrix, dtype=object), np.array(matrix, dtype=float)
    slack = CLOSE * np.ptp(entries) + SLIPS * sum(entries.shape) * abs(entries).max()
    for side, legal, of_side in zip(SIDES, bids, (payments, payments.T), strict=True):
        name = f"{side.lower()}_mix"
        drawn = {part["bid"]: stored_value(*list(part.values())[1:]) for part in row[name]}
        mix = [drawn.pop(bid, Fraction(0)) for bid in legal]
        total: Any = sum(mix)
        chosen = [place for place, p in enumerate(mix) if p]
        slip = SLIPS * len(chosen) if isinstance(total, float) else 0
        if drawn or min(mix) < 0 or not abs(total - 1) <= slip:
            raise ValueError(f"{name} does not hold probabilities of legal bids that add up to 1")
        expected = (np.array(mix, dtype=object)[chosen] @ of_side[chosen]).tolist()
        gets = min(expected) if side == "X" else max(expected)
        missing = SIGN[side] * (value - gets)
        if not missing <= (slack if isinstance(missing, float) else 0):
            raise ValueError(f"{name} gets {gets} against the best answer, not {value}")
        mixes.append(mix)
    _check_rounding(matrix, value, mixes)
    return MatrixSolution(value, tuple(mixes[0]), tuple(mixes[1]), saddle=False)


def _check_rounding(matrix: Sequence[Sequence[Value]], value: Value, mixes: Sequence[list[Value]]) -> None:
    """Check that numbers are rounded only if they follow from rounded ones or do not fit the tables; the solution of
    the matrix then proves the value instead of the rounded probabilities.
    """
    rounded = [isinstance(number, float) for number in (value, *(p for mix in mixes for p in mix if p))]
    exact = not any(isinstance(entry, float) for line in matrix for entry in line)
    if exact and any(rounded):
        found = solve_matrix(matrix)
        exact = found.exact
        if exact and (isinstance(value, float) or value != found.value):
            raise ValueError(f"value is {value}, the rules say exactly {found.value}")
        for name, mix, parts in zip(("x_mix", "o_mix"), mixes, (found.rows, found.columns), strict=True):
            held, same_bids = [*map(stored_as, parts)], [*map(bool, mix)] == [*map(bool, parts)]
            if exact and same_bids and any(isinstance(p, float) for p in mix) and repr(mix) != repr(held):
                raise ValueError(f"{name} has rounded probabilities, the rules say {held}")
    if not exact and not all(rounded):
        raise ValueError("value, x_mix or o_mix has an exact number where the rules give only rounded ones")
