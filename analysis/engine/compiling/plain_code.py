"""Check that functions of rules use only what compiled code can, and find all functions that they call."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import RulesError
from ...rules.fields import excerpt, place
from ...rules.game import popcount

MAY_USE = "compiled rules use whole numbers below 2**63, tuples of them, plain functions, loops and popcount()"
"""What a function of rules may use."""

BUILTINS = {"range", "len", "min", "max", "abs", "int", "bool", "divmod", "enumerate", "zip", "pow", "sum"}

NODES = (
    ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare,
    ast.Call, ast.keyword, ast.IfExp, ast.Constant, ast.Name, ast.Subscript, ast.Slice, ast.Tuple, ast.Starred,
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If, ast.Match, ast.match_case, ast.pattern,
    ast.Break, ast.Continue, ast.Return, ast.Pass, ast.Expr,
)  # fmt: skip
"""What may be written in a function of rules."""

MOST = 1 << 63


def check_function(function: types.FunctionType) -> None:
    """Raise `RulesError` at the first construct in a function that rules must not use. A function whose source cannot
    be found is not checked.
    """
    node = _definition(function)
    if node is None:
        return
    if node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
        raise refusal(function, node, f"arguments with * cannot be used in rules: {MAY_USE}")
    if isinstance(node, ast.Lambda):
        _Reader(function).visit(node.body)
        return
    for statement in node.body[ast.get_docstring(node, clean=False) is not None :]:
        _Reader(function).visit(statement)


def reached(functions: Iterable[Any]) -> list[types.FunctionType]:
    """Return these functions and all that they call, each once; anything but plain Python functions is left out."""
    collected: dict[int, types.FunctionType] = {}
    waiting = list(functions)[::-1]
    while waiting:
        function = waiting.pop()
        if not isinstance(function, types.FunctionType) or id(function) in collected or function is popcount:
            continue
        collected[id(function)] = function
        names = (function.__globals__.get(name) for name in function.__code__.co_names)
        waiting += [*names, *(cell.cell_contents for cell in function.__closure__ or () if _is_set(cell))]
    return list(collected.values())


def _is_set(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def refusal(function: types.FunctionType, node: ast.AST | int | None, message: str) -> RulesError:
    """Return an error at a place in a function, at a line given by its number, or at its first line."""
    path, name = function.__code__.co_filename, function.__name__
    line = node if isinstance(node, int) else getattr(node, "lineno", function.__code__.co_firstlineno)
    last = getattr(node, "end_col_offset", None) if getattr(node, "end_lineno", None) == line else None
    name = name if name.isidentifier() else ""
    shown = excerpt(path, line, getattr(node, "col_offset", None), last)
    return RulesError(f"{place(path, line, name)}: {message}").showing(shown)


def _definition(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda | None:
    code = function.__code__
    for node in _definitions(code.co_filename, "".join(linecache.getlines(code.co_filename))):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
        arguments = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))
        if (first, name, arguments) == (code.co_firstlineno, code.co_name, code.co_varnames[: code.co_argcount]):
            return node
    return None


@functools.lru_cache(maxsize=64)
def _definitions(path: str, source: str) -> list[ast.FunctionDef | ast.Lambda]:
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError):  # the file has changed since it was run
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]


class _Reader(ast.NodeVisitor):
    """Reads the body of one function and raises at the first construct that must not be in it."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function, self.locals = function, {*function.__code__.co_varnames, *function.__code__.co_cellvars}
        self.outside = {**vars(builtins), **function.__globals__}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.outside.pop(name, None)
            if _is_set(cell):
                self.outside[name] = cell.cell_contents

    def visit(self, node: ast.AST) -> None:
        """Check a node and those within it."""
        if not isinstance(node, NODES) or self._is_wrong(node):
            text = ast.unparse(node).splitlines()[0][:40]
            raise refusal(self.function, node, f"{text} cannot be used in rules: {MAY_USE}")
        if isinstance(node, ast.AnnAssign):  # the annotation may hold anything
            node = ast.Expr(node.value or node.target)
        self.generic_visit(node)

    def _is_wrong(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant(value=value):
                return not _is_usable(value)
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()) | ast.BinOp(op=ast.Pow(), right=ast.UnaryOp()):
                return True  # fractions
            case ast.Name(id=name) if name not in self.locals:
                if name not in self.outside:
                    raise refusal(self.function, node, f"{name!r} is not defined")
                is_builtin = getattr(builtins, name, None) is self.outside[name]
                return name not in BUILTINS if is_builtin else not _is_usable(self.outside[name])
        return False


def _is_usable(value: Any) -> bool:
    """Return whether a function of rules can take a value from outside."""
    if isinstance(value, int | np.integer):
        return bool(-MOST <= value < MOST)
    if isinstance(value, tuple):
        return all(map(_is_usable, value))
    return isinstance(value, np.ndarray | types.FunctionType) or hasattr(value, "py_func")
