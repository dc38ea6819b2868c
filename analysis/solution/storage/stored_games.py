"""Find which game a name or a directory means, and whether the solution stored there is the one wanted.

This uses specifications and manifests only, without loading the solver. No code runs from the file of a user game that
nobody has named: `StoredGame` and `StoredEngine` tell what its tables do, in place of the game and engine with rules,
and ask for the file where rules are needed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import platform
import re
import shlex
from collections.abc import Collection, Mapping
from pathlib import Path, PurePath
from typing import Any, NoReturn

import numpy as np

from ...common.files import AGAIN
from ...common.wording import visible
from ...common.workers import Workers
from ...engine.engine import Engine
from ...errors import OptionError, RulesNeededError, SpecError, StoreError
from ...games.families import BIDDING, FAMILIES, FOR_BIDS, load_game, named_before, runs_a_file
from ...games.trees.numbers import read_value
from ...rules.game import Game, GameLike, Rules
from ...rules.symmetry import GREATEST_ORDER, KINDS, Group
from .directory import is_solution, manifest_kind, open_manifest

DATA = Path("data")
"""The default place of solutions."""
LONGEST_STEM = 40
"""Characters of a file's name in that of a place."""
CHUNK = 1 << 16
"""Rows handed on at a time from a solution without rules."""


@dataclasses.dataclass(frozen=True)
class Output:
    """Where to write a solution, and which extra tables. Raises `OptionError` for an unknown table."""

    directory: str | Path | None = None
    """None: the game's own below ``data/``."""
    tables: Collection[str] = ()
    """Further tables: ``moves`` (all moves), ``text`` (positions as texts) and ``paths`` (all optimal paths)."""
    force: bool = False
    """Whether what is there already is solved again."""

    def __post_init__(self) -> None:
        unknown = sorted({*self.tables} - {"moves", "text", "paths"})
        if unknown:
            raise OptionError(f"there is no table {unknown[0]!r}; tables are moves, text and paths")


def load_same(spec: str, rules_hash: str) -> Game:
    """Load the game that another process has. Raises `StoreError` if its rules are others here."""
    game = load_game(spec)
    if game.rules_hash() != rules_hash:
        raise StoreError(f"{platform.node()} has other rules of {spec} than the process that began")
    return game


def place_of(game: Game, symmetry: str = "geometric") -> Path:
    """Return the default place of a game's solution.

    Its name includes a symmetry other than the default and, for a user game, whose class may share another's name, the
    name of its file and some digits of the file's path if the place is taken.
    """
    plain, *own = _places(game, symmetry)
    return plain if not own or _is_for(plain, game) else own[0]


def places_of(game: Game, symmetry: str | None) -> list[Path]:
    """Return where a solution with this symmetry, or any, may be."""
    kinds = KINDS if symmetry is None else (symmetry, "geometric")
    return [place for kind in dict.fromkeys(kinds) for place in _places(game, kind)]


def _places(game: Game, symmetry: str) -> list[Path]:
    """Return the place by the game's name and, for a user game, the one that only its file has."""
    suffix = "" if symmetry == "geometric" else f"-{symmetry}"
    file = _base(game).origin_file
    digits = hashlib.sha256(file.encode()).hexdigest()[:6]
    stem = re.sub(r"[^\w.+-]+", "_", Path(file).stem)[:LONGEST_STEM]
    own = [f"-{stem}-{digits}"] if file else []
    return [DATA / f"{game.slug}{each}{suffix}" for each in ("", *own)]


def _is_for(place: Path, game: Game) -> bool:
    """Return whether a place is for a user game: not a built-in game's name, and free or already this file's."""
    if _base(game).family in FAMILIES:
        return False
    if not is_solution(place):
        return True
    with contextlib.suppress(StoreError, LookupError, TypeError):
        manifest = open_manifest(place)
        named = str(manifest["game"]).removeprefix(f"{BIDDING}:game=").partition(":")[0]
        return manifest["rules_hash"] == game.rules_hash() or str(Path(named).absolute()) == _base(game).origin_file
    return True


def _base(game: Game) -> Game:
    """Return the game on the board, without bids."""
    return getattr(game, "base", game)


def refuse_other_kinds(game: GameLike) -> None:
    """Raise `OptionError` for the directory of a bidding game, and `SpecError` for such a game, by name or
    itself.
    """
    if not is_bidding(game):
        return
    if isinstance(game, str) and is_solution(Path(game)):
        raise OptionError(f"{game} holds the solution of a bidding game; {FOR_BIDS}")
    load_game(game).rules()  # which says so


def refuse_options(game: object, **given: bool) -> None:
    """Raise `OptionError` for an option that is ``given`` and not for bidding games such as this ``game``."""
    for option, there in given.items():
        if there:
            name = option.replace("_", "-")
            raise OptionError(f"--{name} is not for bidding games such as {getattr(game, 'spec', game)}; leave it out")


def is_bidding(game: object) -> bool:
    """Return whether a game, or what a name or directory stands for, is a bidding game. Raises `StoreError`."""
    if not isinstance(game, str | Path):  # a game of somebody's own may be called as these are
        named = game if isinstance(game, Game) else getattr(game, "game", game)
        return type(named).__module__ == "gametree.games.bidding"
    if str(game) and is_solution(Path(game)):
        return manifest_kind(Path(game)) == BIDDING
    return str(game).strip().partition(":")[0] == BIDDING


def stored_game(directory: Path, manifest: Mapping[str, Any]) -> Game:
    """Return the game that the ``manifest`` of a ``directory`` names: a built-in one, or a user game with the same
    rules that was named before.

    For any other user game, return one without rules: a manifest never causes code to run. Raises `StoreError` if there
    is no such game.
    """
    named = named_before(manifest["rules_hash"])
    if named is not None:
        return named
    try:
        if runs_a_file(manifest["game"]) or PurePath(manifest["game"]).is_absolute():
            return StoredGame(directory, manifest["game"], manifest["rules_hash"], read_worths(manifest.get("worths")))
        return load_game(manifest["game"])
    except (SpecError, ValueError, RecursionError) as error:
        raise StoreError(f"{directory} holds the solution of a game that cannot be loaded: {error}").showing(
            getattr(error, "excerpt", "")
        ) from None


def read_worths(told: Any) -> dict[int, Any] | None:
    """Return what the values of a solution stand for, as its manifest says it, or None for themselves."""
    if told is None:
        return None
    if not isinstance(told, list) or not all(isinstance(each, list) and len(each) == 2 for each in told):
        raise ValueError("its payoffs are not what was written")
    return {int(value): read_value(json.loads(each) if "/" not in each else each, "a payoff") for value, each in told}


def is_from(manifest: Mapping[str, Any], game: Game, symmetry: str | None) -> bool:
    """Return whether a solution has these rules and this kind of ``symmetry``, if given. The hash of the rules covers
    the specification, but not where a file lies.
    """
    return manifest["rules_hash"] == game.rules_hash() and symmetry in (None, manifest["symmetry"].get("kind"))


def refuse_other_rules(directory: Path, manifest: Mapping[str, Any], game: Game) -> None:
    """Raise `StoreError` if a solution was made by other rules than the ``game`` has now."""
    if manifest["rules_hash"] != game.rules_hash():
        if manifest["game"] in (game.spec, game.lasting_spec):
            raise StoreError(f"the rules of {game.spec} have changed since {directory} was solved; {AGAIN}")
        found = visible(str(manifest["game"]))
        raise StoreError(f"{directory} holds the solution of {found}, but {game.spec} has other rules")


def is_named(game: Game) -> bool:
    """Return whether the game's specification makes the same game again."""
    try:
        return load_game(game.spec) == game
    except SpecError:
        return False


def refuse_unnamed(game: Game) -> None:
    """Raise `StoreError` for a game whose solution could not be opened again, since its specification does not name
    it.
    """
    if not is_named(game):
        raise StoreError(
            f"{game.spec} is neither built-in nor named by its file: its solution could not be opened again; give "
            "path/to/file.py:Name instead of the object, or no directory"
        )


def refuse_other(
    directory: Path, manifest: Mapping[str, Any], game: Game, symmetry: str, tables: Mapping[str, bool]
) -> None:
    """Raise `StoreError` unless the stored solution is of ``game``, with this ``symmetry`` and these ``tables``."""
    found = manifest.get("game")
    if manifest.get("rules_hash") != game.rules_hash() and found not in (game.spec, game.lasting_spec):
        raise StoreError(
            f"{directory} holds the solution of {found}; choose another directory, or replace it with --force"
        )
    refuse_other_rules(directory, manifest, game)
    kind = manifest["symmetry"].get("kind")
    if kind != symmetry:
        raise StoreError(f"{directory} was solved with --symmetry {kind}; solve it again with --force")
    for name, asked in tables.items():
        if asked and not manifest["tables"].get(name):
            without = "with --no-counts" if name == "counts" else f"without --{name}"
            raise StoreError(f"{directory} was solved {without}; solve it again with --force")


@dataclasses.dataclass(frozen=True)
class StoredGame(Game):
    """A user game as the manifest in a ``directory`` describes it. Positions are written as numbers."""

    directory: Path
    named: str
    """Its specification where it was solved: never a path to be opened."""
    digest: str
    worths: Mapping[int, Any] | None = dataclasses.field(default=None, compare=False)  # type: ignore[assignment]
    puzzle = False  # as far as tables tell

    @property
    def spec(self) -> str:
        """The specification where it was solved."""
        return self.named

    @property
    def headline(self) -> tuple[str, str]:
        """Its name, without the file, and no goal, which only the file says."""
        return re.sub(r"^.*\.py:", "", self.named), ""

    def rules_hash(self) -> str:
        """Return the hash in the manifest."""
        return self.digest

    def refuse(self) -> NoReturn:
        """Raise `RulesNeededError`."""
        raise RulesNeededError(
            f"{self.directory} holds the solution of a user game whose rules are needed here: if you trust its file, "
            f"add --game {shlex.quote(visible(self.named))}, which runs it"
        )

    either_side = rules = residual = refuse
    slug = property(refuse)  # no folder is called as a manifest says


class StoredEngine(Engine):
    """An engine without rules, which finds only canonical states."""

    ruled = False
    loopy: bool = False
    by_ply: bool = False
    chunk: int = CHUNK

    def __init__(self, game: StoredGame, manifest: Mapping[str, Any]) -> None:
        order = manifest["symmetry"]["order"]
        group = Group(manifest["symmetry"]["kind"], ((),) * min(order or 1, GREATEST_ORDER), 0, 0)
        known = {"game": game, "start": manifest["start"], "group": group, "reduces": order is None}
        known |= {"loopy": bool(manifest["loopy"]), "by_ply": bool(manifest["by_ply"]), "_manifest": manifest}
        for name, value in {**known, "workers": Workers(1)}.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredEngine, (self.game, self._manifest)  # type: ignore[attr-defined]

    @property
    def rules(self) -> Rules:  # type: ignore[override]
        """Raise `RulesNeededError`."""
        return self.game.rules()

    def tier(self, state: int) -> None:
        """Return None: only the tables tell."""

    def canonical(self, state: int) -> int:
        """Return the state itself."""
        return state

    def canonicals(self, states: np.ndarray) -> np.ndarray:
        """Return the states themselves."""
        return states
