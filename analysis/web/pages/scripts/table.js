// The table in a page, as `table.py` packs it: columns of positions, of their classes, and of moves.

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
    arrays[name] = KINDS[kind] ? joined(planes, KINDS[kind], count) : new (kind.startsWith("bytes") ? Texts : Counts)(planes, count);
  }
  return new Table(head, arrays);
}

/** An array from the planes of its bytes. */
function joined(planes, Kind, count) {
  const found = new Kind(count);
  const bytes = new Uint8Array(found.buffer);
  const width = Kind.BYTES_PER_ELEMENT;
  for (let plane = 0; plane < width; plane++)
    for (let i = 0, from = plane * count; i < count; i++) bytes[i * width + plane] = planes[from + i];
  return found;
}

/** Whole numbers of any size, put together on demand. */
class Counts {
  constructor(planes, count) {
    Object.assign(this, { planes, count });
  }

  at(row) {
    let number = 0n;
    for (let at = this.planes.length - this.count + row; at >= 0; at -= this.count) number = (number << 8n) | BigInt(this.planes[at]);
    return number;
  }

  /** The row of a number among rows with ascending numbers; -1 if there is none. */
  find(wanted, low, high) {
    for (const end = high; ; ) {
      if (low === high) return low < end && this.at(low) === wanted ? low : -1;
      const middle = (low + high) >> 1;
      if (this.at(middle) < wanted) low = middle + 1;
      else high = middle;
    }
  }
}

/** Things written as JSON. */
class Texts {
  constructor(planes, count) {
    Object.assign(this, { planes, count });
  }

  at(row) {
    let text = "";
    for (let at = row; this.planes[at]; at += this.count) text += String.fromCharCode(this.planes[at]);
    return JSON.parse(text);
  }
}

function summed(differences) {
  for (let i = 1; i < differences.length; i++) differences[i] += differences[i - 1];
  return differences;
}

/** Positions are rows from 0; the moves of one are numbers `first[row]` to `first[row + 1]`, by ascending code. */
class Table {
  constructor(head, arrays) {
    Object.assign(this, { head, arrays, size: arrays.branching.length, states: arrays.states, classStates: arrays.class_states, codes: arrays.codes, classOf: arrays.classes });
    this.first = new Uint32Array(this.size + 1);
    for (let row = 0; row < this.size; row++) this.first[row + 1] = this.first[row] + arrays.branching[row];
    this.sort(summed(arrays.after));
    this.memberOf = new Uint32Array(arrays.value.length); // the position that names each class or, if it is missing, the first
    for (let row = this.size - 1; row >= 0; row--) this.memberOf[this.classOf[row]] = row;
    if (arrays.class_names) this.classOf.forEach((own, row) => this.states.at(row) === this.classStates.at(own) && (this.memberOf[own] = row));
    let [position, firstClass] = [0, 0];
    this.tiers = head.tiers.map(([number, positions, classes]) => {
      const tier = { number, rows: [position, position + positions], classes: [firstClass, firstClass + classes] };
      [position, firstClass] = [position + positions, firstClass + classes];
      return tier;
    });
  }

  /** Find the place of each move among those sorted by code, and sort what they lead to by position. */
  sort(after) {
    const next = new Uint32Array(257);
    for (const code of this.codes) next[code + 1]++;
    summed(next);
    this.place = Uint32Array.from(this.codes, (code) => next[code]++);
    this.after = Uint32Array.from(this.place, (place) => after[place]);
  }

  /** What a column of classes has for a position. */
  known(name, row) {
    const held = this.arrays[name]?.at(this.classOf[row]) ?? null;
    return name === "value" ? (this.head.worths?.[held] ?? held) : held;
  }

  over(row) {
    return (this.known("flags", row) & OVER) !== 0;
  }

  /** Whether the moves of a position are in the table. */
  expanded(row) {
    return this.arrays.branching[row] > 0;
  }

  /** 1 if the first player is to move, -1 for the second. */
  mover(row) {
    return this.known("flags", row) & FIRST ? 1 : -1;
  }

  tier(row) {
    return this.tiers.find(({ rows }) => row < rows[1]);
  }

  /** The moves of a position, by ascending code, each with its number and the row after it. */
  moves(row) {
    return Array.from({ length: this.first[row + 1] - this.first[row] }, (_, number) => {
      const edge = this.first[row] + number;
      return { move: this.codes[edge], name: this.head.names[this.codes[edge]], edge, row: this.after[edge] };
    });
  }

  position(row) {
    return this.arrays.position.at(row);
  }

  grid(row) {
    return this.arrays.grid.at(row);
  }

  /** The cell that a move fills or else changes, as `Game.cell_of` finds it; null unless it is a single one. */
  cell(row, { edge, row: next }) {
    if (this.arrays.cells) return this.arrays.cells[this.place[edge]] < 0 ? null : this.arrays.cells[this.place[edge]];
    const [before, after] = [this.grid(row), this.grid(next)];
    if (!before || !after || before.map(({ length }) => length).join() !== after.map(({ length }) => length).join()) return null;
    const [old, marks] = [before.flat(), after.flat()];
    const filled = [...marks.keys()].filter((cell) => marks[cell].trim() && !old[cell].trim());
    const changed = [...marks.keys()].filter((cell) => marks[cell].trim() && marks[cell] !== old[cell]);
    return [filled, changed].find(({ length }) => length === 1)?.[0] ?? null;
  }

  /** The rows of a position's images under all symmetries, itself first. */
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
}
