// Positions of a solution that somebody else holds: who is asked depends on the source.

const MOST_KEPT = 2000;
const BATCH = 20;

/** Answers of `/api/v1` below the address of a solution, which `fetched(path, fields, body)` gets; refused ones are errors. */
export class AskingSource {
  constructor() {
    this.kept = new Map();
  }

  /** What is known of the whole solution. */
  solution() {
    return this.asked("");
  }

  /** A position with its moves, by a text that the game reads or, without one, the start. */
  position(text) {
    return this.asked("/position", { p: text });
  }

  /** The moves of the line of best play or, with a number, of an optimal path. */
  async line(text, index, shortest) {
    return (await this.asked("/line", { p: text, index, shortest })).moves;
  }

  /** Optimal paths, or only the `shortest` of them: `limit` from `offset` on, or a `sample`. */
  paths(text, { limit, offset, sample, shortest }) {
    return sample === undefined
      ? this.asked("/paths", { p: text, limit, offset, shortest })
      : this.fetched("/paths", { p: text, sample, shortest });
  }

  /** Some positions by their texts; of a text that is none, why not as `error`. */
  async known(texts) {
    const batches = [];
    for (let from = 0; from < texts.length; from += BATCH) batches.push(this.asked("/positions", {}, { positions: texts.slice(from, from + BATCH) }));
    return (await Promise.all(batches)).flatMap(({ positions }) => positions);
  }

  /** What is wrong with a text as a position, or nothing. */
  async fault(text) {
    return (await this.known([text]))[0].error ?? "";
  }

  /** The images of a position under each symmetry, or null where the rules alone know them. */
  async images(text) {
    return (await this.asked("/images", { p: text })).images;
  }

  /** The runs of all tiers that are counted so far. */
  map() {
    return this.fetched("/map", {});
  }

  /** The class at a place of a tier. */
  mapClass(tier, place) {
    return this.asked("/map/class", { tier, place });
  }

  /** The class of a position, and its place. */
  mapPlace(text) {
    return this.asked("/map/place", { p: text });
  }

  /** All positions below one and the moves between them. */
  tree(text) {
    return this.fetched("/tree", { p: text });
  }

  /** A position drawn by chance. */
  random() {
    return this.fetched("/random", {});
  }

  /** Classes by what is known of them: `to_move`, `value`, `remoteness`, `only_move`, `order` and `limit`. */
  find(fields) {
    return this.fetched("/find", fields);
  }

  /** The traps of a position, where a level replies, as `gametree traps` finds them. */
  traps(text, against) {
    return this.asked("/traps", { p: text, against });
  }

  /** What a level plays in a position. */
  async reply(text, against) {
    return (await this.fetched("/reply", { p: text, against })).move;
  }

  /** The text of a page of its own that begins with a line. */
  async file(line) {
    return (await this.fetched("/page", { p: line.here.position, first: line.positions[0].position, line: line.hash })).page;
  }

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
