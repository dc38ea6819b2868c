// Begin in a file: what it carries becomes a page to walk through.

import { element } from "./elements.js";
import { explore } from "./explorer.js";
import { bytesOf, readTable } from "./table.js";
import { TableSource } from "./table_source.js";

const main = document.getElementById("main");

async function start() {
  const texts = [...document.querySelectorAll("script.table")].map((each) => each.textContent.trim());
  const [table, ...beside] = await Promise.all(texts.map((text) => readTable(bytesOf(text))));
  await explore(main, new TableSource(table, copyOf, beside), { line: main.dataset.line, linked: location.protocol !== "about:" });
}

/** The text of this file, beginning with a line. */
async function copyOf(line) {
  const copy = document.documentElement.cloneNode(true);
  const inside = copy.querySelector("#main");
  inside.replaceChildren();
  inside.dataset.line = line.hash;
  return "<!doctype html>\n" + copy.outerHTML + "\n";
}

start().catch((error) => main.prepend(element("p", { class: "error" }, error.message)));
