// Panels: optimal lines, traps, symmetric positions, and things to take along.

import { drawPosition, fileOf } from "./board.js";
import { button, called, element, percent, scrolled, shown, tableParts, telling, worth, written } from "./elements.js";
import { mistakes } from "./moves.js";

const AT_ONCE = 20;

/** Optimal lines from the position of a page: their number, the first ones, one by number, and random ones. */
export async function pathPanel(page) {
  const { source, solution, line: { here } } = page;
  if (here.remoteness_plies === null) return element("p", {}, "Nobody can win from here, and play need not end.");
  const shortest = solution.loopy || undefined;
  const panel = page.made("lines");
  const [about, list, next, sample, form, note] = [".about", "ul", ".next", ".sample", "form", ".note"].map((name) => panel.querySelector(name));
  const codes = (path) => path.split(solution.separator).filter(Boolean).map(Number);
  const add = (paths) =>
    list.append(...paths.map((path) => element("li", {}, button(path || "(over)", () => page.follow(codes(path)), { class: "path" }))));
  const more = async () => {
    const { paths, count } = await source.asked("/paths", { p: here.position, limit: AT_ONCE, offset: list.children.length, shortest });
    add(paths);
    next.hidden = count === null ? paths.length < AT_ONCE : BigInt(list.children.length) >= BigInt(count);
    return count;
  };
  const count = await more();
  const does = (node, kind, work) => node.addEventListener(kind, () => telling(note, work));
  does(next, "click", more);
  does(sample, "click", async () => {
    const { paths } = await source.fetched("/paths", { p: here.position, sample: 5, shortest });
    list.replaceChildren();
    next.hidden = true;
    add(paths);
  });
  does(form, "submit", async () => {
    const moves = await source.line(here.position, form.querySelector("input").value.trim(), shortest);
    page.follow(moves.map(({ move }) => move));
  });
  form.hidden = count === null;
  about.textContent = (shortest ? "Those in which the winner hurries and the loser delays: others may never end. " : "") +
    (count === null ? "They are not counted." : `${written(count)} from here, in the order of their codes; the first is number 0.`);
  return panel;
}

/** The traps of the position for the level that replies. */
export async function trapsPanel(page) {
  const { here } = page.line;
  if (!here.moves?.length) return element("p", {}, here.moves ? "The game is over." : "The moves are not known here.");
  const { moves } = await page.source.asked("/traps", { p: here.position, against: page.$("#traps-level").value });
  const rows = moves.map((move) => [
    button(called(move), () => page.play(here.moves.find((each) => each.move === move.move))),
    move.replies === null ? ["no reply", "", "", ""] : [`${move.keeping} of ${move.replies}`, chance(move.chance_exact), move.loss_exact, String(move.most)],
  ]);
  return element("div", {},
    element("p", {}, "Moves that keep the value, the greatest chance of an error first:"),
    scrolled("Traps", { class: "moves traps" }, ...tableParts(["Move", "Replies that keep it", "Errs", "Loses on average", "At most"], rows)));
}

/** A chance as a fraction and in percent. */
function chance(exact) {
  const [part, whole = "1"] = exact.split("/");
  return whole === "1" ? percent(part, whole) : `${exact}, ${percent(part, whole)}`;
}

/** The images of the position under all symmetries, as boards that lead there. */
export async function orbitPanel(page) {
  const { source, solution, line: { here } } = page;
  const { orbit_size: size, position: first } = here.class;
  const own = element("code", {}, shown(first));
  if (size === null) return element("p", {}, "Positions with the same game left to play are one class, ", own, "; how many there are is not known.");
  const { images } = await source.asked("/images", { p: here.position });
  const about = `${written(size)} ${size === 1 ? "position is" : "positions are"} the same but for symmetry; the first of them by number is `;
  const said = element("p", {}, about, own, ".");
  if (images === null) return element("div", {}, said, element("p", {}, "The symmetries of this game are known only to its rules."));
  const items = [...Map.groupBy(images.entries(), ([, { state }]) => state).values()].map(([[number, image]]) => {
    const board = drawPosition(image, solution, { small: true, label: image.position });
    return element("li", {}, button([board.matches("svg") ? board : shown(image.position)], () => page.go(() => page.line.image(number)), {
      "aria-label": shown(image.position), "aria-current": image.state === here.state ? "true" : null }));
  });
  return element("div", {}, said, element("ul", { class: "orbit" }, items));
}

/** Buttons to save the position and the line; if values are `secret`, only what does not tell them. */
export function downloads({ line, solution, source, drawing }, secret) {
  const { here } = line;
  const said = element("p", { role: "status", class: "error" });
  const saved = (text, name, kind, make) =>
    button(text, () => telling(said, async () => save(`${solution.id}-${name}`, kind, await make())));
  const address = secret ? null : source.address?.(here.position);
  return element("div", {}, element("div", { class: "row" },
    saved("Position", "position.txt", "text/plain", () => here.position + "\n"),
    !secret && saved("Line", "line.txt", "text/plain", () => lineText(line, solution)),
    drawing.matches("svg") && saved("Picture", "board.svg", "image/svg+xml", () => fileOf(drawing)),
    !secret && saved("JSON", "position.json", "application/json", () => JSON.stringify(here, null, 1) + "\n"),
    !secret && source.file && saved("This view as a file", "page.html", "text/html", () => source.file(line)),
    address && element("a", { href: address }, "Address of the JSON")), said);
}

function lineText(line, solution) {
  const rows = line.positions.slice(0, line.at + 1).map((each, ply) => {
    const move = ply ? line.played(ply).name : "start";
    return [ply, shown(move), shown(each.position), worth(each, solution)].join("\t");
  });
  const given = mistakes(line, solution, line.moves.length).map(({ place, move, cost }) => `${place}. ${shown(move.name)}: ${cost}`);
  return [solution.game, ...rows, ...(given.length ? ["given away:", ...given] : [])].map((row) => row + "\n").join("");
}

function save(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
