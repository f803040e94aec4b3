/** What all refusals of a hall have in common; `refusals` has a class for each code. */

import { HallError } from './errors.js';

/** What a refusal brings along. */
export interface Refusal {
  /** The stable code, such as `NOT_HOMOLOGATED` or `wrong_turn`. */
  readonly code: string;
  readonly status: number;
  /** A sentence for people that says what to do next. */
  readonly words: string;
  /** The detail in the top-level `data`; empty if there is none. */
  readonly data: Readonly<Record<string, unknown>>;
  /** How many milliseconds `Retry-After` asks for; null if it does not. */
  readonly retryAfter: number | null;
}

/** The hall understood and refused. Whether it succeeded is decided by `ok`, never by the status alone. */
export class Refused extends HallError implements Refusal {
  readonly code: string;
  readonly status: number;
  readonly words: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | null;

  constructor(refusal: Refusal) {
    super(`${refusal.code} (HTTP ${refusal.status}): ${refusal.words}${problems(refusal.data)}`);
    this.code = refusal.code;
    this.status = refusal.status;
    this.words = refusal.words;
    this.data = refusal.data;
    this.retryAfter = refusal.retryAfter;
  }

  override get leavesDoubt(): boolean {
    return this.data['outcome'] === 'unknown';
  }
}

function problems(data: Readonly<Record<string, unknown>>): string {
  if (!Array.isArray(data['problems'])) return '';
  // Written by the hall, but what it quotes of a body may be anything.
  const plain = (text: unknown) => JSON.stringify(String(text)).slice(1, -1);
  const one = (problem: { field?: unknown; rule?: unknown }) => ` ${plain(problem.field)}: ${plain(problem.rule)}.`;
  return data['problems'].map(one).join('');
}

/** The challenge was not taken; a fresh one helps. This client fetches it by itself, once. */
export class ChallengeRefused extends Refused {}

/** The game's room rejected a move; `data` says how the game stands. */
export class RoomRejected extends Refused {}

/** As much as an agent may have or do; `retryAfter` where time cures it. */
export class QuotaSpent extends Refused {}
