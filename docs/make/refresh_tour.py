"""Run docs/tutorial/tour.ipynb again and store what it prints: ``python docs/make/refresh_tour.py [--check]``.

It is run by this Python in an empty directory, and what differs from machine to machine is left out: times, versions
and settings of one's own. ``--check`` stores nothing and says which cells print something else than what is stored.
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
TOUR = ROOT / "docs" / "tutorial" / "tour.ipynb"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SECONDS = 300
"""Within which each cell must be done, kernels compiled and all."""


def run(notebook, folder: Path):
    """A copy of the notebook, run in a folder. Raises `nbclient.exceptions.CellExecutionError`."""
    import matplotlib.font_manager  # noqa: F401 - lists the fonts, the first time; done in a cell, that prints a warning
    import nbclient
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    fresh = copy.deepcopy(notebook)
    fresh.cells = [bare(cell) for cell in fresh.cells]
    manager = AsyncKernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))  # this Python, no installed one
    if os.name == "posix" and len(str(folder)) < 90:  # sockets in files, whose names are short, instead of open ports
        manager.transport, manager.ip = "ipc", str(folder / ".kernel")
    resources = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(fresh, km=manager, timeout=SECONDS, resources=resources, record_timing=False)
    client.execute(env=_environment(folder), cleanup_kc=True)  # a manager that is given is left running otherwise
    fresh.metadata = METADATA
    fresh.cells = [bare(cell, outputs=True) for cell in fresh.cells]
    return fresh


def bare(cell, *, outputs: bool = False):
    """A cell without what an editor or a run left in it, numbered or not."""
    cell.metadata = {}
    if cell.cell_type == "code" and not outputs:
        cell.outputs, cell.execution_count = [], None
    return cell


def _environment(folder: Path) -> dict[str, str]:
    """Without settings of one's own for IPython and matplotlib."""
    own = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    settings = {"IPYTHONDIR": folder / ".ipython", "MATPLOTLIBRC": folder / ".matplotlibrc", "PYTHONPATH": ROOT}
    settings["MATPLOTLIBRC"].touch()
    return own | {name: str(value) for name, value in settings.items()} | {"PYTHONHASHSEED": "0"}


def find_differences(stored, fresh) -> list[str]:
    """A line for each cell that does not print what is stored. Of pictures only whether there is one is compared: their
    bytes are another with each version of matplotlib.
    """
    pairs = zip(stored.cells, fresh.cells, strict=True)
    return [
        f"cell {old.id!r} prints\n{shown(new)}\nand not, as stored,\n{shown(old)}"
        for old, new in pairs
        if old.cell_type == "code" and shown(old) != shown(new)
    ]


def shown(cell) -> str:
    """What a code cell prints, as text; a picture is named by its type."""
    parts = []
    for output in cell.outputs:
        data = output.get("data", {})
        parts += [output.get("text", ""), data.get("text/plain", ""), *output.get("traceback", [])]
        parts += [f"<{kind}>" for kind in sorted(data) if kind.startswith("image/")]
    return "\n".join(part for part in parts if part)


def main(words: list[str] | None = None) -> int:
    """Refresh the notebook or, with ``--check``, compare; returns the exit code."""
    from nbclient.exceptions import CellExecutionError

    parser = argparse.ArgumentParser(prog="python docs/make/refresh_tour.py", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="store nothing; exit 1 if a cell prints something else")
    check = parser.parse_args(words).check
    stored = nbformat.read(TOUR, as_version=4)
    try:
        with tempfile.TemporaryDirectory() as folder:
            fresh = run(stored, Path(folder))
    except CellExecutionError as error:
        print(f"docs/tutorial/tour.ipynb fails: {error}", file=sys.stderr)
        return 1
    differences = find_differences(stored, fresh)
    if check and differences:
        print("\n\n".join([*differences, "docs/tutorial/tour.ipynb is stale; run `make pictures`"]), file=sys.stderr)
        return 1
    if not check:
        TOUR.write_text(nbformat.writes(fresh) + "\n", encoding="utf-8")
        print(f"docs/tutorial/tour.ipynb: {len(differences)} cells changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
