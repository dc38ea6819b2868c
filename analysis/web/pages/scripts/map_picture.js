// The painting of the map: bands of runs, borders of single classes, the line, and a cursor.

import { written } from "./elements.js";

/** Pixels: the least and the greatest height of a band, the least width of classes with borders, the height of text. */
const [LOW, HIGH, EDGES, TEXT] = [22, 40, 9, 12];
/** The share of the width that labels may take with all digits. */
const LABELS = 0.25;
/** Classes of the largest tier at the greatest zoom. */
const FEWEST = 4;
/** The share of a colour, of 255, at the greatest remoteness; the rest is paper. */
const PALEST = 77;

const ROLES = { X: "first", tie: "tie", draw: "muted", O: "second", paper: "paper", ink: "ink", line: "amber" };

/** The outcome of a run: X, tie, draw or O. */
export const outcomeOf = ([value, remoteness]) => (remoteness === null ? "draw" : value > 0 ? "X" : value < 0 ? "O" : "tie");

/** The tiers of a map on a canvas, which shows `left` to `left + 1 / zoom` of their width. */
export class MapPicture {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    Object.assign(this, { tiers: [], left: 0, zoom: 1, scroll: 0, width: 1, height: 1, labels: 0, band: LOW });
  }

  show(tiers) {
    this.tiers = tiers.map(({ tier, classes, runs }) => {
      let end = 0;
      return { number: tier, classes, runs: runs.map((run) => ({ run, start: end, end: (end += run[2]) })) };
    });
    this.most = Math.max(1, ...tiers.flatMap(({ runs }) => runs.map(([, remoteness]) => remoteness ?? 0)));
    this.largest = Math.max(1, ...tiers.map(({ classes }) => classes));
  }

  /** Fit into a width; all bands are visible at once if they fit into the height `high`. */
  fit(width, high) {
    this.band = Math.max(LOW, Math.min(HIGH, Math.floor(high / Math.max(1, this.tiers.length))));
    this.height = Math.min(this.band * this.tiers.length, Math.max(LOW, high));
    const sharp = devicePixelRatio || 1;
    Object.assign(this.canvas, { width: Math.round(width * sharp), height: Math.round(this.height * sharp) });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${this.height}px` });
    this.sharp = sharp;
    this.context.font = `${TEXT}px ${getComputedStyle(this.canvas).fontFamily}`;
    this.texts = this.tiers.map(({ number, classes }) => `${number}: ${written(classes)}`);
    if (this.widest > LABELS * width) this.texts = this.tiers.map(({ number, classes }) => `${number}: ${short(classes)}`);
    this.labels = Math.ceil(this.widest) + 8;
    this.width = Math.max(1, width - this.labels);
  }

  get widest() {
    return this.texts.reduce((most, text) => Math.max(most, this.context.measureText(text).width), 0);
  }

  /** The pixel of a share of the width. */
  x(share) {
    return this.labels + (share - this.left) * this.zoom * this.width;
  }

  /** The share of the width at a pixel. */
  share(x) {
    return this.left + (x - this.labels) / this.width / this.zoom;
  }

  /** The class at a pixel, as the index of its tier and its place there, or null. */
  at(x, y) {
    const index = Math.floor((y + this.scroll) / this.band);
    const share = this.share(x);
    return x < this.labels || index < 0 || index >= this.tiers.length || share < 0 || share >= 1 ? null : this.nearest(index, share);
  }

  nearest(index, share) {
    const { classes } = this.tiers[index];
    return { index, place: Math.max(0, Math.min(classes - 1, Math.floor(share * classes))) };
  }

  middle({ index, place }) {
    return (place + 0.5) / this.tiers[index].classes;
  }

  wide(index) {
    return (this.width * this.zoom) / this.tiers[index].classes;
  }

  /** Zoom around a pixel. */
  zoomBy(factor, x = this.labels + this.width / 2) {
    const share = this.share(x);
    this.zoom = Math.max(1, Math.min(this.zoom * factor, this.largest / FEWEST));
    this.pan(0, share - this.share(x));
  }

  /** Move the view to the right. */
  pan(pixels, share = pixels / this.width / this.zoom) {
    this.left = Math.max(0, Math.min(this.left + share, 1 - 1 / this.zoom));
  }

  reveal(share) {
    if (share < this.left || share > this.left + 1 / this.zoom) this.pan(0, share - this.left - 0.5 / this.zoom);
  }

  /** Paint all, with the classes of the line, `spots`, the current one, `here`, and the one pointed at. */
  paint({ spots = [], here = 0, cursor = null } = {}) {
    const { context } = this;
    this.colours = coloursOf(this.canvas, context);
    context.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    context.fillStyle = css(this.colours.paper);
    context.fillRect(0, 0, this.labels + this.width, this.height);
    context.font = `${TEXT}px ${getComputedStyle(this.canvas).fontFamily}`;
    const first = Math.floor(this.scroll / this.band);
    const last = Math.min(this.tiers.length - 1, Math.floor((this.scroll + this.height) / this.band));
    for (let index = first; index <= last; index++) this.paintTier(index);
    context.save();
    context.beginPath();
    context.rect(this.labels, 0, this.width, this.height);
    context.clip();
    if (cursor) this.paintCursor(cursor);
    this.paintLine(spots, here);
    context.restore();
  }

  paintTier(index) {
    const { context, colours } = this;
    const { classes, runs } = this.tiers[index];
    const top = index * this.band - this.scroll;
    context.fillStyle = css(colours.ink);
    context.fillText(this.texts[index], 0, top + this.band / 2 + TEXT / 3);
    const seen = (share) => Math.max(this.labels, Math.min(this.labels + this.width, Math.round(this.x(share) * this.sharp) / this.sharp));
    for (const { run, start, end } of runs) {
      const [from, to] = [seen(start / classes), seen(end / classes)];
      if (to <= from) continue;
      context.fillStyle = css(colourOf(run, this.most, colours));
      context.fillRect(from, top, to - from, this.band - 1);
    }
    if (this.wide(index) < EDGES) return;
    context.fillStyle = css(colours.paper);
    const until = Math.min(classes, Math.ceil((this.left + 1 / this.zoom) * classes));
    for (let place = Math.max(1, Math.floor(this.left * classes)); place < until; place++)
      context.fillRect(seen(place / classes), top, 1, this.band - 1);
  }

  paintCursor({ index, place }) {
    const { context, colours } = this;
    const { classes } = this.tiers[index];
    const [from, to] = [this.x(place / classes), this.x((place + 1) / classes)];
    const wide = Math.max(5, to - from);
    const frame = [(from + to - wide) / 2, index * this.band - this.scroll, wide, this.band - 1];
    for (const [role, width] of [["paper", 5], ["ink", 2]]) {
      Object.assign(context, { strokeStyle: css(colours[role]), lineWidth: width });
      context.strokeRect(...frame);
    }
  }

  paintLine(spots, here) {
    const { context, colours } = this;
    const points = spots.map((spot) => [this.x(this.middle(spot)), (spot.index + 0.5) * this.band - this.scroll]);
    for (const [role, wider] of [["paper", 4], ["line", 0]]) {
      Object.assign(context, { strokeStyle: css(colours[role]), fillStyle: css(colours[role]), lineWidth: 3 + wider, lineJoin: "round" });
      context.beginPath();
      for (const point of points) context.lineTo(...point);
      context.stroke();
      for (const [place, point] of points.entries()) {
        context.beginPath();
        context.arc(...point, (place === here ? 8 : 4) + wider / 2, 0, 2 * Math.PI);
        context.fill();
      }
    }
    if (!points[here]) return;
    context.fillStyle = css(colours.ink);
    context.beginPath();
    context.arc(...points[here], 4, 0, 2 * Math.PI);
    context.fill();
  }
}

/** The colours of the page by use, as red, green and blue. */
function coloursOf(canvas, context) {
  const style = getComputedStyle(canvas);
  const parts = (role) => {
    context.fillStyle = style.getPropertyValue(`--${role}`);
    const number = parseInt(context.fillStyle.slice(1), 16);
    return [number >> 16, (number >> 8) & 255, number & 255];
  };
  return Object.fromEntries(Object.entries(ROLES).map(([use, role]) => [use, parts(role)]));
}

/** The colour of a run, stronger nearer the end. */
function colourOf(run, most, colours) {
  const strength = 255 - Math.floor(((255 - PALEST) * (run[1] ?? 0)) / most);
  const own = colours[outcomeOf(run)];
  return own.map((part, i) => Math.floor((colours.paper[i] * (255 - strength) + part * strength + 127) / 255));
}

const css = (parts) => `rgb(${parts.join(" ")})`;

const short = (number) => number.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
