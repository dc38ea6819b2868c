"""Game trees as test files of Berkeley's CS188 have them: texts by name, a block of ``state action next`` lines and one
of ``state number`` lines.

Agent 0 maximizes and begins, agent 1 minimizes. Play ends in states that are won or lost, in those without successors,
and after ``depth`` moves of both; each of them counts its evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from analysis.errors import TreeError
from analysis.games.trees.numbers import NUMBER, RATIO, parse_number, read_value
from analysis.games.trees.tree_file import TreeFile

FORM = "a CS188 test"
ENTRY = re.compile(r"""^[ \t]*(\w+)[ \t]*:[ \t]*("{3}|'{3}|"|')""", re.MULTILINE)
NEEDED = ("start_state", "successors", "evaluation")


def looks_like_test(text: str) -> bool:
    """Return whether a text has entries of such a test."""
    return len({match[1] for match in ENTRY.finditer(text)} & {*NEEDED, "num_agents", "win_states", "class"}) > 1


def parse_test(text: str, name: str) -> TreeFile:
    """Parse the tree of a test; errors call it ``name``. Raises `TreeError`."""
    tree = TreeFile(FORM, name, attributes={"players": ["MAX", "MIN"]}, maximizing=True)
    entries = _entries(text, tree)
    missing = next((each for each in NEEDED if each not in entries), None)
    if missing is not None:
        raise tree.fault(f"it has no {missing}")
    agents, line = entries.get("num_agents", ("2", 0))
    if agents.strip() != "2":
        raise tree.fault(f"it has num_agents {agents.strip()[:20]!r}; only games of two players can be read", line)
    alg, line = entries.get("alg", ("", 0))
    if "expect" in alg.lower():
        raise tree.fault(f"{alg} takes agent 1 to move at random; games are without chance", line)
    depth, line = entries.get("depth", ("", 0))
    if depth and not depth.strip().isdecimal():
        raise tree.fault(f"its depth is {depth[:20]!r}; write a whole number", line)
    start, line = entries["start_state"]
    if len(start.split()) != 1:
        raise tree.fault(f"its start_state is {start[:40]!r}; write the name of one state", line)
    values, after = _values(tree, *entries["evaluation"]), _successors(tree, *entries["successors"])
    everything = _reached(after, start.strip(), None, tree)
    lost = next((state for state in after if state not in everything), None)
    if lost is not None:
        raise tree.fault(f"state {lost} is not reached from {start.strip()}", after[lost][0][2])
    ended = " ".join(entries.get(each, ("", 0))[0] for each in ("win_states", "lose_states")).split()
    for state in ended:
        after.pop(state, None)
    kept = _reached(after, start.strip(), 2 * int(depth) if depth else None, tree)
    for state, (_, at) in kept.items():
        tree.add(state, values.get(state), line=at or line)
    for state in kept:
        for action, following, _ in after.get(state, ()) if not depth or kept[state][0] < 2 * int(depth) else ():
            tree.join(tree.numbers[state], tree.numbers[following], action)
    return tree


def _entries(text: str, tree: TreeFile) -> dict[str, tuple[str, int]]:
    """Return the texts by name, each with the line in which it begins."""
    found: dict[str, tuple[str, int]] = {}
    at = 0
    while match := ENTRY.search(text, at):
        key, mark = match.groups()
        line = text.count("\n", 0, match.end()) + 1
        end = text.find(mark, match.end())
        if end < 0 or (len(mark) == 1 and "\n" in text[match.end() : end]):
            raise tree.fault(f"the text of {key} is cut off; it has to end in {mark}", line)
        if key in found:
            raise tree.fault(f"there is more than one {key}", line)
        found[key] = text[match.end() : end], line
        at = end + len(mark)
    return found


def _lines(block: str, line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line that has any, with its number."""
    for at, each in enumerate(block.split("\n"), line):
        if words := each.partition("#")[0].split():
            yield at, words


def _values(tree: TreeFile, block: str, line: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for at, words in _lines(block, line):
        if len(words) != 2:
            raise tree.fault(f"{' '.join(words)[:60]!r} is not a state and its number", at)
        state, word = words
        if not re.fullmatch(f"{RATIO}|{NUMBER}", word):
            raise tree.fault(f"state {state} has value {word[:40]!r}; it must be a finite number", at)
        try:
            value = read_value(parse_number(word), f"state {state}")
        except TreeError as error:
            raise tree.fault(str(error), at) from None
        if found.setdefault(state, value) != value:
            raise tree.fault(f"state {state} has two values", at)
    return found


def _successors(tree: TreeFile, block: str, line: int) -> dict[str, list[tuple[str, str, int]]]:
    """Return actions and states after them, with their lines, by state."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for at, words in _lines(block, line):
        if len(words) != 3:
            raise tree.fault(f"{' '.join(words)[:60]!r} is not a state, an action and the next state", at)
        state, action, following = words
        moves = found.setdefault(state, [])
        moves.append((action, following, at))
    for state, moves in found.items():
        if len({move[0] for move in moves}) < len(moves):
            raise tree.fault(f"state {state} has two successors by one action", moves[-1][2])
    return found


def _reached(
    after: dict[str, list[tuple[str, str, int]]], start: str, limit: int | None, tree: TreeFile
) -> dict[str, tuple[int, int]]:
    """Return the ply and the line where each state is first met, within ``limit`` plies. Raises `TreeError` where a
    state with successors is met both within the limit and at it, so that it would be two positions.
    """
    found, level, ply = {start: (0, 0)}, {start: 0}, 0
    while level and ply != limit:
        ply += 1
        below = {following: at for state in level for _, following, at in after.get(state, ())}
        twice = next((each for each in below if ply == limit and each in after and each in found), None)
        if twice is not None:
            raise tree.fault(f"state {twice} is met both within the depth and at its end", below[twice])
        new = {state: at for state, at in below.items() if state not in found}
        found |= {state: (ply, at) for state, at in new.items()}
        level = new if limit is None else below
    return found
