"""Searches of tables, compared with looking at every class: in memory and on the disk, small and of two limbs."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from types import SimpleNamespace

import pytest

import analysis
from analysis.engine.tiers import ValueRecord
from analysis.errors import MissingDataError, OptionError, RulesNeededError
from analysis.games import families
from analysis.solution import searching
from analysis.solution.queries import Query
from analysis.solution.searching import Search
from tests.support.oracle import Oracle
from tests.support.solved_kinds import USER

SPECS = ("tictactoe", "kayles:pins=22", "kayles:pins=7", "dots_and_boxes:rows=1,cols=2", "dodgem")
"""By turns; two limbs and nimbers, tiers that moves skip; scores and extra turns; loops."""
FAST = (
    ("tictactoe", "memory"),
    ("kayles:pins=7", "memory"),
    ("dots_and_boxes:rows=1,cols=2", "disk"),
    ("dodgem", "disk"),
)

QUERIES = {
    "": lambda c: True,
    "to_move=X": lambda c: c.to_move == "X",
    "to_move != X": lambda c: c.to_move != "X",
    "to_move=O and value=tie": lambda c: c.to_move == "O" and c.outcome == "tie",
    "value=1 and remoteness >= 3 and remoteness < 6": lambda c: c.value == 1 and c.remoteness_plies in range(3, 6),
    "value=O and tier>=2 and tier<=5": lambda c: c.value < 0 and 2 <= c.tier <= 5,
    "value=draw and to_move=X": lambda c: c.outcome == "draw" and c.to_move == "X",
    "value=win": lambda c: c.to_move and c.value * c.side > 0,
    "value!=loss and remoteness>2": lambda c: (
        not (c.to_move and c.value * c.side < 0) and (c.remoteness_plies or 0) > 2
    ),
    "best_move=0": lambda c: 0 in c.best_moves,
    "value = loss or best_move!='4' and only_move": lambda c: (
        (c.to_move and c.value * c.side < 0) or (4 not in c.best_moves and c.moves > 1 and c.keeping == 1)
    ),
    "not remoteness < 4": lambda c: c.remoteness_plies is None or c.remoteness_plies >= 4,
    "remoteness != 2": lambda c: c.remoteness_plies != 2,
    "only_move": lambda c: c.moves > 1 and c.keeping == 1,
    "not only_move and not terminal": lambda c: c.moves and not (c.moves > 1 and c.keeping == 1),
    "only_move and value=X and to_move=O": lambda c: c.moves > 1 and c.keeping == 1 and c.value > 0 > c.side,
    "only_move or remoteness=0": lambda c: (c.moves > 1 and c.keeping == 1) or c.remoteness_plies == 0,
    "trap >= 1/2": lambda c: c.moves and 2 * (c.moves - c.keeping) >= c.moves,
    "trap = 2/3 or trap=75%": lambda c: c.moves and Fraction(c.moves - c.keeping, c.moves) in (Fraction(2, 3), 0.75),
    "moves > 3 and keeping <= 2 or terminal=true": lambda c: (c.moves > 3 and c.keeping <= 2) or not c.moves,
    "orbit_size >= 4": lambda c: c.record.orbit_size >= 4,
    "value=99": lambda c: False,
    "value > -99999999999999999999": lambda c: True,
}

COUNTED = {
    "games > 1000": lambda c: sum(c.record.continuations) > 1000,
    "games = 2 or histories <= 3": lambda c: sum(c.record.continuations) == 2 or c.record.histories_each <= 3,
    "histories >= 123456789": lambda c: c.record.histories_each >= 123456789,
    "games >= 18446744073709551616": lambda c: sum(c.record.continuations) >= 2**64,
    "histories < 18446744073709551617": lambda c: c.record.histories_each < 2**64 + 1,
    "optimal_paths != 1": lambda c: c.record.optimal_paths != 1,
}
IMPARTIAL = {"nimber = 1": lambda c: c.record.nimber == 1, "nimber>=3": lambda c: c.record.nimber >= 3}


WHERE = [
    pytest.param(each, marks=[] if each in FAST else [pytest.mark.slow], id=" ".join(each))
    for each in itertools.product(SPECS, ("memory", "disk"))
]


@pytest.fixture(scope="module", params=WHERE)
def solution(request, tmp_path_factory):
    spec, where = request.param
    return analysis.solve(spec, workers=1, directory=tmp_path_factory.mktemp("s") / "s" if where == "disk" else None)


@functools.cache
def classes(solution):
    """Every class with its moves, looked up one by one."""
    return [_told(solution.look(state, ValueRecord)) for tier in solution.tiers for state in tier.states.tolist()]


def _told(look):
    record, values = look.record, [child.record.value for child in look.children]
    plies = record.remoteness_plies
    outcome = "X" if record.value > 0 else "O" if record.value < 0 else "draw" if plies is None else "tie"
    to_move = None if not values else "X" if record.to_move > 0 else "O"
    return SimpleNamespace(
        state=look.state, tier=look.tier, record=record, value=record.value, outcome=outcome,
        remoteness_plies=plies, to_move=to_move, side=record.to_move,
        moves=len(values), keeping=values.count(record.value),
        best_moves=tuple(sorted(child.move for child in look.children if child.record.value == record.value)),
    )  # fmt: skip


def asked(solution):
    known = QUERIES | (COUNTED if solution.counted else {})
    if not solution.engine.rules.impartial:
        return known
    return {text: fits for text, fits in known.items() if "best_move" not in text} | IMPARTIAL  # names are no codes


def found(search):
    for _ in search.steps():
        pass
    assert search.complete
    return search.found


@pytest.mark.parametrize("how", ["compiled", "one by one", "hasty"])
def test_what_is_found_is_all_there_is(solution, how, monkeypatch):
    monkeypatch.setattr(searching, "PIECE", 50)
    monkeypatch.setattr(searching, "MOST_CLASSES", 0 if how == "compiled" else 1 << 60)
    if how == "one by one":
        monkeypatch.setattr(searching, "sys", SimpleNamespace(modules={}))
    some = (4 if how == "compiled" else 20) if len(classes(solution)) > 1000 else 1 if how == "compiled" else 6
    for text, fits in [*asked(solution).items()][::some]:
        matching = [each for each in classes(solution) if fits(each)]
        search = Search(solution, Query(solution.game, text), limit=10_000, hasty=how == "hasty")
        assert found(search) == [each.state for each in matching], text
        assert search.matched == len(matching)
        if how != "hasty":
            for each, told in zip(solution.find(text, limit=10_000), matching, strict=True):
                assert {name: getattr(told, name) for name in TOLD} == {name: getattr(each, name) for name in TOLD}
        orders(solution, text, matching, hasty=how == "hasty")


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
    for wrong in (
        "best_move=9",
        "best_move=d4",
        "best_move=hello",
        "best_move>3",
        "best_move",
        "best_move=",
        "best_move=!",
    ):
        with pytest.raises(OptionError, match="best_move"):
            solution.find(wrong)


def test_counts_of_two_limbs_on_the_disk(tmp_path):
    held = analysis.solve("kayles:pins=22", workers=1)
    stored = analysis.solve("kayles:pins=22", workers=1, directory=tmp_path / "s")
    for text in COUNTED | IMPARTIAL:
        found = stored.find(text, limit=5)
        assert found.matched == held.find(text, limit=0).matched > 0
        assert [each.state for each in found] == [each.state for each in held.find(text, limit=5)]


TOLD = ("state", "tier", "to_move", "value", "outcome", "remoteness_plies", "moves", "keeping", "best_moves")


def orders(solution, text, matching, hasty):
    """The classes that match a query come in any order."""
    states, of = [each.state for each in matching], {each.state: each for each in matching}

    def first(order, limit=30):
        return found(Search(solution, Query(solution.game, text), order=order, limit=limit, seed=5, hasty=hasty))

    keys = {
        "remoteness": lambda state, sign: (
            of[state].remoteness_plies is None,
            sign * (of[state].remoteness_plies or 0),
        ),
        "trap": lambda state, sign: (not of[state].moves, sign * err(of[state])),
    }
    for order, key in keys.items():
        assert first(order) == sorted(states, key=lambda state: key(state, -1))[:30], text
        assert first(f"-{order}") == sorted(states, key=lambda state: key(state, 1))[:30], text
    if solution.counted:
        games = {state: float(sum(of[state].record.continuations)) for state in states}
        assert [games[state] for state in first("games")] == sorted(games.values(), reverse=True)[:30]
    for limit in (1, 20):
        drawn = first("random", limit)
        assert len(drawn) == len(set(drawn)) == min(limit, len(states))
        assert set(drawn) <= set(states)
        assert drawn == first("random", limit)


def err(each):
    return Fraction(each.moves - each.keeping, each.moves or 1)


@pytest.mark.parametrize(
    ("spec", "board", "unfinished", "only"),
    [
        ("tictactoe", (3, 3, 3), 627, 294),
        pytest.param("connect:rows=4,cols=4", None, 67163, 24465, marks=pytest.mark.slow),
    ],
)
def test_only_moves_by_brute_force(spec, board, unfinished, only):
    """294 of 627 and 24,465 of 67,163 have several legal moves of which one keeps the value; those with a single legal
    move, 34 of tic-tac-toe, do not count. By dicts and recursion, and by queries.
    """
    solution = analysis.solve(spec)
    assert solution.find("not terminal", limit=0).matched == unfinished
    ahead = [solution.find(f"value={text}", limit=0).matched for text in ("1", "+1", "X")]
    assert len({*ahead}) == 1
    assert solution.find("only_move", limit=0).matched == only
    told = {}
    for moves, keeping in brute(board) if board else brute_connect():
        told[moves, keeping] = told.get((moves, keeping), 0) + 1
    assert sum(told.values()) == unfinished
    assert sum(number for (moves, keeping), number in told.items() if moves > 1 and keeping == 1) == only
    for (moves, keeping), number in told.items():
        assert solution.find(f"moves={moves} and keeping={keeping}", limit=0).matched == number
    if board:
        assert solution.find("moves=1 and not terminal", limit=0).matched == 34


def brute(board):
    """The legal moves and those that keep the value of each unfinished class."""
    oracle = Oracle(*board)
    group = oracle.permutations("geometric")
    every = {min(oracle.moved(s, p) for p in group) for tier in oracle.tiers() for s in tier}
    for s in every:
        values = [oracle.value(child) for child in oracle.children(s)]
        if values:
            yield len(values), values.count(oracle.value(s))


def brute_connect(rows=4, cols=4, k=4):
    """The same of Connect-Four: columns as texts from the bottom up."""
    lines = [
        [(c + i * dc, r + i * dr) for i in range(k)]
        for c, r, (dc, dr) in itertools.product(range(cols), range(rows), ((1, 0), (0, 1), (1, 1), (1, -1)))
        if 0 <= c + (k - 1) * dc < cols and 0 <= r + (k - 1) * dr < rows
    ]
    cells = {cell: number for number, cell in enumerate(itertools.product(range(cols), range(rows)))}
    lines = [[cells[cell] for cell in line] for line in lines]
    values = {}

    def value(columns, side):
        if columns not in values:
            board = "".join(column.ljust(rows) for column in columns)
            if any(all(board[cell] == "OX"[side < 0] for cell in line) for line in lines):
                values[columns] = -side, []
            else:
                after = [
                    value((*columns[:c], columns[c] + "XO"[side < 0], *columns[c + 1 :]), -side)
                    for c in range(cols)
                    if len(columns[c]) < rows
                ]
                values[columns] = (max(after) if side > 0 else min(after)) if after else 0, after
        return values[columns][0]

    value(("",) * cols, 1)
    for columns, (worth, after) in values.items():
        if after and columns <= columns[::-1]:
            yield len(after), after.count(worth)


def test_every_class_is_as_likely_as_another():
    solution = analysis.solve("mnk:rows=2,cols=2,k=2", workers=1)
    states = [each.state for each in classes(solution)]
    drawn = [
        found(Search(solution, Query(solution.game), order="random", limit=1, seed=seed, hasty=True))[0]
        for seed in range(3000)
    ]
    expected = 3000 / len(states)
    square = sum((drawn.count(state) - expected) ** 2 / expected for state in states)
    assert square < 4 * len(states)


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


def test_more_than_are_kept_for_their_moves(monkeypatch):
    monkeypatch.setattr(searching, "PIECE", 50)
    monkeypatch.setattr(searching, "CANDIDATES", 60)
    solution = analysis.solve("tictactoe", workers=1)
    search = Search(solution, Query(solution.game, "only_move"), order="remoteness", limit=1000, hasty=True)
    for _ in search.steps():
        pass
    assert not search.complete
    assert 0 < len(search.found) < 60
    assert len(found(Search(solution, Query(solution.game, "only_move"), order="remoteness", limit=1000))) == 294


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
    hardest = solution.find(order="trap", limit=1)[0]
    assert (hardest.position, hardest.trap, hardest.moves, hardest.keeping) == ("X????????", Fraction(7, 8), 8, 1)
    last = solution.find("terminal", order="trap", limit=1)[0]
    assert (last.moves, last.keeping, last.trap, last.to_move) == (0, 0, None, None)
    assert solution.find("value=5").classes == ()
    assert solution.find("only_move", limit=0).matched == 294
    assert analysis.solve("chomp:rows=2,cols=2").find("to_move=First", limit=9)[0].to_move == "X"


@pytest.mark.parametrize(
    "spec",
    [
        "nim:heaps=1-2-3",
        "hexapawn",
        "wild:rows=2,cols=2,k=2",
        "chomp:rows=3,cols=3",
        "notakto",
        pytest.param("othello:size=4", marks=pytest.mark.slow),
    ],
)
def test_other_kinds_of_games(spec):
    """Own symmetries, passes and others, against one class after the other."""
    solution = analysis.solve(spec)
    for text in ("only_move", "trap > 1/3 and value=O", "moves = 1"):
        wanted = [each.state for each in classes(solution) if QUERIES_OF_MOVES[text](each)]
        assert [each.state for each in solution.find(text, limit=100_000)] == wanted


QUERIES_OF_MOVES = {
    "only_move": QUERIES["only_move"],
    "trap > 1/3 and value=O": lambda c: c.value < 0 and c.moves and err(c) > Fraction(1, 3),
    "moves = 1": lambda c: c.moves == 1,
}


def test_a_loopy_game_of_some_size():
    solution = analysis.solve("morris", workers=2)
    found = solution.find("only_move", order="trap", limit=50)
    told = [_told(solution.look(each.state, ValueRecord)) for each in found]
    assert all(each.moves > 1 == each.keeping for each in told)
    assert found.classes_seen == solution.canonical


# Queries --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("value=tye", ("'tye'", "character 7", "a number, X, O, tie or draw")),
        ("valu=3", ("'valu'", "character 1", "to_move, value")),
        ("value", ("at its end", "= != <", "X, O, tie")),
        ("value>X", ("'>'", "character 6", "= or !=")),
        ("value=tie only_move", ("'only_move'", "character 11", "'and' or 'or'")),
        ("value=tie and", ("at its end", "a term begins with")),
        ("and", ("'and'", "a term begins with")),
        ("(value=tie", ("at its end", "needs a )")),
        ("value=tie)", ("')'", "character 10")),
        ("value=tie & only_move", ("'&'", "character 11")),
        ("value!tie", ("'!'", "character 6")),
        ("trap=1/0", ("'1/0'", "7/8")),
        ("trap=0.5/2", ("'0.5/2'", "7/8")),
        ("trap>=50", ("'50'", "from 0 to 1")),
        ("remoteness=1.5", ("'1.5'", "a number of plies")),
        ("remoteness=tie", ("'tie'", "a number of plies")),
        ("only_move=3", ("'3'", "true or false")),
        ("to_move=1", ("'1'", "X or O")),
        ("games=" + 50 * "9", ("a number",)),
        (200 * "(", ("at most 50",)),
        (200 * "not ", ("at most 50",)),
        (3000 * " ", ("2,000 characters",)),
        ("=", ("'='", "a term begins with")),
        ("nimber=1", ("impartial",)),
        ("value=\ud800", ("character 7",)),
    ],
)
def test_wrong_queries(text, words):
    with pytest.raises(OptionError) as refused:
        analysis.solve("mnk:rows=2,cols=2,k=2").find(text)
    assert all(word in str(refused.value) for word in words), refused.value
    assert "\n" not in str(refused.value)


def test_a_query_is_read_as_it_is_written():
    solution = analysis.solve("tictactoe")
    for one, other in {
        "value=tie and only_move": " value  =tie AND only_move ",
        "value=X": "value == x",
        "not (value=X or value=O)": "not value=X and not value=O",
        "value=tie or value=X and only_move": "value=tie or (value=X and only_move)",
        "not not terminal": "terminal = true",
        "trap=0.875": "trap=87.5%",
        "remoteness>=7": "not remoteness<7",
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
    with pytest.raises(OptionError, match="by tier"):
        analysis.solve("dodgem", workers=1).find("ply=3")
    monkeypatch.setattr(families, "_NAMED", {})
    (tmp_path / "count.py").write_text(USER)
    known = analysis.solve("count.py:Count", directory="s", workers=1).find("only_move and value=X")
    assert known.matched > 0
    families._NAMED.clear()  # as in another process
    without = analysis.open_solution("s")
    for settings in ({"query": "only_move"}, {"order": "trap"}, {"query": "value=X or moves=1"}):
        with pytest.raises(RulesNeededError):
            without.find(**settings)
    found = without.find("to_move=X", limit=5)
    assert [(each.moves, each.keeping, each.trap, each.only_move) for each in found] == [(None,) * 4] * 5
