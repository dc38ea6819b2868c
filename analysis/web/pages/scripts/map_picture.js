// The painting of the map: bands of runs, borders of single classes, the line, and a cursor.

import { colourOf, sized } from "./canvas.js";

/** Pixels: the least and the greatest height of a band, and the least width of classes with borders. */
const [LOW, HIGH, EDGES] = [22, 40, 9];
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
    Object.assign(this, { canvas, tiers: [], left: 0, zoom: 1, scroll: 0, width: 1, height: 1, labels: 0, band: LOW });
  }

  show(tiers) {
    this.tiers = tiers.map(({ tier, classes, runs }) => {
      let end = 0;
      return { number: tier, classes, label: `${tier}: ${short(classes)}`, runs: runs.map((run) => ({ run, start: end, end: (end += run[2]) })) };
    });
    this.most = Math.max(1, ...tiers.flatMap(({ runs }) => runs.map(([, remoteness]) => remoteness ?? 0)));
    this.largest = Math.max(1, ...tiers.map(({ classes }) => classes));
  }

  /** Fit into a width; all bands are visible at once if they fit into the height `high`. */
  fit(width, high) {
    this.band = Math.max(LOW, Math.min(HIGH, Math.floor(high / Math.max(1, this.tiers.length))));
    this.height = Math.min(this.band * this.tiers.length, Math.max(LOW, high));
    this.context = sized(this.canvas, width, this.height);
    this.labels = Math.ceil(Math.max(...this.tiers.map(({ label }) => this.context.measureText(label).width))) + 8;
    this.width = Math.max(1, width - this.labels);
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
    return x < this.labels || !this.tiers[index] || share < 0 || share >= 1 ? null : this.nearest(index, share);
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
  paint({ spots, here, cursor }) {
    const { context, labels, width, height, band } = this;
    this.colours = Object.fromEntries(Object.entries(ROLES).map(([use, role]) => [use, partsOf(colourOf(this.canvas, role))]));
    this.fill("paper", 0, 0, labels + width, height);
    const first = Math.floor(this.scroll / band);
    this.tiers.slice(first, Math.floor((this.scroll + height) / band) + 1).forEach((tier, i) => this.paintTier(tier, first + i));
    context.save();
    context.beginPath();
    context.rect(labels, 0, width, height);
    context.clip();
    if (cursor) this.paintCursor(cursor);
    this.paintLine(spots, here);
    context.restore();
  }

  /** Fill a rectangle with a colour, given by its use or its parts. */
  fill(colour, x, y, width, height) {
    this.context.fillStyle = css(this.colours[colour] ?? colour);
    this.context.fillRect(x, y, width, height);
  }

  paintTier({ label, classes, runs }, index) {
    const { context, colours, band, labels, width } = this;
    const [top, sharp] = [index * band - this.scroll, devicePixelRatio || 1];
    const seen = (place) => Math.max(labels, Math.min(labels + width, Math.round(this.x(place / classes) * sharp) / sharp));
    context.fillStyle = css(colours.ink);
    context.fillText(label, 0, top + band / 2 + 4);
    for (const { run, start, end } of runs) {
      const [from, to] = [seen(start), seen(end)];
      if (to > from) this.fill(mixed(run, this.most, colours), from, top, to - from, band - 1);
    }
    if (this.wide(index) < EDGES) return;
    const until = Math.min(classes, Math.ceil((this.left + 1 / this.zoom) * classes));
    for (let place = Math.max(1, Math.floor(this.left * classes)); place < until; place++)
      this.fill("paper", seen(place), top, 1, band - 1);
  }

  paintCursor(spot) {
    const { context, colours, band } = this;
    const wide = Math.max(5, this.wide(spot.index));
    const frame = [this.x(this.middle(spot)) - wide / 2, spot.index * band - this.scroll, wide, band - 1];
    for (const [role, lineWidth] of [["paper", 5], ["ink", 2]]) {
      Object.assign(context, { strokeStyle: css(colours[role]), lineWidth });
      context.strokeRect(...frame);
    }
  }

  paintLine(spots, here) {
    const { context, colours } = this;
    const points = spots.map((spot) => [this.x(this.middle(spot)), (spot.index + 0.5) * this.band - this.scroll]);
    const dot = (point, radius) => {
      context.beginPath();
      context.arc(...point, radius, 0, 2 * Math.PI);
      context.fill();
    };
    for (const [role, wider] of [["paper", 4], ["line", 0]]) {
      Object.assign(context, { strokeStyle: css(colours[role]), fillStyle: css(colours[role]), lineWidth: 3 + wider, lineJoin: "round" });
      context.beginPath();
      for (const point of points) context.lineTo(...point);
      context.stroke();
      points.forEach((point, place) => dot(point, (place === here ? 8 : 4) + wider / 2));
    }
    context.fillStyle = css(colours.ink);
    if (points[here]) dot(points[here], 4);
  }
}

/** Red, green and blue of a colour. */
const partsOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** The colour of a run, stronger nearer the end. */
function mixed(run, most, colours) {
  const strength = 255 - Math.floor(((255 - PALEST) * (run[1] ?? 0)) / most);
  return colours[outcomeOf(run)].map((part, i) => Math.floor((colours.paper[i] * (255 - strength) + part * strength + 127) / 255));
}

const css = (parts) => `rgb(${parts.join(" ")})`;

const short = (number) => number.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
