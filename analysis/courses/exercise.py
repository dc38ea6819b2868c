"""Exercises: short TOML files that say what is asked for, not what the answers are; those are computed."""

from __future__ import annotations

import contextlib
import dataclasses
import tomllib
import unicodedata
from importlib import resources
from pathlib import Path
from typing import Any

from analysis.errors import OptionError
from analysis.games.families import is_specification, is_user_game
from analysis.machine.files import reason
from analysis.wording import listed

READY = ("optimal-paths", "alpha-beta", "bidding-bot")
"""Exercises that come with the package."""

VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")
"""When Gradescope shows a test to its student."""

MOST_TESTS = 1000

FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "value": {"game": str, "position": str},
    "counts": {"game": str, "position": str, "count": str},
    "paths": {"game": str, "position": str, "shortest": bool},
    "visited": {"game": str, "position": str, "algorithm": str, "depth": int},
    "search": {"game": str, "position": str, "depth": int, "rule": str, "compare": str},
    "bot": {"game": str, "position": str, "allowed": int},
    "bidding": {"chips": int, "side": str, "opponent": str, "games": int, "wanted": str},
}
"""The kinds of tests, and the fields of each besides `COMMON`."""

COMMON: dict[str, type | tuple[type, ...]] = {
    "kind": str, "name": str, "points": (int, float), "visibility": str, "function": str, "arguments": list,
    "input": str, "key": str,
}  # fmt: skip

NEEDED = {"bidding": ()}
"""Fields that a kind needs, where these are not a game."""


@dataclasses.dataclass(frozen=True)
class GradedTask:
    """One test of an exercise."""

    kind: str
    name: str
    points: float
    visibility: str
    options: dict[str, Any]
    """The other fields of its kind."""


@dataclasses.dataclass(frozen=True)
class Exercise:
    """What a hand-in is to do."""

    title: str
    seconds: float
    """Time of computing for each answer of a hand-in."""
    tests: tuple[GradedTask, ...]

    @property
    def points(self) -> float:
        """The most that a hand-in can score."""
        return sum(task.points for task in self.tests)


def read_exercise(name: str | Path) -> Exercise:
    """Read an exercise: a TOML file, or one of `READY` by name. Its games in files are looked up from its folder on.
    Raises `OptionError` for anything else.
    """
    path = Path(name)
    try:
        if str(name) in READY:
            text = (resources.files("analysis.courses") / "exercises" / f"{name}.toml").read_text(encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8-sig")
        exercise = parse_exercise(text, str(name))
    except UnicodeDecodeError:
        raise OptionError(f"{name} is not a text file") from None
    except OSError as error:
        raise OptionError(
            f"cannot read the exercise {name}: {reason(error)}; name a TOML file, or one of {listed(READY)}"
        ) from None
    for options in (task.options for task in exercise.tests):
        if "game" in options:
            options["game"] = _from_folder(path.parent, options["game"])
    return exercise


def _from_folder(folder: Path, game: str) -> str:
    """Return a game by its path from here, if it is named by one from a folder."""
    file, colon, rest = game.strip().partition(":")
    with contextlib.suppress(OSError, ValueError):  # no name of a file, but a tree
        if is_user_game(game) or (file and not is_specification(game) and (folder / file).exists()):
            return f"{folder / file}{colon}{rest}"
    return game


def parse_exercise(text: str, name: str = "exercise") -> Exercise:
    """Parse an exercise, which errors call ``name``. Raises `OptionError`.

    >>> exercise = parse_exercise('[[tests]]\\nkind = "value"\\ngame = "tictactoe"')
    >>> exercise.points, exercise.tests[0].name
    (1, 'value of tictactoe')
    """
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{name} is not valid TOML: {error}") from None
    _check(told, {"title": str, "seconds": (int, float), "tests": list}, name)
    tests = told.get("tests", [])
    if not tests or len(tests) > MOST_TESTS or not all(isinstance(each, dict) for each in tests):
        raise OptionError(f"{name} needs 1 to {MOST_TESTS:,} tests, each after a line [[tests]]")
    seconds = float(told.get("seconds", 10))
    if not 0 < seconds <= 3600:
        raise OptionError(f"{name}: seconds = {seconds:g} is not valid; give more than 0, at most 3600")
    found = tuple(_task(each, f"{name}, test {number}") for number, each in enumerate(tests, start=1))
    keys = dict[str, str]()
    for key in (task.options.get("key", "") for task in found):
        if keys.setdefault(key.casefold(), key) != key:
            raise OptionError(f"{name}: the keys {keys[key.casefold()]!r} and {key!r} differ in case alone")
    return Exercise(
        title=told.get("title", Path(name).stem),
        seconds=seconds,
        tests=found,
    )


def _task(told: dict[str, Any], where: str) -> GradedTask:
    kind = told.get("kind")
    if kind not in FIELDS:
        raise OptionError(f"{where}: kind is {kind!r}; choose from {listed([*FIELDS])}")
    _check(told, COMMON | FIELDS[kind], where)
    missing = [field for field in NEEDED.get(kind, ("game",)) if field not in told]
    if missing:
        raise OptionError(f"{where}: a test of kind {kind} needs {listed(missing, 'and')}")
    points = told.get("points", 1)
    if not points >= 0:
        raise OptionError(f"{where}: points = {points} is not valid; give 0 or more")
    visibility = told.get("visibility", "visible")
    if visibility not in VISIBILITIES:
        raise OptionError(f"{where}: visibility is {visibility!r}; choose from {listed(VISIBILITIES)}")
    named = told.get("name", f"{kind} of {told.get('game', 'bidding tic-tac-toe')}")
    options = {field: value for field, value in told.items() if field not in ("kind", "name", "points", "visibility")}
    if "key" in options:
        options["key"] = unicodedata.normalize("NFC", options["key"])  # as texts are read
    return GradedTask(kind, named, points, visibility, options)


def _check(told: dict[str, Any], fields: dict[str, type | tuple[type, ...]], where: str) -> None:
    """Refuse fields that there are not, and those of a wrong type."""
    for field, value in told.items():
        if field not in fields:
            raise OptionError(f"{where}: there is no field {field!r}; write {listed([*fields])}")
        kinds = fields[field]
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
            names = " or ".join(each.__name__ for each in (kinds if isinstance(kinds, tuple) else (kinds,)))
            raise OptionError(f"{where}: {field} = {value!r} is not valid; its type is {names}")
