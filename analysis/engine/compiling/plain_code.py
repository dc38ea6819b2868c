"""Check that the functions of rules use only whole numbers, tuples of them, `popcount`, and each other.

Numba accepts more than the engine can use, and some of it changes its meaning when compiled: ``/`` is rounded down to a
whole number, an exception is swallowed and the function returns 0, a list is allocated for every state. So functions
are read before they are compiled, and whatever they must not use is refused at its line, in plain words.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import linecache
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import RulesError
from ...rules.fields import excerpt, place
from ...rules.game import popcount

BUILTINS = {"range", "len", "min", "max", "abs", "int", "bool", "divmod", "enumerate", "zip", "pow", "sum"}
INSTEAD = {
    "bin": "count bits with popcount() from analysis",
    "str": "texts belong into format_position() and format_move()",
    "reversed": "count down with range(n - 1, -1, -1)",
    "round": "divide whole numbers with //",
}
CONSTRUCTS: tuple[tuple[tuple[type[ast.AST], ...], str], ...] = (
    ((ast.List, ast.ListComp), "a list cannot be used in rules; write a tuple, made before the function, or a loop"),
    ((ast.Dict, ast.DictComp), "a dictionary cannot be used in rules; use a tuple indexed by numbers"),
    ((ast.Set, ast.SetComp), "a set cannot be used in rules; use a tuple, or the bits of a number"),
    ((ast.GeneratorExp, ast.Yield, ast.YieldFrom), "a generator cannot be used in rules; write a loop"),
    ((ast.JoinedStr,), "text cannot be used in rules; they work on whole numbers"),
    ((ast.Try, ast.Raise, ast.Assert, ast.With), "compiled rules raise and catch no exceptions; test with if"),
    ((ast.Import, ast.ImportFrom), "import at the top of the file, not inside a function of the rules"),
    ((ast.Global, ast.Nonlocal), "rules cannot change variables outside the function; what changes is in the state"),
    ((ast.FunctionDef, ast.Lambda, ast.ClassDef), "a function or class inside one of the rules; define it outside"),
    ((ast.NamedExpr, ast.Delete, ast.Await), "this cannot be used in rules; write plain assignments"),
)
KINDS: dict[type, str] = {
    list: "a list; make it a tuple",
    dict: "a dictionary; use a tuple indexed by numbers",
    set: "a set; use a tuple, or the bits of a number",
    str: "a text; rules work on whole numbers",
    float: "a fraction; rules count in whole numbers",
    types.ModuleType: "a module; rules work on whole numbers, tuples of them and popcount() from analysis",
}
MOST = 1 << 63


def check_function(function: types.FunctionType) -> None:
    """Raise `RulesError` at the first construct in a function that rules must not use. A function whose source cannot
    be found is not checked.
    """
    node = _definition(function)
    if node is not None:
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
            raise refusal(function, node, "functions of rules take plain arguments, without *")
        reader = _Reader(function)
        if isinstance(node, ast.Lambda):
            reader.visit(node.body)
            return
        for statement in node.body[ast.get_docstring(node, clean=False) is not None :]:
            reader.visit(statement)
        _check_returns(function, node)


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

    def refuse(self, node: ast.AST, message: str) -> RulesError:
        return refusal(self.function, node, message)

    def visit(self, node: ast.AST) -> None:
        for kinds, words in CONSTRUCTS:
            if isinstance(node, kinds):
                raise self.refuse(node, words)
        super().visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, int):
            shown = "text" if isinstance(node.value, str) else f"{ast.unparse(node)}, no whole number,"
            raise self.refuse(node, f"{shown} cannot be used in rules; they work on whole numbers")
        if node.value >= MOST:
            raise self.refuse(node, f"{node.value!r} takes more than 63 bits")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # the annotation may hold anything
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._check_operator(node, node.op, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._check_operator(node, node.op, node.value)

    def _check_operator(self, node: ast.BinOp | ast.AugAssign, operator: ast.operator, right: ast.expr) -> None:
        self.generic_visit(node)
        if isinstance(operator, ast.Div):
            raise self.refuse(node, "/ makes a fraction; write //, which divides whole numbers")
        if isinstance(operator, ast.Pow) and isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.USub):
            raise self.refuse(node, "a negative power is a fraction; rules count in whole numbers")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        text, owner = ast.unparse(node), ast.unparse(node.value)
        if node.attr == "bit_count":
            raise self.refuse(node, f"numbers have no methods here; write popcount({owner}), from analysis")
        if owner in self.outside and owner not in self.locals:
            value = self.outside[owner]
            if callable(getattr(value, node.attr, None)) and not isinstance(value, types.ModuleType):
                message = f"{text}() cannot be called here; write {node.attr} as a plain function, outside the class"
                raise self.refuse(node, message)
            if not isinstance(value, types.ModuleType | int | tuple | list | dict | set | str):
                before = f"{node.attr} = {text} before the function, inside rules(), and use {node.attr}"
                raise self.refuse(node, f"rules cannot read {text} while they run; write {before}")
        self.visit(node.value)
        raise self.refuse(node, f"{text} cannot be used in rules: whole numbers and tuples have no methods here")

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if name in self.locals:
            return
        if name not in self.outside:
            names = {*self.locals, *self.outside} - {*vars(builtins)} | BUILTINS
            close = difflib.get_close_matches(name, sorted(names), n=1)
            raise self.refuse(node, f"{name!r} is not defined" + (f"; did you mean {close[0]!r}?" if close else ""))
        value = self.outside[name]
        if getattr(builtins, name, None) is value and name not in BUILTINS:
            raise self.refuse(node, f"{name}() cannot be used in rules; {INSTEAD.get(name, 'write a loop')}")
        wrong = None if name in BUILTINS else _wrong_kind(value)
        if wrong:
            raise self.refuse(node, f"{name!r} cannot be used in rules: {wrong}")


def _wrong_kind(value: Any) -> str | None:
    """Return what is wrong with a value that a function takes from outside, or None."""
    if isinstance(value, int | np.integer):
        return None if -MOST <= value < MOST else f"it is {value}, which takes more than 63 bits"
    if isinstance(value, tuple):
        wrong = next(filter(None, map(_wrong_kind, value)), None)
        return wrong and wrong.replace("it is", "it holds", 1)
    if isinstance(value, np.ndarray | types.FunctionType) or hasattr(value, "py_func"):
        return None
    for kind, words in KINDS.items():
        if isinstance(value, kind):
            return f"it is {words}"
    if isinstance(value, types.MethodType):
        return "it is a method; write a plain function, outside the class or inside rules()"
    description = f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
    return f"it is {description}; rules work on whole numbers and tuples of them"


def _check_returns(function: types.FunctionType, node: ast.FunctionDef) -> None:
    """Check that a function that returns a number does so on every path."""
    returns = [inner for inner in ast.walk(node) if isinstance(inner, ast.Return)]
    if not any(statement.value is not None for statement in returns):
        return
    for statement in returns:
        if statement.value is None:
            raise refusal(function, statement, "returns nothing here, but a number elsewhere")
    if not _ends(node.body):
        message = "returns a number on some paths only; write a return at the end too"
        raise refusal(function, node.body[-1], message)


def _ends(body: list[ast.stmt]) -> bool:
    """Return whether no path runs past the end of some statements."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.While):
        endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return endless and not any(isinstance(node, ast.Break) for node in ast.walk(last))
    if isinstance(last, ast.Match):
        everything = last.cases[-1].pattern
        complete = isinstance(everything, ast.MatchAs) and everything.pattern is None and last.cases[-1].guard is None
        return complete and all(_ends(case.body) for case in last.cases)
    if isinstance(last, ast.For | ast.While) and last.orelse:
        return _ends(last.orelse)
    return isinstance(last, ast.Return)
