"""Check a solution directory: that every file is what was written, and every number what the rules say."""

from __future__ import annotations

import dataclasses
import functools
import random
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.checks.solutions import manifest_check
from analysis.checks.solutions.certificate import Certificate
from analysis.checks.solutions.draws import Choice, Draw
from analysis.checks.solutions.forward import mark_reached, refuse_repetition
from analysis.checks.solutions.path_table import check_paths
from analysis.checks.solutions.rows import MoveTable
from analysis.errors import OptionError, VerificationError
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.solution.solution import Solution
from analysis.solving.find import open_solution
from analysis.storage.directory import MANIFEST, PATHS
from analysis.storage.integrity import check_files, not_as_written, read_tier_files
from analysis.storage.store import read_manifest
from analysis.storage.stored_games import stored_game
from analysis.wording import some

ALL = Choice()
RANDOM_GAMES = 5
"""That are played beside what is left of their positions."""


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
    workers: int | None = None,
) -> VerificationReport | SampleReport:
    """Check every file and every number of a solution directory, those of the classes of a ``choice``, or of ``tiers``.

    ``directory`` is what `solve_to_directory` wrote, for example ``data/tictactoe``. Raises `StoreError` where the
    directory is no solution at all, `VerificationError`, naming the file or the first state that fails, where it is not
    what the rules say, and `OptionError` for a choice of tiers, or for tiers that are not there.

    The weights of histories (see `certificate`) are drawn with a ``key`` of 128 bits (default: a new one). It takes so
    many ``workers`` (default: all processors; the result is the same with any), and about ``memory`` bytes (default:
    what the machine has) beside the program itself. Of a tier that does not fit, what follows rows is read again for
    each range of these, and quotient paths are kept in a temporary file.

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
        certificate = Certificate(directory, manifest, game, recorded, key, memory, workers)
        with certificate.workers:
            if choice:
                draw = _check_sample(certificate, directory, choice)
                chances = draw.total, draw.size, draw.share, draw.share, draw.sure()
                return SampleReport(game.spec, files, *chances, certificate.moves_seen, certificate.counted)
            if tiers is not None:
                states = _check_range(certificate, directory, recorded, tiers)
            else:
                states = _check_all(certificate, directory, recorded)
    which = "..".join(map(str, dict.fromkeys((own[0], own[-1])))) if own else None
    return VerificationReport(
        game.spec, files, states, certificate.moves_seen, certificate.counted, f"{key:032x}", which
    )


def _check_tiers(certificate: Certificate, directory: Path, recorded: Sequence[dict[str, Any]]) -> int:
    """Check the rows of tiers; returns how many there are."""
    done, total = 0, sum(row["rows"] for row in recorded)

    def tell(rows: int) -> None:
        nonlocal done
        done += rows
        tell_progress("verifying", done, total)

    tell(0)
    for row in reversed(recorded):
        moves = MoveTable(directory, row) if certificate.manifest["tables"]["moves"] else None
        certificate.check_tier(row["tier"], tell, moves)
        if certificate.by_ply and row["tier"] < recorded[-1]["tier"] and not certificate.counted:
            certificate.refuse_unreached([row["tier"] + 1])  # all that leads there is checked, and it is held no longer
    return done


def _check_all(certificate: Certificate, directory: Path, recorded: Sequence[dict[str, Any]]) -> int:
    """Check everything; returns how many classes there are."""
    row, start = certificate.find_start()
    done = _check_tiers(certificate, directory, recorded)
    certificate.note_start()
    if certificate.rules.loopy:
        mark_reached(certificate, row)
    numbers = [*certificate.tiers]
    certificate.refuse_unreached(numbers)
    if certificate.by_ply:
        refuse_repetition(certificate)
    manifest_check.compare_tiers(certificate, numbers, whole=True)
    manifest_check.compare_whole(certificate, directory, start)
    solution = open_solution(directory)
    manifest_check.compare_quotients(certificate, solution, row)
    _check_left(solution)
    if certificate.manifest["tables"]["paths"]:
        check_paths(directory / PATHS, certificate.manifest["paths_file"], solution, certificate.positions)
    return done


def _check_range(certificate: Certificate, directory: Path, recorded: Sequence[dict[str, Any]], tiers: range) -> int:
    """Check some tiers; returns how many classes they have."""
    own = [row for row in recorded if row["tier"] in tiers]
    numbers = [row["tier"] for row in own]
    done = _check_tiers(certificate, directory, own)
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
    manifest_check.compare_tiers(certificate, numbers, whole=False)
    manifest_check.compare_whole(certificate, directory, certificate.find_start()[1])
    return done


def _check_sample(certificate: Certificate, directory: Path, choice: Choice) -> Draw:
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
    manifest_check.compare_sums(certificate.manifest, [len(tier) for tier in certificate.tiers.values()])
    manifest_check.compare_whole(certificate, directory, start)
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
