// All positions below one, of a table that the page carries: as `/api/v1/ID/tree` tells them.

import { inSlices } from "./slices.js";

const MOST_POSITIONS = 100000;
const TOGETHER = 256;

/** The positions below a spot of a table source. Throws an error that says why they are not there. */
export function treeBelow(source, spot) {
  if (source.about.loopy) throw new Error("play can return to a position in this game, so the tree below one has no end to search to");
  return inSlices(told(source, new Walk(source.table), spot));
}

function* told(source, walk, spot) {
  yield* walk.from(spot);
  const { table } = source;
  const ids = walk.left.reverse();
  const numbers = new Uint32Array(ids.length);
  ids.forEach((id, number) => (numbers[id] = number));
  const found = { payoffs: source.about.payoffs, positions: [], sides: [], values: [], branching: [], codes: [], children: [], names: {} };
  for (const [number, id] of ids.entries()) {
    const [row, symmetry] = walk.spots[id];
    found.positions.push(source.text(row, symmetry));
    found.sides.push(table.over(row) ? 0 : table.mover(row));
    found.values.push(table.value[row]);
    found.branching.push(walk.moves[id].length);
    for (const [code, child] of walk.moves[id]) {
      found.codes.push(code);
      found.children.push(numbers[child]);
      found.names[code] = table.head.names[code];
    }
    source.spots.set(found.positions[number], [row, symmetry]);
    if (number % TOGETHER === 0) yield;
  }
  return found;
}

/** A walk through positions. Each is known by its state, since several symmetries may make it of its class. */
class Walk {
  constructor(table) {
    this.table = table;
    this.byState = new Map();
    this.bySpot = new Map();
    this.spots = [];
    this.moves = []; // codes, ascending, and what they lead to
    this.left = []; // children before their parents
    this.done = [];
  }

  /** Depth first, in the server's order, which the numbers follow. */
  *from(spot) {
    const waiting = [this.find(...spot)];
    let met = 0;
    while (waiting.length) {
      const id = waiting.at(-1);
      if (this.moves[id]) {
        waiting.pop();
        if (!this.done[id]) this.left.push(id);
        this.done[id] = true;
        continue;
      }
      if (met++ === MOST_POSITIONS)
        throw new Error(`more than ${MOST_POSITIONS.toLocaleString("en")} positions follow this one, too many to search through here: play some moves first`);
      this.moves[id] = this.movesOf(...this.spots[id]);
      for (const [, child] of this.moves[id]) if (!this.moves[child]) waiting.push(child);
      if (met % TOGETHER === 0) yield;
    }
  }

  /** What a position is called here. */
  find(row, symmetry) {
    const spot = row * this.table.head.symmetries.length + symmetry;
    let id = this.bySpot.get(spot);
    if (id !== undefined) return id;
    const state = this.table.state(row, symmetry);
    id = this.byState.get(state) ?? this.spots.push([row, symmetry]) - 1;
    this.byState.set(state, id);
    this.bySpot.set(spot, id);
    return id;
  }

  movesOf(row, symmetry) {
    const { table } = this;
    if (table.over(row)) return [];
    if (!table.expanded(row)) throw new Error("this page has a part of the game, and not all that follows this position is in it");
    const { codes } = table.head.symmetries[symmetry];
    const moves = [];
    for (let edge = table.first[row]; edge < table.first[row + 1]; edge++) {
      const next = table.product(symmetry, table.symmetry ? table.symmetry[edge] : 0);
      moves.push([table.ofMove(codes, edge), this.find(table.after[edge], next)]);
    }
    return moves.sort(([a], [b]) => a - b);
  }
}
