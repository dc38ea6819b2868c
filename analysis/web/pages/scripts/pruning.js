// How much alpha-beta prunes below a position: a search step by step, as a picture and in words, next to the least possible and to others.

import { drawPosition } from "./board.js";
import { busily, counted, element, named, plies, shown, written } from "./elements.js";
import { Icicle } from "./icicle.js";
import { finish, inSlices, ORDERS, Search, Tree } from "./search.js";

/** Limit on the plies of a line, for which the picture has room. */
const MOST_PLIES = 250;

/** Least milliseconds between two pictures of a running search. */
const FRAME = 30;

/** Limits on the named moves of a path, and on the characters of each. */
const [LAST, LONG] = [9, 20];

/** A panel that follows the line of a page. */
export class Pruning {
  playing = false;

  /** What buttons do. */
  steps = {
    step: () => this.stepped(() => this.advance()),
    play: () => (this.playing ? this.pause() : this.play()),
    cutoff: () => this.stepped(() => this.toCutoff()),
    end: () => this.stepped(() => this.toEnd()),
    again: () => this.again(),
  };

  constructor(page) {
    Object.assign(this, { page, element: element("div"), panel: page.made("pruning") });
    const names = { form: "form", board: ".small-board", said: ".said", picture: "svg.tree" };
    for (const [name, selector] of Object.entries(names)) this[name] = this.panel.querySelector(selector);
    this.form.addEventListener("change", () => this.begin(), true);
    this.panel.addEventListener("click", ({ target }) => this.steps[target.dataset.step]?.());
    new ResizeObserver(() => this.icicle && this.redraw()).observe(this.picture);
  }

  follow({ here }) {
    if (this.position?.state === here.state) return;
    Object.assign(this, { position: here, state: null, playing: false });
    return busily(this.element, () => this.treeOf(here), (tree) => {
      if (tree instanceof Element) return this.element.replaceChildren(tree);
      this.tree = tree;
      const option = this.form.querySelector("[value=value]");
      option.textContent = `payoffs, ${tree.payoffs.join(" to ")}`;
      option.disabled = tree.payoffs[0] === tree.payoffs[1];
      this.element.replaceChildren(this.panel);
      return this.begin();
    });
  }

  async treeOf({ position }) {
    const tree = new Tree(await this.page.source.fetched("/tree", { p: position }));
    if (tree.size === 1) throw new Error("The game is over: there is nothing to search.");
    await inSlices(tree.count());
    if (tree.plies[0] <= MOST_PLIES) return tree;
    throw new Error(`a line of play from here may have ${plies(tree.plies[0])}; up to ${MOST_PLIES} are drawn: play some moves first`);
  }

  /** Search as the form says, and in all other orders. */
  begin() {
    const { tree } = this;
    const { kind, order, window } = Object.fromEntries(new FormData(this.form));
    const [alpha, beta] = window === "full" ? [-Infinity, Infinity] : tree.payoffs;
    return busily(this.element, async () => {
      const same = this.state?.asked.kind === kind && this.state.asked.alpha === alpha;
      const asked = { kind, alpha, beta };
      const found = same ? this.state : { asked, least: await inSlices(tree.least(asked)), all: await this.everyOrder(asked) };
      return { ...found, order, ...found.all[order] };
    }, (state) => {
      this.state = state;
      this.again();
    });
  }

  /** For each order: the moves, what a search with them knows in the end, and its counts. */
  async everyOrder(asked) {
    const all = {};
    for (const order of Object.keys(ORDERS)) {
      const [moves, known] = [await inSlices(this.tree.arranged(order)), new Map()];
      all[order] = { moves, known, counts: await inSlices(finish(new Search(this.tree, moves, { ...asked, known }))) };
    }
    return all;
  }

  name = (code) => shown(this.tree.names[code]);

  again() {
    const { tree, state: { moves, asked, known } } = this;
    Object.assign(this, { playing: false, event: null, search: new Search(tree, moves, { ...asked, known }), icicle: new Icicle(tree, moves) });
    this.redraw();
    this.show();
  }

  /** Make a step; see `Search.step` for `passes`. */
  advance(passes) {
    const event = this.search.step(passes);
    if (event) this.icicle.mark((this.event = event), this.search.frames.length);
    return event;
  }

  /** Make all steps left, those at once whose tree is not drawn. */
  toEnd() {
    while (this.advance((frame) => this.icicle.hides(frame)));
  }

  toCutoff() {
    const passes = (frame, { counts }) => !counts.effective && this.icicle.hides(frame);
    let event;
    do event = this.advance(passes);
    while (event && !event.skipped);
  }

  stepped(go) {
    this.playing = false;
    go();
    this.show();
  }

  play() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.steps.end();
    if (this.search.value !== null) this.again();
    clearTimeout(this.timer);
    this.playing = true;
    this.tick(performance.now());
  }

  pause() {
    this.playing = false;
    this.show();
  }

  /** Make the steps that are due since the last ones. */
  tick(last) {
    if (!this.playing) return;
    if (!this.current) return void (this.playing = false);
    const speed = Number(this.panel.querySelector("#pruning-speed").value);
    const now = performance.now();
    for (let left = Math.max(1, Math.round(((now - last) * speed) / 1000)); left && this.advance(); left--);
    if (this.search.value !== null) return this.pause();
    this.show();
    this.timer = setTimeout(() => this.tick(now), Math.max(FRAME, 1000 / speed));
  }

  /** Whether it is visible, and nothing is about to replace it. */
  get current() {
    return this.panel.checkVisibility() && !this.panel.closest("[aria-busy]");
  }

  show() {
    const ended = this.search.value !== null;
    this.said.setAttribute("aria-live", this.playing ? "off" : "polite");
    this.said.textContent = this.told();
    for (const node of this.panel.querySelectorAll("[data-step]")) {
      if (node.dataset.step === "play") node.textContent = this.playing ? "Pause" : "Run";
      else node.disabled = ended && node.dataset.step !== "again";
    }
    this.showNumbers();
    this.icicle.draw(this.search.frames);
    this.showNode();
  }

  /** Draw the picture as wide as it is now. */
  redraw() {
    this.icicle.begin(this.picture);
    this.icicle.draw(this.search.frames);
  }

  /** Show the position that is searched; where that goes on faster than it is shown, the last of them. */
  async showNode() {
    this.wanted = this.tree.positions[this.search.frames.at(-1)?.position ?? 0];
    if (this.looking) return;
    this.looking = true;
    while (this.onBoard !== this.wanted && this.current) {
      this.onBoard = this.wanted;
      const found = await this.page.source.position(this.onBoard).catch(() => null); // who does not answer says so elsewhere
      if (found) this.board.replaceChildren(drawPosition(found, this.page.solution));
    }
    this.looking = false;
  }

  told() {
    const { event, search } = this;
    if (!event) return `Nothing has been visited yet; the tree has ${written(this.tree.nodes[0])} nodes.`;
    if (event.called) return `Node ${written(search.counts.nodes)}, ${this.path(search.frames)}: ${this.call(event.called)}.`;
    if (!event.parent) return `The value ${bounded(search)}: ${written(search.counts.nodes)} nodes were visited.`;
    const left = this.path([...search.frames, event.left]);
    return `Back from the node ${left} with ${signed(event.left.best)}: ${this.window(event.parent)}.${cutting(event)}`;
  }

  call(frame) {
    if (frame.hit) return `the table answers ${signed(frame.best)}`;
    const side = this.tree.sides[frame.position];
    return side ? `${named(side > 0 ? "X" : "O", this.page.solution)} to move, ${this.window(frame)}` : `the game is over: ${signed(frame.best)}`;
  }

  window = ({ alpha, beta }) => (this.search.cuts ? `alpha ${signed(alpha)}, beta ${signed(beta)}` : "nothing is cut");

  /** The moves of a path from the root. */
  path([, ...nodes]) {
    const clipped = (text) => (text.length > LONG ? `${text.slice(0, LONG - 1)}…` : text);
    const names = nodes.slice(-LAST).map(({ code }) => clipped(this.name(code)));
    return nodes.length ? `after ${nodes.length > LAST ? "… " : ""}${names.join(", ")}` : "the root";
  }

  /** Fill in the legend of the picture, and the tables. */
  showNumbers() {
    const { tree, search, state: { asked, counts, least, all, order: chosen } } = this;
    const { nodes, leaves, skipped, effective, hits } = search.counts;
    const depth = search.frames.length - 1;
    const texts = {
      seen: `visited: ${written(nodes)} nodes, ${written(leaves)} of them leaves`,
      cut: `cut off: ${written(skipped)} nodes, by ${written(effective)} cutoffs`,
      table: `below ${written(hits)} nodes that the table knew: never seen`,
      never: `${search.value === null ? "not reached yet" : "never reached"}: ${written(tree.nodes[0] - nodes - skipped)} nodes`,
      path: `being searched: ${depth < 0 ? "nothing" : `${plies(depth)} deep`}`,
    };
    for (const [kind, text] of Object.entries(texts)) this.panel.querySelector(`.legend .${kind} + span`).textContent = text;
    this.panel.querySelector(".legend .table").parentElement.hidden = asked.kind !== "alphabeta_table";
    const [numbers, orders] = this.panel.querySelectorAll("tbody");
    const counted = ({ nodes, leaves, cutoffs, effective }) => [nodes, leaves, cutoffs, effective].map(written);
    fillIn(numbers, [
      counted(search.counts),
      counted(counts),
      [written(tree.nodes[0]), written(tree.leaves[0])],
      [written(least.nodes), written(least.leaves)],
      [multiple(counts.nodes, least.nodes), multiple(counts.leaves, least.leaves)],
    ]);
    fillIn(orders, Object.values(all).map(({ counts: { nodes } }) => [written(nodes), multiple(nodes, least.nodes)]));
    Object.keys(all).forEach((order, row) => orders.rows[row].classList.toggle("chosen", order === chosen));
  }
}

/** Fill in the cells of a table after the heads of its rows. */
function fillIn({ rows }, texts) {
  texts.forEach((cells, row) => cells.forEach((text, number) => (rows[row].cells[number + 1].textContent = text)));
}

/** One whole number as a multiple of another, with one digit after the point. */
function multiple(number, of) {
  const tenths = (BigInt(number) * 20n + BigInt(of)) / (2n * BigInt(of));
  return `${written(tenths / 10n)}.${tenths % 10n}`;
}

const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value) === Infinity ? "∞" : Math.abs(value)}`;

/** The value that a search has found or, outside its window, a bound. */
function bounded({ value, cuts, window: [alpha, beta] }) {
  return `${!cuts ? "is" : value <= alpha ? "is at most" : value >= beta ? "is at least" : "is"} ${signed(value)}`;
}

function cutting({ parent, skipped }) {
  if (skipped === null) return "";
  const since = `, since alpha ${signed(parent.alpha)} is not below beta ${signed(parent.beta)}`;
  return skipped ? ` Cut${since}: ${counted(skipped, "move")} ${skipped === 1 ? "is" : "are"} never seen.` : ` A cutoff after the last move${since}: it skips none.`;
}
