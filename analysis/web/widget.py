"""The widget, made with anywidget: its view is the page's script, which asks the kernel by messages."""

from __future__ import annotations

import contextlib
import html
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import anywidget
import traitlets

from analysis.errors import GametreeError, OptionError
from analysis.web.pages.rendering import bundle, render, style
from analysis.web.served import Served, Site
from analysis.wording import listed

FRAME = (
    '<div data-gametree-saved="{number}"><iframe title="{name}" sandbox="allow-scripts allow-downloads allow-modals" '
    'style="width: 100%; height: 60rem; border: 0" srcdoc="{page}"></iframe></div>'
)


class ExplorerWidget(anywidget.AnyWidget):
    """The page of a solution in a notebook; get one from `analysis.explore`."""

    _esm = bundle("widget") + "export default { render: $widget.render };\n"
    style = traitlets.Unicode(style()).tag(sync=True)
    content = traitlets.Unicode(render("explorer.html.j2")).tag(sync=True)
    position = traitlets.Unicode().tag(sync=True)
    saved = traitlets.Unicode().tag(sync=True)
    """The name of the element with the page of a saved notebook, which the view hides."""

    solution = traitlets.Unicode().tag(sync=True)
    """The name of the solution that is shown."""
    beside: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """The other solutions of the site."""

    def __init__(self, site: Site, position: str) -> None:
        first, *others = site
        beside = [{"id": served.id, "game": served.name} for served in others]
        super().__init__(position=position, saved=uuid.uuid4().hex, solution=first.id, beside=beside)
        self._site = site
        self.on_msg(self._answer)

    def _answer(self, _: Any, asked: Any, __: Any) -> None:
        self.send({"json": answer_json(self._site, asked)})

    def _ipython_display_(self) -> None:
        """Display the view and then, as a second output, the page for times without a kernel: formats that support
        views show nothing else of the same output, even if the view does not work.
        """
        from IPython.display import display

        view = self._repr_mimebundle_()
        show: Callable[..., Any] = display
        show(view[0] if isinstance(view, tuple) else view, raw=True)
        with contextlib.suppress(GametreeError):  # without rules, or memory for a table, there is no such page
            show({"text/html": frame(self._site, self.position, self.saved)}, raw=True)


def answer_json(site: Site, asked: Any) -> str:
    """Answer a message of the page, ``{"number", "id", "path", "fields", "body"}``, about the solution with that
    ``id``, in JSON.
    """
    from analysis.web.asked import exact_json

    served = site.get(asked["id"])
    assert served is not None
    return exact_json(answer(served, asked["path"], asked["fields"], asked.get("body")) | {"number": asked["number"]})


def answer(served: Served, path: str, fields: Mapping[str, Any], body: Any = None) -> dict[str, Any]:
    """Answer a question by its path (see `answers.STEPS`): ``{"answer": ...}`` or ``{"error": one line}``."""
    from analysis.web.answers import STEPS, steps_of

    try:
        if path not in STEPS:
            raise OptionError(f"there is no answer to {path[:40]!r}; there is one to {listed(list(STEPS))}")
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()}
        steps = steps_of(served, path, urlencode(given, errors="surrogatepass").encode("ascii"), body)
        while True:
            next(steps)
    except StopIteration as end:
        return {"answer": end.value.content}
    except GametreeError as refused:
        return {"error": " ".join(str(refused).split())}


def frame(site: Site, position: str, number: str) -> str:
    """Return the page of a site's first solution, with the others to compare, as an element of another page, marked
    with a ``number``.
    """
    from analysis.web.pages.page_file import page_of_view

    served, *others = site
    page = page_of_view(served, position, beside=others)
    return FRAME.format(number=number, name=html.escape(served.name), page=html.escape(page))
