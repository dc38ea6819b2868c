"""Graphs of classes as PNG."""

from __future__ import annotations

from typing import IO

from analysis.exports.drawings import svg
from analysis.exports.parts.part import Part


def write(part: Part, file: IO[bytes]) -> None:
    """The picture of `svg.write` in pixels. Raises what that raises."""
    svg.write(part, file, "png")
