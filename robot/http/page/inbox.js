// The inbox: who needs the user, and the answer. An answer has the id of the dialog that was shown, so that it cannot
// approve what the agent asks next.

import { may } from "./acts.js";
import { act } from "./api.js";
import { el, say, state, tried } from "./dom.js";
import { restart } from "./pane.js";

// stillFor is how long a pointer may rest on the inbox before it counts as away, in milliseconds.
const stillFor = 10000;

const main = document.getElementById("main");
let over = false, still;

// hover notes whether a pointer is over the page. Draw is called once it is away.
export function hover(draw) {
  const away = () => {
    clearTimeout(still);
    if (over) { over = false; draw(); }
  };
  const there = () => {
    over = true;
    clearTimeout(still);
    still = setTimeout(away, stillFor);
  };
  for (const type of ["pointermove", "pointerdown"]) main.addEventListener(type, there);
  for (const type of ["pointerleave", "pointercancel"]) main.addEventListener(type, away);
}

// cards are those that were drawn last, by their keys, in their order: the element, and whether it is answered.
let cards = new Map();

// view draws what needs the user. While a pointer is over it every card keeps its place: those that are answered
// elsewhere stay as empty cards, and new ones come last.
export function view(page) {
  const now = new Map(page.attention.needs.map((need) => [keyOf(need), need]));
  const shown = document.querySelector(".inbox");
  const kept = shown && over ? [...cards.keys()] : [];
  const all = now.size === 0 ? [] : [...kept, ...[...now.keys()].filter((key) => !kept.includes(key))];
  cards = new Map(all.map((key) => [key, now.has(key) ? card(page, now.get(key)) : answered(cards.get(key))]));
  if (all.length === 0) return el("section", { class: "empty", "data-key": "none" }, el("h2", {}, "Nothing needs you"));
  return el("section", { class: "inbox", "data-key": "inbox" }, el("h2", { class: "hidden" }, "Inbox"), [...cards.values()]);
}

// answered is the empty card that holds the place of one that is gone.
function answered(before) {
  const old = document.querySelector(`[data-key="${CSS.escape(before.dataset.key)}"]`);
  const empty = el("article", { class: "need gone", "data-key": before.dataset.key, "data-where": before.dataset.where },
    el("p", { class: "dim" }, before.dataset.where + " needs nothing any more"));
  empty.style.height = (old?.offsetHeight || 0) + "px";
  return empty;
}

// placeOf is the address of a card: the agent, and since when it asks, in seconds.
export const placeOf = (need) => `#/inbox/${encodeURIComponent(whereOf(need))}@${Math.floor(Date.parse(need.since) / 1000)}`;

let aimed = "";
// aim leads once to the card that an address names: the agent, and since when it asks. Another question of that agent is
// another card. The focus is on the card and not on a button, so that no key answers it unread.
export function aim(named) {
  if (named === aimed) return;
  aimed = named;
  if (!named) return;
  const card = [...main.querySelectorAll(".need")].find((one) => one.dataset.place === named);
  if (!card) return say("What you were told of is answered, or is not asked any more.", true);
  card.setAttribute("aria-current", "true");
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "center" });
}

export const whereOf = (need) => need.ordinal === undefined ? need.session || "" : `${need.session}.${need.ordinal}`;
const keyOf = (need) => [whereOf(need), need.asks, need.since].join("\n");

// asked are the dialogs that were read, by pane, what is asked and since when: two questions of the same text differ.
const asked = new Map();

function card(page, need) {
  const where = whereOf(need);
  const told = need.asks || need.shows || need.why || "";
  const waits = need.state === "waiting" && where;
  const named = decodeURIComponent(placeOf(need).slice("#/inbox/".length));
  const row = waits ? dialogOf(page, need, where) : null;
  const of = row?.dialog_id ? where + " " + row.dialog_id : where;
  return el("article", {
    class: "need row " + (need.state || ""), tabIndex: 0, "data-where": where, "data-of": of, "data-key": keyOf(need),
    "data-place": named, "aria-current": named === aimed ? "true" : undefined,
  },
  el("h3", {}, where ? el("a", { href: "#/pane/" + where }, where) : "", " ", need.agent || "", " ",
    need.state ? state(need) : ""),
  row?.asked?.length ? "" : el("p", { class: "why" }, told),
  el("div", { class: "dialog" }, row ? dialog(page, need, where, row)
    : !waits && need.why && need.why !== told ? el("p", { class: "dim" }, need.why) : "",
  ["error", "exited"].includes(need.state) && where ? el("div", { class: "buttons" }, restart(where)) : ""));
}

// dialogOf returns the dialog of an agent if it was read, and reads it otherwise.
function dialogOf(page, need, where) {
  const key = keyOf(need);
  if (asked.has(key)) return asked.get(key);
  asked.set(key, null);
  if (asked.size > 200) asked.delete(asked.keys().next().value);
  act("answer", { session: where, "dry-run": true }).then(({ answers: [row] }) => {
    if (row && !row.dialog_id) throw new Error("The Cupola over there is too old to be answered from here.");
    if (row) asked.set(key, row);
    else asked.delete(key);
  }).catch((failure) => asked.set(key, { failed: failure.message })).then(page.draw);
  return null;
}

function dialog(page, need, where, row) {
  if (row.failed) return el("p", { class: "dim" }, row.failed);
  const question = (row.before_reason || need.reason) === "question";
  const answer = (how, done) => tried(() => act("answer", { session: where, dialog: row.dialog_id, ...how }), done)
    .then((done) => {
      if (!done) asked.delete(keyOf(need)); // it is read again
      page.refresh();
    });
  const options = row.options || [];
  // What a button says already is no second button.
  const said = question ? [] : ["approve", "deny"];
  const labelOf = (means) => options.find((option) => option.means === means)?.label;
  const words = el("input", { type: "text", placeholder: "in your own words", "aria-label": "Answer in words for " + where });
  const shown = row.asked?.length ? el("pre", {}, row.asked.join("\n")) : "";
  if (!may("answer")) return shown;
  return [
    shown,
    el("div", { class: "buttons" },
      question ? "" : el("button", {
        type: "button", class: "main approve", title: labelOf("approve") || "",
        onclick: () => answer({ approve: true }, "Approved " + where),
      }, "Approve"),
      el("button", {
        type: "button", class: "deny", title: labelOf("deny") || "",
        onclick: () => answer({ deny: true }, "Denied " + where),
      }, "Deny"),
      options.filter((option) => !said.includes(option.means)).map((option) => el("button", {
        type: "button", title: option.detail || "", onclick: () => answer({ choose: option.n }, "Chose " + option.label),
      }, `${option.n} ${option.label}`))),
    el("form", { class: "words", "data-keep": "", "data-key": "words", onsubmit: (event) => {
      event.preventDefault();
      if (words.value.trim()) answer({ text: words.value }, "Answered " + where);
    } }, words, el("button", { type: "submit" }, "Answer")),
  ];
}
