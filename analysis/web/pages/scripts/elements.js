// Elements, whose text is always text, so that no game can write markup; and the wording of numbers and values.

const SVG = "http://www.w3.org/2000/svg";

/** Characters that could move or hide other text: controls, directions of writing, half characters. */
const HIDDEN = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text of a game on one line. */
export const shown = (text) => String(text).replace(HIDDEN, "·");

/** The name of a move, everywhere the same; its code if it has none. */
export const called = (move) => shown(move.name || move.move);

/** A text of a game on several lines. */
export const shownLines = (text) => String(text).split("\n").map(shown).join("\n");

/** An element with attributes, where functions are listeners, and children: elements, texts, or nothing. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function button(text, click, attributes = {}) {
  return element("button", { type: "button", click, ...attributes }, text);
}

/** A text for screen readers only. */
export const unseen = (text) => element("span", { class: "visually-hidden" }, text);

/** The rows of a `dl`, without empty ones. */
export const terms = (rows) =>
  rows.filter(Boolean).map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text)));

/** Do some work; if it fails, `said` tells why. */
export async function telling(said, work) {
  said.textContent = "";
  try {
    return await work();
  } catch (error) {
    said.textContent = shown(error.message);
  }
}

/** Do some work while an element is busy, and show what it returns, or its error, unless the element has got other work since. */
export async function busily(node, work, show) {
  const mine = (node.works = (node.works ?? 0) + 1);
  node.setAttribute("aria-busy", "true");
  const found = await Promise.resolve().then(work).catch(({ message }) => element("p", { class: "error" }, shown(message)));
  if (mine !== node.works) return;
  node.removeAttribute("aria-busy");
  await show(found);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A whole number, given as a number or as digits, with thousands separated. */
export const written = (number) => BigInt(number).toLocaleString("en");

/** A share in percent, from whole numbers of any size. */
export function percent(part, whole) {
  const [a, b] = [BigInt(part), BigInt(whole)];
  if (b === 0n) return "0 %";
  const tenths = (a * 2000n + b) / (2n * b);
  if (a > 0n && tenths === 0n) return "< 0.1 %";
  if (a < b && tenths === 1000n) return "> 99.9 %";
  return `${tenths / 10n}.${tenths % 10n} %`;
}

/** A number of things, such as "1 move" or "2 moves". */
export const counted = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

/** A number of plies as people say it: moves, of either side. */
export const plies = (number) => counted(number, "move");

/** What a position is worth, such as "X wins in 5 moves". In a game of bids, an `outcome` may be undefined. */
export function worth({ value, value_exact: exact, outcome, remoteness_plies: remoteness }, solution) {
  if (outcome === undefined) return value === 0 ? "even" : `${expected(value, exact)} for ${named("X", solution)} on average`;
  const result = outcome === "X" || outcome === "O" ? `${named(outcome, solution)} wins` : `a ${outcome}`;
  const score = Math.abs(value) > 1 ? ` by ${Math.abs(value)}` : "";
  return result + score + (remoteness ? ` in ${plies(remoteness)}` : "");
}

/** What best play makes of a position. */
export const forecast = (position, solution) => `With best play ${position.value ? "" : "it is "}${worth(position, solution)}`;

/** A value that may be a fraction, exact where that is short. */
export const expected = (value, exact) => (exact && exact.length < 8 ? exact : Number(value.toFixed(3)).toString()).replace("-", "−");

/** The number of games, and how they end. */
export const outcomes = ({ games, games_x: x, games_o: o, games_tie: tie }, solution) =>
  `${written(games)}: ${named("X", solution)} ${written(x)}, tied ${written(tie)}, ${named("O", solution)} ${written(o)}`;

/** Who moves in a position, X or O; null if the game is over. */
export const moverOf = ({ terminal, to_move: side }) => (terminal ? null : side > 0 ? "X" : "O");

/** The name of a player. */
export function named(side, { players }) {
  const name = players[side === "X" ? 0 : 1];
  return name === "first" || name === "second" ? `the ${name} player` : shown(name);
}

/** A sentence with its capital. */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The result of a move for the player who makes it: win, tie, draw or lose. */
export const resultOf = (move) =>
  move.value_for_mover > 0 ? "win" : move.value_for_mover < 0 ? "lose" : (move.outcome ?? "tie");

/** How late a move ends the game, where a loss had better be late; infinite if it does not end. */
export const lateness = ({ remoteness_plies: plies, value_for_mover: value }) => (plies ?? Infinity) * (value < 0 ? -1 : 1);

/** The letter of a move; a sign if its outcome is undefined. */
export const letterOf = (move) => (move.outcome === undefined ? { win: "+", tie: "=", lose: "−" } : { win: "W", tie: "T", draw: "D", lose: "L" })[resultOf(move)];

/** What a move is worth, in words. */
export const wordsOf = (move, solution) =>
  `${move.outcome === undefined ? "" : `${{ win: "win", tie: "tie", draw: "draw", lose: "loss" }[resultOf(move)]}, `}${worth(move, solution)}`;

/** The strength of a move's colour: paler the more plies it loses against the best one with its result. */
export const strength = (move) => 0.25 + 0.75 / (1 + (move.behind ?? 0) / 2);

/** Moves grouped by the class that they lead to, in order. */
export const byClass = (moves) => [...Map.groupBy(moves, (move) => move.class.state).values()];
