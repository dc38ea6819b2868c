"""What random games tell beforehand of how many games there are."""

import math
import random

import pytest

import analysis
from analysis.engine import foresight
from analysis.engine.engine import make_engine
from analysis.errors import CountOverflowError, RulesError
from analysis.games.families import load_game

KINDS = (
    "tictactoe", "connect:rows=4,cols=4,k=4", "nim:heaps=3-4-5", "kayles:pins=12", "dots_and_boxes:rows=2,cols=2",
    "hexapawn:rows=3,cols=3", "chomp:rows=4,cols=5",
)  # fmt: skip


def test_the_mean_is_the_number_of_games():
    rules, generator = load_game("tictactoe").rules(), random.Random(1)
    logs = [foresight._log_of_games(rules, rules.start, generator, eager=False) for _ in range(4000)]
    assert math.exp(foresight._log_of_mean(logs)) == pytest.approx(255168, rel=0.02)


class Recording(random.Random):
    """Remembers how likely it was to choose as it did; choosing some of which to choose counts as that share."""

    likely = 1.0

    def choice(self, some):
        self.likely /= len(some)
        return super().choice(some)

    def choices(self, some, weights):
        chosen = super().choices(some, weights)
        self.likely *= weights[chosen[0]] / sum(weights)
        return chosen

    def sample(self, some, number):
        self.likely *= number / len(some)
        return super().sample(some, number)


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("looked_at", [3, 32])
@pytest.mark.parametrize("spec", KINDS)
def test_a_game_counts_for_as_many_as_it_is_unlikely(monkeypatch, spec, looked_at, eager):
    monkeypatch.setattr(foresight, "LOOKED_AT", looked_at)
    rules = load_game(spec).rules()
    for seed in range(20):
        generator = Recording(seed)
        said = foresight._log_of_games(rules, rules.start, generator, eager=eager)
        assert said == pytest.approx(-math.log(generator.likely))


@pytest.mark.parametrize("spec", ["chomp:rows=15,cols=15", "kayles:pins=62"])
def test_what_cannot_be_counted_is_refused_at_once(spec, monkeypatch):
    monkeypatch.setattr(foresight, "PATIENCE", 60)  # on a busy machine too
    with pytest.raises(CountOverflowError, match="--no-counts"):
        foresight.refuse_uncountable(make_engine(load_game(spec)))


@pytest.mark.parametrize("spec", ["kayles:pins=33", "chomp:rows=6,cols=6", "hex:n=5", "nim:heaps=30"])
def test_what_can_be_counted_is_not_refused(spec, monkeypatch):
    monkeypatch.setattr(foresight, "PATIENCE", 0.2)
    for seed in range(3):
        foresight.refuse_uncountable(make_engine(load_game(spec)), seed)


CYCLE = """
import dataclasses

from analysis.rules.game import ONGOING, Rules


@dataclasses.dataclass(frozen=True)
class Cycle:
    def rules(self):
        def legal_moves(state, out):
            out[0] = 0
            out[1] = 1
            return 2

        def play(state, move):
            return (state + 1 + move) % 6

        def outcome(state):
            return ONGOING

        def to_move(state):
            return 1

        return Rules(start=0, max_moves=2, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move)
"""


def test_games_without_an_end_are_left_to_the_passes(tmp_path, monkeypatch):
    (tmp_path / "cycle.py").write_text(CYCLE)
    monkeypatch.setattr(foresight, "PATIENCE", 0.05)
    foresight.refuse_uncountable(make_engine(load_game(f"{tmp_path}/cycle.py")))
    with pytest.raises(RulesError, match="loopy=True"):
        analysis.solve(f"{tmp_path}/cycle.py")
