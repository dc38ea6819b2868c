"""SVG files of matplotlib's, made fit to stand in an HTML page: its fonts, its light and its dark colours.

A file of its own keeps its colours; in a page each of them becomes a variable with that colour as its fallback, such as
``var(--ink, #222222)``, so that the page's style sheet decides, see `variables`.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from analysis.reports.figures import palette

ROLES = {
    "ink": palette.INK,
    "muted": palette.MUTED,
    "rule": palette.RULE,
    "paper": palette.PAPER,
    "first": palette.FIRST,
    "second": palette.SECOND,
    "second-text": palette.SECOND_TEXT,
    "tie": palette.TIE,
    "heat": palette.HEAT,
    "purple": palette.PURPLE,
    "amber": palette.AMBER,
}
"""The name of each colour's variable, and the colour on a light page."""

TEXT_ROLES = ("ink", "muted", "first", "second-text")
"""Text is written in these alone: at least 4.5:1 on paper, light or dark. The others but ``rule``, the pale grid, are
marks: at least 3:1 (WCAG 2.2, 1.4.3 and 1.4.11).
"""

_BY_COLOUR = {colour: role for role, colour in ROLES.items()}
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_INHERITED = "stroke-linejoin: round; stroke-linecap: butt"
"""What matplotlib's style sheet says of everything, which would be the page's everything, too."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_SHORTHAND = re.compile(r"(?:(bold|[1-9]00)|[\w-]+|\s)*?([\d.]+px)")


def variables(*, dark: bool = False) -> str:
    """The declarations of all colours, for a style sheet.

    >>> variables().split("; ")[0], variables(dark=True).split("; ")[0]
    ('--ink: #222222', '--ink: #ececec')
    """
    return "; ".join(f"--{role}: {palette.DARK[colour] if dark else colour}" for role, colour in ROLES.items())


def inline(svg: bytes, name: str, title: str = "", description: str = "") -> str:
    """An SVG element for a page, without prolog, metadata and background. Its ids begin with ``name``, so that several
    stand on one page, and it has no size but its proportions (``svg.figure { width: 100%; height: auto }``). Screen
    readers get ``title`` and ``description``; without a title they get nothing, what it stands in has to speak. The
    same file gives the same text.

    >>> inline(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 2" width="1pt"><g id="a"/></svg>', "x", "T")
    '<svg class="figure" viewBox="0 0 1 2" role="img" aria-labelledby="x-svg-title" style="stroke-linejoin: round; \
stroke-linecap: butt"><title id="x-svg-title">T</title><g id="x-a" /></svg>'
    """
    drawn = ElementTree.fromstring(svg)
    root = ElementTree.Element("svg", {"class": "figure", "viewBox": drawn.attrib["viewBox"]})
    _describe(root, name, title, description)
    root.set("style", _INHERITED)
    root.extend(drawn)
    _drop(root)
    ids = {element.attrib["id"] for element in root.iter() if "id" in element.attrib and element.tag.startswith(_SVG)}
    for element in root.iter():
        _adapt(element, name, ids)
    return ElementTree.tostring(root, encoding="unicode")


def _describe(root: ElementTree.Element, name: str, title: str, description: str) -> None:
    """What screen readers say of it."""
    if not title:
        root.set("aria-hidden", "true")
        return
    root.set("role", "img")
    for role, tag, text in (("aria-labelledby", "title", title), ("aria-describedby", "desc", description)):
        if text:
            own = f"{name}-svg-{tag}"
            ElementTree.SubElement(root, tag, {"id": own}).text = text
            root.set(role, own)


def _drop(root: ElementTree.Element) -> None:
    """Leave out metadata, the style sheet and the white background, in place."""
    for parent in list(root.iter()):
        for child in list(parent):
            style = child.tag == _SVG + "defs" and [inner.tag for inner in child] == [_SVG + "style"]
            background = parent.get("id") == "figure_1" and child.get("id") == "patch_1"
            if child.tag == _SVG + "metadata" or style or background:
                parent.remove(child)


def _adapt(element: ElementTree.Element, name: str, ids: set[str]) -> None:
    """One element without namespaces, with ids of its own, the page's font and variables for colours."""
    ours = element.tag.startswith(_SVG)
    element.tag = element.tag.removeprefix(_SVG)
    element.tail = None
    if element.tag not in ("text", "tspan", "title", "desc"):
        element.text = None
    if not ours:
        return
    _restyle(element)
    for key, value in list(element.attrib.items()):
        del element.attrib[key]
        element.attrib[key.removeprefix(_XLINK)] = _attribute(key.removeprefix(_XLINK), value, name, ids)


def _restyle(element: ElementTree.Element) -> None:
    """Leave out turns by no angle, and write colours as style: attributes are overruled by any style sheet."""
    if element.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
        del element.attrib["transform"]
    colours = [f"{key}: {element.attrib.pop(key)}" for key in ("fill", "stroke") if key in element.attrib]
    if colours:
        element.set("style", "; ".join([*colours, *filter(None, [element.get("style")])]))


def _attribute(key: str, value: str, name: str, ids: set[str]) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value[1:] in ids:
        return f"#{name}-{value[1:]}"
    value = re.sub(r"url\(#([^)]*)\)", lambda found: f"url(#{name}-{found[1]})", value)
    return _style(value) if key == "style" else value


def _style(text: str) -> str:
    """Declarations without a font family, colours as variables.

    >>> _style("font-size: 9px; font-family: 'DejaVu Sans', sans-serif; fill: #222222")
    'font-size: 9px; fill: var(--ink, #222222)'
    """
    found = []
    for declaration in text.split(";"):
        key, _, value = declaration.strip().partition(": ")
        if key == "font":  # as matplotlib wrote it before 3.9: style, weight, size and families in one
            weight, size = _SHORTHAND.match(value).groups()  # type: ignore[union-attr]
            found += [f"font-weight: {weight}"] * bool(weight) + [f"font-size: {size}"]
        elif key and key != "font-family":
            found.append(f"{key}: {_COLOUR.sub(_variable, value)}")
    return "; ".join(found)


def _variable(colour: re.Match[str]) -> str:
    role = _BY_COLOUR.get(colour[0].lower())
    return colour[0] if role is None else f"var(--{role}, {colour[0]})"
