// The moves of the root as a list that is put in another order: dragged, or by buttons.

import { button, element, shown } from "./elements.js";

/** `changed` is called with the codes in their new order, and the one that was moved. */
export class RootMoves {
  constructor(names, changed) {
    Object.assign(this, { names, changed });
    this.list = element("ol", { class: "root-moves", "aria-label": "The moves of the root, in the order in which they are searched" });
    this.list.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) this.list.addEventListener(kind, () => this.release());
  }

  get codes() {
    return [...this.list.children].map((item) => Number(item.dataset.code));
  }

  show(codes) {
    this.list.replaceChildren(...codes.map((code) => this.item(code)));
  }

  item(code) {
    const name = shown(this.names[code]);
    const handle = element("span", { class: "handle", pointerdown: (event) => this.hold(event, item) }, name);
    const item = element("li", { "data-code": code },
      button("◀", () => this.shift(item, -1), { "aria-label": `${name} earlier` }), handle,
      button("▶", () => this.shift(item, 1), { "aria-label": `${name} later` }));
    return item;
  }

  /** Move an item by a place, and keep the focus on its button. */
  shift(item, by) {
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (other) this.put(item, other, item.querySelector(by < 0 ? "button" : "button:last-child"));
  }

  /** Put an item where another one is. */
  put(item, other, focused) {
    const later = item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (later) other.after(item);
    else other.before(item);
    focused?.focus();
    this.changed(this.codes, Number(item.dataset.code));
  }

  hold(event, item) {
    event.preventDefault();
    this.list.setPointerCapture(event.pointerId);
    this.held = item;
    item.classList.add("held");
  }

  release() {
    this.held?.classList.remove("held");
    this.held = null;
  }

  drag({ clientX: x, clientY: y }) {
    if (!this.held) return;
    const below = [...this.list.children].find((item) => {
      const { left, right, top, bottom } = item.getBoundingClientRect();
      return left <= x && x < right && top <= y && y < bottom;
    });
    if (below && below !== this.held) this.put(this.held, below);
  }
}
