/** One call: challenge, signature, request, envelope, and when to try again. */

import { concat, utf8 } from './bytes.js';
import { AnswerTooLarge, BadRequest, HallError, NoAnswer, NotAHall, TransportError } from './errors.js';
import { isHandle } from './identifiers.js';
import { canonical, type Json } from './json.js';
import type { Key } from './key.js';
import { backoff, Challenges, HallClock, Pace, type RequestLimit, type RetryPolicy, type World } from './patience.js';
import { ChallengeRefused, Refused, refused } from './refusals.js';
import { isObject, mismatch, type Shape } from './shape.js';
import { authHeaders } from './signing.js';

/** What is asked, before it is signed. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly body: string | null;
  readonly signed: boolean;
  /** Whether a second request after a lost answer does no harm. */
  readonly repeatable: boolean;
  /** For how many milliseconds the hall may hold the answer. */
  readonly held: number;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** A GET. */
export function get(target: string, more: Partial<Call> = {}): Call {
  return { method: 'GET', target, body: null, signed: false, repeatable: true, held: 0, ...more };
}

/** A signed POST of the canonical form of `body`, of nothing without one. */
export function post(target: string, body?: Json, more: Partial<Call> = {}): Call {
  const sent = body === undefined ? '' : canonical(body);
  return { ...get(target), method: 'POST', body: sent, signed: true, ...more };
}

/** The target with those parameters that are there. */
export function query(
  target: string,
  parameters: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? target : `${target}?${pairs.join('&')}`;
}

/** The text, if it may stand as one segment of a path; a hall refuses every other spelling. Throws `BadRequest`. */
export function segment(text: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) {
    throw new BadRequest(`${JSON.stringify(text)} cannot be part of a path: letters, digits, '_' and '-' only`);
  }
  return text;
}

/** Makes calls to one hall as one agent; what it remembers is challenges, pace and the hall's clock. */
export class Caller {
  readonly clock: HallClock;
  readonly #challenges: Challenges;
  readonly #pace: Pace;

  constructor(
    readonly key: Key,
    readonly handle: string,
    readonly policy: RetryPolicy,
    readonly world: World,
  ) {
    if (!isHandle(handle)) {
      throw new BadRequest(`${JSON.stringify(handle)} is not a handle: 3 to 32 of a-z, 0-9, '_' and '-'`);
    }
    this.clock = new HallClock(world.now);
    this.#challenges = new Challenges(world.now);
    this.#pace = new Pace(world.now);
  }

  /** The hall's request limit, once, as soon as it makes requests wait. */
  newsOfLimit(): RequestLimit | null {
    return this.#pace.news();
  }

  /** The payload, or one member of it, trying again where that helps and does no harm. */
  async read<T>(call: Call, shape: Shape, member?: string): Promise<T> {
    return shaped<T>(await this.#patiently(call, openEnvelope), shape, member);
  }

  /** An answer whose success is a bare text instead of an envelope. */
  async text(call: Call): Promise<string> {
    return this.#patiently(call, openText);
  }

  async #patiently<T>(call: Call, open: (raw: RawAnswer) => T): Promise<T> {
    for (let failed = 1; ; failed += 1) {
      try {
        return await this.attempt(call, open);
      } catch (error) {
        const pause = this.pause(error, failed);
        if (pause === null || (error instanceof HallError && error.leavesDoubt && !call.repeatable)) throw error;
        await this.world.sleep(pause);
      }
    }
  }

  /** How long to wait before the next attempt; null if there should be none. */
  pause(error: unknown, failed: number): number | null {
    if (!(error instanceof HallError) || !error.isPassing || failed >= this.policy.attempts) return null;
    const own = backoff(this.policy, failed, this.world.random);
    const asked = error instanceof Refused ? error.retryAfter : null;
    if (asked === null) return own;
    // Jitter on top of what was asked for: those who were limited together do not return together.
    return asked > this.policy.longestRetryAfter ? null : asked + Math.min(own, 500);
  }

  /**
   * One attempt, with a second one if the hall did not take the challenge: a kept one may have become old, or the hall
   * may have been restarted since.
   */
  async attempt<T>(call: Call, open: (raw: RawAnswer) => T): Promise<T> {
    if (!call.signed) return open(await this.#exchange(call, null));
    const challenge = this.#challenges.take() ?? (await this.#fetchChallenge());
    try {
      return open(await this.#exchange(call, challenge));
    } catch (error) {
      if (!(error instanceof ChallengeRefused)) throw error;
    }
    this.#challenges.forget();
    return open(await this.#exchange(call, await this.#fetchChallenge()));
  }

  async #fetchChallenge(): Promise<string> {
    const raw = await this.#exchange(get(query('/api/auth/challenge', { agent: this.handle })), null);
    const { challenge } = openEnvelope(raw);
    if (typeof challenge === 'string' && isChallenge(challenge)) return challenge;
    throw new NotAHall(raw.status, 'the challenge is not 64 hexadecimal digits', raw.body);
  }

  async #exchange(call: Call, challenge: string | null): Promise<RawAnswer> {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (call.body !== null) headers['Content-Type'] = 'application/json';
    if (challenge !== null) {
      const { method, target, body } = call;
      Object.assign(headers, await authHeaders(this.key, this.handle, challenge, method, target, body));
    }
    const wait = this.#pace.wait();
    if (wait > 0) await this.world.sleep(wait);
    const sent = this.world.now();
    const raw = await this.#send(call, headers);
    this.#pace.learn(raw.headers, this.world.now() - sent);
    const following = raw.headers.get('X-Svc-Next-Challenge') ?? '';
    if (challenge !== null && isChallenge(following)) this.#challenges.keep(following);
    return raw;
  }

  async #send(call: Call, headers: Record<string, string>): Promise<RawAnswer> {
    const milliseconds = this.policy.timeout + call.held;
    const signal = AbortSignal.timeout(milliseconds);
    const body = call.body === null ? null : utf8(call.body);
    try {
      const request = { method: call.method, headers, body, signal, redirect: 'manual' as const };
      const answer = await this.world.fetch(String(this.key.hall) + call.target, request);
      return {
        status: answer.status,
        headers: answer.headers,
        body: await readBody(answer, this.policy.largestAnswer),
      };
    } catch (error) {
      if (error instanceof HallError) throw error;
      if (signal.aborted) throw new NoAnswer(milliseconds);
      throw transportError(error);
    }
  }
}

async function readBody(answer: Response, largest: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return new TextDecoder().decode(concat(...parts));
    parts.push(part.value);
    length += part.value.length;
    if (length > largest) {
      await reader?.cancel();
      throw new AnswerTooLarge(largest);
    }
  }
}

function transportError(error: unknown): TransportError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = isObject(cause) && typeof cause['code'] === 'string' ? cause['code'] : '';
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : code || String(cause);
  return new TransportError(reason, UNSENT.includes(code), { cause: error });
}

/** The payload of an envelope; `ok` decides, not the status. Throws `Refused` or `NotAHall`. */
export function openEnvelope(raw: RawAnswer): Record<string, unknown> {
  const wrong = (reason: string) => new NotAHall(raw.status, reason, raw.body);
  let top: unknown;
  try {
    top = JSON.parse(raw.body);
  } catch {
    throw wrong('it is not JSON');
  }
  if (!isObject(top) || typeof top['ok'] !== 'boolean') throw wrong('it is no envelope');
  const { ok, data, error } = top;
  if (ok) {
    if (!isObject(data)) throw wrong('it has no data');
    return data;
  }
  if (!isObject(error) || typeof error['code'] !== 'string') throw wrong('its error has no code');
  const words = typeof error['message'] === 'string' ? error['message'] : '';
  const detail = isObject(data) ? data : {};
  throw refused({ code: error['code'], status: raw.status, words, data: detail, retryAfter: retryAfter(raw.headers) });
}

function openText(raw: RawAnswer): string {
  if (raw.status === 200 && !(raw.headers.get('Content-Type') ?? '').startsWith('application/json')) return raw.body;
  openEnvelope(raw);
  throw new NotAHall(raw.status, 'an envelope instead of text', raw.body);
}

/** A payload, or one member of it, as a type. Throws `NotAHall` if it does not have that shape. */
export function shaped<T>(data: Readonly<Record<string, unknown>>, shape: Shape, member?: string): T {
  const value = member === undefined ? data : data[member];
  const problem = mismatch(shape, value, member === undefined ? 'data' : `data.${member}`);
  if (problem !== null) throw new NotAHall(200, problem, JSON.stringify(data));
  return value as T;
}

/** `Retry-After` in milliseconds; a date is not read, because it would need this machine's clock. */
function retryAfter(headers: Headers): number | null {
  const text = (headers.get('Retry-After') ?? '').trim();
  return /^[0-9]{1,9}$/.test(text) ? Number(text) * 1000 : null;
}

function isChallenge(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
