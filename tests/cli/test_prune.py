"""``gametree prune`` and ``gametree show --depth``: they print what the library finds, and refuse in one line."""

import functools
import json
import re

import pytest

from analysis.search.catalogue import ALGORITHMS, Settings
from analysis.search.comparison import SearchRequest, compare
from analysis.search.finding import advise
from tests.support.program import one_line
from tests.support.searching import limit_nodes

USUAL = [
    "minimax", "minimax_memo", "alphabeta", "alphabeta_failhard", "alphabeta_table", "negascout", "mtdf", "sss", "dual",
]  # fmt: skip
ALL = [*USUAL, "iterative", "pns", "dfpn"]
KEYS = (
    "algorithm", "order", "window", "table", "symmetry", "value", "nodes", "leaves", "cutoffs", "cutoffs_effective",
    "table_hits", "table_entries", "passes", "seconds",
)  # fmt: skip


def timeless(rows: list[dict]) -> list[dict]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def same_as_library(result, request: SearchRequest, target: str = "tictactoe", **options):
    """The rows that were printed as JSON are those of the library."""
    wanted = compare(target, request, **options).to_json()
    found = result.json
    assert timeless(found.pop("rows")) == timeless(wanted.pop("rows"))
    assert found == wanted


def test_known_counts_of_the_default_set(gametree, rows):
    found = rows("tictactoe")
    assert list(found) == USUAL
    assert all(set(KEYS) <= set(row) for row in found.values())
    assert {row["value"] for row in found.values()} == {0}
    assert (found["minimax"]["nodes"], found["alphabeta"]["cutoffs_effective"]) == (549946, 4237)
    strict = rows("tictactoe", "-a", "alphabeta,alphabeta_failhard", "--strict")
    assert [row["nodes"] for row in strict.values()] == [146120, 304155]
    same_as_library(gametree("prune", "tictactoe", "--format", "json"), SearchRequest())


def test_algorithms_by_name(gametree, rows):
    assert list(rows("tictactoe", "-a", "all")) == ALL == list(ALGORITHMS)
    for names in (["-a", "mtdf, dual", "--algorithms", "pns"], ["--algorithms", "mtdf,dual,mtdf,pns,"]):
        assert list(rows("tictactoe", *names)) == ["mtdf", "dual", "pns"]


def test_orders(gametree, rows):
    names = ["natural", "reverse", "centre-first", "permutation:402681357", "random:5", "killer", "history"]
    names += ["best", "worst", "least"]
    given = [word for name in names for word in ("--order", name)]
    found = rows("tictactoe", "-a", "alphabeta,minimax", *given)
    nodes = {row["order"]: row["nodes"] for row in found if row["algorithm"] == "alphabeta"}
    assert list(nodes) == names
    assert nodes["least"] == 1452 == min(nodes.values())
    assert nodes["natural"] == nodes["reverse"] == 18297
    assert nodes["worst"] == max(nodes.values())
    assert [row["order"] for row in found if row["algorithm"] == "minimax"] == [
        name for name in names if name not in ("killer", "history")
    ]
    table = gametree("prune", "tictactoe", "-a", "alphabeta", *given).out
    assert re.search(r"algorithm +order +nodes", table)
    assert re.search(r"alphabeta +permutation:402681357 +[0-9]", table)
    same_as_library(
        gametree("prune", "tictactoe", "-a", "negascout", *given, "--format", "json"),
        SearchRequest(algorithms=["negascout"], orders=names),
    )


def test_windows(gametree, rows):
    given = ["--window", "full", "--window", "value", "--window", "null:0", "--window", "null:1"]
    found = rows("tictactoe", "-a", "alphabeta", *given)
    assert [(row["window"], row["value"], row["bound"]) for row in found] == [
        ("full", 0, "exact"), ("value", 0, "exact"), ("null:0", 0, "lower"), ("null:1", 0, "upper"),
    ]  # fmt: skip
    assert list(rows("tictactoe", "-a", "minimax,sss,mtdf", *given)) == ["minimax", "sss", "mtdf"]
    out = gametree("prune", "tictactoe", "-a", "alphabeta", *given).out
    assert re.search(r"null:0 +>= 0 ", out)
    assert re.search(r"null:1 +<= 0 ", out)
    assert re.search(r"in window null:0 +182 nodes", out)
    least = gametree("prune", "tictactoe", "-a", "alphabeta", *given, "--order", "least", "--format", "json").json
    assert {row["window"]: row["nodes"] for row in least["rows"]} == {
        window: size["nodes"] for window, size in least["least_by_window"].items()
    }


def test_tables_and_symmetry(gametree, rows):
    found = rows("tictactoe", "-a", "minimax_memo,alphabeta", "--symmetry", "none,geometric", "--symmetry", "full")
    assert [(row["algorithm"], row["symmetry"], row["table_entries"]) for row in found] == [
        ("minimax_memo", "none", 5478), ("minimax_memo", "geometric", 765), ("minimax_memo", "full", 765),
        ("alphabeta", "none", 0),
    ]  # fmt: skip
    row = rows("tictactoe", "-a", "minimax_memo", "--table-entries", 50)["minimax_memo"]
    assert (row["table"], row["table_entries"], row["value"]) == ("50 deep", 50, 0)
    assert 16168 < row["nodes"] < 549946


@pytest.mark.slow
def test_from_a_position(gametree, rows):
    row = rows("tictactoe", "XX?OO????", "-a", "minimax")["minimax"]
    assert (row["value"], row["nodes"]) == (1, 157)
    for position in ("?????????", "... ... ..."):
        assert rows("tictactoe", position, "-a", "alphabeta")["alphabeta"]["nodes"] == 18297
    over = rows("tictactoe", "XXXOO????", "-a", "all")
    assert {row["value"] for row in over.values()} == {1}
    at = "XOX?O???????"
    same_as_library(gametree("prune", "mnk:cols=4", at, "--format", "json"), SearchRequest(), "mnk:cols=4", start=at)


@pytest.mark.parametrize("budget", [1, 1000])
def test_a_search_over_its_budget_says_so_in_its_row(gametree, rows, monkeypatch, budget):
    limit_nodes(monkeypatch, budget)
    found = rows("tictactoe", "-a", "all")
    assert list(found) == ALL
    for name, row in found.items():
        assert (row["stopped"], row["value"], row["bound"]) == ("max-nodes", None, None)
        assert row["nodes"] == (549946 if name == "minimax" else budget)  # minimax is not begun
    out = gametree("prune", "tictactoe", "-a", "alphabeta").out
    assert re.search(rf"alphabeta +{budget:,} .* max-nodes\n", out)


@pytest.mark.slow
def test_a_search_over_its_memory_says_so_in_its_row(rows, monkeypatch):
    at = ("mnk:rows=4,cols=4,k=4", "--depth", 6)
    limited = functools.partialmethod(Settings.__init__, max_memory=3_000_000)
    monkeypatch.setattr(Settings, "__init__", limited)
    found = rows(*at, "-a", "minimax_memo,alphabeta,pns")
    assert {name: row["stopped"] for name, row in found.items()} == {
        "minimax_memo": "memory", "alphabeta": None, "pns": "memory",
    }  # fmt: skip
    found = rows(*at, "-a", "alphabeta,alphabeta_table", "--table-entries", 10**6)
    assert {name: row["stopped"] for name, row in found.items()} == {"alphabeta": None, "alphabeta_table": "memory"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "position", "wanted"),
    [
        ("tictactoe", "X????????", 3),
        ("tictactoe", "XX?O?????", 11),
        ("tictactoe", "XXXOO????", 91),
        ("tictactoe", "XX?OO????", -1),
        ("tictactoe", "XOXXOXOXO", 0),
        ("mnk:rows=4,cols=4,k=4", "XXXXOOO?????????", 901),
    ],
)
def test_lines_count(gametree, spec, position, wanted):
    """100 for a full line, 10 for two and an empty cell, 1 for one and two empty cells; for O the same below zero."""
    found = gametree("show", spec, position, "--depth", 0, "--evaluate", "lines", "--format", "json").json
    assert (found["value"], found["moves"], found["best_move"]) == (wanted, [], None)


def test_show_by_a_search(gametree):
    at = ("show", "tictactoe", "X????????", "--depth", 2, "--evaluate", "lines")
    found, wanted = (
        gametree(*at, "--format", "json").json,
        advise("tictactoe", "X????????", depth=2, evaluation="lines"),
    )
    assert found | {"seconds": 0} == json.loads(json.dumps(wanted.to_json())) | {"seconds": 0}
    assert gametree(*at, "--format", "csv").out.splitlines()[:2] == [
        "move,position,value,remoteness_plies,optimal,nimber,name", "4,X???O????,10,,true,,4",
    ]  # fmt: skip
    assert gametree("show", "tictactoe", "X????????", "--depth", 1, "--format", "json").json["value"] == 0


REFUSED = """
prune | name a game or a tree
prune --depth 1..3 | name
prune tictactoe mnk:cols=4 --trace | growth
prune chess | 'chess'
prune tictactoe -a alphabet | did you mean 'alphabeta'
prune tictactoe -a best | 'best' | minimax, minimax_memo
prune tictactoe -a , | name an algorithm
prune tictactoe --order up | 'up' | killer
prune tictactoe --order random | SEED
prune tictactoe --order random:-1 | SEED
prune tictactoe --order permutation:0123 | 0 to 8
prune mnk:rows=5,cols=5,k=5 --depth 3 --order permutation: | 0 to 24
prune tictactoe --window open | full, value or null:B
prune tictactoe --window null:nan | null:
prune tictactoe --symmetry round | geometric, full, none
prune tictactoe --table-entries 0 | 1 to
prune tictactoe --table-entries many | --table-entries
prune tictactoe --depth -1 | depth
prune tictactoe --depth 3..1 | 1..8
prune tictactoe --depth deep | 'deep'
prune tictactoe --evaluate luck | 'luck' | lines
prune tictactoe --trace -a sss | depth-first
prune tictactoe --trace -a minimax | 100,000
prune tictactoe XX??????? | 2 X and 0 O
show tictactoe X???????? --evaluate lines | --depth
show tictactoe X???????? --depth 2 --evaluate luck | 'luck' | lines
show tictactoe X???????? --depth -1 | --depth
show tictactoe XX??????? --depth 2 | 2 X and 0 O
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_refusals(gametree, tmp_path, line):
    arguments, *words = line.split(" | ")
    one_line(gametree(*arguments.split()), 2, *words)
    assert list(tmp_path.iterdir()) == []
