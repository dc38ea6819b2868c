"""The results of an audit: tables of judged moves and games, sums over them, and rows of plain values."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.results import Printable
from .exploitability import SIGNS, as_json
from .judge import Judge
from .layouts import name_of
from .policies import PolicyAudit

if TYPE_CHECKING:
    import pandas as pd

SHOWN_MISTAKES = 10
"""Mistakes in a report by default."""

ENDS = {"games_x": "X", "games_o": "O", "games_tie": "tie", "games_unfinished": "unfinished"}
"""Games by outcome."""

OF_GAMES = ("games", "won", "lost", "tied", "unfinished", "thrown_away")
"""What is counted of the games of a side: also those that ended worse for it than it could once make sure of."""

OF_MOVES = ("moves", "unknown", "mistakes", "value_lost", "remoteness_lost_plies", "first_mistakes")
"""What is added up of moves: all but ``moves`` and ``unknown`` over those that are judged, and how many were the first
mistake of their game.
"""

MOVE_COLUMNS = {
    **dict.fromkeys(("game", "row"), "int64"), "player": "string", "side": "string", "ply": "int32",
    "position": "string", "move": "int32", "name": "string", **dict.fromkeys(("value_before", "value"), "int32"),
    "value_lost": "int64", **dict.fromkeys(("remoteness_before_plies", "remoteness_plies"), "int32"),
    "remoteness_lost_plies": "int64", "optimal": "bool_", "best_moves": "string",
}  # fmt: skip
"""The columns of judged moves, with their types in Parquet. ``name`` is the move in the game's own notation,
``best_moves`` are the codes that keep the value, separated by spaces; values are the first player's, losses the
mover's; unknown is null.
"""

OWN_COLUMNS = {
    *MOVE_COLUMNS, "x", "o", "path", "outcome", "plies", "thrown_away_by", "first_mistake_ply",
    *(f"{side}_{name}" for side in "xo" for name in OF_MOVES),
}  # fmt: skip
"""Columns of our own that given ones are not confused with."""


@dataclasses.dataclass(frozen=True)
class Audit(Printable):
    """The audit of a file of games or choices."""

    games: bool
    """Whether games were judged, not choices."""
    name: str
    """Name of the file."""
    judge: Judge
    steps: pd.DataFrame
    """A row for each judged move: ``game`` (or choice, by number from 0), ``row``, ``player``, ``side``, ``ply``,
    ``move``, the states ``before`` and ``after``, value and remoteness in both, and `OF_MOVES`.
    """
    records: pd.DataFrame
    """A row for each game: ``row``, players, path, outcome, plies, and which sides threw it away; or for each choice:
    its ``row``.
    """
    given: pd.DataFrame
    """The columns that were not read, likewise, and those to group by."""
    by: tuple[str, ...] = ()
    """The columns to group by, as far as given."""
    player_column: str | None = None
    """The column that says who moved."""
    policies: tuple[PolicyAudit, ...] = ()
    """Those of the choices, by the columns to group by."""
    bad_rows: tuple[str, ...] = ()
    """What is wrong with the rows left out, the first `MOST_BAD` of them."""
    bad: int = 0
    """Number of rows left out."""
    recognised: str = ""
    """Which columns were read as what, in one line."""

    @property
    def kind(self) -> str:
        """``games`` or ``choices``."""
        return "games" if self.games else "choices"

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns to group by; of choices otherwise that of the player, if there is one."""
        return self.by or (() if self.games or self.player_column is None else (self.player_column,))

    @property
    def timed(self) -> bool:
        """Whether remoteness is known."""
        return self.judge.solution is not None

    # Judged moves and games -------------------------------------------------------------------------------------------

    def moves(self) -> pd.DataFrame:
        """Return a row for each judged move, with the columns of `MOVE_COLUMNS` and those that were not read."""
        return self._described(self.steps)[[*MOVE_COLUMNS]].join(self._kept(), on="game")

    def _described(self, steps: pd.DataFrame) -> pd.DataFrame:
        """Add to moves the position, the name, whether they are optimal, and the moves that keep the value."""
        game, best = self.judge.game, self.judge.best_moves(dict.fromkeys(steps["before"].tolist()))
        texts = {state: game.format_position(state) for state in best}
        names = {code: game.format_move(code) for code in dict.fromkeys(steps["move"].tolist())}
        kept = {state: None if codes is None else " ".join(map(str, codes)) for state, codes in best.items()}
        columns = (("position", texts, "before"), ("name", names, "move"), ("best_moves", kept, "before"))
        more = {name: objects(map(each.get, steps[of].tolist()), steps.index) for name, each, of in columns}
        return steps.assign(optimal=steps["value_lost"] == 0, **more)

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return what ``--format csv`` prints: the `rows` or, where columns to group by were given, the `groups`."""
        return self.groups() if self.by else self.rows()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game, with its first mistake, or for each choice."""
        if not self.games:
            return plain_rows(self.moves().drop(columns=["game", "ply"]))
        pairs = [(name, side) for name in OF_MOVES[1:-1] for side in SIGNS]
        sums: Any = self.steps.groupby(["game", "side"])[[*OF_MOVES[1:-1]]].sum().unstack("side")
        sums = sums.reindex(index=self.records.index, columns=pairs).fillna(0).astype("int64")
        sums = sums.set_axis([f"{side.lower()}_{name}" for name, side in pairs], axis="columns")
        if not self.timed:
            sums = sums.assign(x_remoteness_lost_plies=None, o_remoteness_lost_plies=None)
        sides = zip(self.records["thrown_x"], self.records["thrown_o"], strict=True)
        thrown = [" ".join(side for side, is_so in zip(SIGNS, each, strict=True) if is_so) for each in sides]
        first = self.steps[self.steps["first_mistakes"] == 1].set_index("game")["ply"]
        table = self.records.drop(columns=["thrown_x", "thrown_o"])
        table = table.assign(thrown_away_by=thrown, first_mistake_ply=first).join(sums).join(self._kept())
        return plain_rows(table.rename_axis("game").reset_index())

    def mistakes(self, most: int = SHOWN_MISTAKES) -> list[dict[str, Any]]:
        """Return the most frequent mistakes, among equals the costliest first: how often and in which row first each
        was made, and the moves that keep the value.
        """
        wrong = self.steps[self.steps["mistakes"] > 0]
        times = wrong.groupby(["before", "move"])["move"].transform("size")
        firsts = wrong.assign(times=times, first_row=wrong["row"]).drop_duplicates(["before", "move"])
        firsts = firsts.sort_values(["times", "value_lost"], ascending=False, kind="stable")[:most]
        names = ["times", "first_row", "side", "position", "move", "name", "value_lost", "best_moves"]
        return plain_rows(self._described(firsts)[names])

    # Sums -------------------------------------------------------------------------------------------------------------

    def totals(self) -> dict[str, Any]:
        """Return sums over all moves."""
        return self._finished(self.steps[[*OF_MOVES[:-1]]].sum().to_frame().T)[0]

    def outcomes(self) -> dict[str, int]:
        """Return the number of games by outcome."""
        return {name: int((self.records["outcome"] == end).sum()) for name, end in ENDS.items()}

    def by_side(self) -> list[dict[str, Any]]:
        """Return sums for X and for O."""
        return sorted(self._sums("side"), key=lambda row: [*SIGNS].index(row["side"]))

    def by_player(self) -> list[dict[str, Any]]:
        """Return sums for each named player."""
        return sorted(self._sums("player"), key=lambda row: row["player"])

    def by_ply(self) -> list[dict[str, Any]]:
        """Return sums by ply; of choices where the tiers of the solution are plies."""
        sums = self.steps.groupby("ply")[self._summed].sum()
        return self._finished(sums.reset_index())

    def groups(self) -> list[dict[str, Any]]:
        """Return sums for each value of the columns to group by, and each side; for choices also the exploitability of
        the policy. None without such columns.
        """
        rows = self._sums("side", of=self.keys) if self.keys else []
        policies = {tuple(each.of.values()): each.sides for each in self.policies}
        for row in rows if not self.games else ():
            side = policies.get(tuple(row[name] for name in self.keys), {}).get(row["side"])
            row |= as_json({f"exploitability_{end}": side and getattr(side, end) for end in ("least", "most")})
        return rows

    @property
    def _summed(self) -> list[str]:
        return [*OF_MOVES[: len(OF_MOVES) - (not self.games)]]

    @functools.cached_property
    def _sides(self) -> pd.DataFrame:
        """Two rows for each game, one a side: what happened to it there."""
        import pandas as pd

        records, frames = self.records, []
        for side, other in ("XO", "OX"):
            ends = {"won": side, "lost": other, "tied": "tie", "unfinished": "unfinished"}
            counts = {name: (records["outcome"] == end).astype("int64") for name, end in ends.items()}
            thrown, player = records[f"thrown_{side.lower()}"].astype("int64"), records[side.lower()]
            own = {"side": side, "player": player, "game": records.index, "games": 1, "thrown_away": thrown}
            frames.append(pd.DataFrame(counts | own, index=records.index))
        return pd.concat(frames).sort_values("game", kind="stable")

    def _sums(self, own: str, of: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return sums over moves, and over games if there are any, by the values ``of`` given columns and by one of our
        ``own``.
        """
        import pandas as pd

        parts, named = [], [f"by {name}" for name in (*of, own)]
        tables = [(self._sides, [*OF_GAMES])] if self.games else []
        for table, names in [*tables, (self.steps, self._summed)]:
            keys = [
                table["player"] if name == self.player_column else table["game"].map(self.given[name].map(name_of))
                for name in of
            ]
            keyed = table[names].assign(**dict(zip(named, [*keys, table[own]], strict=True)))
            parts.append(keyed.groupby(named, sort=False)[names].sum())
        sums = pd.concat(parts, axis="columns", sort=False).fillna(0).astype("int64")
        return self._finished(sums.rename_axis([*of, own]).reset_index())

    def _finished(self, sums: pd.DataFrame) -> list[dict[str, Any]]:
        """Return sums over moves with the mean value lost by a judged move (None without one)."""
        judged = sums["moves"] - sums["unknown"]
        mean = (sums["value_lost"] / judged.where(judged > 0)).astype(object)
        more = sums.assign(optimal=judged - sums["mistakes"], value_lost_mean=mean)
        return plain_rows(more if self.timed else more.assign(remoteness_lost_plies=None))

    # Output -----------------------------------------------------------------------------------------------------------

    def _kept(self) -> pd.DataFrame:
        """Return the columns that were not read, by their names in our rows."""
        return self.given.rename(columns={name: f"given_{name}" for name in self.given if name in OWN_COLUMNS})

    def to_json(self, mistakes: int = SHOWN_MISTAKES) -> dict[str, Any]:
        """Return what ``gametree audit --format json`` prints, with this many of the most frequent ``mistakes``."""
        return {
            "game": self.judge.game.spec,
            "start": self.judge.position,
            "file": self.name,
            "kind": self.kind,
            "recognised": self.recognised,
            **({"games": len(self.records), **self.outcomes()} if self.games else {}),
            "judged_by": self.judge.source,
            **self.totals(),
            "by_side": self.by_side(),
            "by_player": self.by_player(),
            "groups": self.groups(),
            "bad": self.bad,
            "bad_rows": list(self.bad_rows),
            "by_ply": self.by_ply(),
            "frequent_mistakes": self.mistakes(mistakes),
            **({} if self.games else {"exploitability": [policy.to_json() for policy in self.policies]}),
            "rows": self.rows(),
        }

    def write_moves(self, path: Path) -> None:
        """Write a row for each judged move, in the format of the suffix. Raises `StoreError`."""
        import pyarrow as pa

        from ..engine.columns import text_column
        from ..solution.storage.row_files import row_file

        frame = self.moves().drop(columns=[] if self.games else ["game", "ply"])
        arrays = dict[str, pa.Array]()
        for name, values in frame.astype(object).where(frame.notna(), None).items():
            kind = MOVE_COLUMNS.get(str(name), "string")
            if kind == "string":
                arrays[str(name)] = text_column([None if value is None else str(value) for value in values])
            else:
                arrays[str(name)] = pa.array(values.tolist(), getattr(pa, kind)())
        table = pa.table(arrays)
        with row_file(path, table.schema) as write:
            write(table)


def objects(values: Iterable[Any], index: Any = None) -> pd.Series[Any]:
    """Return a column that keeps its values as they are."""
    import pandas as pd

    return pd.Series(list(values), dtype=object, index=index)


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table for JSON: text for anything but numbers, booleans and missing values."""
    columns = table.astype(object).where(table.notna(), None)
    kinds = (str, bool, int, float, list, dict, type(None))
    return [
        {str(name): value if isinstance(value, kinds) else str(value) for name, value in row.items()}
        for row in columns.to_dict("records")
    ]
