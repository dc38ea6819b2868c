// Long work, some milliseconds at a time: between two slices the page answers.

const SLICE = 12;

/** Follow a generator to its end; what it returns. */
export async function inSlices(steps) {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < SLICE) continue;
    await new Promise((go) => setTimeout(go));
    began = performance.now();
  }
}
