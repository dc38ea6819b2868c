"""Query the complete solution of a game, in memory or on disk."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.memory import Budget
from ..common.results import Printable
from ..common.wording import in_words, signed
from ..engine.alike import Tried
from ..engine.census import TierCensus
from ..engine.engine import Engine
from ..engine.kernels import CLASSES, POSITIONS
from ..engine.tiers import COUNTS, VALUES, Record, SolvedTier
from ..errors import MissingDataError, PositionError, UnreadableError
from ..rules.board_symmetries import BoardSymmetries, board_symmetries
from ..rules.game import Game
from ..rules.picture import DrawnBoard
from ..rules.positions import Place, read_position
from . import counts as counts_of
from .look_ups import Child, LookUp, StateRecords
from .paths import NO_COUNTS, OptimalPaths
from .position import Move, Position

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    from .batches import Batches
    from .searching import FoundClasses

BATCH = 65536
"""Rows of a batch."""

FRAME = 6
"""Bytes of a frame, while it is made, for each byte of its table."""


@dataclasses.dataclass(frozen=True)
class Summary:
    """The numbers of a solution that its tiers do not hold."""

    totals: tuple[TierCensus, ...]
    optimal_paths: int | None
    quotient_paths: int | None
    games_up_to_symmetry: int | None
    promises: Tried | None = None
    """How many positions were tried for the promises of a user's rules."""


class Solution(Printable):
    """The complete solution of a game from its start; get one from `analysis.solve` or `analysis.open_solution`.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> solution.value, solution.games, solution["X?O?X???O"].best_moves
    (0, 255168, (5,))
    """

    def __init__(
        self,
        engine: Engine,
        tiers: Sequence[SolvedTier],
        summary: Summary,
        directory: Path | None = None,
        reopen: Callable[[], Solution] | None = None,
    ) -> None:
        self.engine = engine
        """The compiled rules and the symmetries that the tiers were made with."""
        self.tiers = tiers
        """The solved tiers, ascending: sorted canonical states and their columns, as arrays."""
        self.records = StateRecords(engine, tiers)
        """Looks states up, one by one or as arrays."""
        self._summary = summary
        self.directory = directory
        """Where the solution is stored, or None."""
        self.was_there = False
        """Whether it was stored already, so that nothing was solved."""
        self.resumed = False
        """Whether a solve that had been cut off was completed."""
        self._reopen = reopen

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as directory and game, or else with its arrays; `StoreError` if the directory is gone or changed."""
        if self._reopen is not None:
            return self._reopen, ()
        return Solution, (self.engine, self.tiers, self._summary, self.directory)

    # The whole game ---------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _whole(self) -> TierCensus:
        return counts_of.whole_of(self._summary.totals)

    @property
    def game(self) -> Game:
        """The game that was solved."""
        return self.engine.game

    @property
    def start(self) -> str:
        """The position it was solved from."""
        return self.game.format_position(self.engine.start)

    @property
    def value(self) -> int:
        """The first player's payoff under optimal play from the start: +1 X wins, 0 tie, -1 O wins."""
        return self.records.of(self.engine.start, VALUES).value

    @property
    def remoteness_plies(self) -> int | None:
        """Plies to the end under optimal play."""
        return self.records.of(self.engine.start, VALUES).remoteness_plies

    @property
    def games(self) -> int:
        """Complete games from the start. Raises `MissingDataError` for a solution without counts."""
        return self._games("games")

    @property
    def games_x(self) -> int:
        """Complete games that X wins."""
        return self._games("games_x")

    @property
    def games_o(self) -> int:
        """Complete games that O wins."""
        return self._games("games_o")

    @property
    def games_tie(self) -> int:
        """Complete games that are tied."""
        return self._games("games_tie")

    def _games(self, name: str) -> int:
        number = counts_of.games_of(self._whole.ended)[name]
        if number is None:
            raise counts_of.endless(self.game) if self.loopy else MissingDataError(NO_COUNTS)
        return number

    @property
    def promises(self) -> Tried | None:
        """How many positions were tried for the promises of a user's rules; None for other games."""
        return self._summary.promises

    @property
    def loopy(self) -> bool:
        """Whether play can return to an earlier position: then there are draws, and no counts of games and paths."""
        return self.engine.loopy

    @property
    def by_ply(self) -> bool:
        """Whether the tiers are plies."""
        return self.engine.by_ply

    @property
    def classes(self) -> int:
        """The number of classes of positions."""
        return int(self._whole.counts[CLASSES])

    @property
    def position_count(self) -> int | None:
        """The number of positions; None if unknown (``residual``)."""
        return int(self._whole.counts[POSITIONS]) if self.engine.sized else None

    @property
    def symmetry(self) -> str:
        """The kind of symmetries used: ``geometric``, ``full`` or ``none``; or ``residual``, see `Game.residual`."""
        return self.engine.group.kind

    @property
    def symmetry_order(self) -> int | None:
        """The number of symmetries; None if they are not known, since the rules have their own canonical()."""
        return self.engine.order

    @property
    def counted(self) -> bool:
        """Whether histories, games and paths were counted."""
        return self._summary.optimal_paths is not None

    def statistics(self) -> dict[str, Any]:
        """Return all counts, as ``gametree stats --format json`` prints them; None for what was not counted."""
        statistics = {"game": self.game.spec, "start": self.start, "value": self.value}
        statistics |= {"remoteness_plies": self.remoteness_plies}
        statistics |= counts_of.numbers_of(self._summary, self.symmetry_order, by_ply=self.by_ply, loopy=self.loopy)
        if self.game.worths is not None:
            values: Any = statistics["by_value"]
            statistics["by_value"] = [row | {"value": self.game.worth(row["value"])} for row in values]
        return statistics if self.engine.sized else counts_of.without_positions(statistics)

    def to_json(self) -> dict[str, Any]:
        """Return the `statistics`."""
        return self.statistics()

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return the counts by ply or, if tiers are not plies, by tier."""
        rows: list[dict[str, Any]] = self.statistics()["by_ply" if self.by_ply else "by_tier"]
        return rows

    # One position -----------------------------------------------------------------------------------------------------

    def __getitem__(self, position: Place) -> Position:
        """Return a position with its moves; moves in a sequence begin at the solution's start.

        Raises `PositionError` for an invalid or unreachable position.

        >>> import analysis
        >>> solution = analysis.solve("tictactoe")
        >>> [solution[text].position for text in ("XOX?O????", "0124", (0, 1, 2, 4))]
        ['XOX?O????', 'XOX?O????', 'XOX?O????']
        >>> solution[[["X", "O", "X"], [" ", "O", " "], [" ", " ", " "]]].position
        'XOX?O????'
        """
        return self.at(self._state(position))

    def __contains__(self, position: object) -> bool:
        """Return whether play reaches a position, given as to ``[]`` or as a `Position`. Raises `PositionError`."""
        try:
            return self.records.holds(self._state(position))
        except UnreadableError:
            raise
        except PositionError:
            return False

    def __len__(self) -> int:
        """Return the number of positions. Raises `MissingDataError` if it is unknown."""
        self.refuse_residual("their number")
        return self.position_count or 0

    __iter__ = None  # else Python would take numbers for positions

    def _state(self, position: Any) -> int:
        return read_position(self.game, position, start=self.engine.start)

    def at(self, state: int) -> Position:
        """Return the position of a state of the rules. Raises `PositionError` if play does not reach it."""
        look = self.records.with_moves(as_state(state))
        record = look.record
        return Position(
            self.game.format_position(state),
            record.to_move,
            record.value,
            record.remoteness_plies,
            record.histories_each,
            record.games_x,
            record.games_o,
            record.games_tie,
            record.nimber,
            tuple(self._move(child, record) for child in look.children or ()),
            state,
            None if (grid := self.game.grid(state)) is None else DrawnBoard(map(tuple, grid)),
            self,
        )

    def optimal_paths(self, start: Place | None = None, *, shortest: bool = False) -> OptimalPaths:
        """Return the optimal paths from a position (default: the start), in lexicographic order, or the ``shortest``.

        Raises `MissingDataError` if they are infinitely many: in a loopy game, except the shortest from a position that
        is not a draw.
        """
        state = self.engine.start if start is None else self._state(start)
        located = self.records.find(state, COUNTS)
        drawn = located.record.remoteness_plies is None
        if self.loopy and drawn and shortest:
            start = "the start" if state == self.engine.start else self.game.format_position(state)
            raise MissingDataError(f"{start} is a draw, so there is no shortest path: play never ends")
        if self.loopy and not shortest:
            raise counts_of.endless(self.game, drawn=drawn)
        return OptimalPaths(self.records, state, located, shortest=shortest)

    def _move(self, child: Child, before: Record) -> Move:
        after = child.record
        text, name = self.game.format_position(child.state), self.game.format_move(child.move)
        keeps = after.value == before.value
        return Move(child.move, text, after.value, after.remoteness_plies, keeps, after.nimber, name)

    def lookup(self, states: npt.ArrayLike, columns: Sequence[str] = ()) -> LookUp:
        """Look up many states at once; the result has arrays with an entry for each.

        Args:
            states: States of the rules, n integers, canonical or not, such as `Game.encode` makes from boards; those
                that play does not reach are marked.
            columns: Other columns to look up: ``terminal``, ``orbit_size``, ``nimber``, ``histories``, ``games_x``,
                ``games_o``, ``games_tie``, ``optimal_paths`` and ``shortest_paths``, of the class.

        Raises `UnreadableError` for anything but integers, `MissingDataError` for a column that is not stored, and
        `TooLargeError` for more states than memory holds.

        >>> import analysis
        >>> solution = analysis.solve("tictactoe")
        >>> found = solution.lookup([0, 1, 2], columns=["games_x"])
        >>> found.value.tolist(), found.remoteness_plies.tolist(), found.columns["games_x"].tolist()
        ([0, 0, 0], [9, 8, 8], [131184, 14652, 14232])
        """
        return self.records.look_up(states, columns)

    def encode(self, boards: npt.ArrayLike, to_move: npt.ArrayLike | None = None) -> np.ndarray:
        """Return the states of boards, for `lookup`; see `Game.encode`."""
        return self.game.encode(boards, to_move)

    def board_symmetries(self) -> BoardSymmetries:
        """Return the symmetries that the solution uses as permutations of the board's cells and of moves, except those
        that exchange marks.

        Raises `MissingDataError` for a game without a board, and `SymmetryError` for one with a canonical() of its own,
        or if a code means different moves for the two players, as with dominoes.

        >>> import analysis
        >>> analysis.solve("connect:rows=3,cols=4").board_symmetries().moves.tolist()
        [[0, 1, 2, 3], [3, 2, 1, 0]]
        """
        return board_symmetries(self.game, self.engine.group)

    def find(
        self,
        query: str = "",
        *,
        order: str | None = None,
        limit: int = 20,
        seed: int | None = None,
    ) -> FoundClasses:
        """Find the classes that match a ``query``, such as ``value=tie and only_move and remoteness_plies >= 7``
        (default: all).

        All classes are searched and matches counted; at most ``limit`` are kept, the first by ``order``: ``errs`` (the
        chance to err), ``remoteness``, ``games`` (from there on) or ``random``, greatest first, or least first with
        ``-`` in front; by default by tier and state. ``seed`` makes chance reproducible. Raises `OptionError` for an
        invalid query or order, and `MissingDataError` for counts that the solution does not hold.

        >>> import analysis
        >>> found = analysis.solve("tictactoe").find("only_move", order="errs", limit=1)
        >>> found.matched, found[0].position, found[0].errs
        (294, 'X????????', Fraction(7, 8))
        """
        from .queries import Query
        from .searching import Search

        search = Search(self.of_classes, Query(self.game, query), order=order, limit=limit, seed=seed)
        return search.all()

    # Tables -----------------------------------------------------------------------------------------------------------

    def batches(
        self,
        size: int = BATCH,
        *,
        columns: Sequence[str] | None = None,
        moves: bool = False,
        text: bool = False,
        ply: int | None = None,
        tier: int | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the classes of a ply or a tier (default: all) as Arrow record batches, by tier and state, in bounded
        memory.

        Args:
            size: The most rows of a batch.
            columns: Columns of the Parquet files (default: all).
            moves: Whether to add the columns ``legal_moves`` and ``optimal_moves``, lists of codes.
            text: Whether to add the column ``position``.
            ply: The ply, if tiers are plies.
            tier: The tier.

        Raises `OptionError` for an impossible size, `MissingDataError` for an unknown column, `PositionError` for an
        unknown ply or tier, and `RulesNeededError` for moves without rules.

        >>> import analysis
        >>> solution = analysis.solve("tictactoe")
        >>> [len(batch) for batch in solution.batches(500)][:5], sum(map(len, solution.batches()))
        ([1, 3, 12, 38, 108], 765)
        >>> next(solution.batches(moves=True, ply=1, columns=["state"])).to_pylist()[0]
        {'state': 1, 'legal_moves': [1, 2, 3, 4, 5, 6, 7, 8], 'optimal_moves': [4]}
        """
        return iter(self._batches(size, columns, moves, text, self._chosen(ply, tier)))

    def to_arrow(self, *, columns: Sequence[str] | None = None, moves: bool = False, text: bool = False) -> pa.Table:
        """Return all `batches` as one table. Raises `TooLargeError` if memory does not hold them."""
        return self._table(self._batches(BATCH, columns, moves, text, self.tiers))

    def _table(self, batches: Batches, copies: int = 1) -> pa.Table:
        """Return batches as a table, if memory holds so many ``copies`` of it. Raises `TooLargeError`."""
        import pyarrow as pa

        first = next(iter(batches))
        size = copies * first.nbytes / len(first) * batches.classes
        Budget.of_machine().require(size, f"a table of {batches.classes:,} classes", "batches()")
        return pa.Table.from_batches(batches, batches.schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the classes for readers of Arrow's streams: pandas, Polars, DuckDB."""
        import pyarrow as pa

        batches = self._batches(BATCH, None, False, False, self.tiers)
        return pa.RecordBatchReader.from_batches(batches.schema, batches).__arrow_c_stream__(requested_schema)

    def _batches(
        self, size: int, columns: Sequence[str] | None, moves: bool, text: bool, tiers: Sequence[SolvedTier]
    ) -> Batches:
        from .batches import Batches

        return Batches(self.of_classes, tiers, size, columns, moves=moves, text=text)

    def positions(self, ply: int | None = None, *, tier: int | None = None, text: bool = False) -> pd.DataFrame:
        """Return the classes of a ply or a tier (default: all) as a data frame with the columns of the Parquet files,
        and, if ``text`` is set, the position.

        Integers are exact, and so are their sums: int64 if the sum over all positions fits, else Python integers in a
        column of objects. (pandas reads decimals from the files, whose sums are rounded to 28 digits.) Raises
        `PositionError` for an unknown ply or tier.
        """
        from .conversions import frame_of

        return frame_of(self._table(self._batches(BATCH, None, False, text, self._chosen(ply, tier)), FRAME))

    def total(self, what: str, ply: int | None = None, *, tier: int | None = None) -> Any:
        """Return the exact number of ``positions`` or ``classes`` of a ply, a tier or the whole game, or the exact sum
        of a column of `positions`, in which each class counts once; sums of payoffs with decimal places are rounded
        like any sum of floats.

        Raises `MissingDataError` for an unknown or non-numeric column and for what is unknown, and `PositionError` for
        an unknown ply or tier.

        >>> import analysis
        >>> solution = analysis.solve("tictactoe")
        >>> solution.total("positions"), solution.total("histories"), solution.total("classes", ply=1)
        (5478, 549946, 3)
        """
        import pyarrow as pa

        from .conversions import PIECE, total_of

        chosen = self._chosen(ply, tier)
        if what == "classes":
            return sum(map(len, chosen))
        if what == "positions":
            self.refuse_residual("their number")
        name = "orbit_size" if what == "positions" else what
        schema = next(chosen[0].pieces(1)).schema
        summed = [field.name for field in schema if pa.types.is_decimal(field.type) or pa.types.is_integer(field.type)]
        if name not in summed:
            raise MissingDataError(f"no total {what!r}; choose from {in_words(['positions', 'classes', *summed])}")
        pieces = (piece for solved in chosen for piece in solved.pieces(PIECE, [name]))
        if name == "value" and self.game.worths is not None:
            return sum(self.game.worth(value) for piece in pieces for value in piece[name].to_pylist())
        return sum(total_of(piece, name) for piece in pieces)

    def refuse_residual(self, what: str) -> None:
        """Raise `MissingDataError` if classes are residual and ``what`` needs positions."""
        if not self.engine.sized:
            raise MissingDataError(
                f"{what}: not known for {self.game.spec}, since positions with the same game left to play count as one "
                "(--symmetry residual); solve it with another symmetry"
            )

    @functools.cached_property
    def of_classes(self) -> Solution:
        """The solution whose positions are the classes: this one or, with residual classes, the residual game's."""
        if self.engine.residual is None:
            return self
        return Solution(self.engine.classes, self.tiers, self._summary, self.directory)

    def _chosen(self, ply: int | None, tier: int | None) -> Sequence[SolvedTier]:
        if ply is None and tier is None:
            return self.tiers
        if ply is not None and not self.by_ply:
            raise PositionError(f"the positions of {self.game.spec} are stored by tier, not by ply; give tier=")
        number = tier if ply is None else ply
        tiers = [solved for solved in self.tiers if solved.number == number]
        if not tiers:
            kind = "ply" if self.by_ply else "tier"
            raise PositionError(f"there is no {kind} {number}; the last is {self.tiers[-1].number}")
        return tiers

    def __repr__(self) -> str:
        whole = not self.engine.ruled or self.engine.start == self.engine.rules.start
        place = "" if whole else f" from {self.start}"
        positions = "" if self.position_count is None else f"{self.position_count:,} positions, "
        return f"<Solution of {self.game.spec}{place}: value {signed(self.value)}, {positions}{self.classes:,} classes>"


def as_state(state: object) -> int:
    """Convert a state given by a user. Raises `UnreadableError` for anything but an integer."""
    if isinstance(state, bool) or not hasattr(state, "__index__"):
        raise UnreadableError(
            f"a state must be a whole number, not {type(state).__name__}; look texts up by solution[text]"
        )
    return operator.index(state)
