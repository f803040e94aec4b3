/** What a hall proves, against the shared vectors: draws, log, official addresses, rings. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fromHex, hex, utf8, type Bytes } from '../src/bytes.js';
import { Doorbell, openRing, parseRingKey } from '../src/doorbell.js';
import { commitment, Draws } from '../src/draws.js';
import { ProofProblem } from '../src/errors.js';
import { Key } from '../src/key.js';
import { checkConsistency, checkInclusion, checkOfficial, openCheckpoint, parseLogKey } from '../src/log.js';
import { Origin } from '../src/origin.js';
import { vectors } from './vectors.js';

test('draws can be recomputed by anybody', async () => {
  for (const vector of vectors['draws']) {
    assert.equal(await commitment(vector.game_id, vector.seed), vector.commitment);
    const draws = new Draws(vector.game_id, vector.turn_index, vector.seed, vector.randomness);
    const values: string[] = [];
    for (const bound of vector.bounds) values.push(String(await draws.below(BigInt(bound))));
    const told = draws.taken.map(({ counter, n, x, value }) => ({
      counter,
      n: String(n),
      x: x.toString(16).padStart(16, '0'),
      value: value === null ? null : String(value),
    }));
    assert.deepEqual(told, vector.draws);
    assert.deepEqual(
      values,
      told.map(({ value }) => value).filter((value) => value !== null),
    );
  }
  await assert.rejects(new Draws('g_00000000000000000000000000', 0, '00'.repeat(32)).below(0n), RangeError);
});

test('nature shuffles as in a recorded game', async () => {
  const seed = 'c5552efd9c607e0ba82032520ee375285e9f1da0c77a92caaaefd4b8ee6b32d1';
  const draws = new Draws('g_01m8bnc7mk4c5k83tgz41877d9', 0, seed);
  const prizes = Array.from({ length: 13 }, (_, place) => place + 1);
  assert.deepEqual(await draws.shuffle(prizes), [10, 3, 5, 1, 6, 2, 12, 9, 13, 4, 11, 8, 7]);
  const countedOn = new Draws('g_01m8bnc7mk4c5k83tgz41877d9', 0, seed, '', 1);
  assert.equal(await countedOn.below(12n), draws.taken[1]?.value);
});

test('checkpoints are accepted only from the key of their log', async () => {
  const told = vectors['log'];
  for (const { note, name } of told.notes) {
    const { origin, size, root } = await openCheckpoint(note, told.verifier_key);
    assert.deepEqual([origin, size, hex(root)], [told.origin, told.size, told.root], name);
  }
  for (const { note, name } of told.bad_notes) {
    await assert.rejects(openCheckpoint(note, told.verifier_key), ProofProblem, name);
  }
  for (const key of told.bad_verifier_keys) await assert.rejects(parseLogKey(key), ProofProblem, key);
});

test('inclusion paths lead from their leaf to the root and nowhere else', async () => {
  const told = vectors['log'];
  const root = bytes(told.root);
  for (const { leaf, index, size, path } of told.inclusion) {
    await checkInclusion(leaf, index, size, path, root);
    await assert.rejects(checkInclusion(leaf, index, size, path, new Uint8Array(32)), ProofProblem);
  }
  for (const { leaf, index, size, path } of told.bad_inclusion) {
    await assert.rejects(checkInclusion(leaf, index, size, path, root), ProofProblem, `${index} ${path.length}`);
  }
});

test('consistency paths join two trees', async () => {
  const check = (vector: { from: number; from_root: string; to: number; to_root: string; path: string[] }) =>
    checkConsistency(
      { size: vector.from, root: bytes(vector.from_root) },
      { size: vector.to, root: bytes(vector.to_root) },
      vector.path,
    );
  for (const vector of vectors['log'].consistency) await check(vector);
  for (const vector of vectors['log'].bad_consistency) await assert.rejects(check(vector), ProofProblem);
});

test('official addresses are signed with the log key', async () => {
  const told = vectors['official'];
  await checkOfficial(told.document, told.verifier_key);
  for (const changed of told.changed) await assert.rejects(checkOfficial(changed, told.verifier_key), ProofProblem);
});

test('rings are accepted only from the hall and in time', async () => {
  const told = vectors['rings'];
  const keys = [parseRingKey(told.key)];
  for (const vector of told.good) {
    assert.deepEqual(await openRing(vector.headers, utf8(vector.body), keys, vector.now), told.payload, vector.name);
  }
  for (const vector of told.bad) {
    await assert.rejects(openRing(vector.headers, utf8(vector.body), keys, vector.now), ProofProblem, vector.name);
  }
  for (const key of told.bad_keys) assert.throws(() => parseRingKey(key), ProofProblem, key);
});

test('an event rings once, and both keys count during a change', async () => {
  const told = vectors['rings'];
  const key = await Key.generate(Origin.parse('https://hall.example'));
  const url = 'https://agent.example/ring';
  const bell = new Doorbell({ key, handle: 'ada', url, ringKeys: [told.old_key, told.key] });
  const { headers, body, now } = told.good[0];
  const first = await bell.answer('POST', headers, utf8(body), now);
  const again = await bell.answer('POST', headers, utf8(body), now);
  assert.deepEqual([first.status, first.ring, again.status, again.ring], [204, told.payload, 204, null]);
  const forged = await bell.answer('POST', headers, utf8('{}'), now);
  assert.deepEqual([forged.status, forged.ring], [401, null]);
});

function bytes(text: string): Bytes {
  return fromHex(text, 32) ?? assert.fail(text);
}
