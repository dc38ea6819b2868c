// The page from a server: the explorer of a game, or cards of games, which get pictures.

import { AskingSource } from "./asking_source.js";
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

  async fetched(path, fields) {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const query = given.map(([name, value], number) => `${number ? "&" : "?"}${name}=${encodeURIComponent(String(value).toWellFormed())}`).join("");
    let response, answer;
    try {
      response = await fetch(this.root + path + query);
      answer = await response.json();
    } catch {
      throw new Error("the server does not answer; start gametree explore again");
    }
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }
}

/** A small picture of a game, from the middle of best play; of a bidding game, its start. */
async function picture(card) {
  const source = new HttpSource(card.dataset.solution);
  const [solution, line] = await Promise.all([source.solution(), new Line(source).from(undefined).then((start) => start.best())]);
  const { here, past } = line.to(Math.ceil(line.moves.length / 2));
  card.prepend(element("div", { class: "picture", "aria-hidden": "true" }, drawPosition(here, solution, { past, small: true })));
}

const main = document.getElementById("main");
if (main.dataset.solution)
  explore(main, new HttpSource(main.dataset.solution), { first: main.dataset.position })
    .catch((error) => main.prepend(element("p", { class: "error" }, error.message)));
else for (const card of document.querySelectorAll("[data-solution]")) picture(card).catch(() => card.classList.add("bare"));
