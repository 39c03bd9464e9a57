// One pane, large: its terminal, a prompt, keys, and what is done with its agent.

import { ask, button, may, opener } from "./acts.js";
import { act, read } from "./api.js";
import { age, el, say, state, tried } from "./dom.js";
import { address, end, held, marks, nameOf, screenOf } from "./fleet.js";
import { placeOf } from "./inbox.js";
import * as queue from "./queue.js";

// typed reports whether the server lets its clients type into a pane: where no agent takes it, it runs as a command.
const typed = (pane) => document.documentElement.dataset.commands === "true" || pane.kind && pane.kind !== "command";

// draft is what was typed for each pane and not sent yet.
const draft = new Map();

// restart offers to start an agent again.
export const restart = (where) => button("Restart", "restart-pane", { session: where, yes: true },
  { sure: `Restart ${where}? Its conversation is resumed.`, done: "Restarted " + where });

// snoozes are how long an agent may be snoozed, as the verb takes it.
const snoozes = [["30m", "30 minutes"], ["2h", "2 hours"], ["8h", "8 hours"], ["tomorrow", "until tomorrow, 9:00"], ["7d", "a week"]];

// marking are the acts that pin and snooze an agent, and that end it.
const marking = (row, where) => [
  row.pinned ? button("Unpin", "label", { session: where, unpin: true }, { done: "Unpinned " + where })
    : button("Pin", "label", { session: where, pin: true }, { done: "Pinned " + where }),
  row.snoozed_until ? button("End snooze", "label", { session: where, snooze: "off" }, { done: where + " is no longer snoozed" })
    : opener("Snooze", "label", () => ask(`Snooze ${where}`, [{ name: "snooze", label: "It needs you no more for", kind: "choice", options: snoozes }],
      ({ snooze }) => act("label", { session: where, snooze }), { label: "Snooze", done: "Snoozed " + where })),
];

// heading tells how a pane is, and leads to what it asks.
const heading = (row, asks) => el("div", { class: "heading" },
  el("h2", {}, address(row) + " ", nameOf(row), " ", state(row), " ", held(row), " ", el("span", { class: "dim" }, [age(row.since), ...marks(row)].join(" · "))),
  asks ? el("p", {}, el("a", { href: placeOf(asks) }, "It needs you: see the inbox.")) : null);

// load reads the queue of a pane, and returns how to draw it.
export async function load(page, where) {
  const prompts = await queue.load(where);
  return () => pane(page, where, prompts);
}

// pane draws one pane, large, with the prompts that wait for it.
function pane(page, where, prompts) {
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
    written("");
  }, "Sent to " + where);
  const written = (value) => {
    text.value = value;
    if (value) draft.set(where, value);
    else draft.delete(where);
  };
  const add = () => tried(async () => {
    const msg = text.value;
    if (!msg.trim()) throw new Error("There is nothing to queue.");
    await act("queue", { session: where, msg });
    written("");
  }, "Queued for " + where).then(page.refresh);
  const saved = el("select", { "aria-label": "Saved prompts", onchange: (event) => {
    written(event.target.value);
    event.target.selectedIndex = 0;
  } }, el("option", { value: "" }, "saved and sent before"));
  saved.addEventListener("focus", () => remembered(row.session, where).then((all) => saved.append(...all)), { once: true });
  const keys = el("button", { type: "button", class: "keys", "aria-pressed": "false",
    onclick: () => typing(keys, row.pane, where) }, "Type keys");
  const wrap = el("button", { type: "button", onclick: () => terminals.get(row.pane)?.wrap() }, "Wrap lines");
  const back = el("button", { type: "button", onclick: () => earlier(row.pane, where) }, "Earlier output");
  // What is done with the agent depends on what it does now.
  const acts = el("div", { class: "buttons" },
    button("Interrupt", "interrupt", { session: where }, { done: "Interrupted " + where }),
    row.agent ? [restart(where), marking(row, where)] : null, end(where), wrap, back,
    el("a", { href: "#/changes" }, "Changes"));
  // The form stays as it was made: what is written in it, and what its buttons do, is of this pane alone.
  const form = !may("send") ? null : typed(row)
    ? el("form", { "data-keep": "", "data-key": "form " + where, onsubmit: (event) => { event.preventDefault(); send(); } }, text,
      el("div", { class: "buttons" }, el("button", { type: "submit", class: "main" }, "Send"), queue.adder(row, add), over, saved, keys),
      el("div", { class: "buttons pad", role: "group", "aria-label": "Keys" }, pad.map(([label, key]) => el("button", {
        type: "button", onclick: () => press(where, key),
      }, label))))
    : el("div", { "data-keep": "", "data-key": "none " + where },
      el("p", { class: "dim" }, "No agent runs here: what is typed would run as a command, and this server runs none."));

  return el("section", { class: "pane", "data-of": where, "data-key": "pane " + where }, heading(row, page.attention.needs.find((need) => need.pane === row.pane)),
    screenOf(row, "screen large"), finder(row.pane, where), form, queue.view(where, prompts), acts);
}

// terminals are the terminals that are open, by pane.
const terminals = new Map();

// openTerminal opens the terminal in an element, which draws screens then. What xterm.js needs is loaded at the first.
export async function openTerminal(element, pane, label) {
  const sheet = el("link", { rel: "stylesheet", href: "/xterm/xterm.css" });
  if (!document.querySelector('link[href="/xterm/xterm.css"]')) document.head.append(sheet);
  const { Terminal } = await import("./terminal.js");
  for (const [id, open] of terminals) {
    if (!open.element.isConnected) { open.close(); terminals.delete(id); }
  }
  if (!element.isConnected || terminals.has(pane)) return null;
  const terminal = new Terminal(element, label);
  terminals.set(pane, terminal);
  return terminal;
}

// finder is the field that searches the terminal and the output before its screen.
const finder = (pane, where) => el("input", { type: "search", class: "finder", "aria-label": "Find in the output",
  placeholder: "Find in the output", "data-keep": "", "data-key": "find " + where, onkeydown: async (event) => {
    if (event.key !== "Enter" || !event.target.value) return;
    event.preventDefault();
    const text = event.target.value, terminal = terminals.get(pane);
    if (terminal?.before.length === 0) await earlier(pane, where);
    if (!terminal?.find(text, event.shiftKey)) say(`"${text}" is not there`, true);
  } });

// earlier shows the output of a pane that its screen does not show any more.
const earlier = (pane, where) => tried(async () => {
  const { panes: [{ lines }] } = await read("tail", { session: where, lines: 2000 });
  const terminal = terminals.get(pane);
  terminal?.earlier(lines);
  terminal?.xterm.scrollPages(-1);
});

// pad are the keys that a phone lacks, with their names in the verb "keys".
const pad = [["Esc", "Escape"], ["Tab", "Tab"], ["Ctrl-C", "C-c"], ["↑", "Up"], ["↓", "Down"], ["←", "Left"], ["→", "Right"],
  ["Enter", "Enter"], ["y", "y"], ["n", "n"]];

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

// named are keys by what a terminal sends for them, as the verb "keys" names them.
const named = {
  "\r": "Enter", "\x1b": "Escape", "\x7f": "BSpace", "\t": "Tab", "\x1b[Z": "BTab", " ": "Space", "\x1b[A": "Up", "\x1b[B": "Down",
  "\x1b[C": "Right", "\x1b[D": "Left", "\x1b[H": "Home", "\x1b[F": "End", "\x1b[5~": "PPage", "\x1b[6~": "NPage", "\x1b[3~": "DC",
};

// keyOf names a key by what a terminal sends for it; empty for a text.
function keyOf(data) {
  if (named[data]) return named[data];
  if (data.length === 1) return data < " " ? "C-" + String.fromCharCode(data.charCodeAt(0) + 96) : data;
  return /^\x1b[ -~]$/.test(data) ? "M-" + data[1] : "";
}

// waiting are calls that pass on what was typed, in its order; keys that wait are passed on together.
const waiting = [];
let passing = false;

async function pass() {
  if (passing) return;
  passing = true;
  for (let call = waiting.shift(); call; call = waiting.shift()) await tried(() => act(call.verb, call.input));
  passing = false;
}

// press passes a key on to a pane.
function press(where, key) {
  const last = waiting.at(-1);
  if (last?.verb === "keys" && last.input.session === where) last.input.keys.push(key);
  else waiting.push({ verb: "keys", input: { session: where, keys: [key], all: true } });
  pass();
}

// paste passes a text on to a pane.
function paste(where, msg) {
  waiting.push({ verb: "send", input: { session: where, msg, "no-enter": true, all: true } });
  pass();
}

// typing passes every key on to the pane until it is switched off: by the button, or by Escape twice. The terminal has
// the focus meanwhile, which opens the keyboard of a phone.
function typing(button, pane, where) {
  if (button.stop) return button.stop();
  const end = terminals.get(pane)?.type((data) => {
    const key = keyOf(data);
    if (key) press(where, key);
    else paste(where, data);
  }, () => button.stop());
  if (!end) return;
  button.stop = () => {
    end();
    window.removeEventListener("hashchange", button.stop);
    button.stop = null;
    button.setAttribute("aria-pressed", "false");
    button.textContent = "Type keys";
    button.focus();
  };
  window.addEventListener("hashchange", button.stop);
  button.setAttribute("aria-pressed", "true");
  button.textContent = "Typing: Esc Esc ends it";
}
