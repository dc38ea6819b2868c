// Panels: optimal lines, and things to take along.

import { fileOf } from "./board.js";
import { button, element, shown, telling, worth, written } from "./elements.js";
import { mistakes } from "./moves.js";

const AT_ONCE = 20;

/** Optimal lines from the position of a page: their number, and the first ones. */
export async function pathPanel(page) {
  const { source, solution, line: { here } } = page;
  if (here.remoteness_plies === null) return element("p", {}, "Nobody can win from here, and play need not end.");
  const panel = page.made("lines");
  const [about, list, next, note] = [".about", "ul", ".next", ".note"].map((name) => panel.querySelector(name));
  const paths = pathsFrom(source, here, solution.loopy);
  let path = await paths.next();
  const more = async () => {
    for (let left = AT_ONCE; left && !path.done; left--, path = await paths.next()) {
      const codes = path.value;
      list.append(element("li", {}, button(codes.join(solution.separator) || "(over)", () => page.follow(codes), { class: "path" })));
    }
    next.hidden = path.done;
  };
  await more();
  next.addEventListener("click", () => telling(note, more));
  about.textContent = (solution.loopy ? "Those in which the winner hurries and the loser delays: others may never end. " : "") +
    (here.optimal_paths === null ? "They are not counted." : `${written(here.optimal_paths)} from here, in the order of their codes.`);
  return panel;
}

/** The codes of optimal paths from a position, or of the shortest ones, in their order. */
async function* pathsFrom(source, { moves, remoteness_plies: left }, shortest) {
  if (!moves) throw new Error("what follows is not known here");
  if (!moves.length) yield [];
  for (const move of moves.toSorted((a, b) => a.move - b.move))
    if (move.optimal && (!shortest || move.remoteness_plies === left - 1))
      for await (const path of pathsFrom(source, await source.position(move.position), shortest)) yield [move.move, ...path];
}

/** Buttons to save the position and the line; if values are `secret`, only what does not tell them. */
export function downloads({ line, solution, drawing }, secret) {
  const { here } = line;
  const said = element("p", { role: "status", class: "error" });
  const saved = (text, name, kind, make) =>
    button(text, () => telling(said, async () => save(`${solution.id}-${name}`, kind, await make())));
  return element("div", {}, element("div", { class: "row" },
    saved("Position", "position.txt", "text/plain", () => here.position + "\n"),
    !secret && saved("Line", "line.txt", "text/plain", () => lineText(line, solution)),
    drawing.matches("svg") && saved("Picture", "board.svg", "image/svg+xml", () => fileOf(drawing))), said);
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
