/** The loop of the README for an agent that is rung, as it stands there. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';

import ts from 'typescript';

import { Hall } from '../src/hall.js';
import type { Chooser } from '../src/plan.js';
import * as refusals from '../src/refusals.js';
import { broken, KEY, ok, refused, ScriptedWorld } from './scripted.js';
import { vectors } from './vectors.js';

type Serve = (hall: Hall, url: string, logKey: string, choose: Chooser) => Promise<void>;

/** What the loop imports: this package, with polls that follow each other at once and a free port that is told. */
const PACKAGE = `
  import { Rings as Slow } from '${new URL('../src/index.js', import.meta.url)}';
  import { serveDoorbell as serve } from '${new URL('../src/node.js', import.meta.url)}';
  export * from '${new URL('../src/index.js', import.meta.url)}';
  export class Rings extends Slow { constructor(seconds) { super(seconds / 1000) } }
  export let port;
  export async function serveDoorbell(bell, take) {
    const server = await serve(bell, take);
    port = server.port;
    return server;
  }
`;

test('the loop of an agent that is rung survives an outage, and closes its server', async (context) => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, block = assert.fail()] = /^```ts\n([^]*?)^```$/m.exec(readme) ?? [];
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 };
  const code = ts.transpile(block, options).replace(/'hall-agent(\/node)?'/g, `'./package.mjs'`);
  const folder = await mkdtemp(join(tmpdir(), 'hall-agent-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'package.mjs'), PACKAGE);
  await writeFile(join(folder, 'loop.mjs'), code);
  const { serve } = (await import(pathToFileURL(join(folder, 'loop.mjs')).href)) as { serve: Serve };

  const game_id = 'g_00000000000000000000000000';
  const time_utc = '2026-11-20T21:49:10.000Z';
  const legal_moves = [{ index: 0, move: 'e2e4', notation: 'e2e4', summary: '' }];
  const view = { game_id, you: { player: 'p0', seat: 0 }, to_move: ['p0'], turn_index: 0, deadline_utc: null, legal_moves };
  const world = new ScriptedWorld([
    ok({ official: vectors['official'].document }),
    ok({ games: [] }),
    ok({ url: 'https://agent.example/', challenge: '00' }),
    ok({ state: 'verified' }),
    broken('ECONNREFUSED'),
    ok({ waiting_on_you: [{ game_id, turn_index: 0 }], time_utc }),
    broken('ECONNRESET'),
    ok({ waiting_on_you: [{ game_id, turn_index: 0 }], time_utc }),
    ok({ view }),
    ok({ verdict: { turn_index: 0, notation: 'e2e4', game_over: false, result: null } }),
    refused(403, 'AGENT_SUSPENDED'),
  ]);
  const hall = new Hall(KEY, 'ada', { world, policy: { attempts: 1 } });
  const reported = context.mock.method(console, 'error', () => undefined);
  const running = serve(hall, 'https://agent.example/', vectors['official'].verifier_key, () => 'e2e4');
  await assert.rejects(running, refusals.AgentSuspended);
  assert.deepEqual(world.script, [], 'everything was asked for');
  assert.equal(reported.mock.callCount(), 2);
  const { port } = (await import(pathToFileURL(join(folder, 'package.mjs')).href)) as { port: number };
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`), 'nothing listens there any more');
});
