// Puzzles: positions that are found by what is known of them, one after the other, to be guessed.

import { button, element, shown } from "./elements.js";
import { named } from "./wording.js";

const AT_ONCE = 200;

/**
 * What puzzles there may be, and a button that leads to the next one. `go` is called with the text of a position, and what leads to the
 * next one after it.
 */
export function puzzlePanel(source, solution, go) {
  const wins = (side) => `${named(side, solution)} wins`;
  const fields = {
    to_move: choice("Who moves", "to_move", { "": "either side", X: named("X", solution), O: named("O", solution) }),
    value: choice("It is worth", "value", { "": "anything", X: wins("X"), tie: "a tie", ...(solution.loopy && { draw: "a draw" }), O: wins("O") }),
    least: element("input", { id: "puzzle-least", type: "number", min: 1, value: 1, inputmode: "numeric" }),
    only: element("input", { id: "puzzle-only", type: "checkbox", checked: true }),
    order: choice("In the order", "order", { trap: "hardest for a random player first", remoteness: "longest first", random: "by chance" }),
  };
  const said = element("p", { role: "status" });
  const queue = { asked: null, positions: [], at: 0 };
  const next = async () => {
    try {
      const position = await following(queue, source, wanted(fields));
      said.textContent = `Number ${queue.at} of ${queue.positions.length}${queue.complete ? "" : " or more"}: ${shown(position)}`;
      await go(position, next);
    } catch (error) {
      said.textContent = shown(error.message);
    }
  };
  return element("form", { class: "puzzles", submit: (event) => (event.preventDefault(), next()) },
    fields.to_move, fields.value, fields.order,
    element("p", { class: "row" }, element("label", { for: "puzzle-least" }, "At least so many plies from its end"), fields.least),
    element("p", { class: "row" }, fields.only, element("label", { for: "puzzle-only" }, "a single move keeps the value")),
    element("div", { class: "row" }, element("button", {}, "Next puzzle"), button("From the first", () => ((queue.asked = null), next()))), said);
}

function choice(label, name, options) {
  const select = element("select", { id: `puzzle-${name}` }, Object.entries(options).map(([value, text]) => element("option", { value }, text)));
  return element("p", { class: "row" }, element("label", { for: `puzzle-${name}` }, label), select);
}

/** What is asked for, as `/api/v1/ID/find` takes it. */
function wanted({ to_move, value, least, only, order }) {
  const chosen = (field) => field.querySelector("select").value || undefined;
  const plies = Math.max(1, Math.floor(Number(least.value)) || 1);
  const remoteness = chosen(value) === "draw" ? undefined : `${plies}..`; // a draw has none
  return { to_move: chosen(to_move), value: chosen(value), remoteness, only_move: only.checked || undefined, order: chosen(order) };
}

/** The next position of the queue, which is filled anew where something else is asked for. */
async function following(queue, source, fields) {
  const asked = JSON.stringify(fields);
  if (queue.asked !== asked || (queue.at === queue.positions.length && fields.order === "random")) {
    const { positions, complete } = await source.find({ ...fields, limit: AT_ONCE });
    Object.assign(queue, { asked, at: 0, positions: positions.map(({ position }) => position), complete: complete && positions.length < AT_ONCE });
  }
  if (!queue.positions.length) throw new Error("there is no such position");
  if (queue.at === queue.positions.length) queue.at = 0;
  return queue.positions[queue.at++];
}
