// Positions of a table that the page itself carries: the same answers as the server's, without one.

import { element } from "./elements.js";
import { explore } from "./explorer.js";
import { bytesOf, counted, findRows, readTable, TableMap } from "./table.js";
import { trapsOf, treeBelow } from "./table_search.js";

/** Plies that a line without an end is followed, and paths that are found where they are not counted. */
const LONGEST = 200;
const FEW = 10000;

/** Answers as those of `AskingSource`. A position is known by the row of its class, and the number of the symmetry through which it is seen. */
export class TableSource {
  /** Of a table; `file` gives the text of a page that begins with a line, and `beside` are the tables of other solutions. */
  constructor(table, file, beside = []) {
    Object.assign(this, { table, about: table.head.solution, file, beside, spots: new Map(), counts: null });
    /** When games and paths will have been counted; until then positions have none. */
    this.ready = this.about.counted ? counted(table).then((counts) => void (this.counts = counts)) : null;
  }

  async solution() {
    return this.about;
  }

  async others() {
    return this.beside.map((table) => ({ id: table.head.solution.id, game: table.head.solution.game, source: new TableSource(table) }));
  }

  async position(text) {
    return this.told(...this.spot(text));
  }

  async line(text, index, shortest) {
    const spot = this.spot(text);
    if (index === undefined) return this.bestLine(spot);
    await this.ready;
    const { count, number } = this.numbering(spot, shortest);
    if (!/^[0-9]+$/.test(index) || BigInt(index) >= count(spot[0]))
      throw new Error(`there is no path number ${index}; they are numbered from 0 to ${count(spot[0]) - 1n}`);
    return this.played(spot, number(BigInt(index)));
  }

  async paths(text, { limit, offset, sample, shortest }) {
    await this.ready;
    const spot = this.spot(text);
    const joined = (codes) => codes.join(this.about.separator);
    if (this.counts || (shortest && sample !== undefined && this.about.part.whole)) {
      const { count, number } = this.numbering(spot, shortest);
      const all = count(spot[0]);
      if (sample !== undefined) return { count: written(all), paths: Array.from({ length: sample }, () => joined(number(below(all)))) };
      const paths = [];
      for (let i = BigInt(offset); i < all && paths.length < limit; i++) paths.push(joined(number(i)));
      return { count: written(all), paths };
    }
    if (!this.about.part.whole) throw new Error("this page has a part of the game, so not all optimal lines are known here");
    if (offset + limit > FEW) throw new Error(`these paths are not counted; of such ones the first ${FEW} can be seen`);
    const paths = [];
    for (const path of this.walk(spot, offset + limit)) paths.push(joined(path));
    return { count: null, paths: paths.slice(offset) };
  }

  async known(texts) {
    return texts.map((text) => {
      try {
        return this.told(...this.spot(text));
      } catch (error) {
        return { error: error.message };
      }
    });
  }

  async fault(text) {
    return (await this.known([text]))[0].error ?? "";
  }

  async images(text) {
    if (!this.about.images_known) return null;
    const [row, symmetry] = this.spot(text);
    return this.table.head.symmetries.map((_, number) => {
      const image = this.table.product(number, symmetry);
      const position = this.text(row, image);
      this.spots.set(position, [row, image]);
      return { position, state: String(this.table.state(row, image)), grid: this.table.grid(this.table.head.symmetries[image].grid, row) };
    });
  }

  async map() {
    return this.ranked.told(this.about.tier_name);
  }

  async mapClass(tier, place) {
    const found = this.told(this.ranked.tiers.get(tier)[place], 0);
    const { position, grid, picture, caption, to_move, player, value, outcome, remoteness_plies } = found;
    return { tier, place, position, grid, picture, caption, to_move, player, value, outcome, remoteness_plies };
  }

  async mapPlace(text) {
    const [row] = this.spot(text);
    return this.mapClass(this.table.tier(row), this.ranked.places[row]);
  }

  get ranked() {
    return (this.rankedRows ??= new TableMap(this.table));
  }

  async tree(text) {
    return treeBelow(this, this.spot(text));
  }

  async random() {
    return this.told(Math.floor(Math.random() * this.table.size), 0);
  }

  /** The levels of play that a table is enough for. */
  levels = ["random", "perfect"];

  async traps(text, against) {
    return trapsOf(this, this.spot(text), against);
  }

  async reply(text, against) {
    const [row, symmetry] = this.spot(text);
    const moves = this.moves(row, symmetry);
    if (!moves?.length) throw new Error(moves ? `the game is over at ${text}: there is no reply` : `what follows ${text} is not in this page`);
    const { value, remoteness } = this.table;
    const best = moves[0]; // a won game that may return to a position is won as fast as it can be, as the server's level does
    const hurries = this.about.loopy && this.table.mover(row) * value[row] > 0;
    const preferred = moves.filter((move) => value[move.row] === value[row] && (!hurries || remoteness[move.row] === remoteness[best.row]));
    const chosen = against === "perfect" ? preferred : moves;
    return this.lineMove(row, chosen[Number(below(BigInt(chosen.length)))]);
  }

  async find(fields) {
    const { rows, complete } = findRows(this.table, fields);
    const positions = rows.map((row) => {
      const { to_move, value, outcome, remoteness_plies, continuations } = this.told(row, 0);
      return { ...this.classOf(row), to_move, value, outcome, remoteness_plies, orbit_size: this.table.orbitSize[row], continuations };
    });
    return { positions, complete, classes_seen: this.table.size };
  }

  /** Where the position of a text is: as the game writes it, or as the moves so far. Throws an error that says why not. */
  spot(text) {
    if (text === undefined) return [this.about.root, 0];
    for (const reading of this.readings(text)) {
      const found = this.spots.get(reading) ?? this.table.find(reading);
      if (found) {
        this.spots.set(reading, found);
        return found;
      }
    }
    return this.afterMoves(text);
  }

  /** A text as it is, and as the game would write it: with its capitals, marks of empty cells and blanks between rows. */
  *readings(text) {
    yield text;
    const columns = this.table.head.symmetries[0].position.slice(1);
    const between = (column) => column.length === 1 && (column[0] === "/" || column[0] === " ");
    const typed = [...text.replace(/[\s/]/g, "")];
    if (typed.length !== columns.filter((column) => !between(column)).length) return;
    let at = 0;
    yield columns.map((column) => (between(column) ? column[0] : asWritten(typed[at++], column))).join("");
  }

  /** The position after the moves of a text, from the start. */
  afterMoves(text) {
    const { separator } = this.about;
    const plain = text.trim().replace(/^moves:\s*/i, "");
    const neither = `${quoted(text)} is no position that this page has, and no moves from its start; positions are written like ${quoted(this.about.start)}`;
    const number = /^[0-9]+$/;
    if (number.test(this.about.start) && number.test(text.trim())) throw new Error(neither); // positions are numbers here
    let words = this.words(plain);
    if (words.length === 1) words = separator ? plain.split(separator) : /^[0-9]+$/.test(plain) ? [...plain] : words;
    if (!words.length && plain === text.trim()) throw new Error(neither);
    let spot = [this.about.root, 0];
    for (const [number, word] of words.entries()) {
      const moves = this.moves(...spot);
      const meant = moves?.find(({ name }) => name === word) ?? moves?.find(({ move, name }) => String(move) === word || name.toLowerCase() === word.toLowerCase());
      if (!meant && number === 0 && !/^[0-9]+$/.test(word)) throw new Error(neither);
      if (!meant) {
        const where = this.text(...spot);
        const why = moves === null ? `what follows ${where} is not in this page` : moves.length ? `${word} is not legal in ${where}` : `the game is over before it, in ${where}`;
        throw new Error(`move ${number + 1} of ${quoted(plain)}: ${why}`);
      }
      spot = [meant.row, meant.symmetry];
    }
    return spot;
  }

  /** The moves of a text: what is between commas, and between blanks unless all of it is the name of a move. */
  words(text) {
    const names = new Set(Object.values(this.table.head.names).map((name) => name.toLowerCase()));
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
    return parts.flatMap((part) => (names.has(part.toLowerCase()) ? [part] : part.split(/\s+/)));
  }

  text(row, symmetry) {
    return this.table.text(this.table.head.symmetries[symmetry].position, row);
  }

  /** The moves of a position, best first for the mover, each with the row and the symmetry that it leads to. */
  moves(row, symmetry) {
    const { table } = this;
    if (table.over(row)) return [];
    if (!table.expanded(row)) return null;
    const { cells } = table.head.symmetries[symmetry];
    const side = table.mover(row);
    const moves = table.moves(row, symmetry).map((move) => {
      const cell = table.ofMove(cells, move.edge);
      const value = side * table.value[move.row];
      const plies = table.remoteness[move.row] < 0 ? Infinity : table.remoteness[move.row];
      return { ...move, name: table.head.names[move.move], cell: cell < 0 ? null : cell, value, late: value >= 0 ? plies : -plies };
    });
    return moves.sort((a, b) => b.value - a.value || (a.late < b.late ? -1 : a.late > b.late ? 1 : 0)); // the sort is stable
  }

  /** Everything known of a position, as `/api/v1/ID/position` tells it. */
  told(row, symmetry) {
    const { table, about, counts } = this;
    const look = table.head.symmetries[symmetry];
    const position = this.text(row, symmetry);
    this.spots.set(position, [row, symmetry]);
    const over = table.over(row);
    const side = over ? null : table.mover(row) > 0 ? 0 : 1;
    const each = counts && counts.histories[row] / (table.head.classes ? 1n : BigInt(table.orbitSize[row]));
    return {
      position,
      state: String(table.state(row, symmetry)),
      grid: table.grid(look.grid, row),
      picture: table.text(look.picture, row),
      caption: table.text(look.caption, row),
      to_move: side === null ? null : "XO"[side],
      player: side === null ? null : about.players[side],
      ...this.worth(row),
      [about.tier_name]: table.tier(row),
      class: { ...this.classOf(row), orbit_size: table.orbitSize[row] || null, symmetry: about.symmetry.kind },
      histories: counts && written(each),
      games: counts && games(counts, row, each),
      continuations: counts && games(counts, row, 1n),
      optimal_paths: counts && written(counts.optimal[row]),
      shortest_paths: counts && written(counts.shortest[row]),
      moves: this.toldMoves(row, symmetry),
    };
  }

  worth(row) {
    const { table } = this;
    const value = table.value[row];
    const remoteness = table.remoteness[row] < 0 ? null : table.remoteness[row];
    const outcome = value > 0 ? "X" : value < 0 ? "O" : remoteness === null ? "draw" : "tie";
    return { value, outcome, remoteness_plies: remoteness, nimber: table.nimber ? table.nimber[row] : null };
  }

  classOf(row) {
    const { classes } = this.table.head;
    const position = classes ? this.table.text(classes, row) : this.text(row, 0);
    return { state: String(this.table.classStates[row]), position };
  }

  toldMoves(row, symmetry) {
    const { table, counts } = this;
    const side = table.mover(row);
    const moves = this.moves(row, symmetry);
    if (!moves) return null;
    const best = {};
    const resultOf = ({ value, outcome }) => (value * side > 0 ? "win" : value * side < 0 ? "lose" : outcome);
    const worths = moves.map((move) => this.worth(move.row));
    for (const worth of worths) (best[resultOf(worth)] ??= []).push(worth.remoteness_plies);
    const lost = (worth) => {
      const [result, plies] = [resultOf(worth), worth.remoteness_plies];
      if (plies === null) return null;
      return result === "lose" ? Math.max(...best[result]) - plies : plies - Math.min(...best[result]);
    };
    return moves.map(({ move, name, cell, row: next, symmetry: seen }, number) => {
      const { value, outcome, remoteness_plies, nimber } = worths[number];
      const position = this.text(next, seen);
      this.spots.set(position, [next, seen]);
      return {
        move, name, cell, position, state: String(table.state(next, seen)), class: this.classOf(next), value,
        value_for_mover: side * value, outcome, remoteness_plies, delta_remoteness: lost(worths[number]),
        optimal: value === table.value[row], nimber, games: counts && games(counts, next, 1n),
        optimal_paths: counts && written(counts.optimal[next]),
      };
    });
  }

  /** Always the first of the best moves, to the end, or to where the line returns to one of its positions. */
  bestLine(spot) {
    const line = [];
    const seen = new Set();
    for (let [row, symmetry] = spot; ; ) {
      const state = this.table.state(row, symmetry);
      if (seen.has(state)) return line;
      seen.add(state);
      const moves = this.moves(row, symmetry);
      if (!moves?.length || (this.table.remoteness[row] < 0 && seen.size > LONGEST)) return line;
      line.push(this.lineMove(row, moves[0]));
      [row, symmetry] = [moves[0].row, moves[0].symmetry];
    }
  }

  played([row, symmetry], codes) {
    return codes.map((code) => {
      const move = this.moves(row, symmetry).find((each) => each.move === code);
      const told = this.lineMove(row, move);
      [row, symmetry] = [move.row, move.symmetry];
      return told;
    });
  }

  lineMove(before, { move, name, row, symmetry }) {
    const { value, remoteness_plies } = this.worth(row);
    return { move, name, position: this.text(row, symmetry), value, remoteness_plies, optimal: value === this.table.value[before] };
  }

  /** The moves that paths go on with, by ascending code. */
  leads(row, symmetry, shortest) {
    const { value, remoteness } = this.table;
    const moves = this.moves(row, symmetry) ?? [];
    return moves
      .filter((move) => value[move.row] === value[row] && (!shortest || remoteness[move.row] + 1 === remoteness[row]))
      .sort((a, b) => a.move - b.move);
  }

  /** How many paths there are from a class, and the codes of the one with a number, as functions. */
  numbering(spot, shortest) {
    const known = new Map();
    const here = (row) => {
      if (this.counts) return (shortest ? this.counts.shortest : this.counts.optimal)[row];
      if (!known.has(row)) {
        const leads = this.leads(row, 0, shortest);
        known.set(row, this.table.over(row) ? 1n : leads.reduce((sum, move) => sum + here(move.row), 0n));
      }
      return known.get(row);
    };
    const number = (left) => {
      const codes = [];
      let [row, symmetry] = spot;
      while (!this.table.over(row))
        for (const move of this.leads(row, symmetry, shortest)) {
          const under = here(move.row);
          if (left < under) {
            codes.push(move.move);
            [row, symmetry] = [move.row, move.symmetry];
            break;
          }
          left -= under;
        }
      return codes;
    };
    return { count: here, number };
  }

  /** The first shortest paths, one by one. */
  *walk([row, symmetry], most, before = []) {
    if (this.table.over(row)) return yield before;
    let left = most;
    for (const move of this.leads(row, symmetry, true))
      for (const path of this.walk([move.row, move.symmetry], left, [...before, move.move])) {
        yield path;
        if (--left === 0) return;
      }
  }
}

function games({ X, O, tie }, row, times) {
  const numbers = [X[row], O[row], tie[row]].map((number) => number * times);
  const [x, o, t] = numbers.map(written);
  return { X: x, O: o, tie: t, total: written(numbers[0] + numbers[1] + numbers[2]) };
}

/** A whole number as the server writes it: as a text where JavaScript's numbers would round it. */
const written = (number) => (number < 2n ** 53n ? Number(number) : String(number));

/** A whole number from 0 on below another, each as likely. */
function below(limit) {
  const words = Math.ceil(limit.toString(2).length / 32) + 1;
  const drawn = crypto.getRandomValues(new Uint32Array(words)).reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return (drawn * limit) >> BigInt(32 * words);
}

function asWritten(typed, column) {
  const things = column.length === 1 ? column : column.slice(1);
  if (things.includes(typed)) return typed;
  const other = /[.?_-]/.test(typed) ? "?" : typed.toUpperCase();
  return things.includes(other) ? other : typed;
}

const quoted = (text) => `'${text.length > 40 ? text.slice(0, 40) + "..." : text}'`;

/** Begin in a file: what it carries becomes a page to walk through. */
export async function start() {
  const main = document.getElementById("main");
  try {
    const texts = [...document.querySelectorAll("script.table")].map((each) => each.textContent.trim());
    const [table, ...beside] = await Promise.all(texts.map((text) => readTable(bytesOf(text))));
    const { line } = main.dataset;
    await explore(main, new TableSource(table, copyOf, beside), { line, linked: location.protocol !== "about:" });
  } catch (error) {
    main.prepend(element("p", { class: "error" }, error.message));
  }
}

/** The text of this file, beginning with a line. */
async function copyOf(line) {
  const copy = document.documentElement.cloneNode(true);
  const inside = copy.querySelector("#main");
  inside.replaceChildren();
  inside.dataset.line = line.hash;
  return "<!doctype html>\n" + copy.outerHTML + "\n";
}
