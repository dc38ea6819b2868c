"""What a page in a file answers is what the server answers: of positions, lines, paths, searches and the map."""

from __future__ import annotations

import pytest

from tests.support.asking import KINDS, solved, some_positions
from tests.support.explorer_page import ask_both

ASK = """
  const all = (ask) => Promise.all(sources.map((source) => ask(source).catch((error) => "refused")));
  const { texts, loopy } = asked;
  const found = { "the map": await all((source) => source.map()) };
  const shortest = loopy || undefined;
  for (const text of texts) {
    const place = await all((source) => source.mapPlace(text));
    found["position " + text] = await all((source) => source.position(text));
    found["images " + text] = await all((source) => source.images(text));
    found["line " + text] = await all((source) => source.line(text));
    found["path " + text] = await all((source) => source.line(text, "1", shortest));
    found["no path " + text] = await all((source) => source.line(text, "99999999999999999999", shortest));
    found["paths " + text] = await all(async (source) => {
      const { count, paths } = await source.paths(text, { limit: 5, offset: 2, shortest });
      return { count, paths };
    });
    found["place " + text] = place;
    found["class " + text] = await all((source) => source.mapClass(place[0].tier, place[0].place));
    found["tree " + text] = await all((source) => source.tree(text));
  }
  const queries = [
    { to_move: "O" }, { value: "X", remoteness: "3..5" }, { value: "tie", only_move: true }, { remoteness: "4" },
  ];
  for (const order of [undefined, "trap", "remoteness"])
    for (const query of queries)
      found[`find ${order} ${JSON.stringify(query)}`] =
        await all((source) => source.find({ ...query, order, limit: 30 }));
  return found;
"""


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*KINDS, "morris", "grundy:heap=10", "connect:rows=4,cols=4"])
def test_a_file_answers_as_the_server(browser, spec):
    solution = solved(spec)
    texts = [each.position for each in some_positions(solution, 25)]
    found = ask_both(browser, spec, solution, ASK, {"texts": texts, "loopy": solution.loopy})
    assert isinstance(found, dict), found
    for name, (from_table, from_server) in found.items():
        if name.startswith("find") and not from_server["complete"]:  # there was no time for all
            continue
        if name.startswith("find"):
            from_server |= {name: from_table[name] for name in ("classes", "classes_seen")}
        assert from_table == from_server, name
