"""A program that uses every public name of the library, for type checkers."""

import inspect
from types import ModuleType

import analysis

ROOMS = ("bidding", "errors", "playing", "search")


def public_names() -> list[tuple[str, object]]:
    """All public names as people write them after ``import analysis``, each with what it stands for."""
    modules: list[tuple[str, ModuleType]] = [("analysis", analysis)]
    modules += [(f"analysis.{room}", getattr(analysis, room)) for room in ROOMS]
    return [(f"{path}.{name}", getattr(module, name)) for path, module in modules for name in offered(module)]


def offered(module: ModuleType) -> list[str]:
    """The names that a module offers: those that it lists, or else all that it defines."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return sorted(getattr(module, "__all__", own))


def members(kind: type) -> list[str]:
    """The public members of a class that an object of it has, defined in this package."""
    fields = [name for each in kind.__mro__ for name in inspect.get_annotations(each)]
    defined = [name for each in kind.__mro__ if each.__module__.startswith("gametree") for name in vars(each)]
    return sorted({name for name in (*fields, *defined) if not name.startswith("_")})


UNTYPED = ("batches", "to_arrow")
"""Members that give what pyarrow makes, which has no types."""


def program(package: str) -> str:
    """A program that imports the library as ``package`` and prints every name, and every member of each class."""
    lines = [f"import {package}", *(f"import {package}.{room}" for room in ROOMS), ""]
    for number, (name, value) in enumerate(public_names()):
        path = name.replace("analysis", package, 1)
        if isinstance(value, type) and (found := members(value)):
            lines += ["", f"def use_{number}(given: {path}) -> None:"]
            lines += [f"    print(given.{member})" for member in found if member not in UNTYPED]
            lines += [""]
        lines += [f"print({path})"]
    return "\n".join(lines) + "\n"
