// Positions of a solution that a server hands out.

const MOST_KEPT = 2000;

/** Answers of `/api/v1`; refused ones are errors whose message is the line that says why. */
export class HttpSource {
  constructor(id) {
    this.root = `/api/v1/${id}`;
    this.kept = new Map();
  }

  /** What is known of the whole solution. */
  solution() {
    return this.asked("");
  }

  /** A position with its moves, by a text that the game reads or, without one, the start. */
  position(text) {
    return this.asked("/position", { p: text });
  }

  /** The moves of the line of best play or, with a number, of an optimal path. */
  async line(text, index, shortest) {
    return (await this.asked("/line", { p: text, index, shortest })).moves;
  }

  /** Optimal paths, or only the `shortest` of them: `limit` from `offset` on, or a `sample`. */
  paths(text, { limit, offset, sample, shortest }) {
    return sample === undefined
      ? this.asked("/paths", { p: text, limit, offset, shortest })
      : this.fetched("/paths", { p: text, sample, shortest });
  }

  /** What is wrong with a text as a position, or nothing. */
  async fault(text) {
    const body = JSON.stringify({ positions: [text] });
    const { positions } = await this.fetched("/positions", {}, { method: "POST", body });
    return positions[0].error ?? "";
  }

  /** The images of a position under each symmetry, or null where the rules alone know them. */
  async images(text) {
    return (await this.asked("/images", { p: text })).images;
  }

  /** A position drawn by chance. */
  random() {
    return this.fetched("/random", {});
  }

  /** Where a program finds a position. */
  address(text) {
    return this.root + "/position" + query({ p: text });
  }

  /** An answer that stays the same, so it is asked for once. */
  asked(path, fields = {}) {
    const key = path + query(fields);
    if (!this.kept.has(key)) {
      if (this.kept.size >= MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
      const answer = this.fetched(path, fields);
      this.kept.set(key, answer);
      answer.catch(() => this.kept.delete(key));
    }
    return this.kept.get(key);
  }

  async fetched(path, fields, request = {}) {
    let response, answer;
    try {
      response = await fetch(this.root + path + query(fields), { credentials: "same-origin", ...request });
      answer = await response.json();
    } catch {
      throw new Error("the server does not answer; start gametree explore again");
    }
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }
}

function query(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? "?" + given.map(([name, value]) => `${name}=${encoded(String(value))}`).join("&") : "";
}

/** A text as a part of an address, halves of characters too. */
function encoded(text) {
  return text.split(/(\p{Cs})/u).map((part) => (/^\p{Cs}$/u.test(part) ? half(part) : encodeURIComponent(part))).join("");
}

function half(character) {
  const code = character.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
  return bytes.map((byte) => "%" + byte.toString(16).toUpperCase()).join("");
}
