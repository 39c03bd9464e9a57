// A button acts only where it has stood for a while. What has just come, moved or changed under a finger was not aimed
// at, and what was drawn a moment ago was not read.

import { say } from "./dom.js";

// settleFor is how long a button must have stood where it is, lookEvery how often that is looked at, in milliseconds.
const settleFor = 700;
const lookEvery = 100;

const main = document.getElementById("main");

// stands has where each button was seen last, and since when it is there, by what it does.
let stands = new Map();

// does is what a button does: its text and whom it is for.
const does = (button) => [location.hash, button.closest("[data-of]")?.dataset.of || "", button.textContent].join("\n");

const place = (button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join(" ");
};

// look notes where the buttons are. What draws the page calls it, so that no button looks settled that has just moved.
export function look() {
  const now = performance.now();
  const seen = new Map();
  for (const button of main.querySelectorAll("button")) {
    const name = does(button), at = place(button), before = stands.get(name);
    // Two buttons that do the same cannot be told apart: neither is settled.
    const stood = { at: seen.has(name) ? "" : at, since: before?.at === at ? before.since : now };
    seen.set(name, stood);
    button.toggleAttribute("data-settled", stood.at === at && now - stood.since >= settleFor);
  }
  stands = seen;
}

// settled reports whether a button has stood where it is.
export function settled(button) {
  const stood = stands.get(does(button));
  return stood !== undefined && stood.at === place(button) && performance.now() - stood.since >= settleFor;
}

// Every button of the page goes through here, before what it does itself.
main.addEventListener("click", (event) => {
  const button = event.target.closest?.("button");
  if (!button || settled(button)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  say("That button has just come or moved. Look again, and press it again.", true);
}, true);

setInterval(look, lookEvery);
