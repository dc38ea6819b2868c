"""The table that a page carries: which classes are in it, and that it says of them what the solution says."""

import base64
import gzip
import hashlib
import json
import random
import re

import pytest

import analysis
from analysis.errors import PositionError, TooLargeError
from analysis.web.pages.page_file import page_of_view, write_page
from analysis.web.pages.rendering import SCRIPTS, bundle
from analysis.web.pages.slices import cut
from analysis.web.pages.table import find_moves, pack
from analysis.web.positions import position_json
from analysis.web.served import Site
from tests.support.asking import FEW_CLASSES, solved
from tests.support.class_graph import every_position
from tests.support.hostile import hostile_game
from tests.support.program import one_line

SPECS = (*FEW_CLASSES, "morris", "wild:rows=2,cols=3,k=3")


def head_of(page):
    """The head of the table in a page, and the columns that follow it, by name."""
    table = re.search(r'<script type="text/plain" class="table">([^<]*)</script>', page)
    plain = gzip.decompress(base64.b64decode(table[1], validate=True)).decode("ascii")
    head, *lines = plain.split("\n")
    told = json.loads(head)
    columns = {name: [lines.pop(0) for _ in range(width)] for name, width in told["columns"]}
    assert not lines
    return told, {name: [json.loads("".join(each)) for each in zip(*own, strict=True)] for name, own in columns.items()}


@pytest.mark.parametrize("spec", SPECS)
def test_all_of_a_game(spec):
    solution = solved(spec)
    part = cut(solution)
    assert part.whole
    assert part.depth is None
    assert sorted(part.states.tolist()) == sorted(each.state for each in every_position(solution))
    assert sorted(part.columns["state"].tolist()) == sorted(
        state for tier in solution.tiers for state in tier.states.tolist()
    )
    for row in random.Random(1).sample(range(len(part.states)), min(100, len(part.states))):
        record, own = solution.records.of(int(part.states[row])), part.classes[row]
        known = {name: column[own] for name, column in part.columns.items()}
        assert known.pop("state") == solution.engine.canonical(int(part.states[row]))
        assert known.pop("remoteness_plies") == (65535 if record.remoteness_plies is None else record.remoteness_plies)
        assert part.over[row] == record.terminal
        assert known == {name: getattr(record, name) for name in known}


@pytest.mark.parametrize("spec", SPECS)
def test_moves(spec):
    solution = solved(spec)
    part = cut(solution)
    moves = find_moves(part)
    assert len(moves.rows) == sum(len(solution.engine.rules.moves(state)) for state in part.states.tolist())
    for move in random.Random(1).sample(range(len(moves.codes)), min(200, len(moves.codes))):
        state, code = int(part.states[moves.rows[move]]), int(moves.codes[move])
        assert part.states[moves.after[move]] == dict(solution.engine.rules.moves(state))[code]


def test_parts():
    solution = solved("tictactoe")
    by_ply = [len(tier) for tier in solution.tiers]
    for depth in range(9):
        part = cut(solution, depth=depth)
        assert len(part) == sum(by_ply[: depth + 1])
        assert (part.depth, part.whole) == (depth, False)
        assert part.expanded[part.tiers < depth].all()
        assert not part.expanded[part.tiers >= depth].any()
        shares = part.columns["games_x"][part.classes[0]], solution.records.of(solution.engine.start).games_x
        assert shares[0] == shares[1]  # the counts of a part are those of the whole game
    assert cut(solution, depth=9).whole
    assert (cut(solution, most=100, deepest=True).depth, len(cut(solution, most=100, deepest=True))) == (3, 54)
    with pytest.raises(TooLargeError, match=r"more than 100 classes within 4 plies.*`depth` 3 has 54"):
        cut(solution, most=100)
    later = cut(solution, solution["XOX?O????"].state)
    assert later.whole
    assert len(later) < 765
    with pytest.raises(PositionError):
        cut(solution, 0b111)  # three X and no O


def test_best_play_alone():
    """Classes that are reached by moves that keep the value of each position, and one move beyond."""
    solution = solved("tictactoe")
    engine, reached, waiting = solution.engine, set(), [solution.engine.start]
    kept = {solution.engine.start}
    while waiting:
        state = waiting.pop()
        reached.add(state)
        for _, child in engine.rules.moves(state):
            canonical = engine.canonical(child)
            reached.add(canonical)
            if solution.records.of(child).value == solution.records.of(state).value and canonical not in kept:
                kept.add(canonical)
                waiting.append(canonical)
    part = cut(solution, optimal_only=True)
    assert set(part.columns["state"].tolist()) == reached
    assert {engine.canonical(state) for state in part.states[part.expanded].tolist()} == kept
    assert not part.whole


@pytest.mark.parametrize("spec", SPECS)
def test_the_head(spec):
    solution = solved(spec)
    served = Site([solution])[0]
    head, columns = head_of(page_of_view(served, None))
    told = head["solution"]
    assert (told["value"], told["remoteness_plies"], told["start"]) == (
        solution.value, solution.remoteness_plies, solution.start,
    )  # fmt: skip
    assert told["part"]["whole"] == (told["part"]["depth"] is None) == (solution.position_count < 62_000)
    assert told["counted"] == solution.counted
    assert {len(columns[name]) for name in ("position", "grid", "class")} == {len(columns["caption"])}
    assert {len(columns[name]) for name in ("value", "to_move", "member")} == {told["part"]["classes"]}
    assert {code: move[0] for code, move in head["moves"].items()} == {
        code: solution.game.format_move(int(code)) for code in head["moves"]
    }
    for row in random.Random(1).sample(range(len(columns["position"])), min(30, len(columns["position"]))):
        known = position_json(served, solution[columns["position"][row]].state)
        own = columns["class"][row]
        assert all(columns[name][row] == known[name] for name in ("position", "grid", "picture", "caption"))
        assert all(columns[name][own] == known[name] for name in ("value", "outcome", "remoteness_plies", "to_move"))


def test_the_same_solution_is_the_same_file(tmp_path):
    for name in ("one.html", "two.html"):
        write_page(analysis.solve("tictactoe", workers=1), tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


@pytest.mark.parametrize("drawn", ["grid", "picture", "text"])
def test_a_hostile_game_stays_in_its_place(tmp_path, drawn):
    write_page(analysis.solve(hostile_game(tmp_path, drawn=drawn), workers=1), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<script") == page.count("</script>") == 2
    head, _ = head_of(page)
    assert "</script><script>alert(1)</script>" in [name for name, *_ in head["moves"].values()]


def test_counts_of_two_limbs(tmp_path):
    """Of 70 tokens, taken in any numbers: compositions of 70, 2^69 games."""
    write_page(analysis.solve("nim:heaps=70", workers=1), tmp_path / "page.html")
    _, found = head_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    games = [sum(map(int, each)) for each in zip(found["games_x"], found["games_o"], strict=True)]
    assert max(games) == 2**69
    assert sum(map(int, found["histories"])) == analysis.solve("nim:heaps=70", workers=1).statistics()["histories"]


def test_a_page_runs_nothing_but_its_own_script(tmp_path):
    write_page(analysis.solve("mnk:rows=2,cols=2,k=2", workers=1), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; ")
    for kind, text in (
        ("script", re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]),
        ("style", re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy


def test_scripts_are_one_module():
    """Every import and export of the scripts is one that `bundle` knows."""
    text = bundle("file_source")
    assert not re.search(r"^\s*(import|export)\b", text, re.MULTILINE)
    assert "</script" not in text.lower()
    everything = "".join(map(bundle, ("file_source", "start", "bidding")))
    for path in SCRIPTS.glob("*.js"):
        assert f"const ${path.stem} = " in everything


def test_the_command(gametree, tmp_path):
    found = gametree("explore", "tictactoe", "--out", "page.html")
    assert (found.code, found.out) == (0, "page.html\n")
    assert "765 classes" in found.err
    assert head_of((tmp_path / "page.html").read_text(encoding="utf-8"))[0]["solution"]["part"]["whole"]
    gametree("explore", "tictactoe", "--out", "part.html", "--depth", "2", "--from", "0124")
    part = head_of((tmp_path / "part.html").read_text(encoding="utf-8"))[0]["solution"]
    assert (part["start"], part["part"]["depth"]) == ("XOX?O????", 2)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--out", "page.txt"), 2, ".html"),
        (("--out", "nowhere/page.html"), 1, "nowhere"),
        (("--out", "page.html", "--port", "1234"), 2, "--port"),
        (("--out", "page.html", "--token"), 2, "--token"),
        (("--out", "page.html", "--port", "0"), 2, "--port"),
        (("--out", "page.html", "--from", "XXX"), 2, "has 3 cells"),
        (("--out", "page.html", "--classes", "100"), 1, "--depth 3"),
        (("hexapawn", "nim", "--out", "page.html"), 2, "--out"),
        (("--depth", "3"), 2, "--out"),
        (("--optimal-only",), 2, "--out"),
    ],
)
def test_refusals(gametree, tmp_path, arguments, code, said):
    one_line(gametree("explore", "tictactoe", *arguments), code, said)
    assert not list(tmp_path.glob("*.html"))


def test_a_view_has_fewer_classes_where_there_are_more_symmetries():
    solution = analysis.solve("mnk:rows=4,cols=4,k=4", symmetry="full", counts=False, workers=1)
    told = head_of(page_of_view(Site([solution])[0], None))[0]
    assert told["solution"]["part"]["classes"] * solution.symmetry_order <= 80_000


def test_a_table_that_memory_does_not_hold_is_refused():
    with pytest.raises(TooLargeError), analysis.running(memory=100_000):
        pack(Site([solved("tictactoe")])[0], cut(solved("tictactoe")))
