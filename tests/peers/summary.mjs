// Summarizes the lines of all rounds, those of the peers and those of the hall, in one JSON document.
//
//   node summary.mjs CORES PEERS HALL
import { readFileSync } from "node:fs";

const cores = Number(process.argv[2]);
const [lines, hall] = process.argv.slice(3).map(file => readFileSync(file, "utf8").trim().split("\n").map(line => JSON.parse(line)));
const installed = JSON.parse(readFileSync(new URL("package.json", import.meta.url))).dependencies;
const PACKAGES = { boardgame: "boardgame.io", colyseus: "colyseus" };

const summary = (framework, game) => {
  const own = lines.filter(line => line.framework === framework && line.game === game);
  const rounds = own.filter(line => "moves" in line).sort((one, other) => one.moves_per_second - other.moves_per_second);
  const memory = own.find(line => "resident_bytes" in line);
  const median = rounds[Math.floor(rounds.length / 2)], rate = round => round.moves_per_second;
  const { p50_ms, p99_ms, server_cpu_seconds_per_move, server_core_share, client_core_share, client } = median;
  return {
    framework, version: installed[PACKAGES[framework]], game, client, games: median.games, rounds: rounds.length,
    moves_per_second: { median: rate(median), min: rate(rounds[0]), max: rate(rounds.at(-1)) },
    // From the round with the median rate.
    p50_ms, p99_ms, server_cpu_seconds_per_move, server_core_share, client_core_share,
    resident_bytes: memory.resident_bytes, memory_bytes_per_game: memory.memory_bytes_per_game,
  };
};

const pairs = new Map(lines.map(({ framework, game }) => [`${framework} ${game}`, [framework, game]]));
const peers = [...pairs.values()].map(pair => summary(...pair));

const atTheHall = game => {
  const own = hall.filter(report => report.game === game), rate = report => report.moves_per_second.median;
  own.sort((one, other) => rate(one) - rate(other));
  const median = own[Math.floor(own.length / 2)];
  return {
    game, games: median.live_games, connections: median.connections, rounds: own.length,
    moves_per_second: { median: rate(median), min: rate(own[0]), max: rate(own.at(-1)) },
    p50_ms: median.latency_us.p50 / 1000, p99_ms: median.latency_us.p99 / 1000,
    server_cpu_seconds_per_move: median.server_cpu_us_per_move.median / 1e6,
  };
};
const halls = ["chess", "hex"].map(atTheHall);

// Which game at the hall stands beside which one at the others.
const BESIDE = { chess: halls[0], counter: halls[1] };
const ratios = Object.fromEntries(peers.map(({ framework, game, moves_per_second }) =>
  [`hall to ${framework}, ${game}`, Number((BESIDE[game].moves_per_second.median / moves_per_second.median).toFixed(2))]));

console.log(JSON.stringify({
  node: process.version, chess_js: installed["chess.js"], cores, pinned: cores > 1, peers, hall: halls, ratios,
}, null, 2));
