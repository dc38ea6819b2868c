// Boards that look like their game. A look in `LOOKS` says what is drawn and where each move is made: its cells, its label, its targets.

import { called, drawn, element, letterOf, moverOf, resultOf, shown, shownLines, strength, wordsOf } from "./elements.js";

const CELL = 60;
const THIN = 0.22;
const SLOPE = Math.sqrt(0.75);
const TIP = 1 / Math.sqrt(3);
const LETTERS = 26;
const MOST_TOKENS = 32;
const MOVING = 150;

/** The place on a phone for a board, and the least text in it, in pixels; how many tokens and pins are in a line. */
const [WIDE, HIGH, TEXT, LINE, PINS] = [328, 414, 12, 6, 5];

const tile = (shape, cell, kind) => drawn("polygon", { points: points(shape.outline(cell)), class: kind });
const hole = (r) => (shape, cell, kind) => drawn("circle", { ...at(shape.middle(cell)), r, class: kind });
const disc = (r, engraved) => ([x, y], text) => [drawn("circle", { cx: x, cy: y, r }), engraved && label([x, y + 0.12], text, 0.34, "engraved")];
const lettered = disc(0.38, true);

/**
 * A look has a `face` of cells, which moves tint; a `token` for marks; `lines` of so many cells in place of a grid; a `place` of moves, see
 * `Shape.place`; what is `under` the cells; and `won`, the cells that have won. `men` tell whose a mark is.
 */
const LOOKS = {
  squares: { men: true, token: stroked },
  discs: { men: true, round: true, token: disc(0.38) },
  hexagons: { men: true, slant: true, token: lettered },
  hex: { men: true, slant: true, token: lettered, under: sides, won: (shape, winner) => [shape.joining(winner)] },
  columns: {
    men: true, round: true, face: hole(0.4), token: lettered, numbered: true,
    under: ({ width, height }) => drawn("rect", { class: "frame", x: -0.08, y: -0.08, width: width + 0.16, height: height + 0.16, rx: 0.2 }),
    place: (shape, { at: cell }) => cell !== null && { ...shape.on(cell), areas: [rectangle(cell % shape.cols, -0.5, 1, shape.height + 0.5)] },
  },
  points: {
    men: true, round: true, named: true, face: hole(0.3), token: disc(0.36, true),
    under: (shape) => shape.joined.map(([a, b]) => drawn("line", { class: "joined", ...ends(shape.middle(a), shape.middle(b)) })),
  },
  pawns: { men: true, chequered: true, named: true, token: ([x, y]) => [drawn("path", { d: pawn(x, y) })] },
  cars: { men: true, chequered: true, named: true, room: [0.6, 0.6], token: (middle, _, owner) => [car(middle, owner)] },
  coins: {
    token: (middle, text, owner) => (owner ? lettered : coin)(middle, text),
    place: (shape, { at: cell, player }) => {
      if (cell === null) return null;
      const [x, y] = shape.middle(cell);
      return { ...shape.on(cell), way: [shape.marks.indexOf(player), cell], spot: [x, y + 0.3], pill: true, tinted: false };
    },
  },
  dominoes: {
    token: ([x, y]) => [drawn("rect", { ...box(x - 0.46, y - 0.46, 0.92, 0.92), rx: 0.06, class: "tile" })],
    place: (shape, { at: cell, name, squares, player }) => {
      const down = name.endsWith("|") || (player === "V" && !name.endsWith("-"));
      return cell !== null && shape.pair([cell, squares[1] ?? cell + (down ? shape.cols : 1)]);
    },
  },
  chocolate: {
    face: (shape, cell, kind) => drawn("rect", { ...box(...inset(shape.box(cell), 0.16)), rx: 0.05, class: kind }),
    under: (shape) => shape.marks.map((mark, cell) => drawn("rect", { ...box(...inset(shape.box(cell), 0.04)), rx: 0.08, class: mark.trim() ? "chocolate" : "eaten" })),
    token: ([x, y], text) => (text === "#" ? [] : poison(x, y)),
    place: (shape, { at: cell }) => {
      if (cell === null) return null;
      const [row, col] = shape.at(cell);
      const bitten = [...shape.marks.keys()].filter((each) => shape.marks[each].trim() && each % shape.cols >= col && each >= row * shape.cols);
      return { ...shape.on(cell), cells: [cell, ...bitten.filter((each) => each !== cell)] };
    },
  },
  dots: {
    dotted: true, named: true, face: edge,
    place: (shape, { squares, at: cell }) => {
      const [found] = squares.length === 2 ? [(squares[0] + squares[1]) / 2] : [cell];
      return found !== null && { ...shape.on(found), areas: [diamond(shape.middle(found), [0.5 + THIN / 2, 0])], pill: true };
    },
  },
  heaps: {
    round: true, numbered: true, bare: true, face: hole(0.42), token: ([cx, cy]) => [drawn("circle", { cx, cy, r: 0.42, class: "wood" })],
    place: (shape, { name }) => {
      const [, heap, taken] = numbers(/^(\d+):(\d+)$/, name);
      if (heap) return shape.heaps[heap - 1] && shape.taking(shape.heaps[heap - 1], taken);
      const [, whole, part] = numbers(/^(\d+)=(\d+)\+\d+$/, name);
      const [first, ...others] = shape.heaps.filter(({ size }) => size === whole);
      if (!first) return null;
      const gaps = [first, ...others].flatMap((each) => [part, whole - part].map((n) => shape.middle(each.first + n - 1, 1)));
      const areas = gaps.map(([x, y]) => rectangle(x - 0.5, y - 0.5, 1, 1));
      return { cells: range(first.first, part), spot: gaps[0], areas, pill: true, fleeting: true };
    },
  },
  pins: {
    high: 1.7, lines: true, bare: true, numbered: true, room: [0.3, 0], token: ([x, y]) => [drawn("path", { d: pin(x, y + 0.1), class: "wood" })],
    place: (shape, { name }) => {
      const cells = name.split("+").map((each) => Number(each) - 1);
      if (!cells.every((each) => shape.marks[each]?.trim())) return null;
      const [[x, y], [end]] = [shape.box(cells[0]), shape.middle(cells[0], 1)];
      if (cells.length === 2) return { cells, spot: [end, y + 0.25], areas: [rectangle(end - 0.38, y, 0.76, 0.76)], pill: true, fleeting: true };
      const area = [[x + 0.38, y], [x + 0.62, y], [x + 0.62, y + 0.76], [x + 1, y + 0.76], [x + 1, y + 1.7], [x, y + 1.7], [x, y + 0.76], [x + 0.38, y + 0.76]];
      return { cells, spot: [x + 0.5, y + 1.05], areas: [area], pill: true, fleeting: true };
    },
  },
};

/** What looks leave out: squares, free cells on which a mark is put, and men that go from one to another. */
const PLAIN = {
  face: tile,
  token: (middle, text) => [mark(middle, text)],
  won: (shape) => shape.runs(),
  place: (shape, { squares, at: cell, name }) => {
    const [from, to] = squares;
    if (squares.length === 2) return shape.marks[from].trim() ? shape.walk(from, to) : shape.pair(squares);
    if (squares.length === 1 && /off/.test(name)) return shape.walk(from, null);
    return cell !== null && shape.on(cell);
  },
};

const lookOf = (name) => ({ ...PLAIN, name, ...LOOKS[name] });

/** The marks of a position row by row, with the heaps if it has some; null without a board. */
function gridOf({ grid, position }, { board, start }) {
  if (!board) return null;
  if (board.look === "heaps") return heapsOf(...[position, start].map((text) => (text.match(/\d+/g) ?? []).map(Number)));
  if (!grid?.length || !grid[0].length || grid.some((row) => row.length !== grid[0].length)) return null;
  if (!LOOKS[board.look]?.lines || grid.length > 1) return { rows: grid.map((row) => [...row]) };
  const wide = Math.ceil(grid[0].length / Math.ceil(grid[0].length / PINS));
  return { rows: range(0, Math.ceil(grid[0].length / wide)).map((row) => range(row * wide, wide).map((cell) => grid[0][cell] ?? " ")) };
}

/** Heaps in lines of tokens; each heap begins a line, and keeps as many as it had at the start while there are as many heaps. */
function heapsOf(sizes, most) {
  const widest = Math.max(1, ...most, ...sizes);
  if (!sizes.length || widest > MOST_TOKENS) return null;
  const [wide, heaps, rows] = [Math.min(widest, LINE), [], []];
  for (const [number, size] of sizes.entries()) {
    heaps.push({ first: rows.length * wide, size });
    const room = Math.max(1, size, most.length === sizes.length ? most[number] : 0);
    for (let done = 0; done < room; done += wide) rows.push(range(done, wide).map((token) => (token < size ? "o" : " ")));
  }
  return { rows, heaps };
}

/** The geometry of a grid, in cells from its upper left corner. Cells are numbered row by row. */
class Shape {
  constructor({ rows: grid, heaps }, { look, from_bottom: fromBottom, joined, in_row: inRow }) {
    Object.assign(this, { grid, heaps, look: lookOf(look), fromBottom, joined, inRow, rows: grid.length, cols: grid[0].length, marks: grid.flat() });
    const { slant, high = 1 } = this.look;
    this.width = slant ? this.cols + (this.rows - 1) / 2 : this.edge(this.cols);
    this.height = slant ? SLOPE * (this.rows - 1) + 2 * TIP : this.edge(this.rows) * high;
  }

  edge = (n) => (this.look.dotted ? THIN * ((n + 1) >> 1) + (n >> 1) : n);

  at = (cell) => [Math.floor(cell / this.cols), cell % this.cols];

  /** Left, top, width and height of a cell; of the square in a hexagon. */
  box(cell) {
    const [[r, c], { slant, high = 1 }] = [this.at(cell), this.look];
    if (slant) return [c + r / 2, SLOPE * r + TIP - 0.5, 1, 1];
    return [this.edge(c), this.edge(r) * high, this.edge(c + 1) - this.edge(c), (this.edge(r + 1) - this.edge(r)) * high];
  }

  /** A point of a cell, its middle unless another `part` of its width is given. */
  middle(cell, part = 0.5) {
    const [x, y, w, h] = this.box(cell);
    return [x + part * w, y + h / 2];
  }

  outline(cell) {
    if (!this.look.slant) return rectangle(...this.box(cell));
    const [x, y] = this.middle(cell);
    return [[0, -TIP], [0.5, -TIP / 2], [0.5, TIP / 2], [0, TIP], [-0.5, TIP / 2], [-0.5, -TIP / 2]].map(([dx, dy]) => [x + dx, y + dy]);
  }

  /** The cells in a name such as `a2-b3`. */
  squares(name) {
    const step = this.look.dotted ? 2 : 1;
    const [rows, cols] = [(this.rows - 1) / step + 1, (this.cols - 1) / step + 1];
    return [...name.matchAll(/(?<![a-wyz])([a-z])(\d{1,3})/g)].flatMap(([, letter, number]) => {
      const [r, c] = [this.fromBottom ? rows - number : number - 1, letter.charCodeAt(0) - 97];
      return r >= 0 && r < rows && c < cols ? [step * (r * this.cols + c)] : [];
    });
  }

  /**
   * Where a move is made: its `cells`; the `spot` of its label; its `areas`, to be clicked; a `way` from one cell to another or off the board,
   * if a man goes; whether a cell is `tinted` and the label a `pill`; `fleeting` if other cells have its numbers afterwards. Null if it has no place on the board.
   */
  place(move, player) {
    const name = String(move.name || move.move);
    const squares = this.squares(name);
    const found = this.look.place(this, { name, squares, at: move.cell ?? squares[0] ?? null, player });
    return found && found.cells.every((cell) => cell < this.marks.length) ? found : null;
  }

  on = (cell) => ({ cells: [cell], spot: this.middle(cell), areas: [this.outline(cell)], tinted: true });

  taking = ({ first, size }, taken) => ({ ...this.on(first + size - taken), cells: range(first + size - taken, taken) });

  walk = (from, to) => ({ cells: [to ?? from], pill: true, way: [from, to], areas: [] });

  pair(cells) {
    const [a, b] = cells.map((cell) => this.middle(cell));
    return { cells, pill: true, spot: between(a, b, 0.5), areas: [diamond(between(a, b, 0.5), [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2])] };
  }

  /** The end of a way; off the board, beyond the right or the upper edge. */
  end([from, to]) {
    if (to !== null) return this.middle(to);
    const [[x, y], [, c]] = [this.middle(from), this.at(from)];
    return c === this.cols - 1 && this.marks[from] !== "O" ? [x + 0.8, y] : [x, y - 0.8];
  }

  /** Rows of so many equal marks as decide the game. */
  runs() {
    const runs = [];
    for (const [cell, mark] of this.marks.entries())
      for (const [dr, dc] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        const [r, c] = this.at(cell);
        const run = Array.from({ length: this.inRow }, (_, i) => [r + i * dr, c + i * dc]);
        if (mark.trim() && run.every(([y, x]) => this.grid[y]?.[x] === mark)) runs.push(run.map(([y, x]) => y * this.cols + x));
      }
    return this.inRow > 1 ? runs : [];
  }

  /** Stones that join two sides. */
  joining(winner) {
    const along = winner === "X" ? 0 : 1;
    const before = new Map([...this.marks.keys()].filter((cell) => this.marks[cell] === winner && this.at(cell)[along] === 0).map((cell) => [cell, null]));
    for (const cell of before.keys()) {
      const [r, c] = this.at(cell);
      if ([r, c][along] === [this.rows, this.cols][along] - 1) {
        const path = [cell];
        while (before.get(path.at(-1)) !== null) path.push(before.get(path.at(-1)));
        return path;
      }
      for (const [y, x] of [[r, c + 1], [r, c - 1], [r + 1, c], [r - 1, c], [r + 1, c - 1], [r - 1, c + 1]])
        if (this.grid[y]?.[x] === winner && !before.has(y * this.cols + x)) before.set(y * this.cols + x, cell);
    }
    return [];
  }
}

/** Let the moves that share a cell share its place: each gets a part of it. */
function apart(shape, placed) {
  for (const group of Map.groupBy(placed.filter(({ place }) => place.tinted), ({ place: { cells } }) => String(cells)).values()) {
    const wide = Math.ceil(Math.sqrt(group.length));
    const [[x, y, w, h], down] = [shape.box(group[0].place.cells[0]), Math.ceil(group.length / wide)];
    if (wide > 1)
      for (const [i, { place }] of group.entries()) {
        const area = rectangle(x + (w / wide) * (i % wide), y + (h / down) * Math.floor(i / wide), w / wide, h / down);
        Object.assign(place, { spot: between(area[0], area[2], 0.5), areas: [area], shared: wide });
      }
  }
}

/** Put the labels of men that go along their ways where no other label is. */
function alongWays(shape, placed, [wide, high]) {
  const taken = placed.filter(({ place }) => place.spot).map(({ place }) => place.spot);
  const room = ([x, y]) => Math.min(...taken.map(([u, v]) => Math.max(Math.abs(x - u) / wide, Math.abs(y - v) / high)), 1);
  for (const { place } of placed.filter((each) => each.place.way && !each.place.spot)) {
    const [from, to] = [shape.middle(place.way[0]), shape.end(place.way)];
    const spots = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8].map((part) => between(from, to, part));
    place.spot = spots.toSorted((a, b) => room(b) - room(a))[0];
    taken.push(place.spot);
  }
}

/** The board of a position, with its moves and those played before. */
class Board {
  constructor(position, solution, { moves = [], past = [], label = `The position ${shown(position.position)}`, ...rest }) {
    Object.assign(this, { position, solution, past, label, ...rest });
    const shape = (this.shape = new Shape(gridOf(position, solution), solution.board));
    const inPixels = Math.min(WIDE / (shape.width + 0.8), HIGH / (shape.height + 0.8));
    this.text = Math.min(0.45, Math.max(0.2, TEXT / inPixels)); // so high
    const told = this.secret ? moves.toSorted((a, b) => a.move - b.move) : moves; // their order, best first, would tell
    this.hits = told.map((move) => ({ move, place: shape.place(move, position.player), said: called(move) + (this.secret ? "" : `: ${wordsOf(move, solution)}`) })).filter(({ place }) => place);
    this.letters = Map.groupBy(moves, letterOf);
    apart(shape, this.hits);
    alongWays(shape, this.hits, [2.4 * this.text, 1.5 * this.text]);
    if (moves.some(({ name }) => shape.squares(String(name)).length)) solution.named = true; // cells have names in all positions
    this.named = shape.look.named || solution.named;
  }

  draw() {
    const { shape, small, shape: { look } } = this;
    const [left, top] = [this.named || shape.heaps, this.named || (look.numbered && !shape.heaps)].map((names) => (names && !small ? 0.25 + this.text : 0.12));
    const [right, above] = (!small && look.room) || [0.12, 0];
    const view = [-left, -top - above, shape.width + left + right, shape.height + top + above + 0.12].map((n) => n * CELL);
    const scale = small ? Math.min(1 / 3, 90 / Math.max(view[2], view[3])) : 1;
    this.picture = drawn("svg", {
      viewBox: view.join(" "), class: `board look-${look.name}`, role: small ? "img" : "group", "aria-label": shown(this.label),
      width: Math.round(view[2] * scale), height: Math.round(view[3] * scale),
    });
    this.hints = drawn("g", { class: "hints" });
    this.whole = drawn("g", { transform: `scale(${CELL})` }, look.under?.(shape), this.cells(),
      decisive(shape, this.position).map((run) => drawn("polyline", { class: "won", points: points(run.map((cell) => shape.middle(cell))) })), this.tokens());
    this.picture.append(this.whole);
    if (small) return this.picture;
    const last = this.past.at(-1)?.place;
    this.whole.append(drawn("g", { "aria-hidden": "true" }, last && !last.fleeting && this.around(last, "last"), this.names(), this.shades(), this.hints), ...this.targets());
    this.listen();
    if (this.moved) this.move();
    return this.picture;
  }

  cells() {
    const { shape, shape: { look, marks } } = this;
    return marks.map((mark, cell) => {
      const [r, c] = shape.at(cell);
      const name = this.named && c < LETTERS ? String.fromCharCode(97 + c) + (shape.fromBottom ? shape.rows - r : r + 1) : cell;
      const seen = !this.small && mark.trim() && !look.dotted && { role: "img", "aria-label": `${shown(mark.trim())} at ${name}` };
      const men = this.hits.some(({ place: { way } }) => way?.[0] === cell);
      const kind = `cell${look.chequered && (r + c) % 2 ? " odd" : ""}${men ? " open" : ""}`;
      return drawn("g", { class: kind, "data-cell": cell, ...seen }, look.bare ? null : look.face(shape, cell, `face${mark.trim() ? " full" : ""}`), look.dotted && this.filled(cell));
    });
  }

  /** A box whose edges are all drawn, and whose it is. */
  filled(cell) {
    const { shape } = this;
    const [[r, c], [x, y, w, h]] = [shape.at(cell), shape.box(cell)];
    if (r % 2 === 0 || c % 2 === 0 || ![[r - 1, c], [r + 1, c], [r, c - 1], [r, c + 1]].every(([i, j]) => shape.grid[i][j].trim())) return null;
    const owner = this.past.findLast(({ place }) => place && [1, shape.cols].includes(Math.abs(place.cells[0] - cell)))?.side;
    return [drawn("rect", { ...box(x, y, w, h), class: `filled ${sideClass(owner)}` }),
      owner && label([x + w / 2, y + h / 2 + 0.16], this.solution.players[owner === "X" ? 0 : 1], 0.44)];
  }

  /** What lies on the cells. */
  tokens() {
    const { shape, shape: { look } } = this;
    this.lying = new Map();
    const pairs = look.name === "dominoes" ? this.past.filter(({ place }) => place?.cells.length === 2) : [];
    const paired = new Map(pairs.flatMap(({ place, side }) => place.cells.map((cell) => [cell, { place, side }])));
    for (const [cell, mark] of shape.marks.entries()) {
      const pair = paired.get(cell);
      if (!mark.trim() || look.dotted || (pair && pair.place.cells[0] !== cell)) continue;
      this.lying.set(cell, pair ? domino(shape, pair) : token(shape, cell, mark, this.owner(mark.trim())));
    }
    return drawn("g", { class: "tokens" }, [...this.lying.values()]);
  }

  owner(text) {
    const number = ["X", "O"].includes(text) ? "XO".indexOf(text) : this.solution.players.indexOf(text);
    return sideClass("XO"[number]);
  }

  /** Outlines of a move's cells, and an arrow along its way. */
  around({ cells, way, shared, areas }, kind) {
    const { shape, shape: { look } } = this;
    const shapes = cells.map((cell) => {
      const [cx, cy] = shape.middle(cell);
      if (shared && kind !== "last") return drawn("polygon", { points: points(shrunk(areas[0], between(areas[0][0], areas[0][2], 0.5))), class: kind });
      if (look.round) return drawn("circle", { cx, cy, r: 0.44, class: kind });
      if (look.slant) return drawn("polygon", { points: points(shrunk(shape.outline(cell), [cx, cy])), class: kind });
      return drawn("rect", { ...box(...inset(shape.box(cell), 0.04)), rx: 0.08, class: kind });
    });
    if (way && way[0] >= 0) shapes.push(arrow(shape.middle(way[0]), shape.end(way), kind));
    return shapes;
  }

  /** Coordinates, and the names of columns, heaps and pins. */
  names() {
    const { shape, shape: { look, cols, rows, heaps }, text, hits } = this;
    const step = look.dotted ? 2 : 1;
    const split = heaps && hits.some(({ place }) => place.fleeting); // split heaps are named by their sizes, others by numbers
    const above = (x, name) => label([x, -0.16], name, text);
    const before = (y, name) => label([-0.12 - text / 2, y + text * 0.36], name, text);
    return drawn("g", { class: "coordinates" },
      heaps?.map(({ first, size }, number) => before(shape.middle(first)[1], split ? size : number + 1)),
      look.numbered && !heaps && (look.lines ? shape.marks.map((mark, cell) => mark.trim() && label([shape.middle(cell)[0], shape.box(cell)[1] + 1.62], cell + 1, text * 0.9))
        : hits.map(({ move, place }) => above(shape.middle(place.cells[0])[0], called(move)))),
      this.named && range(0, Math.ceil(Math.min(cols, LETTERS * step) / step)).map((c) => above(shape.middle(c * step)[0], String.fromCharCode(97 + c))),
      this.named && range(0, Math.ceil(rows / step)).map((r) => before(shape.middle(r * step * cols)[1], shape.fromBottom ? (rows - 1) / step + 1 - r : r + 1)));
  }

  kindOf = ({ move }) => `${this.secret ? "" : resultOf(move)}${this.only && !this.only.includes(move) ? " other" : ""}`;

  /** What moves do to their cells, and their ways. */
  shades() {
    const { shape, secret } = this;
    return this.hits.map((hit) => {
      const { move, place: { cells, way, shared, areas: [area], tinted } } = hit;
      const tint = !secret && tinted && (shared ? drawn("polygon", { points: points(area), class: "tint" }) : shape.look.face(shape, cells[0], "tint"));
      if (tint) for (const name of ["fill-opacity", "stroke-opacity"]) tint.setAttribute(name, (strength(move) * 0.5).toFixed(2));
      return drawn("g", { class: this.kindOf(hit) }, tint, way && way[0] >= 0 && arrow(shape.middle(way[0]), shape.end(way), "way"));
    });
  }

  /** Where moves are clicked: their areas, and their labels, which are buttons. */
  targets() {
    const areas = this.hits.flatMap(({ place, said }, number) =>
      place.areas.map((area) => drawn("polygon", { points: points(area), class: "area", "data-hit": number }, drawn("title", {}, said))));
    const labels = this.hits.map((hit, number) => (hit.node = drawn("g", {
      class: `label ${this.kindOf(hit)}`, "data-hit": number, "data-move": hit.move.move, role: "button", tabindex: -1, "aria-label": hit.said,
    }, drawn("title", {}, hit.said), this.badge(hit))));
    return [drawn("g", {}, areas), drawn("g", {}, labels)];
  }

  /** The value of a move, after its name where this says more than the cell; plies are given where they differ. */
  badge({ move, place: { spot: [x, y], pill, shared } }) {
    const { shape, secret, text } = this;
    const alike = new Set(this.letters.get(letterOf(move)).map(({ remoteness_plies: plies }) => plies));
    const value = secret ? "" : letterOf(move) + (alike.size > 1 ? (move.remoteness_plies ?? "") : "");
    if (pill) {
      const wide = text * Math.max(1.3, 0.75 + 0.62 * value.length);
      return [drawn("rect", { class: "pill", ...box(x - wide / 2, y - 0.65 * text, wide, 1.3 * text), rx: 0.65 * text }), value && label([x, y + 0.36 * text], value, text, "value")];
    }
    const plain = String(move.name || move.move);
    const name = shape.look.numbered || shape.squares(plain).length ? "" : shared ? shown(plain.replace(/\d+$/, "") || plain).slice(0, 8) : called(move).slice(0, 6);
    const high = Math.max(text, (shared ? 0.5 : 0.3) / Math.max(1, shared ?? 1));
    if (!name && !value) return [drawn("circle", { class: "area", cx: x, cy: y, r: 0.3 })];
    return [name && label([x, value ? y - 0.14 : y + 0.08], name, shared && !value ? high * 1.3 : text * (shared ? 1.3 : 1), shared && !value ? "mark" : "called"),
      value && label([x, name ? y + 0.26 : y + 0.36 * high], value, high, "value")];
  }

  /** The targets at a point: the one whose area or label is there, or else those of the men that go from the cell or to it, or the nearest in it. */
  targetsAt({ target, clientX, clientY }) {
    const number = target.closest?.("[data-hit]")?.dataset.hit;
    if (number !== undefined) return { hits: [this.hits[number]] };
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.whole.getScreenCTM().inverse());
    const far = ([u, v]) => Math.hypot(u - x, v - y);
    const cell = this.shape.marks.keys().toArray().sort((a, b) => far(this.shape.middle(a)) - far(this.shape.middle(b)))[0];
    const chosen = ({ move }) => !this.only || this.only.includes(move);
    const [men, arrivals] = [0, 1].map((end) => this.hits.filter((hit) => hit.place.way?.[end] === cell && (!end || chosen(hit))));
    const others = this.hits.filter(({ place: { cells, way } }) => !way && cells.includes(cell));
    const nearest = others.sort((a, b) => far(a.place.spot) - far(b.place.spot)).slice(0, 1);
    return men.length ? { hits: men, lifted: true } : { hits: arrivals.length ? arrivals : nearest };
  }

  /** Let clicks choose moves, pointing at targets show them, Tab reach one, and arrow keys the others. */
  listen() {
    const { picture } = this;
    const show = (hits) => this.pointed?.(hits.length ? hits.map(({ move }) => move) : null);
    const focused = (event) => this.hits.filter(({ node }) => node === event.target);
    picture.addEventListener("click", (event) => {
      const { hits, lifted } = this.targetsAt(event);
      if (hits.length) this.choose?.(hits.map(({ move }) => move), lifted);
    });
    picture.addEventListener("pointermove", (event) => show(this.targetsAt(event).hits));
    for (const kind of ["pointerleave", "focusout"]) picture.addEventListener(kind, () => show([]));
    picture.addEventListener("focusin", (event) => show(focused(event)));
    picture.addEventListener("keydown", (event) => this.key(event, ...focused(event)));
    this.hits.toSorted(({ place: { spot: [x, y] } }, { place: { spot: [u, v] } }) => y - v || x - u)[0]?.node.setAttribute("tabindex", 0);
  }

  key(event, now) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!now || (!way && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (!way) return void this.choose([now.move]);
    const [x, y] = now.place.spot;
    const ahead = this.hits.map((hit) => ({ hit, by: [hit.place.spot[0] - x, hit.place.spot[1] - y] }));
    const far = ({ by }) => Math.hypot(...by) + 2 * Math.abs(by[0] * way[1] + by[1] * way[0]);
    const near = ahead.filter(({ by }) => by[0] * way[0] + by[1] * way[1] > 0.01).sort((a, b) => far(a) - far(b))[0]?.hit;
    if (!near) return;
    now.node.setAttribute("tabindex", -1);
    near.node.setAttribute("tabindex", 0);
    near.node.focus();
  }

  /** Show where these moves are made; null shows nothing. */
  hint(moves) {
    const hits = this.hits.filter(({ move }) => moves?.some((each) => each.move === move.move));
    this.hints.replaceChildren(...hits.flatMap((hit) => this.around(hit.place, `hint ${this.kindOf(hit)}`)));
  }

  /** Move the last token from where it was. */
  move() {
    const place = this.past.at(-1)?.place;
    const node = place && this.lying.get(place.way ? place.way[1] : place.cells[0]);
    if (!node || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [x, y] = this.shape.middle(place.cells[0]);
    const [fromX, fromY] = place.way?.[0] >= 0 ? this.shape.middle(place.way[0]) : this.shape.look.name === "columns" ? [x, -0.5] : [x, y];
    const begin = fromX === x && fromY === y ? { opacity: 0 } : { transform: `translate(${fromX - x}px, ${fromY - y}px)` };
    node.animate([begin, {}], { duration: MOVING, easing: "ease-in" });
  }
}

/** The cells that have won, if some have. */
function decisive(shape, { terminal, value }) {
  return terminal && value ? shape.look.won(shape, value > 0 ? "X" : "O").filter((run) => run.length) : [];
}

/** What made a position the end, if the board shows it, such as "3 X in a row". */
export function ending(position, solution) {
  const grid = gridOf(position, solution);
  const shape = grid && new Shape(grid, solution.board);
  const [run] = grid ? decisive(shape, position) : [];
  return run && (shape.look.name === "hex" ? "the two sides are joined" : `${run.length} ${shown(shape.marks[run[0]])} in a row`);
}

/**
 * A position as a drawing or, without a board, as text; its `hint(moves)` shows moves on it. `choose` is called with the moves at a click, and whether a
 * man is lifted there; `pointed` with those pointed at. Values may be `secret`. `past` are the moves so far with the positions before them; the last one
 * has just been made if `moved`.
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
  if (!side || !lookOf(look).men || solution.players[0] !== "X") return null;
  const shape = new Shape({ rows: [["X"]] }, { look, joined: [] });
  return drawn("svg", { class: `board sign look-${look}`, viewBox: "0 0 1 1", "aria-hidden": "true" }, token(shape, 0, side, sideClass(side)));
}

const sideClass = (side) => (side === "X" ? "first" : side === "O" ? "second" : "");

function token(shape, cell, marked, owner) {
  const { look } = shape;
  const text = shown(marked.trim()).slice(0, 4);
  const own = owner || !look.men ? look.token : PLAIN.token;
  return drawn("g", { class: `token ${owner}` }, own(shape.middle(cell), text, owner));
}

function mark([x, y], text) {
  const high = Math.min(0.6, 1.4 / (text.length + 0.5));
  return label([x, y + high * 0.36], text, high, "mark");
}

function coin([x, y], text) {
  const high = Math.min(0.45, 1 / (text.length + 0.5));
  return /^\d+$/.test(text) ? [drawn("circle", { cx: x, cy: y, r: 0.4, class: "coin" }), label([x, y + high * 0.35], text, high)] : [mark([x, y], text)];
}

/** A cross, a ring, or another mark as text. */
function stroked([x, y], text) {
  const by = 0.25;
  if (text === "X") return [drawn("path", { d: `M${x - by} ${y - by}L${x + by} ${y + by}M${x + by} ${y - by}L${x - by} ${y + by}`, class: "pen" })];
  return [text === "O" ? drawn("circle", { cx: x, cy: y, r: by + 0.02, class: "pen" }) : mark([x, y], text)];
}

function domino(shape, { place: { cells }, side }) {
  const [[x, y], [u, v]] = cells.map((cell) => shape.middle(cell));
  const [mx, my] = between([x, y], [u, v], 0.5);
  const middle = u === x ? ends([x - 0.3, my], [x + 0.3, my]) : ends([mx, y - 0.3], [mx, y + 0.3]);
  const pips = cells.map((cell) => shape.middle(cell)).map(([cx, cy]) => drawn("circle", { cx, cy, r: 0.09, class: "pip" }));
  return drawn("g", { class: `token ${sideClass(side)}` },
    drawn("rect", { ...box(x - 0.44, y - 0.44, u - x + 0.88, v - y + 0.88), rx: 0.1, class: "tile" }), drawn("line", { ...middle, class: "pip" }), pips);
}

/** The sides that stones of hex join. */
function sides(shape) {
  const side = (cells, corners, owner) =>
    drawn("polyline", { class: `side ${owner}`, points: points(cells.flatMap((cell) => corners.map((i) => shape.outline(cell)[i]))) });
  const [all, { rows, cols }] = [[...shape.marks.keys()], shape];
  const [firsts, lasts] = [all.filter((cell) => cell % cols === 0), all.filter((cell) => cell % cols === cols - 1)];
  return [side(all.slice(0, cols), [5, 0, 1], "first"), side(all.slice((rows - 1) * cols).reverse(), [2, 3, 4], "first"),
    side(firsts.reverse(), [4, 5], "second"), side(lasts, [1, 2], "second")];
}

/** A dot, or an edge between two. */
function edge(shape, cell, kind) {
  const [[x, y, w, h], [r, c]] = [shape.box(cell), shape.at(cell)];
  const [mx, my] = [x + w / 2, y + h / 2];
  if (r % 2 === 0 && c % 2 === 0) return drawn("circle", { cx: mx, cy: my, r: THIN / 2, class: "dot" });
  return (r + c) % 2 ? drawn("line", { ...(r % 2 ? ends([mx, y], [mx, y + h]) : ends([x, my], [x + w, my])), class: kind }) : null;
}

function poison(x, y) {
  const skull = `M${x - 0.2} ${y - 0.04}a.2 .2 0 0 1 .4 0q0 .1-.08 .14v.1h-.24v-.1q-.08-.04-.08-.14z`;
  return [drawn("path", { d: skull, class: "skull" }), [-0.08, 0.08].map((dx) => drawn("circle", { cx: x + dx, cy: y - 0.04, r: 0.045, class: "eye" }))];
}

const pin = (x, y) =>
  `M${x - 0.08} ${y - 0.6}a.11 .11 0 0 1 .16 0q.06 .12 -.01 .26q.22 .3 .17 .6q-.03 .2-.1 .26h-.28q-.07-.06-.1-.26q-.05-.3 .17-.6q-.07-.14 -.01-.26z`;

const pawn = (x, y) =>
  `M${x - 0.28} ${y + 0.36}h.56q0-.14-.12-.2q-.08-.12-.09-.26h.08q.05-.05 0-.1h-.05a.16 .16 0 1 0 -.2 0h-.05q-.05 .05 0 .1h.08q-.01 .14-.09 .26q-.12 .06-.12 .2z`;

function car([x, y], owner) {
  const turn = owner === "second" ? { transform: `rotate(-90 ${x} ${y})` } : {};
  const window = (dx, width) => drawn("rect", { ...box(x + dx, y - 0.13, width, 0.26), rx: 0.04, class: "window" });
  return drawn("g", turn, drawn("rect", { ...box(x - 0.38, y - 0.22, 0.76, 0.44), rx: 0.14 }), window(0.04, 0.13), window(-0.26, 0.1));
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

const at = ([cx, cy]) => ({ cx, cy });

const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });

const box = (x, y, width, height) => ({ x, y, width, height });

const inset = ([x, y, w, h], by) => [x + by, y + by, w - 2 * by, h - 2 * by];

const rectangle = (x, y, w, h) => [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];

/** A rhombus, with half of one diagonal. */
const diamond = ([x, y], [dx, dy]) => [[x - dx, y - dy], [x + dy, y - dx], [x + dx, y + dy], [x - dy, y + dx]];

const range = (first, number) => Array.from({ length: number }, (_, i) => first + i);

const numbers = (pattern, text) => pattern.exec(text)?.map(Number) ?? [];

const between = ([x, y], [u, v], part) => [x + part * (u - x), y + part * (v - y)];

const shrunk = (corners, middle) => corners.map((corner) => between(middle, corner, 0.88));

const points = (corners) => corners.map((corner) => corner.map((n) => n.toFixed(4)).join(",")).join(" ");
