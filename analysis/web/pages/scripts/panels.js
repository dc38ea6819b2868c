// Panels: best play as branches, and things to take along.

import { fileOf } from "./board.js";
import { button, byClass, called, element, shown, telling, worth, written } from "./elements.js";
import { slips } from "./moves.js";

/** Best play from the position of a page: the number of lines, and their moves as branches. */
export function pathPanel(page) {
  const { solution, line: { here } } = page;
  if (here.remoteness_plies === null) return element("p", {}, "Nobody can win from here, and play need not end.");
  const about = solution.loopy ? "The winner hurries and the loser delays: other lines may never end." : "Moves that keep the value, symmetric ones as one.";
  const number = here.optimal_paths === null ? "" : ` ${written(here.optimal_paths)} lines.`;
  return element("div", {}, element("p", {}, about + number), branches(page, here, []));
}

/** The moves of best play in a position after some codes; each opens those that follow. */
function branches(page, { moves, remoteness_plies: left }, before) {
  if (!moves?.length) return element("p", { class: "muted" }, moves ? "The game is over." : "What follows is not known here.");
  const best = moves.filter((move) => move.optimal && (!page.solution.loopy || move.remoteness_plies === left - 1));
  return element("ul", { class: "branches" }, byClass(best).map((alike) => {
    const [[move], codes] = [alike, [...before, alike[0].move]];
    const further = element("details", {}, element("summary", {}, worth(move, page.solution)));
    further.addEventListener("toggle", async () => {
      if (!further.querySelector("ul, p")) further.append(branches(page, await page.source.position(move.position), codes));
    }, { once: true });
    return element("li", {}, button(alike.map(called).join(" "), () => page.follow(codes), { class: "path" }), further);
  }));
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
  const given = slips(line, solution).map(({ place, move, cost }) => `${place}. ${shown(move.name)}: ${cost}`);
  return [solution.game, ...rows, ...(given.length ? ["mistakes:", ...given] : [])].map((row) => row + "\n").join("");
}

function save(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
