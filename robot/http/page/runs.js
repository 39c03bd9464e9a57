// Runs: relays, crews and stories, in one list, and each of them.

import { button, may } from "./acts.js";
import { act, read } from "./api.js";
import { age, dollars, el, gauge, heading, table, tried } from "./dom.js";
import { startRuns } from "./start.js";

// load reads the list of runs, or one by its kind and id.
export async function load(page, where) {
  const [kind, id] = where.split("/");
  if (id) return one[kind](id);
  const { runs } = await read("run-list", { limit: 100 });
  return () => el("section", {}, heading("Runs"), el("div", { class: "buttons" }, startRuns()), table("Runs", [
    ["Age", (r) => age(r.started_at), "dim"], ["Kind", (r) => r.kind, "word"],
    ["State", (r) => r.needs_text || r.state.replaceAll("_", " "), "word"], ["Name", (r) => r.name || ""],
    ["Cost", (r) => dollars(r.cost_usd, r.cost_known)], ["About", (r) => r.title || r.error || "", "flex"],
  ], runs, { open: (r) => { if (one[r.kind]) location.hash = `#/runs/${r.kind}/${r.id}`; }, empty: "No run yet. The buttons above start one." }));
}

const ended = ["done", "failed", "cancelled"];

// acts are what can be done with a run in its state.
const acts = (id, state) => el("div", { class: "buttons" },
  state === "running" ? button("Pause", "run-pause", { run: id }, { done: "Paused" }) : null,
  ["paused", "interrupted", "needs_you"].includes(state) ? button("Resume", "run-resume", { run: id, background: true }, { done: "Resumed" }) : null,
  ended.includes(state) ? null : button("Stop", "run-cancel", { run: id }, { kind: "deny", sure: "End this run?", done: "Ended" }));

// one reads a run, by its kind.
const one = {
  async relay(id) {
    const [relay] = (await read("relay-show", { relay: id })).results;
    return () => el("section", {}, heading("Relay " + id), el("p", {}, relay.backend, ", ", relay.state), acts(id, relay.state),
      el("h3", {}, "Asked"), el("pre", {}, relay.prompt || ""), el("h3", {}, "Answered"),
      el("pre", {}, relay.text || relay.error || ""));
  },
  crew, story,
};

async function crew(id) {
  const [shown, log] = await Promise.all([
    read("crew-show", { crew: id }), read("crew-logs", { crew: id, type: ["message", "note", "task"], limit: 500 }),
  ]);
  const words = el("input", { type: "text", placeholder: "@all or @NAME: what you say", "aria-label": "Message to the crew" });
  const say = () => tried(() => act("crew-say", { crew: id, text: words.value }), "Said").then((said) => { if (said) words.value = ""; });
  return () => el("section", { class: "feed" }, heading(`Crew ${id}: ${shown.state}`), el("p", {}, shown.prompt), acts(id, shown.state),
    table("Agents", [["Agent", (a) => a.name], ["Backend", (a) => a.backend], ["Status", (a) => a.status, "word"],
      ["Turns", (a) => String(a.turn_count)], ["Cost", (a) => dollars(a.cost_usd, a.cost_known)]], shown.agents),
    el("ol", { class: "messages" }, log.events.map((e) => el("li", { class: e.type },
      el("strong", {}, e.from + (e.to ? " to " + e.to : "")), el("pre", {}, e.text || "")))),
    may("crew-say") ? el("form", { class: "words", "data-keep": "", "data-key": "say " + id,
      onsubmit: (event) => { event.preventDefault(); say(); } }, words, el("button", { type: "submit" }, "Say")) : null);
}

async function story(id) {
  const shown = await read("story-status", { run: id });
  return () => el("section", {}, heading(`${shown.name}: ${shown.state}`),
    el("p", {}, shown.branch, shown.reason ? ", " + shown.reason.replaceAll("_", " ") : ""),
    shown.error ? el("pre", { class: "bad" }, shown.error) : "", acts(id, shown.state),
    table("Stories", [
      ["Story", (s) => s.id], ["Title", (s) => s.title, "flex"], ["State", (s) => s.state.replaceAll("_", " "), "word"],
      ["Tasks", (s) => gauge(s.tasks_done, s.tasks_total)], ["Tries", (s) => String((s.tries || []).length)],
      ["Commit", (s) => (s.commit || "").slice(0, 8), "dim"],
    ], shown.stories || []));
}
