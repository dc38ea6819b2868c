"""Check a solution directory: that every file is what was written, and every number what the rules say."""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from analysis.checks.solutions.certificate import Certificate
from analysis.checks.solutions.path_table import check_paths
from analysis.checks.solutions.rows import different
from analysis.checks.solutions.whole import (
    compare_quotients,
    compare_sums,
    compare_tiers,
    compare_whole,
    mark_reached,
    refuse_repetition,
)
from analysis.errors import OptionError, VerificationError
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.solution.solution import Solution
from analysis.solution.storage.directory import MANIFEST, PATHS
from analysis.solution.storage.integrity import check_files, not_as_written, read_tier_files
from analysis.solution.storage.store import read_manifest
from analysis.solution.storage.stored_games import stored_game
from analysis.solving.find import opened
from analysis.wording import some

DRAWN_BYTES = 40
"""For each number that is drawn, while it is."""
RANDOM_GAMES = 5
"""That are played beside what is left of their positions."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """Which classes are looked at: so many, or a share of them; others for another ``seed`` (default: 0). All, if it is
    neither. Raises `OptionError` for what cannot be drawn.
    """

    sample: int | None = None
    share: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.sample is not None and self.share is not None:
            raise OptionError(f"a sample ({self.sample}) and a share ({self.share}) exclude each other; give one")
        if self.sample is not None and self.sample < 1:
            raise OptionError(f"a sample of {self.sample} classes shows nothing; give at least 1")
        if self.share is not None and not 0 < self.share <= 1:
            raise OptionError(f"a share is above 0 and at most 1, not {self.share}")
        if self.seed is not None and not self:
            raise OptionError("a seed is for a sample or a share; give one of them, or leave it out")
        if self.seed is not None and self.seed < 0:
            raise OptionError(f"a seed is 0 or more, not {self.seed}")

    def __bool__(self) -> bool:
        return self.sample is not None or self.share is not None

    def of(self, classes: int) -> Draw:
        """The draw out of so many classes."""
        wanted = round(self.share * classes) if self.share is not None else int(self.sample or 0)
        return Draw(classes, min(max(wanted, 1), classes), self.seed or 0)


class Draw:
    """``size`` numbers below ``total`` at random, every set of so many with the same chance."""

    def __init__(self, total: int, size: int, seed: int) -> None:
        self.total, self.size = total, size
        self._out = size > total // 2
        """Whether the numbers at hand are those that are left out."""
        rest = total - size if self._out else size
        Budget.of_machine().require(DRAWN_BYTES * rest, f"a sample of {size:,} classes", "a smaller sample")
        random = np.random.default_rng(seed)
        drawn = np.empty(0, dtype=np.int64)
        while len(drawn) < rest:
            drawn = different(np.concatenate((drawn, random.integers(total, size=rest + rest // 8 + 8))))
        self._numbers = np.delete(drawn, random.choice(len(drawn), len(drawn) - rest, replace=False))

    @property
    def share(self) -> float:
        """The chance of each number."""
        return self.size / self.total

    def sure(self, chance: float = 0.95) -> int:
        """Of so many numbers, whichever they are, one at least is drawn with this ``chance`` or a better one."""
        return 1 if self.share >= chance else math.ceil(math.log1p(-chance) / math.log1p(-self.share))

    def between(self, begin: int, low: int, high: int) -> np.ndarray:
        """Those from ``low`` to below ``high``, counted from ``begin`` on."""
        low, high = low + begin, high + begin
        own = self._numbers[slice(*np.searchsorted(self._numbers, (low, high)))]
        return (np.setdiff1d(np.arange(low, high), own, assume_unique=True) if self._out else own) - begin


ALL = Choice()


@dataclasses.dataclass(frozen=True)
class VerificationReport:
    """What was checked, and found right."""

    game: str
    """The specification."""
    files: int
    states: int
    """Classes of positions."""
    moves: int
    """Moves of one position of each class."""
    counts: bool
    """Whether games, histories and paths were checked too, and not values and remoteness only."""
    key: str = dataclasses.field(compare=False)
    """With which the weights of histories were drawn: 128 bits, hexadecimal."""
    tiers: str | None = None
    """The tiers that were checked, where these are not all."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree verify --format json`` prints it."""
        return dataclasses.asdict(self)

    def sentence(self) -> str:
        """For people."""
        what = "value, remoteness and count" if self.counts else "value and remoteness"
        classes = some(self.states, "class", "classes") + (f" in tiers {self.tiers}" if self.tiers else "")
        return (
            f"{self.game}: all {self.files} files are intact, and every {what} of {classes} "
            f"follows from the rules and {'its' if self.states == 1 else 'their'} {some(self.moves, 'move')}."
        )


@dataclasses.dataclass(frozen=True)
class SampleReport:
    """What was looked at, and found right."""

    game: str
    """The specification."""
    files: int
    """Whose sizes are those that were written; checksums were compared of what was read."""
    states: int
    """Classes of positions that are stored."""
    sampled: int
    """Classes that were checked."""
    share: float
    """Those over all."""
    chance: float
    """That a single wrong class would have been found, at least."""
    found_of: int
    """Of so many wrong classes one at least would have been found with a chance of 95%."""
    moves: int
    """Moves of one position of each class that was checked."""
    counts: bool
    """Whether games and paths were checked too, and not values and remoteness only."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree verify --format json`` prints it."""
        return dataclasses.asdict(self)

    def sentence(self) -> str:
        """For people."""
        what = "value, remoteness and count of games" if self.counts else "value and remoteness"
        many = "" if self.found_of == 1 else f", one at least of {self.found_of:,} with one of 95%"
        return (
            f"{self.game}: the sizes of all {self.files} files are right, and the {what} of {self.sampled:,} of "
            f"{self.states:,} classes follow from the rules and their {self.moves:,} moves. A single wrong class would "
            f"have been found with a chance of {100 * self.chance:.3g}%{many}."
        )


def read_key(text: str) -> int:
    """A key as it is printed. Raises `OptionError`."""
    if not re.fullmatch("[0-9a-fA-F]{1,32}", text):
        raise OptionError(f"a key has up to 32 hexadecimal digits, not {text!r}")
    return int(text, 16)


def read_tiers(text: str) -> range:
    """A range of tiers such as ``5..9``, or one tier. Raises `OptionError`."""
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text.strip())
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if low > high:
        raise OptionError(f"tiers are a number or two such as 5..9, the lower one first, not {text!r}")
    return range(low, high + 1)


def verify(
    directory: str | Path,
    *,
    choice: Choice = ALL,
    tiers: range | None = None,
    key: int | None = None,
    memory: int | None = None,
) -> VerificationReport | SampleReport:
    """Check every file and every number of a solution directory, those of the classes of a ``choice``, or of ``tiers``.

    ``directory`` is what `solve_to_directory` wrote, for example ``data/tictactoe``. Raises `StoreError` where the
    directory is no solution at all, `VerificationError`, naming the file or the first state that fails, where it is not
    what the rules say, and `OptionError` for a choice of tiers, or for tiers that are not there.

    The weights of histories (see `certificate`) are drawn with a ``key`` of 128 bits (default: a new one). It takes
    about ``memory`` bytes (default: what the machine has) beside the program itself. Of a tier that does not fit, what
    follows rows is read again for each range of these, and quotient paths are kept in a temporary file.

    With a ``choice``, a class is checked against those after it, files by their sizes, and by checksums as far as they
    are read. That does not show that a class is reached, that its histories are right, what is in ``moves/`` and
    ``optimal_paths.parquet``, or, in a loopy game, that remoteness rests on ends of the game. With ``tiers`` they are
    checked against those after them, and their histories against those before; what only the whole shows is not, such
    as optimal paths, totals by ply and, in a loopy game, what is reached.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    game = stored_game(directory, manifest)
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{directory / MANIFEST}: made by other rules than {game.spec} has now (rules_hash)")
    if choice and tiers is not None:
        raise OptionError("a sample is drawn of all tiers; leave the tiers out, or the sample")
    numbers = [row["tier"] for row in manifest["totals"]]
    own = [number for number in numbers if tiers is not None and number in tiers]
    if tiers is not None and not own:
        raise OptionError(f"there is no such tier; they are {min(numbers)} to {max(numbers)}")
    with not_as_written(directory):
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        others = [manifest["paths_file"]] if manifest["paths_file"] else []
        files = check_files(directory, recorded, ["positions", "moves"], others, sums=not choice)
        key = secrets.randbits(128) if key is None else key  # after the checksums, so that nothing is made to fit it
        memory = memory or Budget.of_machine().limit
        certificate = Certificate(directory, manifest, game, recorded, key, memory)
        with certificate.workers:
            if choice:
                draw = _check_sample(certificate, choice)
                chances = draw.total, draw.size, draw.share, draw.share, draw.sure()
                return SampleReport(game.spec, files, *chances, certificate.moves_seen, certificate.counted)
            states = _check_all(certificate) if tiers is None else _check_range(certificate, own)
    which = "..".join(map(str, dict.fromkeys((own[0], own[-1])))) if own else None
    return VerificationReport(
        game.spec, files, states, certificate.moves_seen, certificate.counted, f"{key:032x}", which
    )


def _check_tiers(certificate: Certificate, numbers: Sequence[int]) -> int:
    """Check the rows of tiers; returns how many there are."""
    done, total = 0, sum(len(certificate.tiers[number]) for number in numbers)

    def tell(rows: int) -> None:
        nonlocal done
        done += rows
        tell_progress("verifying", done, total)

    tell(0)
    for number in reversed(numbers):
        certificate.check_tier(number, tell)
        if certificate.by_ply and number < numbers[-1] and not certificate.counted:
            certificate.refuse_unreached([number + 1])  # all that leads there is checked, and it is held no longer
    return done


def _check_all(certificate: Certificate) -> int:
    """Check everything; returns how many classes there are."""
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
    solution = opened(certificate.directory)
    compare_quotients(certificate, solution, row)
    _check_left(solution)
    if (recorded := certificate.manifest["paths_file"]) is not None:
        check_paths(certificate.directory / PATHS, recorded, solution, certificate.positions)
    return done


def _check_range(certificate: Certificate, numbers: Sequence[int]) -> int:
    """Check some tiers; returns how many classes they have."""
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


def _check_sample(certificate: Certificate, choice: Choice) -> Draw:
    """Check the classes that are drawn, the last tier first, the start, and the manifest; returns the draw."""
    draw = choice.of(sum(map(len, certificate.tiers.values())))
    done, end = 0, draw.total
    for number, tier in reversed(certificate.tiers.items()):
        begin = end - len(tier)
        chosen = functools.partial(draw.between, begin)
        for found in certificate.check_rows(number, tier.batches(certificate.batch, chosen=chosen), notes=False):
            tell_progress("verifying", done, draw.size)
            done += len(found.rows)
            certificate.moves_seen += found.branching
        end = begin
    _, start = certificate.find_start()
    for _ in certificate.check_rows(start.number, iter([start]), notes=False):
        pass
    compare_sums(certificate)
    compare_whole(certificate, start)
    return draw


def _check_left(solution: Solution) -> None:
    """That positions of some random games are looked up where the same is left to play, if classes are residual: with
    the same outcome and mover, and with the same left after its moves.
    """
    engine, numbers = solution.engine, random.Random(0)
    rules, left_rules = engine.rules, engine.classes.rules
    for _ in range(0 if engine.residual is None else RANDOM_GAMES):
        state, moves = engine.start, rules.moves(engine.start)
        while True:
            left = engine.canonical(state)
            text = solution.game.format_position(state)
            if (rules.payoff(state), rules.mover(state)) != (left_rules.payoff(left), left_rules.mover(left)):
                raise VerificationError(f"position {text}: its class has another outcome or player to move")
            here = Counter(engine.canonical(child) for _, child in moves)
            if here != Counter(engine.classes.canonical(child) for _, child in left_rules.moves(left)):
                raise VerificationError(f"position {text}: its moves do not leave what those of its class do")
            if not moves:
                break
            state = numbers.choice(moves)[1]
            moves = rules.moves(state)
