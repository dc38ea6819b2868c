// The tree below a position, as a graph of its positions, and searches of it.

const SLICE = 12;

/** Run a generator to its end without blocking the page, and return its result. */
export async function inSlices(steps) {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < SLICE) continue;
    await new Promise((go) => setTimeout(go));
    began = performance.now();
  }
}

/** The orders of moves: by ascending rank, then by code. The random one is always the same. */
export const ORDERS = {
  natural: () => 0,
  reverse: (tree, edge) => -tree.codes[edge],
  best: (tree, edge, at) => -tree.sides[at] * tree.values[tree.children[edge]],
  worst: (tree, edge, at) => tree.sides[at] * tree.values[tree.children[edge]],
  random: (tree, edge, at) => scattered(at, tree.codes[edge]),
};

const TOGETHER = 1000;

/** The first node: see `Tree.after`. */
export const ROOT = { position: 0, code: null, from: 0, width: 1 };

/** The answer of `tree(text)`: position 0 is the root, and children have greater numbers than their parents. */
export class Tree {
  constructor({ payoffs, positions, sides, values, branching, codes, children, names }) {
    Object.assign(this, { payoffs, positions, sides, values, codes, children, names });
    this.size = positions.length;
    this.first = new Uint32Array(this.size + 1);
    for (let at = 0; at < this.size; at++) this.first[at + 1] = this.first[at] + branching[at];
  }

  /** Count the nodes and leaves below each position, exactly, and the plies of its longest line. */
  *count() {
    const [nodes, leaves] = [new Array(this.size), new Array(this.size)];
    this.plies = new Uint32Array(this.size);
    for (let at = this.size - 1; at >= 0; at--) {
      nodes[at] = 1n;
      leaves[at] = this.sides[at] ? 0n : 1n;
      for (let edge = this.first[at]; edge < this.first[at + 1]; edge++) {
        const child = this.children[edge];
        nodes[at] += nodes[child];
        leaves[at] += leaves[child];
        this.plies[at] = Math.max(this.plies[at], this.plies[child] + 1);
      }
      if (at % TOGETHER === 0) yield;
    }
    this.number = nodes[0] < 2n ** 53n ? Number : BigInt; // the type of all counts
    this.nodes = nodes.map((count) => this.number(count));
    this.leaves = leaves.map((count) => this.number(count));
  }

  /** The fewest nodes, and leaves, that prove the root's value or, outside a window, its bound; see `analysis/search/laboratory.py`. */
  *least({ alpha, beta }) {
    const [value] = this.values;
    const bounds = value <= alpha ? { kind: "upper", low: Infinity, high: alpha } : value >= beta ? { kind: "lower", low: beta, high: -Infinity } : { kind: "both", low: value, high: value };
    return { nodes: yield* this.proof(bounds, 1), leaves: yield* this.proof(bounds, 0) };
  }

  /** The size of the smallest strategies that prove it, where inner nodes count `inner`. */
  *proof({ kind, low, high }, inner) {
    const [one, own] = [this.number(1), this.number(inner)];
    const never = this.nodes[0] + one; // the size of what cannot be proved, too
    const found = { lower: new Array(this.size), upper: new Array(this.size), both: new Array(this.size) };
    for (let at = this.size - 1; at >= 0; at--) {
      const [value, side] = [this.values[at], this.sides[at]];
      if (!side) {
        found.lower[at] = value >= low ? one : never;
        found.upper[at] = value <= high ? one : never;
        found.both[at] = value === low && value === high ? one : never;
        continue;
      }
      // the side to move needs one child for its bound, and all children for the other side's
      const [single, every] = side > 0 ? [found.lower, found.upper] : [found.upper, found.lower];
      let [least, total, more] = [never, own, never];
      for (let edge = this.first[at]; edge < this.first[at + 1]; edge++) {
        const child = this.children[edge];
        least = lesser(least, single[child]);
        total = lesser(never, total + every[child]);
        if (found.both[child] < never) more = lesser(more, found.both[child] - every[child]);
      }
      single[at] = lesser(never, own + least);
      every[at] = total;
      found.both[at] = lesser(never, total + more);
      if (at % TOGETHER === 0) yield;
    }
    return found[kind][0];
  }

  /** All moves in an order, each with its share of its parent's leaves, and the share before it. */
  *arranged(order) {
    const moves = { edges: Uint32Array.from(this.children, (_, edge) => edge), before: new Float64Array(this.children.length), part: new Float64Array(this.children.length) };
    const ranks = new Float64Array(this.children.length);
    for (let at = 0; at < this.size; at++) {
      for (let edge = this.first[at]; edge < this.first[at + 1]; edge++) ranks[edge] = ORDERS[order](this, edge, at);
      this.sort(moves, at, (a, b) => ranks[a] - ranks[b] || a - b);
      if (at % TOGETHER === 0) yield;
    }
    return moves;
  }

  /** The node after a move of another one: its position, the code of the move, and its share of all leaves, `from` to `from + width`. */
  after({ from, width }, { edges, before, part }, place) {
    const edge = edges[place];
    return { position: this.children[edge], code: this.codes[edge], from: from + width * before[place], width: width * part[place] };
  }

  /** The nodes after all moves of one, in their order. */
  below(node, moves) {
    const [first, end] = [this.first[node.position], this.first[node.position + 1]];
    return Array.from({ length: end - first }, (_, number) => this.after(node, moves, first + number));
  }

  sort({ edges, before, part }, at, compare) {
    edges.subarray(this.first[at], this.first[at + 1]).sort(compare);
    const all = Number(this.leaves[at]);
    let sum = 0;
    for (let place = this.first[at]; place < this.first[at + 1]; place++) {
      before[place] = sum;
      sum += part[place] = Number(this.leaves[this.children[edges[place]]]) / all;
    }
  }
}

const lesser = (a, b) => (b < a ? b : a);

/** A hash of two numbers, from 0 to 2^32 - 1. */
function scattered(a, b) {
  let mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/**
 * A node is every call, root and leaves included; a cutoff is counted whenever alpha >= beta after a child, as effective if it skips
 * another one. What a call without a table returns and counts depends only on its position and window: it is stored in `known`, so that
 * a search of a large tree can be counted without visiting all of it.
 */
export class Search {
  frames = [];
  value = null;

  constructor(tree, moves, { kind = "alphabeta", alpha = -Infinity, beta = Infinity, known = new Map() } = {}) {
    Object.assign(this, { tree, moves, window: [alpha, beta], cuts: kind !== "minimax", one: tree.number(1) });
    if (kind === "alphabeta_table") this.table = { low: new Float64Array(tree.size).fill(-Infinity), high: new Float64Array(tree.size).fill(Infinity) };
    else this.known = known;
    const ends = [...new Set([-Infinity, alpha, ...tree.values, beta, Infinity])].sort((a, b) => (a < b ? -1 : 1));
    this.ends = new Map(ends.map((end, number) => [end, number]));
    const zero = tree.number(0);
    this.counts = { nodes: zero, leaves: zero, cutoffs: zero, effective: zero, skipped: zero, hits: zero };
    this.steps = this.run();
  }

  /**
   * The next call, `{ called }`, or return, `{ left, parent, skipped }`, where `skipped` is the number of children that a cutoff skips, null
   * without a cutoff; null after the end. A known call for which `passes(frame, known)` is true returns at once.
   */
  step(passes = null) {
    this.passes = passes;
    return this.steps.next().value ?? null;
  }

  *run() {
    const left = yield* this.visit(ROOT, ...this.window);
    this.value = left.best;
    yield { left, skipped: null };
  }

  /** Call a node with a window. */
  *visit(node, alpha, beta) {
    const { tree, counts, known, passes } = this;
    const [at, side, key] = [tree.first[node.position], tree.sides[node.position], this.key(node, alpha, beta)];
    const frame = { ...node, alpha, beta, best: -side * Infinity, at, end: at };
    const [before, found] = [{ ...counts }, passes && known?.get(key)];
    this.frames.push(frame);
    this.add("nodes", this.one);
    if (this.table && this.answers(frame)) this.add("hits", this.one);
    else if (found && passes(frame, found)) {
      frame.best = found.value;
      for (const name in counts) counts[name] = before[name] + found.counts[name];
    } else if (side) frame.end = tree.first[node.position + 1];
    else {
      frame.best = tree.values[node.position];
      this.add("leaves", this.one);
    }
    yield { called: frame };
    while (frame.at < frame.end) {
      const left = yield* this.visit(tree.after(frame, this.moves, frame.at++), frame.alpha, frame.beta);
      yield { left, parent: frame, skipped: this.narrow(frame, left.best) };
    }
    this.frames.pop();
    if (this.table) this.store(frame);
    else if (!known.has(key)) known.set(key, { value: frame.best, counts: Object.fromEntries(Object.keys(counts).map((name) => [name, counts[name] - before[name]])) });
    return frame;
  }

  /** Take the value of a child; the number of children that a cutoff skips, or null. */
  narrow(frame, value) {
    const most = this.tree.sides[frame.position] > 0;
    frame.best = most ? Math.max(frame.best, value) : Math.min(frame.best, value);
    if (!this.cuts) return null;
    if (most) frame.alpha = Math.max(frame.alpha, frame.best);
    else frame.beta = Math.min(frame.beta, frame.best);
    if (frame.alpha < frame.beta) return null;
    const skipped = frame.end - frame.at;
    this.add("cutoffs", this.one);
    if (skipped) this.add("effective", this.one);
    for (; frame.at < frame.end; frame.at++) this.add("skipped", this.tree.nodes[this.tree.children[this.moves.edges[frame.at]]]);
    return skipped;
  }

  add(name, count) {
    this.counts[name] += count;
  }

  key({ position }, alpha, beta) {
    return (position * this.ends.size + this.ends.get(alpha)) * this.ends.size + this.ends.get(beta);
  }

  // The table: bounds of values, which narrow the window (Plaat, Schaeffer, Pijls and de Bruin 1996, AlphaBetaWithMemory) ----

  answers(frame) {
    const [low, high] = [this.table.low[frame.position], this.table.high[frame.position]];
    if (low === high || low >= frame.beta || high <= frame.alpha) {
      frame.best = low === high || low >= frame.beta ? low : high;
      frame.hit = true;
      return true;
    }
    frame.alpha = Math.max(frame.alpha, low);
    frame.beta = Math.min(frame.beta, high);
    frame.inside = [frame.alpha, frame.beta];
    return false;
  }

  store({ position, best, hit, inside }) {
    if (hit) return;
    const over = !this.tree.sides[position];
    if (over || best < inside[1]) this.table.high[position] = best;
    if (over || best > inside[0]) this.table.low[position] = best;
  }
}

/** Take a search to its end and return its counts; see `Search.step` for `passes`. */
export function* finish(search, passes = () => true) {
  for (let step = 1; search.step(passes); step++) if (step % 1000 === 0) yield;
  return search.counts;
}
