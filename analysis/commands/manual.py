"""The pages of docs/commands, written from the program's own help: ``python -m analysis.commands.manual [--check]``.

What is printed on a page is taken from the names, the help and the defaults that the commands declare. How Typer spells
a usage line and the type of a value changes from version to version, so that is spelled here.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from pathlib import Path
from typing import Any

from analysis.errors import GametreeError, StoreError

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "commands"
INDEX = "README.md"
PROGRAM = "gametree"
REFRESH = "make docs"

GUIDES = {
    "games": ("your-own-game.md",),
    "solve": ("solution-directory.md", "conventions.md", "bidding.md", "engine.md"),
    "stats": ("conventions.md",),
    "paths": ("conventions.md",),
    "show": ("conventions.md", "pruning.md", "bidding.md"),
    "play": ("playing.md", "bidding.md"),
    "match": ("playing.md", "bidding.md"),
    "audit": ("playing.md",),
    "prune": ("pruning.md",),
    "report": ("file-formats.md", "conventions.md"),
    "export": ("file-formats.md",),
    "richman": ("bidding.md",),
    "bot": ("bidding.md",),
    "check": ("your-own-game.md",),
    "verify": ("solution-directory.md",),
}
"""Pages of docs/ that explain more; a command need not have one."""

NOTICE = f"<!-- Generated from `{PROGRAM} {{}}--help` by analysis/commands/manual.py: run `{REFRESH}`, do not edit. -->"
RANGE = re.compile(r"(-?[\d.]+<=?)?x([<>]=?-?[\d.]+)?")
CHOICES = re.compile(r"([^<>\[\]]*\|[^<>\[\]]*)[>\]]+$")


# What a command declares ----------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Parameter:
    """An argument or an option, as its page describes it."""

    names: tuple[str, ...]
    """Of an option, the long ones first; an argument has none."""
    value: str
    """What stands for its value; empty for a flag."""
    help: str
    default: str = ""
    range: str = ""
    """Which numbers may be given, such as ``N>=1``."""
    required: bool = False
    several: bool = False
    """Whether an option may be repeated, or an argument stands for any number of words."""

    @property
    def usage(self) -> str:
        """An argument in the usage line."""
        return (self.value if self.required else f"[{self.value}]") + "..." * self.several


@dataclasses.dataclass(frozen=True)
class Command:
    """One command of the program."""

    name: str
    description: tuple[str, ...]
    """Paragraphs; the first is what the list of commands says of it."""
    example: str
    arguments: tuple[Parameter, ...]
    options: tuple[Parameter, ...]

    @property
    def usage(self) -> str:
        """How it is called."""
        return " ".join([PROGRAM, self.name, "[OPTIONS]", *(argument.usage for argument in self.arguments)])


def find_commands(app: Any = None) -> list[Command]:
    """The commands of a Typer application (default: of gametree), in the order of its help; hidden ones left out."""
    import typer

    if app is None:
        import cli  # noqa: F401 - registers them
        from analysis.commands.app import app
    group: Any = typer.main.get_command(app)
    context = group.make_context(PROGRAM, [], resilient_parsing=True)
    names = [name for name in group.list_commands(context) if not group.commands[name].hidden]
    return [_command(name, group.commands[name], context) for name in names]


def _command(name: str, command: Any, parent: Any) -> Command:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    records = [(parameter, parameter.get_help_record(context)) for parameter in command.get_params(context)]
    shown = [(parameter, record) for parameter, record in records if record is not None]
    found: dict[str, list[Parameter]] = {"argument": [], "option": []}
    for parameter, record in shown:
        found[parameter.param_type_name].append(_parameter(parameter, *record))
    paragraphs = [" ".join(text.split()) for text in (command.help or "").split("\n\n")]
    example = (command.epilog or "").removeprefix("Example:").strip()
    return Command(name, tuple(paragraphs), example, tuple(found["argument"]), tuple(found["option"]))


def _parameter(parameter: Any, head: str, text: str) -> Parameter:
    """From the record that click makes for its help: names and type, then the help with ``[default: 1; x>=0]``."""
    is_option = parameter.param_type_name == "option"
    names = sorted((*parameter.opts, *parameter.secondary_opts), key=lambda name: not name.startswith("--"))
    choices = CHOICES.search(head)
    value = parameter.metavar or (choices[1] if choices else names[0].lstrip("-").upper())
    words = " ".join((parameter.help or "").split())
    facts = re.sub(r"^\[|\]$", "", " ".join(text.split()).removeprefix(words).strip()).split("; ")
    limits = [fact for fact in facts if fact and RANGE.fullmatch(fact)]
    default = "; ".join(fact for fact in facts if fact != "required" and fact not in limits).removeprefix("default: ")
    return Parameter(
        names=tuple(names) if is_option else (),
        value="" if is_option and (parameter.is_flag or getattr(parameter, "count", False)) else value,
        help=words,
        default=default,
        range=limits[0].replace("x", value) if limits else "",
        required=parameter.required,
        several=bool(getattr(parameter, "multiple", False)) or parameter.nargs != 1,
    )


# Markdown -------------------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    r"""Text that looks in Markdown as it does in a terminal; what is in backticks is code.

    >>> print(plain("2*3*4 <b> in `a*b`"))
    2\*3\*4 \<b> in `a*b`
    """
    parts = re.split(r"`([^`]+)`", text)
    return "".join(code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    text = re.sub(r"[\\`*\[\]<~$&]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", text)
    return re.sub(r"^(\d+)([.)]\s)|^([#>+=-])", lambda m: f"{m[1] or ''}\\{m[2] or m[3]}", text)  # starts no list


def code(text: str) -> str:
    """Text as code.

    >>> print(code("a*b"), code("a `quoted` word"))
    `a*b` `` a `quoted` word ``
    """
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    escaped = [[cell.replace("|", "\\|") for cell in cells] for cells in [head, *rows]]  # in code too
    lines = ["| " + " | ".join(cells) + " |" for cells in escaped]
    return [lines[0], "|" + "---|" * len(head), *lines[1:]]


def page(command: Command) -> str:
    """The page of one command."""
    lines = [NOTICE.format(command.name + " "), "", f"# {PROGRAM} {command.name}", ""]
    for paragraph in command.description:
        lines += [plain(paragraph), ""]
    lines += ["```", command.usage, "```", ""]
    if command.example:
        lines += ["```console", f"$ {command.example}", "```", ""]
    if command.arguments:
        rows = [[code(one.value), plain(_said(one))] for one in command.arguments]
        lines += ["## Arguments", "", *_table(["argument", "what it is"], rows), ""]
    rows = [_option_row(one) for one in command.options]
    lines += ["## Options", "", *_table(["option", "value", "what it does", "default"], rows), ""]
    return "\n".join([*lines, _footer(command.name)]) + "\n"


def _said(argument: Parameter) -> str:
    """The help of an argument, and what the usage line says in brackets and dots."""
    number = ("May be left out.", "", "Any number of them.", "One or more.")[2 * argument.several + argument.required]
    facts = [argument.help, f"`{argument.range}`." if argument.range else "", number]
    facts += [f"By default `{argument.default}`."] if argument.default else []
    return " ".join(fact for fact in facts if fact)


def _option_row(option: Parameter) -> list[str]:
    value = code(option.range or option.value) if option.value else ""
    names = ", ".join(map(code, option.names))
    required = " Required." if option.required else ""
    repeated = ", repeatable" if option.several and option.value else ""
    return [names, value + repeated, plain(option.help) + required, code(option.default) if option.default else ""]


def _footer(name: str) -> str:
    links = [f"[{target}](../{target})" for target in GUIDES.get(name, ())]
    return "".join(["More in " + ", ".join(links) + ". "] if links else []) + f"[All commands]({INDEX})."


def index(commands: list[Command]) -> str:
    """The list of commands."""
    rows = [[f"[{command.name}]({command.name}.md)", plain(command.description[0])] for command in commands]
    lines = [NOTICE.format(""), "", "# Commands", "", "```", f"{PROGRAM} [OPTIONS] COMMAND [ARGS]...", "```", ""]
    lines += [f"`{PROGRAM} COMMAND --help` prints what is on the page of a command.", ""]
    return "\n".join([*lines, *_table(["command", "what it does"], rows)]) + "\n"


# Files ----------------------------------------------------------------------------------------------------------------


def render_pages(app: Any = None) -> dict[str, str]:
    """Every page by the name of its file."""
    commands = find_commands(app)
    return {INDEX: index(commands)} | {f"{command.name}.md": page(command) for command in commands}


def find_stale(pages: dict[str, str], folder: Path = FOLDER) -> list[str]:
    """The names of files that are missing, that differ, or that no command has any more, sorted."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in pages.keys() | there.keys() if pages.get(name) != there.get(name))


def write_pages(pages: dict[str, str], folder: Path = FOLDER) -> list[str]:
    """Bring the folder up to date; returns the names of the files that were written or removed. Raises `StoreError`."""
    from analysis.machine.files import write_bytes

    if not folder.parent.is_dir():
        raise StoreError(f"there is no directory {folder.parent}; the pages are part of a checkout, not of a package")
    folder.mkdir(exist_ok=True)
    changed = find_stale(pages, folder)
    for name in changed:
        if name in pages:
            write_bytes(folder / name, pages[name].encode())
        else:
            (folder / name).unlink()
    return changed


def main(words: list[str] | None = None) -> int:
    """Write the pages, or with ``--check`` say which are stale; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m analysis.commands.manual", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    check = parser.parse_args(words).check
    try:
        found = find_stale(render_pages()) if check else write_pages(render_pages())
    except GametreeError as error:
        print(f"gametree: {error}", file=sys.stderr)
        return error.exit_code
    if check and found:
        print(f"gametree: stale in docs/commands: {', '.join(found)}; run `{REFRESH}`", file=sys.stderr)
        return 1
    if not check:
        print(f"docs/commands: {len(found)} pages changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
