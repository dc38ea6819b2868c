"""The pages of docs/commands are what the program's help says, and look in Markdown as it does in a terminal."""

from __future__ import annotations

import doctest
import enum
import functools
import itertools
import math
import re
import shlex
import subprocess
import sys
from typing import Annotated

import pytest
import typer
from markdown_it import MarkdownIt

from analysis.commands import manual
from analysis.errors import StoreError
from tests.support.oracle import Oracle
from tests.support.program import ROOT

PAGES = ROOT / "docs" / "commands"
COMMANDS = [command.name for command in manual.find_commands()]


def rows(text: str) -> list[list[str]]:
    """The cells of every table of a page, rendered: what a reader sees of them."""
    found, parser = [], MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for token in parser.parse(text):
        if token.type == "tr_open":
            found.append([])
        elif token.type == "inline" and token.level == 3 + 1:
            found[-1].append(seen(token))
    return found


def seen(token) -> str:
    """The characters that are shown; markup within them would be a mistake, and is spelled out."""
    kinds = {"text", "text_special", "code_inline", "link_open", "link_close"}
    return "".join(part.content if part.type in kinds else f"<{part.type}>" for part in token.children)


# The pages in the checkout --------------------------------------------------------------------------------------------


def test_no_page_is_stale_missing_or_superfluous():
    stale = manual.find_stale(manual.render_pages())
    assert not stale, f"docs/commands: {', '.join(stale)} differ from the program's help; run `make docs`"


def test_there_is_a_page_for_each_command_in_the_order_of_the_help(gametree, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    listed = re.findall(r"^│ (\w+) ", gametree("--help").out.partition("Commands")[2], re.MULTILINE)
    assert listed == COMMANDS
    assert {path.name for path in PAGES.iterdir()} == {"README.md", *(f"{name}.md" for name in listed)}
    index = rows((PAGES / "README.md").read_text())
    assert [name for name, _ in index] == ["command", *listed]


@pytest.mark.parametrize("name", COMMANDS)
def test_all_that_the_help_prints_is_on_the_page(name, gametree, monkeypatch):
    """Options are read from the printed help, not from the objects that the page is made of."""
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("TERMINAL_WIDTH", "1000")
    printed, text = gametree(name, "--help").out, (PAGES / f"{name}.md").read_text()
    table = rows(text)
    lines = [line for line in printed.splitlines() if line.startswith("│")]
    options = [re.findall(r"--?[a-z][\w-]*(?=[, ]|$)", line.partition("  ")[0] + "  ") for line in lines]
    options = [[*names, *short(line)] for names, line in zip(options, lines, strict=True) if names]
    on_page = {first: words for first, *words in table}
    assert len(options) > 1
    for names in options:
        assert ", ".join(names) in on_page, names
    said = [spaceless(line.strip("│ ")) for line in lines]
    for cells in table:
        if len(cells) == 4 and cells[0] != "option":
            assert any(spaceless(cells[2]) in line for line in said), cells
    assert len(options) == sum(len(cells) == 4 for cells in table) - 1


def short(line: str) -> list[str]:
    """The one-letter name, which stands in a column of its own."""
    return re.findall(r"^│ \*? *--\S+ +(-\w) ", line)


def spaceless(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_page_names_its_command_and_its_options(name):
    text = (PAGES / f"{name}.md").read_text()
    example = re.search(r"```console\n\$ (.*)\n```", text)[1]
    words = shlex.split(example)
    assert words[:2] == ["gametree", name]
    assert {word for word in words if word.startswith("--")} <= {
        word for cells in rows(text) for word in cells[0].split(", ")
    }


@pytest.mark.parametrize("name", ["README", *COMMANDS])
def test_links_of_the_pages_lead_somewhere(name):
    targets = re.findall(r"\]\(([^)]+)\)", (PAGES / f"{name}.md").read_text())
    assert targets
    for target in targets:
        assert (PAGES / target).is_file(), target


def test_guides_are_of_commands_and_are_there():
    assert manual.GUIDES.keys() <= set(COMMANDS)
    for target in {target for targets in manual.GUIDES.values() for target in targets}:
        assert (ROOT / "docs" / target).is_file(), target


@pytest.mark.parametrize("name", ["README", *COMMANDS])
def test_a_page_is_no_doctest_and_its_tables_are_even(name):
    text = (PAGES / f"{name}.md").read_text()
    assert ">>>" not in text
    assert text.startswith("<!-- Generated from ")
    raw = [line for line in text.splitlines() if line.startswith("|")]
    widths = [len(re.findall(r"(?<!\\)\|", line)) for line in raw]
    shown = rows(text)
    assert len(shown) == sum("---" not in line for line in raw)
    assert [len(cells) + 1 for cells in shown] == [w for w, line in zip(widths, raw, strict=True) if "---" not in line]


# A program made to be difficult ---------------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


AWKWARD = r"2*3*4 <b> & &lt; a|b \| _x_ __y__ [z](w) ~~no~~ $x$ ![i](j) # 1. `code|d` an ` alone"


@pytest.fixture
def awkward():
    app = typer.Typer()

    @app.command(epilog="Example:  gametree first 'a|b' --colour red")
    def first(
        name: Annotated[str, typer.Argument(metavar="A|B<C>", help=AWKWARD)],
        rest: Annotated[list[str] | None, typer.Argument(help="The rest.")] = None,
        colour: Annotated[Colour, typer.Option(help="One of them.")] = Colour.RED,
        number: Annotated[int, typer.Option("--number", "-n", metavar="N", min=1, max=9, help=AWKWARD)] = 5,
        text: Annotated[str, typer.Option(help="[odd] brackets; at the end [too]")] = "a; b|c",
        many: Annotated[list[int] | None, typer.Option("--many", help="Several.")] = None,
        needed: Annotated[str, typer.Option("--needed", help="Needed.")] = ...,
        flag: Annotated[bool, typer.Option("--flag/--no-flag", help="Yes or no.")] = False,
        secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
    ) -> None:
        """1. begins like a list, 2*3*4.

        - begins like another, with
        a second line and `a|b`.
        """

    @app.command(hidden=True)
    def unseen() -> None:
        """Not for readers."""

    @app.command()
    def last() -> None:
        """Nothing."""

    return app


def test_whatever_the_help_holds_is_shown_as_it_is(awkward):
    pages = manual.render_pages(awkward)
    assert list(pages) == ["README.md", "first.md", "last.md"]
    shown = AWKWARD.replace("`code|d`", "code|d")
    table = rows(pages["first.md"])
    assert table == [
        ["argument", "what it is"],
        ["A|B<C>", shown],
        ["REST", "The rest. Any number of them."],
        ["option", "value", "what it does", "default"],
        ["--colour", "red|blue", "One of them.", "red"],
        ["--number, -n", "1<=N<=9", shown, "5"],
        ["--text", "TEXT", "[odd] brackets; at the end [too]", "a; b|c"],
        ["--many", "MANY, repeatable", "Several.", ""],
        ["--needed", "NEEDED", "Needed. Required.", ""],
        ["--flag, --no-flag", "", "Yes or no.", "no-flag"],
        ["--help", "", "Show this message and exit.", ""],
    ]
    assert "gametree first [OPTIONS] A|B<C> [REST]...\n" in pages["first.md"]
    assert "$ gametree first 'a|b' --colour red\n" in pages["first.md"]
    assert "More in" not in pages["first.md"]


def test_paragraphs_are_paragraphs(awkward):
    tokens = MarkdownIt("commonmark").parse(manual.render_pages(awkward)["first.md"])
    assert not [token.type for token in tokens if "list" in token.type or "quote" in token.type]
    paragraphs = [seen(after) for token, after in itertools.pairwise(tokens) if token.type == "paragraph_open"]
    assert paragraphs[:2] == ["1. begins like a list, 2*3*4.", "- begins like another, with a second line and a|b."]


# Files ----------------------------------------------------------------------------------------------------------------


def test_the_folder_is_brought_up_to_date(awkward, tmp_path):
    pages, folder = manual.render_pages(awkward), tmp_path / "commands"
    assert manual.find_stale(pages, folder) == sorted(pages)
    assert manual.write_pages(pages, folder) == sorted(pages)
    assert manual.write_pages(pages, folder) == manual.find_stale(pages, folder) == []
    (folder / "gone.md").write_text("a page of a command that is gone")
    (folder / "last.md").write_text("older")
    (folder / "picture.svg").write_text("not a page")
    assert manual.write_pages(pages, folder) == ["gone.md", "last.md"]
    assert sorted(path.name for path in folder.iterdir()) == [*sorted(pages), "picture.svg"]


def test_an_installed_package_has_no_pages_to_write(tmp_path):
    with pytest.raises(StoreError, match="part of a checkout"):
        manual.write_pages({}, tmp_path / "no" / "commands")


def test_check_names_the_stale_pages(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(manual, "find_stale", lambda pages: ["play.md"] if "play.md" in pages else [])
    assert manual.main(["--check"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "gametree: stale in docs/commands: play.md; run `make docs`\n"


def test_it_runs_as_a_module_and_gives_the_same_bytes_each_time():
    """In processes of their own, since the order of sets differs between them."""
    run = subprocess.run(
        [sys.executable, "-m", "analysis.commands.manual", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


# The numbers of docs/conventions.md that look alike -------------------------------------------------------------------

LOOK_ALIKES = (ROOT / "docs" / "conventions.md").read_text().split("## Numbers that look alike")[1].split("\n## ")[0]
LISTED = re.findall(r"^\| ([\d,]+) \| (.*?) \| (.*?) ?\|", LOOK_ALIKES, re.MULTILINE)


@pytest.fixture(scope="module")
def counted():
    """What each number counts, counted without gametree: boards as strings, sequences one at a time."""
    game = Oracle(3, 3, 3)
    stats, tiers = game.statistics("geometric"), game.tiers()
    boards = ["".join(marks) for marks in itertools.product("?XO", repeat=9)]
    even = [board for board in boards if board.count("X") - board.count("O") in (0, 1)]
    positions = {board for tier in tiers for board in tier}
    on = {board for board in positions if game.outcome(board) is None}
    exchanged = {board.translate(str.maketrans("XO", "OX")) for board in positions}
    group = game.permutations("geometric")
    kind = {board: min(game.moved(board, turn) for turn in group) for board in positions}
    classes, open_classes = set(kind.values()), {kind[board] for board in on}
    to_x = [board for board in open_classes if game.to_move(board) == "X"]
    edges = [(board, child) for board in on for child in game.children(board)]
    falling = [math.factorial(9) // math.factorial(9 - plies) for plies in range(10)]
    return {
        len(boards), len(positions | exchanged), len(even), len(positions), len(positions) - 1, len(on),
        sum(not game.outcome(board) for board in positions),  # goes on, or a tie
        len(positions - on), len(classes), len(open_classes), len(classes - open_classes), len(to_x),
        sum(board.count("?") > 1 for board in to_x),
        sum(falling), falling[-1], game.minimax_nodes(game.start), game.minimax_nodes(game.start) - 1,
        sum(game.outcomes(game.start).values()), sum(tier[board] for tier in tiers for board in tier if board in on),
        stats["games_up_to_symmetry"], stats["quotient_paths"], game.optimal_paths(game.start),
        game.alphabeta(game.start, -math.inf, math.inf)[1], game.alphabeta(game.start, -1, 1)[1],
        leaves_of_alphabeta(game, game.start, -math.inf, math.inf)[1], len(edges), len(edges) + 1,
        sum(kind[board] == board for board, _ in edges), len({(kind[a], kind[b]) for a, b in edges}),
        least(game),
    }  # fmt: skip


def leaves_of_alphabeta(game, board, alpha, beta):
    if game.outcome(board) is not None:
        return game.outcome(board), 1
    side, leaves = 1 if game.to_move(board) == "X" else -1, 0
    best = -side * math.inf
    for child in game.children(board):
        value, below = leaves_of_alphabeta(game, child, alpha, beta)
        best, leaves = max(side * best, side * value) * side, leaves + below
        alpha, beta = (max(alpha, best), beta) if side > 0 else (alpha, min(beta, best))
        if alpha >= beta:
            break
    return best, leaves


def least(game):
    """Nodes of the smallest pair of strategies that prove the value of the empty board."""

    @functools.cache
    def bound(board, value, owner):
        """Of one strategy: one move where its owner moves, every move of the other side."""
        sizes = [bound(child, value, owner) for child in game.children(board)]
        if game.to_move(board) == owner:
            kept = [
                game.value(child) >= value if owner == "X" else game.value(child) <= value
                for child in game.children(board)
            ]
            sizes = [min(itertools.compress(sizes, kept), default=0)]
        return 1 + sum(sizes)

    @functools.cache
    def both(board):
        children, other = game.children(board), "O" if game.to_move(board) == "X" else "X"
        value = game.value(board)
        rest = [bound(child, value, other) for child in children]
        sizes = [
            both(child) + sum(rest) - size
            for child, size in zip(children, rest, strict=True)
            if game.value(child) == value
        ]
        return 1 + min(sizes, default=0)

    return both(game.start)


def test_every_number_that_looks_alike_is_counted_again(counted):
    listed = [int(number.replace(",", "")) for number, _, _ in LISTED]
    assert {765, 5478, 18297, 26830, 31896, 255168, 549946} < set(listed)
    assert len(listed) == len(set(listed))
    assert set(listed) == counted
    assert f"{3**9 - 5478:,} of them occur in no game" in LOOK_ALIKES
    assert f"{6046 - 5478} of them occur in no game" in LOOK_ALIKES


def test_commands_print_the_numbers_beside_them(gametree):
    gametree("solve", "tictactoe")
    commands = {command: number for number, _, printed in LISTED for command in re.findall("`(.*?)`", printed)}
    printed = {command: gametree(*shlex.split(command)[1:]).out for command in commands}
    beside = [(number, command) for number, _, text in LISTED for command in re.findall("`(.*?)`", text)]
    assert len(printed) > 6
    assert len(beside) > 15
    for number, command in beside:
        assert re.search(rf"(?<![\d,]){number}(?!,?\d)", grouped(printed[command])), (number, command)


def grouped(text: str) -> str:
    """Bare numbers, as ``paths --count`` prints them, with commas."""
    return f"{int(text):,}" if text.strip().isdecimal() else text


def test_the_example_that_parts_games_from_quotient_paths():
    """0-1-2-3 and 0-1-2-5 pass through the same classes, and no symmetry turns one into the other."""
    game = Oracle(3, 3, 3)
    group = game.permutations("geometric")

    def orbit(path):
        return min(tuple(turn[cell] for cell in path) for turn in group)

    def classes(path):
        boards = itertools.accumulate(path, game.play, initial=game.start)
        return tuple(min(game.moved(board, turn) for turn in group) for board in boards)

    paths = list(itertools.permutations(range(9), 4))
    assert classes((0, 1, 2, 3)) == classes((0, 1, 2, 5))
    assert orbit((0, 1, 2, 3)) != orbit((0, 1, 2, 5))
    assert (2, 1, 0, 5) in {tuple(turn[cell] for cell in (0, 1, 2, 3)) for turn in group}
    sequences, ways = ({found(path) for path in paths} for found in (orbit, classes))
    assert f"{len(sequences)} sequences up to symmetry, and {len(ways)} paths" in " ".join(LOOK_ALIKES.split())
    shorter = list(itertools.permutations(range(9), 3))
    assert len({orbit(path) for path in shorter}) == len({classes(path) for path in shorter})


def test_the_examples_in_the_module_itself():
    assert doctest.testmod(manual).attempted > 1
    assert doctest.testmod(manual).failed == 0
