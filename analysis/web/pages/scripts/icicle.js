// The picture of a search: the whole tree, depth downward, each node as wide as its share of the leaves.

import { colourOf, sized } from "./canvas.js";
import { shown } from "./elements.js";
import { ROOT } from "./search.js";

/** The columns of the picture: lines of play, evenly spread over all leaves. */
const COLUMNS = 1200;

/** The place of a line in its column: irrational, so that no line is on the border of two nodes. */
const INSIDE = Math.SQRT1_2;

const [HIGHEST, LOWEST, HEIGHT] = [26, 2, 340];
const [OUTLINED, NAMED, FAINT] = [5, 26, 0.3];

/** The colour of names of visited nodes, which are light. */
const DARK = "#14171c";

/** A tree with ordered moves (see `Tree.arranged`), and the progress of a search. */
export class Icicle {
  constructor(tree, moves) {
    Object.assign(this, { tree, moves });
    this.rows = tree.plies[0] + 1;
    this.depths = Uint16Array.from({ length: COLUMNS }, (_, column) => this.line(column).length);
    this.seen = new Uint16Array(COLUMNS); // the number of visited nodes of each line
    this.ended = new Array(COLUMNS).fill("never"); // why there will be no more: `cut` off, or below a node known from the `table`
  }

  /** The first column of a node, and the first one after it. */
  columns({ from, width }) {
    return [from, from + width].map((part) => Math.max(0, Math.ceil(part * COLUMNS - INSIDE)));
  }

  /** Whether a node has no column, so that nothing below it is drawn. */
  hides(node) {
    const [first, end] = this.columns(node);
    return first >= end;
  }

  /** Record a step of a search. */
  mark({ called, parent, skipped }, depth) {
    if (called) this.fill(this.seen, called, depth);
    if (called?.hit) this.fill(this.ended, called, "table");
    if (!skipped) return;
    const from = parent.from + parent.width * this.moves.before[parent.end - skipped];
    this.fill(this.ended, { from, width: parent.from + parent.width - from }, "cut");
  }

  fill(array, node, value) {
    array.fill(value, ...this.columns(node));
  }

  /** The nodes of a column's line, from the root. */
  line(column) {
    const { tree, moves } = this;
    const wanted = (column + INSIDE) / COLUMNS;
    const nodes = [ROOT];
    for (;;) {
      const { position, from, width } = nodes.at(-1);
      let [place, end] = [tree.first[position], tree.first[position + 1]];
      if (place === end) return nodes;
      while (place + 1 < end && from + width * moves.before[place + 1] <= wanted) place++;
      nodes.push(tree.after(nodes.at(-1), moves, place));
    }
  }

  /** The height of a row in CSS pixels. */
  get rowHeight() {
    return Math.max(LOWEST, Math.min(HIGHEST, Math.floor(HEIGHT / this.rows)));
  }

  /** The column and the row at a point, whose coordinates go from 0 to 1. */
  at(x, y) {
    const column = Math.max(0, Math.min(COLUMNS - 1, Math.floor(x * COLUMNS)));
    return { column, row: Math.max(0, Math.min(this.depths[column] - 1, Math.floor(y * this.rows))) };
  }

  /** The state of the node at a column and a row: `seen`, `cut`, `table`, or `never` reached. */
  stateAt({ column, row }) {
    return row < this.seen[column] ? "seen" : this.ended[column];
  }

  /** Draw all nodes on a canvas, with the path being searched and the node looked at. */
  draw(canvas, path, looked) {
    const [wide, high] = [canvas.clientWidth, this.rowHeight];
    Object.assign(this, { wide, high, path, context: sized(canvas, wide, this.rows * high) });
    this.colours = Object.fromEntries(["ink", "muted", "rule", "paper", "heat", "amber", "purple"].map((role) => [role, colourOf(canvas, role)]));
    this.looks = { never: this.colours.rule, cut: this.hatched(1), table: this.hatched(-1), seen: this.colours.heat };
    for (let row = 0; row < this.rows; row++) this.row(row);
    path.forEach((node, row) => this.box(node, row, this.colours.amber));
    this.outlines(ROOT, 0);
    if (looked) this.box(looked.node, looked.row, null);
  }

  /** Draw a row, neighbours with one state at once. */
  row(row) {
    const kindAt = (column) => (column < COLUMNS && row < this.depths[column] ? this.stateAt({ column, row }) : null);
    for (let first = 0, column = 1; column <= COLUMNS; column++) {
      const kind = kindAt(first);
      if (kindAt(column) === kind && column < COLUMNS) continue;
      if (kind) this.stretch(kind, first, column, row);
      first = column;
    }
  }

  stretch(kind, first, end, row) {
    const { context, high } = this;
    const [x, width] = [(first / COLUMNS) * this.wide, ((end - first) / COLUMNS) * this.wide];
    context.fillStyle = this.colours.paper;
    context.fillRect(x, row * high, width, high);
    context.globalAlpha = kind === "never" ? FAINT : 1;
    context.fillStyle = this.looks[kind];
    context.fillRect(x, row * high, width, high);
    context.globalAlpha = 1;
  }

  /** Draw outlines of nodes that are wide enough, and the names of their moves. */
  outlines(node, row) {
    const { tree, moves } = this;
    const [x, y, width] = [node.from * this.wide, row * this.high, node.width * this.wide];
    const [first, end] = [tree.first[node.position], tree.first[node.position + 1]];
    this.context.strokeStyle = this.colours.muted;
    this.context.lineWidth = 0.5;
    this.context.strokeRect(x, y, width, this.high);
    if (node.code !== null && width >= NAMED && this.high >= 16) this.name(node, row, x, y, width);
    if (width < OUTLINED * (end - first)) return;
    for (let place = first; place < end; place++) this.outlines(tree.after(node, moves, place), row + 1);
  }

  name({ position, code, from }, row, x, y, width) {
    const { context } = this;
    const text = shown(this.tree.names[code]);
    const searched = this.path[row]?.position === position && this.path[row].from === from;
    const seen = this.stateAt({ column: this.columns({ from, width: 0 })[0], row }) === "seen";
    context.fillStyle = searched ? this.colours.paper : seen ? DARK : this.colours.ink;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    if (context.measureText(text).width < width - 4) context.fillText(text, x + width / 2, y + this.high / 2);
  }

  /** Highlight a node, however narrow it is: filled, or framed. */
  box({ from, width }, row, colour) {
    const { context, high } = this;
    const wide = Math.max(3, width * this.wide);
    const [x, y] = [Math.min(from * this.wide, this.wide - wide), row * high];
    context.fillStyle = colour ?? "transparent";
    context.fillRect(x, y, wide, high);
    context.strokeStyle = this.colours.ink;
    context.lineWidth = colour ? 1 : 3;
    context.strokeRect(x, y, wide, high);
  }

  /** A pattern of lines that rise to one side. */
  hatched(side) {
    const tile = document.createElement("canvas");
    Object.assign(tile, { width: 6, height: 6 });
    const context = tile.getContext("2d");
    context.strokeStyle = side > 0 ? this.colours.muted : this.colours.purple;
    for (const shift of [-6, 0, 6]) {
      context.moveTo(shift, side > 0 ? 6 : 0);
      context.lineTo(shift + 6, side > 0 ? 0 : 6);
    }
    context.stroke();
    return this.context.createPattern(tile, "repeat");
  }
}
