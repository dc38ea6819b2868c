// The position, its moves and the line, in this solution and in another one.

import { drawPosition } from "./board.js";
import { busily, button, called, counted, element, outcomes, scrolled, shown, tableParts, terms, unseen, worth, written } from "./elements.js";

/** A source's positions with these `texts`; what it does not know has an `error`. */
export async function knownAs(source, texts) {
  const known = await source.known(texts);
  return known.map((each, number) =>
    each.error !== undefined || each.position === texts[number] ? each : { error: `'${texts[number]}' means another position there, ${each.position}` });
}

/** The solutions that share a position with this one: its start or theirs. */
export async function fitting(others, source, solution) {
  const has = async (one, text) => (await knownAs(one, [text]))[0].error === undefined;
  const fits = others.map(async (other) => (await has(other.source, solution.start)) || has(source, (await other.source.solution()).start));
  const found = await Promise.all(fits.map((each) => each.catch(() => false)));
  return others.filter((_, number) => found[number]);
}

/** How two positions, or two moves, differ: `one` if only one exists, `value`, `plies`, or nothing. */
export function difference(here, there) {
  if (!here || !there || there.error !== undefined) return "one";
  if (here.value !== there.value || here.outcome !== there.outcome) return "value";
  return here.remoteness_plies === there.remoteness_plies ? "" : "plies";
}

/** Whether they differ in more than the plies to the end. */
const apart = (here, there) => ["one", "value"].includes(difference(here, there));

/**
 * Pairs of moves `[here, there]`: those here in their order, then those that exist only there. Moves are paired that lead to the same
 * position, preferably with the same name; then those with the same name, wherever they lead.
 */
export function paired(here, there) {
  const left = new Set(there);
  const pairs = here.map((move) => [move, null]);
  const tests = [(a, b) => a.name === b.name && a.position === b.position, (a, b) => a.position === b.position, (a, b) => a.name === b.name];
  for (const test of tests)
    for (const pair of pairs) {
      if (pair[1]) continue;
      pair[1] = [...left].find((move) => test(pair[0], move)) ?? null;
      left.delete(pair[1]);
    }
  return [...pairs, ...[...left].map((move) => [null, move])];
}

/** How the moves of a pair differ, in words; `strong` if in more than the plies to the end. */
export function moveDifference([here, there]) {
  if (!here || !there) return { strong: true, words: [here ? "only here" : "only there"] };
  const worth = difference(here, there);
  const words = [
    here.position !== there.position && "leads elsewhere",
    worth === "value" && "another value",
    here.optimal !== there.optimal && `keeps the value only ${here.optimal ? "here" : "there"}`,
  ].filter(Boolean);
  if (words.length) return { strong: true, words };
  return { strong: false, words: worth === "plies" ? ["other plies"] : [] };
}

const SIGNS = { one: "≠ ", value: "≠ ", plies: "≈ ", "": "= " };
const WORDS = { one: "only here", value: "another value", plies: "other plies", "": "the same" };
const SAID = {
  value: "The values differ.",
  plies: "The values are the same, the plies to the end are not.",
  "": "They agree.",
};

const keeps = () => [element("span", { "aria-hidden": "true" }, " ✓"), unseen(", keeps the value")];

/** A panel that follows the line of a page, with `others`, which have an `id`, a `game` and a `source`. */
export class Beside {
  constructor(page, others) {
    Object.assign(this, { page, others, chosen: others[0], element: page.made("beside") });
    const [choice, body] = ["select", ".there"].map((name) => this.element.querySelector(name));
    const games = [page.solution, ...others].map(({ game }) => game);
    const name = ({ id, game }) => shown(games.indexOf(game) === games.lastIndexOf(game) ? game : `${game} (${id})`);
    choice.append(...others.map((each) => element("option", {}, name(each))));
    choice.addEventListener("change", () => {
      this.chosen = others[choice.selectedIndex];
      this.follow(this.line, true);
    });
    this.body = body;
  }

  /** Show a line, unless it is shown already. */
  async follow(line, again = false) {
    if (line === this.line && !again) return;
    this.line = line;
    await busily(this.element, () => this.compared(line), (filled) => {
      const place = this.body.contains(this.page.active) ? this.page.active.dataset.place : undefined;
      this.body.replaceChildren(...[filled].flat());
      this.body.querySelector(`[data-place="${place}"]`)?.focus();
    });
  }

  async compared(line) {
    const { source } = this.chosen;
    this.about = await source.solution();
    const there = await knownAs(source, line.positions.map(({ position }) => position));
    return [...this.beside(line.here, there[line.at]), element("h2", {}, "Along the line"), ...this.along(line, there)];
  }

  worthHere(each) {
    return worth(each, this.page.solution);
  }

  worthThere(each) {
    return each.error === undefined ? worth(each, this.about) : "no such position";
  }

  /** A position there, and its moves in both. */
  beside(here, there) {
    if (there.error !== undefined) return [element("p", {}, `It is not a position there: ${shown(there.error)}`)];
    const { optimal_paths: paths } = there;
    const games = there.games ?? there.continuations;
    const facts = [
      ["Here", this.worthHere(here)],
      ["There", this.worthThere(there)],
      ["To move there", there.to_move ? shown(there.player) : "nobody: the game is over"],
      games && [there.games ? "Games through it there" : "Games from there", outcomes(games, this.about)],
      paths !== null && ["Optimal paths there", written(paths)],
    ];
    return [
      element("p", {}, SIGNS[difference(here, there)], SAID[difference(here, there)]),
      element("div", { class: "row" },
        element("div", { class: "small-board" }, drawPosition(there, this.about, { small: true, label: `The position ${there.position} there` })),
        element("dl", {}, terms(facts))),
      element("h2", {}, "Moves in both"),
      ...this.moves(here, there),
    ];
  }

  moves(here, there) {
    if (!here.moves || !there.moves) return [element("p", {}, `What follows is not known ${here.moves ? "there" : "here"}.`)];
    const pairs = paired(here.moves, there.moves).map((pair) => ({ pair, ...moveDifference(pair) }));
    if (!pairs.length) return [element("p", {}, "None: the game is over in both.")];
    const differing = pairs.filter(({ strong }) => strong).length;
    const alike = pairs.filter(({ strong, words }) => !strong && words.length).length;
    const cell = (move, worth) => (move ? [worth, ...(move.optimal ? keeps() : [])] : "no such move");
    const rows = pairs.map(({ pair: [mine, other], strong, words }) => [
      called(mine ?? other),
      [cell(mine, mine && this.worthHere(mine)), cell(other, other && this.worthThere(other)),
        strong ? `≠ ${words.join(", ")}` : words.length ? `≈ ${words[0]}` : "= the same"],
      { class: strong ? "differs" : null },
    ]);
    return [
      element("p", {}, `${differing} of ${counted(pairs.length, "move")} differ${alike ? `, ${alike} more in the plies to the end alone` : ""}. A ✓ is at what keeps the value.`),
      table("Moves in both", "Move", rows),
    ];
  }

  /** The places of a line, and the first one where both differ in value or, if none, in plies. */
  along(line, there) {
    const kinds = line.positions.map((each, number) => difference(each, there[number]));
    const strong = kinds.findIndex((kind) => kind === "value" || kind === "one");
    const first = strong >= 0 ? strong : kinds.indexOf("plies");
    const none = kinds.every((kind) => kind === "one");
    const where = () => `after ${counted(first, "move")}, at ${shown(line.positions[first].position)}: ` +
      `here ${this.worthHere(line.positions[first])}, there ${this.worthThere(there[first])}`;
    const said = none ? `No position of this line is one of ${shown(this.chosen.game)}.`
      : first < 0 ? "Both agree all along the line."
      : `${strong < 0 ? "All values agree; the plies first differ" : "They first differ"} ${where()}.`;
    const rows = line.positions.map((each, place) => [
      button(place ? `${place}. ${called(line.played(place))}` : "start", () => this.page.jump(place),
        { "data-place": place, "aria-current": place === line.at ? "step" : null }),
      [this.worthHere(each), this.worthThere(there[place]), SIGNS[kinds[place]] + WORDS[kinds[place]]],
      { class: apart(each, there[place]) ? "differs" : null },
    ]);
    const go = button("Go there", () => this.page.jump(first), { hidden: first < 0 || none });
    return [element("p", { class: "row" }, element("span", {}, said), go), table("The line in both", "After", rows)];
  }
}

/** A table of here and there; its last column compares them by a sign and a word. */
const table = (label, first, rows) => scrolled(label, { class: "moves" }, ...tableParts([first, "Here", "There", "Compared"], rows));
