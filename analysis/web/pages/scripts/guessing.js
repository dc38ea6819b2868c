// Guessing values, which are hidden, and puzzles: positions to guess the move of.

import { button, called, element, named, sentence, shown, telling, worth } from "./elements.js";

const FEW = 8;

/** Guesses on a page, and their score. */
export class Guessing {
  on = false;

  constructor(page) {
    this.page = page;
  }

  turn(on) {
    this.on = on;
    this.further = null;
    this.seen = new Map(); // by class: the guessed move, and the state it was guessed in
    this.valued = new Map(); // by class: the guessed outcome
    this.score = { move: [0, 0], value: [0, 0] };
    this.page.$("[data-do=guess]").setAttribute("aria-pressed", String(on));
    this.page.draw();
  }

  /** Pose a position, even if it was guessed before; `next` leads to another one. */
  pose(position, next) {
    if (!this.on) this.turn(true);
    this.seen.delete(position.class.state);
    this.valued.delete(position.class.state);
    this.further = next;
  }

  /** Whether the value of a position is hidden. */
  hides(position) {
    return this.on && Boolean(position.moves?.length) && !this.seen.has(position.class.state);
  }

  /** Take a move as a guess, and show all values. */
  guess(position, move) {
    this.seen.set(position.class.state, { state: position.state, move });
    this.count("move", move.optimal);
    this.page.$(".guessing button")?.focus();
  }

  guessValue(position, outcome) {
    this.valued.set(position.class.state, outcome);
    this.count("value", outcome === position.outcome);
  }

  count(what, right) {
    this.score[what][0] += right;
    this.score[what][1]++;
    this.page.draw();
  }

  /** Show what to guess of a position, or the result. */
  draw(position) {
    const shows = this.page.$(".guessing");
    shows.hidden = !this.on;
    if (!this.on) return;
    const { move: [moves, asked], value: [values, valued] } = this.score;
    shows.replaceChildren(
      element("p", { role: "status" }, this.told(position)),
      element("div", { class: "row" }, this.choices(position)),
      element("p", { class: "muted" }, `Right so far: ${moves} of ${asked} moves, ${values} of ${valued} values.`),
    );
  }

  told(position) {
    if (!position.moves?.length) return position.moves ? "The game is over." : "What follows is not in this page.";
    if (!this.hides(position)) return this.verdict(position);
    const outcome = this.valued.get(position.class.state);
    if (!outcome) return "Find a move that keeps the value. If you like, say first how best play ends:";
    return `${outcome === position.outcome ? "Right" : "No"}: ${worth(position, this.page.solution)}. Now guess a move that keeps it.`;
  }

  verdict(position) {
    const { solution } = this.page;
    const { state, move } = this.seen.get(position.class.state);
    if (state !== position.state) return "You have guessed a symmetric position before.";
    const [value, name] = [worth(position, solution), called(move)];
    if (move.optimal) return `Right: ${name} keeps the value, ${value}.`;
    const kept = position.moves.filter((each) => each.optimal).map(called);
    const keeps = kept.length > FEW ? `${kept.length} moves keep` : `${kept.join(", ")} ${kept.length === 1 ? "keeps" : "keep"}`;
    return `No: after ${name} ${value} becomes ${worth(move, solution)}; ${keeps} it.`;
  }

  /** Buttons for the possible values or, after the guess, to go on. */
  choices(position) {
    const { solution } = this.page;
    const further = this.further && button("Next puzzle", this.further);
    if (!position.moves?.length) return [further];
    if (!this.hides(position)) return [button("Go on", () => this.page.play(this.next(position))), further];
    if (this.valued.has(position.class.state)) return [];
    const wins = (side) => `${named(side, solution)} wins`;
    const words = { X: wins("X"), tie: "A tie", ...(solution.loopy && { draw: "A draw" }), O: wins("O") };
    return Object.entries(words).map(([outcome, text]) =>
      button(sentence(text), () => this.guessValue(position, outcome), { "data-outcome": outcome }));
  }

  /** The guessed move if it was right, else the best one. */
  next(position) {
    const { state, move } = this.seen.get(position.class.state);
    return state === position.state && move.optimal ? move : position.moves[0];
  }
}

/** How many puzzles are asked for, and within how many seconds. */
const [AT_ONCE, SECONDS] = [200, 2];

/** The puzzles that the form asks for. */
export class Puzzles {
  at = 0;
  searches = 0;

  constructor(page) {
    this.page = page;
  }

  /** What the form asks for, as the fields of `find`. */
  get wanted() {
    const { to_move: side, value, least, only, order } = Object.fromEntries(new FormData(this.page.$(".puzzles")));
    const remoteness = value !== "draw" && `remoteness_plies >= ${Math.max(1, Math.floor(Number(least)) || 1)}`; // draws have none
    const terms = [side && `to_move = ${side}`, value && `value = ${value}`, remoteness, only && "only_move"];
    return { where: terms.filter(Boolean).join(" and "), order, limit: AT_ONCE, seconds: SECONDS };
  }

  again() {
    this.at = 0;
    this.next();
  }

  /** Pose the next position. */
  next() {
    const { page, wanted } = this;
    const [said, asked] = [page.$(".posed"), JSON.stringify(wanted)];
    return telling(said, async () => {
      if (this.asked !== asked) Object.assign(this, { asked, at: 0, found: this.search(wanted) });
      const { positions, complete } = await this.found;
      if (!positions.length) throw new Error(complete ? "there is no such position" : "no such position was found in time");
      const number = this.at++ % positions.length;
      const [{ position }, more] = [positions[number], complete && positions.length < AT_ONCE ? "" : " or more"];
      said.textContent = `Number ${number + 1} of ${positions.length}${more}: ${shown(position)}`;
      await page.go(async () => {
        const line = await page.line.from(position);
        page.guessing.pose(line.here, () => this.next());
        return line;
      });
      page.sight();
    });
  }

  async search(wanted) {
    const searching = this.page.$(".searching");
    this.searches++;
    searching.hidden = false;
    try {
      return await this.page.source.fetched("/find", wanted);
    } catch (error) {
      this.asked = null;
      throw error;
    } finally {
      searching.hidden = --this.searches === 0;
    }
  }
}
