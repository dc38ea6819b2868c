// What the page asks, whoever answers.

import { lateness, resultOf } from "./elements.js";

const MOST_KEPT = 2000;

/** Answers by their path below `/api/v1/ID`, which `fetched(path, fields)` gets, and `asked` once for all if they stay the same; refusals are errors. */
export class AskingSource {
  kept = new Map();

  /** The whole solution. */
  solution = () => this.asked("");

  /** A position with its moves, by a text that the game reads; by default the start. */
  position = async (p) => compared(await this.asked("/position", { p }));

  /** The positions of a line from there: as many of some moves, as people type them, as can be played, and what is `wrong` with the next one. */
  async line(p, moves) {
    if (!moves) return { positions: [await this.position(p)], moves: [] };
    const found = await this.asked("/line", { p, moves });
    return { ...found, positions: found.positions.map(compared) };
  }

  asked(path, fields = {}) {
    const key = JSON.stringify([path, fields]);
    if (!this.kept.has(key)) {
      if (this.kept.size >= MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
      const answer = this.fetched(path, fields);
      this.kept.set(key, answer);
      answer.catch(() => this.kept.delete(key));
    }
    return this.kept.get(key);
  }
}

/** A position whose moves tell by how many plies they are `behind` the best with the same result. */
function compared(position) {
  for (const alike of Map.groupBy(position.moves ?? [], resultOf).values()) {
    const best = Math.min(...alike.map(lateness));
    for (const move of alike) move.behind = lateness(move) - best || 0;
  }
  return position;
}
