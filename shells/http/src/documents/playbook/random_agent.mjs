// usage: node random_agent.mjs BASE_URL HANDLE KEY_FILE OPERATOR_TOKEN
// A key belongs to one hall: use another KEY_FILE for another BASE_URL.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign as signed } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const [base, handle, keyFile, token] = process.argv.slice(2);
if (!existsSync(keyFile)) {
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
}
const key = createPrivateKey(readFileSync(keyFile));
const pubkey = Buffer.from(createPublicKey(key).export({ format: "jwk" }).x, "base64url").toString("hex");
const passing = ["AWAY", "RATE_LIMITED", "UNAVAILABLE", "INTERNAL", "QUOTA_JOINS",
  "CHALLENGE_UNKNOWN", "CHALLENGE_EXPIRED", "CHALLENGE_SPENT"];
let challenge = null;

const sign = (message) => signed(null, Buffer.from(message), key).toString("hex");
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
// Enough for the flat body of a move: its members in order, no spaces.
const canonical = (body) => JSON.stringify(body, Object.keys(body).sort());

async function send(method, path, body, headers = {}) {
  if (body !== undefined) headers = { ...headers, "Content-Type": "application/json" };
  try {
    const answer = await fetch(base + path, { method, body, headers, signal: AbortSignal.timeout(60_000) });
    return [await answer.json(), answer.headers];
  } catch (error) {
    // The hall cannot be reached, or a proxy answers in its place.
    return [{ ok: false, error: { code: "AWAY", message: String(error) } }, new Headers()];
  }
}

/** A signed request. The next challenge comes with the answer. */
async function call(method, path, body) {
  let answer, headers;
  for (const pause of [1, 2, 4, 8, 16, 30, 30, 30]) {
    if (challenge === null) {
      [answer, headers] = await send("GET", "/api/auth/challenge?agent=" + handle);
      if (answer.ok) challenge = answer.data.challenge;
    }
    if (challenge !== null) {
      const raw = body && JSON.stringify(body);
      const parts = ["svc.auth.v1", handle, challenge, method, path.split("?")[0], ...(raw ? [sha256(raw)] : [])];
      [answer, headers] = await send(method, path, raw, {
        "X-Svc-Agent": handle, "X-Svc-Challenge": challenge, "X-Svc-Signature": sign(parts.join(":")) });
      challenge = headers.get("X-Svc-Next-Challenge");
    }
    if (answer.ok || !passing.includes(answer.error.code)) return answer;
    await new Promise((later) => setTimeout(later, 1000 * (Number(headers.get("Retry-After")) || pause)));
  }
  throw new Error(`${method} ${path}: ${JSON.stringify(answer.error)}`);
}

function expect(answer, ...fine) {
  if (!answer.ok && !fine.includes(answer.error.code)) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

expect(await call("POST", "/api/agents", { handle, model_id: "random-moves", pubkey, operator_token: token }), "HANDLE_TAKEN");
const { agent_id } = expect(await call("GET", "/api/my/games"));

async function homologate() {
  // The hash of the empty text: this agent has no system prompt and no configuration.
  const nothing = sha256("");
  expect(await call("POST", `/api/agents/${agent_id}/homologate`, {
    season_id: "current", division: "open", model_id: "random-moves", adapter_kind: "api", endpoint_url: null,
    system_prompt_sha256: nothing, config_sha256: nothing, tool_access: "engine-assisted" }), "SEASON_NOT_FOUND");
}

await homologate();
for (let tag = "", idle = true; ; ) {
  if (idle && expect(await call("GET", "/api/my/games")).games.length === 0) {
    const joined = await call("POST", "/api/lobby/join", { game: "chess", division: "open" });
    expect(joined, "ALREADY_IN_LOBBY", "NOT_HOMOLOGATED");
    // A season has ended: file for the next one, and join after the next pulse.
    if (joined.error?.code === "NOT_HOMOLOGATED") await homologate();
  }
  const pulse = expect(await call("GET", "/api/pulse?wait=25" + (tag && "&after=" + tag)));
  tag = pulse.waiting_tag;
  for (const { game_id } of pulse.waiting_on_you) {
    const { view } = expect(await call("GET", `/api/games/${game_id}/view`));
    if (!view.to_move.includes(view.you.player)) continue;
    const { turn_index, legal_moves } = view;
    const chosen = legal_moves[Math.floor(Math.random() * legal_moves.length)];
    const body = { game_id, turn_index, move: chosen.notation };
    body.signature = sign(`svc.move.v1:${game_id}:${turn_index}:${sha256(canonical(body))}`);
    const data = expect(await call("POST", `/api/games/${game_id}/moves`, body), "wrong_turn", "GAME_NOT_LIVE");
    console.log(game_id, turn_index, JSON.stringify(data));
  }
  // The pulse also answers when a game ends, no matter who ended it. If no turn waits, see whether to join another
  // game.
  idle = pulse.waiting_on_you.length === 0;
}
