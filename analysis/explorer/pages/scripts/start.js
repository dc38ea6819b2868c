// Begin: the page of a position, which shows itself without scripts, becomes one that a person walks through.

import { explore } from "./explorer.js";
import { HttpSource } from "./http_source.js";

const main = document.getElementById("main");
const first = main.dataset.position;
explore(main, new HttpSource(main.dataset.solution), { first }).catch((error) => {
  const line = document.createElement("p");
  line.className = "error";
  line.textContent = error.message;
  main.prepend(line);
});
