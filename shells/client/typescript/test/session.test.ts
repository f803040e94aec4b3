/** The loop that plays, without a hall. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Choice } from '../src/choice.js';
import { TransportError } from '../src/errors.js';
import { COMMENTARY_CHARACTERS } from '../src/limits.js';
import { DEFAULT_PLAN, describe, type Chooser, type PlayEvent } from '../src/plan.js';
import * as refusals from '../src/refusals.js';
import { Session } from '../src/session.js';
import { broken, KEY, nonsense, ok, refused, ScriptedWorld, type Outcome } from './scripted.js';

const GAME = 'g_00000000000000000000000000';
const PROFILE = ok({ agent: { id: KEY.agentId, handle: 'ada', pubkey_ed25519: KEY.publicKey } });
const FILED = ok({ homologation_id: 'h_1', season_id: 's1' });
const NO_GAMES = ok({ games: [] });
const MATED = { winners: ['p0'], draw: false, reason: 'checkmate' };
const VERDICT = ok({ verdict: { turn_index: 0, notation: 'e2e4', game_over: true, result: MATED } });
const SEATS = [
  { player: 'p0', agent_id: KEY.agentId, handle: 'ada' },
  { player: 'p1', agent_id: 'a_2', handle: 'b\u202eob' },
];
const RECORD = { id: GAME, game: 'chess', status: 'live', seats: SEATS };
const LIVE = ok({ games: [{ ...RECORD, your_player: 'p0' }] });
const ENDED = ok({ game: { ...RECORD, status: 'ended', result: MATED } });
const NOTHING_WAITS = ok({ waiting_on_you: [], time_utc: '2026-11-20T21:49:10.000Z' });
const WAITING = ok({ waiting_on_you: [{ game_id: GAME, turn_index: 0 }], time_utc: '2026-11-20T21:49:10.000Z' });
const LEGAL = [{ index: 0, move: 'e2e4', notation: 'e2e4', summary: 'pawn e2 to e4' }];
const VIEW = {
  game_id: GAME,
  you: { player: 'p0', seat: 0 },
  to_move: ['p0'],
  turn_index: 0,
  deadline_utc: '2026-11-20T21:50:00.000Z',
  legal_moves: LEGAL,
};
const SEEN = ok({ view: VIEW });
const PAIRED = ok({ paired: true, game_id: GAME });
const TO_THE_TURN = [NO_GAMES, PAIRED, LIVE, WAITING, SEEN];
const TO_THE_END = [VERDICT, NO_GAMES, ENDED];

async function play(script: Outcome[], choose: Chooser = () => 'e2e4') {
  const world = new ScriptedWorld([PROFILE, FILED, ...script]);
  const told: PlayEvent[] = [];
  const plan = { ...DEFAULT_PLAN, games: 1 };
  const tally = await new Session(world.agent(), plan, choose, (event) => told.push(event), null).run();
  assert.deepEqual(world.script, [], 'everything was asked for');
  const moved = world.asked.find(({ target }) => target.endsWith('/moves'))?.body ?? '';
  const fellBack = told.flatMap((event) => (event.kind === 'fell_back' ? [event.why] : []));
  return { world, told, tally, moved, fellBack };
}

/** Plays two games, and thinks for a minute about each move. */
async function playSlowly(script: Outcome[]) {
  const world = new ScriptedWorld([PROFILE, ...script]);
  const waits: number[] = [];
  const think = () => {
    world.time += 60_000;
    return 'e2e4';
  };
  const note = (event: PlayEvent) => void (event.kind === 'trouble' && waits.push(event.againIn));
  const plan = { ...DEFAULT_PLAN, games: 2, concurrent: 2 };
  const tally = await new Session(world.agent(), plan, think, note, null).run().finally(() => {
    assert.deepEqual(world.script, [], 'everything was asked for');
  });
  return { tally, waits };
}

test('a game is played from registration to its end', async () => {
  const left: (number | null)[] = [];
  const { world, told, tally } = await play([...TO_THE_TURN, ...TO_THE_END], (turn) => {
    left.push(turn.millisecondsLeft);
    return turn.view.legal_moves[0] ?? assert.fail();
  });
  assert.deepEqual(tally, { wins: 1, losses: 0, draws: 0, aborted: 0 });
  assert.deepEqual(world.calls, [
    'GET /api/agents/ada',
    `POST /api/agents/${KEY.agentId}/homologate`,
    'GET /api/my/games?status=live&limit=200',
    'POST /api/lobby/join',
    'GET /api/my/games?status=live&limit=200',
    'GET /api/pulse?wait=25',
    `GET /api/games/${GAME}/view`,
    `POST /api/games/${GAME}/moves`,
    'GET /api/my/games?status=live&limit=200',
    `GET /api/games/${GAME}`,
  ]);
  assert.deepEqual(told.map(describe), [
    `already registered as ${KEY.agentId}: going on`,
    'homologated for season s1 (h_1)',
    `${GAME}: seated as p0 against b?ob`,
    `${GAME} turn 0: e2e4`,
    `${GAME}: won against b?ob by checkmate`,
  ]);
  assert.deepEqual(left, [47_000]);
});

test('a choice that is not legal is replaced by a legal move', async () => {
  for (const chosen of ['e2e5', Choice.play(7)]) {
    const { fellBack, moved } = await play([...TO_THE_TURN, ...TO_THE_END], () => chosen);
    assert.deepEqual(fellBack, ['not legal']);
    assert.match(moved, /"move":\{"index":0\}/);
  }
});

test('a thought that takes too long is replaced by a legal move', async () => {
  const hurried = ok({ view: { ...VIEW, deadline_utc: '2026-11-20T21:49:13.010Z' } });
  const script = [NO_GAMES, PAIRED, LIVE, WAITING, hurried, ...TO_THE_END];
  const { fellBack } = await play(script, () => new Promise(() => undefined));
  assert.deepEqual(fellBack, ['too late']);
});

test('a refused choice is replaced by a legal move', async () => {
  const nothing = refused(409, 'no_draw_offer', { turn_index: 0 });
  const { fellBack, told } = await play([...TO_THE_TURN, nothing, ...TO_THE_END], () => Choice.acceptDraw());
  assert.deepEqual(fellBack, ['no_draw_offer']);
  assert.equal(told.filter(({ kind }) => kind === 'answered').length, 2);
});

test('two refused challenges in a row neither end the play nor replace the choice', async () => {
  const unknown = refused(401, 'CHALLENGE_UNKNOWN');
  const again = [LIVE, WAITING, SEEN, ...TO_THE_END];
  for (const before of [[WAITING, SEEN], [WAITING], []]) {
    const { tally, fellBack } = await play([NO_GAMES, PAIRED, LIVE, ...before, unknown, unknown, ...again]);
    assert.deepEqual([tally.wins, fellBack], [1, []]);
  }
});

test('the suggestion for an illegal move is reported', async () => {
  const hint = refused(422, 'illegal_move', { turn_index: 0, illegal_attempts: 1, did_you_mean: 'e2e4' });
  const { told } = await play([...TO_THE_TURN, hint, ...TO_THE_END]);
  assert.ok(told.map(describe).includes(`${GAME} turn 0: e2e4 was illegal (attempt 1); did you mean e2e4?`));
});

test('a remark that a hall refuses does not cost the move', async () => {
  for (const remark of ['a\nb', 'x'.repeat(COMMENTARY_CHARACTERS + 1), '\u202e', '\ud800']) {
    const { moved } = await play([...TO_THE_TURN, ...TO_THE_END], () => Choice.play('e2e4').saying(remark));
    assert.doesNotMatch(moved, /commentary/);
  }
  const { moved } = await play([...TO_THE_TURN, ...TO_THE_END], () => Choice.play('e2e4').saying('♟'.repeat(COMMENTARY_CHARACTERS)));
  assert.match(moved, /commentary/);
});

test('a game that ends before the next pulse is known at once', async () => {
  const quiet = ok({ games: [{ ...RECORD, your_player: 'p0', your_turn: false }], waiting_tag: 'quiet' });
  const ended = [{ game_id: GAME, result: MATED, ended_at: '2026-11-20T21:49:10.000Z' }];
  const time_utc = '2026-11-20T21:49:10.000Z';
  const resigned = ok({ waiting_on_you: [], waiting_tag: 'ended', recently_ended: ended, time_utc });
  const wentOn = ok({ verdict: { turn_index: 0, notation: 'e2e4', game_over: false, result: null } });
  const { world, tally } = await play([quiet, WAITING, SEEN, wentOn, resigned, NO_GAMES, ENDED]);
  assert.equal(tally.wins, 1);
  // A request with the tag of an answer without turns is held for turns and ends, earlier ones included.
  const pulses = world.calls.filter((call) => call.includes('/pulse'));
  assert.deepEqual(pulses, Array(2).fill('GET /api/pulse?wait=25&after=quiet'));
});

test('a game that begins and ends between two polls counts', async () => {
  const before = ok({ games: [], waiting_tag: 'quiet', recently_ended: [] });
  const queued = ok({ paired: false, game_id: null });
  const recently_ended = [{ game_id: GAME, result: MATED, ended_at: '2026-11-20T21:49:10.000Z' }];
  const over = { waiting_tag: 'ended', recently_ended };
  const woken = ok({ waiting_on_you: [], time_utc: '2026-11-20T21:49:10.000Z', ...over });
  const { world, tally } = await play([before, queued, woken, ok({ games: [], ...over }), ENDED]);
  assert.equal(tally.wins, 1);
  assert.equal(world.calls.filter((call) => call === 'POST /api/lobby/join').length, 1);
});

test('waiting by hand ends with a game', async () => {
  const time_utc = '2026-11-20T21:49:10.000Z';
  const before = ok({ waiting_on_you: [], waiting_tag: 't1', recently_ended: [], time_utc });
  const ended = [{ game_id: GAME, result: MATED, ended_at: time_utc }];
  const after = ok({ waiting_on_you: [], waiting_tag: 't2', recently_ended: ended, time_utc });
  const world = new ScriptedWorld([before, after]);
  const agent = world.agent();
  assert.deepEqual(await agent.waitForTurn(Infinity), []);
  assert.deepEqual(world.calls, ['GET /api/pulse', 'GET /api/pulse?wait=25&after=t1']);
  // An end that was reported is not reported again.
  world.script.push(after, WAITING);
  assert.deepEqual(
    (await agent.waitForTurn(Infinity)).map((turn) => turn.game_id),
    [GAME],
  );
});

test('an earlier live game is continued', async () => {
  const { tally, world } = await play([LIVE, WAITING, SEEN, ...TO_THE_END]);
  assert.equal(tally.wins, 1);
  assert.ok(!world.calls.includes('POST /api/lobby/join'));
});

test('a run that begins between two seasons continues its live games', async () => {
  const closed = refused(404, 'SEASON_NOT_FOUND');
  const toTheEnd = [LIVE, WAITING, SEEN, ...TO_THE_END];
  // Another game has to wait until the next season is open.
  const { tally, waits } = await playSlowly([closed, ...toTheEnd, FILED, PAIRED, ...toTheEnd]);
  assert.deepEqual([tally.wins, waits], [2, [60_000]]);
  await assert.rejects(playSlowly([closed, NO_GAMES]), refusals.SeasonNotFound);
});

test('a refusal that concerns joining ends the run when no game is live', async () => {
  const toTheEnd = [WAITING, SEEN, ...TO_THE_END];
  for (const code of ['A_NEW_CODE', 'DIVISION_MISMATCH', 'VARIANT_UNKNOWN']) {
    const no = refused(409, code);
    await assert.rejects(playSlowly([FILED, LIVE, no, ...toTheEnd, no]), { code });
    await assert.rejects(playSlowly([no, LIVE, ...toTheEnd, no]), { code });
    const { waits } = await playSlowly([FILED, LIVE, no, ...toTheEnd, PAIRED, LIVE, ...toTheEnd]);
    assert.deepEqual(waits, [60_000]);
  }
});

test('an unknown refusal of another call costs no live game', async () => {
  const no = refused(409, 'A_NEW_CODE');
  for (const before of [[no], [WAITING, no], [WAITING, SEEN, no, no]]) {
    const { tally } = await play([LIVE, ...before, LIVE, WAITING, SEEN, ...TO_THE_END]);
    assert.equal(tally.wins, 1);
  }
});

test('a refusal that concerns the agent ends the run at once', async () => {
  for (const code of ['AGENT_SUSPENDED', 'AUTH_UNKNOWN_AGENT', 'AUTH_A_NEW_CODE', 'KEY_REVOKED', 'SIG_INVALID']) {
    for (const before of [[], [FILED, LIVE], [FILED, LIVE, WAITING], [FILED, LIVE, WAITING, SEEN]]) {
      await assert.rejects(playSlowly([...before, refused(403, code)]), { code });
    }
  }
});

test('a game that a restored hall no longer knows is given up', async () => {
  const gone = [LIVE, NOTHING_WAITS, NO_GAMES, refused(404, 'GAME_NOT_FOUND')];
  const { tally, told, world } = await play([...gone, PAIRED, LIVE, WAITING, SEEN, ...TO_THE_END]);
  assert.deepEqual(tally, { wins: 1, losses: 0, draws: 0, aborted: 0 });
  assert.ok(told.map(describe).includes('GAME_NOT_FOUND (HTTP 404): Do otherwise.; going on'));
  assert.deepEqual(world.slept, []);
});

test('a join with a lost answer is checked and not repeated', async () => {
  const { world, told } = await play([NO_GAMES, broken('ECONNRESET'), LIVE, WAITING, SEEN, ...TO_THE_END]);
  assert.equal(world.calls.filter((call) => call === 'POST /api/lobby/join').length, 1);
  assert.ok(told.some(({ kind }) => kind === 'trouble'));
});

test('a queued agent waits and does not join again', async () => {
  const queued = ok({ paired: false, game_id: null });
  const { world, told } = await play([NO_GAMES, queued, NOTHING_WAITS, NO_GAMES, WAITING, LIVE, SEEN, ...TO_THE_END]);
  assert.equal(world.calls.filter((call) => call === 'POST /api/lobby/join').length, 1);
  assert.equal(told.filter(({ kind }) => kind === 'queued').length, 1);
});

test('a voided homologation is filed again', async () => {
  const script = [NO_GAMES, refused(403, 'NOT_HOMOLOGATED'), FILED, NOTHING_WAITS, ...TO_THE_TURN, ...TO_THE_END];
  const { told } = await play(script);
  assert.equal(told.filter(({ kind }) => kind === 'homologated').length, 2);
});

test('temporary errors are survived', async () => {
  const away = Array.from({ length: 6 }, () => broken('ECONNREFUSED'));
  const script = [NO_GAMES, PAIRED, LIVE, ...away, LIVE, WAITING, nonsense(502, '<html>'), SEEN, ...TO_THE_END];
  const { tally, told } = await play(script);
  assert.equal(tally.wins, 1);
  assert.equal(told.filter(({ kind }) => kind === 'trouble').length, 1);
});

test('a hall that is away when a run begins is waited for a minute', async () => {
  const away = (count: number) => Array.from({ length: count }, () => broken('ECONNREFUSED'));
  const run = async (...script: Outcome[]) => {
    const world = new ScriptedWorld(script);
    const told: PlayEvent[] = [];
    const plan = { ...DEFAULT_PLAN, games: 1 };
    const session = new Session(world.agent(), plan, () => 'e2e4', (event) => told.push(event), null);
    const failure = await session.run().then(() => null, (error: unknown) => error);
    const slept = world.slept.reduce((sum, one) => sum + one, 0);
    return { failure, slept, troubles: told.filter(({ kind }) => kind === 'trouble').length };
  };
  const back = await run(...away(15), nonsense(502, '<html>'), PROFILE, FILED, LIVE, WAITING, SEEN, ...TO_THE_END);
  assert.deepEqual([back.failure, back.troubles], [null, 2]);
  const gone = await run(...away(200));
  assert.ok(gone.failure instanceof TransportError);
  assert.ok(gone.slept >= 60_000 && gone.slept < 80_000, String(gone.slept));
  // The hall's limit of registrations looks back over an hour.
  const limited = await run(refused(429, 'RATE_LIMITED', {}, { 'Retry-After': '1800' }));
  assert.ok(limited.failure instanceof refusals.RateLimited);
  assert.equal(limited.slept, 0);
});

test('errors that prevent further play are thrown', async () => {
  await assert.rejects(play([NO_GAMES, refused(403, 'AGENT_SUSPENDED')]), refusals.AgentSuspended);
  const other = ok({ agent: { id: 'a_2', handle: 'ada', pubkey_ed25519: '00'.repeat(32) } });
  const world = new ScriptedWorld([other, refused(409, 'HANDLE_TAKEN'), other]);
  const session = new Session(
    world.agent(),
    DEFAULT_PLAN,
    () => 'e2e4',
    () => undefined,
    null,
  );
  await assert.rejects(session.run(), (error) => {
    assert.ok(error instanceof refusals.HandleTaken);
    assert.match(error.message, /The handle ada belongs to another key: choose another handle/);
    return true;
  });
});

test('an error of the chooser ends the loop', async () => {
  const fails: Chooser[] = [
    () => {
      throw new RangeError();
    },
    () => Promise.reject(new RangeError()),
  ];
  for (const choose of fails) await assert.rejects(play(TO_THE_TURN, choose), RangeError);
});

test('an interrupted run leaves the lobby if the agent may wait there', async () => {
  const queued = ok({ paired: false, game_id: null });
  const suspended = refused(403, 'AGENT_SUSPENDED');
  const calls = async (...script: Outcome[]) => {
    const world = new ScriptedWorld([PROFILE, FILED, ...script, refused(409, 'NOT_IN_LOBBY')]);
    const session = new Session(
      world.agent(),
      { ...DEFAULT_PLAN, games: 1 },
      () => 'e2e4',
      () => undefined,
      null,
    );
    await assert.rejects(session.run(), refusals.AgentSuspended);
    return world.calls.filter((call) => call.includes('leave')).length;
  };
  assert.equal(await calls(NO_GAMES, queued, suspended), 1);
  assert.equal(await calls(NO_GAMES, refused(409, 'ALREADY_IN_LOBBY'), suspended), 1);
  // The outcome of the join is unknown.
  assert.equal(await calls(NO_GAMES, broken('ECONNRESET'), suspended), 1);
  assert.equal(await calls(suspended), 0);
  assert.equal(await calls(NO_GAMES, refused(503, 'UNAVAILABLE', {}, { 'Retry-After': '90' }), suspended), 0);
  assert.equal(await calls(NO_GAMES, PAIRED, LIVE, suspended), 0);
  assert.equal(await calls(NO_GAMES, queued, WAITING, LIVE, suspended), 0);
});

test('a cancelled run ends before its next round', async () => {
  const world = new ScriptedWorld([PROFILE]);
  const session = new Session(
    world.agent(),
    DEFAULT_PLAN,
    () => 'e2e4',
    () => undefined,
    AbortSignal.abort(new RangeError()),
  );
  await assert.rejects(session.run(), RangeError);
});
