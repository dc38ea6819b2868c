// Guessing values, and games against a level, with the values hidden.

import { button, called, element, labelled, named, select, sentence, shown, worth } from "./elements.js";
import { cost, levelChoice } from "./moves.js";

const FEW = 8;

/** Guesses, and their score. */
export class Guessing {
  /** `changed` is called when the page must be drawn again, `play` with a move to play. */
  constructor(solution, { changed, play }) {
    Object.assign(this, { solution, changed, play });
    this.element = element("div", { class: "guessing", hidden: true });
    this.on = false;
  }

  turn(on) {
    this.on = on;
    this.further = null;
    this.seen = new Map(); // by class: the guessed move, and the state it was guessed in
    this.valued = new Map(); // by class: the guessed outcome
    this.score = { move: [0, 0], value: [0, 0] };
    this.changed();
  }

  /** Pose a position, even if it was guessed before; `next` leads to another one. */
  pose(position, next) {
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
    this.changed();
    this.element.querySelector("button")?.focus();
  }

  count(what, right) {
    this.score[what][0] += right;
    this.score[what][1]++;
  }

  /** Show what to guess of a position, or the result. */
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
    if (!outcome) return "Find a move that keeps the value. If you like, say first how best play ends:";
    return `${outcome === position.outcome ? "Right" : "No"}: ${worth(position, this.solution)}. Now guess a move that keeps it.`;
  }

  verdict(position) {
    const { state, move } = this.seen.get(position.class.state);
    if (state !== position.state) return "You have guessed a symmetric position before.";
    const [value, name] = [worth(position, this.solution), called(move)];
    if (move.optimal) return `Right: ${name} keeps the value, ${value}.`;
    const kept = position.moves.filter((each) => each.optimal).map((each) => called(each));
    const keeps = kept.length > FEW ? `${kept.length} moves keep` : `${kept.join(", ")} ${kept.length === 1 ? "keeps" : "keep"}`;
    return `No: after ${name} ${value} becomes ${worth(move, this.solution)}; ${keeps} it.`;
  }

  /** Buttons for the possible values or, after the guess, to go on. */
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

  /** The guessed move if it was right, else the best one. */
  next(position) {
    const { state, move } = this.seen.get(position.class.state);
    return state === position.state && move.optimal ? move : position.moves[0];
  }
}

/** A game against a level, if one is being played. */
export class Opponent {
  /**
   * `line` returns the line; `go` shows a line that a function makes, `jump` a place of it; `changed` is called when the page must be
   * drawn again, `begun` when a game begins.
   */
  constructor(source, solution, { line, go, jump, changed, begun }) {
    Object.assign(this, { source, solution, line, go, jump, changed, begun });
    this.game = null;
    this.element = element("div", { class: "playing", hidden: true });
  }

  form() {
    const side = select("play-side", { X: named("X", this.solution), O: named("O", this.solution) });
    const level = levelChoice(this.source, "play-level", "perfect");
    level.append(...(this.solution.bots ?? []).map((value) => element("option", { value }, value)));
    const secret = element("input", { type: "checkbox", id: "play-secret", checked: true });
    const begin = (first) => () => this.begin({ side: side.value, level: level.value, secret: secret.checked }, first);
    return element("div", { class: "form" },
      labelled("You are", side), labelled("Against", level), labelled("hide values until the game is over", secret),
      element("div", { class: "row" }, button("Play from the start", begin(() => this.line().from(undefined)), { class: "primary" }), button("Play from here", begin(() => this.line()))));
  }

  /** Begin a game on the line that a function returns. */
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

  /** Whether the value of a position is hidden. */
  hides(position) {
    return Boolean(this.game?.secret && !this.game.over && position.moves?.length);
  }

  /** Let the level move as long as it is its turn. */
  async turn() {
    const game = this.game;
    for (let line = this.line(); game && game.side !== (line.here.to_move ?? game.side) && line.here.moves?.length; line = this.line()) {
      try {
        const { move } = await this.source.reply(line.here.position, game.level);
        if (this.game !== game || this.line() !== line) return; // the player has gone elsewhere
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

  /** The player's mistakes, as buttons that lead there. */
  given(line) {
    return givenAway(line, this.solution, this.jump, (place) => place > this.game.first && line.positions[place - 1].to_move === this.game.side, "your ");
  }
}

/** The mistakes among some moves of a line, as buttons that lead there. */
function givenAway(line, solution, jump, counts, whose) {
  const own = line.moves.slice(0, line.at).map((_, number) => number + 1).filter(counts);
  const mistakes = own.filter((place) => !line.played(place).optimal);
  const moves = `${whose}${own.length} ${own.length === 1 ? "move" : "moves"}`;
  if (!mistakes.length) return [element("p", {}, `None of ${moves} gave value away.`)];
  const entry = (place) => {
    const [before, move] = [line.positions[place - 1], line.played(place)];
    return element("li", {}, button(`${place}. ${called(move)}`, () => jump(place - 1)), ` ${cost(before, move, solution)}`);
  };
  return [element("p", {}, `Of ${moves} ${mistakes.length} gave value away; go there to see what was better:`), element("ul", { class: "given" }, mistakes.map(entry))];
}

/** The card at the end of a line, unless it was a game against a level. */
export function endCard(line, solution, { jump, play }) {
  return element("div", { class: "card ended" },
    element("p", {}, sentence(`${worth(line.here, solution)}.`)),
    givenAway(line, solution, jump, () => true, "the "),
    element("div", { class: "row" }, button("Again from the start", () => jump(0)), button("Play against the computer", play, { class: "primary" })));
}
