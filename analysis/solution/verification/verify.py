"""Verify a solution directory: every file is intact, and every number follows from the rules."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import math
import random
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ...common.files import as_store_error
from ...common.memory import Budget
from ...common.results import Printable
from ...common.wording import described, with_count
from ...common.workers import tell_progress
from ...engine.alike import Tried
from ...errors import GametreeError, OptionError, StoreError, VerificationError
from ...rules.game import Game
from ..solution import Solution
from ..storage.directory import MANIFEST, PARTIAL, PATHS, TIERS, part_path, tier_name
from ..storage.opening import open_directory
from ..storage.parquet import record_of
from ..storage.store import read_manifest
from ..storage.stored_games import stored_game
from ..storage.stored_tier import read_tier
from .certificate import Certificate
from .promised import try_promises
from .rows import distinct
from .whole import (
    check_paths,
    compare_quotients,
    compare_sums,
    compare_tiers,
    compare_whole,
    mark_reached,
    refuse_repetition,
)

DRAWN_BYTES = 40
"""Memory per number while drawing."""
RANDOM_GAMES = 5
"""Games played alongside their residual positions."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """The classes to check: a ``share`` of them, drawn with ``seed`` (default: 0), or all.

    Raises `OptionError` for an impossible share or seed.
    """

    share: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0 < self.share <= 1:
            raise OptionError(f"share {self.share} is not valid; give a number above 0 and at most 1")
        if self.seed is not None and not self:
            raise OptionError("a seed needs a share; give both, or leave it out")
        if self.seed is not None and self.seed < 0:
            raise OptionError(f"seed {self.seed} is not valid; give 0 or more")

    def __bool__(self) -> bool:
        return self.share is not None

    def of(self, classes: int) -> Draw:
        """Draw from ``classes`` classes."""
        size = round((self.share or 0) * classes)
        return Draw(classes, min(max(size, 1), classes), self.seed or 0)


class Draw:
    """``size`` random numbers below ``total``, every set of that size equally likely."""

    def __init__(self, total: int, size: int, seed: int) -> None:
        self.total, self.size = total, size
        self._out = size > total // 2
        """Whether the stored numbers are those left out."""
        listed = total - size if self._out else size
        Budget.of_machine().require(DRAWN_BYTES * listed, f"a sample of {size:,} classes", "a smaller share")
        random = np.random.default_rng(seed)
        drawn = np.empty(0, dtype=np.int64)
        while len(drawn) < listed:
            drawn = distinct(np.concatenate((drawn, random.integers(total, size=listed + listed // 8 + 8))))
        self._numbers = np.delete(drawn, random.choice(len(drawn), len(drawn) - listed, replace=False))

    @property
    def share(self) -> float:
        """The probability of each number."""
        return self.size / self.total

    def sure(self, chance: float = 0.95) -> int:
        """Return how many numbers it takes for at least one of them to be drawn with this ``chance``."""
        return 1 if self.share >= chance else math.ceil(math.log1p(-chance) / math.log1p(-self.share))

    def between(self, begin: int, low: int, high: int) -> np.ndarray:
        """Return the numbers from ``low`` to below ``high``, counted from ``begin``."""
        low, high = low + begin, high + begin
        listed = self._numbers[slice(*np.searchsorted(self._numbers, (low, high)))]
        return (np.setdiff1d(np.arange(low, high), listed, assume_unique=True) if self._out else listed) - begin


ALL = Choice()


@dataclasses.dataclass(frozen=True)
class VerificationReport(Printable):
    """What was checked; everything was right."""

    game: str
    """The specification."""
    files: int
    classes: int
    """Classes of positions."""
    moves: int
    """Moves of one position per class."""
    counts: bool
    """Whether games, histories and paths were checked, besides value and remoteness."""
    key: str = dataclasses.field(compare=False)
    """The key of the weights of histories: 128 bits, hexadecimal."""
    tiers: str | None = None
    """The tiers checked, if not all."""
    promises: Tried | None = None
    """For a user's game, how many positions were tried for the promises of its rules."""

    def sentence(self) -> str:
        """Return the report in words."""
        what = "value, remoteness and count" if self.counts else "value and remoteness"
        classes = with_count(self.classes, "class", "classes") + (f" in tiers {self.tiers}" if self.tiers else "")
        return (
            f"{self.game}: all {self.files} files are intact, and every {what} of {classes} "
            f"follows from the rules and {'its' if self.classes == 1 else 'their'} {with_count(self.moves, 'move')}."
            f"{_promised(self.promises)}"
        )


@dataclasses.dataclass(frozen=True)
class SampleReport(Printable):
    """What was sampled; everything was right."""

    game: str
    """The specification."""
    files: int
    """Files whose sizes are right; checksums were compared for what was read."""
    classes: int
    """Classes stored."""
    sampled: int
    """Classes checked."""
    share: float
    """The share checked."""
    chance: float
    """The least probability with which a single wrong class would have been found."""
    found_of: int
    """Of this many wrong classes, at least one would have been found with 95% probability."""
    moves: int
    """Moves of one position per class checked."""
    counts: bool
    """Whether games and paths were checked, besides value and remoteness."""
    promises: Tried | None = None
    """For a user's game, how many positions were tried for the promises of its rules."""

    def sentence(self) -> str:
        """Return the report in words."""
        what = "value, remoteness and count of games" if self.counts else "value and remoteness"
        many = "" if self.found_of == 1 else f", and at least one of {self.found_of:,} with 95%"
        return (
            f"{self.game}: the sizes of all {self.files} files are right, and the {what} of {self.sampled:,} of "
            f"{self.classes:,} classes follow from the rules and their {self.moves:,} moves. A single wrong class "
            f"would have been found with probability {100 * self.chance:.3g}%{many}.{_promised(self.promises)}"
        )


def _promised(tried: Tried | None) -> str:
    return "" if tried is None else f" What the rules promise is {tried.words()}."


def read_key(text: str) -> int:
    """Parse a key as it is printed. Raises `OptionError`."""
    if not re.fullmatch("[0-9a-fA-F]{1,32}", text):
        raise OptionError(f"key {text!r} is not valid; give up to 32 hexadecimal digits")
    return int(text, 16)


def read_tiers(tiers: range | int | str) -> range:
    """Return consecutive tiers, given as a range, one number, or a text such as ``5..9``. Raises `OptionError`."""
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", str(tiers).strip())
    numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else tiers
    if not isinstance(numbers, range) or numbers.step != 1 or not numbers:
        raise OptionError(f"tiers {described(tiers)} not understood; write one such as 5, or consecutive ones, 5..9")
    return numbers


def verify(
    directory: str | Path,
    game: Game | None = None,
    *,
    choice: Choice = ALL,
    tiers: range | None = None,
    key: int | None = None,
    memory: int | None = None,
) -> VerificationReport | SampleReport:
    """Verify every file and number of a solution directory, or only those of a ``choice`` of classes, or of ``tiers``.

    ``directory`` is one that a solve wrote, for example ``data/tictactoe``, and ``game`` the game that it solves
    (default: the one that the manifest names). Raises `StoreError` if the directory is not a solution,
    `VerificationError`, naming the file or the first state that is wrong, and `OptionError` for a choice combined with
    tiers, or for unknown tiers.

    The weights of histories (see `certificate`) are drawn with a ``key`` of 128 bits (default: a new one). It uses
    about ``memory`` bytes (default: what is free) besides the program itself. For a tier that does not fit, its
    children are read again for each range of rows, and quotient paths are kept in a temporary file.

    With a ``choice``, a class is checked against those after it, and files by their sizes; only files with rows that
    this needs are opened, and their columns and the checksums of what is read are compared. This does not show that a
    class is reached or its histories are right, does not check ``moves/`` and ``optimal_paths.parquet``, and, in a
    loopy game, does not show that remoteness rests on ends of the game. ``tiers`` are checked against those after them,
    and their histories against those before; what only the whole solution shows is left out, such as optimal paths,
    totals by ply and, in a loopy game, reachability.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    game = game or stored_game(directory, manifest)
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{directory / MANIFEST}: the rules of {game.spec} have changed since (rules_hash)")
    if choice and tiers is not None:
        raise OptionError("a share is drawn from all tiers; leave out the tiers, or the share")
    numbers = [row["tier"] for row in manifest["totals"]]
    chosen = [number for number in numbers if tiers is not None and number in tiers]
    if tiers is not None and not chosen:
        raise OptionError(f"no such tier; choose from {min(numbers)} to {max(numbers)}")
    with not_as_written(directory):
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        others = [manifest["paths_file"]] if manifest["paths_file"] else []
        files = check_files(directory, recorded, ["positions", "moves"], others, sums=not choice)
        key = (
            secrets.randbits(128) if key is None else key
        )  # drawn after the checksums, so that nothing can be made to fit it
        memory = memory or Budget.of_machine().limit
        certificate = Certificate(directory, manifest, game, recorded, key, memory)
        with certificate.workers:
            rows = [certificate.tiers[number] for number in chosen or numbers]
            draw = choice.of(sum(map(len, rows))) if choice else None
            kind, positions = manifest["symmetry"]["kind"], manifest["positions"]
            promises = try_promises(game, kind, rows, positions, key, certificate.workers, draw)
            if draw is not None:
                _check_sample(certificate, draw)
                chances = draw.total, draw.size, draw.share, draw.share, draw.sure()
                return SampleReport(game.spec, files, *chances, certificate.moves_seen, certificate.counted, promises)
            states = _check_all(certificate, game) if tiers is None else _check_range(certificate, chosen)
    tiers_text = "..".join(map(str, dict.fromkeys((chosen[0], chosen[-1])))) if chosen else None
    return VerificationReport(
        game.spec, files, states, certificate.moves_seen, certificate.counted, f"{key:032x}", tiers_text, promises
    )


def _check_tiers(certificate: Certificate, numbers: Sequence[int]) -> int:
    """Check the rows of tiers; return their number."""
    done, total = 0, sum(len(certificate.tiers[number]) for number in numbers)

    def tell(rows: int) -> None:
        nonlocal done
        done += rows
        tell_progress("verifying", done, total)

    tell(0)
    for number in reversed(numbers):
        certificate.check_tier(number, tell)
        if certificate.by_ply and number < numbers[-1] and not certificate.counted:
            certificate.refuse_unreached([number + 1])  # all that leads there is checked, and its bits are not kept
    return done


def _check_all(certificate: Certificate, game: Game) -> int:
    """Check everything; return the number of classes."""
    numbers, (row, start) = [*certificate.tiers], certificate.find_start()
    done = _check_tiers(certificate, numbers)
    certificate.note_start()
    if certificate.rules.loopy:
        mark_reached(certificate, row)
    certificate.refuse_unreached(numbers)
    if certificate.by_ply:
        refuse_repetition(certificate)
    compare_tiers(certificate, numbers, whole=True)
    compare_whole(certificate, start)
    solution = open_directory(certificate.directory, game)
    compare_quotients(certificate, solution, row)
    _check_residual(solution)
    if (recorded := certificate.manifest["paths_file"]) is not None:
        check_paths(certificate.directory / PATHS, recorded, solution, certificate.positions)
    return done


def _check_range(certificate: Certificate, numbers: Sequence[int]) -> int:
    """Check some tiers; return the number of their classes."""
    done = _check_tiers(certificate, numbers)
    if not certificate.rules.loopy:
        before = [number for number in certificate.tiers if number < numbers[0]]
        for number in before[-1:] if certificate.by_ply else before:
            columns = ["state", *(["histories"] if certificate.counted else [])]
            batches = certificate.tiers[number].batches(certificate.batch, columns)
            for together, below in certificate.spans(number, batches):
                note = functools.partial(certificate.note, below=below, wanted=numbers)
                for form in certificate.workers.map(note, together):
                    certificate.form.update(form)
        if not before:
            certificate.note_start()
        certificate.refuse_unreached(numbers)
    compare_tiers(certificate, numbers, whole=False)
    compare_whole(certificate, certificate.find_start()[1])
    return done


def _check_sample(certificate: Certificate, draw: Draw) -> None:
    """Check the classes drawn, the last tier first, the start, and the manifest."""
    done, end = 0, draw.total
    for number, tier in reversed(certificate.tiers.items()):
        begin = end - len(tier)
        chosen = functools.partial(draw.between, begin)
        for checked in certificate.check_rows(number, tier.batches(certificate.batch, chosen=chosen), notes=False):
            tell_progress("verifying", done, draw.size)
            done += len(checked.rows)
            certificate.moves_seen += checked.branching
        end = begin
    _, start = certificate.find_start()
    for _ in certificate.check_rows(start.number, iter([start]), notes=False):
        pass
    compare_sums(certificate)
    compare_whole(certificate, start)


def _check_residual(solution: Solution) -> None:
    """Check on random games that a residual class has the outcome, the mover and the moves of its positions."""
    engine, numbers = solution.engine, random.Random(0)
    rules, left_rules = engine.rules, engine.classes.rules
    for _ in range(0 if engine.residual is None else RANDOM_GAMES):
        state, moves = engine.start, rules.moves(engine.start)
        while True:
            left = engine.canonical(state)
            text = solution.game.format_position(state)
            if (rules.payoff(state), rules.mover(state)) != (left_rules.payoff(left), left_rules.mover(left)):
                raise VerificationError(f"position {text}: its class has a different outcome or player to move")
            classes_after = Counter(engine.canonical(child) for _, child in moves)
            if classes_after != Counter(engine.classes.canonical(child) for _, child in left_rules.moves(left)):
                raise VerificationError(f"position {text}: its moves lead to other classes than those of its class")
            if not moves:
                break
            state = numbers.choice(moves)[1]
            moves = rules.moves(state)


# Files ----------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def not_as_written(directory: Path) -> Iterator[None]:
    """Turn errors from malformed data into `VerificationError`."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, pa.ArrowException) as error:
        if isinstance(error, GametreeError):
            raise
        text = str(error).splitlines()[0] if str(error) else ""
        raise VerificationError(f"{directory}: not as written ({type(error).__name__}: {text})") from error


def read_tier_files(directory: Path, manifest: dict[str, Any], rules_hash: str) -> list[dict[str, Any]]:
    """Return the record of every tier. Raises `VerificationError` for one that is damaged or of another solution."""
    numbers = [row["tier"] for row in manifest["totals"]]
    if list(manifest[TIERS]) != [tier_name(number) for number in numbers]:
        raise VerificationError(f"{directory / MANIFEST}: {TIERS} and totals list different tiers")
    records = []
    for number in numbers:
        path = directory / TIERS / tier_name(number)
        try:
            recorded = read_tier(directory, number, manifest[TIERS][path.name])
        except StoreError as error:
            raise VerificationError(str(error) if path.exists() else f"{path}: missing") from None
        if recorded["rules_hash"] != rules_hash:
            raise VerificationError(f"{path}: does not belong to this solution")
        records.append(recorded)
    return records


def check_files(
    directory: Path,
    tiers: Sequence[dict[str, Any]],
    folders: Sequence[str],
    others: Iterable[dict[str, Any]] = (),
    *,
    sums: bool = True,
) -> int:
    """Check that every file is there with its size, checksum and rows, and no others: the manifest, the recorded files
    of the tiers in these folders, and ``others`` beside the manifest.

    Without ``sums`` files are not read, and only their sizes are checked. Returns the number of files. Raises
    `VerificationError`.
    """
    recorded = [(folder, part) for tier in tiers for folder in folders for part in tier[folder]]
    recorded += [("", part) for part in others]
    expected = {directory / MANIFEST}
    expected |= {directory / TIERS / tier_name(tier["tier"]) for tier in tiers}
    for folder, part in recorded:
        path = part_path(directory / folder, part)
        expected.add(path)
        _check_file(path, part, sums)
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and PARTIAL not in path.parts):
        if path not in expected:
            raise VerificationError(f"{path}: belongs to no tier")
    return len(expected)


def first_difference(stored: pa.Table, expected: pa.Table) -> tuple[int, str, Any, Any] | None:
    """Find where a table first differs from the ``expected`` one: row, column, stored and expected cell; column
    ``rows`` if their numbers differ. None if all columns of ``expected`` are equal.

    >>> first_difference(pa.table({"state": [1, 2, 3], "value": [0, 0, 1]}), pa.table({"value": [0, 1, 1]}))
    (1, 'value', 0, 1)
    """
    rows = min(len(stored), len(expected))
    differences = [] if len(stored) == len(expected) else [(rows, "rows", len(stored), len(expected))]
    for name in reversed(expected.column_names):
        columns = stored[name].slice(0, rows), expected[name].slice(0, rows)
        if not columns[0].equals(columns[1]):
            pairs = enumerate(zip(*(column.to_pylist() for column in columns), strict=True))
            differences += [(row, name, *pair) for row, pair in pairs if pair[0] != pair[1]][:1]
    return min(reversed(differences), key=lambda difference: difference[0], default=None)


def _check_file(path: Path, part: dict[str, Any], sums: bool) -> None:
    if not path.is_file():
        raise VerificationError(f"{path}: missing")
    if not sums:
        if path.stat().st_size != part["bytes"]:
            raise VerificationError(f"{path}: damaged, its size does not match")
        return
    with as_store_error(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if (file.tell(), digest) != (part["bytes"], part["sha256"]):
            raise VerificationError(f"{path}: damaged, its size or checksum does not match")
        record = record_of(file, path.name, digest)
    if record["rows"] != part["rows"]:
        raise VerificationError(f"{path}: has {record['rows']} rows instead of {part['rows']}")
    if record != part:
        raise VerificationError(f"{path}: the checksums of its footer or columns do not match")
