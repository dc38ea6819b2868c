// Panels: optimal lines, and things to take along.

import { fileOf } from "./board.js";
import { button, element, shown, telling, worth, written } from "./elements.js";
import { mistakes } from "./moves.js";

const AT_ONCE = 20;

/** Optimal lines from the position of a page: their number, and the first ones. */
export async function pathPanel(page) {
  const { source, solution, line: { here } } = page;
  if (here.remoteness_plies === null) return element("p", {}, "Nobody can win from here, and play need not end.");
  const shortest = solution.loopy || undefined;
  const panel = page.made("lines");
  const [about, list, next, note] = [".about", "ul", ".next", ".note"].map((name) => panel.querySelector(name));
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
  next.addEventListener("click", () => telling(note, more));
  about.textContent = (shortest ? "Those in which the winner hurries and the loser delays: others may never end. " : "") +
    (count === null ? "They are not counted." : `${written(count)} from here, in the order of their codes.`);
  return panel;
}

/** Buttons to save the position and the line; if values are `secret`, only what does not tell them. */
export function downloads({ line, solution, source, drawing }, secret) {
  const { here } = line;
  const said = element("p", { role: "status", class: "error" });
  const saved = (text, name, kind, make) =>
    button(text, () => telling(said, async () => save(`${solution.id}-${name}`, kind, await make())));
  return element("div", {}, element("div", { class: "row" },
    saved("Position", "position.txt", "text/plain", () => here.position + "\n"),
    !secret && saved("Line", "line.txt", "text/plain", () => lineText(line, solution)),
    drawing.matches("svg") && saved("Picture", "board.svg", "image/svg+xml", () => fileOf(drawing)),
    !secret && source.file && saved("This view as a file", "page.html", "text/html", () => source.file(line))), said);
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
