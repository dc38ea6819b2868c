"""The map as pictures, for map viewers: at each zoom a world of square tiles, across which each tier is a band.

Of 2^z tiles of 256 pixels in each direction, the pixel in column X of the world shows of a tier with n classes the one
at place floor((X + 1/2) n / (256 2^z)), and in row Y of t tiers the one at index floor((Y + 1/2) t / (256 2^z)).
Colours are those of the page in its light mode, so that ``map_picture.js`` paints the same.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from analysis.errors import MissingDataError
from analysis.pictures.style import OUTCOMES, PAPER, outcome_of
from analysis.solution.ranking import RankedTier, Ranking, Run

SIDE = 256
"""Pixels of a tile in each direction."""

DEEPEST = 30
"""The greatest zoom: a world of 2^38 pixels."""

PALEST = 77
"""Of 255 parts, how many of a colour are left where the remoteness is the greatest in the map; the rest is paper."""


def tile(ranking: Ranking, z: int, x: int, y: int) -> bytes:
    """A tile as PNG, for z from 0 to `DEEPEST` and x and y from 0 to 2^z - 1. Raises `MissingDataError` while not all
    tiers are counted.
    """
    if not ranking.complete:
        raise MissingDataError("the map is still being counted; ask again until it is complete")
    indices = _centres(len(ranking.tiers), z, y)
    most = most_remote(ranking.tiers)
    first = int(indices[0])
    bands = np.stack([_band(tier, z, x, most) for tier in ranking.tiers[first : int(indices[-1]) + 1]])
    return png(bands[indices - first])


def most_remote(tiers: Sequence[RankedTier]) -> int:
    """The greatest remoteness in the map."""
    return max((run.remoteness_plies or 0 for tier in tiers for run in tier.runs), default=0)


def colour(run: Run, most: int) -> tuple[int, ...]:
    """Red, green and blue of classes: the nearer the end, the stronger; ``most`` is the greatest remoteness there is.

    >>> colour(Run(1, 0, 1), 9), colour(Run(-1, 9, 1), 9), colour(Run(0, None, 1), 9)
    ((0, 114, 178), (242, 206, 178), (92, 92, 92))
    """
    own = OUTCOMES_BY_KEY[outcome_of(run.value, run.remoteness_plies).key]
    strength = 255 - (255 - PALEST) * (run.remoteness_plies or 0) // max(1, most)
    return tuple(
        (paper * (255 - strength) + part * strength + 127) // 255 for paper, part in zip(_PAPER, own, strict=True)
    )


def png(pixels: np.ndarray) -> bytes:
    """A picture uint8[rows, columns, 3] as a file: PNG (ISO/IEC 15948), of red, green and blue, no row filtered."""
    rows, columns, _ = pixels.shape
    lines = np.zeros((rows, 1 + 3 * columns), np.uint8)
    lines[:, 1:] = pixels.reshape(rows, -1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _band(tier: RankedTier, z: int, x: int, most: int) -> np.ndarray:
    """The colours uint8[256, 3] of a tier in a column of tiles."""
    colours = np.array([colour(run, most) for run in tier.runs], np.uint8)
    return colours[np.searchsorted(tier.ends, _centres(len(tier), z, x), side="right")]


def _centres(things: int, z: int, number: int) -> np.ndarray:
    """Which of so many things, side by side across the world, the middle of each pixel of a tile shows, int64[256]."""
    pixels = range(SIDE * number, SIDE * (number + 1))
    return np.array([(2 * pixel + 1) * things // (2 * SIDE << z) for pixel in pixels], np.int64)


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


OUTCOMES_BY_KEY = {outcome.key: _parts(outcome.colour) for outcome in OUTCOMES}
_PAPER = _parts(PAPER)
