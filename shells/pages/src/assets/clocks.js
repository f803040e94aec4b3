// Clocks that run down to a moment of the hall's time. While the hall does not answer they stand still.
import { hallTime } from "./hall.js";

let running = true;

const written = ms => {
  const seconds = Math.max(0, Math.floor(ms / 1000)), pair = number => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${pair(minutes)}:${pair(seconds % 60)}` : `${minutes}:${pair(seconds % 60)}`;
};

/** Writes what is left on every running clock. */
export const tick = () => {
  if (!running) return;
  for (const node of document.querySelectorAll("[data-ends]")) {
    const left = Date.parse(node.dataset.ends) - hallTime();
    node.textContent = (node.classList.contains("deadline") ? "move " : "") + written(left);
    node.classList.toggle("urgent", left < 10_000);
  }
};
export const runClocks = whether => {
  running = whether;
  tick();
};

tick();
setInterval(tick, 250);
