// The picture of a search: the whole tree, depth downward, each node as wide as its share of the leaves.

import { drawn, shown } from "./elements.js";
import { ROOT } from "./search.js";

/** The columns of the picture: lines of play, evenly spread over all leaves. */
const COLUMNS = 1200;

/** The place of a line in its column: irrational, so that no line is on the border of two nodes. */
const INSIDE = Math.SQRT1_2;

/** Pixels: the greatest and the least height of a row, and that of the picture. */
const [HIGHEST, LOWEST, HEIGHT] = [26, 2, 340];
/** Pixels: the least width of a node with an outline, that of a letter of its name, and the least height for one. */
const [OUTLINED, LETTER, LEGIBLE] = [5, 8, 16];
/** The least share of the width for a node of the path. */
const SEEN = 0.004;

/** A tree with ordered moves (see `Tree.arranged`), and the progress of a search. */
export class Icicle {
  constructor(tree, moves) {
    Object.assign(this, { tree, moves });
    this.rows = tree.plies[0] + 1;
    this.high = Math.max(LOWEST, Math.min(HIGHEST, Math.floor(HEIGHT / this.rows)));
    this.depths = new Uint16Array(COLUMNS); // the number of nodes of each line
    this.measure(ROOT, 1);
    this.seen = new Uint16Array(COLUMNS); // the number of visited nodes of each line
    this.ended = new Array(COLUMNS).fill("never"); // why there will be no more: `cut` off, or below a node known from the `table`
  }

  /** The first column of a node, and the first one after it. */
  columns = ({ from, width }) => [from, from + width].map((part) => Math.max(0, Math.ceil(part * COLUMNS - INSIDE)));

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

  fill = (array, node, value) => array.fill(value, ...this.columns(node));

  /** Find the depths of the lines through a node. */
  measure(node, depth) {
    if (this.hides(node)) return;
    this.fill(this.depths, node, depth);
    for (const child of this.tree.below(node, this.moves)) this.measure(child, depth + 1);
  }

  /** Fill a picture with the outlines of nodes that are wide enough, and the names of their moves. */
  begin(picture) {
    Object.assign(this, { states: drawn("g"), searched: drawn("g") });
    picture.setAttribute("height", this.rows * this.high);
    picture.replaceChildren(this.states, this.searched, ...this.outlines(ROOT, 0, picture.clientWidth).flat());
  }

  /** Draw the states of all nodes, and the path being searched. */
  draw(path) {
    this.states.replaceChildren(...Array.from({ length: this.rows }, (_, row) => this.row(row)).flat());
    this.searched.replaceChildren(...path.map(({ from, width }, row) => {
      const wide = Math.max(SEEN, width);
      return this.box("path", { from: Math.min(from, 1 - wide), width: wide }, row);
    }));
  }

  box(kind, { from, width }, row) {
    return drawn("rect", { class: kind, x: `${100 * from}%`, y: row * this.high, width: `${100 * width}%`, height: this.high });
  }

  /** A row, neighbours with one state together. */
  row(row) {
    const kindAt = (column) => (row < this.depths[column] ? (row < this.seen[column] ? "seen" : this.ended[column]) : null);
    const boxes = [];
    for (let first = 0, column = 1; column <= COLUMNS; column++) {
      const kind = kindAt(first);
      if (kindAt(column) === kind && column < COLUMNS) continue;
      if (kind) boxes.push(this.box(kind, { from: first / COLUMNS, width: (column - first) / COLUMNS }, row));
      first = column;
    }
    return boxes;
  }

  /** The outlines and names of a node and of those below it, in a picture so many pixels `wide`. */
  outlines(node, row, wide) {
    const { tree, moves, high } = this;
    const [below, own] = [tree.below(node, moves), node.width * wide];
    const name = node.code === null || high < LEGIBLE ? "" : shown(tree.names[node.code]);
    const found = [this.box("outline", node, row)];
    if (name && (name.length + 2) * LETTER < own) found.push(drawn("text", { x: `${100 * (node.from + node.width / 2)}%`, y: (row + 0.5) * high }, name));
    return own < OUTLINED * below.length ? found : found.concat(...below.map((child) => this.outlines(child, row + 1, wide)));
  }
}
