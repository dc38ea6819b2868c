// Positions of a solution that somebody else holds: who is asked depends on the source.

const MOST_KEPT = 2000;
const BATCH = 20;

/** Answers of `/api/v1` below the address of a solution, which `fetched(path, fields, body)` gets; refused ones are errors. */
export class AskingSource {
  kept = new Map();

  /** What is known of the whole solution. */
  solution = () => this.asked("");

  /** A position with its moves, by a text that the game reads or, without one, the start. */
  position = (p) => this.asked("/position", { p });

  /** A position of a line as it is where the move with a code goes on. */
  leading = async (position) => position;

  /** The moves of the line of best play or, with a number, of an optimal path. */
  line = async (p, index, shortest) => (await this.asked("/line", { p, index, shortest })).moves;

  /** Optimal paths, or only the `shortest` of them: `limit` from `offset` on, or a `sample`. */
  paths = (p, { limit, offset, sample, shortest }) => sample === undefined
    ? this.asked("/paths", { p, limit, offset, shortest })
    : this.fetched("/paths", { p, sample, shortest });

  /** Some positions by their texts; of a text that is none, why not as `error`. */
  async known(texts) {
    const batches = [];
    for (let from = 0; from < texts.length; from += BATCH) batches.push(this.asked("/positions", {}, { positions: texts.slice(from, from + BATCH) }));
    return (await Promise.all(batches)).flatMap(({ positions }) => positions);
  }

  /** What is wrong with a text as a position, or nothing. */
  fault = async (text) => (await this.known([text]))[0].error ?? "";

  /** The images of a position under each symmetry, or null where the rules alone know them. */
  images = async (p) => (await this.asked("/images", { p })).images;

  /** The runs of all tiers that are counted so far. */
  map = () => this.fetched("/map", {});

  /** The class at a place of a tier. */
  mapClass = (tier, place) => this.asked("/map/class", { tier, place });

  /** The class of a position, and its place. */
  mapPlace = (p) => this.asked("/map/place", { p });

  /** All positions below one and the moves between them. */
  tree = (p) => this.fetched("/tree", { p });

  /** A position drawn by chance. */
  random = () => this.fetched("/random", {});

  /** Classes by what is known of them: `to_move`, `value`, `remoteness`, `only_move`, `order` and `limit`, within some `seconds`. */
  find = (fields) => this.fetched("/find", fields);

  /** The traps of a position, where a level replies, as `gametree traps` finds them. */
  traps = (p, against) => this.asked("/traps", { p, against });

  /** What a level plays in a position. */
  reply = async (p, against) => (await this.fetched("/reply", { p, against })).move;

  /** The text of a page of its own that begins with a line. */
  file = async ({ here, positions: [first], hash }) =>
    (await this.fetched("/page", { p: here.position, first: first.position, line: hash })).page;

  /** An answer that stays the same, so it is asked for once. */
  asked(path, fields = {}, body = undefined) {
    const key = JSON.stringify([path, fields, body]);
    if (!this.kept.has(key)) {
      if (this.kept.size >= MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
      const answer = this.fetched(path, fields, body);
      this.kept.set(key, answer);
      answer.catch(() => this.kept.delete(key));
    }
    return this.kept.get(key);
  }
}

/** The fields that have a value, as pairs. */
export const given = (fields) => Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
