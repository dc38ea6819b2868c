// The tree below a position, as the graph of its positions: how large it is, the least that a search must visit, and orders of moves.

/** How moves are sorted: least first by a number, equal ones by ascending code. */
const RANKS = {
  natural: () => 0,
  reverse: (tree, edge) => -tree.codes[edge],
  best: (tree, edge, at) => -tree.sides[at] * tree.values[tree.children[edge]],
  worst: (tree, edge, at) => tree.sides[at] * tree.values[tree.children[edge]],
  random: (tree, edge, at, seed) => scattered(scattered(at, seed), tree.codes[edge]),
};

const TOGETHER = 1000;

/** An answer of `tree(text)`: position 0 is the root, and children have greater numbers than their parents. */
export class Tree {
  constructor({ payoffs, positions, sides, values, branching, codes, children, names }) {
    Object.assign(this, { payoffs, positions, sides, values, codes, children, names });
    this.size = positions.length;
    this.first = new Uint32Array(this.size + 1);
    for (let at = 0; at < this.size; at++) this.first[at + 1] = this.first[at] + branching[at];
  }

  /** Count the nodes and leaves of the tree below each position, exactly, and the plies of its longest line. */
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
    this.number = nodes[0] < 2n ** 53n ? Number : BigInt; // what all counts of it are
    this.nodes = nodes.map((count) => this.number(count));
    this.leaves = leaves.map((count) => this.number(count));
  }

  /**
   * The fewest nodes and the fewest leaves that show what a search with a window asks for: the value of the root where it lies
   * inside, else that it does not. See `analysis/search/laboratory.py`.
   */
  *least({ alpha, beta }) {
    const [value] = this.values;
    const bounds = value <= alpha ? { kind: "upper", low: Infinity, high: alpha } : value >= beta ? { kind: "lower", low: beta, high: -Infinity } : { kind: "both", low: value, high: value };
    return { nodes: yield* this.proof(bounds, 1), leaves: yield* this.proof(bounds, 0) };
  }

  /** The size of the smallest strategies that show it, where a node that is no leaf counts `inner`. */
  *proof({ kind, low, high }, inner) {
    const [one, own] = [this.number(1), this.number(inner)];
    const never = this.nodes[0] + one; // also what cannot be shown
    const found = { lower: new Array(this.size), upper: new Array(this.size), both: new Array(this.size) };
    for (let at = this.size - 1; at >= 0; at--) {
      const [value, side] = [this.values[at], this.sides[at]];
      if (!side) {
        found.lower[at] = value >= low ? one : never;
        found.upper[at] = value <= high ? one : never;
        found.both[at] = value === low && value === high ? one : never;
        continue;
      }
      // the side to move needs one child for its bound, and all of them for the other side's
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

  /** The moves of all positions in an order, and for each the part of its parent's leaves that come before it, and its own part. */
  *arranged(order, seed = 0) {
    const moves = { edges: Uint32Array.from(this.children, (_, edge) => edge), before: new Float64Array(this.children.length), part: new Float64Array(this.children.length) };
    const ranks = new Float64Array(this.children.length);
    for (let at = 0; at < this.size; at++) {
      for (let edge = this.first[at]; edge < this.first[at + 1]; edge++) ranks[edge] = RANKS[order](this, edge, at, seed);
      this.sort(moves, at, (a, b) => ranks[a] - ranks[b] || a - b);
      if (at % TOGETHER === 0) yield;
    }
    return moves;
  }

  /** The same moves with those of the root in the order of these codes. */
  rearranged(moves, codes) {
    const own = Object.fromEntries(Object.entries(moves).map(([name, array]) => [name, array.slice()]));
    this.sort(own, 0, (a, b) => codes.indexOf(this.codes[a]) - codes.indexOf(this.codes[b]));
    return own;
  }

  sort({ edges, before, part }, at, compare) {
    edges.subarray(this.first[at], this.first[at + 1]).sort(compare);
    const share = shareOf(this.leaves[at]);
    let sum = 0;
    for (let place = this.first[at]; place < this.first[at + 1]; place++) {
      before[place] = sum;
      sum += part[place] = share(this.leaves[this.children[edges[place]]]);
    }
  }
}

const lesser = (a, b) => (b < a ? b : a);

/** What part of a whole number others are, however large they are. */
function shareOf(whole) {
  if (typeof whole === "number") return (count) => count / whole;
  const shift = BigInt(Math.max(0, 4 * whole.toString(16).length - 200));
  return (count) => Number(count >> shift) / Number(whole >> shift);
}

/** A number from 0 to 2^32 - 1 that two others make, as if by chance. */
function scattered(a, b) {
  let mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
