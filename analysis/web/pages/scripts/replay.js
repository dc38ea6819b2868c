// A search step by step, as a picture and in words.

import { drawPosition } from "./board.js";
import { button, element, named, plies, select, shown, written } from "./elements.js";
import { CUT, Icicle, NEVER, SEEN, TABLE } from "./icicle.js";
import { Search } from "./search.js";

const SPEEDS = [2, 10, 100, 1000, 10000];

/** Least milliseconds between two pictures of a running search; the same, and the number of pictures, with reduced motion. */
const [FRAME, STILL, STILLS] = [30, 1000, 20];

/** Limits on the named moves of a path, and on the characters of each. */
const [LAST, LONG] = [9, 20];

export class Replay {
  /** For the tree below a position; `look(text)` returns a position below it, or itself for null; `changed` gets the counts so far. */
  constructor(tree, solution, position, { look, changed }) {
    Object.assign(this, { tree, solution, look, changed, playing: false, onBoard: null });
    this.board = element("div", { class: "small-board" });
    this.said = element("p", { role: "status", class: "said" });
    this.canvas = element("canvas", {
      role: "application", tabindex: 0, "aria-label": "The tree; arrow keys go from node to node",
      click: (event) => this.clicked(event), keydown: (event) => this.key(event),
    });
    this.legend = element("ul", { class: "legend" });
    this.speed = select("pruning-speed", Object.fromEntries(SPEEDS.map((speed) => [speed, `${written(speed)} steps a second`])), "10");
    this.buttons = {
      step: button("Step", () => this.stepped(() => this.advance())),
      play: button("Run", () => (this.playing ? this.pause() : this.play())),
      cutoff: button("To the next cutoff", () => this.stepped(() => this.toCutoff())),
      end: button("To the end", () => this.stepped(() => this.toEnd())),
      again: button("Again", () => this.again()),
    };
    this.element = element("div", {},
      element("div", { class: "row controls", role: "group", "aria-label": "The search" }, Object.values(this.buttons), element("label", { for: "pruning-speed" }, "Speed"), this.speed),
      element("div", { class: "row now" }, this.board, this.said), this.canvas, this.legend);
    this.board.replaceChildren(drawPosition(position, solution));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    redrawnWithColours(this);
  }

  /** Show another search (see `Search`), whose final counts are known. */
  begin(moves, asked, counts) {
    Object.assign(this, { moves, asked, counts, icicle: new Icicle(this.tree, moves) });
    this.again();
  }

  again() {
    this.playing = false;
    this.search = new Search(this.tree, this.moves, this.asked);
    this.icicle.clear();
    this.event = this.looked = null;
    this.show();
  }

  /** Make a step; see `Search.step` for `passes`. */
  advance(passes) {
    const event = this.search.step(passes);
    if (event) this.icicle.mark((this.event = event), this.search.frames.length);
    return event;
  }

  toCutoff() {
    const passes = (frame, { counts }) => !counts.effective && this.icicle.hides(frame);
    let event;
    do event = this.advance(passes);
    while (event && !event.skipped);
  }

  toEnd() {
    while (this.advance((frame) => this.icicle.hides(frame)));
  }

  stepped(go) {
    this.playing = false;
    this.looked = null;
    go();
    this.show();
  }

  play() {
    if (this.search.value !== null) this.again();
    clearTimeout(this.timer);
    this.playing = true;
    this.looked = null;
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
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const speed = Number(this.speed.value);
    const now = performance.now();
    if (still) this.jump();
    else for (let left = Math.max(1, Math.round(((now - last) * speed) / 1000)); left && this.advance(); left--);
    if (this.search.value !== null) return this.pause();
    this.show();
    this.timer = setTimeout(() => this.tick(now), still ? STILL : Math.max(FRAME, 1000 / speed));
  }

  /** Make a part of the whole search at once. */
  jump() {
    const wanted = Number(this.search.counts.nodes) + Number(this.counts.nodes) / STILLS;
    while (Number(this.search.counts.nodes) < wanted && this.advance((frame) => this.icicle.hides(frame)));
  }

  /** Whether it is visible, and nothing is about to replace it. */
  get current() {
    return this.element.checkVisibility() && !this.element.closest("[aria-busy]");
  }

  show() {
    const ended = this.search.value !== null;
    this.said.setAttribute("aria-live", this.playing ? "off" : "polite");
    this.said.textContent = this.looked ? this.toldOf(this.looked) : this.told();
    this.buttons.play.textContent = this.playing ? "Pause" : "Run";
    for (const name of ["step", "cutoff", "end"]) this.buttons[name].disabled = ended;
    this.legend.replaceChildren(...this.legends());
    this.changed(this.search.counts);
    this.draw();
    this.follow();
  }

  draw() {
    if (this.canvas.clientWidth) this.icicle.draw(this.canvas, { path: this.search.frames, looked: this.looked });
  }

  /** Show the position that is searched or looked at; where that goes on faster than it is shown, the last of them. */
  async follow() {
    const wanted = this.looked?.node ?? this.search.frames.at(-1);
    this.wanted = wanted ? this.tree.positions[wanted.position] : null;
    if (this.looking) return;
    this.looking = true;
    while (this.onBoard !== this.wanted && this.current) {
      const found = await this.look((this.onBoard = this.wanted)).catch(() => null); // who does not answer says so elsewhere
      if (found) this.board.replaceChildren(drawPosition(found, this.solution));
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
    return side ? `${named(side > 0 ? "X" : "O", this.solution)} to move, ${this.window(frame)}` : `the game is over: ${signed(frame.best)}`;
  }

  window({ alpha, beta }) {
    return this.search.cuts ? `alpha ${signed(alpha)}, beta ${signed(beta)}` : "nothing is cut";
  }

  /** The moves of a path from the root. */
  path(nodes) {
    const codes = nodes.slice(1).map(({ code }) => code);
    const names = codes.slice(-LAST).map((code) => clipped(shown(this.tree.names[code])));
    return codes.length ? `after ${codes.length > LAST ? "… " : ""}${names.join(", ")}` : "the root";
  }

  legends() {
    const { tree, search, asked } = this;
    const { nodes, leaves, skipped, effective, hits } = search.counts;
    const rest = tree.nodes[0] - nodes - skipped;
    const entries = [
      ["seen", `visited: ${written(nodes)} nodes, ${written(leaves)} of them leaves`],
      ["cut", `cut off: ${written(skipped)} nodes, by ${written(effective)} cutoffs`],
      asked.kind === "alphabeta_table" && ["table", `below ${written(hits)} nodes that the table knew: never seen`],
      ["never", `${search.value === null ? "not reached yet" : "never reached"}: ${written(rest)} nodes`],
      ["path", `being searched: ${search.frames.length ? `${plies(search.frames.length - 1)} deep` : "nothing"}`],
    ];
    return entries.filter(Boolean).map(([kind, text]) => element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text));
  }

  clicked({ offsetX, offsetY }) {
    this.lookAt(this.icicle.at(offsetX / this.canvas.clientWidth, offsetY / this.canvas.clientHeight));
  }

  lookAt({ column, row }) {
    this.playing = false;
    const line = this.icicle.line(column);
    const place = Math.max(0, Math.min(row, line.length - 1));
    this.looked = { column, row: place, node: line[place], path: line.slice(0, place + 1) };
    this.show();
  }

  toldOf({ column, row, node, path }) {
    const { tree, icicle } = this;
    const side = tree.sides[node.position];
    const who = side ? `${named(side > 0 ? "X" : "O", this.solution)} to move, value` : "the game is over:";
    const state = { [SEEN]: "visited", [CUT]: "cut off", [TABLE]: "below one that the table knew", [NEVER]: "not reached" }[icicle.stateAt({ column, row })];
    return `Looked at, ${this.path(path)}: ${who} ${signed(tree.values[node.position])}; a tree of ${written(tree.nodes[node.position])} ${tree.sides[node.position] ? "nodes" : "node"}; ${state}.`;
  }

  key(event) {
    const { column = 0, row = 0, node = null } = this.looked ?? {};
    const [first, end] = node ? this.icicle.columns(node) : [0, 1];
    const ways = {
      ArrowUp: { column, row: row - 1 },
      ArrowDown: { column, row: row + 1 },
      ArrowLeft: { column: Math.max(0, first - 1), row },
      ArrowRight: { column: Math.min(this.icicle.depths.length - 1, end), row },
    };
    if (event.key === "Escape" && this.looked) this.stepped(() => {});
    else if (ways[event.key]) this.lookAt(node ? ways[event.key] : { column, row });
    else return;
    event.preventDefault();
  }
}

const signed = (value) => (Math.abs(value) === Infinity ? `${value < 0 ? "−" : "+"}∞` : `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value)}`);

const clipped = (text) => (text.length > LONG ? `${text.slice(0, LONG - 1)}…` : text);

/** The value that a search has found or, outside its window, a bound. */
function bounded({ value, cuts, window: [alpha, beta] }) {
  return `${!cuts ? "is" : value <= alpha ? "is at most" : value >= beta ? "is at least" : "is"} ${signed(value)}`;
}

function cutting({ parent, skipped }) {
  if (skipped === null) return "";
  const since = `, since alpha ${signed(parent.alpha)} is not below beta ${signed(parent.beta)}`;
  return skipped ? ` Cut${since}: ${skipped} ${skipped === 1 ? "move is" : "moves are"} never seen.` : ` A cutoff after the last move${since}: it skips none.`;
}

/** Draw again when the system's colours change, as long as the picture exists. */
function redrawnWithColours(replay) {
  const [own, dark] = [new WeakRef(replay), matchMedia("(prefers-color-scheme: dark)")];
  const redraw = () => (own.deref()?.canvas.isConnected ? own.deref().draw() : dark.removeEventListener("change", redraw));
  dark.addEventListener("change", redraw);
}
