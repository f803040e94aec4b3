// The positions of the open game that were fetched: by the side from which the board is seen, and by turn.
import { fetchPage } from "./hall.js";

const AT_ONCE = 40;

export class Frames {
  #path;
  #known = { usual: new Map(), turned: new Map() };

  constructor(path) {
    this.#path = path;
  }

  /** Keeps the positions in a page. */
  keep(side, page) {
    for (const figure of page.querySelectorAll("figure.frame")) this.#known[side].set(Number(figure.dataset.turn), figure);
  }

  /** Forgets all, because what was hidden is open now. */
  forget() {
    this.#known = { usual: new Map(), turned: new Map() };
  }

  /** The position at a turn; those around it come with it. */
  async at(side, turn) {
    const known = this.#known[side];
    if (!known.has(turn)) {
      const from = Math.max(0, turn - AT_ONCE / 2);
      this.keep(side, await fetchPage(`${this.#path}/frames?since=${from}&limit=${AT_ONCE}&side=${side}`));
    }
    return known.get(turn);
  }
}
