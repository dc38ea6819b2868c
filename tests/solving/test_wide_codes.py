"""Codes of moves that take two bytes, wherever moves go: solved, stored, verified, searched, played and exported."""

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis import Output
from analysis.errors import RulesError
from analysis.games.families import load_game
from analysis.playing.match import Terms, play_match
from tests.support.graph_oracle import GraphOracle
from tests.support.own_game import own_game

WIDE = own_game(
    "Wide",
    fields="largest: int = 999\npile: int = 9\nbeyond: int = 0",
    setup="pile, beyond, most, step = self.pile, self.beyond, self.largest, self.largest // 3",
    start="self.pile << 5",
    max_moves="3",
    legal_moves="""n = min(3, state >> 5)
for i in range(n):
    out[i] = most - (2 - i) * step + beyond * (state & 31 == 3)
return n""",
    play="((state >> 5) - (move - most + 2 * step) // step - 1) << 5 | (state & 31) + 1",
    outcome="(state & 31) % 3 - 1 if state >> 5 == 0 else ONGOING",
    to_move="1 - 2 * (state & 1)",
    largest_code="self.largest",
)
"""One, two or three of a pile are taken; the plies at the end decide. The other class counts tiers by the pile."""
WIDE += """
@dataclass(frozen=True)
class Tiered(Wide):
    def rules(self):
        import dataclasses
        pile = self.pile
        def tier(state):
            return pile - (state >> 5)
        return dataclasses.replace(Wide.rules(self), tier=tier)
"""


def oracle_of(largest: int, pile: int = 9) -> GraphOracle:
    codes = [largest - 2 * (largest // 3), largest - largest // 3, largest]
    return GraphOracle(
        pile << 5,
        lambda s: [(codes[i], ((s >> 5) - i - 1) << 5 | (s & 31) + 1) for i in range(min(3, s >> 5))],
        lambda s: (s & 31) % 3 - 1,
        lambda s: -1 if s & 1 else 1,
    )


def rows_of(name: str) -> list[dict[str, str]]:
    with Path(name).open() as file:
        return [*csv.DictReader(file)]


@pytest.mark.parametrize(("kind", "largest"), [("Wide", 999), ("Tiered", 65_535), ("Wide", 254)])
def test_like_the_oracle(kind, largest):
    Path("wide.py").write_text(WIDE)
    spec, oracle = f"wide.py:{kind}:largest={largest}", oracle_of(largest)
    paths = ["-".join(map(str, path)) for path in oracle.out(oracle.start)]
    of_all = [(s, code, c) for s in oracle.positions for code, c in oracle.moves[s]]
    moves = {(s, code): (c, oracle.value(s) == oracle.value(c)) for s, code, c in of_all}
    best = {s: [code for code in oracle.best_first(s) if moves[s, code][1]] for s in oracle.positions}
    for name, how in {"plain": {}, "shards": {"sharded": True}}.items():
        with analysis.running(**how):
            solution = analysis.solve(spec, directory=Output(name, ["moves", "paths"]), symmetry="none")
        tables = [pq.ParquetFile(path).read() for path in sorted(Path(name, "moves").iterdir())]
        assert {table.schema.field("move").type for table in tables} == {pa.uint8() if largest == 254 else pa.uint16()}
        rows = [row for table in tables for row in table.to_pylist()]
        assert {(row["state"], row["move"]): (row["child"], row["optimal"]) for row in rows} == moves
        assert len(rows) == len(moves)
        assert pq.read_table(Path(name, "optimal_paths.parquet"))["path"].to_pylist() == paths
        assert [*solution.optimal_paths()] == paths == b"".join(solution.optimal_paths()._walk(None)).decode().split()
        for s in oracle.positions:
            assert [each.move for each in solution[str(s)].moves] == oracle.best_first(s)
        assert analysis.verify(name)
    found = solution.find(f"best_move={largest}", limit=1000)
    wanted = {s: codes for s, codes in best.items() if largest in codes}
    assert {int(each.position): [*map(int, each.best_moves)] for each in found} == wanted
    analysis.export(solution, "classes.csv")
    exported = {int(row["position"]): [*map(int, row["best_moves"].split())] for row in rows_of("classes.csv")}
    assert exported == best
    for row in analysis.compare(spec, ["minimax", "alphabeta"], orders=["natural", "history"]).rows:
        assert row.value == oracle.value(oracle.start)
    play_match(spec, ["random", "perfect"], Terms(games=20, seed=1, out="games.csv"))
    for row in rows_of("games.csv"):
        state = oracle.start
        for code in map(int, row["path"].split("-")):
            state = dict(oracle.moves[state])[code]
        assert int(row["payoff"]) == oracle.payoff(state)


def test_codes_above_the_largest_are_refused():
    Path("wide.py").write_text(WIDE)
    for given in ("largest=65536", "largest=65535,beyond=1", "largest=254,beyond=1"):
        with pytest.raises(RulesError) as error:
            analysis.solve(f"wide.py:Wide:{given}")
        assert "\n" not in str(error.value)
    assert load_game("wide.py:Wide:largest=65535").rules().most_code == 65_535


def test_policies_over_wide_codes():
    """A policy that always plays the last move, the only one with the largest code."""
    Path("wide.py").write_text(WIDE)
    game = load_game("wide.py:Wide:largest=65535,pile=4")

    def last(states):
        mask = game.legal_mask(states)
        return mask & (mask.cumsum(axis=1) == mask.sum(axis=1)[:, None])

    table = {str(state): moves[-1][0] for state, moves in oracle_of(65_535, 4).moves.items() if moves}
    for side in "XO":
        assert analysis.exploit(game, last, side).exact == analysis.exploit(game, table, side).exact
