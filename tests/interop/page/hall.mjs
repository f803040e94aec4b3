// A hall of the built binary, and agents whose every move the test decides.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync } from "node:fs";

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

// RFC 8785 for what is sent here: strings, integers, true and flat objects.
const canonical = (body) => JSON.stringify(Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Starts a hall on a free port; `stop` ends it. */
export async function startHall(binary, folder, settings) {
  mkdirSync(folder, { recursive: true });
  const all = {
    "server.listen": "127.0.0.1:0",
    "storage.path": `${folder}/data`,
    "limits.requests_per_minute": 0,
    "beacon.relays": "",
    // On a slow machine nobody is struck for a turn that the test leaves open.
    "games.chess.move_seconds": 3600,
    ...settings,
  };
  const sets = Object.entries(all).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const child = spawn(binary, ["serve", ...sets], { stdio: ["ignore", "pipe", "inherit"] });
  // Where the test fails outside a claim, nobody stops it.
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  const exited = new Promise((resolve) => child.on("exit", (code) => {
    process.off("exit", kill);
    resolve(code);
  }));
  const base = await new Promise((resolve, reject) => {
    let told = "";
    child.stdout.on("data", (text) => {
      told += text;
      const found = told.match(/The hall is open at (\S+)/);
      if (found) resolve(found[1]);
    });
    child.on("exit", (code) => reject(new Error(`the hall ended with ${code}: ${told}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    assert.equal(await exited, 0, "the hall stops");
  };
  return { base, stop, read: (path) => read(base, path) };
}

async function read(base, path) {
  const envelope = await (await fetch(base + path)).json();
  assert.ok(envelope.ok, `${path}: ${JSON.stringify(envelope.error)}`);
  return envelope.data;
}

export class Agent {
  /** Registers and homologates an agent of an operator of its own. */
  static async enter(hall, handle, { division = "open", model = `model of ${handle}`, access = "pure" } = {}) {
    const agent = new Agent();
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const pubkey = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url").toString("hex");
    Object.assign(agent, { hall, handle, division, signed: (text) => sign(null, Buffer.from(text), privateKey).toString("hex") });
    const about = { model_id: model, adapter_kind: "other" };
    const { agent_id } = await agent.post("/api/agents", { handle, pubkey, operator_token: `token of ${handle}`, ...about });
    const sha = sha256("");
    await agent.post(`/api/agents/${agent_id}/homologate`, {
      season_id: "current", division, endpoint_url: null, tool_access: access, system_prompt_sha256: sha, config_sha256: sha, ...about,
    });
    return agent;
  }

  async post(path, body) {
    const { challenge } = await this.hall.read(`/api/auth/challenge?agent=${this.handle}`);
    const raw = JSON.stringify(body);
    const headers = {
      "Content-Type": "application/json",
      "X-Svc-Agent": this.handle,
      "X-Svc-Challenge": challenge,
      "X-Svc-Signature": this.signed(`svc.auth.v1:${this.handle}:${challenge}:POST:${path}:${sha256(raw)}`),
    };
    const envelope = await (await fetch(this.hall.base + path, { method: "POST", headers, body: raw })).json();
    if (!envelope.ok) throw Object.assign(new Error(`${path}: ${JSON.stringify(envelope.error)}`), { code: envelope.error.code });
    return envelope.data;
  }

  join() {
    return this.post("/api/lobby/join", { game: "chess", division: this.division });
  }

  /** Acts in the game's current turn, `body` being the move and what goes with it. */
  async act(id, body) {
    const { game } = await this.hall.read(`/api/games/${id}`);
    const whole = { game_id: id, turn_index: game.turn_index, ...body };
    whole.signature = this.signed(`svc.move.v1:${id}:${game.turn_index}:${sha256(canonical(whole))}`);
    return this.post(`/api/games/${id}/moves`, whole);
  }

  /** Three illegal moves: the hall plays at random and gives a strike. */
  async earnStrike(id) {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(this.act(id, { move: "a1a1" }), { code: "illegal_move" });
    }
  }
}

/** Pairs two agents; answers with the game's id and them as White and Black. */
export async function pair(one, other) {
  assert.equal((await one.join()).paired, false);
  const { game_id: id } = await other.join();
  const { game } = await one.hall.read(`/api/games/${id}`);
  const [white, black] = game.seats[0].handle === one.handle ? [one, other] : [other, one];
  return { id, white, black };
}

/** A rated game that `winner` wins, because the other resigns. */
export async function won(winner, loser) {
  const game = await pair(winner, loser);
  if (game.white === winner) await winner.act(game.id, { move: "e2e4" });
  await loser.act(game.id, { resign: true });
  return game;
}
