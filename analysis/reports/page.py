"""The page of a report: what it says, rendered by one template into one file that needs no other. The SVG files of
matplotlib's stand in it with ids of their own and in the page's light and dark colours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from analysis.machine.markup import printable
from analysis.machine.version import __version__
from analysis.pictures.style import ROLES, Picture, environment, variables
from analysis.reports import sentences
from analysis.reports.findings import Findings
from analysis.reports.report_tables import ReportTable
from analysis.reports.sections import make_sections
from analysis.reports.start_board import start_board

TEMPLATES = Path(__file__).parent / "templates"


def render(
    findings: Findings,
    figures: Sequence[Picture],
    drawings: Mapping[str, str],
    tables: Mapping[str, ReportTable],
    walk: str | None = None,
) -> str:
    """The page as HTML: no script, nothing fetched from elsewhere. The same findings give the same text. ``drawings``
    are the figures as SVG elements by name, trusted to be markup; ``walk`` is the file that lets one walk through it.
    """
    from markupsafe import Markup, escape

    pages = environment(TEMPLATES)
    pages.filters["breakable"] = lambda text: Markup(re.sub(r"([,_])(?=\w)", r"\1<wbr>", str(escape(text))))
    html = pages.get_template("page.html.j2").render(
        game=findings.game,
        title=re.findall(r"[^:,/]*[:,/]?", findings.game.spec),
        origin=findings.solution.start if findings.elsewhere else None,
        version=__version__,
        walk=walk,
        summary=sentences.summary(findings),
        tiles=sentences.tiles(findings),
        outcome=sentences.outcome(findings),
        board=start_board(findings),
        sections=make_sections(findings, figures, tables),
        drawings={name: Markup(svg) for name, svg in drawings.items()},
        colours=variables(),
        dark_colours=variables(dark=True),
        recolouring=Markup(recolouring()),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    return printable(html)


def recolouring() -> str:
    """Rules for a style sheet by which everything in a figure has the page's colour of its role: matplotlib writes
    colours into style attributes and, in the patterns of hatches, into attributes of their own. No rule names what an
    element is in: a marker that is used several times is drawn out of its place.
    """
    return "\n".join(
        f'[style*="{key}: {light}"], [{key}="{light}"] {{ {key}: var(--{role}) !important; }}'
        for role, (light, _) in ROLES.items()
        for key in ("fill", "stroke")
    )


def inline(svg: bytes, name: str, title: str, description: str) -> str:
    """An SVG element for a page, without prolog, namespaces and rules of style. Its ids begin with ``name``, so that
    several stand on one page, and it has no size but its proportions (``svg.figure { width: 100%; height: auto }``).
    Screen readers get ``title`` and ``description``. The same file gives the same text.

    >>> inline(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 2"><g id="a"/></svg>', "x", "T", "D")
    '<svg class="figure" viewBox="0 0 1 2" role="img" aria-labelledby="x-svg-title" aria-describedby="x-svg-desc">\
<title id="x-svg-title">T</title><desc id="x-svg-desc">D</desc><g id="x-a" /></svg>'
    """
    drawn = ElementTree.fromstring(svg)
    root = ElementTree.Element("svg", {"class": "figure", "viewBox": drawn.attrib["viewBox"], "role": "img"})
    for role, tag, text in (("aria-labelledby", "title", title), ("aria-describedby", "desc", description)):
        root.set(role, f"{name}-svg-{tag}")
        ElementTree.SubElement(root, tag, {"id": root.attrib[role]}).text = text
    root.extend(child for child in drawn if child.find("{*}style") is None)  # whose rules would be the whole page's
    for element in [inner for child in root[2:] for inner in child.iter()]:
        element.tag, element.tail = element.tag.rpartition("}")[2], None
        for key, value in list(element.attrib.items()):
            del element.attrib[key]
            element.set(key.rpartition("}")[2], _own(key.rpartition("}")[2], value, name))
    return ElementTree.tostring(root, encoding="unicode")


def _own(key: str, value: str, name: str) -> str:
    """An attribute with the ids that it has or refers to."""
    if key == "id":
        return f"{name}-{value}"
    return f"#{name}-{value[1:]}" if key == "href" else re.sub(r"url\(#", f"url(#{name}-", value)
