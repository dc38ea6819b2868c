// Games against a level, and what was given away in a game that is over.

import { button, called, counted, element, moverOf, named, sentence, shown, worth } from "./elements.js";
import { mistakes } from "./moves.js";

/** A game on a page against a level, if one is being played. */
export class Opponent {
  game = null;

  constructor(page) {
    this.page = page;
  }

  /** Begin a game, as the form says, on the line that a function returns. */
  async begin(first, chosen = Object.fromEntries(new FormData(this.page.$(".form")))) {
    const game = (this.game = { ...chosen, first: 0, over: false, said: "" });
    await this.page.go(async () => {
      const line = await first();
      game.first = line.at;
      return line;
    });
    this.page.sight();
    await this.turn();
  }

  /** Whether the value of a position is hidden. */
  hides(position) {
    return Boolean(this.game?.secret && !this.game.over && position.moves?.length);
  }

  /** Let the level move as long as it is its turn. */
  async turn() {
    const { page, game } = this;
    for (let { line } = page; game && game.side !== (moverOf(line.here) ?? game.side) && line.here.moves?.length; line = page.line) {
      try {
        const { move: { move } } = await page.source.fetched("/reply", { p: line.here.position, against: game.level });
        if (this.game !== game || page.line !== line) return; // the player has gone elsewhere
        await page.go(() => line.with([move]));
      } catch (error) {
        game.said = error.message;
        return page.draw();
      }
      if (page.line === line) return;
    }
  }

  draw(line) {
    const { game, page } = this;
    const shows = page.$(".playing");
    shows.hidden = !game;
    if (!game) return;
    const over = line.here.terminal;
    game.over ||= over;
    const other = game.side === "X" ? "O" : "X";
    const again = (side) => () => this.begin(() => line.from(line.positions[0].position), { ...game, side });
    shows.classList.toggle("card", over);
    shows.replaceChildren(
      element("p", { role: "status" }, this.told(line)),
      ...(over ? this.given(line) : []),
      element("div", { class: "row" },
        over && [button("Rematch", again(game.side), { class: "primary" }), button(`Play as ${named(other, page.solution)}`, again(other))],
        button("Stop playing", () => ((this.game = null), page.draw()))));
    game.said = "";
  }

  told({ here }) {
    const { game: { side, level, said }, page: { solution } } = this;
    const now = said ? shown(said) : here.terminal ? `${worth(here, solution)}.`
      : moverOf(here) === side ? "your move." : `${named(moverOf(here), solution)} to move.`;
    return `You are ${named(side, solution)} against ${level}: ${now}`;
  }

  /** The player's mistakes. */
  given(line) {
    const own = (place) => place > this.game.first && moverOf(line.positions[place - 1]) === this.game.side;
    const number = line.moves.slice(0, line.at).filter((_, before) => own(before + 1)).length;
    return givenAway(this.page, `your ${counted(number, "move")}`, mistakes(line, this.page.solution).filter(({ place }) => own(place)));
  }
}

/** Mistakes (see `mistakes`) among some moves of a page's line, as buttons that lead to the positions before them. */
export function givenAway(page, among, mistakes) {
  if (!mistakes.length) return [element("p", {}, `None of ${among} gave value away.`)];
  const entries = mistakes.map(({ place, move, cost }) =>
    element("li", {}, button(`Move ${place}: ${called(move)}`, () => page.jump(place - 1)), ` ${cost}`));
  return [
    element("p", {}, `Of ${among} ${mistakes.length} gave value away; go there to see what was better:`),
    element("ul", { class: "given" }, entries),
  ];
}

/** The card at the end of a line, unless it was a game against a level. */
export function endCard(page) {
  const { line, solution } = page;
  return element("div", { class: "card" },
    element("p", {}, sentence(`${worth(line.here, solution)}.`)),
    givenAway(page, `the ${counted(line.at, "move")}`, mistakes(line, solution)),
    element("div", { class: "row" }, button("Again from the start", () => page.jump(0)),
      element("button", { "data-do": "play", class: "primary" }, "Play against the computer")));
}
