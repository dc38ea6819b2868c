"""Splits of the chips, in the order of the tables, and what paying does to them."""

from __future__ import annotations

import dataclasses

import numpy as np

from analysis.games.bidding import Bidding


@dataclasses.dataclass(frozen=True)
class Purses:
    """The splits: all of one total, X's chips ascending, if the loser is paid; if the bank is, all up to ``x_most`` and
    ``o_most``, those with equal chips of X side by side.
    """

    x: np.ndarray  # int64[splits]
    o: np.ndarray  # int64[splits]
    x_most: int
    o_most: int
    bank: bool
    least: int

    @classmethod
    def of(cls, game: Bidding, x_most: int, o_most: int) -> Purses:
        """The splits that play can lead to from ``x_most`` and ``o_most`` chips, and more of the kind."""
        bank, total = game.pays == "bank", x_most + o_most
        if bank:
            splits = [(x, o) for x in range(x_most + 1) for o in range(o_most + 1)]
        else:
            splits = [(x, total - x) for x in range(total + 1)]
        x, o = np.array(splits, dtype=np.int64).T
        return cls(x, o, x_most, o_most, bank, game.least)

    def __len__(self) -> int:
        return len(self.x)

    def chips(self, side: str) -> np.ndarray:
        """How many a side has."""
        return self.x if side == "X" else self.o

    def after(self, side: str, purses: np.ndarray, bids: np.ndarray | int) -> np.ndarray:
        """The splits, by number, after a side has paid a bid."""
        if self.bank:
            return purses - bids * (self.o_most + 1) if side == "X" else purses - bids
        return purses - bids if side == "X" else purses + bids

    def of_dearer(self, side: str, values: np.ndarray, axis: int, ufunc: np.ufunc) -> np.ndarray:
        """For each split the ``ufunc`` of ``values`` over it and all those that a side can pay its way to."""
        shape = values.shape
        if self.bank:
            values = values.reshape(*shape[:axis], self.x_most + 1, self.o_most + 1, *shape[axis + 1 :])
            return ufunc.accumulate(values, axis=axis if side == "X" else axis + 1).reshape(shape)
        if side == "X":
            return ufunc.accumulate(values, axis=axis)
        return np.flip(ufunc.accumulate(np.flip(values, axis), axis=axis), axis)
