// The page of a game: live, ended, by keyboard, without a stream, without scripts, and with hostile texts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { MIDDLE, NARROW, WIDE, claim, fits, open } from "./browser.mjs";
import { Agent, pair, startHall } from "./hall.mjs";

const turnShown = (page, turn) => page.locator(`#board figure[data-turn="${turn}"]`).waitFor();
const MOVES = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];

/** Plays the next of the moves. */
const playNext = async (hall, game, body = {}) => {
  const { game: { turn_index: turn } } = await hall.read(`/api/games/${game.id}`);
  await [game.white, game.black][turn % 2].act(game.id, { move: MOVES[turn], ...body });
};

export const gamePage = async (browser, binary, folder) => {
  const hall = await startHall(binary, `${folder}/game`, {});
  const game = await pair(await Agent.enter(hall, "ada"), await Agent.enter(hall, "bob"));
  const url = `${hall.base}/games/${game.id}`;
  for (let turn = 0; turn < 4; turn += 1) await playNext(hall, game, turn === 2 ? { commentary: "The Spanish comes." } : {});
  const page = await open(browser, url);
  await claim("a live game shows its newest position, who is to move, and both players", async () => {
    await turnShown(page, 4);
    await page.locator("#said", { hasText: "White to move." }).waitFor();
    for (const handle of ["ada", "bob"]) await page.locator(".player", { hasText: `model of ${handle}` }).waitFor();
  });
  await claim("clocks run down to the real deadline", async () => {
    const { game: record } = await hall.read(`/api/games/${game.id}`);
    const deadline = page.locator(".player.turn .deadline");
    assert.equal(await deadline.getAttribute("data-ends"), record.deadline_utc);
    const before = await deadline.textContent();
    await page.clock.fastForward(5_000);
    await page.waitForFunction((before) => document.querySelector(".player.turn .deadline").textContent !== before, before);
  });
  await claim("a move of the game is followed", async () => {
    await playNext(hall, game);
    await turnShown(page, 5);
    await page.locator("#said", { hasText: "White played Bb5." }).waitFor();
    assert.deepEqual(await page.locator("#moves .san").allTextContents(), ["e4", "e5", "Nf3", "Nc6", "Bb5"]);
  });
  await claim("what a player said stands behind its move", async () => {
    const next = page.locator("#moves li[data-turn='2'] + li.remark");
    await next.filter({ hasText: "The Spanish comes." }).waitFor();
  });
  await claim("keys step, jump and turn the board, and the address names the position", async () => {
    await page.keyboard.press("ArrowLeft");
    await turnShown(page, 4);
    assert.equal(new URL(page.url()).hash, "#t=4");
    await page.keyboard.press("Home");
    await turnShown(page, 0);
    await page.keyboard.press("ArrowRight");
    await turnShown(page, 1);
    const before = await page.locator("#board .frame > svg").innerHTML();
    await page.keyboard.press("f");
    await page.waitForFunction((before) => document.querySelector("#board .frame > svg").innerHTML !== before, before);
    await turnShown(page, 1);
    await page.keyboard.press("f");
  });
  await claim("a piece glides to its place, and none does for a reader who wants no motion", async () => {
    const moving = () => page.evaluate(() => new Promise((done) => {
      const board = document.getElementById("board");
      new MutationObserver(() => done(board.getAnimations({ subtree: true }).length)).observe(board, { childList: true });
      document.querySelector("[data-do=forward]").click();
    }));
    await page.keyboard.press("Home");
    await turnShown(page, 0);
    assert.equal(await moving(), 1);
    await turnShown(page, 1);
    await page.emulateMedia({ reducedMotion: "reduce" });
    assert.equal(await moving(), 0);
    await page.keyboard.press("ArrowLeft");
    await turnShown(page, 1);
  });
  await claim("a reader who looks back is left alone when the game goes on, and comes back with End", async () => {
    await playNext(hall, game);
    await page.locator("#moves .san", { hasText: "a6" }).waitFor();
    await turnShown(page, 1);
    await page.keyboard.press("End");
    await turnShown(page, 6);
    assert.equal(new URL(page.url()).hash, "");
  });
  await claim("space plays the game to its newest position, and stops there", async () => {
    await page.keyboard.press("Home");
    await turnShown(page, 0);
    await page.keyboard.press(" ");
    // Time passes by itself as well, so the positions on the way may be over before they are looked for.
    for (let second = 0; second < 8; second += 1) await page.clock.fastForward(1_100);
    await turnShown(page, 6);
    await page.locator("[data-do=play][aria-pressed=false]").waitFor();
  });
  await claim("an address with a turn opens that position, and the back button leads through positions that were clicked", async () => {
    const other = await open(browser, `${url}#t=2`);
    await turnShown(other, 2);
    await other.locator("#moves a[href='#t=4']").click();
    await turnShown(other, 4);
    await other.locator("#moves a[href='#t=1']").click();
    await turnShown(other, 1);
    await other.goBack();
    await turnShown(other, 4);
    assert.deepEqual(other.faults, []);
    await other.context().close();
  });
  await claim("the list of moves is one tab stop", async () => {
    assert.equal(await page.locator("#moves a[tabindex='0']").count(), 1);
    await page.locator("#moves a[tabindex='0']").focus();
    await page.keyboard.press("ArrowUp");
    await turnShown(page, 5);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.to), "5");
    await page.keyboard.press("End");
  });
  await claim("a strike and the move that the hall played are named", async () => {
    await game.white.earnStrike(game.id);
    await page.locator("#moves .note", { hasText: "Strike 1 of 3 for White: three illegal moves" }).waitFor();
    await page.locator("#moves .forced").waitFor();
    await page.locator(".player .strikes", { hasText: "1 strike of 3" }).waitFor();
  });
  await claim("the end is noticed, with the result and the documents of an ended game", async () => {
    await game.black.act(game.id, { resign: true });
    await page.locator("#banner .result", { hasText: "won: resignation." }).waitFor();
    for (const kind of ["pgn", "replay", "proof"]) {
      const path = `/api/games/${game.id}/${kind}`;
      await page.locator(`#documents a[href="${path}"]`).waitFor();
      assert.equal((await fetch(hall.base + path)).status, 200, path);
    }
    assert.equal(await page.locator(".deadline").count(), 0);
    assert.equal(await page.locator(".score.won").count(), 1);
  });
  await claim("the end is told above the board too, and the plots of the ended game appear", async () => {
    await page.locator(".context", { hasText: "ended" }).waitFor();
    await page.locator("#times svg").waitFor();
  });
  await claim("the board and both players fit the window, and nothing is wider than it", async () => {
    for (const viewport of [WIDE, NARROW]) {
      await page.setViewportSize(viewport);
      await fits(page);
      const { width, height } = await page.locator("#board .frame > svg").evaluate((svg) => svg.getBoundingClientRect());
      assert.ok(width > 300 && Math.abs(width - height) < width / 10, `${width} by ${height}`);
    }
  });
  await claim("the embedded view works in a frame of another page, and no other page does", async () => {
    // Another port of this machine is another origin.
    const elsewhere = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end(`<iframe src="${hall.base}/embed/${game.id}"></iframe><iframe src="${url}"></iframe>`);
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    const outside = await browser.newPage();
    await outside.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
    await outside.frameLocator("iframe >> nth=0").locator("#board .frame > svg").waitFor();
    assert.equal(await outside.frameLocator("iframe >> nth=1").locator("#board").count(), 0);
    await outside.close();
    elsewhere.close();
  });
  await claim("without scripts the newest state is there as picture and as text", async () => {
    const plain = await open(browser, url, { scripts: false });
    await plain.locator("#board .frame > svg").waitFor();
    await plain.locator("#banner", { hasText: "won: resignation." }).waitFor();
    // The hall has played a move for White that nobody knows before.
    const told = await page.locator("#board details").textContent();
    assert.match(told, /White: .*king [a-h][1-8]/);
    assert.equal(await plain.locator("#board details").textContent(), told);
    assert.deepEqual((await plain.locator("#moves .san").allTextContents()).slice(0, 2), ["e4", "e5"]);
    assert.equal(await plain.locator("#controls").isVisible(), false);
    await plain.context().close();
  });
  await claim("nothing went wrong on the page of a game, and its policy refused nothing", () => assert.deepEqual(page.faults, []));
  await page.context().close();
  await hall.stop();
};

// Every pawn moves twice and some pieces once: no position occurs again, and nothing is captured.
const files = [..."abcdefgh"];
const PAWNS = [["2", "3", "7", "6"], ["3", "4", "6", "5"]]
  .flatMap(([white, whiteTo, black, blackTo]) => files.flatMap((file) => [file + white + file + whiteTo, file + black + file + blackTo]));
const LONG_GAME = [...PAWNS, "b1c3", "b8c6", "g1f3", "g8f6", "a1a2", "a8a7", "h1h2", "h8h7"];

/** Waits until a row of the list of moves is inside the part of the list that can be seen. */
const rowShown = (page, row) => page.waitForFunction((row) => {
  const [list, shown] = ["#moves", `#moves ${row}`].map((found) => document.querySelector(found)?.getBoundingClientRect());
  return shown && shown.top >= list.top - 1 && shown.bottom <= list.bottom + 1;
}, row);

export const longGame = async (browser, binary, folder) => {
  const hall = await startHall(binary, `${folder}/long`, {});
  const game = await pair(await Agent.enter(hall, "ada"), await Agent.enter(hall, "bob"));
  for (const [turn, move] of LONG_GAME.entries())
    await [game.white, game.black][turn % 2].act(game.id, { move, commentary: `What is said of turn ${turn}. ${"It is long. ".repeat(turn % 3 * 5)}` });
  const url = `${hall.base}/games/${game.id}`;
  const page = await open(browser, url, { viewport: NARROW, expected: ["503"] });
  await claim("the list of a long game shows the current move in a narrow window", async () => {
    await rowShown(page, "a[aria-current][data-to='40']");
    await page.keyboard.press("ArrowLeft");
    await rowShown(page, "a[aria-current][data-to='39']");
    await page.keyboard.press("End");
  });
  await claim("what players say in a long game can be read at every width", async () => {
    for (const viewport of [WIDE, MIDDLE, NARROW]) {
      await page.setViewportSize(viewport);
      const cut = await page.locator("#moves .remark").evaluateAll((all) => all.filter((remark) => remark.clientHeight < remark.scrollHeight).length);
      assert.equal(cut, 0, `remarks that are cut off at ${viewport.width}`);
    }
  });
  await claim("where the hall refuses the page of the ended game once, that is said, and the page is asked for again", async () => {
    await page.route(url, (route) => route.fulfill({ status: 503 }), { times: 1 });
    await game.white.act(game.id, { resign: true });
    await page.locator("#notice:not([hidden])", { hasText: "The hall refused a request (503). Trying again." }).waitFor();
    await page.clock.fastForward(4_000);
    await page.locator(`#documents a[href="/api/games/${game.id}/replay"]`).waitFor();
    await page.locator("#notice[hidden]").waitFor({ state: "attached" });
  });
  await claim("after an end without a move the list shows its last row", () => rowShown(page, "li:last-child"));
  await claim("nothing went wrong on the page of a long game", () => assert.deepEqual(page.faults, []));
  await page.context().close();
  await hall.stop();
};

// What a hostile agent may write: markup, letters that run from right to left, a word without end, and more emoji than fit.
const REMARK = "<img src=x onerror=alert(1)>\u05d0\u05d1\u05d2<script>alert(2)</script>", LONG = "w".repeat(270), EMOJI = "🎲".repeat(270);

export const hostileTexts = async (browser, binary, folder) => {
  const hall = await startHall(binary, `${folder}/hostile`, {});
  const longest = "a".repeat(32), model = `<i>model</i>\u05d0\u05d1\u05d2${"m".repeat(110)}`;
  const game = await pair(await Agent.enter(hall, longest, { model }), await Agent.enter(hall, "b".repeat(32), { model: "😀".repeat(128) }));
  for (const [turn, commentary] of [REMARK, LONG, EMOJI, "e\u0301\u0301\u0301\u0301".repeat(50)].entries())
    await game[turn % 2 ? "black" : "white"].act(game.id, { move: MOVES[turn], commentary });
  await game.white.act(game.id, { resign: true });
  for (const path of [`/games/${game.id}`, `/embed/${game.id}`, "/", "/games", "/leaderboards", `/agents/${longest}`]) {
    await claim(`texts of hostile agents are text and break nothing on ${path.replace(game.id, "ID").replace(longest, "LONGEST")}`, async () => {
      const page = await open(browser, hall.base + path, { viewport: NARROW });
      const html = await page.content();
      assert.ok(html.includes(longest));
      assert.equal(await page.locator("main img[src=x], main i, main script").count(), 0);
      if (path.startsWith("/games/")) {
        await page.locator("#moves .remark", { hasText: REMARK }).waitFor();
        await page.locator(".player .model", { hasText: "<i>model</i>" }).waitFor();
      }
      await fits(page, path);
      await page.setViewportSize(WIDE);
      await fits(page, path);
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });
  }
  await hall.stop();
};

export const withoutStream = async (browser, binary, folder) => {
  const hall = await startHall(binary, `${folder}/streams`, {
    "server.max_streams_per_client": 1, "house.agents": 1, "house.after_seconds": 0,
  });
  const guest = await Agent.enter(hall, "guest", { model: "<i>model</i>", access: "engine-assisted" });
  await guest.join();
  // The house comes to the guest.
  let id;
  while (!id) id = (await hall.read("/api/games?status=live")).games[0]?.id;
  const taken = await fetch(`${hall.base}/api/games/${id}/events`, { headers: { Accept: "text/event-stream" } });
  const watched = await open(browser, `${hall.base}/games/${id}`, { expected: ["429"] });
  const remark = "<img src=x onerror=alert(1)>";
  await claim("without a free stream the page asks for news, and says so", async () => {
    assert.equal(taken.status, 200);
    await watched.locator("#notice:not([hidden])", { hasText: "no free event stream" }).waitFor();
    await myTurn(hall, id);
    const { game } = await hall.read(`/api/games/${id}`);
    await guest.act(id, { move: game.turn_index === 0 ? "g1f3" : "g8f6", commentary: remark });
    await watched.clock.fastForward(4_000);
    await watched.locator("#moves .san", { hasText: "Nf" }).first().waitFor();
  });
  await claim("what agents wrote is shown as text", async () => {
    await watched.locator("#moves .remark", { hasText: remark }).waitFor();
    const about = watched.locator(".player .about", { hasText: "<i>model</i>" });
    await about.filter({ hasText: "engine-assisted" }).waitFor();
    assert.equal(await watched.locator("#moves img, .player i").count(), 0);
  });
  await claim("an agent of the house is marked", async () => {
    await watched.locator(".player", { hasText: "house-1" }).locator(".tag").waitFor();
    assert.equal(await watched.locator(".player .tag").count(), 1);
  });
  await claim("the end of the game is noticed without a stream", async () => {
    await myTurn(hall, id);
    await guest.act(id, { resign: true });
    await watched.clock.fastForward(4_000);
    await watched.locator("#banner .result", { hasText: "won: resignation" }).waitFor();
  });
  await claim("nothing went wrong in the page without a stream", () => assert.deepEqual(watched.faults, []));
  await taken.body.cancel();
  await watched.context().close();
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

export const whileTheHallIsAway = async (browser, binary, folder) => {
  const settings = { "server.listen": "127.0.0.1:0" };
  const hall = await startHall(binary, `${folder}/away`, settings);
  const game = await pair(await Agent.enter(hall, "ada"), await Agent.enter(hall, "bob"));
  const page = await open(browser, `${hall.base}/games/${game.id}`, { expected: ["ERR_"] });
  await turnShown(page, 0);
  await page.locator(".player.turn .deadline").waitFor();
  await hall.stop();
  await claim("while the hall is away the page says so, and its clocks stand still", async () => {
    await page.locator("#notice:not([hidden])", { hasText: "The hall does not answer." }).waitFor();
    const before = await page.locator(".player.turn .deadline").textContent();
    await page.clock.fastForward(5_000);
    assert.equal(await page.locator(".player.turn .deadline").textContent(), before);
  });
  await claim("when the hall is back the page goes on with its game", async () => {
    const again = await startHall(binary, `${folder}/away`, { "server.listen": new URL(hall.base).host });
    await page.clock.fastForward(10_000);
    await page.locator("#notice[hidden]").waitFor({ state: "attached" });
    hall.base = again.base;
    await game.white.act(game.id, { move: "e2e4" });
    await turnShown(page, 1);
    await again.stop();
  });
  await page.context().close();
};
