"""The results of an audit: tables of judged moves and games, sums over them, and rows of plain values."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .exploitability import SIGNS
from .judge import Judge, SearchingJudge
from .layouts import name_of
from .outcomes import OTHER
from .policies import NO_POLICY, PolicyAudit

if TYPE_CHECKING:
    import pandas as pd

SHOWN_MISTAKES = 10
"""Mistakes in a report by default."""

MOST_VALUES = 1 << 10
"""Different values of a column that is grouped by unasked."""

OUTCOMES = ("X", "O", "tie", "unfinished")

OF_GAMES = ("won", "lost", "tied", "unfinished", "resigned", "thrown_away", "first_mistakes")
"""What is counted of the games of a side: also those given up, those that ended worse for it than it could once make
sure of, and those whose first mistake was its own.
"""

OF_MOVES = ("moves", "unknown", "mistakes", "value_lost", "remoteness_lost_plies")
"""What is added up of moves; all but ``moves`` and ``unknown`` over those that are judged."""

MOVE_COLUMNS = {
    **dict.fromkeys(("game", "row"), "int64"), "player": "string", "side": "string", "ply": "int32",
    "position": "string", "code": "int32", "name": "string", **dict.fromkeys(("value_before", "value_after"), "int32"),
    "value_lost": "int64", **dict.fromkeys(("remoteness_before_plies", "remoteness_after_plies"), "int32"),
    "remoteness_lost_plies": "int64", "optimal": "bool", "best_moves": "string",
}  # fmt: skip
"""The columns of judged moves, with their types in Parquet. ``name`` is the code in the game's own notation,
``best_moves`` are the codes that keep the value, separated by spaces; values are the first player's, losses the
mover's; unknown is null.
"""
FIRST_MISTAKE = ("ply", "side", "position", "code", "name", "value_lost", "best_moves")
"""What is told of the first mistake of a game."""
OWN_COLUMNS = {*MOVE_COLUMNS, "x", "o", "path", "outcome", "plies", "thrown_away_by", "resigned", "exact_from_ply"}
"""Columns of our own that given ones are not confused with."""


@dataclasses.dataclass(frozen=True)
class Audit:
    """The audit of a file of games or choices."""

    kind: str
    """``games`` or ``choices``."""
    name: str
    """Name of the file."""
    judge: Judge
    steps: pd.DataFrame
    """A row for each judged move: ``game`` (or choice, by number from 0), ``row``, ``player``, ``side``, ``ply``,
    ``code``, the states ``before`` and ``after``, value and remoteness in both, and `OF_MOVES`.
    """
    records: pd.DataFrame
    """A row for each game or choice: ``row``; of games players, path, outcome, and place of the first mistake in
    ``steps`` (-1 without one); of choices player, position and code.
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
    moves_written: int | None = None
    """Rows written to the file of judged moves, if one was requested."""

    @property
    def games(self) -> bool:
        """Whether games were judged, not choices."""
        return self.kind == "games"

    @property
    def unknown(self) -> bool:
        """Whether some moves are not judged."""
        return bool(self.steps["unknown"].any())

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C stopped the searches before everything was known."""
        return isinstance(self.judge, SearchingJudge) and self.judge.stopped == "interrupted"

    @property
    def unreached(self) -> list[str]:
        """The choices' positions that play never reaches."""
        return [] if self.games else self.records["position"][~self.records["reached"]].tolist()

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that were not read."""
        return tuple(self.given.columns)

    # Judged moves and games -------------------------------------------------------------------------------------------

    def moves(self) -> pd.DataFrame:
        """Return a row for each judged move, with the columns of `MOVE_COLUMNS` and those that were not read."""
        steps, game = self.steps, self.judge.game
        best = self.judge.best_moves(dict.fromkeys(steps["before"]))
        texts = {state: game.format_position(state) for state in best}
        names = {code: game.format_move(code) for code in dict.fromkeys(steps["code"].tolist())}
        codes = {state: None if moves is None else " ".join(map(str, moves)) for state, moves in best.items()}
        told: dict[str, Any] = {
            "position": objects(texts[state] for state in steps["before"]),
            "name": objects(names[code] for code in steps["code"]),
            "optimal": steps["value_lost"] == 0,
            "best_moves": objects(codes[state] for state in steps["before"]),
        }
        return steps.assign(**told)[[*MOVE_COLUMNS]].join(self._kept(), on="game")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game, with its first mistake as an object, or for each choice."""
        records = self.records
        if not self.games:
            names = [name for name in MOVE_COLUMNS if name not in ("game", "ply")]
            moves = self.moves().set_index("game").drop(columns=["row", "player", "position", "code", *self._kept()])
            return _plain(records.join(moves)[names].join(self._kept()))
        lost, mistakes = self._lost_by_game(), self._mistakes(self.steps.loc[records["first"][records["first"] >= 0]])
        sides = [(side, side.lower()) for side in SIGNS]
        own: dict[str, Any] = {f"{letter}_{name}": lost[name, side] for name in OF_MOVES[1:] for side, letter in sides}
        if not self.judge.tells_remoteness:
            own |= {f"{letter}_remoteness_lost_plies": None for _, letter in sides}
        thrown = zip(records["thrown_x"], records["thrown_o"], strict=True)
        own["thrown_away_by"] = [[side for side, is_so in zip(SIGNS, each, strict=True) if is_so] for each in thrown]
        own["first_mistake"] = [mistakes.get(at) for at in records["first"]]
        table = records[["row", "x", "o", "path", "outcome", "plies", "resigned", "exact_from_ply"]].assign(**own)
        return [{"game": number, **row} for number, row in enumerate(_plain(table.join(self._kept())))]

    def flat_rows(self) -> list[dict[str, Any]]:
        """Return the same for CSV: the first mistake in columns of its own, lists as text."""
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
        counts = wrong.groupby(["before", "code"], sort=False).agg(times=("game", "size"))
        firsts = wrong.drop_duplicates(["before", "code"]).join(counts, on=["before", "code"])
        firsts = firsts.sort_values(["times", "value_lost"], ascending=False, kind="stable")
        least = firsts["times"].iloc[:most].min()
        firsts = firsts[firsts["times"] >= least] if most else firsts[:0]
        shown = self._mistakes(firsts)
        rows = [
            {"times": times, "first_row": row, **shown[at]}
            for at, times, row in zip(firsts.index, firsts["times"].tolist(), firsts["row"].tolist(), strict=True)
        ]
        rows.sort(key=lambda row: (-row["times"], -row["value_lost"], row["position"], row["code"]))
        return [{name: value for name, value in row.items() if name != "ply"} for row in rows[:most]]

    def _mistakes(self, steps: pd.DataFrame) -> dict[int, dict[str, Any]]:
        """Return mistakes, by their place in the table, with the moves that would have kept the value."""
        game, best = self.judge.game, self.judge.best_moves(dict.fromkeys(steps["before"]))
        rows = dict[int, dict[str, Any]]()
        columns = (steps[name].tolist() for name in ("ply", "side", "before", "code", "value_lost"))
        for at, ply, side, state, code, lost in zip(steps.index, *columns, strict=True):
            codes = best[state]
            rows[at] = {
                "ply": ply, "side": side, "position": game.format_position(state), "code": code,
                "name": game.format_move(code), "value_lost": lost, "best_moves": None if codes is None else [*codes],
                "best_names": None if codes is None else list(map(game.format_move, codes)),
            }  # fmt: skip
        return rows

    def _lost_by_game(self) -> pd.DataFrame:
        """Return the sums of each game, by name and side."""
        sums: Any = self.steps.groupby(["game", "side"])[[*OF_MOVES]].sum().unstack("side")
        wanted = [(name, side) for name in OF_MOVES for side in SIGNS]
        table: pd.DataFrame = sums.reindex(index=self.records.index, columns=wanted).fillna(0).astype("int64")
        return table

    # Sums -------------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def sides(self) -> pd.DataFrame:
        """Two rows for each game, one a side: what happened to it there, as 0 or 1."""
        import pandas as pd

        games, frames = self.records, []
        first = self.steps["side"].reindex(games["first"]).to_numpy()
        for side in SIGNS:
            other, outcome = OTHER[side], games["outcome"]
            counts = {
                "won": outcome == side, "lost": outcome == other, "tied": outcome == "tie",
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
        counts = self.records["outcome"].value_counts()
        return {outcome: int(counts.get(outcome, 0)) for outcome in OUTCOMES}

    def by_side(self) -> list[dict[str, Any]]:
        """Return sums for X and for O."""
        return [{"side": side, **sums} for side, sums in self._sums("side", self.steps, keys=[*SIGNS]).items()]

    def by_player(self) -> list[dict[str, Any]]:
        """Return sums for each named player."""
        return [{"player": name, **sums} for name, sums in self._sums("player", self.steps).items()]

    def by_ply(self) -> list[dict[str, Any]]:
        """Return sums by ply, of games also with their first mistakes; of choices where the tiers of the solution are
        plies.
        """
        sums: Any = self.steps.groupby("ply")[[*OF_MOVES]].sum()
        if not self.games:
            return [{"ply": int(ply), **self._of_moves(row)} for ply, row in sums.iterrows()]
        first: Any = self.steps["ply"].reindex(self.records["first"]).value_counts()
        own = {ply: {"first_mistakes": int(first.get(ply, 0))} for ply in sums.index}
        return [{"ply": int(ply), **self._of_moves(row), **own[ply]} for ply, row in sums.iterrows()]

    def by_column(self) -> dict[str, list[dict[str, Any]]]:
        """Return, for each column that is grouped by, one row per value: sums over all moves and by side, for games
        also the outcomes, for choices also the exploitability.
        """
        policies = defaultdict[tuple[str, str | None], list[PolicyAudit]](list)
        for policy in self.policies:
            for owner in policy.of.items():
                policies[owner].append(policy)
        return {
            name: [
                self._value_row(name, value, policies[name, value], sides)
                for value, sides in sorted(groups.items(), key=_by_number)
            ]
            for name in self.grouped
            if (groups := self._by_value(name)) is not None
        }

    def _by_value(self, name: str) -> dict[str, list[dict[str, Any]]] | None:
        """Return the sums of each value of a column by side; None where there are too many values, unasked."""
        tables = [self.steps, self.sides] if self.games else [self.steps]
        if self.games and name == self.player_column:  # each side has its own
            values = [frame["player"].fillna(frame["side"]) for frame in tables]
        else:
            values = [frame["game"].map(self.given[name].map(name_of)) for frame in tables]
        present = sorted({*values[-1].dropna()})
        if len(present) > MOST_VALUES and not self.asked:
            return None
        named = [frame.assign(value=each) for frame, each in zip(tables, values, strict=True)]
        groups = {}
        for side in SIGNS:
            own = [frame[frame["side"] == side] for frame in named]
            groups[side] = self._sums("value", own[0], own[-1], present)
        return {value: [{"side": side, **groups[side][value]} for side in SIGNS] for value in present}

    def _value_row(
        self, name: str, value: str, policies: Sequence[PolicyAudit], sides: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        x, o = sides
        own: dict[str, Any]
        if self.games:
            both = (x, o) if name == self.player_column else (x,)  # one side of each game is another's
            ends = {"X": x["won"], "O": x["lost"], "tie": x["tied"], "unfinished": x["unfinished"]}
            if len(both) > 1:
                more = {"X": o["lost"], "O": o["won"], "tie": o["tied"], "unfinished": o["unfinished"]}
                ends = {end: number + more[end] for end, number in ends.items()}
            own = {"games": sum(ends.values()), "outcomes": ends}
        else:
            own = {"policies": len(policies), **(policies[0] if len(policies) == 1 else NO_POLICY).summary()}
        total = {key: (x[key] or 0) + (o[key] or 0) for key in OF_MOVES}
        return {"value": value, **own, **self._of_moves(total), "by_side": list(sides)}

    def _sums(
        self, by: str, steps: pd.DataFrame, sides: pd.DataFrame | None = None, keys: Sequence[str] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return sums over moves, and over games if there are any, by the values of a column."""
        moves: Any = steps.groupby(by)[[*OF_MOVES]].sum()
        games: Any = (
            (self.sides if sides is None else sides).groupby(by)[["games", *OF_GAMES]].sum() if self.games else None
        )
        index = sorted({*moves.index} if games is None else {*moves.index, *games.index}) if keys is None else keys
        moves = moves.reindex(index).fillna(0)
        own = {} if games is None else games.reindex(index).fillna(0).astype(int).to_dict("index")
        return {key: {**own.get(key, {}), **self._of_moves(moves.loc[key])} for key in index}

    def _of_moves(self, sums: Any) -> dict[str, Any]:
        """Return sums over moves, and the mean value lost by a judged move (None without one)."""
        moves, unknown, mistakes, lost, plies = (int(sums[name]) for name in OF_MOVES)
        judged = moves - unknown
        return {
            "moves": moves, "unknown": unknown, "optimal": judged - mistakes, "mistakes": mistakes, "value_lost": lost,
            "value_lost_mean": lost / judged if judged else None,
            "remoteness_lost_plies": plies if self.judge.tells_remoteness else None,
        }  # fmt: skip

    def _tells(self, name: str) -> bool:
        return self.judge.tells_remoteness or name != "remoteness_lost_plies"

    # Output -----------------------------------------------------------------------------------------------------------

    @property
    def exact_from_ply(self) -> int:
        """The ply from which on every move of every game is judged: 0 where all are."""
        return int(self.records["exact_from_ply"].max()) if len(self.records) else 0

    @property
    def half_exact_from_ply(self) -> int:
        """The same for the better half of the games."""
        plies = sorted(self.records["exact_from_ply"].tolist())
        return plies[(len(plies) - 1) // 2] if plies else 0

    def _kept(self) -> pd.DataFrame:
        """Return the columns that were not read, by their names in our rows."""
        return self.given.rename(columns={name: f"given_{name}" for name in self.given if name in OWN_COLUMNS})

    def to_json(self, mistakes: int = SHOWN_MISTAKES) -> dict[str, Any]:
        """Return what ``gametree audit --format json`` prints, with this many of the most frequent ``mistakes``."""
        unreached = self.unreached
        own = (
            {"games": len(self.records), "outcomes": self.outcomes(), "exact_from_ply": self.exact_from_ply}
            if self.games
            else {"unreached": len(unreached), "unreached_example": next(iter(unreached), None)}
        )
        return {
            "game": self.judge.game.spec,
            "from": self.judge.position,
            "file": self.name,
            "kind": self.kind,
            "recognised": self.recognised,
            **own,
            "judged_by": self.judge.source(),
            **self.totals(),
            "by_side": self.by_side(),
            "by_player": self.by_player(),
            "by_column": self.by_column(),
            "bad": self.bad,
            "bad_rows": list(self.bad_rows),
            "by_ply": self.by_ply(),
            "frequent_mistakes": self.mistakes(mistakes),
            **({} if self.games else {"exploitability": [policy.to_json() for policy in self.policies]}),
        }

    def write_moves(self, path: Path) -> int:
        """Write a row for each judged move, in the format of the suffix, and return how many. Raises `StoreError`."""
        import pyarrow as pa

        from ..solution.storage.row_files import row_file, text_column

        frame = self.moves().drop(columns=[] if self.games else ["game", "ply"])
        csv, arrays = path.suffix.lower() == ".csv", dict[str, pa.Array]()
        for name in map(str, frame):
            values, kind = frame[name].tolist(), MOVE_COLUMNS.get(name, "string")
            values = [None if _missing(value) else value for value in values]
            if kind == "string" or (kind == "bool" and csv):  # CSV keeps Python's spelling of booleans
                arrays[name] = text_column([None if value is None else str(value) for value in values])
            else:
                arrays[name] = pa.array(values, getattr(pa, kind.replace("bool", "bool_"))())
        table = pa.table(arrays)
        with row_file(path, table.schema) as write:
            write(table)
        return len(frame)


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
        return None if _missing(value) else value if isinstance(value, kinds) else str(value)

    columns = [map(plain, table[name].tolist()) for name in table]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def _by_number(group: tuple[str, Any]) -> tuple[bool, int, str]:
    value = group[0]
    number = value.isascii() and value.isdecimal() and len(value) < 19
    return not number, int(value) if number else 0, value
