"""What a page in a file answers is what the server answers: of positions, searches and the map."""

import random

import pytest

from analysis.web.pages.slices import cut
from tests.support.asking import KINDS, solved, some_positions
from tests.support.explorer_page import ask_both

ASK = """
  const all = (ask) => Promise.all(sources.map((source) => ask(source).catch((error) => "refused")));
  const [mine, whole] = await all((source) => source.fetched("/map", {}));
  const told = ({ tiers }) => tiers.map(({ tier, classes, runs }) => [tier, classes, runs]);
  const found = { "the map": [mine, whole].map(told) };
  for (const text of asked) {
    const place = await all((source) => source.asked("/map/place", { p: text }));
    found["position " + text] = await all((source) => source.position(text));
    found["place " + text] = place;
    const at = { tier: place[0].tier, place: place[0].place };
    found["class " + text] = await all((source) => source.asked("/map/class", at));
    found["tree " + text] = await all((source) => source.fetched("/tree", { p: text }));
  }
  const queries = [
    "to_move = O", "value = X and remoteness_plies >= 3", "value = tie and only_move", "remoteness_plies >= 4",
  ];
  for (const order of [undefined, "errs", "remoteness"])
    for (const where of queries)
      found[`find ${order} ${where}`] =
        await all((source) => source.fetched("/find", { where, order, limit: 30, seconds: 2 }));
  return found;
"""


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*KINDS, "morris", "grundy:heap=10", "connect:rows=4,cols=4"])
def test_a_file_answers_as_the_server(browser, spec):
    solution = solved(spec)
    texts = [each.position for each in some_positions(solution, 15)]
    browser.driver.set_script_timeout(300)
    found = ask_both(browser, spec, solution, ASK, texts)
    assert isinstance(found, dict), found
    for name, (from_table, from_server) in found.items():
        if name.startswith("find") and not from_server["complete"]:  # there was no time for all
            continue
        if name.startswith("position"):
            assert from_server.keys() - from_table.keys() <= {"ply", "tier", "shortest_paths"}
            assert [move["behind"] for move in from_table["moves"]] == behind(from_table["moves"])
        assert known_of(from_table, from_server) == known_of(from_server, from_table), name


def behind(moves):
    """By how many plies each move is worse than the best with its result: a win or a tie later, a loss earlier."""
    found = []
    for move in moves:
        same = [each["remoteness_plies"] for each in moves if each["outcome"] == move["outcome"]]
        best = None if None in same else max(same) if move["value_for_mover"] < 0 else min(same)
        found.append(0 if best is None else abs(move["remoteness_plies"] - best))
    return found


def known_of(answer, other):
    """What both answers tell, but names of states and classes, which a file has its own of."""
    if isinstance(answer, list) and isinstance(other, list):
        assert len(answer) == len(other)
        return [known_of(*each) for each in zip(answer, other, strict=True)]
    if isinstance(answer, dict) and isinstance(other, dict):
        assert answer.keys() & other.keys() or not other
        names = (answer.keys() & other.keys()) - {"state", "class"}
        return {name: known_of(answer[name], other[name]) for name in names}
    return answer


PART = """
  const all = (ask) => Promise.all(sources.map((source) => ask(source).catch((error) => "refused")));
  return Promise.all(asked.map((text) => all((source) => source.position(text))));
"""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["tictactoe", "nim:heaps=2-2-3", "connect:rows=3,cols=4,k=3"])
@pytest.mark.parametrize("part", ["depth", "later", "best"])
def test_a_part_has_the_numbers_of_the_whole_game(browser, spec, part):
    """At its edge positions have no moves."""
    solution = solved(spec)
    later = solution.engine.rules.moves(solution.engine.rules.moves(solution.engine.start)[1][1])[0][1]
    options = {"depth": {"depth": 2}, "later": {"state": later}, "best": {"optimal_only": True}}[part]
    inside = cut(solution, **options)
    texts = solution.game.format_positions(inside.states)
    chosen = random.Random(1).sample(range(len(texts)), min(len(texts), 30))
    found = ask_both(browser, spec, solution, PART, [texts[row] for row in chosen], **options)
    assert isinstance(found, list), found
    for row, (from_table, from_server) in zip(chosen, found, strict=True):
        if not inside.expanded[row] and not inside.over[row]:
            assert from_table.pop("moves") is None
            assert from_server.pop("moves")
        assert known_of(from_table, from_server) == known_of(from_server, from_table)
