// The map of a table: the classes of each tier from best to worst, as `ranking.py` has them of a solution.

const NEVER = 65535;

export class TableMap {
  constructor(table) {
    this.table = table;
    this.places = new Uint32Array(table.size);
    this.tiers = new Map();
    let first = 0;
    table.head.tiers.forEach(([number], index) => {
      const end = table.tierEnds[index];
      this.tiers.set(number, this.ranked(first, end));
      first = end;
    });
  }

  /** All of it, as `/api/v1/ID/map` tells it. */
  told(tierName) {
    const tiers = [...this.tiers].map(([tier, rows]) => ({ tier, classes: rows.length, runs: this.runs(rows) }));
    const classes = tiers.reduce((sum, each) => sum + each.classes, 0);
    return { tier_name: tierName, tiers, classes, classes_seen: classes, complete: true };
  }

  /** The tier of a row and the place of its class there. */
  placeOf(row) {
    return [this.table.tier(row), this.places[row]];
  }

  /** The row at each place of a tier whose rows begin and end here. Where rules make states canonical, rows share one. */
  ranked(first, end) {
    const { states, classStates } = this.table;
    const rows = Array.from({ length: end - first }, (_, i) => first + i);
    if (classStates !== states) rows.sort((a, b) => (classStates[a] < classStates[b] ? -1 : classStates[a] > classStates[b] ? 1 : 0));
    rows.sort((a, b) => this.key(a) - this.key(b));
    const found = [];
    for (const row of rows) {
      if (!found.length || classStates[found.at(-1)] !== classStates[row]) found.push(row);
      else if (states[row] === classStates[row]) found[found.length - 1] = row;
      this.places[row] = found.length - 1;
    }
    return found;
  }

  /** A number for the worth of a class, the least of which stands first. */
  key(row) {
    const value = this.table.value[row];
    const remoteness = this.table.remoteness[row] < 0 ? NEVER : this.table.remoteness[row];
    return -value * (NEVER + 1) + (value < 0 ? NEVER - remoteness : remoteness);
  }

  runs(rows) {
    const runs = [];
    let last;
    for (const row of rows) {
      const key = this.key(row);
      if (key === last) runs.at(-1)[2]++;
      else runs.push([this.table.value[row], this.table.remoteness[row] < 0 ? null : this.table.remoteness[row], 1]);
      last = key;
    }
    return runs;
  }
}
