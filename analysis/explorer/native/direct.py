"""The same answers without a server, for a page in a notebook: what it asks comes as an address and its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode

from analysis.errors import GametreeError, OptionError
from analysis.explorer.asked import Asked
from analysis.explorer.native import answers, opponents
from analysis.explorer.native.maps import MAPS, Wanted
from analysis.explorer.native.tree import Tree
from analysis.explorer.pace import Work, in_time
from analysis.explorer.pages.page_file import VIEW_FIELDS, page_of_view
from analysis.explorer.served import Served
from analysis.solution.queries import Query
from analysis.solution.searching import Search
from analysis.wording import listed

Answer = Callable[[Served, Asked, Any], dict[str, Any]]
W = TypeVar("W", bound=Work)


def answer(served: Served, path: str, fields: Mapping[str, Any], body: Any = None) -> dict[str, Any]:
    """What `/api/v1/ID` with this ``path`` answers: ``{"answer": ...}``, or ``{"error": ...}`` with the line that says
    why there is none.
    """
    try:
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()}
        query = urlencode(given, errors="surrogatepass").encode("ascii")
        if path not in ANSWERS:
            raise OptionError(f"there is no answer to {path[:40]!r}; there is one to {listed(list(ANSWERS))}")
        known, make = ANSWERS[path]
        return {"answer": make(served, Asked(query, *known), body)}
    except GametreeError as refused:
        return {"error": " ".join(str(refused).split())}


def _position(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    return answers.position_json(served, served.state_of(asked.text("p")))


def _positions(served: Served, _: Asked, body: Any) -> dict[str, Any]:
    return {"positions": [answers.given_json(served, text) for text in body["positions"][: answers.MOST_POSITIONS]]}


def _images(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    return answers.images_json(served, served.state_of(asked.text("p")))


def _line(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    told, moves = answers.line_from(served, asked)
    return told | {"moves": [answers.move_json(move) for move in moves]}


def _paths(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    told, chosen = answers.paths_from(served, asked)
    return told | {"paths": list(chosen)}


def _random(served: Served, _: Asked, __: Any) -> dict[str, Any]:
    search = _followed(Search(served.solution, Query(), order="random", limit=1, hasty=True))
    if not search.found:
        raise OptionError("no position was found in time")
    return answers.position_json(served, search.found[0])


def _find(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    search = _followed(answers.search_of(served, asked))
    found = [answers.class_json(served, state) for state in search.found]
    return {"positions": found} | answers.found_json(search)


def _of_map(ask: Callable[[Served, Asked], Wanted]) -> Answer:
    """What answers a question about the map."""

    def answer_of(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
        tier, make = ask(served, asked)
        if not served.ranking.has(tier):
            _followed(served.ranking)
        return make()

    return answer_of


def _traps(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    return _followed(opponents.TrapsWork(served, asked)).answer


def _reply(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    return opponents.reply_json(served, asked)


def _followed(work: W) -> W:
    """Work as far as there is time."""
    for _ in in_time(work):
        pass
    return work


def _tree(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    tree = Tree(served, served.state_of(asked.text("p")))
    for _step in tree.steps():
        pass
    return tree.to_json()


def _page(served: Served, asked: Asked, _: Any) -> dict[str, Any]:
    return {"page": page_of_view(served, *map(asked.text, VIEW_FIELDS))}


ANSWERS: dict[str, tuple[tuple[str, ...], Answer]] = {
    "": ((), lambda served, _, __: answers.solution_json(served)),
    "/position": (("p",), _position),
    "/positions": ((), _positions),
    "/images": (("p",), _images),
    "/line": (answers.LINE_FIELDS, _line),
    "/paths": (answers.PATHS_FIELDS, _paths),
    "/traps": (opponents.TRAPS_FIELDS, _traps),
    "/reply": (opponents.REPLY_FIELDS, _reply),
    "/find": (answers.FIND_FIELDS, _find),
    "/random": ((), _random),
    "/tree": (("p",), _tree),
    "/page": (VIEW_FIELDS, _page),
    **{path: (known, _of_map(ask)) for path, (known, ask) in MAPS.items()},
}
