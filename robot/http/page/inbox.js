// The inbox: who needs the user, and the answer. An answer has the id of the dialog that was shown, so that it cannot
// approve what the agent asks next.

import { act } from "./api.js";
import { el, state, tried } from "./dom.js";

// view draws what needs the user.
export function view(page) {
  const { needs } = page.attention;
  if (needs.length === 0) return el("section", { class: "empty" }, el("h2", {}, "Nothing needs you"));
  return el("section", { class: "inbox" }, el("h2", { class: "hidden" }, "Inbox"), needs.map((need) => card(page, need)));
}

// asked are the dialogs that were read, by pane and what is asked.
const asked = new Map();

function card(page, need) {
  const where = need.ordinal === undefined ? need.session || "" : `${need.session}.${need.ordinal}`;
  const body = el("div", { class: "dialog" });
  const told = need.asks || need.shows || need.why || "";
  const article = el("article", { class: "need row " + (need.state || ""), tabIndex: 0, "data-where": where, "data-of": where },
    el("h3", {}, where ? el("a", { href: "#/pane/" + where }, where) : "", " ", need.agent || "", " ",
      need.state ? state(need) : ""),
    el("p", { class: "why" }, told), body);
  if (need.state === "waiting" && where) dialog(page, need, where, body);
  else if (need.why && need.why !== told) body.append(el("p", { class: "dim" }, need.why));
  return article;
}

async function dialog(page, need, where, body) {
  const key = where + "\n" + need.asks + "\n" + need.since;
  let row = asked.get(key);
  if (!row) {
    try {
      row = (await act("answer", { session: where, "dry-run": true })).answers[0];
    } catch (failure) {
      body.append(el("p", { class: "dim" }, failure.message));
      return;
    }
    if (!row) return;
    if (!row.dialog_id) throw new Error("The Cupola over there is too old to be answered from here.");
    asked.set(key, row);
    if (asked.size > 200) asked.delete(asked.keys().next().value);
  }
  const reason = row.before_reason || need.reason;
  body.closest("[data-of]").dataset.of = where + " " + row.dialog_id;
  const answer = (how, done) => tried(() => act("answer", { session: where, dialog: row.dialog_id, ...how }), done).then((done) => {
    if (!done) asked.delete(key); // it is read again
    page.refresh();
  });
  const words = el("input", { type: "text", placeholder: "in your own words", "aria-label": "Answer in words for " + where });
  body.append(
    row.asked && row.asked.length > 0 ? el("pre", {}, row.asked.join("\n")) : "",
    el("div", { class: "buttons" },
      reason === "question" ? "" : el("button", {
        type: "button", class: "main approve", onclick: () => answer({ approve: true }, "Approved " + where),
      }, "Approve"),
      el("button", { type: "button", class: "deny", onclick: () => answer({ deny: true }, "Denied " + where) }, "Deny"),
      (row.options || []).map((option) => el("button", {
        type: "button", title: option.detail || "", onclick: () => answer({ choose: option.n }, "Chose " + option.label),
      }, `${option.n} ${option.label}`))),
    el("form", { class: "words", onsubmit: (event) => {
      event.preventDefault();
      if (words.value.trim()) answer({ text: words.value }, "Answered " + where);
    } }, words, el("button", { type: "submit" }, "Answer")));
}
