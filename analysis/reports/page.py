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
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..common.markup import printable
from ..common.pages import ROLES, environment, variables
from ..common.version import __version__
from ..rules.game import spell
from ..rules.picture import board_text
from . import words
from .facts import Facts
from .style import Picture
from .tables import KEYS, ReportTable, key_numbers

if TYPE_CHECKING:
    from ..search.comparison import Comparison

TEMPLATES = Path(__file__).parent / "templates"
LIBRARIES = ("numpy", "numba", "pyarrow", "matplotlib", "jinja2")
OF_SYMMETRY = ("symmetry_order", "games_up_to_symmetry", "quotient_paths")
"""Key numbers that are redundant if the identity is the only symmetry."""


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
        keys=key_list(facts),
        alike=alike(facts.comparison),
        colours=variables(),
        dark_colours=variables(dark=True),
        recolouring=Markup(recolouring()),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    return printable(html)


def game_facts(facts: Facts) -> dict[str, str]:
    """Return what is played, by whom, and how moves are named, as far as known."""
    game, (first, second) = facts.game, facts.game.players
    players = "first and second" if (first, second) == ("first", "second") else f"{first} moves first, {second} second"
    if facts.origin and not facts.over:
        players += f"; to move at this start: {game.players['XO'.index(facts.begins)]}"
    players += "" if (first, second) == ("X", "O") else "; in the files they are X and O"
    moves = game.notation
    if not moves and facts.moves and all(row["name"] == str(row["cell"]) for row in facts.moves):
        moves = "A move is the number of its cell, counted from 0, row by row."
    whole = " of the whole game" if facts.origin else ""
    texts = {
        "Game": game.spec,
        "Parameters": ", ".join(f"{name} = {spell(value)}" for name, value in game.parameters().items()) or "none",
        "Players": players,
        "Start": facts.solution.start,
        "Moves": moves,
        f"Sizes{whole}": game.sizes,
        f"Known{whole}": game.known,
    }
    return {term: text for term, text in texts.items() if text}


def key_list(facts: Facts) -> list[dict[str, Any]]:
    """Return the known numbers of the whole game, with their labels and meanings, and with their parts by who wins;
    ties only if the game has any.
    """
    rows = []
    for key, number in key_numbers(facts).items():
        if number is None or (key in OF_SYMMETRY and facts.solution.symmetry_order == 1):
            continue
        label, meaning = KEYS[key]
        row: dict[str, Any] = {"key": key, "label": label, "meaning": meaning, "text": "", "parts": []}
        if key == "value":
            row |= {"text": words.worth(number), "meaning": f"{meaning}: {words.value_meaning(facts)}"}
        elif isinstance(number, dict):
            total, ends = sum(number.values()), " has won" if key == "terminal" else " wins"
            labels = [*(f"{name}{ends}" for name in facts.game.players), "tied"]
            row["parts"] = [
                (part, label, words.count(count), words.share(count, total))
                for label, (part, count) in zip(labels, number.items(), strict=True)
                if count or label != "tied"
            ]
            row["text"] = words.count(total)
        else:
            row["text"] = words.count(number)
        rows.append(row)
    return rows


def alike(comparison: Comparison | None) -> set[str]:
    """Name the columns of a comparison whose contents its protocol already states."""
    if comparison is None:
        return set()
    settings = {key: {getattr(row, key) for row in comparison.rows} - {None} for key in ("order", "symmetry", "bound")}
    names = {key for key, values in settings.items() if len(values) <= 1}
    return names | ({"window"} if len(set(comparison.request.windows)) == 1 else set())


def protocol(facts: Facts) -> dict[str, str]:
    """Return everything that numbers and pictures depend on, without dates and times."""
    solution, exact = facts.solution, "exact integers of histories, games and paths; shares and means are rounded"
    libraries = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    return {
        "Solved by": ", ".join([f"gametree {__version__}", f"Python {platform.python_version()}", *libraries]),
        "Rules": f"SHA-256 {facts.game.rules_hash()}",
        "Symmetries": f"{words.count(solution.symmetry_order)} ({solution.symmetry})",
        "Tiers": "plies" if solution.by_ply else f"{words.tier(facts)}; not the ply",
        "Counts": words.uncounted(facts) or exact,
    }


def commands(facts: Facts) -> dict[str, list[str]]:
    """Write the commands that make a report again and print its numbers, and the one that compares searches."""
    solution, spec = facts.solution, shlex.quote(facts.game.spec)
    symmetry = "" if solution.symmetry == "geometric" else f" --symmetry {solution.symmetry}"
    puzzles = f" --puzzles {facts.puzzles}" if facts.puzzles else ""
    start = shlex.quote(facts.origin) if facts.origin else ""
    place = f"{spec} --from {start}{symmetry}" if start else f"{spec}{symmetry}"
    remake = [
        f"gametree report {place}{puzzles}{' --out DIR' if start else ''}",
        f"gametree stats {place} --format json",
    ]
    if not (start or solution.counted or solution.loopy):
        remake = [
            f"gametree solve {spec} --no-counts{symmetry} --out DIR",
            f"gametree report DIR{puzzles}",
            "gametree stats DIR --format json",
        ]
    return {"report": remake, "prune": [f"gametree prune {spec} {start}".rstrip()]}


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
