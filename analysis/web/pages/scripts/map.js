// The map of the whole game: tiers downward, the classes of each from best to worst, and the line.

import { drawPosition } from "./board.js";
import { button, element, named, percent, plies, scrolled, shown, tableParts, worth, written } from "./elements.js";
import { MapPicture, outcomeOf } from "./map_picture.js";

/** Milliseconds until a class pointed at is looked up; pixels before a move is a drag; pixels of an arrow key; a zoom step. */
const [RESTING, STILL, STEP, ZOOM] = [60, 4, 8, 1.5];
/** The share of the window's height for the map. */
const TALL = 0.6;

/** A panel that follows the line; `go` is called with a function that finds a position. */
export class GameMap {
  constructor(source, solution, go) {
    Object.assign(this, { source, solution, go, spots: [], cursor: null, asked: 0, pointers: new Map() });
    this.said = element("p", { role: "status" });
    this.about = element("div", {});
    this.class = element("div", { class: "map-class" }, element("p", { role: "status" }, "Point at the map, or go over it with the arrow keys."));
    this.where = element("p", {});
    this.canvas = this.makeCanvas();
    this.picture = new MapPicture(this.canvas);
    this.room = element("div", {}, this.canvas);
    this.scroller = element("div", { class: "map-scroll", scroll: () => this.paint() }, this.room);
    const zooming = [["+", "Zoom in", "in"], ["−", "Zoom out", "out"], ["Whole", "Show the whole map", "whole"]];
    const buttons = zooming.map(([text, label, name]) =>
      button(text, () => this.zoom(name), { "aria-label": label, title: label, "data-do": `map-${name}` }));
    this.element = element("div", { class: "map" }, this.said,
      element("div", { class: "row", role: "group", "aria-label": "Zoom" }, buttons), this.scroller, this.class, this.where, this.about);
    new ResizeObserver(() => this.fit()).observe(this.room);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  makeCanvas() {
    const own = (name) => (event) => this[name](event);
    const release = ({ pointerId }) => this.pointers.delete(pointerId);
    return element("canvas", {
      tabindex: 0, role: "application",
      "aria-label": "Map of all classes. Arrow keys go from class to class, plus and minus zoom, Enter goes to the class; the table below has the numbers.",
      keydown: own("key"), focus: () => this.start(), click: own("click"), wheel: own("wheel"), pointerdown: own("press"),
      pointermove: own("move"), pointerup: release, pointercancel: release, pointerleave: () => this.point(null),
    });
  }

  follow(line) {
    this.line = line;
    return this.complete ? this.find() : this.load();
  }

  /** Ask for the tiers until all are counted, or the map is hidden. */
  async load() {
    if (this.loading) return;
    this.loading = true;
    this.said.setAttribute("aria-busy", "true");
    try {
      do this.take(await this.source.map());
      while (!this.complete && this.element.checkVisibility());
    } catch (error) {
      this.said.textContent = shown(error.message);
    }
    this.loading = false;
    if (this.complete) await this.find();
    this.said.removeAttribute("aria-busy");
  }

  take(answer) {
    const { tiers, classes, classes_seen: seen } = answer;
    this.complete = answer.complete;
    this.said.textContent = this.complete ? "" : `${written(seen)} of ${written(classes)} classes are counted, ${percent(seen, classes)}.`;
    this.tierName = answer.tier_name;
    this.picture.show(tiers);
    this.about.replaceChildren(...legend(tiers, this.tierName, this.solution), numbers(tiers, this.tierName, this.solution));
    this.fit();
  }

  async find() {
    const { line } = this;
    this.where.setAttribute("aria-busy", "true");
    try {
      const places = await Promise.all(line.positions.map((each) => this.source.mapPlace(each.position)));
      if (line !== this.line) return;
      this.join(places);
    } catch (error) {
      this.where.textContent = shown(error.message);
    }
    this.where.removeAttribute("aria-busy");
  }

  join(places) {
    const indices = new Map(this.picture.tiers.map(({ number }, index) => [number, index]));
    this.spots = places.map(({ tier, place }) => ({ index: indices.get(tier), place }));
    const here = this.spots[this.line.at];
    this.where.textContent = `The position on the board is ${this.placed(here)}.`;
    this.uncover(here.index);
    this.paint();
  }

  placed({ index, place }) {
    const { number, classes } = this.picture.tiers[index];
    return `number ${written(place + 1)} of ${written(classes)} in ${this.tierName} ${number}, counted from the best for ${named("X", this.solution)}`;
  }

  fit() {
    const { picture, room } = this;
    if (!room.clientWidth || !picture.tiers.length) return;
    room.style.height = `${picture.band * picture.tiers.length}px`;
    picture.fit(room.clientWidth, Math.round(innerHeight * TALL));
    room.style.height = `${picture.band * picture.tiers.length}px`;
    this.scroller.style.maxHeight = `${picture.height}px`;
    this.paint();
  }

  paint() {
    this.picture.scroll = this.scroller.scrollTop;
    if (this.picture.tiers.length) this.picture.paint({ spots: this.spots, here: this.line?.at, cursor: this.cursor });
  }

  uncover(index) {
    const { band, height } = this.picture;
    const { scrollTop } = this.scroller;
    this.scroller.scrollTop = Math.max((index + 1) * band - height, Math.min(scrollTop, index * band));
  }

  /** Mark a class, and show it once the pointer rests. */
  point(spot) {
    if (spot?.index === this.cursor?.index && spot?.place === this.cursor?.place) return;
    this.cursor = spot;
    this.paint();
    clearTimeout(this.waiting);
    if (spot) this.class.setAttribute("aria-busy", "true");
    else this.class.removeAttribute("aria-busy");
    const mine = ++this.asked;
    if (spot) this.waiting = setTimeout(() => this.look(spot, mine), RESTING);
  }

  /** Show a class, unless another has been pointed at since. */
  async look(spot, mine) {
    const filled = await this.classAt(spot).then((found) => this.told(found, spot), (error) => [element("p", { role: "status" }, shown(error.message))]);
    if (mine !== this.asked) return;
    this.class.replaceChildren(...filled);
    this.class.removeAttribute("aria-busy");
  }

  classAt({ index, place }) {
    return this.source.mapClass(this.picture.tiers[index].number, place);
  }

  told(found, spot) {
    const who = found.to_move ? `${shown(found.player)} to move` : "the game is over";
    const text = [element("code", {}, shown(found.position)), `: ${who}; ${worth(found, this.solution)}. It is ${this.placed(spot)}.`];
    return [drawPosition(found, this.solution), element("p", { role: "status" }, text)];
  }

  goTo(spot) {
    this.go(() => this.classAt(spot));
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
    const others = [...this.pointers.values()].filter((each) => each !== before);
    const [x, y] = [event.clientX, event.clientY];
    if (others.length) this.pinch(others[0].x, before.x, x);
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
    const apart = Math.max(1, Math.abs(from - resting));
    this.picture.zoomBy(Math.max(1, Math.abs(to - resting)) / apart, resting - this.canvas.getBoundingClientRect().left);
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
    const x = this.cursor ? picture.x(picture.middle(this.cursor)) : undefined;
    picture.zoomBy({ in: ZOOM, out: 1 / ZOOM, whole: 0 }[name], x);
    this.paint();
  }

  /** Let the keyboard's cursor begin at the position on the board. */
  start() {
    if (!this.canvas.matches(":focus-visible") || this.cursor || !this.picture.tiers.length) return;
    this.steer(this.spots[this.line.at] ?? this.picture.nearest(0, 0));
  }

  /** Move the cursor; tiers are changed at the same `share` of the width. */
  steer(spot, share = this.picture.middle(spot)) {
    this.across = share;
    this.picture.reveal(this.picture.middle(spot));
    this.uncover(spot.index);
    this.point(spot);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.picture.tiers.length) return;
    const { picture } = this;
    const at = this.cursor ?? this.spots[this.line.at] ?? picture.nearest(0, 0);
    const { classes } = picture.tiers[at.index];
    const sideways = (by) => this.steer(picture.nearest(at.index, (at.place + by + 0.5) / classes));
    const down = (by) => {
      const index = Math.max(0, Math.min(picture.tiers.length - 1, at.index + by));
      const share = this.cursor ? this.across ?? picture.middle(at) : picture.middle(at);
      this.steer(picture.nearest(index, share), share);
    };
    const step = Math.max(1, Math.round(STEP / picture.wide(at.index)));
    const actions = {
      ArrowLeft: () => sideways(-step),
      ArrowRight: () => sideways(step),
      ArrowUp: () => down(-1),
      ArrowDown: () => down(1),
      Home: () => sideways(-classes),
      End: () => sideways(classes),
      "+": () => this.zoom("in"),
      "=": () => this.zoom("in"),
      "-": () => this.zoom("out"),
      0: () => this.zoom("whole"),
      Enter: () => this.goTo(at),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

const KINDS = ["X", "tie", "draw", "O"];

/** The classes of each kind in some runs. */
function countsOf(runs) {
  const counts = { X: 0, tie: 0, draw: 0, O: 0 };
  for (const run of runs) counts[outcomeOf(run)] += run[2];
  return counts;
}

const called = (kind, solution) => (kind === "tie" ? "Ties" : kind === "draw" ? "Draws" : `${named(kind, solution)} wins`);

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
