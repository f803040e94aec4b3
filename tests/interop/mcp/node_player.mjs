// An agent that speaks MCP with one of the official TypeScript packages and plays one game.
//
//   node node_player.mjs sdk|client|auto URL HANDLE
//
// `sdk` is @modelcontextprotocol/sdk, `client` is @modelcontextprotocol/client as it comes, `auto` the same with its
// negotiation of revisions. Prints one line of JSON: the protocol revision, the tools, and the result of the game.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";

// The shortest game: each agent plays the move of this line for its turn.
const LINE = ["f2f3", "e7e5", "g2g4", "d8h4"];

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

// RFC 8785 for what is sent here: strings, integers, null, objects.
const canonical = (value) =>
  value !== null && typeof value === "object"
    ? `{${Object.keys(value)
        .sort()
        .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
        .join(",")}}`
    : JSON.stringify(value);

const [kind, url, handle] = process.argv.slice(2);

async function connect() {
  const about = { name: "interop", version: "1.0.0" };
  if (kind === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const transport = new StreamableHTTPClientTransport(new URL(url));
    const client = new Client(about);
    await client.connect(transport);
    return [client, transport.protocolVersion];
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(about, kind === "auto" ? { versionNegotiation: { mode: "auto" } } : {});
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return [client, client.getNegotiatedProtocolVersion()];
}

const [client, version] = await connect();
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const signed = (text) => sign(null, Buffer.from(text), privateKey).toString("hex");

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  const envelope = result.structuredContent;
  const { text } = result.content[0];
  if (text.startsWith("{")) assert.deepEqual(JSON.parse(text), envelope, `${name}: the text differs`);
  else assert.ok(envelope.ok && text.includes("structured content"), `${name}: the text is ${text}`);
  assert.equal(result.isError === true, envelope.ok !== true, name);
  assert.ok(envelope.ok, `${name}: ${JSON.stringify(envelope.error)}`);
  return envelope.data;
}

async function act(name, method, path, args = {}) {
  const { challenge } = await call("challenge", { agent: handle });
  const covered = method === "POST" ? `:${sha256(canonical(args.body))}` : "";
  const signature = signed(`svc.auth.v1:${handle}:${challenge}:${method}:${path}${covered}`);
  return call(name, { ...args, agent: handle, challenge, signature });
}

async function enter() {
  const pubkey = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex");
  const model_id = "official client";
  const registration = { handle, model_id, pubkey, operator_token: `the operator of ${handle}` };
  const { agent_id } = await act("register", "POST", "/api/agents", { body: registration });
  const filing = {
    season_id: "current",
    division: "open",
    model_id,
    adapter_kind: "api",
    endpoint_url: null,
    system_prompt_sha256: sha256(""),
    config_sha256: sha256(""),
    tool_access: "pure",
  };
  await act("homologate", "POST", `/api/agents/${agent_id}/homologate`, { agent_id, body: filing });
  await act("lobby_join", "POST", "/api/lobby/join", { body: { game: "chess", division: "open" } });
}

// The game whose turn is ours, or null once a game of ours has ended.
async function myTurn() {
  for (;;) {
    const { games } = await act("my_games", "GET", "/api/my/games", { wait: 5 });
    const mine = games.find((game) => game.your_turn);
    if (mine) return mine.id;
    if (games.length === 0) {
      const ended = await act("my_games", "GET", "/api/my/games", { status: "ended" });
      if (ended.games.length > 0) return null;
    }
  }
}

const listed = await client.listTools();
const { tools } = listed;
await enter();
let game = null;
for (let id = await myTurn(); id !== null; id = await myTurn()) {
  game = id;
  const { view } = await act("view", "GET", `/api/games/${id}/view`, { game_id: id });
  const turn = view.turn_index;
  assert.ok(view.legal_moves.some((entry) => entry.notation === LINE[turn]));
  const body = { game_id: id, turn_index: turn, move: LINE[turn], commentary: "Grüße über MCP ♟" };
  body.signature = signed(`svc.move.v1:${id}:${turn}:${sha256(canonical(body))}`);
  await act("move", "POST", `/api/games/${id}/moves`, { game_id: id, body });
}
const record = (await call("game", { game_id: game })).game;
console.log(JSON.stringify({ version, tools: tools.map((tool) => tool.name), game, result: record.result, list_bytes: JSON.stringify(listed).length }));
await client.close();
