"""Queries of tables, compared with looking at every class: in memory and on the disk, small and of two limbs."""

from __future__ import annotations

import functools
import itertools

import pytest

import analysis
from analysis.engine.tiers import ValueRecord
from analysis.errors import MissingDataError, OptionError, RulesNeededError
from analysis.games import families
from analysis.solution import searching
from analysis.solution.searching import Query, Search
from tests.support.solved_kinds import USER

SPECS = ("tictactoe", "kayles:pins=22", "dots_and_boxes:rows=1,cols=2", "dodgem")

QUERIES = (
    Query(),
    Query(to_move=1),
    Query(to_move=-1, outcome="tie"),
    Query(value=1, remoteness_plies=range(3, 6)),
    Query(outcome="O", tier=range(2, 6)),
    Query(outcome="draw", to_move=1),
    Query(only_move=True),
    Query(outcome="X", only_move=True, to_move=-1),
    Query(value=99),
)


@pytest.fixture(scope="module", params=itertools.product(SPECS, ("memory", "disk")), ids=" ".join)
def solution(request, tmp_path_factory):
    spec, where = request.param
    return analysis.solve(spec, workers=1, directory=tmp_path_factory.mktemp("s") / "s" if where == "disk" else None)


def fits(query, look):
    """By the words of the query, from what is known of the position and its moves."""
    record, values = look.record, [child.record.value for child in look.children]
    drawn = record.remoteness_plies is None
    outcome = "X" if record.value > 0 else "O" if record.value < 0 else "draw" if drawn else "tie"
    return (
        (query.to_move is None or (values and record.to_move == query.to_move))
        and query.value in (None, record.value)
        and query.outcome in (None, outcome)
        and (query.remoteness_plies is None or (not drawn and record.remoteness_plies in query.remoteness_plies))
        and (query.tier is None or look.tier in query.tier)
        and (not query.only_move or (len(values) > 1 and values.count(record.value) == 1))
    )


@functools.cache
def looks(solution):
    """Every class with its moves."""
    return [solution.look(state, ValueRecord) for tier in solution.tiers for state in tier.states.tolist()]


def all_that_fit(solution, query):
    return [look.state for look in looks(solution) if fits(query, look)]


def found(search):
    for _ in search.steps():
        pass
    assert search.complete
    return search.found


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_what_is_found_is_all_there_is(solution, query, monkeypatch):
    monkeypatch.setattr(searching, "PIECE", 50)
    states = all_that_fit(solution, query)
    assert found(Search(solution, query, limit=1000)) == states[:1000]
    plies = {state: solution.lookup(state).remoteness_plies for state in states}
    for order, sign in (("remoteness", -1), ("-remoteness", 1)):
        expected = sorted(states, key=lambda state: (plies[state] is None, sign * (plies[state] or 0)))
        assert found(Search(solution, query, order=order, limit=30)) == expected[:30]
    if solution.counted:
        games = {state: float(sum(solution.lookup(state).continuations)) for state in states}
        several = found(Search(solution, query, order="games", limit=30))
        assert [games[state] for state in several] == sorted(games.values(), reverse=True)[:30]
    drawn = found(Search(solution, query, order="random", limit=20, seed=5))
    assert len(drawn) == len(set(drawn)) == min(20, len(states))
    assert set(drawn) <= set(states)
    one = found(Search(solution, query, order="random", limit=1, seed=5))
    assert len(one) == min(1, len(states))
    assert set(one) <= set(states)
    assert one == found(Search(solution, query, order="random", limit=1, seed=5))


def test_published_numbers_of_only_moves():
    for spec, number in (("tictactoe", 294), ("connect:rows=4,cols=4", 24465)):
        solution = analysis.solve(spec, workers=2)
        assert len(all_that_fit(solution, Query(only_move=True))) == number


def test_every_class_is_as_likely_as_another():
    solution = analysis.solve("mnk:rows=2,cols=2,k=2", workers=1)
    states = all_that_fit(solution, Query())
    drawn = [found(Search(solution, Query(), order="random", limit=1, seed=seed))[0] for seed in range(3000)]
    expected = 3000 / len(states)
    square = sum((drawn.count(state) - expected) ** 2 / expected for state in states)
    assert square < 4 * len(states)


def test_a_search_that_is_cut_off_says_so(monkeypatch):
    monkeypatch.setattr(searching, "PIECE", 50)
    solution = analysis.solve("tictactoe", workers=1)
    search = Search(solution, Query(), order="remoteness", limit=5)
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
    search = Search(analysis.solve("tictactoe", workers=1), Query(only_move=True), order="remoteness", limit=1000)
    for _ in search.steps():
        pass
    assert not search.complete
    assert 0 < len(search.found) < 60


def test_what_cannot_be_searched(tmp_path, monkeypatch):
    solution = analysis.solve("tictactoe", workers=1, counts=False)
    for settings in ({"order": "size"}, {"limit": -1}, {"limit": 1001}, {"order": "--games"}):
        with pytest.raises(OptionError):
            Search(solution, Query(), **settings)
    with pytest.raises(MissingDataError):
        Search(solution, Query(), order="games")
    with pytest.raises(MissingDataError):
        Search(analysis.solve("dodgem", workers=1), Query(), order="-games")
    monkeypatch.setattr(families, "_NAMED", {})
    (tmp_path / "count.py").write_text(USER)
    analysis.solve("count.py:Count", directory="s", workers=1)
    families._NAMED.clear()  # as in another process
    with pytest.raises(RulesNeededError):
        Search(analysis.open_solution("s"), Query(only_move=True))
    assert len(found(Search(analysis.open_solution("s"), Query(to_move=1), limit=5))) == 5
