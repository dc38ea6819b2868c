// Elements of a page: all text is put in as text, so no game can write markup.

const SVG = "http://www.w3.org/2000/svg";

/** What would move or hide other text: control characters, directions of writing, halves of characters. */
const HIDDEN = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text of a game as it can be shown on a line. */
export const shown = (text) => String(text).replace(HIDDEN, "·");

/** The same on several lines. */
export const shownLines = (text) => String(text).split("\n").map(shown).join("\n");

/** An element with attributes, of which functions listen to events, and children: elements, texts, or nothing. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same within a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** A button that does something. */
export function button(text, click, attributes = {}) {
  return element("button", { type: "button", click, ...attributes }, text);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
