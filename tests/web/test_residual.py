"""The explorer of a solution by residual classes: all of a position but what such classes do not tell."""

import pytest

import analysis
from analysis.web.pages.page_file import page_of
from analysis.web.pages.slices import cut
from analysis.web.positions import position_json
from analysis.web.served import Site
from tests.support.asking import Asking


@pytest.fixture(scope="module")
def served():
    return [Site([analysis.solve("tictactoe", symmetry=kind)])[0] for kind in ("residual", "none")]


def test_positions(served):
    left, whole = served
    for text in ("?????????", "XO???????", "XOXOX?O??", "XXXOO????"):
        state = left.state_of(text)
        found, wanted = position_json(left, state), position_json(whole, state)
        differs = {name for name in wanted if found[name] != wanted[name]}
        assert differs <= {"class", "histories", "moves"}
        assert found["histories"] is found["class"]["orbit_size"] is None
        assert found["class"]["symmetry"] == "residual"
        for move, other in zip(found["moves"], wanted["moves"], strict=True):
            assert {name for name in other if move[name] != other[name]} <= {"class"}


def test_the_whole_solution(served):
    head = Asking(served[0].solution).native("")
    assert (head["positions"], head["classes"]) == (None, 370)
    assert head["symmetry"] == {"kind": "residual", "order": None}


def test_a_search_needs_positions(served):
    asking = Asking(served[0].solution)
    asking.refusal(f"/api/v1/{asking.site[0].id}/random", 404)


def test_a_page_in_a_file(served):
    part = cut(served[0].solution, depth=3)
    assert (len(part), len(part.states)) == (54, 1 + 9 + 72 + 252)
    assert "<html" in page_of(served[0], part)
