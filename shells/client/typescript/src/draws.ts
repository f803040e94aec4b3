/** The random draws of a game, which anybody can recompute once its seed is revealed (decision 6). */

import { sha256, sha256Hex } from './bytes.js';

const RANGE = 1n << 64n;

/** What a hall publishes of a game's seed (64 hexadecimal digits) before the game. */
export async function commitment(gameId: string, seed: string): Promise<string> {
  return sha256Hex(`svc.seed.v1:${gameId}:${seed}`);
}

/** One hash taken for a draw, as a replay lists it; `value` is null where `x` was rejected. */
export interface Draw {
  readonly counter: number;
  readonly n: bigint;
  readonly x: bigint;
  readonly value: bigint | null;
}

/** The draws of one turn. The counter rises by one with each hash taken. */
export class Draws {
  readonly #taken: Draw[] = [];

  /**
   * `randomness` is that of the verified beacon round in hexadecimal; empty without one. `first` is how many hashes were
   * taken in the turn before: acts of nature, seats that are vacant and forced moves count on from one another.
   */
  constructor(
    private readonly gameId: string,
    private readonly turnIndex: number,
    private readonly seed: string,
    private readonly randomness = '',
    private readonly first = 0,
  ) {}

  /** A number below `n`, also for `n` = 1. */
  async below(n: bigint): Promise<bigint> {
    if (n < 1n || n > RANGE) throw new RangeError('a draw is below a number from 1 to 2^64');
    for (;;) {
      const counter = this.first + this.#taken.length;
      const text = `svc.random.v1:${this.gameId}:${this.turnIndex}:${counter}:${this.seed}:${this.randomness}`;
      const x = (await sha256(text)).slice(0, 8).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
      // An x in the incomplete multiple of n at the end of the range would make small values likelier.
      const value = x < (RANGE / n) * n ? x % n : null;
      this.#taken.push({ counter, n, x, value });
      if (value !== null) return value;
    }
  }

  /** The items in the order in which nature shuffles them (decision 13.3). */
  async shuffle<T>(items: readonly T[]): Promise<T[]> {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last >= 1; last -= 1) {
      const other = Number(await this.below(BigInt(last + 1)));
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }

  /** Every hash taken so far, in order. */
  get taken(): readonly Draw[] {
    return this.#taken;
  }
}
