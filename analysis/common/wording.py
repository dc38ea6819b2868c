"""Words shared by all rooms: signs, plurals, lists, and texts safe for terminals and UTF-8."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction


def signed(value: float | Fraction) -> str:
    """Return a value with its sign.

    >>> signed(1), signed(0), signed(-1.5), signed(Fraction(1, 3))
    ('+1', '0', '-1.5', '+1/3')
    """
    return f"{'+' if value > 0 else ''}{value}" if value else "0"


def outcome_key(value: float | Fraction, remoteness_plies: int | None) -> str:
    """Return the outcome of a position with this value: ``X``, ``O``, ``tie`` or, without a remoteness, ``draw``.

    >>> outcome_key(-3, 2), outcome_key(0, None)
    ('O', 'draw')
    """
    return "draw" if remoteness_plies is None else "X" if value > 0 else "O" if value < 0 else "tie"


def goal_words(value: int, plies: int | None) -> str:
    """Return the worth of a position of a puzzle; ``plies`` may be unknown.

    >>> goal_words(1, 21), goal_words(1, 0), goal_words(0, None)
    ('21 moves to the goal', 'the goal', 'unsolvable')
    """
    if value <= 0:
        return "unsolvable"
    return "solvable" if plies is None else f"{with_count(plies, 'move')} to the goal" if plies else "the goal"


def with_count(number: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun, ``singular`` for 1, else ``plural`` (default: ``singular`` and an s).

    >>> with_count(1, "ply", "plies"), with_count(9, "ply", "plies"), with_count(2000, "chip")
    ('1 ply', '9 plies', '2,000 chips')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def did_you_mean(name: str, names: Collection[str], most: int = 1) -> str:
    """Return those of the ``names`` that are most like another ``name``, in brackets; empty if none is like it.

    >>> did_you_mean("winer", ["winner", "payoff"]), did_you_mean("foo", ["winner"])
    (" (did you mean 'winner'?)", '')
    """
    import difflib

    close = difflib.get_close_matches(name, names, n=most)
    return f" (did you mean {in_words([*map(repr, close)])}?)" if close else ""


def in_words(names: Sequence[str], last: str = "or") -> str:
    """Return names as a list in a sentence, with the ``last`` word before the last one.

    >>> in_words(["a"]), in_words(["a", "b"]), in_words(["a", "b", "c"], "and")
    ('a', 'a or b', 'a, b and c')
    """
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def shortened(names: Sequence[str], most: int = 8) -> str:
    """Return the first of some names, separated by commas.

    >>> shortened(["0", "1"]), shortened("abcdef", 3)
    ('0, 1', 'a, b, c, ...')
    """
    return ", ".join([*names[:most], *["..."] * (len(names) > most)])


def at_prompt(lines: Sequence[str]) -> str:
    """Return the representation of an object at Python's prompt: these lines, wrapped to the width of a terminal.

    >>> print(at_prompt(["Path of tictactoe: a tie", "0124"]))
    <Path of tictactoe: a tie
     0124>
    """
    import textwrap

    fill = textwrap.TextWrapper(76, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False).fill
    return f"<{f'{chr(10)} '.join(map(fill, lines))}>"


def rough(number: float) -> str:
    """Return an approximate count in a few characters.

    >>> [rough(number) for number in (0, 0.001, 0.25, 7, 41, 999, 2_130_000, 9_960_000, 999_600_000, 2**63)]
    ['0', '<0.01', '0.25', '7', '41', '999', '2.1 M', '10 M', '1 G', '9.2 E']
    """
    if 0 < number < 0.01:
        return "<0.01"
    units = ((1e18, " E"), (1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"))
    unit, name = next((entry for entry in units if number >= 0.9995 * entry[0]), (1, ""))
    return f"{number / unit:.2g}{name}" if number < 9.95 * unit else f"{number / unit:.0f}{name}"


COMPILING = "compiling for this machine, which takes some seconds the first time"
"""Logged when compiling takes a while."""

OPEN = (1 << 63) - 1
"""Upper ends of intervals from here on are unknown."""
YEAR = 365.25 * 86_400
"""In seconds."""


def between(low: float, high: float, say: Callable[[float], str]) -> str:
    """Return the ends of an interval, or one of them if the other is equal or unknown.

    >>> between(8.1e6, 5.8e9, rough), between(12345, 12345, rough), between(2.0, OPEN - 1, rough)
    ('8.1 M to 5.8 G', '12,345', '2 or more')
    """
    if low == high and say is rough:
        return f"{low:,}"
    if high >= OPEN - 1:  # the greatest guess
        return f"{say(low)} or more"
    ends = say(low), say(high)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def duration_text(seconds: float) -> str:
    """Return an approximate duration.

    >>> [duration_text(seconds) for seconds in (0.2, 45, 59.7, 130, 12_000, 86_390, 200_000, 9e7, 7e12)]
    ['0 s', '45 s', '1 min', '2 min', '3 h 20 min', '1 d 0 h', '2 d 8 h', '2.9 y', '222 k y']
    """
    minutes = round(seconds / 60)
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    if seconds >= YEAR:
        return f"{rough(seconds / YEAR)} y"
    hours = round(seconds / 3600)
    return f"{hours // 24} d {hours % 24} h"


STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line ends, changes of direction, and halves of surrogate pairs, which UTF-8 cannot hold."""


def visible(text: str) -> str:
    r"""Return a text on one line with its control characters escaped, so that files and games cannot control a
    terminal.

    >>> print(visible("a\nb\x1b[31m \u202e"))
    a\nb\x1b[31m \u202e
    """
    return text if text.isprintable() else STEERING.sub(lambda match: repr(match[0])[1:-1], text)


def visible_lines(text: str) -> str:
    r"""Escape the control characters of several lines as `visible` does, but keep the line ends.

    >>> print(visible_lines("a\nb\rc"))
    a
    b\rc
    """
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))


_HALF = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    r"""Return a text with U+FFFD for each half of a surrogate pair, which UTF-8 cannot hold.

    >>> whole("a\ud800") == "a\ufffd"
    True
    """
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def described(value: object) -> str:
    """Return a value for an error message: a short one as Python writes it, any other by its type.

    >>> described("3"), described([1, 2]), described(object())
    ("'3'", '[1, 2]', 'an object of type object')
    """
    if isinstance(value, (str, bytes, int, float, list, tuple, dict, set, range, type(None))):
        try:
            text = repr(value)
        except ValueError:  # an integer of thousands of digits
            text = ""
        if text and len(text) <= 40 and text.isprintable():
            return text
    return f"an object of type {type(value).__name__}"
