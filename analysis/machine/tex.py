"""Texts for TeX: what a game or a file holds is shown as it is, and is no command."""

from __future__ import annotations

from analysis.wording import visible

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after the end of a row it would begin the space below
    "*": "{*}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
}
"""No brace stands alone, which BibTeX counts whether it is escaped or not."""


def as_tex(text: str) -> str:
    r"""A text as LaTeX and BibTeX show it, on one line.

    >>> print(as_tex("dots_and_boxes: 50% of {a}"))
    dots\_and\_boxes: 50\% of {\textbraceleft}a{\textbraceright}
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in visible(text)).replace("--", "-{}-").replace("--", "-{}-")
