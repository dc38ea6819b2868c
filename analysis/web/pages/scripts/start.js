// The page from a server: the explorer of a game, or cards of games, which get pictures.

import { AskingSource, given } from "./asking_source.js";
import { drawPosition } from "./board.js";
import { element } from "./elements.js";
import { explore } from "./explorer.js";
import { Line } from "./line.js";

export class HttpSource extends AskingSource {
  constructor(id) {
    super();
    this.id = id;
    this.root = `/api/v1/${id}`;
  }

  fetched(path, fields, body) {
    return answered(this.root + path + query(fields), body);
  }
}

async function answered(address, body) {
  let response, answer;
  try {
    const request = body ? { method: "POST", body: JSON.stringify(body) } : {};
    response = await fetch(address, { credentials: "same-origin", ...request });
    answer = await response.json();
  } catch {
    throw new Error("the server does not answer; start gametree explore again");
  }
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function query(fields) {
  const parts = given(fields).map(([name, value]) => `${name}=${encoded(String(value))}`);
  return parts.length ? "?" + parts.join("&") : "";
}

/** A text as a part of an address, even with half characters. */
const encoded = (text) =>
  text.split(/(\p{Cs})/u).map((part) => (/^\p{Cs}$/u.test(part) ? half(part) : encodeURIComponent(part))).join("");

function half(character) {
  const code = character.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
  return bytes.map((byte) => "%" + byte.toString(16).toUpperCase()).join("");
}

/** A small picture of a game, from the middle of best play; of a bidding game, its start. */
async function picture(card) {
  const source = new HttpSource(card.dataset.solution);
  const [solution, moves] = await Promise.all([source.solution(), card.dataset.bids === undefined ? source.line() : []]);
  const { here, past } = await new Line(source).from(undefined, moves.slice(0, Math.ceil(moves.length / 2)).map(({ move }) => move));
  card.prepend(element("div", { class: "picture", "aria-hidden": "true" }, drawPosition(here, solution, { past, small: true })));
}

const main = document.getElementById("main");
if (main.dataset.solution)
  explore(main, new HttpSource(main.dataset.solution), { first: main.dataset.position })
    .catch((error) => main.prepend(element("p", { class: "error" }, error.message)));
else for (const card of document.querySelectorAll("[data-solution]")) picture(card).catch(() => card.classList.add("bare"));
