// The list of moves, and the line so far.

import { button, byClass, called, element, letterOf, moverOf, named, percent, plies, resultOf } from "./elements.js";
import { strength, unseen, worth, written } from "./elements.js";

/** The headings of results, best first. */
const RESULTS = { win: "Winning", tie: "Tying", draw: "Drawing", lose: "Losing" };

/** The list of a page's moves in a position, best first; if values are `secret`, by code. */
export function moveList(page, position, secret) {
  const { solution, only } = page;
  if (position.moves === null)
    return [element("p", {}, solution.part ? "What follows is not in this page." : "The moves are not known without the rules of this game: name them by --game FILE.py:Name.")];
  if (!position.moves.length) return [element("p", {}, "None: the game is over.")];
  const moves = secret ? position.moves.toSorted((a, b) => a.move - b.move) : position.moves;
  const entries = page.$("#merge").checked ? byClass(moves) : moves.map((move) => [move]);
  const item = (moves, inside, after) => {
    const faded = only && !moves.some((move) => only.includes(move));
    const [on, off] = [() => page.drawing.hint(moves), () => page.drawing.hint(null)];
    return element("li", { class: faded ? "other" : null, pointerenter: on, pointerleave: off, focusin: on, focusout: off },
      button(inside, () => page.chosen(moves[0]), { class: "move", "data-move": moves[0].move, "data-moves": moves.map(({ move }) => move).join(" ") }), after);
  };
  if (secret) return [element("ul", { class: "moves" }, entries.map((found) => item(found, [names(found)])))];
  return Object.keys(RESULTS).map((result) => {
    const found = entries.filter(([first]) => resultOf(first) === result);
    return found.length && element("section", { class: `group ${result}` },
      element("h2", { class: "visually-hidden" }, `${RESULTS[result]} ${found.flat().length}`),
      element("ul", { class: "moves" }, found.map((moves) => item(moves, told(moves, result, solution), why(moves, position, solution)))));
  }).filter(Boolean);
}

const names = (moves) =>
  element("span", { class: "name" }, moves.map((move) => called(move)).join(" "),
    moves.length > 1 && element("span", { class: "muted" }, ` ×${moves.length}`));

function told(moves, result, solution) {
  const [first] = moves;
  const behind = first.behind ? unseen(`, ${plies(first.behind)} worse than the best of these`) : "";
  const nimber = first.nimber === null ? "" : `, nimber ${first.nimber}`;
  return [
    element("span", { class: "letter", "data-strength": Math.round(4 * strength(first)) }, letterOf(first)),
    names(moves),
    element("span", { class: "worth" }, worth(first, solution) + nimber, first.optimal && unseen(", keeps the value"), behind),
  ];
}

/** How the games after a move end, and the share of optimal paths. */
function why([move, ...others], position, solution) {
  if (move.games === null) return null;
  const total = move.games;
  const parts = [["X", move.games_x], ["tie", move.games_tie], ["O", move.games_o]].filter(([, number]) => BigInt(number) > 0n);
  const saying = (say) => parts.map(([key, number]) => `${key === "tie" ? "tied" : named(key, solution)} ${say(number)}`).join(", ");
  const each = others.length ? " each" : "";
  const shares = saying((number) => percent(number, total));
  return element("div", { class: "why" },
    element("details", {},
      element("summary", { title: shares }, bar(parts, total), unseen(shares)),
      element("p", {}, `${shares}.`),
      element("p", {}, `${written(total)} games${each} from there: ${saying(written)}.`),
      element("p", {}, `That is ${percent(total, position.games)} of the ${written(position.games)} games from here${each && ", for each of them"}.`),
      element("p", {}, move.optimal
        ? `${written(move.optimal_paths)} of the ${written(position.optimal_paths)} optimal paths from here (${percent(move.optimal_paths, position.optimal_paths)})${each}.`
        : "None of the optimal paths from here.")));
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

/** What a move gave away, or an empty text. */
const cost = (before, move, solution) =>
  move.optimal ? "" : `${worth(before, solution)} became ${worth(move, solution)}`;

/** The moves of a page's line as buttons, coloured by who wins then; that, and what they gave away, may be `secret`. */
export function strip(page, secret) {
  const { line, solution } = page;
  const items = line.positions.map((_, place) => {
    const move = place ? line.played(place) : null;
    const given = secret || !move ? "" : cost(line.positions[place - 1], move, solution);
    const mark = given && element("span", { class: "mistake" }, element("span", { "aria-hidden": "true" }, "?"), unseen(`, gave away: ${given}`));
    const current = { "aria-current": place === line.at ? "step" : null, title: secret ? null : worth(line.positions[place], solution) };
    const [kind, { outcome }] = [place > line.at ? "ahead" : "", line.positions[place]];
    return element("li", { class: secret ? kind : `${kind} ${outcome}` },
      button([move ? called(move) : "start", mark], () => page.jump(place), current));
  });
  return element("ol", { class: "strip" }, items);
}

/** The moves of a line after a place that gave value away and, with less `given`, put a win off or brought a loss nearer: what that cost, in words. */
export function slips(line, solution, first = 0, end = line.at) {
  const places = line.moves.slice(0, end).map((_, number) => number + 1).slice(first);
  const all = places.map((place) => ({ place, move: line.played(place), before: line.positions[place - 1], mover: moverOf(line.positions[place - 1]) }));
  const late = ({ move, before }) => (move.value ? move.remoteness_plies + 1 - before.remoteness_plies : 0);
  const delay = (by) => (by > 0 ? `put the win off by ${plies(by)}` : `brought the end ${plies(-by)} nearer`);
  return all.filter((slip) => !slip.move.optimal || late(slip)).map((slip) => ({
    ...slip, given: !slip.move.optimal, cost: slip.move.optimal ? delay(late(slip)) : `${lost(slip.before)}: ${cost(slip.before, slip.move, solution)}`,
  }));
}

/** What was given away in a position. */
const lost = ({ outcome, value, to_move: side }) => (value * side > 0 ? "gave the win away" : value ? "gave points away" : `gave the ${outcome} away`);
