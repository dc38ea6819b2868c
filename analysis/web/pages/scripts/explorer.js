// The page: a board, its moves, the line so far, and what leads on from there.

import { Beside } from "./beside.js";
import { drawPosition } from "./board.js";
import { button, element, labelled, outcomes, plies, shown, shownLines, terms, worth, written } from "./elements.js";
import { Line, readHash } from "./line.js";
import { GameMap } from "./map.js";
import { graph, moveList, strip, trapsPanel } from "./moves.js";
import { downloads, help, orbitPanel, pathPanel, puzzlePanel } from "./panels.js";
import { Guessing, Opponent } from "./playing.js";
import { pruningPanel } from "./pruning.js";

/** Milliseconds between two moves while the space bar is held, and until what is typed is asked about. */
const PACE = 350;
const TYPING = 150;

/**
 * Fill `root` with the solution of a `source`. It begins with the line of the address, else with `line`, written as in
 * one, else at the position `first`; `linked`: the address holds the line.
 */
export async function explore(root, source, { first, line, linked = true } = {}) {
  const page = new Page(root, source, await source.solution(), await source.others(), linked);
  page.first = line ? readHash(line) : { first };
  await page.open();
  source.ready?.then(() => page.again());
}

class Page {
  constructor(root, source, solution, others, linked) {
    Object.assign(this, { root, source, solution, others, linked, line: new Line(source), asked: 0, only: null, lastStep: -Infinity });
    this.opponent = new Opponent(source, solution, {
      line: () => this.line, go: (make) => this.go(make), jump: (place) => this.show(this.line.to(place)), changed: () => this.draw() });
    this.guessing = new Guessing(solution, { changed: () => this.draw(), play: (move) => this.play(move) });
    this.build();
  }

  build() {
    const part = (name, id, text, ...rest) =>
      (this[name] = element("div")) && element("section", { "aria-labelledby": id }, element("h2", { id }, text), ...rest, this[name]);
    this.title = element("h2", { id: "here" });
    this.message = element("p", { role: "status", class: "error" });
    this.spoken = element("p", { role: "status", class: "spoken" });
    this.facts = element("dl", {});
    this.board = element("div", { class: "scroll" });
    this.merged = element("input", { type: "checkbox", id: "merge", change: () => this.draw() });
    this.dialog = help();
    this.panels = {
      paths: this.panel("paths", "Optimal lines", () => pathPanel(this.source, this.solution, this.line.here, (codes) => this.follow(codes))),
      traps: this.trapsPanel(),
      puzzles: this.panel("puzzles", "Puzzles", () => puzzlePanel(this.source, this.solution, (...puzzle) => this.puzzle(...puzzle)), { of: () => "", discreet: true }),
      opponent: this.panel("opponent", "Play against a level", () => this.opponent.form(), { of: () => "", discreet: true }),
      map: this.panel("map", "Map", () => new GameMap(this.source, this.solution, (find) => this.go(async () => this.line.from((await find()).position)))),
      pruning: this.panel("pruning", "Pruning", () => pruningPanel(this.source, this.solution, this.line.here, (text) => this.preview(text))),
      orbit: this.panel("orbit", "Symmetric positions", () => orbitPanel(this.source, this.solution, this.line.here, (number) => this.go(() => this.line.image(number))), { discreet: true }),
      ...(this.others.length && { beside: this.panel("beside", "Beside another solution", () => new Beside(this.others, this.source, this.solution, (make) => this.go(make))) }),
    };
    this.root.replaceChildren(
      element("h1", {}, shown(this.solution.game)),
      partNote(this.solution),
      this.toolbar(),
      this.message,
      element("div", { class: "columns" },
        element("section", { "aria-labelledby": "here" }, this.title, this.board, this.spoken, this.guessing.element, this.opponent.element, this.facts),
        part("moves", "moves", "Moves", labelled("symmetric moves as one", this.merged))),
      part("history", "line", "Line"),
      this.box(),
      ...Object.values(this.panels).map(({ element: node }) => node),
      part("take", "take", "Take it along"),
      this.dialog,
    );
    this.root.classList.add("explorer");
    const listening = this.linked ? document : this.root;
    listening.addEventListener("keydown", (event) => this.key(event));
    listening.addEventListener("keyup", () => (this.lastStep = -Infinity));
    if (this.linked) addEventListener("popstate", () => this.open());
  }

  toolbar() {
    const buttons = {
      restart: ["Start", () => this.show(this.line.to(0))],
      undo: ["Back", () => this.show(this.line.to(this.line.at - 1))],
      redo: ["Forward", () => this.show(this.line.to(this.line.at + 1))],
      best: ["Best move", () => this.best()],
      line: ["Best line", () => this.bestLine()],
      random: ["Random", () => this.random()],
      mirror: ["Mirror", () => this.mirror()],
      guess: ["Guess", () => this.guess()],
      keys: ["Keys", () => this.dialog.showModal()],
    };
    const made = ([name, [text, click]]) => [name, button(text, click, { "data-do": name })];
    this.buttons = Object.fromEntries(Object.entries(buttons).map(made));
    return element("div", { class: "row toolbar", role: "group", "aria-label": "Play" }, Object.values(this.buttons));
  }

  /**
   * A part that is filled when it is opened, and again where what it is `of` is another, by default the position, unless it can
   * follow the line. Where the worth of the position is secret, only a part that is `discreet` is there.
   */
  panel(name, title, fill, { of = () => this.line.here.state, discreet = false } = {}) {
    const inside = element("div", {});
    const node = element("details", { class: "panel", "data-panel": name }, element("summary", {}, title), inside);
    const panel = { element: node, of: null };
    panel.refresh = async () => {
      node.hidden = this.hides && !discreet;
      if (!node.open || node.hidden) return;
      if (panel.follower) return panel.follower.follow(this.line);
      if (panel.of === of()) return;
      const wanted = (panel.of = of());
      inside.setAttribute("aria-busy", "true");
      const filled = await Promise.resolve().then(fill).catch(({ message }) => element("p", {}, shown(message)));
      if (wanted !== panel.of) return;
      inside.replaceChildren(filled.follow ? filled.element : filled);
      inside.removeAttribute("aria-busy");
      if (filled.follow) (panel.follower = filled).follow(this.line);
    };
    node.addEventListener("toggle", () => {
      panel.refresh();
      if (!node.open && this.previewed) this.preview(null);
    });
    return panel;
  }

  trapsPanel() {
    const kept = { level: "random" };
    const panel = this.panel("traps", "Traps", () => trapsPanel(this.source, this.solution, this.line.here, kept, {
      play: (move) => this.play(move), follow: (codes) => this.follow(codes), again: () => ((panel.of = null), panel.refresh()),
    }));
    return panel;
  }

  box() {
    let waiting, asked = 0;
    const said = element("p", { id: "said", role: "status", class: "error" });
    const later = () => (clearTimeout(waiting), (waiting = setTimeout(check, TYPING)));
    const input = (this.input = element("input", { id: "p", autocomplete: "off", spellcheck: "false", "aria-describedby": "said", input: later }));
    const check = async () => {
      const mine = ++asked;
      const error = await this.source.fault(input.value).catch(({ message }) => message);
      if (mine !== asked) return;
      said.textContent = input.value === "" ? "" : shown(error);
      input.setAttribute("aria-invalid", String(said.textContent !== ""));
    };
    const submit = async (event) => {
      event.preventDefault();
      clearTimeout(waiting);
      await check();
      if (said.textContent === "") this.go(() => this.typed(input.value));
    };
    return element("form", { class: "box", submit },
      element("label", { for: "p" }, "A position, as the game writes it or as the moves so far"), input, element("button", {}, "Show"), said);
  }

  /** The line to what has been typed: with its moves where it is a backtracker. */
  async typed(text) {
    const wanted = await this.source.position(text);
    const codes = text.trim().replace(/^moves:\s*/i, "");
    if (/^[0-9]+(-[0-9]+)*$/.test(codes)) {
      const moves = (this.solution.separator ? codes.split("-") : [...codes]).map(Number);
      const line = await this.line.from(this.solution.start, moves).catch(() => null);
      if (line?.here.state === wanted.state) return line;
    }
    return this.line.from(wanted.position);
  }

  /** Show what the address says; where it is no line, say so and show where the page begins. */
  async open() {
    const linked = this.linked ? readHash(location.hash) : null;
    if (!linked && this.line.here && location.hash) return;
    const meant = linked ?? this.first;
    await this.go(() => this.line.from(meant.first, meant.moves, meant.at), { kept: true });
    if (this.line.here) return;
    const said = this.message.textContent;
    await this.go(() => this.line.from(undefined), { kept: true });
    this.message.textContent = said;
  }

  /** Show the same line with what has become known of it. */
  async again() {
    await this.going;
    const { positions, moves, at } = this.line;
    const said = this.message.textContent;
    const chosen = [...this.moves.querySelectorAll(".move")].indexOf(this.active);
    await this.go(() => this.line.from(positions[0].position, moves, at), { kept: true });
    this.message.textContent ||= said;
    if (chosen >= 0) this.moves.querySelectorAll(".move")[chosen]?.focus();
  }

  /** Show the line that is made, unless another has been asked for since; say why there is none. */
  go(make, { kept = false } = {}) {
    const mine = ++this.asked;
    const refused = (error) => mine === this.asked && (this.message.textContent = shown(error.message));
    const made = (line) => mine === this.asked && this.show(line, { kept });
    return (this.going = Promise.resolve().then(make).then(made, refused));
  }

  /** Show a line; where it is not what the address already says, it becomes a page to come back to. */
  show(line, { kept = false } = {}) {
    this.asked++;
    this.line = line;
    this.only = null;
    this.message.textContent = "";
    if (this.linked && !kept && location.hash !== line.hash) history.pushState(null, "", line.hash);
    this.draw();
  }

  async play(move) {
    if (this.line.moves[this.line.at] === move.move) this.show(this.line.to(this.line.at + 1));
    else await this.go(() => this.line.with([move.move]));
    await this.opponent.turn();
  }

  /** Whether nothing on the page may tell what the position is worth: somebody guesses that, or plays without help. */
  get hides() {
    return this.guessing.hides(this.line.here) || this.opponent.hides(this.line.here);
  }

  /** A move that a person has chosen: it is played or, where it is a guess, judged. */
  chosen(move) {
    if (this.guessing.hides(this.line.here)) this.guessing.guess(this.line.here, move);
    else this.play(move);
  }

  /** The moves of a cell: the only one is chosen; of several one is, in the list. */
  choose(moves) {
    if (moves.length === 1) return this.chosen(moves[0]);
    this.only = moves;
    this.draw();
    this.moves.querySelector("li:not(.other) .move")?.focus();
  }

  best() {
    const [move] = this.line.here.moves ?? [];
    if (move && !this.hides) this.play(move);
  }

  bestLine() {
    if (this.hides) return;
    this.go(async () => this.line.with((await this.source.line(this.line.here.position)).map(({ move }) => move), 0));
  }

  /** Add moves to the line, of which none is played yet. */
  follow(codes) {
    this.go(() => this.line.with(codes, 0));
  }

  random() {
    this.go(async () => this.line.from((await this.source.random()).position));
  }

  /** The next of the lines that symmetries make of this one: so often as there are such lines, and it is back. */
  mirror() {
    this.go(async () => {
      const all = await Promise.all(this.line.positions.map((each) => this.source.images(each.position)));
      if (all[0] === null) throw new Error("the symmetries of this game are known to its rules alone");
      const looks = all[0].map((_, number) => all.map((images) => images[number].state).join());
      const others = [...new Set(looks)].sort();
      if (others.length > 1) return this.line.image(looks.indexOf(others[(others.indexOf(looks[0]) + 1) % others.length]));
      throw new Error("no symmetry of this game changes this line");
    });
  }

  guess() {
    this.guessing.turn(!this.guessing.on);
    this.buttons.guess.setAttribute("aria-pressed", String(this.guessing.on));
  }

  /** Guess a position anew; `next` leads to another one. */
  async puzzle(position, next) {
    await this.go(async () => {
      const line = await this.line.from(position);
      if (!this.guessing.on) this.guess();
      this.guessing.pose(line.here, next);
      return line;
    });
    this.title.scrollIntoView();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || this.dialog.open) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== "checkbox")) return;
    const on = target instanceof Element && target.closest("button, summary, a, input");
    const actions = {
      ArrowLeft: () => this.buttons.undo.click(),
      ArrowRight: () => this.buttons.redo.click(),
      ArrowUp: () => this.step(-1),
      ArrowDown: () => this.step(1),
      Home: () => this.buttons.restart.click(),
      b: () => this.bestLine(),
      r: () => this.random(),
      m: () => this.mirror(),
      g: () => this.guess(),
      "?": () => this.dialog.showModal(),
      " ": () => this.hold(event),
    };
    const action = actions[event.key];
    const own = event.key === " " && on && !on.classList.contains("move");
    if (!action || own || (target !== document.body && !this.root.contains(target))) return;
    event.preventDefault();
    if (event.key === " " || !event.repeat || event.key.startsWith("Arrow")) action();
  }

  /** Play the best move, again and again at a pace while the key is held. */
  hold(event) {
    if (event.repeat && event.timeStamp - this.lastStep < PACE) return;
    this.lastStep = event.timeStamp;
    this.best();
  }

  get active() {
    return this.root.getRootNode().activeElement;
  }

  /** Choose the next or the last one of the moves. */
  step(by) {
    const all = [...this.moves.querySelectorAll(".move")];
    const now = all.indexOf(this.active);
    all[now < 0 ? (by > 0 ? 0 : all.length - 1) : (now + by + all.length) % all.length]?.focus();
  }

  draw() {
    const { line, solution, hides: secret } = this;
    const here = line.here;
    const focused = this.moves.contains(this.active);
    if (this.linked) document.title = `${shown(here.position)} - ${shown(solution.game)}`;
    this.title.replaceChildren(element("code", {}, shown(here.position)));
    this.picture = this.onBoard(here, {
      moves: here.moves ?? [], secret, choose: (moves) => this.choose(moves), last: line.at ? line.played(line.at).cell : null,
    });
    const who = here.to_move ? `${shown(here.player)} to move` : "The game is over";
    this.spoken.textContent = secret ? `${who}.` : `${who}: ${worth(here, solution)}.`;
    this.guessing.draw(here);
    this.opponent.draw(line);
    this.facts.replaceChildren(...(secret ? [] : this.told()));
    this.moves.replaceChildren(...moveList(here, solution, { merge: this.merged.checked, secret, only: this.only, play: (move) => this.chosen(move) }));
    this.history.replaceChildren(strip(line, solution, (place) => this.show(line.to(place)), secret));
    if (!secret)
      this.history.append(
        graph(line, { jump: (place) => this.show(line.to(place)), turn: (place, move) => this.go(() => line.to(place).with([move.move])) }));
    this.take.replaceChildren(downloads(line, solution, this.source, this.picture, secret));
    this.buttons.restart.disabled = this.buttons.undo.disabled = line.at === 0;
    this.buttons.redo.disabled = line.at === line.moves.length;
    this.buttons.best.disabled = this.buttons.line.disabled = secret || !here.moves?.length;
    if (this.active !== this.input) this.input.value = here.position;
    if (focused) this.step(1);
    for (const panel of Object.values(this.panels)) panel.refresh();
  }

  /** Put a position on the board; the drawing, or null where it is text. */
  onBoard(position, look = {}) {
    const picture = drawPosition(position, this.solution, look);
    this.board.replaceChildren(picture);
    if (position.caption && ![position.position, position.picture].includes(position.caption))
      this.board.append(element("p", { class: "caption" }, shownLines(position.caption)));
    return picture.matches("svg") ? picture : null;
  }

  /** Look at another position on the board for a while, or with null at that of the line again. */
  async preview(text) {
    const asked = (this.previewed = (this.previewed ?? 0) + 1);
    const line = this.line;
    const position = text === null ? null : await this.source.position(text);
    if (asked !== this.previewed || line !== this.line) return;
    if (position) this.onBoard(position);
    else this.draw();
  }

  told() {
    const { solution, line: { here } } = this;
    const games = here.games ?? here.continuations;
    const rows = [
      ["Value", (here.value > 0 ? "+" : "") + here.value],
      here.nimber !== null && ["Nimber", String(here.nimber)],
      solution.counted && games === null && ["Games", "being counted"],
      here.histories !== null && ["Histories", written(here.histories)],
      games && [here.games ? "Games through it" : "Games from here", outcomes(games, solution)],
      here.optimal_paths !== null && ["Optimal paths from here", written(here.optimal_paths)],
    ];
    return terms(rows);
  }
}

/** What a page says that has a part of a game only. */
function partNote({ part, start }) {
  if (!part || (part.whole && part.from_start)) return element("p", { hidden: true });
  if (part.whole)
    return element("p", { class: "notice" }, `This page begins at ${shown(start)}: histories, games and symmetric positions are counted from there.`);
  const first = part.depth === null ? "" : part.depth ? `the first ${plies(part.depth)}` : "its first position";
  const what = [first, part.optimal_only && "what follows moves that keep the value"].filter(Boolean).join(" of ");
  return element("p", { class: "notice" },
    `This page has a part of the game: ${what}${part.from_start ? "" : ", not from its start"}; ${written(part.classes)} ${part.classes === 1 ? "class" : "classes"}. ` +
    "Where it ends, positions have their value but no moves; games and optimal lines are not counted.");
}
