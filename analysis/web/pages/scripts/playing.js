// Games against a level, and what a game that is over teaches.

import { ending } from "./board.js";
import { button, called, counted, element, forecast, moverOf, named, sentence, shown, worth } from "./elements.js";
import { slips } from "./moves.js";

/** A game on a page against a level, if one is being played. */
export class Opponent {
  game = null;

  constructor(page) {
    this.page = page;
  }

  /** Begin a game, as the form says, on the line that a function returns. */
  async begin(first, chosen = Object.fromEntries(new FormData(this.page.$(".form")))) {
    const game = (this.game = { ...chosen, first: 0, over: null, said: "" });
    await this.page.go(async () => {
      const line = await first();
      game.first = line.at;
      return line;
    });
    this.page.sight();
    await this.turn();
  }

  /** Begin again from where the game began. */
  again(side) {
    const { first, over } = this.game;
    this.begin(() => over.to(first), { ...this.game, side });
  }

  /** Whether the value of a position is hidden. */
  hides = (position) => Boolean(this.game?.secret && !this.game.over && position.moves?.length);

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
    const { game, page, page: { solution } } = this;
    const shows = page.$(".playing");
    if (game && line.here.terminal) game.over ??= line;
    shows.hidden = !game || game.over;
    if (shows.hidden) return;
    const now = game.said ? shown(game.said) : moverOf(line.here) === game.side ? "your move." : `${named(moverOf(line.here), solution)} to move.`;
    shows.replaceChildren(element("p", { role: "status" }, `You are ${named(game.side, solution)} against ${shown(game.level)}: ${now}`),
      button("Stop playing", () => this.page.draw((this.game = null))));
    game.said = "";
  }
}

/** The card at the end of a line, which was perhaps a `game`: who won and why, whether it was to be expected, and which moves to learn from. */
export function endCard(page, line, { game } = page.opponent) {
  const { solution } = page;
  const [other, rows] = [game?.side === "X" ? "O" : "X", slips(line, solution, game?.first)];
  const learnt = rows.filter(({ given, mover }) => given || !game || mover === game.side);
  return element("div", { class: "card", role: "status" },
    element("p", {}, sentence(result(line.here, solution, game)) + reason(line.here, solution)),
    element("p", {}, expectation(line, solution, game, rows)),
    learnt.length > 0 && element("ul", { class: "given" }, learnt.map(({ place, move, mover, given, cost }) => element("li", {},
      button(`Move ${place}: ${called(move)}`, () => page.jump(place - 1), { title: "Go back before this move" }),
      ` ${mover === game?.side ? "You" : sentence(named(mover, solution))} ${cost}. `,
      given && button("Show me", () => page.refute(line, place), { class: "show" })))),
    element("div", { class: "row" }, game ? [
      button("Rematch", () => page.opponent.again(game.side), { class: "primary" }),
      button(`Play as ${named(other, solution)}`, () => page.opponent.again(other)), button("Stop playing", () => page.draw((page.opponent.game = null))),
    ] : [button("Again from the start", () => page.jump(0)), element("button", { "data-do": "play", class: "primary" }, "Play against the computer")]));
}

function result(here, solution, game) {
  const winner = here.value > 0 ? "X" : here.value < 0 ? "O" : null;
  if (!winner || !game) return worth(here, solution);
  const score = Math.abs(here.value) > 1 ? ` by ${Math.abs(here.value)}` : "";
  return `you ${winner === game.side ? "won" : "lost"}${score}`;
}

/** Why a game is over, after its result: what the board shows, or else the rule. */
function reason(here, solution) {
  const stuck = here.value && /whoever cannot( move)? loses/.test(solution.goal) && `${named(here.value > 0 ? "O" : "X", solution)} has no move`;
  const seen = ending(here, solution) ?? stuck;
  return seen ? `: ${seen}.` : `. ${shown(solution.goal)}`;
}

/** What best play would have made of the game, and whether a player could change that. */
function expectation(line, solution, game, rows) {
  const start = line.positions[game?.first ?? 0];
  const own = Math.sign(start.value) * (game?.side === "O" ? -1 : 1);
  const best = forecast(start, solution);
  if (!game) return `${best} from the start.`;
  const me = named(game.side, solution);
  const won = Math.sign(line.here.value) === (game.side === "O" ? -1 : 1);
  const said = own < 0 ? (won ? best : `As ${me} you could not have won against best play: change sides`) : own > 0 ? `As ${me} you could win whatever the other does` : best;
  const count = line.moves.slice(game.first, line.at).filter((_, number) => moverOf(line.positions[game.first + number]) === game.side).length;
  return `${said}. ${rows.some(({ mover, given }) => given && mover === game.side) ? "" : `None of your ${counted(count, "move")} changed the result.`}`;
}
