"""Hand solutions out: explore."""

from __future__ import annotations

from typing import Annotated

from analysis.commands import completion
from analysis.commands.app import LOOK, From, Symmetry, Workers, argument, command, option
from analysis.commands.progress import ProgressBar
from analysis.errors import OptionError
from analysis.wording import visible


@command("gametree explore tictactoe connect:rows=4,cols=4", LOOK, reads_solutions=True, waits=True)
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
        option("--port N", "Where to listen; by default 8460 or one of the next ten, 0 for any.", min=0, max=65535),
    ] = None,
    no_browser: Annotated[bool, option("--no-browser", "Only print the address.")] = False,
    host: Annotated[
        str, option("--host HOST", "The address to listen at. Others than this machine need --token.")
    ] = "127.0.0.1",
    token: Annotated[
        bool, option("--token", "Answer only those who know a token, which is made up and printed.")
    ] = False,
    cors: Annotated[
        list[str] | None,
        option("--cors ORIGIN", "Let pages from there read, such as http://localhost:5173 for GamesmanUni; or *."),
    ] = None,
    start: From = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
) -> None:
    """Show solved games in the browser, and hand their positions out as JSON, until Ctrl-C.

    Pages are at /, the interface for programs at /api/v1, that of GamesmanUni at /uwapi, that of Lichess at /lichess.
    """
    try:
        from analysis.explorer.server import check_origin, listen, open_browser, serve
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("starlette", "uvicorn"):
            raise
        raise OptionError(f"explore needs {missing}, which is not installed: pip install 'gametree[explore]'") from None
    from analysis.solving.find import find_solution
    from analysis.storage.stored_games import is_bidding

    for origin in cors or []:
        check_origin(origin)
    for name in target:
        if is_bidding(name):
            raise OptionError(f"{name} is a game of bids, and explore shows games by turns; `gametree show` shows it")
    if start is not None and len(target) > 1:
        raise OptionError(f"--from {start} is a position of one game, and {len(target)} are named")
    listening = listen(host, port, token=token)
    with listening.socket:
        with ProgressBar() as progress:
            solutions = [
                find_solution(name, position=start, symmetry=symmetry, workers=workers, progress=progress)
                for name in target
            ]

        def begun() -> None:
            shown = solutions[0].game.spec if len(solutions) == 1 else f"{len(solutions)} solved games"
            print(f"{visible(shown)}: {listening.url}")
            print("Ctrl-C ends it.", flush=True)
            if not no_browser:
                open_browser(listening.url)

        serve(solutions, listening, origins=cors or [], begun=begun)
