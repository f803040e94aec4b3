/** Key files, and the small server for a doorbell. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { test } from 'node:test';

import { Doorbell, type Ring } from '../src/doorbell.js';
import { KeyProblem, OtherHall } from '../src/errors.js';
import { Key } from '../src/key.js';
import { loadKey, loadOrGenerateKey, openHall, saveKey, serveDoorbell } from '../src/node.js';
import { Origin } from '../src/origin.js';
import { vectors } from './vectors.js';

const HALL = Origin.parse('https://hall.example');

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hall-agent-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a program ends with a sentence instead of a stack trace', () => {
  const module = new URL('../src/node.js', import.meta.url);
  const program = `
    import { exitOnError, openHall } from '${module}';
    exitOnError();
    await openHall('https://hall.example', 'Ada', { keyFile: '/dev/null/none' });
  `;
  const refused = program.replace('https://hall.example', 'hall.example');
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', refused]);
  assert.equal(status, 1);
  assert.match(String(stderr), /^"hall\.example" is not an address[^\n]*\n$/);
  // Errors of other packages keep their trace.
  assert.match(String(spawnSync(process.execPath, ['--input-type=module', '--eval', program]).stderr), /ENOTDIR[^]*\n +at /);
});

test('a saved key reads back and only its owner may read it', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'keys', 'ada.json');
    const key = await Key.generate(HALL);
    await saveKey(key, path);
    assert.equal((await loadKey(path, HALL)).toText(), key.toText());
    assert.equal(key.operatorToken.length, 64);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(folder, 'keys'))).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(join(folder, 'keys')), ['ada.json'], 'no temporary file stays');
  }));

test('an existing key is never overwritten', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'ada.json');
    const first = await loadOrGenerateKey(path, HALL);
    await assert.rejects(saveKey(await Key.generate(HALL), path), { code: 'EEXIST' });
    assert.equal((await loadOrGenerateKey(path, HALL)).publicKey, first.publicKey);
    assert.deepEqual(await readdir(folder), ['ada.json']);
  }));

test('a key is refused at every other hall', () =>
  inFolder(async (folder) => {
    const keyFile = join(folder, 'ada.json');
    await openHall('https://hall.example', 'ada', { keyFile });
    for (const other of ['http://hall.example', 'https://hall.example:444', 'https://other.example']) {
      await assert.rejects(openHall(other, 'ada', { keyFile }), OtherHall, other);
    }
    assert.equal((await openHall('https://HALL.example:443/', 'ada', { keyFile })).handle, 'ada');
  }));

test('simultaneous creators of a key file all get the same key', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'ada.json');
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrGenerateKey(path, HALL)));
    assert.equal(new Set(keys.map((key) => key.publicKey)).size, 1);
  }));

test('a key file that others may read is refused', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'ada.json');
    await loadOrGenerateKey(path, HALL);
    for (const mode of [0o604, 0o640, 0o644]) {
      await chmod(path, mode);
      await assert.rejects(loadKey(path, HALL), /chmod 600/);
    }
  }));

test('a damaged file is refused, and secrets stay out of messages and logs', async () => {
  const key = await Key.generate(HALL, 'the operator, secretly');
  const good = key.toText();
  const secret = (JSON.parse(good) as { private_key: string }).private_key;
  const damaged = [
    good.replace('hall-key/1', 'hall-key/2'),
    good.replace(secret, `${secret.toUpperCase()}A`),
    good.replace(key.publicKey, '0'.repeat(64)),
    good.replace(key.operatorToken, 'short'),
    good.replace('https://', 'gopher://'),
    good.replace('"hall-key/1"', '1'),
    good.slice(0, good.length / 2),
    '',
  ];
  for (const text of damaged) {
    await assert.rejects(Key.fromText(text), (error) => {
      assert.ok(error instanceof KeyProblem, text);
      assert.ok(!error.message.includes(secret) && !error.message.includes('secretly'));
      return true;
    });
  }
  for (const shown of [inspect(key), JSON.stringify(key)]) {
    assert.ok(!shown.includes(secret) && !shown.includes('secretly'), shown);
  }
});

test('rings over a socket are delivered once and forgeries never', async () => {
  const { rings, doorbell } = vectors;
  const bell = new Doorbell({
    key: await Key.fromSeed(HALL, Buffer.from(doorbell.seed, 'hex'), 'not a secret'),
    handle: doorbell.handle,
    url: doorbell.url,
    ringKeys: [rings.key],
  });
  const told: Ring[] = [];
  const server = await serveDoorbell(bell, (ring) => told.push(ring));
  try {
    const address = `http://127.0.0.1:${server.port}/ring`;
    const body = JSON.stringify(rings.payload);
    const headers = ring(rings.seed, rings.payload.event_id, body);
    const post = async (text: string) => (await fetch(address, { method: 'POST', headers, body: text })).status;
    assert.deepEqual([await post(`${body} `), await post(body), await post(body)], [401, 204, 204]);
    assert.deepEqual(told, [rings.payload]);
    assert.equal(await post('x'.repeat(20_000)), 413);
    const asked = { 'X-Svc-Agent': doorbell.handle, 'X-Svc-Challenge': doorbell.challenge };
    const verified = await fetch(address, { headers: asked });
    assert.deepEqual([verified.status, verified.headers.get('X-Svc-Doorbell-Signature')], [200, doorbell.signature]);
    assert.equal((await fetch(address)).status, 400);
  } finally {
    await server.close();
  }
});

test('rings as web requests are delivered once', async () => {
  const { rings, doorbell } = vectors;
  const key = await Key.generate(HALL);
  const bell = new Doorbell({ key, handle: 'ada', url: doorbell.url, ringKeys: [rings.key] });
  const body = JSON.stringify(rings.payload);
  const headers = ring(rings.seed, rings.payload.event_id, body);
  const told: Ring[] = [];
  const request = () => new Request('http://127.0.0.1/ring', { method: 'POST', headers, body });
  const statuses = [
    await bell.fetch(request(), (one) => told.push(one)),
    await bell.fetch(request(), (one) => told.push(one)),
  ];
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [204, 204],
  );
  assert.deepEqual(told, [rings.payload]);
});

/** The headers of a ring that was signed just now, with another library than the one that checks it. */
function ring(seed: string, eventId: string, body: string): Record<string, string> {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed, 'hex')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const now = String(Math.floor(Date.now() / 1000));
  const signature = sign(null, Buffer.from(`${eventId}.${now}.${body}`), key).toString('base64');
  return { 'webhook-id': eventId, 'webhook-timestamp': now, 'webhook-signature': `v1a,${signature}` };
}
