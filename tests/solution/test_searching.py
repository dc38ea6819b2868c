"""Searches of tables, compared with looking at every class: in memory and on the disk, small and of two limbs."""

import functools
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import pytest

import analysis
from analysis.errors import MissingDataError, OptionError, RulesNeededError
from analysis.games import families
from analysis.solution import lookup, searching
from analysis.solution.queries import Query
from analysis.solution.searching import Search
from tests.support.oracle import Oracle
from tests.support.solved_kinds import USER

FAST = (
    "tictactoe memory", "kayles:pins=7 memory", "dots_and_boxes:rows=1,cols=2 disk", "dodgem disk",
    "nim:heaps=1-2-3 memory", "hexapawn memory", "chomp:rows=3,cols=3 memory",
)  # fmt: skip
SLOW = (
    "tictactoe disk", "kayles:pins=22 memory", "kayles:pins=22 disk", "kayles:pins=7 disk", "dodgem memory",
    "dots_and_boxes:rows=1,cols=2 memory", "wild:rows=2,cols=2,k=2 memory", "notakto memory", "othello:size=4 memory",
)  # fmt: skip
"""By turns; two limbs and nimbers, tiers that moves skip; scores and extra turns; loops; own symmetries, passes."""

QUERIES = {
    "": lambda c: True,
    "to_move=X": lambda c: c.moves and c.to_move == 1,
    "to_move != X": lambda c: not c.moves or c.to_move != 1,
    "to_move=O and value=tie": lambda c: c.moves and c.to_move == -1 and c.outcome == "tie",
    "value=1 and remoteness_plies >= 3 and remoteness_plies < 6": lambda c: (
        c.value == 1 and c.remoteness_plies in range(3, 6)
    ),
    "value=O and TIER>=2 and TIER<=5": lambda c: c.value < 0 and 2 <= c.tier <= 5,
    "value=draw and to_move=X": lambda c: c.outcome == "draw" and c.moves and c.to_move == 1,
    "value=win": lambda c: c.value * c.side > 0,
    "value=loss": lambda c: c.value * c.side < 0,
    "value!=loss and remoteness_plies>2": lambda c: c.value * c.side >= 0 and (c.remoteness_plies or 0) > 2,
    "best_move=0": lambda c: 0 in c.best_moves,
    "value = loss or best_move!='4' and only_move": lambda c: (
        c.value * c.side < 0 or (4 not in c.best_moves and c.moves > 1 and c.keeping == 1)
    ),
    "not remoteness_plies < 4": lambda c: c.remoteness_plies is None or c.remoteness_plies >= 4,
    "remoteness_plies != 2": lambda c: c.remoteness_plies != 2,
    "only_move": lambda c: c.moves > 1 and c.keeping == 1,
    "not only_move and not terminal": lambda c: c.moves and not (c.moves > 1 and c.keeping == 1),
    "only_move and value=X and to_move=O": lambda c: c.moves > 1 and c.keeping == 1 and c.value > 0 > c.side,
    "only_move or remoteness_plies=0": lambda c: (c.moves > 1 and c.keeping == 1) or c.remoteness_plies == 0,
    "errs >= 1/2": lambda c: c.moves and 2 * (c.moves - c.keeping) >= c.moves,
    "errs = 2/3 or errs=0.75": lambda c: c.moves and Fraction(c.moves - c.keeping, c.moves) in (Fraction(2, 3), 0.75),
    "moves > 3 and keeping <= 2 or terminal": lambda c: (c.moves > 3 and c.keeping <= 2) or not c.moves,
    "orbit_size >= 4": lambda c: c.record.orbit_size >= 4,
    "value=99": lambda c: False,
    "value > -99999999999999999999": lambda c: True,
}

COUNTED = {
    "games > 1000": lambda c: c.record.games > 1000,
    "games = 2 or histories <= 3": lambda c: c.record.games == 2 or c.record.histories <= 3,
    "histories >= 123456789": lambda c: c.record.histories >= 123456789,
    "games >= 18446744073709551616": lambda c: c.record.games >= 2**64,
    "histories < 18446744073709551617": lambda c: c.record.histories < 2**64 + 1,
    "games_x > 1000 and games_tie=0": lambda c: c.record.games_x > 1000 and c.record.games_tie == 0,
    "shortest_paths >= 2": lambda c: c.record.shortest_paths >= 2,
    "optimal_paths != 1": lambda c: c.record.optimal_paths != 1,
}
IMPARTIAL = {"nimber = 1": lambda c: c.record.nimber == 1, "nimber>=3": lambda c: c.record.nimber >= 3}


@pytest.fixture(scope="module", params=[*FAST, *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW)])
def solution(request, tmp_path_factory):
    spec, where = request.param.split()
    return analysis.solve(spec, workers=1, directory=tmp_path_factory.mktemp("s") / "s" if where == "disk" else None)


@functools.cache
def classes(solution):
    """Every class with its moves, looked up one by one."""
    return [_told(solution.records.with_moves(state)) for tier in solution.tiers for state in tier.states.tolist()]


def _told(look):
    record, values = look.record, [child.record.value for child in look.children]
    plies = record.remoteness_plies
    outcome = "X" if record.value > 0 else "O" if record.value < 0 else "draw" if plies is None else "tie"
    return SimpleNamespace(
        state=look.state, tier=look.tier, record=record, value=record.value, outcome=outcome,
        remoteness_plies=plies, to_move=record.to_move, side=record.to_move,
        moves=len(values), keeping=values.count(record.value),
        best_moves=tuple(child.move for child in look.children if child.record.value == record.value),
    )  # fmt: skip


def asked(solution):
    tier = "ply" if solution.by_ply else "tier"
    known = QUERIES | (COUNTED if solution.counted else {})
    known = {text.replace("TIER", tier): fits for text, fits in known.items()}
    if not solution.engine.rules.impartial:
        return known
    return {text: fits for text, fits in known.items() if "best_move" not in text} | IMPARTIAL  # names are no codes


def found(search):
    for _ in search.steps():
        pass
    assert search.complete
    return search.found


@pytest.mark.parametrize("how", ["compiled", "one by one"])
def test_what_is_found_is_all_there_is(solution, how, monkeypatch):
    monkeypatch.setattr(searching, "PIECE", 50)
    monkeypatch.setattr(searching, "TOGETHER", 300)
    monkeypatch.setattr(lookup, "FEW", 0 if how == "compiled" else 1 << 60)
    if how == "one by one":
        monkeypatch.setattr(lookup, "sys", SimpleNamespace(modules={}))
    some = 4 if len(classes(solution)) > 1000 else 1
    for text, fits in [*asked(solution).items()][::some]:
        matching = [each for each in classes(solution) if fits(each)]
        search = Search(solution, Query(solution.game, text), limit=100_000)
        assert found(search) == [each.state for each in matching], text
        assert search.matched == len(matching)
        for each, told in zip(solution.find(text, limit=100_000), matching, strict=True):
            assert {name: getattr(told, name) for name in TOLD} == {name: getattr(each, name) for name in TOLD}
        orders(solution, text, matching)


def test_wins_and_losses_are_those_of_the_statistics(solution):
    """Finished games included, seen by whoever would move."""
    if (counted := solution.statistics()["by_remoteness"]) is None:
        return
    for word, name in (("win", "win"), ("loss", "lose"), ("tie", "tie"), ("draw", "draw")):
        sizes = [each.orbit_size for each in solution.find(f"value={word}", limit=100_000)]
        assert sum(sizes) == sum(row[name] for row in counted), word


def test_moves_are_read_as_they_are_typed():
    solution = analysis.solve("tictactoe")
    wanted = [each.position for each in solution.find("best_move=4", limit=1000)]
    assert wanted
    for text in ("b2", "'b2'", '"B 2"'):
        assert [each.position for each in solution.find(f"best_move={text}", limit=1000)] == wanted
    hexapawn = analysis.solve("hexapawn", symmetry="none").find("best_move=b1xc2")
    assert hexapawn.matched
    assert all("b1xc2" in each.best_names for each in hexapawn)
    column = analysis.solve("connect:rows=3,cols=3,k=3").find("best_move=b", limit=0).matched
    assert column == analysis.solve("connect:rows=3,cols=3,k=3").find("best_move=1", limit=0).matched > 0
    for wrong in ("=9", "=d4", "=hello", ">3", "", "=", "=!"):
        with pytest.raises(OptionError):
            solution.find(f"best_move{wrong}")


TOLD = ("state", "tier", "to_move", "value", "outcome", "remoteness_plies", "moves", "keeping", "best_moves")


def orders(solution, text, matching):
    """The classes that match a query come in any order."""
    states, of = [each.state for each in matching], {each.state: each for each in matching}

    def first(order, limit=30):
        return found(Search(solution, Query(solution.game, text), order=order, limit=limit, seed=5))

    keys = {
        "remoteness": lambda state, sign: (
            of[state].remoteness_plies is None,
            sign * (of[state].remoteness_plies or 0),
        ),
        "errs": lambda state, sign: (not of[state].moves, sign * err(of[state])),
    }
    for order, key in keys.items():
        assert first(order) == sorted(states, key=lambda state: key(state, -1))[:30], text
        assert first(f"-{order}") == sorted(states, key=lambda state: key(state, 1))[:30], text
    if solution.counted:
        games = {state: float(of[state].record.games) for state in states}
        assert [games[state] for state in first("games")] == sorted(games.values(), reverse=True)[:30]
    for limit in (1, 20):
        drawn = first("random", limit)
        assert len(drawn) == len(set(drawn)) == min(limit, len(states))
        assert set(drawn) <= set(states)
        assert drawn == first("random", limit)


def err(each):
    return Fraction(each.moves - each.keeping, each.moves or 1)


def test_only_moves_by_brute_force():
    """294 of 627 have several legal moves of which one keeps the value; 34 with a single legal move do not count."""
    solution, oracle = analysis.solve("tictactoe"), Oracle(3, 3, 3)
    group = oracle.permutations("geometric")
    told = Counter()
    for s in {min(oracle.moved(s, p) for p in group) for tier in oracle.tiers() for s in tier}:
        values = [oracle.value(child) for child in oracle.children(s)]
        told[len(values), values.count(oracle.value(s))] += 1
    for (moves, keeping), number in told.items():
        assert solution.find(f"moves={moves} and keeping={keeping}", limit=0).matched == number
    for query, number in {"not terminal": 627, "only_move": 294, "moves=1 and not terminal": 34}.items():
        assert solution.find(query, limit=0).matched == number
    assert sum(number for (moves, keeping), number in told.items() if moves > 1 and keeping == 1) == 294


def test_a_search_that_is_cut_off_says_so(monkeypatch):
    monkeypatch.setattr(searching, "PIECE", 50)
    solution = analysis.solve("tictactoe", workers=1)
    search = Search(solution, Query(solution.game), order="remoteness", limit=5)
    steps = search.steps()
    next(steps)
    search.hurry()
    for _ in steps:
        pass
    assert not search.complete
    assert len(search.found) > 0
    assert search.classes_seen < 765


def test_tiers_that_cannot_match_are_not_read():
    solution = analysis.solve("tictactoe", workers=1)
    rows = {tier.number: len(tier) for tier in solution.tiers}
    for text, numbers in (
        ("ply=3", {3}),
        ("ply>=8 and only_move", {8, 9}),
        ("not (ply>2 or value=X)", {0, 1, 2}),
        ("ply=1 or ply=2 and terminal", {1, 2}),
        ("ply>=5 or only_move", set(rows)),
        ("ply=99", set()),
    ):
        assert solution.find(text).classes_seen == sum(rows[number] for number in numbers), text


def test_from_python():
    solution = analysis.solve("tictactoe")
    found = solution.find("value=tie and only_move", order="-remoteness", limit=3)
    assert (len(found), found.classes_seen) == (3, 765)
    assert [each.remoteness_plies for each in found] == [2, 2, 2]
    assert {each.only_move for each in found} == {True}
    assert found[:2] == found.classes[:2]
    hardest = solution.find(order="errs", limit=1)[0]
    assert (hardest.position, hardest.errs, hardest.moves, hardest.keeping) == ("X????????", Fraction(7, 8), 8, 1)
    last = solution.find("terminal", order="errs", limit=1)[0]
    assert (last.moves, last.keeping, last.errs) == (0, 0, None)
    assert solution.find("value=5").classes == ()
    assert solution.find("only_move", limit=0).matched == 294
    assert analysis.solve("chomp:rows=2,cols=2").find("to_move=First", limit=9)[0].to_move == 1


@pytest.mark.parametrize(
    "text",
    [
        "value=tye", "valu=3", "value", "value>X", "best_move>b2", "value=tie only_move", "value=tie and",
        "value=tie AND only_move", "value=tie (only_move)", "terminal=true", "remoteness>3", "errs=87.5%",
        "value=tie & only_move", "(value=tie", "errs=1/0", "errs=0.5/2", "errs>=50", "remoteness_plies=1.5",
        "remoteness_plies=tie", "only_move=3", "to_move=1", "games=" + 50 * "9", 300 * "(", 9999 * "not " + "x",
        "1 < moves < 3", "moves(3)=4", "nimber=1", "tier=1", "value=\ud800", "\0",
    ],
)  # fmt: skip
def test_wrong_queries(text):
    with pytest.raises(OptionError) as refused:
        analysis.solve("mnk:rows=2,cols=2,k=2").find(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600


def test_a_query_is_read_as_it_is_written():
    solution = analysis.solve("tictactoe")
    for one, other in {
        "value=tie and only_move": " value  =tie\nand\tonly_move ",
        "value=X": "value='x'",
        "not (value=X or value=O)": "not value=X and not value=O",
        "terminal": 98 * "not " + "terminal",
        "value==tie": "value=tie",
        "value=tie or value=X and only_move": "value=tie or (value=X and only_move)",
        "not not terminal": "((terminal))",
        "errs=0.875": "errs=7/8",
        "remoteness_plies>=7": "not remoteness_plies<7 and value!=draw",
    }.items():
        assert [each.state for each in solution.find(one, limit=999)] == [
            each.state for each in solution.find(other, limit=999)
        ]


def test_what_cannot_be_searched(tmp_path, monkeypatch):
    solution = analysis.solve("tictactoe", workers=1, counts=False)
    for settings in ({"order": "size"}, {"limit": -1}, {"order": "--games"}):
        with pytest.raises(OptionError):
            solution.find(**settings)
    for settings in ({"order": "games"}, {"query": "histories=1"}, {"query": "value=X or games>3"}):
        with pytest.raises(MissingDataError, match="no counts"):
            solution.find(**settings)
    with pytest.raises(MissingDataError, match="loopy"):
        analysis.solve("dodgem", workers=1).find(order="-games")
    with pytest.raises(OptionError, match="tier"):
        analysis.solve("dodgem", workers=1).find("ply=3")
    monkeypatch.setattr(families, "_NAMED", {})
    (tmp_path / "count.py").write_text(USER)
    known = analysis.solve("count.py:Count", directory="s", workers=1).find("only_move and value=X")
    assert known.matched > 0
    families._NAMED.clear()  # as in another process
    without = analysis.open_solution("s")
    for settings in ({"query": "only_move"}, {"order": "errs"}, {"query": "value=X or moves=1"}):
        with pytest.raises(RulesNeededError):
            without.find(**settings)
    found = without.find("to_move=X", limit=5)
    assert [(each.moves, each.keeping, each.errs, each.only_move) for each in found] == [(None,) * 4] * 5
