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
from analysis.errors import GametreeError, MissingDataError

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


def test_errors_name_arguments_in_python_and_options_in_commands(gametree):
    solution = analysis.solve("tictactoe", directory=analysis.Output("solved"), counts=False)
    with pytest.raises(MissingDataError) as refused:
        _ = solution.games
    for error in (refused.value, pickle.loads(pickle.dumps(refused.value))):
        assert "`counts=False`" in str(error)
        assert "`Output(..., force=True)`" in str(error)
        assert "--" not in str(error)
    refused_command = gametree("paths", "solved", "--count")
    assert "--no-counts" in refused_command.err
    assert "--force" in refused_command.err
    assert "`" not in refused_command.err
    assert "`counts=False`" in str(refused.value)
    for text in ("an em - dash -- like this, and --format", "'--ab' is no position", "`gametree solve --no-counts`"):
        assert str(GametreeError(text)) == text


def test_arguments_that_errors_name_are_there():
    """But for options that only commands have."""
    public, waiting = set[str](), [analysis]
    for where in waiting:
        for found in (getattr(where, name) for name in getattr(where, "__all__", ())):
            if inspect.ismodule(found):
                waiting.append(found)
            elif inspect.isfunction(found) or (inspect.isclass(found) and not issubclass(found, Exception)):
                methods = [each for each in vars(found).values() if inspect.isfunction(each)]
                public |= {name for each in (found, *methods) for name in inspect.signature(each).parameters}
    texts = [
        node.value
        for path in PACKAGE.rglob("*.py")
        if "cli" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value
    ]
    said = "\n".join(str(GametreeError(text)) for text in texts if str(GametreeError(text)) != text)
    named = {called[1] or called[2] for called in re.finditer(r"`(?:\w+\(.*?(\w+)=[^`]*|(\w+)(?:=\w+)?)`", said)}
    assert len(named) > 30
    assert named - public == {"count", "host", "port", "sample", "token", "you"}


def test_every_error_is_public():
    kinds = {kind.__name__ for kind in vars(analysis.errors).values() if inspect.isclass(kind)}
    assert {*analysis.errors.__all__} == {kind for kind in kinds if kind.endswith("Error")}
