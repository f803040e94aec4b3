// A bar, or a strike on it, leads to the game's steps, the one nearest before the point that was clicked, and the board after it. The address
// names them: `#GAME.STEP`.
const at = id => document.getElementById(id);
const world = JSON.parse(at("world").textContent);
at("zoom").oninput = event => { at("time").style.width = event.target.value + "%"; };
const bars = [...document.querySelectorAll("[data-game]")];
for (const bar of bars) {
  bar.onmouseenter = () => bars.forEach(other => other.classList.toggle("dim", other.dataset.game !== bar.dataset.game));
  bar.onmouseleave = () => bars.forEach(other => other.classList.remove("dim"));
  bar.onclick = event => {
    event.preventDefault();
    const { rows } = world.games[bar.dataset.game], box = at("time").getBoundingClientRect();
    const time = (event.clientX - box.left) / box.width * world.millis;
    // A key press has no place on the bar.
    const before = event.detail ? rows.filter(row => row[2] <= time) : rows;
    location.hash = bar.dataset.game + "." + (before.at(-1) ?? rows[0])[0];
  };
}
const stamp = millis => new Date(world.begins + millis).toISOString();
// FEN as lines of squares; the state of another game as it is written.
const board = state => {
  const ranks = state.split(" ")[0].split("/");
  if (ranks.length !== 8) return state;
  const lines = ranks.map((rank, index) => 8 - index + "  " + [...rank.replace(/\d/g, count => ".".repeat(count))].join(" "));
  return lines.join("\n") + "\n\n   a b c d e f g h\n\n" + state;
};
const show = () => {
  const [id, step] = location.hash.slice(1).split(".");
  const game = world.games[id], index = game ? game.rows.findIndex(row => row[0] >= Number(step)) : -1;
  at("detail").hidden = at("here").hidden = index < 0;
  if (index < 0) return;
  const chosen = game.rows[index];
  at("title").textContent = id + ": " + game.handles.join(" against ");
  at("rows").replaceChildren(...game.rows.map(row => {
    const link = document.createElement("a");
    link.href = "#" + id + "." + row[0];
    link.textContent = String(row[0]).padStart(6) + " " + stamp(row[2]) + " " + row[3];
    link.setAttribute("aria-current", String(row[0] === chosen[0]));
    return link;
  }));
  at("rows").querySelector("[aria-current=true]").scrollIntoView({ block: "nearest" });
  const last = game.rows.findLastIndex(row => row[0] <= chosen[0]);
  at("board").textContent = board(game.rows.slice(0, last + 1).findLast(row => row[4])?.[4] ?? "");
  at("step").textContent = "After step " + chosen[0] + " of the log (record " + chosen[1] + " of the journal), at " + stamp(chosen[2]) + ".";
  at("again").textContent = "hall-sim replay WORLD.jsonl --until " + chosen[0] + " --game " + id + " --board";
  at("here").style.left = 100 * chosen[2] / world.millis + "%";
  at("detail").scrollIntoView({ block: "nearest" });
};
addEventListener("hashchange", show);
show();
