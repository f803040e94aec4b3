// The moves of a game, as a list that is played from its start.
//
// The chess game has no capture and no check, so that all its positions cost a chess library about the same.
// White's rook moves in a cycle of three and Black's knight in a cycle of four, so a position repeats after 12 rounds.
// Each side moves a pawn once in 24 rounds, before threefold repetition or the fifty-move rule can end the game.
const ROOK = ["h1h2", "h2h3", "h3h1"], KNIGHT = ["b8c6", "c6b4", "b4a6", "a6b8"], ROUNDS = 24;
// The first move opens the rook's file. No pawn enters a square of the rook or the knight.
const WHITE_PAWNS = "h2h4 d2d3 e2e3 f2f3 g2g3 c2c3 a2a3 b2b3 d3d4 e3e4 f3f4 g3g4 c3c4 a3a4 a4a5".split(" ");
const BLACK_PAWNS = "d7d6 e7e6 f7f6 g7g6 b7b6 h7h6 d6d5 e6e5 f6f5 g6g5 b6b5 h6h5".split(" ");

const chess = [];
let steps = 0, jumps = 0;
for (let round = 0; round < ROUNDS * WHITE_PAWNS.length; round += 1) {
  const whitePawn = round % ROUNDS === 0 && WHITE_PAWNS[round / ROUNDS];
  const blackPawn = round % ROUNDS === ROUNDS / 2 && BLACK_PAWNS[Math.floor(round / ROUNDS)];
  chess.push(whitePawn || ROOK[steps++ % ROOK.length], blackPawn || KNIGHT[jumps++ % KNIGHT.length]);
}

/** The move at a ply; undefined after the last one, where a new game has to begin. */
export const moveAt = { chess: ply => chess[ply], counter: () => "one" };
