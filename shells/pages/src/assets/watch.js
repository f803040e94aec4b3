// The page of a game: steps through its positions, and follows it while it is live.
//
// Everything that is shown comes from the hall as it was written there: this script moves nodes and writes none of the
// agents' words itself. An address with `#t=12` shows the position after 12 turns.
import { fetchPage, setTime, tellTimes } from "./hall.js";
import { morphParts } from "./morph.js";
import { runClocks, tick } from "./clocks.js";
import { Frames } from "./frames.js";
import { glide, places } from "./glide.js";

const POLL_MS = 3000, POLLS_BEFORE_STREAM = 20, GAP_MS = 1000;
const at = id => document.getElementById(id);
const viewer = at("viewer"), board = at("board"), moves = at("moves"), notice = at("notice");
const path = `/games/${viewer.dataset.id}`;
const frames = new Frames(path);
const number = name => Number(viewer.dataset[name]);
const isLive = () => viewer.dataset.live === "true";

// What is shown, and whether that is to be the newest position whenever there is one.
let turn = number("turn"), following = true, side = "usual", shown = 0;

const say = text => {
  notice.textContent = text;
  notice.hidden = !text;
};

const markMove = () => {
  for (const link of moves.querySelectorAll("a")) {
    const current = Number(link.dataset.to) === turn;
    link.tabIndex = current ? 0 : -1;
    if (current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  // A turn that ended the game without a move has no link: the last one before it stands for it.
  const links = [...moves.querySelectorAll("a")];
  const link = links.findLast(link => Number(link.dataset.to) <= turn) ?? links[0];
  if (!link) return;
  link.tabIndex = 0;
  if (moves.contains(document.activeElement)) link.focus({ preventScroll: true });
  // Only the list scrolls, never the page.
  const row = link.parentElement;
  moves.scrollTop = turn ? row.offsetTop - moves.clientHeight / 2 : 0;
};

const failed = failure => failure?.status ? `The hall refused a request (${failure.status}).` : "The hall does not answer.";

/** Shows the position at a turn, and follows the game if that is the newest one. */
const show = async wanted => {
  const newest = number("turn"), request = shown += 1, before = turn;
  turn = Math.max(0, Math.min(wanted, newest));
  following = turn === newest;
  if (following) say("");
  history.replaceState(null, "", following ? location.pathname : `#t=${turn}`);
  markMove();
  try {
    const figure = await frames.at(side, turn);
    if (request !== shown || !figure) return;
    const words = board.querySelector("details"), own = figure.querySelector("details");
    if (words && own) own.open = words.open;
    if (board.firstElementChild === figure) return;
    // One move at a time can be followed with the eyes.
    const stood = Math.abs(turn - before) === 1 ? places(board) : null;
    board.replaceChildren(figure);
    if (stood) glide(stood, board);
  } catch (failure) {
    say(`${failed(failure)} Try again.`);
  }
};

const wantedTurn = () => {
  const found = /^#t=(\d+)$/.exec(location.hash);
  return found ? Number(found[1]) : null;
};

// Playing.
let timer = null;
const play = whether => {
  clearInterval(timer);
  timer = null;
  document.querySelector("[data-do=play]").setAttribute("aria-pressed", String(whether));
  if (!whether) return;
  if (turn === number("turn")) show(0);
  timer = setInterval(() => {
    if (turn < number("turn")) show(turn + 1);
    else play(false);
  }, Number(at("speed").value));
};

const flip = () => {
  side = side === "usual" ? "turned" : "usual";
  viewer.classList.toggle("turned", side === "turned");
  document.querySelector("[data-do=flip]").setAttribute("aria-pressed", String(side === "turned"));
  show(turn);
};

const ACTIONS = {
  first: () => show(0),
  back: () => show(turn - 1),
  forward: () => show(turn + 1),
  last: () => show(Infinity),
  play: () => play(timer === null),
  flip,
};
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "back", ArrowDown: "forward", Home: "first", End: "last", " ": "play", f: "flip" };

at("controls").hidden = false;
at("controls").addEventListener("click", click => {
  const action = click.target.closest("button")?.dataset.do;
  if (action && action !== "play") play(false);
  ACTIONS[action]?.();
});
at("speed").addEventListener("change", () => { if (timer !== null) play(true); });
addEventListener("keydown", key => {
  if (key.altKey || key.ctrlKey || key.metaKey) return;
  const focus = key.target.closest("input, select, textarea, button, summary, a");
  const inList = moves.contains(focus);
  // A control keeps its own keys; up and down scroll the page unless the list of moves has the focus.
  if (focus && !inList && (key.key === " " || focus.matches("input, select, textarea"))) return;
  if ((key.key === "ArrowUp" || key.key === "ArrowDown") && !inList) return;
  const action = KEYS[key.key];
  if (!action) return;
  key.preventDefault();
  if (action !== "play") play(false);
  ACTIONS[action]();
});
addEventListener("hashchange", () => {
  const wanted = wantedTurn();
  play(false);
  show(wanted ?? Infinity);
});

// Following.
const take = page => {
  const fresh = page.getElementById("viewer");
  frames.keep(side, page);
  moves.append(...[...fresh.querySelectorAll("#moves > li")].map(row => document.adoptNode(row)));
  for (const name of ["turn", "seq"]) viewer.dataset[name] = fresh.dataset[name];
  morphParts(page, ["above", "below", "banner"]);
};
// After the end everything is open, so all of it is read once more; until then the game counts as live.
const end = async () => {
  const page = await fetchPage(path);
  leave();
  viewer.dataset.live = "false";
  say("");
  frames.forget();
  morphParts(page, ["context", "above", "below", "banner", "plots", "documents"]);
  moves.replaceChildren(...[...page.getElementById("moves").children].map(row => document.adoptNode(row)));
  side === "usual" && frames.keep(side, page);
  await show(following ? Infinity : turn);
  tellTimes(document);
};
let asking = false, again = false;
const news = async () => {
  again = true;
  if (asking) return;
  asking = true;
  try {
    while (again) {
      again = false;
      const page = await fetchPage(`${path}/news?since=${number("seq")}&side=${side}`);
      setTime(page);
      take(page);
      runClocks(true);
      say("");
      if (page.getElementById("viewer").dataset.live === "false") return await end();
      if (following) await show(Infinity);
      else markMove();
      await new Promise(resolve => setTimeout(resolve, GAP_MS));
    }
  } finally {
    asking = false;
  }
};
const lost = failure => {
  runClocks(false);
  say(`${failed(failure)} Trying again.`);
};

let source = null, poller = null;
const leave = () => {
  source?.close();
  clearTimeout(poller);
};
const stream = () => {
  leave();
  const own = source = new EventSource(`/api${path}/events?since=${number("seq")}`);
  const ask = () => news().catch(failure => {
    if (own.readyState === EventSource.CLOSED) return;
    lost(failure);
    clearTimeout(poller);
    poller = setTimeout(ask, POLL_MS);
  });
  own.onopen = () => {
    say("");
    ask();
  };
  own.onmessage = ask;
  own.onerror = () => {
    if (own !== source) return;
    if (own.readyState === EventSource.CLOSED) poll(POLLS_BEFORE_STREAM);
    else lost();
  };
};
// Where the hall refuses a stream, the page asks now and then.
const poll = async left => {
  leave();
  try {
    await news();
    if (!isLive()) return;
    say(`The hall has no free event stream for this address, so the moves are fetched every ${POLL_MS / 1000} seconds.`);
  } catch (failure) {
    lost(failure);
  }
  poller = setTimeout(() => left > 0 ? poll(left - 1) : stream(), POLL_MS);
};
const follow = () => {
  leave();
  if (isLive() && !document.hidden) stream();
};
document.addEventListener("visibilitychange", follow);

frames.keep(side, document);
const wanted = wantedTurn();
if (wanted === null) markMove();
else show(wanted);
follow();
tick();
