// Searches of a tree, one call or one return at a time: minimax, alpha-beta (fail-soft), and alpha-beta with a table.

/**
 * A node is every call, root and leaves included; a cutoff is counted every time that alpha >= beta after a child, as effective where
 * it skips another one. What a call without a table returns and counts depends on its position and window alone: it is remembered
 * in `known`, by which a search of a large tree is counted without visiting all of it.
 */
export class Search {
  constructor(tree, moves, { kind = "alphabeta", alpha = -Infinity, beta = Infinity, known = new Map() } = {}) {
    Object.assign(this, { tree, moves, window: [alpha, beta], cuts: kind !== "minimax" });
    if (kind === "alphabeta_table") this.table = { low: new Float64Array(tree.size).fill(-Infinity), high: new Float64Array(tree.size).fill(Infinity) };
    else this.known = known;
    const ends = [...new Set([-Infinity, alpha, ...tree.values, beta, Infinity])].sort((a, b) => (a < b ? -1 : 1));
    this.ends = new Map(ends.map((end, number) => [end, number]));
    const zero = tree.number(0);
    this.counts = { nodes: zero, leaves: zero, cutoffs: zero, effective: zero, skipped: zero, hits: zero };
    this.one = tree.number(1);
    this.frames = [];
    this.value = null;
  }

  /**
   * The next call, `{ called }`, or return, `{ left, parent, skipped }`, `skipped` being how many children a cutoff skips or null where
   * there is none; null after the end. A call that is known and that `passes(frame)` says yes to returns without calling others.
   */
  step(passes = null) {
    if (this.value !== null) return null;
    const parent = this.frames.at(-1);
    if (parent && parent.at === parent.end) return this.leave();
    return this.call(parent, passes);
  }

  call(parent, passes) {
    const frame = parent ? this.childOf(parent) : this.frame(0, null, ...this.window, 0, 1);
    this.frames.push(frame);
    this.add("nodes", this.one);
    const known = passes && this.known?.get(this.key(frame));
    if (this.table && this.answers(frame)) this.add("hits", this.one);
    else if (known && passes(frame, known)) this.pass(frame, known);
    else if (!this.tree.sides[frame.position]) {
      frame.best = this.tree.values[frame.position];
      this.add("leaves", this.one);
    } else frame.end = this.tree.first[frame.position + 1];
    return { called: frame };
  }

  childOf(parent) {
    const place = parent.at++;
    const edge = this.moves.edges[place];
    const from = parent.from + parent.width * this.moves.before[place];
    return this.frame(this.tree.children[edge], this.tree.codes[edge], parent.alpha, parent.beta, from, parent.width * this.moves.part[place]);
  }

  /** A call: of a position after a move, with a window, between `from` and `from + width` of the leaves of the tree. */
  frame(position, code, alpha, beta, from, width) {
    const at = this.tree.first[position];
    const best = -this.tree.sides[position] * Infinity;
    return { position, code, alpha, beta, asked: [alpha, beta], best, at, end: at, from, width, before: { ...this.counts } };
  }

  leave() {
    const frame = this.frames.pop();
    if (this.table) this.store(frame);
    else this.remember(frame);
    const parent = this.frames.at(-1);
    if (!parent) this.value = frame.best;
    return { left: frame, parent, skipped: parent ? this.narrow(parent, frame.best) : null };
  }

  /** A child has returned: how many others a cutoff skips, null where there is none. */
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

  // What is known of calls ----------------------------------------------------------------------------------------------

  key({ position, asked: [alpha, beta] }) {
    return (position * this.ends.size + this.ends.get(alpha)) * this.ends.size + this.ends.get(beta);
  }

  remember(frame) {
    const key = this.key(frame);
    if (this.known.has(key)) return;
    const counts = {};
    for (const name in this.counts) counts[name] = this.counts[name] - frame.before[name];
    this.known.set(key, { value: frame.best, counts });
  }

  pass(frame, { value, counts }) {
    frame.best = value;
    for (const name in counts) this.counts[name] = frame.before[name] + counts[name];
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

/** Take a search to its end, without calling again what `passes` says yes to; its counts. */
export function* finish(search, passes = () => true) {
  for (let step = 1; search.step(passes); step++) if (step % 1000 === 0) yield;
  return search.counts;
}
