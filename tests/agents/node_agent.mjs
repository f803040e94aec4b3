#!/usr/bin/env node
// A small agent for Hall in JavaScript, without dependencies (Node 18 or later), written from what a hall serves:
// /api/playbook, /api/howto/chess and /openapi.json.
//
//     node node_agent.mjs http://127.0.0.1:8080 my-agent "a secret you invent" [GAMES]
//
// It keeps its key in a file beside it, registers or goes on where it was, and plays random legal moves in the open
// division. What it reads from other agents is data to it, never an instruction.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [base, handle, operatorToken, games = '1'] = process.argv.slice(2);
if (!operatorToken) {
  console.error('usage: node node_agent.mjs HALL HANDLE OPERATOR_TOKEN [GAMES]');
  process.exit(2);
}
const hall = base.replace(/\/$/, '');
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const seconds = (count) => new Promise((resolve) => setTimeout(resolve, count * 1000));

// One key belongs to one hall, so the hall's name is part of the file's.
const keyFile = `${handle}.${new URL(hall).host.replace(':', '_')}.pem`;
if (!existsSync(keyFile)) {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
}
const key = createPrivateKey(readFileSync(keyFile));
const publicKey = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x, 'base64url').toString('hex');
const signature = (message) => sign(null, Buffer.from(message), key).toString('hex');

// RFC 8785: members in order of their names. JSON.stringify already writes strings and integers as it asks.
const canonical = (value) =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

class Refused extends Error {
  constructor({ code, message }) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

let nextChallenge = null;

let [leftBefore, resume, slowed] = [null, 0, false];

/**
 * A request under the hall's request limit, which all agents at one address share: what is left is spread over the time
 * until more comes back, and the last eighth of it more slowly, because many may want it at once. Without the headers there
 * is no limit.
 */
async function paced(url, options) {
  await seconds(Math.max(0, resume - performance.now()) / 1000);
  const sent = performance.now();
  const answer = await fetch(url, options);
  const told = `${answer.headers.get('RateLimit')}${answer.headers.get('RateLimit-Policy')}`;
  const [left, reset, quota, window] = ['r', 't', 'q', 'w'].map((name) => Number(told.match(`;${name}=(\\d+)`)?.[1]));
  if (Number.isNaN(left + reset + quota + window)) return answer;
  const spent = Math.max(1, (leftBefore ?? 0) - left);
  const untilMore = Math.max(0, reset - (performance.now() - sent) / 1000);
  const reserve = Math.floor(quota / 8);
  const crowd = left < reserve ? (window * reserve) / quota / (left + 1) : 0;
  let pause = left >= quota * 0.75 ? 0 : Math.min(Math.max((untilMore * spent) / (left + 1), crowd), 5);
  if (left === 0) pause = Math.max(pause, untilMore);
  [leftBefore, resume] = [left, performance.now() + pause * 1000];
  if (pause > 0 && !slowed) console.log(`${handle}: slowed down by the hall's limit of ${quota} requests in ${window} s`);
  slowed ||= pause > 0;
  return answer;
}

/** Whether the hall asked for patience; then it has been given. */
async function hadToWait(answer, code) {
  if (code !== 'RATE_LIMITED' && code !== 'UNAVAILABLE') return false;
  await seconds(Number(answer.headers.get('Retry-After') ?? 1));
  return true;
}

async function read(path) {
  const answer = await paced(hall + path);
  const envelope = await answer.json();
  if (envelope.ok) return envelope.data;
  if (await hadToWait(answer, envelope.error.code)) return read(path);
  throw new Refused(envelope.error);
}

/** A signed request. The query is not signed; for POST the hash of the exact bytes of the body is. */
async function call(method, path, { query = '', body } = {}) {
  const raw = body && JSON.stringify(body);
  for (let attempt = 0; ; attempt += 1) {
    const challenge = nextChallenge ?? (await read(`/api/auth/challenge?agent=${handle}`)).challenge;
    nextChallenge = null;
    const message = ['svc.auth.v1', handle, challenge, method, path, ...(raw ? [sha256(raw)] : [])].join(':');
    const headers = { 'X-Svc-Agent': handle, 'X-Svc-Challenge': challenge, 'X-Svc-Signature': signature(message) };
    if (raw) headers['Content-Type'] = 'application/json';
    const answer = await paced(hall + path + query, { method, headers, body: raw });
    const envelope = await answer.json();
    nextChallenge = answer.headers.get('X-Svc-Next-Challenge');
    if (envelope.ok) return envelope.data;
    const { code } = envelope.error;
    if (attempt < 5 && (await hadToWait(answer, code))) continue;
    if (attempt > 0 || !code.startsWith('CHALLENGE_')) throw new Refused(envelope.error);
  }
}

async function unless(codes, work) {
  try {
    return await work();
  } catch (error) {
    if (!codes.includes(error.code)) throw error;
    return null;
  }
}

async function enter() {
  const about = { model_id: 'example-node', adapter_kind: 'scaffold' };
  const body = { handle, pubkey: publicKey, operator_token: operatorToken, ...about };
  await unless(['HANDLE_TAKEN'], () => call('POST', '/api/agents', { body }));
  const { agent } = await read(`/api/agents/${handle}`);
  if (agent.pubkey_ed25519 !== publicKey) throw new Error(`the handle belongs to another key: choose another one`);
  const filing = {
    season_id: 'current', division: 'open', endpoint_url: null, tool_access: 'pure',
    system_prompt_sha256: sha256(''), config_sha256: sha256(''), ...about,
  };
  await call('POST', `/api/agents/${agent.id}/homologate`, { body: filing });
}

async function takeTurn(id) {
  const { view } = await call('GET', `/api/games/${id}/view`);
  if (!view.to_move.includes(view.you.player)) return;
  const chosen = view.legal_moves[Math.floor(Math.random() * view.legal_moves.length)];
  // Answering by index is always accepted. The body is signed without its signature, which is then attached.
  const body = { game_id: id, turn_index: view.turn_index, move: { index: chosen.index }, commentary: `♞ ${chosen.summary}` };
  body.signature = signature(`svc.move.v1:${id}:${view.turn_index}:${sha256(canonical(body))}`);
  await unless(['wrong_turn', 'GAME_NOT_LIVE'], () => call('POST', `/api/games/${id}/moves`, { body }));
}

let [ended, tag, queued, live, toldEnded] = [0, null, false, new Set(), null];

/** One look at the own games: what has ended is told, a lobby joined where nothing is left, due turns are played. */
async function step() {
  const query = '?status=live' + (tag ? `&wait=25&after=${tag}` : '');
  const answer = await call('GET', '/api/my/games', { query });
  tag = answer.waiting_tag;
  const now = new Set(answer.games.map((game) => game.id));
  const over = new Set(answer.recently_ended?.map((game) => game.game_id));
  // A game may begin and end between two looks.
  for (const id of over) if (toldEnded !== null && !toldEnded.has(id)) live.add(id);
  toldEnded = over;
  for (const id of [...live].filter((id) => !now.has(id))) {
    live.delete(id);
    ended += 1;
    queued = false;
    console.log(`${handle}: ${id} ended: ${JSON.stringify((await read(`/api/games/${id}`)).game.result)}`);
  }
  if ([...now].some((id) => !live.has(id))) queued = false;
  live = now;
  if (live.size === 0 && !queued && ended < Number(games)) {
    const lobby = { game: 'chess', division: 'open' };
    const joined = await unless(['ALREADY_IN_LOBBY'], () => call('POST', '/api/lobby/join', { body: lobby }));
    [tag, queued] = [null, true];
    if (joined?.game_id) live.add(joined.game_id);
  }
  for (const game of answer.games) if (game.your_turn) await takeTurn(game.id);
}

/** Ends the program with one sentence that says what to do. */
function giveUp(error) {
  console.error(`${handle}: ${error.message}`);
  process.exit(1);
}

await enter().catch(giveUp);
while (ended < Number(games)) {
  try {
    await step();
  } catch (error) {
    if (error instanceof Refused) giveUp(error);
    // The hall is away, or an answer was lost: the next look tells what became of it.
    console.error(`${handle}: ${error.message}; trying again`);
    [nextChallenge, tag] = [null, null];
    await seconds(1);
  }
}
