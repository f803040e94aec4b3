// The front page, lists and leaderboards.
import assert from "node:assert/strict";
import { NARROW, WIDE, claim, fits, open } from "./browser.mjs";
import { Agent, pair, startHall, won } from "./hall.mjs";

const REFRESHED_MS = 4_000;

const features = (page, game) => page.locator(`#featured .card[data-id="${game.id}"]`).waitFor();

/** Something happens in a live game, and the open front page has seen it. */
const move = async (hall, game) => {
  const { game: before } = await hall.read(`/api/games/${game.id}`);
  const moves = before.turn_index % 4 < 2 ? ["g1f3", "g8f6"] : ["f3g1", "f6g8"];
  const mover = [game.white, game.black][before.turn_index % 2];
  await mover.act(game.id, { move: moves[before.turn_index % 2] });
  return before.turn_index + 1;
};

export const frontPage = async (browser, binary, folder) => {
  const hall = await startHall(binary, `${folder}/games`, {});
  const enter = (handle, about) => Agent.enter(hall, handle, about);
  const [strong1, strong2, weak1, weak2] = [await enter("strong-1"), await enter("strong-2"), await enter("weak-1"), await enter("weak-2")];
  const past = await won(strong1, weak1);
  await won(strong2, weak2);
  await won(await enter("pure-1", { division: "pure" }), await enter("pure-2", { division: "pure" }));
  const best = await pair(strong1, strong2);
  const other = await pair(await enter("plain-1"), await enter("plain-2"));
  // The newest game, by agents that are as strong as those of the best one, but its White has a strike.
  const [struck1, struck2] = [await enter("struck-1"), await enter("struck-2")];
  await won(struck1, weak1);
  await won(struck2, weak2);
  const struck = await pair(struck1, struck2);
  await struck.white.earnStrike(struck.id);

  const page = await open(browser, hall.base);
  await claim("the featured game is the best one in which both sides move, and the others are beside it", async () => {
    await features(page, best);
    for (const game of [other, struck]) await page.locator(`#live .card[data-id="${game.id}"]`).waitFor();
  });
  await claim("the front page shows a move without being loaded again", async () => {
    const turn = await move(hall, best);
    await page.clock.fastForward(REFRESHED_MS);
    await page.locator(`#featured [data-id="${best.id}"]`, { hasText: `turn ${turn + 1}` }).waitFor();
  });
  await claim("an ended game that was clicked stays while others are live, and so does its result", async () => {
    await page.locator(`#ended [data-id="${past.id}"] a`).click();
    await page.locator("#banner .result", { hasText: "strong-1 won: resignation" }).waitFor();
    await move(hall, best);
    await page.clock.fastForward(10 * REFRESHED_MS);
    assert.equal(new URL(page.url()).pathname, `/games/${past.id}`);
    await page.locator("#banner .result", { hasText: "strong-1 won: resignation" }).waitFor();
  });
  await claim("the back button leads through the games that were chosen, to the featured one", async () => {
    await page.goBack();
    await features(page, best);
    await page.locator(`#live .card[data-id="${other.id}"]`).click();
    await page.locator(".player", { hasText: "plain-1" }).waitFor();
    await page.goBack();
    await features(page, best);
  });
  await claim("an address of an earlier release leads to its game", async () => {
    const old = await open(browser, `${hall.base}/#${past.id}`);
    await old.waitForURL(`**/games/${past.id}`);
    await old.context().close();
  });
  await claim("an unknown game is said to be unknown, and the way back is offered", async () => {
    const lost = await open(browser, `${hall.base}/games/g_00000000000000000000000000`, { expected: ["404"] });
    for (const id of ["g_00000000000000000000000000", "g_nonsense"]) {
      await lost.goto(`${hall.base}/games/${id}`);
      await lost.locator("main", { hasText: "There is no such game" }).waitFor();
      await lost.locator("main a[href='/games?status=live']").waitFor();
    }
    await lost.locator("main a[href='/']").click();
    await features(lost, best);
    assert.deepEqual(lost.faults, []);
    await lost.context().close();
  });
  await claim("each division has a table with ranks that are counted in it alone", async () => {
    const ranks = await open(browser, `${hall.base}/leaderboards`);
    const tables = await ranks.locator("table").evaluateAll((tables) =>
      tables.map((table) => [table.caption?.textContent, [...table.querySelectorAll("tbody td:first-child")].map((cell) => cell.textContent)]),
    );
    const ranksIn = Object.fromEntries(tables.map(([caption, ranks]) => [caption.replace(/^.*?, /, ""), ranks]));
    assert.deepEqual(ranksIn, { "open division, season s1": ["1", "2", "3", "4", "5", "6"], "pure division, season s1": ["1", "2"] });
    await ranks.context().close();
  });
  await claim("from a leaderboard a person comes to an agent, and from there to a game and its opponent", async () => {
    const walk = await open(browser, `${hall.base}/leaderboards`);
    await walk.locator("table a", { hasText: "strong-1" }).click();
    await walk.locator("h1", { hasText: "strong-1" }).waitFor();
    await walk.locator(`tr[data-id="${past.id}"] a`).click();
    await walk.locator(".player a", { hasText: "weak-1" }).click();
    await walk.locator("h1", { hasText: "weak-1" }).waitFor();
    assert.deepEqual(walk.faults, []);
    await walk.context().close();
  });
  await claim("an agent's page plots its ratings, tells how it plays, and compares it with its opponents", async () => {
    const agent = await open(browser, `${hall.base}/agents/weak-1`);
    await agent.locator(".plot polyline").first().waitFor();
    await agent.locator("#play", { hasText: "How it plays" }).waitFor();
    await agent.locator("table", { hasText: "Legal at first try" }).locator("td", { hasText: "Chess" }).waitFor();
    await agent.locator("a", { hasText: "head to head" }).first().click();
    await agent.locator("h1", { hasText: "weak-1 against" }).waitFor();
    await agent.locator(".duel b", { hasText: "–" }).waitFor();
    await agent.locator("table.games tbody tr").first().waitFor();
    assert.deepEqual(agent.faults, []);
    await agent.context().close();
  });
  await claim("one board has a cross table and the distribution of its ratings", async () => {
    const board = await open(browser, `${hall.base}/leaderboards`);
    await board.locator("caption a", { hasText: "open division" }).click();
    await board.locator("h2", { hasText: "Distribution of ratings" }).waitFor();
    const cells = await board.locator("table.cross tbody tr").first().locator("td").count();
    assert.ok(cells > 3, `${cells} cells`);
    await board.locator("table.cross td a").first().click();
    await board.locator("h1", { hasText: "against" }).waitFor();
    assert.deepEqual(board.faults, []);
    await board.context().close();
  });
  await claim("the form of the list of games shows what was chosen", async () => {
    const list = await open(browser, `${hall.base}/games`);
    await list.getByLabel("Agent", { exact: true }).fill("strong-1");
    await list.getByLabel("Result").selectOption("win");
    await list.getByRole("button", { name: "Show" }).click();
    await list.waitForURL("**/games?*result=win*");
    assert.deepEqual(await list.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.dataset.id)), [past.id]);
    assert.equal(await list.getByLabel("Agent", { exact: true }).inputValue(), "strong-1");
    await list.context().close();
  });
  await claim("a game that begins is on the front page at once, told by the hall's stream", async () => {
    const begun = await pair(await Agent.enter(hall, "late-1"), await Agent.enter(hall, "late-2"));
    await page.locator(`.card[data-id="${begun.id}"]`).waitFor();
    await begun.white.act(begun.id, { resign: true });
    await page.locator(`#ended [data-id="${begun.id}"]`).waitFor();
  });
  await claim("the result of the featured game is shown, and then the next best game", async () => {
    const { game } = await hall.read(`/api/games/${best.id}`);
    await [best.white, best.black][game.turn_index % 2].act(best.id, { resign: true });
    await page.clock.fastForward(REFRESHED_MS);
    await page.locator(`#featured [data-id="${best.id}"]`, { hasText: "resignation" }).waitFor();
    // Its result stays for some seconds of the hall's time, which is not the page's.
    await page.waitForFunction((id) => document.querySelector(`#featured [data-id="${id}"]`), other.id);
  });
  await claim("boards are square and nothing is wider than the window, on a phone too", async () => {
    for (const viewport of [WIDE, NARROW]) {
      await page.setViewportSize(viewport);
      const boxes = await page.locator(".card img").evaluateAll((images) => images.map((image) => image.getBoundingClientRect()));
      assert.ok(boxes.length > 0 && boxes.every(({ width, height }) => Math.abs(width - height) < 1 && width > 100), JSON.stringify(boxes));
      await fits(page);
    }
  });
  await claim("nothing went wrong on the front page, and its policy refused nothing", () => assert.deepEqual(page.faults, []));
  await page.context().close();
  await hall.stop();
};
