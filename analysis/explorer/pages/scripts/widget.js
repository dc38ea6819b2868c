// A view in a notebook: the page in a tree of its own, so that neither changes the look of the other.

import { element } from "./elements.js";
import { explore } from "./explorer.js";
import { MessageSource } from "./message_source.js";

export function render({ model, el }) {
  el.dataset.lmSuppressShortcuts = "true"; // keys typed here are not the notebook's
  const root = element("div", { tabindex: -1 });
  const shadow = el.attachShadow({ mode: "open" });
  shadow.append(element("style", {}, model.get("style")), root);
  for (const kind of ["keydown", "keyup", "keypress"]) el.addEventListener(kind, (event) => event.stopPropagation());
  const source = new MessageSource(model, model.get("solution"));
  const hiding = element("style", {}, `[data-gametree-saved="${model.get("saved")}"] { display: none; }`);
  explore(root, source, { first: model.get("position"), linked: false })
    .then(() => document.head.append(hiding))
    .catch((error) => root.append(element("p", { class: "error" }, error.message)));
  return () => {
    source.close();
    hiding.remove();
  };
}
