// Two solutions compared: positions by their texts, moves by their names and by what they lead to. Codes and states of two games have
// nothing in common.

/** What a source knows of positions that are written as these `texts`: of each, or why it has none as `error`. */
export async function knownAs(source, texts) {
  const known = await source.known(texts);
  return known.map((each, number) =>
    each.error !== undefined || each.position === texts[number] ? each : { error: `'${texts[number]}' means another position there, ${each.position}` });
}

/** In what two positions, or what is known after two moves, differ: `one` where there is one alone, `value`, `plies`, or nothing. */
export function difference(here, there) {
  if (!here || !there || there.error !== undefined) return "one";
  if (here.value !== there.value || here.outcome !== there.outcome) return "value";
  return here.remoteness_plies === there.remoteness_plies ? "" : "plies";
}

/** Whether two differ in more than the plies to the end. */
export const apart = (here, there) => ["one", "value"].includes(difference(here, there));

/**
 * Moves here beside those there, `[here, there]`: first those here in their order, then those that are there only. Two belong together
 * that lead to the same position, of several the one of the same name; else those of one name, wherever they lead.
 */
export function paired(here, there) {
  const left = new Set(there);
  const pairs = here.map((move) => [move, null]);
  const tests = [(a, b) => a.name === b.name && a.position === b.position, (a, b) => a.position === b.position, (a, b) => a.name === b.name];
  for (const test of tests)
    for (const pair of pairs) {
      if (pair[1]) continue;
      pair[1] = [...left].find((move) => test(pair[0], move)) ?? null;
      left.delete(pair[1]);
    }
  return [...pairs, ...[...left].map((move) => [null, move])];
}

/** In what the moves of a pair differ, as words; `strong` says whether in more than the plies to the end. */
export function moveDifference([here, there]) {
  if (!here || !there) return { strong: true, words: [here ? "only here" : "only there"] };
  const worth = difference(here, there);
  const words = [
    here.position !== there.position && "leads elsewhere",
    worth === "value" && "another value",
    here.optimal !== there.optimal && `keeps the value only ${here.optimal ? "here" : "there"}`,
  ].filter(Boolean);
  if (words.length) return { strong: true, words };
  return { strong: false, words: worth === "plies" ? ["other plies"] : [] };
}

/**
 * Best play, by the `source` of this or of the other solution, from where a `line` is to where both differ or play ends: the line with it,
 * what is known `there` of its last position, and the first move of best play that is none here, if it is for want of one that it ends.
 */
export async function untilDifference(source, line, other) {
  let [there] = await knownAs(other, [line.here.position]);
  if (apart(line.here, there)) return { line, there, missing: null };
  const best = await source.line(line.here.position);
  const after = await knownAs(other, best.map(({ position }) => position));
  const found = await line.with([]);
  let missing = null;
  for (const [number, move] of best.entries()) {
    if (apart(found.here, there)) break;
    const mine = found.here.moves && leading(found.here.moves, move);
    if (!mine) {
      missing = move;
      break;
    }
    await found.add(mine.move);
    found.at = found.moves.length;
    there = after[number];
  }
  return { line: found.at > line.at ? found : line, there, missing };
}

/** The move that leads where another one does, of several the one of its name. */
const leading = (moves, { name, position }) =>
  moves.find((move) => move.position === position && move.name === name) ?? moves.find((move) => move.position === position);
