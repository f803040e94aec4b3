// Pieces that move glide from where they stood, unless the reader wants no motion.
const MILLIS = 160;
const wantsNoMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Where the pieces on a board stand that is shown now, in its own units. */
export const places = board => [...board.querySelectorAll(".frame > svg [data-piece]")].map(node => {
  const { x, y, width, height } = node.getBBox();
  return { node, name: node.dataset.piece, x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
});

/** Lets the pieces on a board that has just changed come from where they stood before. */
export const glide = (before, board) => {
  // A drawing that was shown before may have left while its pieces were on their way.
  board.getAnimations({ subtree: true }).forEach(animation => animation.cancel());
  if (wantsNoMotion.matches) return;
  const now = places(board), place = ({ name, x, y }) => `${name} ${x} ${y}`;
  const [stood, stand] = [new Set(before.map(place)), new Set(now.map(place))];
  const left = before.filter(piece => !stand.has(place(piece)));
  for (const piece of now.filter(piece => !stood.has(place(piece)))) {
    const from = left.findIndex(other => other.name === piece.name);
    if (from < 0) continue;
    const [{ x, y }] = left.splice(from, 1);
    piece.node.animate([{ transform: `translate(${x - piece.x}px, ${y - piece.y}px)` }, { transform: "none" }], { duration: MILLIS, easing: "ease-out" });
  }
};
