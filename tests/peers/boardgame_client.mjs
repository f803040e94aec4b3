// Opens a game of two players at boardgame.io, with its official clients for lobby and game.
import { createRequire } from "node:module";
import { games } from "./boardgame_games.mjs";

const require = createRequire(import.meta.url);
const { Client, LobbyClient } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");

const BOTH = "boardgame.io/client over socket.io, websocket only";
export const CLIENTS = { chess: BOTH, counter: BOTH };

const join = async (lobby, port, game, matchID, playerID) => {
  const { playerCredentials: credentials } = await lobby.joinMatch(game, matchID, { playerID, playerName: playerID });
  const socketOpts = { transports: ["websocket"], forceNew: true };
  const multiplayer = SocketIO({ server: `http://127.0.0.1:${port}`, socketOpts });
  const client = Client({ game: games[game], numPlayers: 2, matchID, playerID, credentials, multiplayer, debug: false });
  const player = { move: text => client.moves.move(text), leave: () => client.stop(), onState: () => {} };
  await new Promise(joined => {
    client.subscribe(state => {
      if (state === null) return;
      joined();
      // The state's own number counts other actions too; each move ends a turn.
      player.onState(state.ctx.turn - 1, state.ctx.gameover !== undefined);
    });
    client.start();
  });
  return player;
};

/** Makes a match and lets both players join; resolves when both have its state. */
export const openGame = async (port, game) => {
  const lobby = new LobbyClient({ server: `http://127.0.0.1:${port + 1}` });
  const { matchID } = await lobby.createMatch(game, { numPlayers: 2 });
  return [await join(lobby, port, game, matchID, "0"), await join(lobby, port, game, matchID, "1")];
};
