// The places that list: alerts, history and search, usage, hosts and browsers.

import { button, may } from "./acts.js";
import { browsers, lines, read, signOut } from "./api.js";
import * as changes from "./changes.js";
import { age, bars, dollars, el, gauge, heading, number, table, tried } from "./dom.js";
import { load as pane } from "./pane.js";
import { load as runs } from "./runs.js";

// programOf names a browser by what it says of itself.
function programOf(text) {
  const named = (list) => list.find(([part]) => text.includes(part))?.[1];
  const program = named([["Edg", "Edge"], ["OPR", "Opera"], ["Firefox", "Firefox"], ["Chrome", "Chrome"], ["Safari", "Safari"]]);
  const system = named([["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Mac OS", "macOS"],
    ["Windows", "Windows"], ["Linux", "Linux"]]);
  return program ? program + (system ? " on " + system : "") : text || "unknown";
}

// whereOf leads to the pane that an alert is about.
const whereOf = ({ session, subject }) => session && subject?.startsWith(session + ".")
  ? el("a", { href: "#/pane/" + subject }, subject) : subject || session || "";

// searchFor is the form that searches in what was said.
function searchFor(words) {
  const field = el("input", { type: "search", value: words, placeholder: "Search in all that was said", "aria-label": "Search" });
  return el("form", { class: "words", "data-keep": "", "data-key": "search", onsubmit: (event) => {
    event.preventDefault();
    location.hash = "#/history/" + encodeURIComponent(field.value.trim());
  } }, field, el("button", { type: "submit" }, "Search"));
}

// loaders read what a view needs, and return how to draw it.
export const loaders = {
  changes: changes.load,
  pane,
  runs,

  async alerts() {
    const { alerts } = await read("alerts", { limit: 200 });
    return () => el("section", {}, heading("Alerts"), table("Alerts", [
      ["Severity", (a) => a.severity, "word"], ["Where", whereOf], ["What", (a) => a.message, "flex"],
      ["Age", (a) => age(a.first_seen), "dim"],
      may("dismiss-alert") ? ["Action", (a) => button("Dismiss", "dismiss-alert", { alert: a.id },
        { "data-of": a.id, done: "Dismissed" })] : null,
    ], alerts, { empty: "No alert is open." }));
  },

  async browsers(page) {
    const all = await browsers();
    const out = (one) => tried(() => signOut(one), "Signed out").then(page.refresh);
    return () => el("section", {}, heading("Browsers that are signed in"), table("Browsers", [
      ["Browser", (b) => el("span", { title: b.program }, programOf(b.program), b.this ? " (this one)" : ""), "flex"],
      ["Since", (b) => age(b.began_at), "dim"], ["Seen", (b) => age(b.seen_at), "dim"],
      ["Action", (b) => el("button", { type: "button", class: "deny", "data-of": b.id, onclick: () => out(b.id) }, "Sign out")],
    ], all), all.length > 1 ? el("div", { class: "buttons" },
      el("button", { type: "button", class: "deny", onclick: () => out("all") }, "Sign all out")) : "");
  },

  async history(page, words) {
    const search = searchFor(words);
    if (words) {
      const hits = (await lines("search", { text: words.split(/\s+/), limit: 100 })).filter((line) => line.type === "hit");
      return () => el("section", { "data-key": "found" }, heading("What was said"), search, table("Found", [
        ["Age", (h) => age(h.at), "dim"], ["Who", (h) => h.who, "word"], ["Where", (h) => h.address || h.kind || ""],
        ["Text", (h) => h.text, "flex"],
      ], hits, { empty: "No agent and no prompt said that." }));
    }
    const { prompts } = await read("history", { limit: 100 });
    return () => el("section", { "data-key": "history" }, heading("History"), search, table("Prompts", [
      ["Age", (p) => age(p.at), "dim"], ["To", (p) => p.addresses.join(", ") || p.session],
      ["Outcome", (p) => p.outcome, "word"], ["Prompt", (p) => p.text, "flex"],
    ], prompts, { empty: "No prompt was sent yet." }));
  },

  async usage() {
    const [days, models, budget] = await Promise.all([
      read("tokens", { days: 14 }), read("tokens", { days: 14, "group-by": "model" }), read("budget"),
    ]);
    return () => el("section", {}, heading("Usage of the last 14 days"),
      el("p", {}, `${number(days.totals.tokens)} tokens in ${number(days.totals.requests)} requests, `,
        dollars(days.totals.cost_usd), ` (${days.totals.cost_source})`),
      days.rows.length ? bars("Tokens a day", days.rows.map((r) => [r.key, r.tokens, number(r.tokens)])) : "",
      models.rows.length ? bars("Tokens by model",
        models.rows.map((r) => [r.key, r.tokens, `${number(r.tokens)} ${dollars(r.cost_usd)}`])) : "",
      heading("Ceilings"), table("Ceilings", [
        ["Of", (c) => c.scope + (c.session ? " " + c.session : "")], ["Ceiling", (c) => `${number(c.ceiling)} ${c.unit}`],
        ["Used", (c) => gauge(c.percent, 100, `${number(c.used)} ${c.unit}, ${c.percent} %`)], ["State", (c) => c.state, "word"],
      ], budget.ceilings || [], { empty: "No ceiling is set." }));
  },

  async hosts() {
    const { hosts } = await read("hosts");
    return () => el("section", {}, heading("Hosts"), hosts.length ? table("Hosts", [
      ["Host", (h) => h.host], ["State", (h) => h.state, "word"], ["Agents", (h) => number(h.agent_count)],
      ["Why", (h) => h.reason || "", "flex"],
    ], hosts) : el("p", { class: "empty" }, "No other host. ", el("code", {}, "cupola hosts add NAME"), " adds one."));
  },
};
