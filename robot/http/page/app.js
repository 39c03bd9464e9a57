// The page: places, what each shows, keys, and the streams that keep it true.

import { learn, tell } from "./acts.js";
import { read, signIn, Stream } from "./api.js";
import { el, morph, say } from "./dom.js";
import * as fleet from "./fleet.js";
import { Hosts } from "./hosts.js";
import * as inbox from "./inbox.js";
import { loaders } from "./lists.js";
import { openTerminal } from "./pane.js";
import { announce, bell, settle, worker } from "./push.js";
import * as buttons from "./settled.js";

const places = [
  ["fleet", "Fleet"], ["inbox", "Inbox"], ["changes", "Changes"], ["runs", "Runs"], ["history", "History"],
  ["alerts", "Alerts"], ["usage", "Usage"], ["hosts", "Hosts"], ["browsers", "Browsers"],
];

const page = {
  status: null, attention: { needs: [] }, filter: "", onlyNeedy: false, refresh: () => refresh(), draw: () => draw(),
};

const hosts = new Hosts(() => later());

const main = document.getElementById("main");
const stream = new Stream((kind, data) => {
  if (kind === "screen") fleet.shown(data);
  else if (kind === "changed" || route()[0] === "runs") later();
}, (there, failure) => {
  link(there);
  if (failure?.status === 401) askToken();
  else if (there) later(); // what happened meanwhile
});

inbox.hover(() => draw());

const route = () => {
  const [, place = "fleet", ...rest] = location.hash.split("/");
  return [place || "fleet", decodeURIComponent(rest.join("/"))];
};

let offered = false;
// offerBell offers notifications once the browser is signed in.
function offerBell() {
  if (!offered) bell(document.getElementById("bell"), registered);
  offered = true;
}

let drawn = "";     // the place that is drawn
let loaded = null; // what draws a place that reads more than the fleet
let turn = 0;      // the newest refresh; an older one that ends later is dropped
let moving = null; // while another place is not drawn yet: what is done then; no key acts meanwhile

// go leads to a place, and does something there once it is drawn.
function go(hash, then = () => {}) {
  if (location.hash === hash && !moving) return then();
  moving = then;
  if (location.hash !== hash) location.hash = hash;
}

// lead leads to a card, also from its own address.
function lead(card) {
  inbox.aim("");
  go(card, draw);
}

// arrived ends a move.
function arrived() {
  const then = moving;
  moving = null;
  if (then) then();
}

// refresh reads what the place shows, and draws it.
async function refresh() {
  const own = ++turn, here = location.hash, began = Date.now();
  const [place, rest] = route();
  reading++;
  try {
    const [status, attention, view] = await Promise.all([
      read("status"), read("attention"), loaders[place] ? loaders[place](page, rest) : null,
      learn(),
    ]);
    if (own !== turn || here !== location.hash) return; // the move to another place refreshes
    hosts.join(status, attention);
    const before = page.status ? page.attention.needs : null;
    Object.assign(page, { status, attention });
    loaded = view;
    draw();
    stream.start();
    offerBell();
    arrived();
    notify(before, attention.needs);
    settle(registered, attention.needs.map(inbox.placeOf), began);
  } catch (failure) {
    if (own !== turn) return;
    moving = null;
    if (failure.status === 401) askToken();
    else if (failure.code) say(failure.message + " " + failure.hint, true);
    else link(false);
  } finally {
    reading--;
    rested = performance.now();
  }
}

// views are the places that show the fleet alone.
const views = { fleet: fleet.view, inbox: inbox.view };

// draw shows what was read last. What is shown already stays: scrolling, selections, the focus, and what is written.
function draw() {
  if (!page.status) return;
  const [place, rest] = route();
  if (loaders[place] && !loaded) return;
  header(place);
  const view = loaded ? loaded() : (views[place] || fleet.view)(page, rest);
  if (drawn !== location.hash) {
    main.replaceChildren(view);
    drawn = location.hash;
  } else {
    const now = main.cloneNode(false), active = document.activeElement;
    now.append(view);
    morph(main, now);
    if (active !== document.activeElement && main.contains(active)) active.focus({ preventScroll: true });
  }
  fleet.fill(main, openTerminal);
  inbox.aim(place === "inbox" ? rest : "");
  watch();
  buttons.look();
}

// askToken lets a browser sign in that is not, or not any more.
function askToken(why = "") {
  stream.stop();
  drawn = "";
  page.status = null;
  const field = el("input", { type: "password", autocomplete: "off", "aria-label": "Token or address", placeholder: "token, or the whole address" });
  if (main.querySelector(".sign-in") && !why) return;
  document.getElementById("link").textContent = "not signed in";
  main.replaceChildren(el("section", { class: "sign-in" }, el("h2", {}, "This browser is not signed in"),
    why ? el("p", { class: "bad" }, why) : "",
    el("p", {}, "Run ", el("code", {}, "cupola serve-status"), " where the server runs, and open the page's address, or " +
      "paste it or the token here."),
    el("form", { class: "words", onsubmit: (event) => { event.preventDefault(); enter(field.value); } }, field,
      el("button", { type: "submit", class: "main" }, "Sign in"))));
  if (!why) return;
  main.querySelector("input").focus();
}

// enter signs in with a token, a pass, or an address that has one.
async function enter(given) {
  const text = given.trim();
  try {
    await signIn(/[?&]token=([^&#]*)/.exec(text)?.[1] || text);
  } catch (failure) {
    if (failure.code || failure.status) askToken(failure.message + ". " + failure.hint);
    else link(false);
    return;
  }
  main.replaceChildren();
  refresh();
}

// seen are the screens in view: only those are streamed.
const seen = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target);
    else seen.delete(target);
  }
  look();
});

let watched = new Set();
// watch observes the screens that are there now.
function watch() {
  const there = new Set(main.querySelectorAll(".screen"));
  for (const one of watched) if (!there.has(one)) { observer.unobserve(one); seen.delete(one); }
  for (const one of there) if (!watched.has(one)) observer.observe(one);
  watched = there;
  look();
}

// look streams the screens that are in view.
function look() {
  stream.look(document.hidden ? [] : [...seen].map((one) => one.id.slice("screen-".length)).slice(0, 100));
}
document.addEventListener("visibilitychange", () => { look(); if (!document.hidden) { stream.start(); later(); } });

function header(place) {
  const counts = { inbox: page.attention.needs.length, alerts: Object.values(page.attention.alerts || {}).reduce((a, b) => a + b, 0) };
  const nav = document.getElementById("places"), now = nav.cloneNode(false);
  now.append(...places.map(([name, label]) =>
    el("a", { href: "#/" + name, "aria-current": name === place || name === "fleet" && place === "pane" ? "page" : undefined },
      label, counts[name] ? el("span", { class: "count" }, String(counts[name])) : "")));
  morph(nav, now);
  document.title = (counts.inbox ? `(${counts.inbox}) ` : "") + "Cupola";
}

function link(there) {
  const element = document.getElementById("link");
  element.textContent = there ? "live" : "no connection; trying again";
  element.className = there ? "good" : "bad";
}

// restFor is how long the page rests between two refreshes that changes cause, in milliseconds; hiddenFor where it is
// not looked at.
const restFor = 300;
const hiddenFor = 5000;

let pending, reading = 0, rested = -Infinity;
// later refreshes once, shortly after the first of several changes, and not before the refresh before has ended.
function later() {
  const wait = rested + (document.hidden ? hiddenFor : restFor) - performance.now();
  pending ||= setTimeout(() => {
    pending = undefined;
    if (reading) later();
    else refresh();
  }, Math.max(60, wait));
}

// notify tells the user who needs them now and did not before.
function notify(before, now) {
  if (!before || !("Notification" in window) || Notification.permission !== "granted") return;
  const known = new Set(before.map((need) => inbox.placeOf(need)));
  for (const need of now) {
    if (known.has(inbox.placeOf(need))) continue;
    const where = inbox.whereOf(need);
    announce(`${where} needs you`, { body: need.asks || need.why || "", tag: where }, inbox.placeOf(need), lead);
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
  d: ["approve or deny: the first button of the inbox", () => decide()],
  n: ["only those that need you", () => { page.onlyNeedy = !page.onlyNeedy; draw(); }],
  s: ["write a prompt", () => document.getElementById("prompt")?.focus()],
  "/": ["filter", () => filter()], "?": ["these keys", () => help()],
  Escape: ["back", () => back()],
};
// decide leads to the first button of the card that has the focus, or of the inbox.
function decide() {
  const card = document.activeElement?.closest(".need");
  if (card) card.querySelector(".approve")?.focus();
  else go("#/inbox", () => main.querySelector(".approve")?.focus());
}

places.forEach(([name, label], i) => { keys[String(i + 1)] = [label, () => go("#/" + name)]; });

function back() {
  if (page.filter) { page.filter = ""; draw(); return; }
  const [place, rest] = route();
  go(rest && place !== "pane" ? "#/" + place : "#/fleet");
}

function filter() {
  const input = el("input", { type: "search", id: "filter", placeholder: "Show only what matches", "aria-label": "Filter",
    value: page.filter, oninput: () => { page.filter = input.value; draw(); },
    onkeydown: (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        event.preventDefault();
        if (event.key === "Escape") page.filter = "";
        input.remove();
        draw();
      }
    } });
  document.getElementById("filter")?.remove();
  document.querySelector("header").append(input);
  input.focus(); // before the move, so that no letter goes elsewhere
  go("#/fleet");
}

function help() {
  tell("Keys", el("dl", {}, [...Object.entries(keys).filter(([, [text]]) => text).map(([key, [text]]) => [key, text]), ["Enter", "open"]]
    .flatMap(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)])));
}

const fields = ["INPUT", "TEXTAREA", "SELECT"];

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.getElementById("dialog").open ||
      fields.includes(event.target.tagName)) return;
  const open = document.getElementById("filter");
  if (open && event.key.length === 1) return open.focus(); // the letter goes there
  const [, action] = keys[event.key] || [];
  if (!action && !(moving && event.key === "Enter")) return;
  event.preventDefault();
  if (!moving || event.key === "Escape" && page.filter) action();
});

document.addEventListener("acted", () => refresh());

window.addEventListener("hashchange", () => {
  moving ||= () => {}; // a link was followed
  loaded = null;
  refresh();
  const active = document.activeElement;
  if (active?.id !== "filter" && !(drawn === location.hash && main.contains(active))) main.focus({ preventScroll: true });
});

const theme = document.getElementById("theme");
theme.value = localStorage.getItem("theme") || "";
const paint = () => {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
};
theme.addEventListener("change", () => { localStorage.setItem("theme", theme.value); paint(); });
paint();

const registered = worker(lead);

setInterval(() => { if (!document.hidden) draw(); }, 10000); // ages
setInterval(later, 30000);

const shown = new URLSearchParams(location.search).get("token");
if (shown) {
  history.replaceState(null, "", location.pathname + location.hash);
  signIn(shown).catch(() => {}).then(refresh); // a pass that was used is none; the browser may be signed in
} else {
  refresh();
}
