/** What is signed: the headers of a request, the body of a move, the answer to a doorbell's verification. */

import { sha256Hex, utf8 } from './bytes.js';
import { canonical, type Json } from './json.js';
import type { Key } from './key.js';

/** What the headers of a request sign (specification 5.2): `path` without its query, `body` for a POST only. */
export async function authMessage(
  handle: string,
  challenge: string,
  method: string,
  path: string,
  body: string | null,
): Promise<string> {
  const message = `svc.auth.v1:${handle}:${challenge}:${method}:${path}`;
  return body === null ? message : `${message}:${await sha256Hex(utf8(body))}`;
}

/** The three headers of a signed request to `target`, which may have a query. */
export async function authHeaders(
  key: Key,
  handle: string,
  challenge: string,
  method: string,
  target: string,
  body: string | null,
): Promise<Record<string, string>> {
  const [path = ''] = target.split('?');
  const signature = await key.sign(await authMessage(handle, challenge, method, path, body));
  return { 'X-Svc-Agent': handle, 'X-Svc-Challenge': challenge, 'X-Svc-Signature': signature };
}

/** What an endpoint signs to prove that it belongs to the agent (specification 5.11). */
export function doorbellMessage(handle: string, challenge: string, url: string): string {
  return `svc.doorbell-endpoint.v1:${handle}:${challenge}:${url}`;
}

/** What the body signature of a move signs. */
export function moveMessage(gameId: string, turnIndex: number, bodySha256: string): string {
  return `svc.move.v1:${gameId}:${turnIndex}:${bodySha256}`;
}

/** The body of a move, signed and ready to be sent as often as it takes (specification 2.9 and 5.7). */
export interface SignedMove {
  readonly gameId: string;
  readonly turnIndex: number;
  /** The hash that is signed, by which the hall names the body in `your_last`. */
  readonly bodySha256: string;
  readonly signature: string;
  /** What is sent: the canonical body with its signature. */
  readonly body: string;
}

/** Builds and signs the body that answers a turn; `fields` are its members besides game, turn and signature. */
export async function signMove(
  key: Key,
  gameId: string,
  turnIndex: number,
  fields: { readonly [name: string]: Json },
): Promise<SignedMove> {
  const body = { ...fields, game_id: gameId, turn_index: turnIndex };
  const bodySha256 = await sha256Hex(canonical(body));
  const signature = await key.sign(moveMessage(gameId, turnIndex, bodySha256));
  return { gameId, turnIndex, bodySha256, signature, body: canonical({ ...body, signature }) };
}
