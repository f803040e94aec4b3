// Serves chess and a counter with boardgame.io, in memory.
//
//   node boardgame_server.mjs PORT
//
// The lobby, which creates matches, listens on the next port.
import { createRequire } from "node:module";
import { games } from "./boardgame_games.mjs";

const { Server } = createRequire(import.meta.url)("boardgame.io/server");
const host = "127.0.0.1", port = Number(process.argv[2]);

await Server({ games: Object.values(games), origins: [] }).run({
  // boardgame.io passes both values to listen(), and has no setting for the address.
  port: { host, port },
  // On the same port the lobby answers 404: koa-compose 4.2 copies the list of handlers before the lobby's are in it.
  lobbyConfig: { apiPort: { host, port: port + 1 } },
});
console.log(`boardgame.io listens on ${host}:${port}`);
