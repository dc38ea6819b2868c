"""Sums: nimbers part by part, beside those of whole positions; what is stored, resumed and verified."""

import json
import random
import shutil
from pathlib import Path

import networkx
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import (
    NoRoomError,
    OptionError,
    PositionError,
    RulesError,
    SpecError,
    StoreError,
    VerificationError,
)
from analysis.machine.memory import Budget
from analysis.solution.storage import parquet
from analysis.solution.storage.stored_games import place_of
from analysis.sums import nimbers as nimber_search
from analysis.sums.graph_nimbers import GraphNimbers, nimbers_of
from analysis.sums.nimbers import PlainNimbers, as_facts, numbers
from analysis.sums.options import parts_of
from analysis.sums.sum_solving import find_solution
from analysis.sums.sum_store import SumWriter, found_in, part_table
from tests.support import sum_oracle as oracle
from tests.support.own_game import HEAD, free_cells, own_game
from tests.support.program import ROOT, one_line
from tests.support.sum_numbers import golden_lists

THREE_BY_N = [2, 1, 1, 0, 3, 3, 2, 2, 2, 3, 3, 5, 2, 4, 1, 3, 2, 2, 1, 1]
"""Node-Kayles on 3 x n: OEIS A316632 has the first 16; the last four are also those of an independent program."""


def nimbers(spec: str) -> list[int]:
    return [nimber for _, nimber in analysis.sums.solve(spec).series]


@pytest.mark.parametrize(
    ("family", "size", "octal"), [("kayles", 28, "0.77"), ("grundy", 29, None), ("kayles", 12, "0.77")]
)
def test_golden_rows(family, size, octal):
    (wanted,) = golden_lists(family).values()
    assert nimbers(f"sum:{family}:{size}") == wanted[: size + 1]
    if octal:
        assert nimbers(f"sum:octal:{octal},{size}") == wanted[: size + 1]


def test_kayles_is_periodic_from_71_on():
    """Guy and Smith 1956: the period is 12."""
    row = nimbers("sum:octal:0.77,400")
    assert all(row[n] == row[n + 12] for n in range(71, 389))
    assert row[70] != row[82]


def test_dawson_is_periodic():
    """Guy and Smith 1956: 0.07 has the period 34 after 53 numbers, and is 0.137, Dawson's Chess, one token later."""
    row = nimbers("sum:dawson:250")
    assert all(row[n] == row[n + 34] for n in range(53, 216))
    assert row[1:] == nimbers("sum:octal:0.137,249")


def test_nim():
    assert analysis.sums.solve("sum:nim:3-4-5").nimber == 3 ^ 4 ^ 5
    assert analysis.sums.solve("sum:nim:7-9,take=1-2").nimber == 7 % 3 ^ 9 % 3
    solution = analysis.sums.solve("sum:nim:5-5-3")
    assert solution["2-5-1 X"].nimber == solution.position("2-5-1 X").nimber == 2 ^ 5 ^ 1
    with pytest.raises(SpecError):
        analysis.load_game("sum:nim:3-4-5,misere")


def test_sums_of_sums_are_refused():
    with pytest.raises(SpecError):
        analysis.load_game("sum:sum:nim")


def test_heaps_are_written_without_a_side():
    for spec, text, wanted in (
        ("sum:nim", "5-3-1", 5 ^ 3 ^ 1), ("sum:nim", "4-1", 5), ("sum:nim", "2-2-1 O", 1),
        ("sum:kayles", "5-3-1", 4 ^ 3 ^ 1), ("sum:kayles", "5-3-1 O", 4 ^ 3 ^ 1), ("sum:grundy:9", "5-3-1", 2 ^ 1),
        ("sum:octal", "5-3-1", 4 ^ 3 ^ 1), ("sum:treblecross", "1-1", 0),
    ):  # fmt: skip
        assert analysis.sums.solve(spec)[text].nimber == wanted, (spec, text)
    for spec, text in (("sum:nim", "5-5-1"), ("sum:nim", "1-1-1-1"), ("sum:kayles:5", "5-3"), ("sum:kayles", "")):
        with pytest.raises(PositionError):
            _ = analysis.sums.solve(spec)[text]
    with pytest.raises(PositionError, match="grundy:heap=9"):
        _ = analysis.sums.solve("sum:grundy:8")["5-3-1"]


def test_treblecross():
    row = nimbers("sum:treblecross:14")
    assert row == [oracle.treblecross(cells) for cells in range(15)]
    assert [number != 0 for number in row[3:]] == [oracle.treblecross_winner(cells) for cells in range(3, 15)]


@pytest.mark.parametrize(("rows", "cols"), [(1, 9), (2, 5), (3, 4), (4, 3)])
def test_rectangles(rows, cols):
    board = networkx.grid_2d_graph(rows, cols)
    assert analysis.sums.solve(f"sum:cram:{rows},{cols}").nimber == oracle.arc_kayles(board)
    assert analysis.sums.solve(f"sum:node_kayles:{rows},{cols}").nimber == oracle.node_kayles(board)


def test_three_rows():
    assert nimbers("sum:node_kayles:3,18") == THREE_BY_N[:18]
    assert nimbers("sum:cram:3,8") == [1, 1, 0, 1, 1, 4, 1, 3]


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "wanted"), [("node_kayles:3,20", 1), ("cram:3,13", 2), ("cram:5,5", 0)])
def test_large_rectangles(spec, wanted):
    assert analysis.sums.solve(f"sum:{spec}").nimber == wanted


def graphs():
    yield networkx.petersen_graph()
    yield networkx.path_graph(9)
    yield networkx.cycle_graph(8)
    yield networkx.gnp_random_graph(9, 0.3, seed=1)
    yield networkx.disjoint_union(networkx.star_graph(4), networkx.complete_graph(3))


@pytest.mark.parametrize("graph", [*graphs()])
def test_graph_files(graph, tmp_path):
    networkx.write_graphml(graph, tmp_path / "a.graphml")
    networkx.write_gml(graph, tmp_path / "a.gml")
    networkx.write_gexf(graph, tmp_path / "a.gexf")
    for key in ("links", "edges"):
        (tmp_path / f"a.{key}.json").write_text(json.dumps(networkx.node_link_data(graph, edges=key)))
    for suffix in ("graphml", "gml", "gexf", "links.json", "edges.json"):
        solution = analysis.sums.solve(f"sum:node_kayles:graph={tmp_path / 'a'}.{suffix}")
        assert solution.nimber == oracle.node_kayles(graph)
        assert "rows" not in solution.game.spec
    networkx.write_edgelist(graph, tmp_path / "a.txt", data=False)
    edges = networkx.read_edgelist(tmp_path / "a.txt")
    assert analysis.sums.solve(f"sum:arc_kayles:graph={tmp_path / 'a.txt'}").nimber == oracle.arc_kayles(edges)


@pytest.mark.parametrize("suffix", ["gml", "graphml", "gexf", "json"])
def test_directed_graphs_are_refused(suffix, tmp_path):
    graph, path = networkx.path_graph(4, create_using=networkx.DiGraph), tmp_path / f"a.{suffix}"
    if suffix == "json":
        path.write_text(json.dumps(networkx.node_link_data(graph, edges="links")))
    else:
        getattr(networkx, f"write_{suffix}")(graph, path)
    with pytest.raises(SpecError, match="is directed"):
        analysis.sums.solve(f"sum:node_kayles:graph={path}")


@pytest.mark.parametrize(
    "text",
    [
        "a b\nb\tc\nc  d\n", "a, b\nb,c\nc ,d", "Source,Target\r\na,b\r\nb,c\r\nc,d\r\n",
        "source target\na b\nb c\nc d",
        "# a path\n\na b # first\nb c {}\nc d {}\n", "\ufeffa b\nb c\nc d\nd c\n",
    ],
)  # fmt: skip
def test_lists_of_edges(text):
    Path("a.csv").write_text(text, encoding="utf-8", newline="")
    layout = analysis.load_game("sum:node_kayles:graph=a.csv").base.layout
    assert (layout.names, layout.edges) == (("a", "b", "c", "d"), ((0, 1), (1, 2), (2, 3)))


@pytest.mark.parametrize(
    "line", ["0 1 3.5", "0,1,3.5", "0;1", "0; 1", "0", "0,", ",1", "0,1 2", '"0","1"', "(0, 1)", "0 1 {'weight': 2}"]
)
def test_lines_that_are_no_edge_are_refused(gametree, line):
    Path("a.csv").write_text(f"0 1\n# {line}\n{line}\n")
    one_line(gametree("solve", "sum:node_kayles:graph=a.csv"), 2, "a.csv", "line 3")


@pytest.mark.parametrize(
    ("text", "word"), [("{", "JSON"), ('{"nodes": []}', "edges"), ("[]", "edges"), ("[" * 10**5, "JSON"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2}]}', "node 2")]
)  # fmt: skip
def test_json_that_is_no_graph_is_refused(gametree, text, word):
    Path("a.json").write_text(text)
    one_line(gametree("solve", "sum:node_kayles:graph=a.json"), 2, "a.json", word)


def test_the_size_of_a_graph_is_shown(gametree):
    Path("a.csv").write_text("source,target\na,b\nb,a\nb,c\nc,a\nc,d\n")
    for command in ("solve", "show", "stats"):
        (row,) = (
            line for line in gametree(command, "sum:arc_kayles:graph=a.csv").out.splitlines() if "graph  " in line
        )
        assert [word for word in row.split() if word.isdigit()] == ["4", "4"]
    assert "graph  " not in gametree("show", "sum:cram:2,2").out


def test_a_vertex_joined_to_itself_is_refused(gametree):
    Path("loop.txt").write_text("a b\nb c\nc c\n")
    for game in ("node_kayles", "arc_kayles"):
        one_line(gametree("solve", f"sum:{game}:graph=loop.txt"), 2, "loop.txt", " c ")


@pytest.mark.parametrize(
    ("spec", "series"), [("cram:3,4", "1 1 0 1 for cols = 1 to 4"), ("octal:0.77,4", "0 1 2 3 1 for tokens = 0 to 4")]
)
def test_the_summary_says_by_what_games_of_the_kind_grow(gametree, spec, series):
    assert series in gametree("solve", f"sum:{spec}").out


def test_rows_too_long_for_kayles_are_pointed_to_a_sum_that_solves_them(gametree):
    refused = gametree("solve", "sum:kayles:100")
    one_line(refused, 2, "62")
    assert analysis.sums.solve(refused.err.split()[-1]).nimber == 1  # which has the period 12 from 71 pins on


def test_vertices_of_gml_may_have_numbers_only(tmp_path):
    networkx.write_gml(networkx.path_graph(5), tmp_path / "a.gml")
    lines = (tmp_path / "a.gml").read_text().splitlines()
    (tmp_path / "a.gml").write_text("\n".join(line for line in lines if "label" not in line))
    solution = analysis.sums.solve(f"sum:node_kayles:graph={tmp_path / 'a.gml'}")
    assert (solution.nimber, solution.game.format_position(3)) == (oracle.node_kayles(networkx.path_graph(5)), "0 1")


@pytest.mark.parametrize("spec", ["cram:3,5", "node_kayles:4,4", "arc_kayles:2,7", "graph"])
def test_compiled_options(spec, tmp_path):
    """The kernel and the plain functions find the same nimbers."""
    if spec == "graph":
        networkx.write_edgelist(networkx.cycle_graph(11), tmp_path / "a.txt", data=False)
        spec = f"node_kayles:graph={tmp_path / 'a.txt'}"
    parts = analysis.load_game(f"sum:{spec}").parts
    compiled, plain = nimbers_of(parts), PlainNimbers(parts)
    assert isinstance(compiled, GraphNimbers)
    whole, generator = parts.start, random.Random(0)
    for _ in range(300):
        position = whole & generator.getrandbits(whole.bit_length()) | whole & generator.getrandbits(whole.bit_length())
        option = parts_of(parts, position)
        assert compiled.of(option) == plain.of(option)
        assert compiled.is_nimber(option, 1) == plain.is_nimber(option, 1) == (plain.of(option) == 1)
        assert all(parts.split(part) == [part] for part in option)


def test_more_vertices_than_bits():
    """Beyond 63 vertices parts are plain numbers of any size."""
    assert nimbers("sum:cram:1,70")[1:] == nimbers("sum:dawson:70")[2:]


USERS = own_game(
    "Pins",
    head=HEAD + "from analysis import Parts\n",
    fields="pins: int = 9",
    setup="pins = self.pins",
    more="""
def parts(self):
    return Parts(lambda state: [(1 << len(row)) - 1 for row in bin(state)[2:].split("0") if len(row) > 1])
""",
    start="(1 << self.pins) - 1",
    max_moves="pins",
    legal_moves=free_cells("pins - 1", "state >> i & 3 == 3").replace("if not", "if"),
    play="state & ~(3 << move)",
    outcome="ONGOING if state & state >> 1 else -to_move(state)",
    to_move="1 - (pins - popcount(state)) % 4",
    impartial="True",
)


def test_a_users_game(tmp_path, gametree, shallow):
    file = tmp_path / "pins.py"
    file.write_text(USERS)
    dawson = nimbers("sum:dawson:20")
    for pins in (1, 2, 3, 5, 8, 13, 20):
        assert analysis.sums.solve(f"sum:{file}:Pins:pins={pins}").nimber == dawson[pins]
    told = gametree("solve", f"sum:{file}:pins=9", "--out", "s", "--format", "json").json
    assert told["nimber"] == dawson[9]
    assert gametree("stats", "s", "--game", f"sum:{file}:pins=9", "--format", "json").json["nimber"] == dawson[9]
    file.write_text(USERS.replace("impartial=True", "impartial=False"))
    one_line(gametree("solve", f"sum:{file}"), 1, "impartial=True")
    file.write_text(USERS.replace("def parts(self)", "def parts_(self)"))
    one_line(gametree("solve", f"sum:{file}"), 2, "parts")
    file.write_text(USERS.replace("len(row) > 1", "row[99]"))
    one_line(gametree("solve", f"sum:{file}"), 1, "split()")
    file.write_text(USERS.replace("state & ~(3 << move)", "state"))
    one_line(gametree("solve", f"sum:{file}"), 1, "come again")


def test_an_object_is_solved_by_its_parts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "pins.py"
    file.write_text(USERS)
    scope = {"__name__": __name__}
    exec(USERS, scope)
    spec = f"sum:{file}:Pins:pins=9"
    for game in (scope["Pins"](pins=9), analysis.load_game(spec), analysis.load_game(spec[4:])):
        solution = analysis.sums.solve(game)
        assert solution.nimber == nimbers("sum:dawson:20")[9]
        assert f"nimber {solution.nimber}" in " ".join(repr(solution).split())
        if solution.game.base.origin:
            assert analysis.solve(solution.game, directory=tmp_path / "s").nimber == solution.nimber
            shutil.rmtree(tmp_path / "s")
            continue
        with pytest.raises(StoreError, match="neither built-in nor named by its file"):
            analysis.solve(solution.game, directory=tmp_path / "s")
        assert not (tmp_path / "s").exists()
        with SumWriter(place_of(solution.game), solution.game) as writer:  # its class may be another one by now
            writer.write_solution(solution)
        assert find_solution(game).directory is None
    assert analysis.sums.solve(analysis.load_game("kayles:5")).game == analysis.load_game("sum:kayles:5")
    with pytest.raises(SpecError):
        analysis.sums.solve(analysis.load_game("tictactoe"))


def test_solutions_are_written_as_b_files(tmp_path, gametree):
    solution = analysis.sums.solve("sum:kayles:9")
    analysis.sums.export_series(solution, tmp_path / "b.txt")
    lines = (tmp_path / "b.txt").read_text().splitlines()
    assert [line.split() for line in lines[1:]] == [[str(n), str(nimber)] for n, nimber in solution.series]
    assert gametree("export", "sum:kayles:9", "--to", "bfile").out.splitlines() == lines


def test_positions():
    solution = analysis.sums.solve("sum:cram:3,4")
    found = solution["..##/..##/...."]
    assert found.nimber == oracle.arc_kayles(networkx.grid_2d_graph(3, 4).subgraph(
        [(r, c) for r in range(3) for c in range(4) if c < 2 or r == 2]
    ))  # fmt: skip
    assert any(move.wins for move in found.moves) == (found.nimber != 0)
    for move in found.moves:
        assert move.wins == (solution[move.position].nimber == 0)
    assert sum(move.moves for move in found.moves) == 9
    assert solution["...#/####/...#"].parts == ()  # two equal rows
    for text in ("...", "..../..../...x", ""):
        with pytest.raises(PositionError):
            _ = solution[text]


@pytest.mark.parametrize("spec", ["sum:cram:3,6", "sum:kayles:20", "sum:octal:0.007,30", "sum:cram:1,66", "sum:nim"])
def test_stored(spec, gametree):
    solution = analysis.solve(spec, directory="s")
    again = analysis.open_solution("s")
    assert again.statistics() == solution.statistics() == analysis.sums.solve(spec).statistics()
    assert analysis.solve(spec, directory="s").was_there
    report = analysis.verify("s")
    assert (report.decided, report.excluded) == (again.statistics()["decided"], again.statistics()["excluded"])
    rows = pq.read_table("s/positions").to_pylist()
    assert [int(row["part"]) for row in rows] == sorted(int(row["part"]) for row in rows)
    assert all((row["nimber"] is None) != (row["excluded"] is None) for row in rows)
    rows = gametree("stats", "s", "--format", "csv").rows
    if solution.series:
        assert [(int(row["n"]), int(row["nimber"])) for row in rows] == solution.series
    else:
        assert [int(row["nimber"]) for row in rows] == [solution.nimber]


@pytest.mark.parametrize(
    "change",
    [
        lambda known, excluded: known.update({max(known): known[max(known)] + 1}),
        lambda known, excluded: known.pop(min(known)),
        lambda known, excluded: excluded.update({max(excluded): excluded[max(excluded)] | 1 << 9}),
        lambda known, excluded: excluded.update({max(excluded): 0}),
        lambda known, excluded: known.update({max(excluded): 7, **({excluded.popitem()[0]: 7} if excluded else {})}),
    ],
)
def test_wrong_numbers_are_found(change, tmp_path):
    """Whatever a table says that does not follow, with all checksums as they should be."""
    from analysis.sums import sum_store

    solution = analysis.solve("sum:cram:3,6", directory="s")
    facts = as_facts(solution.nimbers.found())
    known = {part: -1 - fact for part, fact in facts.items() if fact < 0}
    excluded = {part: fact for part, fact in facts.items() if fact >= 0}
    change(known, excluded)
    changed = sorted((excluded | {part: -1 - nimber for part, nimber in known.items()}).items())
    nimbers = nimbers_of(solution.game.parts, tuple(numbers(list(each)) for each in zip(*changed, strict=True)))
    wrong = analysis.sums.SumSolution(solution.game, nimbers, solution.series, solution.nimber)
    shutil.rmtree("s")
    with sum_store.SumWriter(tmp_path / "w", solution.game) as writer:
        writer.write_solution(wrong)
    with pytest.raises(VerificationError):
        analysis.verify(tmp_path / "w")


def test_damage():
    analysis.solve("sum:cram:3,6", directory="s")
    (table,) = analysis.open_solution("s").directory.glob("positions/*")
    data = bytearray(table.read_bytes())
    data[len(data) // 3] ^= 1
    table.write_bytes(data)
    with pytest.raises(StoreError):
        analysis.open_solution("s")
    with pytest.raises(VerificationError):
        analysis.verify("s")


def test_resumed(monkeypatch):
    """What was known when a solve was interrupted is not found again."""
    from analysis.sums import sum_solving

    class StopError(Exception):
        pass

    calls = []

    def stop(stage, done, total):
        calls.append(done)
        if len(calls) == 3:
            raise StopError

    monkeypatch.setattr(sum_solving, "SAVED", 0.0)
    with pytest.raises(StopError), analysis.running(progress=stop):
        analysis.solve("sum:cram:3,10", directory="s")
    game = analysis.load_game("sum:cram:3,10")
    with sum_solving.SumWriter(Path("s"), game) as writer:
        saved = as_facts(writer.saved())
        assert len(saved) > 1000
    Path("s/.partial/positions/.tier-0000-part-0000.parquet.25616-116ad072.tmp").touch()  # by kill -9
    solution = analysis.solve("sum:cram:3,10", directory="s")
    assert solution.nimber == 2
    found = as_facts(solution.nimbers.found())
    for part, fact in saved.items():
        assert found[part] == fact or (fact >= 0 and (found[part] < 0 or found[part] & fact == fact))
    analysis.verify("s")


def test_part_tables(tmp_path):
    for parts, facts in (([], []), ([5, 1 << 62], [-5, 0b101]), ([3, 1 << 80], [0, -1]), ([1, 2], [5 | 1 << 70, -64])):
        parquet.write_table(tmp_path / "t.parquet", part_table((numbers(parts), numbers(facts))))
        table = pq.read_table(tmp_path / "t.parquet")
        for row, part, fact in zip(table.to_pylist(), parts, facts, strict=True):
            assert int(row["part"]) == part
            assert row["nimber"] == (-1 - fact if fact < 0 else None)
            assert row["excluded"] == (None if fact < 0 else [n for n in range(80) if fact >> n & 1])
        assert [each.tolist() for each in found_in(table)] == [parts, facts]


def test_plans(gametree):
    plan = gametree("plan", "sum:cram:3,7", "--seconds", "30", "--format", "json").json
    assert plan["complete"]
    assert plan["parts"][0] == plan["parts"][1]
    assert [row["nimber"] for row in plan["solved"]][:7] == [1, 1, 0, 1, 1, 4, 1]
    plan = gametree("plan", "sum:cram:5,9", "--seconds", "1", "--format", "json").json
    assert not plan["complete"]
    one_line(gametree("plan", "sum:cram", "--seconds", "0"), 2, "seconds")


@pytest.fixture
def shallow(monkeypatch):
    """Moves that do not come to an end are given up early."""
    monkeypatch.setattr(nimber_search, "DEEPEST", 20_000)


def test_refusals(gametree, shallow):
    for spec, code, word in (
        ("sum", 2, "sum:GAME"), ("sum:", 2, "sum:GAME"), ("cram", 2, "sum:cram"), ("sum:hex", 2, "parts"),
        ("sum:cram:0,3", 2, "rows"), ("sum:cram:99,99", 2, "1000"), ("sum:octal:0.8", 2, "octal"),
        ("sum:node_kayles:graph=none.txt", 2, "none.txt"), ("sum:bidding", 2, "bidding"), ("sum:nothing", 2, "nothing"),
    ):  # fmt: skip
        one_line(gametree("solve", spec), code, word)
    for command in (["play"], ["paths"], ["export", "--to", "csv"], ["check"], ["match"], ["report"], ["explore"]):
        more = ["random", "random"] if command == ["match"] else []
        one_line(gametree(command[0], "sum:cram", *more, *command[1:]), 2, "nimbers")
    one_line(gametree("paths", "sum:kayles:5"), 2, "take kayles:pins=5")
    for option in (["--moves"], ["--symmetry", "full"], ["--sharded"], ["--no-counts"]):
        one_line(gametree("solve", "sum:cram", *option), 2, option[0])
    with pytest.raises(OptionError):
        analysis.solve("sum:cram", position="...../...../.....")
    with pytest.raises(OptionError):
        analysis.sums.solve("sum:cram", symmetry="full")
    with pytest.raises(SpecError):
        analysis.sums.solve("nim")
    with pytest.raises(RulesError):
        nimbers_of(analysis.Parts(lambda here: [here], lambda here: [here + 1], 0)).of([0])


def test_memory_is_limited(monkeypatch):
    def limit(size):
        monkeypatch.setattr(Budget, "of_machine", classmethod(lambda cls: cls(size)))

    known = analysis.sums.solve("sum:cram:4,6").nimbers
    limit(1 << 17)  # for the next table, but not for what is known beside it
    with pytest.raises(NoRoomError):
        GraphNimbers(known.parts, known.found())
    limit(600_000)
    with pytest.raises(NoRoomError, match="a solution of sum:cram:rows=4,cols=15 needs"):
        analysis.sums.solve("sum:cram:4,15")


EXAMPLES = ROOT / "docs" / "how-to" / "examples"


@pytest.mark.parametrize(("forgets", "result"), [(0, "ok"), (2, "failed")])
def test_check_plays_positions_without_splitting_them(tmp_path, forgets, result):
    """verify takes the parts as the game gives them, so a part that is forgotten is found by check."""
    (tmp_path / "cram.py").write_text((EXAMPLES / "cram.py").read_text())
    text = (EXAMPLES / "parts.py").read_text()
    kept = f"                if len(part) == {forgets}:\n                    continue\n                top, left = min("
    assert "                top, left = min(" in text
    (tmp_path / "parts.py").write_text(text.replace("                top, left = min(", kept))
    report = analysis.check_game(f"{tmp_path / 'parts.py'}:Split:rows=2,cols=3")
    found = {each.check: each for each in report.results}["parts"]
    assert (found.result, found.looked_at > 1) == (result, True)
