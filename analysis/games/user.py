"""Load user games: ``path/to/file.py:Name:param=3`` runs a Python file and uses a class from it.

The class is a frozen dataclass with a method ``rules()``; if it is not a `Game`, it inherits what it lacks from `Game`.
Classes are cached by the file's path and content, so that loading an unchanged file again gives the same class and
equal games.

A solution is tied to content, not to a place: the rules hash covers the file, the files next to it that it imports, the
name of the class and the parameters, but not the path. A file that was moved or copied still finds its solutions; the
manifest holds its absolute path, and opening a directory by itself needs the file there.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import hashlib
import importlib
import inspect
import linecache
import os
import re
import sys
import threading
import traceback
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.time_limit import PLAIN_SILENCE, watched_over
from ..common.wording import did_you_mean
from ..errors import GametreeError, PositionError, RulesError, SpecError
from ..rules.fields import check_rules, excerpt, in_words, innermost, place, raised_at, wrong_answer
from ..rules.game import LOOKS, Game, Rules
from .programs.protocol import ROLES, fits, public

_SHOWN = re.compile(rb"^[ \t]+(?:look|title|goal|in_row)[ \t]*=[^=].*\n?", re.MULTILINE)
"""Lines that say how a game is shown, and do not affect its rules."""

FROZEN = "write @dataclass(frozen=True) above it"


@dataclasses.dataclass(frozen=True)
class File:
    """A file that has been run."""

    path: str  # absolute
    module: types.ModuleType
    contents: dict[str, bytes]  # SHA-256 by path, of the file and those it imports from its own folder
    rules: bytes  # SHA-256 of the file without the lines that say how its games are shown

    @property
    def unchanged(self) -> bool:
        """Whether everything that was run is unchanged on disk."""
        return all(_digest(path) == digest for path, digest in self.contents.items())

    def digest(self, of_file: bytes | None = None) -> str:
        """Return the SHA-256 of the contents, whatever the folder; ``of_file`` replaces that of the file itself."""
        folder = os.path.dirname(self.path)  # noqa: PTH120 - as text
        others = sorted((os.path.relpath(p, folder), digest) for p, digest in self.contents.items() if p != self.path)
        parts = [of_file or self.contents[self.path], *(name.encode() + digest for name, digest in others)]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


_FILES: dict[str, File] = {}
_RUNNING: set[str] = set()
_FAMILIES: dict[tuple[str, ...], type[Game]] = {}


def find_game(spec: str) -> tuple[File, str, Any, str]:
    """Return the file of a specification, the name of the game in it, the game (a class, an object, or the module), and
    the text of its parameters. Runs the file, unless it has been run already and is unchanged. Raises `SpecError` if
    there is no such file or game, or the file fails.

    Args:
        spec: ``path/to/file.py``, ``path/to/file.py:Name`` or either with ``:name=value,...``.
    """
    typed, name, parameters = split_spec(spec)
    file = run_file(typed)
    roles = {key: value for key, value in parameters_of(parameters, spec).items() if key in ROLES}
    games = _games(file, roles)
    if name and hasattr(file.module, name):
        return file, name, getattr(file.module, name), parameters
    if name or not games:
        raise SpecError(
            f"{typed} has no {name or 'game'}{did_you_mean(name, games) if name else ''}; a game is a frozen dataclass "
            "with a method rules(), or a class or functions that give moves and make them, named by --map moves=NAME,"
            f"play=NAME; it has {', '.join(games) or 'none'}"
        )
    if len(games) > 1:
        raise SpecError(f"{typed} has several games, {', '.join(games)}; name one, like {typed}:{next(iter(games))}")
    key, owner = games.popitem()
    return file, key, owner, parameters


def _games(file: File, roles: Mapping[str, str]) -> dict[str, Any]:
    """Return what may be a game in a file, by name: its classes that are no others' base, else its objects, or the
    module; if nothing has the names of a game, its largest class or itself, whose errors say what is missing.
    """
    module = file.module
    public_names = {key: value for key, value in vars(module).items() if key[:1] != "_"}
    own = {
        key: value
        for key, value in public_names.items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not inspect.isabstract(value)
    }
    classes = {key: value for key, value in own.items() if hasattr(value, "rules") or fits(value, roles)}
    leaves = {
        key: value
        for key, value in classes.items()
        if not any(other is not value and issubclass(other, value) for other in classes.values())
    }
    kinds = type, types.ModuleType, types.FunctionType
    games: dict[str, Any] = leaves or {
        k: v for k, v in public_names.items() if not isinstance(v, kinds) and fits(v, roles)
    }
    stem = Path(file.path).stem
    if fits(module, roles):
        games[stem] = module
    if not games and own:
        key = max(own, key=lambda key: len(public(own[key])))
        return {key: own[key]}
    return games or ({stem: module} if any(isinstance(v, types.FunctionType) for v in public_names.values()) else {})


def user_family(typed: str, file: File, user: Any) -> type[Game]:
    """Return the class of a file as a family of games. Raises `SpecError` if it is none."""
    key = (file.digest(), user.__name__, str(Path(typed).absolute()), typed)
    if key not in _FAMILIES:
        _check_class(typed, user)
        _FAMILIES[key] = _family(typed, file, user)
    return _FAMILIES[key]


def parameters_of(text: str, spec: str) -> dict[str, str]:
    """Return the roles, settings and arguments in a specification, arguments by name or by their place from 0. Raises
    `SpecError`.
    """
    parameters: dict[str, str] = {}
    for number, item in enumerate(filter(None, map(str.strip, re.split(r",(?![^()\[\]]*[)\]])", text)))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if (equals and (not name or not value)) or (not equals and len(parameters) < number):
            raise SpecError(f"{item!r} in {spec!r} says nothing; write NAME=VALUE")
        parameters[name if equals else str(number)] = value if equals else name
    return parameters


def split_spec(spec: str) -> tuple[str, str, str]:
    """Return the file, the name in it or the empty text, and the parameters of a specification."""
    typed, _, rest = spec.strip().partition(":")
    name, _, parameters = rest.partition(":")
    if "=" in name or (not parameters and not name.strip().isidentifier()):  # the name is left out
        name, parameters = "", rest
    return typed, name.strip(), parameters


# The file -------------------------------------------------------------------------------------------------------------


def run_file(typed: str) -> File:
    """Run a file, unless it has been run and is unchanged, and return it. Raises `SpecError` if that fails."""
    path = os.path.abspath(typed)  # noqa: PTH100 - links stay as they are
    source = _read(typed)
    cached = _FILES.get(path)
    if cached is not None and cached.unchanged:
        return cached
    if path in _RUNNING:
        raise SpecError(f"{typed} is run already, and names itself")
    digest = hashlib.sha256(source).digest()
    try:
        code = compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = error.lineno or 1
        shown = excerpt(path, line, None if error.offset is None else max(0, error.offset - 1))
        raise SpecError(f"{typed}:{line}: {error.msg}").showing(shown) from None
    except ValueError as error:
        raise SpecError(f"{typed} is not a Python file: {error}") from None
    module = types.ModuleType(f"gametree_user_{hashlib.sha256(path.encode() + digest).hexdigest()[:16]}")
    module.__file__ = path
    module.__package__ = ".".join(_roots(path)[0])
    _RUNNING.add(path)
    try:
        helpers = _execute(typed, code, module)
    finally:
        _RUNNING.remove(path)
    contents = {path: digest, **{helper: _digest(helper) for helper in helpers}}
    _FILES[path] = File(path, module, contents, hashlib.sha256(_SHOWN.sub(b"", source)).digest())
    return _FILES[path]


def file_of(path: str) -> File:
    """Return the file that was run, or the present state of one that is only read, such as a tree's."""
    return _FILES.get(path) or File(path, types.ModuleType(path), {path: _digest(path)}, b"")


def forget(file: File) -> None:
    """Run a file anew the next time, since the objects in it may have changed."""
    _FILES.pop(file.path, None)


def _read(typed: str) -> bytes:
    try:
        return Path(typed).read_bytes()
    except FileNotFoundError:
        raise SpecError(f"there is no file {typed}; a game of your own is named path/to/file.py:Name") from None
    except OSError as error:
        raise SpecError(f"{typed} cannot be read: {error.strerror or error}") from None


def _digest(path: str) -> bytes:
    """Return the SHA-256 of a file, empty if it cannot be read."""
    with contextlib.suppress(OSError):
        return hashlib.sha256(Path(path).read_bytes()).digest()
    return b""


def _roots(path: str) -> tuple[list[str], list[str]]:
    """Return the packages around a file, the outermost first, and the folders that it imports from: its own and that of
    the outermost package.
    """
    packages, folder = list[str](), Path(path).parent
    while (folder / "__init__.py").exists():
        packages, folder = [folder.name, *packages], folder.parent
    return packages, list(dict.fromkeys(map(str, (Path(path).parent, folder))))


def _execute(typed: str, code: types.CodeType, module: types.ModuleType) -> list[str]:
    """Run the file; forget the modules that it imported from its own folder, and return their paths."""
    folders = _roots(code.co_filename)[1]
    before, bytecode = set(sys.modules), sys.dont_write_bytecode
    sys.modules[module.__name__] = module
    sys.path[:0] = folders
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    paths: list[str] = []
    try:
        with overseen([code.co_filename]):
            exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        sys.modules.pop(module.__name__, None)
        raise failure(SpecError, error, [code.co_filename], f"{typed} failed") from None
    finally:
        sys.dont_write_bytecode = bytecode
        for folder in folders:
            sys.path.remove(folder)
        for name in set(sys.modules) - before:
            path = next(filter(None, (_helper_path(name, sys.modules[name], folder) for folder in folders)), None)
            if path is not None:
                paths.append(path)
                del sys.modules[name]
    return sorted(paths)


@contextlib.contextmanager
def overseen(files: Sequence[str], printed: Any = None) -> Iterator[None]:
    """Run code of these files: redirect what it prints to ``printed`` (None: standard error), refuse `input`, and
    report if it does not return.
    """

    def words(thread: int) -> str:
        line = innermost(traceback.extract_stack(sys._current_frames().get(thread)), files)
        text = place(*line) if line else Path(files[0]).name
        return f"{text}: running for {PLAIN_SILENCE:g} s: an endless loop? Ctrl-C ends this"

    main = threading.current_thread() is threading.main_thread()  # threads share the streams
    stream = (printed or sys.stderr) if main else sys.stdout
    with watched_over(files[0], words, PLAIN_SILENCE), contextlib.redirect_stdout(stream), without_people():
        yield


@contextlib.contextmanager
def without_people() -> Iterator[None]:
    """Make `input` raise `RulesError` inside, since nobody is there to answer."""

    def refused(prompt: object = "") -> str:
        raise RulesError("input() waits for a person; a game is asked without one")

    before, builtins.input = builtins.input, refused
    try:
        yield
    finally:
        builtins.input = before


def _helper_path(name: str, module: Any, folder: str) -> str | None:
    """Return the path of a module if it lies in the folder under its own name and is not this package."""
    path = getattr(module, "__file__", None)
    stem = os.path.join(folder, *name.split("."))  # noqa: PTH118 - as text
    beside = path in (f"{stem}.py", os.path.join(stem, "__init__.py"))  # noqa: PTH118
    return path if beside and name.split(".")[0] not in ("analysis", "gametree") else None


def failure(kind: type[GametreeError], error: BaseException, files: Collection[str], otherwise: str) -> GametreeError:
    """Return an exception of the user's code as an error of one line, with its place in the files."""
    line = raised_at(error, files)
    if line is None:
        return kind(f"{otherwise}: {in_words(error)}")
    return kind(f"{place(*line)}: {in_words(error)}").showing(excerpt(*line[:2]))


def _is_refusal(error: BaseException, files: Collection[str]) -> bool:
    """Return whether an exception is a ValueError that the author's code raises itself, with a message for people."""
    line = raised_at(error, files) if isinstance(error, ValueError) and str(error) else None
    return line is not None and linecache.getline(*line[:2]).lstrip().startswith("raise")


# The class ------------------------------------------------------------------------------------------------------------


def _check_class(typed: str, user: type) -> None:
    what, settings = f"{typed}: class {user.__name__}", vars(user).get("__dataclass_params__")
    if not callable(getattr(user, "rules", None)) or getattr(user, "rules", None) is Game.rules:
        raise SpecError(f"{what} has no method rules()")
    if settings is None or not settings.frozen or not settings.eq:
        raise SpecError(f"{what} is not a frozen dataclass; {FROZEN}")
    for field in (field for field in dataclasses.fields(user) if field.init):
        kind = getattr(field.type, "__name__", str(field.type)).strip("'\"")
        if hasattr(Game, field.name) or field.name in ("family", "rules"):
            raise SpecError(f"{what} has a parameter {field.name!r}, which every game has already; choose another name")
        if kind not in ("int", "bool", "str") or type(field.default).__name__ != kind:
            raise SpecError(
                f"{what}: write the parameter {field.name!r} as an int, bool or str with a default of its type"
            )
    for pair in (("parse_position", "format_position"), ("parse_move", "format_move")):
        if len(defined := [name for name in pair if getattr(user, name, None) not in (None, getattr(Game, name))]) == 1:
            raise SpecError(f"{what} has {defined[0]}() of {pair[0]}() and {pair[1]}(); write both, or none")
    look, family = getattr(user, "look", Game.look), getattr(user, "family", "game")
    if not isinstance(look, property) and not (isinstance(look, str) and look in LOOKS):
        raise SpecError(f"{what} has look={look!r}; it must be one of {', '.join(LOOKS)}")
    if not (isinstance(family, str) and re.fullmatch("[a-z0-9_]+", family)):
        raise SpecError(f"{what} has family={family!r}; it must consist of lower-case letters, digits and _")


def _family(typed: str, file: File, user: Any) -> type[Game]:
    """Return the user's class as a `Game` with an origin, and whose failures are errors of one line."""
    failing = [*file.contents]

    def rules(self: Any) -> Rules:
        with guarded(RulesError, "rules() failed"), overseen(failing):
            try:
                return check_rules(user.rules(self))
            except RulesError as error:
                raise RulesError(f"{typed}:{user.__name__}: {error}").showing(error.excerpt) from None

    @contextlib.contextmanager
    def guarded(kind: type[GametreeError], doing: str) -> Iterator[None]:
        try:
            yield
        except GametreeError:
            raise
        except (Exception, SystemExit) as error:
            if kind is not RulesError and _is_refusal(error, failing):
                raise kind(" ".join(str(error).split())) from None
            raise failure(kind, error, failing, f"{typed}:{user.__name__}: {doing}") from None

    def guard(name: str, kind: type[GametreeError]) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any) -> Any:
            with guarded(kind, f"{name}() failed"):
                answer = getattr(user, name)(self, *arguments)
            wrong = wrong_answer(name, answer, self.grid(*arguments[:1]) if name == "cell_of" else None)
            if wrong:
                raise RulesError(f"{typed}:{user.__name__}: {name}() gives {answer!r}; {wrong}")
            return answer

        return method

    def rules_hash(self: Any) -> str:
        signature = f"{user.__name__} {sorted(self.parameters().items())}"
        return hashlib.sha256(f"{signature} {file.digest(file.rules)}".encode()).hexdigest()

    namespace: dict[str, Any] = {
        "__reduce__": lambda self: (same_game, (typed, file.path, user.__name__, self.parameters(), self.rules_hash())),
        "__qualname__": user.__qualname__,
        "origin": f"{typed}:{user.__name__}",
        "origin_file": file.path,
        "rules": rules,
        "rules_hash": rules_hash,
    }
    kinds = {
        "__post_init__": SpecError, "parse_position": PositionError, "parse_move": PositionError,
        "format_position": RulesError, "format_move": RulesError, "format_positions": RulesError, "grid": RulesError,
        "cell_of": RulesError, "picture": RulesError, "caption": RulesError, "either_side": RulesError,
        "parse_either_side": PositionError, "expected_either_side": RulesError, "residual": RulesError,
    }  # fmt: skip
    for name, kind in kinds.items():
        if getattr(user, name, None) not in (None, getattr(Game, name, None)):
            namespace[name] = guard(name, kind)
    return _as_family(user, file.module.__name__, namespace)


def same_game(typed: str, path: str, name: str, parameters: dict[str, Any], rules_hash: str) -> Game:
    """Load a pickled game of a file: by the ``typed`` path if that is still its ``path``, with the ``name`` of the
    class and its ``parameters``. Raises `SpecError` if the rules have changed.
    """
    place = typed if os.path.abspath(typed) == path else path  # noqa: PTH100 - links stay as they are
    game = user_family(place, file := run_file(place), getattr(file.module, name, None))(**parameters)
    if game.rules_hash() != rules_hash:
        raise SpecError(f"{place} has changed since {name} was pickled: its rules are different now")
    return game


def _as_family(user: type, module: str, namespace: dict[str, Any]) -> type[Game]:
    """Make a class like the user's with this namespace, which inherits from `Game` what it lacks."""
    name = getattr(user, "family", None) or re.sub("[^a-z0-9_]", "", user.__name__.lower()) or "game"
    namespace |= {"family": name, "__module__": module, "__doc__": user.__doc__}
    bases = (user,) if issubclass(user, Game) else (user, Game)
    family: type[Game] = types.new_class(user.__name__, bases, {}, lambda body: body.update(namespace))
    return family


def as_game(user: Any) -> Game:
    """Return a `Game` for a plain dataclass with ``rules()`` in the running program. Raises `SpecError` for anything
    else.

    Args:
        user: An object of such a class, or the class itself for all defaults.
    """
    kind = user if isinstance(user, type) else type(user)
    if not dataclasses.is_dataclass(kind) or not hasattr(kind, "rules"):
        raise SpecError(f"{user!r} is not a game: give a specification, or a frozen dataclass with a method rules()")
    _check_class(kind.__module__, kind)
    key = ("", kind.__module__, kind.__qualname__, str(id(kind)))
    if key not in _FAMILIES:
        namespace: dict[str, Any] = {
            "rules": lambda self: check_rules(kind.rules(self)),
            "__reduce__": lambda self: (as_game, (kind(**self.parameters()),)),
        }
        _FAMILIES[key] = _as_family(kind, kind.__module__, namespace)
    fields = [] if isinstance(user, type) else [f.name for f in dataclasses.fields(user) if f.init]
    return _FAMILIES[key](**{name: getattr(user, name) for name in fields})
