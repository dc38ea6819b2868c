"""The library under its installed name: ``gametree`` is the package `analysis`, ``gametree.playing`` is
`analysis.playing`, and so on: the same objects.

Another module called ``analysis``, such as a file of the user's, keeps that name. The package is then loaded from next
to this one, with all modules directly in it, through which the others are found.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis import *
    from analysis import __version__ as __version__

PACKAGE = "analysis"


class _Alias(MetaPathFinder, Loader):
    """Finds ``gametree.x`` as `analysis.x`, so that no module is loaded twice."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        room = fullname.removeprefix(f"{__name__}.")
        return None if room in (fullname, "__main__") else ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(PACKAGE + spec.name.removeprefix(__name__))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state  # restore its own


class _Later(ModuleType):
    """A module that runs on first access to its contents, since importing from the package only looks at it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # looked for by the import system
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return getattr(self, name)


def _package() -> ModuleType:
    """Return the package next to this one, whatever else has its name. Raises `ImportError` if another package of that
    name is loaded, since its modules have the same names as ours.
    """
    place = Path(__file__).resolve().parent.with_name(PACKAGE) / "__init__.py"
    other = sys.modules.get(PACKAGE)
    found = importlib.util.find_spec(PACKAGE) if other is None else other.__spec__
    if found is not None and found.origin is not None and Path(found.origin).resolve() == place:
        return importlib.import_module(PACKAGE)
    if hasattr(other, "__path__"):
        where = found and found.origin
        raise ImportError(f"another package called {PACKAGE} is loaded, {where}; import gametree first")
    package = _put(importlib.util.spec_from_file_location(PACKAGE, place))
    package.__spec__.loader.exec_module(package)  # type: ignore[union-attr]
    for room in pkgutil.iter_modules(package.__path__, f"{PACKAGE}."):
        if not room.name.endswith("__main__"):
            importlib.import_module(room.name)
    if other is not None:
        sys.modules[PACKAGE] = other
    elif found is not None and found.submodule_search_locations is None:
        _put(found).__class__ = _Later
    return package


def _put(spec: ModuleSpec | None) -> ModuleType:
    """Register a new module under the name of the package, without running it."""
    assert spec is not None
    sys.modules[PACKAGE] = module = importlib.util.module_from_spec(spec)
    return module


sys.meta_path.insert(0, _Alias())
sys.modules[__name__] = _package()
