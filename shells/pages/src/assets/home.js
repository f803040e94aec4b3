// The front page keeps itself up to date while somebody looks at it: at once when a game begins or ends or ratings change, and
// now and then for the moves on its small boards.
import { fetchPage, setTime, tellTimes } from "./hall.js";
import { morphParts } from "./morph.js";

const REFRESH_MS = 3000, GAP_MS = 1000;
const notice = document.getElementById("notice");

// Addresses of an earlier release: `/#g_…` was a game.
if (/^#g_[0-9a-z]+$/.test(location.hash)) location.replace(`/games/${location.hash.slice(1)}`);

// One refresh at a time and one a second at most, however much happens; what is asked for meanwhile is one more behind it.
let running = false, again = false;
const refresh = async () => {
  again = true;
  if (running || document.hidden) return;
  running = true;
  while (again) {
    again = false;
    try {
      const page = await fetchPage("/");
      setTime(page);
      morphParts(page, ["pulse", "featured", "live", "lobbies", "ended"]);
      tellTimes(document);
      notice.hidden = true;
    } catch (error) {
      const why = error.status === 429 ? "Too many requests from here" : "The hall does not answer";
      notice.textContent = `${why}. Trying again.`;
      notice.hidden = false;
    }
    await new Promise(resolve => setTimeout(resolve, GAP_MS));
  }
  running = false;
};

// What happens in the hall, while somebody looks. Without a stream the page still refreshes itself in time.
let source = null;
const follow = () => {
  source?.close();
  source = null;
  if (document.hidden) return;
  refresh();
  source = new EventSource("/api/events");
  source.onmessage = refresh;
  source.addEventListener("gap", refresh);
};
document.addEventListener("visibilitychange", follow);
setInterval(refresh, REFRESH_MS);
follow();
