// Watches games at the built hall in Chromium, as a spectator would.
//
//   node page.mjs PATH_TO_HALL FOLDER CHROMIUM
//
// Prints one line for each claim and exits with 1 if one does not hold; screenshots for a person to look at are written to
// FOLDER/screenshots. Nothing waits for time to pass: the page's clock is set forward, and what should follow is waited for.
import { chromium } from "playwright-core";
import { outcome } from "./browser.mjs";
import { frontPage } from "./front.mjs";
import { gamePage, hostileTexts, longGame, whileTheHallIsAway, withoutStream } from "./game.mjs";
import { looks } from "./looks.mjs";
import { verifyPage } from "./verify.mjs";

const [binary, folder, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const part of [frontPage, gamePage, longGame, hostileTexts, withoutStream, whileTheHallIsAway, verifyPage, looks]) await part(browser, binary, folder);
await browser.close();
console.log(outcome.failed === 0 ? "the pages hold" : `${outcome.failed} claims failed`);
process.exit(outcome.failed === 0 ? 0 : 1);
