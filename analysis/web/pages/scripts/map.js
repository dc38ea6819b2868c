// The map of the whole game: tiers downward, the classes of each from best to worst, and the line.

import { drawPosition } from "./board.js";
import { repainted } from "./canvas.js";
import { busily, element, named, percent, plies, scrolled, shown, tableParts, worth, written } from "./elements.js";
import { MapPicture, outcomeOf } from "./map_picture.js";

/** Milliseconds until a class pointed at is looked up; pixels before a move is a drag; pixels of an arrow key; a zoom step. */
const [RESTING, STILL, STEP, ZOOM] = [60, 4, 8, 1.5];
/** The share of the window's height for the map. */
const TALL = 0.6;

const FACTORS = { "map-in": ZOOM, "map-out": 1 / ZOOM, "map-whole": 0 };
const KEYS = { "+": "map-in", "=": "map-in", "-": "map-out", 0: "map-whole" };

/** A panel that follows the line of a page. */
export class GameMap {
  constructor(page) {
    Object.assign(this, { page, spots: [], cursor: null, pointers: new Map(), element: page.made("map") });
    const names = { said: ".counting", scroller: ".map-scroll", room: ".room", canvas: "canvas", class: ".map-class", where: ".where", about: ".about" };
    for (const [name, selector] of Object.entries(names)) this[name] = this.element.querySelector(selector);
    this.picture = new MapPicture(this.canvas);
    const release = ({ pointerId }) => this.pointers.delete(pointerId);
    const heard = {
      keydown: this.key, focus: this.start, click: this.click, wheel: this.wheel, pointerdown: this.press, pointermove: this.move,
      pointerup: release, pointercancel: release, pointerleave: () => this.point(null),
    };
    for (const [kind, listener] of Object.entries(heard)) this.canvas.addEventListener(kind, listener.bind(this));
    this.scroller.addEventListener("scroll", () => this.paint());
    this.element.addEventListener("click", ({ target }) => target.dataset.do in FACTORS && this.zoom(target.dataset.do));
    repainted(this.room, () => this.fit());
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
      do this.take(await this.page.source.map());
      while (!this.complete && this.element.checkVisibility());
    }, (error) => error && (this.said.textContent = error.textContent));
    this.loading = false;
    if (this.complete) await this.find();
  }

  take({ tiers, classes, classes_seen: seen, complete, tier_name: tierName }) {
    Object.assign(this, { complete, tierName });
    this.said.textContent = complete ? "" : `${written(seen)} of ${written(classes)} classes are counted, ${percent(seen, classes)}.`;
    this.picture.show(tiers);
    this.about.replaceChildren(...legend(tiers, tierName, this.page.solution), numbers(tiers, tierName, this.page.solution));
    this.fit();
  }

  /** Find the line on the map. */
  find() {
    const { line, picture } = this;
    const find = (each) => this.page.source.mapPlace(each.position);
    return busily(this.where, () => Promise.all(line.positions.map(find)), (places) => {
      if (places instanceof Element) return void (this.where.textContent = places.textContent);
      this.spots = places.map(({ tier, place }) => ({ index: picture.tiers.findIndex(({ number }) => number === tier), place }));
      const here = this.spots[line.at];
      this.where.textContent = `The position on the board is ${this.placed(here)}.`;
      this.uncover(here.index);
      this.paint();
    });
  }

  placed({ index, place }) {
    const { number, classes } = this.picture.tiers[index];
    return `number ${written(place + 1)} of ${written(classes)} in ${this.tierName} ${number}, counted from the best for ${named("X", this.page.solution)}`;
  }

  fit() {
    const { picture, room } = this;
    if (!room.clientWidth || !picture.tiers.length) return;
    picture.fit(room.clientWidth, Math.round(innerHeight * TALL));
    room.style.height = `${picture.band * picture.tiers.length}px`;
    this.scroller.style.maxHeight = `${picture.height}px`;
    this.paint();
  }

  paint() {
    this.picture.scroll = this.scroller.scrollTop;
    if (this.picture.context) this.picture.paint({ spots: this.spots, here: this.line.at, cursor: this.cursor });
  }

  uncover(index) {
    const { band, height } = this.picture;
    this.scroller.scrollTop = Math.max((index + 1) * band - height, Math.min(this.scroller.scrollTop, index * band));
  }

  /** Mark a class, and show it once the pointer rests. */
  point(spot) {
    if (spot?.index === this.cursor?.index && spot?.place === this.cursor?.place) return;
    this.cursor = spot;
    this.paint();
    const rests = new Promise((done) => setTimeout(done, RESTING));
    busily(this.class, () => rests.then(() => this.cursor === spot && spot && this.told(spot)), (found) => found && this.class.replaceChildren(...[found].flat()));
  }

  /** A class with its board. */
  async told(spot) {
    const found = await this.classAt(spot);
    const who = found.to_move ? `${shown(found.player)} to move` : "the game is over";
    const text = `: ${who}; ${worth(found, this.page.solution)}. It is ${this.placed(spot)}.`;
    return [drawPosition(found, this.page.solution), element("p", { role: "status" }, element("code", {}, shown(found.position)), text)];
  }

  classAt({ index, place }) {
    return this.page.source.mapClass(this.picture.tiers[index].number, place);
  }

  goTo(spot) {
    this.page.go(async () => this.line.from((await this.classAt(spot)).position));
  }

  spotOf(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return this.picture.at(event.clientX - left, event.clientY - top);
  }

  press(event) {
    this.dragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, from: event.clientX });
    this.canvas.setPointerCapture(event.pointerId);
    this.point(this.spotOf(event));
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.point(this.spotOf(event));
    const [other] = [...this.pointers.values()].filter((each) => each !== before);
    const { clientX: x, clientY: y } = event;
    if (other) this.pinch(other.x, before.x, x);
    else if (this.dragged || Math.hypot(x - before.from, y - before.y) > STILL) {
      this.picture.pan(before.x - x);
      if (event.pointerType === "mouse") this.scroller.scrollTop += before.y - y;
    } else return;
    this.dragged = true;
    Object.assign(before, { x, y });
    this.paint();
  }

  /** Zoom: a finger moves `from` a pixel `to` another while a second one rests. */
  pinch(resting, from, to) {
    const apart = (x) => Math.max(1, Math.abs(x - resting));
    this.picture.zoomBy(apart(to) / apart(from), resting - this.canvas.getBoundingClientRect().left);
  }

  wheel(event) {
    event.preventDefault();
    const { left } = this.canvas.getBoundingClientRect();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.picture.pan(event.deltaX);
    else this.picture.zoomBy(ZOOM ** -Math.sign(event.deltaY), event.clientX - left);
    this.point(this.spotOf(event));
    this.paint();
  }

  click(event) {
    const spot = this.cursor ?? this.spotOf(event); // the one shown: clicks have whole pixels
    if (spot && !this.dragged) this.goTo(spot);
  }

  zoom(name) {
    const { picture } = this;
    picture.zoomBy(FACTORS[name], this.cursor ? picture.x(picture.middle(this.cursor)) : undefined);
    this.paint();
  }

  /** The cursor of the keyboard, which begins at the position on the board. */
  get current() {
    return this.cursor ?? this.spots[this.line.at] ?? this.picture.nearest(0, 0);
  }

  start() {
    if (this.canvas.matches(":focus-visible") && !this.cursor && this.picture.tiers.length) this.steer(this.current);
  }

  /** Move the cursor; tiers are changed at the same `share` of the width. */
  steer(spot, share = this.picture.middle(spot)) {
    this.across = share;
    this.picture.reveal(this.picture.middle(spot));
    this.uncover(spot.index);
    this.point(spot);
  }

  key(event) {
    const { picture } = this;
    if (event.ctrlKey || event.altKey || event.metaKey || !picture.tiers.length) return;
    const at = this.current;
    const { classes } = picture.tiers[at.index];
    const step = Math.max(1, Math.round(STEP / picture.wide(at.index)));
    const sideways = { ArrowLeft: -step, ArrowRight: step, Home: -classes, End: classes }[event.key];
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (sideways) this.steer(picture.nearest(at.index, (at.place + sideways + 0.5) / classes));
    else if (down) {
      const index = Math.max(0, Math.min(picture.tiers.length - 1, at.index + down));
      const share = this.cursor ? this.across ?? picture.middle(at) : picture.middle(at);
      this.steer(picture.nearest(index, share), share);
    } else if (KEYS[event.key]) this.zoom(KEYS[event.key]);
    else if (event.key === "Enter") this.goTo(at);
    else return;
    event.preventDefault();
  }
}

const KINDS = ["X", "tie", "draw", "O"];

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
    return [String(tier), [classes, ...KINDS.map((kind) => counts[kind])].map(written)];
  });
  return element("details", { class: "panel" }, element("summary", {}, "The map in numbers"),
    scrolled("The map in numbers", { class: "numbers" }, ...tableParts(head, rows)));
}
