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
from .whole import (
    check_paths,
    compare_quotients,
    compare_sums,
    compare_tiers,
    compare_whole,
    mark_reached,
    refuse_repetition,
)

GOLDEN = 0x9E3779B97F4A7C15
"""What seeds are multiplied by."""
RANDOM_GAMES = 5
"""Games played alongside their residual positions."""


@dataclasses.dataclass(frozen=True)
class Draw:
    """Draws each class with probability ``share``, independently, by its number and the ``seed``. Raises `OptionError`
    for an impossible share or seed.
    """

    share: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or self.seed < 0:
            raise OptionError(f"share {self.share}, seed {self.seed}: give a share above 0, at most 1, and 0 or more")

    def sure(self, chance: float = 0.95) -> int:
        """Return how many numbers it takes for at least one of them to be drawn with this ``chance``."""
        return 1 if self.share >= chance else math.ceil(math.log1p(-chance) / math.log1p(-self.share))

    def between(self, begin: int, low: int, high: int) -> np.ndarray:
        """Return the numbers drawn from ``low`` to below ``high``, counted from ``begin``."""
        mixed = np.arange(begin + low, begin + high, dtype=np.uint64) + np.uint64(self.seed * GOLDEN & (1 << 64) - 1)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # splitmix64
            mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(factor)
        return low + np.flatnonzero((mixed ^ mixed >> np.uint64(31)) / 2.0**64 < self.share)


@dataclasses.dataclass(frozen=True)
class VerificationReport(Printable):
    """What was checked; everything was right."""

    game: str
    """The specification."""
    files: int
    """The files that are there, with the right sizes; all were read, unless only a share was drawn."""
    classes: int
    """Classes of positions checked."""
    moves: int
    """Moves of one position per class."""
    counts: bool
    """Whether games, histories and paths were checked, besides value and remoteness; not histories of a share."""
    key: str | None = dataclasses.field(default=None, compare=False)
    """The key of the weights of histories: 128 bits, hexadecimal."""
    tiers: str | None = None
    """The tiers checked, if not all."""
    share: float | None = None
    """The share drawn, if not all: the probability with which a single wrong class would have been found."""
    found_of: int | None = None
    """Of this many wrong classes, at least one would have been found with 95% probability."""
    promises: Tried | None = None
    """For a user's game, how many positions were tried for the promises of its rules."""

    def sentence(self) -> str:
        """Return the report in words."""
        what = "value, remoteness and count" if self.counts else "value and remoteness"
        classes = with_count(self.classes, "class", "classes") + (f" in tiers {self.tiers}" if self.tiers else "")
        promised = "" if self.promises is None else f" What the rules promise is {self.promises.words()}."
        if self.share is not None:
            return (
                f"{self.game}: the sizes of all {self.files} files are right, and every {what} of {classes}, drawn "
                f"with probability {self.share:.3g}, follows. Of {self.found_of:,} wrong classes, one would have been "
                f"found with probability 95%.{promised}"
            )
        return (
            f"{self.game}: all {self.files} files are intact, and every {what} of {classes} "
            f"follows from the rules and {'its' if self.classes == 1 else 'their'} {with_count(self.moves, 'move')}."
            f"{promised}"
        )


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
    draw: Draw | None = None,
    tiers: range | None = None,
    key: int | None = None,
    memory: int | None = None,
) -> VerificationReport:
    """Verify every file and number of a solution directory, or only those of the classes that ``draw`` draws, or of
    ``tiers``.

    ``directory`` is one that a solve wrote, for example ``data/tictactoe``, and ``game`` the game that it solves
    (default: the one that the manifest names). Raises `StoreError` if the directory is not a solution,
    `VerificationError`, naming the file or the first state that is wrong, and `OptionError` for a draw combined with
    tiers, or for unknown tiers.

    The weights of histories (see `certificate`) are drawn with a ``key`` of 128 bits (default: a new one). It uses
    about ``memory`` bytes (default: what is free) besides the program itself. For a tier that does not fit, its
    children are read again for each range of rows, and quotient paths are kept in a temporary file.

    With a ``draw``, a class is checked against those after it, and files by their sizes; only files with rows that
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
    if draw is not None and tiers is not None:
        raise OptionError("a share is drawn from all tiers; leave out the tiers, or the share")
    numbers = [row["tier"] for row in manifest["totals"]]
    chosen = [number for number in numbers if tiers is not None and number in tiers]
    if tiers is not None and not chosen:
        raise OptionError(f"no such tier; choose from {min(numbers)} to {max(numbers)}")
    with not_as_written(directory):
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        others = [manifest["paths_file"]] if manifest["paths_file"] else []
        files = check_files(directory, recorded, ["positions", "moves"], others, sums=draw is None)
        key = (
            secrets.randbits(128) if key is None else key
        )  # drawn after the checksums, so that nothing can be made to fit it
        memory = memory or Budget.of_machine().limit
        certificate = Certificate(directory, manifest, game, recorded, key, memory)
        with certificate.workers:
            rows = [certificate.tiers[number] for number in chosen or numbers]
            kind, positions = manifest["symmetry"]["kind"], manifest["positions"]
            promises = try_promises(game, kind, rows, positions, key, certificate.workers, draw)
            if draw is not None:
                drawn, counted = _check_sample(certificate, draw), certificate.counted
                return VerificationReport(
                    game.spec, files, drawn, certificate.moves_seen, counted, share=draw.share, found_of=draw.sure(),
                    promises=promises,
                )  # fmt: skip
            states = _check_all(certificate, game) if tiers is None else _check_range(certificate, chosen)
    tiers_text = "..".join(map(str, dict.fromkeys((chosen[0], chosen[-1])))) if chosen else None
    return VerificationReport(
        game.spec,
        files,
        states,
        certificate.moves_seen,
        certificate.counted,
        f"{key:032x}",
        tiers_text,
        promises=promises,
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
        check_paths(certificate.directory / PATHS, recorded, solution)
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


def _check_sample(certificate: Certificate, draw: Draw) -> int:
    """Check the classes drawn, the last tier first, the start, and the manifest; return the number drawn."""
    done, end = 0, sum(map(len, certificate.tiers.values()))
    total = round(draw.share * end)
    for number, tier in reversed(certificate.tiers.items()):
        end -= len(tier)
        chosen = functools.partial(draw.between, end)
        for checked in certificate.check_rows(number, tier.batches(certificate.batch, chosen=chosen), notes=False):
            tell_progress("verifying", done, max(done, total))
            done += len(checked.rows)
            certificate.moves_seen += checked.branching
    _, start = certificate.find_start()
    for _ in certificate.check_rows(start.number, iter([start]), notes=False):
        pass
    compare_sums(certificate)
    compare_whole(certificate, start)
    return done


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
