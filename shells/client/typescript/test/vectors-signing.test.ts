/** What is signed, and by whom, against the shared vectors. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fromHex, sha256Hex, utf8 } from '../src/bytes.js';
import { Doorbell } from '../src/doorbell.js';
import { OtherHall } from '../src/errors.js';
import { decodeId, encodeId, isHandle } from '../src/identifiers.js';
import { canonical, JsonProblem, parseStrict, type Json } from '../src/json.js';
import { Key } from '../src/key.js';
import { Origin, OriginProblem } from '../src/origin.js';
import { authHeaders, authMessage, doorbellMessage, moveMessage, signMove } from '../src/signing.js';
import { vectors } from './vectors.js';

const HALL = Origin.parse('https://hall.example');

function keyOf(vector: { seed: string }): Promise<Key> {
  return Key.fromSeed(HALL, fromHex(vector.seed, 32) ?? new Uint8Array(), 'not a secret');
}

test('values have the canonical form that every client computes', async () => {
  assert.ok(vectors['canonical_json'].length > 10);
  for (const vector of vectors['canonical_json']) {
    const form = canonical(parseStrict(utf8(vector.json)));
    assert.equal(form, vector.canonical, vector.name);
    assert.equal(await sha256Hex(form), vector.sha256, vector.name);
  }
});

test('texts on which parsers disagree are refused', () => {
  for (const vector of vectors['refused_json']) {
    const bytes = fromHex(vector.hex, vector.hex.length / 2);
    assert.ok(bytes !== null);
    assert.throws(() => parseStrict(bytes), JsonProblem, vector.name);
  }
});

test('values without a canonical form are refused', () => {
  const values = [1.5, NaN, -0, 2 ** 53, '\ud800', '\udc00a', undefined, { a: undefined }, new Date(), 1n, () => 1];
  for (const value of values) assert.throws(() => canonical(value as Json), JsonProblem, String(value));
});

test('the identifier of an agent follows from its key', async () => {
  for (const vector of vectors['identities']) {
    const key = await keyOf(vector);
    assert.deepEqual([key.publicKey, key.agentId], [vector.public_key, vector.agent_id]);
  }
});

test('invalid handles and identifiers are refused', () => {
  for (const text of vectors['handles'].good) assert.ok(isHandle(text), text);
  for (const text of vectors['handles'].bad) assert.ok(!isHandle(text), text);
  for (const { hex, text } of vectors['game_ids'].good) {
    const bytes = fromHex(hex, 16);
    assert.ok(bytes !== null);
    assert.equal(encodeId('g', bytes), text);
    assert.deepEqual(decodeId('g', text), bytes);
  }
  for (const text of vectors['game_ids'].bad) assert.equal(decodeId('g', text), null, text);
});

test('one hall has one written form', () => {
  for (const { text, origin, folder } of vectors['origins'].good) {
    const parsed = Origin.parse(text);
    assert.deepEqual([String(parsed), parsed.folderName], [origin, folder]);
    assert.deepEqual(Origin.parse(origin), parsed);
  }
  for (const text of vectors['origins'].bad) assert.throws(() => Origin.parse(text), OriginProblem, text);
});

test('key files of all clients have the same format', async () => {
  const vector = vectors['key_file'];
  const key = await Key.fromText(vector.text);
  assert.deepEqual([String(key.hall), key.operatorToken], [vector.hall, vector.operator_token]);
  assert.equal(key.toText(), vector.text);
  for (const other of vector.other_halls) assert.throws(() => key.checkHall(Origin.parse(other)), OtherHall, other);
});

test('the headers of requests are signed as the specification says', async () => {
  for (const vector of vectors['requests']) {
    const { handle, challenge, method, target, body } = vector;
    const headers = await authHeaders(await keyOf(vector), handle, challenge, method, target, body);
    assert.equal(await authMessage(handle, challenge, method, target.split('?')[0], body), vector.message);
    assert.deepEqual(headers, {
      'X-Svc-Agent': handle,
      'X-Svc-Challenge': challenge,
      'X-Svc-Signature': vector.signature,
    });
  }
});

test('the bodies of moves are canonical and signed', async () => {
  for (const vector of vectors['moves']) {
    const { game_id, turn_index, ...fields } = vector.body;
    const signed = await signMove(await keyOf(vector), game_id, turn_index, fields);
    assert.equal(canonical(vector.body), vector.canonical);
    assert.equal(signed.bodySha256, vector.body_sha256);
    assert.equal(moveMessage(game_id, turn_index, signed.bodySha256), vector.message);
    assert.equal(signed.signature, vector.signature);
    assert.equal(signed.body, vector.sent);
  }
});

test('a doorbell signs its own agent and address only', async () => {
  const { handle, challenge, url, message, signature, refused, seed } = vectors['doorbell'];
  assert.equal(doorbellMessage(handle, challenge, url), message);
  const bell = new Doorbell({ key: await keyOf({ seed }), handle, url, ringKeys: [] });
  const reply = await bell.answer('GET', { 'x-svc-agent': handle, 'X-SVC-CHALLENGE': challenge }, new Uint8Array());
  assert.deepEqual([reply.status, reply.headers], [200, { 'X-Svc-Doorbell-Signature': signature }]);
  for (const other of refused) {
    const headers = { 'X-Svc-Agent': other.agent, 'X-Svc-Challenge': other.challenge };
    const reply = await bell.answer('GET', headers, new Uint8Array());
    assert.deepEqual([reply.status, reply.headers], [400, {}], other.name);
  }
  assert.equal((await bell.answer('GET', {}, new Uint8Array())).status, 400);
  assert.equal((await bell.answer('DELETE', {}, new Uint8Array())).status, 405);
});
