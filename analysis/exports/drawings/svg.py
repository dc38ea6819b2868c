"""Graphs of classes as pictures, drawn by Graphviz's program ``dot`` where there is one."""

from __future__ import annotations

import html
import io
import re
import shutil
import subprocess
from typing import IO

from analysis.errors import StoreError, TooLargeError
from analysis.exports.drawings import dot
from analysis.exports.drawings.drawing_words import DrawingWords
from analysis.exports.parts.part import Part
from analysis.exports.xml_texts import drawable
from analysis.machine.endings import undone

SECONDS = 60
"""After which drawing is given up: 765 classes of tic-tac-toe with 2,096 edges took 1.0 s, 4,705 of connect four
on 4x4 with 7,740 edges 16 s.
"""

_END = {"svg": b"</svg>", "png": b"IEND"}
"""What a picture that is complete holds."""

_COMMENT = re.compile("<!--.*?-->\n?", re.DOTALL)
_SVG = re.compile("<svg [^>]*>\n?")


def write(part: Part, file: IO[bytes], form: str = "svg") -> None:
    """The picture of `dot.write`, as ``svg`` or ``png``, or, where there is no Graphviz, one that is drawn here. Raises
    `TooLargeError` where that takes too long or is too much, and `StoreError` where Graphviz fails.
    """
    program = shutil.which("dot")
    if program is None:
        from analysis.exports.drawings import plain_picture

        drawn = plain_picture.draw(part, form)
    else:
        source = io.BytesIO()
        dot.write(part, source)
        drawn = _draw(program, source.getvalue(), form, f"{part.classes:,} classes")
    file.write(_described(drawn.decode(), DrawingWords(part).title()).encode() if form == "svg" else drawn)


def _draw(program: str, source: bytes, form: str, what: str) -> bytes:
    """What ``dot`` makes of a graph."""
    command = [program, f"-T{form}", *["-Gdpi=150"] * (form == "png")]
    try:
        with (
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
            undone(process.kill),
        ):
            drawn, errors = process.communicate(source, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise TooLargeError(
            f"Graphviz did not draw {what} within {SECONDS} seconds; cut them with --depth or --optimal-only, or write "
            "--to dot and draw that with another layout, such as sfdp"
        ) from None
    except OSError as error:
        raise StoreError(f"cannot run {program}: {error.strerror}") from None
    if process.returncode or _END[form] not in drawn:
        said = " ".join(errors.decode(errors="replace").split()) or f"exit code {process.returncode}"
        raise StoreError(f"Graphviz did not draw {what}: {said}")
    return drawn


def _described(drawn: str, title: str) -> str:
    """The picture with a title, said to be one, and without comments: they name the version of Graphviz."""
    drawn = _COMMENT.sub("", drawn)
    root = _SVG.search(drawn)
    assert root is not None
    said = html.escape(drawable(title))
    opening = root[0].rstrip("\n>") + f' role="img" aria-label="{said}">\n<title>{said}</title>\n'
    return drawn[: root.start()] + opening + drawn[root.end() :]
