"""Texts that XML can hold, and with it SVG, GraphML and pages."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    r"""The text with U+FFFD for each character that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets), such as a
    control character: a name in a user game may hold any.

    >>> clean("a\x00b")
    'a\ufffdb'
    """
    return _FORBIDDEN.sub("\ufffd", text)


_STEERING = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def drawable(text: str) -> str:
    r"""The same for what is drawn: without the other controls too, and without what turns the text after it.

    >>> drawable("a\x9bb\u202e")
    'a\ufffdb\ufffd'
    """
    return _STEERING.sub("\ufffd", clean(text))
