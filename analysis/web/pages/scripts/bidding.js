// The page of a bidding game, which the server renders: boards are drawn, links and bids lead on within it, and the computer plays.

import { drawPosition } from "./board.js";
import { element } from "./elements.js";

const main = document.getElementById("main");
const $ = (selector) => main.querySelector(selector);
const $$ = (selector) => [...main.querySelectorAll(selector)];
const linkOf = (move) => $(`.move[href="${CSS.escape(move.href)}"]`);

/** The person's side in a game against the computer, if one is played, and what happened last in it. */
let [side, before] = [null, ""];

/** Show the page of an address in place of this one. */
async function go(address, { kept = false } = {}) {
  const { name, value } = document.activeElement;
  main.inert = true;
  const text = await fetch(address).then((response) => response.text()).catch(() => null);
  if (text === null) main.prepend(element("p", { class: "error" }, "the server does not answer; start gametree explore again"));
  else {
    const page = new DOMParser().parseFromString(text, "text/html");
    if (!kept) history.pushState(null, "", address);
    document.title = page.title;
    main.replaceChildren(...page.getElementById("main").childNodes);
    await draw();
  }
  main.inert = false;
  if (name) $(`[name="${name}"][value="${value}"]`)?.focus();
}

/** Draw the board; in a game let the computer move, whose page comes next, and hide what would help the person. */
function draw() {
  if (!$("[data-drawn]")) return; // the page says what is wrong
  const { solution, advantage, over, positions } = JSON.parse($("[data-drawn]").dataset.drawn);
  const made = new URLSearchParams(location.search).has("x");
  if (over) side = null;
  const sale = side && made ? settled(positions, advantage) : 0;
  const { moves, player } = positions[sale];
  if (side && made && player !== side) {
    before = `${$(".spoken").textContent} ${player} plays ${moves[0].name}.`;
    return go(moves[0].href);
  }
  const sealed = Boolean(side) && !made;
  main.className = [side && `secret from-${side}`, sealed && "sealed"].filter(Boolean).join(" ");
  $$(".sale").forEach((node, number) => (node.hidden = Boolean(side) && number !== sale));
  for (const node of $$("[data-play]")) node.hidden = Boolean(side) === Boolean(node.dataset.play);
  if (side) for (const list of $$("ul.moves")) list.append(...[...list.children].sort((a, b) => a.dataset.move - b.dataset.move)); // their order tells
  $(".playing").textContent = `${side ? `You are ${side}. ` : ""}${before}${sealed ? " Both bid for the next move." : side ? " You move." : ""}`;
  if (!side) before = "";
  const shown = sealed ? { ...positions[0], moves: [], terminal: true } : positions[sale];
  const drawing = drawPosition(shown, solution, { moves: shown.moves, secret: Boolean(side), choose: ([first, second]) => (second ? linkOf(first).focus() : go(first.href)) });
  drawing.addEventListener("point", ({ detail }) => $$(".move").forEach((link) => link.classList.toggle("pointed", Boolean(detail?.some((move) => linkOf(move) === link)))));
  for (const kind of ["pointerover", "focusin"])
    $(".about").addEventListener(kind, ({ target }) => drawing.hint(shown.moves.filter((move) => linkOf(move) === target.closest(".move"))));
  $("[data-drawn]").replaceChildren(drawing);
}

/** Which result of equal bids who has the advantage chooses. */
function settled(positions, advantage) {
  if (positions.length < 2) return 0;
  const [first, second] = positions.map(({ moves: [best] }) => best.value);
  return Number(advantage === "X" ? second > first : second < first);
}

/** Bid as the form says; in a game the computer draws an optimal bid. */
function bid(form) {
  const fields = new FormData(form);
  if (side) {
    const other = side === "X" ? "o" : "x";
    let chance = Math.random();
    const drawn = $$(`[name=${other}].optimal`);
    fields.set(other, (drawn.find(({ dataset }) => (chance -= dataset.probability) < 0) ?? drawn.at(-1)).value);
  }
  go(`${form.getAttribute("action")}?${new URLSearchParams(fields)}`);
}

main.addEventListener("click", (event) => {
  const { href } = event.target.closest("a[href^='/game/']") ?? {};
  const { play } = event.target.dataset;
  if (event.ctrlKey || event.metaKey || (!href && play === undefined)) return;
  event.preventDefault();
  if (play !== undefined) [side, before] = [play || null, ""];
  go(href ?? (play ? $(".start").href : location.href));
});
main.addEventListener("submit", (event) => {
  event.preventDefault();
  bid(event.target);
});
main.addEventListener("change", ({ target }) => side || target.form.requestSubmit());
addEventListener("popstate", () => go(location.href, { kept: true }));
draw();
