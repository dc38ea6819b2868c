"""Draw the rooms of the package and who imports whom, from the imports themselves: ``python docs/make/draw_rooms.py``.

Writes docs/images/rooms.dot and, with Graphviz's ``dot``, rooms.svg. An arrow that follows from others is left out.
"""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import grimp
import networkx as nx

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"


def floors() -> list[list[str]]:
    """The rooms of each floor, the top floor first, as the contract in pyproject.toml has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def imports() -> nx.DiGraph:
    """Rooms, with an edge from each to those that a module of it imports."""
    modules = grimp.build_graph("analysis", cache_dir=None)
    graph = nx.DiGraph()
    for module in modules.modules - {"analysis"}:
        for imported in modules.find_modules_directly_imported_by(module) - {"analysis"}:
            rooms = module.split(".")[1], imported.split(".")[1]
            if rooms[0] != rooms[1]:
                graph.add_edge(*rooms)
    return graph


def lines_of(room: str) -> int:
    """Lines of Python in a room."""
    folder = ROOT / "analysis" / room
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    return sum(len(file.read_text().splitlines()) for file in files)


def dot() -> str:
    """The picture as Graphviz reads it."""
    found = [
        "digraph rooms {",
        "  rankdir=TB; node [shape=box, style=rounded, fontname=Helvetica]; edge [color=gray40];",
    ]
    for floor in floors():
        found.append(f"  {{rank=same; {'; '.join(floor)}}}")
        found += [f'  {room} [label="{room}\\n{round(lines_of(room), -2):,} lines"];' for room in floor]
    for upper, lower in zip(floors(), floors()[1:], strict=False):
        found.append(f"  {upper[0]} -> {lower[0]} [style=invis];")
    found += [f"  {one} -> {other};" for one, other in sorted(nx.transitive_reduction(imports()).edges)]
    return "\n".join([*found, "}", ""])


def main() -> None:
    """Write both files."""
    IMAGES.mkdir(exist_ok=True)
    source = IMAGES / "rooms.dot"
    source.write_text(dot())
    subprocess.run(["dot", "-Tsvg", "-o", str(source.with_suffix(".svg")), str(source)], check=True)


if __name__ == "__main__":
    main()
