"""What the README shows, with the wheel in an environment and a folder with nothing else."""

import re
import shlex
import shutil
import sys
import urllib.request
from pathlib import Path

import pytest

import analysis
from tests.support import transcripts
from tests.support.installing import outside, run, started
from tests.support.program import ROOT
from tests.support.serving import serving

pytestmark = pytest.mark.slow

README = ROOT / "README.md"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def test_commands(environment, tmp_path):
    text = README.read_text(encoding="utf-8")
    for name, code in transcripts.written_files(text).items():
        (tmp_path / name).write_text(code)
    for command, wanted in transcripts.commands("".join(re.findall(r"```console\n(.*?)```", text, re.DOTALL))):
        done = started(environment / "gametree", *shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, done
        assert transcripts.fits(transcripts.comparable(done.stdout), transcripts.comparable(wanted))


def test_examples_in_python(environment, tmp_path):
    code = f"import doctest; print(doctest.testfile({str(README)!r}, module_relative=False, optionflags=2))"
    assert re.search(r"failed=0, attempted=(?!0)", run(environment / "python", "-c", code, cwd=tmp_path))


def test_it_is_the_installed_one(environment, tmp_path):
    code = "import gametree, analysis; print(analysis.__version__, gametree is analysis, analysis.__file__)"
    version, same, path = run(environment / "python", "-c", code, cwd=tmp_path).split()
    assert (version, same) == (analysis.__version__, "True")
    assert path.startswith(str(environment.parent))
    assert run(environment / "gametree", "--version", cwd=tmp_path).split() == ["gametree", analysis.__version__]


def test_pages_are_installed(environment, tmp_path):
    run(environment / "gametree", "explore", "tictactoe", "--out", "page.html", cwd=tmp_path)
    run(environment / "gametree", "report", "tictactoe", "--out", "report", cwd=tmp_path)
    for path in (tmp_path / "page.html", *(tmp_path / "report").glob("*.html")):
        assert "</html>" in path.read_text(encoding="utf-8")
    assert list((tmp_path / "report").glob("*.html"))


def find_python(version: str) -> str | None:
    """The path of a Python of this version: the one that runs, one of pyenv's, or one on the path."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    return str(kept[-1]) if kept else shutil.which(f"python{version}")


def test_the_explorer_needs_nothing_more(environment, tmp_path):
    with serving("tictactoe", program=(environment / "gametree",), cwd=tmp_path, env=outside()) as served:
        assert served.url, served.process.communicate()
        with urllib.request.urlopen(served.url, timeout=60) as page:
            assert b"</html>" in page.read()


@pytest.mark.parametrize("version", VERSIONS)
def test_uvx(version, wheel, tmp_path):
    """Solves without an environment of one's own, on every Python that is on the machine."""
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    command = ("--quiet", "--python", python, "--from", wheel, "gametree", "solve", "tictactoe")
    assert "255,168" in run("uvx", *command, cwd=tmp_path)
