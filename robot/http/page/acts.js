// Acts: buttons and forms that call verbs. What the server's level does not allow is not offered.

import { act, read } from "./api.js";
import { el, tried } from "./dom.js";

// levels are those of servers and of calls, the lowest first.
const levels = ["reads", "answers", "writes", "destroys"];

let effects = null;

// learn reads what each verb does, once.
export async function learn() {
  if (effects) return;
  const { commands } = await read("capabilities");
  effects = Object.fromEntries(Object.entries(commands).map(([verb, { effect }]) => [verb, effect || "reads"]));
}

// may reports whether the server lets its clients call a verb. Level is that of a call which does more than the verb.
export function may(verb, level = effects?.[verb] || "destroys") {
  return levels.indexOf(level) <= levels.indexOf(document.documentElement.dataset.allow);
}

// acted tells the page to read anew.
const acted = () => document.dispatchEvent(new Event("acted"));

// button offers an act, or is null where the server does not allow it. Input is what the verb gets, or makes it. How
// may have a level, a class, what is asked before (sure), and what is said once it is done, or makes that.
export function button(label, verb, input, { level, kind, sure, done, ...properties } = {}) {
  if (!may(verb, level)) return null;
  return el("button", { type: "button", class: kind, ...properties, onclick: async (event) => {
    event.stopPropagation();
    if (sure && !await confirmed(sure, label)) return;
    await tried(() => act(verb, typeof input === "function" ? input() : input), done);
    acted();
  } }, label);
}

const dialog = document.getElementById("dialog");

// show opens the dialog with a heading and what is in it.
export function show(heading, ...content) {
  dialog.replaceChildren(el("h2", { id: "dialog-heading" }, heading), ...content.flat().filter(Boolean));
  if (!dialog.open) dialog.showModal();
}

const closing = (label = "Close") => el("button", { type: "button", onclick: () => dialog.close() }, label);

// tell shows something that needs no answer.
export const tell = (heading, ...content) => show(heading, ...content, el("div", { class: "buttons" }, closing()));

// confirmed asks whether to go on.
function confirmed(question, label) {
  return new Promise((answer) => {
    const yes = el("button", { type: "button", class: "deny", onclick: () => { answer(true); dialog.close(); } }, label);
    dialog.addEventListener("close", () => answer(false), { once: true });
    show(question, el("div", { class: "buttons" }, closing("Cancel"), yes));
  });
}

// field makes the field of a form: a text, a text with suggestions (list), several lines (area), one of several
// (choice), or yes or no (check).
function field({ name, label, kind = "text", options = [], value = "", required = false, hint = "" }) {
  const id = "field-" + name, common = { id, name, required, placeholder: hint };
  switch (kind) {
    case "check":
      return el("label", { class: "check" }, el("input", { type: "checkbox", id, name, checked: Boolean(value) }), " ", label);
    case "choice":
      return [el("label", { htmlFor: id }, label), el("select", { id, name },
        options.map(([of, text = of]) => el("option", { value: of, selected: of === value }, text)))];
    case "area":
      return [el("label", { htmlFor: id }, label), el("textarea", { ...common, rows: 4, value })];
    default:
      return [el("label", { htmlFor: id }, label), el("input", { ...common, type: kind === "list" ? "text" : kind, value,
        autocapitalize: "off", autocomplete: "off", list: options.length ? id + "-options" : undefined }),
      options.length ? el("datalist", { id: id + "-options" }, options.map(([of]) => el("option", { value: of }))) : null];
  }
}

// ask opens a form and calls with the values of its fields, by name; empty ones are left out. It says what went wrong,
// and stays open then.
export function ask(heading, fields, call, { label = heading, done } = {}) {
  const wrong = el("p", { class: "bad", role: "alert" });
  const send = el("button", { type: "submit", class: "main" }, label);
  const form = el("form", { class: "ask", onsubmit: async (event) => {
    event.preventDefault();
    const values = {};
    for (const [name, value] of new FormData(form)) if (value !== "") values[name] = value === "on" ? true : value;
    wrong.textContent = "";
    send.disabled = true;
    const answer = await tried(() => call(values), done, (text) => { wrong.textContent = text; });
    send.disabled = false;
    if (answer === null) return;
    dialog.close();
    acted();
  } }, fields.filter(Boolean).map(field), wrong, el("div", { class: "buttons" }, closing("Cancel"), send));
  show(heading, form);
}

// opener is a button that opens a form, or null where its verb is not allowed.
export function opener(label, verb, open, { level, ...properties } = {}) {
  return may(verb, level) ? el("button", { type: "button", ...properties, onclick: open }, label) : null;
}
