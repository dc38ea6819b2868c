// The table that a page carries, as `table.py` packs it: arrays with one entry for each class, or for each move.

const KINDS = { uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, uint32: Uint32Array, int32: Int32Array, int64: BigInt64Array, uint64: BigUint64Array };
const [OVER, EXPANDED, FIRST] = [1, 2, 4];

/** The bytes of a text in base64. */
export function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** The table of some bytes. */
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

/** The sums up to each entry. */
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

  /** What stands in a column of classes. */
  thing(column, row) {
    return column.length === 1 ? column[0] : column[1 + this.planes.class[column[0]][row]];
  }

  /** What is known of a move: by its code, or in a column of moves. */
  ofMove({ by_code: byCode, column }, edge) {
    if (byCode) return byCode[this.codes[edge]];
    return column.length === 1 ? column[0] : column[1 + this.planes.move[column[0]][this.place[edge]]];
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
      const row = wanted && this.matching(wanted);
      if (row !== null && row >= 0) return [row, symmetry];
    }
    return null;
  }

  /** The codes by plane that rows must have where these things stand in some columns; null where no row has them. */
  codesOf(columns, things) {
    const wanted = new Map();
    for (const [i, column] of columns.entries()) {
      const code = column.indexOf(things[i] ?? "", column.length > 1 ? 1 : 0) - (column.length > 1 ? 1 : 0);
      if (code < 0) return null;
      if (column.length === 1) continue;
      if ((wanted.get(column[0]) ?? code) !== code) return null;
      wanted.set(column[0], code);
    }
    return wanted;
  }

  matching(wanted) {
    const tests = [...wanted].map(([plane, code]) => [this.planes.class[plane], code]);
    for (let row = 0; row < this.size; row++) if (tests.every(([plane, code]) => plane[row] === code)) return row;
    return -1;
  }
}
