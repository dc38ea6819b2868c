// The list of moves, and the line so far with its values.

import { button, byClass, called, drawn, element, letterOf, named, percent, plies, resultOf } from "./elements.js";
import { shown, strength, unseen, worth, written } from "./elements.js";

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

/** The moves of a page's line as buttons; what they gave away may be `secret`. */
export function strip(page, secret) {
  const { line, solution } = page;
  const items = line.positions.map((_, place) => {
    const move = place ? line.played(place) : null;
    const given = secret || !move ? "" : cost(line.positions[place - 1], move, solution);
    const mark = given && element("span", { class: "mistake" }, element("span", { "aria-hidden": "true" }, "?"), unseen(`, gave away: ${given}`));
    const current = { "aria-current": place === line.at ? "step" : null, title: given ? `gave away: ${given}` : null };
    return element("li", { class: place > line.at ? "ahead" : null },
      button([move ? called(move) : "start", mark], () => page.jump(place), current));
  });
  return element("ol", { class: "strip" }, items);
}

/** The moves of a line up to a place that gave value away, with what that cost, in words. */
export function mistakes(line, solution, end = line.at) {
  const places = line.moves.slice(0, end).map((_, number) => number + 1);
  const all = places.map((place) => ({ place, move: line.played(place), before: line.positions[place - 1] }));
  return all.filter(({ move }) => !move.optimal).map(({ place, move, before }) => ({ place, move, cost: cost(before, move, solution) }));
}

const [WIDE, HIGH, LEFT, LOW] = [640, 170, 48, 26];

/**
 * The value along the line of a page: above the middle the first player wins, below it the second, sooner the further from it. Small points are
 * moves that were not played.
 */
export function graph(page) {
  const { line, solution } = page;
  const others = line.positions.slice(0, -1).flatMap((each, number) =>
    (each.moves ?? []).filter((move) => move.move !== line.moves[number]).map((move) => ({ number, move })));
  const most = Math.max(1, ...[...line.positions, ...others.map(({ move }) => move)].map(({ remoteness_plies: plies }) => plies ?? 0));
  const steps = Math.max(1, line.moves.length);
  const middle = (HIGH - LOW) / 2;
  const x = (ply) => LEFT + ((WIDE - LEFT - 15) * ply) / steps;
  const far = ({ remoteness_plies: plies }) => 1 - (0.75 * (plies ?? most)) / most;
  const y = (each) => middle - Math.sign(each.value) * (middle - 10) * far(each);
  const label = `What the line is worth: ${line.positions.map((each) => worth(each, solution)).join(", ")}`;
  const picture = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "graph", role: "img", "aria-label": label });
  for (const [kind, top] of [["X", 0], ["O", middle]]) picture.append(drawn("rect", { class: `half ${kind}`, x: LEFT, y: top, width: WIDE - LEFT - 5, height: middle }));
  picture.append(drawn("line", { x1: LEFT, x2: WIDE - 5, y1: middle, y2: middle, class: "axis" }));
  for (const [top, text] of [[16, solution.players[0]], [middle + 4, "tie"], [HIGH - LOW - 4, solution.players[1]]])
    picture.append(drawn("text", { x: LEFT - 10, y: top, class: "tick end" }, shown(text).slice(0, 6)));
  picture.append(drawn("text", { x: WIDE - 5, y: HIGH - 6, class: "tick end" }, "moves played"));
  for (const { number, move } of others)
    picture.append(point(x(number + 1), y(move), 3, `${move.outcome} other`, `${called(move)}, not played`, () => page.go(() => line.to(number).with([move.move]))));
  picture.append(drawn("polyline", { class: "path", points: line.positions.map((each, ply) => `${x(ply).toFixed(1)},${y(each).toFixed(1)}`).join(" ") }));
  line.positions.forEach((each, ply) => {
    const given = ply > 0 && !line.played(ply).optimal;
    const title = `after ${ply}: ${worth(each, solution)}`;
    const kinds = [each.outcome, ply === line.at && "here", given && "given"].filter(Boolean).join(" ");
    picture.append(point(x(ply), y(each), ply === line.at ? 8 : 5, kinds, title, () => page.jump(ply)));
    if (given) picture.append(drawn("text", { x: x(ply), y: Math.max(14, y(each) - 11), class: "tick mistake" }, "?"));
  });
  return picture;
}

function point(cx, cy, r, kinds, title, click) {
  return drawn("circle", { cx, cy, r, class: `point ${kinds}`, click }, drawn("title", {}, title));
}
