"""The complete solution of a game: what a user holds, whether in memory or on the disk."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis import statistics
from analysis.engine import Engine
from analysis.errors import MissingDataError, PositionError, TooLargeError
from analysis.kernels.census import CLASSES, MOVES, POSITIONS
from analysis.paths import OptimalPaths
from analysis.position import Games, Move, Position, preference, signed
from analysis.rules import Game
from analysis.store import move_rows
from analysis.tables import NEVER
from analysis.tiers import Record, SolvedTier, Totals

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclasses.dataclass(frozen=True)
class Summary:
    """The numbers of a solution that its tiers do not hold."""

    totals: tuple[Totals, ...]
    optimal_paths: int | None
    quotient_paths: int | None
    games_up_to_symmetry: int | None


class Solution:
    """The complete solution of a game from its start; get one from `analysis.solve` or `analysis.open_solution`.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> solution.value, solution.games.total, solution["X?O?X???O"].best_moves
    (0, 255168, (5,))
    """

    def __init__(
        self, engine: Engine, tiers: Sequence[SolvedTier], summary: Summary, directory: Path | None = None
    ) -> None:
        self._engine, self._tiers, self._summary = engine, tiers, summary
        self.directory = directory
        """Where the solution is stored, or None."""

    # The whole game ---------------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game that was solved."""
        return self._engine.game

    @property
    def start(self) -> str:
        """The position it was solved from."""
        return self.game.format_position(self._engine.start)

    @property
    def value(self) -> int:
        """The first player's payoff under optimal play from the start: +1 X wins, 0 tie, -1 O wins."""
        return self.lookup(self._engine.start).value

    @property
    def remoteness_plies(self) -> int | None:
        """Plies to the end under optimal play."""
        return self.lookup(self._engine.start).remoteness_plies

    @property
    def games(self) -> Games:
        """Complete games from the start. Raises `MissingDataError` for a solution without counts."""
        counted = statistics.games(self._summary.totals)
        if counted is None:
            raise MissingDataError("this solution holds no counts (--no-counts); solve again with them: add --force")
        return Games(counted["X"], counted["O"], counted["tie"])

    @property
    def canonical(self) -> int:
        """How many classes of positions there are."""
        return statistics.total(self._summary.totals, CLASSES)

    @property
    def position_count(self) -> int:
        """How many positions there are."""
        return statistics.total(self._summary.totals, POSITIONS)

    @property
    def symmetry(self) -> str:
        """Which symmetries were used: ``geometric``, ``full`` or ``none``."""
        return self._engine.group.kind

    @property
    def counted(self) -> bool:
        """Whether histories, games and paths were counted."""
        return self._summary.optimal_paths is not None

    def statistics(self) -> dict[str, Any]:
        """All counts, as ``gametree stats --format json`` prints them; None for what was not counted."""
        totals = self._summary.totals
        return {
            "game": self.game.spec,
            "value": self.value,
            "remoteness_plies": self.remoteness_plies,
            "positions": self.position_count,
            "canonical": self.canonical,
            "symmetry_order": self._engine.group.order,
            "terminal": statistics.terminal(totals),
            "moves": statistics.total(totals, MOVES),
            "games": statistics.games(totals),
            "games_by_length": statistics.games_by_length(totals),
            "histories": statistics.histories(totals),
            "optimal_paths": self._summary.optimal_paths,
            "quotient_paths": self._summary.quotient_paths,
            "games_up_to_symmetry": self._summary.games_up_to_symmetry,
            "by_ply": statistics.by_ply(totals),
            "by_remoteness": statistics.by_remoteness(totals),
        }

    # One position -----------------------------------------------------------------------------------------------------

    def __getitem__(self, position: str) -> Position:
        """Everything known of a position. Raises `PositionError` where the text is no reachable position."""
        state = self.game.parse_position(position)
        record = self.lookup(state)
        histories, games = None, None
        if record.histories is not None and record.continuations is not None:
            histories = record.histories // record.orbit_size
            games = Games(*(histories * number for number in record.continuations))
        return Position(
            self.game.format_position(state),
            None if record.terminal else "X" if record.to_move > 0 else "O",
            record.value,
            record.remoteness_plies,
            histories,
            games,
            tuple(self._moves_of(state, record)),
            self.game.grid(state),
        )

    def optimal_paths(self, position: str | None = None, *, shortest: bool = False) -> OptimalPaths:
        """The optimal paths from a position (default: the start), in lexicographic order."""
        state = self._engine.start if position is None else self.game.parse_position(position)
        return OptimalPaths(self._engine, self._tiers, self._find(state)[0], state, shortest=shortest)

    def lookup(self, state: int) -> Record:
        """What is known of a state; it need not be canonical. Raises `PositionError`."""
        return self._find(state)[1]

    def _find(self, state: int) -> tuple[int, Record]:
        """The ply of a state, and what is known of it."""
        canonical = self._engine.canonical(state)
        for ply, tier in enumerate(self._tiers):
            record = tier.lookup(canonical)
            if record is not None:
                return ply, record
        raise PositionError(f"position {self.game.format_position(state)} is not reached from {self.start}")

    def _moves_of(self, state: int, record: Record) -> list[Move]:
        found = []
        for code, child in self._engine.rules.moves(state):
            after = self.lookup(child)
            text = self.game.format_position(child)
            found.append(Move(code, text, after.value, after.remoteness_plies, after.value == record.value))
        return sorted(found, key=lambda m: preference(m, record.to_move))

    # Tables -----------------------------------------------------------------------------------------------------------

    def positions(self, ply: int | None = None) -> pd.DataFrame:
        """The classes of a ply (default: of all) as a data frame, columns as in the Parquet files, and the position."""
        frames = []
        for tier in self._of_ply(ply):
            frame = tier.table().to_pandas()
            frame["position"] = list(self.game.format_positions(tier.states))
            frames.append(frame)
        return _concatenate(frames)

    def moves(self, ply: int | None = None) -> pd.DataFrame:
        """One row for each legal move of each class of a ply (default: of all): state, move, child, optimal."""
        frames = []
        for tier in self._of_ply(ply):
            below = self._tiers[tier.ply + 1] if tier.ply + 1 < len(self._tiers) else None
            frames.append(move_rows(self._engine, tier.states, tier.value, below).to_pandas())
        return _concatenate(frames)

    def to_networkx(self, max_positions: int = 100_000) -> nx.DiGraph[str]:
        """The DAG of classes: nodes are the texts of canonical positions with ``value``, ``remoteness``, ``ply`` and
        ``outcome`` (None while the game goes on). An edge leads to the class that a move reaches; ``move`` is the
        least code that does, ``moves`` all of them. Raises `TooLargeError` for more than ``max_positions`` classes.
        """
        import networkx as nx

        if self.canonical > max_positions:
            raise TooLargeError(
                f"{self.game.spec} has {self.canonical:,} classes, more than max_positions={max_positions:,}"
            )
        graph: nx.DiGraph[str] = nx.DiGraph(game=self.game.spec)
        text = self.game.format_position
        for tier in self._tiers:
            for state, value, remoteness in zip(
                tier.states.tolist(), tier.value.tolist(), tier.remoteness.tolist(), strict=True
            ):
                payoff = self._engine.rules.outcome(state)
                over = not self._engine.rules.moves(state)
                outcome = None if not over else "X" if payoff > 0 else "O" if payoff < 0 else "tie"
                graph.add_node(
                    text(state),
                    value=value,
                    remoteness=None if remoteness == NEVER else remoteness,
                    ply=tier.ply,
                    outcome=outcome,
                )
                for code, child in self._engine.rules.moves(state):
                    edge = (text(state), text(self._engine.canonical(child)))
                    earlier = graph.edges[edge]["moves"] if graph.has_edge(*edge) else ()
                    graph.add_edge(*edge, move=(*earlier, code)[0], moves=(*earlier, code))
        return graph

    def _of_ply(self, ply: int | None) -> Sequence[SolvedTier]:
        if ply is None:
            return self._tiers
        if not 0 <= ply < len(self._tiers):
            raise PositionError(f"there is no ply {ply}; the longest game has {len(self._tiers) - 1}")
        return self._tiers[ply : ply + 1]

    def __repr__(self) -> str:
        where = "" if self._engine.start == self._engine.rules.start else f" from {self.start}"
        return (
            f"<Solution of {self.game.spec}{where}: value {signed(self.value)}, {self.position_count:,} positions, "
            f"{self.canonical:,} classes>"
        )

    def _repr_html_(self) -> str:
        counts = statistics.games(self._summary.totals)
        facts = {
            "value": signed(self.value),
            "remoteness": f"{self.remoteness_plies} plies",
            "positions": f"{self.position_count:,}",
            "classes": f"{self.canonical:,}",
        }
        if counts is not None:
            facts |= {f"games: {name}": f"{number:,}" for name, number in counts.items()}
            facts["optimal paths"] = f"{self._summary.optimal_paths:,}"
        rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
        return f"<div><b>{html.escape(self.game.spec)}</b><table>{rows}</table></div>"


def _concatenate(frames: list[Any]) -> Any:
    import pandas as pd

    return pd.concat(frames, ignore_index=True)
