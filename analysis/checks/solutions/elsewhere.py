"""Verification whose large tiers are checked by an executor, piece by piece.

A piece is some rows of a tier. Whoever has it reads them and what is after them, and writes what it finds out about
rows of other tiers into a file; the driver puts that together, in the order of the rows, so that it says the same as
if it had checked them itself. Small tiers, the table of moves, and what follows the moves from the start on in games
whose tiers are no plies are checked by the driver.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.checks.solutions.draws import Choice, Draw
from analysis.checks.solutions.ledgers import Ledger, LedgerFile
from analysis.checks.solutions.rederive import Checked, TierCheckResult
from analysis.checks.solutions.room import Room
from analysis.checks.solutions.sampled import Looked, check_rows
from analysis.checks.solutions.stored_rows import TierRows
from analysis.errors import VerificationError
from analysis.games.families import load_game
from analysis.machine.crew import Crew, Needs, in_order, slots_of
from analysis.machine.endings import undone
from analysis.machine.files import as_store_error, atomic_file, read_bytes
from analysis.machine.memory import Budget
from analysis.rules.game import Game
from analysis.storage.directory import MANIFEST, take_away
from analysis.storage.integrity import not_as_written, read_tier_files
from analysis.storage.store import read_manifest

SMALL = 100_000
"""Rows of a tier that is checked by the driver: to send them elsewhere takes longer."""
PIECES = 4
"""Of a tier, at least, for each that can be checked at the same time."""
CHECK, FINISH, SAMPLE = "check", "finish", "sample"


class Work(NamedTuple):
    """What all pieces have in common."""

    directory: str
    manifest: str
    """Its checksum: the solution is the one that was meant."""
    game: str
    """The specification."""
    memory: int
    """Bytes for a piece."""
    scratch: str
    """A folder that all see."""


class Piece(NamedTuple):
    """Some rows of a tier, or some of those that were drawn."""

    work: Work
    kind: str
    tier: int
    begin: int
    end: int
    choice: Choice | None = None


class Found(NamedTuple):
    """What was found out about a piece."""

    checked: list[Checked]
    overflown: list[int]
    """Tiers in which histories exceeded 128 bits."""


# The driver ----------------------------------------------------------------------------------------------------------


class Elsewhere:
    """An executor that checks rows of a solution; as a context manager it has a scratch folder."""

    def __init__(self, executor: Executor, directory: Path, game: Game) -> None:
        self.executor, self._directory, self._game = executor, directory.absolute(), game

    def __enter__(self) -> Elsewhere:
        with contextlib.ExitStack() as stack:
            with as_store_error(self._directory.parent):
                self.scratch = Path(tempfile.mkdtemp(prefix=".gametree-verify-", dir=self._directory.parent))
            stack.enter_context(undone(functools.partial(take_away, self.scratch)))
            memory = Budget.of_machine().limit // slots_of(self.executor)
            if isinstance(self.executor, Crew):
                needs = Needs(self._game.lasting_spec, self._game.rules_hash(), (self.scratch,))
                memory = self.executor.prepare(needs)
            digest = hashlib.sha256(read_bytes(self._directory / MANIFEST)).hexdigest()
            self.work = Work(str(self._directory), digest, self._game.lasting_spec, memory, str(self.scratch))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def pieces(self, kind: str, tier: int, rows: int, most: int, choice: Choice | None = None) -> list[Piece]:
        """So many rows of a tier, cut into pieces of ``most`` rows at most."""
        size = max(1, min(most, -(-rows // (PIECES * slots_of(self.executor)))))
        return [Piece(self.work, kind, tier, begin, min(begin + size, rows), choice) for begin in range(0, rows, size)]

    def sample(self, tiers: Sequence[dict[str, Any]], choice: Choice, draw: Draw) -> Iterator[Looked]:
        """Check the classes that are drawn, the last tier first."""
        return in_order(self.executor, sample_piece, self._samples(tiers, choice, draw))

    def _samples(self, tiers: Sequence[dict[str, Any]], choice: Choice, draw: Draw) -> Iterator[Piece]:
        end = draw.total
        for recorded in reversed(tiers):
            begin = end - recorded["rows"]
            yield from self.pieces(SAMPLE, recorded["tier"], len(draw.between(begin, end)), SMALL, choice)
            end = begin


class SpreadCheck(TierCheckResult):
    """Checks large tiers elsewhere."""

    def __init__(
        self, directory: Path, manifest: dict[str, Any], game: Game, memory: int, workers: int | None, others: Elsewhere
    ) -> None:
        super().__init__(directory, manifest, game, memory, workers)
        self._others, self._room = others, Room(others.work.memory, self.schemas[-1])

    def _begin(self, tier: TierRows) -> None:
        self.ledgers[tier.number] = LedgerFile(len(tier), self.limbs, ledger_path(self._others.scratch, tier.number))

    def _is_here(self, tier: TierRows) -> bool:
        return len(tier) < SMALL or self.manifest["tables"]["moves"]

    def _checked(self, tier: TierRows) -> Iterator[Checked]:
        yield from super()._checked(tier) if self._is_here(tier) else self._checked_elsewhere(tier)
        self._flush(self.ledgers[tier.number])

    def _checked_elsewhere(self, tier: TierRows) -> Iterator[Checked]:
        files = self.files_after(tier.number)
        pieces = self._others.pieces(CHECK, tier.number, len(tier), self.span_of(tier.number, self._room))
        found = in_order(self._others.executor, check_piece, pieces)
        for piece, (checked, overflown) in zip(pieces, found, strict=True):
            self._take_over(piece, files, overflown)
            yield from checked

    def _take_over(self, piece: Piece, files: dict[int, LedgerFile], overflown: list[int]) -> None:
        """What a piece has found out about the rows of other tiers, and its quotient paths."""
        path = found_path(piece)
        with as_store_error(path), np.load(path) as held:
            if "quotient" in held:
                own = self.ledgers[piece.tier]
                assert isinstance(own, LedgerFile)
                own.set_quotient(piece.begin, held["quotient"])
            for number, ledger in files.items():
                if f"rows-{number}" in held:
                    names = (f"{name}-{number}" for name in ("rows", "marks", "histories"))
                    ledger.take_over(*(held[name] for name in names))
                    ledger.overflown |= number in overflown
        path.unlink()

    def _finished(self, tier: TierRows, ledger: Ledger) -> Iterator[VerificationError | None]:
        if self._is_here(tier):
            return super()._finished(tier, ledger)
        self._flush(ledger)
        pieces = self._others.pieces(FINISH, tier.number, len(tier), len(tier))
        return in_order(self._others.executor, finish_piece, pieces)

    @staticmethod
    def _flush(ledger: Ledger) -> None:
        assert isinstance(ledger, LedgerFile)
        ledger.flush()


def ledger_path(scratch: Path, number: int) -> Path:
    """Where the ledger of a tier is."""
    return scratch / f"tier-{number:04d}"


def found_path(piece: Piece) -> Path:
    """Where it is written what a piece finds out about rows of other tiers."""
    return Path(piece.work.scratch) / f"found-{piece.tier:04d}-{piece.begin}.npz"


# Wherever a piece is checked ------------------------------------------------------------------------------------------


class _There(TierCheckResult):
    """Checks rows of any tier."""

    def __init__(self, work: Work) -> None:
        directory = Path(work.directory)
        manifest, game = read_manifest(directory), load_game(work.game)
        super().__init__(directory, manifest, game, work.memory, workers=1)
        self._scratch = Path(work.scratch)
        self._recorded = {row["tier"]: row for row in read_tier_files(directory, manifest, game.rules_hash())}
        self._quotients: list[np.ndarray] = []
        self._open = functools.cache(lambda number: self.open_tier(directory, self._recorded[number]))

    def at(self, number: int) -> TierRows:
        """A tier, whose rows are looked at next, and those after it."""
        later = (number, number + 1) if self.positions.by_ply else self._recorded
        self.tiers = {each: self._open(each) for each in later if each in self._recorded and each >= number}
        return self.tiers[number]

    def check_piece(self, piece: Piece) -> Found:
        tier, self._quotients = self.at(piece.tier), []
        own = piece.tier if self.positions.by_ply else None
        self.ledgers = {each: self._ledger(each) for each in self.tiers if each != own}
        files = {each: ledger for each, ledger in self.ledgers.items() if isinstance(ledger, LedgerFile)}
        checked, targets = _listed(self.check_span(tier, piece.begin, piece.end, files))
        held = {"quotient": np.concatenate(self._quotients)} if self._quotients else {}
        for number, known in targets.items():
            assert known.rows is not None
            held |= {f"rows-{number}": known.rows, f"marks-{number}": known.ledger.marks(0, len(known.rows))}
            held |= {f"histories-{number}": known.ledger.histories(0, len(known.rows))}
        with atomic_file(found_path(piece)) as file:
            np.savez(file, **held)  # type: ignore[arg-type]
        return Found(checked, [number for number, known in targets.items() if known.ledger.overflown])

    def _ledger(self, number: int) -> LedgerFile:
        return LedgerFile(len(self.tiers[number]), self.limbs, ledger_path(self._scratch, number), read=True)

    def _keep_quotient(self, number: int, begin: int, quotient: np.ndarray) -> None:
        self._quotients.append(quotient.copy())

    def finish_piece(self, piece: Piece) -> VerificationError | None:
        tier, first = self.at(piece.tier), None
        ledger = self._ledger(piece.tier)
        for begin in range(piece.begin, piece.end, self.batch):
            wrong = self.finish_rows(tier, ledger, begin, min(self.batch, piece.end - begin))
            first = first or wrong
        return first

    def sample_piece(self, piece: Piece) -> Looked:
        assert piece.choice is not None
        begins = np.cumsum([0, *(row["rows"] for row in self._recorded.values())])
        draw, place = _draw(piece.choice, int(begins[-1])), list(self._recorded).index(piece.tier)
        tier = self.at(piece.tier)
        rows = draw.between(int(begins[place]), int(begins[place + 1])) - begins[place]
        some = tier.pick(rows[piece.begin : piece.end], self.workers)
        return Looked(len(some), sum(check_rows(self, some)))


@functools.lru_cache(maxsize=1)
def _draw(choice: Choice, total: int) -> Draw:
    return choice.of(total)


def _listed(checked: Generator[Checked, None, Any]) -> tuple[list[Checked], Any]:
    """What a generator yields, and what it returns."""
    found = []
    while True:
        try:
            found.append(next(checked))
        except StopIteration as end:
            return found, end.value


_thread = threading.local()


def _there(piece: Piece) -> _There:
    """The solution, opened once in a thread."""
    work, opened = getattr(_thread, "opened", (None, None))
    if work != piece.work or opened is None:
        path = Path(piece.work.directory) / MANIFEST
        if hashlib.sha256(read_bytes(path)).hexdigest() != piece.work.manifest:
            raise VerificationError(f"{path}: is another solution's here than the one that is verified")
        opened = _There(piece.work)
        _thread.opened = piece.work, opened
    return opened


def check_piece(piece: Piece) -> Found:
    """Check some rows of a tier. Raises `VerificationError` for the first that is wrong."""
    with not_as_written(Path(piece.work.directory)):
        return _there(piece).check_piece(piece)


def finish_piece(piece: Piece) -> VerificationError | None:
    """Whether some rows of a tier are reached, and by the histories that they have, now that all is known of it."""
    with not_as_written(Path(piece.work.directory)):
        return _there(piece).finish_piece(piece)


def sample_piece(piece: Piece) -> Looked:
    """Check some of the rows of a tier that were drawn."""
    with not_as_written(Path(piece.work.directory)):
        return _there(piece).sample_piece(piece)
