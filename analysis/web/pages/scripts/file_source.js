// The server's answers without a server, looked up in the table that a file carries.

import { AskingSource } from "./asking_source.js";
import { element, resultOf } from "./elements.js";
import { explore } from "./explorer.js";

/** Limits on the plies of an endless line, and on the positions of a tree, as on the server. */
const LONGEST = 200;
const MOST_POSITIONS = 100000;

/** What columns have of positions and of classes, by the names of answers. */
const LOOK = ["position", "grid", "picture", "caption"];
const WORTH = ["value", "outcome", "remoteness_plies"];
const FACTS = ["to_move", ...WORTH, "nimber", "histories", "optimal_paths", "shortest_paths"];

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

/** A source that looks answers up in a table. A position is known by its row. */
export class FileSource extends AskingSource {
  /** `file(line)` gives the text of a page that begins with a line. */
  constructor({ solution, moves, columns, lines, ...head }, file) {
    super();
    Object.assign(this, head, { about: solution, file, columns: {}, wholes: {}, following: [], rows: new Map(), counted: new Map() });
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
    "/line": ({ p }) => ({ moves: this.bestLine(this.row(p)) }),
    "/paths": (fields) => this.somePaths(this.row(fields.p), fields),
    "/map": () => ({ tier_name: this.about.tier_name, tiers: this.tiers, complete: true }),
    "/map/class": ({ tier, place }) => this.placed(this.tiers.find((each) => each.tier === tier).first + place),
    "/map/place": ({ p }) => this.placed(this.classOf(this.row(p))),
    "/tree": ({ p }) => this.treeFrom(this.row(p)),
    "/random": () => this.told(drawn(this.all("member"))), // each class as likely as any other
    "/find": (fields) => this.matching(fields),
    "/reply": ({ p, against }) => ({ move: this.replyTo(this.row(p), against) }),
  };

  async fetched(path, fields) {
    return this.answers[path](fields);
  }

  known = (text) => this.position(text).catch(({ message }) => ({ error: message }));

  // The table ---------------------------------------------------------------------------------------------------------

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

  /** The state of a position, by hexadecimal digits, which compress better than decimal ones. */
  stateOf = (row) => BigInt("0x" + this.at("state", row));

  look = (row) => ({ ...this.several(LOOK, row), state: String(this.stateOf(row)) });

  classOf = (row) => this.at("class", row);

  /** What a column of classes has for a position. */
  fact = (name, row) => this.at(name, this.classOf(row));

  /** The text of a position, which is understood from then on. */
  text(row) {
    const text = this.at("position", row);
    this.rows.set(text, row);
    return text;
  }

  // Positions ---------------------------------------------------------------------------------------------------------

  told(row) {
    const { players, symmetry, tier_name: tier } = this.about;
    const own = this.classOf(row);
    const facts = this.several(FACTS, own);
    this.text(row);
    return {
      ...this.look(row),
      ...facts,
      player: facts.to_move && players["XO".indexOf(facts.to_move)],
      [tier]: this.tierOf(own).tier,
      class: { ...this.named(own), orbit_size: this.at("orbit_size", own), symmetry: symmetry.kind },
      games: facts.histories === null ? null : this.games(own, facts.histories),
      continuations: this.games(own),
      moves: facts.to_move && !this.following[row] ? null : this.moves(row).map(({ row, late, ...move }) => move),
    };
  }

  tierOf = (own) => this.tiers.findLast(({ first }) => first <= own);

  /** The canonical position of a class. */
  named(own) {
    const member = this.at("member", own);
    return { state: this.at("class_state", own) ?? String(this.stateOf(member)), position: this.at("class_position", own) ?? this.at("position", member) };
  }

  /** The games from a class on, each so many times. */
  games(own, times = 1) {
    if (!this.about.counted) return null;
    const [X, O, tie] = ["games_x", "games_o", "games_tie"].map((name) => BigInt(this.at(name, own)) * BigInt(times));
    return { X: written(X), O: written(O), tie: written(tie), total: written(X + O + tie) };
  }

  /** The moves of a position, best first, each with the row after it. */
  moves(row) {
    const { value, to_move: side } = this.several(["value", "to_move"], this.classOf(row));
    if (side && !this.following[row]) throw new Error(`what follows ${this.text(row)} is not in this page`);
    const moves = (this.following[row] ?? []).map(({ row: next, cell = this.cell(row, next), ...move }) => {
      const own = this.classOf(next);
      const worth = this.several(WORTH, own);
      const mine = side === "X" ? worth.value : -worth.value;
      return {
        ...move, row: next, cell, position: this.text(next), state: String(this.stateOf(next)), class: this.named(own), ...worth,
        value_for_mover: mine || 0, late: (worth.remoteness_plies ?? Infinity) * (mine < 0 ? -1 : 1), optimal: worth.value === value,
        nimber: this.at("nimber", own), games: this.games(own), optimal_paths: this.at("optimal_paths", own),
      };
    });
    for (const move of moves) {
      const alike = moves.filter((other) => resultOf(other) === resultOf(move));
      move.delta_remoteness = move.remoteness_plies === null ? null : move.late - Math.min(...alike.map(({ late }) => late));
    }
    return moves.sort((a, b) => b.value_for_mover - a.value_for_mover || a.late - b.late || 0); // the sort is stable
  }

  /** The cell that a move fills or else changes, as `Game.cell_of` finds it; null unless it is a single one. */
  cell(row, next) {
    const [before, after] = [this.at("grid", row), this.at("grid", next)];
    if (!before || !after || before.map(({ length }) => length).join() !== after.map(({ length }) => length).join()) return null;
    const [old, marks] = [before.flat(), after.flat()];
    const changed = [...marks.keys()].filter((cell) => marks[cell].trim() && marks[cell] !== old[cell]);
    const filled = changed.filter((cell) => !old[cell].trim());
    return [filled, changed].find(({ length }) => length === 1)?.[0] ?? null;
  }

  /** The row of a position, written as the game writes it or as the moves so far. Throws an error that says what is wrong. */
  row(text) {
    const { root, start, separator } = this.about;
    if (text === undefined) return root;
    if (!this.rows.has(text)) this.all("position").forEach((each, row) => this.rows.set(each, row));
    const plain = plainly(text);
    const found = this.rows.get(text) ?? this.rows.get([...this.rows.keys()].find((each) => plainly(each) === plain));
    if (found !== undefined) return found;
    const typed = text.trim().replace(/^moves:\s*/i, "");
    const numbers = /^[0-9]+$/; // where positions are numbers, one by itself is no move
    const ways = numbers.test(start) && numbers.test(text.trim()) ? [] : [/\s*,\s*/, /[\s,]+/, separator].map((between) => typed.split(between).filter(Boolean));
    const played = ways.map((words) => words.reduce((row, word) => this.meant(row, word), root)).find((row) => row !== undefined);
    if (played !== undefined && (typed || typed !== text.trim())) return played;
    throw new Error(`${quoted(text)} is neither a position that this page has, nor moves from its start; positions are written like ${quoted(start)}`);
  }

  /** The row after a move, given by its name or code. */
  meant(row, word) {
    const moves = this.following[row] ?? [];
    const same = ({ move, name }) => String(move) === word || name.toLowerCase() === word.toLowerCase();
    return (moves.find(({ name }) => name === word) ?? moves.find(same))?.row;
  }

  // Lines and paths ---------------------------------------------------------------------------------------------------

  /** Always the best move, to the end, or until a position occurs again. */
  bestLine(row) {
    const line = [];
    const most = this.fact("remoteness_plies", row) ?? LONGEST;
    for (const seen = new Set(); this.following[row] && !seen.has(row) && seen.size < most; row = line.at(-1).row) {
      seen.add(row);
      line.push(this.moves(row)[0]);
    }
    return line;
  }

  somePaths(row, { limit, offset = 0, shortest }) {
    const number = Math.min(limit, Math.max(0, Number(this.pathsFrom(row, shortest)) - offset));
    const paths = Array.from({ length: number }, (_, i) => this.path(row, offset + i, shortest).map(({ move }) => move).join(this.about.separator));
    return { count: this.fact(pathColumn(shortest), row), paths };
  }

  /** The moves that continue paths, by ascending code. */
  leads(row, shortest) {
    const before = this.fact("remoteness_plies", row);
    return this.moves(row).filter((move) => move.optimal && (!shortest || move.remoteness_plies + 1 === before)).sort((a, b) => a.move - b.move);
  }

  /** The number of paths from a position; those that the solution does not count, such as the shortest of a loopy game, are counted here. */
  pathsFrom(row, shortest) {
    if (this.fact("remoteness_plies", row) === null) throw new Error(`play need not end from ${this.text(row)}, so no optimal path leads to an end`);
    const known = this.fact(pathColumn(shortest), row) ?? this.counted.get(row);
    if (known !== undefined) return BigInt(known);
    const leads = this.leads(row, shortest);
    const count = leads.length ? leads.reduce((sum, move) => sum + this.pathsFrom(move.row, shortest), 0n) : 1n;
    this.counted.set(row, count);
    return count;
  }

  /** The moves of the path with a number. */
  path(row, number, shortest) {
    const path = [];
    for (let left = BigInt(number), leads; (leads = this.leads(row, shortest)).length; { row } = path.at(-1))
      for (const move of leads) {
        const under = this.pathsFrom(move.row, shortest);
        if (left < under) {
          path.push(move);
          break;
        }
        left -= under;
      }
    return path;
  }

  // The map, and searches ---------------------------------------------------------------------------------------------

  placed(own) {
    const { tier, first } = this.tierOf(own);
    return { ...this.told(this.at("member", own)), tier, place: own - first };
  }

  /** The positions that puzzles ask for: a `remoteness` is the least one. */
  matching({ to_move: side, value, remoteness, only_move: only, order, limit }) {
    const [movers, outcomes, plies, values, own] = ["to_move", "outcome", "remoteness_plies", "value", "class"].map((name) => this.all(name));
    const keeping = (moves, each) => moves.filter(({ row }) => values[own[row]] === values[each]).length;
    const wanted = ({ each, moves }) =>
      (!side || movers[each] === side) && (!value || outcomes[each] === value)
      && (!remoteness || plies[each] >= parseInt(remoteness, 10)) && (!only || (moves?.length > 1 && keeping(moves, each) === 1));
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
    const sides = rows.map((row) => ({ X: 1, O: -1 })[this.fact("to_move", row)] ?? 0);
    if (rows.some((row, number) => sides[number] && !this.following[row])) throw new Error("this page has a part of the game, and not all that follows this position is in it");
    const numbers = new Map(rows.map((row, number) => [row, number]));
    const moves = rows.map((row) => this.following[row] ?? []);
    return {
      payoffs: this.about.payoffs,
      positions: rows.map((row) => this.text(row)),
      sides,
      values: rows.map((row) => this.fact("value", row)),
      branching: moves.map(({ length }) => length),
      codes: moves.flat().map(({ move }) => move),
      children: moves.flat().map(({ row }) => numbers.get(row)),
      names: Object.fromEntries(moves.flat().map(({ move, name }) => [move, name])),
    };
  }

  // Play ---------------------------------------------------------------------------------------------------

  /** A move at random among all or, for perfect play, among those that keep the value; a win in a loopy game is not put off for ever. */
  replyTo(row, against) {
    const moves = this.moves(row);
    const hurries = this.about.loopy && moves[0].value_for_mover > 0;
    return drawn(against === "perfect" ? moves.filter((move) => move.optimal && (!hurries || move.late === moves[0].late)) : moves);
  }

}

const pathColumn = (shortest) => (shortest ? "shortest_paths" : "optimal_paths");

/** A whole number as the server writes it: as text if JavaScript would round it. */
const written = (number) => (number < 2n ** 53n ? Number(number) : String(number));

const drawn = (things) => things[Math.floor(Math.random() * things.length)];

/** A position without what people may type differently: capitals, marks of empty cells, and separators of rows. */
const plainly = (text) => text.replace(/[\s/]/g, "").replace(/[._-]/g, "?").toUpperCase();

const quoted = (text) => `'${text.length > 40 ? text.slice(0, 40) + "..." : text}'`;

/** Begin in a file: read its table, and show the page. */
export async function start() {
  const main = document.getElementById("main");
  try {
    const table = await unpacked(document.querySelector("script.table").textContent.trim());
    await explore(main, new FileSource(table, copyOf), { line: main.dataset.line, linked: location.protocol !== "about:" });
  } catch (error) {
    main.prepend(element("p", { class: "error" }, error.message));
  }
}

/** The text of this file, with a line to begin with. */
async function copyOf(line) {
  const copy = document.documentElement.cloneNode(true);
  const inside = copy.querySelector("#main");
  inside.replaceChildren();
  inside.dataset.line = line.hash;
  return "<!doctype html>\n" + copy.outerHTML + "\n";
}
