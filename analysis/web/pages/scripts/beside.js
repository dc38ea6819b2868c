// The position, its moves and the line, in this solution and in another one.

import { drawPosition } from "./board.js";
import { button, called, element, labelled, outcomes, scrolled, select, shown, tableParts } from "./elements.js";
import { terms, unseen, worth, written } from "./elements.js";

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
export const apart = (here, there) => ["one", "value"].includes(difference(here, there));

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
const SAID = {
  value: "The values differ.",
  plies: "The values are the same, the plies to the end are not.",
  "": "They agree.",
};

const keeps = () => [element("span", { "aria-hidden": "true" }, " ✓"), unseen(", keeps the value")];

/** A panel that follows the line. `others` have an `id`, a `game` and a `source`; `go` is called with a function that makes a line. */
export class Beside {
  constructor(others, source, solution, go) {
    Object.assign(this, { others, source, solution, go, asked: 0 });
    [this.chosen] = others;
    this.position = element("div", {});
    this.first = element("span", {});
    this.there = button("Go there", () => this.jump(this.place));
    this.along = element("div", {});
    this.element = element("div", { class: "beside" },
      this.choice(),
      this.position,
      element("h2", {}, "Along the line"),
      element("p", { class: "row" }, this.first, this.there),
      this.along);
  }

  jump(place) {
    this.go(() => this.line.to(place));
  }

  choice() {
    const games = [this.solution, ...this.others].map(({ game }) => game);
    const name = ({ id, game }) => shown(games.indexOf(game) === games.lastIndexOf(game) ? game : `${game} (${id})`);
    if (this.others.length === 1) return element("p", {}, "“There” is ", element("strong", {}, name(this.chosen)), ".");
    const change = (id) => {
      this.chosen = this.others.find((each) => each.id === id);
      this.follow(this.line, true);
    };
    return labelled("“There” is", select("beside", Object.fromEntries(this.others.map((each) => [each.id, name(each)])), this.chosen.id, change));
  }

  /** Show a line, unless it is shown already. */
  async follow(line, again = false) {
    if (line === this.line && !again) return;
    this.line = line;
    const mine = ++this.asked;
    this.element.setAttribute("aria-busy", "true");
    let draw;
    try {
      draw = await this.compared(line);
    } catch (error) {
      draw = () => this.refused(error);
    }
    if (mine !== this.asked) return;
    draw();
    this.element.removeAttribute("aria-busy");
  }

  /** A function that draws both solutions along a line, once all is known. */
  async compared(line) {
    const { source } = this.chosen;
    const about = await source.solution();
    const there = await knownAs(source, line.positions.map(({ position }) => position));
    return () => {
      this.about = about;
      this.position.replaceChildren(...this.beside(line.here, there[line.at]));
      this.drawLine(line, there);
    };
  }

  refused(error) {
    this.position.replaceChildren(element("p", { class: "error" }, shown(error.message)));
    this.along.replaceChildren();
    this.first.textContent = "";
    this.there.hidden = true;
  }

  /** A position there, and its moves in both. */
  beside(here, there) {
    if (there.error !== undefined) return [element("p", {}, `It is not a position there: ${shown(there.error)}`)];
    const { optimal_paths: paths } = there;
    const games = there.games ?? there.continuations;
    const facts = [
      ["Here", worth(here, this.solution)],
      ["There", worth(there, this.about)],
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
    const cell = (move, solution) => (move ? [worth(move, solution), ...(move.optimal ? keeps() : [])] : "no such move");
    const rows = pairs.map(({ pair: [mine, other], strong, words }) => [
      called(mine ?? other),
      [cell(mine, this.solution), cell(other, this.about), strong ? `≠ ${words.join(", ")}` : words.length ? `≈ ${words[0]}` : "= the same"],
      { class: strong ? "differs" : null },
    ]);
    return [
      element("p", {}, `${counted(differing, pairs.length)}${alike ? `; ${alike} more in the plies to the end alone` : ""}. A ✓ is at what keeps the value.`),
      table("Moves in both", "Move", rows),
    ];
  }

  /** The places of a line, and the first one where both differ in value or, if none, in plies. */
  drawLine(line, there) {
    const kinds = line.positions.map((each, number) => difference(each, there[number]));
    const strong = kinds.findIndex((kind) => kind === "value" || kind === "one");
    this.place = strong >= 0 ? strong : kinds.indexOf("plies");
    const none = kinds.every((kind) => kind === "one");
    this.there.hidden = this.place < 0 || none;
    this.first.textContent = none ? `No position of this line is one of ${shown(this.chosen.game)}.`
      : this.place < 0 ? "Both agree all along the line."
      : `${strong < 0 ? "All values agree; the plies first differ" : "They first differ"} ${this.where(line, this.place, there[this.place])}.`;
    const words = { one: "only here", value: "another value", plies: "other plies", "": "the same" };
    const rows = line.positions.map((each, place) => [
      button(place ? `${place}. ${called(line.played(place))}` : "start", () => this.jump(place),
        { "data-place": place, "aria-current": place === line.at ? "step" : null }),
      [worth(each, this.solution), this.worthThere(there[place]), SIGNS[kinds[place]] + words[kinds[place]]],
      { class: apart(each, there[place]) ? "differs" : null },
    ]);
    this.keepingFocus(() => this.along.replaceChildren(table("The line in both", "After", rows)));
  }

  /** A place of a line in words, with its value in both. */
  where(line, place, there) {
    const here = line.positions[place];
    return `${after(place)}, at ${shown(here.position)}: here ${worth(here, this.solution)}, there ${this.worthThere(there)}`;
  }

  worthThere(there) {
    return there.error === undefined ? worth(there, this.about) : "no such position";
  }

  /** Draw the line again, with the focus on the same place. */
  keepingFocus(draw) {
    const active = this.element.getRootNode().activeElement;
    const place = this.along.contains(active) ? active.dataset.place : undefined;
    draw();
    if (place !== undefined) this.along.querySelector(`[data-place="${place}"]`)?.focus();
  }
}

const after = (number) => `after ${number} ${number === 1 ? "move" : "moves"}`;

/** How many of the moves differ, in words. */
function counted(differing, all) {
  const moves = all === 1 ? "move" : `${all} moves`;
  if (differing === 0) return all === 1 ? "The only move is worth the same" : `None of the ${moves} differs`;
  if (differing === all) return all === 1 ? "The only move differs" : `All ${moves} differ`;
  return `${differing} of the ${moves} ${differing === 1 ? "differs" : "differ"}`;
}

/** A table of here and there; its last column compares them by a sign and a word. */
const table = (label, first, rows) => scrolled(label, { class: "moves" }, ...tableParts([first, "Here", "There", "Compared"], rows));
