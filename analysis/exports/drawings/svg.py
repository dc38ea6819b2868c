"""Graphs of classes as SVG, drawn by Graphviz's program ``dot``."""

from __future__ import annotations

import html
import io
import re
import shutil
import subprocess
from typing import IO

from analysis.errors import OptionError, StoreError, TooLargeError
from analysis.exports.drawings import dot
from analysis.exports.drawings.drawing_words import DrawingWords
from analysis.exports.parts.part import Part
from analysis.exports.xml_texts import clean

SECONDS = 60
"""After which drawing is given up: 765 classes of tic-tac-toe with 2,096 edges took 1.0 s, 4,705 of connect four
on 4x4 with 7,740 edges 16 s.
"""

MISSING = (
    "Graphviz, which draws the picture, is not installed: `apt install graphviz` (Debian, Ubuntu), "
    "`brew install graphviz` (macOS) or `conda install -c conda-forge graphviz`; --to dot needs no Graphviz"
)

_COMMENT = re.compile("<!--.*?-->\n?", re.DOTALL)
_SVG = re.compile("<svg [^>]*>\n?")


def write(part: Part, file: IO[bytes]) -> None:
    """The picture of `dot.write`. Raises `OptionError` where Graphviz is missing, `TooLargeError` where it takes too
    long, and `StoreError` where it fails.
    """
    program = find_program()
    source = io.BytesIO()
    dot.write(part, source)
    drawn = _draw(program, source.getvalue(), f"{part.classes:,} classes")
    file.write(_described(drawn, DrawingWords(part).title()).encode())


def find_program() -> str:
    """Where Graphviz's ``dot`` is. Raises `OptionError` that says how to install it."""
    program = shutil.which("dot")
    if program is None:
        raise OptionError(MISSING)
    return program


def _draw(program: str, source: bytes, what: str) -> str:
    """What ``dot -Tsvg`` makes of a graph."""
    try:
        done = subprocess.run([program, "-Tsvg"], input=source, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise TooLargeError(
            f"Graphviz did not draw {what} within {SECONDS} seconds; cut them with --depth or --optimal-only, or write "
            "--to dot and draw that with another layout, such as sfdp"
        ) from None
    except OSError as error:
        raise StoreError(f"cannot run {program}: {error.strerror}") from None
    if done.returncode or b"</svg>" not in done.stdout:
        said = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
        raise StoreError(f"Graphviz did not draw {what}: {said}")
    return done.stdout.decode()


def _described(drawn: str, title: str) -> str:
    """The picture with a title, said to be one, and without comments: they name the version of Graphviz."""
    drawn = _COMMENT.sub("", drawn)
    root = _SVG.search(drawn)
    assert root is not None
    said = html.escape(clean(title))
    opening = root[0].rstrip("\n>") + f' role="img" aria-label="{said}">\n<title>{said}</title>\n'
    return drawn[: root.start()] + opening + drawn[root.end() :]
