"""The tutorial: its code makes the games it says, and its sessions print what it shows."""

from __future__ import annotations

import functools
import io
import itertools
import re
import shlex

import pytest

import analysis
from tests.support.program import ROOT

PAGE = (ROOT / "docs" / "your-own-game.md").read_text()
BROKEN = """from dataclasses import dataclass

from analysis import ONGOING, Rules
from cram import Cram


@dataclass(frozen=True)
class Fraction(Cram):
    def rules(self):
        def half(state):
            return state / 2

        return replaced(super().rules(), outcome=half)


@dataclass(frozen=True)
class Reads(Cram):
    def rules(self):
        def play(state, move):
            return state + self.cols

        return replaced(super().rules(), play=play)


@dataclass(frozen=True)
class Sometimes(Cram):
    def rules(self):
        def outcome(state):
            if state < 100:
                return ONGOING

        return replaced(super().rules(), outcome=outcome)


@dataclass
class Thawed:
    rows: int = 3

    def rules(self):
        return Rules()


def replaced(rules, **changed):
    return Rules(**{**vars(rules), **changed})
"""


def tutorial_files(page: str) -> dict[str, str]:
    """The files that a reader has at the end, and the first state of ``cram.py`` as ``cram_1.py``."""
    files: dict[str, str] = {}
    for name, what, code in re.findall(r"```python\n# (\w+\.py)(.*?)\n(.*?)```", page, re.DOTALL):
        if not what:
            files[name] = code
        elif what == ", more of the class":
            files[name] = files[name].rstrip("\n") + "\n\n" + code
        elif what == ", instead of return Rules(...)":
            before, after = re.split(
                r"        return Rules\(.*?\n        \)\n", files[name], maxsplit=1, flags=re.DOTALL
            )
            files[name] = (before + code + after).replace("import ONGOING, Rules", "import ONGOING, Evaluation, Rules")
        else:
            pytest.fail(f"a block of code is {what!r}")
    return files


def steps(page: str) -> list[tuple[str, str]]:
    """Commands and what they print, in order; blocks of code as ``write`` with the page up to their end."""
    found = []
    for match in re.finditer(r"```(console|python)\n(.*?)```", page, re.DOTALL):
        if match[1] == "python":
            found.append(("write", page[: match.end()]))
        else:
            for block in re.split(r"^\$ ", match[2], flags=re.MULTILINE)[1:]:
                command, _, wanted = block.partition("\n")
                found.append((command, wanted))
    return found


def write_files(folder, page: str) -> None:
    for name, text in tutorial_files(page).items():
        (folder / name).write_text(text)
    cram = (folder / "cram.py").read_text()
    (folder / "wrong.py").write_text(cram.replace("out[count] = move", "out[count] = len(dominoes) - 1 - move"))
    (folder / "broken.py").write_text(BROKEN)


def comparable(text: str) -> list[str]:
    """Lines without padding and frames, and without what takes time."""
    lines = [re.sub(r",\d+\.\d+$", "", line.rstrip(" │")) for line in text.strip("\n").splitlines()]
    changing = ("╭", "╰", "│ files", "Searched", "Try next", "  gametree ", "searched", "seconds")
    return [line for line in lines if not line.startswith(changing)]


def fits(found: list[str], wanted: list[str]) -> bool:
    """Whether the lines are those wanted, where ``...`` stands for any number of lines."""
    if not wanted:
        return not found
    if wanted[0] == "...":
        return any(fits(found[skipped:], wanted[1:]) for skipped in range(len(found) + 1))
    return found[:1] == wanted[:1] and fits(found[1:], wanted[1:])


TYPED = re.compile(r"(?<=to move: )(.+)$", re.MULTILINE)


@pytest.mark.slow
def test_tutorial(gametree, tmp_path, monkeypatch):
    for command, wanted in steps(PAGE):
        if command == "write":
            write_files(tmp_path, wanted)
            continue
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*TYPED.findall(wanted), "q"])))
        wanted = TYPED.sub("", wanted)
        result = gametree(*shlex.split(command)[1:])
        found = comparable(result.out + result.err)
        assert fits(found, comparable(wanted)), (command, found)
        refused = any(word in command for word in ("broken", "wrong", "rows=1", "'##../....'"))
        assert bool(result.code) == refused, result


@pytest.fixture
def games(tmp_path, monkeypatch):
    write_files(tmp_path, PAGE)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "sizes", [[(2, 2), (2, 3)], pytest.param([(2, 4), (2, 5), (3, 3), (3, 4), (4, 4)], marks=pytest.mark.slow)], ids=len
)
def test_cram(games, sizes):
    """Nimbers beside a search of a few lines; and what symmetry says of boards with an even side (Gardner 1974)."""
    for rows, cols in sizes:
        solution = analysis.solve(f"cram.py:Cram:rows={rows},cols={cols}", counts=False)
        nimber = cram_nimber(frozenset(itertools.product(range(rows), range(cols))))
        assert solution[solution.start].nimber == nimber
        assert solution.value == (1 if nimber else -1)
        if rows % 2 == 0:
            assert (nimber == 0) == (cols % 2 == 0)


@functools.cache
def cram_nimber(free: frozenset) -> int:
    """The least nimber that no move leads to."""
    after = {
        cram_nimber(free - {(r, c), there}) for r, c in free for there in ((r + 1, c), (r, c + 1)) if there in free
    }
    return next(n for n in itertools.count() if n not in after)


def wins(rules, state: int, known: dict[int, bool]) -> bool:
    """Whether whoever is to move wins."""
    if state not in known:
        known[state] = any(not wins(rules, child, known) for _, child in rules.moves(state))
    return known[state]


def test_euclid(games):
    """Cole and Davie 1969: the first player wins if and only if the ratio is more than the golden one, or 1."""
    for a, b in itertools.product(range(1, 20), repeat=2):
        rules = analysis.load_game(f"euclid.py:Euclid:a={a},b={b}").rules()

        assert wins(rules, rules.start, {}) == (a == b or 2 * max(a, b) > (1 + 5**0.5) * min(a, b))
    solution = analysis.solve("euclid.py:Euclid:a=21,b=13", counts=False)
    assert solution.value == -1
    assert [move.value for move in solution[solution.start].moves] == [-1]


def test_pong_hau_ki(games):
    solution = analysis.solve("pong.py")
    assert (solution.value, solution.remoteness_plies) == (0, None)


def test_lines_of_the_first_program():
    first = re.search(r"```python\n# cram.py\n(.*?)```", PAGE, re.DOTALL)[1]
    body = first[first.index("    def rules") : first.index("        return Rules(")]
    assert len([line for line in body.splitlines() if line.strip()]) <= 30
