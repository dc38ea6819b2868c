"""Recipes: sections of pages of docs/how-to, each with commands, what they print, and the files that they need."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from analysis.common.wording import COMPILING
from tests.support import transcripts
from tests.support.program import ROOT

HOW_TO = ROOT / "docs" / "how-to"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"^[a-z].*: .* (?:so far|left)\n", re.MULTILINE)
PROGRAM = "#!{python}\nfrom analysis.cli.main import main\nmain()\n"


class Recipe(NamedTuple):
    """A section of a page: its title, and its text from there on."""

    page: Path
    title: str
    text: str

    @property
    def anchor(self) -> str:
        """The name of the section in links."""
        return re.sub(r"[^\w -]", "", self.title.lower()).replace(" ", "-")

    @property
    def files(self) -> dict[str, str]:
        """The files that a reader writes: the page's blocks that begin with a name, and what ``cat`` shows."""
        blocks = BLOCK.findall(self.page.read_text(encoding="utf-8"))
        named = {found[1]: text for _, text in blocks if (found := re.match(r"# (\S+\.\w+)\n", text))}
        shown = {command.split()[1]: text for command, text in self.steps if command.startswith("cat ")}
        return named | shown

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Commands, and what each prints."""
        sessions = [text for language, text in BLOCK.findall(self.text) if language == "console"]
        return [step for session in sessions for step in transcripts.commands(session)]

    @property
    def pictures(self) -> list[str]:
        """The names of files of images/ that the section shows."""
        return re.findall(r"\]\(images/([\w.-]+)\)", self.text)

    def comparable(self, printed: str) -> list[str]:
        """Lines of output without what ``<!-- varies: REGEX -->`` says to be of the machine."""
        for pattern in re.findall(r"<!-- varies: (.*?) -->", self.text):
            printed = re.sub(pattern, "~", printed)
        return [" ".join(line.split()) for line in transcripts.comparable(printed)]

    def run(self, folder: Path) -> list[str]:
        """Write the files, run the commands in the folder, and return what each prints, errors included."""
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        shutil.copytree(HOW_TO / "examples", folder / "docs/how-to/examples")
        return [run(command, printed, folder) for command, printed in self.steps]


def run(command: str, printed: str, folder: Path) -> str:
    """Run a command as a shell does, and answer with what is typed in the session on the page."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    (programs / "gametree").write_text(PROGRAM.format(python=sys.executable))
    (programs / "gametree").chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {"PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "COLUMNS": "80"}
    typed = transcripts.TYPED.findall(printed)
    done = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, **settings}, input="".join(f"{line}\n" for line in typed),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    said = PROGRESS.sub("", done.stdout.replace(f"gametree: {COMPILING}\n", ""))
    answers = iter(typed)
    return re.sub(r"(?<=to move: )$", lambda _: next(answers, ""), said, flags=re.MULTILINE)


def read_recipes(page: Path) -> list[Recipe]:
    """The sections of a page that have sessions, in order."""
    sections = re.split(r"^## (.*)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    recipes = [Recipe(page, title, text) for title, text in zip(sections[::2], sections[1::2], strict=True)]
    return [recipe for recipe in recipes if recipe.steps]


PAGES: Sequence[Path] = sorted(HOW_TO.glob("*.md"))
