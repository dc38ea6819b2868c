"""The page of a report, rendered from one template into one self-contained file.

Matplotlib's SVG files are inlined with their own ids, in the page's light and dark colours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from ..machine.markup import printable
from ..machine.version import __version__
from ..pictures.style import ROLES, Picture, environment, variables
from ..rules.picture import board_text
from . import words
from .findings import Findings
from .sections import make_sections
from .tables import ReportTable

TEMPLATES = Path(__file__).parent / "templates"


def render(
    findings: Findings,
    drawn: Mapping[str, Picture],
    drawings: Mapping[str, str],
    tables: Mapping[str, ReportTable],
    links: Mapping[str, str | None],
) -> str:
    """Render the page as HTML, without scripts or external resources. The same findings give the same text.

    Args:
        findings: What it says.
        drawn: The figures by name, with their captions.
        drawings: The figures as SVG elements by name, trusted to be markup.
        tables: The tables by name.
        links: The files for walking through the game (``walk``) and with ``puzzles``, if there are any.
    """
    from markupsafe import Markup, escape

    pages, value, game = environment(TEMPLATES), findings.statistics["value"], findings.game
    pages.filters["breakable"] = lambda text: Markup(re.sub(r"([,_])(?=\w)", r"\1<wbr>", str(escape(text))))
    html = pages.get_template("page.html.j2").render(
        game=game,
        title=re.findall(r"[^:,/]*[:,/]?", game.spec),
        origin=findings.solution.start if findings.elsewhere else None,
        version=__version__,
        **links,
        summary=words.summary(findings),
        tiles=words.tiles(findings),
        outcome="first" if value > 0 else "second" if value < 0 else "nobody",
        position=drawn.get("position"),
        board=board_text(game, findings.solution.engine.start),
        caption=game.caption(findings.solution.engine.start),
        sections=make_sections(findings, drawn, tables),
        drawings={name: Markup(svg) for name, svg in drawings.items()},
        colours=variables(),
        dark_colours=variables(dark=True),
        recolouring=Markup(recolouring()),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    return printable(html)


# Figures --------------------------------------------------------------------------------------------------------------


def recolouring() -> str:
    """Return style rules that give everything in a figure the page's colour of its role.

    Matplotlib writes colours into style attributes and, in the patterns of hatches, into attributes of their own. The
    rules do not name elements' parents, since a marker used several times is drawn out of its place.
    """
    return "\n".join(
        f'[style*="{key}: {light}"], [{key}="{light}"] {{ {key}: var(--{role}) !important; }}'
        for role, (light, _) in ROLES.items()
        for key in ("fill", "stroke")
    )


def inline(svg: bytes, name: str, title: str, description: str) -> str:
    """Turn an SVG file into an element for a page, without prolog, namespaces and style rules.

    Its ids begin with ``name``, so that several fit on one page, and it has proportions but no size (``svg.figure {
    width: 100%; height: auto }``). Screen readers get ``title`` and ``description``. The same file gives the same text.

    >>> inline(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 2"><g id="a"/></svg>', "x", "T", "D")
    '<svg class="figure" viewBox="0 0 1 2" role="img" aria-labelledby="x-svg-title" aria-describedby="x-svg-desc">\
<title id="x-svg-title">T</title><desc id="x-svg-desc">D</desc><g id="x-a" /></svg>'
    """
    drawn = ElementTree.fromstring(svg)
    root = ElementTree.Element("svg", {"class": "figure", "viewBox": drawn.attrib["viewBox"], "role": "img"})
    for role, tag, text in (("aria-labelledby", "title", title), ("aria-describedby", "desc", description)):
        root.set(role, f"{name}-svg-{tag}")
        ElementTree.SubElement(root, tag, {"id": root.attrib[role]}).text = text
    root.extend(child for child in drawn if child.find("{*}style") is None)  # its rules would apply to the whole page
    for element in [inner for child in root[2:] for inner in child.iter()]:
        element.tag, element.tail = element.tag.rpartition("}")[2], None
        for key, value in list(element.attrib.items()):
            del element.attrib[key]
            own = key.rpartition("}")[2]
            if own in ("id", "href"):
                value = f"{name}-{value}" if own == "id" else f"#{name}-{value[1:]}"
            element.set(own, value.replace("url(#", f"url(#{name}-"))
    return ElementTree.tostring(root, encoding="unicode")
