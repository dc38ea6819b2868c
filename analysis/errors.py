"""All errors that gametree raises on purpose, by cause.

Each error carries one line for a person: what was wrong, where, and what would be right. Each also subclasses the
built-in that a caller would expect, so ``except ValueError`` works for someone who has never read this page.

>>> issubclass(PositionError, ValueError) and issubclass(TooLargeError, MemoryError)
True
"""

import re
from typing import ClassVar, Self

__all__ = [
    "ArgumentError", "ClusterError", "CountOverflowError", "GametreeError", "InUseError", "InputError",
    "MissingDataError", "NoRoomError", "NoSuchPathError", "OptionError", "PositionError", "ProtocolError",
    "RulesError", "RulesNeededError", "SpecError", "StoreError", "SymmetryError", "TooLargeError", "TooSlowError",
    "TreeError", "UncountedError", "UnreadableError", "VerificationError", "WrongSearchError",
]  # fmt: skip

_OPTION = re.compile(r"`[^`]*`|gametree [^;,)]*|(?<![^\s(])--(?!format)([a-z][a-z-]+)")
"""An option, unless it is part of a command."""
_ARGUMENTS = {
    "anyway": "running(anyway=True)", "dask": "running(executor=...)", "evaluate": "evaluation",
    "force": "Output(..., force=True)", "from": "start", "game": "open_solution(..., game=...)", "input": "form",
    "map": "roles", "no-counts": "counts=False", "order": "orders", "scratch": "running(scratch=...)",
}  # fmt: skip
"""The arguments of Python functions that are called otherwise than the options of commands."""


def _argument(found: re.Match[str]) -> str:
    name = found[1]
    return f"`{_ARGUMENTS.get(name) or name.replace('-', '_')}`" if name else found[0]


class GametreeError(Exception):
    """Base of all errors raised on purpose. ``exit_code`` is what the command line returns; ``excerpt`` holds lines of
    the user's file to show below the message, if it is about one.
    """

    exit_code = 1
    excerpt = ""

    options: ClassVar[bool] = False
    """Whether messages name options, as commands have them do while they run; else they name arguments."""

    def __str__(self) -> str:
        said = super().__str__()
        return said if self.options else _OPTION.sub(_argument, said)

    def showing(self, excerpt: str) -> Self:
        """Return this error with an excerpt of the user's file."""
        self.excerpt = excerpt
        return self


class SpecError(GametreeError, ValueError):
    """A specification that names no game, or parameters that the game does not have."""

    exit_code = 2


class PositionError(GametreeError, ValueError):
    """A text that is not a position of the game, or a position that no line of play reaches."""

    exit_code = 2


class UnreadableError(PositionError, TypeError):
    """A value of a type in which no position is written."""


class TreeError(GametreeError, ValueError):
    """An explicit tree that cannot be searched: malformed, with a cycle, or with a leaf that has no value."""

    exit_code = 2


class OptionError(GametreeError, ValueError):
    """An option with an invalid value, such as a path index past the last path."""

    exit_code = 2


class NoSuchPathError(OptionError, IndexError):
    """The number of a path past the last one."""


class ArgumentError(OptionError, TypeError):
    """An argument of a type that a function does not accept."""


class ProtocolError(GametreeError, ValueError):
    """A turn that the referee's protocol does not allow, or that fits no game."""


class RulesError(GametreeError, ValueError):
    """Rules that the engine cannot use: they do not compile, or leave a position without a move and an outcome."""


class SymmetryError(GametreeError, ValueError):
    """A symmetry group that cannot be used: too large to list, or not offered by the game."""


class TooLargeError(GametreeError, MemoryError):
    """Work predicted not to fit in memory, refused before it is tried."""


class NoRoomError(TooLargeError):
    """Work that needs more memory than there is, and might be done differently with less."""

    def __init__(self, message: str, what: str = "", needed: float = 0, limit: int = 0) -> None:
        super().__init__(message)
        self.what, self.needed, self.limit = what, needed, limit
        """The work, the bytes it needs, and the bytes there are."""


class TooSlowError(TooLargeError):
    """Work that takes longer than it was given."""


class CountOverflowError(GametreeError, OverflowError):
    """A count too large for the 38 decimal digits of the tables, or for ``len``."""


class MissingDataError(GametreeError, LookupError):
    """Something that the solution at hand does not hold, such as counts it was solved without."""


class UncountedError(MissingDataError, TypeError):
    """A length that is not known; as a `TypeError` it lets ``list`` and the like work without."""


class StoreError(GametreeError, OSError):
    """A solution directory that cannot be written, opened or trusted."""


class InputError(StoreError):
    """A file or directory named by the user that is not there, cannot be read, or is not a solution."""

    exit_code = 2


class RulesNeededError(StoreError):
    """A stored solution of a user game, asked for something that needs its rules, whose file was not named."""


class InUseError(StoreError):
    """A directory that another process is writing into."""


class ClusterError(GametreeError, ConnectionError):
    """A scheduler that cannot be reached, or has no usable worker."""


class WrongSearchError(GametreeError, AssertionError):
    """A user's search that fails, does not end, or finds what is not so."""


class VerificationError(GametreeError, AssertionError):
    """A stored solution that contradicts the rules."""
