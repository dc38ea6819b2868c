// The table that a page carries, as `table.py` packs it: columns of positions, of their classes, and of moves.

const KINDS = { uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, uint32: Uint32Array, int32: Int32Array };
const [OVER, FIRST] = [1, 2];

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
  for (const [name, kind, count, width] of head.arrays) {
    const planes = plain.subarray(at, (at += width * count));
    arrays[name] = KINDS[kind] ? joined(planes, KINDS[kind], count) : new Counts(planes, count);
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

/** Whole numbers of any size, which are put together when they are asked for. */
class Counts {
  constructor(planes, count) {
    Object.assign(this, { planes, count });
  }

  at(row) {
    let number = 0n;
    for (let at = this.planes.length - this.count + row; at >= 0; at -= this.count) number = (number << 8n) | BigInt(this.planes[at]);
    return number;
  }

  /** The row with a number, from one row to another between which numbers ascend; -1 where there is none. */
  find(wanted, low, high) {
    for (const end = high; ; ) {
      if (low === high) return low < end && this.at(low) === wanted ? low : -1;
      const middle = (low + high) >> 1;
      if (this.at(middle) < wanted) low = middle + 1;
      else high = middle;
    }
  }
}

function summed(differences) {
  for (let i = 1; i < differences.length; i++) differences[i] += differences[i - 1];
  return differences;
}

/** Positions are rows, numbered from 0; the moves of one are `first[row]` to `first[row + 1]`, by ascending code. */
class Table {
  constructor(head, arrays) {
    Object.assign(this, { head, arrays, size: arrays.branching.length, states: arrays.states, classStates: arrays.class_states, codes: arrays.codes, classOf: arrays.classes });
    this.first = new Uint32Array(this.size + 1);
    for (let row = 0; row < this.size; row++) this.first[row + 1] = this.first[row] + arrays.branching[row];
    this.sort(summed(arrays.after));
    this.memberOf = new Uint32Array(arrays.value.length); // the position that names each class or, without it, the first
    for (let row = this.size - 1; row >= 0; row--) this.memberOf[this.classOf[row]] = row;
    if (head.classes) this.classOf.forEach((own, row) => this.states.at(row) === this.classStates.at(own) && (this.memberOf[own] = row));
    this.planes = { position: [], class: [], move: [] };
    for (const [name, array] of Object.entries(arrays)) {
      const [kind, number] = name.split(" ");
      if (number in head.arrays) this.planes[kind][number] = array;
    }
    let [position, firstClass] = [0, 0];
    this.tiers = head.tiers.map(([number, positions, classes]) => {
      const tier = { number, rows: [position, position + positions], classes: [firstClass, firstClass + classes] };
      [position, firstClass] = [position + positions, firstClass + classes];
      return tier;
    });
  }

  /** Moves are stored in the order of their codes: find the place of each, and put what they lead to position by position. */
  sort(after) {
    const next = new Uint32Array(257);
    for (const code of this.codes) next[code + 1]++;
    summed(next);
    this.place = Uint32Array.from(this.codes, (code) => next[code]++);
    this.after = Uint32Array.from(this.place, (place) => after[place]);
  }

  /** What is in a column of classes, of a position's class. */
  known(name, row) {
    return this.arrays[name]?.at(this.classOf[row]) ?? null;
  }

  over(row) {
    return (this.known("flags", row) & OVER) !== 0;
  }

  /** Whether what the moves of a position lead to is in the table. */
  expanded(row) {
    return this.arrays.branching[row] > 0;
  }

  /** +1 where the first player is to move, -1 for the second. */
  mover(row) {
    return this.known("flags", row) & FIRST ? 1 : -1;
  }

  tier(row) {
    return this.tiers.find(({ rows }) => row < rows[1]);
  }

  thing(column, row, kind = "position") {
    return column.length === 1 ? column[0] : column[1 + this.planes[kind][column[0]][row]];
  }

  /** The moves of a position, by ascending code, each with the row that it leads to. */
  moves(row) {
    const { by_code: byCode, column } = this.head.move_cells;
    return Array.from({ length: this.first[row + 1] - this.first[row] }, (_, number) => {
      const edge = this.first[row] + number;
      const move = this.codes[edge];
      const cell = byCode ? byCode[move] : this.thing(column, this.place[edge], "move");
      return { move, name: this.head.names[move], cell: cell < 0 ? null : cell, row: this.after[edge] };
    });
  }

  /** The text in these columns, or null where there is none. */
  text(columns, row, kind) {
    const things = columns.map((column) => this.thing(column, row, kind));
    return things[0] === null ? null : things.join("");
  }

  position(row) {
    return this.text(this.head.position, row);
  }

  grid(row) {
    const [width, ...cells] = this.head.grid.map((column) => this.thing(column, row));
    if (width === null) return null;
    const marks = cells.filter((mark) => mark !== null);
    return Array.from({ length: marks.length / width }, (_, r) => marks.slice(r * width, (r + 1) * width));
  }

  /** The rows that the symmetries make of one, itself first. */
  images(row) {
    const { cells, planes, symmetries } = this.head;
    const state = this.states.at(row);
    const shift = BigInt(cells * planes);
    return symmetries.map((permutation) => {
      let image = (state >> shift) << shift;
      for (let bit = 0; bit < cells * planes; bit++)
        if ((state >> BigInt(bit)) & 1n) image |= 1n << BigInt(bit - (bit % cells) + permutation[bit % cells]);
      return this.states.find(image, ...this.tier(row).rows);
    });
  }

  /** The row of the position with this text, or null: rows whose columns all have its characters. */
  find(text) {
    const columns = this.head.position;
    const things = ["", ...text];
    const wanted = new Map();
    if (things.length > columns.length) return null;
    for (const [i, column] of columns.entries()) {
      const first = column.length > 1 ? 1 : 0;
      const code = column.indexOf(things[i] ?? null, first) - first;
      if (code < 0 || (first && (wanted.get(column[0]) ?? code) !== code)) return null;
      if (first) wanted.set(column[0], code);
    }
    const tests = [...wanted].map(([plane, code]) => [this.planes.position[plane], code]);
    for (let row = 0; row < this.size; row++) if (tests.every(([plane, code]) => plane[row] === code)) return row;
    return null;
  }
}
