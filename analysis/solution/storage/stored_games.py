"""Which game a name or a directory means, and whether the solution stored there is the one that is wanted.

All of it is told by specifications and manifests, without loading what solves a game. Of a user game whose file nobody
has named no line of code is run: `StoredGame` and `StoredEngine` say what its tables tell, and stand where the game and
the engine with rules do. What needs the rules asks for the file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn

from analysis.engine.engine import Engine
from analysis.errors import OptionError, RulesNeededError, SpecError, StoreError
from analysis.games.families import FAMILIES, FOR_BIDS, load_game, named_before, runs_a_file
from analysis.machine.arguments import checked
from analysis.machine.files import AGAIN
from analysis.machine.workers import Workers
from analysis.rules.game import Game, HasRules, Rules
from analysis.rules.symmetry import GREATEST_ORDER, KINDS, Group
from analysis.solution.storage.directory import is_solution, manifest_kind, open_manifest
from analysis.wording import visible

DATA = Path("data")
"""Where solutions go unless told otherwise."""
KIND = "bidding"
"""The ``kind`` in manifests, and what specifications begin with."""
CHUNK = 1 << 16
"""Rows that are handed on at a time of a solution without rules."""


@dataclasses.dataclass(frozen=True)
class Output:
    """Where a solution is written, and what besides. Raises `OptionError` for a table that there is not."""

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


Output.__init__ = checked(Output.__init__)  # type: ignore[method-assign]


def place_of(game: Game, symmetry: str = "geometric") -> Path:
    """Where the solution of a game goes unless told otherwise: its name carries a symmetry that is not the default, and
    of a user game, whose class may be called like another, also some digits of its file's path if the place is taken.
    """
    plain, *own = _places(game, symmetry)
    return own[0] if own and not _is_for(plain, game) else plain


def places_of(game: Game, symmetry: str | None) -> list[Path]:
    """Where a solution may be, with this symmetry or with any: also where earlier versions wrote it."""
    kinds = KINDS if symmetry is None else (symmetry, "geometric")
    return [place for kind in dict.fromkeys(kinds) for place in _places(game, kind)]


def _places(game: Game, symmetry: str) -> list[Path]:
    """The place by the game's name and, of a user game, the one that only its file has."""
    suffix = "" if symmetry == "geometric" else f"-{symmetry}"
    file = _base(game).origin_file
    digits = [f"-{hashlib.sha256(file.encode()).hexdigest()[:6]}"] if file else []
    return [DATA / f"{game.slug}{each}{suffix}" for each in ("", *digits)]


def _is_for(place: Path, game: Game) -> bool:
    """Whether a place by name is for a user game: not called like a built-in one, and free or already this file's."""
    if _base(game).family in FAMILIES:
        return False
    if not is_solution(place):
        return True
    with contextlib.suppress(StoreError, LookupError, TypeError):
        manifest = open_manifest(place)
        named = str(manifest["game"]).removeprefix(f"{KIND}:game=").partition(":")[0]
        return manifest["rules_hash"] == game.rules_hash() or str(Path(named).absolute()) == _base(game).origin_file
    return True


def _base(game: Game) -> Game:
    """The game on the board, where there are bids for the move."""
    return getattr(game, "base", game)


def refuse_bidding(game: str | HasRules) -> None:
    """Raise `OptionError` for the directory of a bidding game, and `SpecError` for such a game, by name or itself."""
    if not is_bidding(game):
        return
    if isinstance(game, str) and is_solution(Path(game)):
        raise OptionError(f"{game} holds the solution of a game of bids; {FOR_BIDS}")
    load_game(game).rules()  # which says so


def refuse_options(game: object, **given: bool) -> None:
    """Raise `OptionError` for an option that is ``given`` and not for bidding games, such as this ``game``."""
    for option, there in given.items():
        if there:
            name = option.replace("_", "-")
            raise OptionError(f"--{name} is not for bidding games such as {getattr(game, 'spec', game)}; leave it out")


def is_bidding(game: object) -> bool:
    """Whether it is a bidding game, or a GAME or GAME_OR_DIR that names one. Raises `StoreError` where a directory's
    manifest cannot be read.
    """
    if not isinstance(game, str | Path):
        return getattr(game, "family", None) == KIND and isinstance(game, Game)
    name = str(game)
    if name and is_solution(Path(name)):
        return manifest_kind(Path(name)) == KIND
    return name.strip().partition(":")[0] == KIND


def stored_game(directory: Path, manifest: Mapping[str, Any]) -> Game:
    """The game that the ``manifest`` of a ``directory`` names: a built-in one, or a user game of the same rules that
    has been named before. Of any other user game one without rules: nothing is run because a manifest says so. Raises
    `StoreError` where there is no such game.
    """
    named = named_before(manifest["rules_hash"])
    if named is not None:
        return named
    try:
        if runs_a_file(manifest["game"]):
            return StoredGame(directory, manifest["game"], manifest["rules_hash"])
        return load_game(manifest["game"])
    except (SpecError, ValueError, RecursionError) as error:
        raise StoreError(f"{directory} holds the solution of a game that cannot be loaded: {error}").showing(
            getattr(error, "excerpt", "")
        ) from None


def is_from(manifest: Mapping[str, Any], game: Game, symmetry: str | None) -> bool:
    """Whether a solution is of these rules and of this kind of ``symmetry``, if one is wanted. The hash of the rules
    covers the specification, but not where a file lies.
    """
    return manifest["rules_hash"] == game.rules_hash() and symmetry in (None, manifest["symmetry"].get("kind"))


def refuse_other_rules(directory: Path, manifest: Mapping[str, Any], game: Game) -> None:
    """Raise `StoreError` where a solution was made by other rules than the ``game`` has now."""
    if manifest["rules_hash"] != game.rules_hash():
        if manifest["game"] in (game.spec, game.lasting_spec):
            raise StoreError(f"{directory} was solved by other rules than {game.spec} has now; {AGAIN}")
        found = visible(str(manifest["game"]))
        raise StoreError(f"{directory} holds the solution of {found}, and {game.spec} has other rules")


def refuse_other(
    directory: Path, manifest: Mapping[str, Any], game: Game, symmetry: str, tables: Mapping[str, bool]
) -> None:
    """Refuse to pass off the solution that is there for that of ``game`` with this ``symmetry`` and the ``tables`` that
    are asked for. Raises `StoreError`.
    """
    found = manifest.get("game")
    if manifest.get("rules_hash") != game.rules_hash() and found not in (game.spec, game.lasting_spec):
        raise StoreError(f"{directory} holds the solution of {found}; choose another --out, or replace it with --force")
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
    """A user game by what the manifest in a ``directory`` says of it. Positions are written as numbers."""

    directory: Path
    named: str
    """What it was called where it was solved: never a path to be opened."""
    digest: str

    @property
    def spec(self) -> str:
        """What it was called."""
        return self.named

    def rules_hash(self) -> str:
        """The hash in the manifest."""
        return self.digest

    def parse_either_side(self, text: str) -> int:
        """A state by its number, as any."""
        return self.parse_position(text)

    def refuse(self) -> NoReturn:
        """Raise `RulesNeededError`."""
        form = re.sub(r"(^|game=).*?\.py(?=[:,]|$)", r"\1FILE.py", self.named)
        raise RulesNeededError(
            f"{self.directory} holds the solution of a user game, {visible(self.named)}, and this needs its rules: "
            f"name its file, --game {visible(form)}, which is then run (in Python game=...)"
        )

    either_side = rules = residual = refuse
    slug = property(refuse)  # no folder is called as a manifest says


class StoredEngine(Engine):
    """An engine without rules: a state is looked up where it is canonical."""

    ruled = False
    loopy: bool = False
    by_ply: bool = False
    payoffs: tuple[int, int] = (0, 0)
    chunk: int = CHUNK

    def __init__(self, game: StoredGame, manifest: Mapping[str, Any]) -> None:
        order = manifest["symmetry"]["order"]
        group = Group(manifest["symmetry"]["kind"], ((),) * min(order or 1, GREATEST_ORDER), 0, 0)
        known = {"game": game, "start": manifest["start"], "group": group, "reduces": order is None}
        known |= {"loopy": bool(manifest["loopy"]), "by_ply": bool(manifest["by_ply"]), "_manifest": manifest}
        known["payoffs"] = tuple(map(int, manifest.get("payoffs", ())))  # kept for bidding games only
        for name, value in {**known, "workers": Workers(1)}.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredEngine, (self.game, self._manifest)  # type: ignore[attr-defined]

    @property
    def rules(self) -> Rules:  # type: ignore[override]
        """Raises `RulesNeededError`."""
        return self.game.rules()

    def tier(self, state: int) -> None:
        """None: only the tables tell."""

    def canonical(self, state: int) -> int:
        """The state itself."""
        return state
