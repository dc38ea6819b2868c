"""The results of an audit: tables of judged moves and games, sums over them, and rows of plain values."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.results import Printable
from .exploitability import SIGNS, as_json
from .judge import Judge
from .layouts import name_of
from .outcomes import OTHER
from .policies import PolicyAudit

if TYPE_CHECKING:
    import pandas as pd

SHOWN_MISTAKES = 10
"""Mistakes in a report by default."""

MOST_VALUES = 1 << 10
"""Different values of a column that is grouped by unasked."""

ENDS = {"games_x": "X", "games_o": "O", "games_tie": "tie", "games_unfinished": "unfinished"}
"""Games by outcome."""

OF_GAMES = ("won", "lost", "tied", "unfinished", "resigned", "thrown_away", "first_mistakes")
"""What is counted of the games of a side: also those given up, those that ended worse for it than it could once make
sure of, and those whose first mistake was its own.
"""

OF_MOVES = ("moves", "unknown", "mistakes", "value_lost", "remoteness_lost_plies")
"""What is added up of moves; all but ``moves`` and ``unknown`` over those that are judged."""

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

FIRST_MISTAKE = ("ply", "side", "position", "move", "name", "value_lost", "best_moves")
"""What is told of the first mistake of a game."""

OWN_COLUMNS = {
    *MOVE_COLUMNS, "x", "o", "path", "outcome", "plies", "thrown_away_by", "resigned", "exact_from_ply",
    *("first_mistake", *(f"first_mistake_{name}" for name in FIRST_MISTAKE)),
    *(f"{side}_{name}" for side in "xo" for name in OF_MOVES),
}  # fmt: skip
"""Columns of our own that given ones are not confused with."""


@dataclasses.dataclass(frozen=True)
class Audit(Printable):
    """The audit of a file of games or choices."""

    kind: str
    """``games`` or ``choices``."""
    name: str
    """Name of the file."""
    judge: Judge
    steps: pd.DataFrame
    """A row for each judged move: ``game`` (or choice, by number from 0), ``row``, ``player``, ``side``, ``ply``,
    ``move``, the states ``before`` and ``after``, value and remoteness in both, and `OF_MOVES`.
    """
    records: pd.DataFrame
    """A row for each game or choice: ``row``; of games players, path, outcome, and place of the first mistake in
    ``steps`` (-1 without one); of choices player, position and move.
    """
    given: pd.DataFrame
    """The columns that were not read, likewise."""
    grouped: tuple[str, ...] = ()
    """The columns to group by."""
    player_column: str | None = None
    """The column that says who moved, where each move has its own row."""
    policies: tuple[PolicyAudit, ...] = ()
    bad_rows: tuple[str, ...] = ()
    """What is wrong with the rows left out, the first `MOST_BAD` of them."""
    bad: int = 0
    """Number of rows left out."""
    asked: bool = False
    """Whether the user named the columns to group by."""
    recognised: str = ""
    """How the file was read, in one line."""
    unusual: bool = False
    """Whether columns or numbers deviate from what this program writes."""
    unit: str | None = None
    """What its rows are counted in, ``line`` or ``row``; None where a bot's choices have no numbers."""

    @property
    def games(self) -> bool:
        """Whether games were judged, not choices."""
        return self.kind == "games"

    @property
    def unknown(self) -> bool:
        """Whether some moves are not judged."""
        return bool(self.steps["unknown"].any())

    @property
    def timed(self) -> bool:
        """Whether remoteness is known."""
        return self.judge.solution is not None

    @property
    def unreached(self) -> list[str]:
        """The choices' positions that play never reaches."""
        return [] if self.games else self.records["position"][~self.records["reached"]].tolist()

    # Judged moves and games -------------------------------------------------------------------------------------------

    def moves(self) -> pd.DataFrame:
        """Return a row for each judged move, with the columns of `MOVE_COLUMNS` and those that were not read."""
        moves = self._described(self.steps)
        texts = [None if codes is None else " ".join(map(str, codes)) for codes in moves["best_moves"]]
        return moves.assign(best_moves=objects(texts))[[*MOVE_COLUMNS]].join(self._kept(), on="game")

    def _described(self, steps: pd.DataFrame) -> pd.DataFrame:
        """Add to moves the position, the name, whether they are optimal, and the moves that keep the value."""
        game, best = self.judge.game, self.judge.best_moves(dict.fromkeys(steps["before"]))
        texts, names = functools.cache(game.format_position), functools.cache(game.format_move)
        more: dict[str, Any] = {
            "position": objects(texts(state) for state in steps["before"]),
            "name": objects(names(code) for code in steps["move"].tolist()),
            "best_moves": objects(best[state] for state in steps["before"]),
        }
        columns = {name: column.set_axis(steps.index) for name, column in more.items()}
        return steps.assign(optimal=steps["value_lost"] == 0, **columns)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game, with its first mistake as an object, or for each choice."""
        records = self.records
        if not self.games:
            names = [name for name in MOVE_COLUMNS if name not in ("game", "ply")]
            moves = self.moves().set_index("game").drop(columns=["row", "player", "position", "move", *self._kept()])
            return _plain(records.join(moves)[names].join(self._kept()))
        mistakes = self._mistakes(self.steps.loc[records["first"][records["first"] >= 0]])
        sums: Any = self.steps.groupby(["game", "side"])[[*OF_MOVES]].sum().unstack("side")
        sums = sums.reindex(index=records.index, columns=[(name, side) for name in OF_MOVES for side in SIGNS])
        lost = sums.fillna(0).astype("int64")
        own: dict[str, Any] = {f"{side.lower()}_{name}": lost[name, side] for name in OF_MOVES[1:] for side in SIGNS}
        own |= {} if self.timed else {f"{side.lower()}_remoteness_lost_plies": None for side in SIGNS}
        thrown = zip(records["thrown_x"], records["thrown_o"], strict=True)
        own["thrown_away_by"] = [[side for side, is_so in zip(SIGNS, each, strict=True) if is_so] for each in thrown]
        own["first_mistake"] = [mistakes.get(at) for at in records["first"]]
        table = records[["row", "x", "o", "path", "outcome", "plies", "resigned", "exact_from_ply"]].assign(**own)
        return [{"game": number, **row} for number, row in enumerate(_plain(table.join(self._kept())))]

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return what ``--format csv`` prints: the same with the first mistake in columns of its own, and lists as
        text; where columns to group by were asked for, a row for each of their values.
        """
        if self.asked:
            return [
                {"column": name, **{key: value for key, value in row.items() if key != "by_side"}, **_by_side(row)}
                for name, rows in self.by_column().items()
                for row in rows
            ]
        rows = self.rows()
        for row in rows if self.games else ():
            first = row.pop("first_mistake") or {}
            row["thrown_away_by"] = " ".join(row["thrown_away_by"])
            row |= {f"first_mistake_{name}": first.get(name) for name in FIRST_MISTAKE}
            if first.get("best_moves"):
                row["first_mistake_best_moves"] = " ".join(map(str, first["best_moves"]))
        return rows

    def mistakes(self, most: int = SHOWN_MISTAKES) -> list[dict[str, Any]]:
        """Return the most frequent mistakes: how often and in which row, or line, first each was made, and the moves
        that keep the value; among equals the costliest first.
        """
        wrong = self.steps[self.steps["mistakes"] > 0]
        counts = wrong.groupby(["before", "move"], sort=False).agg(times=("game", "size"))
        firsts = wrong.drop_duplicates(["before", "move"]).join(counts, on=["before", "move"])
        firsts = firsts.sort_values(["times", "value_lost"], ascending=False, kind="stable")
        least = firsts["times"].iloc[:most].min()
        firsts = firsts[firsts["times"] >= least] if most else firsts[:0]
        shown = self._mistakes(firsts)
        rows = [
            {"times": times, "first_row": row, **shown[at]}
            for at, times, row in zip(firsts.index, firsts["times"].tolist(), firsts["row"].tolist(), strict=True)
        ]
        rows.sort(key=lambda row: (-row["times"], -row["value_lost"], row["position"], row["move"]))
        return [{name: value for name, value in row.items() if name != "ply"} for row in rows[:most]]

    def _mistakes(self, steps: pd.DataFrame) -> dict[Any, dict[str, Any]]:
        """Return mistakes, by their place in the table, with the moves that would have kept the value."""
        rows = _plain(self._described(steps)[[*FIRST_MISTAKE]])
        for row in rows:
            codes = row["best_moves"]
            row["best_names"] = None if codes is None else [*map(self.judge.game.format_move, codes)]
        return dict(zip(steps.index, rows, strict=True))

    # Sums -------------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def sides(self) -> pd.DataFrame:
        """Two rows for each game, one a side: what happened to it there, as 0 or 1."""
        import pandas as pd

        games, frames = self.records, []
        first = self.steps["side"].reindex(games["first"]).to_numpy()
        for side in SIGNS:
            outcome = games["outcome"]
            counts = {
                "won": outcome == side, "lost": outcome == OTHER[side], "tied": outcome == "tie",
                "unfinished": outcome == "unfinished", "resigned": games["resigned"] == side,
                "thrown_away": games[f"thrown_{side.lower()}"], "first_mistakes": first == side,
            }  # fmt: skip
            frame = pd.DataFrame({name: np.asarray(each, dtype="int64") for name, each in counts.items()}, games.index)
            frames.append(frame.assign(games=1, game=games.index, side=side, player=games[side.lower()]))
        return pd.concat(frames)

    def totals(self) -> dict[str, Any]:
        """Return sums over all moves."""
        return self._of_moves(self.steps[[*OF_MOVES]].sum())

    def outcomes(self) -> dict[str, int]:
        """Return the number of games by outcome."""
        return {name: int((self.records["outcome"] == end).sum()) for name, end in ENDS.items()}

    def by_side(self) -> list[dict[str, Any]]:
        """Return sums for X and for O."""
        return [{"side": side, **sums} for side, sums in self._sums("side", keys=[*SIGNS]).items()]

    def by_player(self) -> list[dict[str, Any]]:
        """Return sums for each named player."""
        return [{"player": name, **sums} for name, sums in self._sums("player").items()]

    def by_ply(self) -> list[dict[str, Any]]:
        """Return sums by ply, of games also with their first mistakes; of choices where the tiers of the solution are
        plies.
        """
        sums: Any = self.steps.groupby("ply")[[*OF_MOVES]].sum()
        first: Any = self.steps["ply"].reindex(self.records["first"] if self.games else []).value_counts()
        own = {ply: {"first_mistakes": int(first.get(ply, 0))} if self.games else {} for ply in sums.index}
        return [{"ply": int(ply), **self._of_moves(row), **own[ply]} for ply, row in sums.iterrows()]

    def by_column(self) -> dict[str, list[dict[str, Any]]]:
        """Return, for each column to group by, one row per value, numbers in their order: sums over all moves and by
        side, for games also the outcomes, for choices also the exploitability. Unasked, columns of too many values are
        left out.
        """
        columns = dict[str, list[dict[str, Any]]]()
        for name in self.grouped:
            own = self.games and name == self.player_column  # then each side has its own value
            values = None if own else self.given[name].map(name_of)
            named = [
                table.assign(
                    value=table["player"].fillna(table["side"]) if values is None else table["game"].map(values)
                )
                for table in ([self.steps, self.sides] if self.games else [self.steps])
            ]
            present = sorted({*named[-1]["value"].dropna()}, key=_by_number)
            if len(present) > MOST_VALUES and not self.asked:
                continue
            sums = (self._sums("value", [t[t["side"] == side] for t in named], present) for side in SIGNS)
            x, o = sums
            columns[name] = [self._value_row(name, value, x[value], o[value], own=own) for value in present]
        return columns

    def _value_row(
        self, name: str, value: str, x: Mapping[str, Any], o: Mapping[str, Any], *, own: bool
    ) -> dict[str, Any]:
        more: dict[str, Any]
        if self.games:  # of a column with the players, both sides count; otherwise one side of each game is another's
            sides = [(x, ("won", "lost", "tied", "unfinished")), (o, ("lost", "won", "tied", "unfinished"))][: 1 + own]
            more = {end: sum(side[names[at]] for side, names in sides) for at, end in enumerate(ENDS)}
            more = {"games": sum(more.values())} | more
        else:
            policies = [policy for policy in self.policies if policy.of.get(name) == value]
            one = policies[0] if len(policies) == 1 else PolicyAudit({})
            more = {"policies": len(policies), **as_json(one.summary())}
        total = {key: (x[key] or 0) + (o[key] or 0) for key in OF_MOVES}
        by_side = [{"side": side, **sums} for side, sums in zip(SIGNS, (x, o), strict=True)]
        return {"value": value, **more, **self._of_moves(total), "by_side": by_side}

    def _sums(
        self, by: str, tables: Sequence[pd.DataFrame] = (), keys: Sequence[str] = ()
    ) -> dict[str, dict[str, Any]]:
        """Return sums over moves, and over games if there are any, by the values of a column."""
        tables = tables or [self.steps, *([self.sides] if self.games else [])]
        counted = ([*OF_MOVES], ["games", *OF_GAMES])
        sums: list[Any] = [table.groupby(by)[names].sum() for table, names in zip(tables, counted, strict=False)]
        keys = keys or sorted({key for each in sums for key in each.index})
        moves, *games = (each.reindex(keys).fillna(0).astype("int64") for each in sums)
        own = games[0].to_dict("index") if games else {}
        return {key: {**own.get(key, {}), **self._of_moves(moves.loc[key])} for key in keys}

    def _of_moves(self, sums: Any) -> dict[str, Any]:
        """Return sums over moves, and the mean value lost by a judged move (None without one)."""
        moves, unknown, mistakes, lost, plies = (int(sums[name]) for name in OF_MOVES)
        judged = moves - unknown
        return {
            "moves": moves, "unknown": unknown, "optimal": judged - mistakes, "mistakes": mistakes, "value_lost": lost,
            "value_lost_mean": lost / judged if judged else None,
            "remoteness_lost_plies": plies if self.timed else None,
        }  # fmt: skip

    # Output -----------------------------------------------------------------------------------------------------------

    def exact_from_ply(self, share: float = 1) -> int:
        """Return the ply from which on every move is judged, in this share of the games; 0 where all are."""
        plies = sorted(self.records["exact_from_ply"].tolist())
        return plies[int((len(plies) - 1) * share)] if plies else 0

    def _kept(self) -> pd.DataFrame:
        """Return the columns that were not read, by their names in our rows."""
        return self.given.rename(columns={name: f"given_{name}" for name in self.given if name in OWN_COLUMNS})

    def to_json(self, mistakes: int = SHOWN_MISTAKES) -> dict[str, Any]:
        """Return what ``gametree audit --format json`` prints, with this many of the most frequent ``mistakes``."""
        unreached = self.unreached
        own = (
            {"games": len(self.records), **self.outcomes(), "exact_from_ply": self.exact_from_ply()}
            if self.games
            else {"unreached": len(unreached), "unreached_example": next(iter(unreached), None)}
        )
        return {
            "game": self.judge.game.spec,
            "start": self.judge.position,
            "file": self.name,
            "kind": self.kind,
            "recognised": self.recognised,
            **own,
            "judged_by": self.judge.source,
            **self.totals(),
            "by_side": self.by_side(),
            "by_player": self.by_player(),
            "by_column": self.by_column(),
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
        for name in map(str, frame):
            values = [None if _missing(value) else value for value in frame[name].tolist()]
            if (kind := MOVE_COLUMNS.get(name, "string")) == "string":
                arrays[name] = text_column([None if value is None else str(value) for value in values])
            else:
                arrays[name] = pa.array(values, getattr(pa, kind)())
        table = pa.table(arrays)
        with row_file(path, table.schema) as write:
            write(table)


def objects(values: Iterable[Any]) -> pd.Series[Any]:
    """Return a column that keeps its values as they are."""
    import pandas as pd

    return pd.Series(list(values), dtype=object)


def _missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or pandas' NA."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _plain(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table for JSON: text for anything but numbers, lists, booleans and missing values."""
    kinds = (str, bool, int, float, list, dict)

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [*value]
        return None if _missing(value) else value if isinstance(value, kinds) else str(value)

    columns = [map(plain, table[name].tolist()) for name in table]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def _by_side(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sums of both sides in one row."""
    return {f"{sums['side'].lower()}_{name}": sums[name] for sums in row["by_side"] for name in OF_MOVES}


def _by_number(value: str) -> tuple[bool, int, str]:
    number = value.isascii() and value.isdecimal() and len(value) < 19
    return not number, int(value) if number else 0, value
