"""Look at solutions in the browser: explore."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from ..common.wording import visible, with_count
from ..errors import OptionError, TooLargeError
from . import completion
from .app import LOOK, From, Symmetry, argument, command, option
from .progress import ProgressBar
from .reading import in_all

LOCAL = "127.0.0.1"

PLAN_SECONDS = 0.5
"""Time to find out whether a game is too large."""


@command("gametree explore tictactoe connect:rows=4,cols=4", LOOK, "workers", "game", "progress")
def explore(
    target: Annotated[
        list[str],
        argument(
            "GAME_OR_DIR...",
            "Games such as tictactoe, or directories of solutions; a game that is not stored is solved first.",
            autocompletion=completion.games,
        ),
    ],
    port: Annotated[
        int | None,
        option("--port N", "Port; by default 8460 or one of the next ten, 0 for any free one.", min=0, max=65535),
    ] = None,
    no_browser: Annotated[bool, option("--no-browser", "Only print the address.")] = False,
    host: Annotated[
        str, option("--host HOST", "Address to listen on; other machines can connect only with --token.")
    ] = LOCAL,
    token: Annotated[bool, option("--token", "Require a token, which is generated and printed.")] = False,
    cors: Annotated[
        list[str] | None,
        option("--cors ORIGIN", "Let pages from this origin read, such as http://localhost:5173; or *."),
    ] = None,
    out: Annotated[
        Path | None, option("--out FILE", "Write the page as one .html file, which needs no server and no network.")
    ] = None,
    bots: Annotated[
        list[str] | None,
        option("--bot BOT", "A program to play against, file.py:function; may be repeated."),
    ] = None,
    depth: Annotated[int | None, option("--depth N", "With --out: only N plies.", min=0)] = None,
    optimal_only: Annotated[
        bool, option("--optimal-only", "With --out: nothing after moves that give value away.")
    ] = False,
    classes: Annotated[
        int | None, option("--classes N", "With --out: at most N classes; by default 200,000.", min=1)
    ] = None,
    start: From = None,
    symmetry: Symmetry = None,
) -> None:
    """Show solved games in the browser, and serve their positions as JSON, until Ctrl-C.

    Pages are at /, one for each game, and the interface for programs is at /api/v1. The position of --from must exist
    in all games named.

    With --out the page of one game is written as a file that contains the game, or a part of it.
    """
    from .. import find_solution
    from ..solution.storage.stored_games import refuse_other_kinds

    if out is not None:
        refuse_other_kinds(target[0])
        _check_file_options(
            target, port=port, no_browser=no_browser, host=host != LOCAL, token=token, cors=cors, bot=bots
        )
        _refuse_too_large(target, start, symmetry)
        _write(target[0], out, in_all(target, start), symmetry, depth, optimal_only, classes)
        return
    for name, value in {"--depth": depth, "--optimal-only": optimal_only or None, "--classes": classes}.items():
        if value is not None:
            raise OptionError(f"{name} is for a page that is written as a file; add --out FILE, or leave it out")
    from ..web.server import check_origin, listen, open_browser, serve

    for origin in cors or []:
        check_origin(origin)
    for bot in bots or []:
        _check_bot(bot)
    start = in_all(target, start)
    if len(target) > 1:
        _refuse_too_large(target, start, symmetry)
    listening = listen(host, port, token=token)
    with listening.socket:
        with ProgressBar():
            solutions = [find_solution(name, start=start, symmetry=symmetry) for name in target]

        def begun() -> None:
            shown = solutions[0].game.spec if len(solutions) == 1 else f"{len(solutions)} solved games"
            print(f"{visible(shown)}: {listening.url}")
            print("Ctrl-C ends it.", flush=True)
            if not no_browser:
                open_browser(listening.url)

        serve(solutions, listening, origins=cors or [], bots=bots or [], bidder=_bidder, begun=begun)


def _refuse_too_large(names: list[str], start: str | None, symmetry: str | None) -> None:
    """Raise `TooLargeError` for a game that has to be solved and that memory will certainly not hold."""
    from ..api import plan
    from ..solution.storage.stored_games import is_bidding
    from ..solving.find import stored_solution

    for name in names:
        if not is_bidding(name) and stored_solution(name, counts=False) is None:
            planned = plan(name, start=start, symmetry=symmetry or "geometric", seconds=PLAN_SECONDS)
            if planned.fits(planned.uncounted)["memory"] is False:
                raise TooLargeError(f"{planned.game} is too large to solve; {planned.advice}")


def _bidder(solution: Any, level: str) -> Any:
    from ..bidding.bidding_players import solved_bidder

    return solved_bidder(solution, level)


def _check_bot(bot: str) -> None:
    """Raise `OptionError` for a text that is not the name of a bot."""
    from ..playing.bots import find_function
    from ..playing.player import is_bot

    if not is_bot(bot):
        raise OptionError(f"--bot {bot} is not a bot: write file.py:function; levels are there anyway")
    find_function(bot)


def _check_file_options(target: list[str], **serving: Any) -> None:
    """Raise `OptionError` for several games or a ``serving`` option, which do not go with ``--out``."""
    used = (name for name, value in serving.items() if value is not None and value is not False)
    option = next((f"--{name.replace('_', '-')}" for name in used), None)
    if option or len(target) > 1:
        raise OptionError(f"--out writes the page of one game to a file; leave out {option or 'the other games'}")


def _write(
    name: str,
    out: Path,
    start: str | None,
    symmetry: str | None,
    depth: int | None,
    optimal_only: bool,
    classes: int | None,
) -> None:
    """Write the page of a game, from a position of a stored solution if there is one."""
    from .. import find_solution
    from ..common.files import check_target
    from ..web.pages.page_file import SUFFIXES, write_page
    from ..web.pages.slices import MOST_CLASSES

    check_target(out, SUFFIXES, "a page")
    with ProgressBar():
        whole = start is None
        solution = find_solution(name, start=start, symmetry=symmetry, counts=whole, holding=not whole)
        part = write_page(
            solution, out, start=start, depth=depth, optimal_only=optimal_only, classes=classes or MOST_CLASSES
        )
    print(out)
    extent = "All of the game" if part.whole else "A part of the game"
    if start is not None:
        extent += f" from {visible(start)}"
    print(f"{extent}: {with_count(len(part), 'class', 'classes')}, {out.stat().st_size / 1e6:.2f} MB", file=sys.stderr)
