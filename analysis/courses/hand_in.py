"""Hand-ins: files of students, found in folders, and the answers that they give."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.courses import hand_in_host
from analysis.errors import GametreeError, OptionError
from analysis.machine.confined import Closing, Host, MisbehaviourError, ProcessLimits
from analysis.machine.files import reading
from analysis.search.own.program import OwnSearch
from analysis.wording import some

TEXTS = (".txt", ".md", ".csv", ".json")
"""Files that are an answer as they are."""

LARGEST_TEXT = 1 << 22
"""Bytes of such a file."""

LIMITS = ProcessLimits(memory=1 << 30, output=1 << 24)


class NoAnswerError(GametreeError):
    """A hand-in that gives no answer; the message says why."""


class HandIn(Closing):
    """One file of a student's, or a folder with one; use it in a ``with``, or call `close`."""

    def __init__(self, name: str, file: Path, seconds: float) -> None:
        self.name, self.file, self.seconds = name, file.absolute(), seconds
        self._host = Host(hand_in_host.__file__, (str(self.file),), [self.file], seconds, LIMITS)
        self._searches: dict[str, OwnSearch | GametreeError] = {}

    def close(self) -> None:
        """End its processes."""
        for search in self._searches.values():
            if isinstance(search, OwnSearch):
                search.close()
        self._searches = {}
        self._host.close()

    def search(self, function: str) -> OwnSearch:
        """Return the search of this name (empty: the only one), kept for further tests. Raises `OptionError`,
        `RulesError`.
        """
        if function not in self._searches:
            try:
                text = f"{self.file}:{function}" if function else str(self.file)
                self._searches[function] = OwnSearch(text, self.seconds, alone=True)
            except GametreeError as error:
                self._searches[function] = error
        found = self._searches[function]
        if isinstance(found, GametreeError):
            raise found
        return found

    @property
    def is_program(self) -> bool:
        """Whether it is a Python program, not a text."""
        return self.file.suffix == ".py"

    def no_program(self) -> str:
        """Say why it is no Python program."""
        if not self.file.is_dir():
            return f"{self.file.name} is not a Python program"
        programs, texts = _answers_in(self.file)
        found = some(len(texts), "text") if texts and not programs else some(len(programs), "program")
        return f"{self.file.name} holds {found}; one is expected"

    def ask(self, arguments: Sequence[Any] = (), *, text: str = "", function: str | None = None) -> str:
        """Return what the program prints, given ``text`` on its standard input, or what its ``function`` returns; or
        the text that it is. Raises `NoAnswerError`.
        """
        if not self.is_program:
            return self._read()
        try:
            told = self._host.ask(json.dumps({"input": text, "arguments": list(arguments), "function": function}))
        except MisbehaviourError as error:
            raise NoAnswerError(str(error)) from None
        if "error" in told:
            raise NoAnswerError(told["error"])
        return str(told["text"])

    def _read(self) -> str:
        with reading(self.file.name, NoAnswerError):
            if self.file.is_dir():
                raise NoAnswerError(self.no_program())
            if self.file.suffix.lower() not in TEXTS:
                raise NoAnswerError(f"{self.file.name} is neither a Python program nor a text ({', '.join(TEXTS)})")
            if self.file.stat().st_size > LARGEST_TEXT:
                raise NoAnswerError(f"{self.file.name} has more than {LARGEST_TEXT:,} bytes")
            return self.file.read_text(encoding="utf-8-sig")


def find_hand_ins(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Return the files of hand-ins by name: each path is a file, or a folder whose files, and folders with one Python
    program or text, are hand-ins. Links inside folders are left out, since they may lead to other hand-ins. Raises
    `OptionError` for a path that is neither, where there are none, and for a file that cannot be read.
    """
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        if path.is_dir():
            inside = _inside(path)
            if not inside:
                raise OptionError(f"{path} holds no hand-ins")
            for each in inside:
                _add(found, each)
        elif path.exists():
            _add(found, path)
        else:
            raise OptionError(f"there is no file {path}")
    return found


def _inside(folder: Path) -> list[Path]:
    """Return the files and folders in a folder, but for hidden ones and links, as an alphabet orders them."""
    with reading(folder, OptionError):
        inside = [each for each in folder.iterdir() if not each.is_symlink() and each.name[0] not in "._"]
    return sorted(inside, key=lambda path: (_without_accents(path.name.casefold()), path.name))


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def _answers_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the Python programs and the texts in a folder."""
    inside = [each for each in _inside(folder) if each.is_file()]
    texts = [each for each in inside if each.suffix.lower() in TEXTS]
    return [each for each in inside if each.suffix == ".py"], texts


def _add(found: dict[str, Path], path: Path) -> None:
    name = path.stem if path.is_file() else path.name
    if path.is_dir():
        programs, texts = _answers_in(path)
        path = (programs or texts or [path])[0] if len(programs or texts) == 1 else path
    if path.is_file():
        with reading(path, OptionError), path.open("rb"):  # a fault of whoever grades, not of the hand-in
            pass
    number, first = 1, name
    while name in found:
        number += 1
        name = f"{first}-{number}"
    found[name] = path
