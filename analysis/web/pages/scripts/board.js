// Boards that look like their game: the cells, what lies on them, and where each move is made.

import { called, drawn, element, letterOf, moverOf, resultOf, shown, shownLines, strength, wordsOf } from "./elements.js";

const CELL = 60;
const THIN = 0.22;
const SLOPE = Math.sqrt(0.75);
const TIP = 1 / Math.sqrt(3);
const LETTERS = 26;
const MOST_TOKENS = 32;
const MOVING = 150;

const MEN = ["squares", "columns", "discs", "hexagons", "hex", "points"];
const NAMED_SQUARES = ["points", "pawns", "cars", "dots"];
const CHEQUERED = ["pawns", "cars"];

/** The marks of a position row by row, or null without a board. */
function gridOf({ grid, position }, { board, start }) {
  if (!board) return null;
  if (board.look !== "heaps") return grid?.length && grid[0].length && grid.every((row) => row.length === grid[0].length) ? grid.map((row) => [...row]) : null;
  const [heaps, most] = [position, start].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  const widest = Math.max(1, ...most, ...heaps);
  return heaps.length && widest <= MOST_TOKENS ? heaps.map((size) => Array.from({ length: widest }, (_, i) => (i < size ? "o" : " "))) : null;
}

/** The geometry of a grid, in cells from its upper left corner. Cells are numbered row by row. */
class Shape {
  constructor(grid, { look, from_bottom: fromBottom, joined, in_row: inRow }) {
    Object.assign(this, { grid, look, fromBottom, joined, inRow, rows: grid.length, cols: grid[0].length, marks: grid.flat() });
    this.slant = look === "hexagons" || look === "hex";
    this.dotted = look === "dots";
    this.width = this.slant ? this.cols + (this.rows - 1) / 2 : this.edge(this.cols);
    this.height = this.slant ? SLOPE * (this.rows - 1) + 2 * TIP : this.edge(this.rows) * this.high;
  }

  get high() {
    return this.look === "pins" ? 1.5 : 1;
  }

  edge(n) {
    return this.dotted ? THIN * ((n + 1) >> 1) + (n >> 1) : n;
  }

  at(cell) {
    return [Math.floor(cell / this.cols), cell % this.cols];
  }

  /** Left, top, width and height of a cell; of the square in a hexagon. */
  box(cell) {
    const [r, c] = this.at(cell);
    if (this.slant) return [c + r / 2, SLOPE * r + TIP - 0.5, 1, 1];
    return [this.edge(c), this.edge(r) * this.high, this.edge(c + 1) - this.edge(c), (this.edge(r + 1) - this.edge(r)) * this.high];
  }

  middle(cell) {
    const [x, y, w, h] = this.box(cell);
    return [x + w / 2, y + h / 2];
  }

  outline(cell) {
    const [x, y, w, h] = this.box(cell);
    if (!this.slant) return [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    const corners = [[0, -TIP], [0.5, -TIP / 2], [0.5, TIP / 2], [0, TIP], [-0.5, TIP / 2], [-0.5, -TIP / 2]];
    return corners.map(([dx, dy]) => [x + 0.5 + dx, y + 0.5 + dy]);
  }

  /** The cells in a name such as `a2-b3`. */
  squares(name) {
    const step = this.dotted ? 2 : 1;
    const [rows, cols] = [(this.rows - 1) / step + 1, (this.cols - 1) / step + 1];
    return [...name.matchAll(/(?<![a-wyz])([a-z])(\d{1,3})/g)].flatMap(([, letter, number]) => {
      const [r, c] = [this.fromBottom ? rows - number : number - 1, letter.charCodeAt(0) - 97];
      return r >= 0 && r < rows && c < cols ? [step * (r * this.cols + c)] : [];
    });
  }

  /** The name of a cell for screen readers. */
  nameOf(cell, named) {
    const [r, c] = this.at(cell);
    return named && c < LETTERS ? String.fromCharCode(97 + c) + (this.fromBottom ? this.rows - r : r + 1) : String(cell);
  }

  /**
   * Where a move is made: its `cells`, the first to be clicked; `way`, from one cell to another or off the board; `gap`, a point between
   * cells that stands for it. Null if it has no place on the board.
   */
  place(move, player) {
    const name = String(move.name || move.move);
    const squares = this.squares(name);
    const at = move.cell ?? squares[0] ?? null;
    if (this.look === "heaps") return this.heap(name);
    if (this.look === "pins") return this.pins(name);
    if (this.look === "dominoes" && at !== null) {
      const down = name.endsWith("|") || (player === "V" && !name.endsWith("-"));
      const other = squares.length === 2 ? squares[1] : at + (down ? this.cols : 1);
      return { cells: [at, other].filter((cell) => cell < this.marks.length) };
    }
    if (this.dotted) return squares.length === 2 ? { cells: [(squares[0] + squares[1]) / 2] } : at === null ? null : { cells: [at] };
    if (squares.length === 2) return { cells: [squares[1]], way: squares };
    if (squares.length === 1 && /off/.test(name)) return { cells: squares, way: [squares[0], null] };
    if (at === null) return null;
    if (this.look === "coins") return { cells: [at], way: [this.marks.indexOf(player), at] };
    if (this.look !== "chocolate") return { cells: [at] };
    const [row, col] = this.at(at);
    return { cells: [at, ...this.marks.keys()].filter((cell, i) => !i || (cell !== at && cell % this.cols >= col && cell >= row * this.cols)) };
  }

  /** The number of tokens in a heap. */
  size(row) {
    return this.grid[row]?.filter((mark) => mark !== " ").length ?? 0;
  }

  heap(name) {
    const [, heap, taken] = /^(\d+):(\d+)$/.exec(name)?.map(Number) ?? [];
    if (heap) return { cells: Array.from({ length: taken }, (_, i) => (heap - 1) * this.cols + this.size(heap - 1) - taken + i) };
    const [, whole, part] = /^(\d+)=(\d+)\+\d+$/.exec(name)?.map(Number) ?? [];
    const row = this.grid.findIndex((_, number) => whole && this.size(number) === whole);
    return row < 0 ? null : { cells: Array.from({ length: part }, (_, i) => row * this.cols + i), gap: [part, row + 0.5] };
  }

  pins(name) {
    const cells = name.split("+").map((pin) => Number(pin) - 1);
    if (!cells.every((pin) => pin >= 0 && pin < this.cols)) return null;
    return cells.length === 2 ? { cells, gap: [cells[1], 0.3] } : { cells };
  }

  /** The point that stands for a move: the middle of its cells or its way, or its gap. */
  middleOf({ cells, way, gap }) {
    if (gap) return gap;
    const [x, y] = this.middle(cells[0]);
    if (way) return between(this.middle(way[0]), this.end(way), way[1] === null ? 0.66 : 0.5);
    if (this.look !== "dominoes" || cells.length < 2) return this.look === "pins" ? [x, y - 0.12] : [x, y];
    return between([x, y], this.middle(cells[1]), 0.5);
  }

  /** The end of a way; off the board, beyond the right or the upper edge. */
  end([from, to]) {
    if (to !== null) return this.middle(to);
    const [[x, y], [, c]] = [this.middle(from), this.at(from)];
    return c === this.cols - 1 && this.marks[from] !== "O" ? [x + 0.62, y] : [x, y - 0.62];
  }

  /** Cells that have won: rows of one mark, or stones that join two sides. */
  winning(winner) {
    if (this.look === "hex") return [this.joining(winner)];
    const runs = [];
    for (const [cell, mark] of this.marks.entries())
      for (const [dr, dc] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        const [r, c] = this.at(cell);
        const run = Array.from({ length: this.inRow }, (_, i) => [r + i * dr, c + i * dc]);
        if (mark.trim() && run.every(([y, x]) => this.grid[y]?.[x] === mark)) runs.push(run.map(([y, x]) => y * this.cols + x));
      }
    return this.inRow > 1 ? runs : [];
  }

  joining(winner) {
    const along = winner === "X" ? 0 : 1;
    const own = (cell) => this.marks[cell] === winner;
    const from = new Map([...this.marks.keys()].filter((cell) => own(cell) && this.at(cell)[along] === 0).map((cell) => [cell, null]));
    for (const cell of from.keys()) {
      const [r, c] = this.at(cell);
      if ([r, c][along] === [this.rows, this.cols][along] - 1) {
        const path = [];
        for (let each = cell; each !== null; each = from.get(each)) path.push(each);
        return path;
      }
      for (const [dr, dc] of [[0, 1], [0, -1], [1, 0], [-1, 0], [1, -1], [-1, 1]]) {
        const next = (r + dr) * this.cols + c + dc;
        if (r + dr >= 0 && r + dr < this.rows && c + dc >= 0 && c + dc < this.cols && own(next) && !from.has(next)) from.set(next, cell);
      }
    }
    return [];
  }
}

/** The board of a position, with its moves and those played before. */
class Board {
  constructor(position, solution, { moves = [], only = null, secret = false, choose = null, past = [], small = false, moved = false, label }) {
    Object.assign(this, { position, solution, only, secret, choose, past, small, moved });
    this.shape = new Shape(gridOf(position, solution), solution.board);
    const told = secret ? moves.toSorted((a, b) => a.move - b.move) : moves; // their order, best first, would tell
    this.moves = told.map((move) => ({ move, place: this.shape.place(move, position.player) })).filter(({ place }) => place);
    if (moves.some(({ name }) => this.shape.squares(String(name)).length)) solution.named = true; // cells have names in all positions
    this.named = NAMED_SQUARES.includes(this.shape.look) || solution.named;
    this.label = label ?? `The position ${shown(position.position)}`;
  }

  draw() {
    const { shape, small } = this;
    const [left, top] = small ? [0.1, 0.1] : [this.named || shape.look === "heaps" ? 0.45 : 0.12, this.named || shape.look === "columns" ? 0.45 : 0.12];
    const right = !small && shape.look === "cars" ? 0.7 : 0.12;
    const above = !small && shape.look === "cars" ? 0.4 : 0;
    const view = [-left, -top - above, shape.width + left + right, shape.height + top + above + (shape.look === "pins" && !small ? 0.4 : 0.12)].map((n) => n * CELL);
    const scale = small ? Math.min(1 / 3, 90 / Math.max(view[2], view[3])) : 1;
    const role = small ? "img" : "group";
    this.picture = drawn("svg", {
      viewBox: view.join(" "), class: `board look-${shape.look}`, role, "aria-label": shown(this.label),
      width: Math.round(view[2] * scale), height: Math.round(view[3] * scale),
    });
    this.cells = shape.marks.map((mark, cell) => this.cell(cell, mark));
    this.hints = drawn("g", { class: "hints", "aria-hidden": "true" });
    const last = this.past.at(-1)?.place;
    const marked = drawn("g", { class: "marked", "aria-hidden": "true" }, last && !small && this.around(last, "last"));
    const whole = drawn("g", { transform: `scale(${CELL})` }, this.ground(), this.cells, this.won(), this.tokens(), marked, !small && this.names(), this.hints);
    if (!small) whole.append(...this.targets());
    this.picture.append(whole);
    if (!small) this.reachable();
    if (this.moved) this.move();
    return this.picture;
  }

  /** What is below the cells. */
  ground() {
    const { shape } = this;
    if (shape.look === "columns") return drawn("rect", { class: "frame", x: -0.08, y: -0.08, width: shape.width + 0.16, height: shape.height + 0.16, rx: 0.2 });
    if (shape.look === "points")
      return drawn("g", {}, shape.joined.map(([a, b]) => drawn("line", { class: "joined", ...ends(shape.middle(a), shape.middle(b)) })));
    if (shape.look !== "hex") return null;
    const side = (cells, corners, owner) =>
      drawn("polyline", { class: `side ${owner}`, points: points(cells.flatMap((cell) => corners.map((i) => shape.outline(cell)[i]))) });
    const [all, { rows, cols }] = [[...shape.marks.keys()], shape];
    const [firsts, lasts] = [all.filter((cell) => cell % cols === 0), all.filter((cell) => cell % cols === cols - 1)];
    return drawn("g", {}, side(all.slice(0, cols), [5, 0, 1], "first"), side(all.slice((rows - 1) * cols).reverse(), [2, 3, 4], "first"),
      side(firsts.reverse(), [4, 5], "second"), side(lasts, [1, 2], "second"));
  }

  cell(cell, mark) {
    const { shape, shape: { look } } = this;
    const [[x, y], [r, c]] = [shape.middle(cell), shape.at(cell)];
    const node = drawn("g", { class: `cell${CHEQUERED.includes(look) && (r + c) % 2 ? " odd" : ""}`, "data-cell": cell });
    const outline = () => drawn("polygon", { points: points(shape.outline(cell)), class: "area" });
    if (look === "columns" || look === "points") node.append(outline(), drawn("circle", { cx: x, cy: y, r: look === "points" ? 0.3 : 0.4, class: "hole tinted" }));
    else if (look === "chocolate") node.append(outline(), ...chocolate(x, y, mark));
    else if (look === "dots") node.append(outline(), ...this.dotOrEdge(cell, mark));
    else if (look === "heaps" || look === "pins") node.append(outline());
    else node.append(drawn("polygon", { points: points(shape.outline(cell)), class: "ground tinted" }));
    if (!this.small && mark.trim() && look !== "dots") {
      node.setAttribute("role", "img");
      node.setAttribute("aria-label", `${shown(mark.trim())} at ${shape.nameOf(cell, this.named)}`);
    }
    return node;
  }

  dotOrEdge(cell, mark) {
    const { shape } = this;
    const [[x, y], [r, c], [left, top, w, h]] = [shape.middle(cell), shape.at(cell), shape.box(cell)];
    if (r % 2 === 0 && c % 2 === 0) return [drawn("circle", { cx: x, cy: y, r: THIN / 2, class: "dot" })];
    const line = r % 2 === 0 ? ends([left, y], [left + w, y]) : ends([x, top], [x, top + h]);
    if ((r + c) % 2) return [drawn("line", { ...line, class: mark.trim() ? "stroke" : "stroke none tinted" })];
    const sides = [[r - 1, c], [r + 1, c], [r, c - 1], [r, c + 1]].every(([i, j]) => shape.grid[i][j].trim());
    if (!sides) return [];
    const owner = this.past.findLast(({ place }) => place && [1, shape.cols].includes(Math.abs(place.cells[0] - cell)))?.side;
    const box = drawn("rect", { x: left, y: top, width: w, height: h, class: `filled ${sideClass(owner)}` });
    return owner ? [box, label([x, y + 0.16], this.solution.players[owner === "X" ? 0 : 1], 0.44)] : [box];
  }

  /** What lies on the cells. */
  tokens() {
    const { shape } = this;
    this.lying = new Map();
    const group = drawn("g", { class: "tokens" });
    if (shape.look === "dots" || shape.look === "chocolate") return group;
    const pairs = shape.look === "dominoes" ? this.past.filter(({ place }) => place?.cells.length === 2) : [];
    const paired = new Map(pairs.flatMap(({ place, side }) => place.cells.map((cell) => [cell, { place, side }])));
    for (const [cell, mark] of shape.marks.entries()) {
      if (!mark.trim()) continue;
      const pair = paired.get(cell);
      if (pair && pair.place.cells[0] !== cell) continue;
      const node = pair ? domino(shape, pair) : token(shape, cell, mark, this.owner(mark));
      this.lying.set(cell, node);
      group.append(node);
    }
    return group;
  }

  owner(mark) {
    const { players } = this.solution;
    const text = mark.trim();
    return sideClass(text === "X" || text === players[0] ? "X" : text === "O" || text === players[1] ? "O" : null);
  }

  /** A line behind the cells that have won. */
  won() {
    const { shape, position } = this;
    const runs = position.terminal && position.value ? shape.winning(position.value > 0 ? "X" : "O") : [];
    return runs.filter((run) => run.length).map((run) => drawn("polyline", { class: "won", points: points(run.map((cell) => shape.middle(cell))) }));
  }

  /** Outlines of a move's cells, and an arrow along its way. */
  around({ cells, way, gap }, kind) {
    const { shape } = this;
    const round = shape.look === "heaps" || (MEN.includes(shape.look) && shape.look !== "squares" && !shape.slant);
    const whole = shape.look === "dominoes" || (shape.look === "chocolate" && kind === "last"); // one outline for all, or of the first
    const shapes = (whole ? cells.slice(0, 1) : cells).map((cell) => {
      const [x, y] = shape.box(cell);
      const [u, v, w, h] = shape.box(shape.look === "dominoes" ? cells.at(-1) : cell);
      if (round) return drawn("circle", { cx: x + w / 2, cy: y + h / 2, r: 0.44, class: kind });
      if (shape.slant) return drawn("polygon", { points: points(shrunk(shape.outline(cell), shape.middle(cell))), class: kind });
      const inset = Math.min(0.05, w / 8, h / 8);
      return drawn("rect", { x: x + inset, y: y + inset, width: u - x + w - 2 * inset, height: v - y + h - 2 * inset, rx: 0.08, class: kind });
    });
    if (gap && kind === "last") return [];
    if (way && way[0] >= 0) shapes.push(arrow(shape.middle(way[0]), shape.end(way), kind));
    return shapes;
  }

  /** Coordinates, and the names of columns, heaps and pins. */
  names() {
    const { shape } = this;
    const group = drawn("g", { class: "coordinates", "aria-hidden": "true" });
    const step = shape.dotted ? 2 : 1;
    if (this.named) {
      for (let c = 0; c < shape.cols && c < LETTERS * step; c += step)
        group.append(label([shape.middle(c)[0], -0.16], String.fromCharCode(97 + c / step), 0.2));
      for (let r = 0; r < shape.rows; r += step) {
        const [[x], [, y]] = [shape.box(r * shape.cols), shape.middle(r * shape.cols)];
        group.append(label([x - 0.24, y + 0.08], String(shape.fromBottom ? (shape.rows - 1 - r) / step + 1 : r / step + 1), 0.2));
      }
    } else if (shape.look === "heaps") {
      const splits = this.moves.some(({ place }) => place.gap); // split heaps are named by their sizes, others by numbers
      for (let r = 0; r < shape.rows; r++) group.append(label([-0.24, r + 0.58], String(splits ? shape.size(r) : r + 1), 0.24));
    } else if (shape.look === "pins") {
      for (let c = 0; c < shape.cols; c++) if (shape.marks[c].trim()) group.append(label([c + 0.5, 1.75], String(c + 1), 0.24));
    } else if (shape.look === "columns") {
      for (const { move, place } of this.moves) group.append(label([shape.middle(place.cells[0])[0], -0.16], called(move), 0.24));
    }
    return group;
  }

  /** All targets with their labels: cells, ways and gaps. */
  targets() {
    const { shape, secret } = this;
    const found = Map.groupBy(this.moves, (each) => (each.place.way || each.place.gap ? each : each.place.cells[0]));
    this.badges = drawn("g", {});
    this.hits = [...found.values()].map((own) => {
      const [{ move, place }] = own;
      const free = place.way || place.gap;
      const node = free ? drawn("g", { class: "free" }) : this.cells[place.cells[0]];
      const [result, moves] = [resultOf(move), own.map((each) => each.move)];
      const [x, y] = shape.middleOf(place);
      node.classList.add("open", ...(secret ? [] : [result]));
      if (this.only && !moves.some((each) => this.only.includes(each))) node.classList.add("other");
      if (place.way && place.way[0] >= 0) node.append(arrow(shape.middle(place.way[0]), shape.end(place.way), "way"));
      const said = moves.map((each) => `${called(each)}${secret ? "" : `: ${wordsOf(each, this.solution)}`}`).join("; ");
      node.append(drawn("title", {}, said));
      for (const [name, value] of Object.entries({ role: "button", "aria-label": said, tabindex: -1 })) node.setAttribute(name, value);
      const other = node.classList.contains("other") ? " other" : "";
      const badge = drawn("g", { class: `badge${secret ? "" : ` ${result}`}${other}`, "aria-hidden": "true" }, this.badge(moves, place, free));
      if (!secret) this.tint(node, move, free);
      this.badges.append(badge);
      if (free) this.listen(node, moves);
      return { node, moves, at: [x, y], free };
    });
    for (const cell of shape.marks.keys()) this.clicking(cell);
    return [...this.hits.filter(({ free }) => free).map(({ node }) => node), this.badges];
  }

  tint(node, move, free) {
    const tinted = !free && node.querySelector(".tinted");
    if (!tinted) return;
    const copy = tinted.cloneNode();
    copy.setAttribute("class", tinted.classList.contains("stroke") ? "stroke tint" : "tint");
    copy.setAttribute(tinted.matches("line") ? "stroke-opacity" : "fill-opacity", (strength(move) * 0.5).toFixed(2));
    tinted.after(copy);
  }

  /** The name of a move in its cell, and its value. */
  badge(moves, place, free) {
    const { shape, secret } = this;
    const [[x, y], first] = [shape.middleOf(place), shape.middle(place.cells[0])];
    const [best] = moves;
    const named = shape.squares(String(best.name)).length || ["columns", "pins"].includes(shape.look) || (shape.look === "heaps" && free);
    const text = secret ? "" : letterOf(best) + (best.remoteness_plies || "");
    const name = named || free ? "" : moves.length > 1 ? "" : called(best).slice(0, 6);
    const tight = free || shape.dotted || shape.look === "dominoes" || shape.look === "pins";
    const high = tight ? 0.2 : 0.3;
    const parts = [];
    const wide = 0.14 + text.length * 0.115;
    if (tight && (text || free)) parts.push(drawn("rect", { class: "pill", x: x - wide / 2, y: y - 0.13, width: wide, height: 0.26, rx: 0.13 }));
    if (shape.look === "heaps" && text && !free) parts.push(drawn("circle", { class: "ring", cx: x, cy: y, r: 0.42 }));
    if (name && !tight) parts.push(label([x, text ? y - 0.14 : y + 0.08], name, 0.22, "called"));
    if (shape.look === "dominoes" && name) parts.push(label([first[0], first[1] + 0.08], name, 0.2, "called"));
    if (text) parts.push(label([x, tight ? y + 0.07 : name ? y + 0.24 : y + 0.11], text, high, "value"));
    return parts;
  }

  /** The moves for a click on a cell: its own, those of its column, or those that leave it or else reach it. */
  clicking(cell) {
    const { shape } = this;
    const all = this.moves.filter(({ place }) => {
      if (place.way) return place.way[0] === cell;
      if (place.gap) return false;
      return place.cells[0] === cell || (shape.look === "columns" && place.cells[0] % shape.cols === cell % shape.cols);
    });
    const chosen = (move) => !this.only || this.only.length < 2 || this.only.includes(move);
    const reaching = this.moves.filter(({ move, place }) => place.way && place.way[1] === cell && chosen(move));
    const moves = (all.length ? all : reaching).map(({ move }) => move);
    if (moves.length) this.listen(this.cells[cell], moves, all.some(({ place }) => place.way));
  }

  /** Let a click on a part of the drawing choose these moves, and pointing at it show them; men are lifted `from` there. */
  listen(node, moves, from = false) {
    if (!this.choose) return;
    node.classList.add("open");
    node.addEventListener("click", () => this.choose(moves, from));
    const show = (on) => () => this.picture.dispatchEvent(new CustomEvent("point", { detail: on ? moves : null }));
    for (const kind of ["pointerenter", "focus"]) node.addEventListener(kind, show(true));
    for (const kind of ["pointerleave", "blur"]) node.addEventListener(kind, show(false));
  }

  /** Let Tab reach one target, and arrow keys the others. */
  reachable() {
    const [first] = this.hits.toSorted(({ at: [x, y] }, { at: [u, v] }) => y - v || x - u);
    first?.node.setAttribute("tabindex", 0);
    this.picture.addEventListener("keydown", (event) => {
      const now = this.hits.find(({ node }) => node === event.target);
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!now || (!way && event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      if (!way) return void this.choose(now.moves);
      const ahead = this.hits.filter((hit) => hit !== now).map((hit) => ({ hit, by: [hit.at[0] - now.at[0], hit.at[1] - now.at[1]] }));
      const far = ({ by }) => Math.hypot(...by) + 2 * Math.abs(by[0] * way[1] + by[1] * way[0]);
      const near = ahead.filter(({ by }) => by[0] * way[0] + by[1] * way[1] > 0.01).sort((a, b) => far(a) - far(b))[0]?.hit;
      if (!near) return;
      now.node.setAttribute("tabindex", -1);
      near.node.setAttribute("tabindex", 0);
      near.node.focus();
    });
  }

  /** Show where these moves are made; null shows nothing. */
  hint(moves) {
    const places = this.moves.filter(({ move }) => moves?.some((each) => each.move === move.move));
    this.hints.replaceChildren(...places.flatMap(({ move, place }) =>
      this.around(place, `hint ${this.secret ? "" : resultOf(move)}`).concat(place.gap ? [drawn("circle", { cx: place.gap[0], cy: place.gap[1], r: 0.2, class: "hint" })] : [])));
  }

  /** Move the last token from where it was. */
  move() {
    const place = this.past.at(-1)?.place;
    const node = place && this.lying.get(place.way ? place.way[1] : place.cells[0]);
    if (!node || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [x, y] = this.shape.middle(place.cells[0]);
    const [fromX, fromY] = place.way?.[0] >= 0 ? this.shape.middle(place.way[0]) : this.shape.look === "columns" ? [x, -0.5] : [x, y];
    const begin = fromX === x && fromY === y ? { opacity: 0 } : { transform: `translate(${fromX - x}px, ${fromY - y}px)` };
    node.animate([begin, {}], { duration: MOVING, easing: "ease-in" });
  }
}

/**
 * A position as a drawing or, without a board, as text; its `hint(moves)` shows moves on it. `choose` is called with the moves at a click;
 * their values may be `secret`. `past` are the moves so far with the positions before them; the last one has just been made if `moved`.
 */
export function drawPosition(position, solution, look = { small: true }) {
  if (gridOf(position, solution)) {
    const board = new Board(position, solution, { ...look, past: placed(look.past ?? [], solution) });
    return Object.assign(board.draw(), { hint: (moves) => board.hint(moves) });
  }
  return Object.assign(element("pre", {}, shownLines(position.picture ?? position.position)), { hint() {} });
}

/** The places and sides of past moves. */
function placed(past, solution) {
  return past.filter(({ before }) => gridOf(before, solution)).map(({ before, move }) =>
    ({ place: new Shape(gridOf(before, solution), solution.board).place(move, before.player), side: moverOf(before) }));
}

/** A player's sign for a text, such as a disc, or null. */
export function sign(side, solution) {
  const { look } = solution.board ?? {};
  if (!side || (!MEN.includes(look) && !CHEQUERED.includes(look)) || solution.players[0] !== "X") return null;
  const shape = new Shape([["X"]], { ...solution.board, joined: [] });
  return drawn("svg", { class: `board sign look-${look}`, viewBox: "0 0 1 1", "aria-hidden": "true" }, token(shape, 0, side, sideClass(side)));
}

const sideClass = (side) => (side === "X" ? "first" : side === "O" ? "second" : "");

function token(shape, cell, mark, owner) {
  const [[x, y], { look }] = [shape.middle(cell), shape];
  const group = drawn("g", { class: `token ${owner}` });
  const text = shown(mark.trim()).slice(0, 4);
  const high = Math.min(0.6, 1.4 / (text.length + 0.5));
  if (look === "heaps") group.append(drawn("circle", { cx: x, cy: y, r: 0.42, class: "wood" }));
  else if (look === "pins") group.append(drawn("path", { d: pin(x, y), class: "wood" }));
  else if (look === "dominoes") group.append(drawn("rect", { x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92, rx: 0.06, class: "tile" }));
  else if (look === "coins" && /^\d+$/.test(text)) group.append(drawn("circle", { cx: x, cy: y, r: 0.4, class: "coin" }), label([x, y + high * 0.26], text, high * 0.75));
  else if (!owner) group.append(label([x, y + high * 0.36], text, high, "mark"));
  else if (look === "squares") group.append(...stroked(text, x, y, high));
  else if (look === "pawns") group.append(drawn("path", { d: pawn(x, y) }));
  else if (look === "cars") group.append(...car(x, y, owner));
  else {
    group.append(drawn("circle", { cx: x, cy: y, r: look === "points" ? 0.36 : 0.38 }));
    if (look !== "discs") group.append(label([x, y + 0.12], text, 0.34, "engraved"));
  }
  return group;
}

/** A cross, a ring, or another mark as text. */
function stroked(text, x, y, high) {
  const by = 0.25;
  if (text === "X") return [drawn("path", { d: `M${x - by} ${y - by}L${x + by} ${y + by}M${x + by} ${y - by}L${x - by} ${y + by}`, class: "pen" })];
  if (text === "O") return [drawn("circle", { cx: x, cy: y, r: by + 0.02, class: "pen" })];
  return [label([x, y + high * 0.36], text, high, "mark")];
}

function domino(shape, { place: { cells }, side }) {
  const [[x, y], [u, v]] = cells.map((cell) => shape.middle(cell));
  const box = { x: x - 0.44, y: y - 0.44, width: u - x + 0.88, height: v - y + 0.88, rx: 0.1, class: "tile" };
  const [mx, my] = between([x, y], [u, v], 0.5);
  const middle = u === x ? ends([x - 0.3, my], [x + 0.3, my]) : ends([mx, y - 0.3], [mx, y + 0.3]);
  const pips = cells.map((cell) => shape.middle(cell)).map(([cx, cy]) => drawn("circle", { cx, cy, r: 0.09, class: "pip" }));
  return drawn("g", { class: `token ${sideClass(side)}` }, drawn("rect", box), drawn("line", { ...middle, class: "pip" }), pips);
}

function chocolate(x, y, mark) {
  const eaten = !mark.trim();
  const square = drawn("rect", { x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92, rx: 0.08, class: eaten ? "eaten" : "chocolate" });
  if (eaten) return [square];
  const inner = drawn("rect", { x: x - 0.34, y: y - 0.34, width: 0.68, height: 0.68, rx: 0.05, class: "bevel tinted" });
  if (mark === "#") return [square, inner];
  const skull = `M${x - 0.2} ${y - 0.04}a.2 .2 0 0 1 .4 0q0 .1-.08 .14v.1h-.24v-.1q-.08-.04-.08-.14z`;
  const eyes = [-0.08, 0.08].map((dx) => drawn("circle", { cx: x + dx, cy: y - 0.04, r: 0.045, class: "eye" }));
  return [square, inner, drawn("path", { d: skull, class: "skull" }), ...eyes];
}

const pin = (x, y) =>
  `M${x - 0.08} ${y - 0.6}a.11 .11 0 0 1 .16 0q.06 .12 -.01 .26q.22 .3 .17 .6q-.03 .2-.1 .26h-.28q-.07-.06-.1-.26q-.05-.3 .17-.6q-.07-.14 -.01-.26z`;

const pawn = (x, y) =>
  `M${x - 0.28} ${y + 0.36}h.56q0-.14-.12-.2q-.08-.12-.09-.26h.08q.05-.05 0-.1h-.05a.16 .16 0 1 0 -.2 0h-.05q-.05 .05 0 .1h.08q-.01 .14-.09 .26q-.12 .06-.12 .2z`;

function car(x, y, owner) {
  const turn = owner === "second" ? { transform: `rotate(-90 ${x} ${y})` } : {};
  const window = (dx, width) => drawn("rect", { x: x + dx, y: y - 0.13, width, height: 0.26, rx: 0.04, class: "window" });
  return [drawn("g", turn, drawn("rect", { x: x - 0.38, y: y - 0.22, width: 0.76, height: 0.44, rx: 0.14 }), window(0.04, 0.13), window(-0.26, 0.1))];
}

/** An arrow that ends shortly before its target. */
function arrow(from, to, kind) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / long, dy / long];
  const [x, y] = [to[0] - 0.12 * ux, to[1] - 0.12 * uy];
  const head = [[x, y], [x - 0.16 * ux - 0.1 * uy, y - 0.16 * uy + 0.1 * ux], [x - 0.16 * ux + 0.1 * uy, y - 0.16 * uy - 0.1 * ux]];
  const line = ends([from[0] + 0.3 * ux, from[1] + 0.3 * uy], [x - 0.1 * ux, y - 0.1 * uy]);
  return drawn("g", { class: `arrow ${kind}` }, drawn("line", line), drawn("polygon", { points: points(head) }));
}

const label = ([x, y], text, high, kind = "") => drawn("text", { x, y, "font-size": high.toFixed(3), class: kind }, text);

const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });

const between = ([x, y], [u, v], part) => [x + part * (u - x), y + part * (v - y)];

const shrunk = (corners, middle) => corners.map((corner) => between(middle, corner, 0.88));

const points = (corners) => corners.map((corner) => corner.map((n) => n.toFixed(4)).join(",")).join(" ");

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];

/** A drawing as the text of a file that looks as on the page. */
export function fileOf(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((node, number) => {
    const style = getComputedStyle(node);
    for (const name of ["class", "role", "tabindex", "aria-label", "data-cell"]) to[number].removeAttribute(name);
    for (const name of LOOK) to[number].setAttribute(name, style.getPropertyValue(name));
  });
  const [x, y, width, height] = picture.getAttribute("viewBox").split(" ");
  copy.prepend(drawn("rect", { fill: getComputedStyle(picture.closest(".explorer")).backgroundColor, x, y, width, height }));
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy) + "\n";
}
