// Positions of a solution that a notebook's kernel holds.

import { AskingSource } from "./asking_source.js";

/**
 * What is asked goes as a message `{ number, id, path, fields, body }`, with the `id` of the solution that is asked for; the answer, a JSON
 * text, has its number, and `error` where it is refused.
 */
export class MessageSource extends AskingSource {
  constructor(model, id) {
    super();
    this.model = model;
    this.id = id;
    this.waiting = new Map();
    this.number = 0;
    this.heard = ({ json }) => {
      const { number, answer, error } = JSON.parse(json);
      const [done, refused] = this.waiting.get(number) ?? [];
      this.waiting.delete(number);
      if (error !== undefined) refused?.(new Error(error));
      else done?.(answer);
    };
    model.on("msg:custom", this.heard);
  }

  close() {
    this.model.off("msg:custom", this.heard);
    for (const { source } of this.beside ?? []) source.close();
  }

  /** The solution beside it, if there is one. */
  async others() {
    this.beside ??= this.model.get("beside").map(({ id, game }) => ({ id, game, source: new MessageSource(this.model, id) }));
    return this.beside;
  }

  fetched(path, fields, body) {
    const number = `${this.id} ${this.number++}`;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
    return new Promise((done, refused) => {
      this.waiting.set(number, [done, refused]);
      this.model.send({ number, id: this.id, path, fields: given, body });
    });
  }
}
