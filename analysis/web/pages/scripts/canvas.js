// Canvases: sharp on any screen, in the page's colours.

/** Give a canvas a size in CSS pixels, and return the context to paint it in these. */
export function sized(canvas, width, height) {
  const [context, sharp] = [canvas.getContext("2d"), devicePixelRatio || 1];
  Object.assign(canvas, { width: Math.round(width * sharp), height: Math.round(height * sharp) });
  canvas.style.height = `${height}px`;
  context.setTransform(sharp, 0, 0, sharp, 0, 0);
  context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  return context;
}

/** The colour of a role (`#rrggbb`) where a node is. */
export const colourOf = (node, role) => getComputedStyle(node).getPropertyValue(`--${role}`).trim();

/** Paint again whenever the width of a node or the system's colours change. */
export function repainted(node, paint) {
  new ResizeObserver(paint).observe(node);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
}
