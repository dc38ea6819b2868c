// The panel of best play, as branches.

import { button, byClass, called, element, worth, written } from "./elements.js";

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
