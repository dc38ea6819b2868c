"""Which classes of a solution a sampled check looks at: drawn at random, the same again for the same seed."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from analysis.checks.solutions.rows import different
from analysis.errors import OptionError
from analysis.machine.memory import Budget

BYTES = 40
"""For each number that is drawn, while it is."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """Which classes are looked at: so many, or a share of them; others for another ``seed`` (default: 0). All, if it is
    neither. Raises `OptionError` for what cannot be drawn.
    """

    sample: int | None = None
    share: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.sample is not None and self.share is not None:
            raise OptionError(f"a sample ({self.sample}) and a share ({self.share}) exclude each other; give one")
        if self.sample is not None and self.sample < 1:
            raise OptionError(f"a sample of {self.sample} classes shows nothing; give at least 1")
        if self.share is not None and not 0 < self.share <= 1:
            raise OptionError(f"a share is above 0 and at most 1, not {self.share}")
        if self.seed is not None and not self:
            raise OptionError("a seed is for a sample or a share; give one of them, or leave it out")
        if self.seed is not None and self.seed < 0:
            raise OptionError(f"a seed is 0 or more, not {self.seed}")

    def __bool__(self) -> bool:
        return self.sample is not None or self.share is not None

    def of(self, classes: int) -> Draw:
        """The draw out of so many classes."""
        wanted = round(self.share * classes) if self.share is not None else int(self.sample or 0)
        return Draw(classes, min(max(wanted, 1), classes), self.seed or 0)


class Draw:
    """``size`` numbers below ``total`` at random, every set of so many with the same chance."""

    def __init__(self, total: int, size: int, seed: int) -> None:
        self.total, self.size = total, size
        self._out = size > total // 2
        """Whether the numbers at hand are those that are left out."""
        rest = total - size if self._out else size
        Budget.of_machine().require(BYTES * rest, f"a sample of {size:,} classes", "a smaller sample")
        random = np.random.default_rng(seed)
        drawn = np.empty(0, dtype=np.int64)
        while len(drawn) < rest:
            drawn = different(np.concatenate((drawn, random.integers(total, size=rest + rest // 8 + 8))))
        self._numbers = np.delete(drawn, random.choice(len(drawn), len(drawn) - rest, replace=False))

    @property
    def share(self) -> float:
        """The chance of each number."""
        return self.size / self.total

    def sure(self, chance: float = 0.95) -> int:
        """Of so many numbers, whichever they are, one at least is drawn with this ``chance`` or a better one."""
        return 1 if self.share >= chance else math.ceil(math.log1p(-chance) / math.log1p(-self.share))

    def between(self, begin: int, low: int, high: int) -> np.ndarray:
        """Those from ``low`` to below ``high``, counted from ``begin`` on."""
        low, high = low + begin, high + begin
        own = self._numbers[slice(*np.searchsorted(self._numbers, (low, high)))]
        return (np.setdiff1d(np.arange(low, high), own, assume_unique=True) if self._out else own) - begin
