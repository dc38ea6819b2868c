"""A built-in family that plays otherwise than before has another version, so that stored solutions are made again."""

import hashlib
import random
from pathlib import Path

import pytest

from analysis.engine.engine import make_engine
from analysis.errors import OptionError, SymmetryError
from analysis.games.families import FAMILIES, load_game
from analysis.rules.either_side import EitherSide
from analysis.rules.game import ONGOING
from analysis.rules.symmetry import KINDS

TABLE = Path(__file__).with_name("rules_versions.txt")
KNOWN = {spec: (int(version), digest) for spec, version, digest in map(str.split, TABLE.read_text().splitlines())}


def engines(game):
    """One for each kind of symmetry that the game has."""
    for kind in KINDS:
        try:
            yield kind, make_engine(game, symmetry=kind)
        except (OptionError, SymmetryError):
            continue


def digest(spec: str) -> str:
    """Over what the rules, the symmetries and the texts say along sixty games by chance."""
    either_side, _, base = spec.rpartition("/")
    game = EitherSide(load_game(base)) if either_side else load_game(base)
    rules, chance, found = game.rules(), random.Random(spec), hashlib.sha256()
    known = list(engines(game))
    for _ in range(60):
        state = rules.start
        for _ in range(80):
            moves = rules.moves(state)
            images = [(kind, engine.canonical(state), engine.orbit_size(state)) for kind, engine in known]
            tier = rules.tier and rules.tier(state)
            told = (state, moves, rules.outcome(state), rules.to_move(state), tier, images)
            found.update(repr((*told, game.format_position(state))).encode())
            if rules.outcome(state) != ONGOING:
                break
            state = chance.choice(moves)[1]
    return found.hexdigest()[:32]


def test_every_family_is_in_the_table():
    assert {spec.rpartition("/")[2].partition(":")[0] for spec in KNOWN} == set(FAMILIES)


@pytest.mark.parametrize("spec", KNOWN)
def test_rules_that_play_otherwise_have_another_version(spec):
    version, wanted = KNOWN[spec]
    assert (load_game(spec.rpartition("/")[2]).rules_version, digest(spec)) == (version, wanted), (
        "raise rules_version of the family, and write the version and the digest into rules_versions.txt"
    )


def test_another_version_is_another_hash(monkeypatch):
    for spec in KNOWN:
        game = load_game(spec.rpartition("/")[2])
        before = {game.rules_hash(), EitherSide(game).rules_hash()}
        with monkeypatch.context() as other:
            other.setattr(type(game), "rules_version", 1000)
            assert not before & {game.rules_hash(), EitherSide(game).rules_hash()}
