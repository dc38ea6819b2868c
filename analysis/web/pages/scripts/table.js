// The table that a page carries, as `table.py` packs it: arrays with one entry for each class, or for each move; what is counted and found in it.

const KINDS = { uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, uint32: Uint32Array, int32: Int32Array, int64: BigInt64Array, uint64: BigUint64Array };
const [OVER, EXPANDED, FIRST] = [1, 2, 4];

export function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

export async function readTable(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer().catch(() => {
    throw new Error("this file is damaged; get it or write it again");
  });
  const plain = new Uint8Array(buffer);
  const length = new DataView(plain.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(plain.subarray(4, 4 + length)));
  const arrays = {};
  let at = 4 + length;
  for (const [name, kind, count] of head.arrays) {
    const width = KINDS[kind].BYTES_PER_ELEMENT;
    arrays[name] = joined(plain.subarray(at, at + width * count), KINDS[kind], count);
    at += width * count;
  }
  return new Table(head, arrays);
}

/** An array of planes of its bytes. */
function joined(planes, Kind, count) {
  const found = new Kind(count);
  const bytes = new Uint8Array(found.buffer);
  const width = Kind.BYTES_PER_ELEMENT;
  for (let plane = 0; plane < width; plane++)
    for (let i = 0, from = plane * count; i < count; i++) bytes[i * width + plane] = planes[from + i];
  return found;
}

function summed(differences) {
  for (let i = 1; i < differences.length; i++) differences[i] += differences[i - 1];
  return differences;
}

/** Classes are numbered from 0; the moves of class `row` are `first[row]` to `first[row + 1]`, by ascending code. */
class Table {
  constructor(head, arrays) {
    this.head = head;
    this.size = arrays.value.length;
    this.states = summed(arrays.states);
    this.classStates = arrays.class_states ? summed(arrays.class_states) : this.states;
    for (const name of ["value", "remoteness", "flags", "nimber", "codes"]) this[name] = arrays[name];
    this.orbitSize = arrays.orbit_size;
    this.first = new Uint32Array(this.size + 1);
    for (let row = 0; row < this.size; row++) this.first[row + 1] = this.first[row] + arrays.branching[row];
    this.sort(summed(arrays.after), arrays.symmetry);
    this.planes = { class: [], move: [] };
    for (const [name, array] of Object.entries(arrays)) {
      const [kind, number] = name.split(" ");
      if (number !== undefined) this.planes[kind][number] = array;
    }
    this.tierEnds = summed(Uint32Array.from(head.tiers.map(([, count]) => count)));
    this.places = new Map(head.symmetries.map(({ permutation }, number) => [permutation.join(), number]));
    this.products = new Map();
  }

  /** Moves are stored in the order of their codes: find the place of each, and put what they lead to class by class. */
  sort(after, symmetry) {
    const next = new Uint32Array(257);
    for (const code of this.codes) next[code + 1]++;
    summed(next);
    this.place = Uint32Array.from(this.codes, (code) => next[code]++);
    this.after = Uint32Array.from(this.place, (place) => after[place]);
    this.symmetry = symmetry ? Uint16Array.from(this.place, (place) => symmetry[place]) : null;
  }

  over(row) {
    return (this.flags[row] & OVER) !== 0;
  }

  /** Whether what the moves of a class lead to is in the table. */
  expanded(row) {
    return (this.flags[row] & EXPANDED) !== 0;
  }

  /** +1 where the first player is to move, -1 for the second. */
  mover(row) {
    return this.flags[row] & FIRST ? 1 : -1;
  }

  tier(row) {
    return this.head.tiers[this.tierEnds.findIndex((end) => row < end)][0];
  }

  thing(column, row) {
    return column.length === 1 ? column[0] : column[1 + this.planes.class[column[0]][row]];
  }

  /** What is known of a move: by its code, or in a column of moves. */
  ofMove({ by_code: byCode, column }, edge) {
    if (byCode) return byCode[this.codes[edge]];
    return column.length === 1 ? column[0] : column[1 + this.planes.move[column[0]][this.place[edge]]];
  }

  /** The moves of a class seen through a symmetry, by ascending code there, each with the row and the symmetry it leads to. */
  moves(row, symmetry) {
    const { codes } = this.head.symmetries[symmetry];
    const moves = [];
    for (let edge = this.first[row]; edge < this.first[row + 1]; edge++) {
      const next = this.product(symmetry, this.symmetry ? this.symmetry[edge] : 0);
      moves.push({ edge, move: this.ofMove(codes, edge), row: this.after[edge], symmetry: next });
    }
    return moves.sort((a, b) => a.move - b.move);
  }

  /** The text of a class in these columns, or null where there is none. */
  text(columns, row) {
    const things = columns.map((column) => this.thing(column, row));
    return things[0] === null ? null : things.join("");
  }

  grid(columns, row) {
    const [width, ...cells] = columns.map((column) => this.thing(column, row));
    if (width === null) return null;
    const marks = cells.filter((mark) => mark !== null);
    return Array.from({ length: marks.length / width }, (_, r) => marks.slice(r * width, (r + 1) * width));
  }

  /** The number of the symmetry that is one after the other, the `first` before. */
  product(second, first) {
    if (!second || !first) return second || first;
    const key = second * this.places.size + first;
    if (!this.products.has(key)) {
      const [after, before] = [second, first].map((number) => this.head.symmetries[number].permutation);
      this.products.set(key, this.places.get(before.map((cell) => after[cell]).join()));
    }
    return this.products.get(key);
  }

  /** The state that a symmetry makes of the one of a class. */
  state(row, symmetry) {
    const state = this.states[row];
    if (!symmetry) return state;
    const { cells, planes, symmetries } = this.head;
    const { permutation } = symmetries[symmetry];
    const shift = BigInt(cells * planes);
    let image = (state >> shift) << shift;
    for (let bit = 0; bit < cells * planes; bit++)
      if ((state >> BigInt(bit)) & 1n) image |= 1n << BigInt(bit - (bit % cells) + permutation[bit % cells]);
    return image;
  }

  /** The class and the symmetry of the position with this text, or null: rows whose columns all have its characters. */
  find(text) {
    const characters = [...text];
    for (let symmetry = 0; symmetry < this.head.symmetries.length; symmetry++) {
      const columns = this.head.symmetries[symmetry].position;
      if (characters.length >= columns.length) continue;
      const wanted = this.codesOf(columns, ["", ...characters]);
      if (!wanted) continue;
      const tests = [...wanted].map(([plane, code]) => [this.planes.class[plane], code]);
      for (let row = 0; row < this.size; row++) if (tests.every(([plane, code]) => plane[row] === code)) return [row, symmetry];
    }
    return null;
  }

  /** The codes by plane that rows must have where these things stand in some columns; null where no row has them. */
  codesOf(columns, things) {
    const wanted = new Map();
    for (const [i, column] of columns.entries()) {
      const first = column.length > 1 ? 1 : 0;
      const code = column.indexOf(things[i] ?? "", first) - first;
      if (code < 0 || (first && (wanted.get(column[0]) ?? code) !== code)) return null;
      if (first) wanted.set(column[0], code);
    }
    return wanted;
  }
}

/** Where the counts of a table will be: arrays of BigInt by class, see `countAll`. */
export function counted(table) {
  const { size, first, after, value, remoteness } = table;
  const given = { size, root: table.head.solution.root, first, after, value, remoteness };
  let worker;
  try {
    const code = `onmessage = ({ data }) => postMessage((${countAll})(data))`;
    worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  } catch {
    return new Promise((done) => setTimeout(() => done(countAll(given))));
  }
  return new Promise((done) => {
    worker.onmessage = ({ data }) => (worker.terminate(), done(data));
    worker.onerror = (event) => (event.preventDefault(), done(countAll(given)));
    worker.postMessage(given);
  });
}

/**
 * For each class: histories of all its positions, and from each of them on complete games won by X, by O and tied,
 * optimal paths, and shortest ones. Moves lead to later classes only. It stands alone: a worker gets it as a text.
 */
export function countAll({ size, root, first, after, value, remoteness }) {
  const zeros = () => new Array(size).fill(0n);
  const found = { histories: zeros(), X: zeros(), O: zeros(), tie: zeros(), optimal: zeros(), shortest: zeros() };
  const { histories, X, O, tie, optimal, shortest } = found;
  for (let row = size - 1; row >= 0; row--) {
    if (first[row] === first[row + 1]) {
      (value[row] > 0 ? X : value[row] < 0 ? O : tie)[row] = optimal[row] = shortest[row] = 1n;
      continue;
    }
    let [x, o, t, paths, short] = [0n, 0n, 0n, 0n, 0n];
    for (let move = first[row]; move < first[row + 1]; move++) {
      const next = after[move];
      x += X[next];
      o += O[next];
      t += tie[next];
      if (value[next] !== value[row]) continue;
      paths += optimal[next];
      if (remoteness[next] + 1 === remoteness[row]) short += shortest[next];
    }
    X[row] = x;
    O[row] = o;
    tie[row] = t;
    optimal[row] = paths;
    shortest[row] = short;
  }
  histories[root] = 1n;
  for (let row = 0; row < size; row++)
    for (let move = first[row]; move < first[row + 1]; move++) histories[after[move]] += histories[row];
  return found;
}

const RANGE = /^(\d+)?(\.\.)?(\d+)?$/;

/**
 * The rows of the classes that are wanted, the first `limit` of them in their `order` (`trap`, `remoteness`, `random`, or by tier
 * and state), and whether those are all there are.
 */
export function findRows(table, { to_move, value, remoteness, only_move, order, limit = 20 }) {
  const { first, after } = table;
  const moves = (row) => first[row + 1] - first[row];
  const keeping = (row) => {
    let kept = 0;
    for (let edge = first[row]; edge < first[row + 1]; edge++) kept += table.value[after[edge]] === table.value[row];
    return kept;
  };
  const [least, most] = rangeOf(remoteness);
  const tests = [
    to_move && ((row) => !table.over(row) && table.mover(row) === (to_move === "X" ? 1 : -1)),
    value && ((row) => outcomeOf(table, row) === value),
    remoteness && ((row) => table.remoteness[row] >= least && table.remoteness[row] <= most),
    only_move && ((row) => moves(row) > 1 && keeping(row) === 1),
    (only_move || order === "trap") && ((row) => table.over(row) || table.expanded(row)),
  ].filter(Boolean);
  const keys = {
    trap: (row) => (moves(row) ? (keeping(row) - moves(row)) / moves(row) : Infinity),
    remoteness: (row) => (table.remoteness[row] < 0 ? Infinity : -table.remoteness[row]),
    random: Math.random,
  };
  const found = [];
  const known = table.head.classes ? new Set() : null; // rows are positions here, and the first of a class stands for it
  for (let row = 0; row < table.size; row++)
    if (tests.every((test) => test(row)) && !known?.has(table.classStates[row])) {
      known?.add(table.classStates[row]);
      found.push([order ? keys[order](row) : 0, row]);
    }
  const place = (i, j) => table.tier(i) - table.tier(j) || (table.classStates[i] < table.classStates[j] ? -1 : 1);
  const sorted = found.sort(([a, i], [b, j]) => (a < b ? -1 : a > b ? 1 : known ? place(i, j) : i - j));
  return { rows: sorted.slice(0, limit).map(([, row]) => row), complete: table.head.solution.part.whole };
}

function outcomeOf(table, row) {
  const value = table.value[row];
  return value > 0 ? "X" : value < 0 ? "O" : table.remoteness[row] < 0 ? "draw" : "tie";
}

/** From where to where a range such as `7`, `5..9`, `7..` or `..4` goes. */
function rangeOf(text) {
  const [, least, dots, most] = RANGE.exec(text ?? "..");
  return [Number(least ?? 0), most !== undefined ? Number(most) : dots ? Infinity : Number(least)];
}

const NEVER = 65535;

export class TableMap {
  constructor(table) {
    this.table = table;
    this.places = new Uint32Array(table.size);
    this.tiers = new Map();
    let first = 0;
    table.head.tiers.forEach(([number], index) => {
      const end = table.tierEnds[index];
      this.tiers.set(number, this.ranked(first, end));
      first = end;
    });
  }

  /** All of it, as `/api/v1/ID/map` tells it. */
  told(tierName) {
    const tiers = [...this.tiers].map(([tier, rows]) => ({ tier, classes: rows.length, runs: this.runs(rows) }));
    const classes = tiers.reduce((sum, each) => sum + each.classes, 0);
    return { tier_name: tierName, tiers, classes, classes_seen: classes, complete: true };
  }

  /** The row at each place of a tier whose rows begin and end here. Where rules make states canonical, rows share one. */
  ranked(first, end) {
    const { states, classStates } = this.table;
    const rows = Array.from({ length: end - first }, (_, i) => first + i);
    if (classStates !== states) rows.sort((a, b) => (classStates[a] < classStates[b] ? -1 : classStates[a] > classStates[b] ? 1 : 0));
    rows.sort((a, b) => this.key(a) - this.key(b));
    const found = [];
    for (const row of rows) {
      if (!found.length || classStates[found.at(-1)] !== classStates[row]) found.push(row);
      else if (states[row] === classStates[row]) found[found.length - 1] = row;
      this.places[row] = found.length - 1;
    }
    return found;
  }

  /** A number for the worth of a class, the least of which stands first. */
  key(row) {
    const value = this.table.value[row];
    const remoteness = this.table.remoteness[row] < 0 ? NEVER : this.table.remoteness[row];
    return -value * (NEVER + 1) + (value < 0 ? NEVER - remoteness : remoteness);
  }

  runs(rows) {
    const runs = [];
    let last;
    for (const row of rows) {
      const key = this.key(row);
      if (key === last) runs.at(-1)[2]++;
      else runs.push([this.table.value[row], this.table.remoteness[row] < 0 ? null : this.table.remoteness[row], 1]);
      last = key;
    }
    return runs;
  }
}
