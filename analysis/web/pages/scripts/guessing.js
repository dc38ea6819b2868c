// Guessing a best move while values are hidden, and puzzles: positions to guess the move of.

import { button, called, element, shown, telling, worth } from "./elements.js";

const FEW = 8;

/** Guesses on a page, and their score. */
export class Guessing {
  on = false;

  constructor(page) {
    this.page = page;
  }

  turn(on) {
    Object.assign(this, { on, posed: null, seen: new Map(), score: [0, 0] }); // the guessed moves by state
    this.page.$("[data-do=guess]").setAttribute("aria-pressed", String(on));
    this.page.draw();
  }

  /** Pose a position as a puzzle, even if it was guessed before; `next` leads to another one. */
  pose(position, next) {
    if (!this.on) this.turn(true);
    this.posed = { position, next };
    this.seen.delete(position.state);
  }

  /** Whether the value of a position is hidden. */
  hides = ({ state, moves }) => this.on && Boolean(moves?.length) && !(this.posed ? this.posed.move : this.seen.has(state));

  /** What to reach in a puzzle that is not solved yet, or an empty text. */
  goal({ state, value, to_move: side, outcome }) {
    if (this.posed?.position.state !== state || this.posed.move) return "";
    return value * side > 0 ? " and win" : value ? " and lose no more than it must" : ` and hold the ${outcome}`;
  }

  /** Take a move as a guess, and show all values; in a puzzle the reply to a wrong one is played at once. */
  async guess(position, move) {
    this.seen.set(position.state, move);
    this.score = [this.score[0] + move.optimal, this.score[1] + 1];
    if (this.posed) this.posed.move = move;
    this.page.draw();
    if (this.posed && !move.optimal)
      await this.page.go(async () => {
        const line = await this.page.line.with([move.move]);
        [this.posed.reply] = line.here.moves ?? [];
        return this.posed.reply ? line.with([this.posed.reply.move]) : line;
      });
    this.page.$(".guessing button")?.focus();
  }

  /** Show what to guess of a position, or the result. */
  draw(position) {
    const shows = this.page.$(".guessing");
    shows.hidden = !this.on;
    if (!this.on) return;
    shows.replaceChildren(
      element("p", { role: "status" }, this.told(position)),
      element("div", { class: "row" }, this.choices(position)),
      element("p", { class: "muted" }, `Right so far: ${this.score[0]} of ${this.score[1]}.`),
    );
  }

  told(position) {
    const asked = this.posed?.move ? this.posed.position : position;
    if (!asked.moves?.length) return asked.moves ? "The game is over." : "What follows is not in this page.";
    if (this.hides(position)) return "Find a move that keeps the value: click it on the board or in the list.";
    const [{ solution }, move, reply] = [this.page, this.seen.get(asked.state), this.posed?.reply];
    const [value, name] = [worth(asked, solution), called(move)];
    if (move.optimal) return `Right: ${name} keeps the value, ${value}.`;
    const kept = asked.moves.filter((each) => each.optimal).map(called);
    const keeps = kept.length > FEW ? `${kept.length} moves keep` : `${kept.join(", ")} ${kept.length === 1 ? "keeps" : "keep"}`;
    return `No: after ${name} ${reply ? `comes ${called(reply)}, and ` : ""}${value} becomes ${worth(move, solution)}; ${keeps} it.`;
  }

  choices(position) {
    const { page, posed, seen } = this;
    if (posed) return [button("Next puzzle", posed.next), posed.move && button("Try again", () => this.retry(posed))];
    const move = seen.get(position.state);
    return move ? [button("Go on", () => page.play(move.optimal ? move : position.moves[0]))] : [];
  }

  /** Pose a puzzle once more. */
  retry({ position, next }) {
    return this.page.go(async () => {
      const line = await this.page.line.from(position.position);
      this.pose(line.here, next);
      return line;
    });
  }
}

/** How many puzzles are asked for, and within how many seconds. */
const [AT_ONCE, SECONDS] = [200, 2];

/** The puzzles that the form asks for. */
export class Puzzles {
  at = 0;

  constructor(page) {
    this.page = page;
  }

  /** What the form asks for, as the fields of `find`. */
  get wanted() {
    const { to_move: side, value, least, only, order } = Object.fromEntries(new FormData(this.page.$(".puzzles")));
    const remoteness = value !== "draw" && `remoteness_plies >= ${Math.max(1, Math.floor(Number(least)) || 1)}`; // draws have none
    const terms = [side && `to_move = ${side}`, value ? `value = ${value}` : "value != loss", remoteness, only && "only_move"];
    return { where: terms.filter(Boolean).join(" and "), order, limit: AT_ONCE, seconds: SECONDS };
  }

  /** Pose the next position; the start, whose answer everybody knows, is none. */
  next() {
    const { page, wanted } = this;
    const [said, asked] = [page.$(".posed"), JSON.stringify(wanted)];
    return telling(said, async () => {
      said.textContent = "Looking for positions …";
      if (this.asked !== asked) Object.assign(this, { asked, at: 0, found: page.source.fetched("/find", wanted) });
      const { positions: all, complete } = await this.found.catch((error) => {
        this.asked = null;
        throw error;
      });
      const positions = all.filter(({ position }) => position !== page.solution.start);
      if (!positions.length) throw new Error(complete ? "there is no such position" : "no such position was found in time");
      const number = this.at++ % positions.length;
      const more = complete && all.length < AT_ONCE ? "" : " or more";
      said.textContent = `Number ${number + 1} of ${positions.length}${more}: ${shown(positions[number].position)}`;
      await page.guessing.retry({ position: positions[number], next: () => this.next() });
      page.sight();
    });
  }
}
