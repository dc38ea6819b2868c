// Optimal lines, symmetric positions, downloads, keys, and puzzles.

import { drawPosition, fileOf } from "./board.js";
import { button, element, grouped, labelled, named, select, sentence, shown, telling, terms, worth, written } from "./elements.js";
import { mistakes } from "./moves.js";

const AT_ONCE = 20;

/** Optimal lines from a position: their number, the first ones, one by number, and random ones. `follow` is called with codes. */
export async function pathPanel(source, solution, position, follow) {
  const text = position.position;
  if (position.remoteness_plies === null) return element("p", {}, "Nobody can win from here, and play need not end.");
  const shortest = solution.loopy || undefined;
  const list = element("ul", { class: "paths" });
  const note = element("p", { role: "status" });
  const add = (paths) =>
    list.append(...paths.map((path) => element("li", {}, button(path || "(over)", () => follow(codesOf(path, solution)), { class: "path" }))));
  const tried = (work) => () => telling(note, work);
  let offset = 0;
  const more = async () => {
    const answer = await source.paths(text, { limit: AT_ONCE, offset, shortest });
    add(answer.paths);
    offset += answer.paths.length;
    next.hidden = answer.count === null ? answer.paths.length < AT_ONCE : BigInt(offset) >= BigInt(answer.count);
    return answer;
  };
  const next = button("More", tried(more));
  const first = await more();
  const number = element("input", { id: "path-number", inputmode: "numeric", size: 8, value: "0" });
  const numbered = async () => follow((await source.line(text, number.value.trim(), shortest)).map((move) => move.move));
  const sample = async () => {
    list.replaceChildren();
    next.hidden = true;
    add((await source.paths(text, { sample: 5, shortest })).paths);
  };
  const form = element("form", { class: "row", submit: (event) => (event.preventDefault(), tried(numbered)()) },
    element("label", { for: "path-number" }, "Number"), number, element("button", {}, "Play it"));
  return element("div", {},
    element("p", {}, shortest && element("span", {}, "Those in which the winner hurries and the loser delays: others may never end. "),
      first.count === null ? "They are not counted." : `${written(first.count)} from here, in the order of their codes; the first is number 0.`),
    list, element("div", { class: "row" }, next, button("Five at random", tried(sample))), first.count !== null && form, note);
}

const codesOf = (path, { separator }) => path.split(separator).filter(Boolean).map(Number);

/** The images of a position under all symmetries, as boards; `go` is called with the number of one. */
export async function orbitPanel(source, solution, position, go) {
  const images = await source.images(position.position);
  const size = position.class.orbit_size;
  const own = element("code", {}, shown(position.class.position));
  if (size === null) return element("p", {}, "Positions with the same game left to play are one class, ", own, "; how many there are is not known.");
  const about = `${written(size)} ${size === 1 ? "position is" : "positions are"} the same but for symmetry; the first of them by number is `;
  const said = element("p", {}, about, own, ".");
  if (images === null) return element("div", {}, said, element("p", {}, "The symmetries of this game are known only to its rules."));
  const items = [...grouped([...images.entries()], ([, { state }]) => state).values()].map(([[number, image]]) => {
    const board = drawPosition(image, solution, { small: true, label: image.position });
    return element("li", {}, button([board.matches("svg") ? board : shown(image.position)], () => go(number), {
      "aria-label": shown(image.position), "aria-current": image.state === position.state ? "true" : null }));
  });
  return element("div", {}, said, element("ul", { class: "orbit" }, items));
}

/** Buttons to save the position and the line; if values are `secret`, only what does not tell them. */
export function downloads(line, solution, source, picture, secret) {
  const here = line.here;
  const said = element("p", { role: "status", class: "error" });
  const saved = (name, kind, make) => () => telling(said, async () => save(`${solution.id}-${name}`, kind, await make()));
  const address = secret ? null : source.address?.(here.position);
  return element("div", {}, element("div", { class: "row" },
    button("Position", saved("position.txt", "text/plain", () => here.position + "\n")),
    !secret && button("Line", saved("line.txt", "text/plain", () => lineText(line, solution))),
    picture && button("Picture", saved("board.svg", "image/svg+xml", () => fileOf(picture))),
    !secret && button("JSON", saved("position.json", "application/json", () => JSON.stringify(here, null, 1) + "\n")),
    !secret && source.file && button("This view as a file", saved("page.html", "text/html", () => source.file(line))),
    address && element("a", { href: address }, "Address of the JSON")), said);
}

function lineText(line, solution) {
  const rows = line.positions.slice(0, line.at + 1).map((each, ply) => {
    const move = ply ? line.played(ply).name : "start";
    return [ply, shown(move), shown(each.position), worth(each, solution)].join("\t");
  });
  const given = mistakes(line, solution);
  return [solution.game, ...rows, ...(given.length ? ["given away:", ...given] : [])].map((row) => row + "\n").join("");
}

function save(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const KEYS = [
  ["← →", "one move back, forward"],
  ["↑ ↓", "select a move; Enter plays it"],
  ["Space", "play the best move; hold to continue"],
  ["Home", "the start of the line"],
  ["b", "the line of best play from here"],
  ["r", "a random position"],
  ["g", "start or end guessing"],
  ["?", "these keys"],
];

export function help() {
  const dialog = element("dialog", { "aria-labelledby": "keys" }, element("h2", { id: "keys" }, "Keys"),
    element("dl", {}, terms(KEYS.map(([key, what]) => [element("kbd", {}, key), what]))),
    button("Close", () => dialog.close()));
  return dialog;
}

const PUZZLES_AT_ONCE = 200;

/** Milliseconds after which a puzzle is posed, even if harder ones may be found later. */
const PATIENCE = 700;

/** The choice of puzzles. One is posed at once, while the hardest are searched for; `go` is called with its text and `next`. */
export function puzzlePanel(source, solution, go) {
  const wins = (side) => sentence(`${named(side, solution)} wins`);
  const fields = {
    to_move: select("puzzle-to_move", { "": "either side", X: named("X", solution), O: named("O", solution) }),
    value: select("puzzle-value", { "": "anything", X: wins("X"), tie: "a tie", ...(solution.loopy && { draw: "a draw" }), O: wins("O") }),
    least: element("input", { id: "puzzle-least", type: "number", min: 1, value: 1, inputmode: "numeric" }),
    only: element("input", { id: "puzzle-only", type: "checkbox", checked: true }),
    order: select("puzzle-order", { trap: "hardest for a random player first", remoteness: "longest first", random: "in random order" }),
  };
  const said = element("p", { role: "status" });
  const searching = element("p", { class: "row", hidden: true }, "Looking for positions", element("progress", { "aria-label": "Looking for positions" }));
  const queue = { asked: null, positions: [], at: 0, search: null, posed: null };
  const next = () => telling(said, async () => {
    const position = await following(queue, source, wanted(fields), (on) => (searching.hidden = !on));
    said.textContent = queue.search ? `The first that was found, while harder ones are looked for: ${shown(position)}`
      : `Number ${queue.at} of ${queue.positions.length}${queue.complete ? "" : " or more"}: ${shown(position)}`;
    await go(position, next);
  });
  return element("form", { class: "puzzles", submit: (event) => (event.preventDefault(), next()) },
    labelled("Who moves", fields.to_move), labelled("It is worth", fields.value), labelled("In the order", fields.order),
    labelled("At least so many plies from its end", fields.least), labelled("a single move keeps the value", fields.only),
    element("div", { class: "row" }, element("button", { class: "primary" }, "Next puzzle"), button("From the first", () => (Object.assign(queue, { at: 0, posed: null }), next()))), searching, said);
}

/** The chosen fields, as `find` takes them. */
function wanted({ to_move, value, least, only, order }) {
  const chosen = (field) => field.value || undefined;
  const plies = Math.max(1, Math.floor(Number(least.value)) || 1);
  const remoteness = chosen(value) === "draw" ? undefined : `${plies}..`; // draws have none
  return { to_move: chosen(to_move), value: chosen(value), remoteness, only_move: only.checked || undefined, order: chosen(order) };
}

/** The next position of the queue, which is filled again if other fields are chosen. */
async function following(queue, source, fields, busy) {
  const asked = JSON.stringify(fields);
  if (queue.asked !== asked || (queue.at === queue.positions.length && fields.order === "random" && !queue.search)) {
    busy(true);
    const first = await source.find({ ...fields, order: undefined, limit: 1 }).finally(() => busy(false));
    Object.assign(queue, { asked, at: 0, posed: null, positions: first.positions.map(({ position }) => position), complete: false });
    if (queue.positions.length) queue.search = searched(queue, source, fields, asked, busy);
  }
  if (queue.search) await Promise.race([queue.search, new Promise((done) => setTimeout(done, PATIENCE))]);
  if (!queue.positions.length) throw new Error("there is no such position");
  if (!queue.search && queue.positions[queue.at] === queue.posed) queue.at++; // not a second time
  if (queue.at >= queue.positions.length) queue.at = 0;
  return queue.positions[queue.at++];
}

/** Fill the queue in its order, unless other fields are chosen meanwhile. */
async function searched(queue, source, fields, asked, busy) {
  busy(true);
  const found = await source.find({ ...fields, limit: PUZZLES_AT_ONCE }).catch(() => null);
  if (queue.asked !== asked) return;
  busy(false);
  queue.search = null;
  if (!found?.positions.length) return;
  const positions = found.positions.map(({ position }) => position);
  const posed = queue.at ? queue.positions[0] : null;
  Object.assign(queue, { at: 0, posed, positions, complete: found.complete && positions.length < PUZZLES_AT_ONCE });
}
