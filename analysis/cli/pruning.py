"""Compare searches on a game or a tree: prune."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import OptionError, WrongSearchError
from .app import COMPARE, Answers, argument, command, option, refuse_option, split
from .progress import writing

if TYPE_CHECKING:
    from ..search.comparison import Comparison


@command(
    "gametree prune tictactoe 0124 --algorithms alphabeta,mtdf --order natural,best",
    COMPARE,
    "format",
    "wide",
    "game",
    "progress",
)
def prune(
    target: Annotated[
        list[str] | None,
        argument(
            "GAME_OR_TREE [POSITION]",
            "A game, or an explicit tree: a file (JSON, GraphML or '((3 12 8) (2 4 6))'), - or the tree itself. "
            "Then the position, or the node of the tree, to search from. Several games tabulate the growth.",
        ),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        option(
            "--algorithms -a NAMES",
            "Searches to run: minimax, minimax_memo, alphabeta, alphabeta_failhard, alphabeta_table, "
            "negascout, mtdf, sss, dual (these are the default), iterative, pns, dfpn; or all.",
        ),
    ] = None,
    orders: Annotated[
        list[str] | None,
        option(
            "--order ORDERS",
            "natural, reverse, centre-first, permutation:402681357 (of codes; in a tree of places), random:SEED, "
            "killer, history, best, worst or least.",
        ),
    ] = None,
    windows: Annotated[
        list[str] | None, option("--window WINDOWS", "full, value or null:B (is it at least B?).")
    ] = None,
    depth: Annotated[str | None, option("--depth DEPTHS", "Plies to search; 1..8: the growth.")] = None,
    evaluate: Annotated[str | None, option("--evaluate NAME", "Evaluation of leaves, such as lines.")] = None,
    own: Annotated[
        str | None,
        option(
            "--own FILE",
            "A search of your own, FILE.py:FUNCTION,...: runs it as it is and counts calls. If its first parameter is "
            "graph, it gets graph.root, children(node), is_terminal(node), evaluate(node), is_max(node).",
        ),
    ] = None,
    own_start: Annotated[str | None, option("--own-start CODE", "Where it begins, as its file would write it.")] = None,
    strict: Annotated[bool, option("--strict", "Cut only where alpha > beta.")] = False,
    symmetry: Annotated[
        list[str] | None, option("--symmetry KINDS", "Tables keyed by classes: none (the default), geometric or full.")
    ] = None,
    table_entries: Annotated[int | None, option("--table-entries N", "Tables of N positions.")] = None,
    trace: Annotated[bool, option("--trace", "Print every visit.")] = False,
    plot: Annotated[
        Path | None, option("--plot FILE", "Draw the tree, the counts or the growth: .svg, .png or .pdf.")
    ] = None,
    *,
    explain: Annotated[bool, option("--explain", "Define every count.")] = False,
) -> Answers:
    """Compare searches: the nodes that each visits on the same position, and the least without a table."""
    from .. import compare
    from ..reports.searches import check_picture, draw_searches
    from ..search import SearchRequest, compare_growth
    from ..search.comparison import parse_depths
    from ..search.targets import is_target
    from .display.pruning_tables import prune_answer

    check_picture(plot)
    request = SearchRequest(
        algorithms=split(algorithms) if algorithms else None, orders=split(orders) or ["natural"],
        windows=split(windows) or ["full"], symmetries=split(symmetry) or ["none"], strict=strict,
        table_entries=table_entries, trace=trace, plot=plot is not None, own=own, own_start=own_start,
    )  # fmt: skip
    targets, position = list(target or []), None
    if len(targets) == 2 and not is_target(targets[1]):
        position = targets.pop()
        refuse_option(position)
    if not targets:
        raise OptionError("name a game or a tree, such as tictactoe")
    depths = parse_depths(depth)
    result: Comparison | list[dict[str, Any]]
    if len(targets) > 1 or len(depths) > 1:
        result = compare_growth(targets, request, start=position, depths=depths, evaluation=evaluate)
    else:
        result = compare(targets[0], request, start=position, depth=depths[0], evaluation=evaluate)
    if plot is not None:
        with writing(plot):
            draw_searches(result, plot)
    yield prune_answer(result, explain=explain)
    searched = getattr(result, "own", None)
    if searched is not None and searched.right is False:
        raise WrongSearchError(f"own search {searched.name}: {searched.verdict(result.value)}")  # type: ignore[union-attr]
