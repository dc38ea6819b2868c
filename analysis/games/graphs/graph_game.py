"""A game that is known by its graph: rules, positions and moves are looked up. The graph is found when rules are first
asked for, so that a stored solution of a program is read without it.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...errors import PositionError, SpecError
from ...rules.game import Game, Rules, first_player
from .boards import drawn_boards
from .graph import NO_PAYOFF, Graph, longest_ways
from .move_texts import as_typed


@dataclasses.dataclass(frozen=True)
class GraphGame(Game):
    """A program of somebody's own, explored."""

    named: str  # its specification
    digest: str  # of all that its rules come from; games with the same are equal
    explored: Callable[[], Graph] = dataclasses.field(compare=False, repr=False)  # finds its graph
    file: str = dataclasses.field(default="", compare=False)
    """The absolute path of its file; nothing of an object of the running program."""
    typed: str = dataclasses.field(default="", compare=False)  # the file as it was named
    kind: str = dataclasses.field(default="game", compare=False)
    """What it is called: its class, or the file of its functions."""
    reopen: tuple[Any, ...] = dataclasses.field(default=(), compare=False, repr=False)
    """What unpickling calls, and with what, where the game is of a file; see `object.__reduce__`."""

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reopen or (_with_graph, (self.named, self.digest, self.kind, self.graph))

    @property
    def spec(self) -> str:
        """Return what it was named by."""
        return self.named

    @property
    def origin(self) -> str:  # type: ignore[override]
        """Return its file and class, as they were named."""
        return f"{self.typed}:{self.kind}" if self.file else ""

    @property
    def origin_file(self) -> str:  # type: ignore[override]
        """Return the absolute path of its file."""
        return self.file

    @property
    def family(self) -> str:  # type: ignore[override]
        """Return what its folder is called."""
        return re.sub("[^a-z0-9_]", "", self.kind.lower()) or "game"

    @property
    def lasting_spec(self) -> str:
        """Return the specification with the absolute path."""
        return self.file + self.named[len(self.typed) :] if self.file else self.named

    @property
    def slug(self) -> str:
        """Return the name of its folder: class and parameters."""
        more = self.named[len(self.typed) :].partition(":")[2]
        parameters = more if "=" in more and ":" not in more else more.partition(":")[2]
        return re.sub(r"[^\w.+-]+", "_", "-".join(filter(None, [self.family, parameters.replace("=", "")])))

    @property
    def players(self) -> tuple[str, str]:  # type: ignore[override]
        """Return what the players are called."""
        one, other = map(called, self.graph.players)
        return one, other

    def parameters(self) -> dict[str, Any]:
        """Return none: parameters are in the specification."""
        return {}

    def rules_hash(self) -> str:
        """Return the hash of the file, of those that it imports from its folder, and of how it is read."""
        return self.digest

    @property
    def graph(self) -> Graph:
        """Return all positions and moves. Raises `RulesError` where the program is not a game, and `TooLargeError`."""
        return _explored(self)

    def rules(self) -> Rules:
        """Return look-ups in the graph."""
        return _rules_of(self)

    # Texts ------------------------------------------------------------------------------------------------------------

    def format_position(self, state: int) -> str:
        """Return the position of a rank."""
        texts = _texts(self)[0]
        if not 0 <= state < len(texts):
            raise PositionError(
                f"{state} is not a position of {self.spec}; those are numbers from 0 to {len(texts) - 1}"
            )
        return texts[state]

    def parse_position(self, text: str) -> int:
        """Return the rank of a position, which may also be written as the program writes it."""
        found = _ranks(self, False).get(text.strip())
        found = _ranks(self, True).get(text.strip()) if found is None else found
        if found is None:
            start = self.format_position(0)
            raise PositionError(f"{text.strip()[:80]!r} is not a position of this game; the start is {start[:200]!r}")
        return found

    def format_move(self, move: int) -> str:
        """Return a move as the program has it or, where there are more than codes, its number in the position."""
        labels = self.graph.labels
        return labels[move] or str(move) if move < len(labels) else str(move)

    def parse_move(self, text: str) -> int:
        """Return the code of a move."""
        labels = self.graph.labels
        named = text.strip() if text.strip() in labels else as_typed(text)
        if named in labels:
            return labels.index(named)
        if labels and not text.strip().isdecimal():
            raise PositionError(f"{text!r} is not a move; one is written {next(filter(None, labels), '0')}")
        return super().parse_move(text)

    def grid(self, state: int) -> list[list[str]] | None:
        """Return the board, where positions are one."""
        text = self.format_position(state).split(" ")[0]
        if not _has_boards(self):
            return None
        rows = text.split("/")
        return [[" " if mark in "?." else mark for mark in row] for row in rows]

    def caption(self, state: int) -> str:
        """Return what the board does not show."""
        return self.format_position(state).partition(" ")[2] if _has_boards(self) else self.format_position(state)

    def expected_positions(self) -> list[float] | None:
        """Return how many positions each ply has, where each has one."""
        levels, loopy = _levels(self)
        return None if loopy or not _by_ply(self) else np.bincount(levels).astype(float).tolist()


class TreeGame(GraphGame):
    """A tree or a graph of somebody's own, from a file."""

    description = "a tree or a graph from a file"

    @property
    def slug(self) -> str:
        """Return the name of its folder: its file's, or its kind with some digits of what it is."""
        return super().slug if self.file else f"{self.family}-{self.digest[:6]}"

    @property
    def worths(self) -> Mapping[int, Any] | None:  # type: ignore[override]
        """Return what payoffs stand for."""
        return self.graph.worths


@functools.lru_cache(16)
def _explored(game: GraphGame) -> Graph:
    return game.explored()


def _with_graph(named: str, digest: str, kind: str, graph: Graph) -> GraphGame:
    return (TreeGame if graph.named else GraphGame)(named, digest, lambda: graph, kind=kind)


def reopened(load: Callable[[str], Any], typed: str, path: str, rest: str, digest: str) -> GraphGame:
    """Return a game of a file as it was pickled: the file as it was ``typed`` if that is its ``path`` here too, and the
    rest of its specification. Raises `SpecError` where there are other rules now.
    """
    named = (typed if os.path.abspath(typed) == path else path) + rest  # noqa: PTH100 - links stay as they are
    game = load(named)
    if game is None or game.digest != digest:
        raise SpecError(f"{named} has changed since it was pickled: its rules are others now")
    return game  # type: ignore[no-any-return]


def graph_game(graph: Graph, named: str, kind: str) -> GraphGame:
    """Return the game of a graph that is there."""
    found = hashlib.sha256(repr((graph.labels, graph.players, graph.worths)).encode())
    for part in (graph.first, graph.codes, graph.children, graph.movers, graph.payoffs):
        found.update(part.tobytes())
    found.update("\n".join(graph.keys).encode())
    return _with_graph(named, found.hexdigest(), kind, graph)


@functools.lru_cache(16)
def _rules_of(game: GraphGame) -> Rules:
    graph = game.graph
    first, codes, children, movers, payoffs = graph.first, graph.codes, graph.children, graph.movers, graph.payoffs
    levels, loopy = _levels(game)
    ends = payoffs[payoffs != NO_PAYOFF]
    if loopy and len(set(np.abs(ends).tolist()) - {0}) == 1:  # a loopy game is won, lost or tied
        payoffs = np.where(payoffs == NO_PAYOFF, payoffs, np.sign(payoffs)).astype(np.int16)
        ends = np.sign(ends)

    def legal_moves(state: int, out: Any) -> int:
        at = int(first[state])
        count = int(first[state + 1]) - at
        for i in range(count):
            out[i] = int(codes[at + i])
        return count

    def play(state: int, move: int) -> int:
        for at in range(int(first[state]), int(first[state + 1])):
            if int(codes[at]) == move:
                return int(children[at])
        return -1

    def outcome(state: int) -> int:
        return int(payoffs[state])

    def to_move(state: int) -> int:
        return int(movers[state])

    def tier(state: int) -> int:
        return int(levels[state])

    def canonical(state: int) -> int:
        return int(classes[state])

    def orbit_size(state: int) -> int:
        return int(sizes[classes[state]])

    alike = graph.classes is not None
    classes = np.arange(0) if graph.classes is None else graph.classes
    sizes = np.bincount(classes)
    return Rules(
        start=0,
        max_moves=max(1, int(np.diff(first).max(initial=1))),
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=first_player if (movers > 0).all() else to_move,
        largest_code=int(codes.max(initial=0)),
        canonical=canonical if alike else None,
        orbit_size=orbit_size if alike else None,
        tier=None if not loopy and _by_ply(game) else tier,
        loopy=loopy,
        payoffs=(min(-1, int(ends.min(initial=0))), max(1, int(ends.max(initial=0)))),
        max_plies=None if loopy else int(levels.max(initial=0)),
        most_positions=len(graph.movers),
    )


@functools.lru_cache(16)
def _levels(game: GraphGame) -> tuple[np.ndarray, bool]:
    """Return a number for each position that every move raises, and whether there are loops; in these none lowers it:
    the longest way from the start, in moves between positions that do not lead to each other.
    """
    graph = game.graph
    n = len(graph.movers)
    parents = np.repeat(np.arange(n), np.diff(graph.first))
    levels = longest_ways(n, parents, graph.children)
    if levels is not None:
        return levels, False
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    arcs = coo_array((np.ones(len(parents), np.int8), (parents, graph.children)), shape=(n, n))
    count, component = connected_components(arcs, connection="strong")
    ends = component[parents], component[graph.children]
    between = ends[0] != ends[1]
    levels = longest_ways(count, ends[0][between], ends[1][between])
    assert levels is not None
    return levels[component], True


def _by_ply(game: GraphGame) -> bool:
    """Tell whether every move leads from one level to the next."""
    levels, graph = _levels(game)[0], game.graph
    return bool(np.all(levels[graph.children] == np.repeat(levels, np.diff(graph.first)) + 1))


def called(player: str) -> str:
    """Return what a player is called in sentences.

    >>> called("1"), called("X")
    ('player 1', 'X')
    """
    return f"player {player}" if re.fullmatch("-?[0-9]+", player) else player


# Texts of positions ---------------------------------------------------------------------------------------------------


@functools.lru_cache(16)
def _texts(game: GraphGame) -> tuple[list[str], bool]:
    """Return the text of each position, short where that tells them apart: the one part that is another in each of
    them, with boards row by row; else the parts that are not the same in all. Also whether they begin with a board.
    """
    keys = list(game.graph.keys)
    columns = list(zip(*(key.split("; ") for key in keys), strict=False))
    if game.graph.named or len(keys) == 1 or any(key.count("; ") != len(columns) - 1 for key in keys):
        return keys, False
    varying = [column for column in columns if len(set(column)) > 1]
    drawn = [drawn_boards(column) for column in varying]
    boards = [board for board in drawn if board is not None]
    others = [[*map(_short, column)] for column, board in zip(varying, drawn, strict=True) if board is None]
    ways = [*boards, *sorted(others, key=lambda c: len(c[0]))]
    ways.append([" ".join(each) for each in zip(*boards, *others, strict=True)])
    chosen = next((way for way in ways if len(set(way)) == len(keys)), keys)
    return chosen, any(chosen is way for way in [*boards, *ways[-1:] * bool(boards)])


def _short(part: str) -> str:
    """Return a part of a position without its blanks.

    >>> _short("heaps=[1, 10]"), _short("turn='X'"), _short("'A'")
    ('heaps=[1,10]', 'turn=X', 'A')
    """
    part = re.sub(r"(?<![\w'])'([\w.-]+)'$", r"\1", part)
    return part.replace(", ", ",").replace(": ", ":").replace(" ", "_")


@functools.lru_cache(16)
def _ranks(game: GraphGame, own: bool) -> dict[str, int]:
    """Return the rank of each position by its text, or by its ``own`` one in the program."""
    return {text: rank for rank, text in enumerate(game.graph.keys if own else _texts(game)[0])}


@functools.lru_cache(16)
def _has_boards(game: GraphGame) -> bool:
    """Tell whether positions begin with a board of one shape."""
    texts, drawn = _texts(game)
    shapes = {tuple(map(len, text.split(" ")[0].split("/"))) for text in texts}
    return drawn or (len(shapes) == 1 and len(shape := next(iter(shapes))) > 1 and len(set(shape)) == 1)
