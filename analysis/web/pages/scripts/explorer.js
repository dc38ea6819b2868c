// The page: a board, and tabs next to it.

import { Beside, fitting } from "./beside.js";
import { drawPosition, sign } from "./board.js";
import { button, drawn, element, labelled, named, outcomes, plies, sentence, shown, shownLines, telling, terms, worth, written } from "./elements.js";
import { Line, readHash } from "./line.js";
import { GameMap } from "./map.js";
import { graph, moveList, strip, trapsPanel } from "./moves.js";
import { downloads, help, orbitPanel, pathPanel, puzzlePanel } from "./panels.js";
import { endCard, Guessing, Opponent } from "./playing.js";
import { pruningPanel } from "./pruning.js";

/** Milliseconds between two moves while the space bar is held. */
const PACE = 350;

/** Icons of buttons, as paths in a square of 24. */
const ICONS = {
  play: "M7 4v16l13-8z", puzzle: "M4 9h4a2.5 2.5 0 1 1 4 0h5v4a2.5 2.5 0 1 1 0 4v3H4z", restart: "M6 5v14M19 5L9 12l10 7z", undo: "M16 5l-9 7 9 7",
  redo: "M8 5l9 7-9 7", best: "M12 3l2.8 5.8 6.2.9-4.5 4.4 1 6.3-5.5-3-5.5 3 1-6.3L3 9.7l6.2-.9z", copy: "M9 9h11v11H9zM5 15H4V4h11v1", more: "M5 12h.01M12 12h.01M19 12h.01",
};

/**
 * Show the solution of a `source` in `root`, beginning with the line in the address, else with `line`, written like one, else at the position
 * `first`; if `linked`, the address follows the line.
 */
export async function explore(root, source, { first, line, linked = true, Kind = Page } = {}) {
  const page = new Kind(root, source, await source.solution(), await source.others(), linked);
  page.first = line ? readHash(line) : { first };
  await page.open();
  page.compare();
}

/** The page of a solution. */
export class Page {
  /** Fill `root`; `others` can be compared with the `solution`. */
  constructor(root, source, solution, others, linked, Rival = Opponent) {
    Object.assign(this, { root, source, solution, others, linked, line: new Line(source), asked: 0, only: null, lastStep: -Infinity, tab: "moves", trapping: { level: "random" } });
    this.opponent = new Rival(source, solution, {
      line: () => this.line, go: (make) => this.go(make), jump: (place) => this.show(this.line.to(place)), changed: () => this.draw(), begun: () => this.sight() });
    this.guessing = new Guessing(solution, { changed: () => this.draw(), play: (move) => this.play(move) });
    this.build();
  }

  build() {
    const { solution } = this;
    this.title = element("code", { id: "here" });
    this.message = element("p", { role: "status", class: "error message" });
    this.spoken = element("p", { role: "status", class: "spoken" });
    this.verdict = element("p", { class: "verdict" });
    for (const name of ["bids", "board", "moves", "ended", "history", "take"]) this[name] = element("div", { class: name });
    this.list = element("dl", { class: "facts" });
    this.legend = element("p", { class: "muted legend-line" });
    this.merged = element("input", { type: "checkbox", id: "merge", checked: true, change: () => this.draw() });
    this.dialog = help();
    const content = this.content();
    this.root.replaceChildren(
      element("div", { class: "head" }, element("h1", {}, shown(solution.title)), solution.goal && element("p", { class: "goal" }, shown(solution.goal)), this.verdict),
      partNote(solution),
      element("div", { class: "stage" },
        (this.stage = element("section", { class: "side", "aria-label": "The position" }, this.toolbar(), this.spoken, this.message, this.bids, this.board, this.legend,
          this.guessing.element, this.opponent.element, this.ended, this.history)),
        element("section", { class: "tabs", "aria-label": "About the position" }, this.tablist(content),
          ...Object.entries(content).map(([name, [, ...inside]]) =>
            element("div", { class: "tab", role: "tabpanel", id: `tab-${name}`, "aria-labelledby": `of-${name}`, hidden: name !== this.tab }, inside)))),
      element("section", { class: "foot", "aria-label": "Take it along" }, this.box(), this.take,
        element("p", { class: "small" }, element("code", {}, shown(solution.game)), " · ", this.title)),
      this.dialog,
    );
    this.root.classList.add("explorer");
    this.root.dataset.look = solution.board?.look ?? "list";
    const listening = this.linked ? document : this.root;
    listening.addEventListener("keydown", (event) => this.key(event));
    listening.addEventListener("keyup", () => (this.lastStep = -Infinity));
    if (this.linked) addEventListener("popstate", () => this.open());
  }

  /** The tabs by name: title and contents. Makes the panels. */
  content() {
    const { source, solution } = this;
    this.panels = {
      paths: this.panel("paths", "Optimal lines", () => pathPanel(source, solution, this.line.here, (codes) => this.follow(codes))),
      traps: this.panel("traps", "Traps", () => trapsPanel(source, this.line.here, this.trapping, {
        play: (move) => this.play(move), again: () => ((traps.of = null), traps.refresh()) })),
      puzzles: this.panel("puzzles", null, () => puzzlePanel(source, solution, (...puzzle) => this.puzzle(...puzzle)), { of: () => "", discreet: true }),
      opponent: this.panel("opponent", null, () => this.opponent.form(), { of: () => "", discreet: true }),
      map: this.panel("map", null, () => new GameMap(source, solution, (find) => this.go(async () => this.line.from((await find()).position)))),
      pruning: this.panel("pruning", null, () => pruningPanel(source, solution, this.line.here, (text) => this.preview(text))),
      orbit: this.panel("orbit", "Symmetric positions", () => orbitPanel(source, solution, this.line.here, (number) => this.go(() => this.line.image(number))), { discreet: true }),
      ...(this.others.length && { beside: this.panel("beside", null, async () => this.beside(await this.compare())) }),
    };
    const { paths, traps, orbit, ...whole } = this.panels;
    const content = {
      moves: ["Moves", labelled("symmetric moves as one", this.merged), this.moves, this.list, orbit.element],
      opponent: ["Play"], puzzles: ["Puzzles"],
      lines: ["Lines", paths.element, traps.element],
      map: ["Map"], pruning: ["Pruning"], ...(whole.beside && { beside: ["Compare"] }),
    };
    for (const name of Object.keys(whole)) content[name].push(whole[name].element);
    return content;
  }

  toolbar() {
    const { source } = this;
    const buttons = {
      play: ["Play", () => this.select("opponent", true)],
      puzzle: source.find && ["Puzzle", () => this.nextPuzzle()],
      restart: ["To the start", () => this.show(this.line.to(0))],
      undo: ["One move back", () => this.show(this.line.to(this.line.at - 1))],
      redo: ["One move forward", () => this.show(this.line.to(this.line.at + 1))],
      best: ["Best move", () => this.best()],
      copy: ["Copy a link to this line", () => this.copy()],
    };
    const further = {
      line: ["Best line", () => this.bestLine()],
      random: source.random && ["Random position", () => this.random()],
      guess: source.find && ["Guess values", () => this.guess()],
      keys: ["Keys", () => this.dialog.showModal()],
    };
    const icon = (name) => drawn("svg", { viewBox: "0 0 24 24", class: `icon ${name}`, "aria-hidden": "true" }, drawn("path", { d: ICONS[name] }));
    const inside = (name, text) => [icon(name), ["play", "puzzle"].includes(name) ? element("span", { class: "word" }, text) : null];
    const made = ([name, [text, click]]) => [name, button(inside(name, text), click, { "data-do": name, "aria-label": text, title: text, class: name === "play" ? "main" : null })];
    const listed = ([name, [text, click]]) => [name, button(text, () => ((more.open = false), click()), { "data-do": name })];
    const offered = (all) => Object.entries(all).filter(([, each]) => each);
    const [icons, words] = [offered(buttons).map(made), offered(further).map(listed)];
    this.buttons = Object.fromEntries([...icons, ...words]);
    const more = element("details", { class: "more" }, element("summary", { "aria-label": "More", title: "More" }, icon("more")),
      element("div", { class: "menu" }, words.map(([, node]) => node)));
    return element("div", { class: "toolbar", role: "group", "aria-label": "Walk and play" }, icons.map(([, node]) => node), more);
  }

  tablist(content) {
    const names = Object.keys(content);
    const made = names.map((name) => button(content[name][0], () => this.select(name), {
      role: "tab", id: `of-${name}`, "data-tab": name, "aria-controls": `tab-${name}`, "aria-selected": String(name === this.tab), tabindex: name === this.tab ? 0 : -1 }));
    this.tabs = Object.fromEntries(names.map((name, i) => [name, made[i]]));
    if (this.tabs.beside) this.tabs.beside.hidden = true;
    const keydown = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const there = made.filter((each) => !each.hidden);
      const next = there[(there.indexOf(event.target) + by + there.length) % there.length];
      next.focus();
      next.click();
    };
    return element("div", { class: "tablist", role: "tablist", "aria-label": "What to see", keydown }, made);
  }

  /** Select a tab, and with `focus` its main button. */
  select(name, focus = false) {
    this.tab = name;
    for (const [each, node] of Object.entries(this.tabs)) {
      node.setAttribute("aria-selected", String(each === name));
      node.tabIndex = each === name ? 0 : -1;
      this.root.querySelector(`#tab-${each}`).hidden = each !== name;
    }
    if (this.previewed) this.preview(null);
    if (name === "lines" && !this.panels.traps.element.open) this.panels.paths.element.open = true;
    const filled = Promise.all(Object.values(this.panels).map((panel) => panel.refresh()));
    if (!focus) return filled;
    return filled.then(() => this.root.querySelector(`#tab-${name} .primary`)?.focus());
  }

  /**
   * The contents of a tab or, with a title, something to unfold there. It is filled when it is first seen, and again when what it is `of` (by
   * default the position) has changed, or it follows the line. While values are hidden, only `discreet` panels are there.
   */
  panel(name, title, fill, { of = () => this.line.here.state, discreet = false } = {}) {
    const inside = element("div", {});
    const node = element(title ? "details" : "div", { class: "panel", "data-panel": name }, title && element("summary", {}, title), inside);
    const panel = { element: node, of: null };
    const seen = () => (title ? node.open : this.tab === name);
    panel.refresh = async () => {
      node.hidden = this.hides && !discreet;
      if (this.tabs[name]) this.tabs[name].disabled = node.hidden;
      if (node.hidden && this.tab === name) this.select("moves");
      if (!seen() || node.hidden) return;
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
    node.addEventListener("toggle", () => panel.refresh());
    return panel;
  }

  /** The other solutions to compare; a server offers only those that fit. */
  compare() {
    this.fits ??= Promise.resolve(this.source.address ? fitting(this.others, this.source, this.solution) : this.others).then((fits) => {
      if (this.tabs.beside) this.tabs.beside.hidden = !fits.length;
      return fits;
    });
    return this.fits;
  }

  beside(fits) {
    if (!fits.length) return element("p", {}, "None of the other games has positions of this one.");
    return new Beside(fits, this.source, this.solution, (make) => this.go(make));
  }

  box() {
    const said = element("p", { id: "said", role: "status", class: "error" });
    const input = (this.input = element("input", { id: "p", autocomplete: "off", spellcheck: "false", "aria-describedby": "said" }));
    const submit = async (event) => {
      event.preventDefault();
      const line = await telling(said, () => this.typed(input.value));
      input.setAttribute("aria-invalid", String(!line));
      if (line) this.show(line);
    };
    return element("form", { class: "box", submit },
      element("label", { for: "p" }, this.asking), input, element("button", {}, "Show"), said);
  }

  /** The line for a typed text: with moves if it is a backtracker. */
  async typed(text) {
    const [wanted] = await this.source.known([text]);
    if (wanted.error !== undefined) throw new Error(wanted.error);
    const codes = text.trim().replace(/^moves:\s*/i, "");
    if (/^[0-9]+(-[0-9]+)*$/.test(codes)) {
      const moves = (this.solution.separator ? codes.split("-") : [...codes]).map(Number);
      const line = await this.line.from(this.solution.start, moves).catch(() => null);
      if (line?.here.state === wanted.state) return line;
    }
    return this.line.from(wanted.position);
  }

  /** Show the line in the address; if it is invalid, say so and show where the page begins. */
  async open() {
    const linked = this.linked ? readHash(location.hash) : null;
    const foreign = this.linked && !linked && location.hash.length > 1 && !document.getElementById(location.hash.slice(1));
    if (this.line.here && !linked && location.hash && !foreign) return;
    const meant = linked ?? this.first;
    await this.go(() => this.line.from(meant.first, meant.moves, meant.at), { kept: true });
    if (!this.line.here) {
      const said = this.message.textContent;
      await this.go(() => this.line.from(undefined), { kept: true });
      this.message.textContent = said;
    }
    if (foreign) this.message.textContent = `The address ends in ${shown(location.hash.slice(0, 40))}, which means no line of play; a line is written like #p=${shown(this.solution.start)}.`;
  }

  /** Show a line once it is made, unless another has been asked for since; if that fails, say why. */
  go(make, { kept = false } = {}) {
    const mine = ++this.asked;
    const refused = (error) => mine === this.asked && (this.message.textContent = shown(error.message));
    const made = (line) => mine === this.asked && this.show(line, { kept });
    return Promise.resolve().then(make).then(made, refused);
  }

  /** Show a line, and put it into the address, unless it is `kept`. */
  show(line, { kept = false } = {}) {
    this.asked++;
    this.moved = !kept && line.at > 0 && line.positions[line.at - 1]?.state === this.line.here?.state;
    this.line = line;
    this.only = null;
    this.message.textContent = "";
    if (this.linked && !kept && location.hash !== line.hash) history.pushState(null, "", line.hash);
    this.draw();
    this.moved = false;
  }

  async play(move) {
    if (this.line.moves[this.line.at] === move.move) this.show(this.line.to(this.line.at + 1));
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
    if (!from) this.moves.querySelector("li:not(.other) .move")?.focus();
  }

  best() {
    const [move] = this.line.here.moves ?? [];
    if (move && !this.hides) this.play(move);
  }

  bestLine() {
    if (this.hides) return;
    this.go(async () => this.line.with((await this.source.line(this.line.here.position)).map(({ move }) => move), 0));
  }

  /** Add moves to the line without playing them. */
  follow(codes) {
    this.go(() => this.line.with(codes, 0));
  }

  random() {
    this.go(async () => this.line.from((await this.source.random()).position));
  }

  async copy() {
    const address = location.href.split("#")[0] + this.line.hash;
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error()); // there is none over plain HTTP
    this.message.textContent = await copied.then(() => "The link to this line is copied.", () => address);
  }

  guess() {
    this.guessing.turn(!this.guessing.on);
    this.buttons.guess.setAttribute("aria-pressed", String(this.guessing.on));
  }

  async nextPuzzle() {
    await this.select("puzzles");
    this.root.querySelector(".puzzles")?.requestSubmit();
  }

  /** Pose a position; `next` leads to another one. */
  async puzzle(position, next) {
    await this.go(async () => {
      const line = await this.line.from(position);
      if (!this.guessing.on) this.guess();
      this.guessing.pose(line.here, next);
      return line;
    });
    this.sight();
  }

  /** Scroll to the board. */
  sight() {
    const { top, bottom } = this.board.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) this.stage.scrollIntoView({ block: "start" });
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
      r: () => this.buttons.random?.click(),
      g: () => this.buttons.guess?.click(),
      "?": () => this.dialog.showModal(),
      " ": () => this.hold(event),
    };
    const action = actions[event.key];
    const own = event.key === " " && on && !on.classList.contains("move");
    if (!action || own || (target !== document.body && !this.root.contains(target))) return;
    event.preventDefault();
    if (event.key === " " || !event.repeat || event.key.startsWith("Arrow")) action();
  }

  /** Play the best move, at a steady pace while the key is held. */
  hold(event) {
    if (event.repeat && event.timeStamp - this.lastStep < PACE) return;
    this.lastStep = event.timeStamp;
    this.best();
  }

  get active() {
    return this.root.getRootNode().activeElement;
  }

  /** Select the next or the previous move. */
  step(by) {
    if (this.tab !== "moves") this.select("moves");
    const all = [...this.moves.querySelectorAll(".move")];
    const now = all.indexOf(this.active);
    all[now < 0 ? (by > 0 ? 0 : all.length - 1) : (now + by + all.length) % all.length]?.focus();
  }

  draw() {
    const { line, solution, hides: secret } = this;
    const here = this.shown;
    const focused = this.moves.contains(this.active);
    const onBoard = this.board.querySelector("svg :focus-visible") !== null;
    if (this.linked) document.title = `${shown(here.position)} - ${shown(solution.title)}`;
    this.title.textContent = shown(here.position);
    this.picture = this.onBoard(here, { moves: here.moves ?? [], only: this.only, secret, choose: (...chosen) => this.choose(...chosen), past: line.past, moved: this.moved });
    this.spoken.replaceChildren(...[sign(here.to_move, solution), this.saying(here, secret)].filter(Boolean));
    this.verdict.textContent = secret ? "" : `With best play ${this.outcome()}.`;
    this.legend.textContent = secret || !here.moves?.length ? "" : this.explaining(here);
    this.guessing.draw(here);
    this.opponent.draw(line);
    this.list.replaceChildren(...(secret ? [] : this.facts()));
    const listed = { merge: this.merged.checked, secret, only: this.only, play: (move) => this.chosen(move), point: (moves) => this.drawing.hint(moves) };
    this.moves.replaceChildren(...moveList(here, solution, listed));
    const ended = !here.to_move && line.at > 0 && !this.opponent.game && !this.guessing.on;
    this.ended.replaceChildren(...(ended ? [endCard(line, solution, { jump: (place) => this.show(line.to(place)), play: () => this.select("opponent", true) })] : []));
    this.history.replaceChildren(strip(line, solution, (place) => this.show(line.to(place)), secret));
    if (!secret && line.moves.length)
      this.history.append(
        graph(line, solution, { jump: (place) => this.show(line.to(place)), turn: (place, move) => this.go(() => line.to(place).with([move.move])) }));
    this.take.replaceChildren(downloads(line, solution, this.source, this.picture, secret));
    this.buttons.restart.disabled = this.buttons.undo.disabled = line.at === 0;
    this.buttons.redo.disabled = line.at === line.moves.length;
    this.buttons.best.disabled = this.buttons.line.disabled = secret || !here.moves?.length;
    if (this.active !== this.input) this.input.value = here.position;
    if (focused) this.step(1);
    if (onBoard) this.picture?.querySelector('[tabindex="0"]')?.focus();
    for (const panel of Object.values(this.panels)) panel.refresh();
  }

  /** Draw a position; the drawing, or null for text. */
  onBoard(position, look = {}) {
    const picture = (this.drawing = drawPosition(position, this.solution, look));
    picture.addEventListener("point", ({ detail }) => this.point(detail));
    this.board.replaceChildren(picture);
    if (position.caption && ![position.position, position.picture].includes(position.caption))
      this.board.append(element("p", { class: "caption" }, shownLines(position.caption)));
    return picture.matches("svg") ? picture : null;
  }

  /** Highlight moves on the board and in the list. */
  point(moves) {
    this.drawing.hint(moves);
    for (const node of this.moves.querySelectorAll(".move"))
      node.classList.toggle("pointed", Boolean(moves?.some(({ move }) => node.dataset.moves.split(" ").includes(String(move)))));
  }

  /** Show another position on the board for a while, and with null that of the line. */
  async preview(text) {
    const asked = (this.previewed = (this.previewed ?? 0) + 1);
    const line = this.line;
    const position = text === null ? null : await this.source.position(text);
    if (asked !== this.previewed || line !== this.line) return;
    if (position) this.onBoard(position);
    else (this.previewed = 0), this.draw();
  }

  /** The position as it is shown. */
  get shown() {
    return this.line.here;
  }

  get asking() {
    return "Go to a position, as the game writes it or by the moves so far";
  }

  /** What the game is worth, after "With best play". */
  outcome() {
    const { value, remoteness_plies: remoteness } = this.solution;
    const outcome = value > 0 ? "X" : value < 0 ? "O" : remoteness === null ? "draw" : "tie";
    const said = worth({ value, outcome, remoteness_plies: outcome === "tie" ? 0 : remoteness }, this.solution);
    return outcome === "tie" || outcome === "draw" ? `it is ${said}` : said;
  }

  /** Who moves, and what the position is worth unless that is `secret`. */
  saying(here, secret) {
    const who = here.to_move ? sentence(`${named(here.to_move, this.solution)} to move`) : "The game is over";
    return secret ? `${who}.` : `${who}: ${worth(here, this.solution)}.`;
  }

  /** The meaning of the letters on the board. */
  explaining(here) {
    return `W win, T tie, ${this.solution.loopy ? "D draw, " : ""}L loss for ${named(here.to_move, this.solution)}; the number: plies (moves of either side) left after it.`;
  }

  facts() {
    const { solution, line: { here } } = this;
    const games = here.games ?? here.continuations;
    const rows = [
      ["Value", (here.value > 0 ? "+" : "") + here.value],
      here.nimber !== null && ["Nimber", String(here.nimber)],
      here.histories !== null && ["Histories", written(here.histories)],
      games && [here.games ? "Games through it" : "Games from here", outcomes(games, solution)],
      here.optimal_paths !== null && ["Optimal paths from here", written(here.optimal_paths)],
    ];
    return terms(rows);
  }
}

/** A note on a page with a part of a game. */
function partNote({ part, start }) {
  if (!part || (part.whole && part.from_start)) return element("p", { hidden: true });
  if (part.whole) return element("p", { class: "notice" }, `This page begins at ${shown(start)}: only what follows it is here.`);
  const first = part.depth === null ? "" : part.depth ? `the first ${plies(part.depth)}` : "its first position";
  const what = [first, part.optimal_only && "what follows moves that keep the value"].filter(Boolean).join(" of ");
  return element("p", { class: "notice" },
    `This page has a part of the game: ${what}${part.from_start ? "" : ", not from its start"}; ${written(part.classes)} ${part.classes === 1 ? "class" : "classes"}. ` +
    "Where it ends, positions have all that is known of them but their moves.");
}
