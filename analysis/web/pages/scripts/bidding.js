// The page of a bidding game: both bid before every move, so each place of a line has two bids.

import { button, called, counted, element, expected, named, scrolled, shown, tableParts, worth } from "./elements.js";
import { Page } from "./explorer.js";
import { Line } from "./line.js";
import { mistakes } from "./moves.js";
import { givenAway, Opponent } from "./playing.js";

const SIDES = ["X", "O"];
const [OTHER, SIGN] = [{ X: "O", O: "X" }, { X: 1, O: -1 }];

/** Upper limits on bids and on codes of moves. */
const [BIDS, CODES] = [128, 256];

/** The positions of a bidding game, made of the answers of a `source`. */
export class BiddingSource {
  levels = ["perfect"];

  constructor(source) {
    this.source = source;
    this.address = (text) => source.address(text);
  }

  solution = async () => ({ ...(await this.source.solution()), separator: "-", loopy: false });

  others = async () => [];

  /** A state with the likeliest optimal bids. */
  async position(text) {
    const state = await this.source.position(text);
    if (state.over || !state.legal_bids) return ended(state);
    const likeliest = (side) => state.bids[side].reduce((best, each) => (each.probability > best.probability ? each : best)).bid;
    return this.choose(state, ...SIDES.map(likeliest));
  }

  /** A state with two bids; if they leave open who moves, `sale` is the number of one result. */
  async choose(state, x, o, sale = 0) {
    const { sales } = await this.source.asked("/position", { p: state.state, x, o });
    return told({ ...state, sales }, [x, o], sale);
  }

  /** A state with the bids that the code of a move contains. */
  async leading(position, code) {
    const bids = Math.floor(code / CODES / 2);
    const [x, o, sale] = [Math.floor(bids / BIDS), bids % BIDS, Math.floor(code / CODES) % 2];
    const made = position.bid?.[0] === x && position.bid[1] === o && position.sale === sale;
    return made || !position.bid ? position : this.choose(position, x, o, sale);
  }

  /** The moves of best play. */
  async line(text) {
    const moves = [];
    for (let here = await this.position(text); here.moves?.length; here = moves.at(-1).end ?? (await this.position(moves.at(-1).position)))
      moves.push(here.moves[0]);
    return moves;
  }

  known = ([text]) => Promise.all([this.position(text).catch(({ message }) => ({ error: message }))]);

  reply = async (text) => (await this.position(text)).moves[0].move;
}

/** The outcome, unless it is undefined. */
const openOr = ({ value, over }) => ({ outcome: value === 1 ? "X" : value === -1 ? "O" : over ? "tie" : undefined });

/** A position without bids, since the game is over or its rules are not known. */
const ended = (state) => ({ ...state, position: state.state, ...openOr(state), to_move: null, player: null, moves: state.over ? [] : null });

/** A state as a position, in which the winner of the bids is to move. */
function told(state, bid, sale) {
  const { winner, placements, bid: paid, ...after } = state.sales[sale];
  const bidFaults = SIDES.map((side, number) => {
    const { guarantee, guarantee_exact: exact } = state.legal_bids[side].find((each) => each.bid === bid[number]);
    return same(guarantee, state.value) ? null : { side, text: `${side} bids ${bid[number]}, which is worth ${expected(guarantee, exact)} at worst` };
  });
  const moves = placements.map((each) => {
    const best = placements[0];
    const slip = !same(each.value, best.value) && { side: winner, text: `${winner} could have had ${expected(best.value, best.value_exact)} by ${called(best)}` };
    const faults = [...bidFaults, slip].filter(Boolean);
    return {
      ...each, ...openOr(each), end: each.over ? ended({ ...after, ...each }) : null, move: ((bid[0] * BIDS + bid[1]) * 2 + sale) * CODES + each.move, position: each.state, class: { state: each.state },
      value_for_mover: SIGN[winner] * each.value, delta_remoteness: null, nimber: null, games: null,
      optimal: !faults.length, faults, cost: faults.map(({ text }) => text).join("; "), step: `${winner} ${each.name || each.move} for ${paid}`,
    };
  });
  return { ...state, position: state.state, ...openOr(state), bid, sale, to_move: winner, player: winner, after, moves };
}

/** How often optimal play makes a bid, or null. */
const oftenOf = ({ probability, probability_exact: exact }) =>
  probability === 1 ? "optimal" : probability ? `${expected(probability, exact)} of the time` : null;

const same = (a, b) => Math.abs(a - b) < 1e-9;

/** The page, with the bids of both sides above the board. */
export class BiddingPage extends Page {
  kind = "bids";
  opponent = new Bidder(this);
  fillings = { bids: () => this.matrix() };

  /** Whether both have yet to bid, in a game against the computer. */
  get sealed() {
    return Boolean(this.opponent.game) && !this.line.here.made && Boolean(this.line.here.bid);
  }

  get shown() {
    return this.sealed ? { ...this.line.here, to_move: null, moves: null } : this.line.here;
  }

  outcome() {
    const said = worth({ ...this.solution, ...openOr(this.solution) }, this.solution);
    return said === "even" ? "it is even" : said;
  }

  saying(here, secret) {
    if (this.sealed) return "Both bid for the next move.";
    if (!here.bid) return super.saying(here, secret);
    const { bid: [x, o], advantage, to_move: winner, after } = here;
    const chips = after[`${winner.toLowerCase()}_chips`];
    const decided = x !== o ? "" : !advantage ? "a coin decides, " : advantage === winner ? "has the advantage, " : `${advantage} keeps the advantage, `;
    return `X bids ${x}, O ${o}: ${decided.startsWith("has") ? `${winner} ${decided}` : `${decided}${winner} `}moves and has ${counted(chips, "chip")} left.`;
  }

  explaining(here) {
    const open = here.moves.some(({ outcome }) => outcome === undefined) ? `; open: + better, = even, − worse for ${here.to_move}` : "";
    return `W win, L loss for ${here.to_move}${open}. Optimal bids have a green ring.`;
  }

  get asking() {
    return "Go to a state, as the game writes it";
  }

  told() {
    return [];
  }

  draw() {
    super.draw();
    const { here } = this.line;
    this.bids.replaceChildren(...SIDES.map((side, number) => this.purse(side, here, here.bid?.[number])), ...(here.bid ? this.choices(here) : []));
    if (this.sealed) this.moves.replaceChildren(element("p", {}, "Choose your bid, and bid."));
  }

  /** The chips of a side, and its bid. */
  purse(side, here, chosen) {
    const chips = here[`${side.toLowerCase()}_chips`];
    const words = `${named(side, this.solution)}: ${counted(chips, "chip")}${here.advantage === side ? " and the advantage" : ""}`;
    const game = this.opponent.game;
    const open = here.legal_bids && !(game && (game.side !== side || here.made));
    const picked = this.sealed ? this.opponent.bid : chosen;
    const chip = (each) => {
      const { bid } = each;
      const often = this.hides ? null : oftenOf(each);
      const change = () => (this.opponent.asked ? (this.opponent.bid = bid) : this.bid(side, bid));
      const label = `${side} bids ${bid}${often ? `, ${often}` : ""}`;
      return element("label", { class: `chip ${often ? "often" : ""}`, title: often },
        element("input", { type: "radio", name: `bid-${side}`, value: bid, checked: bid === picked, "aria-label": label, change }),
        element("span", {}, bid));
    };
    return element("fieldset", { class: `purse ${side === "X" ? "first" : "second"}` }, element("legend", {}, words),
      open ? element("div", { class: "chips" }, here.legal_bids[side].map(chip)) : this.sealed && element("span", { class: "muted" }, "bids in secret"));
  }

  /** A choice if equal bids leave open who moves; in a game, the button to bid. */
  choices(here) {
    if (this.sealed) return [button("Bid", () => this.reveal(), { class: "primary" })];
    if (here.sales.length < 2 || this.opponent.game) return [];
    return [element("div", { class: "row" }, here.sales.map(({ winner }, sale) =>
      button(`${winner} wins the move`, () => this.bid("X", here.bid[0], sale), { "aria-pressed": String(sale === here.sale) })))];
  }

  /** Reveal both bids, and put the focus where the game continues. */
  async reveal() {
    await this.opponent.reveal();
    (this.board.querySelector('[tabindex="0"]') ?? this.bids.querySelector("input"))?.focus();
  }

  /** Change the bid of a side. */
  bid(side, bid, sale = 0) {
    const { bid: [x, o] } = this.line.here;
    return this.bidden(side === "X" ? bid : x, side === "O" ? bid : o, sale);
  }

  async bidden(x, o, sale = 0, made = false) {
    const { line } = this;
    const focused = this.active?.closest?.(".purse") && [this.active.name, this.active.value];
    await this.go(async () => {
      const here = { ...(await this.source.choose(line.here, x, o, sale)), made };
      return new Line(this.source, [...line.positions.slice(0, line.at), here], line.moves.slice(0, line.at), line.at);
    });
    if (focused) this.bids.querySelector(`[name="${focused[0]}"][value="${focused[1]}"]`)?.focus();
  }

  /** The value of each pair of bids. */
  matrix() {
    const { here } = this.line;
    if (!here.bid) return element("p", {}, here.over ? "None: the game is over." : "The bids are not known without the rules of this game.");
    const how = (bid) => element("span", { class: "muted" }, ` ${oftenOf(bid) ?? expected(bid.guarantee, bid.guarantee_exact)}`);
    const cell = (x, o, row, column) => {
      const [value, exact] = [here.matrix[row][column], here.matrix_exact[row][column]];
      return button(expected(value, exact), () => this.bidden(x, o), {
        class: `pair ${value > 0 ? "X" : value < 0 ? "O" : "tie"}`, "aria-label": `X bids ${x}, O ${o}: ${expected(value, exact)}`, "aria-pressed": String(x === here.bid[0] && o === here.bid[1]) });
    };
    const rows = here.legal_bids.X.map((x, row) => [[`X ${x.bid}`, how(x)], here.legal_bids.O.map((o, column) => cell(x.bid, o.bid, row, column))]);
    const heads = ["", ...here.legal_bids.O.map((o) => [`O ${o.bid}`, how(o)])];
    return element("div", {},
      element("p", {}, `What each pair of bids is worth to X, from 1, a win, to −1, a loss. Next to a bid is how often optimal play makes it or, for others, what it is worth against the worst reply.`),
      scrolled("Pairs of bids", { class: "moves pairs" }, ...tableParts(heads, rows)));
  }
}

/** A game against optimal bids and moves. */
class Bidder extends Opponent {
  bid = 0;

  /** Whether the game waits for a bid of the player. */
  get asked() {
    return Boolean(this.game) && !this.page.line.here.made;
  }

  /** Reveal the player's bid and an optimal one of the computer. Whoever may choose after equal bids chooses the best. */
  async reveal() {
    const { page, game: { side } } = this;
    const { here } = page.line;
    const drawn = (bids, chance = Math.random()) => bids.find((each) => (chance -= each.probability) < 0) ?? bids.at(-1);
    const mine = Math.max(this.bid, here.legal_bids[side][0].bid);
    const other = drawn(here.bids[OTHER[side]]).bid;
    const [x, o] = side === "X" ? [mine, other] : [other, mine];
    this.bid = 0;
    const [first, second] = (await page.source.choose(here, x, o)).sales.map(({ placements: [best] }) => best.value);
    const better = here.advantage ? SIGN[here.advantage] * (second - first) > 0 : Math.random() < 0.5;
    await page.bidden(x, o, Number(second !== undefined && better), true);
    await this.turn();
  }

  /** Let the computer move if it has won the bids. */
  async turn() {
    const { page, page: { line: { here } } } = this;
    if (this.game && here.made && here.to_move && here.to_move !== this.game.side) await page.go(() => page.line.with([here.moves[0].move]));
  }

  told(line) {
    const { here, at } = line;
    const { bid: [x, o] = [] } = line.positions[at - 1] ?? {};
    const before = at > this.game.first ? `X bid ${x}, O ${o}: ${shown(line.played(at).step)}. ` : "";
    return before + (here.to_move && !here.made ? `You are ${named(this.game.side, this.page.solution)}: your bid.` : super.told(line));
  }

  given(line) {
    const own = (move) => move.faults.filter(({ side }) => side === this.game.side).map(({ text }) => text).join("; ");
    const all = mistakes(line, this.page.solution).map((each) => ({ ...each, cost: own(each.move) }));
    return givenAway(this.page, "your bids and moves", all.filter(({ place, cost }) => place > this.game.first && cost));
  }
}
