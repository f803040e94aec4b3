// Claims, and pages of a hall in Chromium that note everything that goes wrong in them.
import assert from "node:assert/strict";

export const WIDE = { width: 1280, height: 900 }, MIDDLE = { width: 768, height: 1024 }, NARROW = { width: 360, height: 740 };

/** How many claims did not hold. */
export const outcome = { failed: 0 };

export const claim = async (words, check) => {
  try {
    await check();
    console.log(`ok   ${words}`);
  } catch (error) {
    outcome.failed += 1;
    console.log(`FAIL ${words}: ${error.message}`);
  }
};

/** A page, whose clock the test can set forward; `faults` collects what went wrong in it, and requests to elsewhere. */
export const open = async (browser, url, { viewport = WIDE, dark = false, scripts = true, expected = [] } = {}) => {
  const context = await browser.newContext({ viewport, colorScheme: dark ? "dark" : "light", javaScriptEnabled: scripts });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (said) => {
    const text = `${said.text()} ${said.location().url}`;
    if (said.type() === "error" && !expected.some((known) => text.includes(known))) page.faults.push(text);
  });
  const { origin } = new URL(url);
  page.on("request", (request) => new URL(request.url()).origin !== origin && page.faults.push(`asked ${request.url()}`));
  if (scripts) await page.clock.install();
  await page.goto(url);
  return page;
};

/** The page and everything in it fit the width of the window. */
export const fits = async (page, name = page.url()) => {
  const [width, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(width <= window, `${name} is ${width} wide in a window of ${window}`);
};
