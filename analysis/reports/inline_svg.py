"""SVG files of matplotlib's, made fit to stand in an HTML page: ids of their own, the page's light and dark colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from analysis.reports.figures.style import ROLES


def variables(*, dark: bool = False) -> str:
    """The declarations of all colours, for a style sheet.

    >>> variables().split("; ")[0], variables(dark=True).split("; ")[0]
    ('--ink: #222222', '--ink: #ececec')
    """
    return "; ".join(f"--{role}: {colours[dark]}" for role, colours in ROLES.items())


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
