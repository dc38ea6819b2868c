// The map of the whole game: tiers downward, the classes of each from best to worst, and the line.

import { drawPosition } from "./board.js";
import { busily, drawn, element, named, percent, plies, shown, worth, written } from "./elements.js";

/** Milliseconds until a class pointed at is looked up; pixels of an arrow key; the least width of classes with borders, in pixels. */
const [RESTING, STEP, EDGES] = [60, 8, 9];
/** A zoom step, the greatest zoom, and how many classes of the largest tier are left then. */
const [ZOOM, LARGEST, FEWEST] = [1.5, 4096, 4];
/** The height of a band; the share of a colour at the greatest remoteness, where the rest is paper. */
const [BAND, PALEST] = [0.96, 0.3];

const FACTORS = { "map-in": ZOOM, "map-out": 1 / ZOOM, "map-whole": 0 };
const KEYS = { "+": "map-in", "=": "map-in", "-": "map-out", 0: "map-whole" };

/** A panel that follows the line of a page. */
export class GameMap {
  constructor(page) {
    Object.assign(this, { page, tiers: [], spots: [], cursor: null, zoom: 1, element: page.made("map") });
    const names = { said: ".counting", view: ".map-scroll", labels: ".labels", picture: "svg", class: ".map-class", where: ".where", about: ".about" };
    for (const [name, selector] of Object.entries(names)) this[name] = this.element.querySelector(selector);
    const inView = { keydown: this.key, focus: this.start, wheel: this.wheel, scroll: this.drawBorders };
    for (const [kind, listener] of Object.entries(inView)) this.view.addEventListener(kind, listener.bind(this));
    this.picture.addEventListener("pointermove", (event) => this.point(this.at(event)));
    this.picture.addEventListener("pointerleave", () => this.point(null));
    this.picture.addEventListener("click", (event) => this.goTo(this.cursor ?? this.at(event))); // the one shown: clicks have whole pixels
    this.element.addEventListener("click", ({ target }) => target.dataset.do in FACTORS && this.zoomBy(FACTORS[target.dataset.do]));
  }

  follow(line) {
    this.line = line;
    return this.complete ? this.find() : this.load();
  }

  /** Ask for the tiers until all are counted, or the map is hidden. */
  async load() {
    if (this.loading) return;
    this.loading = true;
    await busily(this.said, async () => {
      do this.take(await this.page.source.fetched("/map", {}));
      while (!this.complete && this.element.checkVisibility());
    }, (error) => error && (this.said.textContent = error.textContent));
    this.loading = false;
    if (this.complete) await this.find();
  }

  take({ tiers, classes, classes_seen: seen, complete, tier_name: tierName }) {
    Object.assign(this, { tiers, complete, tierName, borders: drawn("path", { class: "borders" }), over: drawn("g") });
    this.said.textContent = complete ? "" : `${written(seen)} of ${written(classes)} classes are counted, ${percent(seen, classes)}.`;
    const most = Math.max(1, ...tiers.flatMap(({ runs }) => runs.map(([, remoteness]) => remoteness ?? 0)));
    this.view.style.setProperty("--tiers", tiers.length);
    this.labels.replaceChildren(...tiers.map((tier) => element("span", {}, `${tier.tier}: ${short(tier.classes)}`)));
    this.picture.setAttribute("viewBox", `0 0 1 ${tiers.length}`);
    this.picture.replaceChildren(...tiers.flatMap((tier, y) => bandOf(tier, y, most)), this.borders, this.over);
    this.about.replaceChildren(...legend(tiers, tierName, this.page.solution), numbers(tiers, tierName, this.page.solution));
    this.drawBorders();
    this.draw();
  }

  /** Find the line on the map. */
  find() {
    const { line, tiers } = this;
    const find = (each) => this.page.source.asked("/map/place", { p: each.position });
    return busily(this.where, () => Promise.all(line.positions.map(find)), (places) => {
      if (places instanceof Element) return void (this.where.textContent = places.textContent);
      this.spots = places.map(({ tier: number, place }) => ({ index: tiers.findIndex(({ tier }) => tier === number), place }));
      this.where.textContent = `The position on the board is ${this.placed(this.spots[line.at])}.`;
      this.reveal(this.spots[line.at]);
      this.draw();
    });
  }

  placed({ index, place }) {
    const { tier, classes } = this.tiers[index];
    return `number ${written(place + 1)} of ${written(classes)} in ${this.tierName} ${tier}, counted from the best for ${named("X", this.page.solution)}`;
  }

  /** Draw the line, and a frame around the class pointed at. */
  draw() {
    const { cursor, line } = this;
    const points = this.spots.map((spot) => `${this.middle(spot)} ${spot.index + BAND / 2}`);
    const dots = (some) => some.map((point) => `M${point}h0`).join("");
    const here = dots(points.slice(line.at, line.at + 1));
    const paths = [["line", points.length ? `M${points.join("L")}` : ""], ["dots", dots(points)], ["here", here]];
    if (cursor) {
      const wide = 1 / this.tiers[cursor.index].classes;
      paths.push(["cursor", `M${cursor.place * wide} ${cursor.index}h${wide}v${BAND}h${-wide}z`]);
    }
    const halos = paths.map(([kind, d]) => [`${kind} halo`, d]);
    this.over.replaceChildren(...[...halos, ...paths, ["middle", here]].map(([kind, d]) => drawn("path", { class: kind, d })));
  }

  /** Draw the borders of classes where they are wide enough and in view. */
  drawBorders() {
    const [{ left, width }, view] = [this.picture.getBoundingClientRect(), this.view.getBoundingClientRect()];
    const borders = this.tiers.flatMap(({ classes }, y) => {
      if (width / classes < EDGES) return [];
      const [from, to] = [view.left, view.right].map((x) => Math.max(1, Math.min(classes, Math.ceil(((x - left) / width) * classes))));
      return Array.from({ length: to - from }, (_, number) => `M${(from + number) / classes} ${y}v${BAND}`);
    });
    this.borders.setAttribute("d", borders.join(""));
  }

  /** Mark a class, and show it once the pointer rests. */
  point(spot) {
    if (spot?.index === this.cursor?.index && spot?.place === this.cursor?.place) return;
    this.cursor = spot;
    this.draw();
    const rests = new Promise((done) => setTimeout(done, RESTING));
    busily(this.class, () => rests.then(() => this.cursor === spot && spot && this.told(spot)), (found) => found && this.class.replaceChildren(...[found].flat()));
  }

  /** A class with its board. */
  async told(spot) {
    const found = await this.classAt(spot);
    const who = found.terminal ? "the game is over" : `${shown(found.player)} to move`;
    const text = `: ${who}; ${worth(found, this.page.solution)}. It is ${this.placed(spot)}.`;
    return [drawPosition(found, this.page.solution), element("p", { role: "status" }, element("code", {}, shown(found.position)), text)];
  }

  classAt = ({ index, place }) => this.page.source.asked("/map/class", { tier: this.tiers[index].tier, place });

  goTo(spot) {
    if (spot) this.page.go(async () => this.line.from((await this.classAt(spot)).position));
  }

  /** The class where an event is, as the index of its tier and its place there, or null. */
  at({ clientX, clientY }) {
    const { left, top, width, height } = this.picture.getBoundingClientRect();
    const [share, index] = [(clientX - left) / width, Math.floor(((clientY - top) / height) * this.tiers.length)];
    return this.tiers[index] && share >= 0 && share < 1 ? this.nearest(index, share) : null;
  }

  /** The class of a tier at a share of the width. */
  nearest(index, share) {
    const { classes } = this.tiers[index];
    return { index, place: Math.max(0, Math.min(classes - 1, Math.floor(share * classes))) };
  }

  middle = ({ index, place }) => (place + 0.5) / this.tiers[index].classes;

  wheel(event) {
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return; // the view scrolls
    event.preventDefault();
    const { left, width } = this.picture.getBoundingClientRect();
    this.zoomBy(ZOOM ** -Math.sign(event.deltaY), (event.clientX - left) / width);
    this.point(this.at(event));
  }

  /** Zoom around a share of the width, which stays where it is. */
  zoomBy(factor, share = this.middle(this.current)) {
    const before = this.picture.getBoundingClientRect();
    const largest = Math.max(...this.tiers.map(({ classes }) => classes));
    this.zoom = Math.max(1, Math.min(this.zoom * factor, largest / FEWEST, LARGEST));
    this.view.style.setProperty("--zoom", this.zoom);
    const after = this.picture.getBoundingClientRect();
    this.view.scrollLeft += after.left - before.left + share * (after.width - before.width);
    this.drawBorders();
  }

  /** Scroll to a class. */
  reveal(spot) {
    const [{ left, width, height }, view, labels] = [this.picture, this.view, this.labels].map((node) => node.getBoundingClientRect());
    const [x, band] = [left + width * this.middle(spot), height / this.tiers.length];
    if (x < labels.right || x > view.right) this.view.scrollLeft += x - (labels.right + view.right) / 2;
    this.view.scrollTop = Math.max((spot.index + 1) * band - this.view.clientHeight, Math.min(this.view.scrollTop, spot.index * band));
  }

  /** The cursor of the keyboard, which begins at the position on the board. */
  get current() {
    return this.cursor ?? this.spots[this.line.at] ?? this.nearest(0, 0);
  }

  start() {
    if (this.view.matches(":focus-visible") && !this.cursor && this.tiers.length) this.steer(this.current);
  }

  /** Move the cursor; tiers are changed at the same `share` of the width. */
  steer(spot, share = this.middle(spot)) {
    this.across = share;
    this.reveal(spot);
    this.point(spot);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.tiers.length) return;
    const at = this.current;
    const { classes } = this.tiers[at.index];
    const step = Math.max(1, Math.round((STEP * classes) / this.picture.getBoundingClientRect().width));
    const sideways = { ArrowLeft: -step, ArrowRight: step, Home: -classes, End: classes }[event.key];
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (sideways) this.steer(this.nearest(at.index, (at.place + sideways + 0.5) / classes));
    else if (down) {
      const index = Math.max(0, Math.min(this.tiers.length - 1, at.index + down));
      const share = this.cursor ? this.across ?? this.middle(at) : this.middle(at);
      this.steer(this.nearest(index, share), share);
    } else if (KEYS[event.key]) this.zoomBy(FACTORS[KEYS[event.key]]);
    else if (event.key === "Enter") this.goTo(at);
    else return;
    event.preventDefault();
  }
}

const KINDS = ["X", "tie", "draw", "O"];

/** The outcome of a run: X, tie, draw or O. */
const outcomeOf = ([value, remoteness]) => (remoteness === null ? "draw" : value > 0 ? "X" : value < 0 ? "O" : "tie");

const short = (number) => number.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });

/** The runs of a tier, side by side, stronger nearer the end. */
function bandOf({ classes, runs }, y, most) {
  let x = 0;
  return runs.map((run) => {
    const width = run[2] / classes;
    return drawn("rect", { class: outcomeOf(run), x: (x += width) - width, y, width, height: BAND, "fill-opacity": 1 - ((1 - PALEST) * (run[1] ?? 0)) / most });
  });
}

/** The classes of each kind in some runs. */
function countsOf(runs) {
  const counts = { X: 0, tie: 0, draw: 0, O: 0 };
  for (const run of runs) counts[outcomeOf(run)] += run[2];
  return counts;
}

const called = (kind, solution) => ({ tie: "Ties", draw: "Draws" })[kind] ?? `${named(kind, solution)} wins`;

/** The meaning of the colours, with their numbers of classes. */
function legend(tiers, tierName, solution) {
  const runs = tiers.flatMap((tier) => tier.runs);
  const counts = countsOf(runs);
  const all = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
  const items = KINDS.filter((kind) => counts[kind]).map((kind) =>
    element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), ` ${called(kind, solution)}: ${written(counts[kind])} classes, ${percent(counts[kind], all)}`));
  const most = Math.max(0, ...runs.map(([, remoteness]) => remoteness ?? 0));
  const greater = runs.some(([value]) => Math.abs(value) > 1) ? "greater and then " : "";
  const [first, second] = ["X", "O"].map((side) => named(side, solution));
  return [
    element("ul", { class: "legend" }, items),
    element("p", { class: "muted" },
      `Each band is a ${tierName}. Its classes stand from the best for ${first} on the left to the best for ${second} on the right, ${greater}faster wins further out. ` +
      `The nearer the end, the stronger the colour: 0 to ${plies(most)}. The bright line is the line on the board.`),
  ];
}

/** The map in numbers. */
function numbers(tiers, tierName, solution) {
  const head = [tierName === "ply" ? "Ply" : "Tier", "Classes", ...KINDS.map((kind) => called(kind, solution))];
  const rows = tiers.map(({ tier, classes, runs }) => {
    const counts = countsOf(runs);
    const cells = [classes, ...KINDS.map((kind) => counts[kind])].map((number) => element("td", {}, written(number)));
    return element("tr", {}, element("th", { scope: "row" }, String(tier)), cells);
  });
  const label = "The map in numbers";
  return element("details", { class: "panel" }, element("summary", {}, label),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, element("table", { class: "numbers" },
      element("thead", {}, element("tr", {}, head.map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, rows))));
}
