// The position that is looked at, and the line that led there, in another solution beside this one.

import { button, element, shown } from "./elements.js";
import { worth, written } from "./wording.js";

/**
 * A choice of other solutions, and the same position in one of them. `others` are what there is, each with an `id`, the name of its `game` and
 * a `source`; `kept` remembers which is chosen. `go` is called with the codes of moves that go on from here, `jump` with a place of the line.
 */
export async function besidePanel(others, solution, line, kept, { go, jump, again }) {
  const chosen = others.find(({ id }) => id === kept.id) ?? others[0];
  await chosen.source.ready;
  const about = await chosen.source.solution();
  const there = { ...chosen, about };
  const pairs = await paired(line.positions.slice(0, line.at + 1), there);
  const said = element("p", { role: "status" });
  const follow = (source) => async () => {
    said.textContent = "";
    try {
      const { codes, differs } = await untilDifference(source, line, there);
      if (codes.length) await go(codes);
      else said.textContent = differs ? "They differ here." : "Play ends here, and they do not differ.";
    } catch (error) {
      said.textContent = shown(error.message);
    }
  };
  return element("div", {},
    choice(others, chosen, (id) => ((kept.id = id), again())),
    ...compared(pairs.at(-1), solution, about),
    element("h3", {}, "Along the line"),
    alongLine(pairs, line, solution, about, jump),
    element("div", { class: "row" },
      button("Best line here, until they differ", follow(line.source)),
      button(`Best line of ${shown(about.game)}, until they differ`, follow(there.source))), said);
}

function choice(others, chosen, change) {
  if (others.length === 1) return element("p", {}, "Beside ", element("strong", {}, shown(chosen.game)), ":");
  const select = element("select", { id: "beside", change: () => change(select.value) },
    others.map(({ id, game }) => element("option", { value: id, selected: id === chosen.id }, shown(game))));
  return element("p", { class: "row" }, element("label", { for: "beside" }, "Beside"), select);
}

/** Positions here, and what the other solution knows of each: `other`, or `why` that has it not. */
async function paired(positions, { source }) {
  const others = await source.known(positions.map(({ position }) => position));
  return positions.map((here, number) => ({ here, other: others[number].error === undefined ? others[number] : null, why: others[number].error }));
}

/** In what two differ: `all` where there is one alone, their `value`, the `plies` to the end, or nothing. */
function differing(here, other) {
  if (!here || !other) return "all";
  if (here.value !== other.value || here.outcome !== other.outcome) return "value";
  return here.remoteness_plies === other.remoteness_plies ? "" : "plies";
}

/** Whether they differ in more than the plies to the end. */
const apart = ({ here, other }) => ["all", "value"].includes(differing(here, other));

function compared({ here, other, why }, solution, about) {
  if (!other) return [element("p", {}, `It is no position there: ${shown(why)}`)];
  const differs = { value: "Their values differ", plies: "The values are the same, the plies to the end are not", "": "They agree" }[differing(here, other)];
  const facts = [["Here", worth(here, solution)], [shown(about.game), worth(other, about)]];
  if (here.games && other.games) facts.push(["Games through it", `${written(here.games.total)} here, ${written(other.games.total)} there`]);
  if (here.optimal_paths !== null && other.optimal_paths !== null)
    facts.push(["Optimal paths from here", `${written(here.optimal_paths)} here, ${written(other.optimal_paths)} there`]);
  return [
    element("p", {}, `${differs}.`),
    element("dl", {}, facts.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text)))),
    ...movesBeside(here, other, solution, about),
  ];
}

/** A move there that is the same as one here: by its name or, where names differ, by the position after it. */
const twin = (move, moves) => moves.find(({ name, position }) => name === move.name && position === move.position) ?? moves.find(({ position }) => position === move.position);

function movesBeside(here, other, solution, about) {
  if (!here.moves || !other.moves) return [element("p", {}, "The moves of one of them are not known here.")];
  if (!here.moves.length && !other.moves.length) return [];
  const rows = here.moves.map((move) => [move, twin(move, other.moves)]);
  const only = other.moves.filter((move) => !twin(move, here.moves)).map((move) => [null, move]);
  const all = [...rows, ...only];
  const changed = ([one, two]) => apart({ here: one, other: two }) || one.optimal !== two.optimal;
  const cell = (move, of) => element("td", {}, move ? worth(move, of) + (move.optimal ? ", keeps the value" : "") : "no such move");
  const names = ["Move", "Here", shown(about.game), "Differs"];
  return [
    element("p", {}, `Of ${all.length} ${all.length === 1 ? "move" : "moves"} ${written(all.filter(changed).length)} differ in value, or in whether they keep it.`),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Moves in both" },
      element("table", { class: "moves beside" },
        element("thead", {}, element("tr", {}, names.map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, all.map((row) => {
          const [one, two] = row;
          return element("tr", { class: changed(row) ? "differs" : null }, element("th", { scope: "row" }, shown((one ?? two).name)), cell(one, solution), cell(two, about), element("td", {}, changed(row) ? "≠ yes" : ""));
        })))),
  ];
}

/** Where along the line the two first differ. */
function alongLine(pairs, line, solution, about, jump) {
  const place = pairs.findIndex(apart);
  if (place < 0) {
    const weaker = pairs.findIndex(({ here, other }) => differing(here, other) === "plies");
    const but = weaker < 0 ? "" : `; the plies to the end first differ after ${moves(weaker)}`;
    return element("p", {}, `No value differs in ${pairs.length === 1 ? "this position" : `these ${pairs.length} positions`}${but}.`);
  }
  const { here, other } = pairs[place];
  const what = other ? `here ${worth(here, solution)}, there ${worth(other, about)}` : `${shown(about.game)} has no such position`;
  return element("p", {}, `They first differ after ${moves(place)}, at ${shown(here.position)}: ${what}. `, place < line.at && button("Go there", () => jump(place)));
}

const moves = (number) => (number === 1 ? "1 move" : `${number} moves`);

/** The codes here of best play by a `source` from a position on, to where both differ or play ends; and whether they do. */
async function untilDifference(source, line, there) {
  const codes = [];
  let [pair] = await paired([line.here], there);
  for (const move of await source.line(line.here.position)) {
    if (apart(pair)) break;
    const mine = pair.here.moves && twin(move, pair.here.moves);
    if (!mine) throw new Error(`move ${codes.length + 1} of that line, ${move.name}, is none here`);
    codes.push(mine.move);
    [pair] = await paired([await line.source.position(mine.position)], there);
  }
  return { codes, differs: apart(pair) };
}
