// The page: a board, and tabs next to it. Its HTML is `explorer.html.j2`; a button says in `data-do` what it does.

import { drawPosition, sign } from "./board.js";
import { busily, byClass, element, forecast, moverOf, named, outcomes, plies, sentence, shown, shownLines, telling, terms, worth, written } from "./elements.js";
import { Guessing, Puzzles } from "./guessing.js";
import { Line, readHash } from "./line.js";
import { GameMap } from "./map.js";
import { moveList, strip } from "./moves.js";
import { pathPanel } from "./panels.js";
import { endCard, Opponent } from "./playing.js";
import { Pruning } from "./pruning.js";

/** Keys that are buttons. */
const KEYS = { ArrowLeft: "undo", ArrowRight: "redo", Home: "restart", b: "line", r: "random", g: "guess", "?": "keys" };

/** Panels that tell no values, which have the list of moves as well. */
const DISCREET = ["opponent", "puzzles"];

/** The time for a move of a line that is shown, in milliseconds. */
const PACE = 900;

/** Show the solution of a `source` in `root`, from the line in the address or the position `first` on; if `linked`, the address follows the line. */
export async function explore(root, source, { first, linked = true } = {}) {
  const page = new Page(root, source, await source.solution(), { linked, first });
  root.replaceChildren(document.getElementById("explorer").content.cloneNode(true));
  page.build();
  page.listen();
  await page.open();
}

/** The page of a solution. */
export class Page {
  opponent = new Opponent(this);
  guessing = new Guessing(this);
  puzzles = new Puzzles(this);
  tab = "moves";
  asked = 0;
  only = null;

  constructor(root, source, solution, { linked, first }) {
    Object.assign(this, { root, source, solution, linked, first, base: first ?? solution.start, line: new Line(source) });
  }

  /** What buttons do. */
  commands = {
    play: () => this.select("opponent").then(() => this.commands["play-start"]()),
    puzzle: () => this.select("puzzles").then(() => this.puzzles.next()),
    restart: () => this.jump(0),
    undo: () => this.jump(this.line.at - 1),
    redo: () => this.jump(this.line.at + 1),
    best: () => this.best(),
    copy: () => this.copy(),
    line: () => this.go(() => this.line.best()),
    random: () => this.go(async () => this.line.from((await this.source.fetched("/find", { order: "random", limit: 1 })).positions[0]?.position)),
    guess: () => this.guessing.turn(!this.guessing.on),
    keys: () => this.$("dialog").showModal(),
    "play-start": () => this.opponent.begin(() => this.line.from(undefined)),
    "play-here": () => this.opponent.begin(() => this.line),
  };

  /** What fills panels when they are first seen, and again in another position unless it follows the line. */
  fillings = {
    lines: () => pathPanel(this),
    map: () => new GameMap(this),
    pruning: () => new Pruning(this),
  };

  $ = (selector) => this.root.querySelector(selector);

  $$ = (selector) => [...this.root.querySelectorAll(selector)];

  /** A copy of a template, as an element of that class. */
  made = (name) => element("div", { class: name }, this.$(`.${name}-template`).content.cloneNode(true));

  build() {
    const { root, solution, source } = this;
    for (const each of this.$$("[data-level]")) if (!solution.level.includes(each.dataset.level)) each.remove();
    for (const name of ["verdict", "spoken", "message", "board", "moves", "facts", "ended", "history", "listed"])
      this[name] = this.$(`.${name}`);
    const texts = { h1: solution.title, ".goal": solution.goal ?? "", ".game": solution.game };
    for (const [selector, text] of Object.entries(texts)) this.$(selector).textContent = shown(text);
    this.$(".head").after(...partNote(solution));
    for (const option of this.$$("option"))
      option.textContent = option.textContent.replace(/\{([XO])\}/, (_, side) => sentence(named(side, solution)));
    for (const option of this.$$(".level option")) if (source.levels && !source.levels.includes(option.value)) option.remove();
    this.$("#play-level").append(...(solution.bots ?? []).map((value) => element("option", { value }, shown(value))));
    this.$("#play-level").value = "perfect";
    root.classList.add("explorer");
    root.dataset.look = solution.board?.look ?? "list";
    this.panels = this.$$("[data-panel]").map((node) => ({ node, name: node.dataset.panel, inside: node.querySelector(".inside"), of: null }));
    this.select("moves");
  }

  listen() {
    const { root } = this;
    root.addEventListener("click", ({ target }) => {
      const { do: name, tab } = target.closest("[data-do], [data-tab]")?.dataset ?? {};
      if (tab) this.select(tab);
      if (!this.commands[name] || target.closest("button").disabled) return;
      this.$(".more").open = false;
      this.commands[name]();
    });
    root.addEventListener("submit", (event) => event.target.method === "dialog" || event.preventDefault());
    this.$(".tablist").addEventListener("keydown", (event) => this.turnTabs(event));
    this.$(".box").addEventListener("submit", () => this.goToTyped());
    this.$(".puzzles").addEventListener("submit", () => this.puzzles.next());
    this.$("#merge").addEventListener("change", () => this.draw());
    document.addEventListener("keydown", (event) => this.key(event));
    if (this.linked) addEventListener("popstate", () => this.open());
  }

  async select(name) {
    this.tab = name;
    for (const tab of this.$$("[data-tab]")) {
      const selected = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      this.$(`#tab-${tab.dataset.tab}`).hidden = !selected;
    }
    if (["moves", ...DISCREET].includes(name)) this.$(`#tab-${name}`).append(this.listed);
    if (this.line.here) await this.refresh();
  }

  turnTabs(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const there = this.$$("[data-tab]:not([hidden])");
    const next = there[(there.indexOf(event.target) + by + there.length) % there.length];
    next.focus();
    next.click();
  }

  refresh = () => Promise.all(this.panels.map((panel) => this.fill(panel)));

  /** Fill a panel if it is seen and not filled yet. While values are hidden, only discreet panels are there. */
  async fill(panel) {
    const { node, name, inside } = panel;
    const tab = this.$(`[data-tab=${name}]`);
    node.hidden = this.hides && !DISCREET.includes(name);
    if (tab) tab.disabled = node.hidden;
    if (node.hidden && this.tab === name) this.select("moves");
    if (node.hidden || !inside || this.tab !== name) return;
    if (panel.follower) return panel.follower.follow(this.line);
    if (panel.of === this.line.here.state) return;
    panel.of = this.line.here.state;
    await busily(inside, this.fillings[name], (filled) => {
      inside.replaceChildren(filled.element ?? filled);
      if (filled.follow) (panel.follower = filled).follow(this.line);
    });
  }

  async goToTyped() {
    const input = this.$("#p");
    const line = await telling(this.$("#said"), () => this.typed(input.value));
    input.setAttribute("aria-invalid", String(!line));
    if (line) this.show(line);
  }

  /** The line for a typed text: with its moves if it is moves, from the start. */
  async typed(text) {
    const wanted = await this.source.position(text);
    const line = await this.line.from(this.solution.start, text).catch(() => null);
    return line?.here.state === wanted.state && !line.wrong ? line : this.line.from(wanted.position);
  }

  /** Show the line in the address; if it is invalid, say so and show where the page begins. */
  async open() {
    const linked = this.linked ? readHash(location.hash) : null;
    const foreign = this.linked && !linked && location.hash.length > 1 && !document.getElementById(location.hash.slice(1));
    if (this.line.here && !linked && location.hash && !foreign) return;
    const { first = this.first, typed, at } = linked ?? {};
    await this.go(() => this.line.from(first, typed, at), { kept: true });
    if (!this.line.here) {
      const said = this.message.textContent;
      await this.go(() => this.line.from(undefined), { kept: true });
      this.message.textContent = said;
    }
    if (this.line.wrong) this.message.textContent = `The address goes on with what cannot be played: ${shown(this.line.wrong)}.`;
    if (foreign) this.message.textContent = `The address ends in ${shown(location.hash.slice(0, 40))}, which means no line of play; one is written like #0-1.`;
  }

  /** Show a line once it is made, unless another has been asked for since; if that fails, say why. */
  async go(make, { kept = false } = {}) {
    const mine = ++this.asked;
    let line;
    try {
      line = await make();
    } catch (error) {
      if (mine === this.asked) this.message.textContent = shown(error.message);
    }
    if (line && mine === this.asked) this.show(line, { kept });
  }

  /** Show a line, and put it into the address, unless it is `kept`; the card of a game that is over stays while moves are `shown` on their own. */
  show(line, { kept = false, moved = !kept, shown: alone = false } = {}) {
    this.asked++;
    this.moved = moved && line.at > 0 && line.positions[line.at - 1]?.state === this.line.here?.state;
    this.line = line;
    this.only = null;
    this.alone = alone;
    this.message.textContent = "";
    const hash = line.hash(this.base);
    if (this.linked && !kept && (location.hash || "#start") !== hash) history.pushState(null, "", hash);
    this.draw();
    this.moved = false;
  }

  /** Play on the board what best play makes of a move of a line. */
  async refute(line, place) {
    let now = await line.to(place).best();
    this.sight();
    for (this.show(now, { shown: true }); this.line === now && now.at < now.moves.length; this.show(now, { kept: true, moved: true, shown: true })) {
      await new Promise((go) => setTimeout(go, PACE));
      if (this.line !== now) return;
      now = now.to(now.at + 1);
    }
  }

  jump = (place) => this.show(this.line.to(place));

  async play(move) {
    if (this.line.moves[this.line.at] === move.move) this.jump(this.line.at + 1);
    else await this.go(() => this.line.with([move.move]));
    await this.opponent.turn();
  }

  /** Whether the value of the position is hidden, for a guess or a game. */
  get hides() {
    return this.guessing.hides(this.line.here) || this.opponent.hides(this.line.here);
  }

  /** Play a move or, if it is a guess, judge it. */
  chosen(move) {
    if (this.guessing.hides(this.line.here)) this.guessing.guess(this.line.here, move);
    else this.play(move);
  }

  /** Play the move that was clicked; of several, or if a man is lifted `from` there, one is chosen by another click or in the list. */
  choose(moves, from = false) {
    if (moves.length === 1 && (!from || this.only?.includes(moves[0]))) return this.chosen(moves[0]);
    this.only = this.only && moves.every((move) => this.only.includes(move)) ? null : moves;
    this.draw();
    if (!from) this.$(".moves li:not(.other) .move")?.focus();
  }

  best() {
    const [move] = this.line.here.moves ?? [];
    if (move && !this.hides) this.play(move);
  }

  /** Add moves to the line without playing them. */
  follow = (codes) => this.go(() => this.line.with(codes, 0));

  async copy() {
    const address = location.href.split("#")[0] + this.line.hash(this.base);
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error()); // there is none over plain HTTP
    this.message.textContent = await copied.then(() => "The link to this line is copied.", () => address);
  }

  /** Scroll to the board. */
  sight() {
    const { top, bottom } = this.board.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) this.spoken.scrollIntoView({ block: "start" });
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || this.$("dialog").open) return;
    const { target } = event;
    if (target.matches?.("select, input:not([type=checkbox])") || (target !== document.body && !this.root.contains(target))) return;
    const pressed = { ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1), " ": () => this.best() }[event.key];
    const own = event.key === " " && target.closest("button:not(.move), summary, a, input");
    if (own || (!pressed && !KEYS[event.key])) return;
    event.preventDefault();
    if (pressed) pressed();
    else if (!event.repeat || event.key.startsWith("Arrow")) this.$(`[data-do=${KEYS[event.key]}]`)?.click();
  }

  /** Select the next or the previous move. */
  step(by) {
    if (!this.listed.checkVisibility()) this.select("moves");
    const all = this.$$(".move");
    const now = all.indexOf(document.activeElement);
    all[now < 0 ? (by > 0 ? 0 : all.length - 1) : (now + by + all.length) % all.length]?.focus();
  }

  draw() {
    const { line, line: { here }, solution, hides: secret } = this;
    const focused = this.moves.contains(document.activeElement);
    const onBoard = this.$(".board svg :focus-visible") !== null;
    if (this.linked) document.title = `${shown(here.position)} - ${shown(solution.title)}`;
    this.$("#here").textContent = shown(here.position);
    this.drawing = drawPosition(here, solution, {
      moves: here.moves ?? [], only: this.only, secret, choose: (...chosen) => this.choose(...chosen), pointed: (moves) => this.point(moves), past: line.past, moved: this.moved });
    const caption = here.caption && ![here.position, here.picture].includes(here.caption) && element("p", { class: "caption" }, shownLines(here.caption));
    this.board.replaceChildren(...[this.drawing, caption].filter(Boolean));
    this.spoken.replaceChildren(...[sign(moverOf(here), solution), this.saying(here, secret)].filter(Boolean));
    this.verdict.textContent = secret ? "Values are hidden." : `${forecast(this.solution, this.solution)}.`;
    this.guessing.draw(here);
    this.opponent.draw(line);
    this.facts.replaceChildren(...(secret ? [] : this.told()));
    this.facts.parentNode.hidden = secret;
    this.$(".merging").hidden = byClass(here.moves ?? []).length === (here.moves ?? []).length;
    this.moves.replaceChildren(...moveList(this, here, secret));
    const over = this.opponent.game?.over ?? (this.alone ? this.over : here.terminal && line.at > 0 && !this.guessing.on ? line : null);
    if (over !== this.over) {
      this.ended.replaceChildren(...(over ? [endCard(this, over)] : []));
      if (over && this.over !== undefined) this.ended.scrollIntoView({ block: "nearest" });
    }
    this.over = over;
    this.history.replaceChildren(strip(this, secret));
    const able = { restart: line.at, undo: line.at, redo: line.at < line.moves.length, best: !secret && here.moves?.length };
    for (const [name, on] of Object.entries({ ...able, line: able.best })) this.$(`[data-do=${name}]`).disabled = !on;
    if (document.activeElement?.id !== "p") this.$("#p").value = here.position;
    if (focused) this.step(1);
    if (onBoard) this.$(".board [tabindex='0']")?.focus();
    this.refresh();
  }

  /** Highlight moves on the board and in the list. */
  point(moves) {
    this.drawing.hint(moves);
    for (const node of this.$$(".move"))
      node.classList.toggle("pointed", Boolean(moves?.some(({ move }) => node.dataset.moves.split(" ").includes(String(move)))));
  }

  /** Who moves, and what the position is worth to that player, unless it is `secret`. */
  saying(here, secret) {
    if (here.terminal) return `The game is over: ${worth(here, this.solution)}.`;
    const who = sentence(`${named(moverOf(here), this.solution)} to move`);
    if (secret) return `${who}${this.guessing.goal(here)}.`;
    const won = here.value * here.to_move;
    return `${who}: ${won ? worth(here, this.solution).replace(/^.* wins/, won > 0 ? "wins" : "loses") : worth(here, this.solution)}.`;
  }

  /** What is known of the position. */
  told() {
    const { solution, line: { here } } = this;
    return terms([
      ["Value", (here.value > 0 ? "+" : "") + here.value],
      here.nimber !== null && ["Nimber", String(here.nimber)],
      here.histories !== null && ["Histories", written(here.histories)],
      here.games !== null && ["Games from here", outcomes(here, solution)],
      here.optimal_paths !== null && ["Optimal paths from here", written(here.optimal_paths)],
    ]);
  }
}

/** A note on a page with a part of a game. */
function partNote({ part, start }) {
  if (!part || (part.whole && part.from_start)) return [];
  const first = part.depth === null ? "" : part.depth ? `the first ${plies(part.depth)}` : "its first position";
  const what = [first, part.optimal_only && "what follows moves that keep the value"].filter(Boolean).join(" of ");
  const text = part.whole ? `This page begins at ${shown(start)}: only what follows it is here.`
    : `This page has a part of the game: ${what}${part.from_start ? "" : ", not from its start"}; ${written(part.classes)} ${part.classes === 1 ? "class" : "classes"}. ` +
      "Where it ends, positions have all that is known of them but their moves.";
  return [element("p", { class: "notice" }, text)];
}
