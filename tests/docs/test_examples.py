"""The Python examples of the README and of all pages: they run as they stand, and type checkers accept them."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.docs.test_your_own_game import tutorial_files
from tests.support.program import ROOT

PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
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
    blocks = [block for block in BLOCK.findall(text) if not re.match(r"# \w+\.py\b", block)]
    named = tutorial_files(text)
    if not blocks:
        return named
    examples = doctest.DocTestParser().get_examples
    code = ["".join(each.source for each in examples(block)) if ">>>" in block else block for block in blocks]
    return named | {f"{page.removesuffix('.md').replace('/', '_').replace('-', '_')}_examples.py": "".join(code)}


FILES = {page: found for page in PAGES if (found := files_of(page))}
PLAIN = [page for page in FILES if any(">>>" not in block for block in BLOCK.findall((ROOT / page).read_text()))]
"""Pages with blocks that no doctest runs."""


def run(*command: object, folder) -> str:
    """What a program says that finds nothing wrong."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_examples():
    assert {"README.md", "docs/bidding.md", "docs/playing.md", "docs/your-own-game.md"} <= {*FILES}


@pytest.mark.slow
@pytest.mark.parametrize("page", PLAIN)
def test_examples_run(page, tmp_path):
    """As a program of the reader's, where the files lie that the page names."""
    if page == "docs/cluster.md":
        pytest.importorskip("dask_jobqueue")
        pytest.importorskip("mpi4py")
    for name, code in FILES[page].items():
        (tmp_path / name).write_text(code)
    for name in FILES[page]:  # imported, what starts a cluster does not start; tests/cluster has it start
        run(sys.executable, "-c", f"import {name.removesuffix('.py')}", folder=tmp_path)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A folder with all examples, also under the library's other name."""
    folder = tmp_path_factory.mktemp("reader")
    for name, code in ((name, code) for files in FILES.values() for name, code in files.items()):
        (folder / name).write_text(code)
        (folder / f"other_{name}").write_text(re.sub(r"\banalysis\b", "gametree", code))
    return folder


@pytest.mark.slow
def test_mypy(reader):
    (reader / "mypy.ini").write_text(CHECKED)
    cache = ROOT / ".mypy_cache" / "examples"
    run(sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", cache, ".", folder=reader)


@pytest.mark.slow
def test_pyright(reader):
    """The program of the Python package, which fetches pyright from npm the first time; or no test."""
    program = shutil.which("pyright", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))  # noqa: PTH120
    if program is None and os.environ.get("REQUIRE_TOOLS") != "1":
        pytest.skip("pyright is not installed")
    assert program is not None, "pyright is not installed, and REQUIRE_TOOLS=1 asks for it"
    (reader / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT}"]}}')
    run(program, "--pythonpath", sys.executable, "--level", "error", ".", folder=reader)
