// Boards as drawings: squares, hexagons where rows slant, dots with the lines between them.

import { drawn, element, grouped, resultOf, RESULTS, shown, shownLines, strength } from "./elements.js";

const CELL = 60;
const THIN = 0.22;
const SLOPE = Math.sqrt(0.75);
const EDGE = 0.45;
const LETTERS = 26;

/** Where the cells of a grid are, in cells; `box` is left, top, width and height. */
function shapeOf(grid, board) {
  const [rows, cols] = [grid.length, grid[0].length];
  const edge = (n) => (board.dotted ? THIN * ((n + 1) >> 1) + (n >> 1) : n);
  if (!board.slant) {
    const box = (r, c) => [edge(c), edge(r), edge(c + 1) - edge(c), edge(r + 1) - edge(r)];
    const outline = (r, c) => {
      const [x, y, w, h] = box(r, c);
      return [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    };
    return { rows, cols, width: edge(cols), height: edge(rows), box, outline };
  }
  const tip = 1 / Math.sqrt(3);
  const box = (r, c) => [c + r / 2, SLOPE * r + tip - 0.5, 1, 1];
  const corners = [[0, -tip], [0.5, -tip / 2], [0.5, tip / 2], [0, tip], [-0.5, tip / 2], [-0.5, -tip / 2]];
  const outline = (r, c) => corners.map(([x, y]) => [box(r, c)[0] + 0.5 + x, box(r, c)[1] + 0.5 + y]);
  return { rows, cols, width: cols + (rows - 1) / 2, height: SLOPE * (rows - 1) + 2 * tip, box, outline };
}

/**
 * A position as a drawing, or null where the game has no board. `moves` are coloured in the cells they are made in,
 * unless what they are worth is `secret`; `choose` is called with those of a cell that is clicked, `last` is a cell that is
 * marked.
 */
export function drawBoard(grid, solution, { moves = [], secret = false, choose = null, last = null, label = "", small = false } = {}) {
  if (!solution.board || !grid?.length || !grid[0].length || grid.some((row) => row.length !== grid[0].length)) return null;
  const shape = shapeOf(grid, solution.board);
  const margin = small || solution.board.dotted ? 0.08 : EDGE;
  const view = [-margin, -margin, shape.width + margin + 0.08, shape.height + margin + 0.08].map((n) => n * CELL);
  const size = small ? { width: Math.round(view[2] / 4), height: Math.round(view[3] / 4) } : { width: view[2], height: view[3] };
  const picture = drawn("svg", { viewBox: view.join(" "), class: "board", role: "img", "aria-label": shown(label), ...size });
  const here = grouped(moves, ({ cell }) => cell);
  const group = drawn("g", { transform: `scale(${CELL})` });
  for (const [place, mark] of grid.flat().entries()) {
    const own = here.get(place) ?? [];
    const at = [Math.floor(place / shape.cols), place % shape.cols];
    group.append(cell(shape, at, mark, solution, { moves: own, secret, last: place === last, small, choose: own.length && choose }));
  }
  picture.append(group);
  if (margin === EDGE) picture.append(coordinates(shape, solution.board));
  return picture;
}

/** A position as a drawing or, where its game has no board, as text. */
export const drawPosition = ({ grid, picture, position }, solution, look = { small: true }) =>
  drawBoard(grid, solution, { label: `The position ${position}`, ...look }) ?? element("pre", {}, shownLines(picture ?? position));

function cell(shape, [r, c], mark, solution, { moves, secret, last, small, choose }) {
  const [x, y, w, h] = shape.box(r, c);
  const dotted = solution.board.dotted;
  const best = secret ? null : moves[0];
  const result = best && resultOf(best);
  const kinds = ["cell", result, last && "last", choose && "open"].filter(Boolean).join(" ");
  const group = drawn("g", { class: kinds, ...(choose ? { click: () => choose(moves) } : {}) });
  group.append(drawn("polygon", { points: points(shape.outline(r, c)), class: dotted ? "ground" : "ground border" }));
  if (best) {
    group.append(drawn("polygon", { points: points(shape.outline(r, c)), class: "tint", "fill-opacity": (strength(best) * 0.45).toFixed(2) }));
    group.append(drawn("title", {}, shown(moves.map((move) => `${move.name}: ${result}`).join(", "))));
  }
  if (dotted && "+-─|│".includes(mark)) group.append(stroke(mark, x, y, w, h));
  else if (mark.trim()) {
    const text = shown(mark.trim()).slice(0, 4);
    const high = Math.min(0.66, 1.5 / (text.length + 0.5)) * Math.min(1, w);
    group.append(drawn("text", { x: x + w / 2, y: y + h / 2 + high * 0.36, "font-size": high, class: `mark ${owner(mark, solution)}` }, text));
  }
  if (best && !small) {
    const letter = RESULTS[result].letter + (best.remoteness_plies ?? "");
    const thin = Math.min(w, h) < 0.5;
    const [left, base] = thin ? [x + w / 2, y + h / 2 + 0.06] : [x + w - 0.06, y + h - 0.08];
    group.append(drawn("text", { x: left, y: base, "font-size": thin ? 0.17 : 0.2, class: `badge ${thin ? "middle" : "end"}` }, letter));
    if (!thin) group.append(pattern(result, x + w * 0.08, y + h * 0.9, w * 0.45));
  }
  return group;
}

/** Results without colours: a line, a double one, dots, dashes. */
function pattern(result, x, y, width) {
  const line = (dy, dashes) => drawn("line", { x1: x, x2: x + width, y1: y + dy, y2: y + dy, "stroke-dasharray": dashes, class: "pattern" });
  const lines = { win: [[0, null]], tie: [[-0.03, null], [0.03, null]], draw: [[0, "0.03 0.05"]], lose: [[0, "0.12 0.06"]] };
  return drawn("g", {}, lines[result].map(([dy, dashes]) => line(dy, dashes)));
}

function stroke(mark, x, y, w, h) {
  if (mark === "+") return drawn("circle", { cx: x + w / 2, cy: y + h / 2, r: THIN / 2, class: "dot" });
  const across = "-─".includes(mark);
  const ends = across ? { x1: x, x2: x + w, y1: y + h / 2, y2: y + h / 2 } : { x1: x + w / 2, x2: x + w / 2, y1: y, y2: y + h };
  return drawn("line", { ...ends, class: "stroke" });
}

function coordinates(shape, board) {
  const group = drawn("g", { transform: `scale(${CELL})`, class: "coordinates" });
  for (let c = 0; c < shape.cols && shape.cols <= LETTERS; c++)
    group.append(drawn("text", { x: shape.box(0, c)[0] + 0.5, y: -0.14, "font-size": 0.22 }, String.fromCharCode(97 + c)));
  for (let r = 0; r < shape.rows; r++) {
    const number = board.from_bottom ? shape.rows - r : r + 1;
    const [x, y, , h] = shape.box(r, 0);
    group.append(drawn("text", { x: x - 0.22, y: y + h / 2 + 0.08, "font-size": 0.22 }, String(number)));
  }
  return group;
}

function owner(mark, { players }) {
  const text = mark.trim();
  return text === "X" || text === players[0] ? "first" : text === "O" || text === players[1] ? "second" : "";
}

const points = (corners) => corners.map((corner) => corner.map((n) => n.toFixed(4)).join(",")).join(" ");

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "text-anchor"];

/** The text of a file with a drawing, which looks as it does on the page. */
export function fileOf(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((node, number) => {
    const style = getComputedStyle(node);
    to[number].removeAttribute("class");
    for (const name of LOOK) to[number].setAttribute(name, style.getPropertyValue(name));
  });
  const [x, y, width, height] = picture.getAttribute("viewBox").split(" ");
  copy.prepend(drawn("rect", { fill: getComputedStyle(picture.closest(".explorer")).backgroundColor, x, y, width, height }));
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy) + "\n";
}
