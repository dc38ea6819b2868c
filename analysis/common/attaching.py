"""Offer the names of a package, loaded at first use, with docstrings for `help`, and the package under a
second name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import lazy_loader  # type: ignore[import-untyped]


def attach(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, by the stub beside its ``file``."""
    return lazy_loader.attach_stub(package, file)  # type: ignore[no-any-return]


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
