// Play against a level: after each move of the person the level replies, and in the end it is told what was given away.

import { button, element, shown } from "./elements.js";
import { cost } from "./history.js";
import { levelChoice } from "./traps.js";
import { named, worth } from "./wording.js";

/** A game against a level, if one is being played. */
export class Opponent {
  /**
   * `line` gives the line that is looked at; `go` shows the line that a function makes, `jump` a place of it; `changed` is called when
   * there is something else to show.
   */
  constructor(source, solution, { line, go, jump, changed }) {
    Object.assign(this, { source, solution, line, go, jump, changed });
    this.game = null;
    this.element = element("div", { class: "playing", hidden: true });
  }

  /** A form to begin a game with. */
  form() {
    const side = element("select", { id: "play-side" }, ["X", "O"].map((each) => element("option", { value: each }, named(each, this.solution))));
    const level = { chosen: "random" };
    const secret = element("input", { type: "checkbox", id: "play-secret", checked: true });
    const begin = (first) => () => this.begin({ side: side.value, level: level.chosen, secret: secret.checked }, first);
    return element("div", { class: "form" },
      element("p", { class: "row" }, element("label", { for: "play-side" }, "You are"), side),
      element("p", { class: "row" }, element("label", { for: "play-level" }, "Against"), levelChoice(this.source, "play-level", level.chosen, (chosen) => (level.chosen = chosen))),
      element("p", { class: "row" }, secret, element("label", { for: "play-secret" }, "hide what moves are worth until it is over")),
      element("div", { class: "row" }, button("Play from the start", begin(() => this.line().from(undefined))), button("Play from here", begin(() => this.line()))));
  }

  /** Begin a game in the position that a function leads to. */
  async begin(chosen, first) {
    const game = (this.game = { ...chosen, first: 0, over: false, said: "" });
    await this.go(async () => {
      const line = await first();
      game.first = line.at;
      return line;
    });
    await this.turn();
  }

  end() {
    this.game = null;
    this.changed();
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
        return this.say(game, error.message);
      }
      if (this.line() === line) return;
    }
  }

  say(game, text) {
    game.said = text;
    this.draw(this.line());
  }

  /** Show how a game stands, with its line. */
  draw(line) {
    this.element.hidden = !this.game;
    if (!this.game) return;
    this.game.over ||= !line.here.to_move;
    this.element.replaceChildren(
      element("p", { role: "status" }, this.told(line)),
      ...(line.here.to_move ? [] : this.given(line)),
      element("div", { class: "row" }, button("Stop playing", () => this.end())));
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
    const places = line.moves.slice(0, line.at).map((_, number) => number + 1);
    const own = places.filter((place) => place > this.game.first && line.positions[place - 1].to_move === this.game.side);
    const mistakes = own.filter((place) => !line.played(place).optimal);
    if (!mistakes.length) return [element("p", {}, `None of your ${own.length} ${own.length === 1 ? "move" : "moves"} gave value away.`)];
    const entry = (place) => {
      const [before, move] = [line.positions[place - 1], line.played(place)];
      return element("li", {}, button(`${place}. ${shown(move.name || move.move)}`, () => this.jump(place - 1)), ` ${cost(before, move, this.solution)}`);
    };
    return [element("p", {}, `Of your ${own.length} ${own.length === 1 ? "move" : "moves"} ${mistakes.length} gave value away:`), element("ul", { class: "given" }, mistakes.map(entry))];
  }
}
