// Searches in a table that the page carries: the tree below a position, and traps, as `/api/v1/ID/tree` and `/traps` tell them.

import { inSlices } from "./search.js";

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
    return table.moves(row, symmetry).map(({ move, row: next, symmetry: seen }) => [move, this.find(next, seen)]);
  }
}

/** Classes among which a line of only moves is looked for: as many as the server looks among. */
const MOST_CLASSES = 2000;
const LONGEST = 200;

/** What `source`, of a table, knows of the traps of a position, given as its row and symmetry. */
export function trapsOf(source, [row, symmetry], against) {
  const { table, about } = source;
  if (table.over(row)) throw new Error(`the game is over at ${source.text(row, symmetry)}; ask where it goes on`);
  const side = table.mover(row);
  const keeping = movesOf(source, row, symmetry).filter((move) => table.value[move.row] === table.value[row]);
  const found = keeping.map((move) => trap(source, side, move, against));
  const chance = ({ chance }) => (chance === null ? -1 : chance);
  found.sort((a, b) => chance(b) - chance(a));
  const { value, remoteness_plies } = source.worth(row);
  return {
    game: about.game, position: source.text(row, symmetry), to_move: side > 0 ? "X" : "O", value, remoteness_plies, against, moves: found,
    only_moves: [-side, side].map((each) => new OnlyMoves(source, each).line([row, symmetry])),
  };
}

function movesOf(source, row, symmetry) {
  const moves = source.moves(row, symmetry);
  if (moves === null) throw new Error(`what follows ${source.text(row, symmetry)} is not in this page`);
  return moves;
}

function trap(source, side, { move, name, row, symmetry }, against) {
  const { table } = source;
  const { value, remoteness_plies } = source.worth(row);
  const about = { move, name, position: source.text(row, symmetry), value, remoteness_plies };
  if (table.over(row) || table.mover(row) === side)
    return { ...about, replies: null, keeping: null, chance: null, loss: null, most: null, chance_exact: null, loss_exact: null };
  const lost = movesOf(source, row, symmetry).map((reply) => side * (table.value[reply.row] - value));
  const kept = lost.filter((loss) => loss === 0).length;
  const errs = against === "perfect" ? [0, 1] : [lost.length - kept, lost.length];
  const sum = against === "perfect" ? 0 : lost.reduce((a, b) => a + b);
  return {
    ...about, replies: lost.length, keeping: kept, chance: errs[0] / errs[1], loss: sum / lost.length,
    most: against === "perfect" ? 0 : Math.max(...lost), chance_exact: fraction(...errs), loss_exact: fraction(sum, lost.length),
  };
}

function fraction(a, b) {
  const divisor = (x, y) => (y ? divisor(y, x % y) : Math.abs(x));
  const by = divisor(a, b);
  return b === by ? String(a / by) : `${a / by}/${b / by}`;
}

/**
 * The longest line in which a side has one move each time that keeps the value; see `traps.py`, whose search this is: classes
 * that lead to each other are looked at together, in the order of Tarjan (1972).
 */
class OnlyMoves {
  constructor(source, side) {
    Object.assign(this, { source, side, lengths: new Map(), complete: true });
  }

  line(spot) {
    const [row, symmetry] = spot;
    const count = this.longest(this.canonical(row));
    const moves = count === Infinity ? this.endless(spot) : this.shortest(spot);
    return {
      side: this.side > 0 ? "X" : "O", count: count === Infinity ? null : count, path: moves.map(({ move }) => move).join(this.source.about.separator),
      names: moves.map(({ name }) => name), complete: this.complete || count === Infinity, endless: count === Infinity,
    };
  }

  /** The row that stands for the class of one. */
  canonical(row) {
    const { table } = this.source;
    if (table.classStates === table.states) return row;
    this.rows ??= new Map(table.states.reduce((pairs, state, each) => (state === table.classStates[each] && pairs.push([state, each]), pairs), []));
    return this.rows.get(table.classStates[row]) ?? row;
  }

  /** Whether a side has one move of several here that keeps the value, and the moves that a line may go on with. */
  node(row, symmetry = 0) {
    const { table } = this.source;
    const moves = table.over(row) ? [] : movesOf(this.source, row, symmetry);
    const keeping = moves.filter((move) => table.value[move.row] === table.value[row]);
    if (table.over(row) || table.mover(row) !== this.side) return { counts: false, keeping };
    return { counts: moves.length > 1 && keeping.length === 1, keeping: keeping.length === 1 ? keeping : [] };
  }

  /** How many only moves the longest line has, by depth-first search over classes. */
  longest(root) {
    const [number, lowest, nodes, open, trail] = [new Map(), new Map(), new Map(), [], []];
    const enter = (row) => {
      number.set(row, number.size);
      lowest.set(row, number.get(row));
      open.push(row);
      if (number.size > MOST_CLASSES) {
        this.complete = false;
        nodes.set(row, { counts: false, after: [] });
      } else {
        const { counts, keeping } = this.node(row);
        nodes.set(row, { counts, after: keeping.map((move) => this.canonical(move.row)) });
      }
      trail.push([row, 0]);
    };
    enter(root);
    while (trail.length) {
      const [row, place] = trail.pop();
      const { after } = nodes.get(row);
      if (place < after.length) {
        trail.push([row, place + 1]);
        if (!number.has(after[place])) enter(after[place]);
        else if (!this.lengths.has(after[place])) lowest.set(row, Math.min(lowest.get(row), number.get(after[place])));
        continue;
      }
      if (lowest.get(row) === number.get(row)) this.close(open, row, nodes);
      const before = trail.at(-1)?.[0];
      if (before !== undefined) lowest.set(before, Math.min(lowest.get(before), lowest.get(row)));
    }
    return this.lengths.get(root);
  }

  /** The lengths of classes that lead to each other, or of a single one, once all that follows is known. */
  close(open, first, nodes) {
    const together = open.splice(open.indexOf(first));
    const after = together.flatMap((row) => nodes.get(row).after);
    const returns = after.some((row) => !this.lengths.has(row));
    let length = Math.max(0, ...after.filter((row) => this.lengths.has(row)).map((row) => this.lengths.get(row)));
    if (together.some((row) => nodes.get(row).counts)) length = returns ? Infinity : length + 1;
    for (const row of together) this.lengths.set(row, length);
  }

  /** The moves of a shortest line of that length, the first by the order of moves, breadth first. */
  shortest(root) {
    const key = ([row, symmetry]) => this.source.table.state(row, symmetry);
    const parents = new Map([[key(root), null]]);
    const queue = [root];
    for (const spot of queue) {
      const left = this.lengths.get(this.canonical(spot[0]));
      if (left === 0) return wayTo(parents, key(spot));
      const { counts, keeping } = this.node(...spot);
      for (const move of keeping) {
        const next = [move.row, move.symmetry];
        if (this.lengths.get(this.canonical(move.row)) !== left - counts || parents.has(key(next))) continue;
        parents.set(key(next), [key(spot), move]);
        queue.push(next);
      }
    }
    throw new Error("a line has an end");
  }

  /** The moves of a line without an end to where it returns to one of its positions, or for some plies. */
  endless([row, symmetry]) {
    const [moves, seen] = [[], new Set()];
    for (let state = this.source.table.state(row, symmetry); !seen.has(state) && moves.length < LONGEST; state = this.source.table.state(row, symmetry)) {
      seen.add(state);
      const move = this.node(row, symmetry).keeping.find((each) => this.lengths.get(this.canonical(each.row)) === Infinity);
      moves.push(move);
      [row, symmetry] = [move.row, move.symmetry];
    }
    return moves;
  }
}

function wayTo(parents, state) {
  const moves = [];
  for (let step = parents.get(state); step; step = parents.get(step[0])) moves.push(step[1]);
  return moves.reverse();
}
