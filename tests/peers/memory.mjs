// Opens games in which nobody moves, and prints the memory that the server took for each, as one line of JSON.
//
//   node memory.mjs boardgame|colyseus chess|counter PORT SERVER_PID
//
// Both players stay connected, because colyseus drops an empty room. The figure therefore includes two connections.
import { residentBytes } from "./server_process.mjs";

const FEW = 64, MORE = 1000, AT_ONCE = 16, SETTLE_SECONDS = 2, OPENING_SECONDS = 120;
const [framework, game, port, serverPid] = process.argv.slice(2);
const { openGame } = await import(`./${framework}_client.mjs`);

const residentAfter = async count => {
  let left = count;
  const opening = async () => {
    while (left > 0) {
      left -= 1;
      await openGame(Number(port), game);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, opening));
  await new Promise(resolve => setTimeout(resolve, SETTLE_SECONDS * 1000));
  return residentBytes(serverPid);
};

// The clients wait forever for a server that is gone.
setTimeout(() => { throw new Error("the games could not be opened"); }, OPENING_SECONDS * 1000);
const few = await residentAfter(FEW), many = await residentAfter(MORE);
console.log(JSON.stringify({
  framework, game, resident_bytes: { [FEW]: few, [FEW + MORE]: many },
  memory_bytes_per_game: Math.round((many - few) / MORE),
}));
process.exit(0);
