// The front page keeps itself up to date while somebody looks at it.
import { fetchPage, setTime, tellTimes } from "./hall.js";
import { morphParts } from "./morph.js";

const REFRESH_MS = 3000;
const notice = document.getElementById("notice");

// Addresses of an earlier release: `/#g_…` was a game.
if (/^#g_[0-9a-z]+$/.test(location.hash)) location.replace(`/games/${location.hash.slice(1)}`);

const refresh = async () => {
  try {
    const page = await fetchPage("/");
    setTime(page);
    morphParts(page, ["pulse", "featured", "live", "lobbies", "ended"]);
    tellTimes(document);
    notice.hidden = true;
  } catch {
    notice.textContent = "The hall does not answer. Trying again.";
    notice.hidden = false;
  }
};
// The next refresh begins when the last one is over, so a slow hall is not asked twice.
const loop = async () => {
  if (!document.hidden) await refresh();
  setTimeout(loop, REFRESH_MS);
};
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
setTimeout(loop, REFRESH_MS);
