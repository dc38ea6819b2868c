"""What is asked for by the addresses of the explorer's own dialect."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from analysis.errors import MissingDataError, OptionError
from analysis.explorer.answering import FLEETING, Exact, fields_of, kept, served_by, site_of
from analysis.explorer.asked import QUERY_FIELDS, Asked
from analysis.explorer.native import answers, opponents
from analysis.explorer.native.maps import MAPS
from analysis.explorer.native.tiles import DEEPEST, tile
from analysis.explorer.native.tree import Tree
from analysis.explorer.pages.page_file import VIEW_FIELDS, page_of_view
from analysis.explorer.served import LIST
from analysis.explorer.work import follow, one_by_one
from analysis.solution.searching import Search

MOST_BYTES = 1 << 22
"""Of a batch."""

OPENAPI = Path(__file__).parent / "openapi.json"


async def _openapi(_: Request) -> Response:
    return Response(OPENAPI.read_bytes(), media_type="application/json")


async def _solutions(request: Request) -> Response:
    return Exact(answers.solutions_json(site_of(request)))


async def _solution(request: Request) -> Response:
    served = served_by(request)
    fields_of(request)
    return kept(request, served, lambda: Exact(answers.solution_json(served)))


async def _position(request: Request) -> Response:
    served = served_by(request)
    state = served.state_of(fields_of(request, "p").text("p"))
    return kept(request, served, lambda: Exact(answers.position_json(served, state)))


async def _images(request: Request) -> Response:
    served = served_by(request)
    state = served.state_of(fields_of(request, "p").text("p"))
    return kept(request, served, lambda: Exact(answers.images_json(served, state)))


async def _positions(request: Request) -> Response:
    served = served_by(request)
    fields_of(request)
    wanted = await _batch(request)
    return Exact({"positions": [answers.given_json(served, text) async for text in one_by_one(request, wanted)]})


async def _batch(request: Request) -> list[str]:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"a batch has at most {MOST_BYTES:,} bytes")
    try:
        wanted = json.loads(body)["positions"]
    except (ValueError, TypeError, LookupError, RecursionError):
        wanted = None
    if not isinstance(wanted, list) or not all(isinstance(text, str) for text in wanted):
        raise OptionError('a batch is a JSON object such as {"positions": ["0124", "XOX?O????"]}')
    if len(wanted) > answers.MOST_POSITIONS:
        raise OptionError(f"a batch has at most {answers.MOST_POSITIONS:,} positions, not {len(wanted):,}")
    return wanted


async def _line(request: Request) -> Response:
    served = served_by(request)
    answer, moves = answers.line_from(served, fields_of(request, *answers.LINE_FIELDS))
    answer["moves"] = [answers.move_json(move) async for move in one_by_one(request, moves)]
    return kept(request, served, lambda: Exact(answer))


async def _paths(request: Request) -> Response:
    served, asked = served_by(request), fields_of(request, *answers.PATHS_FIELDS)
    answer, chosen = answers.paths_from(served, asked)
    answer["paths"] = [path async for path in one_by_one(request, chosen)]
    if asked.text("sample") is not None and asked.text("seed") is None:
        return Exact(answer, headers=FLEETING)
    return kept(request, served, lambda: Exact(answer))


async def _tree(request: Request) -> Response:
    served = served_by(request)
    tree = Tree(served, served.state_of(fields_of(request, "p").text("p")))
    async for _ in one_by_one(request, tree.steps()):
        pass
    return kept(request, served, lambda: Exact(tree.to_json()))


async def _page(request: Request) -> Response:
    served = served_by(request)
    page = page_of_view(served, *map(fields_of(request, *VIEW_FIELDS).text, VIEW_FIELDS))
    return kept(request, served, lambda: Exact({"page": page}))


def _of_map(path: str) -> Callable[[Request], Awaitable[Response]]:
    """What answers a question about the map."""
    known, ask = MAPS[path]

    async def answer(request: Request) -> Response:
        served = served_by(request)
        tier, make = ask(served, fields_of(request, *known))
        if not served.ranking.has(tier):
            await follow(request, served.ranking)
        if tier is None and not served.ranking.complete:
            return Exact(make(), headers=FLEETING)
        return kept(request, served, lambda: Exact(make()))

    return answer


async def _tile(request: Request) -> Response:
    served = served_by(request)
    fields_of(request)
    named = {name: request.path_params[name] for name in "zxy"}
    place = Asked(urlencode(named, errors="surrogatepass").encode("ascii"), *named)
    z = place.number("z", most=DEEPEST) or 0
    x, y = (place.number(name, most=(1 << z) - 1) or 0 for name in "xy")
    if not served.ranking.complete:
        await follow(request, served.ranking)
    return kept(request, served, lambda: Response(tile(served.ranking, z, x, y), media_type="image/png"))


async def _traps(request: Request) -> Response:
    served = served_by(request)
    work = opponents.TrapsWork(served, fields_of(request, *opponents.TRAPS_FIELDS))
    await follow(request, work)
    return kept(request, served, lambda: Exact(work.answer))


async def _reply(request: Request) -> Response:
    served = served_by(request)
    return Exact(opponents.reply_json(served, fields_of(request, *opponents.REPLY_FIELDS)), headers=FLEETING)


async def _find(request: Request) -> Response:
    served = served_by(request)
    search = answers.search_of(served, fields_of(request, *answers.FIND_FIELDS))
    await follow(request, search)
    found = [answers.class_json(served, state) async for state in one_by_one(request, search.found)]
    return Exact({"positions": found} | answers.found_json(search), headers=FLEETING)


async def _random(request: Request) -> Response:
    served = served_by(request)
    asked = fields_of(request, *QUERY_FIELDS, "seed")
    query = asked.query(served.solution)
    search = Search(served.solution, query, order="random", limit=1, seed=asked.number("seed"), hasty=True)
    await follow(request, search)
    if not search.found:
        there = "there is no such position" if search.complete else "no such position was found in time"
        raise MissingDataError(there)
    return Exact(answers.position_json(served, search.found[0]), headers=FLEETING)


ROUTES = [
    Route(f"/{LIST}", _solutions),
    Route("/openapi.json", _openapi),
    Route("/{id}", _solution),
    Route("/{id}/position", _position),
    Route("/{id}/images", _images),
    Route("/{id}/positions", _positions, methods=["POST"]),
    Route("/{id}/line", _line),
    Route("/{id}/paths", _paths),
    Route("/{id}/tree", _tree),
    Route("/{id}/page", _page),
    *(Route("/{id}" + path, _of_map(path)) for path in MAPS),
    Route("/{id}/map/{z}/{x}/{y}.png", _tile),
    Route("/{id}/traps", _traps),
    Route("/{id}/reply", _reply),
    Route("/{id}/find", _find),
    Route("/{id}/random", _random),
]
