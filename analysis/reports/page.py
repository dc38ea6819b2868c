"""Render the page of a report from one template into one self-contained file.

Matplotlib's SVG files are inlined with their own ids, in the page's light and dark colours.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from ..common.markup import printable
from ..common.pages import ROLES, environment, variables
from ..common.version import __version__
from ..rules.game import spell
from ..rules.picture import board_text
from . import words
from .facts import Facts
from .style import Picture
from .tables import ReportTable, key_rows

TEMPLATES = Path(__file__).parent / "templates"
LIBRARIES = ("numpy", "numba", "pyarrow", "matplotlib", "jinja2")


def render(
    facts: Facts,
    figures: Mapping[str, tuple[Picture, str]],
    tables: Mapping[str, ReportTable],
    links: Mapping[str, str | None],
) -> str:
    """Render the page as HTML, without scripts or external resources. The same facts give the same text.

    Args:
        facts: Its contents. figures: The figures by name, with their captions, and as SVG elements, trusted to be
        markup. tables: The tables by name. links: The files for walking through the game (``walk``) and with
        ``puzzles``, if there are any.
    """
    from markupsafe import Markup, escape

    pages, game, start = environment(TEMPLATES), facts.game, facts.solution.engine.start
    pages.filters["breakable"] = lambda text: Markup(re.sub(r"([,_])(?=\w)", r"\1<wbr>", str(escape(text))))
    html = pages.get_template("page.html.j2").render(
        contents=[],
        facts=facts,
        game=game,
        words=words,
        tables=tables,
        figures={name: (picture, Markup(svg)) for name, (picture, svg) in figures.items()},
        title=re.findall(r"[^:,/]*[:,/]?", game.spec),
        version=__version__,
        **links,
        board=board_text(game, start),
        caption=game.caption(start),
        game_facts=game_facts(facts),
        protocol=protocol(facts),
        commands=commands(facts),
        keys=[row for row in key_rows(facts) if row["number"] is not None],
        colours=variables(),
        dark_colours=variables(dark=True),
        recolouring=Markup(recolouring()),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    return printable(html)


def game_facts(facts: Facts) -> dict[str, str]:
    """Return what is played, by whom, and how moves are named, as far as known."""
    game, (first, second) = facts.game, facts.game.players
    players = f"{first} moves first, {second} second"
    players += "; in the files they are X and O" * ((first, second) != ("X", "O"))
    whole = " of the whole game" if facts.origin else ""
    texts = {
        "Game": game.spec,
        "Parameters": ", ".join(f"{name} = {spell(value)}" for name, value in game.parameters().items()),
        "Players": players,
        "Start": facts.solution.start,
        "To move": "" if facts.over else game.players["XO".index(facts.begins)],
        "Moves": game.notation,
        f"Sizes{whole}": game.sizes,
        f"Known{whole}": game.known,
    }
    return {term: text for term, text in texts.items() if text}


def protocol(facts: Facts) -> dict[str, str]:
    """Return everything that numbers and pictures depend on, without dates and times."""
    solution = facts.solution
    libraries = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    return {
        "Solved by": ", ".join([f"gametree {__version__}", f"Python {platform.python_version()}", *libraries]),
        "Rules": f"SHA-256 {facts.game.rules_hash()}",
        "Symmetries": f"{words.count(solution.symmetry_order)} ({solution.symmetry})",
    }


def commands(facts: Facts) -> dict[str, list[str]]:
    """Write the commands that make a report again and print its numbers, and the one that compares searches."""
    solution, spec = facts.solution, shlex.quote(facts.game.spec)
    symmetry = "" if solution.symmetry == "geometric" else f" --symmetry {solution.symmetry}"
    puzzles = f" --puzzles {facts.puzzles}" if facts.puzzles else ""
    start = shlex.quote(facts.origin) if facts.origin else ""
    place = f"{spec} --from {start}{symmetry}" if start else f"{spec}{symmetry}"
    report = f"gametree report {place}{puzzles}{' --out DIR' if start else ''}"
    return {
        "report": [report, f"gametree stats {place} --format json"],
        "prune": [f"gametree prune {spec} {start}".rstrip()],
    }


# Figures --------------------------------------------------------------------------------------------------------------


def recolouring() -> str:
    """Return style rules that give everything in a figure the page's colour for its role.

    Matplotlib writes colours into style attributes and, in the patterns of hatches, into attributes of their own. The
    rules do not name elements' parents, since a marker used several times is not a child of its element.
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
            local_name = key.rpartition("}")[2]
            if local_name in ("id", "href"):
                value = f"{name}-{value}" if local_name == "id" else f"#{name}-{value[1:]}"
            element.set(local_name, value.replace("url(#", f"url(#{name}-"))
    return ElementTree.tostring(root, encoding="unicode")
