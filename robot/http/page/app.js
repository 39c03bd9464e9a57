// The page: places, what each shows, keys, and the streams that keep it true.

import { follow, followCrews, read, Screens } from "./api.js";
import { el, say } from "./dom.js";
import * as fleet from "./fleet.js";
import { Hosts } from "./hosts.js";
import * as inbox from "./inbox.js";
import { loaders } from "./lists.js";
import "./settled.js";

const places = [
  ["fleet", "Fleet"], ["inbox", "Inbox"], ["alerts", "Alerts"], ["history", "History"], ["usage", "Usage"],
  ["relays", "Relays"], ["crews", "Crews"], ["stories", "Stories"],
];

const page = {
  status: null, attention: { needs: [] }, filter: "", onlyNeedy: false, refresh: () => refresh(),
};

const hosts = new Hosts(() => later());

const main = document.getElementById("main");
const screens = new Screens((screen) => fleet.shown(screen), () => later());

const route = () => {
  const [, place = "fleet", ...rest] = location.hash.split("/");
  return [place || "fleet", decodeURIComponent(rest.join("/"))];
};

let drawn = "";   // what is drawn, so that the same is not drawn twice
let turn = 0;     // the newest refresh; an older one that ends later is dropped
let moving = null; // while another place is not drawn yet: what is done then; no key acts meanwhile

// go leads to a place, and does something there once it is drawn.
function go(hash, then = () => {}) {
  if (location.hash === hash && !moving) return then();
  moving = then;
  if (location.hash !== hash) location.hash = hash;
}

// arrived ends a move.
function arrived() {
  const then = moving;
  moving = null;
  if (then) then();
}

// refresh reads what the place shows, and draws it if it differs.
async function refresh() {
  const own = ++turn, here = location.hash;
  const [place, rest] = route();
  try {
    const [status, attention, draw] = await Promise.all([
      read("status"), read("attention"), loaders[place] ? loaders[place](page, rest) : null,
    ]);
    if (own !== turn || here !== location.hash) return; // the move to another place refreshes
    hosts.join(status, attention);
    notify(page.status ? page.attention.needs : null, attention.needs);
    Object.assign(page, { status, attention });
    show(place, rest, draw);
    link(true);
    arrived();
  } catch (failure) {
    if (own !== turn) return;
    moving = null;
    if (failure.code) say(failure.message + " " + failure.hint, true);
    else link(false);
  }
}

function show(place, rest, draw) {
  header(place);
  const view = draw ? draw() : place === "pane" ? fleet.pane(page, rest) : place === "inbox" ? inbox.view(page) : fleet.view(page);
  const key = location.hash + "\n" + stable(view);
  if (key !== drawn && !busy()) {
    const at = rows().indexOf(document.activeElement);
    main.replaceChildren(view);
    drawn = key;
    screens.close();
    if (at >= 0 && rows()[at]) rows()[at].focus();
  } else if (place === "pane") {
    fleet.renew(page, rest);
  }
  look();
}

// stable is a view as text, without the ages, which change by themselves.
function stable(view) {
  const copy = view.cloneNode(true);
  for (const part of copy.querySelectorAll(".age, .dim, select, textarea")) part.remove();
  return copy.outerHTML;
}

// busy reports whether the user is writing into the page.
function busy() {
  const active = document.activeElement;
  return active && main.contains(active) && ["INPUT", "TEXTAREA", "SELECT"].includes(active.tagName) &&
    drawn.startsWith(location.hash + "\n") || Boolean(main.querySelector(".keys[aria-pressed=true]"));
}

// look streams the screens that are in view.
function look() {
  screens.look([...main.querySelectorAll(".screen")].map((one) => one.id.slice("screen-".length)).slice(0, 100));
}

function header(place) {
  const counts = { inbox: page.attention.needs.length, alerts: Object.values(page.attention.alerts || {}).reduce((a, b) => a + b, 0) };
  document.getElementById("places").replaceChildren(...places.map(([name, label]) =>
    el("a", { href: "#/" + name, "aria-current": name === place || name === "fleet" && place === "pane" ? "page" : undefined },
      label, counts[name] ? el("span", { class: "count" }, String(counts[name])) : "")));
  document.title = (counts.inbox ? `(${counts.inbox}) ` : "") + "Cupola";
}

function link(there) {
  const element = document.getElementById("link");
  element.textContent = there ? "live" : "no connection; trying again";
  element.className = there ? "good" : "bad";
}

let pending;
// later refreshes once, shortly after the first of several changes.
function later() {
  pending ||= setTimeout(() => { pending = undefined; refresh(); }, 60);
}

// notify tells the user who needs them now and did not before.
function notify(before, now) {
  if (!before || !("Notification" in window) || Notification.permission !== "granted") return;
  const known = new Set(before.map((need) => need.session + "." + need.ordinal + need.reason));
  for (const need of now) {
    if (!known.has(need.session + "." + need.ordinal + need.reason)) {
      new Notification(`${need.session}.${need.ordinal ?? ""} needs you`, { body: need.asks || need.why || "", tag: need.session });
    }
  }
}

const rows = () => [...main.querySelectorAll(".row")];

function step(by) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.indexOf(document.activeElement);
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const keys = {
  j: ["next row", () => step(1)], ArrowDown: ["", () => step(1)], k: ["previous row", () => step(-1)], ArrowUp: ["", () => step(-1)],
  w: ["go to who needs you", () => go("#/inbox")],
  d: ["approve or deny: the first button of the inbox", () => go("#/inbox", () => main.querySelector(".approve")?.focus())],
  n: ["only those that need you", () => { page.onlyNeedy = !page.onlyNeedy; drawn = ""; refresh(); }],
  s: ["write a prompt", () => document.getElementById("prompt")?.focus()],
  "/": ["filter", () => filter()], "?": ["these keys", () => help()],
  Escape: ["back", () => back()],
};
places.forEach(([name, label], i) => { keys[String(i + 1)] = [label, () => go("#/" + name)]; });

function back() {
  if (page.filter) { page.filter = ""; drawn = ""; refresh(); return; }
  const [place, rest] = route();
  go(rest && place !== "pane" ? "#/" + place : "#/fleet");
}

function filter() {
  const input = el("input", { type: "search", id: "filter", placeholder: "Show only what matches", "aria-label": "Filter",
    value: page.filter, oninput: () => { page.filter = input.value; drawn = ""; },
    onkeydown: (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        event.preventDefault();
        if (event.key === "Escape") page.filter = "";
        input.remove();
        drawn = "";
        refresh();
      }
    } });
  document.getElementById("filter")?.remove();
  document.querySelector("header").append(input);
  input.focus(); // before the move, so that no letter goes elsewhere
  go("#/fleet");
}

function help() {
  const dialog = document.getElementById("help");
  dialog.replaceChildren(el("h2", {}, "Keys"), el("dl", {}, Object.entries(keys).filter(([, [text]]) => text)
    .flatMap(([key, [text]]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]),
  el("dt", {}, el("kbd", {}, "Enter")), el("dd", {}, "open")),
  el("form", { method: "dialog" }, el("button", {}, "Close")));
  dialog.showModal();
}

const fields = ["INPUT", "TEXTAREA", "SELECT"];

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open ||
      fields.includes(event.target.tagName)) return;
  const open = document.getElementById("filter");
  if (open && event.key.length === 1) return open.focus(); // the letter goes there
  const [, action] = keys[event.key] || [];
  if (!action && !(moving && event.key === "Enter")) return;
  event.preventDefault();
  if (!moving) action();
});

// Crews tell what happens in them while one looks at them; relays and stories are read again.
let crews = null;
function lookElsewhere() {
  const crewsSeen = route()[0] === "crews" && !document.hidden;
  if (crewsSeen && !crews) crews = followCrews(later);
  if (!crewsSeen && crews) { crews.close(); crews = null; }
}
setInterval(() => { if (["relays", "stories"].includes(route()[0]) && !document.hidden) refresh(); }, 2000);
document.addEventListener("visibilitychange", lookElsewhere);
lookElsewhere();

window.addEventListener("hashchange", () => {
  moving ||= () => {}; // a link was followed
  drawn = "";
  lookElsewhere();
  refresh();
  if (document.activeElement?.id !== "filter") main.focus({ preventScroll: true });
});

const theme = document.getElementById("theme");
theme.value = localStorage.getItem("theme") || "";
const paint = () => {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
};
theme.addEventListener("change", () => { localStorage.setItem("theme", theme.value); paint(); });
paint();

const bell = document.getElementById("bell");
bell.hidden = !("Notification" in window) || Notification.permission !== "default";
bell.addEventListener("click", async () => {
  await Notification.requestPermission();
  bell.hidden = true;
});

follow(later, link);
setInterval(() => { drawn = ""; refresh(); }, 30000); // ages
refresh();
