"""The page in a notebook: a widget that asks its kernel or, where a notebook was saved, the same page with a table."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from analysis.errors import GametreeError, OptionError
from analysis.machine.arguments import checked
from analysis.solution.solution import Solution
from analysis.wording import listed

if TYPE_CHECKING:
    from analysis.web.served import Served, Site
    from analysis.web.widget import ExplorerWidget

FRAME = (
    '<div data-gametree-saved="{number}"><iframe title="{name}" sandbox="allow-scripts allow-downloads allow-modals" '
    'style="width: 100%; height: 60rem; border: 0" srcdoc="{page}"></iframe></div>'
)


@checked
def explore(solution: Solution, position: str | None = None, *, beside: Solution | None = None) -> ExplorerWidget:
    """A solution in a notebook: a page to walk through it, as ``gametree explore`` shows one.

    Args:
        solution: What is shown, of an ordinary game.
        position: Where it begins (default: the start), as ``solution[position]`` takes a text.
        beside: Another solution, to which the page compares it, position by position and move by move.

    The kernel looks positions up, so a solution of any size will do. A notebook that is saved, or printed as HTML,
    shows what was looked at without one: all of the game, or as many plies of it as have 10,000 classes.

    Raises `PositionError` for a position that play does not reach, and `OptionError` where anywidget is not installed.
    """
    try:
        from analysis.web.widget import ExplorerWidget
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("anywidget", "ipywidgets", "traitlets", "psygnal"):
            raise
        raise OptionError(
            f"explore needs {missing}, which is not installed: pip install 'gametree[notebook]'"
        ) from None
    from analysis.web.served import Site

    text = solution.start if position is None else solution[position].position
    return ExplorerWidget(Site([solution] if beside is None else [solution, beside]), text)


def answer_json(site: Site, asked: Any) -> str:
    """The answer to a message ``{"number", "id", "path", "fields", "body"}`` of the page about the solution of that
    ``id``, as JSON of ASCII characters.
    """
    from analysis.web.asked import exact_json

    served = site.get(asked["id"])
    assert served is not None
    return exact_json(answer(served, asked["path"], asked["fields"], asked.get("body")) | {"number": asked["number"]})


def answer(served: Served, path: str, fields: Mapping[str, Any], body: Any = None) -> dict[str, Any]:
    """What is answered at this ``path``, see `answers`: ``{"answer": ...}``, or ``{"error": ...}`` with the line that
    says why there is none.
    """
    from analysis.web.answers import QUESTIONS
    from analysis.web.asked import Asked

    try:
        if path not in QUESTIONS:
            raise OptionError(f"there is no answer to {path[:40]!r}; there is one to {listed(list(QUESTIONS))}")
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()}
        query = urlencode(given, errors="surrogatepass").encode("ascii")
        steps = QUESTIONS[path].steps(served, Asked(query, *QUESTIONS[path].fields), body)
        while True:
            next(steps)
    except StopIteration as end:
        return {"answer": end.value.content}
    except GametreeError as refused:
        return {"error": " ".join(str(refused).split())}


def frame(site: Site, position: str, number: str) -> str:
    """The page of the first solution of a site, and of the others beside it, as an element of another page, with all
    that it shows in it; the element is found by a ``number``.
    """
    from analysis.web.pages.page_file import page_of_view

    served, *others = site
    page = page_of_view(served, position, beside=others)
    return FRAME.format(number=number, name=html.escape(served.name), page=html.escape(page))
