"""How a report was made: versions, rules, symmetry, what was counted, and the commands that make it again."""

from __future__ import annotations

import importlib.metadata
import platform
import shlex

from analysis.reports import report_words
from analysis.reports.content import Fact
from analysis.reports.findings import Findings
from analysis.version import __version__

MOST_NODES = 100_000_000
"""Nodes that each search of a report with pruning may visit, unless told otherwise."""

LIBRARIES = {"numpy": "NumPy", "numba": "Numba", "pyarrow": "pyarrow", "matplotlib": "matplotlib", "jinja2": "Jinja2"}


def protocol(findings: Findings) -> tuple[Fact, ...]:
    """All that the numbers and pictures depend on. No dates and no times: the same input gives the same page."""
    solution = findings.solution
    return (
        Fact("Solved by", ", ".join([f"gametree {__version__}", f"Python {platform.python_version()}", *_libraries()])),
        Fact("Rules", f"SHA-256 {findings.game.rules_hash()}", code=True),
        Fact("Start", solution.start, code=True),
        Fact("Symmetries", _symmetries(findings)),
        Fact("Tiers", "plies" if solution.by_ply else f"{report_words.tier(findings)}; not the ply"),
        Fact("Counts", _counts(findings)),
    )


def _libraries() -> list[str]:
    return [f"{name} {importlib.metadata.version(package)}" for package, name in LIBRARIES.items()]


def _symmetries(findings: Findings) -> str:
    order, kind = findings.solution.symmetry_order, findings.solution.symmetry
    if order is None:
        return "those that the rules bring along as a canonical form; how many there are is not known"
    if order == 1:
        return "none but the identity: every position is a class of its own"
    return (
        f"{report_words.count(order)} ({kind}): permutations of the cells that leave the game and its start as they are"
    )


def _counts(findings: Findings) -> str:
    reason = report_words.uncounted(findings)
    return reason or "exact integers of histories, games and paths; shares and means are rounded"


def commands(findings: Findings) -> tuple[str, ...]:
    """What makes this report again, and what prints its numbers."""
    solution, game = findings.solution, findings.game
    name, prune = shlex.quote(game.spec), _prune(findings)
    symmetry = "" if solution.symmetry == "geometric" else f" --symmetry {solution.symmetry}"
    if report_words.elsewhere(findings):
        start = f" --from {shlex.quote(solution.start)}{symmetry}"
        return (f"gametree report {name}{start}{prune} --out DIR", f"gametree stats {name}{start} --format json")
    if solution.counted or solution.loopy:
        return (f"gametree report {name}{symmetry}{prune}", f"gametree stats {name}{symmetry} --format json")
    return (
        f"gametree solve {name} --no-counts{symmetry} --out DIR",
        f"gametree report DIR{prune}",
        "gametree stats DIR --format json",
    )


def _prune(findings: Findings) -> str:
    """The options that make the laboratory's part of a report."""
    if findings.comparison is None:
        return ""
    most = findings.comparison.request.max_nodes
    return " --prune" if most == MOST_NODES else f" --prune --max-nodes {most}"
