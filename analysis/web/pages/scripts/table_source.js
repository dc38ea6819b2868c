// The server's answers without a server, from the table in the page.

import { AskingSource } from "./asking_source.js";
import { element, grouped, resultOf } from "./elements.js";
import { explore } from "./explorer.js";
import { bytesOf, readTable } from "./table.js";

/** Limits on the plies of an endless line, and on the positions of a tree, as on the server. */
const LONGEST = 200;
const MOST_POSITIONS = 100000;

const NEVER = 65536;

/** A source that answers the server's questions. A position is known by its row. */
export class TableSource extends AskingSource {
  /** `file(line)` gives the text of a page that begins with a line; `beside` are tables of other solutions. */
  constructor(table, file, beside = []) {
    super();
    Object.assign(this, { table, about: table.head.solution, file, beside, rows: new Map(), counted: new Map() });
  }

  async others() {
    return this.beside.map((table) => ({ id: table.head.solution.id, game: table.head.solution.game, source: new TableSource(table) }));
  }

  /** The levels that need no more than a table. */
  levels = ["random", "perfect"];

  answers = {
    "": () => this.about,
    "/position": ({ p }) => this.told(this.row(p)),
    "/positions": (_, { positions }) => ({ positions: positions.map((p) => this.toldOrWhyNot(p)) }),
    "/images": ({ p }) => ({ images: this.table.head.symmetries && this.table.images(this.row(p)).map((row) => this.look(row)) }),
    "/line": (fields) => ({ moves: this.lineOf(this.row(fields.p), fields).map(lineMove(this)) }),
    "/paths": (fields) => this.somePaths(this.row(fields.p), fields),
    "/map": () => this.wholeMap(),
    "/map/class": ({ tier, place }) => this.placed(this.table.tiers.find(({ number }) => number === tier), place),
    "/map/place": ({ p }) => this.placed(this.table.tier(this.row(p)), this.table.classOf[this.row(p)] - this.table.tier(this.row(p)).classes[0]),
    "/tree": ({ p }) => this.treeFrom(this.row(p)),
    "/random": () => this.told(this.table.memberOf[Math.floor(Math.random() * this.table.memberOf.length)]), // each class as likely as any other
    "/find": (fields) => this.matching(fields),
    "/traps": ({ p, against }) => this.trapsOf(this.row(p), against),
    "/reply": ({ p, against }) => ({ move: lineMove(this)(this.replyTo(this.row(p), against)) }),
  };

  async fetched(path, fields, body) {
    return this.answers[path](fields, body);
  }

  // Positions ---------------------------------------------------------------------------------------------------------

  toldOrWhyNot(text) {
    try {
      return this.told(this.row(text));
    } catch ({ message }) {
      return { error: message };
    }
  }

  look(row) {
    return { position: this.text(row), state: String(this.table.states.at(row)), grid: this.table.grid(row) };
  }

  told(row) {
    const { table, about } = this;
    const side = table.over(row) ? null : table.mover(row) > 0 ? 0 : 1;
    const each = this.count("histories", row);
    return {
      ...this.look(row),
      picture: table.arrays.picture.at(row),
      caption: table.arrays.caption.at(row),
      to_move: side === null ? null : "XO"[side],
      player: side === null ? null : about.players[side],
      ...this.worth(row),
      nimber: table.known("nimber", row),
      [about.tier_name]: table.tier(row).number,
      class: { ...this.classOf(row), orbit_size: table.known("orbit_size", row), symmetry: about.symmetry.kind },
      histories: each === null ? null : written(each),
      games: each === null ? null : this.games(row, each),
      continuations: this.games(row),
      optimal_paths: written(this.count("optimal_paths", row)),
      shortest_paths: written(this.count("shortest_paths", row)),
      moves: table.over(row) || table.expanded(row) ? this.toldMoves(row) : null,
    };
  }

  text(row) {
    const text = this.table.position(row);
    this.rows.set(text, row);
    return text;
  }

  worth(row) {
    const value = this.table.known("value", row);
    const plies = this.table.known("remoteness", row);
    const remoteness = plies < 0 ? null : plies;
    const outcome = value > 0 ? "X" : value < 0 ? "O" : remoteness === null ? "draw" : "tie";
    return { value, outcome, remoteness_plies: remoteness };
  }

  classOf(row) {
    const { arrays, classOf, classStates, memberOf } = this.table;
    const own = classOf[row];
    const position = arrays.class_names ? arrays.class_names.at(own) : this.text(memberOf[own]);
    return { state: String(classStates.at(own)), position };
  }

  /** A count as a BigInt, or null. */
  count(name, row) {
    return this.table.known(name, row);
  }

  games(row, times = 1n) {
    const [x, o, tie] = ["games_x", "games_o", "games_tie"].map((name) => this.count(name, row));
    if (x === null) return null;
    return { X: written(x * times), O: written(o * times), tie: written(tie * times), total: written((x + o + tie) * times) };
  }

  /** The moves of a position, best first, each with its result. */
  moves(row) {
    const { table } = this;
    if (!table.over(row) && !table.expanded(row)) throw new Error(`what follows ${this.text(row)} is not in this page`);
    const value = table.known("value", row);
    const moves = table.moves(row).map((move) => {
      const worth = this.worth(move.row);
      const own = table.mover(row) * worth.value;
      const plies = worth.remoteness_plies ?? NEVER;
      return { ...move, ...worth, value_for_mover: own, optimal: worth.value === value, late: own < 0 ? -plies : plies };
    });
    return moves.sort((a, b) => b.value_for_mover - a.value_for_mover || a.late - b.late); // the sort is stable
  }

  toldMoves(row) {
    const { table } = this;
    const moves = this.moves(row);
    const first = new Map([...grouped(moves, resultOf)].map(([result, those]) => [result, Math.min(...those.map(({ late }) => late))]));
    return moves.map(({ row: next, edge, late, ...move }) => ({
      ...move, cell: table.cell(row, { edge, row: next }), position: this.text(next), state: String(table.states.at(next)), class: this.classOf(next),
      delta_remoteness: move.remoteness_plies === null ? null : late - first.get(resultOf(move)),
      nimber: table.known("nimber", next), games: this.games(next), optimal_paths: written(this.count("optimal_paths", next)),
    }));
  }

  // Lines and paths ---------------------------------------------------------------------------------------------------

  /** Best play or, with a number, an optimal path. */
  lineOf(row, { index, shortest }) {
    if (index === undefined) return this.bestLine(row);
    const count = this.pathsFrom(row, shortest);
    if (/^[0-9]+$/.test(index) && BigInt(index) < count) return this.path(row, BigInt(index), shortest);
    throw new Error(`there is no path number ${index}; they are numbered from 0 to ${count - 1n}`);
  }

  somePaths(row, { limit, offset = 0, sample, shortest }) {
    const count = this.pathsFrom(row, shortest);
    const [first, end] = [BigInt(offset), BigInt(offset + (sample ?? limit))];
    const paths = [];
    for (let i = first; i < end && (sample !== undefined || i < count); i++)
      paths.push(this.path(row, sample === undefined ? i : below(count), shortest).map(({ move }) => move).join(this.about.separator));
    return { count: written(this.count(pathColumn(shortest), row)), paths };
  }

  /** Always the best move, to the end, or until a position occurs again. */
  bestLine(row) {
    const line = [];
    for (const seen = new Set(); !seen.has(row) && !(this.worth(row).remoteness_plies === null && seen.size === LONGEST); row = line.at(-1).row) {
      seen.add(row);
      if (this.table.over(row) || !this.table.expanded(row)) break;
      line.push(this.moves(row)[0]);
    }
    return line;
  }

  /** The moves that continue paths, by ascending code. */
  leads(row, shortest) {
    const before = this.worth(row).remoteness_plies;
    return this.moves(row).filter((move) => move.optimal && (!shortest || move.remoteness_plies + 1 === before)).sort((a, b) => a.move - b.move);
  }

  /** The number of paths from a position; those that the solution does not count, such as the shortest of a loopy game, are counted here. */
  pathsFrom(row, shortest) {
    if (this.worth(row).remoteness_plies === null) throw new Error(`play need not end from ${this.text(row)}, so no optimal path leads to an end`);
    const known = this.count(pathColumn(shortest), row) ?? this.counted.get(row);
    if (known !== undefined) return known;
    const count = this.table.over(row) ? 1n : this.leads(row, shortest).reduce((sum, move) => sum + this.pathsFrom(move.row, shortest), 0n);
    this.counted.set(row, count);
    return count;
  }

  /** The moves of the path with a number. */
  path(row, left, shortest) {
    const path = [];
    while (!this.table.over(row))
      for (const move of this.leads(row, shortest)) {
        const under = this.pathsFrom(move.row, shortest);
        if (left < under) {
          path.push(move);
          row = move.row;
          break;
        }
        left -= under;
      }
    return path;
  }

  // The map, and searches ---------------------------------------------------------------------------------------------

  /** All runs: classes are in the order of the map. */
  wholeMap() {
    const { value, remoteness } = this.table.arrays;
    const tiers = this.table.tiers.map(({ number, classes: [first, end] }) => {
      const runs = [];
      for (let each = first; each < end; each++) {
        if (each > first && value[each] === value[each - 1] && remoteness[each] === remoteness[each - 1]) runs.at(-1)[2]++;
        else runs.push([value[each], remoteness[each] < 0 ? null : remoteness[each], 1]);
      }
      return { tier: number, classes: end - first, runs };
    });
    const classes = this.table.memberOf.length;
    return { tier_name: this.about.tier_name, tiers, classes, classes_seen: classes, complete: true };
  }

  placed({ number, classes: [first] }, place) {
    const found = this.told(this.table.memberOf[first + place]);
    const { position, grid, picture, caption, to_move, player, value, outcome, remoteness_plies } = found;
    return { tier: number, place, position, grid, picture, caption, to_move, player, value, outcome, remoteness_plies };
  }

  matching({ to_move, value, remoteness, only_move, order, limit = 20 }) {
    const { table } = this;
    const [, least, dots, most] = /^(\d+)?(\.\.)?(\d+)?$/.exec(remoteness ?? "0..");
    const span = [Number(least ?? 0), most !== undefined ? Number(most) : dots ? Infinity : Number(least)];
    const branching = (row) => table.arrays.branching[row];
    const after = (row) => table.after.subarray(table.first[row], table.first[row + 1]);
    const keeping = (row) => after(row).filter((next) => table.known("value", next) === table.known("value", row)).length;
    const wanted = (row) => {
      const found = this.worth(row);
      return !(to_move && (table.over(row) || "XO"[table.mover(row) > 0 ? 0 : 1] !== to_move)) && !(value && found.outcome !== value)
        && !(remoteness && !(found.remoteness_plies >= span[0] && found.remoteness_plies <= span[1] && found.remoteness_plies !== null))
        && !((only_move || order === "trap") && !table.over(row) && !table.expanded(row)) && !(only_move && !(branching(row) > 1 && keeping(row) === 1));
    };
    const keys = {
      trap: (row) => (branching(row) ? keeping(row) / branching(row) : Infinity),
      remoteness: (row) => -(this.worth(row).remoteness_plies ?? -Infinity),
      random: Math.random,
    };
    const found = [...table.memberOf].filter(wanted).map((row) => [order ? keys[order](row) : 0, row]);
    found.sort(([a, i], [b, j]) => (a < b ? -1 : a > b ? 1 : i - j));
    const positions = found.slice(0, limit).map(([, row]) => ({
      position: this.text(row), state: String(table.states.at(row)), to_move: table.over(row) ? null : "XO"[table.mover(row) > 0 ? 0 : 1],
      ...this.worth(row), orbit_size: table.known("orbit_size", row), continuations: this.games(row),
    }));
    return { positions, complete: this.about.part.whole, classes: table.memberOf.length, classes_seen: table.memberOf.length };
  }

  /** The positions below one: moves lead to greater rows. */
  treeFrom(root) {
    const { table } = this;
    if (this.about.loopy) throw new Error("play can return to a position in this game, so the tree below one has no end to search to");
    const [numbers, rows] = [new Map([[root, 0]]), []];
    for (let row = root; row < table.size; row++) {
      if (!numbers.has(row)) continue;
      if (!table.over(row) && !table.expanded(row)) throw new Error("this page has a part of the game, and not all that follows this position is in it");
      if (rows.length === MOST_POSITIONS)
        throw new Error(`more than ${MOST_POSITIONS.toLocaleString("en")} positions follow this one, too many to search through here: play some moves first`);
      numbers.set(row, rows.length);
      rows.push(row);
      for (const { row: next } of table.moves(row)) numbers.set(next, null);
    }
    const all = rows.flatMap((row) => table.moves(row));
    return {
      payoffs: this.about.payoffs,
      positions: rows.map((row) => this.text(row)),
      sides: rows.map((row) => (table.over(row) ? 0 : table.mover(row))),
      values: rows.map((row) => table.known("value", row)),
      branching: rows.map((row) => table.arrays.branching[row]),
      codes: all.map(({ move }) => move),
      children: all.map(({ row }) => numbers.get(row)),
      names: Object.fromEntries(all.map(({ move, name }) => [move, name])),
    };
  }

  // Traps, and play ---------------------------------------------------------------------------------------------------

  replyTo(row, against) {
    const moves = this.moves(row);
    if (!moves.length) throw new Error(`the game is over at ${this.text(row)}: there is no reply`);
    const [best] = moves; // in a loopy game a win must not be put off for ever, so the fastest is played, as on the server
    const hurries = this.about.loopy && best.value_for_mover > 0;
    const preferred = moves.filter((move) => move.optimal && (!hurries || move.remoteness_plies === best.remoteness_plies));
    const chosen = against === "perfect" ? preferred : moves;
    return chosen[Number(below(BigInt(chosen.length)))];
  }

  trapsOf(row, against) {
    if (this.table.over(row)) throw new Error(`the game is over at ${this.text(row)}; ask where it goes on`);
    const side = this.table.mover(row);
    const moves = this.moves(row).filter((move) => move.optimal).map((move) => this.trap(side, move, against));
    const { value, remoteness_plies } = this.worth(row);
    return {
      game: this.about.game, position: this.text(row), to_move: side > 0 ? "X" : "O", value, remoteness_plies, against,
      moves: moves.sort((a, b) => (b.chance ?? -1) - (a.chance ?? -1)),
    };
  }

  /** How the opponent of a side may err in reply to a move. */
  trap(side, { row, move, name }, against) {
    const { value, remoteness_plies } = this.worth(row);
    const about = { move, name, position: this.text(row), value, remoteness_plies };
    if (this.table.over(row) || this.table.mover(row) === side)
      return { ...about, replies: null, keeping: null, chance: null, loss: null, most: null, chance_exact: null, loss_exact: null };
    const lost = this.moves(row).map((reply) => side * (reply.value - value));
    const keeping = lost.filter((loss) => loss === 0).length;
    const played = against === "perfect" ? [0] : lost;
    const [errs, sum] = [played.filter((loss) => loss > 0).length, played.reduce((a, b) => a + b)];
    return {
      ...about, replies: lost.length, keeping, chance: errs / played.length, loss: sum / played.length, most: Math.max(...played),
      chance_exact: fraction(errs, played.length), loss_exact: fraction(sum, played.length),
    };
  }

  // Typed positions ---------------------------------------------------------------------------------------------------

  /** The row of a position, written as the game writes it or as the moves so far. Throws an error that says what is wrong. */
  row(text) {
    if (text === undefined) return this.about.root;
    if (!this.rows.has(text) && this.rows.size < this.table.size) for (let row = 0; row < this.table.size; row++) this.text(row);
    const plain = plainly(text);
    return this.rows.get(text) ?? this.rows.get([...this.rows.keys()].find((each) => plainly(each) === plain)) ?? this.afterMoves(text);
  }

  /** The position after the moves of a text, from the start. */
  afterMoves(text) {
    const { separator } = this.about;
    const plain = text.trim().replace(/^moves:\s*/i, "");
    const neither = `${quoted(text)} is neither a position that this page has, nor moves from its start; positions are written like ${quoted(this.about.start)}`;
    const number = /^[0-9]+$/;
    if (number.test(this.about.start) && number.test(text.trim())) throw new Error(neither); // positions are numbers here
    let words = this.words(plain);
    if (words.length === 1) words = separator ? plain.split(separator) : number.test(plain) ? [...plain] : words;
    if (!words.length && plain === text.trim()) throw new Error(neither);
    let row = this.about.root;
    for (const [place, word] of words.entries()) {
      const moves = this.table.moves(row);
      const meant = moves.find(({ name }) => name === word) ?? moves.find(({ move, name }) => String(move) === word || name.toLowerCase() === word.toLowerCase());
      if (!meant && place === 0 && !number.test(word)) throw new Error(neither);
      if (!meant) {
        const where = this.text(row);
        const why = moves.length ? `${word} is not legal in ${where}` : this.table.over(row) ? `the game is over before it, in ${where}` : `what follows ${where} is not in this page`;
        throw new Error(`move ${place + 1} of ${quoted(plain)}: ${why}`);
      }
      ({ row } = meant);
    }
    return row;
  }

  /** The moves in a text, separated by commas or, unless that is the name of a move, blanks. */
  words(text) {
    const names = new Set(Object.values(this.table.head.names).map((name) => name.toLowerCase()));
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
    return parts.flatMap((part) => (names.has(part.toLowerCase()) ? [part] : part.split(/\s+/)));
  }
}

const pathColumn = (shortest) => (shortest ? "shortest_paths" : "optimal_paths");

/** A move of a line of a source. */
const lineMove = (source) => ({ move, name, row, value, remoteness_plies, optimal }) =>
  ({ move, name, position: source.text(row), value, remoteness_plies, optimal });

/** A whole number as the server writes it: as text if JavaScript would round it. */
const written = (number) => (number === null ? null : number < 2n ** 53n ? Number(number) : String(number));

/** A random whole number from 0 to below another. */
function below(limit) {
  const words = Math.ceil(limit.toString(2).length / 32) + 1;
  const drawn = crypto.getRandomValues(new Uint32Array(words)).reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return (drawn * limit) >> BigInt(32 * words);
}

function fraction(a, b) {
  const divisor = (x, y) => (y ? divisor(y, x % y) : Math.abs(x));
  const by = divisor(a, b);
  return b === by ? String(a / by) : `${a / by}/${b / by}`;
}

/** A position without what people may type differently: capitals, marks of empty cells, and separators of rows. */
const plainly = (text) => text.replace(/[\s/]/g, "").replace(/[._-]/g, "?").toUpperCase();

const quoted = (text) => `'${text.length > 40 ? text.slice(0, 40) + "..." : text}'`;

/** Begin in a file: read its tables, and show the page. */
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

/** The text of this file, with a line to begin with. */
async function copyOf(line) {
  const copy = document.documentElement.cloneNode(true);
  const inside = copy.querySelector("#main");
  inside.replaceChildren();
  inside.dataset.line = line.hash;
  return "<!doctype html>\n" + copy.outerHTML + "\n";
}
