"""The two files of a release: what is in them, and what the index is told."""

import email
import tarfile
import tomllib
import zipfile

import pytest

import analysis
from tests.support.installing import run
from tests.support.program import ROOT

pytestmark = pytest.mark.slow

PACKAGES = ("analysis", "gametree")
"""The package, and its other name: the name of the distribution."""


@pytest.fixture
def metadata(wheel):
    with zipfile.ZipFile(wheel) as file:
        return email.message_from_bytes(file.read(f"gametree-{analysis.__version__}.dist-info/METADATA"))


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    """The pages, scripts and templates too, but no tests, tables or documentation."""
    with zipfile.ZipFile(wheel) as file:
        found = {name for name in file.namelist() if ".dist-info/" not in name}
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    assert found == {path.relative_to(ROOT).as_posix() for path in files if path.parent.name != "__pycache__"}
    assert {"analysis/py.typed", "gametree/py.typed", "analysis/__init__.pyi"} <= found
    assert any(name.startswith("analysis/web/pages/scripts/") for name in found)


def test_the_archive_of_sources_builds_it(release):
    """The wheel is built from it, so it lacks nothing; and it has nothing but sources."""
    [path] = release.glob("*.tar.gz")
    with tarfile.open(path) as file:
        parts = {name.split("/")[1] for name in file.getnames() if "/" in name}
    assert {"README.md", "LICENSE", "pyproject.toml", *PACKAGES} <= parts
    assert parts <= {"README.md", "LICENSE", "pyproject.toml", *PACKAGES, "PKG-INFO", "setup.cfg", "gametree.egg-info"}


def test_metadata(metadata):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (metadata["Name"], metadata["Version"]) == ("gametree", analysis.__version__)
    assert (metadata["License-Expression"], metadata["License-File"]) == ("MIT", "LICENSE")
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Keywords"].split(",") == project["keywords"]
    assert metadata.get_payload(decode=True).decode() == (ROOT / "README.md").read_text(encoding="utf-8")
    wanted = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert len(wanted) == len(project["dependencies"])
    assert set(metadata.get_all("Classifier")) == set(project["classifiers"])


def test_the_command_is_installed(wheel):
    with zipfile.ZipFile(wheel) as file:
        text = file.read(f"gametree-{analysis.__version__}.dist-info/entry_points.txt").decode()
    assert text.split() == ["[console_scripts]", "gametree", "=", "gametree.cli.main:main"]


def test_the_index_would_take_both(release):
    files = sorted(release.iterdir())
    assert [path.suffix for path in files] == [".whl", ".gz"]
    run("twine", "check", "--strict", *files, cwd=release)


def test_the_citation_names_this_version():
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {analysis.__version__}" in lines
