/** Whole games at a real hall, started from the binary that HALL_BINARY names. */

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

import { playerOf } from '../src/agent.js';
import { Choice } from '../src/choice.js';
import { commitment } from '../src/draws.js';
import { Hall } from '../src/hall.js';
import { checkOfficial, openCheckpoint } from '../src/log.js';
import { openHall } from '../src/node.js';
import type { Chooser, PlayEvent } from '../src/plan.js';
import * as refusals from '../src/refusals.js';
import { SHAPES, type Shape } from '../src/shape.js';

const BINARY = process.env['HALL_BINARY'];
const skip = BINARY ? false : 'HALL_BINARY names no hall to play at';

/** A hall of one's own on a free port, which can be stopped and started again on its data. */
class RunningHall {
  #process: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    readonly base: string,
  ) {}

  static async during(work: (hall: RunningHall) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'hall-'));
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const hall = new RunningHall(folder, `http://127.0.0.1:${port}`);
    await hall.start();
    try {
      await work(hall);
    } finally {
      await hall.stop();
      await rm(folder, { recursive: true });
    }
  }

  async start(): Promise<void> {
    const settings = [
      `server.listen=${this.base.slice('http://'.length)}`,
      `storage.path=${join(this.folder, 'data')}`,
      'limits.requests_per_minute=0',
      'beacon.relays=',
    ];
    const started = spawn(resolve(BINARY ?? ''), ['serve', ...settings.flatMap((one) => ['--set', one])], {
      stdio: 'ignore',
    });
    this.#process = started;
    for (;;) {
      const ready = await fetch(`${this.base}/readyz`).catch(() => null);
      if (ready?.status === 200) return;
      assert.equal(started.exitCode, null, 'the hall did not start');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    const running = this.#process ?? assert.fail();
    running.kill('SIGTERM');
    const [code] = (await once(running, 'exit')) as [number | null];
    assert.equal(code, 0);
  }

  async agent(handle: string): Promise<Hall> {
    return openHall(this.base, handle, { keyFile: join(this.folder, `${handle}.json`) });
  }

  /** Two agents in a game, in the order of their seats. */
  async seated(): Promise<{ first: Hall; second: Hall; gameId: string }> {
    const [ada, bob] = [await this.agent('ada'), await this.agent('bob')];
    for (const agent of [ada, bob]) {
      await agent.registerOrResume();
      await agent.homologate();
    }
    assert.equal((await ada.join()).paired, false);
    const gameId = (await bob.join()).game_id ?? assert.fail();
    const adaBegins = playerOf(await ada.game(gameId), ada.agentId) === 'p0';
    return adaBegins ? { first: ada, second: bob, gameId } : { first: bob, second: ada, gameId };
  }
}

/** Some moves, and the end of it after a while. */
const short: Chooser = async ({ view, millisecondsLeft }) => {
  assert.ok(millisecondsLeft !== null && millisecondsLeft > 0 && millisecondsLeft < 60_000);
  if (view.turn_index > 30) return Choice.resign();
  return Choice.play(view.legal_moves[(view.turn_index * 7) % view.legal_moves.length] ?? assert.fail()).saying('♟ é');
};

test('an agent that is stopped while queued leaves the lobby', { skip }, () =>
  RunningHall.during(async (hall) => {
    const program = `
      import { exitOnError, openHall } from '${new URL('../src/node.js', import.meta.url)}';
      exitOnError();
      process.on('SIGUSR2', () => { throw new RangeError('elsewhere') });
      const hall = await openHall('${hall.base}', 'ada', { keyFile: '${join(hall.folder, 'ada.json')}' });
      await hall.play(({ view }) => view.legal_moves[0], { onEvent: ({ kind }) => console.log(kind) });
    `;
    const bob = await hall.agent('bob');
    const stops: [NodeJS.Signals, number][] = [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      // An error that nothing catches.
      ['SIGUSR2', 1],
    ];
    for (const [signal, status] of stops) {
      const agent = spawn(process.execPath, ['--input-type=module', '--eval', program]);
      for await (const said of agent.stdout) if (String(said).includes('queued')) break;
      assert.equal((await bob.get('/api/pulse'))['lobby_waiting'], 1);
      agent.kill(signal);
      assert.deepEqual(await once(agent, 'exit'), [status, null], signal);
      assert.equal((await bob.get('/api/pulse'))['lobby_waiting'], 0, signal);
    }
  }),
);

test('two agents play a whole game, and its published records agree', { skip }, () =>
  RunningHall.during(async (hall) => {
    const ended: string[] = [];
    const run = async (handle: string) =>
      (await hall.agent(handle)).play(short, {
        games: 1,
        wait: 2,
        onEvent: (event) => event.kind === 'ended' && ended.push(event.game.id),
      });
    const tallies = await Promise.all([run('ada'), run('bob')]);
    assert.deepEqual(
      tallies.map(({ wins, losses }) => wins + losses),
      [1, 1],
    );
    assert.equal(new Set(ended).size, 1);
    const [gameId = ''] = ended;
    const agent = await hall.agent('ada');
    const replay = await agent.replay(gameId);
    assert.equal(await commitment(gameId, String(replay['seed'])), replay['commitment']);
    assert.match(await agent.pgn(gameId), new RegExp(`\\[GameId "${gameId}"\\]`));
    assert.equal((await agent.eventsSince(gameId)).length, (replay['events'] as unknown[]).length);
    const official = await agent.official();
    const logKey = String((official['log'] as { public_key: string }).public_key);
    await checkOfficial(official, logKey);
    assert.ok((await openCheckpoint(String((await agent.checkpoint())['note']), logKey)).size > 0);
  }),
);

test('an agent that restarts continues where it was', { skip }, () =>
  RunningHall.during(async (hall) => {
    const { first, second, gameId } = await hall.seated();
    assert.equal((await first.move(gameId, 0, 'e2e4')).kind, 'accepted');
    const again = await hall.agent(second.handle);
    assert.equal((await again.registerOrResume()).resumed, true);
    assert.deepEqual(
      (await again.waitForTurn(5)).map((turn) => turn.game_id),
      [gameId],
    );
    const any: Chooser = ({ view }) => view.legal_moves[0] ?? assert.fail();
    assert.equal((await again.takeTurn(gameId, any))?.kind, 'accepted');
    assert.equal(await again.takeTurn(gameId, any), null);
    assert.equal((await again.myGames()).games[0]?.your_player, 'p1');
    assert.equal((await first.legalMoves(gameId)).legal_moves.length > 0, true);
  }),
);

test('an opponent that resigns is known at once', { skip }, () =>
  RunningHall.during(async (hall) => {
    const { first, second, gameId } = await hall.seated();
    let ended = Infinity;
    await new Promise<void>((resolve, reject) => {
      const onEvent = async (event: PlayEvent) => {
        if (event.kind === 'ended') ended = performance.now();
        if (event.kind === 'seated') await first.move(gameId, 0, Choice.resign());
      };
      const noted = (event: PlayEvent) => void onEvent(event).catch(reject);
      second.play(short, { games: 1, wait: 25, onEvent: noted }).then(() => resolve(), reject);
    });
    // The pulse would be held for 25 s.
    const resigned = Date.parse((await first.game(gameId)).ended_at ?? assert.fail());
    assert.ok(performance.timeOrigin + ended - resigned < 2000);
  }),
);

test('a restart of the hall costs no move', { skip }, () =>
  RunningHall.during(async (hall) => {
    const { first, second, gameId } = await hall.seated();
    assert.equal((await first.move(gameId, 0, 'e2e4')).kind, 'accepted');
    await second.pulse();
    await hall.stop();
    await hall.start();
    // The challenge of the last answer is now unknown, and the connection is gone.
    assert.equal((await second.move(gameId, 1, 'e7e5')).kind, 'accepted');
  }),
);

test('a lost answer to a move is recovered', { skip }, () =>
  RunningHall.during(async (hall) => {
    const { first, gameId } = await hall.seated();
    let losses = 1;
    const losing: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      if (!String(request[0]).endsWith('/moves') || losses === 0) return answer;
      losses -= 1;
      await answer.text();
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    };
    const forgetful = new Hall(first.key, first.handle, { world: { fetch: losing } });
    assert.equal((await forgetful.move(gameId, 0, 'e2e4')).kind, 'already_applied');
    assert.equal(losses, 0);
    const late = await first.move(gameId, 0, 'd2d4');
    assert.ok(late.kind === 'not_applied' && late.yourLast?.notation === 'e2e4');
  }),
);

test('refusals of a real hall are thrown as their types', { skip }, () =>
  RunningHall.during(async (hall) => {
    const ada = await hall.agent('ada');
    await assert.rejects(ada.myGames(), refusals.AuthUnknownAgent);
    await ada.registerOrResume();
    await assert.rejects(ada.register(), refusals.HandleTaken);
    await assert.rejects(ada.join(), refusals.NotHomologated);
    await assert.rejects(ada.homologate({ modelId: '' }), refusals.InvalidBody);
    await ada.homologate();
    await ada.join();
    await assert.rejects(ada.join(), refusals.AlreadyInLobby);
    await ada.leave();
    await assert.rejects(ada.leave(), refusals.NotInLobby);
    await assert.rejects(ada.view('g_00000000000000000000000000'), refusals.GameNotFound);
    const posted = await ada.postFeedback({
      kind: 'docs',
      subject: 'é 😀',
      body: 'two\nlines',
      context: { game: 'chess' },
    });
    const [entry] = (await ada.feedback(1))['feedback'] as { id: string }[];
    assert.equal(entry?.id, posted['feedback_id']);
    await assert.rejects(new Hall(ada.key, 'bob').registerOrResume(), refusals.KeyAlreadyRegistered);
  }),
);

test('illegal moves are reported and the third is replaced', { skip }, () =>
  RunningHall.during(async (hall) => {
    const { first, gameId } = await hall.seated();
    const attempts = [];
    for (let count = 1; count <= 3; count += 1) attempts.push(await first.move(gameId, 0, 'e2e5'));
    const [one, two, three] = attempts;
    assert.ok(one?.kind === 'not_legal' && one.attempts === 1);
    assert.ok(two?.kind === 'not_legal' && two.legalMoves.length === 20);
    assert.ok(three?.kind === 'not_legal' && three.applied?.forced === 'illegal_moves');
  }),
);

test('every code of the playbook and every document is known', { skip }, () =>
  RunningHall.during(async (hall) => {
    const ada = await hall.agent('ada');
    const { codes } = (await ada.playbook())['errors'] as { codes: { code: string }[] };
    assert.deepEqual(codes.map(({ code }) => code).sort(), Object.keys(refusals.BY_CODE).sort());
    for (const document of [ada.catalog(), ada.rules('chess'), ada.howto('chess'), ada.leaderboards(), ada.docket()]) {
      assert.ok(Object.keys(await document).length > 0);
    }
    assert.deepEqual((await ada.games({ status: 'live' })).games, []);
    await assert.rejects(ada.profile('nobody'), refusals.AgentNotFound);
  }),
);

/** The components of the served OpenAPI document whose values a shape describes. */
const COMPONENTS = {
  registered: 'RegisteredData',
  filed: 'HomologatedData',
  joined: 'JoinedData',
  pulse: 'PulseData',
  game: 'Game',
  games: 'GamesData',
  view: 'View',
  legalMoves: 'LegalMovesData',
  verdict: 'MoveVerdict',
  turn: 'Turn',
  rejection: 'RoomReport',
  events: 'EventsData',
  profile: 'AgentData',
  doorbellChallenge: 'DoorbellChallengeData',
  doorbellState: 'DoorbellData',
  ring: null,
  object: null,
} satisfies Record<keyof typeof SHAPES, string | null>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

test('members that may be null are accepted', { skip }, () =>
  RunningHall.during(async (hall) => {
    const { components } = (await (await fetch(`${hall.base}/openapi.json`)).json()) as {
      components: { schemas: Record<string, Schema> };
    };
    const followed = (schema: Schema): Schema =>
      schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? assert.fail(schema.$ref)) : schema;
    const mayBeNull = ({ type, oneOf }: Schema): boolean =>
      type === 'null' || (Array.isArray(type) && type.includes('null')) || (oneOf ?? []).some(mayBeNull);
    let nullable = 0;
    const check = (shape: Shape, schema: Schema, where: string): void => {
      if (typeof shape === 'string') return;
      if (Array.isArray(shape)) {
        check(shape[0] as Shape, followed(schema.items ?? assert.fail(where)), `${where}[]`);
        return;
      }
      for (const [name, part] of Object.entries(shape)) {
        const bare = name.replace('?', '');
        const member = schema.properties?.[bare] ?? assert.fail(`${where}.${bare}`);
        if (mayBeNull(member)) {
          nullable += 1;
          assert.notEqual(name, bare, `${where}.${bare} may be null`);
        }
        const own = member.oneOf?.find((one) => !mayBeNull(one)) ?? member;
        check(part as Shape, followed(own), `${where}.${bare}`);
      }
    };
    for (const [name, component] of Object.entries(COMPONENTS)) {
      if (component === null) continue;
      check(SHAPES[name as keyof typeof SHAPES], components.schemas[component] ?? assert.fail(component), component);
    }
    assert.ok(nullable >= 10, `only ${nullable}`);
  }),
);
