"""Play a game in a terminal: play."""

from __future__ import annotations

import random
import shlex
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from analysis.commands import bidding_games
from analysis.commands.app import From, GameOrDir, command
from analysis.commands.bidding_games import is_bidding
from analysis.commands.dialogues import run

if TYPE_CHECKING:
    from analysis.playing.players.player import Player
    from analysis.playing.terminal.dialogue import Dialogue

You = Annotated[
    str | None,
    typer.Option("--you", metavar="SIDE", help="What you play: X (who begins), O, both or none; or the side's name."),
]
Opponent = Annotated[
    str | None,
    typer.Option(
        "--opponent",
        metavar="LEVEL",
        help="random, greedy, depth:N, perfect, perfect:shortest or blunder:P; by default perfect, or a search of "
        "1 second a move where that takes too long to find out.",
    ),
]


@command("gametree play tictactoe --second --opponent blunder:0.1")
def play(
    game: GameOrDir,
    you: You = None,
    first: Annotated[
        bool, typer.Option("--first", help="You make the next move: at the start as with --you X.")
    ] = False,
    second: Annotated[bool, typer.Option("--second", help="The opponent makes the next move.")] = False,
    opponent: Opponent = None,
    start: From = None,
    numbered: Annotated[bool, typer.Option("--numbered", help="Number the free cells on the board.")] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="Makes the opponent reproducible, unless it has a time to keep."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="What depth:N may take for a move.")
    ] = None,
) -> None:
    """Play against a level, another person, or watch a level play itself.

    A move is typed as a coordinate (b2), a number from 1 (5), or as the game writes it; ? explains, h gives hints.
    """
    check_options(you, opponent, seconds)
    if is_bidding(game):
        unknown = {"first": first, "second": second, "numbered": numbered, "seconds": seconds is not None}
        bidding_games.play(game, you=you, opponent=opponent, position=start, seed=seed, **unknown)
        return
    from analysis.playing.terminal.console import Console

    dialogue = set_up(
        game, you=you, first=first, second=second, opponent=opponent, start=start, numbered=numbered, seed=seed,
        seconds=seconds, console=Console(),
    )  # fmt: skip
    run(dialogue)


def check_options(you: str | None, opponent: str | None, seconds: float | None) -> None:
    """Raise `OptionError` for options that make no sense, before anything takes long."""
    from analysis.errors import OptionError
    from analysis.playing.players.levels import parse_level

    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"--seconds {seconds:g} is no time for a move; give more than 0")
    if opponent is not None:
        kind = parse_level(opponent).kind
        if seconds is not None and kind != "depth":
            raise OptionError(f"--seconds is what depth:N may take for a move; leave it out with --opponent {opponent}")
        if you is not None and you.strip().lower() == "both":
            raise OptionError(f"--you both leaves no side for --opponent {opponent}; leave one of them out")


def set_up(
    name: str,
    *,
    you: str | None = None,
    first: bool = False,
    second: bool = False,
    opponent: str | None = None,
    start: str | None = None,
    numbered: bool = False,
    seed: int | None = None,
    seconds: float | None = None,
    console: Any,
) -> Dialogue:
    """Who plays what, and the dialogue between them. Raises what finding a game, its players and a position raises."""
    from analysis.commands.display.printing import program_name
    from analysis.commands.display.waiting import Waiting
    from analysis.playing.terminal.dialogue import Dialogue
    from analysis.playing.terminal.opponents import OpponentMemory, find_opponent, searching_opponent
    from analysis.playing.terminal.seats import human_sides
    from analysis.playing.terminal.session import Session
    from analysis.solving import named_game

    session, program = Session(named_game(name), start), program_name()
    people = human_sides(session.game, you, first, second, begins=session.side)
    sides = [side for side in (1, -1) if side not in people]
    waiting = Waiting()
    memory = OpponentMemory(name, session, waiting)
    players: dict[int, Player] = {}
    if sides and not session.over:
        with waiting:
            players = dict.fromkeys(sides, find_opponent(opponent, memory, seconds))

    def resume(position: str) -> str:
        seat = "both" if len(people) == 2 else "none" if not people else "X" if 1 in people else "O"
        options = {"--you": seat, "--opponent": opponent, "--seconds": None if seconds is None else f"{seconds:g}"}
        given = [word for option, value in options.items() if value is not None for word in (option, value)]
        given += ["--numbered"] if numbered else []
        return f"{program} {shlex.join(['play', name, *given, '--from', position])}"

    dialogue = Dialogue(
        session, players=players, console=console, know=memory.consult, resume=resume, rng=random.Random(seed),
        numbered=numbered, waiting=waiting,
        substitute=(lambda: searching_opponent(session.game, seconds)) if opponent is None else None,
    )  # fmt: skip
    if numbered and not dialogue.notation.pointing:
        refuse_numbers(dialogue)
    return dialogue


def refuse_numbers(dialogue: Dialogue) -> NoReturn:
    """Raise `OptionError` for ``--numbered`` where no cells stand for moves."""
    from analysis.errors import OptionError

    game, session = dialogue.game, dialogue.session
    example = "" if session.over else f", {dialogue.notation.example(session.state)}"
    raise OptionError(f"--numbered is for games whose moves are cells; {game.spec} has other moves{example}")
