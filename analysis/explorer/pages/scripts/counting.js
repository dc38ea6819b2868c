// Games and paths, counted from the moves of a whole table: exactly, off the main thread where that is possible.

/** Where the counts of a table will be: arrays of BigInt by class, see `countAll`. */
export function counted(table) {
  const given = {
    size: table.size, root: table.head.solution.root, first: table.first, after: table.after, value: table.value,
    remoteness: table.remoteness,
  };
  let worker;
  try {
    const code = `onmessage = ({ data }) => postMessage((${countAll})(data))`;
    worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  } catch {
    return new Promise((done) => setTimeout(() => done(countAll(given))));
  }
  return new Promise((done) => {
    worker.onmessage = ({ data }) => (worker.terminate(), done(data));
    worker.onerror = (event) => (event.preventDefault(), done(countAll(given)));
    worker.postMessage(given);
  });
}

/**
 * For each class: histories of all its positions, and from each of them on complete games won by X, by O and tied,
 * optimal paths, and shortest ones. Moves lead to later classes only. It stands alone: a worker gets it as a text.
 */
export function countAll({ size, root, first, after, value, remoteness }) {
  const zeros = () => new Array(size).fill(0n);
  const found = { histories: zeros(), X: zeros(), O: zeros(), tie: zeros(), optimal: zeros(), shortest: zeros() };
  const { histories, X, O, tie, optimal, shortest } = found;
  for (let row = size - 1; row >= 0; row--) {
    if (first[row] === first[row + 1]) {
      (value[row] > 0 ? X : value[row] < 0 ? O : tie)[row] = optimal[row] = shortest[row] = 1n;
      continue;
    }
    let [x, o, t, paths, short] = [0n, 0n, 0n, 0n, 0n];
    for (let move = first[row]; move < first[row + 1]; move++) {
      const next = after[move];
      x += X[next];
      o += O[next];
      t += tie[next];
      if (value[next] !== value[row]) continue;
      paths += optimal[next];
      if (remoteness[next] + 1 === remoteness[row]) short += shortest[next];
    }
    X[row] = x;
    O[row] = o;
    tie[row] = t;
    optimal[row] = paths;
    shortest[row] = short;
  }
  histories[root] = 1n;
  for (let row = 0; row < size; row++)
    for (let move = first[row]; move < first[row + 1]; move++) histories[after[move]] += histories[row];
  return found;
}
