// The line that is being looked at: where it begins, its moves, and how many of them have been played.

/** A line of a source: positions `0..moves.length`, of which the one at `at` is looked at. */
export class Line {
  constructor(source, positions = [], moves = [], at = 0) {
    Object.assign(this, { source, positions, moves, at });
  }

  get here() {
    return this.positions[this.at];
  }

  /** The move that led to a place of the line, as the position before it tells of it. */
  played(place) {
    return this.positions[place - 1].moves.find((move) => move.move === this.moves[place - 1]);
  }

  /** The line from a position, by a text that the game reads, with the codes of its moves. */
  async from(first, moves = [], at = moves.length) {
    const found = new Line(this.source, [await this.source.position(first)]);
    for (const code of moves) await found.add(code);
    return found.to(Number.isInteger(at) ? at : moves.length);
  }

  /** The line as far as it has been played, with further moves, of which so many are played. */
  async with(codes, played = codes.length) {
    const found = new Line(this.source, this.positions.slice(0, this.at + 1), this.moves.slice(0, this.at));
    for (const code of codes) await found.add(code);
    found.at = this.at + played;
    return found;
  }

  to(place) {
    return new Line(this.source, this.positions, this.moves, Math.max(0, Math.min(place, this.moves.length)));
  }

  /** The line seen through a symmetry, given by its number. */
  async image(number) {
    const images = await Promise.all(this.positions.map((each) => this.source.images(each.position)));
    const found = new Line(this.source, [await this.source.position(images[0][number].position)]);
    for (const each of images.slice(1))
      await found.add(found.positions.at(-1).moves.find((move) => move.state === each[number].state).move);
    return found.to(this.at);
  }

  /** The part of an address after `#` that means this line. */
  get hash() {
    const part = [`p=${escaped(this.positions[0].position)}`];
    if (this.moves.length) part.push(`line=${this.moves.join("-")}`);
    if (this.at < this.moves.length) part.push(`at=${this.at}`);
    return "#" + part.join("&");
  }

  async add(code) {
    const before = await this.source.leading(this.positions.pop(), code);
    this.positions.push(before);
    const move = before.moves?.find((candidate) => candidate.move === code);
    if (!move) throw new Error(`after ${this.moves.length} moves of this line there is no move ${code}`);
    this.positions.push(await this.source.position(move.position));
    this.moves.push(code);
  }
}

/** What a part of an address after `#` means, or null where it means no line. */
export function readHash(hash) {
  const fields = new Map(hash.replace(/^#/, "").split("&").map((part) => part.split(/=(.*)/s)));
  if (!fields.has("p")) return null;
  const moves = (fields.get("line") || "").split("-").filter(Boolean).map(Number);
  return { first: unescaped(fields.get("p")), moves, at: fields.has("at") ? Number(fields.get("at")) : moves.length };
}

/** Half characters, which no address can hold, as `\uXXXX`. */
const escaped = (text) =>
  encodeURIComponent(text.replace(/\\/g, "\\\\").replace(/\p{Cs}/gu, (c) => "\\u" + c.charCodeAt(0).toString(16)));

function unescaped(text) {
  try {
    const plain = decodeURIComponent(text);
    return plain.replace(/\\(\\|u([0-9a-f]{4}))/g, (_, all, code) => (code ? String.fromCharCode(parseInt(code, 16)) : all));
  } catch {
    return text;
  }
}
