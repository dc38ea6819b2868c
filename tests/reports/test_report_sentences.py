"""What a report says in words: the summary at the top, and the sentences of its sections."""

from __future__ import annotations

import functools
import types

import pytest

import analysis
from analysis.machine.markup import printable
from analysis.reports import words
from analysis.reports.findings import Findings, gather
from analysis.reports.sections import commands, line_end, make_sections
from analysis.search.comparison import SearchRequest, compare
from tests.support.report_games import Countdown, Endless

OVER = "XXXOO????"
"""A tic-tac-toe position in which X has won."""

MIDDLE = "XOX?O????"
"""One from which the game goes on for 5 plies."""


@functools.cache
def found(game: str, **options) -> Findings:
    return gather(analysis.solve(game, **options))


def section(findings: Findings, name: str):
    """A section without its figures and tables."""
    return next(each for each in make_sections(findings, {}, {}) if each.name == name)


@pytest.fixture(scope="module")
def tictactoe():
    return found("tictactoe")


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("tictactoe", {}, "Under optimal play tictactoe is a tie after 9 plies."),
        ("tictactoe", {"counts": False}, "Under optimal play tictactoe is a tie after 9 plies."),
        ("mnk:rows=2,cols=2,k=2", {}, "X, who moves first, wins mnk:rows=2,cols=2,k=2 after 3 plies."),
        ("notakto:rows=2,cols=2,k=2", {}, "the first player wins notakto:rows=2,cols=2,k=2 after 2 plies."),
        ("notakto:rows=1,cols=2,k=1", {}, "Under optimal play the second player wins"),
        pytest.param(
            "nim:heaps=2-2", {}, "O, who moves second, wins nim:heaps=2-2,take=any after 4 plies.",
            marks=pytest.mark.slow,
        ),
        ("dots_and_boxes:rows=1,cols=3", {}, "O, who moves second, wins dots_and_boxes:rows=1,cols=3 by 1 after 10"),
        ("dodgem", {}, "X, who moves first, wins dodgem:n=3 after 19 plies."),
        ("chomp:rows=1,cols=1", {}, "chomp:rows=1,cols=1 is over at its start, and the second player has won."),
        ("tictactoe", {"position": "XO???????"}, "From XO??????? on, under optimal play X, who moves first, wins"),
        ("tictactoe", {"position": OVER}, f"nothing to play: tictactoe is over at {OVER}, and X has won."),
        ("tictactoe", {"position": "XOXXOOOXX"}, "is over at XOXXOOOXX, and it is a tie."),
        ("mnk:rows=1,cols=1,k=1", {}, "There is only one first move."),
        ("mnk:rows=1,cols=1,k=1", {}, "Play can reach 2 positions. The only game: X wins."),
        ("mnk:rows=1,cols=2,k=2", {}, "Play can reach 5 positions (3 up to symmetry). All 2 games: tie."),
        ("hex:n=2", {}, "2 of the 4 first moves keep that value."),
        ("mnk:rows=2,cols=2,k=2", {}, "All 24 games: X wins."),
        ("tictactoe", {"position": "XO???????"}, "3 of the 7 first moves keep that value."),
        ("tictactoe", {"position": "OOXX?????"}, "4 of the 5 first moves keep that value, 2 of them with the end after "
                                                 "3 plies."),
        ("tictactoe", {"position": "OOX?X????"}, "keep that value, 1 of them with the end after 1 ply."),
    ],
)  # fmt: skip
def test_the_summary_says(game, options, sentence):
    assert sentence in " ".join(words.summary(found(game, **options)))


def test_the_other_sentences(tictactoe):
    assert words.summary(tictactoe)[1:] == [
        "All 9 first moves keep that value.",
        "Play can reach 5,478 positions (765 up to symmetry).",
        "Of 255,168 games, X wins: 131,184 (51.4\u202f%); O wins: 77,904 (30.5\u202f%); tie: 46,080 (18.1\u202f%).",
    ]
    loopy = words.summary(found("dodgem"))
    assert loopy[1] == "Only one of the 3 first moves, a3-b3, keeps that value."
    assert loopy[2] == "Play can reach 1,963 positions."
    assert "no end of games" in loopy[3]
    uncounted = words.summary(found("tictactoe", counts=False))
    assert uncounted[3] == "Histories, games and paths were left out of this solution (--no-counts)."


def test_a_game_without_an_end_is_a_draw():
    endless = gather(analysis.solve(Endless()))
    assert words.verdict(endless) == "a draw"
    assert words.summary(endless)[0] == (
        "Under optimal play endless is a draw: neither player can force a win, and play never ends."
    )
    assert line_end(endless) == "This one comes back to an earlier position: play never ends."
    assert not [label for label, _ in words.tiles(endless) if "end" in label]


def test_a_long_line_is_followed_to_its_end():
    long = gather(analysis.solve(Countdown()))
    assert words.summary(long)[0] == "Under optimal play O, who moves second, wins countdown:steps=220 after 220 plies."
    assert line_end(long) == "It ends after 220 plies."
    assert [step.remoteness_plies for step in long.principal] == list(range(220, -1, -1))


def test_a_line_without_an_end_is_cut():
    steps = [types.SimpleNamespace(state=state) for state in range(201)]
    cut = types.SimpleNamespace(principal=steps, statistics={"remoteness_plies": None})
    assert line_end(cut) == "Here are its first 200 plies: play never ends."


@pytest.mark.parametrize(
    ("name", "game", "sentence"),
    [
        ("remoteness", "tictactoe", "the player who would be to move has lost or tied."),
        ("remoteness", "mnk:rows=2,cols=2,k=2", "the player who would be to move has lost."),
        ("remoteness", "mnk:rows=1,cols=2,k=2", "the player who would be to move has tied."),
        ("remoteness", "dots_and_boxes:rows=1,cols=1", "the player who would be to move has won."),
        ("remoteness", "dodgem", "in how many plies, or drawn without an end."),
        ("growth", "dodgem", "A tier is a number that no move lowers, such"),
        ("growth", "nim:heaps=1-2", "at several plies counts at each"),
    ],
)
def test_sections_say(name, game, sentence):
    assert sentence in " ".join(section(found(game), name).text)


def test_tiers_that_are_no_plies_rise_unless_play_can_return():
    facts = {game: section(found(game), "protocol").facts for game in ("dodgem", "nim:heaps=1-2")}
    assert facts["dodgem"]["Tiers"] == "a number that no move lowers; not the ply"
    assert facts["nim:heaps=1-2"]["Tiers"] == "a number that rises with every move; not the ply"
    assert len(section(found("tictactoe"), "growth").text) == 1


def test_nimbers_are_at_the_top():
    assert ("nimber", "3") in words.tiles(found("nim:heaps=1-2"))
    assert not [label for label, _ in words.tiles(found("tictactoe")) if label == "nimber"]


# The laboratory -------------------------------------------------------------------------------------------------------


@functools.cache
def searched(most: int) -> Findings:
    solution = analysis.solve("tictactoe", position=MIDDLE)
    return gather(solution, compare("tictactoe", SearchRequest(max_nodes=most), position=MIDDLE))


def test_the_least_possible_is_said_to_be_of_its_window():
    (said,) = section(searched(1000), "pruning").text
    assert "The whole tree has 206 nodes. With the window (\N{MINUS SIGN}\N{INFINITY}, +\N{INFINITY}), that is" in said
    assert "a proof of the value takes 38 of them at least" in said
    assert "stopped" not in said


def test_stopped_searches_are_said_to_be():
    assert "A search that was stopped" in section(searched(50), "pruning").text[0]


def test_commands_that_make_a_report_again():
    start = f"tictactoe --from '{MIDDLE}'"
    again = f"gametree report {start} --prune --max-nodes 1000 --out DIR"
    assert commands(searched(1000)) == [again, f"gametree stats {start} --format json"]
    assert commands(searched(100_000_000))[0] == f"gametree report {start} --prune --out DIR"
    assert commands(found("tictactoe", position=MIDDLE))[0] == f"gametree report {start} --out DIR"
    assert commands(found("tictactoe", symmetry="none"))[0] == "gametree report tictactoe --symmetry none"


# Text -----------------------------------------------------------------------------------------------------------------


def test_marks_that_turn_text_are_replaced():
    turning = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    assert printable(f"a{turning}b\u200f\u05d0") == f"a{9 * chr(0xFFFD)}b\u200f\u05d0"
