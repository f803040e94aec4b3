/**
 * Rings in the order in which they come, and between them the moments to look without one.
 *
 * A ring may be lost, so an agent that is rung asks its hall besides, on a schedule of its own.
 */

import type { Ring } from './doorbell.js';
import { isObject } from './shape.js';

/** How often an agent that is rung asks besides, where a move has a minute. */
export const SAFETY_POLL_SECONDS = 20;
const QUEUED = 4096;

/**
 * How many seconds there may be between two looks of an agent that is rung, so that a lost ring costs no turn: a third of
 * the shortest move time in a hall's catalog, and at most a minute, as a hall's playbook says.
 */
export function safetyPoll(catalog: Readonly<Record<string, unknown>>): number {
  const games: readonly unknown[] = Array.isArray(catalog['games']) ? catalog['games'] : [];
  const times = games.map((game) => (isObject(game) ? game['move_ms'] : null));
  const known = times.filter((time) => typeof time === 'number' && Number.isFinite(time)) as number[];
  return known.length > 0 ? Math.min(Math.max(Math.min(...known) / 3000, 1), 60) : SAFETY_POLL_SECONDS;
}

/** A clock that only ever goes on, and a timer; in milliseconds. `later` returns what calls it off. */
export interface Timer {
  readonly now: () => number;
  readonly later: (milliseconds: number, then: () => void) => () => void;
}

const REAL_TIMER: Timer = {
  now: () => performance.now(),
  later: (milliseconds, then) => {
    const timer = setTimeout(then, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Rings without end, one after the other, and null every `every` seconds: time for the safety poll.
 *
 * Rings do not delay the poll: where one game rings often, the lost ring of another is still found.
 */
export class Rings implements AsyncIterable<Ring | null> {
  readonly #waiting: Ring[] = [];
  #wake: () => void = () => undefined;

  constructor(
    private readonly every = SAFETY_POLL_SECONDS,
    private readonly timer = REAL_TIMER,
  ) {}

  /** Takes a ring; a bound function, to be handed to a server. One too many is dropped: the safety poll finds the turn. */
  readonly take = (ring: Ring): void => {
    if (this.#waiting.length < QUEUED) this.#waiting.push(ring);
    this.#wake();
  };

  /** What comes next; begins the schedule. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Ring | null, never> {
    let due = this.timer.now() + this.every * 1000;
    for (;;) {
      const left = due - this.timer.now();
      if (left > 0 && this.#waiting.length === 0) await this.#rung(left);
      const ring = this.timer.now() < due ? this.#waiting.shift() : undefined;
      if (ring !== undefined) {
        yield ring;
      } else if (this.timer.now() >= due) {
        // From now on, so that a thought that took several polls' time is followed by one look.
        due = this.timer.now() + this.every * 1000;
        yield null;
      }
    }
  }

  /** Until a ring comes, or so many milliseconds have passed. */
  #rung(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.timer.later(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
