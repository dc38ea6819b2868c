// Classes of a table by what is known of them, as `/api/v1/ID/find` finds them.

const RANGE = /^(\d+)?(\.\.)?(\d+)?$/;

/**
 * The rows of the classes that are wanted, the first `limit` of them in their `order` (`trap`, `remoteness`, `random`, or by tier
 * and state), and whether those are all there are.
 */
export function findRows(table, { to_move, value, remoteness, only_move, order, limit = 20 }) {
  const { first, after } = table;
  const moves = (row) => first[row + 1] - first[row];
  const keeping = (row) => {
    let kept = 0;
    for (let edge = first[row]; edge < first[row + 1]; edge++) kept += table.value[after[edge]] === table.value[row];
    return kept;
  };
  const [least, most] = rangeOf(remoteness);
  const tests = [
    to_move && ((row) => !table.over(row) && table.mover(row) === (to_move === "X" ? 1 : -1)),
    value && ((row) => outcomeOf(table, row) === value),
    remoteness && ((row) => table.remoteness[row] >= least && table.remoteness[row] <= most),
    only_move && ((row) => moves(row) > 1 && keeping(row) === 1),
    (only_move || order === "trap") && ((row) => table.over(row) || table.expanded(row)),
  ].filter(Boolean);
  const keys = {
    trap: (row) => (moves(row) ? (keeping(row) - moves(row)) / moves(row) : Infinity),
    remoteness: (row) => (table.remoteness[row] < 0 ? Infinity : -table.remoteness[row]),
    random: Math.random,
  };
  const found = [];
  const known = table.head.classes ? new Set() : null; // rows are positions here, and the first of a class stands for it
  for (let row = 0; row < table.size; row++)
    if (tests.every((test) => test(row)) && !known?.has(table.classStates[row])) {
      known?.add(table.classStates[row]);
      found.push([order ? keys[order](row) : 0, row]);
    }
  const place = (i, j) => table.tier(i) - table.tier(j) || (table.classStates[i] < table.classStates[j] ? -1 : 1);
  const sorted = found.sort(([a, i], [b, j]) => (a < b ? -1 : a > b ? 1 : known ? place(i, j) : i - j));
  return { rows: sorted.slice(0, limit).map(([, row]) => row), complete: table.head.solution.part.whole };
}

function outcomeOf(table, row) {
  const value = table.value[row];
  return value > 0 ? "X" : value < 0 ? "O" : table.remoteness[row] < 0 ? "draw" : "tie";
}

/** From where to where a range such as `7`, `5..9`, `7..` or `..4` goes. */
function rangeOf(text) {
  const [, least, dots, most] = RANGE.exec(text ?? "..");
  return [Number(least ?? 0), most !== undefined ? Number(most) : dots ? Infinity : Number(least)];
}
