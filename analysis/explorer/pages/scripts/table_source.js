// Positions of a table that the page itself carries: the same answers as the server's, without one.

import { counted } from "./counting.js";
import { findRows } from "./finding.js";
import { TableMap } from "./table_map.js";
import { trapsOf } from "./table_traps.js";
import { treeBelow } from "./table_tree.js";

/** Plies that a line without an end is followed, and paths that are found where they are not counted. */
const LONGEST = 200;
const FEW = 10000;

/** A position: the row of its class, and the number of the symmetry through which it is seen. */
export class TableSource {
  /** Of a table; `file` gives the text of a page that begins with a line, and `beside` are the tables of other solutions. */
  constructor(table, file, beside = []) {
    this.table = table;
    this.about = table.head.solution;
    this.file = file;
    this.beside = beside;
    this.spots = new Map();
    this.counts = null;
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

  /** The moves of the line of best play or, with a number, of an optimal path. */
  async line(text, index, shortest) {
    const spot = this.spot(text);
    if (index === undefined) return this.bestLine(spot);
    await this.ready;
    const { count, number } = this.numbering(spot, shortest);
    if (!/^[0-9]+$/.test(index) || BigInt(index) >= count(spot[0]))
      throw new Error(`there is no path number ${index}; they are numbered from 0 to ${count(spot[0]) - 1n}`);
    return this.played(spot, number(BigInt(index)));
  }

  /** Optimal paths, or only the `shortest` of them: `limit` from `offset` on, or a `sample`. */
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

  /** Some positions by their texts; of a text that is none, why not as `error`. */
  async known(texts) {
    return texts.map((text) => {
      const error = this.misread(text);
      return error ? { error } : this.told(...this.spot(text));
    });
  }

  /** What is wrong with a text as a position, or nothing. */
  async fault(text) {
    return this.misread(text);
  }

  misread(text) {
    try {
      this.spot(text);
      return "";
    } catch (error) {
      return error.message;
    }
  }

  /** The images of a position under each symmetry, or null where the rules alone know them. */
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

  /** The runs of all tiers. */
  async map() {
    return this.ranked.told(this.about.tier_name);
  }

  /** The class at a place of a tier. */
  async mapClass(tier, place) {
    return this.toldClass(tier, place, this.ranked.tiers.get(tier)[place]);
  }

  /** The class of a position, and its place. */
  async mapPlace(text) {
    const [tier, place] = this.ranked.placeOf(this.spot(text)[0]);
    return this.mapClass(tier, place);
  }

  get ranked() {
    return (this.rankedRows ??= new TableMap(this.table));
  }

  toldClass(tier, place, row) {
    const { position, grid, picture, caption, to_move, player, value, outcome, remoteness_plies } = this.told(row, 0);
    return { tier, place, position, grid, picture, caption, to_move, player, value, outcome, remoteness_plies };
  }

  /** All positions below one and the moves between them. */
  async tree(text) {
    return treeBelow(this, this.spot(text));
  }

  /** A position drawn by chance. */
  async random() {
    return this.told(Math.floor(Math.random() * this.table.size), 0);
  }

  /** The levels of play that a table is enough for. */
  get levels() {
    return ["random", "perfect"];
  }

  /** The traps of a position, where one of these levels replies. */
  async traps(text, against) {
    return trapsOf(this, this.spot(text), against);
  }

  /** What one of these levels plays in a position. */
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

  /** Classes by what is known of them, see `findRows`. */
  async find(fields) {
    const { rows, complete } = findRows(this.table, fields);
    const positions = rows.map((row) => {
      const { to_move, orbit_size, continuations } = { ...this.told(row, 0), orbit_size: this.table.orbitSize[row] };
      const { nimber, ...worth } = this.worth(row);
      return { ...this.classOf(row), to_move, ...worth, orbit_size, continuations };
    });
    return { positions, complete, classes_seen: this.table.size };
  }

  // Positions by their texts --------------------------------------------------------------------------------------------

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

  // What is known of a position -----------------------------------------------------------------------------------------

  text(row, symmetry) {
    return this.table.text(this.table.head.symmetries[symmetry].position, row);
  }

  /** The moves of a position, best first for the mover, each with the row and the symmetry that it leads to. */
  moves(row, symmetry) {
    const { table } = this;
    if (table.over(row)) return [];
    if (!table.expanded(row)) return null;
    const { codes, cells } = table.head.symmetries[symmetry];
    const moves = [];
    for (let edge = table.first[row]; edge < table.first[row + 1]; edge++) {
      const cell = table.ofMove(cells, edge);
      const code = table.ofMove(codes, edge);
      const next = table.product(symmetry, table.symmetry ? table.symmetry[edge] : 0);
      moves.push({ move: code, name: table.head.names[code], cell: cell < 0 ? null : cell, row: table.after[edge], symmetry: next });
    }
    const side = table.mover(row);
    const key = (move) => {
      const value = side * table.value[move.row];
      const plies = table.remoteness[move.row] < 0 ? Infinity : table.remoteness[move.row];
      return [-value, value >= 0 ? plies : -plies, move.move];
    };
    return moves.map((move) => [key(move), move]).sort(([a], [b]) => compared(a, b)).map(([, move]) => move);
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

  // Lines and paths -----------------------------------------------------------------------------------------------------

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

const compared = (a, b) => {
  const place = a.findIndex((number, i) => number !== b[i]);
  return place < 0 ? 0 : a[place] - b[place];
};

const quoted = (text) => `'${text.length > 40 ? text.slice(0, 40) + "..." : text}'`;
