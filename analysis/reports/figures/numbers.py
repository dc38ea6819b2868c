"""Numbers and names as figures write them: short enough for a cell, and safe in an SVG file."""

from __future__ import annotations

PREFIXES = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
"""Of the International System of Units."""

LARGEST = 10**15
"""From here on numbers are written with a power of ten."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def compact(number: int, most: int = 9999) -> str:
    """A count in at most six characters (more from 10^15 on): exact up to ``most`` and always up to 999, else rounded
    to three digits, from 10^15 on to two.

    >>> [compact(n) for n in (0, 9999, 10000, 255168, 1234567, 999999)]
    ['0', '9,999', '10k', '255k', '1.23M', '1M']
    >>> compact(12_345_678, most=99), compact(987, most=99), compact(3 * 10**20), compact(10**15)
    ('12.3M', '987', '3·10²⁰', '10¹⁵')
    """
    if number <= max(most, 999):
        return f"{number:,}"
    rounded = int(float(f"{number:.2e}"))
    if rounded >= LARGEST:
        digits, exponent = f"{number:.1e}".split("e+")
        times = "" if digits == "1.0" else f"{digits.removesuffix('.0')}·"
        return f"{times}10{power(int(exponent))}"
    size, prefix = next((size, prefix) for size, prefix in PREFIXES if rounded >= size)
    return f"{rounded / size:.3g}{prefix}"


def power(exponent: int) -> str:
    """An exponent as superscripts.

    >>> power(20)
    '²⁰'
    """
    return str(exponent).translate(_SUPERSCRIPTS)


def clean(text: str, most: int = 40) -> str:
    """A name on one line, cut off after so many characters, without what XML cannot hold.

    >>> clean("a\\nb\\x00"), clean("abcdefgh", 5), clean("turned \\u202eround")
    ('a b·', 'abcd…', 'turned ·round')
    """
    line = " ".join(text.split())
    shown = "".join(char if char.isprintable() else "·" for char in line)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
