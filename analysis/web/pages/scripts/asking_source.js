// What the page asks, whoever answers.

const MOST_KEPT = 2000;
const BATCH = 20;

/** Answers by their path below `/api/v1/ID`, which `fetched(path, fields, body)` gets; refusals are errors. */
export class AskingSource {
  kept = new Map();

  /** The whole solution. */
  solution = () => this.asked("");

  /** A position with its moves, by a text that the game reads; by default the start. */
  position = (p) => this.asked("/position", { p });

  /** A position of a line as it is before the move with a code. */
  leading = async (position) => position;

  /** The moves of best play or, with a number, of an optimal path. */
  line = async (p, index, shortest) => (await this.asked("/line", { p, index, shortest })).moves;

  /** Optimal paths, or only the `shortest`: `limit` of them from `offset` on, or a `sample`. */
  paths = (p, { limit, offset, sample, shortest }) => sample === undefined
    ? this.asked("/paths", { p, limit, offset, shortest })
    : this.fetched("/paths", { p, sample, shortest });

  /** Positions by their texts; a text that is no position has an `error`. */
  async known(texts) {
    const batches = [];
    for (let from = 0; from < texts.length; from += BATCH) batches.push(this.asked("/positions", {}, { positions: texts.slice(from, from + BATCH) }));
    return (await Promise.all(batches)).flatMap(({ positions }) => positions);
  }

  /** The images of a position under all symmetries, or null if only its rules know them. */
  images = async (p) => (await this.asked("/images", { p })).images;

  /** The runs of all tiers counted so far. */
  map = () => this.fetched("/map", {});

  /** The class at a place of a tier. */
  mapClass = (tier, place) => this.asked("/map/class", { tier, place });

  /** The class of a position, and its place. */
  mapPlace = (p) => this.asked("/map/place", { p });

  /** All positions below one, and the moves between them. */
  tree = (p) => this.fetched("/tree", { p });

  /** A random position. */
  random = () => this.fetched("/random", {});

  /** Classes by `to_move`, `value`, `remoteness` and `only_move`, in an `order`, up to a `limit`. */
  find = (fields) => this.fetched("/find", fields);

  /** The traps of a position for a level that replies. */
  traps = (p, against) => this.asked("/traps", { p, against });

  /** The move of a level in a position. */
  reply = async (p, against) => (await this.fetched("/reply", { p, against })).move;

  /** The text of a page as a file, which begins with a line. */
  file = async ({ here, positions: [first], hash }) =>
    (await this.fetched("/page", { p: here.position, first: first.position, line: hash })).page;

  /** An answer that stays the same, so that it is asked for once. */
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

/** The pairs of fields that have a value. */
export const given = (fields) => Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
