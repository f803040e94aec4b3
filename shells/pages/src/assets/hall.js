// What every page uses: pages of the hall as documents, and moments relative to now.

/** What may become markup or a script here, where the browser asks for it: what this hall has served as such. */
export const policy = globalThis.trustedTypes?.createPolicy("hall", {
  createHTML: page => page,
  createScriptURL: address => {
    if (new URL(address).origin !== location.origin) throw new TypeError(`${address} is not of this hall`);
    return address;
  },
}) ?? { createHTML: page => page, createScriptURL: address => address };

/** Another page of this hall, or a part of one, as a document that runs nothing. */
export const fetchPage = async path => {
  const answer = await fetch(path, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw Object.assign(new Error(`${path}: ${answer.status}`), { status: answer.status });
  return new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
};

// The hall's clock minus the browser's, as far as the page was told.
const told = document.documentElement.dataset.now;
let offset = told ? Date.parse(told) - Date.now() : 0;
export const hallTime = () => Date.now() + offset;
/** Reads the hall's clock from a page that was just fetched. */
export const setTime = page => {
  const now = page.documentElement.dataset.now;
  if (now) offset = Date.parse(now) - Date.now();
};

const STEPS = [[60, 1, "second"], [3600, 60, "minute"], [86400, 3600, "hour"], [7 * 86400, 86400, "day"]];
// What happened 40 hours ago may be of the day before yesterday: only "now" is said without a number.
const [inWords, inNumbers] = ["auto", "always"].map(numeric => new Intl.RelativeTimeFormat("en", { numeric }));
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Writes the moments in `root` relative to now; the whole time stays as their title. */
export const tellTimes = root => {
  for (const node of root.querySelectorAll("time")) {
    const at = Date.parse(node.dateTime), seconds = (at - hallTime()) / 1000;
    const step = STEPS.find(([limit]) => Math.abs(seconds) < limit);
    const relative = step?.[2] === "second" ? inWords : inNumbers;
    const text = step ? relative.format(Math.trunc(seconds / step[1]), step[2]) : day.format(at);
    node.title ||= node.textContent;
    if (node.textContent !== text) node.textContent = text;
  }
};

tellTimes(document);
setInterval(() => tellTimes(document), 30_000);
