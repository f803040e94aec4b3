// The page that checks a replay in the browser.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { claim, open } from "./browser.mjs";
import { Agent, pair, startHall } from "./hall.mjs";

const MOVES = ["f2f3", "e7e5", "g2g4", "d8h4"];
const verdict = page => page.locator("#result .verdict h2");
const holds = page => verdict(page).filter({ hasText: "Every claim that was checked holds." }).waitFor();
const claimOf = (page, id) => page.locator("#result .claims li", { has: page.locator("[data-field=id]", { hasText: new RegExp(`^${id}$`) }) });

export const verifyPage = async (browser, binary, folder) => {
  const hall = await startHall(binary, `${folder}/verify`, {});
  const game = await pair(await Agent.enter(hall, "ada"), await Agent.enter(hall, "bob"));
  for (const [turn, move] of MOVES.entries()) await [game.white, game.black][turn % 2].act(game.id, { move });
  // The claims about the log need a checkpoint that covers the game: a replay taken before there is one has no `log`.
  let replay;
  do replay = await (await fetch(`${hall.base}/api/games/${game.id}/replay`)).text();
  while (!JSON.parse(replay).data.replay.log);
  const file = `${folder}/verify/replay.json`, forged = `${folder}/verify/forged.json`;
  writeFileSync(file, replay);
  const changed = replay.replaceAll("d8h4", "d8g5");
  assert.notEqual(changed, replay);
  writeFileSync(forged, changed);

  await claim("one click on an ended game proves its result in the browser", async () => {
    const page = await open(browser, `${hall.base}/games/${game.id}`);
    await page.locator("#documents a", { hasText: "Verify this result" }).click();
    await holds(page);
    assert.ok(await page.locator("#result .claims li.holds").count() >= 20);
    await claimOf(page, "log-signature").filter({ hasText: "holds" }).waitFor();
    await page.locator("#status", { hasText: "in this browser" }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
  const page = await open(browser, `${hall.base}/verify`, { expected: ["404"] });
  await claim("a replay from a file is checked without a request to the hall", async () => {
    await page.locator("input[name=file]").setInputFiles(file);
    await holds(page);
    const asked = [];
    page.on("request", request => asked.push(request.url()));
    await page.locator("button[name=check]").click();
    await holds(page);
    assert.deepEqual(asked, []);
  });
  await claim("a changed move is shown as the claim that fails", async () => {
    await page.locator("input[name=file]").setInputFiles(forged);
    await verdict(page).filter({ hasText: "It does not hold" }).waitFor();
    const failing = page.locator("#result .claims li.fails");
    assert.ok(await failing.count() > 0);
    assert.ok((await failing.first().locator(".reason").textContent()).length > 10);
  });
  await claim("who gives no key of the log is asked for one, and a foreign key fails", async () => {
    await page.locator("input[name=file]").setInputFiles(file);
    await holds(page);
    await page.locator("summary", { hasText: "Whom you trust" }).click();
    const own = await page.locator("#log_keys").inputValue();
    await page.locator("#log_keys").fill("");
    await page.locator("button[name=check]").click();
    await page.locator("#no-key:not([hidden])").waitFor();
    await claimOf(page, "log-signature").filter({ hasText: "not checked" }).waitFor();
    await page.locator("#log_keys").fill("nonsense");
    await page.locator("button[name=check]").click();
    await page.locator("#status", { hasText: "nonsense: it must be NAME+ID+KEY" }).waitFor();
    await page.locator("#log_keys").fill(own);
  });
  await claim("what is no replay, and a game that does not exist, are told in words", async () => {
    await page.locator("input[name=file]").setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await page.locator("#status", { hasText: "it is not a replay" }).waitFor();
    await page.locator("input[name=game]").fill("chess");
    await page.locator("button[name=check]").click();
    await page.locator("#status", { hasText: "not the id or the address of a game" }).waitFor();
    const status = page.locator("#status", { hasText: /^It could not be checked: this hall has no such game\.$/ });
    await page.locator("input[name=game]").fill(`g_${"0".repeat(26)}`);
    await page.locator("button[name=check]").click();
    await status.waitFor();
  });
  await claim("an address of the page that names no game says so", async () => {
    const other = await open(browser, `${hall.base}/verify?game=xyz`);
    await other.locator("#status", { hasText: "not the id or the address of a game" }).waitFor();
    assert.equal(await other.locator("input[name=game]").inputValue(), "xyz");
    await other.context().close();
  });
  await claim("nothing went wrong on the page that verifies, and its policy refused nothing", () => assert.deepEqual(page.faults, []));
  await page.context().close();
  await claim("without scripts the page names the command that does the same", async () => {
    const plain = await open(browser, `${hall.base}/verify`, { scripts: false });
    await plain.locator("noscript code", { hasText: "hall verify" }).waitFor({ state: "attached" });
    await plain.context().close();
  });
  await hall.stop();
};
