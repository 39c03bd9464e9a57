// The fleet: sessions as a tree, and their panes as live tiles.

import { button } from "./acts.js";
import { age, clock, drawScreen, el, state } from "./dom.js";
import { addTo, starts } from "./start.js";

export const address = (pane) => `${pane.session}.${pane.ordinal}`;
export const nameOf = (pane) => pane.agent || "shell";

// held tells how much a pane's agent may do: its mode, and the sandbox that holds it.
export const held = (pane) => el("span", { class: "dim" },
  `${pane.mode || ""} ${pane.sandbox ? "[" + pane.sandbox + "]" : ""}`.trim());

// screenOf is the place of a screen. It scrolls, so that it can have the focus; what it shows comes by the stream.
export const screenOf = (pane, kind) => el("div", {
  class: kind, id: "screen-" + pane.pane, tabIndex: 0, role: "region", "aria-label": "Screen of " + address(pane),
  "data-keep": "", "data-key": "screen-" + pane.pane,
});

// needs reports whether a pane needs the user; a snoozed one does not.
export const needs = (pane) => !pane.snoozed_until && ["waiting", "error", "limited"].includes(pane.state);

// urgency orders panes: who is pinned first, then who needs the user; those that are snoozed come after them, shells last.
const order = ["waiting", "error", "limited", "exited", "working", "starting", "unknown", "idle"];
const urgency = (pane) => (pane.pinned ? -1000 : 0) + (pane.kind && pane.kind !== "command" ? 0 : 100) +
  (pane.snoozed_until ? 50 : 0) + (order.indexOf(pane.state) + 1 || order.length);
const byNeed = (a, b) => urgency(a) - urgency(b);

// end offers to end a session or a pane.
export const end = (where, what = where) => button("End", "kill", { session: where, yes: true },
  { kind: "deny", sure: `End ${what}, with all that runs in it?`, done: "Ended " + where });

// marks are the marks of the user on a pane, and how many prompts wait for it, in words.
export const marks = (pane) => [
  pane.pinned ? "pinned" : "", pane.queued ? pane.queued + " queued" : "",
  pane.snoozed_until ? "snoozed until " + clock(pane.snoozed_until) : "",
].filter(Boolean);

// view draws the fleet from the status: who needs the user comes first.
export function view(page) {
  const { status, filter, onlyNeedy } = page;
  const panes = status.panes.filter((pane) =>
    (!filter || `${address(pane)} ${pane.agent || ""} ${pane.label || ""} ${pane.kind || ""} ${pane.state}`.includes(filter)) &&
    (!onlyNeedy || needs(pane))).sort(byNeed);
  const missing = (status.missing || []).map((one) => el("p", { class: "bad" }, one.why));
  if (status.panes.length === 0) {
    return el("section", { class: "empty", "data-key": "none" }, missing, el("h2", {}, "No agents run"),
      el("div", { class: "buttons centre" }, starts([])),
      el("p", {}, "In a terminal: ", el("code", {}, "cupola spawn api --agents=claude=2")));
  }
  const reasons = new Map(page.attention.needs.map((need) => [need.pane, need.asks || need.why]));
  const sessions = [...new Set(panes.map((pane) => pane.session))];
  return el("div", { class: "fleet", "data-key": "fleet" },
    el("nav", { class: "tree", "aria-label": "Sessions and panes" },
      el("div", { class: "buttons" }, starts(sessions)),
      missing, sessions.map((session) => el("section", { "data-key": session, "data-of": session },
        el("h2", {}, session, el("span", { class: "buttons" }, addTo(session), end(session, `Session ${session}`))),
        el("ul", {}, panes.filter((pane) => pane.session === session).map((pane) =>
          el("li", { "data-key": pane.pane }, el("a", { href: "#/pane/" + address(pane), class: "row" },
            el("span", { class: "who" }, pane.ordinal + " " + nameOf(pane), pane.label ? " #" + pane.label : ""), " ",
            state(pane), " ", el("span", { class: "dim age" }, age(pane.since)),
            el("span", { class: "dim reason" }, [reasons.get(pane.pane), ...marks(pane)].filter(Boolean).join(" · "))))))))),
    el("section", { class: "tiles", "aria-label": "Screens" }, panes.map((pane) =>
      el("article", { class: "tile " + pane.state, "data-key": pane.pane },
        el("a", { href: "#/pane/" + address(pane), class: "head" },
          el("strong", {}, address(pane)), " ", nameOf(pane), " ", state(pane), " ", held(pane)),
        screenOf(pane, "screen")))));
}

// screens are the last screens that came, by pane.
const screens = new Map();

// shown draws a screen where it is in view.
export function shown(screen) {
  screens.set(screen.pane, screen);
  const element = document.getElementById("screen-" + screen.pane);
  if (element?.terminal) element.terminal.show(screen);
  else if (element && !element.matches(".large")) drawScreen(element, screen);
}

// fill draws the screens that are known where they are not drawn yet, and opens the terminal of a large one.
export async function fill(main, openTerminal) {
  for (const element of main.querySelectorAll(".screen:not([data-drawn])")) {
    element.dataset.drawn = "";
    const pane = element.id.slice("screen-".length);
    if (element.matches(".large")) element.terminal = await openTerminal(element, pane, element.getAttribute("aria-label"));
    if (screens.has(pane)) shown(screens.get(pane));
  }
}
