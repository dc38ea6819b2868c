// Guess mode: what positions are worth is hidden until somebody has guessed a move that keeps it, and the score is kept.

import { button, element, shown } from "./elements.js";
import { named, worth } from "./wording.js";

const FEW = 8;

/** What is hidden from whom guesses, and how well that goes. */
export class Guessing {
  /** `changed` is called when there is something else to show, `play` with a move that is to be played. */
  constructor(solution, { changed, play }) {
    Object.assign(this, { solution, changed, play });
    this.element = element("div", { class: "guessing", hidden: true });
    this.on = false;
  }

  /** Begin anew, or end it. */
  turn(on) {
    this.on = on;
    this.further = null;
    this.seen = new Map(); // by class: the move that was guessed, and the state it was guessed in
    this.valued = new Map(); // by class: the outcome that was guessed
    this.score = { move: [0, 0], value: [0, 0] };
    this.changed();
  }

  /** A position is to be guessed, though it may have been before; after it, `next` leads to another one. */
  pose(position, next) {
    this.seen.delete(position.class.state);
    this.valued.delete(position.class.state);
    this.further = next;
  }

  /** Whether nothing of a position may tell what it is worth. */
  hides(position) {
    return this.on && Boolean(position.moves?.length) && !this.seen.has(position.class.state);
  }

  /** A move is guessed, which shows what all of them are worth. */
  guess(position, move) {
    this.seen.set(position.class.state, { state: position.state, move });
    this.count("move", move.optimal);
    this.changed();
    this.element.querySelector("button")?.focus();
  }

  guessValue(position, outcome) {
    this.valued.set(position.class.state, outcome);
    this.count("value", outcome === position.outcome);
    this.changed();
  }

  count(what, right) {
    this.score[what][0] += right;
    this.score[what][1]++;
  }

  /** Show what may be guessed of a position, or what came of it. */
  draw(position) {
    this.element.hidden = !this.on;
    if (!this.on) return;
    const [[moves, asked], [values, valued]] = [this.score.move, this.score.value];
    this.element.replaceChildren(
      element("p", { role: "status" }, this.told(position)),
      element("div", { class: "row" }, this.choices(position)),
      element("p", { class: "muted" }, `Right so far: ${moves} of ${asked} moves, ${values} of ${valued} values.`),
    );
  }

  told(position) {
    if (!position.moves?.length) return position.moves ? "The game is over." : "What follows is not in this page.";
    if (!this.hides(position)) return this.verdict(position);
    const outcome = this.valued.get(position.class.state);
    if (!outcome) return "Guess a move that keeps the value; before it, if you like, the value:";
    return `${outcome === position.outcome ? "Right" : "No"}: ${worth(position, this.solution)}. Now guess a move that keeps it.`;
  }

  verdict(position) {
    const { state, move } = this.seen.get(position.class.state);
    if (state !== position.state) return "One that is the same but for symmetry has been guessed.";
    const [value, name] = [worth(position, this.solution), shown(move.name || move.move)];
    if (move.optimal) return `Right: ${name} keeps the value, ${value}.`;
    const kept = position.moves.filter((each) => each.optimal).map((each) => shown(each.name || each.move));
    const keeps = kept.length > FEW ? `${kept.length} moves keep` : `${kept.join(", ")} ${kept.length === 1 ? "keeps" : "keep"}`;
    return `No: after ${name} ${value} becomes ${worth(move, this.solution)}; ${keeps} it.`;
  }

  /** Buttons: the values there may be or, after the guess, what goes on. */
  choices(position) {
    const further = this.further && button("Next puzzle", this.further);
    if (!position.moves?.length) return [further];
    if (!this.hides(position)) return [button("Go on", () => this.play(this.next(position))), further];
    if (this.valued.has(position.class.state)) return [];
    const wins = (side) => `${named(side, this.solution)} wins`;
    const words = { X: wins("X"), tie: "A tie", ...(this.solution.loopy && { draw: "A draw" }), O: wins("O") };
    return Object.entries(words).map(([outcome, text]) => button(text, () => this.guessValue(position, outcome), { "data-outcome": outcome }));
  }

  /** The move that was guessed if it was right, else the best one. */
  next(position) {
    const { state, move } = this.seen.get(position.class.state);
    return state === position.state && move.optimal ? move : position.moves[0];
  }
}
