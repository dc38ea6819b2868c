// The server's answers without a server, looked up in the table that a file carries.

import { AskingSource } from "./asking_source.js";
import { element, lateness } from "./elements.js";
import { explore } from "./explorer.js";

/** Limit on the positions of a tree, as on the server. */
const MOST_POSITIONS = 100000;

/** What columns have of positions and of classes, by the names of answers. */
const LOOK = ["grid", "picture", "caption"];
const WORTH = ["value", "outcome", "remoteness_plies"];
const FACTS = ["to_move", "terminal", ...WORTH, "nimber", "histories", "optimal_paths"];

/** The table in a text, as `table.py` packs it. */
export async function unpacked(text) {
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const plain = await new Response(stream).text().catch(() => {
    throw new Error("this file is damaged; get it or write it again");
  });
  const [head, ...lines] = plain.split("\n");
  return { ...JSON.parse(head), lines };
}

/** A source that looks answers up in a table, where a position is known by its row. */
export class FileSource extends AskingSource {
  constructor({ solution, moves, columns, lines, tiers }) {
    super();
    Object.assign(this, { about: solution, tiers, columns: {}, wholes: {}, following: [], rows: new Map() });
    for (const [name, number] of columns) this.columns[name] = lines.splice(0, number);
    for (const [code, [name, before, after, cells]] of Object.entries(moves)) {
      let [row, next] = [0, 0];
      for (const [edge, by] of before.entries()) {
        [row, next] = [row + by, next + after[edge]];
        (this.following[row] ??= []).push({ move: Number(code), name, row: next, cell: cells?.[edge] });
      }
    }
  }

  /** The levels that need no more than a table. */
  levels = ["random", "perfect"];

  answers = {
    "": () => this.about,
    "/position": ({ p }) => this.told(this.row(p)),
    "/line": ({ p, moves }) => this.lineFrom(this.row(p), moves),
    "/map": () => ({ tier_name: this.about.tier_name, tiers: this.tiers, complete: true }),
    "/map/class": ({ tier, place }) => this.placed(this.tiers.find((each) => each.tier === tier).first + place),
    "/map/place": ({ p }) => this.placed(this.at("class", this.row(p))),
    "/tree": ({ p }) => this.treeFrom(this.row(p)),
    "/find": (fields) => this.matching(fields),
    "/reply": ({ p, against }) => ({ move: this.replyTo(this.row(p), against) }),
  };

  async fetched(path, fields) {
    return this.answers[path](fields);
  }

  // Positions ---------------------------------------------------------------------------------------------------------

  /** What a column has in a row; null if there is no such column. */
  at(name, row) {
    const lines = this.columns[name];
    return lines ? JSON.parse(lines.map((line) => line[row]).join("")) : null;
  }

  /** All of a column. */
  all(name) {
    return (this.wholes[name] ??= Array.from(this.columns[name][0], (_, row) => this.at(name, row)));
  }

  several = (names, row) => Object.fromEntries(names.map((name) => [name, this.at(name, row)]));

  /** The text of a position, which is understood from then on. */
  text(row) {
    const text = this.at("position", row);
    this.rows.set(text, row);
    return text;
  }

  told(row) {
    const own = this.at("class", row);
    const facts = this.several(FACTS, own);
    return {
      ...this.several(LOOK, row), ...facts, position: this.text(row), state: String(row), class: { state: String(own) },
      player: facts.terminal ? null : this.about.players[facts.to_move > 0 ? 0 : 1],
      ...this.games(own),
      moves: !facts.terminal && !this.following[row] ? null : this.moves(row),
    };
  }

  /** The games from a class on. */
  games(own) {
    const counts = this.several(["games_x", "games_o", "games_tie"], own);
    const games = this.about.counted ? written(Object.values(counts).reduce((sum, number) => sum + BigInt(number), 0n)) : null;
    return { games, ...counts };
  }

  /** The moves of a position, best first, each with the row after it. */
  moves(row) {
    const { value, to_move: side } = this.several(["value", "to_move"], this.at("class", row));
    const moves = (this.following[row] ?? []).map(({ row: next, cell = this.cell(row, next), ...move }) => {
      const own = this.at("class", next);
      const worth = this.several(WORTH, own);
      return {
        ...move, row: next, cell, position: this.text(next), class: { state: String(own) }, ...worth, value_for_mover: side * worth.value || 0,
        optimal: worth.value === value, nimber: this.at("nimber", own), ...this.games(own), optimal_paths: this.at("optimal_paths", own),
      };
    });
    return moves.sort((a, b) => b.value_for_mover - a.value_for_mover || lateness(a) - lateness(b) || 0); // the sort is stable
  }

  /** The cell that a move fills or else changes, as `Game.cell_of` finds it; null unless it is a single one. */
  cell(row, next) {
    const [before, after] = [this.at("grid", row), this.at("grid", next)];
    if (!before || !after || before.map(({ length }) => length).join() !== after.map(({ length }) => length).join()) return null;
    const [old, marks] = [before, after].map((grid) => grid.flatMap((line) => [...line])); // a line may be a text
    const changed = [...marks.keys()].filter((cell) => marks[cell].trim() && marks[cell] !== old[cell]);
    const filled = changed.filter((cell) => !old[cell].trim());
    return [filled, changed].find(({ length }) => length === 1)?.[0] ?? null;
  }

  /** The row of a position, written as the game writes it or as the moves so far. Throws an error that says what is wrong. */
  row(text) {
    const { root, start } = this.about;
    if (text === undefined) return root;
    if (!this.rows.has(text)) for (const make of [plainly, String]) this.all("position").forEach((each, row) => this.rows.set(make(each), row));
    const number = /^[0-9]+$/; // where positions are numbers, one by itself is no move
    const played = number.test(start) && number.test(text.trim()) ? { wrong: true } : this.played(root, text);
    const found = this.rows.get(text) ?? this.rows.get(plainly(text)) ?? (played.wrong ? undefined : played.rows.at(-1));
    if (found !== undefined) return found;
    throw new Error(`'${text.slice(0, 40)}' is neither a position that this page has, nor moves from its start; positions are written like '${start}'`);
  }

  /** The rows and codes of moves, given by names, codes or cells, as far as they can be played, and what is `wrong` with the next one. */
  played(root, text) {
    const ways = [/[\s,]+/, this.about.separator || /(?=\d)|-/, /(?<=\d)(?=[a-z])/i].map((between) => {
      const [rows, codes] = [[root], []];
      for (const word of text.trim().split(between).filter(Boolean)) {
        const next = this.meant(rows.at(-1), word.toLowerCase());
        if (!next) return { rows, codes, wrong: `after ${codes.length} moves there is no move ${word.slice(0, 40)}` };
        rows.push(next.row);
        codes.push(next.move);
      }
      return { rows, codes };
    });
    return ways.find(({ wrong }) => !wrong) ?? ways.toSorted((a, b) => b.codes.length - a.codes.length)[0];
  }

  /** A move, given by its name or code or, unless names look like cells, by the name of its cell. */
  meant(row, word) {
    const moves = this.following[row] ?? [];
    const plain = moves.find(({ move, name }) => name.toLowerCase() === word || String(move) === word);
    const [, letter, number] = /^([a-z])(\d+)$/.exec(word) ?? [];
    if (plain || !letter || moves.some(({ name }) => /^[a-z]\d+$/i.test(name))) return plain;
    const grid = this.at("grid", row) ?? [];
    const cell = (this.about.board?.from_bottom ? grid.length - number : number - 1) * grid[0]?.length + letter.charCodeAt(0) - 97;
    return moves.find((move) => (move.cell === undefined ? this.cell(row, move.row) : move.cell) === cell);
  }

  lineFrom(root, text) {
    const { rows, codes, wrong } = this.played(root, text);
    return { positions: rows.map((row) => this.told(row)), moves: codes, wrong };
  }

  // The map, searches, and play -----------------------------------------------------------------------------------------

  placed(own) {
    const { tier, first } = this.tiers.findLast(({ first }) => first <= own);
    return { ...this.told(this.at("member", own)), tier, place: own - first };
  }

  /** The positions that puzzles ask for: a `remoteness_plies` is the least one. */
  matching({ where = "", order, limit }) {
    const terms = new Map(where.split(" and ").map((term) => term.split(/ ?[>!]?= ?/)));
    const [side, value, remoteness, only] = [terms.get("to_move"), terms.get("value"), terms.get("remoteness_plies"), terms.has("only_move")];
    const [movers, ended, outcomes, plies, values, own] = ["to_move", "terminal", "outcome", "remoteness_plies", "value", "class"].map((name) => this.all(name));
    const keeping = (moves, each) => moves.filter(({ row }) => values[own[row]] === values[each]).length;
    const mine = (each) => Math.sign(values[each]) * movers[each];
    const suits = (each) => (value === "win" ? mine(each) > 0 : value === "loss" ? mine(each) >= 0 : outcomes[each] === value); // "value != loss"
    const wanted = ({ each, moves }) =>
      (!side || (!ended[each] && movers[each] === (side === "X" ? 1 : -1))) && (!value || suits(each))
      && (!remoteness || plies[each] >= Number(remoteness)) && (!only || (moves?.length > 1 && keeping(moves, each) === 1));
    const keys = {
      errs: ({ each, moves }) => (moves ? keeping(moves, each) / moves.length : Infinity),
      remoteness: ({ each }) => -(plies[each] ?? -Infinity),
      random: Math.random,
    };
    const found = this.all("member").map((row, each) => ({ row, each, moves: this.following[row] })).filter(wanted);
    for (const one of found) one.key = order ? keys[order](one) : 0;
    found.sort((a, b) => a.key - b.key || a.row - b.row);
    return { positions: found.slice(0, limit).map(({ row }) => ({ position: this.text(row) })), complete: this.about.part.whole };
  }

  /** The positions below one: moves lead to greater rows. */
  treeFrom(root) {
    if (this.about.loopy) throw new Error("play can return to a position in this game, so the tree below one has no end to search to");
    const below = new Set([root]);
    for (let row = root; row < this.columns.class[0].length; row++) if (below.has(row)) for (const move of this.following[row] ?? []) below.add(move.row);
    if (below.size > MOST_POSITIONS)
      throw new Error(`more than ${MOST_POSITIONS.toLocaleString("en")} positions follow this one, too many to search through here: play some moves first`);
    const rows = [...below].sort((a, b) => a - b);
    const classes = rows.map((row) => this.at("class", row));
    const sides = classes.map((own) => (this.at("terminal", own) ? 0 : this.at("to_move", own)));
    if (rows.some((row, number) => sides[number] && !this.following[row])) throw new Error("this page has a part of the game, and not all that follows this position is in it");
    const numbers = new Map(rows.map((row, number) => [row, number]));
    const moves = rows.map((row) => this.following[row] ?? []);
    return {
      payoffs: this.about.payoffs,
      positions: rows.map((row) => this.text(row)),
      sides,
      values: classes.map((own) => this.at("value", own)),
      branching: moves.map(({ length }) => length),
      codes: moves.flat().map(({ move }) => move),
      children: moves.flat().map(({ row }) => numbers.get(row)),
      names: Object.fromEntries(moves.flat().map(({ move, name }) => [move, name])),
    };
  }

  /** A move at random among all or, for perfect play, among those that keep the value; a win in a loopy game is not put off for ever. */
  replyTo(row, against) {
    const moves = this.moves(row);
    const hurries = this.about.loopy && moves[0].value_for_mover > 0;
    const good = against === "perfect" ? moves.filter((move) => move.optimal && (!hurries || move.remoteness_plies === moves[0].remoteness_plies)) : moves;
    return good[Math.floor(Math.random() * good.length)];
  }
}

/** A whole number as the server writes it: as text if JavaScript would round it. */
const written = (number) => (number < 2n ** 53n ? Number(number) : String(number));

/** A position without what people may type differently: capitals, marks of empty cells, and separators of rows. */
const plainly = (text) => text.replace(/[\s/]/g, "").replace(/[._-]/g, "?").toUpperCase();

/** Begin in a file: read its table, and show the page. */
export async function start() {
  const main = document.getElementById("main");
  try {
    const table = await unpacked(document.querySelector("script.table").textContent.trim());
    await explore(main, new FileSource(table), { linked: location.protocol !== "about:" });
  } catch (error) {
    main.prepend(element("p", { class: "error" }, error.message));
  }
}
