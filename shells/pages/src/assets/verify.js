// The page that checks a replay: takes one from a file or from this hall, has it checked, and lists the claims.
import { policy } from "./hall.js";

const at = id => document.getElementById(id);
const form = at("verify"), status = at("status"), result = at("result"), drop = at("drop");
const VERDICTS = { holds: "holds", fails: "fails", not_checked: "not checked" };

const say = text => { status.textContent = text; };

/** The lines of a field that have something on them. */
const lines = name => form.elements[name].value.split("\n").map(line => line.trim()).filter(line => line);

const trusted = async () => {
  const [early] = form.elements.early.files;
  return {
    log_keys: lines("log_keys"),
    witnesses: lines("witnesses"),
    chains: lines("chains"),
    early_proof: early ? await early.text() : null,
  };
};

// What the hall answers to programs, in words for people.
const REFUSALS = {
  GAME_NOT_FOUND: "this hall has no such game",
  REPLAY_NOT_READY: "the game is not over, and until then it has no replay",
  RATE_LIMITED: "too many requests come from this network; try again in a minute",
};

/** The replay of a game of this hall, with how much of it has come. */
const fetched = async game => {
  const answer = await fetch(`/api/games/${encodeURIComponent(game)}/replay`);
  if (!answer.ok) {
    const failure = await answer.json().catch(() => null);
    throw new Error(REFUSALS[failure?.error?.code] ?? failure?.error?.message ?? `the hall answered ${answer.status}`);
  }
  const reader = answer.body.getReader(), parts = [];
  for (let length = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    parts.push(value);
    length += value.length;
    say(`Fetching the replay: ${Math.ceil(length / 1024)} KiB`);
  }
};

/** The id of a game in what somebody typed: the id itself, or an address that holds it. */
const gameIn = text => /g_[0-9a-z]{26}/.exec(text)?.[0];

const replayOf = async () => {
  const [file] = form.elements.file.files;
  if (file) return file.arrayBuffer();
  const typed = form.elements.game.value.trim();
  const game = gameIn(typed);
  if (!game) throw new Error(typed ? "that is not the id or the address of a game" : "choose a file, or name a game of this hall");
  history.replaceState(null, "", `/verify?game=${game}`);
  return fetched(game);
};

// One worker for all checks, started with the first.
let worker = null;
const checked = async (trusted, replay) => {
  worker ??= new Worker(policy.createScriptURL(new URL("./checking.js", import.meta.url).href), { type: "module" });
  say("Loading the verifier");
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => data.checking ? say("Checking") : resolve(data);
    worker.onerror = () => {
      worker = null;
      reject(new Error("this browser could not load the verifier"));
    };
    worker.postMessage({ trusted, replay });
  });
};

const filled = (id, texts) => {
  const copy = at(id).content.cloneNode(true);
  for (const [name, text] of Object.entries(texts)) {
    const node = copy.querySelector(`[data-field=${name}]`);
    node.textContent = text;
    node.hidden = !text;
  }
  return copy;
};

const claim = ({ id, claim, verdict, reason }) => {
  const copy = filled("claim", { verdict: VERDICTS[verdict] ?? verdict, id, sentence: claim, reason: reason ?? "" });
  copy.firstElementChild.classList.add(verdict);
  return copy;
};

const show = ({ report, millis }) => {
  if (report.problem) throw new Error(report.problem);
  const count = verdict => report.claims.filter(claim => claim.verdict === verdict).length;
  const head = filled("summary", {
    verdict: report.holds ? "Every claim that was checked holds." : `It does not hold: ${report.first_failing} fails.`,
    counts: `${count("holds")} claims hold, ${count("fails")} fail, ${count("not_checked")} were not checked.`,
    game: report.game_id,
  });
  head.firstElementChild.classList.add(report.holds ? "holds" : "fails");
  const list = document.createElement("ol");
  list.className = "claims";
  list.append(...report.claims.map(claim));
  result.replaceChildren(head, list);
  say(`Checked in ${Math.max(1, Math.round(millis))} ms, in this browser.`);
  // Who gives no key is told where one belongs.
  at("no-key").hidden = !report.not_checked.includes("log-signature") || lines("log_keys").length > 0;
};

let running = false;
const run = async () => {
  if (running) return;
  running = true;
  result.replaceChildren();
  form.elements.check.disabled = true;
  try {
    show(await checked(await trusted(), await replayOf()));
  } catch (error) {
    say(`It could not be checked: ${error.message.replace(/\.$/, "")}.`);
  } finally {
    running = false;
    form.elements.check.disabled = false;
  }
};

form.addEventListener("submit", event => {
  event.preventDefault();
  run();
});
form.elements.file.addEventListener("change", run);
// A game that is typed counts again after a file.
form.elements.game.addEventListener("input", () => { form.elements.file.value = ""; });

for (const name of ["dragover", "dragleave", "drop"]) {
  addEventListener(name, event => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.toggle("over", name === "dragover");
    if (name !== "drop" || !event.dataTransfer.files.length) return;
    form.elements.file.files = event.dataTransfer.files;
    run();
  });
}

form.hidden = false;
// The page is the same for all games; its address may name one.
const named = new URLSearchParams(location.search).get("game") ?? "";
form.elements.game.value ||= gameIn(named) ?? named;
if (form.elements.game.value) run();
