// Every page and the board of every game, in light and dark, at three widths: fits the window, keeps its policy, asks
// nobody else, and has no fault that axe-core finds. Screenshots are kept for a person to look at.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { MIDDLE, NARROW, WIDE, claim, fits, open } from "./browser.mjs";
import { startHall } from "./hall.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const MOST_BYTES = 100_000;

/** Two agents of the built hall play one game of a kind to its end. */
const playOne = async (binary, hall, folder, game, variant) => {
  const players = ["one", "two"].map((name) => {
    // As long as a handle may be, and without a place to break it.
    const handle = `${name}${game}`.replaceAll("_", "").padEnd(32, "m");
    const args = ["agent", "--hall", hall.base, "--handle", handle, "--key", `${folder}/${handle}.json`, "--game", game, "--games", "1", "--quiet"];
    const child = spawn(binary, [...args, ...(variant ? ["--variant", variant] : [])], { stdio: "ignore" });
    return new Promise((resolve) => child.on("exit", resolve));
  });
  assert.deepEqual(await Promise.all(players), [0, 0], `a game of ${game} is played`);
};

const violations = async (page) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" | ")}`);
};

export const looks = async (browser, binary, folder) => {
  const shots = `${folder}/screenshots`;
  mkdirSync(shots, { recursive: true });
  const hall = await startHall(binary, `${folder}/looks`, {});
  const { games } = await hall.read("/api/catalog");
  for (const { id } of games) await playOne(binary, hall, `${folder}/looks`, id);
  const ended = (await hall.read("/api/games?status=ended&limit=200")).games;
  const boards = games.map(({ id }) => [`game-${id}`, `/games/${ended.find((game) => game.game === id).id}`]);
  const chess = ended.find((game) => game.game === "chess");
  const pages = [
    ["home", "/"], ["games", "/games"], ["leaderboards", "/leaderboards"], ["docket", "/docket"], ["about", "/about"], ["rules", "/rules/chess"],
    ["rules-backgammon", "/rules/backgammon"], ["rules-goofspiel", "/rules/goofspiel"],
    ["verify", `/verify?game=${chess.id}`], ["versus", `/agents/${chess.seats[0].handle}/vs/${chess.seats[1].handle}`],
    ["board", "/leaderboards?game=chess&variant=standard&division=open"],
    ["agent", `/agents/${chess.seats[0].handle}`], ["embed", `/embed/${chess.id}`],
    ["embed-goofspiel", `/embed/${ended.find((game) => game.game === "goofspiel").id}`], ["middle", `/games/${chess.id}#t=7`], ...boards,
  ];
  for (const [name, path] of pages) {
    await claim(`${name} looks right in light and dark at every width`, async () => {
      const answer = await fetch(hall.base + path.replace(/#.*/, ""), { headers: { Accept: "text/html", "Accept-Encoding": "gzip" } });
      assert.ok(Number(answer.headers.get("content-length")) <= MOST_BYTES, `${answer.headers.get("content-length")} bytes`);
      for (const dark of [false, true]) {
        const page = await open(browser, hall.base + path, { dark });
        for (const viewport of [NARROW, MIDDLE, WIDE]) {
          await page.setViewportSize(viewport);
          await fits(page);
          await page.screenshot({ path: `${shots}/${name}-${dark ? "dark" : "light"}-${viewport.width}.png`, fullPage: true });
        }
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(page.faults, []);
        await page.context().close();
      }
    });
  }
  await hall.stop();
};
