// How numbers, values and shares are written.

import { shown } from "./elements.js";

/** A whole number, given as a number or as digits, with its thousands apart. */
export const written = (number) => BigInt(number).toLocaleString("en");

/** A part of a whole in percent, from whole numbers of any size. */
export function percent(part, whole) {
  const [a, b] = [BigInt(part), BigInt(whole)];
  if (b === 0n) return "0 %";
  const tenths = (a * 2000n + b) / (2n * b);
  if (a > 0n && tenths === 0n) return "< 0.1 %";
  if (a < b && tenths === 1000n) return "> 99.9 %";
  return `${tenths / 10n}.${tenths % 10n} %`;
}

export const plies = (number) => `${number} ${number === 1 ? "ply" : "plies"}`;

/** What a position is worth, such as "X wins in 5 plies". Scores have their number before it. */
export function worth({ value, outcome, remoteness_plies: remoteness }, solution) {
  const result = outcome === "X" || outcome === "O" ? `${named(outcome, solution)} wins` : `a ${outcome}`;
  const score = Math.abs(value) > 1 ? ` by ${Math.abs(value)}` : "";
  return result + score + (remoteness === null ? "" : remoteness === 0 ? "" : ` in ${plies(remoteness)}`);
}

/** What people call a player. */
export const named = (side, solution) => shown(solution.players[side === "X" ? 0 : 1]);

/** What a move is to the player who makes it: win, tie, draw or lose. */
export const resultOf = (move) =>
  move.value_for_mover > 0 ? "win" : move.value_for_mover < 0 ? "lose" : move.outcome;

/** The results from the best one on, with the letter and the heading of each. */
export const RESULTS = {
  win: { letter: "W", heading: "Winning" },
  tie: { letter: "T", heading: "Tying" },
  draw: { letter: "D", heading: "Drawing" },
  lose: { letter: "L", heading: "Losing" },
};

/** How strongly a move is coloured: the fewer plies it is behind the best one of its result, the more. */
export const strength = (move) => 0.25 + 0.75 / (1 + (move.delta_remoteness ?? 0) / 2);

/** The moves of a list, those that lead into one class together, in the order of the list. */
export function byClass(moves) {
  const found = new Map();
  for (const move of moves) {
    const key = move.class.state;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(move);
  }
  return [...found.values()];
}
