// Alerts, history, usage, relays, crews and stories.

import { act, browsers, read, signOut } from "./api.js";
import { age, bars, dollars, el, table, tried } from "./dom.js";

const heading = (text) => el("h2", {}, text);
const number = (value) => (value || 0).toLocaleString("en");
const go = (path) => { location.hash = path; };

// programOf names a browser by what it says of itself.
function programOf(text) {
  const named = (list) => list.find(([part]) => text.includes(part))?.[1];
  const program = named([["Edg", "Edge"], ["OPR", "Opera"], ["Firefox", "Firefox"], ["Chrome", "Chrome"], ["Safari", "Safari"]]);
  const system = named([["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Mac OS", "macOS"],
    ["Windows", "Windows"], ["Linux", "Linux"]]);
  return program ? program + (system ? " on " + system : "") : text || "unknown";
}

// loaders read what a view needs, and return how to draw it.
export const loaders = {
  async alerts(page) {
    const { alerts } = await read("alerts", { limit: 200 });
    return () => el("section", {}, heading("Alerts"), table("Alerts", [
      ["Severity", (a) => a.severity, "word"], ["Where", (a) => a.subject || a.session || ""], ["What", (a) => a.message, "flex"],
      ["Age", (a) => age(a.first_seen), "dim"],
      ["Action", (a) => el("button", { type: "button", "data-of": a.id, onclick: (event) => {
        event.stopPropagation();
        tried(() => act("dismiss-alert", { alert: a.id }), "Dismissed").then(page.refresh);
      } }, "Dismiss")],
    ], alerts));
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

  async history() {
    const { prompts } = await read("history", { limit: 100 });
    return () => el("section", {}, heading("History"), table("Prompts", [
      ["Age", (p) => age(p.at), "dim"], ["To", (p) => p.addresses.join(", ") || p.session],
      ["Outcome", (p) => p.outcome, "word"], ["Prompt", (p) => p.text, "flex"],
    ], prompts));
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
      ], budget.ceilings || []));
  },

  async relays(page, id) {
    if (id) {
      const relay = (await read("relay-show", { relay: id })).results[0];
      return () => el("section", {}, heading("Relay " + id), el("p", {}, relay.backend, ", ", relay.state),
        el("h3", {}, "Asked"), el("pre", {}, relay.prompt || ""), el("h3", {}, "Answered"),
        el("pre", {}, relay.text || relay.error || ""));
    }
    const { relays } = await read("relay-list", { limit: 100 });
    return () => el("section", {}, heading("Relays"), table("Relays", [
      ["Age", (r) => age(r.started_at), "dim"], ["Backend", (r) => r.backend], ["State", (r) => r.state, "word"],
      ["Tokens", (r) => number(r.tokens)], ["Cost", (r) => dollars(r.cost_usd)], ["Prompt", (r) => r.prompt, "flex"],
    ], relays, (r) => go("#/relays/" + r.id)));
  },

  async crews(page, id) {
    if (id) return crew(page, id);
    const { crews } = await read("crew-list", { limit: 100 });
    return () => el("section", {}, heading("Crews"), table("Crews", [
      ["Age", (c) => age(c.started_at), "dim"], ["State", (c) => c.state, "word"], ["Turn", (c) => String(c.turn)],
      ["Agents", (c) => c.agent_names.join(", ")], ["Cost", (c) => dollars(c.cost_usd, c.cost_known)],
      ["Task", (c) => c.prompt, "flex"],
    ], crews, (c) => go("#/crews/" + c.id)));
  },

  async stories(page, id) {
    if (id) return run(page, id);
    const { runs } = await read("story-runs", { limit: 100 });
    return () => el("section", {}, heading("Stories"), table("Runs over stories", [
      ["Age", (r) => age(r.started_at), "dim"], ["State", (r) => r.state, "word"], ["Name", (r) => r.name],
      ["Done", (r) => gauge(r.stories_done, r.stories_total)], ["By", (r) => r.backend || ""],
      ["Cost", (r) => dollars(r.cost_usd, r.cost_known)], ["Branch", (r) => r.branch, "flex"],
    ], runs, (r) => go("#/stories/" + r.id)));
  },
};

const gauge = (done, all, text = `${done}/${all}`) =>
  el("span", {}, el("progress", { max: all || 1, value: Math.min(done, all), "aria-label": text }), " " + text);

async function crew(page, id) {
  const [shown, log] = await Promise.all([
    read("crew-show", { crew: id }), read("crew-logs", { crew: id, type: ["message", "note", "task"], limit: 500 }),
  ]);
  return () => {
    const words = el("input", { type: "text", placeholder: "@all or @NAME: what you say", "aria-label": "Message to the crew" });
    return el("section", { class: "feed" }, heading(`Crew ${id}: ${shown.state}`), el("p", {}, shown.prompt),
      table("Agents", [["Agent", (a) => a.name], ["Backend", (a) => a.backend], ["Status", (a) => a.status, "word"],
        ["Turns", (a) => String(a.turn_count)], ["Cost", (a) => dollars(a.cost_usd, a.cost_known)]], shown.agents),
      el("ol", { class: "messages" }, log.events.map((e) => el("li", { class: e.type },
        el("strong", {}, e.from + (e.to ? " to " + e.to : "")), el("pre", {}, e.text || "")))),
      el("form", { class: "words", onsubmit: (event) => {
        event.preventDefault();
        tried(() => act("crew-say", { crew: id, text: words.value }), "Said").then(page.refresh);
        words.value = "";
      } }, words, el("button", { type: "submit" }, "Say"),
      el("button", { type: "button", onclick: () => tried(() => act("crew-pause", { crew: id }), "Paused").then(page.refresh) }, "Pause"),
      el("button", { type: "button", class: "deny", onclick: () =>
        tried(() => act("crew-stop", { crew: id }), "Stopped").then(page.refresh) }, "Stop")));
  };
}

async function run(page, id) {
  const shown = await read("story-status", { run: id });
  return () => el("section", {}, heading(`${shown.name}: ${shown.state}`),
    el("p", {}, shown.branch, shown.reason ? ", " + shown.reason.replaceAll("_", " ") : ""),
    shown.error ? el("pre", { class: "bad" }, shown.error) : "",
    table("Stories", [
      ["Story", (s) => s.id], ["Title", (s) => s.title, "flex"], ["State", (s) => s.state.replaceAll("_", " "), "word"],
      ["Tasks", (s) => gauge(s.tasks_done, s.tasks_total)], ["Tries", (s) => String((s.tries || []).length)],
      ["Commit", (s) => (s.commit || "").slice(0, 8), "dim"],
    ], shown.stories || []),
    el("div", { class: "buttons" },
      el("button", { type: "button", onclick: () => tried(() => act("story-pause", { run: id }), "Paused").then(page.refresh) }, "Pause"),
      el("button", { type: "button", class: "deny", onclick: () =>
        tried(() => act("story-stop", { run: id }), "Stopped").then(page.refresh) }, "Stop")));
}
