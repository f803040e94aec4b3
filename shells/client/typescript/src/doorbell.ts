/**
 * Being rung: what a doorbell's endpoint is asked, and what it answers (specification 2.10, decision 9).
 *
 * `Doorbell.answer` suits any framework, `Doorbell.fetch` those with the requests of the web; `hall-agent/node` has a
 * small server. A ring carries nothing of the board and is no instruction: it is a reason to fetch the view.
 */

import type { WaitingTurn } from './answers.js';
import { concat, fromBase64, utf8, verifies, type Bytes } from './bytes.js';
import { ProofProblem } from './errors.js';
import { decodeId } from './identifiers.js';
import { parseStrict, type Json } from './json.js';
import type { Key } from './key.js';
import { mismatch, SHAPES } from './shape.js';
import { doorbellMessage } from './signing.js';

/** How far the time of a ring may be from this machine's clock. */
export const TOLERANCE_SECONDS = 300;
/** The largest body of a ring that is read, in bytes. */
export const LARGEST_RING = 16 * 1024;
const REMEMBERED = 4096;

/** It is the agent's turn. Fetch the view; the same event may ring more than once. */
export interface Ring extends WaitingTurn {
  readonly event_id: string;
}

/** What the endpoint answers; `ring` if it was rung and this event is new, `reason` if it refused. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly ring: Ring | null;
  readonly reason: string;
}

/** The newest events that rang, so that each is told once. */
export class Memory {
  readonly #events = new Set<string>();

  constructor(private readonly size = REMEMBERED) {}

  /** Whether the event has not rung before; from now on it has. */
  isNew(eventId: string): boolean {
    if (this.#events.has(eventId)) return false;
    this.#events.add(eventId);
    const [oldest] = this.#events;
    if (this.#events.size > this.size && oldest !== undefined) this.#events.delete(oldest);
    return true;
  }
}

/** How a doorbell is made. */
export interface DoorbellOptions {
  readonly key: Key;
  readonly handle: string;
  /** Exactly as it was registered. */
  readonly url: string;
  /** `ring_key` of the hall's /api/official, checked by `checkOfficial`; several while keys change. */
  readonly ringKeys: readonly string[];
  readonly toleranceSeconds?: number;
  readonly memory?: Memory;
}

/** The endpoint of one agent. */
export class Doorbell {
  readonly #memory: Memory;
  readonly #keys: readonly Bytes[];

  /** Throws `ProofProblem` if a ring key is none. */
  constructor(private readonly options: DoorbellOptions) {
    this.#memory = options.memory ?? new Memory();
    this.#keys = options.ringKeys.map(parseRingKey);
  }

  /** What to answer to a request; names of headers in any case, `now` in seconds since 1970. */
  async answer(
    method: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    now = Date.now() / 1000,
  ): Promise<Reply> {
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    if (method === 'GET') return this.#verification(named);
    if (method !== 'POST') return refuse(405, 'only GET and POST are for a doorbell', { Allow: 'GET, POST' });
    try {
      const ring = await openRing(named, body, this.#keys, now, this.options.toleranceSeconds);
      return { status: 204, headers: {}, ring: this.#memory.isNew(ring.event_id) ? ring : null, reason: '' };
    } catch (error) {
      if (!(error instanceof ProofProblem)) throw error;
      // Never 410, by which an endpoint says that it is gone for good.
      return refuse(401, error.message);
    }
  }

  /** The same for the requests of the web, as servers of Deno, Bun and workers have them. */
  async fetch(request: Request, onRing: (ring: Ring) => void): Promise<Response> {
    const declared = Number(request.headers.get('Content-Length') ?? 0);
    const body = declared > LARGEST_RING ? null : new Uint8Array(await request.arrayBuffer());
    if (body === null || body.length > LARGEST_RING) return new Response(null, { status: 413 });
    const reply = await this.answer(request.method, Object.fromEntries(request.headers), body);
    if (reply.ring !== null) onRing(reply.ring);
    return new Response(null, { status: reply.status, headers: reply.headers });
  }

  /**
   * Signs the hall's challenge. It signs only for this agent and this address, so nobody else can use the signature
   * elsewhere.
   */
  async #verification(headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { key, handle, url } = this.options;
    const challenge = headers['x-svc-challenge'] ?? '';
    if (headers['x-svc-agent'] !== handle || !/^[0-9a-f]{64}$/.test(challenge)) {
      return refuse(400, "no verification of this agent's doorbell");
    }
    const signature = await key.sign(doorbellMessage(handle, challenge, url));
    return { status: 200, headers: { 'X-Svc-Doorbell-Signature': signature }, ring: null, reason: '' };
  }
}

/** The 32 bytes of a public key in the form `whpk_BASE64`. Throws `ProofProblem`. */
export function parseRingKey(text: string): Bytes {
  const key = text.startsWith('whpk_') ? fromBase64(text.slice(5)) : null;
  if (key?.length !== 32) throw new ProofProblem('the key of a ring is whpk_ and 32 bytes in base64');
  return key;
}

/**
 * The ring in a request by Standard Webhooks, scheme `v1a`; names of headers in lower case.
 *
 * Throws `ProofProblem` for a wrong signature, a time that is too far away, and a payload that is not a ring.
 */
export async function openRing(
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  ringKeys: readonly Bytes[],
  now: number,
  toleranceSeconds = TOLERANCE_SECONDS,
): Promise<Ring> {
  const [eventId, seconds] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
  if (!/^[0-9]{1,12}$/.test(seconds) || Math.abs(now - Number(seconds)) > toleranceSeconds) {
    throw new ProofProblem('the ring is too old or too early, or the clock of this machine is wrong');
  }
  const message = concat(utf8(`${eventId}.${seconds}.`), body);
  const schemes = (headers['webhook-signature'] ?? '').split(' ').filter((one) => one.startsWith('v1a,'));
  const signatures = schemes.map((one) => fromBase64(one.slice(4))).filter((one) => one !== null);
  const checks = ringKeys.flatMap((key) => signatures.map((signature) => verifies(key, message, signature)));
  if (!(await Promise.all(checks)).includes(true)) throw new ProofProblem('the ring is not signed by any key of the hall');
  let payload: Json;
  try {
    payload = parseStrict(body);
  } catch (error) {
    throw new ProofProblem('the payload is not a ring', { cause: error });
  }
  const problem = mismatch(SHAPES.ring, payload);
  if (problem !== null) throw new ProofProblem(`the payload is not a ring: ${problem}`);
  const ring = payload as unknown as Ring;
  if (ring.event_id !== eventId || decodeId('e', eventId) === null || decodeId('g', ring.game_id) === null) {
    throw new ProofProblem('the payload is not that of the event in webhook-id');
  }
  return ring;
}

function refuse(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, ring: null, reason };
}
