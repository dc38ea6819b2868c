// The moves of a position, best first and grouped by what they lead to, each with its share of all games.

import { button, element, shown } from "./elements.js";
import { RESULTS, byClass, named, percent, plies, resultOf, strength, worth, written } from "./wording.js";

/**
 * The list. `play` is called with a move, `merge` says whether moves into one class are one entry. Where it is `secret` what they
 * are worth they come by their codes, and nothing is said of them.
 */
export function moveList(position, solution, { merge, secret, play, only = null }) {
  if (position.moves === null)
    return [element("p", {}, solution.part ? "What follows is not in this page." : "The moves are known to the rules of this game alone: name them by --game FILE.py:Name.")];
  if (!position.moves.length) return [element("p", {}, "None: the game is over.")];
  const moves = secret ? position.moves.toSorted((a, b) => a.move - b.move) : position.moves;
  const entries = merge ? byClass(moves) : moves.map((move) => [move]);
  if (secret) return [element("ul", { class: "moves" }, entries.map((found) => unknown(found, play, only)))];
  const groups = Object.keys(RESULTS).map((result) => [result, entries.filter(([first]) => resultOf(first) === result)]);
  return groups
    .filter(([, found]) => found.length)
    .map(([result, found]) =>
      element(
        "section",
        { class: `group ${result}` },
        element("h3", {}, RESULTS[result].heading, " ", element("span", { class: "muted" }, String(found.flat().length))),
        element("ul", { class: "moves" }, found.map((moves) => entry(moves, result, position, solution, play, only))),
      ),
    );
}

/** An entry of the list that tells the names of its moves alone. */
function unknown(moves, play, only) {
  const click = () => play(moves[0]);
  return element("li", { class: faded(moves, only) }, button([names(moves)], click, { class: "move", "data-move": moves[0].move }));
}

const faded = (moves, only) => (only && !moves.some((move) => only.includes(move)) ? "other" : null);

const names = (moves) =>
  element("span", { class: "name" }, moves.map((move) => shown(move.name || move.move)).join(" "),
    moves.length > 1 && element("span", { class: "muted" }, ` ×${moves.length}`));

function entry(moves, result, position, solution, play, only) {
  const [first] = moves;
  const behind = first.delta_remoteness ? `, ${plies(first.delta_remoteness)} worse than the best of these` : "";
  const nimber = first.nimber === null ? "" : `, nimber ${first.nimber}`;
  const label = `${worth(first, solution)}${nimber}`;
  return element(
    "li",
    { class: faded(moves, only) },
    button(
      [
        element("span", { class: "letter", "data-strength": Math.round(4 * strength(first)) }, RESULTS[result].letter),
        names(moves),
        element("span", { class: "worth" }, label, first.optimal && element("span", { class: "visually-hidden" }, ", keeps the value"), behind),
      ],
      () => play(first),
      { class: "move", "data-move": first.move },
    ),
    first.games && why(first, moves.length, position, solution),
  );
}

/** Why a move is what it is: of the games after it who wins how many, and how much of best play goes on there. */
function why(move, times, position, solution) {
  const { X, O, tie, total } = move.games;
  const parts = [["X", X], ["tie", tie], ["O", O]].filter(([, number]) => BigInt(number) > 0n);
  const text = parts.map(([key, number]) => `${key === "tie" ? "tied" : named(key, solution)} ${percent(number, total)}`);
  const exact = parts.map(([key, number]) => `${key === "tie" ? "tied" : named(key, solution)} ${written(number)}`);
  const before = position.continuations ?? position.games;
  const each = times > 1 ? " each" : "";
  return element(
    "div",
    { class: "why" },
    bar(parts, total),
    element("details", {},
      element("summary", {}, text.join(", ")),
      element("p", {}, `${written(total)} games${each} from there: ${exact.join(", ")}.`),
      before && element("p", {}, `That is ${percent(total, before.total)} of the ${written(before.total)} games from here${each && ", for each of them"}.`),
      element("p", {}, move.optimal
        ? `${written(move.optimal_paths)} of the ${written(position.optimal_paths)} optimal paths from here (${percent(move.optimal_paths, position.optimal_paths)})${each}.`
        : "None of the optimal paths from here."),
    ),
  );
}

function bar(parts, total) {
  const found = element("span", { class: "bar", "aria-hidden": "true" });
  for (const [key, number] of parts) {
    const part = element("span", { class: `part ${key}` });
    part.style.flexGrow = String(Number((BigInt(number) * 10000n) / BigInt(total)) / 10000 || 0.0001);
    found.append(part);
  }
  return found;
}
