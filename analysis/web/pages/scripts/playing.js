// Values to be guessed, and games against a level: until then nothing tells what positions are worth.

import { button, called, element, labelled, named, select, sentence, shown, worth } from "./elements.js";
import { cost, levelChoice } from "./moves.js";

const FEW = 8;

/** What is hidden from whom guesses, and how well that goes. */
export class Guessing {
  /** `changed` is called when there is something else to show, `play` with a move that is to be played. */
  constructor(solution, { changed, play }) {
    Object.assign(this, { solution, changed, play });
    this.element = element("div", { class: "guessing", hidden: true });
    this.on = false;
  }

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
    const [value, name] = [worth(position, this.solution), called(move)];
    if (move.optimal) return `Right: ${name} keeps the value, ${value}.`;
    const kept = position.moves.filter((each) => each.optimal).map((each) => called(each));
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
    const guessed = (outcome) => () => {
      this.valued.set(position.class.state, outcome);
      this.count("value", outcome === position.outcome);
      this.changed();
    };
    return Object.entries(words).map(([outcome, text]) => button(text, guessed(outcome), { "data-outcome": outcome }));
  }

  /** The move that was guessed if it was right, else the best one. */
  next(position) {
    const { state, move } = this.seen.get(position.class.state);
    return state === position.state && move.optimal ? move : position.moves[0];
  }
}

/** A game against a level, if one is being played. */
export class Opponent {
  /**
   * `line` gives the line that is looked at; `go` shows the line that a function makes, `jump` a place of it; `changed` is called when
   * there is something else to show, `begun` when a game has begun.
   */
  constructor(source, solution, { line, go, jump, changed, begun }) {
    Object.assign(this, { source, solution, line, go, jump, changed, begun });
    this.game = null;
    this.element = element("div", { class: "playing", hidden: true });
  }

  form() {
    const side = select("play-side", { X: named("X", this.solution), O: named("O", this.solution) });
    const level = levelChoice(this.source, "play-level", "perfect");
    const secret = element("input", { type: "checkbox", id: "play-secret", checked: true });
    const begin = (first) => () => this.begin({ side: side.value, level: level.value, secret: secret.checked }, first);
    return element("div", { class: "form" },
      labelled("You are", side), labelled("Against", level), labelled("hide what moves are worth until it is over", secret),
      element("div", { class: "row" }, button("Play from the start", begin(() => this.line().from(undefined)), { class: "primary" }), button("Play from here", begin(() => this.line()))));
  }

  /** Begin a game in the position that a function leads to. */
  async begin(chosen, first) {
    const game = (this.game = { ...chosen, first: 0, over: false, said: "" });
    await this.go(async () => {
      const line = await first();
      game.first = line.at;
      return line;
    });
    this.begun();
    await this.turn();
  }

  /** Whether nothing of a position may tell what it is worth. */
  hides(position) {
    return Boolean(this.game?.secret && !this.game.over && position.moves?.length);
  }

  /** Where it is the level's turn it moves, and again as long as it is. */
  async turn() {
    const game = this.game;
    for (let line = this.line(); game && game.side !== (line.here.to_move ?? game.side) && line.here.moves?.length; line = this.line()) {
      try {
        const { move } = await this.source.reply(line.here.position, game.level);
        if (this.game !== game || this.line() !== line) return; // the person has gone elsewhere
        await this.go(() => line.with([move]));
      } catch (error) {
        game.said = error.message;
        return this.draw(this.line());
      }
      if (this.line() === line) return;
    }
  }

  draw(line) {
    this.element.hidden = !this.game;
    if (!this.game) return;
    const over = !line.here.to_move;
    this.game.over ||= over;
    const again = (side) => () => this.begin({ ...this.game, side }, () => line.from(line.positions[0].position));
    const { side } = this.game;
    this.element.classList.toggle("card", over);
    this.element.replaceChildren(
      element("p", { role: "status" }, this.told(line)),
      ...(over ? this.given(line) : []),
      element("div", { class: "row" },
        over && [button("Rematch", again(side), { class: "primary" }), button(`Play as ${named(side === "X" ? "O" : "X", this.solution)}`, again(side === "X" ? "O" : "X"))],
        button("Stop playing", () => ((this.game = null), this.changed()))));
    this.game.said = "";
  }

  told({ here }) {
    const { side, level, said } = this.game;
    const who = `You are ${named(side, this.solution)} against ${level}`;
    if (said) return `${who}: ${shown(said)}`;
    if (!here.to_move) return `${who}: ${worth(here, this.solution)}.`;
    return `${who}: ${here.to_move === side ? "your move" : `${named(here.to_move, this.solution)} to move`}.`;
  }

  /** What the person gave away, as buttons that lead there. */
  given(line) {
    return givenAway(line, this.solution, this.jump, (place) => place > this.game.first && line.positions[place - 1].to_move === this.game.side, "your ");
  }
}

/** Which of some moves of a line gave value away, as buttons that lead there. */
function givenAway(line, solution, jump, counts, whose) {
  const own = line.moves.slice(0, line.at).map((_, number) => number + 1).filter(counts);
  const mistakes = own.filter((place) => !line.played(place).optimal);
  const moves = `${whose}${own.length} ${own.length === 1 ? "move" : "moves"}`;
  if (!mistakes.length) return [element("p", {}, `None of ${moves} gave value away.`)];
  const entry = (place) => {
    const [before, move] = [line.positions[place - 1], line.played(place)];
    return element("li", {}, button(`${place}. ${called(move)}`, () => jump(place - 1)), ` ${cost(before, move, solution)}`);
  };
  return [element("p", {}, `Of ${moves} ${mistakes.length} gave value away:`), element("ul", { class: "given" }, mistakes.map(entry))];
}

/** What is said where a line that nobody plays against a level has come to its end. */
export function endCard(line, solution, { jump, play }) {
  return element("div", { class: "card ended" },
    element("p", {}, sentence(`${worth(line.here, solution)}.`)),
    givenAway(line, solution, jump, () => true, "the "),
    element("div", { class: "row" }, button("Again from the start", () => jump(0)), button("Play against the computer", play, { class: "primary" })));
}
