/** When an agent that is rung looks without a ring. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Ring } from '../src/doorbell.js';
import { Rings, safetyPoll, type Timer } from '../src/rings.js';

const RING: Ring = { event_id: 'e', game_id: 'g', turn_index: 0, deadline_utc: null };

/** Time that passes when it is told to. */
class Clock implements Timer {
  milliseconds = 0;
  #due: { at: number; then: () => void } | null = null;

  readonly now = (): number => this.milliseconds;
  readonly later = (milliseconds: number, then: () => void): (() => void) => {
    this.#due = { at: this.milliseconds + milliseconds, then };
    return () => {
      this.#due = null;
    };
  };

  /** Goes to the next timer, which there must be. */
  ring(): void {
    const due = this.#due ?? assert.fail('nobody waits');
    [this.milliseconds, this.#due] = [due.at, null];
    due.then();
  }
}

test('the agent polls at every interval without rings', async () => {
  const clock = new Clock();
  const told = new Rings(20, clock)[Symbol.asyncIterator]();
  for (const at of [20_000, 40_000, 60_000]) {
    const next = told.next();
    clock.ring();
    assert.equal((await next).value, null);
    assert.equal(clock.milliseconds, at);
  }
});

test('a ring is delivered to a waiting agent', async () => {
  const rings = new Rings(20, new Clock());
  const next = rings[Symbol.asyncIterator]().next();
  rings.take(RING);
  assert.equal((await next).value, RING);
});

test('rings of one game do not delay the poll for lost rings of another', async () => {
  const clock = new Clock();
  const rings = new Rings(20, clock);
  const told = rings[Symbol.asyncIterator]();
  const looks = [];
  // A ring every seven seconds for more than three minutes; the schedule begins with the first.
  for (let count = 0; count < 30; count += 1) {
    clock.milliseconds += 7_000;
    rings.take(RING);
    while ((await told.next()).value === null) looks.push(clock.milliseconds / 1000);
  }
  assert.deepEqual(looks, [28, 49, 70, 91, 112, 133, 154, 175, 196]);
});

test('the safety poll is a third of the shortest move time', () => {
  const catalogs: readonly [Record<string, unknown>, number][] = [
    [{ games: [{ move_ms: 60_000 }] }, 20],
    [{ games: [{ move_ms: 600_000 }, { move_ms: 15_000 }] }, 5],
    [{ games: [{ move_ms: 600_000 }] }, 60],
    [{ games: [{ move_ms: 500 }] }, 1],
    [{ games: [] }, 20],
    [{}, 20],
    [{ games: [{ move_ms: null }, 3] }, 20],
  ];
  for (const [catalog, seconds] of catalogs) assert.equal(safetyPoll(catalog), seconds);
});
