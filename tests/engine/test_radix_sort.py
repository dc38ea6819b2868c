"""Our own sort beside NumPy's, for keys of every shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.common.workers import Workers
from analysis.engine.kernels.radix_sort import FEW, KEPT, sort_digits, sorted_keys
from analysis.engine.passes.forward_by_ply import places_in_order, ranked, sorted_distinct

SIZES = (0, 1, 2, 100, FEW - 1, FEW, FEW + 1, 30_000)
NUMBERS = np.random.default_rng(7)


def shapes(n):
    yield NUMBERS.integers(0, 1 << 62, n)
    yield NUMBERS.integers(0, (1 << 63) - 1, n)
    yield NUMBERS.integers(-(1 << 63), (1 << 63) - 1, n)
    yield NUMBERS.integers(0, 50, n)
    yield NUMBERS.integers(0, 4, n) << 40 | 1 << 61
    yield NUMBERS.integers(0, 1 << 11, n) << 22
    yield sum((NUMBERS.integers(0, 2, n) << bit for bit in (0, 9, 31, 44, 62)), np.zeros(n, np.int64))
    yield NUMBERS.integers(-3, 3, n)
    yield np.full(n, 7)
    yield np.arange(n)
    yield np.arange(n)[::-1].copy()


@pytest.mark.parametrize("n", SIZES)
def test_keys_are_sorted_as_by_numpy(n):
    for keys in shapes(n):
        expected = np.sort(keys)
        assert (sorted_distinct(keys.copy()) == np.unique(keys)).all()
        assert (sorted_keys(keys) == expected).all()


@pytest.mark.parametrize("n", SIZES)
def test_ranks_are_those_of_numpy(n):
    for keys in shapes(n):
        distinct, places = np.unique(keys, return_inverse=True)
        found, ranks = ranked(own := keys.copy())
        assert found == len(distinct)
        assert (own[:found] == distinct).all()
        assert (ranks == places).all()


@pytest.mark.parametrize("n", [1000, 30_000])
def test_keys_that_leave_no_room_for_places(n):
    for keys in (NUMBERS.integers(0, (1 << 63) - 1, n), NUMBERS.integers(0, 4, n) << 61 >> 1):
        assert (places_in_order(keys, n.bit_length()) == np.argsort(keys, kind="stable")).all()


@given(st.integers(FEW, 3 * FEW), st.integers(0, 2**32), st.integers(-(1 << 63), (1 << 63) - 1), st.integers(0, 63))
@settings(deadline=None, max_examples=60)
def test_keys_above_any_least_one_that_vary_in_so_many_bits(n, seed, least, bits):
    varying = np.random.default_rng(seed).integers(0, min(1 << bits, (1 << 63) - least), n)
    keys = varying + least
    distinct, places = np.unique(keys, return_inverse=True)
    assert (sorted_keys(keys.copy()) == np.sort(keys)).all()
    found, ranks = ranked(keys)
    assert (keys[:found] == distinct).all()
    assert (ranks == places).all()


def test_threads_sort_at_once():
    """Each has a spare array of its own, also for keys of which it keeps none."""
    workers, pieces = Workers(4), [NUMBERS.integers(0, 1 << 40, n) for n in (KEPT + 5, *[50_000] * 12)]
    for keys, found in zip(pieces, workers.map(lambda keys: sorted_distinct(keys.copy()), pieces), strict=True):
        assert (found == np.unique(keys)).all()


@given(st.lists(st.integers(0, (1 << 63) - 1), max_size=60), st.integers(0, 62))
@settings(deadline=None)
def test_some_bits_alone_are_sorted_stably(keys, low):
    keys = np.array(keys, np.int64)
    expected = keys[np.argsort(keys >> low, kind="stable")]
    spare = np.empty(len(keys), np.int64)
    assert ((spare if sort_digits(keys, spare, 0, low, 63) else keys) == expected).all()
