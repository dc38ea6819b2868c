"""Everything gametree refuses, by cause.

Each error carries one line for a person: what was wrong, where, and what would be right. Each also subclasses the
built-in a caller would expect, so ``except ValueError`` works for someone who has never read this page.

>>> issubclass(PositionError, ValueError) and issubclass(TooLargeError, MemoryError)
True
"""

from typing import Self


class GametreeError(Exception):
    """Base of all errors raised on purpose. ``exit_code`` is what the command line returns for it, ``excerpt`` lines of
    the user's file, to be shown below the message, where it is about one.
    """

    exit_code = 1
    excerpt = ""

    def showing(self, excerpt: str) -> Self:
        """This error, with an excerpt of the user's file."""
        self.excerpt = excerpt
        return self


class SpecError(GametreeError, ValueError):
    """A game specification that names no game, or parameters the game does not have."""

    exit_code = 2


class PositionError(GametreeError, ValueError):
    """A text that is no position of the game, or a position that no line of play reaches."""

    exit_code = 2


class UnreadableError(PositionError, TypeError):
    """A value of a type that no position is written in."""


class TreeError(GametreeError, ValueError):
    """An explicit tree that cannot be searched: malformed, with a cycle, or with a leaf that has no value."""

    exit_code = 2


class OptionError(GametreeError, ValueError):
    """An option whose value makes no sense here, such as a path index past the last path."""

    exit_code = 2


class NoSuchPathError(OptionError, IndexError):
    """The number of a path past the last one."""


class ArgumentError(OptionError, TypeError):
    """An argument of a type that a function does not take."""


class ProtocolError(GametreeError, ValueError):
    """A turn that the referee's protocol does not allow, or that no game explains."""


class RulesError(GametreeError, ValueError):
    """Rules the engine cannot use: they do not compile, or leave a position without a move and without an outcome."""


class SymmetryError(GametreeError, ValueError):
    """A symmetry group that cannot be used: too large to list, or asked of a game that does not offer it."""


class TooLargeError(GametreeError, MemoryError):
    """Work predicted not to fit into memory; refused before it is tried."""


class NoRoomError(TooLargeError):
    """Work that needs more memory than there is, and that might be done with less in another way."""

    def __init__(self, message: str, what: str = "", needed: float = 0, limit: int = 0) -> None:
        super().__init__(message)
        self.what, self.needed, self.limit = what, needed, limit
        """The work, and how many bytes it needs of how many."""


class CountOverflowError(GametreeError, OverflowError):
    """A count that does not fit the 38 decimal digits that the tables hold, or what ``len`` can say."""


class MissingDataError(GametreeError, LookupError):
    """Something the solution at hand does not hold, such as counts it was solved without."""


class UncountedError(MissingDataError, TypeError):
    """A length that is not known; as a `TypeError` it lets ``list`` and its like go on without."""


class StoreError(GametreeError, OSError):
    """A solution directory that cannot be written, opened or trusted."""


class RulesNeededError(StoreError):
    """A stored solution of a user game, asked for what only its rules can tell, and nobody has named their file."""


class InUseError(StoreError):
    """A directory that another process is writing into."""


class ClusterError(GametreeError, ConnectionError):
    """A scheduler that is not reached, or workers none of which can be used."""


class VerificationError(GametreeError, AssertionError):
    """A stored solution that differs from what the rules say."""
