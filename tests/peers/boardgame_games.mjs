// The games for boardgame.io. Its server and its client take the same objects.
import { createRequire } from "node:module";
import { Chess, DEFAULT_POSITION } from "chess.js";

// The package's entry points are folders, which only require() resolves.
const { INVALID_MOVE } = createRequire(import.meta.url)("boardgame.io/core");

// Without `client: false` the client would also run every move, ahead of the server.
const game = (name, setup, move) => ({
  name, setup, minPlayers: 2, maxPlayers: 2, turn: { minMoves: 1, maxMoves: 1 }, moves: { move: { move, client: false } },
});

const playChess = ({ G, events }, uci) => {
  // State must be plain JSON, so each move rebuilds the board from its FEN. A FEN does not show repetition. A history in the
  // state would, but it would go to both players with every move; so threefold repetition does not end a game here.
  const board = new Chess(G.fen, { skipValidation: true });
  try {
    // For a text, chess.js would first write every legal move in SAN to compare it.
    board.move({ from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci.slice(4) || undefined });
  } catch {
    return INVALID_MOVE;
  }
  G.fen = board.fen();
  if (board.isGameOver()) events.endGame({ fen: G.fen });
};

export const games = {
  chess: game("chess", () => ({ fen: DEFAULT_POSITION }), playChess),
  counter: game("counter", () => ({ count: 0 }), ({ G }) => { G.count += 1; }),
};
