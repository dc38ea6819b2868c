// How much alpha-beta prunes below a position, next to the least possible and to other orders of moves.

import { button, element, labelled, plies, select, shown, tableParts, written } from "./elements.js";
import { Replay } from "./replay.js";
import { finish, inSlices, Search, Tree } from "./search.js";

/** The moves of the root, to be reordered; `changed` is called with all codes and the one that was moved. */
export class RootMoves {
  constructor(names, changed) {
    Object.assign(this, { names, changed });
    this.list = element("ol", { class: "root-moves", "aria-label": "Moves of the root in search order" });
    this.list.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) this.list.addEventListener(kind, () => this.release());
  }

  get codes() {
    return [...this.list.children].map((item) => Number(item.dataset.code));
  }

  show(codes) {
    this.list.replaceChildren(...codes.map((code) => this.item(code)));
  }

  item(code) {
    const name = shown(this.names[code]);
    const handle = element("span", { class: "handle", pointerdown: (event) => this.hold(event, item) }, name);
    const item = element("li", { "data-code": code },
      button("◀", () => this.shift(item, -1), { "aria-label": `${name} earlier` }), handle,
      button("▶", () => this.shift(item, 1), { "aria-label": `${name} later` }));
    return item;
  }

  /** Move an item by a place, and keep the focus on its button. */
  shift(item, by) {
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (other) this.put(item, other, item.querySelector(by < 0 ? "button" : "button:last-child"));
  }

  put(item, other, focused) {
    const later = item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (later) other.after(item);
    else other.before(item);
    focused?.focus();
    this.changed(this.codes, Number(item.dataset.code));
  }

  hold(event, item) {
    event.preventDefault();
    this.list.setPointerCapture(event.pointerId);
    this.held = item;
    item.classList.add("held");
  }

  release() {
    this.held?.classList.remove("held");
    this.held = null;
  }

  drag({ clientX: x, clientY: y }) {
    if (!this.held) return;
    const below = [...this.list.children].find((item) => {
      const { left, right, top, bottom } = item.getBoundingClientRect();
      return left <= x && x < right && top <= y && y < bottom;
    });
    if (below && below !== this.held) this.put(this.held, below);
  }
}

/** Limit on the plies of a line, for which the picture has room. */
const MOST_PLIES = 250;

const SEARCHES = { alphabeta: "alpha-beta", alphabeta_table: "alpha-beta with a table", minimax: "minimax: nothing is cut" };
const ORDERS = { natural: "ascending codes", reverse: "descending codes", best: "best first", worst: "worst first", random: "at random" };

/** Searches of the tree below a position; `preview(text)` shows another position on the board, and with null that of the line. */
export async function pruningPanel(source, solution, position, preview) {
  const tree = new Tree(await source.tree(position.position));
  if (tree.size === 1) return element("p", {}, "The game is over: there is nothing to search.");
  await inSlices(tree.count());
  if (tree.plies[0] > MOST_PLIES) throw new Error(`a line of play from here may have ${plies(tree.plies[0])}; up to ${MOST_PLIES} are drawn: play some moves first`);
  const look = async (text) => {
    await preview(text);
    return text === null ? position : source.position(text);
  };
  const panel = new Pruning(tree, solution, position, look);
  await panel.begin();
  return panel.element;
}

class Pruning {
  constructor(tree, solution, position, look) {
    Object.assign(this, { tree, turns: 0 });
    const again = () => this.begin();
    const [least, greatest] = tree.payoffs;
    this.fields = {
      kind: select("pruning-kind", SEARCHES, "alphabeta", again),
      order: select("pruning-order", ORDERS, "natural", again),
      window: select("pruning-window", { full: "every value", ...(least < greatest && { value: `payoffs, ${least} to ${greatest}` }) }, "full", again),
      seed: element("input", { id: "pruning-seed", type: "number", min: 0, value: 1, inputmode: "numeric", change: again }),
    };
    this.windows = { full: { alpha: -Infinity, beta: Infinity }, value: { alpha: least, beta: greatest } };
    this.seeding = labelled("Seed", this.fields.seed);
    this.numbers = element("table", { class: "numbers" });
    this.orders = element("table", { class: "numbers" });
    this.moved = element("p", { role: "status", class: "visually-hidden" });
    this.roots = new RootMoves(tree.names, (codes, code) => this.reorder(codes, code));
    this.replay = new Replay(tree, solution, position, { look, changed: (counts) => this.tell(counts) });
    this.element = element("div", { class: "pruning" },
      element("div", { class: "row controls" },
        labelled("Search", this.fields.kind), labelled("Moves", this.fields.order), this.seeding, labelled("Window", this.fields.window)),
      element("p", {}, "The moves from here in search order: drag them, or use their buttons."),
      this.roots.list, this.moved, this.replay.element,
      element("div", { class: "columns" }, this.numbers, this.orders));
  }

  chosen(name) {
    return this.fields[name].value;
  }

  /** The kind and the window of the search. */
  get asked() {
    return { kind: this.chosen("kind"), ...this.windows[this.chosen("window")] };
  }

  get seed() {
    return Math.max(0, Math.floor(Number(this.fields.seed.value)) || 0);
  }

  async begin() {
    this.seeding.hidden = this.chosen("order") !== "random";
    this.roots.list.inert = true; // until it is of the new order
    await this.work(async () => {
      const asked = [...Object.values(this.asked), this.seed].join();
      const same = this.state?.asked === asked;
      const least = same ? this.state.least : await inSlices(this.tree.least(this.asked));
      const all = same ? this.state.all : await this.everyOrder();
      const order = this.chosen("order");
      return { asked, least, all, order, ...all[order] };
    });
    this.roots.show(this.codes);
    this.roots.list.inert = false;
  }

  /** Search with another order of the root's moves; below them nothing changes. */
  async reorder(codes, code) {
    await this.work(async () => {
      const { all, order } = this.state;
      const moves = this.tree.rearranged(all[order].moves, codes);
      const search = new Search(this.tree, moves, { ...this.asked, known: all[order].known });
      const belowRoot = (frame) => frame.position !== 0; // the root is known with its old order
      return { ...this.state, moves, counts: await inSlices(finish(search, belowRoot)) };
    });
    const { counts } = this.state;
    this.moved.textContent = `${shown(this.tree.names[code])} is number ${codes.indexOf(code) + 1} of ${codes.length}: ${written(counts.nodes)} nodes.`;
  }

  /** Show a state once it is found, unless another has been asked for since. */
  async work(find) {
    const mine = ++this.turns;
    this.element.setAttribute("aria-busy", "true");
    const state = await find();
    if (mine !== this.turns) return;
    this.state = state;
    this.element.removeAttribute("aria-busy");
    this.orders.replaceChildren(...this.compared());
    this.replay.begin(state.moves, { ...this.asked, known: state.known }, state.counts);
  }

  /** For each order: the moves, what a search with them knows in the end, and its counts. */
  async everyOrder() {
    const all = {};
    for (const order of Object.keys(ORDERS)) {
      const [moves, known] = [await inSlices(this.tree.arranged(order, this.seed)), new Map()];
      all[order] = { moves, known, counts: await inSlices(finish(new Search(this.tree, moves, { ...this.asked, known }))) };
    }
    return all;
  }

  get codes() {
    return [...this.state.moves.edges.subarray(0, this.tree.first[1])].map((edge) => this.tree.codes[edge]);
  }

  /** The numbers of a search so far and in the end, next to the whole tree and the least possible. */
  tell(so) {
    const { tree, state: { counts, least } } = this;
    const numbers = ({ nodes, leaves, cutoffs, effective }) => [nodes, leaves, cutoffs, effective].map(written);
    const rows = [
      ["so far", ...numbers(so)],
      ["in the end", ...numbers(counts)],
      ["whole tree", written(tree.nodes[0]), written(tree.leaves[0])],
      ["least possible", written(least.nodes), written(least.leaves)],
      ["times the least", multiple(counts.nodes, least.nodes), multiple(counts.leaves, least.leaves)],
    ];
    this.numbers.replaceChildren(...filled("This search", ["nodes", "leaves", "cutoffs", "effective"], rows));
  }

  /** The nodes of each order of moves, and as a multiple of the least possible. */
  compared() {
    const { all, order: chosen, least } = this.state;
    const rows = Object.entries(all).map(([order, { counts }]) =>
      [`${ORDERS[order]}${order === chosen ? " (chosen)" : ""}`, written(counts.nodes), multiple(counts.nodes, least.nodes)]);
    return filled("What the order does", ["nodes", "times the least"], rows);
  }
}

const filled = (title, headings, rows) =>
  [element("caption", {}, title), ...tableParts(["", ...headings], rows.map(([first, ...cells]) => [first, headings.map((_, number) => cells[number] ?? "")]))];

/** One whole number as a multiple of another, with one digit after the point. */
function multiple(number, of) {
  const tenths = (BigInt(number) * 20n + BigInt(of)) / (2n * BigInt(of));
  return `${written(tenths / 10n)}.${tenths % 10n}`;
}
