"""Examples, sessions and links of README and pages, and the library as people import it."""

import doctest
import functools
import io
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import typer

import analysis
from analysis.common.wording import COMPILING
from tests.support import transcripts
from tests.support.installing import tool
from tests.support.program import ROOT

PAGE = (ROOT / "docs" / "how-to" / "fast-rules.md").read_text()
EXAMPLES = ROOT / "docs" / "how-to" / "examples"


def write_files(folder, page: str) -> None:
    for name, text in transcripts.written_files(page).items():
        (folder / name).write_text(text)
    shutil.copytree(EXAMPLES, folder / "docs/how-to/examples", dirs_exist_ok=True)


@pytest.fixture
def games(tmp_path):
    write_files(tmp_path, PAGE)


@pytest.mark.parametrize(
    "sizes", [[(2, 2), (2, 3)], pytest.param([(2, 4), (2, 5), (3, 3), (3, 4), (4, 4)], marks=pytest.mark.slow)], ids=len
)
def test_cram(games, sizes):
    """Nimbers beside a search of a few lines; and what symmetry says of boards with an even side (Gardner 1974)."""
    for rows, cols in sizes:
        solution = analysis.solve(f"docs/how-to/examples/cram.py:Cram:rows={rows},cols={cols}", counts=False)
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
        rules = analysis.load_game(f"docs/how-to/examples/euclid.py:Euclid:a={a},b={b}").rules()

        assert wins(rules, rules.start, {}) == (a == b or 2 * max(a, b) > (1 + 5**0.5) * min(a, b))
    solution = analysis.solve("docs/how-to/examples/euclid.py:Euclid:a=21,b=13", counts=False)
    assert solution.value == -1
    assert [move.value for move in solution[solution.start].moves] == [-1]


def test_pong_hau_ki(games):
    solution = analysis.solve("docs/how-to/examples/pong.py")
    assert (solution.value, solution.remoteness_plies) == (0, None)


def test_lines_of_the_first_program():
    first = re.search(r"```python\n# cram.py\n(.*?)```", PAGE, re.DOTALL)[1]
    body = first[first.index("    def rules") : first.index("        return Rules(")]
    assert len([line for line in body.splitlines() if line.strip()]) <= 30
    assert body in (EXAMPLES / "cram.py").read_text()


PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
NAMED = re.compile(r"# \w+\.py\b")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHECKED = """
[mypy]
strict = True
untyped_calls_exclude = dask_jobqueue, distributed
[mypy-pyspiel]
ignore_missing_imports = True
"""


def files_of(page: str) -> dict[str, str]:
    """The files that a reader of a page has: those that it names, and all other blocks of code one after the other."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = [block for block in BLOCK.findall(text) if not NAMED.match(block)]
    named = transcripts.written_files(text)
    if not blocks:
        return named
    examples = doctest.DocTestParser().get_examples
    code = ["".join(each.source for each in examples(block)) if ">>>" in block else block for block in blocks]
    return named | {f"{page.removesuffix('.md').replace('/', '_').replace('-', '_')}_examples.py": "".join(code)}


FILES = {page: found for page in PAGES if (found := files_of(page))}
PLAIN = [
    page
    for page in FILES
    if any(not NAMED.match(block) and ">>>" not in block for block in BLOCK.findall((ROOT / page).read_text()))
]
"""Pages with blocks that neither a doctest nor a recipe runs."""
FILES["examples"] = {path.name: path.read_text() for path in EXAMPLES.glob("*.py") if path.name != "my_search.py"}
"""Last, since the page has only the beginning of ``cram.py``; without what a student wrote, who gives no types."""


def run(*command: object, folder) -> str:
    """What a program says that finds nothing wrong."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_examples():
    assert {"README.md", "docs/how-to/bidding.md", "docs/how-to/playing.md", "docs/how-to/fast-rules.md"} <= {*FILES}


@pytest.mark.slow
@pytest.mark.parametrize("page", [*PLAIN, "examples"])
def test_examples_run(page, tmp_path):
    if page == "examples":
        pytest.importorskip("dask_jobqueue")
        pytest.importorskip("mpi4py")
    for name, code in (FILES["examples"] | FILES[page]).items():
        (tmp_path / name).write_text(code)
    for name in FILES[page]:  # imported, what starts a cluster does not start; tests/solving/cluster has it start
        run(sys.executable, "-c", f"import {name.removesuffix('.py')}", folder=tmp_path)


@pytest.fixture(scope="module", params=["analysis", "gametree"])
def reader(tmp_path_factory, request):
    """A folder with all examples, under one of the library's names."""
    folder = tmp_path_factory.mktemp("reader")
    for name, code in ((name, code) for files in FILES.values() for name, code in files.items()):
        (folder / name).write_text(re.sub(r"\banalysis\b", request.param, code))
    return folder


@pytest.mark.slow
def test_mypy(reader):
    (reader / "mypy.ini").write_text(CHECKED)
    cache = ROOT / ".mypy_cache" / "examples"
    run(sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", cache, ".", folder=reader)


@pytest.mark.slow
def test_pyright(reader):
    """The program of the Python package, which fetches pyright from npm the first time; or no test."""
    program = tool("pyright")
    (reader / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT}"]}}')
    run(program, "--pythonpath", sys.executable, "--level", "error", ".", folder=reader)


README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/bidding.md", "docs/tutorial/first-steps.md"])
def test_console_session(page, gametree, tmp_path, monkeypatch):
    text = (ROOT / page).read_text()
    session = "".join(re.findall(r"```console\n(.*?)```", text, re.DOTALL))
    write_files(tmp_path, text)
    if page == "docs/tutorial/first-steps.md":
        gametree("solve", "tictactoe")
    for command, wanted in transcripts.commands(session):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(transcripts.TYPED.findall(wanted))))
        wanted = transcripts.TYPED.sub("", wanted)
        result = gametree(*shlex.split(command)[1:])
        assert result.code == 0
        found = transcripts.comparable((result.out + result.err).replace(f"gametree: {COMPILING}\n", ""))
        assert transcripts.fits(found, transcripts.comparable(wanted)), (command, found)


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    for file, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)", (ROOT / page).read_text(encoding="utf-8")):
        if "://" in file:
            continue
        target = (ROOT / page).parent / file if file else ROOT / page
        assert target.exists(), file
        if anchor and target.suffix == ".md":
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, anchor


def test_table_of_commands():
    from analysis import list_games
    from analysis.cli.main import app

    rows = re.findall(r"\| `gametree (\w+)[^|]*\|$", README, re.MULTILINE)
    assert sorted(rows) == sorted(typer.main.get_command(app).commands)
    assert all(game["name"] in README for game in list_games())


ROOMS = ("bidding", "errors", "playing", "search")


def run_program(code: str, folder, *command: str) -> str:
    """What a program of the user's prints that lies in a folder."""
    (folder / "program.py").write_text(code)
    return run(sys.executable, *(command or ("program.py",)), folder=folder)


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_load_on_first_use(room, tmp_path):
    assert run_program(f"import analysis; print(analysis.{room}.__name__)", tmp_path).split() == [f"gametree.{room}"]


def test_importing_loads_none_of_it(tmp_path):
    code = "import sys, gametree; print(*[name for name in sys.modules if name.startswith('gametree.')])"
    assert {*run_program(code, tmp_path).split()} <= {"gametree.common", "gametree.common.attaching"}


def test_both_names_are_one(tmp_path):
    code = """
import gametree.playing.match, analysis, gametree
from gametree import Solution, errors
from gametree.playing import play_match
import analysis.playing.match
assert gametree is analysis and gametree.playing is analysis.playing
assert play_match is analysis.playing.match.play_match is gametree.playing.match.play_match
assert analysis.playing.__spec__.name == "gametree.playing"
assert {*dir(gametree)} >= {*analysis.__all__} >= {"solve", "playing", "Solution"}
print(gametree.solve("tictactoe").value, gametree.__version__)
"""
    assert run_program(code, tmp_path).split() == ["0", analysis.__version__]


OWN = "calls = []\nmine = 5\ncalls.append(__name__)\n"
USES = """
assert gametree.solve("mnk:rows=2,cols=2,k=2").value == 1
from gametree.search import alphabeta
assert alphabeta("tictactoe").nodes == 18297
import pickle
found = gametree.plan("mnk:rows=2,cols=2,k=2", seconds=1)
assert pickle.loads(pickle.dumps(found)) == found
"""
ORDERS = ["gametree", "gametree, analysis", "analysis, gametree"]


@pytest.mark.parametrize("order", ORDERS)
def test_beside_a_module_of_the_users(order, tmp_path):
    (tmp_path / "analysis.py").write_text(OWN + ("" if "analysis" in order else "raise SystemExit('run')"))
    after = "import analysis\nassert (analysis.mine, analysis.calls) == (5, ['analysis'])\n" * ("analysis" in order)
    run_program(f"import {order}\n{USES}{after}{USES}", tmp_path)


def test_in_a_script_of_that_name(tmp_path):
    (tmp_path / "analysis.py").write_text(f"import gametree\n{USES}print('once')\n")
    assert run_program("", tmp_path, "analysis.py").split() == ["once"]


def test_commands_beside_a_module_of_the_users(tmp_path):
    (tmp_path / "analysis.py").write_text(OWN + "raise SystemExit('run')")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gametree").write_text("from gametree.cli.main import main\nmain()\n")
    for command in (("bin/gametree",), ("-m", "gametree")):
        assert "255,168" in run_program("", tmp_path, *command, "solve", "tictactoe", "--force")


@pytest.mark.parametrize("order", ORDERS)
def test_beside_a_package_of_the_users(order, tmp_path):
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").write_text("from . import errors\nmine = errors.mine\n")
    (tmp_path / "analysis" / "errors.py").write_text("mine = 5\n")
    after = "import analysis.errors\nassert analysis.mine == analysis.errors.mine == 5\n"
    run_program(f"import {order}\n{USES}{after}{USES}", tmp_path)


def test_a_game_in_a_package_of_that_name(tmp_path):
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").touch()
    (tmp_path / "analysis" / "games.py").write_text(
        "import gametree\nfrom gametree.games.nim import Nim\n\n\nclass Mine(Nim):\n    pass\n"
    )
    code = """
import analysis.games, gametree
solution = gametree.solve(analysis.games.Mine("3-2"))
assert solution.value == 1
from gametree.rules.game import is_users
assert is_users(analysis.games.Mine("3-2")) and not is_users(gametree.load_game("nim:heaps=3-2"))
"""
    run_program(code, tmp_path)


def test_without_its_packages(tmp_path):
    command = [sys.executable, "-S", "-I", ROOT / "cli.py", "games"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "Traceback" not in done.stderr
