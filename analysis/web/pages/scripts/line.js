// The line on the page: its first position, its moves, and how many of them are played.

/** Limit on the plies of best play without an end. */
const LONGEST = 200;

/** A line of a source: positions `0..moves.length`, with the one at `at` on the board, and what was `wrong` with the moves that follow. */
export class Line {
  constructor(source, positions = [], moves = [], at = 0) {
    Object.assign(this, { source, positions, moves, at });
  }

  get here() {
    return this.positions[this.at];
  }

  /** The move that led to a place of the line. */
  played(place) {
    return this.positions[place - 1].moves.find((move) => move.move === this.moves[place - 1]);
  }

  /** The moves that are played, each with the position before it. */
  get past() {
    return this.moves.slice(0, this.at).map((_, place) => ({ before: this.positions[place], move: this.played(place + 1) }));
  }

  /** A line from a position, given by its text, with as many of some moves, as people type them, as can be played. */
  async from(first, typed = "", at = null) {
    const { positions, moves, wrong } = await this.source.line(first, typed);
    return Object.assign(new Line(this.source, positions, moves).to(Number.isInteger(at) ? at : moves.length), { wrong });
  }

  /** The line as far as it is played with further moves, `played` of which are played. */
  async with(codes, played = codes.length) {
    const found = new Line(this.source, this.positions.slice(0, this.at + 1), this.moves.slice(0, this.at));
    for (const code of codes) await found.add(code);
    found.at = this.at + played;
    return found;
  }

  /** The line as far as it is played, and then best play, none of it played, to its end or until a position occurs again. */
  async best() {
    const found = await this.with([]);
    const most = this.here.remoteness_plies ?? LONGEST;
    for (const seen = new Set(); seen.size < most; ) {
      const { state, moves } = found.positions.at(-1);
      if (!moves?.length || seen.has(state)) break;
      seen.add(state);
      await found.add(moves[0].move);
    }
    return found;
  }

  to = (place) => new Line(this.source, this.positions, this.moves, Math.max(0, Math.min(place, this.moves.length)));

  /** The line as the part of an address after `#`: its moves if it begins at the position of the page. */
  hash(base) {
    const [{ position }, moves] = [this.positions[0], this.moves.join("-")];
    const line = position === base ? moves || "start" : `p=${escaped(position)}${moves && `&line=${moves}`}`;
    return `#${line}${this.at < this.moves.length ? `&at=${this.at}` : ""}`;
  }

  async add(code) {
    this.positions.push(await this.source.position(this.positions.at(-1).moves.find(({ move }) => move === code).position));
    this.moves.push(code);
  }
}

/** The line in the part of an address after `#`, or null. */
export function readHash(hash) {
  const [line, ...others] = hash.slice(1).split("&");
  const short = line === "start" ? "" : line;
  const fields = new Map([/^[\d-]*$/.test(short) && line ? `line=${short}` : line, ...others].map((part) => part.split(/=(.*)/s)));
  if (!fields.has("p") && !fields.has("line")) return null;
  const first = fields.has("p") ? unescaped(fields.get("p")) : undefined;
  return { first, typed: unescaped(fields.get("line") ?? ""), at: fields.has("at") ? Number(fields.get("at")) : null };
}

/** Half characters, which no address can contain, are written as in JSON. */
const escaped = (text) => encodeURIComponent(JSON.stringify(text).slice(1, -1));

function unescaped(text) {
  try {
    return JSON.parse(`"${decodeURIComponent(text)}"`);
  } catch {
    return text;
  }
}
