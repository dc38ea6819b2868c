"""Offer the names of a package, loaded at first use, with docstrings for `help`, and the package under a
second name.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import lazy_loader  # type: ignore[import-untyped]


def attach(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, by the stub beside its ``file``."""
    find, names, public = lazy_loader.attach_stub(package, file)

    def get_attribute(name: str) -> object:
        value = find(name)
        if isinstance(value, type) and isinstance(docstring := vars(value).get("__doc__"), str):
            value.__doc__ = FieldDocs(docstring)  # type: ignore[assignment] # a descriptor
        return value

    return get_attribute, names, public


class FieldDocs:
    """The docstring of a class with those below its fields, which `help` leaves out, read from the source at need."""

    def __init__(self, docstring: str) -> None:
        self.docstring = docstring

    def __get__(self, instance: object, owner: type) -> str:
        import ast
        import inspect
        import textwrap

        try:
            (tree,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        except (OSError, SyntaxError):  # there is no source
            return self.docstring
        entries = [
            f"        {ast.unparse(field.target)}: {str(text.value.value).strip()}".replace("\n", "\n        ")
            for field, text in itertools.pairwise(getattr(tree, "body", ()))
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        ]
        return "\n".join([self.docstring.rstrip(), "", "    Fields:", *entries, ""]) if entries else self.docstring


def add_name(name: str) -> None:
    """Let ``name`` stand for this package, and ``name.x`` for its module ``x``, so that no module is loaded twice."""
    package = __name__.partition(".")[0]
    sys.modules[name] = sys.modules[package]
    sys.meta_path.insert(0, _SecondName(name, package))


class _SecondName(MetaPathFinder, Loader):
    """Finds the modules of a package under its second name."""

    def __init__(self, name: str, package: str) -> None:
        self.name, self.package = name, package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        room = fullname.removeprefix(f"{self.name}.")
        return None if room in (fullname, "__main__") else ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.package + spec.name.removeprefix(self.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state  # restore its own
