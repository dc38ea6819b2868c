"""A table of optimal paths is refused with any path left out, changed, repeated or out of place."""

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.errors import VerificationError
from analysis.solution.storage.directory import PATHS
from analysis.solution.storage.parquet import describe
from analysis.solution.storage.store import Tables
from analysis.solution.verification import whole
from analysis.solving.to_directory import solve_to_directory

GAMES = {
    "lines": ("mnk:rows=2,cols=2,k=2", "geometric", True),
    "joined": ("kayles:pins=6", "geometric", True),
    "tiers": ("nim:heaps=2-2", "geometric", True),
    "margins": ("dots_and_boxes:rows=1,cols=1", "none", False),
    "residual": ("mnk:rows=2,cols=2,k=2", "residual", False),
    "over": ("nim:heaps=0", "geometric", True),
}
FAST = ("joined", "over")


@pytest.fixture(params=[pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in GAMES])
def table(request, tmp_path):
    """What checks another table in the place of a stored one, and the stored one."""
    spec, symmetry, counts = GAMES[request.param]
    tables = Tables(paths=True, counts=counts)
    solution = solve_to_directory(spec, tmp_path / "solved", symmetry=symmetry, tables=tables)
    path = tmp_path / "solved" / PATHS

    def check(rows: pa.Table) -> None:
        pq.write_table(rows, path)
        whole.check_paths(path, describe(path), solution)

    return check, pq.ParquetFile(path).read()


def refused(check, rows):
    with pytest.raises(VerificationError, match=r"optimal_paths\.parquet"):
        check(rows)


def row(path, plies, outcome="X"):
    return {"path": [path], "outcome": [outcome], "plies": [plies]}


def test_any_path_that_is_not_in_its_place(table):
    check, stored = table
    check(stored)
    numbers = np.arange(len(stored))
    some = np.unique(np.r_[0, 1, len(stored) // 2, len(stored) - 1].clip(0, len(stored) - 1))
    for number in some:
        refused(check, stored.take(np.delete(numbers, number)))
        refused(check, stored.take(np.insert(numbers, number, number)))
    for one, other in itertools.pairwise(some):
        swapped = numbers.copy()
        swapped[[one, other]] = other, one
        refused(check, stored.take(swapped))
    refused(check, stored.slice(0, 0))


def test_any_text_that_is_no_such_path(table):
    check, stored = table
    first = stored.slice(0, 1).to_pydict()
    texts, plies, outcome = first["path"][0], first["plies"][0], first["outcome"][0]
    odd = (
        f"{texts}0",
        f"{texts}-0",
        f"0{texts}",
        texts[:-1],
        "a",
        "0-",
        "-0",
        "255",
        "+1",
        "256",
        "00",
        "é",
        "0--1",
        "9",
    )
    for text in {*odd} - {texts}:
        for number in {len(text), text.count("-") + 1, plies}:
            changed = pa.table(row(text, number, outcome), schema=stored.schema)
            refused(check, pa.concat_tables([changed, stored.slice(1)]))
    for other in (row(texts, plies + 1, outcome), row(texts, plies, "Y")):
        refused(check, pa.concat_tables([pa.table(other, schema=stored.schema), stored.slice(1)]))
    refused(check, stored.rename_columns(["path", "outcome", "length"]))
