"""Offer the names of a package, each loaded when it is first used, with docstrings for `help`."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import lazy_loader  # type: ignore[import-untyped]


def attach(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, by the stub beside its ``file``."""
    find, names, public = lazy_loader.attach_stub(package, file)

    def found(name: str) -> object:
        value = find(name)
        if isinstance(value, type) and isinstance(own := vars(value).get("__doc__"), str):
            value.__doc__ = FieldDocs(own)  # type: ignore[assignment] # which is asked for the text
        return value

    return found, names, public


class FieldDocs:
    """The docstring of a class with those below its fields, which `help` leaves out, read from the source at need."""

    def __init__(self, own: str) -> None:
        self.own = own

    def __get__(self, instance: object, owner: type) -> str:
        import ast
        import inspect
        import textwrap

        try:
            (tree,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        except (OSError, SyntaxError):  # there is no source
            return self.own
        said = [
            f"        {ast.unparse(field.target)}: {str(text.value.value).strip()}".replace("\n", "\n        ")
            for field, text in itertools.pairwise(getattr(tree, "body", ()))
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        ]
        return "\n".join([self.own.rstrip(), "", "    Fields:", *said, ""]) if said else self.own
