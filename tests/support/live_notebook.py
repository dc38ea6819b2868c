"""A notebook as a page with a kernel, as Voila serves one."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat

ROOTS = """
return [...document.querySelectorAll("*")].filter((each) => each.shadowRoot?.querySelector(".spoken")?.textContent)
  .map((each) => each.shadowRoot.querySelector(".explorer"))
"""
"""A script that returns the explorers in it."""


@contextlib.contextmanager
def live_notebook(folder: Path, code: str) -> Iterator[str]:
    """The address of a notebook with one cell."""
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]), folder / "shown.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "voila", "shown.ipynb", "--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1"]
    with (folder / "voila.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)
