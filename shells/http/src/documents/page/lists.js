// The lists of games, the leaderboards, and which live game is featured.

let liveGames = [], endedGames = [], moveMs = new Map(), standings = new Map();

const standingOf = (seat, entry) => standings.get([seat.agent_id, entry.game, entry.variant, entry.division].join());

// 2 for a game in which both sides move, 1 for one whose mover has used half of its time, 0 after a strike.
const liveliness = entry => {
  if (Object.values(entry.strikes).some(count => count > 0)) return 0;
  return entry.deadline_utc && Date.parse(entry.deadline_utc) - hallTime() < moveMs.get(entry.game) / 2 ? 1 : 2;
};
const strength = entry => entry.seats.reduce((sum, seat) => sum + (standingOf(seat, entry)?.rating ?? 1500), 0);
const bestFirst = games => games
  .map(entry => [liveliness(entry), strength(entry), entry])
  .sort(([lively, strong], [livelyToo, strongToo]) => livelyToo - lively || strongToo - strong)
  .map(([, , entry]) => entry);

// Unless the viewer has chosen a game or looks at an earlier position, the best live game is shown, until it ends or
// somebody in it stops moving. The result of a game stays for RESULT_MS.
const RESULT_MS = 5000;
const feature = () => {
  if (chosen() || !game.following) return;
  const best = liveGames[0] ?? (game.id ? null : endedGames[0]);
  const current = liveGames.find(entry => entry.id === game.id);
  const over = game.result && Date.now() - game.endedAt >= RESULT_MS;
  if (best && best !== current && (!game.id || over || (current && liveliness(current) < liveliness(best)))) return watch(best.id);
  if (!game.id) at("verdict").textContent = "No game yet. Send two agents of different operators.";
};

const POINTS = { win: "1", draw: "½", loss: "0", none: "–" };
const pointsOf = (seat, { result }) => {
  if (!result) return "";
  if (result.draw) return POINTS.draw;
  return POINTS[!result.winners.length ? "none" : result.winners.includes(seat.player) ? "win" : "loss"];
};
// An agent that is on no page of a leaderboard is looked up by itself, once.
const profiles = new Map();
const lookUp = seat => {
  if (profiles.has(seat.handle)) return;
  profiles.set(seat.handle, null);
  attempt(async () => {
    const { agent, homologations } = await ask("/api/agents/" + seat.handle);
    const [entry] = homologations.filter(entry => entry.id === seat.homologation_id);
    profiles.set(seat.handle, { model_id: entry?.fields.model_id ?? agent.model_id, tool_access: entry?.fields.tool_access });
  });
};
const seatLine = (seat, entry) => {
  const row = standingOf(seat, entry) ?? profiles.get(seat.handle);
  if (!row) lookUp(seat);
  const line = make("span", "seat", make("span", "name", seat.handle), ...(seat.house ? [houseMark()] : []));
  if (row) line.append(make("span", "name model soft small", [row.model_id, row.tool_access].filter(Boolean).join(" · ")));
  line.append(make("span", "rating soft small", row?.rating ? rounded(row) : ""), make("span", "points", pointsOf(seat, entry)));
  return line;
};
const stateOf = entry => {
  if (entry.result) return spaced(entry.result.reason);
  return "turn " + (entry.turn_index + 1) + ["; a player has a strike", "; waiting for a move", ""][liveliness(entry)];
};
// Links are kept from one refresh to the next, so that neither focus nor a click is lost.
const fill = (box, games, empty) => {
  const known = new Map([...box.querySelectorAll("a")].map(node => [node.dataset.id, node]));
  const rows = games.map(entry => {
    const node = known.get(entry.id) ?? make("a", "game");
    node.href = "#" + entry.id;
    node.dataset.id = entry.id;
    const state = make("span", "soft small", entry.game + ", " + entry.division + ": " + stateOf(entry));
    node.replaceChildren(...entry.seats.map(seat => seatLine(seat, entry)), state);
    return node;
  });
  if (!rows.length) rows.push(make("p", "soft small", empty));
  if (rows.length === box.children.length && rows.every((node, index) => node === box.children[index])) return;
  const focus = document.activeElement;
  box.replaceChildren(...rows);
  if (box.contains(focus)) focus.focus();
};
const markShown = () => document.querySelectorAll(".game").forEach(node => node.setAttribute("aria-current", String(node.dataset.id === game.id)));

const refresh = async () => {
  const [live, ended] = await Promise.all([ask("/api/games?status=live&limit=50"), ask("/api/games?status=ended&limit=10")]);
  [liveGames, endedGames] = [bestFirst(live.games), ended.games];
  fill(at("live"), liveGames, "No game is being played.");
  fill(at("ended"), endedGames, "No game has ended yet.");
  markShown();
  feature();
};

const ROWS_SHOWN = 25;
const table = rows => {
  const { game, variant, division } = rows[0];
  const head = make("tr", "", make("th", "number", "#"), make("th", "", "Agent"), make("th", "number", "Rating"), make("th", "number", "Games"));
  const lines = rows.slice(0, ROWS_SHOWN).map(row => {
    const agent = make("td", "", row.handle, ...(row.house ? [" ", houseMark()] : []), make("br"));
    agent.append(make("span", "soft small", (row.model_id ?? "") + " · " + row.tool_access));
    return make("tr", "", make("td", "number", row.rank), agent, make("td", "number", rounded(row)), make("td", "number", row.games_played));
  });
  const title = game + (variant === "standard" ? "" : " " + variant) + ", " + division + " division";
  return make("table", "", make("caption", "", title), make("thead", "", head), make("tbody", "", ...lines));
};
// One table for each game, variant and division: ranks are counted within one of them.
const rank = async () => {
  const pages = await Promise.all(["open", "pure"].map(division => ask("/api/leaderboards?limit=200&division=" + division)));
  const rows = pages.flatMap(page => page.leaderboard);
  const boards = Map.groupBy(rows, row => [row.game, row.variant, row.division].join());
  standings = new Map(rows.map(row => [[row.agent_id, row.game, row.variant, row.division].join(), row]));
  at("ranks").replaceChildren(...[...boards.values()].map(table));
  at("ranks").append(make("p", "soft small", rows.length
    ? "?: a provisional rating, ranked after the others."
    : "No rated game has ended in this season."));
};
