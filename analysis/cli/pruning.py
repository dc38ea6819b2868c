"""Compare searches on a game or a tree: prune."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import analysis
from analysis.cli import completion
from analysis.cli.app import COMPARE, Answers, argument, command, one_position, option, split
from analysis.errors import OptionError, WrongSearchError

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison


def _number(text: object) -> float:
    """Read a number, whole ones exactly."""
    try:
        return int(str(text))
    except ValueError:
        return float(str(text))


@command(
    "gametree prune tictactoe 0124 --algorithms alphabeta,mtdf --order natural,best",
    COMPARE,
    reads_solutions=True,
    waits=True,
    threads=False,
)
def prune(
    target: Annotated[
        list[str] | None,
        argument(
            "GAME_OR_TREE [POSITION]",
            "A game, or an explicit tree: a file (JSON, .efg or '((3 12 8) (2 4 6))'), - or the tree itself. "
            "Then the position, or the node of the tree, to search from.",
        ),
    ] = None,
    start: Annotated[str | None, option("--from POSITION", "The same as the second argument.")] = None,
    algorithms: Annotated[
        list[str] | None,
        option(
            "--algorithms -a ALGORITHMS",
            "Searches to run: minimax, minimax_memo, alphabeta, alphabeta_failhard, alphabeta_table, "
            "negascout, mtdf, sss, dual (these are the default), iterative, pns, dfpn; or all.",
            autocompletion=completion.algorithms,
        ),
    ] = None,
    orders: Annotated[
        list[str] | None,
        option(
            "--order ORDERS",
            "natural, reverse, centre-first, permutation:402681357, random:SEED, killer, history, best, "
            "worst or least. Give several, as in other lists, with commas or by repeating the option.",
        ),
    ] = None,
    random_orders: Annotated[
        str | None, option("--random-orders N[:SEED]", "Show the distribution over N random orders.")
    ] = None,
    windows: Annotated[
        list[str] | None, option("--window WINDOWS", "full, value or null:B (is it at least B?).")
    ] = None,
    own: Annotated[
        list[str] | None,
        option(
            "--own FILE.py:NAME",
            "A search of your own, compared with the others: def alphabeta(graph, node, depth, alpha, beta, "
            "maximizing), minimax(graph, node, depth, maximizing), or a class with getAction(gameState). The "
            "graph has root, children(node), is_terminal(node), evaluate(node), the first player's value, and "
            "is_max(node). Several: repeat the option.",
        ),
    ] = None,
    rule: Annotated[
        str | None,
        option(
            "--rule RULE",
            "Cut where alpha >= beta (textbook) or only where alpha > beta (cs188); by default your own searches "
            "may do either.",
            autocompletion=completion.one_of(("textbook", "cs188")),
        ),
    ] = None,
    strict: Annotated[bool, option("--strict", "The same as --rule cs188.")] = False,
    symmetry: Annotated[
        list[str] | None, option("--symmetry KINDS", "Tables keyed by classes: none (the default), geometric or full.")
    ] = None,
    table_entries: Annotated[
        int | None, option("--table-entries N", "Tables of N positions; by default unlimited.")
    ] = None,
    replacement: Annotated[
        str, option("--replacement SCHEME", "Replacement scheme of a full table: new, old, deep or two-deep.")
    ] = "deep",
    guess: Annotated[float, option("--guess NUMBER", "The first guess of mtdf.", parser=_number)] = 0,
    depth: Annotated[
        str | None, option("--depth DEPTHS", "Plies to search; 1..8 or 2,4,6 tabulate the growth.")
    ] = None,
    evaluate: Annotated[
        str | None, option("--evaluate EVALUATION", "Evaluation of leaves, e.g. lines; else 0 or payoffs.")
    ] = None,
    boards: Annotated[
        list[str] | None, option("--boards R,C,K ...", "Tabulate m,n,k boards, e.g. --boards 3,3,3 3,4,3 4x4x3.")
    ] = None,
    seconds: Annotated[float, option("--own-seconds SECONDS", "Processor time for each search of --own.")] = 30.0,
    trace: Annotated[bool, option("--trace", "Print every visit: window, value and cutoffs.")] = False,
    plot: Annotated[
        Path | None, option("--plot FILE", "Draw the tree, the counts or the growth: .svg, .png or .pdf.")
    ] = None,
    max_nodes: Annotated[int, option("--max-nodes N", "Limit on the nodes of each search.")] = 1_000_000_000,
    memory: Annotated[
        str, option("--memory SIZE", "Memory limit for the table or nodes of each search, with its unit: 500MB, 2GiB.")
    ] = "2GB",
    *,
    explain: Annotated[bool, option("--explain", "Define every count.")] = False,
) -> Answers:
    """Compare searches: the nodes that each visits on the same position, and the least possible."""
    from analysis.cli.display.pruning_tables import prune_answer
    from analysis.reports.figures.searches import check_picture, draw_searches
    from analysis.search.comparison import parse_depths
    from analysis.search.targets import is_target

    check_picture(plot)
    request = analysis.search.SearchRequest(
        algorithms=split(algorithms) if algorithms else None, orders=split(orders) or ["natural"],
        windows=split(windows) or ["full"], symmetries=split(symmetry) or ["none"], strict=strict,
        random_orders=random_orders, table_entries=table_entries, replacement=replacement,
        guess=guess, max_nodes=max_nodes, memory=memory, trace=trace,
        plot=plot is not None, own=own or [], own_seconds=seconds, rule=rule,
    )  # fmt: skip
    targets = list(target or [])
    if boards is None and len(targets) == 2 and not is_target(targets[1]):
        start = one_position(targets.pop(), start)
    depths = parse_depths(depth)
    found: Comparison | list[dict[str, Any]]
    if boards is not None or len(depths) > 1:
        found = analysis.search.compare_growth(
            targets, request, boards=boards, position=start, depths=depths, evaluation=evaluate
        )
    elif len(targets) != 1:
        raise OptionError("name one game or tree, such as tictactoe, or give --boards 3,3,3 3,4,3")
    else:
        found = analysis.compare(targets[0], request, position=start, depth=depths[0], evaluation=evaluate)
    if plot is not None:
        draw_searches(found, plot)
    yield prune_answer(found, explain=explain)
    wrong = [verdict for verdict in getattr(found, "own", ()) if not verdict.right]
    if wrong:
        raise WrongSearchError("; ".join(f"{verdict.name}: {verdict.faults[0].words}" for verdict in wrong))
