"""What may be typed besides moves: giving up, taking back, hints and so on."""

from __future__ import annotations

from collections.abc import Callable

from analysis.errors import OptionError

FORMS = {
    "give up": ("0", "give up", "resign"),
    "take back": ("u", "undo", "take back"),
    "hints": ("h", "hint", "hints"),
    "moves": ("m", "moves"),
    "board": ("b", "board"),
    "help": ("?", "help"),
    "quit": ("q", "quit", "exit"),
}
"""What to type for each of them, the shortest first. With a colon before it each is meant in every game."""


class TypedWords:
    """The words in one game: a form that ``is_move`` there means the move, as ``u`` (up) does in Coin Grabber. With a
    colon before it a form is always the word; another text with a colon may be a move.

    >>> words = TypedWords(lambda text: text == "u")
    >>> words.find("U"), words.find(":U"), words.shortest("take back"), words.shortest("hints")
    (None, 'take back', 'undo', 'h')
    """

    def __init__(self, is_move: Callable[[str], bool]) -> None:
        self._is_move = is_move
        self.moves = frozenset(form for forms in FORMS.values() for form in forms if is_move(form))
        """The forms that are moves here."""

    def find(self, text: str) -> str | None:
        """Which of `FORMS` a text means, or None. Raises `OptionError` for a colon before anything else."""
        typed = " ".join(text.lower().split())
        colon, form = typed.startswith(":"), typed.removeprefix(":").strip()
        for meaning, forms in FORMS.items():
            if form in forms and (colon or form not in self.moves):
                return meaning
        if colon and not self._is_move(text):
            known = ", ".join(f":{forms[0]}" for forms in FORMS.values())
            raise OptionError(f"{text[:40]!r} means nothing; there are {known}")
        return None

    def shortest(self, meaning: str) -> str:
        """The shortest form that is no move."""
        forms = FORMS[meaning]
        return next((form for form in forms if form not in self.moves), f":{forms[0]}")
