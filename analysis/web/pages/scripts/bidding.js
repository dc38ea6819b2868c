// The page of a bidding game, which the server renders: boards are drawn, links and bids lead on within it, and the computer plays.

import { drawPosition } from "./board.js";
import { element } from "./elements.js";

const main = document.getElementById("main");
const $ = (selector) => main.querySelector(selector);
const $$ = (selector) => [...main.querySelectorAll(selector)];
const linkOf = (move) => $(`.move[href="${CSS.escape(move.href)}"]`);

/** The person's side in a game against the computer, if one is played, what happened last in it, and how good the computer is. */
let [side, before, level] = [null, "", "perfect"];

/** What the computer decides in a state: its bid or, after both, its move. */
async function decided(p, bids = {}) {
  const fields = new URLSearchParams({ p, ...bids, side: side === "X" ? "O" : "X", against: level, seed: Math.floor(Math.random() * 2 ** 31) });
  const response = await fetch(`${new URL($(".start").href).pathname.replace("/game/", "/api/v1/")}/reply?${fields}`);
  return (await response.json()).choice;
}

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
async function draw() {
  if (!$("[data-drawn]")) return; // the page says what is wrong
  const { solution, advantage, over, positions } = JSON.parse($("[data-drawn]").dataset.drawn);
  const made = new URLSearchParams(location.search).has("x");
  if (over) side = null;
  const sale = side && made ? settled(positions, advantage) : 0;
  const { moves, player } = positions[sale];
  if (side && made && player !== side) {
    const { x, o } = Object.fromEntries(new URLSearchParams(location.search));
    const code = await decided(positions[0].position, { x, o });
    const move = moves.find((each) => each.move === code);
    before = `${$(".spoken").textContent} ${player} plays ${move.name}.`;
    return go(move.href);
  }
  const sealed = Boolean(side) && !made;
  main.className = [side && `secret from-${side}`, sealed && "sealed"].filter(Boolean).join(" ");
  $$(".sale").forEach((node, number) => (node.hidden = Boolean(side) && number !== sale));
  for (const node of $$("[data-play]")) node.hidden = Boolean(side) === Boolean(node.dataset.play);
  if (side) for (const list of $$("ul.moves")) list.append(...[...list.children].sort((a, b) => a.dataset.move - b.dataset.move)); // their order tells
  $(".playing").textContent = `${side ? `You are ${side}. ` : ""}${before}${sealed ? " Both bid for the next move." : side ? " You move." : ""}`;
  if (!side) before = "";
  for (const bid of sealed ? $$(`[name=${side.toLowerCase()}]`) : []) Object.assign(bid, { checked: false, required: true }); // the checked one is optimal
  const shown = sealed ? { ...positions[0], moves: [], terminal: true } : positions[sale];
  const pointed = (moves) => $$(".move").forEach((link) => link.classList.toggle("pointed", Boolean(moves?.some((move) => linkOf(move) === link))));
  const drawing = drawPosition(shown, solution, { moves: shown.moves, secret: Boolean(side), pointed, choose: ([first, second]) => (second ? linkOf(first).focus() : go(first.href)) });
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

/** Bid as the form says; in a game the computer bids, too. */
async function bid(form) {
  const fields = new FormData(form);
  if (side) {
    fields.set(side === "X" ? "o" : "x", await decided(JSON.parse($("[data-drawn]").dataset.drawn).positions[0].position));
  }
  go(`${form.getAttribute("action")}?${new URLSearchParams(fields)}`);
}

main.addEventListener("click", (event) => {
  const { href } = event.target.closest("a[href^='/game/']") ?? {};
  const { play } = event.target.dataset;
  if (event.ctrlKey || event.metaKey || (!href && play === undefined)) return;
  event.preventDefault();
  if (play !== undefined) [side, before, level] = [play || null, "", $("#level").value];
  go(href ?? (play ? $(".start").href : location.href));
});
main.addEventListener("submit", (event) => {
  event.preventDefault();
  bid(event.target);
});
main.addEventListener("change", ({ target }) => side || target.form.requestSubmit());
addEventListener("popstate", () => go(location.href, { kept: true }));
draw();
