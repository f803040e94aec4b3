// Watches games at the built hall in Chromium, as a spectator would.
//
//   node page.mjs PATH_TO_HALL FOLDER CHROMIUM
//
// Prints one line for each claim and exits with 1 if one does not hold. Nothing waits for time to pass: the page's clock is
// set forward, and what should follow is waited for.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { Agent, pair, startHall, won } from "./hall.mjs";

const [binary, folder, executablePath] = process.argv.slice(2);
const ALL_REFRESHED_MS = 31_000;
const WIDE = { width: 1280, height: 900 }, NARROW = { width: 360, height: 740 };

let failed = 0;
const claim = async (words, check) => {
  try {
    await check();
    console.log(`ok   ${words}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${words}: ${error.message}`);
  }
};

/** A page of a hall, whose clock the test can set forward; `faults` collects what went wrong in it. */
const open = async (browser, url, viewport = WIDE) => {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(10_000);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (said) => said.text().includes("Content Security Policy") && page.faults.push(said.text()));
  await page.clock.install();
  await page.goto(url);
  return page;
};
const names = (page) => page.locator(".player .name").allTextContents();
const shows = (page, game) =>
  page.waitForFunction(
    (players) => {
      const shown = [...document.querySelectorAll(".player .name")].map((node) => node.textContent);
      return shown.length === 2 && shown.every((name, index) => name.startsWith(players[index] + " ("));
    },
    [game.black.handle, game.white.handle],
  );
const said = (page, text) => page.waitForFunction((text) => document.getElementById("verdict").textContent.includes(text), text);

/** Something happens in a live game, and the page has read its lists since. */
const afterActivity = async (page, hall, game) => {
  const { game: before } = await hall.read(`/api/games/${game.id}`);
  const moves = before.turn_index % 4 < 2 ? ["g1f3", "g8f6"] : ["f3g1", "f6g8"];
  const mover = [game.white, game.black][before.turn_index % 2];
  await mover.act(game.id, { move: moves[before.turn_index % 2] });
  await page.clock.fastForward(ALL_REFRESHED_MS);
  await page.locator(`#live [data-id="${game.id}"]`, { hasText: `turn ${before.turn_index + 2}` }).waitFor();
};

const watchGames = async (browser) => {
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
  await claim("the featured game is the best one in which both sides move", () => shows(page, best));
  await claim("an ended game that was clicked stays while others are live, and so does its result", async () => {
    await page.locator(`#ended [data-id="${past.id}"]`).click();
    await shows(page, past);
    await said(page, "strong-1 won: resignation");
    await afterActivity(page, hall, best);
    await afterActivity(page, hall, best);
    await shows(page, past);
    await said(page, "strong-1 won: resignation");
  });
  await claim("the page links to PGN, replay and proof of the game that it shows", async () => {
    for (const kind of ["pgn", "replay", "proof"]) {
      const path = `/api/games/${past.id}/${kind}`;
      assert.equal(await page.locator(`#links a[href="${path}"]`).count(), 1, path);
      assert.equal((await fetch(hall.base + path)).status, 200, path);
    }
  });
  await claim("model, tool access and rating stand beside the names", async () => {
    const about = page.locator(".player .about", { hasText: "model of strong-1" });
    await about.filter({ hasText: "pure" }).filter({ hasText: /rating \d{4}\?/ }).waitFor();
  });
  await claim("the back button leads through the games that were chosen, to the featured one", async () => {
    await page.locator(`#live [data-id="${other.id}"]`).click();
    await shows(page, other);
    await page.goBack();
    await shows(page, past);
    await page.goBack();
    await shows(page, best);
  });
  await claim("an unknown game is said to be unknown, also when only the fragment changes, and the way back is offered", async () => {
    for (const id of ["g_00000000000000000000000000", "g_nonsense"]) {
      await page.goto(`${hall.base}/#${past.id}`);
      await shows(page, past);
      await page.goto(`${hall.base}/#${id}`);
      await said(page, id === "g_nonsense" ? "names no game" : `no game ${id}`);
      await page.locator("#unknown a[href='#live-games']").waitFor();
      assert.deepEqual(await names(page), ["", ""]);
    }
    await page.locator("#unknown a[href='#']").click();
    await shows(page, best);
  });
  await claim("each division has a table with ranks of its own", async () => {
    const tables = await page.locator("table").evaluateAll((tables) =>
      tables.map((table) => [table.caption?.textContent, [...table.querySelectorAll("tbody td:first-child")].map((cell) => cell.textContent)]),
    );
    assert.deepEqual(tables, [["chess, open division", ["1", "2", "3", "4", "5", "6"]], ["chess, pure division", ["1", "2"]]]);
  });
  await claim("the result of the featured game is shown, and then the next best game", async () => {
    const { game } = await hall.read(`/api/games/${best.id}`);
    await [best.white, best.black][game.turn_index % 2].act(best.id, { resign: true });
    await said(page, "won: resignation");
    await shows(page, best);
    await page.clock.fastForward(ALL_REFRESHED_MS);
    await shows(page, other);
  });
  await claim("all rows of the board are equally high and nothing is wider than the window, on a phone too", async () => {
    for (const viewport of [WIDE, NARROW]) {
      await page.setViewportSize(viewport);
      const heights = await page.locator(".square").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().height));
      assert.ok(Math.max(...heights) - Math.min(...heights) < 0.1 && heights[0] > 30, heights.join());
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width);
    }
  });
  await claim("nothing went wrong in the page, and its policy refused nothing", () => assert.deepEqual(page.faults, []));
  await page.close();
  await hall.stop();
};

const watchWithoutStream = async (browser) => {
  const hall = await startHall(binary, `${folder}/streams`, {
    "server.max_streams_per_client": 1, "house.agents": 1, "house.after_seconds": 0,
  });
  const guest = await Agent.enter(hall, "guest", { model: "<i>model</i>", access: "engine-assisted" });
  await guest.join();
  const page = await open(browser, hall.base);
  // The house comes to the guest.
  const live = page.locator("#live .game");
  while ((await live.count()) === 0) await page.clock.fastForward(ALL_REFRESHED_MS);
  const id = await live.getAttribute("data-id");
  await page.close();
  // The closed page may have had the only stream; its place is free as soon as the hall sees that the connection is gone.
  const stream = () => fetch(`${hall.base}/api/games/${id}/events`, { headers: { Accept: "text/event-stream" } });
  let taken = await stream();
  for (const until = Date.now() + 10_000; taken.status === 429 && Date.now() < until; taken = await stream()) await taken.text();
  const watched = await open(browser, `${hall.base}/#${id}`);
  const remark = "<img src=x onerror=alert(1)>";
  await claim("without a free stream the page reads the list of events, and says so", async () => {
    assert.equal(taken.status, 200);
    await watched.locator("#polling:not([hidden])", { hasText: "no free event stream" }).waitFor();
    await myTurn(hall, id);
    const { game } = await hall.read(`/api/games/${id}`);
    await guest.act(id, { move: game.turn_index === 0 ? "g1f3" : "g8f6", commentary: remark });
    await watched.clock.fastForward(4_000);
    await watched.locator("#moves button", { hasText: "Nf" }).first().waitFor();
  });
  await claim("what agents wrote is shown as text", async () => {
    await watched.locator("#words", { hasText: remark }).waitFor();
    await watched.locator(".player .about", { hasText: "<i>model</i> · engine-assisted" }).waitFor();
    assert.equal(await watched.locator("#words img, .player i, #live i").count(), 0);
  });
  await claim("an agent of the house is marked", async () => {
    await watched.locator(".player", { hasText: "house-1" }).locator(".tag").waitFor();
    assert.equal(await watched.locator(".player .tag").count(), 1);
  });
  await claim("the end of the game is noticed without a stream", async () => {
    await myTurn(hall, id);
    await guest.act(id, { resign: true });
    await watched.clock.fastForward(4_000);
    await said(watched, "won: resignation");
  });
  await claim("nothing went wrong in the page without a stream", () => assert.deepEqual(watched.faults, []));
  await taken.body.cancel();
  await watched.close();
  await hall.stop();
};

/** Waits until it is the guest's turn in a game against the house. */
const myTurn = async (hall, id) => {
  for (;;) {
    const { game } = await hall.read(`/api/games/${id}`);
    const guest = game.seats.find((seat) => seat.handle === "guest").player;
    if (game.to_move.includes(guest)) return;
  }
};

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
await watchGames(browser);
await watchWithoutStream(browser);
await browser.close();
console.log(failed === 0 ? "the page holds" : `${failed} claims failed`);
process.exit(failed === 0 ? 0 : 1);
