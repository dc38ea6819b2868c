"""The words that all rooms share: signs, plurals, lists, and what terminals and UTF-8 can have of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence


def signed(value: int) -> str:
    """A value with its sign.

    >>> signed(1), signed(0), signed(-1)
    ('+1', '0', '-1')
    """
    return f"{value:+d}" if value else "0"


def some(number: int, one: str, more: str | None = None) -> str:
    """A count and what is counted, ``one`` of them or ``more`` (``one`` and an s unless it is given).

    >>> some(1, "ply", "plies"), some(9, "ply", "plies"), some(2000, "chip")
    ('1 ply', '9 plies', '2,000 chips')
    """
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def listed(names: Sequence[str], last: str = "or") -> str:
    """Names as a sentence has them, the ``last`` word before the last one.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "and")
    ('a', 'a or b', 'a, b and c')
    """
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, ends of lines, what turns the direction of text, and half of a surrogate pair, which UTF-8 cannot hold."""


def visible(text: str) -> str:
    r"""A text of one line with its control characters written out: what a file or a game holds never steers a terminal.

    >>> print(visible("a\nb\x1b[31m \u202e"))
    a\nb\x1b[31m \u202e
    """
    return text if text.isprintable() else _STEERING.sub(lambda found: repr(found[0])[1:-1], text)


def visible_lines(text: str) -> str:
    r"""The same of several lines, which end as they did.

    >>> print(visible_lines("a\nb\rc"))
    a
    b\rc
    """
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))


_HALF = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    r"""The text with U+FFFD for each half of a surrogate pair, which UTF-8 cannot hold.

    >>> whole("a\ud800") == "a\ufffd"
    True
    """
    return text if text.isascii() else _HALF.sub("\ufffd", text)
