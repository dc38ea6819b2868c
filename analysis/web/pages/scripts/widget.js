// The view in a notebook, whose kernel answers.

import { AskingSource, given } from "./asking_source.js";
import { element } from "./elements.js";
import { explore } from "./explorer.js";

/** Asks by a message `{ number, id, path, fields, body }`; the answer is a JSON text with its number and `answer` or `error`. */
class MessageSource extends AskingSource {
  constructor(model, id) {
    super();
    Object.assign(this, { model, id, waiting: new Map(), number: 0 });
    this.heard = ({ json }) => {
      const { number, answer, error } = JSON.parse(json);
      const [done, refused] = this.waiting.get(number) ?? [];
      this.waiting.delete(number);
      if (error !== undefined) refused?.(new Error(error));
      else done?.(answer);
    };
    model.on("msg:custom", this.heard);
  }

  close() {
    this.model.off("msg:custom", this.heard);
    for (const { source } of this.beside ?? []) source.close();
  }

  /** The other solution, if there is one. */
  async others() {
    this.beside ??= this.model.get("beside").map(({ id, game }) => ({ id, game, source: new MessageSource(this.model, id) }));
    return this.beside;
  }

  fetched(path, fields, body) {
    const number = `${this.id} ${this.number++}`;
    return new Promise((done, refused) => {
      this.waiting.set(number, [done, refused]);
      this.model.send({ number, id: this.id, path, fields: Object.fromEntries(given(fields)), body });
    });
  }
}

export function render({ model, el }) {
  el.dataset.lmSuppressShortcuts = "true"; // keys typed here are not for the notebook
  const [root, page] = [element("div", { tabindex: -1 }), element("template")];
  page.innerHTML = model.get("content");
  const shadow = el.attachShadow({ mode: "open" });
  shadow.append(element("style", {}, model.get("style")), root);
  for (const kind of ["keydown", "keyup", "keypress"]) el.addEventListener(kind, (event) => event.stopPropagation());
  const source = new MessageSource(model, model.get("solution"));
  const hiding = element("style", {}, `[data-gametree-saved="${model.get("saved")}"] { display: none; }`);
  explore(root, source, { first: model.get("position"), linked: false, content: page.content.querySelector("template").content })
    .then(() => document.head.append(hiding))
    .catch((error) => root.append(element("p", { class: "error" }, error.message)));
  return () => {
    source.close();
    hiding.remove();
  };
}
