"""One class name stands for one thing, no function takes more than a reader keeps in mind, no imports go in circles."""

import ast
import functools
import inspect
import pickle
import re
from collections import defaultdict
from pathlib import Path

import grimp
import networkx as nx
import pytest

import analysis
from analysis.errors import _IN_PYTHON, GametreeError, MissingDataError

PACKAGE = Path(__file__).parents[2] / "analysis"

MOST_PARAMETERS = 7
COMPILED = {"kernel", "njit"}
"""What compiles a function: a kernel is handed its arrays one by one."""


@functools.cache
def definitions() -> list[tuple[str, ast.ClassDef | ast.FunctionDef]]:
    """All classes and functions of the package, each with its file; not at the start, where every worker would look."""
    return [
        (path.relative_to(PACKAGE).as_posix(), node)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]


def test_no_class_name_twice():
    places = defaultdict(list)
    for path, node in definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(path)
    assert len(places) > 300
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_function_has_more_than_seven_parameters():
    """But for commands, whose parameters are options, and compiled kernels."""
    functions = [(path, node) for path, node in definitions() if isinstance(node, ast.FunctionDef)]
    assert len(functions) > 3000
    long = {
        f"{path}: {node.name}": number
        for path, node in functions
        if (number := len(parameters(node))) > MOST_PARAMETERS and not decorators(node) & {"command", *COMPILED}
    }
    assert long == {}


def test_no_circle_of_imports():
    """Imports inside functions count, those for types alone do not."""
    modules = grimp.build_graph("analysis", cache_dir=None, exclude_type_checking_imports=True)
    imports = nx.DiGraph()
    for module in modules.modules - {"analysis"}:
        found = modules.find_modules_directly_imported_by(module) - {"analysis"}
        imports.add_edges_from((module, imported) for imported in found)
    assert len(imports) > 200
    assert [circle for circle in nx.strongly_connected_components(imports) if len(circle) > 1] == []


def parameters(node: ast.FunctionDef) -> list[str]:
    """The names of all parameters but the object that a method is of."""
    given = node.args
    return [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs) if arg.arg not in ("self", "cls")]


def decorators(node: ast.FunctionDef) -> set[str]:
    """The names of what a function is decorated by."""
    called = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in called}


@pytest.mark.parametrize("kind", [analysis.Rules, analysis.Game])
def test_help_describes_what_an_author_writes(kind):
    described = inspect.getdoc(kind).partition("\nAttributes:\n")[2]
    named = re.findall(r"^ {4}(\w+): \S", described, re.MULTILINE)
    assert named == [name for name in inspect.get_annotations(kind) if not name.startswith("_")]


@pytest.mark.parametrize(
    ("kind", "own", "fields"),
    [
        (analysis.search.SearchRequest, "The searches to run", ["own: A search of the user", "own_start: Where"]),
        (analysis.Output, "Where a solution is written", ["tables: Further tables", "force: Whether"]),
        (analysis.audit.JudgedChoice, "One choice", ["others: The row's values"]),
    ],
)
def test_help_on_a_class_tells_its_fields(kind, own, fields):
    told = inspect.getdoc(kind)
    assert told.startswith(own)
    lines = [line.strip() for line in told.splitlines()]
    assert all(any(line.startswith(field) for line in lines) for field in fields)


def test_errors_tell_what_options_of_commands_are_in_python(capsys):
    solution = analysis.solve("tictactoe", counts=False)
    with pytest.raises(MissingDataError) as refused:
        _ = solution.games
    (note,) = refused.value.__notes__
    assert "counts=False" in note
    assert "Output(DIRECTORY, force=True)" in note
    assert "counts=False" not in str(refused.value)
    assert pickle.loads(pickle.dumps(refused.value)).__notes__ == [note]
    for text in ("an em - dash -- like this, and --format", "'--ab' is no position"):
        assert not hasattr(GametreeError(text), "__notes__")


def test_what_errors_say_of_python_is_there():
    public, waiting = set[str](), [analysis]
    for where in waiting:
        for found in (getattr(where, name) for name in getattr(where, "__all__", ())):
            if inspect.ismodule(found):
                waiting.append(found)
            elif inspect.isclass(found) or inspect.isfunction(found):
                methods = [each for each in vars(found).values() if inspect.isfunction(each)]
                public |= {name for each in (found, *methods) for name in inspect.signature(each).parameters}
    named = {name for text in _IN_PYTHON.values() for name in re.findall(r"(\w+)=", text)}
    assert len(named) > 40
    assert named - public == set()
