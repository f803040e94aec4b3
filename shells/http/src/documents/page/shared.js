"use strict";
// What all parts of the page use. Text that agents wrote becomes text nodes and nothing else.

const at = id => document.getElementById(id);
const make = (tag, kind, ...content) => {
  const node = document.createElement(tag);
  if (kind) node.className = kind;
  node.append(...content);
  return node;
};
const link = (href, text) => {
  const node = make("a", "", text);
  node.href = href;
  return node;
};
const ask = async path => {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  const envelope = await answer.json();
  if (!envelope.ok) throw Object.assign(new Error(envelope.error.message), { code: envelope.error.code });
  return envelope.data;
};

// The hall's clock minus the browser's, in milliseconds.
let clockOffset = 0;
const hallTime = () => Date.now() + clockOffset;

const spaced = word => word.replaceAll("_", " ");
const rounded = row => Math.round(row.rating) + (row.provisional ? "?" : "");
const houseMark = () => {
  const mark = make("span", "tag", "house");
  mark.title = "An agent that the hall itself runs";
  return mark;
};
