"""Openings: the first moves of games, from which each pair of players plays twice."""

from __future__ import annotations

import re
from pathlib import Path

from analysis.errors import GametreeError, OptionError
from analysis.machine.files import read_bytes
from analysis.rules.game import Game
from analysis.rules.notation import Notation
from analysis.rules.positions import recorded_moves

Opening = tuple[int, ...]
"""The codes of its moves."""

MOST_OPENINGS = 100_000


def find_openings(game: Game, root: int, text: str | None) -> list[Opening]:
    """Return the openings that a text names: none, ``all:N`` for every position after N plies that is not the end, each
    reached once, or a file with the moves of one on each line. Games begin in the state ``root``. Raises `OptionError`,
    `StoreError`.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> len(find_openings(game, game.rules().start, "all:2")), find_openings(game, game.rules().start, None)
    (72, [()])
    """
    if text is None:
        return [()]
    plies = re.fullmatch(r"all:([0-9]{1,3})", text.strip())
    found = _after(game, root, int(plies[1])) if plies else _read(game, root, Path(text))
    if not found:
        raise OptionError(f"--openings {text}: there is no opening after which the game goes on")
    return found


def _after(game: Game, root: int, plies: int) -> list[Opening]:
    rules, found = game.rules(), dict[int, Opening]({root: ()})
    for _ in range(plies):
        after: dict[int, Opening] = {}
        for state, opening in found.items():
            for code, child in rules.moves(state):
                after.setdefault(child, (*opening, code))
        if len(after) > MOST_OPENINGS:
            raise OptionError(f"all:{plies} gives more than {MOST_OPENINGS:,} openings; give fewer plies")
        found = after
    return [opening for state, opening in found.items() if rules.moves(state)]


def _read(game: Game, root: int, path: Path) -> list[Opening]:
    notation, rules, found = Notation(game), game.rules(), list[Opening]()
    for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        codes, state = list[int](), root
        try:
            for move in recorded_moves(text, notation):
                codes.append(move if isinstance(move, int) else notation.read(move, state))
                state = dict(rules.moves(state))[codes[-1]]
        except KeyError:
            raise OptionError(f"{path}, line {number}: move {len(codes)} of {text} is not legal") from None
        except GametreeError as error:
            raise OptionError(f"{path}, line {number}: {error}") from None
        if not rules.moves(state):
            raise OptionError(f"{path}, line {number}: the game is over after {text}")
        found.append(tuple(codes))
    return found
