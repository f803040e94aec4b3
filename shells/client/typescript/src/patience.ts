/** How long to wait: between attempts, for the request limit, and by whose clock. Times are in milliseconds. */

/** The longest pause as long as any request is left. */
const LONGEST_PACE = 5_000;
/** While more than this share of the quota is left, no request waits. */
const FREE_SHARE = 0.75;
/** The last eighth of the quota is handed out ever more slowly: many agents may want it at once. */
const RESERVE_SHARE = 8;
const READING_KEPT = 600_000;
const CHALLENGES_KEPT = 8;
// A hall promises 300 s, but its operator may set less; a minute is more than the longest held answer.
const CHALLENGE_FRESH = 60_000;

/** What touches the world, so that a test can replace it. */
export interface World {
  readonly fetch: typeof fetch;
  /** A clock that only ever goes on. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** A number from 0 to below 1. */
  readonly random: () => number;
}

/** The world as it is. */
export const REAL_WORLD: World = {
  fetch: (...request) => fetch(...request),
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: Math.random,
};

/** How a call repeats what failed, and what it takes from an answer. */
export interface RetryPolicy {
  /** How often a call is tried in all. */
  readonly attempts: number;
  /** The wait before the second attempt; each further one doubles it. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** A longer `Retry-After` is handed to the caller as the refusal it is. The hall's limit looks back over 60 s. */
  readonly longestRetryAfter: number;
  /** For one attempt, from connecting to the last byte, besides the time for which the hall may hold the answer. */
  readonly timeout: number;
  /** In bytes. */
  readonly largestAnswer: number;
}

export const DEFAULT_POLICY: RetryPolicy = {
  attempts: 6,
  firstWait: 250,
  longestWait: 8_000,
  longestRetryAfter: 70_000,
  timeout: 10_000,
  largestAnswer: 4 << 20,
};

/**
 * The wait after so many failures: between half and all of an exponentially growing span, so that agents that failed
 * together do not come back together.
 */
export function backoff(policy: RetryPolicy, failed: number, random: () => number): number {
  const span = Math.min(policy.firstWait * 2 ** Math.min(failed - 1, 20), policy.longestWait);
  return span / 2 + (random() * span) / 2;
}

/** A limit that is in force: so many requests from one address in so many seconds. */
export interface RequestLimit {
  readonly quota: number;
  readonly window: number;
}

/**
 * The pause before the next request with `left` requests left, `spent` of them gone since the answer before, and more of
 * them after `reset` milliseconds.
 */
export function pace(left: number, spent: number, reset: number, { quota, window }: RequestLimit): number {
  if (left >= quota * FREE_SHARE) return 0;
  const reserve = Math.floor(quota / RESERVE_SHARE);
  const crowd = left < reserve ? (window * 1000 * reserve) / (quota * (left + 1)) : 0;
  const pause = Math.min(Math.max((reset * spent) / (left + 1), crowd), LONGEST_PACE);
  return left === 0 ? Math.max(pause, reset) : pause;
}

/**
 * Keeps a pace that the hall's request limit allows, and uses all of it.
 *
 * All agents at one address share the limit, and an agent that has used it up cannot move while its clock runs. Each answer
 * tells how many requests are left and when more come back, so an agent spreads what is left over that time. How fast the
 * count falls tells how many others share it. Without the headers there is no limit and no pause.
 */
export class Pace {
  #resume = 0;
  #left: number | null = null;
  #slowed: RequestLimit | null = null;
  #told = false;

  constructor(private readonly now: () => number) {}

  /** How long the next request must wait. */
  wait(): number {
    const wait = Math.max(0, this.#resume - this.now());
    this.#resume = 0;
    return wait;
  }

  /**
   * Takes in `RateLimit` (`r` requests left, some again after `t` seconds) and `RateLimit-Policy`. They describe the moment
   * in which the request arrived, which was about `held` ago.
   */
  learn(headers: Headers, held = 0): void {
    const number = (header: string, name: string) => {
      // A header may tell of other limits too.
      const items = (headers.get(header) ?? '').split(',');
      const requests = items.find((item) => item.trimStart().startsWith('"requests"')) ?? '';
      const digits = new RegExp(`;\\s*${name}=([0-9]{1,9})`).exec(requests)?.[1];
      return digits === undefined ? null : Number(digits);
    };
    const [left, reset] = [number('RateLimit', 'r'), number('RateLimit', 't')];
    const [quota, window] = [number('RateLimit-Policy', 'q'), number('RateLimit-Policy', 'w')];
    if (left === null || reset === null || quota === null || window === null) return;
    const spent = Math.max(1, (this.#left ?? 0) - left);
    this.#left = left;
    const pause = pace(left, spent, Math.max(0, reset * 1000 - held), { quota, window });
    this.#resume = this.now() + pause;
    if (pause > 0) this.#slowed ??= { quota, window };
  }

  /** The limit that makes requests wait, once. */
  news(): RequestLimit | null {
    if (this.#told) return null;
    this.#told = this.#slowed !== null;
    return this.#slowed;
  }
}

/**
 * The hall's clock as seen from here, without trusting the clock of this machine.
 *
 * Every answer that states the hall's time was on its way for a while, so of two readings the one that puts the hall's
 * clock further ahead is nearer to the truth, and never promises more time than there is.
 */
export class HallClock {
  #reading: { hall: number; here: number } | null = null;

  constructor(private readonly clock: () => number) {}

  /** Takes in that the hall's clock said this in an answer that arrived now. */
  heard(time: string): void {
    const hall = Date.parse(time);
    const [here, now] = [this.clock(), this.now()];
    if (Number.isNaN(hall)) return;
    const old = this.#reading !== null && here - this.#reading.here > READING_KEPT;
    if (now === null || hall >= now || old) this.#reading = { hall, here };
  }

  /** The hall's time now, in milliseconds since 1970; null before the first reading. */
  now(): number | null {
    return this.#reading === null ? null : this.#reading.hall + this.clock() - this.#reading.here;
  }
}

/** Unused challenges that came with answers, each handed out once, the newest first. */
export class Challenges {
  #kept: { challenge: string; since: number }[] = [];

  constructor(private readonly now: () => number) {}

  /** Keeps a challenge that came just now. */
  keep(challenge: string): void {
    this.#kept = [...this.#kept, { challenge, since: this.now() }].slice(-CHALLENGES_KEPT);
  }

  /** The newest one, if it is fresh. */
  take(): string | null {
    const newest = this.#kept.pop();
    if (newest !== undefined && this.now() - newest.since <= CHALLENGE_FRESH) return newest.challenge;
    // The newest is too old, so all are.
    this.forget();
    return null;
  }

  /** Drops all of them: the hall no longer takes one. */
  forget(): void {
    this.#kept = [];
  }
}
