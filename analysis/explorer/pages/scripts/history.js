// The line so far: a strip of its moves, and its remoteness ply by ply beside the moves that were not played.

import { button, drawn, element, shown } from "./elements.js";
import { worth } from "./wording.js";

/** What a move gave away, or nothing. */
export function cost(before, move, solution) {
  if (!move || move.optimal) return "";
  return `${worth(before, solution)} became ${worth(move, solution)}`;
}

/** The moves of a line as buttons that jump there; what they gave away may be `secret`. */
export function strip(line, solution, jump, secret) {
  const first = element("li", {}, button("start", () => jump(0), { "aria-current": line.at === 0 ? "step" : null }));
  const rest = line.moves.map((code, number) => {
    const move = line.played(number + 1);
    const given = secret ? "" : cost(line.positions[number], move, solution);
    const place = number + 1;
    return element(
      "li",
      { class: place > line.at ? "ahead" : null },
      button(
        [shown(move.name || code), given && element("span", { class: "mistake" }, element("span", { "aria-hidden": "true" }, "?"), element("span", { class: "visually-hidden" }, `, gave away: ${given}`))],
        () => jump(place),
        { "aria-current": place === line.at ? "step" : null, title: given ? `gave away: ${given}` : null },
      ),
    );
  });
  return element("ol", { class: "strip" }, first, rest);
}

/** The places where value was given away, in words. */
export function mistakes(line, solution) {
  return line.moves
    .map((code, number) => ({ number, move: line.played(number + 1) }))
    .filter(({ move }) => !move.optimal)
    .map(({ number, move }) => `${number + 1}. ${shown(move.name)}: ${cost(line.positions[number], move, solution)}`);
}

const [WIDE, HIGH, LEFT, LOW] = [640, 180, 40, 30];

/** The remoteness along a line; small points are moves that were not played. */
export function graph(line, { jump, turn }) {
  const known = line.positions.map((each) => each.remoteness_plies);
  const others = line.positions.slice(0, -1).flatMap((each, number) =>
    each.moves.filter((move) => move.move !== line.moves[number] && move.remoteness_plies !== null).map((move) => ({ number, move })));
  const most = Math.max(1, ...known.filter((n) => n !== null), ...others.map(({ move }) => move.remoteness_plies));
  const steps = Math.max(1, line.positions.length - 1);
  const x = (ply) => LEFT + ((WIDE - LEFT - 15) * ply) / steps;
  const y = (remoteness) => HIGH - LOW - ((HIGH - LOW - 12) * remoteness) / most;
  const label = `Remoteness in plies along the line: ${known.map((n) => n ?? "none, a draw").join(", ")}`;
  const picture = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "graph", role: "img", "aria-label": label });
  const frame = [[LEFT - 6, 12, String(most)], [LEFT - 6, HIGH - LOW + 4, "0"]];
  picture.append(drawn("line", { x1: LEFT, x2: WIDE - 5, y1: y(0), y2: y(0), class: "axis" }));
  for (const [left, top, text] of frame) picture.append(drawn("text", { x: left, y: top, class: "tick end" }, text));
  picture.append(drawn("text", { x: WIDE - 5, y: HIGH - 6, class: "tick end" }, "plies played"));
  for (const { number, move } of others)
    picture.append(point(x(number + 1), y(move.remoteness_plies), 3.5, `${move.outcome} other`, `${shown(move.name)}, not played`, () => turn(number, move)));
  const joined = known.map((n, ply) => (n === null ? null : [x(ply), y(n)]));
  for (let ply = 1; ply < joined.length; ply++)
    if (joined[ply] && joined[ply - 1])
      picture.append(drawn("line", { x1: joined[ply - 1][0], y1: joined[ply - 1][1], x2: joined[ply][0], y2: joined[ply][1], class: "path" }));
  line.positions.forEach((each, ply) => {
    const given = ply > 0 && !line.played(ply).optimal;
    const title = `after ${ply}: ${each.outcome}${each.remoteness_plies === null ? "" : `, ${each.remoteness_plies}`}`;
    const kinds = [each.outcome, ply === line.at && "here", given && "given"].filter(Boolean).join(" ");
    picture.append(point(x(ply), y(each.remoteness_plies ?? most), ply === line.at ? 8 : 6, kinds, title, () => jump(ply)));
    if (given) picture.append(drawn("text", { x: x(ply), y: Math.max(12, y(each.remoteness_plies ?? most) - 10), class: "tick mistake" }, "?"));
  });
  return picture;
}

function point(cx, cy, r, kinds, title, click) {
  return drawn("circle", { cx, cy, r, class: `point ${kinds}`, click }, drawn("title", {}, title));
}
