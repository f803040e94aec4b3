// The board of chess. A position is 64 letters, a8 first. The hall has checked every move, so playing one is moving letters.

// Games that have a picture, and what their players are called. Of other games the moves are shown as text.
const PICTURED = { chess: { p0: "White", p1: "Black" } };

const GLYPH = { k: "\u265A", q: "\u265B", r: "\u265C", b: "\u265D", n: "\u265E", p: "\u265F" };
const NAME = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const START = "rnbqkbnrpppppppp" + ".".repeat(32) + "PPPPPPPPRNBQKBNR";
const UCI = /^[a-h][1-8][a-h][1-8][qrbn]?$/;

const square = name => (8 - Number(name[1])) * 8 + "abcdefgh".indexOf(name[0]);
const play = (position, move) => {
  const cells = position.split("");
  const from = square(move.slice(0, 2)), to = square(move.slice(2, 4));
  const piece = cells[from], kind = piece.toLowerCase(), row = from - from % 8;
  if (kind === "p" && from % 8 !== to % 8 && cells[to] === ".") cells[row + to % 8] = ".";
  if (kind === "k" && Math.abs(from - to) === 2) {
    const short = to > from;
    cells[row + (short ? 5 : 3)] = cells[row + (short ? 7 : 0)];
    cells[row + (short ? 7 : 0)] = ".";
  }
  cells[to] = move[4] ? (piece === "P" ? move[4].toUpperCase() : move[4]) : piece;
  cells[from] = ".";
  return cells.join("");
};

const squares = [...Array(64).keys()].map(index => {
  const cell = make("div", (index + (index >> 3)) % 2 ? "square dark" : "square");
  at("board").append(cell);
  return cell;
});
const drawBoard = (position, marks) => squares.forEach((cell, index) => {
  const letter = position[index], kind = letter.toLowerCase();
  cell.classList.toggle("mark", marks.includes(index));
  cell.replaceChildren();
  if (letter === ".") return;
  const piece = make("span", letter === kind ? "black" : "white", GLYPH[kind] + "\uFE0E");
  piece.title = (letter === kind ? "black " : "white ") + NAME[kind];
  cell.append(piece);
});
