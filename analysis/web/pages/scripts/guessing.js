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

const PUZZLES_AT_ONCE = 200;

/** Milliseconds after which a puzzle is posed, even if harder ones may be found later. */
const PATIENCE = 700;

/** The puzzles that the form asks for. The first one found is posed at once, while the hardest are searched for. */
export class Puzzles {
  positions = [];
  at = 0;
  searches = 0;

  constructor(page) {
    this.page = page;
  }

  /** The chosen fields, as `find` takes them. */
  get wanted() {
    const { to_move, value, least, only, order } = Object.fromEntries(new FormData(this.page.$(".puzzles")));
    const remoteness = value === "draw" ? undefined : `${Math.max(1, Math.floor(Number(least)) || 1)}..`; // draws have none
    return { to_move: to_move || undefined, value: value || undefined, remoteness, only_move: Boolean(only) || undefined, order };
  }

  again() {
    Object.assign(this, { at: 0, posed: null });
    this.next();
  }

  /** Pose the next position. */
  next() {
    const { page } = this;
    const said = page.$(".posed");
    return telling(said, async () => {
      const position = await this.following(this.wanted);
      said.textContent = this.search ? `The first that was found, while harder ones are looked for: ${shown(position)}`
        : `Number ${this.at} of ${this.positions.length}${this.complete ? "" : " or more"}: ${shown(position)}`;
      await page.go(async () => {
        const line = await page.line.from(position);
        page.guessing.pose(line.here, () => this.next());
        return line;
      });
      page.sight();
    });
  }

  async following(fields) {
    const asked = JSON.stringify(fields);
    if (this.asked !== asked || (this.at === this.positions.length && fields.order === "random" && !this.search)) {
      const positions = await this.found({ ...fields, order: undefined, limit: 1 });
      Object.assign(this, { asked, positions, at: 0, posed: null });
      this.search = positions.length ? this.rank(fields, asked) : null;
    }
    await Promise.race([this.search, this.search && new Promise((done) => setTimeout(done, PATIENCE))]);
    if (!this.positions.length) throw new Error("there is no such position");
    if (!this.search && this.positions[this.at] === this.posed) this.at++; // not a second time
    if (this.at >= this.positions.length) this.at = 0;
    return this.positions[this.at++];
  }

  /** Find all in their order, unless other fields are chosen meanwhile. */
  async rank(fields, asked) {
    const positions = await this.found({ ...fields, limit: PUZZLES_AT_ONCE }).catch(() => []);
    if (this.asked !== asked) return;
    this.search = null;
    if (positions.length) Object.assign(this, { positions, posed: this.at ? this.positions[0] : null, at: 0 });
  }

  async found(fields) {
    const searching = this.page.$(".searching");
    this.searches++;
    searching.hidden = false;
    try {
      const { positions, complete } = await this.page.source.fetched("/find", fields);
      this.complete = complete && positions.length < fields.limit;
      return positions.map(({ position }) => position);
    } finally {
      searching.hidden = --this.searches === 0;
    }
  }
}
