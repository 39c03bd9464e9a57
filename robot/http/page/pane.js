// One pane, large: its screen, a prompt, keys, and what is done with its agent.

import { button, may, tell } from "./acts.js";
import { act, read } from "./api.js";
import { age, el, state, tried } from "./dom.js";
import { address, end, held, nameOf, needs, screenOf } from "./fleet.js";

// typed reports whether the server lets its clients type into a pane: where no agent takes it, it runs as a command.
const typed = (pane) => document.documentElement.dataset.commands === "true" || pane.kind && pane.kind !== "command";

// draft is what was typed for each pane and not sent yet.
const draft = new Map();

// restart offers to start an agent again.
export const restart = (where) => button("Restart", "restart-pane", { session: where, yes: true },
  { sure: `Restart ${where}? Its conversation is resumed.`, done: "Restarted " + where });

// heading tells how a pane is.
const heading = (row) => el("div", { class: "heading" },
  el("h2", {}, address(row) + " ", nameOf(row), " ", state(row), " ", held(row), " ", el("span", { class: "dim" }, age(row.since))),
  needs(row) ? el("p", {}, el("a", { href: "#/inbox" }, "It needs you: see the inbox.")) : null);

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
  saved.addEventListener("focus", () => remembered(row.session, where).then((all) => saved.append(...all)), { once: true });
  const keys = el("button", { type: "button", class: "keys", "aria-pressed": "false", onclick: () => typing(keys, where) },
    "Type keys");
  const wrap = el("button", { type: "button", onclick: () => {
    const screen = document.getElementById("screen-" + row.pane);
    screen.classList.toggle("wrapped");
  } }, "Wrap lines");
  const back = el("button", { type: "button", onclick: () => readBack(where) }, "Earlier output");
  // What is done with the agent depends on what it does now.
  const acts = el("div", { class: "buttons" },
    button("Interrupt", "interrupt", { session: where }, { done: "Interrupted " + where }),
    row.agent ? restart(where) : null, end(where), wrap, back,
    el("a", { href: "#/changes" }, "Changes"));
  // The form stays as it was made: what is written in it, and what its buttons do, is of this pane alone.
  const form = !may("send") ? null : typed(row)
    ? el("form", { "data-keep": "", "data-key": "form " + where, onsubmit: (event) => { event.preventDefault(); send(); } }, text,
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "main" }, "Send"), over, saved, keys),
      el("div", { class: "buttons pad", role: "group", "aria-label": "Keys" }, pad.map(([label, key]) => el("button", {
        type: "button", onclick: () => press(where, key),
      }, label))))
    : el("div", { "data-keep": "", "data-key": "none " + where },
      el("p", { class: "dim" }, "No agent runs here: what is typed would run as a command, and this server runs none."));

  return el("section", { class: "pane", "data-of": where, "data-key": "pane " + where }, heading(row),
    screenOf(row, "screen large"), form, acts);
}

// pad are the keys that a phone lacks, with their names in the verb "keys".
const pad = [["Esc", "Escape"], ["Tab", "Tab"], ["Ctrl-C", "C-c"], ["↑", "Up"], ["↓", "Down"], ["←", "Left"], ["→", "Right"],
  ["Enter", "Enter"], ["y", "y"], ["n", "n"]];

// readBack shows the output of a pane that its screen does not show any more, where it can be searched.
async function readBack(where) {
  const answer = await tried(() => read("tail", { session: where, lines: 2000 }));
  if (!answer) return;
  const lines = answer.panes?.[0]?.lines || [];
  const text = el("pre", { tabIndex: 0 });
  const draw = (word) => { text.textContent = lines.filter((line) => line.toLowerCase().includes(word)).join("\n"); };
  draw("");
  tell("Earlier output of " + where, el("input", { type: "search", placeholder: "Show only lines with", "aria-label": "Search",
    oninput: (event) => draw(event.target.value.toLowerCase()) }), text);
  text.scrollTop = text.scrollHeight;
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

// press passes keys on to a pane, one after the other.
function press(where, ...keys) {
  queue = queue.then(() => tried(() => act("keys", { session: where, keys, all: true })));
}

// paste passes a text on to a pane.
function paste(where, msg) {
  queue = queue.then(() => tried(() => act("send", { session: where, msg, "no-enter": true, all: true })));
}

// typing passes every key on to the pane until it is switched off: by the button, or by Escape twice. It has a field of
// its own, which opens the keyboard of a phone.
function typing(button, where) {
  if (button.getAttribute("aria-pressed") === "true") return button.stop();
  let escaped = 0, pressed = -Infinity;
  const field = el("input", {
    class: "typing", type: "text", autocapitalize: "off", autocomplete: "off", spellcheck: false,
    "aria-label": "Keys for " + where,
  });
  field.setAttribute("autocorrect", "off");
  const down = (event) => {
    if (event.isComposing || event.target === button && event.key === "Tab") return;
    let key = named[event.key] || (event.key.length === 1 ? event.key : "");
    if (!key) return; // a phone tells what is written, not which key: written gets it
    event.preventDefault();
    event.stopPropagation();
    if (event.ctrlKey) key = "C-" + event.key.toLowerCase();
    else if (event.altKey) key = "M-" + event.key;
    if (event.key === "Escape" && Date.now() - escaped < 500) return button.stop();
    if (event.key === "Escape") escaped = Date.now();
    pressed = performance.now();
    press(where, key);
  };
  const written = (event) => {
    if (event.isComposing || !event.inputType.startsWith("insert") && !event.inputType.startsWith("delete")) return;
    event.preventDefault();
    if (performance.now() - pressed < 20) return; // the key has told it
    if (event.inputType.startsWith("delete")) press(where, "BSpace");
    else if (event.data) paste(where, event.data);
    else press(where, "Enter");
    field.value = "";
  };
  const composed = (event) => { if (event.data) paste(where, event.data); field.value = ""; };
  const pasted = (event) => { event.preventDefault(); paste(where, event.clipboardData.getData("text")); };
  button.stop = () => {
    document.removeEventListener("keydown", down, true);
    document.removeEventListener("paste", pasted, true);
    field.remove();
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Type keys";
  };
  document.addEventListener("keydown", down, true);
  document.addEventListener("paste", pasted, true);
  field.addEventListener("beforeinput", written);
  field.addEventListener("compositionend", composed);
  window.addEventListener("hashchange", button.stop, { once: true });
  button.setAttribute("aria-pressed", "true");
  button.textContent = "Typing: Esc Esc ends it";
  button.after(field);
  field.focus({ preventScroll: true });
}
