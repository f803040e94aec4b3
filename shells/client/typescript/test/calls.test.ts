/** How calls are made, repeated and given up, without a hall. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Choice } from '../src/choice.js';
import * as errors from '../src/errors.js';
import { Hall } from '../src/hall.js';
import { pace } from '../src/patience.js';
import * as refusals from '../src/refusals.js';
import { signMove } from '../src/signing.js';
import { broken, KEY, nonsense, ok, refused, ScriptedWorld, type Outcome } from './scripted.js';

const GAME = 'g_00000000000000000000000000';
const RECORD = { id: GAME, game: 'chess', status: 'live', seats: [] };
const PULSE = { waiting_on_you: [], waiting_tag: 't', time_utc: '2026-11-20T21:50:00.000Z' };
const next = (number: number) => ({ 'X-Svc-Next-Challenge': String(number).padStart(64, '0') });

function world(...script: Outcome[]): ScriptedWorld {
  return new ScriptedWorld(script);
}

test('each answer brings the challenge of the next call', async () => {
  const here = world(ok(PULSE, next(77)), ok(PULSE));
  const agent = here.agent();
  await agent.pulse({});
  await agent.pulse({});
  assert.equal(here.challenges, 1);
  assert.equal(here.asked.at(-1)?.headers['X-Svc-Challenge'], '77'.padStart(64, '0'));
});

test('an old challenge is not used', async () => {
  const here = world(ok(PULSE, next(77)), ok(PULSE));
  const agent = here.agent();
  await agent.pulse({});
  here.time += 60_001;
  await agent.pulse({});
  assert.equal(here.challenges, 2);
});

test('a refused challenge is replaced once', async () => {
  for (const code of ['CHALLENGE_UNKNOWN', 'CHALLENGE_EXPIRED', 'CHALLENGE_SPENT']) {
    const here = world(refused(401, code), ok(PULSE));
    await here.agent().pulse({});
    assert.equal(here.challenges, 2);
    const twice = world(refused(401, code), refused(401, code));
    await assert.rejects(twice.agent().pulse({}), refusals.BY_CODE[code] ?? assert.fail(code));
  }
});

test('reads are retried with growing waits and then abandoned', async () => {
  const here = world(broken('ECONNRESET'), nonsense(502, '<html>'), broken('ECONNREFUSED'), ok({ game: RECORD }));
  assert.equal((await here.agent().game(GAME)).id, GAME);
  assert.deepEqual(here.slept, [125, 250, 500]);
  const away = world(...Array.from({ length: 6 }, () => broken('ECONNREFUSED')));
  await assert.rejects(away.agent().game(GAME), errors.TransportError);
  assert.equal(away.asked.length, 6);
});

test('a call ends at its timeout', async () => {
  const fetch = (_: unknown, init?: RequestInit) =>
    new Promise<Response>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const options = { world: { fetch }, policy: { timeout: 20, attempts: 1 } };
  // Keeps the event loop alive, as a request in flight would.
  const alive = setTimeout(() => undefined, 10_000);
  await assert.rejects(new Hall(KEY, 'ada', options).game(GAME), errors.NoAnswer);
  clearTimeout(alive);
});

test('an answer beyond the size limit is refused', async () => {
  const here = world(nonsense(200, 'x'.repeat(100)));
  await assert.rejects(here.agent({ largestAnswer: 99 }).game(GAME), errors.AnswerTooLarge);
});

test('a request that arrived incomplete is sent again', async () => {
  const here = world(refused(400, 'BAD_REQUEST'), ok({ verdict: { turn_index: 3, game_over: false } }));
  await here.agent().move(GAME, 3, 'e2e4');
  assert.equal(here.asked.filter(({ body }) => body !== null).length, 2);
});

test('Retry-After is honoured up to a bound', async () => {
  const here = world(refused(429, 'RATE_LIMITED', {}, { 'Retry-After': '7' }), ok(PULSE));
  await here.agent().pulse({});
  assert.deepEqual(here.slept, [7125]);
  const long = world(refused(503, 'UNAVAILABLE', {}, { 'Retry-After': '71' }));
  await assert.rejects(
    long.agent().pulse({}),
    (error) => error instanceof refusals.Unavailable && error.retryAfter === 71_000,
  );
  assert.deepEqual(long.slept, []);
});

test('a join is not sent twice unless the first never left', async () => {
  const lost = world(broken('ECONNRESET'));
  await assert.rejects(lost.agent().join('chess', 'open', 'standard'), (error: errors.HallError) => error.leavesDoubt);
  const unknown = world(refused(503, 'UNAVAILABLE', { outcome: 'unknown' }));
  await assert.rejects(
    unknown.agent().join('chess', 'open', 'standard'),
    (error) => error instanceof refusals.Unavailable && error.leavesDoubt,
  );
  const here = world(broken('ECONNREFUSED'), refused(429, 'RATE_LIMITED'), ok({ paired: true, game_id: GAME }));
  assert.equal((await here.agent().join('chess', 'open', 'standard')).game_id, GAME);
  assert.equal(new Set(here.asked.map(({ body }) => body).filter((body) => body !== null)).size, 1);
});

test('a lost move is sent again unchanged under a fresh challenge', async () => {
  const here = world(broken('ECONNRESET'), ok({ verdict: { turn_index: 3, game_over: false } }));
  assert.equal((await here.agent().move(GAME, 3, 'e2e4')).kind, 'accepted');
  const [first, second] = here.asked.filter(({ method }) => method === 'POST');
  assert.equal(first?.body, second?.body);
  assert.notEqual(first?.headers['X-Svc-Challenge'], second?.headers['X-Svc-Challenge']);
});

test('the answer to a move may be held until the beacon has its round', async (context) => {
  const times: number[] = [];
  context.mock.method(AbortSignal, 'timeout', (milliseconds: number) => {
    times.push(milliseconds);
    return new AbortController().signal;
  });
  await world(ok({ verdict: { turn_index: 3, game_over: false } })).agent().move(GAME, 3, 'e2e4');
  assert.deepEqual(times, [10_000, 15_000]);
});

test('a rejection shows whether the lost move was applied', async () => {
  const { bodySha256 } = await signMove(KEY, GAME, 3, { move: 'e2e4' });
  const report = {
    turn_index: 4,
    your_last: { turn_index: 3, body_sha256: bodySha256 },
    last_move: null,
    result: null,
  };
  const here = world(broken('ECONNRESET'), refused(409, 'wrong_turn', report));
  assert.equal((await here.agent().move(GAME, 3, 'e2e4')).kind, 'already_applied');
  const other = world(broken('ECONNRESET'), refused(409, 'wrong_turn', report));
  const outcome = await other.agent().move(GAME, 3, 'd2d4');
  assert.ok(outcome.kind === 'not_applied' && outcome.turnIndex === 4);
});

test('the same body of another player in a shared turn is not ours', async () => {
  const { bodySha256 } = await signMove(KEY, GAME, 3, { move: 'e2e4' });
  const report = {
    turn_index: 4,
    your_last: { turn_index: 3, player: 'p0', forced: 'deadline', body_sha256: null },
    last_move: { turn_index: 3, player: 'p1', forced: null, body_sha256: bodySha256 },
    result: null,
  };
  const here = world(broken('ECONNRESET'), refused(409, 'wrong_turn', report));
  assert.equal((await here.agent().move(GAME, 3, 'e2e4')).kind, 'not_applied');
});

test('a lost move is recognised although the agent has had another turn since', async () => {
  const { bodySha256 } = await signMove(KEY, GAME, 3, { move: 'e2e4' });
  const last = { turn_index: 5, player: 'p1', body_sha256: null };
  const report = { turn_index: 6, your_last: last, last_move: null, result: null };
  for (const [player, body, kind] of [
    ['p1', bodySha256, 'already_applied'],
    ['p1', '0'.repeat(64), 'not_applied'],
    ['p0', bodySha256, 'not_applied'],
  ]) {
    const data = { turn_index: 3, player, notation: 'e2e4', body_sha256: body };
    const told = ok({ events: [{ seq: 4, event: { type: 'move', data } }], last_seq: 4 });
    const here = world(broken('ECONNRESET'), refused(409, 'wrong_turn', report), told);
    assert.equal((await here.agent().move(GAME, 3, 'e2e4')).kind, kind);
  }
});

test('rejections of the room are outcomes and not errors', async () => {
  const legal = [{ index: 0, move: 'e2e4', notation: 'e2e4', summary: 'pawn' }];
  const here = world(refused(422, 'illegal_move', { turn_index: 3, illegal_attempts: 2, legal_moves: legal }));
  const outcome = await here.agent().move(GAME, 3, 'e2e5');
  assert.ok(outcome.kind === 'not_legal' && outcome.attempts === 2 && outcome.legalMoves[0]?.notation === 'e2e4');
  const nothing = world(refused(409, 'no_draw_offer'));
  assert.deepEqual(await nothing.agent().move(GAME, 3, Choice.acceptDraw()), { kind: 'nothing_to_accept' });
  await assert.rejects(world(refused(403, 'NOT_SEATED')).agent().move(GAME, 3, 'e2e4'), refusals.NotSeated);
});

test('refusals are types and name what is wrong', async () => {
  const problems = { problems: [{ field: 'model_id', rule: 'must be short' }] };
  await assert.rejects(
    world(refused(422, 'INVALID_BODY', problems))
      .agent()
      .game(GAME),
    (error) => {
      assert.ok(error instanceof refusals.InvalidBody);
      assert.equal(error.message, 'INVALID_BODY (HTTP 422): Do otherwise. model_id: must be short.');
      assert.equal(error.name, 'InvalidBody');
      return true;
    },
  );
  for (const code of ['SOMETHING_NEW', 'constructor']) {
    await assert.rejects(world(refused(418, code)).agent().game(GAME), (error) => {
      return error instanceof refusals.Refused && error.constructor === refusals.Refused && error.code === code;
    });
  }
});

test('an answer without an envelope or of another shape is a protocol error', async () => {
  for (const body of ['', '<html>', '[]', '{}', '{"ok":"true","data":{}}', '{"ok":true}', '{"ok":false}']) {
    await assert.rejects(world(nonsense(200, body)).agent().game(GAME), errors.NotAHall, body);
  }
  for (const game of [{}, { ...RECORD, id: 7 }, { ...RECORD, seats: [{}] }, [], null]) {
    await assert.rejects(world(ok({ game })).agent().game(GAME), errors.NotAHall, JSON.stringify(game));
  }
  assert.equal(
    (
      await world(ok({ game: { ...RECORD, moon: [1] } }))
        .agent()
        .game(GAME)
    ).status,
    'live',
  );
});

test('only plain words become path segments, and query values cannot add parameters', async () => {
  for (const wrong of ['', '.', '..', 'a/b', 'a?b', 'a%20', 'é', 'a\n']) {
    await assert.rejects(world().agent().game(wrong), errors.BadRequest, wrong);
  }
  const here = world(ok({ games: [] }));
  await new Hall(KEY, 'ada', { world: here }).games({ cursor: 'a&b=c#d é' });
  assert.deepEqual(here.calls, ['GET /api/games?cursor=a%26b%3Dc%23d%20%C3%A9']);
  assert.throws(() => new Hall(KEY, 'Ada'), errors.BadRequest);
});

test('remaining requests are spread over the window', async () => {
  const limit = { quota: 120, window: 60 };
  const pauses: [left: number, spent: number, reset: number, pause: number][] = [
    [120, 1, 61, 0],
    [90, 1, 61, 0],
    [89, 1, 45, 500],
    [44, 1, 45, 1000],
    [44, 3, 45, 3000],
    // Slower near the end, even if more requests become available soon.
    [14, 1, 1, 500],
    [4, 1, 1, 1500],
    [0, 1, 1, 5000],
    [0, 1, 40, 40_000],
    [30, 9, 60, 5000],
  ];
  for (const [left, spent, reset, pause] of pauses) {
    assert.equal(pace(left, spent, reset * 1000, limit), pause, `${left} left, ${spent} spent, ${reset} s`);
  }
  const limited = {
    RateLimit: '"requests";r=44;t=45, "registrations";r=0;t=3000',
    'RateLimit-Policy': '"requests";q=120;w=60, "registrations";q=5;w=3600',
  };
  const here = world(ok(PULSE, limited), ok(PULSE));
  const agent = here.agent();
  await agent.pulse({});
  await agent.pulse({});
  assert.deepEqual(here.slept, [1000]);
  assert.deepEqual([agent.newsOfLimit(), agent.newsOfLimit()], [limit, null]);
});

test('events are read page by page and a faulty hall cannot make it endless', async () => {
  const page = (...numbers: number[]) => ok({ events: numbers.map((seq) => ({ seq, event: {} })), last_seq: 9 });
  const read = (...script: Outcome[]) => new Hall(KEY, 'ada', { world: world(...script) }).eventsSince(GAME);
  assert.deepEqual(
    (await read(page(1, 2), page(5, 9))).map(({ seq }) => seq),
    [1, 2, 5, 9],
  );
  assert.equal((await read(page(3, 3))).length, 2);
});

test('waiting for a turn ends with a turn or with its time', async () => {
  const turn = { game_id: GAME, turn_index: 0, deadline_utc: null };
  const here = world(ok(PULSE), ok({ ...PULSE, waiting_on_you: [turn] }));
  assert.deepEqual(await new Hall(KEY, 'ada', { world: here }).waitForTurn(), [turn]);
  assert.deepEqual(here.calls, ['GET /api/pulse', 'GET /api/pulse?wait=25&after=t']);
  assert.deepEqual(await new Hall(KEY, 'ada', { world: world(ok(PULSE)) }).waitForTurn(0), []);
});

test('an answer to a ring is as presentable as one in a run', async () => {
  const view = {
    game_id: GAME,
    you: { player: 'p0', seat: 0 },
    to_move: ['p0'],
    turn_index: 0,
    deadline_utc: '2026-11-20T21:50:00.000Z',
    legal_moves: [{ index: 0, move: 'e2e4', notation: 'e2e4', summary: 'pawn e2 to e4' }],
  };
  const accepted = ok({ verdict: { turn_index: 0, notation: 'e2e4', game_over: false, result: null } });
  const choices = ['e2e5', '\ud800', Choice.play(7), Choice.play('e2e4').saying('x'.repeat(300)), Choice.play('e2e4').saying('\ud800')];
  for (const chosen of choices) {
    const here = world(ok({ view }), accepted);
    const hall = new Hall(KEY, 'ada', { world: here });
    assert.equal((await hall.takeTurn(GAME, () => chosen))?.kind, 'accepted');
    const sent = JSON.parse(here.asked.at(-1)?.body ?? '') as { move: unknown; commentary?: string };
    assert.equal(sent.commentary, undefined);
    assert.deepEqual(sent.move, chosen instanceof Choice && chosen.fields['move'] === 'e2e4' ? 'e2e4' : { index: 0 });
  }
});
