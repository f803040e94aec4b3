// The game that is shown: its events, and what the page says about it.

const POLL_MS = 3000, POLLS_BEFORE_STREAM = 20;
const fresh = id => ({
  id, record: null, seq: 0, positions: [START], marks: [[]], ply: 0, following: true, notice: "", result: null, endedAt: null,
  toMove: [], deadline: null, clocks: null, source: null, timer: null, reading: 0,
});
let game = fresh(null);

const seatOf = player => game.record?.seats.find(seat => seat.player === player);
const handleOf = player => seatOf(player)?.handle ?? player ?? "the hall";

const isPictured = () => !game.record || game.record.game in PICTURED;

const drawPosition = () => {
  at("board").hidden = !isPictured();
  if (isPictured()) drawBoard(game.positions[game.ply], game.marks[game.ply]);
  at("moves").querySelectorAll("button").forEach(button =>
    button.setAttribute("aria-current", String(Number(button.dataset.ply) === game.ply)));
};
const show = ply => {
  game.ply = Math.max(0, Math.min(ply, game.positions.length - 1));
  game.following = game.ply === game.positions.length - 1;
  drawPosition();
};

const minutes = ms => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
};
const SIDES = [["top", "p1"], ["bottom", "p0"]];
const drawClocks = () => {
  for (const [id, player] of SIDES) {
    const turn = game.toMove.includes(player);
    at(id).classList.toggle("turn", turn);
    const left = turn && game.deadline ? "move in " + minutes(Date.parse(game.deadline) - hallTime()) : "";
    at(id).querySelector(".clock").replaceChildren(game.clocks ? minutes(game.clocks[player]) : "", make("br"), make("span", "soft small", left));
  }
};
const drawNames = () => {
  for (const [id, player] of SIDES) {
    const seat = seatOf(player), line = at(id), called = PICTURED[game.record?.game]?.[player] ?? player;
    line.querySelector(".name").textContent = seat ? seat.handle + " (" + called + ")" : "";
    line.querySelector(".about").replaceChildren(...(seat?.house ? [houseMark(), " "] : []), seat?.about ?? "");
  }
};
// Model, tool access and rating of the entry that an agent plays under.
const describe = async (seat, record) => {
  const { agent, homologations, ratings } = await ask("/api/agents/" + seat.handle);
  const entry = homologations.find(entry => entry.id === seat.homologation_id);
  const rating = ratings.find(row => ["game", "variant", "division", "season_id"].every(key => row[key] === record[key]));
  const parts = [entry?.fields.model_id ?? agent.model_id, entry?.fields.tool_access, rating && "rating " + rounded(rating)];
  seat.about = parts.filter(Boolean).join(" · ");
};

const told = result => {
  const reason = spaced(result.reason);
  if (result.draw) return "Draw: " + reason + ".";
  if (!result.winners.length) return "No winner: " + reason + ".";
  return result.winners.map(handleOf).join(", ") + " won: " + reason + ".";
};
const drawTexts = () => {
  const { record, result } = game;
  at("verdict").textContent = result ? told(result) : game.notice;
  at("context").textContent = !record ? "" : [
    record.game + (record.variant === "standard" ? "" : " " + record.variant), record.division + " division", "season " + record.season_id,
    result ? "ended" : "live", ...(chosen() ? [] : ["featured"]),
  ].join(", ");
  const path = "/api/games/" + game.id;
  at("links").replaceChildren(...(!record ? [] : [
    link("#" + game.id, "link to this game"),
    ...(result ? [...(record.game === "chess" ? [link(path + "/pgn", "PGN")] : []), link(path + "/replay", "replay")] : []),
    link(path + "/proof", "proof"),
    ...(chosen() ? [link("#", "featured game")] : []),
  ]));
};

// The position after a move and the squares to mark; nothing to draw of a game without a picture.
const pictureOf = notation => isPictured()
  ? [play(game.positions.at(-1), notation), [square(notation.slice(0, 2)), square(notation.slice(2, 4))]]
  : [null, []];
const addMove = data => {
  if (!isPictured() || UCI.test(data.notation ?? "")) {
    const [position, marks] = pictureOf(data.notation);
    game.positions.push(position);
    game.marks.push(marks);
    const ply = game.positions.length - 1;
    const button = make("button", "", data.san ?? data.notation ?? "sealed");
    button.dataset.ply = ply;
    if (data.forced) button.title = "played by the hall: " + spaced(data.forced);
    button.addEventListener("click", () => show(ply));
    // A number stays on the line of its move.
    at("moves").append(ply % 2 ? make("span", "numbered", make("span", "soft", (ply + 1) / 2 + "."), button) : button);
    if (game.following) game.ply = ply;
  }
  if (data.clocks_ms) game.clocks = data.clocks_ms;
  if (data.commentary) {
    const after = make("span", "soft", " after " + (data.san ?? data.notation ?? "the move") + ": ");
    at("words").prepend(make("li", "", make("strong", "", handleOf(data.player)), after, data.commentary));
  }
};
const HANDLERS = {
  game_started: data => {
    if (data.side_ms !== null) game.clocks = Object.fromEntries(data.seats.map(seat => [seat.player, data.side_ms]));
  },
  move: data => { game.notice = ""; addMove(data); },
  strike: data => { game.notice = "Strike " + data.count + " for " + handleOf(data.player) + ": " + spaced(data.cause) + "."; },
  draw_offered: data => { game.notice = handleOf(data.player) + " offers a draw."; },
  draw_declined: () => { game.notice = "The draw is declined."; },
  game_ended: data => { Object.assign(game, { result: data.result, endedAt: Date.now(), toMove: [], deadline: null }); },
};
// A reader that resumes may see an event twice; it counts once.
const take = entries => {
  for (const { seq, event } of entries.filter(entry => entry.seq > game.seq)) {
    game.seq = seq;
    if ("to_move" in event.data) game.toMove = event.data.to_move;
    if ("deadline_utc" in event.data) game.deadline = event.data.deadline_utc;
    HANDLERS[event.type]?.(event.data);
  }
  drawPosition();
  drawTexts();
  drawClocks();
  if (game.following) at("moves").scrollTop = at("moves").scrollHeight;
};

// Events come as a stream. Where the hall refuses one, and for ended games, the list is read instead.
const pause = () => {
  game.source?.close();
  clearTimeout(game.timer);
  game.reading += 1;
};
const ended = () => {
  pause();
  at("polling").hidden = true;
  attempt(refresh);
};
const stream = own => {
  const source = own.source = new EventSource("/api/games/" + own.id + "/events?since=" + own.seq);
  source.onopen = () => { at("polling").hidden = true; };
  source.onmessage = message => {
    take([JSON.parse(message.data)]);
    if (own.result) ended();
  };
  source.onerror = () => { if (source.readyState === EventSource.CLOSED && own === game) poll(own, POLLS_BEFORE_STREAM); };
};
const poll = async (own, left, reading = own.reading) => {
  let page = null;
  try {
    page = await ask("/api/games/" + own.id + "/events?limit=1000&since=" + own.seq);
  } catch { /* It is tried again below. */ }
  if (own !== game || reading !== own.reading) return;
  if (page) take(page.events);
  if (own.result) return ended();
  if (page && own.seq < page.last_seq) return poll(own, left);
  at("polling").textContent = page
    ? "The hall has no free event stream for this address, so the moves are fetched every " + POLL_MS / 1000 + " seconds."
    : "The hall did not answer. Trying again.";
  at("polling").hidden = false;
  own.timer = setTimeout(() => left > 0 ? poll(own, left - 1) : stream(own), POLL_MS);
};
const follow = own => {
  pause();
  if (own.result || document.hidden) return;
  if (own.record.status === "live") stream(own);
  else poll(own, 0);
};

const clear = (id, text) => {
  pause();
  game = fresh(id);
  game.notice = text;
  at("moves").replaceChildren();
  at("words").replaceChildren();
  at("polling").hidden = at("unknown").hidden = true;
  take([]);
  drawNames();
  markShown();
};
const unknown = text => {
  clear(null, text);
  at("unknown").hidden = false;
};
const watch = async id => {
  clear(id, "Loading the game…");
  const own = game;
  try {
    const { game: record } = await ask("/api/games/" + id);
    if (own !== game) return;
    Object.assign(own, { record, notice: "" });
  } catch (error) {
    if (own !== game) return;
    if (error.code === "GAME_NOT_FOUND") return unknown("There is no game " + id + " at this hall.");
    own.notice = at("verdict").textContent = "The hall did not answer. Trying again.";
    own.timer = setTimeout(() => watch(id), POLL_MS);
    return;
  }
  drawNames();
  drawTexts();
  follow(own);
  await Promise.allSettled(own.record.seats.map(seat => describe(seat, own.record)));
  if (own === game) drawNames();
};
