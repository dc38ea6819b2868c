// Traps: the moves that keep the value, by how likely the opponent errs after them, and lines in which one move keeps it each time.

import { button, element, shown } from "./elements.js";
import { named, percent } from "./wording.js";

const LEVELS = ["random", "greedy", "depth:2", "depth:4", "blunder:1/10", "perfect"];

/** A choice of levels, of which those that a source does not have are there but cannot be chosen. */
export function levelChoice(source, id, chosen, change) {
  const options = LEVELS.map((level) => element("option", { value: level, selected: level === chosen, disabled: !(source.levels ?? LEVELS).includes(level) }, level));
  return element("select", { id, change: ({ target }) => change(target.value) }, options);
}

/** The traps of a position. `kept` remembers the level; `play` is called with a move, `follow` with codes, `again` to fill it anew. */
export async function trapsPanel(source, solution, position, kept, { play, follow, again }) {
  kept.level ??= "random";
  const choice = element("p", { class: "row" }, element("label", { for: "traps-level" }, "Who replies"),
    levelChoice(source, "traps-level", kept.level, (level) => ((kept.level = level), again())));
  if (!position.moves?.length) return element("div", {}, choice, element("p", {}, position.moves ? "The game is over." : "The moves are not known here."));
  let found;
  try {
    found = await source.traps(position.position, kept.level);
  } catch (error) {
    return element("div", {}, choice, element("p", { role: "status" }, shown(error.message)));
  }
  return element("div", {}, choice,
    element("p", {}, "Moves that keep the value, the greatest chance of an error first:"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Traps" }, table(found, position, play)),
    ...found.only_moves.map((line) => onlyMoves(line, solution, follow)));
}

function table({ moves }, position, play) {
  const names = ["Move", "Replies that keep it", "Errs", "Loses on average", "At most"];
  return element("table", { class: "moves traps" },
    element("thead", {}, element("tr", {}, names.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, moves.map((move) =>
      element("tr", {},
        element("th", { scope: "row" }, button(shown(move.name || move.move), () => play(position.moves.find((each) => each.move === move.move)))),
        ...(move.replies === null
          ? [element("td", { colspan: 4 }, "no reply")]
          : [`${move.keeping} of ${move.replies}`, chanceText(move.chance_exact), move.loss_exact, move.most].map((text) => element("td", {}, String(text))))))));
}

/** A chance as a fraction and in percent. */
function chanceText(exact) {
  const [part, whole = "1"] = exact.split("/");
  return whole === "1" ? percent(part, whole) : `${exact}, ${percent(part, whole)}`;
}

function onlyMoves({ side, count, path, names, complete, endless }, solution, follow) {
  const who = named(side, solution);
  if (count === 0) return element("p", {}, `${who} has no only moves${complete ? "" : " as far as was looked"}.`);
  const many = endless ? "only moves for ever" : `${complete ? "" : "at least "}${count} only ${count === 1 ? "move" : "moves"}`;
  const codes = path.split(solution.separator).filter(Boolean).map(Number);
  return element("p", {}, `${who} can be made to find ${many}: `, button(names.map(shown).join(" "), () => follow(codes), { class: "path" }));
}
