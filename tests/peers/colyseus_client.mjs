// Opens a game of two players at colyseus, with its official client.
//
// For the counter this client needs more processor time than the server. There it only joins; after that the moves are
// written as frames of the wire protocol, and the patches that come back are counted, not decoded.

// Node 22 has a WebSocket, which the client would take instead of the ws package.
delete globalThis.WebSocket;
const { Client, Protocol } = await import("@colyseus/sdk");

export const CLIENTS = {
  chess: "@colyseus/sdk over ws",
  counter: "@colyseus/sdk to join, then colyseus frames over ws",
};

const seated = async room => {
  const player = { move: text => room.send("move", text), leave: () => room.leave(), onState: () => {} };
  room.onMessage("refused", text => { throw new Error(`colyseus refused the move ${text}`); });
  await new Promise(joined => {
    room.onStateChange(state => {
      joined();
      player.onState(state.ply, state.over);
    });
  });
  return player;
};

const withFrames = (player, room) => {
  const socket = room.connection.transport.ws;
  let ply = 0;
  socket.onmessage = null;
  socket.binaryType = "nodebuffer";
  socket.on("message", frame => {
    // The server sends one patch for each accepted move, and another kind of frame for a refused one.
    if (frame[0] === Protocol.ROOM_STATE_PATCH) player.onState(ply += 1, false);
  });
  // The message's name and the move are MessagePack strings of less than 32 bytes: one byte for the length, then the text.
  const short = text => String.fromCharCode(0xa0 + text.length) + text;
  const head = String.fromCharCode(Protocol.ROOM_DATA) + short("move");
  player.move = text => socket.send(Buffer.from(head + short(text), "latin1"));
};

/** Makes a room and lets both players join; resolves when both have its state. */
export const openGame = async (port, game) => {
  const client = new Client(`http://127.0.0.1:${port}`);
  const first = await client.create(game), firstPlayer = await seated(first);
  const second = await client.joinById(first.roomId), secondPlayer = await seated(second);
  if (game === "counter") {
    withFrames(firstPlayer, first);
    withFrames(secondPlayer, second);
  }
  return [firstPlayer, secondPlayer];
};
