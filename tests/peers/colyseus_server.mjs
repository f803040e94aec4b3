// Serves chess and a counter with colyseus over its websocket transport, in memory.
//
//   node colyseus_server.mjs PORT
import { schema, t } from "@colyseus/schema";
import { Chess, DEFAULT_POSITION } from "chess.js";
import { Room, Server, WebSocketTransport } from "colyseus";

const turns = { ply: t.uint32().default(0), over: t.boolean().default(false) };
const ChessState = schema({ ...turns, fen: t.string().default(DEFAULT_POSITION) }, "ChessState");
const CounterState = schema({ ...turns, count: t.uint32().default(0) }, "CounterState");

class TurnRoom extends Room {
  maxClients = 2;
  // Each move sends its patch at once: with the default of 50 ms a game could not make more than 20 moves a second. A long
  // interval instead of none, because without one the room's clock would tick 60 times a second.
  patchRate = 1000;
  seats = [];
  messages = {
    move: (client, text) => {
      if (this.state.over || this.seats[this.state.ply % 2] !== client.sessionId || !this.play(text)) {
        client.send("refused", text);
        return;
      }
      this.state.ply += 1;
      this.broadcastPatch();
    },
  };

  onJoin(client) {
    this.seats.push(client.sessionId);
  }
}

class ChessRoom extends TurnRoom {
  state = new ChessState();
  board = new Chess();

  play(uci) {
    try {
      // For a text, chess.js would first write every legal move in SAN to compare it.
      this.board.move({ from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci.slice(4) || undefined });
    } catch {
      return false;
    }
    this.state.fen = this.board.fen();
    this.state.over = this.board.isGameOver();
    return true;
  }
}

class CounterRoom extends TurnRoom {
  state = new CounterState();

  play() {
    this.state.count += 1;
    return true;
  }
}

const host = "127.0.0.1", port = Number(process.argv[2]);
const server = new Server({ transport: new WebSocketTransport(), greet: false });
server.define("chess", ChessRoom);
server.define("counter", CounterRoom);
await server.listen(port, host);
console.log(`colyseus listens on ${host}:${port}`);
