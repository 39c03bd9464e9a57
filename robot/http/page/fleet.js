// The fleet: sessions as a tree, and their panes as live tiles; one pane, large, with typing.

import { act, read } from "./api.js";
import { age, drawScreen, el, state, tried } from "./dom.js";

export const address = (pane) => `${pane.session}.${pane.ordinal}`;
export const nameOf = (pane) => pane.agent || "shell";

// held tells how much a pane's agent may do: its mode, and the sandbox that holds it.
const held = (pane) => el("span", { class: "dim" },
  `${pane.mode || ""} ${pane.sandbox ? "[" + pane.sandbox + "]" : ""}`.trim());

// screenOf is the place of a screen. It scrolls, so that it can have the focus.
const screenOf = (pane, kind) => el("div", {
  class: kind, id: "screen-" + pane.pane, tabIndex: 0, role: "region", "aria-label": "Screen of " + address(pane),
});

// typed reports whether the server lets its clients type into a pane: where no agent takes it, it runs as a command.
const typed = (pane) => document.documentElement.dataset.commands === "true" || pane.kind && pane.kind !== "command";

const needs = (pane) => ["waiting", "error", "limited"].includes(pane.state);

// view draws the fleet from the status.
export function view(page) {
  const { status, filter, onlyNeedy } = page;
  const panes = status.panes.filter((pane) =>
    (!filter || `${address(pane)} ${pane.agent || ""} ${pane.kind || ""} ${pane.state}`.includes(filter)) &&
    (!onlyNeedy || needs(pane)));
  const missing = (status.missing || []).map((one) => el("p", { class: "bad" }, one.why));
  if (status.panes.length === 0) {
    return el("section", { class: "empty" }, missing, el("h2", {}, "No agents run"),
      el("p", {}, "Start some in a terminal: ", el("code", {}, "cupola spawn api --agents=claude=2")));
  }
  const sessions = [...new Set(panes.map((pane) => pane.session))];
  return el("div", { class: "fleet" },
    el("nav", { class: "tree", "aria-label": "Sessions and panes" },
      missing, sessions.map((session) => el("section", {}, el("h2", {}, session),
        el("ul", {}, panes.filter((pane) => pane.session === session).map((pane) =>
          el("li", {}, el("a", { href: "#/pane/" + address(pane), class: "row" },
            el("span", { class: "who" }, pane.ordinal + " " + nameOf(pane)), " ", state(pane), " ",
            el("span", { class: "dim age" }, age(pane.since))))))))),
    el("section", { class: "tiles", "aria-label": "Screens" }, panes.filter((pane) => pane.agent || pane.session)
      .map((pane) => el("article", { class: "tile " + pane.state },
        el("a", { href: "#/pane/" + address(pane), class: "head" },
          el("strong", {}, address(pane)), " ", nameOf(pane), " ", state(pane), " ", held(pane)),
        screenOf(pane, "screen")))));
}

// shown draws a screen where it is in view.
export function shown(screen) {
  const element = document.getElementById("screen-" + screen.pane);
  if (element) drawScreen(element, screen);
}

// draft is what was typed for each pane and not sent yet.
const draft = new Map();

// heading tells how a pane is.
const heading = (row) => el("div", { class: "heading" },
  el("h2", {}, address(row) + " ", nameOf(row), " ", state(row), " ", held(row), " ", el("span", { class: "dim" }, age(row.since))),
  needs(row) ? el("p", {}, el("a", { href: "#/inbox" }, "It needs you: see the inbox.")) : null);

// renew keeps the heading true while the user writes a prompt below it.
export function renew(page, where) {
  const row = page.status.panes.find((one) => address(one) === where);
  if (row) document.querySelector(".pane > .heading")?.replaceWith(heading(row));
}

// pane draws one pane, large.
export function pane(page, where) {
  const row = page.status.panes.find((one) => address(one) === where);
  if (!row) return el("section", { class: "empty" }, el("h2", {}, "There is no pane " + where), el("a", { href: "#/" }, "All panes"));
  const text = el("textarea", {
    id: "prompt", rows: 3, placeholder: `A prompt for ${where}`, "aria-label": "Prompt", value: draft.get(where) || "",
    oninput: (event) => draft.set(where, event.target.value),
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
      if (event.key === "Escape") event.target.blur();
    },
  });
  const over = el("button", { type: "button", class: "deny", hidden: true, onclick: () => send({ "replace-draft": true }) },
    "Clear the draft there, and send");
  const send = (how = {}) => tried(async () => {
    const msg = text.value;
    if (!msg.trim()) throw new Error("There is nothing to send.");
    over.hidden = true;
    try {
      await act("send", { session: where, msg, ...(row.agent ? {} : { all: true }), ...how });
    } catch (failure) {
      over.hidden = !(failure.details?.deliveries || []).some((one) => one.why === "draft");
      throw failure;
    }
    draft.delete(where);
    text.value = "";
  }, "Sent to " + where);
  const saved = el("select", { "aria-label": "Saved prompts", onchange: (event) => {
    text.value = event.target.value;
    draft.set(where, text.value);
    event.target.selectedIndex = 0;
  } }, el("option", { value: "" }, "saved and sent before"));
  remembered(row.session, where).then((all) => saved.append(...all));
  const keys = el("button", { type: "button", class: "keys", "aria-pressed": "false", onclick: () => typing(keys, where) },
    "Type keys");
  const interrupt = el("button", {
    type: "button", onclick: () => tried(() => act("interrupt", { session: where }), "Interrupted"),
  }, "Interrupt");
  return el("section", { class: "pane", "data-of": where }, heading(row),
    screenOf(row, "screen large"),
    typed(row) ? el("form", { onsubmit: (event) => { event.preventDefault(); send(); } }, text,
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "main" }, "Send"), over, saved, keys, interrupt))
      : [el("p", { class: "dim" }, "No agent runs here: what is typed would run as a command, and this server runs none."),
        el("div", { class: "buttons" }, interrupt)]);
}

async function remembered(session, where) {
  const options = [];
  try {
    const { prompts } = await read("palette", { session });
    options.push(...prompts.map((one) => el("option", { value: one.text }, "saved: " + (one.label || one.key))));
    const sent = await read("history", { session, pane: where, last: 15 });
    options.push(...sent.prompts.map((one) => el("option", { value: one.text }, one.text.slice(0, 60))));
  } catch {
    // Without them a prompt is typed.
  }
  return options;
}

// names of keys as the verb "keys" has them.
const named = {
  Enter: "Enter", Escape: "Escape", Backspace: "BSpace", Tab: "Tab", ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left",
  ArrowRight: "Right", Home: "Home", End: "End", PageUp: "PPage", PageDown: "NPage", Delete: "DC", " ": "Space",
};

let queue = Promise.resolve();

// typing passes every key on to the pane until it is switched off: by the button, or by Escape twice.
function typing(button, where) {
  if (button.getAttribute("aria-pressed") === "true") return button.stop();
  let escaped = 0;
  const press = (event) => {
    if (event.isComposing || event.target === button && event.key === "Tab") return;
    let key = named[event.key] || (event.key.length === 1 ? event.key : "");
    if (!key) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.ctrlKey) key = "C-" + event.key.toLowerCase();
    else if (event.altKey) key = "M-" + event.key;
    if (event.key === "Escape" && Date.now() - escaped < 500) return button.stop();
    if (event.key === "Escape") escaped = Date.now();
    queue = queue.then(() => tried(() => act("keys", { session: where, keys: [key], all: true })));
  };
  const paste = (event) => {
    event.preventDefault();
    const msg = event.clipboardData.getData("text");
    queue = queue.then(() => tried(() => act("send", { session: where, msg, "no-enter": true, all: true })));
  };
  button.stop = () => {
    document.removeEventListener("keydown", press, true);
    document.removeEventListener("paste", paste, true);
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Type keys";
  };
  document.addEventListener("keydown", press, true);
  document.addEventListener("paste", paste, true);
  window.addEventListener("hashchange", button.stop, { once: true });
  button.setAttribute("aria-pressed", "true");
  button.textContent = "Typing: Esc Esc ends it";
}
