"""The widget of anywidget's: its view is the page's script, and what the page asks comes as messages."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from analysis.errors import GametreeError
from analysis.web.notebook import answer_json, frame
from analysis.web.pages.rendering import bundle, style
from analysis.web.served import Site


class ExplorerWidget(anywidget.AnyWidget):
    """A solution that is walked through in a notebook; get one from `analysis.explore`."""

    _esm = bundle("widget") + "export default { render: $widget.render };\n"
    style = traitlets.Unicode(style()).tag(sync=True)
    position = traitlets.Unicode().tag(sync=True)
    saved = traitlets.Unicode().tag(sync=True)
    """What names the element with the page that a saved notebook shows; the view hides it."""

    solution = traitlets.Unicode().tag(sync=True)
    """The one of the site that is shown."""
    beside: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """The other ones."""

    def __init__(self, site: Site, position: str) -> None:
        first, *others = site
        beside = [{"id": served.id, "game": served.name} for served in others]
        super().__init__(position=position, saved=uuid.uuid4().hex, solution=first.id, beside=beside)
        self._site = site
        self.on_msg(self._answer)

    def _answer(self, _: Any, asked: Any, __: Any) -> None:
        self.send({"json": answer_json(self._site, asked)})

    def _ipython_display_(self) -> None:
        """The view, and after it what is there where no kernel answers: a format that takes views shows nothing else
        of the same output, whether they work or not.
        """
        from IPython.display import display

        view = self._repr_mimebundle_()
        show: Callable[..., Any] = display
        show(view[0] if isinstance(view, tuple) else view, raw=True)
        with contextlib.suppress(GametreeError):  # without rules, or room for a table, a saved notebook shows nothing
            show({"text/html": frame(self._site, self.position, self.saved)}, raw=True)
