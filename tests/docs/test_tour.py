"""docs/tutorial/tour.ipynb runs in an empty directory and prints what is stored in it."""

import base64
import copy
import importlib.util
import math
import re
import sys

import nbformat
import pytest

from tests.support.program import ROOT

PATH = ROOT / "docs" / "make" / "refresh_tour.py"
SPEC = importlib.util.spec_from_file_location("refresh_tour", PATH)
refresh_tour = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(refresh_tour)


@pytest.fixture(scope="module")
def tour():
    return nbformat.read(refresh_tour.TOUR, as_version=4)


@pytest.fixture(scope="module")
def codes(tour):
    return [cell for cell in tour.cells if cell.cell_type == "code"]


@pytest.mark.slow
def test_it_prints_what_is_stored(tour, tmp_path):
    fresh = refresh_tour.run(tour, tmp_path)
    differences = refresh_tour.find_differences(tour, fresh)
    assert not differences, "\n\n".join([*differences, "docs/tutorial/tour.ipynb is stale; run `make pictures`"])
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith(".")]
    pictures = [
        output for cell in fresh.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})
    ]
    assert pictures


@pytest.mark.slow
def test_the_kernel_is_this_python_and_sees_no_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    source = (
        "import os, sys\nprint(sys.executable, os.listdir(), 'MPLBACKEND' in os.environ and os.environ['MPLBACKEND'])"
    )
    fresh = refresh_tour.run(notebook(source), tmp_path)
    said = fresh.cells[0].outputs[0].text
    assert said.startswith(f"{sys.executable} ")
    assert "Agg" not in said
    assert "ipynb" not in said
    assert fresh.metadata == refresh_tour.METADATA
    assert fresh.cells[0].metadata == {}


@pytest.mark.slow
def test_a_cell_that_fails_is_named_and_nothing_is_written(tmp_path, monkeypatch, capsys):
    path = tmp_path / "tour.ipynb"
    nbformat.write(notebook("1 / 0"), path)
    before = path.read_bytes()
    monkeypatch.setattr(refresh_tour, "TOUR", path)
    assert refresh_tour.main([]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert path.read_bytes() == before


@pytest.mark.slow
def test_check_says_what_is_stale_and_refreshing_mends_it(tmp_path, monkeypatch, capsys):
    path = tmp_path / "tour.ipynb"
    nbformat.write(notebook("print('new')", printed="old"), path)
    monkeypatch.setattr(refresh_tour, "TOUR", path)
    assert refresh_tour.main(["--check"]) == 1
    assert capsys.readouterr().err == (
        "cell 'a' prints\nnew\n\nand not, as stored,\nold\n\ndocs/tutorial/tour.ipynb is stale; run `make pictures`\n"
    )
    assert refresh_tour.main([]) == 0
    assert capsys.readouterr().out == "docs/tutorial/tour.ipynb: 1 cells changed\n"
    once = path.read_bytes()
    assert refresh_tour.main(["--check"]) == refresh_tour.main([]) == 0
    assert path.read_bytes() == once


def notebook(source, printed=None):
    """One cell, and what it is said to print."""
    cell = nbformat.v4.new_code_cell(source, id="a", metadata={"execution": {"started": "today"}})
    cell.outputs = [] if printed is None else [nbformat.v4.new_output("stream", text=printed)]
    return nbformat.v4.new_notebook(cells=[cell], metadata={"language_info": {"name": "python", "version": "1.2.3"}})


def test_it_is_a_valid_notebook_that_was_run_from_top_to_bottom_without_fail(tour, codes):
    nbformat.validate(tour)
    assert [cell.execution_count for cell in codes] == list(range(1, len(codes) + 1))
    assert 8 <= len(codes) <= 12
    kinds = [cell.cell_type for cell in tour.cells]
    assert all(kinds[place - 1] == "markdown" for place, kind in enumerate(kinds) if kind == "code")
    assert all(cell.outputs for cell in codes)
    outputs = [output for cell in codes for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {"execute_result", "display_data", "stream"}
    assert {output.name for output in outputs if output.output_type == "stream"} <= {"stdout"}


def test_it_holds_nothing_of_the_machine_it_was_made_on(tour, codes):
    assert tour.metadata == refresh_tour.METADATA
    assert all(cell.metadata == {} for cell in tour.cells)
    assert all(re.fullmatch("[a-z]+(-text)?", cell.id) for cell in tour.cells)
    assert len({cell.id for cell in tour.cells}) == len(tour.cells)
    printed = "\n".join(map(refresh_tour.shown, codes))
    assert not re.search(r"/tmp|/home|/root|/Users|\\\\| at 0x|20\d\d-\d\d|seconds", printed)


def test_the_picture_is_there_and_is_one(codes):
    plots = [output for cell in codes for output in cell.outputs if "image/png" in output.get("data", {})]
    assert plots
    for plot in plots:
        picture = base64.b64decode(plot.data["image/png"])
        assert picture.startswith(b"\x89PNG")
        assert int.from_bytes(picture[16:20], "big") >= 500


def test_links_lead_somewhere(tour):
    targets = [target for cell in tour.cells for target in re.findall(r"\]\(([^)#]+)\)", cell.source)]
    assert len(targets) >= 4
    for target in targets:
        assert (refresh_tour.TOUR.parent / target).is_file(), target


def test_the_heaps_that_lose_are_found_by_trying_every_square(codes):
    losing = []
    for tokens in range(101):
        if not any(tokens - square**2 in losing for square in range(1, math.isqrt(tokens) + 1)):
            losing.append(tokens)
    stored = next(cell for cell in codes if cell.id == "own")
    assert [int(word) for word in stored.outputs[0].text.split()] == losing


@pytest.mark.parametrize(
    "change",
    [
        lambda output: output.data.update({"text/plain": "another"}),
        lambda output: output.data.update({"text/html": "", "image/svg+xml": "<svg/>"}),
    ],
)
def test_what_is_printed_is_compared(tour, change):
    fresh = copy.deepcopy(tour)
    assert refresh_tour.find_differences(tour, fresh) == []
    change(next(cell for cell in fresh.cells if cell.id == "look").outputs[0])
    assert len(refresh_tour.find_differences(tour, fresh)) == 1


def test_a_missing_picture_is_noticed_and_another_rendering_of_it_is_not(tour):
    fresh = copy.deepcopy(tour)
    plot = next(cell for cell in fresh.cells if cell.id == "plot").outputs[0]
    plot.data["image/png"] = "bytes of another version of matplotlib"
    assert refresh_tour.find_differences(tour, fresh) == []
    del plot.data["image/png"]
    assert len(refresh_tour.find_differences(tour, fresh)) == 1
