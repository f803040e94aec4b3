// Addresses, timers and keys. The fragment of the address is the choice of the viewer: `#g_…` is a game, nothing is the
// featured game; other fragments are places on the page.

const GAME_ID = /^g_[0-9a-z]{26}$/;
const chosen = () => location.hash.startsWith("#g_");
const route = () => {
  const wanted = chosen() ? location.hash.slice(1) : (liveGames[0] ?? endedGames[0])?.id;
  if (!wanted) return clear(null, "Looking for a game…");
  if (!GAME_ID.test(wanted)) return unknown("The address of this page names no game.");
  if (wanted !== game.id) watch(wanted);
  else drawTexts();
  // The list that was clicked may be far below the board.
  if (chosen()) at("top").scrollIntoView({ block: "nearest" });
};

const pulse = async () => {
  const now = await ask("/api/pulse");
  clockOffset = Date.parse(now.time_utc) - Date.now();
  at("pulse").textContent = now.live_games + " live, " + now.ended_games + " ended, " + now.lobby_waiting + " waiting" + (now.season_id ? ", season " + now.season_id : "");
};
const load = async () => {
  const { games } = await ask("/api/catalog");
  moveMs = new Map(games.map(entry => [entry.id, entry.move_ms]));
  // The featured game is chosen by ratings and the hall's clock.
  await Promise.all([rank(), pulse()]);
  await refresh();
};

// An address may send a limited number of requests a minute; a page in the background sends none.
const attempt = task => task().catch(() => { at("pulse").textContent = "The hall does not answer. Trying again."; });
const every = (seconds, task) => setInterval(() => { if (!document.hidden) attempt(task); }, seconds * 1000);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return pause();
  attempt(load);
  if (game.record) follow(game);
  else if (game.id) watch(game.id);
});
addEventListener("hashchange", route);
addEventListener("keydown", key => {
  if (key.altKey || key.ctrlKey || key.metaKey) return;
  if (key.key === "ArrowLeft") show(game.ply - 1);
  if (key.key === "ArrowRight") show(game.ply + 1);
});
for (const [id, ply] of [["first", () => 0], ["back", () => game.ply - 1], ["forth", () => game.ply + 1], ["last", () => Infinity]])
  at(id).addEventListener("click", () => show(ply()));
at("here").textContent = location.origin;
drawPosition();
if (chosen()) route();
attempt(load);
every(10, refresh);
every(30, rank);
every(15, pulse);
setInterval(drawClocks, 1000);
