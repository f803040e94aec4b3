// Plays many games at once at one of the servers, and prints what it measured as one line of JSON.
//
//   node load.mjs boardgame|colyseus chess|counter PORT GAMES SECONDS [SERVER_PID]
//
// Each game has one move in flight: the next one is sent when the state after the last one has reached the player to move.
// With SERVER_PID the line also has the processor time of the server.
import { moveAt } from "./moves.mjs";
import { processorSeconds } from "./server_process.mjs";

const OPENING_SECONDS = 60, WARM_UP_SECONDS = 2, STILL_MILLIS = 1000;
const [framework, game, ...numbers] = process.argv.slice(2);
const [port, games, seconds, serverPid] = numbers.map(Number);
const { openGame, CLIENTS } = await import(`./${framework}_client.mjs`);
const pause = duration => new Promise(resolve => setTimeout(resolve, duration * 1000));

/** Plays to the end of the game or of the list of moves; calls `accepted` with the milliseconds of each move. */
const playOut = (players, accepted) => new Promise(ended => {
  let ply = 0, sent;
  const send = () => {
    const move = moveAt[game](ply);
    if (move === undefined) return ended();
    sent = performance.now();
    players[ply % 2].move(move);
  };
  players.forEach((player, seat) => {
    player.onState = (reached, over) => {
      if (reached !== ply + 1 || seat !== reached % 2) return;
      accepted(performance.now() - sent);
      ply = reached;
      if (over) ended();
      else send();
    };
  });
  send();
});

const last = Array(games).fill(0);
let millis = [];
const playOn = async (players, index) => {
  for (;;) {
    await playOut(players, took => {
      last[index] = performance.now();
      millis.push(took);
    });
    for (const player of players) player.leave();
    players = await openGame(port, game);
  }
};

// The clients wait forever for a server that is gone.
const late = setTimeout(() => { throw new Error("the games could not be opened"); }, OPENING_SECONDS * 1000);
const opened = await Promise.all(last.map(() => openGame(port, game)));
clearTimeout(late);
opened.forEach(playOn);
await pause(WARM_UP_SECONDS);

millis = [];
const began = performance.now(), clientBegan = process.cpuUsage();
const serverBegan = serverPid && processorSeconds(serverPid);
await pause(seconds);
const lasted = (performance.now() - began) / 1000, client = process.cpuUsage(clientBegan);
const server = serverPid && processorSeconds(serverPid) - serverBegan;

// A game stands still if the server refused a move or is gone.
const still = last.filter(time => time < performance.now() - STILL_MILLIS).length;
if (still > 0) throw new Error(`${still} of ${games} games stood still`);
millis.sort((one, other) => one - other);
const quantile = share => Number(millis[Math.floor(share * millis.length)].toFixed(3));
console.log(JSON.stringify({
  framework, game, games, seconds: Number(lasted.toFixed(3)), moves: millis.length,
  moves_per_second: Number((millis.length / lasted).toFixed(1)), p50_ms: quantile(0.5), p99_ms: quantile(0.99),
  ...(serverPid && {
    server_cpu_seconds_per_move: Number((server / millis.length).toPrecision(3)),
    server_core_share: Number((server / lasted).toFixed(3)),
  }),
  client_core_share: Number(((client.user + client.system) / 1e6 / lasted).toFixed(3)), client: CLIENTS[game],
}));
// The games still run and keep the process alive.
process.exit(0);
