"""GraphML as networkx, yEd, igraph and Gephi write it: nodes with data, and directed edges."""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from analysis.errors import TreeError
from analysis.games.trees.numbers import NUMBER, RATIO, parse_number
from analysis.games.trees.tree_file import TreeFile

FORM = "GraphML"
WHOLE, REAL = ("int", "long"), ("float", "double")
TRUTH = {"true": True, "1": True, "false": False, "0": False}
LABELS = ("label", "name", "id")
"""Attributes by which nodes are called, if each has another one; yEd's labels are ``label``."""


def parse_graphml(text: str, name: str) -> TreeFile:
    """Parse a graph, element by element, with little memory. Raises `TreeError`."""
    reader = _Elements(name)
    try:
        reader.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        raise TreeError(f"{name}, read as {FORM}: {expat.ErrorString(error.code)} at {where}") from None
    return reader.finish()


class _Elements:
    """What has been read, by element."""

    def __init__(self, name: str) -> None:
        self.tree = TreeFile(FORM, name)
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.characters
        self.keys: dict[str, tuple[str, str]] = {}
        self.defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}, "graph": {}}
        self.key, self.text, self.graphs = "", "", 0
        self.nodes: list[tuple[str, dict[str, Any], int]] = []
        self.edges: list[tuple[str, str, dict[str, Any], int]] = []
        self.held: list[tuple[str, dict[str, Any]]] = []

    def start(self, tag: str, given: dict[str, str]) -> None:
        kind, line = tag.rpartition(":")[2], self.parser.CurrentLineNumber
        if kind == "key":
            named = given.get("attr.name", given.get("yfiles.type", given.get("id", "")))
            self.keys[given.get("id", "")] = named, given.get("attr.type", "string")
            self.held.append((given.get("for", "node"), {"key": given.get("id", "")}))
        elif kind in ("hyperedge", "port"):
            raise self.tree.fault(f"a tree has no element {kind}", line)
        elif kind == "graph":
            self.graphs += 1
            if self.graphs > 1:
                raise self.tree.fault("there is more than one graph", line)
            if given.get("edgedefault") == "undirected":
                raise self.tree.fault("the graph is undirected; its edges must lead from parents to children", line)
            self.held.append((kind, self.tree.attributes))
        elif kind == "node":
            data: dict[str, Any] = {}
            self.held.append((kind, data))
            self.nodes.append((given.get("id", ""), data, line))
        elif kind == "edge":
            if given.get("directed") == "false":
                raise self.tree.fault("an edge is undirected; edges must lead from parents to children", line)
            data = {}
            self.held.append((kind, data))
            self.edges.append((given.get("source", ""), given.get("target", ""), data, line))
        elif kind == "data":
            self.key = given.get("key", "")
        self.text = ""

    def characters(self, text: str) -> None:
        self.text += text

    def end(self, tag: str) -> None:
        kind, text = tag.rpartition(":")[2], self.text
        if kind == "default" and self.held:
            where, said = self.held[-1]
            self.defaults.setdefault(where, {})[self.keys[said["key"]][0]] = self.converted(said["key"], text)
        elif kind in ("NodeLabel", "EdgeLabel") and self.held and text.strip():
            self.held[-1][1]["label"] = text.strip()
        elif kind == "data" and self.held and self.key in self.keys:
            if text.strip() or self.keys[self.key][1] == "string":
                self.held[-1][1].setdefault(self.keys[self.key][0], self.converted(self.key, text))
        elif kind in ("key", "graph", "node", "edge") and self.held:
            self.held.pop()
        self.text = ""

    def converted(self, key: str, text: str) -> Any:
        kind = self.keys[key][1]
        if kind == "boolean":
            return TRUTH.get(text.strip().lower(), text)
        if kind not in (*WHOLE, *REAL):
            return text
        try:
            return int(text) if kind in WHOLE else float(text)
        except ValueError:
            line = self.parser.CurrentLineNumber
            raise self.tree.fault(f"{text.strip()[:40]!r} is not a number; {self.keys[key][0]} is one", line) from None

    def finish(self) -> TreeFile:
        """Make nodes and edges of what was read. Raises `TreeError`."""
        tree = self.tree
        if not self.graphs:
            raise tree.fault("there is no graph in it")
        names = self.names()
        inner = {source for source, _, _, _ in self.edges}
        for (given, data, line), name in zip(self.nodes, names, strict=True):
            said = {**self.defaults["node"], **data}
            value = said.pop("value", None)
            label = str(said.get("label", ""))
            if value is None and given not in inner and re.fullmatch(f"{RATIO}|{NUMBER}", label):
                value = label
            if isinstance(value, str) and re.fullmatch(f"{RATIO}|{NUMBER}", value.strip()):
                value = parse_number(value.strip())
            tree.add(name, value, said, line)
        known = {given: number for number, (given, _, _) in enumerate(self.nodes)}
        if len(known) < len(self.nodes):
            given, line = next((each[0], each[2]) for n, each in enumerate(self.nodes) if known[each[0]] != n)
            raise tree.fault(f"two nodes are called {given}", line)
        for source, target, data, line in self.edges:
            missing = next((end for end in (source, target) if end not in known), None)
            if missing is not None:
                raise tree.fault(f"an edge names node {missing}, which is not there", line)
            tree.join(known[source], known[target], {**self.defaults["edge"], **data} or None)
        return tree

    def names(self) -> list[str]:
        """Return what the nodes are called: their positions in our exports, their labels if these tell them apart."""
        for key in ("position", *LABELS):
            found = [data.get(key) for _, data, _ in self.nodes]
            if found and all(isinstance(each, str) and each for each in found) and len({*found}) == len(found):
                return found  # type: ignore[return-value]
        return [given for given, _, _ in self.nodes]
